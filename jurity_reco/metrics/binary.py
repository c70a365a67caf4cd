"""Binary metrics: what users did with the recommendations that they are known to have seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.columns import Columns
from jurity_reco.errors import InvalidDataError, InvalidOptionError
from jurity_reco.metrics.base import Metric, RelevanceMetric
from jurity_reco.states import ScoreState
from jurity_reco.tables import Need, Rows, Tables, sum_per_user

__all__ = ["AUC", "CTR", "BinaryRecoMetrics"]

Floats = npt.NDArray[np.float64]

ESTIMATIONS = ("matching",)


@dataclass(frozen=True)
class CTR(Metric):
    r"""Click-through rate over the recommendations that users are known to have seen.

    With M the rows of ``actual`` whose user and item are among the user's first k
    recommendations, and v their values, the score is

    .. math:: \frac{1}{|M|} \sum_{M} v

    Every row counts, also where a user saw an item several times, and the value is taken as it
    is, with no threshold. A user's value is the mean over the user's own rows, weighted by their
    number. Averaged are users with a matched row. The score lies between the least and the largest
    value.

    Parameters
    ----------
    value_column
        Column of ``actual`` to average; by default the click column. Recommendations are ordered
        by the click column (or ``score_column``) all the same.
    estimation
        ``"matching"``.
    propensity_column
        Not read by ``"matching"``.

    Examples
    --------
    Of the three recommendations, user 1 saw and clicked one, and user 2 saw one without a click.

    >>> import pandas as pd
    >>> from jurity_reco import BinaryRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 20], "click": [1, 1, 0]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 12, 20], "click": [0.9, 0.8, 0.7]})
    >>> ctr = BinaryRecoMetrics.CTR(click_column="click")
    >>> ctr.get_score(actual, predicted)
    0.5
    >>> ctr.evaluate(actual, predicted).per_user
       user_id  value  weight
    0        1    1.0     1.0
    1        2    0.0     1.0
    """

    key: ClassVar[str] = "ctr"
    by_relevance: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    value_column: str | None = None
    estimation: str = "matching"
    propensity_column: str | None = "propensity"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.value_column is None:
            self._set("value_column", self.click_column)
        if not isinstance(self.value_column, str):
            raise InvalidOptionError.not_a_column("value_column", self.value_column)
        if self.estimation not in ESTIMATIONS:
            raise InvalidOptionError.not_a_choice("estimation", ESTIMATIONS, self.estimation)

    @property
    def columns(self) -> Columns:
        """The columns that the metric reads: its label is the value to be averaged."""
        return Columns(
            user=self.user_id_column,
            item=self.item_id_column,
            label=self.value_column or self.click_column,
            score=self.score_column or self.click_column,
        )

    @property
    def needs(self) -> Need:
        """Matched rows."""
        return Need.ROWS

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum of values, and number of matched rows."""
        rows = _matched_rows(tables, self.k)
        value = rows.label.astype(np.float64)
        infinite = int(np.isinf(value).sum())
        if infinite:
            raise InvalidDataError.not_finite(self.columns.label, infinite)
        n_users = len(tables.users)
        return sum_per_user(rows.user, value, n_users), rows.per_user(n_users)

    def __str__(self) -> str:
        return self._named([str(self.value_column)])


@dataclass(frozen=True)
class AUC(RelevanceMetric):
    r"""Area under the ROC curve of the scores of recommendations that users are known to have seen.

    Over all rows of ``actual`` whose user and item are among the user's first k recommendations,
    pooled over users, it is the probability that a relevant row has a higher score than another
    one, where equal scores count one half. It is ``nan`` when all rows are relevant or none is.
    The range is 0 to 1.

    The pooled area is no average over users. The per-user values are the areas of each user's own
    rows (``nan`` with one class only), for description.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import BinaryRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2], "item_id": [10, 11, 10, 11], "click": [1, 0, 0, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2], "item_id": [10, 11, 10, 11], "click": [0.9, 0.3, 0.7, 0.5]})
    >>> BinaryRecoMetrics.AUC(click_column="click").get_score(actual, predicted)
    0.75
    """

    key: ClassVar[str] = "auc"
    by_relevance: ClassVar[bool] = False
    weighted: ClassVar[bool] = True

    @property
    def needs(self) -> Need:
        """Matched rows."""
        return Need.ROWS

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Area of each user's own rows times their number, and their number."""
        rows = _matched_rows(tables, self.k)
        n_rows = rows.per_user(len(tables.users))
        return _area_per_user(rows, len(tables.users)) * n_rows, n_rows

    @property
    def empty_sums(self) -> ScoreState:
        """No scores."""
        return ScoreState()

    def sums(self, tables: Tables, y: Floats, n: Floats) -> ScoreState:
        """Counts of labels at each distinct score, since the area is pooled."""
        rows = _matched_rows(tables, self.k)
        return ScoreState.of_rows(rows.score, rows.relevant)

    def __str__(self) -> str:
        return self._named([self.click_column])


def _matched_rows(tables: Tables, k: int | None) -> Rows:
    assert tables.rows is not None, "the metric has to say that it needs rows"
    return tables.rows.at(k)


def _area_per_user(rows: Rows, n_users: int) -> Floats:
    """Area under the ROC curve of each user's rows, which are in the order of their scores."""
    n_relevant = sum_per_user(rows.user, rows.relevant, n_users)
    n_other = sum_per_user(rows.user, ~rows.relevant, n_users)
    begins = np.ones(len(rows.user), dtype=bool)
    begins[1:] = (rows.user[1:] != rows.user[:-1]) | (rows.score[1:] != rows.score[:-1])
    tie = np.cumsum(begins) - 1
    user_of_tie = rows.user[begins]
    other_in_tie = sum_per_user(tie, ~rows.relevant, len(user_of_tie))
    # Others up to and including the tie, counted over all users, less those of earlier users.
    others_before_user = np.cumsum(n_other) - n_other
    up_to_tie = np.cumsum(other_in_tie) - others_before_user[user_of_tie]
    below = n_other[user_of_tie] - up_to_tie + other_in_tie / 2
    ordered = sum_per_user(rows.user, below[tie] * rows.relevant, n_users)
    area: Floats = np.full(n_users, np.nan)
    np.divide(ordered, n_relevant * n_other, out=area, where=n_relevant * n_other > 0)
    return area


class BinaryRecoMetrics:
    """Metrics of what users did with the recommendations that they are known to have seen."""

    AUC = AUC
    CTR = CTR
