"""Processes that score one case with one library each, and take turns."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data import Case
from peers import LIBRARIES, OURS, OWN_WAY

TOLERANCE = 1e-9
# A scorer that has taken so long in total is not repeated.
SECONDS = 20


@dataclass
class Measured:
    """The shortest time of a scorer; the peak of its memory and the scores of its first call."""

    seconds: float
    extra: int
    scores: dict[str, float]
    way: str


class Scorer:
    """A process that has the frames of a case, and scores them when asked."""

    def __init__(self, library: str, case: Case, file: Path, python: Path) -> None:
        self.library = library
        command = [python, "-W", "ignore", Path(__file__).with_name("measure.py")]
        self._process = subprocess.Popen(
            [*command, library, file, case.ids, str(case.k)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.about = self._answer()

    def run(self, way: str) -> Measured:
        """Score once."""
        assert self._process.stdin is not None
        self._process.stdin.write(way + "\n")
        self._process.stdin.flush()
        return Measured(**self._answer(), way=way)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()  # which closes its input, and so ends it

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.library} ended with code {self._process.wait()}.")
        answer: dict[str, Any] = json.loads(line)
        return answer


class Bench:
    """One case in a file, which is deleted in the end, for scorers of any library to read."""

    def __init__(
        self, case: Case, folder: Path, interpreters: dict[str, Path], repeats: int
    ) -> None:
        self.case, self.interpreters, self.repeats = case, interpreters, repeats
        self._file = folder / f"{case.title}.npz"

    def __enter__(self) -> Bench:
        np.savez(self._file, **self.case.columns)
        return self

    def __exit__(self, *error: object) -> None:
        self._file.unlink()

    @contextmanager
    def scorer(self, library: str) -> Iterator[Scorer]:
        """A scorer of this case, which is ended in the end."""
        python = self.interpreters[library]
        scorer = Scorer(library, self.case, self._file, python)
        try:
            yield scorer
        finally:
            scorer.close()

    def beside(self, library: str) -> tuple[Measured, list[Measured]]:
        """Measure all ways of a library in turns with this package; the scores have to agree.

        Both processes are new: one that has scored other things before is faster, because it has
        memory to reuse. For the same reason the dialect is scored in a process of its own.
        """
        ways = LIBRARIES[library].ways()
        with self.scorer(OURS) as ours, self.scorer(library) as scorer:
            runs = [(ours, OWN_WAY), *((scorer, way) for way in ways)]
            own, *measured = in_turns(runs, self.repeats)
        expected = own.scores
        if LIBRARIES[library].dialect != OWN_WAY:
            expected = self.first_call(OURS, LIBRARIES[library].dialect).scores
        for one in measured:
            check_same(library, one.way, self.case.title, expected, one.scores)
        fastest = min(measured, key=seconds_of)
        if fastest is not measured[0]:  # the first call of a process tells its memory
            fastest.extra = self.first_call(library, fastest.way).extra
        return own, measured

    def first_call(self, library: str, way: str) -> Measured:
        """Score once in a new process."""
        with self.scorer(library) as scorer:
            return scorer.run(way)


def seconds_of(measured: Measured) -> float:
    return measured.seconds


def in_turns(runs: list[tuple[Scorer, str]], repeats: int) -> list[Measured]:
    """Run scorers, each in a way, in turns; the first call tells memory, the shortest the time."""
    measured = [scorer.run(way) for scorer, way in runs]
    once = [one.seconds for one in measured]
    for number in range(1, repeats + 1):
        for (scorer, way), best, seconds in zip(runs, measured, once, strict=True):
            if seconds * number < SECONDS:
                best.seconds = min(best.seconds, scorer.run(way).seconds)
    return measured


def check_same(
    library: str, way: str, title: str, ours: dict[str, float], theirs: dict[str, float]
) -> None:
    for metric, score in ours.items():
        if not math.isclose(score, theirs[metric], rel_tol=TOLERANCE):
            name = f"{LIBRARIES[library].title} ({way})" if way else LIBRARIES[library].title
            raise SystemExit(f"{title}: {metric} of {name} is {theirs[metric]}, ours {score}.")
