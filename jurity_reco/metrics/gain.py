"""Ranking metrics of gain: relevant items gain more at a higher rank, and by their grade."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import at_most, ratio
from jurity_reco.dialects import CHOICES
from jurity_reco.errors import InvalidDataError, InvalidOptionError
from jurity_reco.hits import GainOfGrade, HitsAtK, RankedHits
from jurity_reco.metrics.options import check_choice
from jurity_reco.metrics.ranking import RankingMetric
from jurity_reco.tables import Need, Tables, Users, relevant_grades

__all__ = ["DCG", "NDCG"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: What an item of a grade gains.
GAINS: dict[str, GainOfGrade] = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: np.exp2(grade) - 1,
    "exponential+1": lambda grade: np.exp2(grade + 1) - 1,
}
#: What the gain at a rank is divided by.
DISCOUNTS = {
    "log2(r+1)": lambda rank: np.log2(rank + 1),
    "log2(max(r, 2))": lambda rank: np.log2(np.maximum(rank, 2)),
}
#: Sums of gains, and of two to the power of a grade, stay finite up to here.
LARGEST_GAIN = 1e100
HIGHEST_GRADE = 1000.0
#: A list of k relevant items is not added up beyond this length.
LONGEST_IDEAL = 10_000_000


@dataclass(frozen=True, repr=False)
class GainMetric(RankingMetric):
    """A metric of what hits gain.

    Parameters
    ----------
    gain
        What a relevant item of grade g gains: ``"binary"`` 1, ``"linear"`` g, ``"exponential"``
        2^g - 1 or ``"exponential+1"`` 2^(g+1) - 1. The grade is the highest label of the user and
        item, which must not be negative where it is relevant.
    discount
        What the gain at rank r is divided by: ``"log2(r+1)"``, or ``"log2(max(r, 2))"``, with which
        the first two ranks count the same.
    """

    _: KW_ONLY
    gain: str = "binary"
    discount: str = "log2(r+1)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("gain", CHOICES["gain"], self.gain)
        check_choice("discount", CHOICES["discount"], self.discount)

    @property
    def needs(self) -> Need:
        """The grades, unless all relevant items gain the same."""
        return super().needs | (Need.NOTHING if self.gain == "binary" else Need.GRADES)

    def _hits(self, tables: Tables) -> HitsAtK:
        ties = self.ties if self._bounds_ties else "input"
        return tables.hits.at(self.k, ties, graded=self.gain != "binary")

    def _gain_of_grade(self, tables: Tables) -> GainOfGrade | None:
        """What items gain by their grade; None where all gain 1."""
        if self.gain == "binary":
            return None
        grade = relevant_grades(tables).grade
        if len(grade):
            lowest, highest = float(grade.min()), float(grade.max())
            limit = LARGEST_GAIN if self.gain == "linear" else HIGHEST_GRADE
            if lowest < 0 or highest > limit:
                unfit = lowest if lowest < 0 else highest
                raise InvalidDataError.unfit_grade(self.columns.label, self.gain, unfit, limit)
        return GAINS[self.gain]

    def _discounts(self, longest: int) -> Floats:
        """What a hit counts at each rank from 1 on."""
        discount: Floats = 1 / DISCOUNTS[self.discount](np.arange(1, longest + 1))
        return discount


@dataclass(frozen=True, repr=False)
class NDCG(GainMetric):
    r"""Discounted gain of a user's hits over that of an ideal list, averaged over users.

    With rel(r) = 1 where the item at rank r is relevant and the set R of relevant items, a user's
    value is

    .. math:: \sum_{r=1}^{k} \frac{rel(r)}{\log_2(r+1)} \Big/ \sum_{r=1}^{|R|} \frac{1}{\log_2(r+1)}

    The ideal list holds **all** relevant items, as in Jurity: it is not cut at k, so a user with
    more than k relevant items cannot reach 1. With a ``gain`` other than ``"binary"``, rel(r) is
    the gain of the item's grade, and the ideal list has the highest grades first. Averaged are
    users with a relevant item; without a recommendation the value is 0. The range is 0 to 1.

    Parameters
    ----------
    ideal
        The ideal list: ``"relevant"`` holds all relevant items, ``"min(k, relevant)"`` the best k
        of them, ``"k"`` as many relevant items as there is room for, whether or not the user has so
        many (with binary gain only; without k, the length of the list), and ``"retrieved"`` the
        user's own first k recommendations in the best order.

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

    With ratings as grades, where item 11 matters most:

    >>> rated = actual.assign(click=[1, 3])
    >>> graded = RankingRecoMetrics.NDCG("click", k=3, gain="exponential")
    >>> round(graded.get_score(rated, predicted), 4)  # (1 + 7/log2(4)) / (7 + 1/log2(3))
    0.5897
    """

    key: ClassVar[str] = "ndcg"

    _: KW_ONLY
    ideal: str = "relevant"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("ideal", CHOICES["ideal"], self.ideal)
        if self.ideal == "k" and self.gain != "binary":
            raise InvalidOptionError.ideal_of_grades(self.gain)
        if self.ideal == "k" and self.k is not None and self.k > LONGEST_IDEAL:
            raise InvalidOptionError.ideal_too_long(LONGEST_IDEAL, self.k)

    @property
    def no_expectation(self) -> str | None:
        """What is retrieved is random too."""
        return "the ideal list is random" if self.ideal == "retrieved" else None

    def value(self, tables: Tables) -> Floats:
        """Discounted gain over the ideal one."""
        hits, of_grade = self._hits(tables), self._gain_of_grade(tables)
        if of_grade is None:
            length = self._ideal_length(tables.users, hits)
            discount = self._discounts(max(hits.last_rank, int(length.max(initial=0))))
            # Both sums run from the first rank on: a perfect list scores exactly 1 and none more.
            ideal = np.concatenate([[0.0], np.cumsum(discount)])[length]
            return ratio(hits.sum_gain(discount), ideal)
        discount = self._discounts(max(hits.last_rank, int(tables.users.n_relevant.max(initial=0))))
        ideal = self._ideal_of_grades(tables, hits, discount, of_grade)
        # Hits of nearly equal grades in the wrong order may gain more by the last digit.
        return np.minimum(ratio(hits.sum_gain(discount, of_grade), ideal), 1.0)

    def _ideal_length(self, users: Users, hits: HitsAtK) -> Integers:
        """How many relevant items the ideal list of each user holds."""
        match self.ideal:
            case "relevant":
                return users.n_relevant
            case "min(k, relevant)":
                return at_most(users.n_relevant, self.k)
            case "retrieved":
                return hits.per_user
            case _:
                return users.n_recommended if self.k is None else np.full(len(users), self.k)

    def _ideal_of_grades(
        self, tables: Tables, hits: HitsAtK, discount: Floats, of_grade: GainOfGrade
    ) -> Floats:
        if self.ideal == "retrieved":
            assert isinstance(hits, RankedHits)
            return hits.grades().sum_gain(discount, of_grade)
        k = self.k if self.ideal == "min(k, relevant)" else None
        return relevant_grades(tables).sum_gain(discount, of_grade, k)


@dataclass(frozen=True, repr=False)
class DCG(GainMetric):
    r"""Discounted gain of a user's hits, not compared with anything, averaged over users.

    With rel(r) = 1 where the item at rank r is relevant, or the gain of its grade, a user's value
    is

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

    def value(self, tables: Tables) -> Floats:
        """Discounted gain."""
        hits = self._hits(tables)
        return hits.sum_gain(self._discounts(hits.last_rank), self._gain_of_grade(tables))
