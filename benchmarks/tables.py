"""Tables of the measurements, as files for the documentation, and printed."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from peers import LIBRARIES, OURS
from scaling import Point
from scorers import Measured, seconds_of


@dataclass
class Beside:
    """All ways of a library on a case, and this package measured beside it."""

    title: str
    library: str
    ways: list[Measured]
    our_seconds: float
    our_extra: int
    n_rows: int

    @property
    def fastest(self) -> Measured:
        """The way that counts."""
        return min(self.ways, key=seconds_of)

    @property
    def to_ours(self) -> float:
        """How many times as long as this package it takes."""
        return self.fastest.seconds / self.our_seconds


@dataclass
class Shape:
    """Our own package on a case, beside the base case."""

    title: str
    own: Measured
    base_seconds: float
    n_rows: int
    to_polars: float | None

    @property
    def bytes_per_row(self) -> float:
        """Extra memory at its peak."""
        return self.own.extra / self.n_rows


def write_times(folder: Path, compared: list[Beside], shapes: list[Shape]) -> None:
    """A line for each library: the time of each case, and how many times ours it is."""
    titles, libraries = titles_and_libraries(compared)
    own = {shape.title: shape.own.seconds for shape in shapes}
    rows = [[OURS, *pairs((duration(own[title]), "1.00") for title in titles)]]
    for library in libraries:
        mine = [one for one in compared if one.library == library and one.title in titles]
        cells = pairs((duration(one.fastest.seconds), number(one.to_ours)) for one in mine)
        rows.append([LIBRARIES[library].title, *cells])
    write(folder, "times", ["library", *pairs((title, "to ours") for title in titles)], rows)


def write_memory(folder: Path, compared: list[Beside], shapes: list[Shape]) -> None:
    """The same for extra memory, in bytes per row of both frames."""
    titles, libraries = titles_and_libraries(compared)
    own = {shape.title: shape.bytes_per_row for shape in shapes}
    rows = [[OURS, *pairs((number(own[title]), "1.00") for title in titles)]]
    for library in libraries:
        mine = [one for one in compared if one.library == library and one.title in titles]
        cells = pairs(
            (number(one.fastest.extra / one.n_rows), ratio(one.fastest.extra, one.our_extra))
            for one in mine
        )
        rows.append([LIBRARIES[library].title, *cells])
    write(folder, "memory", ["library", *pairs((title, "to ours") for title in titles)], rows)


def write_ways(folder: Path, compared: list[Beside]) -> None:
    """All programs of libraries for which several were written."""
    rows = [
        [one.title, LIBRARIES[one.library].title, way.way, duration(way.seconds),
         number(way.seconds / one.our_seconds)]
        for one in compared if len(one.ways) > 1 for way in one.ways
    ]  # fmt: skip
    write(folder, "ways", ["case", "library", "way", "time", "to ours"], rows)


def write_shapes(folder: Path, shapes: list[Shape]) -> None:
    """Our own package on all cases, to the first of them."""
    first = shapes[0]
    rows = [
        [
            shape.title,
            duration(shape.own.seconds),
            number(shape.own.seconds / shape.base_seconds),
            number(shape.bytes_per_row),
            ratio(shape.bytes_per_row, first.bytes_per_row),
            "" if shape.to_polars is None else number(shape.to_polars),
        ]
        for shape in shapes
    ]
    header = ["data", "time", "to the first line", "extra bytes per row", "to the first line"]
    write(folder, "shapes", [*header, "fastest Polars, to ours"], rows)


def write_scaling(folder: Path, points: list[Point]) -> None:
    """The points of the drawing."""
    rows = [
        [LIBRARIES[point.library].title, f"{point.n_recommendations:,}", duration(point.seconds),
         number(point.bytes_per_row)]
        for point in points
    ]  # fmt: skip
    write(folder, "scaling", ["library", "recommendations", "time", "extra bytes per row"], rows)


def write_fixed_costs(folder: Path, costs: dict[str, float]) -> None:
    """Milliseconds of what does not depend on the data."""
    rows = [[title, f"{1000 * seconds:.2f} ms"] for title, seconds in costs.items()]
    write(folder, "fixed_costs", ["what", "time"], rows)


def titles_and_libraries(compared: list[Beside]) -> tuple[list[str], list[str]]:
    """The cases that all libraries were measured on, and the libraries."""
    libraries = list(dict.fromkeys(one.library for one in compared))
    counts = {one.title: 0 for one in compared}
    for one in compared:
        counts[one.title] += 1
    return [title for title, count in counts.items() if count == len(libraries)], libraries


def write(folder: Path, name: str, header: list[str], rows: list[list[str]]) -> None:
    with (folder / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    widths = [max(map(len, column)) + 2 for column in zip(header, *rows, strict=True)]
    print(f"\n{name}")
    for row in (header, *rows):
        cells = zip(row, widths, strict=True)
        print("".join(f"{cell:{width}}" for cell, width in cells).rstrip(), flush=True)


def pairs(values: Iterable[tuple[str, str]]) -> list[str]:
    return [cell for pair in values for cell in pair]


def duration(seconds: float) -> str:
    return f"{number(seconds)} s" if seconds >= 1 else f"{number(1000 * seconds)} ms"


def ratio(value: float, base: float) -> str:
    return number(value / base) if base else ""


def number(value: float) -> str:
    """Three digits, as far as they are behind the point."""
    return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f}"
