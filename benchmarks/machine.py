"""What the measurements were made with: processor, memory, versions and date."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path
from typing import Any

from data import Case, make_data
from peers import LIBRARIES
from scorers import Bench


def line_of(file: str, start: str) -> str:
    """What stands behind the colon in the first line of a file that starts so."""
    lines = Path(file).read_text().splitlines() if Path(file).exists() else []
    found = next((line for line in lines if line.startswith(start)), ":")
    return found.partition(":")[2].strip()


def available_memory() -> int:
    """Bytes that processes can still have; where it is not told, none."""
    return int(line_of("/proc/meminfo", "MemAvailable").split()[0] or 0) * 1024


def about_machine(n_rows: int, interpreters: dict[str, Path], folder: Path, repeats: int) -> str:
    """Lines about the machine, and the versions that each library ran with."""
    about: dict[str, dict[str, Any]] = {}
    with Bench(Case("a few rows", make_data(100)), folder, interpreters, repeats) as bench:
        for library in interpreters:
            with bench.scorer(library) as scorer:
                about[library] = scorer.about
    total = line_of("/proc/meminfo", "MemTotal").split()
    lines = [
        f"date: {datetime.date.today().isoformat()}",
        f"recommendations: {n_rows:,}",
        f"processor: {line_of('/proc/cpuinfo', 'model name') or platform.machine()}",
        f"cores: {os.cpu_count()}",
        f"memory: {int(total[0]) / 2**20:.0f} GiB" if total else "memory: unknown",
    ]
    for library, facts in about.items():
        versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
        lines.append(f"{LIBRARIES[library].title}: {versions}")
        lines += [f"    {line}" for line in facts["own"].splitlines()]
    return "\n".join(lines) + "\n"
