"""Accumulate a million users in a thousand batches: time from batch to batch, and memory.

python benchmarks/accumulate.py
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd

from jurity_reco import MAP, NDCG, CombinedMetrics, Precision, Recall

LIST_LENGTH = 10


def batch(rng: np.random.Generator, first_user: int, n_users: int) -> list[pd.DataFrame]:
    """Recommendations of some users, and as many interactions."""
    user = np.repeat(np.arange(first_user, first_user + n_users), LIST_LENGTH)
    frames = []
    for number in rng.random(len(user)), rng.random(len(user)) < 0.3:
        start = np.repeat(rng.integers(0, 1000, n_users), LIST_LENGTH)
        item = start + np.tile(np.arange(LIST_LENGTH), n_users)
        frames.append(pd.DataFrame({"user_id": user, "item_id": item, "click": number}))
    return frames[::-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--batches", type=int, default=1_000)
    arguments = parser.parse_args()
    n_users = arguments.users // arguments.batches

    rng = np.random.default_rng(0)
    metrics = CombinedMetrics(*(metric("click", 10) for metric in (Precision, Recall, MAP, NDCG)))
    seconds = []
    for number in range(arguments.batches):
        actual, predicted = batch(rng, number * n_users, n_users)
        start = time.perf_counter()
        metrics.update(actual, predicted)
        seconds.append(time.perf_counter() - start)

    tenth = max(arguments.batches // 10, 1)
    first, last = np.median(seconds[:tenth]), np.median(seconds[-tenth:])
    (seen,) = metrics._accumulated.seen.values()
    kept = sum(run.nbytes for run in seen.runs)
    result = metrics.compute()["NDCG@10"]
    print(f"{arguments.batches} batches of {n_users} users, four metrics at 10")
    print(f"median time of the last tenth of the batches, to that of the first: {last / first:.2f}")
    print(f"longest batch, to the median: {max(seconds) / np.median(seconds):.1f}")
    print(f"kept per user: {kept / result.ledger.n_users:.2f} bytes")
    print(f"users in the result: {result.ledger.n_users}")


if __name__ == "__main__":
    main()
