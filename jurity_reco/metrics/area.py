"""Ranking metrics of pairs: how often a relevant item stands above another one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import ratio
from jurity_reco.metrics.options import check_choice
from jurity_reco.metrics.ranking import RankingMetric
from jurity_reco.tables import Tables, UserRule

__all__ = ["GAUC", "LAUC", "RankingAUC"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class AreaMetric(RankingMetric):
    """A metric of the share of other recommendations that stand below a relevant item."""

    users: ClassVar[UserRule] = ("skip", "skip", "skip")

    def _share_below(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum over hits of the share of other recommendations below them, and who counts."""
        users = tables.users
        n_other = users.n_recommended - tables.hits.at(None).per_user
        hits = self._hits(tables)
        # Above a hit at rank r with number j stand r - 1 recommendations, j - 1 of them hits.
        ranks = np.arange(1.0, hits.last_rank + 1)
        above = hits.sum_gain(ranks) - hits.sum_number_over(np.ones(len(ranks)))
        counted = users.averaged(self.users) & (n_other > 0)
        share = ratio(n_other * hits.per_user - above, n_other)
        return np.where(counted, share, 0.0), counted.astype(np.float64)


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

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum over the relevant items, and their number."""
        share, counted = self._share_below(tables)
        return share, counted * tables.users.n_relevant


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

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Mean over the relevant items times the weight, and the weight."""
        share, weight = self._share_below(tables)
        if self.weights == "positives":
            return share, weight * tables.users.n_relevant
        if self.weights == "impressions":
            weight = weight * tables.users.n_recommended
        return ratio(share, tables.users.n_relevant) * weight, weight


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

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum over the relevant items among the first k, over those that fit."""
        share, counted = self._share_below(tables)
        return ratio(share, self._reachable(tables.users)), counted
