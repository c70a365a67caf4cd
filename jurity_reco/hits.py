"""Hits: relevant recommendations, their ranks, and what metrics ask about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import at_most, begins_run, continues_run, ratio, sum_per_user
from jurity_reco.order import descending_key, sort_rows, sort_within_runs

__all__ = ["ExpectedHits", "GainOfGrade", "Grades", "Hits", "HitsAtK", "RankedHits"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: What items of some grades gain, before the discount of their rank.
GainOfGrade = Callable[[Floats], Floats]


class HitsAtK(Protocol):
    """What a metric can ask about the hits among the first k recommendations."""

    @property
    def per_user(self) -> npt.NDArray[Any]:
        """Number of hits of every user; with random ties, its expectation."""

    @property
    def last_rank(self) -> int:
        """The largest rank of any hit."""

    def sum_gain(self, gain: Floats, of_grade: GainOfGrade | None = None) -> Floats:
        """Sum over a user's hits of a gain of their rank, where ``gain[0]`` is that of rank 1.

        With ``of_grade``, times the gain of their grade.
        """

    def sum_number_over(self, divisor: npt.NDArray[Any]) -> Floats:
        """Sum over a user's hits of the hits up to their rank, over a divisor of that rank."""

    def any_hit(self) -> Floats:
        """1 for a user with a hit, 0 for one without; with random ties, the probability of it."""

    def reciprocal_of_first(self) -> Floats:
        """One over the rank of a user's best hit, 0 without one; with random ties, its mean."""


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
    grade
        How relevant each hit is, if asked for.
    """

    user: Integers
    rank: Integers
    number: Integers
    n_users: int
    grade: Floats | None = None

    @cached_property
    def per_user(self) -> Integers:
        """Number of hits of every user."""
        return np.bincount(self.user, minlength=self.n_users)

    @property
    def last_rank(self) -> int:
        """The largest rank of any hit."""
        return int(self.rank.max(initial=0))

    def sum_gain(self, gain: Floats, of_grade: GainOfGrade | None = None) -> Floats:
        """Sum over a user's hits of a gain of their rank, best rank first."""
        gained = gain[self.rank - 1]
        if of_grade is not None:
            assert self.grade is not None
            gained = of_grade(self.grade) * gained
        return sum_per_user(self.user, gained, self.n_users)

    def grades(self) -> Grades:
        """The grades of these hits, the highest of each user first."""
        assert self.grade is not None
        return Grades.of_items(self.user, self.grade, self.n_users)

    def sum_number_over(self, divisor: npt.NDArray[Any]) -> Floats:
        """Sum over a user's hits of the hits up to their rank, over a divisor of that rank."""
        return sum_per_user(self.user, self.number / divisor[self.rank - 1], self.n_users)

    def any_hit(self) -> Floats:
        """1 for a user with a hit, 0 for one without."""
        return (self.per_user > 0).astype(np.float64)

    def reciprocal_of_first(self) -> Floats:
        """One over the rank of a user's best hit, 0 without one."""
        first = self.number == 1
        return sum_per_user(self.user[first], 1 / self.rank[first], self.n_users)


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
    tie, grade
        Of every hit: the entry of its tie, and how relevant it is; if asked for.
    """

    user: Integers
    first: Integers
    last: Integers
    size: Integers
    n_hits: Integers
    n_before: Integers
    n_users: int
    tie: Integers | None = None
    grade: Floats | None = None

    @cached_property
    def per_user(self) -> Floats:
        """Expected number of hits of every user."""
        places = self.last - self.first + 1
        return sum_per_user(self.user, self.n_hits * places / self.size, self.n_users)

    @property
    def last_rank(self) -> int:
        """The largest rank that counts."""
        return int(self.last.max(initial=0))

    def sum_gain(self, gain: Floats, of_grade: GainOfGrade | None = None) -> Floats:
        """Expected sum over a user's hits of a gain of their rank."""
        in_tie: npt.NDArray[Any] = self.n_hits
        if of_grade is not None:
            assert self.tie is not None
            assert self.grade is not None
            in_tie = sum_per_user(self.tie, of_grade(self.grade), len(self.user))
        gained = in_tie / self.size * self._sum_over_places(gain)
        return sum_per_user(self.user, gained, self.n_users)

    def sum_number_over(self, divisor: npt.NDArray[Any]) -> Floats:
        """Expected sum over a user's hits of the hits up to their rank, over a divisor of it."""
        # A hit at rank r has n_before hits before its tie, itself, and its share of the others, so
        # its number is to be expected as n_before + 1 + (r - first) * others.
        others = ratio(self.n_hits - 1, self.size - 1)
        rank, gain = np.arange(1, len(divisor) + 1), 1 / divisor
        at_places = (self.n_before + 1 - self.first * others) * self._sum_over_places(gain)
        at_places += others * self._sum_over_places(rank * gain)
        return sum_per_user(self.user, self.n_hits / self.size * at_places, self.n_users)

    def any_hit(self) -> Floats:
        """Probability that a user has a hit."""
        # No hit at all means that one place after the other is a miss, or, which is the same, that
        # one hit after the other is at a place that does not count; whichever is the shorter way.
        n_places = self.last - self.first + 1
        shorter, longer = np.minimum(n_places, self.n_hits), np.maximum(n_places, self.n_hits)
        tie = np.repeat(np.arange(len(self.user)), shorter)
        number = np.arange(len(tie)) - (np.cumsum(shorter) - shorter)[tie]
        with np.errstate(divide="ignore"):
            miss = np.log1p(-np.minimum(longer[tie] / (self.size[tie] - number), 1.0))
        # Ties are independent of each other, and all but a user's last one are certain.
        return -np.expm1(sum_per_user(self.user[tie], miss, self.n_users))

    def reciprocal_of_first(self) -> Floats:
        """Mean of one over the rank of a user's best hit."""
        # The best hit is in the first tie with a hit: at its first place with probability
        # n_hits / size, and at each further place j + 1 with (1 - (n_hits - 1) / (size - j)) times
        # the probability of the place before.
        first_tie = np.flatnonzero(self.n_before == 0)
        n_hits, size, first = self.n_hits[first_tie], self.size[first_tie], self.first[first_tie]
        n_places = np.minimum(self.last[first_tie] - first, size - n_hits) + 1
        tie = np.repeat(np.arange(len(first_tie)), n_places)
        before = np.cumsum(n_places) - n_places
        place = np.arange(len(tie)) - before[tie] + 1
        factor = np.log1p(-(n_hits[tie] - 1) / (size[tie] - place + 1))
        factor[place == 1] = 0.0
        total = np.cumsum(factor)
        within = total - total[before][tie]
        probability = n_hits[tie] / size[tie] * np.exp(within)
        mean = probability / (first[tie] + place - 1)
        return sum_per_user(self.user[first_tie][tie], mean, self.n_users)

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
class Grades:
    """How relevant items are, by user and then the most relevant first: an ideal list.

    Parameters
    ----------
    user, grade
        Code of the user, and the grade.
    rank
        Place in the ideal list, from 1.
    n_users
        Number of users.
    """

    user: Integers
    grade: Floats
    rank: Integers
    n_users: int

    @classmethod
    def of_items(cls, user: Integers, grade: Floats, n_users: int) -> Grades:
        """The grades of some items in any order."""
        order = sort_rows(descending_key(grade), user, n_users)
        return cls(user[order], grade[order], _numbered(user[order], n_users), n_users)

    def sum_gain(self, gain: Floats, of_grade: GainOfGrade, k: int | None = None) -> Floats:
        """Sum over the first k items of an ideal list of what they gain."""
        user, grade, rank = self.user, self.grade, self.rank
        if k is not None:
            within = rank <= k
            user, grade, rank = user[within], grade[within], rank[within]
        return sum_per_user(user, of_grade(grade) * gain[rank - 1], self.n_users)


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
    grade
        How relevant each hit is: the highest label of the pair; ``None`` unless a metric said that
        it needs them.
    """

    user: Integers
    rank: Integers
    tie_first: Integers | None
    tie_size: Integers | None
    n_users: int
    grade: Floats | None = None
    _cut: dict[tuple[int | None, str, bool], HitsAtK] = field(
        default_factory=dict, repr=False, compare=False
    )

    def at(self, k: int | None, ties: str = "input", *, graded: bool = False) -> HitsAtK:
        """The hits of the first k recommendations; work that metrics share is done once.

        With ``ties`` of ``"best"``, ``"worst"`` or ``"expected"``, hits stand first, last or
        anywhere among the recommendations of equal score; if they are graded, the best are the
        most relevant first.
        """
        if (k, ties, graded) not in self._cut:
            self._cut[k, ties, graded] = self._cut_at(k, ties, graded)
        return self._cut[k, ties, graded]

    def _cut_at(self, k: int | None, ties: str, graded: bool) -> HitsAtK:
        if ties == "expected":
            return self._expected(k, self.grade if graded else None)
        if graded:
            return self._cut_with_grades(k, ties)
        user, rank, number = self.user, self.rank, self._number
        if ties in ("best", "worst"):
            rank = self._rank_within_tie(from_the_end=ties == "worst")
        if k is not None:
            # Places of flags are found once, where flags would be gone through for each array.
            within = np.flatnonzero(rank <= k)
            user, rank, number = user[within], rank[within], number[within]
        return RankedHits(user, rank, number, self.n_users)

    def _cut_with_grades(self, k: int | None, ties: str) -> RankedHits:
        cut = self._cut_at(k, ties, graded=False)
        assert isinstance(cut, RankedHits)
        assert self.grade is not None
        grade = self.grade
        if ties in ("best", "worst"):
            assert self.tie_first is not None
            # The places of the hits stay, and their grades are dealt out to them anew.
            order = np.arange(len(grade))
            tied = continues_run(self.user, self.tie_first)
            sort_within_runs(order, tied, descending_key(grade if ties == "best" else -grade))
            grade = grade[order]
        # The hits of a user that are cut off are the last ones.
        kept = self._number <= cut.per_user[self.user]
        return RankedHits(cut.user, cut.rank, cut.number, self.n_users, grade[kept])

    @cached_property
    def _number(self) -> Integers:
        return _numbered(self.user, self.n_users)

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

    def _expected(self, k: int | None, grade: Floats | None) -> ExpectedHits:
        assert self.tie_first is not None
        assert self.tie_size is not None
        start, n_hits = _runs(self.user, self.tie_first)
        # Where all recommendations of a tie are hits, their order changes nothing: no tie. Hits
        # of different grades are not alike.
        alike = n_hits == self.tie_size[start]
        if grade is not None and len(start):
            highest, lowest = np.maximum.reduceat(grade, start), np.minimum.reduceat(grade, start)
            alike &= highest == lowest
        all_hits = np.repeat(alike, n_hits)
        first = np.where(all_hits, self.rank, self.tie_first)
        start, n_hits = _runs(self.user, first)
        first = first[start]
        size = np.where(all_hits, 1, self.tie_size)[start]
        last = first + size - 1
        within = np.ones(len(first), dtype=bool)
        if k is not None:
            within = first <= k
            last = at_most(last, k)
        tie = np.repeat(np.cumsum(within) - 1, n_hits)[np.repeat(within, n_hits)]
        return ExpectedHits(
            user=self.user[start][within],
            first=first[within],
            last=last[within],
            size=size[within],
            n_hits=n_hits[within],
            n_before=self._number[start][within] - 1,
            n_users=self.n_users,
            tie=tie,
            grade=None if grade is None else grade[np.repeat(within, n_hits)],
        )


def _numbered(user: Integers, n_users: int) -> Integers:
    """1 for the first entry of each user, 2 for the next, where entries are by user."""
    per_user = np.bincount(user, minlength=n_users)
    before = np.cumsum(per_user) - per_user
    return np.arange(1, len(user) + 1) - before[user]


def _runs(user: Integers, value: Integers) -> tuple[Integers, Integers]:
    """Where runs of equal user and value begin, and how long they are."""
    start = np.flatnonzero(begins_run(user, value))
    return start, np.diff(start, append=len(user))
