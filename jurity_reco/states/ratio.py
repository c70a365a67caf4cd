"""Sums over users of a numerator and a denominator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.states.base import NothingMore

__all__ = ["RatioState"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RatioState(NothingMore):
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
        plain: bool = False,
    ) -> RatioState:
        """The state of some users; n = 0 does not count, and if plain, n is 1 for all others."""
        # Plain sums, not dot products: a sum of values up to 1 can then never exceed their number.
        # A square may overflow, and the variance of such values is then infinite.
        with np.errstate(over="ignore"):
            sum_y, sum_n = float(y.sum()), float(n.sum())
            return cls(
                n_users=int(sum_n) if plain else int(np.count_nonzero(n)),
                y=sum_y,
                n=sum_n,
                yy=float((y * y).sum()),
                yn=sum_y if plain else float((y * n).sum()),
                nn=sum_n if plain else float((n * n).sum()),
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
