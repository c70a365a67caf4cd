"""Metrics of plain lists and sets: ``precision_at_k([1, 3, 5], {1, 5}, k=3)``.

Precision divides by k, as do those who write such functions by hand; the dialect is
``lists_and_sets``. Lists are ordered, the best recommendation first, and must not repeat an item.
Whatever can be looked up in a set can be an item. The same code computes them as the metric
classes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.dialects import Dialect
from jurity_reco.errors import InvalidDataError, InvalidOptionError
from jurity_reco.listed import checked_items, tables_of_lists
from jurity_reco.metrics.base import Metric, measured
from jurity_reco.metrics.catalog import Coverage, Gini
from jurity_reco.metrics.diversity import IntraListDiversity
from jurity_reco.metrics.gain import LARGEST_GAIN
from jurity_reco.metrics.names import metric_in_dialect
from jurity_reco.metrics.options import checked_count
from jurity_reco.tables import Tables

__all__ = [
    "average_precision_at_k",
    "catalog_coverage",
    "dcg_at_k",
    "f1_at_k",
    "gini_coefficient",
    "hit_rate_at_k",
    "intra_list_diversity",
    "mean_average_precision_at_k",
    "mean_ndcg_at_k",
    "ndcg_at_k",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank_at_k",
]

#: The rules of such functions; whom to average is the business of their callers.
RULES = dataclasses.replace(Dialect.named("lists_and_sets"), users=("zero", "zero", "zero"))


def precision_at_k(recommended: Sequence[Any], relevant: Collection[Any], k: int) -> float:
    """Share of the first k recommendations that are relevant; a shorter list is divided by k too.

    Parameters
    ----------
    recommended
        Items, best first.
    relevant
        The relevant items.
    k
        How many recommendations count.

    Examples
    --------
    >>> from jurity_reco.functional import precision_at_k
    >>> precision_at_k([1, 3, 5, 7, 9], {1, 5, 10}, k=5)
    0.4
    """
    return _of_one_user("precision", recommended, binary_grades(relevant), k)


def recall_at_k(recommended: Sequence[Any], relevant: Collection[Any], k: int) -> float:
    """Share of the relevant items that are among the first k; 0 if there are none.

    Parameters
    ----------
    recommended, relevant, k
        As for :func:`precision_at_k`.

    Examples
    --------
    >>> from jurity_reco.functional import recall_at_k
    >>> round(recall_at_k([1, 3, 5, 7, 9], {1, 5, 10}, k=5), 3)
    0.667
    """
    return _of_one_user("recall", recommended, binary_grades(relevant), k)


def f1_at_k(recommended: Sequence[Any], relevant: Collection[Any], k: int) -> float:
    """Harmonic mean of Precision and Recall; 0 without a hit.

    Parameters
    ----------
    recommended, relevant, k
        As for :func:`precision_at_k`.

    Examples
    --------
    >>> from jurity_reco.functional import f1_at_k
    >>> f1_at_k([1, 3, 5, 7, 9], {1, 5, 10}, k=5)        # of 2/5 and 2/3
    0.5
    """
    return _of_one_user("f1", recommended, binary_grades(relevant), k)


def average_precision_at_k(recommended: Sequence[Any], relevant: Collection[Any], k: int) -> float:
    """Sum of the precision at each hit, over the hits that were possible.

    Parameters
    ----------
    recommended, relevant, k
        As for :func:`precision_at_k`.

    Examples
    --------
    >>> from jurity_reco.functional import average_precision_at_k
    >>> round(average_precision_at_k([1, 2, 3, 4, 5], {1, 3, 5}, k=5), 3)  # (1 + 2/3 + 3/5) / 3
    0.756
    """
    return _of_one_user("map", recommended, binary_grades(relevant), k)


def hit_rate_at_k(recommended: Sequence[Any], relevant: Collection[Any], k: int) -> float:
    """1 with a relevant item among the first k, 0 without one.

    Parameters
    ----------
    recommended, relevant, k
        As for :func:`precision_at_k`.

    Examples
    --------
    >>> from jurity_reco.functional import hit_rate_at_k
    >>> hit_rate_at_k(["a", "b"], {"b"}, k=1)
    0.0
    """
    return _of_one_user("hit_rate", recommended, binary_grades(relevant), k)


def reciprocal_rank_at_k(recommended: Sequence[Any], relevant: Collection[Any], k: int) -> float:
    """One over the rank of the first hit among the first k, 0 without one.

    Parameters
    ----------
    recommended, relevant, k
        As for :func:`precision_at_k`.

    Examples
    --------
    >>> from jurity_reco.functional import reciprocal_rank_at_k
    >>> reciprocal_rank_at_k(["a", "b"], {"b"}, k=2)
    0.5
    """
    return _of_one_user("mrr", recommended, binary_grades(relevant), k)


def dcg_at_k(recommended: Sequence[Any], relevance_scores: Mapping[Any, float], k: int) -> float:
    """Sum over the first k of how relevant they are, over log2(rank + 1).

    Parameters
    ----------
    recommended
        Items, best first.
    relevance_scores
        How relevant items are; others are not.
    k
        How many recommendations count.

    Examples
    --------
    >>> from jurity_reco.functional import dcg_at_k
    >>> dcg_at_k(["a", "x", "b"], {"a": 3, "b": 2}, k=3)     # 3 + 2 / log2(4)
    4.0
    """
    return _of_one_user("dcg", recommended, _graded(relevance_scores), k)


def ndcg_at_k(recommended: Sequence[Any], relevance_scores: Mapping[Any, float], k: int) -> float:
    """The same sum over that of the k most relevant items in the best order; 0 if there are none.

    Parameters
    ----------
    recommended, relevance_scores, k
        As for :func:`dcg_at_k`.

    Examples
    --------
    >>> from jurity_reco.functional import ndcg_at_k
    >>> ndcg_at_k([3, 1, 5, 2, 4], {1: 3, 2: 2, 3: 3, 4: 1, 5: 2}, k=5)
    1.0
    >>> round(ndcg_at_k([4, 1, 5, 2, 3], {1: 3, 2: 2, 3: 3, 4: 1, 5: 2}, k=5), 4)
    0.8283
    """
    return _of_one_user("ndcg", recommended, _graded(relevance_scores), k)


def mean_average_precision_at_k(
    recommendations: Mapping[Any, Sequence[Any]],
    ground_truth: Mapping[Any, Collection[Any]],
    k: int,
) -> float:
    """Mean of :func:`average_precision_at_k` over the users who are in both; 0 without any.

    Parameters
    ----------
    recommendations
        Items of each user, best first.
    ground_truth
        Relevant items of each user.
    k
        How many recommendations count.

    Examples
    --------
    >>> from jurity_reco.functional import mean_average_precision_at_k
    >>> mean_average_precision_at_k({"ann": [1, 2], "bob": [3]}, {"ann": {1}, "bob": {4}}, k=2)
    0.5
    """
    truth = _by_user("ground_truth", ground_truth)
    grades = {user: binary_grades(items) for user, items in truth.items()}
    return _mean("map", recommendations, grades, k)


def mean_ndcg_at_k(
    recommendations: Mapping[Any, Sequence[Any]],
    relevance_scores: Mapping[Any, Mapping[Any, float]],
    k: int,
) -> float:
    """Mean of :func:`ndcg_at_k` over the users who are in both; 0 without any.

    Parameters
    ----------
    recommendations
        Items of each user, best first.
    relevance_scores
        How relevant items are, for each user.
    k
        How many recommendations count.

    Examples
    --------
    >>> from jurity_reco.functional import mean_ndcg_at_k
    >>> mean_ndcg_at_k({"ann": [1, 2]}, {"ann": {1: 3, 2: 1}, "bob": {1: 1}}, k=2)
    1.0
    """
    truth = _by_user("relevance_scores", relevance_scores)
    grades = {user: _graded(scores) for user, scores in truth.items()}
    return _mean("ndcg", recommendations, grades, k)


def catalog_coverage(
    recommendations: Mapping[Any, Sequence[Any]], catalog_size: int, k: int
) -> float:
    """Share of the catalogue that is among anybody's first k.

    Parameters
    ----------
    recommendations
        Items of each user, best first.
    catalog_size
        Number of items in the catalogue.
    k
        How many recommendations count.

    Examples
    --------
    >>> from jurity_reco.functional import catalog_coverage
    >>> catalog_coverage({0: [1, 2, 3], 1: [2, 3, 4], 2: [3, 4, 5]}, catalog_size=100, k=3)
    0.05
    """
    size = checked_count("catalog_size", catalog_size, optional=False)
    tables = tables_of_recommendations(recommendations)
    return score_of(Coverage("click", checked_cutoff(k), catalog=size), tables)


def gini_coefficient(recommendations: Mapping[Any, Sequence[Any]], k: int) -> float:
    """How unequally often the recommended items are recommended: 0 if equally, 0 if none is.

    Items that nobody is recommended do not count, unlike for :class:`jurity_reco.Gini`.

    Parameters
    ----------
    recommendations
        Items of each user, best first.
    k
        How many recommendations count.

    Examples
    --------
    >>> from jurity_reco.functional import gini_coefficient
    >>> round(gini_coefficient({0: [1, 2, 3], 1: [2, 3, 4], 2: [3, 4, 5]}, k=3), 4)
    0.2222
    """
    cutoff = checked_cutoff(k)
    tables = tables_of_recommendations(recommendations)
    shown = tables.recommendations
    assert shown is not None
    n_items = len(set(shown.at(cutoff).item.tolist()))
    return score_of(Gini("click", cutoff, catalog=n_items), tables) if n_items else 0.0


def intra_list_diversity(
    recommended: Sequence[int], item_features: npt.NDArray[np.float64]
) -> float:
    """Mean cosine distance over the pairs of recommended items; 0 with less than two.

    Parameters
    ----------
    recommended
        Numbers of rows of ``item_features``.
    item_features
        A row of features for every item.

    Examples
    --------
    >>> import numpy as np
    >>> from jurity_reco.functional import intra_list_diversity
    >>> intra_list_diversity([0, 2], np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    1.0
    """
    try:
        features = np.asarray(item_features, dtype=np.float64)
    except (TypeError, ValueError):
        features = np.zeros(0)
    items = checked_items("recommended", recommended)
    if features.ndim != 2 or not all(
        isinstance(item, (int, np.integer))
        and not isinstance(item, bool)
        and 0 <= item < len(features)
        for item in items
    ):
        raise InvalidDataError.not_rows_of_features(features.shape, items)
    if len(items) < 2:
        return 0.0
    frame = pd.DataFrame(features[items]).assign(item_id=items).rename(columns=str)
    predicted = pd.DataFrame({"user_id": 0, "item_id": items, "score": range(len(items), 0, -1)})
    metric = IntraListDiversity(frame, "score", metric="cosine")
    return float(metric.get_score(None, predicted) or 0.0)


def checked_cutoff(k: Any) -> int:
    """A cut-off, which functions of lists cannot do without."""
    return checked_count("k", k, optional=False)


def _of_one_user(name: str, recommended: Any, grades: Mapping[Any, float], k: int) -> float:
    return _mean(name, {0: recommended}, {0: grades}, k)


def _mean(
    name: str,
    recommendations: Mapping[Any, Sequence[Any]],
    grades: Mapping[Any, Mapping[Any, float]],
    k: int,
) -> float:
    """The mean over the users who are in both; one with nothing in them counts 0."""
    users = [user for user in _by_user("recommendations", recommendations) if user in grades]
    lists = [checked_items("recommended", recommendations[user]) for user in users]
    tables = tables_of_lists(lists, [grades[user] for user in users])
    return score_of(metric_in_dialect(name, RULES, checked_cutoff(k), {}), tables)


def score_of(metric: Metric, tables: Tables) -> float:
    """The score of a metric on a match; 0 where nobody can be averaged."""
    return measured(metric, tables).sums.value or 0.0


def tables_of_recommendations(recommendations: Mapping[Any, Sequence[Any]]) -> Tables:
    """The tables of recommendations alone."""
    by_user = _by_user("recommendations", recommendations)
    lists = [checked_items("recommended", items) for items in by_user.values()]
    return tables_of_lists(lists, [{} for _ in lists])


def binary_grades(relevant: Collection[Any]) -> dict[Any, float]:
    """Relevant items, all with the same grade."""
    if isinstance(relevant, (str, bytes, Mapping, pd.DataFrame)) or not (
        isinstance(relevant, (Collection, pd.Series, pd.Index, np.ndarray))
    ):
        raise InvalidDataError.not_items("relevant", "a set of items", relevant)
    try:
        return dict.fromkeys(relevant, 1.0)
    except TypeError as error:
        raise InvalidDataError.not_hashable("relevant", str(error)) from None


def _graded(scores: Any) -> dict[Any, float]:
    if not isinstance(scores, Mapping):
        raise InvalidDataError.not_items("relevance_scores", "a dictionary of items", scores)
    for value in scores.values():
        if not isinstance(value, Real) or not 0 <= float(value) <= LARGEST_GAIN:
            raise InvalidDataError.not_relevances(value)
    return {item: float(value) for item, value in scores.items() if value > 0}


def _by_user(option: str, value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise InvalidOptionError.not_by_user(option, value)
    return value
