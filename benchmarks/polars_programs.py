"""Precision, Recall, MAP and NDCG as this package defines them, in Polars, in several ways.

Nobody knows beforehand which way is the fastest, so all of them are measured, and the fastest is
what counts. All put equal scores in the order of the input. Others were tried and were never the
fastest: to join before the lists are sorted, to sort all rows by score and then group them,
``top_k_by``, and to count the rows above each hit.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

Keys = list[pl.Expr]
RANK = pl.col("click").rank("ordinal", descending=True).over("user_id")


def sort_then_join(relevant: pl.LazyFrame, lists: pl.LazyFrame, pair: Keys, k: int) -> pl.LazyFrame:
    """Sort the list of each user, then join the first ones."""
    first = pl.col("item_id").sort_by("click", descending=True, maintain_order=True).head(k)
    users = lists.group_by("user_id").agg(first, length=pl.min_horizontal(pl.len(), k))
    ranks = pl.int_ranges(1, pl.col("length") + 1)
    top = users.select("user_id", "item_id", rank=ranks).explode("item_id", "rank")
    sums = sums_of_hits(top.join(relevant, on=pair))
    return users.select("user_id", "length").join(sums, on="user_id", how="left")


def rank_then_join(relevant: pl.LazyFrame, lists: pl.LazyFrame, pair: Keys, k: int) -> pl.LazyFrame:
    """Rank the scores of each user, then join the first ones."""
    top = lists.with_columns(rank=RANK).filter(pl.col("rank") <= k)
    users = top.group_by("user_id").agg(length=pl.len())
    return users.join(sums_of_hits(top.join(relevant, on=pair)), on="user_id", how="left")


def join_then_rank(relevant: pl.LazyFrame, lists: pl.LazyFrame, pair: Keys, k: int) -> pl.LazyFrame:
    """Join to see who has a hit at all, and rank the lists of these users only."""
    hits = lists.join(relevant, on=pair, how="semi").select("user_id").unique()
    ranked = lists.join(hits, on="user_id", how="semi").with_columns(rank=RANK)
    sums = sums_of_hits(ranked.filter(pl.col("rank") <= k).join(relevant, on=pair))
    users = lists.group_by("user_id").agg(length=pl.min_horizontal(pl.len(), k))
    return users.join(sums, on="user_id", how="left")


def sums_of_hits(hits: pl.LazyFrame) -> pl.LazyFrame:
    precisions = pl.int_range(1, pl.len() + 1) / pl.col("rank").sort()
    gains = 1 / (pl.col("rank") + 1).log(2)
    sums = {"hits": pl.len(), "precisions": precisions.sum(), "gains": gains.sum()}
    return hits.group_by("user_id").agg(**sums)


PROGRAMS: dict[str, tuple[Callable[..., pl.LazyFrame], str]] = {
    "sort, join": (sort_then_join, "in-memory"),
    "sort, join, streaming": (sort_then_join, "streaming"),
    "rank, join": (rank_then_join, "in-memory"),
    "rank, join, streaming": (rank_then_join, "streaming"),
    "join, rank lists with a hit": (join_then_rank, "in-memory"),
}


def score(actual: pl.DataFrame, predicted: pl.DataFrame, k: int, program: str) -> dict[str, float]:
    join, engine = PROGRAMS[program]
    relevant = actual.lazy().filter(pl.col("click") > 0).select("user_id", "item_id").unique()
    counts = relevant.group_by("user_id").agg(n_relevant=pl.len())
    values = join(relevant, predicted.lazy(), pair_of_ids(actual, predicted), k)
    users = counts.join(values, on="user_id", how="left").fill_null(0).collect(engine=engine)

    n_relevant, length = users["n_relevant"].to_numpy(), users["length"].to_numpy()
    hits, listed = users["hits"].to_numpy(), length > 0
    ideal = np.cumsum(1 / np.log2(np.arange(2, n_relevant.max() + 2)))[n_relevant - 1]
    precisions = users["precisions"].to_numpy() / np.minimum(n_relevant, k)
    return {
        "precision": float((hits[listed] / length[listed]).mean()),
        "recall": float((hits / n_relevant).mean()),
        "map": float(precisions[listed].mean()),
        "ndcg": float((users["gains"].to_numpy() / ideal).mean()),
    }


def pair_of_ids(actual: pl.DataFrame, predicted: pl.DataFrame) -> Keys:
    """One number where ids are small, because it joins faster than two columns."""
    ids = [frame[column] for frame in (actual, predicted) for column in ("user_id", "item_id")]
    if all(one.dtype.is_integer() and one.min() >= 0 and one.max() < 2**31 for one in ids):
        return [pl.col("user_id") * 2**32 + pl.col("item_id")]
    return [pl.col("user_id"), pl.col("item_id")]
