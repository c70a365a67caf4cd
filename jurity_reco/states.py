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

__all__ = ["RatioState", "ScoreState", "State"]

Floats = npt.NDArray[np.float64]


class State(Protocol):
    """What every state can do."""

    #: Name of the class in stored bytes.
    kind: ClassVar[str]

    @property
    def support(self) -> int:
        """How much the value rests on: users, or rows."""

    @property
    def value(self) -> float | None:
        """The aggregate, or None when there is nothing to aggregate."""

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
    """

    kind: ClassVar[str] = "ratio"

    n_users: int = 0
    y: float = 0.0
    n: float = 0.0
    yy: float = 0.0
    yn: float = 0.0
    nn: float = 0.0

    @classmethod
    def of_users(cls, y: Floats, n: Floats) -> RatioState:
        """The state of some users; those with n = 0 do not count."""
        # Plain sums, not dot products: a sum of values up to 1 can then never exceed their number.
        return cls(
            n_users=int(np.count_nonzero(n)),
            y=float(y.sum()),
            n=float(n.sum()),
            yy=float((y * y).sum()),
            yn=float((y * n).sum()),
            nn=float((n * n).sum()),
        )

    def __add__(self, other: RatioState) -> RatioState:
        return RatioState(
            self.n_users + other.n_users,
            self.y + other.y,
            self.n + other.n,
            self.yy + other.yy,
            self.yn + other.yn,
            self.nn + other.nn,
        )

    def details(self) -> dict[str, Any]:
        """Nothing more."""
        return {}

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The number of users and the sums."""
        sums = [self.y, self.n, self.yy, self.yn, self.nn]
        return {"n_users": np.array([self.n_users]), "sums": np.array(sums)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> RatioState:
        """The state that was stored."""
        return cls(int(arrays["n_users"][0]), *arrays["sums"].tolist())

    @property
    def support(self) -> int:
        """The sum of n, that is users for a mean over users and rows for a mean over rows."""
        return round(self.n)

    @property
    def value(self) -> float | None:
        """The ratio of the sums; None when nobody counts."""
        return self.y / self.n if self.n else None

    @property
    def variance(self) -> float:
        r"""Variance of the ratio by the delta method, with users as the sampling unit.

        :math:`(s_{yy} - 2 R s_{yn} + R^2 s_{nn}) / (m \bar n^2)` over m users with sample
        covariances s; ``nan`` below two users.
        """
        m, ratio = self.n_users, self.value
        if ratio is None or m < 2:
            return math.nan
        # The residuals y - R n add up to zero, so their sample variance needs no mean.
        squares = self.yy - 2 * ratio * self.yn + ratio**2 * self.nn
        return max(squares, 0.0) / (m - 1) * m / self.n**2


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
        begins = np.ones(len(ascending), dtype=bool)
        np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
        start = np.flatnonzero(begins)
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

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Scores and counts."""
        return {"score": self.score, "n_relevant": self.n_relevant, "n_other": self.n_other}

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> ScoreState:
        """The state that was stored."""
        return cls(**arrays)

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


def sum_of_products(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> int:
    """An exact sum of products, also where it exceeds 64 bits."""
    if not len(left):
        return 0
    if int(left.max()) * int(right.max()) * len(left) < 2**63:
        return int((left * right).sum())
    return int((left.astype(object) * right.astype(object)).sum())


#: Classes of states by the name that stands in stored bytes.
STATES: dict[str, type[RatioState] | type[ScoreState]] = {
    state.kind: state for state in (RatioState, ScoreState)
}
