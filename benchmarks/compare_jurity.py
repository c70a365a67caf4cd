"""Compare scores and supports with Jurity's own, on random frames.

Jurity 2.1.0 needs an old pandas, so it runs in an environment of its own, which this script makes
once in a temporary folder (or takes from ``--environment``). Frames are free of equal scores,
repeated rows and missing values, because Jurity's answers there are not defined.

    python benchmarks/compare_jurity.py
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import jurity_environment
from jurity_reco import AUC, CTR, MAP, NDCG, Precision, Recall
from jurity_reco.metrics.base import Metric

CUTOFFS = (1, 3, 7, None)
METRICS: dict[str, tuple[type[Metric], dict[str, Any]]] = {
    metric.__name__: (metric, {}) for metric in (CTR, AUC, Precision, Recall, NDCG, MAP)
}
METRICS["IPS"] = CTR, {"estimation": "ips"}
METRICS["DR"] = CTR, {"estimation": "dr"}

SCORE_WITH_JURITY = """
import pickle, sys
import jurity.recommenders, jurity.utils
from warnings import simplefilter
simplefilter("ignore")
cases = pickle.load(open(sys.argv[1], "rb"))
answers = []
for actual, predicted, name, options in cases:
    import pandas as pd
    jurity.utils.get_sorted_clicks.cache_clear()
    metric = getattr(jurity.recommenders, name)("click", **options)
    answers.append(metric.get_score(
        pd.DataFrame(actual), pd.DataFrame(predicted), return_extended_results=True))
pickle.dump(answers, open(sys.argv[2], "wb"))
"""


def random_frames(rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Frames of a few users, some of them in one frame only, of random size and density."""
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
    return ours["support"] == jurity["support"] and bool(
        np.isclose(ours[key], jurity[key], rtol=1e-12, atol=1e-15, equal_nan=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--environment", type=Path, help="a virtual environment with jurity 2.1.0")
    arguments = parser.parse_args()
    python = jurity_environment.python(arguments.environment)

    rng = np.random.default_rng(arguments.seed)
    cases = [
        (actual, predicted, name, {"k": k, **METRICS[name][1]})
        for actual, predicted in (random_frames(rng) for _ in range(arguments.frames))
        for name in METRICS
        for k in CUTOFFS
        if not (name == "MAP" and k is None)  # Jurity's own MAP always raises there
        # Jurity raises where a frame is empty.
        if len(actual) and len(predicted)
    ]
    with tempfile.TemporaryDirectory() as folder:
        questions, answers = Path(folder, "questions"), Path(folder, "answers")
        # Plain lists: the two environments do not share a format of frames.
        plain = [
            (actual.to_dict("list"), predicted.to_dict("list"), METRICS[name][0].__name__, options)
            for actual, predicted, name, options in cases
        ]
        questions.write_bytes(pickle.dumps(plain))
        jurity_environment.run(python, SCORE_WITH_JURITY, str(questions), str(answers))
        theirs = pickle.loads(answers.read_bytes())

    counts = {name: [0, 0] for name in METRICS}
    for (actual, predicted, name, options), jurity in zip(cases, theirs, strict=True):
        metric = METRICS[name][0]("click", **options)
        ours = metric.get_score(actual, predicted, return_extended_results=True)
        equal = same(ours, jurity, metric.key)
        counts[name][0] += equal
        counts[name][1] += 1
        if not equal:
            print(f"{metric}: {ours} here, {jurity} in Jurity")
    for name, (equal, total) in counts.items():
        print(f"{name:10} {equal} of {total} scores and supports are equal")
    if any(equal != total for equal, total in counts.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
