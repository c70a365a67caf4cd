"""Tables of metrics from plain Python lists and sets, which need no sort and no join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import InvalidDataError
from jurity_reco.hashing import hash_series
from jurity_reco.hits import Grades, Hits
from jurity_reco.tables import LeavesOut, Recommendations, Tables, Users

__all__ = ["checked_items", "refuse_repeats", "tables_of_lists"]

Integers = npt.NDArray[np.int64]


def tables_of_lists(
    lists: Sequence[Sequence[Any]], grades: Sequence[Mapping[Any, float]]
) -> Tables:
    """What a match would deliver for lists of items, best first, and the grades of other items.

    Users are numbered in the order in which they come, and each of them counts as judged.

    Parameters
    ----------
    lists
        The recommendations of each user, in which no item comes twice.
    grades
        The relevant items of each user, and how relevant they are, above 0.
    """
    code_of_item: dict[Any, int] = {}
    user, rank, item = [], [], []
    hit_user, hit_rank, hit_grade = [], [], []
    for number, (items, relevant) in enumerate(zip(lists, grades, strict=True)):
        for place, one in enumerate(items, start=1):
            user.append(number)
            rank.append(place)
            item.append(code_of_item.setdefault(one, len(code_of_item)))
            if one in relevant:
                hit_user.append(number)
                hit_rank.append(place)
                hit_grade.append(float(relevant[one]))
    n_users = len(lists)
    everybody = np.ones(n_users, dtype=bool)
    judged_user = np.repeat(np.arange(n_users), [len(relevant) for relevant in grades])
    judged_grade = np.array([grade for one in grades for grade in one.values()], dtype=np.float64)
    codes = pd.Series(np.arange(len(code_of_item)))
    return Tables(
        users=Users(
            n_recommended=_integers([len(items) for items in lists]),
            n_relevant=_integers([len(relevant) for relevant in grades]),
            judged=everybody,
            present=everybody,
        ),
        hits=Hits(
            _integers(hit_user),
            _integers(hit_rank),
            None,
            None,
            n_users,
            np.array(hit_grade, dtype=np.float64),
        ),
        rows=None,
        recommendations=Recommendations(
            user=_integers(user),
            rank=_integers(rank),
            item=_integers(item),
            score=-_integers(rank),
            estimate=None,
            target=None,
            n_items=len(code_of_item),
        ),
        grades=Grades.of_items(judged_user, judged_grade, n_users),
        leaves_out=LeavesOut(),
        user_column="user_id",
        by_first_appearance=lambda chosen: (
            np.flatnonzero(chosen),
            pd.Series(np.flatnonzero(chosen)),
        ),
        hash_logged_items=lambda: np.sort(hash_series(codes)),
        recommended_items=lambda: (np.arange(len(codes)), codes),
    )


def checked_items(option: str, value: Any) -> list[Any]:
    """Items in an order, of which none comes twice.

    Parameters
    ----------
    option
        What they are called in a message.
    value
        A list, a tuple, or anything else with one dimension and an order.
    """
    ordered = isinstance(value, (Sequence, pd.Series, pd.Index)) or (
        isinstance(value, np.ndarray) and value.ndim == 1
    )
    if not ordered or isinstance(value, (str, bytes)):
        raise InvalidDataError.not_items(option, "a list of items, best first", value)
    items = list(value)
    refuse_repeats(option, items)
    return items


def refuse_repeats(option: str, items: Sequence[Any]) -> None:
    """Refuse a list in which an item comes twice."""
    try:
        count = Counter(items)
    except TypeError as error:
        raise InvalidDataError.not_hashable(option, str(error)) from None
    if len(count) < len(items):
        raise InvalidDataError.repeated_in_list(next(one for one in items if count[one] > 1))


def _integers(values: Sequence[int]) -> Integers:
    return np.array(values, dtype=np.int64)
