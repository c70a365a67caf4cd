"""The join in NumPy, for where no compiler was: slower, with the same results."""

from __future__ import annotations

import numpy as np

from jurity_reco.kernel.joined import Coded, Joined, JoinedHits, JoinedRows, Order
from jurity_reco.kernel.judgements import all_pairs, relevant_pairs
from jurity_reco.kernel.lists import rank_lists

__all__ = ["item_limit", "join"]


def item_limit(n_users: int) -> int | None:
    """Codes of items have to be below this: a pair of user and item is one 64-bit integer."""
    return 2**62 // max(n_users, 1)


def join(lists: Coded, log: Coded, order: Order, *, n_users: int, n_items: int) -> Joined:
    """Rank all lists and find in them what the log is about.

    Parameters
    ----------
    lists, log
        The recommendations and what users did.
    order
        How to rank, and what to say.
    n_users, n_items
        All codes are from 0 to below these.
    """
    ranked = rank_lists(
        lists.user,
        lists.item,
        lists.number,
        n_users=n_users,
        n_items=n_items,
        ties=order.ties,
        find_ties=order.find_ties,
    )
    judge = all_pairs if order.every_row else relevant_pairs
    judgements = judge(log.user * n_items + log.item, log.number)
    place, found = ranked.find(judgements.pair)
    user = judgements.pair[found] // max(n_items, 1)
    rank = ranked.rank(place, user)
    hit = judgements.relevant[found]
    tie_first, tie_size = ranked.tie_at(place[hit], user[hit]) if order.find_ties else (None, None)
    rows, n_repeated_log = None, None
    if order.every_row:
        number, log_row = judgements.rows_of(found)
        rows = JoinedRows(user[number], rank[number], log_row, ranked.row[place[number]])
        n_repeated_log = len(log) - len(judgements.pair)
    judged = np.zeros(n_users, dtype=bool)
    judged[log.user] = True
    return Joined(
        n_recommended=ranked.n_recommended,
        n_relevant=np.bincount(
            judgements.pair[judgements.relevant] // max(n_items, 1), minlength=n_users
        ),
        judged=judged,
        hits=JoinedHits(user[hit], rank[hit], tie_first, tie_size),
        n_repeated=ranked.n_repeated,
        rows=rows,
        n_repeated_log=n_repeated_log,
        list_row=ranked.row if order.whole_lists else None,
    )
