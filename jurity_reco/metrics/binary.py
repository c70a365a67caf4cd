"""Binary metrics: what users did with the recommendations that they are known to have seen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, sum_per_user
from jurity_reco.columns import Columns
from jurity_reco.errors import InvalidDataError, InvalidOptionError
from jurity_reco.match import MatchRules, PolicyColumns
from jurity_reco.metrics.base import Metric, RelevanceMetric
from jurity_reco.metrics.off_policy import estimate_from_log
from jurity_reco.metrics.options import check_choice, check_column, checked_count, checked_weight
from jurity_reco.states import PolicyState, RatioState, ScoreState, State
from jurity_reco.tables import Need, Rows, Tables, matched_rows

__all__ = ["AUC", "CTR"]

Floats = npt.NDArray[np.float64]

#: The column that is read where it is there; any other one has to be.
DEFAULT_PROPENSITY = "propensity"
TITLES = {"matching": "CTR", "ips": "IPS", "snips": "SNIPS", "dr": "Doubly Robust"}
ESTIMATIONS = tuple(TITLES)


@dataclass(frozen=True, repr=False, eq=False)
class CTR(Metric):
    r"""Click-through rate: what users did with recommendations, seen or estimated.

    ``estimation="matching"`` looks at the recommendations that users are known to have seen. With M
    the rows of ``actual`` whose user and item are among the user's first k recommendations, and v
    their values, the score is

    .. math:: \frac{1}{|M|} \sum_{M} v

    Every row counts, also where a user saw an item several times, and the value is taken as it
    is, with no threshold. A user's value is the mean over the user's own rows, weighted by their
    number. Averaged are users with a matched row. The score lies between the least and the largest
    value.

    The other estimations ask what the rate **would have been**, had the recommendations been shown
    to everybody, from the log of another policy. Over the N first k recommendations of all users,
    with w = 1/p for a recommendation that was logged with propensity p, and 0 for others:

    * ``"ips"``: :math:`\frac{1}{N} \sum w v`
    * ``"snips"``: :math:`\sum w v / \sum w`
    * ``"dr"``: :math:`\frac{1}{N} \sum (\hat v + w (v - \hat v))`, with :math:`\hat v` the value
      column of ``predicted``, or else the score

    ips and dr can leave the range of the values. All say in their extended results, and in
    ``details`` of ``evaluate``, whether to believe them.

    Parameters
    ----------
    value_column
        Column of ``actual`` to average; by default the click column. Recommendations are ordered
        by the click column (or ``score_column``) all the same.
    estimation
        ``"matching"``, ``"ips"``, ``"snips"`` or ``"dr"``.
    propensity_column
        Column of ``actual``: the probability with which the item was shown. Where ``actual`` lacks
        the column ``"propensity"``, or with ``None``, every item is taken to be equally likely.
    max_weight
        Weights are cut at this.
    n_items
        Number of items that were equally likely, where there is no column of propensities; by
        default the distinct items of ``actual``.
    target_propensity_column
        Column of ``predicted``: the probability q with which a random policy would show the
        recommendation. Then w = q/p, the expected value counts q times, and N is the sum of q.
    repeated
        ``"refuse"`` a user and item that were logged twice, or take the ``"mean"`` of their values
        and propensities.

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

    With three items that were shown at random, the click stands for three:

    >>> ips = BinaryRecoMetrics.CTR(click_column="click", estimation="ips")
    >>> ips.get_score(actual, predicted)       # 3 / 3
    1.0
    >>> ips.evaluate(actual, predicted).details["reason"]
    'the effective sample size is 2.0, below 100'
    """

    key: ClassVar[str] = "ctr"
    by_relevance: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (-np.inf, np.inf)

    value_column: str | None = None
    estimation: str = "matching"
    propensity_column: str | None = DEFAULT_PROPENSITY
    _: KW_ONLY
    max_weight: float | None = None
    n_items: int | None = None
    target_propensity_column: str | None = None
    repeated: str = "refuse"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.value_column is None:
            self._set("value_column", self.click_column)
        check_column("value_column", self.value_column)
        check_choice("estimation", ESTIMATIONS, self.estimation)
        check_choice("repeated", ("refuse", "mean"), self.repeated)
        for option in ("propensity_column", "target_propensity_column"):
            if getattr(self, option) is not None:
                check_column(option, getattr(self, option))
        if self.estimation == "matching":
            for option in ("max_weight", "n_items", "target_propensity_column"):
                if getattr(self, option) is not None:
                    raise InvalidOptionError.only_for_estimates(option)
            if self.repeated != "refuse":
                raise InvalidOptionError.only_for_estimates("repeated")
        if self.max_weight is not None:
            self._set("max_weight", checked_weight(self.max_weight))
        if self.n_items is not None:
            self._set("n_items", checked_count("n_items", self.n_items))
            if self.propensity_column not in (None, DEFAULT_PROPENSITY):
                raise InvalidOptionError.items_and_propensities(self.propensity_column)

    @property
    def columns(self) -> Columns:
        """The columns that the metric reads: its label is the value to be averaged."""
        read = dataclasses.replace(super().columns, label=str(self.value_column))
        if self.estimation == "matching":
            return read
        return dataclasses.replace(
            read, propensity=self.propensity_column, target=self.target_propensity_column
        )

    @property
    def needs(self) -> Need:
        """Matched rows, and for estimates all recommendations."""
        return Need.ROWS if self.estimation == "matching" else Need.ROWS | Need.LISTS

    @property
    def match_rules(self) -> MatchRules:
        """How the frames have to be matched for this metric."""
        if self.estimation == "matching":
            return super().match_rules
        policy = PolicyColumns(
            logged=self.propensity_column,
            logged_optional=self.propensity_column == DEFAULT_PROPENSITY,
            target=self.target_propensity_column,
            # The others have no use for the value that a model expects, and do not read it.
            estimate=self.columns.label if self.estimation == "dr" else None,
            repeated=self.repeated,
        )
        return dataclasses.replace(super().match_rules, policy=policy)

    @property
    def not_accumulated(self) -> str | None:
        """Weights of a random policy cannot be cut before the number of items is known."""
        if self.target_propensity_column is None or self.max_weight is None or self.n_items:
            return None
        if self.propensity_column not in (None, DEFAULT_PROPENSITY):
            return None
        return (
            "with target_propensity_column and max_weight, the number of items has to be known "
            "from the first batch on; pass n_items, or a propensity_column of another name"
        )

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum of values, and number of matched rows."""
        rows = matched_rows(tables, self.k)
        n_users = len(tables.users)
        return sum_per_user(rows.user, self._values(rows), n_users), rows.per_user(n_users)

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """Numerator, denominator and sums, by the estimation."""
        rows = matched_rows(tables, self.k)
        if self.estimation == "matching":
            y, n = self.per_user(tables)
            if not np.isfinite(y).all():
                raise InvalidDataError.too_large(self.columns.label)
            value = rows.label.astype(np.float64)
            bounds = (float(value.min(initial=np.inf)), float(value.max(initial=-np.inf)))
            return y, n, RatioState.of_users(y, n, bounds)
        return estimate_from_log(
            tables,
            rows,
            self._values(rows),
            estimation=self.estimation,
            column=self.columns.label,
            k=self.k,
            n_items=self.n_items,
            max_weight=self.max_weight,
        )

    @property
    def empty_sums(self) -> State:
        """What is kept before the first batch."""
        if self.estimation == "matching":
            return super().empty_sums
        return PolicyState.empty(by_weight=self.estimation == "snips", max_weight=self.max_weight)

    def _values(self, rows: Rows) -> Floats:
        """The values of matched rows, all of them finite."""
        value = rows.label.astype(np.float64)
        infinite = int(np.isinf(value).sum())
        if infinite:
            raise InvalidDataError.not_finite(self.columns.label, infinite)
        return value

    @property
    def _defaults(self) -> Mapping[str, Any]:
        return {**super()._defaults, "value_column": self.click_column}

    def __str__(self) -> str:
        return self._named([str(self.value_column)], title=TITLES[self.estimation])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CTR) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        """What makes it the metric it is: which columns it reads, not by which options."""
        return self.name, self.columns


@dataclass(frozen=True, repr=False)
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
        y, n, _ = self.measure(tables)
        return y, n

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """The areas of users, and counts of labels at each score for the pooled area."""
        rows = matched_rows(tables, self.k)
        n_rows = rows.per_user(len(tables.users))
        area = _area_per_user(rows, len(tables.users))
        return area * n_rows, n_rows, ScoreState.of_rows(rows.score, rows.relevant)

    @property
    def empty_sums(self) -> ScoreState:
        """No scores."""
        return ScoreState()

    def __str__(self) -> str:
        return self._named([self.click_column])


def _area_per_user(rows: Rows, n_users: int) -> Floats:
    """Area under the ROC curve of each user's rows, which are in the order of their scores."""
    n_relevant = sum_per_user(rows.user, rows.relevant, n_users)
    n_other = sum_per_user(rows.user, ~rows.relevant, n_users)
    begins = begins_run(rows.user, rows.score)
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
