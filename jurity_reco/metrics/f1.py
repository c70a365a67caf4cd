"""The harmonic mean of two ranking metrics."""

from __future__ import annotations

import dataclasses
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import ratio
from jurity_reco.errors import InvalidOptionError
from jurity_reco.metrics.area import GAUC, LAUC
from jurity_reco.metrics.gain import NDCG
from jurity_reco.metrics.grammar import build, find_class, option_names, read_name, simplified
from jurity_reco.metrics.options import checked_beta
from jurity_reco.metrics.ranking import MAP, MAR, MRR, HitRate, Precision, RankingMetric, Recall
from jurity_reco.tables import Need, Tables

__all__ = ["F1"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

#: Metrics that give every user a value between 0 and 1.
COMPONENTS: tuple[type[RankingMetric], ...] = (
    Precision,
    Recall,
    MAP,
    MAR,
    MRR,
    NDCG,
    HitRate,
    GAUC,
    LAUC,
)


@dataclass(frozen=True, repr=False)
class F1(RankingMetric):
    r"""Harmonic mean of a user's Precision and Recall, averaged over users.

    With Precision P and Recall R of a user and :math:`\beta` = ``beta``, the value is

    .. math:: \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    and 0 when both are 0. Averaged are users with a relevant item; without a recommendation the
    value is 0. The range is 0 to 1.

    Parameters
    ----------
    metrics
        Names of the two metrics, ``("precision", "recall")`` unless others are asked for, with
        options if need be: ``("ndcg", "map")``, or ``('precision(denominator="k")', "recall")``.
        Columns, cut-off and order of equal scores are those of F1, and so is the rule for users.
    beta
        How many times as much the second metric counts as the first.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1], "item_id": [10, 20, 21], "click": [0.9, 0.8, 0.7]})
    >>> f1 = RankingRecoMetrics.F1("click", k=3)
    >>> round(f1.get_score(actual, predicted), 4)        # of 1/3 and 1/2
    0.4

    Of two other metrics:

    >>> both = RankingRecoMetrics.F1("click", k=3, metrics=("ndcg", "map"), beta=0.5)
    >>> both.name
    'F1(NDCG, MAP, beta=0.5)@3'
    >>> round(both.get_score(actual, predicted), 4)      # of 0.6131 and 1/2
    0.5866
    """

    key: ClassVar[str] = "f1"

    _: KW_ONLY
    metrics: tuple[str, str] = ("Precision", "Recall")
    beta: float = 1.0

    def __post_init__(self) -> None:
        self._set("metrics", _checked_pair(self.metrics))
        self._set("beta", checked_beta(self.beta))
        super().__post_init__()

    @cached_property
    def components(self) -> tuple[RankingMetric, RankingMetric]:
        """The two metrics, with the columns, cut-off and ties of this one."""
        first, second = self.metrics
        return self._component(first), self._component(second)

    def _component(self, name: str) -> RankingMetric:
        metric_class, call = find_class(read_name(name), COMPONENTS, "metric for F1")
        shared = {
            option.name: getattr(self, option.name)
            for option in dataclasses.fields(RankingMetric)
            if option.init and (option.name != "k" or metric_class.cutoff)
        }
        return build(call, metric_class, shared)

    @property
    def no_expectation(self) -> str | None:
        """Precision and Recall are the same hits over something, so their mean has a form."""
        if all(isinstance(metric, (Precision, Recall)) for metric in self.components):
            return None
        return "the harmonic mean of other metrics than Precision and Recall has no closed form"

    @property
    def needs(self) -> Need:
        """What the two metrics need."""
        first, second = self.components
        return first.needs | second.needs

    def value(self, tables: Tables) -> Floats:
        """The weighted harmonic mean."""
        first, second = (metric.value(tables) for metric in self.components)
        square = self.beta**2
        return ratio((1 + square) * first * second, square * first + second)

    def undefined(self, tables: Tables) -> Flags | None:
        """Users for whom one of the metrics has no value."""
        masks = [metric.undefined(tables) for metric in self.components]
        known = [mask for mask in masks if mask is not None]
        return np.logical_or.reduce(known) if known else None

    @property
    def name_arguments(self) -> list[str]:
        """The two metrics, unless they are the usual ones, and the other options."""
        metrics = list(self.metrics) if self.metrics != self._defaults["metrics"] else []
        return [*metrics, *(one for one in super().name_arguments if one[:8] != "metrics=")]

    @classmethod
    def from_arguments(cls, arguments: tuple[Any, ...], name: str) -> dict[str, Any]:
        """Two metrics, as in ``F1(ndcg, map)``, or a column."""
        if len(arguments) == 2:
            return {"metrics": arguments}
        if arguments and simplified(str(arguments[0])) in {one.key for one in COMPONENTS}:
            raise InvalidOptionError.not_two_metrics(arguments[0])
        return super().from_arguments(arguments, name)


def _checked_pair(metrics: Any) -> tuple[str, str]:
    """The canonical names of two metrics."""
    if isinstance(metrics, str) or not hasattr(metrics, "__len__") or len(metrics) != 2:
        raise InvalidOptionError.not_two_metrics(metrics)
    first, second = metrics
    return _checked_component(first), _checked_component(second)


def _checked_component(name: Any) -> str:
    if not isinstance(name, str):
        raise InvalidOptionError.not_two_metrics(name)
    metric_class, call = find_class(read_name(name), COMPONENTS, "metric for F1")
    if call.k is not None or call.arguments:
        raise InvalidOptionError.not_of_component(name)
    # Whatever all ranking metrics have is said once, for both; and weights are of no use here.
    own = set(option_names(metric_class)) - set(option_names(RankingMetric)) - {"weights"}
    for option in call.options:
        if option not in own:
            raise InvalidOptionError.no_such_option(
                option, f"{metric_class.__name__} in F1", sorted(own), name
            )
    return build(call, metric_class, {"click_column": "click"}).name
