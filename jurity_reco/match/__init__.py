"""Encode ids, rank each user's list, join the two frames: the only sort and the only join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import continues_run
from jurity_reco.columns import Columns
from jurity_reco.errors import InvalidDataError
from jurity_reco.frames import Extracted, Wanted, extract, nothing
from jurity_reco.hashing import hash_series
from jurity_reco.hits import Hits
from jurity_reco.kernel import Coded, Joined, Order, kernel_for
from jurity_reco.kernel.joined import AnyIntegers
from jurity_reco.match.encode import encode
from jurity_reco.match.grades import all_grades, grades_of_hits
from jurity_reco.match.users import by_first_appearance, distinct_items, occurring
from jurity_reco.tables import LeavesOut, Need, Recommendations, Rows, Tables, Users
from jurity_reco.threads import at_once

__all__ = ["MatchRules", "PolicyColumns", "match"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


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

    def read_actual() -> Extracted:
        if rules.ignores_actual:
            return nothing("actual", columns.label)
        return extract(
            actual,
            "actual",
            user=columns.user,
            item=columns.item,
            numbers=[Wanted(columns.label), *(policy.of_actual if policy else [])],
            on_invalid=rules.on_invalid,
        )

    def read_predicted() -> Extracted:
        return extract(
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

    # What is wrong with actual is said first, and below what is wrong with users.
    recommended, log = at_once(read_predicted, read_actual, n_rows=_size(predicted))
    label, score = log.number(columns.label), recommended.number(columns.score)

    n_rows = len(log.user) + len(recommended.user)
    kernel = kernel_for(n_rows)
    item_limit = kernel.item_limit(n_rows)
    if needs & (Need.LISTS | Need.GRADES):
        # Tables over items have to fit memory.
        item_limit = n_rows if item_limit is None else min(item_limit, n_rows)
    items, users = at_once(
        lambda: encode(
            log.item,
            recommended.item,
            columns.item,
            limit=item_limit,
            order=_order_of_items(rules.ties),
        ),
        # A table over a range of user ids that is no longer than the frames costs less than a hash.
        lambda: encode(log.user, recommended.user, columns.user, limit=n_rows),
        n_rows=n_rows,
    )
    n_users, n_items = users.n_codes, items.n_codes

    listed_user = _complete(users.predicted, recommended)
    judged_user = _complete(users.actual, log)
    relevant = _is_relevant(label, rules.threshold)
    joined: Joined = kernel.join(
        Coded(listed_user, items.predicted, score),
        Coded(judged_user, items.actual, relevant),
        Order(
            rules.ties,
            find_ties=Need.TIES in needs,
            every_row=bool(needs & (Need.ROWS | Need.GRADES)),
            whole_lists=Need.LISTS in needs,
        ),
        n_users=n_users,
        n_items=n_items,
    )
    if joined.n_repeated and rules.duplicates == "refuse":
        row = _repeated_rows(listed_user, items.predicted)
        position, user_id, item_id = recommended.describe_row(int(row[0]))
        raise InvalidDataError.repeated_pairs(
            (columns.user, columns.item), len(row), (user_id, item_id), position
        )
    if policy and policy.repeated == "refuse" and joined.n_repeated_log:
        row = _repeated_rows(judged_user, items.actual)
        position, user_id, item_id = log.describe_row(int(row[0]))
        raise InvalidDataError.repeated_interactions(
            (columns.user, columns.item), len(row), (user_id, item_id), position
        )

    grades, grade_of_hit = None, None
    if Need.GRADES in needs:
        assert joined.rows is not None
        grade_of_hit = grades_of_hits(joined.rows, label, relevant)
        grades = all_grades(judged_user, items.actual, label, relevant, n_users, n_items)
    rows = None
    if Need.ROWS in needs:
        assert joined.rows is not None
        row, listed_row = joined.rows.log_row, joined.rows.list_row
        rows = Rows(
            user=joined.rows.user,
            rank=joined.rows.rank,
            label=label[row],
            score=score[listed_row],
            relevant=relevant[row],
            propensity=_values_at(log, policy.logged if policy else None, row),
            target=_values_at(recommended, policy.target if policy else None, listed_row),
            estimate=_values_at(recommended, policy.estimate if policy else None, listed_row),
        )
    recommendations = None
    if joined.list_row is not None:
        row = joined.list_row
        before = np.cumsum(joined.n_recommended) - joined.n_recommended
        user = listed_user[row].astype(np.int64, copy=False)
        recommendations = Recommendations(
            user=user,
            rank=np.arange(len(row)) - before[user] + 1,
            item=items.predicted[row].astype(np.int64, copy=False),
            score=score[row],
            estimate=_values_at(recommended, policy.estimate if policy else None, row),
            target=_values_at(recommended, policy.target if policy else None, row),
            n_items=n_items,
        )
    judged, present = joined.judged, joined.n_recommended > 0
    # Users all of whose rows were left out are there all the same.
    present |= judged if log.keep is None else occurring(users.actual, n_users)
    if recommended.keep is not None:
        present |= occurring(users.predicted, n_users)
    return Tables(
        users=Users(
            n_recommended=joined.n_recommended,
            n_relevant=joined.n_relevant,
            judged=judged,
            present=present,
        ),
        hits=Hits(
            joined.hits.user,
            joined.hits.rank,
            joined.hits.tie_first,
            joined.hits.tie_size,
            n_users,
            grade_of_hit,
        ),
        rows=rows,
        recommendations=recommendations,
        grades=grades,
        leaves_out=LeavesOut(log.n_dropped, recommended.n_dropped, joined.n_repeated),
        user_column=columns.user,
        by_first_appearance=lambda chosen: by_first_appearance(users, log, recommended, chosen),
        hash_logged_items=lambda: np.sort(hash_series(distinct_items(items.actual, log)[1])),
        recommended_items=lambda: distinct_items(items.predicted, recommended),
        ignores_actual=rules.ignores_actual,
    )


def _size(frame: Any) -> int:
    """Rows of a frame, or 0 of what is none."""
    try:
        return len(frame)
    except TypeError:
        return 0


def _order_of_items(ties: str) -> str | None:
    """In which order codes of items have to be, so that they decide between equal scores."""
    if ties == "input":
        return None
    return "text" if ties == "item text descending" else "value"


def _is_relevant(label: npt.NDArray[Any], threshold: float | None) -> Flags:
    """Whether a label is above 0, or at least the threshold."""
    if label.dtype.kind == "b" and threshold is None:
        return label
    relevant: Flags = label > 0 if threshold is None else label >= threshold
    return relevant


def _repeated_rows(user: AnyIntegers, item: AnyIntegers) -> Integers:
    """Rows whose pair of user and item is in an earlier row, ascending."""
    order = np.lexsort([item, user])
    return np.sort(order[1:][continues_run(user[order], item[order])])


def _complete(user: AnyIntegers, extracted: Extracted) -> AnyIntegers:
    """Users of the rows that lack nothing."""
    return user if extracted.keep is None else user[extracted.keep]


def _values_at(extracted: Extracted, column: str | None, row: Integers) -> Floats | None:
    """Numbers of a column at some rows, if the column was asked for and is there."""
    values = None if column is None else extracted.numbers.get(column)
    return None if values is None else values[row].astype(np.float64)
