"""Time and memory by the number of recommendations, of this package and of each library."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
from matplotlib.figure import Figure

from data import Case, make_data
from machine import available_memory
from peers import LIBRARIES, OURS, OWN_WAY
from scorers import Bench, Measured, in_turns, seconds_of

SMALLEST = 10_000
# Nothing is tried that would take longer, or a larger share of the memory that is there.
SECONDS = 60
SHARE_OF_MEMORY = 0.7


class Point(NamedTuple):
    """What a library took for a number of recommendations."""

    library: str
    n_recommendations: int
    seconds: float
    bytes_per_row: float


def scaling(largest: int, folder: Path, interpreters: dict[str, Path], repeats: int) -> list[Point]:
    """Points of all libraries for ten times as many recommendations each time."""
    points: list[Point] = []
    libraries = list(interpreters)
    sizes = itertools.takewhile(
        lambda size: size <= largest, (SMALLEST * 10**power for power in itertools.count())
    )
    for size in sizes:
        case = Case(f"{size:,} recommendations", make_data(size))
        n_rows = case.n_rows
        going_on = []
        with Bench(case, folder, interpreters, repeats) as bench:
            case.columns.clear()  # the file has them, and the memory is needed
            with bench.scorer(OURS) as ours:
                (own,) = in_turns([(ours, OWN_WAY)], repeats)
            measured = {OURS: own}
            for library in libraries:
                if library != OURS:
                    _, ways = bench.beside(library)
                    measured[library] = min(ways, key=seconds_of)
        for library, one in measured.items():
            points.append(Point(library, size, one.seconds, one.extra / n_rows))
            print(f"{case.title:30}{library:15}{one.seconds:12.4f} s", flush=True)
            if is_feasible(one, n_rows):
                going_on.append(library)
        libraries = going_on
        if OURS not in libraries:
            break
    return points


def is_feasible(measured: Measured, n_rows: int) -> bool:
    """Whether ten times as many rows can be tried."""
    frames = 24 * n_rows
    # Ours has its frames beside those of the library, which are there twice while they are made.
    needed = 10 * (measured.extra + 3 * frames)
    return 10 * measured.seconds <= SECONDS and needed <= SHARE_OF_MEMORY * available_memory()


def draw(points: list[Point], file: Path) -> None:
    mpl.rcParams["svg.hashsalt"] = "jurity_reco"  # the same drawing is the same file
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    time, memory = figure.subplots(1, 2)
    for library in dict.fromkeys(point.library for point in points):
        own = [point for point in points if point.library == library]
        sizes = [point.n_recommendations for point in own]
        style = {"marker": "o", "linewidth": 3 if library == OURS else 1.2}
        style["zorder"] = 3 if library == OURS else 2
        title = LIBRARIES[library].title
        time.plot(sizes, [point.seconds for point in own], label=title, **style)
        memory.plot(sizes, [point.bytes_per_row for point in own], label=title, **style)
    time.set(xscale="log", yscale="log", ylabel="seconds")
    memory.set(xscale="log", yscale="log", ylabel="extra memory at its peak, bytes per row")
    for axes in (time, memory):
        axes.set_xlabel("recommendations")
        axes.grid(alpha=0.3)
    time.legend()
    figure.savefig(file, metadata={"Date": None})
