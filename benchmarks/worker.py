"""Score one data set with one package in this interpreter, and print time and memory as JSON.

Run by ``core.py``, once per package and data set, with the interpreter of the package.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

K = 10


def read_frames(file: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    arrays = np.load(file)
    frames = {"actual": {}, "predicted": {}}
    for name in arrays.files:
        frame, column = name.split(".")
        values = arrays[name]
        frames[frame][column] = values.astype(object) if values.dtype.kind == "U" else values
    # Inferring makes text what it is by default: objects in pandas 2, `str` in pandas 3.
    return tuple(pd.DataFrame(columns).infer_objects() for columns in frames.values())


def scorer(package: str) -> Any:
    """A function that computes four metrics on two frames."""
    if package == "jurity_reco":
        import jurity_reco as reco
    else:
        import jurity.recommenders as reco
        from jurity.utils import get_sorted_clicks
    metrics = reco.CombinedMetrics(
        *(getattr(reco, name)("click", k=K) for name in ("Precision", "Recall", "MAP", "NDCG"))
    )

    def score(actual: pd.DataFrame, predicted: pd.DataFrame) -> dict[str, float]:
        if package == "jurity":
            get_sorted_clicks.cache_clear()  # or it returns the scores of the call before
        return metrics.get_score(actual, predicted)

    return score


def memory(field: str) -> int:
    """Resident memory now (VmRSS) or at its peak (VmHWM), in bytes; 0 where it is not told."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(field)), 0)


def main(package: str, file: str, repeats: int) -> None:
    actual, predicted = read_frames(file)
    score = scorer(package)
    frames = int(sum(frame.memory_usage(index=False).sum() for frame in (actual, predicted)))
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")  # from here on, VmHWM is the peak of the scoring alone
    before = memory("VmRSS")
    scores = score(actual, predicted)
    extra = memory("VmHWM") - before
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        score(actual, predicted)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": min(seconds), "extra": extra / frames, "scores": scores}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
