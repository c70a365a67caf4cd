"""Reading pandas frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import ColumnNotFoundError, InvalidDataError, UnsupportedFrameError
from jurity_reco.frames._pandas_columns import read_ids, read_numbers
from jurity_reco.frames.extracted import Extracted, Wanted

__all__ = ["extract"]


def extract(
    frame: Any, name: str, *, user: str, item: str, numbers: Sequence[Wanted], on_invalid: str
) -> Extracted:
    """Read one pandas frame; see :func:`jurity_reco.frames.extract`."""
    if not isinstance(frame, pd.DataFrame):
        raise UnsupportedFrameError.for_object(name, frame)
    users, items = _column(frame, name, user), _column(frame, name, item)
    user_ids, item_ids = read_ids(users), read_ids(items)
    values: dict[str, npt.NDArray[Any] | None] = {}
    missing = {user: user_ids.missing, item: item_ids.missing}
    outside: dict[Wanted, npt.NDArray[np.bool_]] = {}
    for wanted in numbers:
        if wanted.optional and wanted.column not in frame.columns:
            values[wanted.column] = None
            continue
        read = read_numbers(_column(frame, name, wanted.column, wanted.option), name, wanted.column)
        values[wanted.column] = read.values
        missing[wanted.column] = _either(missing.get(wanted.column), read.missing)
        if wanted.most is not None and (beyond := wanted.outside(read.values)).any():
            outside[wanted] = beyond

    keep, n_dropped, positions = None, 0, None
    if outside or any(mask is not None for mask in missing.values()):
        if on_invalid == "refuse":
            _refuse(name, missing, outside, values)
        known = ~_filled(user_ids.missing, len(frame))
        bad = [_filled(mask, len(frame)) for mask in missing.values()] + list(outside.values())
        complete = ~np.logical_or.reduce(bad)
        n_dropped = len(frame) - int(complete.sum())
        keep = complete[known]
        users, items = users[known], items[complete]
        user_ids, item_ids = user_ids.filter(known), item_ids.filter(complete)
        values = {
            column: None if column_values is None else column_values[complete]
            for column, column_values in values.items()
        }
        positions = np.flatnonzero(complete)

    def describe_row(row: int) -> tuple[int, object, object]:
        user_row = row if keep is None else int(np.flatnonzero(keep)[row])
        position = row if positions is None else int(positions[row])
        return position, users.iloc[user_row], items.iloc[row]

    return Extracted(
        name=name,
        user=user_ids,
        keep=keep,
        item=item_ids,
        numbers=values,
        n_dropped=n_dropped,
        take_users=users.take,
        take_items=items.take,
        describe_row=describe_row,
    )


def _column(frame: pd.DataFrame, name: str, column: str, option: str | None = None) -> pd.Series:
    try:
        series: pd.Series | pd.DataFrame = frame[column]
    except KeyError:
        raise ColumnNotFoundError.in_frame(
            name, column, frame.columns, frame.index.names, option
        ) from None
    if isinstance(series, pd.DataFrame):
        raise InvalidDataError.repeated_column(name, column, series.shape[1])
    if isinstance(series.dtype, np.dtype) and not series.dtype.isnative:
        # pandas itself cannot take rows of a column in the byte order of another machine.
        return series.astype(series.dtype.newbyteorder("="))
    return series


def _refuse(
    name: str,
    missing: Mapping[str, npt.NDArray[np.bool_] | None],
    outside: Mapping[Wanted, npt.NDArray[np.bool_]],
    values: Mapping[str, npt.NDArray[Any] | None],
) -> None:
    for column, mask in missing.items():
        if mask is not None:
            raise InvalidDataError.missing_values(name, column, int(mask.sum()), int(mask.argmax()))
    for wanted, mask in outside.items():
        first = int(mask.argmax())
        numbers = values[wanted.column]
        assert numbers is not None
        raise InvalidDataError.out_of_bounds(
            name, wanted.column, wanted.bounds, int(mask.sum()), first, numbers[first]
        )


def _either(
    mask: npt.NDArray[np.bool_] | None, other: npt.NDArray[np.bool_] | None
) -> npt.NDArray[np.bool_] | None:
    if mask is None or other is None:
        return other if mask is None else mask
    return mask | other


def _filled(mask: npt.NDArray[np.bool_] | None, length: int) -> npt.NDArray[np.bool_]:
    return np.zeros(length, dtype=bool) if mask is None else mask
