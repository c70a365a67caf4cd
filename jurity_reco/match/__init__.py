"""Encode ids, rank each user's list, join the two frames: the only sort and the only join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.columns import Columns
from jurity_reco.errors import InvalidDataError
from jurity_reco.frames import Extracted, Wanted, extract, nothing
from jurity_reco.hashing import hash_series
from jurity_reco.hits import Grades, Hits
from jurity_reco.match.encode import encode
from jurity_reco.match.judgements import all_pairs, is_relevant, relevant_pairs
from jurity_reco.match.lists import rank_lists, repeated_rows
from jurity_reco.match.users import by_first_appearance, distinct_items, occurring
from jurity_reco.tables import LeavesOut, Need, Recommendations, Rows, Tables, Users

__all__ = ["MatchRules", "PolicyColumns", "match"]

Floats = npt.NDArray[np.float64]
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
        Order of equal scores: ``"input"``, ``"item"``, ``"item descending"`` or
        ``"item text descending"``.
    duplicates
        ``"refuse"`` a repeated recommendation, or keep the ``"best"`` of them.
    on_invalid
        ``"refuse"`` rows that lack something, or ``"drop"`` them.
    policy
        What estimates from logs read in addition; metrics without them do not share their match,
        because a row that is bad for an estimate may be good for others.
    ignores_actual
        Whether ``actual`` is not looked at, and may be anything.
    """

    columns: Columns
    threshold: float | None
    ties: str
    duplicates: str
    on_invalid: str
    policy: PolicyColumns | None = None
    ignores_actual: bool = False


@dataclass(frozen=True)
class PolicyColumns:
    """The columns of an estimate from logs.

    Parameters
    ----------
    logged
        Column of ``actual``: with which probability the item was shown. None if nobody knows.
    logged_optional
        Whether ``actual`` may lack that column.
    target
        Column of ``predicted``: with which probability the item would be shown.
    estimate
        Column of ``predicted``: the value that a model expects; the score, if it is not there. None
        if nobody asks.
    repeated
        ``"refuse"`` a pair of user and item that was logged twice, or take the ``"mean"``.
    """

    logged: str | None
    logged_optional: bool
    target: str | None
    estimate: str | None
    repeated: str

    @property
    def of_actual(self) -> list[Wanted]:
        """What to read of ``actual``."""
        if self.logged is None:
            return []
        return [Wanted(self.logged, above=0, most=1, optional=self.logged_optional)]

    @property
    def of_predicted(self) -> list[Wanted]:
        """What to read of ``predicted``."""
        wanted = []
        if self.estimate is not None:
            wanted.append(Wanted(self.estimate, optional=True))
        if self.target is not None:
            wanted.append(Wanted(self.target, least=0, most=1))
        return wanted


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
    columns, policy = rules.columns, rules.policy
    if rules.ignores_actual:
        log = nothing("actual", columns.label)
    else:
        log = extract(
            actual,
            "actual",
            user=columns.user,
            item=columns.item,
            numbers=[Wanted(columns.label), *(policy.of_actual if policy else [])],
            on_invalid=rules.on_invalid,
        )
    recommended = extract(
        predicted,
        "predicted",
        user=columns.user,
        item=columns.item,
        numbers=[
            Wanted(columns.score, option="score_column"),
            *(policy.of_predicted if policy else []),
        ],
        on_invalid=rules.on_invalid,
    )
    label, score = log.number(columns.label), recommended.number(columns.score)

    # A table over a range of user ids that is no longer than the frames costs less than a hash.
    users = encode(
        log.user, recommended.user, columns.user, limit=len(log.user) + len(recommended.user)
    )
    n_users = users.n_codes
    # A pair of user and item has to fit a 64-bit integer; tables over items have to fit memory.
    largest_pair = 2**62 // max(n_users, 1)
    n_rows = len(log.item) + len(recommended.item)
    items = encode(
        log.item,
        recommended.item,
        columns.item,
        limit=min(largest_pair, n_rows) if Need.LISTS in needs else largest_pair,
        order=_order_of_items(rules.ties),
    )
    n_items = items.n_codes

    listed_user = _complete(users.predicted, recommended)
    judged_user = _complete(users.actual, log)
    relevant = is_relevant(label, rules.threshold)
    every_row = bool(needs & (Need.ROWS | Need.GRADES))
    judge = all_pairs if every_row else relevant_pairs
    lists = rank_lists(
        listed_user,
        items.predicted,
        score,
        n_users=n_users,
        n_items=n_items,
        ties=rules.ties,
        find_ties=Need.TIES in needs,
    )
    judgements = judge(judged_user * n_items + items.actual, relevant)
    if lists.n_repeated and rules.duplicates == "refuse":
        row = repeated_rows(listed_user, items.predicted, n_items)
        position, user_id, item_id = recommended.describe_row(int(row[0]))
        raise InvalidDataError.repeated_pairs(
            (columns.user, columns.item), len(row), (user_id, item_id), position
        )

    if policy and policy.repeated == "refuse" and len(judgements.pair) < len(judged_user):
        row = repeated_rows(judged_user, items.actual, n_items)
        position, user_id, item_id = log.describe_row(int(row[0]))
        raise InvalidDataError.repeated_interactions(
            (columns.user, columns.item), len(row), (user_id, item_id), position
        )

    place, found = lists.find(judgements.pair)
    user = judgements.pair[found] // max(n_items, 1)
    rank = lists.rank(place, user)
    hit = judgements.relevant[found]
    tie_first, tie_size = (
        lists.tie_at(place[hit], user[hit]) if Need.TIES in needs else (None, None)
    )
    grades, grade_of_hit = None, None
    if Need.GRADES in needs:
        grade = judgements.highest(label)
        grade_of_hit = grade[found][hit]
        grades = Grades.of_items(
            judgements.pair[judgements.relevant] // max(n_items, 1),
            grade[judgements.relevant],
            n_users,
        )
    rows = None
    if Need.ROWS in needs:
        number, row = judgements.rows_of(found)
        listed_row = lists.row[place[number]]
        rows = Rows(
            user=user[number],
            rank=rank[number],
            label=label[row],
            score=score[listed_row],
            relevant=relevant[row],
            propensity=_values_at(log, policy.logged if policy else None, row),
            target=_values_at(recommended, policy.target if policy else None, listed_row),
            estimate=_values_at(recommended, policy.estimate if policy else None, listed_row),
        )
    recommendations = None
    if Need.LISTS in needs:
        recommendations = Recommendations(
            user=listed_user[lists.row],
            rank=lists.rank(np.arange(len(lists.row)), listed_user[lists.row]),
            item=items.predicted[lists.row],
            score=score[lists.row],
            estimate=_values_at(recommended, policy.estimate if policy else None, lists.row),
            target=_values_at(recommended, policy.target if policy else None, lists.row),
            n_items=n_items,
        )
    judged, present = occurring(judged_user, n_users), lists.n_recommended > 0
    # Users all of whose rows were left out are there all the same.
    present |= judged if log.keep is None else occurring(users.actual, n_users)
    if recommended.keep is not None:
        present |= occurring(users.predicted, n_users)
    return Tables(
        users=Users(
            n_recommended=lists.n_recommended,
            n_relevant=np.bincount(
                judgements.pair[judgements.relevant] // max(n_items, 1), minlength=n_users
            ),
            judged=judged,
            present=present,
        ),
        hits=Hits(user[hit], rank[hit], tie_first, tie_size, n_users, grade_of_hit),
        rows=rows,
        recommendations=recommendations,
        grades=grades,
        leaves_out=LeavesOut(log.n_dropped, recommended.n_dropped, lists.n_repeated),
        user_column=columns.user,
        by_first_appearance=lambda chosen: by_first_appearance(users, log, recommended, chosen),
        hash_logged_items=lambda: np.sort(hash_series(distinct_items(items.actual, log)[1])),
        recommended_items=lambda: distinct_items(items.predicted, recommended),
        ignores_actual=rules.ignores_actual,
    )


def _order_of_items(ties: str) -> str | None:
    """In which order codes of items have to be, so that they decide between equal scores."""
    if ties == "input":
        return None
    return "text" if ties == "item text descending" else "value"


def _complete(user: Integers, extracted: Extracted) -> Integers:
    """Users of the rows that lack nothing."""
    return user if extracted.keep is None else user[extracted.keep]


def _values_at(extracted: Extracted, column: str | None, row: Integers) -> Floats | None:
    """Numbers of a column at some rows, if the column was asked for and is there."""
    values = None if column is None else extracted.numbers.get(column)
    return None if values is None else values[row].astype(np.float64)
