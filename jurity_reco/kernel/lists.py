"""The recommendations of every user, ranked, and where to find a pair of user and item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, continues_run
from jurity_reco.order import descending_key, sort_rows, sort_within_runs, sorted_with_rows
from jurity_reco.threads import at_once

__all__ = ["Lists", "rank_lists"]

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
    pair, pair_row
        Every pair of user and item as one number, ascending, and its row.
    n_rows, n_repeated
        Rows of ``predicted``, and those that were left out because a better-ranked row has the same
        pair.
    tie
        Places at which a new user or a lower score begins, if asked for.
    """

    row: Integers
    n_recommended: Integers
    pair: Integers
    pair_row: Integers
    n_rows: int
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
        row = self.pair_row[index[found]]
        # Few rows are looked for: a flag for each row is quicker to look up than a place.
        wanted = np.zeros(self.n_rows, dtype=bool)
        wanted[row] = True
        place = np.flatnonzero(wanted[self.row])
        found_by_place = np.empty_like(found)
        found_by_place[sort_rows(self.row[place])] = found[sort_rows(row)]
        return place, found_by_place

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
    (pair, pair_row), order = at_once(
        lambda: sorted_with_rows(user * n_items + item),
        lambda: sort_rows(descending_key(score), user, n_users),
        n_rows=len(user),
    )
    if ties != "input":
        tied = continues_run(user[order], score[order])
        sort_within_runs(order, tied, item if ties == "item" else ~item)

    repeated = continues_run(pair)
    n_repeated = int(np.count_nonzero(repeated))
    if n_repeated:
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        sort_within_runs(pair_row, repeated, place)
        best = np.concatenate([[True], ~repeated])
        pair, pair_row = pair[best], pair_row[best]
        stays = np.zeros(len(order), dtype=bool)
        stays[pair_row] = True
        order = order[stays[order]]
    tie = np.flatnonzero(begins_run(user[order], score[order])) if find_ties else None
    n_recommended = np.bincount(user[order] if n_repeated else user, minlength=n_users)
    return Lists(order, n_recommended, pair, pair_row, len(user), n_repeated, tie)
