"""What a match delivers: everything that a metric may look at, and nothing larger.

All arrays over users have one entry per code; a code that belongs to nobody has a status of its
own and no rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from enum import Flag, auto
from functools import cached_property
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.hashing import hash_series
from jurity_reco.runs import begins_run

__all__ = [
    "BatchUsers",
    "ExpectedHits",
    "Hits",
    "HitsAtK",
    "LeavesOut",
    "Need",
    "RankedHits",
    "Recommendations",
    "Rows",
    "Tables",
    "UserRule",
    "Users",
    "at_most",
    "first_recommendations",
    "matched_rows",
    "ratio",
    "sum_per_user",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: What happens to users without a row in actual, to users with rows but none relevant, and to
#: users with relevant items but no recommendation.
UserRule = tuple[Literal["skip", "zero"], Literal["skip", "zero"], Literal["skip", "zero"]]


class Need(Flag):
    """What a metric looks at beyond the counts of users and the ranks of hits."""

    NOTHING = 0
    #: Matched rows of ``actual``, relevant or not.
    ROWS = auto()
    #: Which recommendations have equal scores.
    TIES = auto()
    #: All recommendations, matched or not.
    LISTS = auto()


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


class HitsAtK(Protocol):
    """What a metric can ask about the hits among the first k recommendations."""

    @property
    def per_user(self) -> npt.NDArray[Any]:
        """Number of hits of every user; with random ties, its expectation."""

    @property
    def last_rank(self) -> int:
        """The largest rank of any hit."""

    def sum_gain(self, gain: Floats) -> Floats:
        """Sum over a user's hits of a gain of their rank, where ``gain[0]`` is that of rank 1."""

    def sum_precision(self) -> Floats:
        """Sum over a user's hits of the precision at their rank."""


@dataclass(frozen=True)
class RankedHits:
    """Hits by user and then by rank.

    Parameters
    ----------
    user, rank
        Code of the user, and rank from 1.
    number
        1 for a user's best hit, 2 for the next, and so on.
    n_users
        Number of users.
    """

    user: Integers
    rank: Integers
    number: Integers
    n_users: int

    @cached_property
    def per_user(self) -> Integers:
        """Number of hits of every user."""
        return np.bincount(self.user, minlength=self.n_users)

    @property
    def last_rank(self) -> int:
        """The largest rank of any hit."""
        return int(self.rank.max(initial=0))

    def sum_gain(self, gain: Floats) -> Floats:
        """Sum over a user's hits of a gain of their rank, best rank first."""
        return sum_per_user(self.user, gain[self.rank - 1], self.n_users)

    def sum_precision(self) -> Floats:
        """Sum over a user's hits of the precision at their rank."""
        return sum_per_user(self.user, self.number / self.rank, self.n_users)


@dataclass(frozen=True)
class ExpectedHits:
    """Hits whose ranks are random: the mean over all orders of recommendations of equal score.

    One entry is a tie with a hit in it, by user and then by rank. Of its ``size`` places, from
    ``first`` on, ``n_hits`` drawn at random are hits; only those up to rank ``last`` count. Each
    place is a hit with probability ``n_hits / size``, and given that it is, the others are spread
    over the other places of the tie (McSherry and Najork, 2008).

    Parameters
    ----------
    user, first, last
        Code of the user, and the first and the last rank.
    size, n_hits
        Places of the whole tie, and hits among them.
    n_before
        Hits of the user in earlier ties.
    n_users
        Number of users.
    """

    user: Integers
    first: Integers
    last: Integers
    size: Integers
    n_hits: Integers
    n_before: Integers
    n_users: int

    @cached_property
    def per_user(self) -> Floats:
        """Expected number of hits of every user."""
        places = self.last - self.first + 1
        return sum_per_user(self.user, self.n_hits * places / self.size, self.n_users)

    @property
    def last_rank(self) -> int:
        """The largest rank that counts."""
        return int(self.last.max(initial=0))

    def sum_gain(self, gain: Floats) -> Floats:
        """Expected sum over a user's hits of a gain of their rank."""
        share = self.n_hits / self.size
        return sum_per_user(self.user, share * self._sum_over_places(gain), self.n_users)

    def sum_precision(self) -> Floats:
        """Expected sum over a user's hits of the precision at their rank."""
        # A hit at rank r has n_before hits before its tie, itself, and its share of the others:
        # (n_before + 1 + (r - first) * others) / r.
        others = ratio(self.n_hits - 1, self.size - 1)
        places = self.last - self.first + 1
        reciprocal = 1 / np.arange(1, self.last_rank + 1)
        sum_over_places = (self.n_before + 1 - self.first * others) * self._sum_over_places(
            reciprocal
        ) + places * others
        return sum_per_user(self.user, self.n_hits / self.size * sum_over_places, self.n_users)

    def _sum_over_places(self, gain: Floats) -> Floats:
        """Sum of a gain from the first to the last rank of each tie."""
        total = np.concatenate([[0.0], np.cumsum(gain)])
        # A single place is read off as it is, so that hits without a tie lose no digit.
        single = self.first == self.last
        spread: Floats = np.where(
            single, gain[self.first - 1], total[self.last] - total[self.first - 1]
        )
        return spread


@dataclass(frozen=True)
class Hits:
    """Relevant recommendations, by user and then by rank; ranks are not cut at any k.

    Parameters
    ----------
    user, rank
        Code of the user, and rank from 1.
    tie_first, tie_size
        Rank of the first recommendation of the same user and score, and how many there are; not
        there unless a metric said that it needs them.
    n_users
        Number of users.
    """

    user: Integers
    rank: Integers
    tie_first: Integers | None
    tie_size: Integers | None
    n_users: int
    _cut: dict[tuple[int | None, str], HitsAtK] = field(
        default_factory=dict, repr=False, compare=False
    )

    def at(self, k: int | None, ties: str = "input") -> HitsAtK:
        """The hits of the first k recommendations; work that metrics share is done once.

        With ``ties`` of ``"best"``, ``"worst"`` or ``"expected"``, hits stand first, last or
        anywhere among the recommendations of equal score.
        """
        if (k, ties) not in self._cut:
            self._cut[k, ties] = self._cut_at(k, ties)
        return self._cut[k, ties]

    def _cut_at(self, k: int | None, ties: str) -> HitsAtK:
        if ties == "expected":
            return self._expected(k)
        user, rank, number = self.user, self.rank, self._number
        if ties in ("best", "worst"):
            rank = self._rank_within_tie(from_the_end=ties == "worst")
        if k is not None:
            within = rank <= k
            user, rank, number = user[within], rank[within], number[within]
        return RankedHits(user, rank, number, self.n_users)

    @cached_property
    def _number(self) -> Integers:
        per_user = np.bincount(self.user, minlength=self.n_users)
        before = np.cumsum(per_user) - per_user
        return np.arange(1, len(self.user) + 1) - before[self.user]

    def _rank_within_tie(self, *, from_the_end: bool) -> Integers:
        """Ranks with the hits of each tie moved to its beginning or to its end."""
        assert self.tie_first is not None
        assert self.tie_size is not None
        start, n_hits = _runs(self.user, self.tie_first)
        tie = np.repeat(np.arange(len(start)), n_hits)
        rank = self.tie_first + np.arange(len(tie)) - start[tie]
        if from_the_end:
            rank += self.tie_size - n_hits[tie]
        return rank

    def _expected(self, k: int | None) -> ExpectedHits:
        assert self.tie_first is not None
        assert self.tie_size is not None
        start, n_hits = _runs(self.user, self.tie_first)
        # Where all recommendations of a tie are hits, their order changes nothing: no tie.
        all_hits = np.repeat(n_hits == self.tie_size[start], n_hits)
        first = np.where(all_hits, self.rank, self.tie_first)
        start, n_hits = _runs(self.user, first)
        first = first[start]
        size = np.where(all_hits, 1, self.tie_size)[start]
        last = first + size - 1
        within = np.ones(len(first), dtype=bool)
        if k is not None:
            within = first <= k
            last = at_most(last, k)
        return ExpectedHits(
            user=self.user[start][within],
            first=first[within],
            last=last[within],
            size=size[within],
            n_hits=n_hits[within],
            n_before=self._number[start][within] - 1,
            n_users=self.n_users,
        )


def _runs(user: Integers, value: Integers) -> tuple[Integers, Integers]:
    """Where runs of equal user and value begin, and how long they are."""
    start = np.flatnonzero(begins_run(user, value))
    return start, np.diff(start, append=len(user))


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
    propensity, target, estimate
        For estimates from logs: the probability with which the item was shown, that with which it
        would be shown, and the value that a model expects; ``None`` where there is no such column.
    """

    user: Integers
    rank: Integers
    label: npt.NDArray[Any]
    score: npt.NDArray[Any]
    relevant: Flags
    propensity: Floats | None = None
    target: Floats | None = None
    estimate: Floats | None = None

    def at(self, k: int | None) -> Rows:
        """The rows that match one of the first k recommendations."""
        return self if k is None else _filtered(self, self.rank <= k)

    def filtered(self, keep: Flags) -> Rows:
        """Some of the rows."""
        return _filtered(self, keep)

    def per_user(self, n_users: int) -> Floats:
        """Number of rows of every user."""
        return np.bincount(self.user, minlength=n_users).astype(np.float64)


@dataclass(frozen=True)
class Recommendations:
    """All recommendations, by user and then by rank.

    Parameters
    ----------
    user, rank, item
        Codes of user and item, and rank from 1.
    score, estimate, target
        The score, and for estimates from logs the value that a model expects and the probability of
        being shown; ``None`` where there is no such column.
    n_items
        All codes of items are below this.
    """

    user: Integers
    rank: Integers
    item: Integers
    score: npt.NDArray[Any]
    estimate: Floats | None
    target: Floats | None
    n_items: int

    def at(self, k: int | None) -> Recommendations:
        """The first k recommendations of each user."""
        return self if k is None else _filtered(self, self.rank <= k)

    def filtered(self, keep: Flags) -> Recommendations:
        """Some of the recommendations."""
        return _filtered(self, keep)

    def with_users(self, user: Integers) -> Recommendations:
        """The same recommendations with other codes of users."""
        return replace(self, user=user)


_Rows = TypeVar("_Rows", Rows, Recommendations)


def _filtered(table: _Rows, keep: Flags) -> _Rows:
    """Some rows of all columns of a table."""
    if keep.all():
        return table
    columns = {
        column.name: getattr(table, column.name)[keep]
        for column in fields(table)
        if isinstance(getattr(table, column.name), np.ndarray)
    }
    return replace(table, **columns)


@dataclass(frozen=True)
class Tables:
    """The outcome of one match, shared by all metrics that ask for the same one.

    Parameters
    ----------
    users, hits, rows, recommendations
        The tables; the last two are ``None`` unless a metric said that it needs them.
    leaves_out
        Rows of the frames that are in none of the tables.
    user_column
        The caller's name for the column of users.
    by_first_appearance
        Codes and ids of chosen users, in the order in which they appear in the frames.
    hash_logged_items
        Hashes of the distinct items of ``actual``, ascending.
    recommended_items
        Codes and ids of the distinct items of ``predicted``.
    """

    users: Users
    hits: Hits
    rows: Rows | None
    recommendations: Recommendations | None
    leaves_out: LeavesOut
    user_column: str
    by_first_appearance: Callable[[Flags], tuple[Integers, pd.Series]] = field(repr=False)
    hash_logged_items: Callable[[], npt.NDArray[np.uint64]] = field(repr=False)
    recommended_items: Callable[[], tuple[Integers, pd.Series]] = field(repr=False)

    def batch_users(self) -> BatchUsers:
        """All users of the frames, to be recognised in another batch."""
        _, ids = self.by_first_appearance(self.users.present)
        return BatchUsers(self.user_column, hash_series(ids), ids)


def matched_rows(tables: Tables, k: int | None) -> Rows:
    """The rows that match one of the first k recommendations."""
    assert tables.rows is not None, "the metric has to say that it needs rows"
    return tables.rows.at(k)


def first_recommendations(tables: Tables, k: int | None) -> Recommendations:
    """The first k recommendations of each user."""
    assert tables.recommendations is not None, "the metric has to say that it needs lists"
    return tables.recommendations.at(k)


@dataclass(frozen=True, eq=False)
class BatchUsers:
    """The users of a batch: the name of their column, their hashes, and their ids."""

    column: str
    hashes: npt.NDArray[np.uint64]
    ids: pd.Series


def at_most(counts: Integers, k: int | None) -> Integers:
    """Counts cut at k, which may be larger than any array can hold."""
    return counts if k is None or k > np.iinfo(np.int64).max else np.minimum(counts, k)


def sum_per_user(user: Integers, values: npt.NDArray[Any], n_users: int) -> Floats:
    """Sum values over the entries of each user, in the order in which they come."""
    return np.bincount(user, weights=values, minlength=n_users).astype(np.float64, copy=False)


def ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Divide, with 0 where the denominator is 0: such a user has nothing to be divided."""
    quotient: Floats = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
