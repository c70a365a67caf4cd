"""Metrics of predicted and true ratings, user by user."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from jurity_reco.dialects import Dialect
from jurity_reco.errors import InvalidDataError, InvalidOptionError
from jurity_reco.evaluation import names_with_cutoffs
from jurity_reco.metrics.base import Metric, run
from jurity_reco.metrics.names import metric_in_dialect
from jurity_reco.metrics.options import check_choice, checked_cutoff

__all__ = ["compute_metrics"]

METRICS = ("precision", "recall", "ndcg", "hit_rate", "rmse")


def compute_metrics(
    user_pred_true: Mapping[Any, Sequence[tuple[float, float]]],
    metrics: str | Sequence[str] = METRICS,
    k: int | None = 10,
    threshold: float | None = 3.5,
    *,
    empty: str = "skip",
) -> dict[str, float | None]:
    """Score predicted ratings of items whose true ratings are known.

    The items of a user are ordered by their prediction, and the first k count. Precision divides by
    k and is averaged over all users, as is the hit rate; the ideal list of NDCG is that of the
    user's own items, cut at k; errors are over all items. The dialect is ``threshold_top_k``.

    Parameters
    ----------
    user_pred_true
        For each user, pairs of the predicted and the true rating of an item.
    metrics
        Names of metrics, which are the keys of the result.
    k
        The cut-off, for names that have none.
    threshold
        A true rating is relevant from here on.
    empty
        Users without a relevant item are left out of Recall and NDCG (``"skip"``), or count 0
        (``"zero"``).

    Examples
    --------
    >>> from jurity_reco import compute_metrics
    >>> rated = {"ann": [(4.5, 5.0), (4.0, 2.0), (3.0, 4.0)], "bob": [(2.0, 1.0), (1.0, 3.0)]}
    >>> compute_metrics(rated, ["precision", "recall", "rmse"], k=2)
    {'precision': 0.25, 'recall': 0.5, 'rmse': 1.4317821063276353}
    """
    check_choice("empty", ("skip", "zero"), empty)
    checked_cutoff(k)
    dialect = Dialect.named("threshold_top_k")
    if empty == "zero":
        dialect = dataclasses.replace(dialect, users=("skip", "zero", "zero"))
    options = {
        "click_column": "true",
        "score_column": "predicted",
        "user_id_column": "user",
        "item_id_column": "item",
        "relevance_threshold": threshold,
    }
    named: dict[str, Metric] = {}
    for name, cutoff in names_with_cutoffs(metrics, k):
        if isinstance(name, Metric):
            raise InvalidOptionError.not_by_name(name)
        named[name] = metric_in_dialect(name, dialect, cutoff, options)
    rated = _ratings(user_pred_true)
    outcomes = run(list(named.values()), rated, rated)
    return {name: outcome.sums.value for name, outcome in zip(named, outcomes, strict=True)}


def _ratings(user_pred_true: Any) -> pd.DataFrame:
    """A row for each rating; items are numbered user by user."""
    if not isinstance(user_pred_true, Mapping):
        raise InvalidOptionError.not_by_user("user_pred_true", user_pred_true)
    if not user_pred_true:
        raise InvalidOptionError.no_users("user_pred_true")
    pairs = [_pairs(user, values) for user, values in user_pred_true.items()]
    lengths = [len(one) for one in pairs]
    both = np.concatenate(pairs)
    return pd.DataFrame(
        {
            "user": np.repeat(np.arange(len(pairs)), lengths),
            "item": np.concatenate([np.arange(length) for length in lengths]),
            "predicted": both[:, 0],
            "true": both[:, 1],
        }
    )


def _pairs(user: Any, values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        pairs = np.asarray(list(values), dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidDataError.not_pairs(user, values) from None
    if pairs.ndim != 2 or pairs.shape[1] != 2 or np.isnan(pairs).any():
        raise InvalidDataError.not_pairs(user, values)
    return pairs
