"""What users did, as distinct pairs of user and item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.order import sort_rows

__all__ = ["Judgements", "all_pairs", "relevant_pairs"]

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Judgements:
    """Distinct pairs, ascending.

    Parameters
    ----------
    pair
        User and item as one number.
    relevant
        Whether any row of the pair is relevant.
    row, start
        Rows of ``actual`` by pair, and where those of each pair begin.
    """

    pair: Integers
    relevant: Flags
    row: Integers
    start: Integers

    def highest(self, label: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """The highest label among the rows of each pair."""
        if not len(self.start):
            return np.zeros(0)
        return np.maximum.reduceat(label[self.row], self.start).astype(np.float64)

    def rows_of(self, which: Integers) -> tuple[Integers, Integers]:
        """All rows of some pairs: the number of the pair in ``which``, and the row."""
        end = np.append(self.start[1:], len(self.row))
        length = (end - self.start)[which]
        number = np.repeat(np.arange(len(which)), length)
        before = np.cumsum(length) - length
        return number, self.row[np.arange(len(number)) + (self.start[which] - before)[number]]


def all_pairs(pair: Integers, relevant: Flags) -> Judgements:
    """Judgements of every row, for metrics that look at rows that are not relevant too."""
    row = sort_rows(pair)
    ascending = pair[row]
    start = np.flatnonzero(begins_run(ascending))
    any_relevant = (
        np.logical_or.reduceat(relevant[row], start) if len(start) else np.zeros(0, dtype=bool)
    )
    return Judgements(ascending[start], any_relevant, row, start)


def relevant_pairs(pair: Integers, relevant: Flags) -> Judgements:
    """Judgements of relevant rows only, which is all that a metric of hits looks at."""
    ascending = np.sort(pair[relevant])
    distinct = ascending[begins_run(ascending)]
    nothing = np.zeros(0, dtype=np.int64)
    return Judgements(distinct, np.ones(len(distinct), dtype=bool), nothing, nothing)
