"""What a kernel reads, and what it delivers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Coded", "Joined", "JoinedHits", "JoinedRows", "Numbered", "Order"]

Integers = npt.NDArray[np.int64]
#: The compiled kernel numbers ids by 32 bits, to need less memory.
AnyIntegers = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Numbered:
    """The ids of two columns as numbers from 0 to below ``n_numbers``, new ids ascending."""

    left: AnyIntegers
    right: AnyIntegers
    n_numbers: int


@dataclass(frozen=True)
class Coded:
    """The rows of one frame.

    Parameters
    ----------
    user, item
        Codes. Those of users are from 0 to below a number that the join is told.
    number
        The score of a recommendation, or whether a row of the log is relevant.
    """

    user: AnyIntegers
    item: AnyIntegers
    number: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.user)


@dataclass(frozen=True)
class Order:
    """How a join ranks, and what it has to say.

    Parameters
    ----------
    ties
        Order of equal scores: ``"input"``, ``"item"``, or one of the descending orders; all but the
        first need item codes in the order of the ids.
    find_ties
        Whether to say which recommendations have the score of a hit.
    every_row
        Whether to say which rows of the log are about a recommendation, relevant or not.
    whole_lists
        Whether to say what the lists are.
    """

    ties: str
    find_ties: bool = False
    every_row: bool = False
    whole_lists: bool = False


@dataclass(frozen=True)
class JoinedHits:
    """Recommendations that are relevant, by user and then by rank.

    Parameters
    ----------
    user, rank
        Code of the user, and rank from 1.
    tie_first, tie_size
        The rank of the user's first recommendation of the same score, and how many there are.
    """

    user: Integers
    rank: Integers
    tie_first: Integers | None
    tie_size: Integers | None


@dataclass(frozen=True)
class JoinedRows:
    """Rows of the log about a recommendation, by user, then by rank, then by row.

    Parameters
    ----------
    user, rank
        Code of the user, and rank of the recommendation from 1.
    log_row, list_row
        The row of the log, and that of the recommendation.
    """

    user: Integers
    rank: Integers
    log_row: Integers
    list_row: Integers


@dataclass(frozen=True)
class Joined:
    """What a join delivers.

    Parameters
    ----------
    n_recommended, n_relevant
        Of every user: length of the list, and number of distinct relevant items.
    judged
        Of every user: whether there is a row of the log.
    hits
        The recommendations that are relevant.
    n_repeated
        Recommendations that were left out because a better-ranked one has the same user and item.
    rows, n_repeated_log
        If asked for: rows of the log about a recommendation, and how many rows of the log have the
        same user and item as another one.
    list_row
        If asked for: the rows of all lists, by user and then by rank.
    """

    n_recommended: Integers
    n_relevant: Integers
    judged: Flags
    hits: JoinedHits
    n_repeated: int
    rows: JoinedRows | None = None
    n_repeated_log: int | None = None
    list_row: Integers | None = None
