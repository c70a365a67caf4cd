"""Time of exact diversity for many users, beside Jurity's sample of 10,000 users.

python benchmarks/diversity.py
python benchmarks/diversity.py --users 2000 --no-jurity
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import environments
from jurity_reco import InterListDiversity, IntraListDiversity

LIST_LENGTH = 10
N_ITEMS = 20_000
N_FEATURES = 32

# One run of one sample, because ten take ten times as long.
SAMPLE_WITH_JURITY = """
import sys, time
import numpy as np, pandas as pd
from jurity.recommenders import InterListDiversity

predicted = pd.DataFrame(dict(np.load(sys.argv[1])))
metric = InterListDiversity("click", k=10, user_sample_size=10000, num_runs=1)
start = time.perf_counter()
score = metric.get_score(None, predicted)
print(time.perf_counter() - start, score)
"""


def make_data(n_users: int) -> tuple[dict[str, np.ndarray], pd.DataFrame]:
    """Lists of items of which some are much more popular than others, and features of the items."""
    rng = np.random.default_rng(0)
    first = (N_ITEMS * rng.random(n_users) ** 3).astype(np.int64)
    item = (first[:, None] + np.cumsum(rng.integers(1, 50, (n_users, LIST_LENGTH)), axis=1)).ravel()
    predicted = {
        "user_id": np.repeat(np.arange(n_users), LIST_LENGTH),
        "item_id": item % N_ITEMS,
        "click": rng.random(n_users * LIST_LENGTH),
    }
    features = pd.DataFrame(rng.normal(size=(N_ITEMS, N_FEATURES))).add_prefix("feature ")
    return predicted, features.assign(item_id=np.arange(N_ITEMS))


def timed(
    metric: InterListDiversity | IntraListDiversity, predicted: pd.DataFrame
) -> tuple[float, float]:
    start = time.perf_counter()
    score = metric.get_score(None, predicted)
    return time.perf_counter() - start, score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--no-jurity", action="store_true")
    parser.add_argument("--environments", type=Path, help="a folder with an environment of each")
    arguments = parser.parse_args()

    columns, features = make_data(arguments.users)
    predicted = pd.DataFrame(columns)
    users = f"{arguments.users:,} users"
    inter, score = timed(InterListDiversity("click", k=LIST_LENGTH), predicted)
    print(f"InterListDiversity of {users}: {inter:.2f} s, exactly {score:.6f}")
    intra, score = timed(IntraListDiversity(features, "click", k=LIST_LENGTH), predicted)
    print(
        f"IntraListDiversity of {users}, {N_FEATURES} features: {intra:.2f} s, exactly {score:.6f}"
    )
    if arguments.no_jurity:
        return
    python = environments.python("jurity", arguments.environments)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "predicted.npz")
        np.savez(file, **columns)
        seconds, sample = map(
            float, environments.run(python, SAMPLE_WITH_JURITY, str(file)).split()
        )
    print(f"One sample of 10,000 users in Jurity: {seconds:.2f} s, about {sample:.6f}")
    print(f"Ten of them, its default, to everybody here: {10 * seconds / inter:.0f} times the time")


if __name__ == "__main__":
    main()
