"""What a match delivers: everything that a metric may look at, and nothing larger.

All arrays over users have one entry per code; a code that belongs to nobody has a status of its
own and no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = [
    "Hits",
    "HitsAtK",
    "LeavesOut",
    "Rows",
    "Tables",
    "UserRule",
    "Users",
    "ratio",
    "sum_per_user",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: What happens to users without a row in actual, to users with rows but none relevant, and to
#: users with relevant items but no recommendation.
UserRule = tuple[Literal["skip", "zero"], Literal["skip", "zero"], Literal["skip", "zero"]]


@dataclass(frozen=True)
class LeavesOut:
    """Rows that a match left out, all of them counted."""

    actual_rows_invalid: int = 0
    predicted_rows_invalid: int = 0
    predicted_rows_repeated: int = 0


@dataclass(frozen=True)
class Users:
    """Counts and status of every user.

    Parameters
    ----------
    n_recommended, n_relevant
        Length of the whole list; number of distinct relevant items.
    judged
        Whether the user has a row in ``actual``.
    present
        Whether the code belongs to a user of either frame.
    """

    n_recommended: Integers
    n_relevant: Integers
    judged: Flags
    present: Flags
    _averaged: dict[UserRule, Flags] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.present)

    @cached_property
    def relevant(self) -> Flags:
        """Users with a relevant item."""
        return self.n_relevant > 0

    @cached_property
    def listed(self) -> Flags:
        """Users with a recommendation."""
        return self.n_recommended > 0

    def averaged(self, rule: UserRule) -> Flags:
        """Users over whom a metric with this rule is averaged."""
        if rule not in self._averaged:
            unjudged, irrelevant, unlisted = (word == "zero" for word in rule)
            counted = self.relevant if unlisted else self.relevant & self.listed
            if unjudged or irrelevant:
                lacking = self.present & ~self.relevant
                if not unjudged:
                    lacking &= self.judged
                if not irrelevant:
                    lacking &= ~self.judged
                if not unlisted:
                    lacking &= self.listed
                counted = counted | lacking
            self._averaged[rule] = counted
        return self._averaged[rule]


@dataclass(frozen=True)
class HitsAtK:
    """Hits among the first k recommendations, by user and then by rank.

    Parameters
    ----------
    user, rank
        Code of the user, and rank from 1.
    number
        1 for a user's best hit, 2 for the next, and so on.
    per_user
        Number of hits of every user.
    """

    user: Integers
    rank: Integers
    number: Integers
    per_user: Integers

    def sum_per_user(self, values: Floats) -> Floats:
        """Sum a value of each hit over the hits of a user, best rank first."""
        return sum_per_user(self.user, values, len(self.per_user))


@dataclass(frozen=True)
class Hits:
    """Relevant recommendations, by user and then by rank; ranks are not cut at any k."""

    user: Integers
    rank: Integers
    n_users: int
    _cut: dict[int | None, HitsAtK] = field(default_factory=dict, repr=False, compare=False)

    def at(self, k: int | None) -> HitsAtK:
        """The hits of the first k recommendations; work that metrics share is done once."""
        if k not in self._cut:
            user, rank, number = self.user, self.rank, self._number
            if k is not None:
                within = rank <= k
                user, rank, number = user[within], rank[within], number[within]
            per_user = np.bincount(user, minlength=self.n_users)
            self._cut[k] = HitsAtK(user, rank, number, per_user)
        return self._cut[k]

    @cached_property
    def _number(self) -> Integers:
        per_user = np.bincount(self.user, minlength=self.n_users)
        before = np.cumsum(per_user) - per_user
        return np.arange(1, len(self.user) + 1) - before[self.user]


@dataclass(frozen=True)
class Rows:
    """Every row of ``actual`` whose user and item are recommended, by user and then by rank.

    Parameters
    ----------
    user, rank
        Code of the user, and rank of the recommendation from 1.
    label, score
        The label of the row, and the score of the recommendation, as they came.
    relevant
        Whether the label is a relevant one.
    """

    user: Integers
    rank: Integers
    label: npt.NDArray[Any]
    score: npt.NDArray[Any]
    relevant: Flags

    def at(self, k: int | None) -> Rows:
        """The rows that match one of the first k recommendations."""
        if k is None:
            return self
        within = self.rank <= k
        return Rows(
            self.user[within],
            self.rank[within],
            self.label[within],
            self.score[within],
            self.relevant[within],
        )

    def per_user(self, n_users: int) -> Floats:
        """Number of rows of every user."""
        return np.bincount(self.user, minlength=n_users).astype(np.float64)


@dataclass(frozen=True)
class Tables:
    """The outcome of one match, shared by all metrics that ask for the same one.

    Parameters
    ----------
    users, hits, rows
        The tables; ``rows`` is ``None`` unless a metric said that it needs them.
    leaves_out
        Rows of the frames that are in none of the tables.
    user_column
        The caller's name for the column of users.
    by_first_appearance
        Codes and ids of chosen users, in the order in which they appear in the frames.
    """

    users: Users
    hits: Hits
    rows: Rows | None
    leaves_out: LeavesOut
    user_column: str
    by_first_appearance: Callable[[Flags], tuple[Integers, pd.Series]] = field(repr=False)


def sum_per_user(user: Integers, values: npt.NDArray[Any], n_users: int) -> Floats:
    """Sum values over the entries of each user, in the order in which they come."""
    return np.bincount(user, weights=values, minlength=n_users).astype(np.float64, copy=False)


def ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Divide, with 0 where the denominator is 0: such a user has nothing to be divided."""
    quotient: Floats = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
