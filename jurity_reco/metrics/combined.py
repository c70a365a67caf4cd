"""Several metrics at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jurity_reco.errors import InvalidOptionError
from jurity_reco.metrics.base import Metric, run, run_for_score
from jurity_reco.results import MetricResult

__all__ = ["CombinedMetrics"]


class CombinedMetrics:
    """Several metrics over one match, called like one metric.

    Results are keyed by ``str(metric)``, and there is an entry for every metric, also where the
    score is ``None``. Metrics that print alike get their column, and then whatever else tells them
    apart, into the key.

    Parameters
    ----------
    metrics
        The metrics.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import BinaryRecoMetrics, CombinedMetrics, RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 20], "click": [1, 1, 0]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 12, 20], "click": [0.9, 0.8, 0.7]})
    >>> metrics = CombinedMetrics(
    ...     BinaryRecoMetrics.CTR("click"), RankingRecoMetrics.Recall("click", k=2))
    >>> metrics.get_score(actual, predicted)
    {'CTR(click)': 0.5, 'Recall@2': 0.5}
    """

    def __init__(self, *metrics: Metric) -> None:
        if not metrics or not all(isinstance(metric, Metric) for metric in metrics):
            raise InvalidOptionError.not_metrics(metrics)
        self.metrics = tuple(dict.fromkeys(metrics))

    def __repr__(self) -> str:
        return f"CombinedMetrics({', '.join(map(repr, self.metrics))})"

    @property
    def names(self) -> list[str]:
        """The key of each metric in a result."""
        return distinct_names(self.metrics)

    def get_score(
        self,
        actual_results: Any,
        predicted_results: Any,
        batch_accumulate: bool = False,
        return_extended_results: bool = False,
    ) -> dict[str, Any]:
        """Score recommendations with every metric, called as in Jurity.

        Parameters
        ----------
        actual_results
            Frame of what users did: user, item and label columns.
        predicted_results
            Frame of recommendations: user, item and score columns.
        batch_accumulate
            Not available in this version.
        return_extended_results
            Whether to return each metric's support and ledger too.

        Returns
        -------
        dict
            What each metric's own ``get_score`` returns, by name.
        """
        outcomes = run_for_score(self.metrics, actual_results, predicted_results, batch_accumulate)
        scores = [
            outcome.extended() if return_extended_results else outcome.state.value
            for outcome in outcomes
        ]
        return dict(zip(self.names, scores, strict=True))

    def evaluate(self, actual: Any, predicted: Any) -> dict[str, MetricResult]:
        """Score recommendations and return everything about each score.

        Parameters
        ----------
        actual
            Frame of what users did: user, item and label columns.
        predicted
            Frame of recommendations: user, item and score columns.
        """
        outcomes = run(self.metrics, actual, predicted)
        results = [outcome.result() for outcome in outcomes]
        return dict(zip(self.names, results, strict=True))


def distinct_names(metrics: Sequence[Metric]) -> list[str]:
    """A name for each of several different metrics, as short as distinctness allows."""
    names = [str(metric) for metric in metrics]
    for describe in (_with_column, _with_differences):
        alike: dict[str, list[Metric]] = {}
        for name, metric in zip(names, metrics, strict=True):
            alike.setdefault(name, []).append(metric)
        names = [
            name if len(alike[name]) == 1 else describe(metric, alike[name])
            for name, metric in zip(names, metrics, strict=True)
        ]
    return names


def _with_column(metric: Metric, alike: Sequence[Metric]) -> str:
    return metric._named([metric.columns.label])


def _with_differences(metric: Metric, alike: Sequence[Metric]) -> str:
    def differs(option: str, value: object) -> bool:
        return any(other.options.get(option) != value for other in alike)

    different: Mapping[str, object] = {
        option: value for option, value in metric.options.items() if differs(option, value)
    }
    return metric._named(
        [metric.columns.label, *(f"{option}={value!r}" for option, value in different.items())]
    )
