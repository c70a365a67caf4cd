"""Compare the dialects with the libraries that they are named after, on random frames.

Each library runs in an environment of its own, which this script makes once in a temporary folder
(or takes from ``--environments``, a folder with one environment per library). Some users are in
one frame only, some have no relevant item, and lists may be shorter than the cut-off, or all of
them are. Every other case has equal scores. Frames are free of repeated rows and missing values.

    python benchmarks/compare_libraries.py
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import environments
import jurity_reco

CUTOFFS = (1, 3, 5, 10, 50)
LONGEST_LIST = 30
TOLERANCE = 1e-9
SHOWN_DIFFERENCES = 5


@dataclass(frozen=True)
class Library:
    """What to compare with a library."""

    package: str  # as it is installed
    # Name in the worker: name here, to which the cut-off is added at the "{k}".
    metrics: dict[str, str]
    highest_label: int = 1
    longest_tied_list: int = LONGEST_LIST
    # Whether it raises where a frame has no rows at all, though there are users to average.
    needs_rows: bool = False
    # What it gives where there is nobody to average; None also stands for NaN and for an error.
    nobody: float | None = None


def with_cutoff(*names: str) -> dict[str, str]:
    return {name: f"{name}@{{k}}" for name in names}


COMMON = with_cutoff("precision", "recall", "map", "ndcg", "mrr", "hit_rate")
LIBRARIES = {
    "rectools": Library(
        "rectools",
        {
            **COMMON,
            **with_cutoff("f1"),
            "precision_r": 'precision(denominator="min(k, relevant)")@{k}',
            "map_divide_by_k": 'map(denominator="k")@{k}',
            "ndcg_achievable": 'ndcg(ideal="min(k, relevant)")@{k}',
        },
    ),
    "replay": Library("replay-rec", COMMON),
    "ranx": Library(
        "ranx",
        {**COMMON, **with_cutoff("f1", "dcg", "ndcg_burges", "dcg_burges")},
        highest_label=3,
        longest_tied_list=15,  # the order of equal scores in longer lists follows no rule
        needs_rows=True,
    ),
    # Its reciprocal rank has no cut-off.
    "pytrec_eval": Library("pytrec-eval-terrier", {**COMMON, "mrr": "mrr"}, highest_label=3),
    "lenskit": Library("lenskit", {**COMMON, **with_cutoff("dcg")}),
    "ms_recommenders": Library(
        "recommenders",
        {
            **with_cutoff("precision", "recall", "map", "ndcg"),
            "map_full": 'map(denominator="relevant")@{k}',
        },
        nobody=0.0,
    ),
}


@dataclass(frozen=True)
class Case:
    """Two frames and a cut-off."""

    actual: pd.DataFrame
    predicted: pd.DataFrame
    k: int

    def plain(self) -> dict[str, Any]:
        """The case without frames, of which the environments have different kinds."""
        return {
            "actual": list(self.actual.itertuples(index=False, name=None)),
            "predicted": list(self.predicted.itertuples(index=False, name=None)),
            "k": self.k,
        }


@dataclass
class Outcome:
    """What came out of the comparison with one library."""

    version: str
    cases: int
    metrics: int
    numbers: int = 0
    nobody: int = 0
    largest: float = 0.0


def random_cases(library: Library, n_cases: int, rng: np.random.Generator) -> Iterator[Case]:
    """Cases of all cut-offs in turn, every other one with equal scores."""
    kinds = itertools.product(CUTOFFS, (False, True))
    for k, tied in itertools.islice(itertools.cycle(kinds), n_cases):
        actual, predicted = random_frames(library, tied, rng)
        while library.needs_rows and not (len(actual) and len(predicted)):
            actual, predicted = random_frames(library, tied, rng)
        yield Case(actual, predicted, k)


def random_frames(
    library: Library, tied: bool, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Frames of random size and density, with text ids."""
    longest = library.longest_tied_list if tied else LONGEST_LIST
    n_users, n_items = rng.integers(1, 13), rng.integers(2, longest + 1)
    frames = []
    for _ in range(2):
        share = rng.uniform(0, 0.8, size=n_users) * (rng.random(n_users) < 0.8)
        users, items = np.nonzero(rng.random((n_users, n_items)) < share[:, None])
        order = rng.permutation(len(users))
        frames.append(pd.DataFrame({"user_id": users[order], "item_id": items[order]}))
    actual, predicted = frames
    labels = rng.integers(0, library.highest_label + 1, len(actual))
    has_relevant = rng.random(n_users) < 0.8
    actual["click"] = labels * has_relevant[actual["user_id"]]
    if tied:
        predicted["click"] = rng.integers(0, 4, len(predicted)) / 4
    else:
        predicted["click"] = rng.permutation(len(predicted)) / max(len(predicted), 1)
    for frame in frames:
        frame["user_id"] = "u" + frame["user_id"].astype(str)
        frame["item_id"] = "i" + frame["item_id"].astype(str)
    return actual, predicted


def library_scores(name: str, interpreter: Path, cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What the library says about each case."""
    done = subprocess.run(
        [interpreter, Path(__file__).with_name("library_scores.py"), name],
        input=json.dumps([case.plain() for case in cases]),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout)


def compare(name: str, interpreter: Path, n_cases: int, seed: int) -> Outcome:
    library = LIBRARIES[name]
    code = f"import importlib.metadata as m; print(m.version({library.package!r}))"
    version = environments.run(interpreter, code).strip()
    cases = list(random_cases(library, n_cases, np.random.default_rng(seed)))
    outcome = Outcome(version, len(cases), len(library.metrics))
    shown = 0
    for number, (case, theirs) in enumerate(
        zip(cases, library_scores(name, interpreter, cases), strict=True)
    ):
        if "error" not in theirs and not set(library.metrics) >= set(theirs):
            raise SystemExit(f"{name} has metrics that are not compared: {sorted(theirs)}")
        names = {worker: here.format(k=case.k) for worker, here in library.metrics.items()}
        ours = jurity_reco.evaluate(
            case.actual, case.predicted, list(names.values()), dialect=name
        ).scores
        for worker, here in names.items():
            one, other = ours[here], theirs.get(worker)
            if one is None and other == library.nobody:
                outcome.nobody += 1
                continue
            outcome.numbers += 1
            difference = float("inf") if one is None or other is None else abs(one - other)
            outcome.largest = max(outcome.largest, difference)
            if not difference <= TOLERANCE and shown < SHOWN_DIFFERENCES:
                shown += 1
                there = theirs.get("error", other)
                print(f"case {number}, {here}: {one} here, {there} in {name}", file=sys.stderr)
    return outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=300, help="of each library")
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=list(LIBRARIES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--environments", type=Path, help="a folder with an environment of each")
    arguments = parser.parse_args()

    print("library          version   cases  metrics  numbers  nobody  largest difference")
    differs = False
    for name in arguments.libraries:
        interpreter = environments.python(name, arguments.environments)
        found = compare(name, interpreter, arguments.cases, arguments.seed)
        differs |= not found.largest <= TOLERANCE
        print(
            f"{name:15}  {found.version:8}  {found.cases:5}  {found.metrics:7}  "
            f"{found.numbers:7}  {found.nobody:6}  {found.largest:18.1e}",
            flush=True,
        )
    print(
        "\nNot among the numbers are scores with nobody to average, which are None here, and there"
        "\nNaN, null, an error, or 0.0 in ms_recommenders. They are counted under 'nobody'."
    )
    if differs:
        raise SystemExit(f"Some differences exceed {TOLERANCE:g}.")


if __name__ == "__main__":
    main()
