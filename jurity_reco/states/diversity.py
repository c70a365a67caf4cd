"""A mean over users, some of whom may not have been looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.states.ratio import RatioState

__all__ = ["DiversityState"]

Floats = npt.NDArray[np.float64]


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

    ratio: RatioState = field(default_factory=RatioState)
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
