"""Compare scores and supports with Jurity's own, on random frames.

Jurity 2.1.0 needs an old pandas, so it runs in an environment of its own, which this script makes
once in a temporary folder (or takes from ``--environments``). Frames are free of equal scores,
repeated rows and missing values, because Jurity's answers there are not defined. Diversity metrics
look at everybody, because the two packages draw other samples.

    python benchmarks/compare_jurity.py
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import environments
import jurity_reco

# Name here: class, cut-offs, and options. Jurity's MAP and diversity raise without a cut-off.
METRICS: dict[str, tuple[str, tuple[int | None, ...], dict[str, Any]]] = {
    "CTR": ("CTR", (1, 3, 7, None), {}),
    "AUC": ("AUC", (1, 3, 7, None), {}),
    "Precision": ("Precision", (1, 3, 7, None), {}),
    "Recall": ("Recall", (1, 3, 7, None), {}),
    "NDCG": ("NDCG", (1, 3, 7, None), {}),
    "MAP": ("MAP", (1, 3, 7), {}),
    "IPS": ("CTR", (1, 3, 7, None), {"estimation": "ips"}),
    "DR": ("CTR", (1, 3, 7, None), {"estimation": "dr"}),
    "Inter-list": ("InterListDiversity", (1, 3, 7), {"user_sample_size": None}),
    "Intra-list": ("IntraListDiversity", (2, 3, 7), {"user_sample_size": None, "num_runs": 1}),
}

SCORE_WITH_JURITY = """
import pickle, sys, warnings
import pandas as pd
import jurity.recommenders, jurity.utils

warnings.simplefilter("ignore")
answers = []
for actual, predicted, features, name, options in pickle.load(open(sys.argv[1], "rb")):
    jurity.utils.get_sorted_clicks.cache_clear()
    if features is not None:
        options["item_features"] = pd.DataFrame(features)
    metric = getattr(jurity.recommenders, name)(click_column="click", **options)
    frames = pd.DataFrame(actual), pd.DataFrame(predicted)
    answers.append(metric.get_score(*frames, return_extended_results=True))
pickle.dump(answers, open(sys.argv[2], "wb"))
"""


@dataclass(frozen=True)
class Case:
    """One call of one metric."""

    actual: pd.DataFrame
    predicted: pd.DataFrame
    features: pd.DataFrame | None
    metric: str
    k: int | None

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of the metric."""
        return {"k": self.k, **METRICS[self.metric][2]}

    def plain(self) -> tuple[Any, ...]:
        """The case without frames, of which the two environments have different kinds."""
        features = None if self.features is None else self.features.to_dict("list")
        frames = self.actual.to_dict("list"), self.predicted.to_dict("list"), features
        return *frames, METRICS[self.metric][0], self.options

    def score(self) -> tuple[str, dict[str, Any]]:
        """The key of the score, and the extended result here."""
        first = [] if self.features is None else [self.features]
        metric = getattr(jurity_reco, METRICS[self.metric][0])(*first, "click", **self.options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one single user has no diversity
            found = metric.get_score(self.actual, self.predicted, return_extended_results=True)
        return metric.key, found


def random_cases(n_frames: int, rng: np.random.Generator) -> Iterator[Case]:
    """All metrics on frames of a few users, some of them in one frame only."""
    for _ in range(n_frames):
        actual, predicted = random_frames(rng)
        if not len(actual) or not len(predicted):
            continue  # Jurity raises where a frame is empty
        items = pd.DataFrame({"item_id": predicted["item_id"].unique()})
        features = items.assign(x=rng.normal(size=len(items)), y=rng.random(len(items)), z=0.5)
        for name, (metric, cutoffs, _) in METRICS.items():
            for k in cutoffs:
                needed = features if metric == "IntraListDiversity" else None
                yield Case(actual, predicted, needed, name, k)


def random_frames(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Frames of random size and density, with integer or text ids."""
    n_users, n_items = rng.integers(1, 30), rng.integers(2, 40)
    frames = []
    for share in rng.uniform(0.02, 0.6, size=2):
        users, items = np.nonzero(rng.random((n_users, n_items)) < share)
        order = rng.permutation(len(users))
        frames.append(pd.DataFrame({"user_id": users[order], "item_id": items[order]}))
    actual, predicted = frames
    actual["click"] = rng.integers(0, 2, len(actual))
    actual["propensity"] = rng.uniform(0.05, 1, len(actual))
    predicted["click"] = rng.permutation(len(predicted)) / max(len(predicted), 1)
    if rng.random() < 0.5:
        for frame in frames:
            frame["user_id"] = "user " + frame["user_id"].astype(str)
            frame["item_id"] = "item " + frame["item_id"].astype(str)
    return actual, predicted


def same(ours: dict[str, Any], jurity: dict[str, Any] | None, key: str) -> bool:
    if jurity is None:  # nobody to average
        return ours[key] is None and ours["support"] == 0
    # Jurity calls a diversity of up to 1e-6 zero.
    tolerance = 1e-6 if "diversity" in key and jurity[key] == 0 else 1e-15
    return ours["support"] == jurity["support"] and bool(
        np.isclose(ours[key], jurity[key], rtol=1e-12, atol=tolerance, equal_nan=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--environments", type=Path, help="a folder with an environment of each")
    arguments = parser.parse_args()
    python = environments.python("jurity", arguments.environments)

    cases = list(random_cases(arguments.frames, np.random.default_rng(arguments.seed)))
    with tempfile.TemporaryDirectory() as folder:
        questions, answers = Path(folder, "questions"), Path(folder, "answers")
        questions.write_bytes(pickle.dumps([case.plain() for case in cases]))
        environments.run(python, SCORE_WITH_JURITY, str(questions), str(answers))
        theirs = pickle.loads(answers.read_bytes())

    counts = {name: [0, 0] for name in METRICS}
    for case, jurity in zip(cases, theirs, strict=True):
        key, ours = case.score()
        equal = same(ours, jurity, key)
        counts[case.metric][0] += equal
        counts[case.metric][1] += 1
        if not equal:
            print(f"{case.metric}@{case.k}: {ours} here, {jurity} in Jurity")
    for name, (equal, total) in counts.items():
        print(f"{name:11} {equal} of {total} scores and supports are equal")
    if any(equal != total for equal, total in counts.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
