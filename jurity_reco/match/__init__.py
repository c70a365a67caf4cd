"""Encode ids, rank each user's list, join the two frames: the only sort and the only join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.columns import Columns
from jurity_reco.errors import InvalidDataError
from jurity_reco.frames import Extracted, extract
from jurity_reco.match.encode import encode
from jurity_reco.match.judgements import all_pairs, is_relevant, relevant_pairs
from jurity_reco.match.lists import rank_lists, repeated_rows
from jurity_reco.match.users import by_first_appearance, occurring
from jurity_reco.tables import Hits, LeavesOut, Need, Rows, Tables, Users

__all__ = ["MatchRules", "match"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MatchRules:
    """All that decides how two frames are matched; metrics with equal rules share one match.

    Parameters
    ----------
    columns
        The columns to read.
    threshold
        A label is relevant from here on; ``None``: above 0.
    ties
        Order of equal scores: ``"input"``, ``"item"`` or ``"item descending"``.
    duplicates
        ``"refuse"`` a repeated recommendation, or keep the ``"best"`` of them.
    on_invalid
        ``"refuse"`` rows that lack something, or ``"drop"`` them.
    """

    columns: Columns
    threshold: float | None
    ties: str
    duplicates: str
    on_invalid: str


def match(rules: MatchRules, actual: Any, predicted: Any, needs: Need) -> Tables:
    """Match two frames.

    Parameters
    ----------
    rules
        What to read and how.
    actual, predicted
        The frames, which are not modified.
    needs
        What the metrics look at.
    """
    columns = rules.columns
    log = extract(
        actual,
        "actual",
        user=columns.user,
        item=columns.item,
        number=columns.label,
        on_invalid=rules.on_invalid,
    )
    recommended = extract(
        predicted,
        "predicted",
        user=columns.user,
        item=columns.item,
        number=columns.score,
        on_invalid=rules.on_invalid,
    )

    # A table over a range of user ids that is no longer than the frames costs less than a hash.
    users = encode(
        log.user, recommended.user, columns.user, limit=len(log.user) + len(recommended.user)
    )
    n_users = users.n_codes
    # A pair of user and item has to fit a 64-bit integer.
    items = encode(
        log.item,
        recommended.item,
        columns.item,
        limit=2**62 // max(n_users, 1),
        ordered=rules.ties != "input",
    )
    n_items = items.n_codes

    listed_user = _complete(users.predicted, recommended)
    lists = rank_lists(
        listed_user,
        items.predicted,
        recommended.number.values,
        n_users=n_users,
        n_items=n_items,
        ties=rules.ties,
        find_ties=Need.TIES in needs,
    )
    if lists.n_repeated and rules.duplicates == "refuse":
        row = repeated_rows(listed_user, items.predicted, n_items)
        position, user_id, item_id = recommended.describe_row(int(row[0]))
        raise InvalidDataError.repeated_pairs(
            (columns.user, columns.item), len(row), (user_id, item_id), position
        )

    judged_user = _complete(users.actual, log)
    relevant = is_relevant(log.number.values, rules.threshold)
    pairs = judged_user * n_items + items.actual
    judgements = (
        all_pairs(pairs, relevant) if Need.ROWS in needs else relevant_pairs(pairs, relevant)
    )

    place, found = lists.find(judgements.pair)
    user = judgements.pair[found] // max(n_items, 1)
    rank = lists.rank(place, user)
    hit = judgements.relevant[found]
    tie_first, tie_size = (
        lists.tie_at(place[hit], user[hit]) if Need.TIES in needs else (None, None)
    )
    rows = None
    if Need.ROWS in needs:
        number, row = judgements.rows_of(found)
        rows = Rows(
            user=user[number],
            rank=rank[number],
            label=log.number.values[row],
            score=recommended.number.values[lists.row[place[number]]],
            relevant=relevant[row],
        )
    return Tables(
        users=Users(
            n_recommended=lists.n_recommended,
            n_relevant=np.bincount(
                judgements.pair[judgements.relevant] // max(n_items, 1), minlength=n_users
            ),
            judged=occurring(judged_user, n_users),
            present=occurring(users.actual, n_users) | occurring(users.predicted, n_users),
        ),
        hits=Hits(user[hit], rank[hit], tie_first, tie_size, n_users),
        rows=rows,
        leaves_out=LeavesOut(log.n_dropped, recommended.n_dropped, lists.n_repeated),
        user_column=columns.user,
        by_first_appearance=lambda chosen: by_first_appearance(users, log, recommended, chosen),
    )


def _complete(user: Integers, extracted: Extracted) -> Integers:
    """Users of the rows that lack nothing."""
    return user if extracted.keep is None else user[extracted.keep]
