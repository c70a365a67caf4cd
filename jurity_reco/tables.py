"""What a match delivers: everything that a metric may look at, and nothing larger.

All arrays over users have one entry per code; a code that belongs to nobody has a status of its
own and no rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Flag, auto
from functools import cached_property
from typing import Any, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import InvalidOptionError
from jurity_reco.hashing import hash_series
from jurity_reco.hits import Grades, Hits

__all__ = [
    "BatchUsers",
    "Everybody",
    "LeavesOut",
    "Need",
    "Recommendations",
    "Rows",
    "Tables",
    "UserRule",
    "Users",
    "checked_user_rule",
    "first_recommendations",
    "matched_rows",
    "relevant_grades",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

#: What happens to users without a row in actual, to users with rows but none relevant, and to
#: users with relevant items but no recommendation.
UserRule = tuple[Literal["skip", "zero"], Literal["skip", "zero"], Literal["skip", "zero"]]


def checked_user_rule(rule: Any) -> UserRule:
    """What happens to three kinds of users, as three words."""
    words = [word.strip() for word in rule.split(",")] if isinstance(rule, str) else rule
    if (
        not isinstance(words, Sequence)
        or len(words) != 3
        or not all(isinstance(word, str) and word in ("skip", "zero") for word in words)
    ):
        raise InvalidOptionError.not_a_user_rule(rule)
    unjudged, irrelevant, unlisted = cast(UserRule, words)
    return unjudged, irrelevant, unlisted


class Need(Flag):
    """What a metric looks at beyond the counts of users and the ranks of hits."""

    NOTHING = 0
    #: Matched rows of ``actual``, relevant or not.
    ROWS = auto()
    #: Which recommendations have equal scores.
    TIES = auto()
    #: All recommendations, matched or not.
    LISTS = auto()
    #: How relevant items are, of the hits and of the others.
    GRADES = auto()


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
    _weights: dict[UserRule, Floats] = field(default_factory=dict, repr=False, compare=False)

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

    def weights(self, rule: UserRule) -> Floats:
        """1 for users over whom a metric with this rule is averaged, 0 for others."""
        if rule not in self._weights:
            self._weights[rule] = self.averaged(rule).astype(np.float64)
        return self._weights[rule]


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
    users, hits, rows, recommendations, grades
        The tables; the last three are ``None`` unless a metric said that it needs them.
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
    ignores_actual
        Whether ``actual`` was not looked at.
    ledgers
        Ledgers that have been counted, with the weights of users that each belongs to.
    """

    users: Users
    hits: Hits
    rows: Rows | None
    recommendations: Recommendations | None
    grades: Grades | None
    leaves_out: LeavesOut
    user_column: str
    by_first_appearance: Callable[[Flags], tuple[Integers, pd.Series]] = field(repr=False)
    hash_logged_items: Callable[[], npt.NDArray[np.uint64]] = field(repr=False)
    recommended_items: Callable[[], tuple[Integers, pd.Series]] = field(repr=False)
    ignores_actual: bool = False
    ledgers: dict[tuple[int, bool, int], tuple[Floats, Any]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def everybody(self) -> Everybody:
        """All users of the frames."""
        code, ids = self.by_first_appearance(self.users.present)
        return Everybody(self.user_column, code, ids, not self.ignores_actual)

    def batch_users(self) -> BatchUsers:
        """All users of the frames, to be recognised in another batch."""
        ids = self.everybody.ids
        return BatchUsers(self.user_column, hash_series(ids), ids)


def matched_rows(tables: Tables, k: int | None) -> Rows:
    """The rows that match one of the first k recommendations."""
    assert tables.rows is not None, "the metric has to say that it needs rows"
    return tables.rows.at(k)


def relevant_grades(tables: Tables) -> Grades:
    """The grades of the relevant items of each user."""
    assert tables.grades is not None, "the metric has to say that it needs grades"
    return tables.grades


def first_recommendations(tables: Tables, k: int | None) -> Recommendations:
    """The first k recommendations of each user."""
    assert tables.recommendations is not None, "the metric has to say that it needs lists"
    return tables.recommendations.at(k)


@dataclass(frozen=True, eq=False)
class Everybody:
    """All users of two frames in order of first appearance.

    Parameters
    ----------
    column
        The caller's name for the column of users.
    code, ids
        Their codes in one match, and their ids.
    complete
        Whether both frames were looked at.
    """

    column: str
    code: Integers
    ids: pd.Series
    complete: bool


@dataclass(frozen=True, eq=False)
class BatchUsers:
    """The users of a batch: the name of their column, their hashes, and their ids."""

    column: str
    hashes: npt.NDArray[np.uint64]
    ids: pd.Series
