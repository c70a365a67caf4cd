"""Score one case with one library in this interpreter: for each line read, time and memory.

Started by ``scorers.py`` with the interpreter of the library. The first line that is written has
the versions of the packages, and each further one answers a line that names a way to score.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from data import Columns, make_data
from frames import FRAMES
from peers import LIBRARIES, OURS

SHOWN_PACKAGES = ("numpy", "pandas", "pyarrow", "polars")


def read_columns(file: str) -> Columns:
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


def make_frames(columns: Columns, kind: str, ids: str) -> list[Any]:
    order = ("user_id", "item_id", "click")
    return [
        FRAMES[kind]({column: columns.pop(f"{frame}.{column}") for column in order}, ids)
        for frame in ("actual", "predicted")
    ]


def memory(field: str) -> int:
    """Resident memory now (VmRSS) or at its peak (VmHWM), in bytes; 0 where it is not told."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field)), 0)


def forget_peak() -> None:
    """From here on, VmHWM is the peak of what follows."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def versions(package: str) -> dict[str, str]:
    found = {"Python": sys.version.split()[0]}
    for name in (package, *SHOWN_PACKAGES):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def own_report() -> str:
    """What this package says about how it was built, if it does."""
    import jurity_reco

    show = getattr(jurity_reco, "show_versions", None)
    if show is None:
        return ""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        returned = show()
    return printed.getvalue() if returned is None else str(returned)


def main(library: str, file: str, ids: str, k: int) -> None:
    peer = LIBRARIES[library]
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries may print what they like

    def answer(**values: Any) -> None:
        print(json.dumps(values), file=answers, flush=True)

    frames = make_frames(read_columns(file), peer.frames, ids)
    few = make_frames(make_data(1000), peer.frames, ids)
    ready = set()
    own = own_report() if library == OURS else ""
    answer(versions=versions(peer.package), own=own)
    for line in sys.stdin:
        way = line.strip()
        if way not in ready:  # imports and compilers are done before time and memory are taken
            peer.score(*few, k, way)
            ready.add(way)
        forget_peak()
        before = memory("VmRSS")
        start = time.perf_counter()
        scores = peer.score(*frames, k, way)
        seconds = time.perf_counter() - start
        scores = {name: float(score) for name, score in scores.items()}
        answer(seconds=seconds, extra=max(memory("VmHWM") - before, 0), scores=scores)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
