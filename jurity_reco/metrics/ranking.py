"""Ranking metrics: how high the relevant items stand in a user's list."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import at_most, ratio
from jurity_reco.hits import HitsAtK
from jurity_reco.metrics.base import TIE_BOUNDS, TIE_ORDERS, RelevanceMetric
from jurity_reco.metrics.options import checked_beta
from jurity_reco.tables import Tables, UserRule, Users

__all__ = [
    "DCG",
    "F1",
    "MAP",
    "MAR",
    "MRR",
    "NDCG",
    "HitRate",
    "Precision",
    "RankingMetric",
    "Recall",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class RankingMetric(RelevanceMetric):
    """A mean over users of a value that depends on the ranks of their hits."""

    users: ClassVar[UserRule] = ("skip", "skip", "zero")
    tie_choices: ClassVar[tuple[str, ...]] = (*TIE_ORDERS, *TIE_BOUNDS)

    def _hits(self, tables: Tables) -> HitsAtK:
        """The hits among the first k recommendations."""
        return tables.hits.at(self.k, self.ties if self._bounds_ties else "input")

    def _precision_at_hits(self, tables: Tables) -> Floats:
        """Sum over a user's hits of the precision at their rank."""
        hits = self._hits(tables)
        return hits.sum_number_over(np.arange(1, hits.last_rank + 1))

    def _mean_over_users(self, value: Floats, users: Users) -> tuple[Floats, Floats]:
        """Numerator and denominator of a mean; users who lack something have no hit, hence 0."""
        return value, users.averaged(self.users).astype(np.float64)

    def _reachable(self, users: Users) -> Integers:
        """How many relevant items fit into the first k recommendations."""
        return at_most(users.n_relevant, self.k)


@dataclass(frozen=True, repr=False)
class Precision(RankingMetric):
    r"""Share of a user's first k recommendations that are relevant, averaged over users.

    With h hits among n recommendations (at most k), a user's value is

    .. math:: \frac{h}{n}

    Averaged are users with a relevant item **and** a recommendation. A list shorter than k is
    divided by its own length. The range is 0 to 1.

    Examples
    --------
    Two of the three recommendations of user 1 are relevant, and none of the two of user 2.
    User 3 has no recommendation and does not count.

    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 3], "item_id": [10, 11, 10, 12], "click": [1, 1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1, 2, 2],
    ...     "item_id": [10, 20, 11, 20, 21],
    ...     "click": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> precision = RankingRecoMetrics.Precision(click_column="click", k=3)
    >>> precision.get_score(actual, predicted)
    0.3333333333333333
    >>> precision.evaluate(actual, predicted).per_user
       user_id     value
    0        1  0.666667
    1        2  0.000000
    """

    key: ClassVar[str] = "precision"
    users: ClassVar[UserRule] = ("skip", "skip", "skip")

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Hits over recommendations."""
        length = at_most(tables.users.n_recommended, self.k)
        value = ratio(self._hits(tables).per_user, length)
        return self._mean_over_users(value, tables.users)


@dataclass(frozen=True, repr=False)
class Recall(RankingMetric):
    r"""Share of a user's relevant items that are among the first k, averaged over users.

    With h hits and the set R of relevant items, a user's value is

    .. math:: \frac{h}{|R|}

    Averaged are users with a relevant item; without a recommendation the value is 0. The range is
    0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "click": [1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 20], "click": [0.9, 0.8]})
    >>> recall = RankingRecoMetrics.Recall(click_column="click", k=2)
    >>> recall.get_score(actual, predicted)     # (1/2 + 0) / 2
    0.25
    """

    key: ClassVar[str] = "recall"

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Hits over relevant items."""
        value = ratio(self._hits(tables).per_user, tables.users.n_relevant)
        return self._mean_over_users(value, tables.users)


@dataclass(frozen=True, repr=False)
class MAP(RankingMetric):
    r"""Mean over users of the average precision at the ranks of their hits.

    With rel(r) = 1 where the item at rank r is relevant, P(r) the share of hits among the first r
    and the set R of relevant items, a user's value is

    .. math:: \frac{1}{\min(k, |R|)} \sum_{r=1}^{k} P(r)\, rel(r)

    where the minimum is the size of R without k. Averaged are users with a relevant item **and** a
    recommendation. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1], "item_id": [10, 20, 11], "click": [0.9, 0.8, 0.7]})
    >>> average_precision = RankingRecoMetrics.MAP(click_column="click", k=3)
    >>> average_precision.get_score(actual, predicted)     # (1/1 + 2/3) / 2
    0.8333333333333333
    """

    key: ClassVar[str] = "map"
    users: ClassVar[UserRule] = ("skip", "skip", "skip")

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Precision at each hit, over the hits that were possible."""
        value = ratio(self._precision_at_hits(tables), self._reachable(tables.users))
        return self._mean_over_users(value, tables.users)


@dataclass(frozen=True, repr=False)
class NDCG(RankingMetric):
    r"""Discounted gain of a user's hits over that of an ideal list, averaged over users.

    With rel(r) = 1 where the item at rank r is relevant and the set R of relevant items, a user's
    value is

    .. math:: \sum_{r=1}^{k} \frac{rel(r)}{\log_2(r+1)} \Big/ \sum_{r=1}^{|R|} \frac{1}{\log_2(r+1)}

    The ideal list holds **all** relevant items, as in Jurity: it is not cut at k, so a user with
    more than k relevant items cannot reach 1. Averaged are users with a relevant item; without a
    recommendation the value is 0. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1], "item_id": [10, 20, 11], "click": [0.9, 0.8, 0.7]})
    >>> ndcg = RankingRecoMetrics.NDCG(click_column="click", k=3)
    >>> round(ndcg.get_score(actual, predicted), 4)   # (1 + 1/log2(4)) / (1 + 1/log2(3))
    0.9197
    """

    key: ClassVar[str] = "ndcg"

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Discounted gain over the ideal one."""
        hits, n_relevant = self._hits(tables), tables.users.n_relevant
        longest = max(hits.last_rank, int(n_relevant.max(initial=0)))
        discount = _discount(longest)
        # Both sums run from the first rank on, so a perfect list scores exactly 1 and none more.
        ideal = np.concatenate([[0.0], np.cumsum(discount)])[n_relevant]
        value = ratio(hits.sum_gain(discount), ideal)
        return self._mean_over_users(value, tables.users)


@dataclass(frozen=True, repr=False)
class DCG(RankingMetric):
    r"""Discounted gain of a user's hits, not compared with anything, averaged over users.

    With rel(r) = 1 where the item at rank r is relevant, a user's value is

    .. math:: \sum_{r=1}^{k} \frac{rel(r)}{\log_2(r+1)}

    Averaged are users with a relevant item; without a recommendation the value is 0. The range
    starts at 0 and has no end, because users with more relevant items can gain more.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1], "item_id": [10, 20, 11], "click": [0.9, 0.8, 0.7]})
    >>> RankingRecoMetrics.DCG("click", k=3).get_score(actual, predicted)    # 1 + 1/log2(4)
    1.5
    """

    key: ClassVar[str] = "dcg"
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Discounted gain."""
        hits = self._hits(tables)
        return self._mean_over_users(hits.sum_gain(_discount(hits.last_rank)), tables.users)


@dataclass(frozen=True, repr=False)
class HitRate(RankingMetric):
    r"""Share of users with at least one relevant item among the first k.

    A user's value is 1 with a hit and 0 without one. Averaged are users with a relevant item;
    without a recommendation the value is 0. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "click": [1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 20], "click": [0.9, 0.8, 0.7]})
    >>> RankingRecoMetrics.HitRate("click", k=2).get_score(actual, predicted)
    0.5
    """

    key: ClassVar[str] = "hit_rate"

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Whether there is a hit."""
        return self._mean_over_users(self._hits(tables).any_hit(), tables.users)


@dataclass(frozen=True, repr=False)
class MRR(RankingMetric):
    r"""One over the rank of a user's best hit among the first k, averaged over users.

    Without a hit a user's value is 0. Averaged are users with a relevant item; without a
    recommendation the value is 0. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "click": [1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1, 2], "item_id": [20, 10, 11, 20], "click": [0.9, 0.8, 0.7, 0.6]})
    >>> RankingRecoMetrics.MRR("click", k=3).get_score(actual, predicted)    # (1/2 + 0) / 2
    0.25
    """

    key: ClassVar[str] = "mrr"

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Reciprocal rank of the best hit."""
        return self._mean_over_users(self._hits(tables).reciprocal_of_first(), tables.users)


@dataclass(frozen=True, repr=False)
class MAR(RankingMetric):
    r"""Mean over users of the average recall at the ranks of their hits.

    With rel(r) = 1 where the item at rank r is relevant, Recall(r) the share of relevant items
    among the first r and the set R of relevant items, a user's value is

    .. math:: \frac{1}{\min(k, |R|)} \sum_{r=1}^{k} Recall(r)\, rel(r)

    where the minimum is the size of R without k. It depends on the number of hits alone, not on
    their ranks, and **a perfect list does not score 1**: with m relevant items it scores
    (m + 1) / 2m, or (k + 1) / 2m when k is less than m. Averaged are users with a relevant item;
    without a recommendation the value is 0. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1], "item_id": [10, 11], "click": [0.9, 0.8]})
    >>> RankingRecoMetrics.MAR("click", k=2).get_score(actual, predicted)    # (1/2 + 2/2) / 2
    0.75
    """

    key: ClassVar[str] = "mar"

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Recall at each hit, over the hits that were possible."""
        hits, users = self._hits(tables), tables.users
        total = hits.sum_number_over(np.ones(hits.last_rank))
        value = ratio(total, users.n_relevant * self._reachable(users))
        return self._mean_over_users(value, users)


@dataclass(frozen=True, repr=False)
class F1(RankingMetric):
    r"""Harmonic mean of a user's Precision and Recall, averaged over users.

    With Precision P and Recall R of a user and :math:`\beta` = ``beta``, the value is

    .. math:: \frac{(1 + \beta^2) P R}{\beta^2 P + R}

    and 0 when both are 0. Averaged are users with a relevant item; without a recommendation the
    value is 0. The range is 0 to 1.

    Parameters
    ----------
    beta
        How many times as much Recall counts as Precision.

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
    """

    key: ClassVar[str] = "f1"

    _: KW_ONLY
    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("beta", checked_beta(self.beta))

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Hits over the weighted mean of the lengths of list and relevant items."""
        # With P = h / n and R = h / m the value is (1 + b^2) h / (b^2 m + n).
        users, square = tables.users, self.beta**2
        length = at_most(users.n_recommended, self.k)
        hits = self._hits(tables).per_user
        value = ratio((1 + square) * hits, square * users.n_relevant + length)
        return self._mean_over_users(value, users)


def _discount(longest: int) -> Floats:
    """What a hit gains at each rank from 1 on."""
    discount: Floats = 1 / np.log2(np.arange(2, longest + 2))
    return discount
