"""The same metric in the dialects of several libraries, and what makes the difference."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from jurity_reco.dialects import Dialect
from jurity_reco.errors import InvalidDataError, InvalidOptionError
from jurity_reco.evaluation import names_with_cutoffs
from jurity_reco.metrics.base import Metric, match_all, measured
from jurity_reco.metrics.names import metric_in_dialect

__all__ = ["compare_dialects"]

#: Scores that are closer are the same.
TOLERANCE = 1e-12


def compare_dialects(
    actual: Any,
    predicted: Any,
    metrics: str | Sequence[str],
    *,
    dialects: str | Dialect | Sequence[str | Dialect] | None = None,
    reference: str | Dialect = "jurity",
    k: int | Sequence[int] | None = None,
    click_column: str = "click",
    user_id_column: str = "user_id",
    item_id_column: str = "item_id",
    score_column: str | None = None,
    relevance_threshold: float | None = None,
    duplicates: str = "refuse",
    on_invalid: str = "refuse",
) -> pd.DataFrame:
    """Compute metrics as several libraries do, and say why they differ.

    Parameters
    ----------
    actual, predicted
        The frames, as for :func:`evaluate`.
    metrics
        Names of ranking metrics.
    dialects
        The libraries; all by default.
    reference
        The library with which the others are compared.
    k, relevance_threshold, duplicates, on_invalid
        As for :func:`evaluate`.
    click_column, user_id_column, item_id_column, score_column
        The columns, as for every metric.

    Returns
    -------
    pandas.DataFrame
        One row per metric and library: ``value``, ``support``, ``differs_by`` with those fields of
        the dialect whose switch alone changes the value of the reference, found by switching each,
        and ``reason`` why there is no value, or which fields change it only together.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import compare_dialects
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 3], "item_id": [10, 11, 10, 12], "click": [1, 1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1, 2, 2],
    ...     "item_id": [10, 20, 11, 20, 10],
    ...     "click": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> compare_dialects(actual, predicted, "map@2", dialects=["jurity", "rectools", "recpack"])
      metric   dialect     value  support differs_by              reason
    0  map@2    jurity  0.500000        2
    1  map@2  rectools  0.333333        3      users
    2  map@2   recpack       NaN        0             recpack has no MAP
    """
    asked = Dialect.names() if dialects is None else dialects
    if isinstance(asked, (str, Dialect)):
        asked = [asked]
    if not isinstance(asked, Iterable) or not asked:
        raise InvalidOptionError.not_dialects(dialects)
    compared = [Dialect.named(one) for one in asked]
    shared = {
        "click_column": click_column,
        "user_id_column": user_id_column,
        "item_id_column": item_id_column,
        "score_column": score_column,
        "relevance_threshold": relevance_threshold,
        "duplicates": duplicates,
        "on_invalid": on_invalid,
    }
    base = Dialect.named(reference)
    questions = [
        _Question.asked(name, cutoff, base, dialect, shared)
        for name, cutoff in names_with_cutoffs(metrics, k)
        for dialect in compared
    ]
    found = _scores((one for question in questions for one in question.metrics), actual, predicted)
    return pd.DataFrame([question.answered(found) for question in questions])


@dataclass(frozen=True)
class _Score:
    """A score and its support, or why there is none."""

    value: float | None = None
    support: int = 0
    reason: str = ""

    def differs(self, other: _Score) -> bool:
        """Whether it is another number, or one of the two is none."""
        if self.value is None or other.value is None:
            return (self.value is None) != (other.value is None)
        if math.isnan(self.value) or math.isnan(other.value):
            return math.isnan(self.value) != math.isnan(other.value)
        return not math.isclose(self.value, other.value, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


@dataclass(frozen=True)
class _Question:
    """One metric in one dialect, compared with the reference.

    Parameters
    ----------
    name, dialect
        What was asked for.
    metric, reference
        The metric in the dialect and in the reference, or why there is none.
    switched
        By field: the metric of the reference with the dialect's choice of this field alone, or why
        there is none.
    """

    name: str
    dialect: str
    metric: Metric | InvalidOptionError
    reference: Metric | InvalidOptionError
    switched: Mapping[str, Metric | InvalidOptionError]

    @classmethod
    def asked(
        cls,
        name: str | Metric,
        cutoff: int | None,
        reference: Dialect,
        dialect: Dialect,
        shared: Mapping[str, Any],
    ) -> _Question:
        """A question with all the metrics that answer it."""
        if isinstance(name, Metric):
            raise InvalidOptionError.not_by_name(name)

        def build(rules: Dialect) -> Metric | InvalidOptionError:
            try:
                return metric_in_dialect(name, rules, cutoff, shared)
            except InvalidOptionError as error:
                return error

        metric, base, plain = build(dialect), build(reference), build(Dialect.named(None))
        known = [one for one in (plain, base, metric) if isinstance(one, Metric)]
        # What cannot be built by anybody's rules is no matter of dialects.
        if not known and isinstance(plain, InvalidOptionError):
            raise plain
        switched: dict[str, Metric | InvalidOptionError] = {}
        for field in Dialect.field_names():
            single = build(dataclasses.replace(reference, **{field: getattr(dialect, field)}))
            if isinstance(base, Metric) and single != base:
                switched[field] = single
        cut = cutoff is not None and known[0].cutoff and known[0].k == cutoff
        title = f"{name}@{cutoff}" if cut else name
        return cls(title, dialect.name, metric, base, switched)

    @property
    def metrics(self) -> list[Metric]:
        """All metrics that have to be computed."""
        asked = (self.metric, self.reference, *self.switched.values())
        return [one for one in asked if isinstance(one, Metric)]

    def answered(self, scores: Mapping[Metric, _Score]) -> dict[str, Any]:
        """A row of the table."""

        def score_of(metric: Metric | InvalidOptionError) -> _Score:
            return scores[metric] if isinstance(metric, Metric) else _Score(reason=metric.reason)

        score, reference = score_of(self.metric), score_of(self.reference)
        differs, reason = [], score.reason
        if not reason and reference.reason:
            reason = f"not compared, because {reference.reason}"
        elif not reason:
            differs = [
                field
                for field, one in self.switched.items()
                if not score_of(one).reason and score_of(one).differs(reference)
            ]
            if not differs and score.differs(reference):
                reason = f"only together: {', '.join(self.switched)}"
            elif score.value is None:
                reason = "nobody to average"
        return {
            "metric": self.name,
            "dialect": self.dialect,
            "value": math.nan if score.value is None else score.value,
            "support": score.support,
            "differs_by": ", ".join(differs),
            "reason": reason,
        }


def _scores(metrics: Iterable[Metric], actual: Any, predicted: Any) -> dict[Metric, _Score]:
    """The scores of metrics over as few matches as there can be."""
    distinct = list(dict.fromkeys(metrics))
    scores = {}
    for metric, tables in zip(distinct, match_all(distinct, actual, predicted), strict=True):
        try:
            outcome = measured(metric, tables)
            scores[metric] = _Score(outcome.sums.value, outcome.sums.support)
        except InvalidDataError as error:
            scores[metric] = _Score(reason=str(error))
    return scores
