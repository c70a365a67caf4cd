"""Ten ranking metrics at four cut-offs, beside hand-written Polars for one metric at one cut-off.

    pip install polars
    python benchmarks/many_metrics.py                     # 10 million recommendations
    python benchmarks/many_metrics.py --rows 20000

Polars gets Polars frames, this package pandas frames; both have integer ids in random order. Each
runs in a process of its own, and the best of several runs counts. Polars is written in several
ways, because nobody knows beforehand which is the fastest; the fastest is what counts.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl

from core import LIST_LENGTH, make_data
from jurity_reco import evaluate

K = 10
CUTOFFS = [1, 5, 10, 20]
NAMES = ["precision", "recall", "f1", "hit_rate", "mrr", "map", "mar", "ndcg", "dcg", "lauc"]
PAIR = ["user_id", "item_id"]


def relevant_items(actual: pl.DataFrame) -> pl.LazyFrame:
    return actual.lazy().filter(pl.col("click") > 0).select(*PAIR, hit=pl.lit(1.0)).unique()


def gains_of_ranks(ranked: pl.LazyFrame, relevant: pl.LazyFrame) -> pl.LazyFrame:
    hits = ranked.join(relevant, on=PAIR)
    return hits.group_by("user_id").agg(gain=(1 / (pl.col("rank") + 1).log(2)).sum())


def join_then_sort_lists(relevant: pl.LazyFrame, predicted: pl.LazyFrame) -> pl.LazyFrame:
    """Join first, then sort the list of each user."""
    first = pl.col("hit").fill_null(0).sort_by("click", descending=True).head(K)
    discount = pl.int_range(2, pl.min_horizontal(pl.len(), K) + 2).log(2)
    joined = predicted.join(relevant, on=PAIR, how="left")
    return joined.group_by("user_id").agg(gain=(first / discount).sum())


def sort_lists_then_join(relevant: pl.LazyFrame, predicted: pl.LazyFrame) -> pl.LazyFrame:
    """Sort the list of each user, then join the first ones."""
    best = pl.col("item_id").sort_by("click", descending=True).head(K)
    lists = predicted.group_by("user_id").agg(best)
    numbered = lists.with_columns(rank=pl.int_ranges(1, pl.col("item_id").list.len() + 1))
    return gains_of_ranks(numbered.explode("item_id", "rank"), relevant)


def rank_then_join(relevant: pl.LazyFrame, predicted: pl.LazyFrame) -> pl.LazyFrame:
    """Rank the scores of each user, then join the first ones."""
    rank = pl.col("click").rank("ordinal", descending=True).over("user_id")
    return gains_of_ranks(predicted.with_columns(rank=rank).filter(pl.col("rank") <= K), relevant)


WAYS = [join_then_sort_lists, sort_lists_then_join, rank_then_join]


def ndcg_by_polars(
    gains: Callable[[pl.LazyFrame, pl.LazyFrame], pl.LazyFrame],
    actual: pl.DataFrame,
    predicted: pl.DataFrame,
) -> float:
    """NDCG@10 as this package defines it, from the gains of users."""
    relevant = relevant_items(actual)
    counts = relevant.group_by("user_id").agg(n_relevant=pl.len())
    users = counts.join(gains(relevant, predicted.lazy()), on="user_id", how="left").collect()
    n_relevant = users["n_relevant"].to_numpy()
    ideal = np.cumsum(1 / np.log2(np.arange(2, n_relevant.max() + 2)))[n_relevant - 1]
    return float((users["gain"].fill_null(0).to_numpy() / ideal).mean())


def best_time(function: Callable[[], float], repeats: int) -> tuple[float, float]:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def measure_here(way: int, n_rows: int, repeats: int) -> tuple[float, float]:
    """Time and NDCG@10 of one way in Polars, or of this package as the last way."""
    data = make_data(n_rows, LIST_LENGTH)
    frames = [
        {name.split(".")[1]: data[name] for name in data if name.startswith(side)}
        for side in ("actual", "predicted")
    ]
    if way < len(WAYS):
        in_polars = [pl.DataFrame(columns) for columns in frames]
        return best_time(lambda: ndcg_by_polars(WAYS[way], *in_polars), repeats)
    in_pandas = [pd.DataFrame(columns) for columns in frames]
    return best_time(lambda: evaluate(*in_pandas, NAMES, k=CUTOFFS).scores[f"ndcg@{K}"], repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--way", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.way is not None:
        print(json.dumps(measure_here(arguments.way, arguments.rows, arguments.repeats)))
        return
    titles = [f"Polars, NDCG@{K}: {way.__doc__}" for way in WAYS]
    titles.append(f"jurity_reco, {len(NAMES)} metrics at {len(CUTOFFS)} cut-offs")
    measured = []
    for way in range(len(titles)):
        command = [sys.executable, __file__, *sys.argv[1:], "--way", str(way)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        measured.append(json.loads(done.stdout))
    fastest = min(seconds for seconds, _ in measured[:-1])
    expected = measured[-1][1]
    print(f"{'':75}{'time':>11}{'to fastest Polars':>20}")
    for title, (seconds, score) in zip(titles, measured, strict=True):
        if not math.isclose(score, expected, rel_tol=1e-9):
            raise SystemExit(f"{title}: NDCG@{K} is {score} instead of {expected}")
        print(f"{title:75}{seconds * 1000:8.0f} ms{seconds / fastest:20.2f}")


if __name__ == "__main__":
    main()
