"""What every state can do."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

__all__ = ["NothingMore", "State"]

Floats = npt.NDArray[np.float64]


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


class NothingMore:
    """What most states say of what only some have."""

    @property
    def n_not_sampled(self) -> int:
        """Nobody was left out of a sample."""
        return 0

    @property
    def bounds(self) -> tuple[float, float]:
        """There are no bounds."""
        return -math.inf, math.inf

    def details(self) -> dict[str, Any]:
        """Nothing."""
        return {}
