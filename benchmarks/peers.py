"""Precision, Recall, MAP and NDCG of two frames with each library, as fast as it can.

What a library needs besides the frames that are given here, such as ranks, text ids or
dictionaries, is part of its score: a user of the library has to make it too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

METRICS = ("precision", "recall", "map", "ndcg")
Scores = dict[str, float]

#: The metrics of one way to call this package, and their cut-offs, instead of the four at one.
MANY = "ten metrics at four cut-offs"
MANY_METRICS = [*METRICS, "f1", "hit_rate", "mrr", "mar", "dcg", "lauc"]
MANY_CUTOFFS = [1, 5, 10, 20]


def score_jurity_reco(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    """Our own takes pandas frames; the way is a dialect, or ``MANY``."""
    import jurity_reco

    if way == MANY:
        scores = jurity_reco.evaluate(actual, predicted, MANY_METRICS, k=MANY_CUTOFFS).scores
    else:
        scores = jurity_reco.evaluate(actual, predicted, METRICS, k=k, dialect=way).scores
    return {name: scores[f"{name}@{k}"] for name in METRICS}


def score_jurity(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    """Jurity takes pandas frames."""
    import jurity.recommenders as reco
    from jurity.utils import get_sorted_clicks

    get_sorted_clicks.cache_clear()  # or it returns the scores of the call before
    metrics = [getattr(reco, name)("click", k=k) for name in ("Precision", "Recall", "MAP", "NDCG")]
    scores = reco.CombinedMetrics(*metrics).get_score(actual, predicted)
    return dict(zip(METRICS, scores.values(), strict=True))


def score_rectools(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    """RecTools takes pandas frames of relevant rows, and of ranks that the caller makes."""
    from rectools import Columns
    from rectools.metrics import MAP, NDCG, Precision, Recall, calc_metrics

    ranked = predicted.sort_values("click", ascending=False, ignore_index=True)
    ranked[Columns.Rank] = ranked.groupby(Columns.User, sort=False).cumcount() + 1
    relevant = actual.loc[actual["click"] > 0, [Columns.User, Columns.Item]]
    metrics = {"precision": Precision(k), "recall": Recall(k), "map": MAP(k), "ndcg": NDCG(k)}
    return calc_metrics(metrics, ranked, relevant)


def score_replay(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    """RePlay takes Polars frames of relevant rows and of scores."""
    import polars as pl
    from replay.metrics import MAP, NDCG, OfflineMetrics, Precision, Recall

    metrics = OfflineMetrics(
        [Precision(k), Recall(k), MAP(k), NDCG(k)], query_column="user_id", rating_column="click"
    )
    scores = metrics(predicted, actual.filter(pl.col("click") > 0))
    return {name.split("@")[0].lower(): score for name, score in scores.items()}


def score_ranx(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    """Ranx takes pandas frames with ids that are Python strings."""
    from ranx import Qrels, Run, evaluate

    columns = {"q_id_col": "user_id", "doc_id_col": "item_id", "score_col": "click"}
    qrels, run = (
        kind.from_df(
            frame.assign(
                user_id=frame["user_id"].astype(str).astype(object),
                item_id=frame["item_id"].astype(str).astype(object),
            ),
            **columns,
        )
        for kind, frame in ((Qrels, actual), (Run, predicted))
    )
    scores = evaluate(qrels, run, [f"{name}@{k}" for name in METRICS], make_comparable=True)
    return {name: scores[f"{name}@{k}"] for name in METRICS}


def score_pytrec_eval(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    """Pytrec_eval takes dictionaries by user and item, which are text; the caller averages."""
    import pytrec_eval

    def by_user(frame: Any) -> dict[str, dict[str, Any]]:
        result: dict[str, dict[str, Any]] = {}
        users, items = (frame[name].astype(str).tolist() for name in ("user_id", "item_id"))
        for user, item, value in zip(users, items, frame["click"].tolist(), strict=True):
            result.setdefault(user, {})[item] = value
        return result

    measures = dict(zip(METRICS, ("P", "recall", "map_cut", "ndcg_cut"), strict=True))
    evaluator = pytrec_eval.RelevanceEvaluator(
        by_user(actual), {f"{measure}.{k}" for measure in measures.values()}
    )
    users = evaluator.evaluate(by_user(predicted)).values()
    return {
        name: sum(user[f"{measure}_{k}"] for user in users) / len(users)
        for name, measure in measures.items()
    }


def score_polars(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    import polars_programs

    return polars_programs.score(actual, predicted, k, way)


def score_duckdb(actual: Any, predicted: Any, k: int, way: str) -> Scores:
    import duckdb_programs

    return duckdb_programs.score(actual, predicted, k, way)


def polars_ways() -> list[str]:
    import polars_programs

    return list(polars_programs.PROGRAMS)


def duckdb_ways() -> list[str]:
    import duckdb_programs

    return list(duckdb_programs.PROGRAMS)


@dataclass(frozen=True)
class Peer:
    """How to score with a library."""

    title: str
    package: str  # as it is installed
    frames: str  # which of ``frames.FRAMES`` it takes
    score: Callable[[Any, Any, int, str], Scores]
    dialect: str = "jurity"  # of this package, in which the scores are the same
    ways: Callable[[], list[str]] = lambda: [""]


OURS = "jurity_reco"
OWN_WAY = "jurity"  # the default dialect
LIBRARIES = {
    OURS: Peer("jurity_reco", "jurity-reco", "pandas", score_jurity_reco, ways=lambda: [OWN_WAY]),
    "polars": Peer("Polars, by hand", "polars", "Polars", score_polars, ways=polars_ways),
    "duckdb": Peer("DuckDB, by hand", "duckdb", "Arrow", score_duckdb, ways=duckdb_ways),
    "replay": Peer("RePlay on Polars", "replay-rec", "Polars", score_replay, "replay"),
    "rectools": Peer("RecTools", "rectools", "pandas", score_rectools, "rectools"),
    "jurity": Peer("Jurity", "jurity", "pandas", score_jurity),
    "pytrec_eval": Peer(
        "pytrec_eval", "pytrec-eval-terrier", "pandas", score_pytrec_eval, "pytrec_eval"
    ),
    "ranx": Peer("ranx", "ranx", "pandas", score_ranx, "ranx"),
}
