"""The recommendations of every user, ranked, and where to find a pair of user and item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, continues_run
from jurity_reco.order import descending_key, sort_rows, sort_within_runs

__all__ = ["Lists", "rank_lists", "repeated_rows"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Lists:
    """All lists one after the other: users by code, best recommendation first.

    Parameters
    ----------
    row
        The row of ``predicted`` at each place.
    n_recommended
        Length of the list of every user.
    pair, place
        Every pair of user and item as one number, ascending, and its place.
    n_repeated
        Rows that were left out because a better-ranked row has the same pair.
    tie
        Places at which a new user or a lower score begins, if asked for.
    """

    row: Integers
    n_recommended: Integers
    pair: Integers
    place: Integers
    n_repeated: int
    tie: Integers | None

    def find(self, pairs: Integers) -> tuple[Integers, Integers]:
        """Places of those ascending pairs that are recommended, and which pairs those are.

        Both are in the order of the places, that is by user and rank.
        """
        if not len(self.pair):
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing
        index = np.searchsorted(self.pair, pairs)
        np.minimum(index, len(self.pair) - 1, out=index)
        found = np.flatnonzero(self.pair[index] == pairs)
        place = self.place[index[found]]
        by_place = sort_rows(place)
        return place[by_place], found[by_place]

    def rank(self, place: Integers, user: Integers) -> Integers:
        """Rank, from 1, of a place in the list of its user."""
        before = np.cumsum(self.n_recommended) - self.n_recommended
        return place - before[user] + 1

    def tie_at(self, place: Integers, user: Integers) -> tuple[Integers, Integers]:
        """Rank of the first recommendation with the score of a place, and how many there are."""
        assert self.tie is not None
        number = np.searchsorted(self.tie, place, side="right") - 1
        size = np.diff(self.tie, append=len(self.row))[number]
        return self.rank(self.tie[number], user), size


def rank_lists(
    user: Integers,
    item: Integers,
    score: npt.NDArray[Any],
    *,
    n_users: int,
    n_items: int,
    ties: str,
    find_ties: bool = False,
) -> Lists:
    """Rank every user's recommendations and drop the lower-ranked rows of a repeated pair.

    Parameters
    ----------
    user, item, score
        One entry per recommendation; the ids as codes.
    n_users, n_items
        All codes are below these.
    ties
        ``"input"``, ``"item"``, or one of the descending orders; all but the first need item codes
        in the order of the ids.
    find_ties
        Whether to say which recommendations have equal scores.
    """
    order = sort_rows(descending_key(score), user, n_users)
    if ties != "input":
        tied = continues_run(user[order], score[order])
        sort_within_runs(order, tied, item if ties == "item" else ~item)

    pair = (user * n_items + item)[order]
    place = sort_rows(pair)
    pair = pair[place]
    repeated = continues_run(pair)
    n_repeated = int(np.count_nonzero(repeated))
    if n_repeated:
        # The sort is stable, so the first place of a repeated pair is its best-ranked one.
        best = np.concatenate([[True], ~repeated])
        stays = np.zeros(len(order), dtype=bool)
        stays[place[best]] = True
        pair, place = pair[best], (np.cumsum(stays) - 1)[place[best]]
        order = order[stays]
    tie = np.flatnonzero(begins_run(user[order], score[order])) if find_ties else None
    n_recommended = np.bincount(user[order] if n_repeated else user, minlength=n_users)
    return Lists(order, n_recommended, pair, place, n_repeated, tie)


def repeated_rows(user: Integers, item: Integers, n_items: int) -> Integers:
    """Rows whose pair of user and item is in an earlier row, ascending."""
    pair = user * n_items + item
    order = sort_rows(pair)
    return np.sort(order[1:][continues_run(pair[order])])
