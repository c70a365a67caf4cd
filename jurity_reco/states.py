"""Sums that merge: what is left of a match once a metric has looked at it.

A state is a value. Two states of one metric add up to the state of all their users together, so
batches, days and partitions combine without the rows they came from.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.errors import InvalidStateError

__all__ = ["DiversityState", "ItemCountState", "PolicyState", "RatioState", "ScoreState", "State"]

Floats = npt.NDArray[np.float64]

# 95 % of a normal distribution lie within this many standard deviations.
_NORMAL_95 = 1.959963984540054
# Below these, normal intervals of estimates from logs cover less than they say.
_LEAST_SAMPLE = 100
_LEAST_CLICKS = 50
# With right propensities, weights are 1 on average.
_FAR_FROM_ONE = 2.0


class State(Protocol):
    """What every state can do."""

    #: Name of the class in stored bytes.
    kind: ClassVar[str]

    @property
    def n_not_sampled(self) -> int:
        """Users who were left out because a metric looks at a sample of them."""

    @property
    def support(self) -> int:
        """How much the value rests on: users, or rows."""

    @property
    def value(self) -> float | None:
        """The aggregate, or None when there is nothing to aggregate."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and largest value that the aggregate, and any user, can have."""

    def details(self) -> dict[str, Any]:
        """What there is to say beside value and support."""

    def __add__(self, other: Self) -> Self:
        """The state of both together."""

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All there is to store, by name."""

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> Self:
        """The state that was stored."""


@dataclass(frozen=True)
class RatioState:
    r"""Sums over users of a numerator y and a denominator n, for :math:`\sum y / \sum n`.

    Parameters
    ----------
    n_users
        Users with n > 0.
    y, n, yy, yn, nn
        Sums of y and n and of their products.
    least, largest
        Bounds of a single y / n. The mean of equal values may leave them by its last digit.
    root
        Whether the value is the square root of the ratio.
    """

    kind: ClassVar[str] = "ratio"

    n_users: int = 0
    y: float = 0.0
    n: float = 0.0
    yy: float = 0.0
    yn: float = 0.0
    nn: float = 0.0
    least: float = math.inf
    largest: float = -math.inf
    root: bool = False

    @classmethod
    def of_users(
        cls,
        y: Floats,
        n: Floats,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        *,
        root: bool = False,
    ) -> RatioState:
        """The state of some users; those with n = 0 do not count."""
        # Plain sums, not dot products: a sum of values up to 1 can then never exceed their number.
        # A square may overflow, and the variance of such values is then infinite.
        with np.errstate(over="ignore"):
            return cls(
                n_users=int(np.count_nonzero(n)),
                y=float(y.sum()),
                n=float(n.sum()),
                yy=float((y * y).sum()),
                yn=float((y * n).sum()),
                nn=float((n * n).sum()),
                least=bounds[0],
                largest=bounds[1],
                root=root,
            )

    def __add__(self, other: RatioState) -> RatioState:
        return RatioState(
            self.n_users + other.n_users,
            self.y + other.y,
            self.n + other.n,
            self.yy + other.yy,
            self.yn + other.yn,
            self.nn + other.nn,
            min(self.least, other.least),
            max(self.largest, other.largest),
            self.root,
        )

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and largest value."""
        return self.least, self.largest

    def details(self) -> dict[str, Any]:
        """Nothing more."""
        return {}

    @property
    def n_not_sampled(self) -> int:
        """Nobody."""
        return 0

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The number of users and the sums."""
        sums = [self.y, self.n, self.yy, self.yn, self.nn, self.least, self.largest]
        whole = np.array([self.n_users, self.root], dtype=np.int64)
        return {"n_users": whole[:1], "sums": np.array(sums), "root": whole[1:]}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> RatioState:
        """The state that was stored."""
        y, n, yy, yn, nn, least, largest = arrays["sums"].tolist()
        root = bool(arrays["root"][0])
        return cls(int(arrays["n_users"][0]), y, n, yy, yn, nn, least, largest, root)

    @property
    def support(self) -> int:
        """The sum of n, that is users for a mean over users and rows for a mean over rows."""
        return round(self.n)

    @property
    def value(self) -> float | None:
        """The ratio of the sums, or its root; None when nobody counts."""
        ratio = self.ratio
        return math.sqrt(ratio) if self.root and ratio is not None else ratio

    @property
    def ratio(self) -> float | None:
        """The ratio of the sums; None when nobody counts."""
        return min(max(self.y / self.n, self.least), self.largest) if self.n else None

    @property
    def variance(self) -> float:
        r"""Variance of the ratio by the delta method, with users as the sampling unit.

        :math:`(s_{yy} - 2 R s_{yn} + R^2 s_{nn}) / (m \bar n^2)` over m users with sample
        covariances s; ``nan`` below two users.
        """
        m, ratio = self.n_users, self.ratio
        if ratio is None or m < 2:
            return math.nan
        # The residuals y - R n add up to zero, so their sample variance needs no mean.
        squares = self.yy - 2 * ratio * self.yn + ratio * ratio * self.nn
        return max(squares, 0.0) / (m - 1) * m / (self.n * self.n)


@dataclass(frozen=True, eq=False)
class ScoreState:
    """How often each distinct score came with a relevant and with another label.

    It grows with the number of distinct scores, which is the price of an exact pooled area.
    """

    kind: ClassVar[str] = "scores"

    score: npt.NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    n_relevant: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_other: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of_rows(cls, score: npt.NDArray[Any], relevant: npt.NDArray[np.bool_]) -> ScoreState:
        """The state of some rows."""
        return cls._of_counts(score, relevant.astype(np.int64), (~relevant).astype(np.int64))

    @classmethod
    def _of_counts(
        cls,
        score: npt.NDArray[Any],
        n_relevant: npt.NDArray[np.int64],
        n_other: npt.NDArray[np.int64],
    ) -> ScoreState:
        order = np.argsort(score)
        ascending = score[order]
        start = np.flatnonzero(begins_run(ascending))
        if not len(start):
            return cls(score, n_relevant, n_other)
        return cls(
            ascending[start],
            np.add.reduceat(n_relevant[order], start),
            np.add.reduceat(n_other[order], start),
        )

    def __add__(self, other: ScoreState) -> ScoreState:
        if not len(other.score):
            return self
        if not len(self.score):
            # As it is: joined with floats, large integer scores would lose digits.
            return other
        return self._of_counts(
            np.concatenate([self.score, other.score]),
            np.concatenate([self.n_relevant, other.n_relevant]),
            np.concatenate([self.n_other, other.n_other]),
        )

    def details(self) -> dict[str, Any]:
        """Nothing more."""
        return {}

    @property
    def n_not_sampled(self) -> int:
        """Nobody."""
        return 0

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Scores and counts."""
        return {"score": self.score, "n_relevant": self.n_relevant, "n_other": self.n_other}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> ScoreState:
        """The state that was stored."""
        return cls(**arrays)

    @property
    def bounds(self) -> tuple[float, float]:
        """An area is between 0 and 1."""
        return 0.0, 1.0

    @property
    def support(self) -> int:
        """The number of rows."""
        return int(self.n_relevant.sum() + self.n_other.sum())

    @property
    def value(self) -> float | None:
        """Area under the ROC curve; None without rows, ``nan`` with one class only."""
        if not len(self.score):
            return None
        all_relevant, all_other = int(self.n_relevant.sum()), int(self.n_other.sum())
        if not (all_relevant and all_other):
            return math.nan
        # Twice the number of ordered pairs, so that a tie counts 1 and everything is an integer.
        below = 2 * (np.cumsum(self.n_other) - self.n_other) + self.n_other
        ordered = sum_of_products(self.n_relevant, below)
        return ordered / (2 * all_relevant * all_other)


@dataclass(frozen=True, eq=False)
class DiversityState:
    """A mean over users, some of whom may not have been looked at.

    Parameters
    ----------
    ratio
        Sums over users.
    counts
        Users who were not in the sample, and recommendations of items without features.
    items
        Hashes of the items without features, ascending; ``None`` for a metric that has no features.
    """

    kind: ClassVar[str] = "diversity"

    ratio: RatioState = RatioState()
    counts: tuple[int, int] = (0, 0)
    items: npt.NDArray[np.uint64] | None = None

    def __add__(self, other: DiversityState) -> DiversityState:
        known = [items for items in (self.items, other.items) if items is not None]
        items = np.sort(np.concatenate(known)) if known else None
        return DiversityState(
            self.ratio + other.ratio,
            (self.counts[0] + other.counts[0], self.counts[1] + other.counts[1]),
            None if items is None else items[begins_run(items)],
        )

    @property
    def value(self) -> float | None:
        """The mean; None when nobody counts."""
        return self.ratio.value

    @property
    def support(self) -> int:
        """Users in the mean."""
        return self.ratio.support

    @property
    def bounds(self) -> tuple[float, float]:
        """Those of the distance."""
        return self.ratio.bounds

    @property
    def n_not_sampled(self) -> int:
        """Users who were not in the sample."""
        return self.counts[0]

    def details(self) -> dict[str, Any]:
        """What was left out for want of features."""
        if self.items is None:
            return {}
        return {
            "items_without_features": len(self.items),
            "recommendations_without_features": self.counts[1],
        }

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of the mean, the counts and the items."""
        items = {} if self.items is None else {"items": self.items}
        counts = np.array(self.counts, dtype=np.int64)
        return {**self.ratio.to_arrays(), "counts": counts, **items}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> DiversityState:
        """The state that was stored."""
        n_not_sampled, n_without = arrays["counts"].tolist()
        counts = n_not_sampled, n_without
        return cls(RatioState.from_arrays(arrays), counts, arrays.get("items"))


@dataclass(frozen=True, eq=False)
class ItemCountState:
    """How many lists each item is in; it grows with the number of items.

    Parameters
    ----------
    items, count
        Hashes of the items that are in any list, ascending, and the number of lists.
    n_users
        Users with a list.
    n_outside
        Recommendations of items outside the catalogue.
    catalog_size
        Items in the catalogue.
    statistic
        ``"coverage"``, ``"gini"`` or ``"entropy"``.
    """

    kind: ClassVar[str] = "items"
    STATISTICS: ClassVar[tuple[str, ...]] = ("coverage", "gini", "entropy")

    items: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    count: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    n_users: int = 0
    n_outside: int = 0
    catalog_size: int = 0
    statistic: str = "coverage"

    def __add__(self, other: ItemCountState) -> ItemCountState:
        items = np.concatenate([self.items, other.items])
        order = np.argsort(items, kind="stable")
        start = np.flatnonzero(begins_run(items[order]))
        count = np.concatenate([self.count, other.count])[order]
        return ItemCountState(
            items=items[order][start],
            count=np.add.reduceat(count, start) if len(start) else count,
            n_users=self.n_users + other.n_users,
            n_outside=self.n_outside + other.n_outside,
            catalog_size=self.catalog_size,
            statistic=self.statistic,
        )

    @property
    def value(self) -> float | None:
        """The statistic of the counts; None without a list."""
        total = int(self.count.sum())
        if self.statistic == "coverage":
            return len(self.items) / self.catalog_size if self.n_users else None
        if not total:
            return None
        if self.statistic == "entropy":
            share = self.count / total
            return float(-(share * np.log2(share)).sum()) + 0.0
        # Items that are never shown have the lowest ranks and a count of 0.
        size = self.catalog_size
        rank = np.arange(size - len(self.count) + 1, size + 1)
        return sum_of_products(2 * rank - size - 1, np.sort(self.count)) / (size * total)

    @property
    def support(self) -> int:
        """Users with a list."""
        return self.n_users

    @property
    def bounds(self) -> tuple[float, float]:
        """There are no values of users."""
        return -math.inf, math.inf

    @property
    def n_not_sampled(self) -> int:
        """Nobody."""
        return 0

    def details(self) -> dict[str, Any]:
        """What was left out because it is not in the catalogue."""
        return {"recommendations_outside_catalog": self.n_outside}

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Items, counts and numbers."""
        statistic = self.STATISTICS.index(self.statistic)
        numbers = [self.n_users, self.n_outside, self.catalog_size, statistic]
        return {"items": self.items, "count": self.count, "numbers": np.array(numbers)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> ItemCountState:
        """The state that was stored."""
        n_users, n_outside, catalog_size, statistic = arrays["numbers"].tolist()
        name = cls.STATISTICS[statistic]
        return cls(arrays["items"], arrays["count"], n_users, n_outside, catalog_size, name)


@dataclass(frozen=True, eq=False)
class PolicyState:
    r"""Sums of an estimate from logs, with what tells whether to believe it.

    A user's numerator is y = a + s b and the denominator n; the estimate is
    :math:`\sum y / \sum n`. Where the probability of being shown is known, b holds the whole
    weights and s is 1. Where items are taken to be shown with equal probability, s is their number,
    which is known only when the last batch has come; so a and b are summed apart.

    Parameters
    ----------
    counts
        Users with n > 0, top-k rows, matched rows, matched rows whose weight was cut, and matched
        rows with a value other than 0.
    sums
        Sums over users of a, b, n, aa, ab, bb, an, bn, nn.
    weights
        Sum, sum of squares and largest of the weights of matched rows, before s, and the sum that
        is to be expected: the number of top-k rows, or of those that a random policy would show;
        then the least and the largest value of a matched row.
    items
        Hashes of the distinct logged items, ascending, where s is their number.
    options
        0 if weights are whole, 1 if s is the number of items, 2 if weights are whole by the number
        of items of one call, -1 if there are none; 1 if the estimate is divided by weights, else 0;
        the largest weight allowed, or infinity.
    """

    kind: ClassVar[str] = "policy"

    counts: npt.NDArray[np.int64]
    sums: Floats
    weights: Floats
    items: npt.NDArray[np.uint64]
    options: Floats

    @classmethod
    def empty(cls, *, by_weight: bool, max_weight: float | None) -> PolicyState:
        """The state before the first row."""
        limit = math.inf if max_weight is None else max_weight
        return cls(
            counts=np.zeros(5, dtype=np.int64),
            sums=np.zeros(9),
            weights=np.array([0, 0, 0, 0, math.inf, -math.inf]),
            items=np.zeros(0, dtype=np.uint64),
            options=np.array([-1, by_weight, limit], dtype=np.float64),
        )

    def __add__(self, other: PolicyState) -> PolicyState:
        weighing = {self.options[0], other.options[0]} - {-1}
        if 2 in weighing and -1 not in (self.options[0], other.options[0]):
            raise InvalidStateError.cut_by_own_items()
        if weighing == {0, 1}:
            raise InvalidStateError.propensities_in_part()
        weights = self.weights + other.weights
        weights[[2, 5]] = np.maximum(self.weights, other.weights)[[2, 5]]
        weights[4] = min(self.weights[4], other.weights[4])
        items = np.sort(np.concatenate([self.items, other.items]))
        return PolicyState(
            counts=self.counts + other.counts,
            sums=self.sums + other.sums,
            weights=weights,
            items=items[begins_run(items)],
            options=np.maximum(self.options, other.options),
        )

    @property
    def n_not_sampled(self) -> int:
        """Nobody."""
        return 0

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All arrays as they are."""
        return {
            "counts": self.counts,
            "sums": self.sums,
            "weights": self.weights,
            "items": self.items,
            "options": self.options,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> PolicyState:
        """The state that was stored."""
        return cls(**arrays)

    @property
    def bounds(self) -> tuple[float, float]:
        """Those of the values, if divided by weights; other estimates may leave them."""
        if self.options[1]:
            return float(self.weights[4]), float(self.weights[5])
        return -math.inf, math.inf

    @property
    def support(self) -> int:
        """Top-k rows, matched or not."""
        return int(self.counts[1])

    @property
    def scale(self) -> float:
        """The factor s of all weights."""
        by_items, by_weight, limit = self.options
        # Divided by weights, a common factor cancels.
        return min(float(len(self.items)), limit) if by_items == 1 and not by_weight else 1.0

    @property
    def ratio(self) -> RatioState:
        """Sums of y and n."""
        a, b, n, aa, ab, bb, an, bn, nn = self.sums.tolist()
        s = self.scale
        return RatioState(
            n_users=int(self.counts[0]),
            y=a + s * b,
            n=n,
            yy=aa + 2 * s * ab + s * s * bb,
            yn=an + s * bn,
            nn=nn,
            least=self.bounds[0],
            largest=self.bounds[1],
        )

    @property
    def value(self) -> float | None:
        """The estimate; None when there is nothing to divide by."""
        return self.ratio.value

    @property
    def standard_error(self) -> float | None:
        """Standard error of the estimate, with users as the sampling unit; None below two users."""
        variance = self.ratio.variance
        if math.isnan(variance):
            return None
        if self.options[1]:
            # The usual error of a self-normalised estimate has no correction for small samples.
            variance *= (self.counts[0] - 1) / self.counts[0]
        return math.sqrt(variance)

    @property
    def effective_sample_size(self) -> float:
        """How many equally weighted rows would say as much."""
        total, squares = self.weights[:2]
        return float(total**2 / squares) if squares else 0.0

    def details(self) -> dict[str, Any]:
        """Diagnostics of the estimate."""
        _, n_rows, n_matched, n_clipped, _ = self.counts.tolist()
        by_items, _, limit = self.options
        total, _, largest, expected = self.weights[:4].tolist()
        n_items = float(len(self.items)) if by_items == 1 else 1.0
        if by_items == 1 and n_items > limit:
            n_clipped = n_matched
        error, value = self.standard_error, self.value
        interval = None
        if error is not None and value is not None:
            interval = (value - _NORMAL_95 * error, value + _NORMAL_95 * error)
        reason = self._reason_to_doubt()
        return {
            "assumed_items": len(self.items) if by_items == 1 else None,
            "matched_share": n_matched / n_rows if n_rows else None,
            "mean_weight": total * min(n_items, limit) / expected if expected else None,
            "max_weight_seen": largest * n_items,
            "clipped_share": n_clipped / n_matched if n_matched else 0.0,
            "effective_sample_size": self.effective_sample_size,
            "standard_error": error,
            "interval": interval,
            "reliable": reason is None,
            "reason": reason,
        }

    def _reason_to_doubt(self) -> str | None:
        effective, clicks = self.effective_sample_size, int(self.counts[4])
        if effective < _LEAST_SAMPLE:
            return f"the effective sample size is {effective:.1f}, below {_LEAST_SAMPLE}"
        if clicks < _LEAST_CLICKS:
            return f"{clicks} matched rows have a value other than 0, below {_LEAST_CLICKS}"
        by_items, by_weight, limit = self.options
        total, _, largest, expected = self.weights[:4]
        n_items = len(self.items) if by_items == 1 else 1
        mean_weight = total * n_items / expected if expected else 1.0
        # Divided by weights, a common factor cancels; and cut weights are low for a reason.
        cut = largest * n_items > limit
        if not by_weight and (mean_weight > _FAR_FROM_ONE or mean_weight * _FAR_FROM_ONE < 1 - cut):
            return f"the mean weight is {mean_weight:.2f}, so the propensities do not fit the log"
        if self.standard_error is None:
            return "there is one user only, and no standard error"
        return None


def sum_of_products(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> int:
    """An exact sum of products, also where it exceeds 64 bits."""
    if not len(left):
        return 0
    if int(left.max()) * int(right.max()) * len(left) < 2**63:
        return int((left * right).sum())
    return int((left.astype(object) * right.astype(object)).sum())


#: Classes of states by the name that stands in stored bytes.
STATES: dict[str, type[State]] = {
    state.kind: state
    for state in (RatioState, ScoreState, DiversityState, ItemCountState, PolicyState)
}
