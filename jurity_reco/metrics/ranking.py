"""Ranking metrics: how high the relevant items stand in a user's list."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import at_most, ratio
from jurity_reco.dialects import CHOICES
from jurity_reco.errors import InvalidOptionError
from jurity_reco.hits import HitsAtK
from jurity_reco.metrics.base import TIE_BOUNDS, TIE_ORDERS, RelevanceMetric
from jurity_reco.metrics.options import check_choice
from jurity_reco.tables import Tables, UserRule, Users, checked_user_rule

__all__ = [
    "MAP",
    "MAR",
    "MRR",
    "HitRate",
    "Precision",
    "RankingMetric",
    "Recall",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class RankingMetric(RelevanceMetric):
    """A mean over users of a value that depends on the ranks of their hits.

    Parameters
    ----------
    users
        What happens to users without a row in ``actual``, to users with rows but none relevant, and
        to users with relevant items but no recommendation: a word for each, ``"skip"`` to leave
        them out or ``"zero"`` to count 0. A user who lacks both sides counts only if both words
        say so.
    """

    tie_choices: ClassVar[tuple[str, ...]] = (*TIE_ORDERS, *TIE_BOUNDS)

    _: KW_ONLY
    users: UserRule = ("skip", "skip", "zero")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("users", checked_user_rule(self.users))
        if self.ties == "expected" and self.no_expectation is not None:
            raise InvalidOptionError.no_expected_ties(self.name, self.no_expectation)

    @property
    def no_expectation(self) -> str | None:
        """Why there is no closed form of the mean over all orders of equal scores, if so."""
        return None

    @abstractmethod
    def value(self, tables: Tables) -> Floats:
        """The value of every user; 0 for users who lack something, because they have no hit."""

    def undefined(self, tables: Tables) -> Flags | None:
        """Users with recommendations for whom there is no value, if there can be any."""
        return None

    def counted(self, tables: Tables) -> Flags:
        """Users who are averaged."""
        averaged, undefined = tables.users.averaged(self.users), self.undefined(tables)
        return averaged if undefined is None else averaged & ~undefined

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """The value of every user, and who counts."""
        value = self.value(tables)
        if self.undefined(tables) is None:
            return value, tables.users.weights(self.users)
        counted = self.counted(tables)
        return np.where(counted, value, 0.0), counted.astype(np.float64)

    def _hits(self, tables: Tables) -> HitsAtK:
        """The hits among the first k recommendations."""
        return tables.hits.at(self.k, self.ties if self._bounds_ties else "input")

    def _list_length(self, users: Users) -> Integers:
        """How many of a user's recommendations are among the first k."""
        return at_most(users.n_recommended, self.k)

    def _reachable(self, users: Users) -> Integers:
        """How many relevant items fit into the first k recommendations."""
        return at_most(users.n_relevant, self.k)

    def _denominator(self, choice: str, users: Users) -> npt.NDArray[Any]:
        """The number that a denominator by this name stands for."""
        match choice:
            case "recommended":
                return self._list_length(users)
            case "relevant":
                return users.n_relevant
            case "min(k, relevant)":
                return self._reachable(users)
            case "min(recommended, relevant)":
                return np.minimum(self._list_length(users), users.n_relevant)
            case _:  # "k", which is the length of the list where there is no cut-off
                return self._list_length(users) if self.k is None else np.array(float(self.k))


@dataclass(frozen=True, repr=False)
class Precision(RankingMetric):
    r"""Share of a user's first k recommendations that are relevant, averaged over users.

    With h hits among n recommendations (at most k), a user's value is

    .. math:: \frac{h}{n}

    Averaged are users with a relevant item **and** a recommendation. A list shorter than k is
    divided by its own length. The range is 0 to 1.

    Parameters
    ----------
    denominator
        What hits are divided by: ``"recommended"`` is n, ``"k"`` is k even for a shorter list, and
        ``"min(k, relevant)"`` is the number of hits that were possible. Without k, ``"k"`` is n.

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

    _: KW_ONLY
    denominator: str = "recommended"
    users: UserRule = ("skip", "skip", "skip")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("denominator", CHOICES["precision_denominator"], self.denominator)

    def value(self, tables: Tables) -> Floats:
        """Hits over recommendations."""
        divisor = self._denominator(self.denominator, tables.users)
        return ratio(self._hits(tables).per_user, divisor)


@dataclass(frozen=True, repr=False)
class Recall(RankingMetric):
    r"""Share of a user's relevant items that are among the first k, averaged over users.

    With h hits and the set R of relevant items, a user's value is

    .. math:: \frac{h}{|R|}

    Averaged are users with a relevant item; without a recommendation the value is 0. The range is
    0 to 1.

    Parameters
    ----------
    denominator
        What hits are divided by: ``"relevant"`` is the size of R, ``"min(k, relevant)"`` the number
        of hits that were possible, with which a user with more than k relevant items can reach 1.

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

    _: KW_ONLY
    denominator: str = "relevant"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("denominator", CHOICES["recall_denominator"], self.denominator)

    def value(self, tables: Tables) -> Floats:
        """Hits over relevant items."""
        divisor = self._denominator(self.denominator, tables.users)
        return ratio(self._hits(tables).per_user, divisor)


@dataclass(frozen=True, repr=False)
class MAP(RankingMetric):
    r"""Mean over users of the average precision at the ranks of their hits.

    With rel(r) = 1 where the item at rank r is relevant, P(r) the share of hits among the first r
    and the set R of relevant items, a user's value is

    .. math:: \frac{1}{\min(k, |R|)} \sum_{r=1}^{k} P(r)\, rel(r)

    where the minimum is the size of R without k. Averaged are users with a relevant item **and** a
    recommendation. The range is 0 to 1.

    Parameters
    ----------
    denominator
        What the sum is divided by: ``"min(k, relevant)"``, the hits that were possible;
        ``"relevant"``, all relevant items; ``"hits"``, the hits among the first k;
        ``"min(recommended, relevant)"``, the hits that were possible in a list of this length; or
        ``"k"``. Without k, ``"k"`` is the length of the list.

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

    _: KW_ONLY
    denominator: str = "min(k, relevant)"
    users: UserRule = ("skip", "skip", "skip")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("denominator", CHOICES["map_denominator"], self.denominator)

    @property
    def no_expectation(self) -> str | None:
        """The number of hits is random too."""
        return "the number of hits is random" if self.denominator == "hits" else None

    def value(self, tables: Tables) -> Floats:
        """Precision at each hit, over the hits that were possible."""
        hits = self._hits(tables)
        total = hits.sum_number_over(np.arange(1, hits.last_rank + 1))
        if self.denominator == "hits":
            return ratio(total, hits.per_user)
        return ratio(total, self._denominator(self.denominator, tables.users))


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

    def value(self, tables: Tables) -> Floats:
        """Whether there is a hit."""
        return self._hits(tables).any_hit()


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

    def value(self, tables: Tables) -> Floats:
        """Reciprocal rank of the best hit."""
        return self._hits(tables).reciprocal_of_first()


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

    def value(self, tables: Tables) -> Floats:
        """Recall at each hit, over the hits that were possible."""
        hits, users = self._hits(tables), tables.users
        total = hits.sum_number_over(np.ones(hits.last_rank))
        return ratio(total, users.n_relevant * self._reachable(users))
