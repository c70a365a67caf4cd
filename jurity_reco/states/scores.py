"""Counts of labels at each score."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.states.base import NothingMore

__all__ = ["ScoreState", "sum_of_products"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreState(NothingMore):
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


def sum_of_products(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> int:
    """An exact sum of products, also where it exceeds 64 bits."""
    if not len(left):
        return 0
    if int(left.max()) * int(right.max()) * len(left) < 2**63:
        return int((left * right).sum())
    return int((left.astype(object) * right.astype(object)).sum())
