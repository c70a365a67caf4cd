"""Ranking metrics of pairs: how often a relevant item stands above another one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import ratio
from jurity_reco.errors import InvalidOptionError
from jurity_reco.metrics.options import check_choice
from jurity_reco.metrics.ranking import RankingMetric
from jurity_reco.tables import Tables, UserRule

__all__ = ["GAUC", "LAUC", "RankingAUC"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class AreaMetric(RankingMetric):
    """A metric of the share of other recommendations that stand below a relevant item."""

    _: KW_ONLY
    users: UserRule = ("skip", "skip", "skip")

    def undefined(self, tables: Tables) -> Flags:
        """Users whose recommendations are all relevant."""
        undefined: Flags = tables.users.listed & (self._n_other(tables) == 0)
        return undefined

    def _refuse_to_count(self, words: tuple[str, ...], weight: str) -> None:
        """Refuse users with a weight of 0 who are to count as 0, which they cannot."""
        if "zero" in words:
            raise InvalidOptionError.users_without_weight(self.name, weight, self.users)

    def _n_other(self, tables: Tables) -> Integers:
        """Recommendations that are not relevant."""
        n_other: Integers = tables.users.n_recommended - tables.hits.at(None).per_user
        return n_other

    def _share_below(self, tables: Tables) -> Floats:
        """Sum over hits of the share of other recommendations below them."""
        hits, n_other = self._hits(tables), self._n_other(tables)
        # Above a hit at rank r with number j stand r - 1 recommendations, j - 1 of them hits.
        ranks = np.arange(1.0, hits.last_rank + 1)
        above = hits.sum_gain(ranks) - hits.sum_number_over(np.ones(len(ranks)))
        return ratio(n_other * hits.per_user - above, n_other)


@dataclass(frozen=True, repr=False)
class RankingAUC(AreaMetric):
    r"""Probability that a relevant item stands above another recommendation of the same user.

    Each relevant item of a user scores the share of the user's recommendations that are not
    relevant and stand below it; one that was not recommended scores 0. The metric is the mean over
    the relevant items of all users,

    .. math:: \frac{1}{\sum_u |R_u|} \sum_u \sum_{i \in R_u \cap L_u}
        \frac{|\{j \in L_u \setminus R_u : rank(j) > rank(i)\}|}{|L_u \setminus R_u|}

    Averaged are users with a relevant item and a recommendation that is not relevant, weighted by
    their relevant items. The whole list counts: there is no cut-off. The range is 0 to 1.

    It is ``RankingRecoMetrics.AUC``, and asks another question than ``BinaryRecoMetrics.AUC``,
    which compares the scores of different users.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "click": [1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1, 2, 2],
    ...     "item_id": [10, 20, 21, 20, 10],
    ...     "click": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> RankingRecoMetrics.AUC("click").get_score(actual, predicted)     # (1 + 0 + 0) / 3
    0.3333333333333333
    """

    key: ClassVar[str] = "ranking_auc"
    cutoff: ClassVar[bool] = False
    weighted: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._refuse_to_count(self.users[:2], "relevant items")

    def value(self, tables: Tables) -> Floats:
        """Mean over the relevant items of a user."""
        return ratio(self._share_below(tables), tables.users.n_relevant)

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum over the relevant items, and their number."""
        counted = self.counted(tables)
        weight = counted.astype(np.float64) * tables.users.n_relevant
        return self._share_below(tables) * counted, weight


@dataclass(frozen=True, repr=False)
class GAUC(AreaMetric):
    r"""The same area within one user, averaged over users.

    A user's value is the mean over the relevant items of the share of other recommendations below
    them, as for :class:`RankingAUC`. Averaged are users with a relevant item and a recommendation
    that is not relevant. The whole list counts: there is no cut-off. The range is 0 to 1.

    Parameters
    ----------
    weights
        How much a user counts: ``None`` the same as any other, ``"positives"`` the number of
        relevant items, which gives the score of :class:`RankingAUC`, or ``"impressions"`` the
        length of the list. The support is the sum of the weights.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "click": [1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1, 2, 2],
    ...     "item_id": [10, 20, 21, 20, 10],
    ...     "click": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> RankingRecoMetrics.GAUC("click").get_score(actual, predicted)    # ((1 + 0) / 2 + 0) / 2
    0.25
    """

    key: ClassVar[str] = "gauc"
    cutoff: ClassVar[bool] = False
    weighted: ClassVar[bool] = True

    _: KW_ONLY
    weights: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None:
            check_choice("weights", ("positives", "impressions"), self.weights)
        if self.weights == "positives":
            self._refuse_to_count(self.users[:2], "relevant items")
        if self.weights == "impressions":
            self._refuse_to_count(self.users[2:], "recommendations")

    def value(self, tables: Tables) -> Floats:
        """Mean over the relevant items."""
        return ratio(self._share_below(tables), tables.users.n_relevant)

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Mean over the relevant items times the weight, and the weight."""
        value, weight = super().per_user(tables)
        if self.weights == "positives":
            counted = weight > 0
            return self._share_below(tables) * counted, weight * tables.users.n_relevant
        if self.weights == "impressions":
            weight = weight * tables.users.n_recommended
        return value * weight, weight


@dataclass(frozen=True, repr=False)
class LAUC(AreaMetric):
    r"""The area within one user, of the relevant items among the first k alone.

    As :class:`GAUC`, but only relevant items at rank k or better score, and the sum is divided by
    min(k, number of relevant items). Averaged are users with a relevant item and a recommendation
    that is not relevant. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1], "item_id": [10, 20, 11], "click": [0.9, 0.8, 0.7]})
    >>> RankingRecoMetrics.LAUC("click", k=2).get_score(actual, predicted)     # 1 / min(2, 2)
    0.5
    """

    key: ClassVar[str] = "lauc"

    def value(self, tables: Tables) -> Floats:
        """Sum over the relevant items among the first k, over those that fit."""
        return ratio(self._share_below(tables), self._reachable(tables.users))
