"""How many lists each item is in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.states.base import NothingMore
from jurity_reco.states.scores import sum_of_products

__all__ = ["ItemCountState"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ItemCountState(NothingMore):
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
