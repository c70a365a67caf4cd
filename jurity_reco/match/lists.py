"""The recommendations of every user, ranked, and where to find a pair of user and item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.match.order import descending_key, sort_rows, sort_within_runs

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
    """

    row: Integers
    n_recommended: Integers
    pair: Integers
    place: Integers
    n_repeated: int

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


def rank_lists(
    user: Integers,
    item: Integers,
    score: npt.NDArray[Any],
    *,
    n_users: int,
    n_items: int,
    ties: str,
) -> Lists:
    """Rank every user's recommendations and drop the lower-ranked rows of a repeated pair.

    Parameters
    ----------
    user, item, score
        One entry per recommendation; the ids as codes.
    n_users, n_items
        All codes are below these.
    ties
        ``"input"``, ``"item"`` or ``"item descending"``; the last two need item codes in the
        order of the ids.
    """
    if ties == "input":
        order = sort_rows(descending_key(score), user, n_users)
    else:
        key = descending_key(score)
        order = sort_rows(key, user, n_users)
        tied = _same_as_next(user[order]) & _same_as_next(key[order])
        sort_within_runs(order, tied, item if ties == "item" else ~item)

    pair = (user * n_items + item)[order]
    place = sort_rows(pair)
    pair = pair[place]
    repeated = _same_as_next(pair)
    n_repeated = int(np.count_nonzero(repeated))
    if n_repeated:
        # The sort is stable, so the first place of a repeated pair is its best-ranked one.
        best = np.concatenate([[True], ~repeated])
        stays = np.zeros(len(order), dtype=bool)
        stays[place[best]] = True
        pair, place = pair[best], (np.cumsum(stays) - 1)[place[best]]
        order = order[stays]
        user = user[order]
    return Lists(order, np.bincount(user, minlength=n_users), pair, place, n_repeated)


def repeated_rows(user: Integers, item: Integers, n_items: int) -> Integers:
    """Rows whose pair of user and item is in an earlier row, ascending."""
    pair = user * n_items + item
    order = sort_rows(pair)
    return np.sort(order[1:][_same_as_next(pair[order])])


def _same_as_next(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    same: npt.NDArray[np.bool_] = values[1:] == values[:-1]
    return same
