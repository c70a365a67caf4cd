"""The kernel in NumPy and pandas, for where no compiler was: slower, with the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.kernel.joined import Coded, Joined, JoinedHits, JoinedRows, Numbered, Order
from jurity_reco.kernel.judgements import all_pairs, relevant_pairs
from jurity_reco.kernel.lists import rank_lists

__all__ = ["item_limit", "join", "number_integers", "number_text"]


def item_limit(n_rows: int) -> int | None:
    """Codes of items have to be below this: a pair of user and item is one 64-bit integer."""
    # There can be four codes of users for each row.
    return 2**60 // max(n_rows, 1)


def number_integers(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Numbered:
    """Numbers of integers of both columns in the order of their first appearance.

    Parameters
    ----------
    left, right
        Both of them ``int64``, or both ``uint64``.
    """
    numbers, uniques = pd.factorize(np.concatenate([left, right]))
    return Numbered(numbers[: len(left)], numbers[len(left) :], len(uniques))


def number_text(left: Any, right: Any) -> Numbered:
    """Numbers of texts of both columns in the order of their first appearance.

    Parameters
    ----------
    left, right
        Arrays of Python strings or of pandas, without missing values.
    """
    if isinstance(left, np.ndarray) or left.dtype != right.dtype:
        both = np.concatenate([np.asarray(values, dtype=object) for values in (left, right)])
    else:
        both = type(left)._concat_same_type([left, right])
    numbers, uniques = pd.factorize(both)
    if isinstance(both, np.ndarray) and not np.array_equal(uniques[numbers], both):
        # pandas 2 reads text up to its first zero character, unless something else is with it.
        numbers, uniques = pd.factorize(np.append(both, [None]))
        numbers = numbers[:-1]
    return Numbered(numbers[: len(left)], numbers[len(left) :], len(uniques))


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
    user, item = (codes.astype(np.int64, copy=False) for codes in (lists.user, lists.item))
    ranked = rank_lists(
        user,
        item,
        lists.number,
        n_users=n_users,
        n_items=n_items,
        ties=order.ties,
        find_ties=order.find_ties,
    )
    judge = all_pairs if order.every_row else relevant_pairs
    judgements = judge(log.user.astype(np.int64, copy=False) * n_items + log.item, log.number)
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
