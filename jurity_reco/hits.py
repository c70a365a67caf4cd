"""Hits: relevant recommendations, their ranks, and what metrics ask about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import at_most, begins_run, ratio, sum_per_user

__all__ = ["ExpectedHits", "Hits", "HitsAtK", "RankedHits"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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
        # No hit at all means that all places that count are among those of the misses.
        n_places, n_misses = self.last - self.first + 1, self.size - self.n_hits
        possible = n_places <= n_misses
        logarithm = np.full(len(self.user), -np.inf)
        logarithm[possible] = _log_choose(n_misses[possible], n_places[possible]) - _log_choose(
            self.size[possible], n_places[possible]
        )
        with np.errstate(invalid="ignore"):
            none_in_tie = np.exp(logarithm)
        # Ties are independent of each other, and all but a user's last one are certain.
        no_hit = np.ones(self.n_users)
        np.multiply.at(no_hit, self.user, none_in_tie)
        return 1 - no_hit

    def reciprocal_of_first(self) -> Floats:
        """Mean of one over the rank of a user's best hit."""
        # The best hit is in the first tie with a hit: at its j-th place with probability
        # choose(size - j, n_hits - 1) / choose(size, n_hits).
        first_tie = np.flatnonzero(self.n_before == 0)
        n_hits, size, first = self.n_hits[first_tie], self.size[first_tie], self.first[first_tie]
        n_places = np.minimum(self.last[first_tie] - first, size - n_hits) + 1
        tie = np.repeat(np.arange(len(first_tie)), n_places)
        before = np.cumsum(n_places) - n_places
        place = np.arange(len(tie)) - before[tie] + 1
        probability = np.exp(
            _log_choose(size[tie] - place, n_hits[tie] - 1) - _log_choose(size[tie], n_hits[tie])
        )
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


def _log_choose(n: Integers, k: Integers) -> Floats:
    """Logarithm of the number of ways to choose k of n."""
    largest = int(n.max(initial=0))
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1)))])
    chosen: Floats = factorial[n] - factorial[k] - factorial[n - k]
    return chosen


def _runs(user: Integers, value: Integers) -> tuple[Integers, Integers]:
    """Where runs of equal user and value begin, and how long they are."""
    start = np.flatnonzero(begins_run(user, value))
    return start, np.diff(start, append=len(user))
