"""Splits of interactions into those to learn from and those to test on."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import (
    ColumnNotFoundError,
    InvalidDataError,
    InvalidOptionError,
    UnsupportedFrameError,
)
from jurity_reco.order import sort_rows

__all__ = ["leave_one_out", "time_based_split"]

_Table = TypeVar("_Table", pd.DataFrame, npt.NDArray[Any])
Integers = npt.NDArray[np.int64]


def time_based_split(
    interactions: _Table, timestamp_col: Any, test_ratio: float = 0.2
) -> tuple[_Table, _Table]:
    """Learn from the past, test on the future.

    The last ``round(n * test_ratio)`` of n interactions are the test. Interactions of the same time
    keep their order.

    Parameters
    ----------
    interactions
        A pandas frame, or a matrix with a row per interaction.
    timestamp_col
        The name of the column of time, or its number in a matrix.
    test_ratio
        Share of the interactions to test on.

    Returns
    -------
    tuple
        What to learn from and what to test on, both in the order of time.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco.split import time_based_split
    >>> seen = pd.DataFrame({"user_id": [1, 2, 1, 2], "item_id": [5, 6, 7, 8], "day": [3, 1, 2, 4]})
    >>> learn, test = time_based_split(seen, "day", test_ratio=0.25)
    >>> test["item_id"].tolist()
    [8]
    """
    if not isinstance(test_ratio, Real) or isinstance(test_ratio, bool) or not 0 <= test_ratio <= 1:
        raise InvalidOptionError.not_a_share("test_ratio", test_ratio)
    if isinstance(interactions, pd.DataFrame):
        time = _column(interactions, timestamp_col)
    elif isinstance(interactions, np.ndarray) and interactions.ndim == 2:
        if not isinstance(timestamp_col, (int, np.integer)) or not (
            -interactions.shape[1] <= timestamp_col < interactions.shape[1]
        ):
            raise ColumnNotFoundError.in_frame(
                "interactions", timestamp_col, range(interactions.shape[1]), []
            )
        time = pd.Series(interactions[:, timestamp_col])
    else:
        raise UnsupportedFrameError.for_interactions(interactions)
    missing = int(time.isna().sum())
    if missing:
        raise InvalidDataError.no_time(timestamp_col, missing)
    try:
        # pandas knows the order of categories.
        by_time = time.reset_index(drop=True).sort_values(kind="stable")
    except TypeError as error:
        raise InvalidDataError.mixed_times(timestamp_col, str(error)) from None
    order = by_time.index.to_numpy()
    n_learn = len(order) - round(len(order) * test_ratio)
    return _rows(interactions, order[:n_learn]), _rows(interactions, order[n_learn:])


def leave_one_out(
    interactions: _Table,
    user_id_column: str = "user_id",
    *,
    rng: np.random.Generator | int | None = None,
) -> tuple[_Table, _Table]:
    """Keep one random interaction of each user with two or more to test on.

    Parameters
    ----------
    interactions
        A pandas frame with a row per interaction; or a matrix with a row per user and a column per
        item, in which everything but 0 is an interaction.
    user_id_column
        Column of users, in a frame.
    rng
        Random numbers, or a seed for them.

    Returns
    -------
    tuple
        What to learn from and what to test on: of a frame, its rows in their order; of a matrix,
        matrices of the same shape.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco.split import leave_one_out
    >>> seen = pd.DataFrame({"user_id": ["ann", "ann", "bob"], "item_id": [5, 6, 7]})
    >>> learn, test = leave_one_out(seen, rng=1)
    >>> len(learn), len(test), test["user_id"].tolist()
    (2, 1, ['ann'])
    """
    try:
        generator = np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InvalidOptionError.not_a_generator(rng) from None
    if isinstance(interactions, pd.DataFrame):
        users = _column(interactions, user_id_column)
        try:
            codes, ids = pd.factorize(users)
        except TypeError as error:
            raise InvalidDataError.ids_not_hashable(user_id_column, str(error)) from None
        missing = int((codes < 0).sum())
        if missing:
            raise InvalidDataError.missing_values(
                "interactions", user_id_column, missing, int((codes < 0).argmax())
            )
        held = np.zeros(len(codes), dtype=bool)
        held[_one_of_each(codes, len(ids), generator)] = True
        return interactions[~held], interactions[held]
    if isinstance(interactions, np.ndarray) and interactions.ndim == 2:
        if interactions.dtype.kind not in "biuf" or np.isnan(interactions).any():
            raise InvalidDataError.not_numbers_of_interactions(interactions.dtype)
        user, item = interactions.nonzero()
        chosen = _one_of_each(user, len(interactions), generator)
        learn, test = interactions.copy(), np.zeros_like(interactions)
        learn[user[chosen], item[chosen]] = 0
        test[user[chosen], item[chosen]] = interactions[user[chosen], item[chosen]]
        return learn, test
    raise UnsupportedFrameError.for_interactions(interactions)


def _one_of_each(user: Integers, n_users: int, rng: np.random.Generator) -> Integers:
    """A random row of each user with two or more."""
    count = np.bincount(user, minlength=n_users)
    start = np.cumsum(count) - count
    several = np.flatnonzero(count > 1)
    place = start[several] + rng.integers(0, count[several])
    chosen: Integers = sort_rows(user.astype(np.int64))[place]
    return chosen


def _column(interactions: pd.DataFrame, column: Any) -> pd.Series:
    """A column of a frame, which has to be there once."""
    count = list(interactions.columns).count(column)
    if count == 0:
        raise ColumnNotFoundError.in_frame(
            "interactions", column, interactions.columns, interactions.index.names
        )
    if count > 1:
        raise InvalidDataError.repeated_column("interactions", column, count)
    values: pd.Series = interactions[column]
    return values


def _rows(table: Any, rows: Integers) -> Any:
    return table.iloc[rows] if isinstance(table, pd.DataFrame) else table[rows]
