"""Several metrics at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jurity_reco.accumulation import Accumulated
from jurity_reco.errors import InvalidOptionError
from jurity_reco.metrics.base import Metric, Outcome, add_batch, run, run_batch
from jurity_reco.results import MetricResult
from jurity_reco.stored import MetricState

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
        self.reset()

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
    ) -> Any:
        """Score recommendations with every metric, called as in Jurity.

        Parameters
        ----------
        actual_results
            Frame of what users did: user, item and label columns.
        predicted_results
            Frame of recommendations: user, item and score columns.
        batch_accumulate
            Whether this is one of several batches with different users. The scores of the batch and
            those of all batches so far are then returned together.
        return_extended_results
            Whether to return each metric's support and ledger too.

        Returns
        -------
        dict or tuple of two dicts
            What each metric's own ``get_score`` returns, by name.
        """

        def by_name(scored: Iterable[Outcome | MetricState]) -> dict[str, Any]:
            shown = (one.shown(return_extended_results) for one in scored)
            return dict(zip(self.names, shown, strict=True))

        if not batch_accumulate:
            return by_name(run(self.metrics, actual_results, predicted_results))
        batch = self._accumulate(actual_results, predicted_results)
        return by_name(batch), by_name(self._accumulated.states)

    def evaluate(self, actual: Any, predicted: Any) -> dict[str, MetricResult]:
        """Score recommendations and return everything about each score.

        Parameters
        ----------
        actual
            Frame of what users did: user, item and label columns.
        predicted
            Frame of recommendations: user, item and score columns.
        """
        outcomes = run(self.metrics, actual, predicted, with_users=True)
        results = [outcome.result() for outcome in outcomes]
        return dict(zip(self.names, results, strict=True))

    def update(self, actual: Any, predicted: Any) -> None:
        """Add a batch to all metrics; when one of them refuses it, none changes.

        Parameters
        ----------
        actual, predicted
            The rows of users who were in no earlier batch.
        """
        self._accumulate(actual, predicted)

    def compute(self) -> dict[str, MetricResult]:
        """The results of all batches so far, by name."""
        return {name: MetricResult(state) for name, state in self.state.items()}

    def reset(self) -> None:
        """Forget all batches."""
        self._accumulated = Accumulated(tuple(metric.empty_state for metric in self.metrics))

    def merge(self, other: CombinedMetrics) -> None:
        """Add what the same metrics have accumulated elsewhere of other users.

        Parameters
        ----------
        other
            The other accumulator, which does not change.
        """
        if not isinstance(other, CombinedMetrics) or self.metrics != other.metrics:
            raise InvalidOptionError.cannot_merge(self, other)
        self._accumulated = self._accumulated.merging(other._accumulated)

    @property
    def state(self) -> dict[str, MetricState]:
        """The states of all batches so far, by name, which can be stored."""
        return dict(zip(self.names, self._accumulated.states, strict=True))

    def _accumulate(self, actual: Any, predicted: Any) -> list[Outcome]:
        outcomes = run_batch(self.metrics, actual, predicted)
        self._accumulated = add_batch(self._accumulated, outcomes)
        return outcomes


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
