"""Score small cases with the ranking metrics of another recommender library.

Run by ``compare_libraries.py``, with the interpreter of an environment that holds the library:

    python benchmarks/library_scores.py LIBRARY < cases.json > scores.json

The input is a list of cases ``{"actual": [[user, item, label], ...], "predicted": [[user, item,
score], ...], "k": 3}``, with users and items as text. The output is a list of dictionaries, one
per case, from the name of a metric to its value, which is null where the library gives no number.
Where the library raises, the dictionary holds its message only, as ``error``.

An item is relevant if its label is above 0. Libraries without labels get the relevant rows only;
ranx and pytrec_eval get every label. Libraries that want ranks or ordered lists get the items by
score, the highest first and equal scores in the order of the input. Everything else is the default
of the library.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple


class Case(NamedTuple):
    """Rows and a cut-off."""

    actual: list[tuple[str, str, int]]
    predicted: list[tuple[str, str, float]]
    k: int

    @property
    def relevant(self) -> list[tuple[str, str, int]]:
        """Rows of ``actual`` with a label above 0."""
        return [row for row in self.actual if row[2] > 0]

    def ranking(self) -> dict[str, list[tuple[str, float]]]:
        """Items and scores of each user, the highest score first."""
        lists: dict[str, list[tuple[str, float]]] = {}
        for user, item, score in self.predicted:
            lists.setdefault(user, []).append((item, score))
        return {user: sorted(rows, key=lambda row: -row[1]) for user, rows in lists.items()}


def by_user(rows: Iterable[tuple[str, str, Any]]) -> dict[str, dict[str, Any]]:
    """The values of rows, by user and item."""
    result: dict[str, dict[str, Any]] = {}
    for user, item, value in rows:
        result.setdefault(user, {})[item] = value
    return result


def score_rectools(case: Case) -> dict[str, Any]:
    """RecTools takes relevant rows, and ranks that the caller made."""
    import pandas as pd
    from rectools import Columns
    from rectools.metrics import MAP, MRR, NDCG, F1Beta, HitRate, Precision, Recall

    ranks = [
        (user, item, rank)
        for user, rows in case.ranking().items()
        for rank, (item, _) in enumerate(rows, start=1)
    ]
    recommended = pd.DataFrame(ranks, columns=[Columns.User, Columns.Item, Columns.Rank])
    recommended = recommended.astype({Columns.Rank: int})
    relevant = pd.DataFrame(
        [row[:2] for row in case.relevant], columns=[Columns.User, Columns.Item]
    )
    metrics = {
        "precision": Precision(k=case.k),
        "precision_r": Precision(k=case.k, r_precision=True),
        "recall": Recall(k=case.k),
        "map": MAP(k=case.k),
        "map_divide_by_k": MAP(k=case.k, divide_by_k=True),
        "ndcg": NDCG(k=case.k),
        "ndcg_achievable": NDCG(k=case.k, divide_by_achievable=True),
        "mrr": MRR(k=case.k),
        "hit_rate": HitRate(k=case.k),
        "f1": F1Beta(k=case.k),
    }
    return {name: metric.calc(recommended, relevant) for name, metric in metrics.items()}


def score_replay(case: Case) -> dict[str, Any]:
    """RePlay takes relevant rows and scores, and sorts."""
    import pandas as pd
    from replay.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall

    columns = ["query_id", "item_id", "rating"]
    recommended = pd.DataFrame(case.predicted, columns=columns).astype({"rating": float})
    relevant = pd.DataFrame(case.relevant, columns=columns)
    metrics = {
        "precision": Precision(case.k),
        "recall": Recall(case.k),
        "map": MAP(case.k),
        "ndcg": NDCG(case.k),
        "mrr": MRR(case.k),
        "hit_rate": HitRate(case.k),
    }
    return {
        name: metric(recommended, relevant)[f"{type(metric).__name__}@{case.k}"]
        for name, metric in metrics.items()
    }


def score_ranx(case: Case) -> dict[str, Any]:
    """Ranx takes all labels and the scores, and sorts."""
    from ranx import Qrels, Run, evaluate

    names = ("precision", "recall", "map", "mrr", "hit_rate", "f1")
    names += ("ndcg", "ndcg_burges", "dcg", "dcg_burges")
    values = evaluate(
        Qrels(by_user(case.actual)),
        Run(by_user(case.predicted)),
        [f"{name}@{case.k}" for name in names],
        make_comparable=True,
    )
    return {name: values[f"{name}@{case.k}"] for name in names}


def score_pytrec_eval(case: Case) -> dict[str, Any]:
    """Pytrec_eval takes all labels and the scores, and sorts.

    Its reciprocal rank has no cut-off. The mean is over the users that it returns.
    """
    import pytrec_eval

    measures = {
        "precision": f"P_{case.k}",
        "recall": f"recall_{case.k}",
        "map": f"map_cut_{case.k}",
        "ndcg": f"ndcg_cut_{case.k}",
        "mrr": "recip_rank",
        "hit_rate": f"success_{case.k}",
    }
    evaluator = pytrec_eval.RelevanceEvaluator(by_user(case.actual), set(measures.values()))
    users = evaluator.evaluate(by_user(case.predicted)).values()
    return {
        name: pytrec_eval.compute_aggregated_measure(measure, [user[measure] for user in users])
        for name, measure in measures.items()
    }


def score_lenskit(case: Case) -> dict[str, Any]:
    """LensKit takes ordered lists and relevant items, and averages over the lists.

    Its average precision raises for a user without relevant items, so these are left out of it.
    """
    import logging

    from lenskit.data import ItemList, ItemListCollection, UserIDKey
    from lenskit.metrics import DCG, NDCG, Hit, Precision, Recall, RecipRank, RunAnalysis
    from lenskit.metrics.ranking import AveragePrecision

    logging.getLogger("lenskit").setLevel(logging.ERROR)
    relevant = {
        user: ItemList(item_ids=list(items)) for user, items in by_user(case.relevant).items()
    }
    recommended = {
        user: ItemList(
            item_ids=[item for item, _ in rows], scores=[score for _, score in rows], ordered=True
        )
        for user, rows in case.ranking().items()
    }
    common = {user: items for user, items in recommended.items() if user in relevant}
    metrics = {
        "precision": Precision(n=case.k),
        "recall": Recall(n=case.k),
        "ndcg": NDCG(n=case.k),
        "dcg": DCG(n=case.k),
        "mrr": RecipRank(n=case.k),
        "hit_rate": Hit(n=case.k),
    }

    def means(metrics: dict[str, Any], lists: dict[str, ItemList]) -> dict[str, Any]:
        analysis = RunAnalysis()
        for name, metric in metrics.items():
            analysis.add_metric(metric, label=name)
        result = analysis.measure(
            ItemListCollection.from_dict(lists, key=UserIDKey),
            ItemListCollection.from_dict(relevant, key=UserIDKey),
        )
        return dict(result.list_summary()["mean"])

    scores = means(metrics, recommended)
    if common:
        scores |= means({"map": AveragePrecision(n=case.k)}, common)
    return scores


def score_ms_recommenders(case: Case) -> dict[str, Any]:
    """Microsoft Recommenders takes relevant rows and scores, and sorts.

    Its average precision has a cache, whose key is made of addresses in memory where ids are text,
    so it is cleared before each case.
    """
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    relevant = pd.DataFrame(case.relevant, columns=["userID", "itemID", "rating"])
    recommended = pd.DataFrame(case.predicted, columns=["userID", "itemID", "prediction"])
    recommended = recommended.astype({"prediction": float})
    functions = {
        "precision": python_evaluation.precision_at_k,
        "recall": python_evaluation.recall_at_k,
        "map": python_evaluation.map_at_k,
        "map_full": python_evaluation.map,
        "ndcg": python_evaluation.ndcg_at_k,
    }
    python_evaluation._get_reciprocal_rank.cache_clear()
    return {name: function(relevant, recommended, k=case.k) for name, function in functions.items()}


LIBRARIES: dict[str, Callable[[Case], dict[str, Any]]] = {
    "rectools": score_rectools,
    "replay": score_replay,
    "ranx": score_ranx,
    "pytrec_eval": score_pytrec_eval,
    "lenskit": score_lenskit,
    "ms_recommenders": score_ms_recommenders,
}


def score(library: str, case: Case) -> dict[str, float | str | None]:
    """The value of each metric, or the error of the library."""
    try:
        values = LIBRARIES[library](case)
    except Exception as error:  # that a library raises is part of the answer
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        name: None if value is None or math.isnan(value) else float(value)
        for name, value in values.items()
    }


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] not in LIBRARIES:
        sys.exit(f"usage: library_scores.py {{{','.join(LIBRARIES)}}} < cases.json > scores.json")
    warnings.simplefilter("ignore")
    scores = []
    for row in json.load(sys.stdin):
        actual = [(user, item, int(label)) for user, item, label in row["actual"]]
        predicted = [(user, item, float(value)) for user, item, value in row["predicted"]]
        scores.append(score(sys.argv[1], Case(actual, predicted, row["k"])))
    json.dump(scores, sys.stdout)


if __name__ == "__main__":
    main()
