"""Batches that add up to the whole, and users that are recognised when they come twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from jurity_reco.errors import InvalidDataError
from jurity_reco.stored import MetricState
from jurity_reco.tables import BatchUsers

__all__ = ["Accumulated", "SeenUsers"]

Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SeenUsers:
    """A set of users, 8 bytes each, that grows without becoming slow.

    Hashes of users are kept in a few sorted runs. A new batch is a new run, and runs of similar
    size are merged, so that each is about twice as long as the next: the work for a batch does not
    grow with the number of batches but by a logarithm.
    """

    runs: tuple[Hashes, ...] = ()

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def contains(self, hashes: Hashes) -> npt.NDArray[np.bool_]:
        """Which of some users are in the set."""
        found = np.zeros(len(hashes), dtype=bool)
        for run in self.runs:
            place = np.minimum(np.searchsorted(run, hashes), len(run) - 1)
            found |= run[place] == hashes
        return found

    def adding(self, hashes: Hashes) -> SeenUsers:
        """The set with users, in the order of their hashes, that are not in it yet."""
        if not len(hashes):
            return self
        runs = [*self.runs, hashes]
        while len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1]):
            last = runs.pop()
            runs[-1] = np.sort(np.concatenate([runs[-1], last]))
        return SeenUsers(tuple(runs))

    def merging(self, other: SeenUsers) -> SeenUsers:
        """The union of two sets without a common user."""
        merged = self
        for run in other.runs:
            merged = merged.adding(run)
        return merged

    def n_common(self, other: SeenUsers) -> int:
        """How many users are in both sets."""
        return sum(int(self.contains(run).sum()) for run in other.runs)


@dataclass(frozen=True, eq=False)
class Accumulated:
    """All that metrics have seen so far: a value, so that a failed update changes nothing.

    Parameters
    ----------
    states
        The state of each metric.
    seen
        The users, by the name of their column.
    """

    states: tuple[MetricState, ...]
    seen: Mapping[str, SeenUsers] = field(default_factory=dict)

    def adding(self, states: Iterable[MetricState], users: Iterable[BatchUsers]) -> Accumulated:
        """With a batch of users, all of whom have to be new."""
        seen = dict(self.seen)
        for batch in users:
            before = seen.get(batch.column, SeenUsers())
            # Sorted, because looking up neighbours one after the other is much faster.
            hashes = np.sort(batch.hashes)
            if before.contains(hashes).any():
                repeated = before.contains(batch.hashes)
                raise InvalidDataError.repeated_users(
                    batch.column, int(repeated.sum()), batch.ids.iloc[int(repeated.argmax())]
                )
            seen[batch.column] = before.adding(hashes)
        return Accumulated(self._joined(states), seen)

    def merging(self, other: Accumulated) -> Accumulated:
        """With what another accumulator has seen, of whom nobody may be here."""
        seen = dict(self.seen)
        for column, users in other.seen.items():
            before = seen.get(column, SeenUsers())
            n_common = before.n_common(users)
            if n_common:
                raise InvalidDataError.common_users(column, n_common)
            seen[column] = before.merging(users)
        return Accumulated(self._joined(other.states), seen)

    def _joined(self, states: Iterable[MetricState]) -> tuple[MetricState, ...]:
        return tuple(
            mine.with_users(theirs) for mine, theirs in zip(self.states, states, strict=True)
        )
