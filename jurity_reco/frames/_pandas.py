"""Reading pandas frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import ColumnNotFoundError, InvalidDataError, UnsupportedFrameError
from jurity_reco.frames.extracted import Extracted, IdColumn, Kind, NumberColumn, Wanted

__all__ = ["extract"]

_INTEGERS = (int, np.integer, np.bool_)
_NUMBERS = (*_INTEGERS, float, np.floating, Decimal)
# What pandas calls the content of an object column, and the NumPy type that holds it exactly.
_EXACT_TYPES = {"boolean": np.bool_, "integer": np.int64, "floating": np.float64}
_KINDS = {"b": Kind.BOOLEAN, "i": Kind.INTEGER, "u": Kind.INTEGER, "f": Kind.FLOAT}


def extract(
    frame: Any, name: str, *, user: str, item: str, numbers: Sequence[Wanted], on_invalid: str
) -> Extracted:
    """Read one pandas frame; see :func:`jurity_reco.frames.extract`."""
    if not isinstance(frame, pd.DataFrame):
        raise UnsupportedFrameError.for_object(name, frame)
    users, items = _column(frame, name, user), _column(frame, name, item)
    user_ids, item_ids = _ids(users), _ids(items)
    values: dict[str, npt.NDArray[Any] | None] = {}
    missing = {user: user_ids.missing, item: item_ids.missing}
    outside: dict[Wanted, npt.NDArray[np.bool_]] = {}
    for wanted in numbers:
        if wanted.optional and wanted.column not in frame.columns:
            values[wanted.column] = None
            continue
        read = _numbers(_column(frame, name, wanted.column), name, wanted.column)
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


def _column(frame: pd.DataFrame, name: str, column: str) -> pd.Series:
    try:
        series: pd.Series | pd.DataFrame = frame[column]
    except KeyError:
        raise ColumnNotFoundError.in_frame(name, column, frame.columns, frame.index.names) from None
    if isinstance(series, pd.DataFrame):
        raise InvalidDataError.repeated_column(name, column, series.shape[1])
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


def _missing(series: pd.Series) -> npt.NDArray[np.bool_] | None:
    mask = series.isna().to_numpy(dtype=bool)
    return mask if mask.any() else None


def _numbers(series: pd.Series, name: str, column: str) -> NumberColumn:
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        if dtype.kind != "f":
            return NumberColumn(series.to_numpy())
        values = series.to_numpy().astype(np.float64, copy=False)
        missing = np.isnan(values)
        return NumberColumn(values, missing if missing.any() else None)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy()
        categories = _numbers(series.cat.categories.to_series(), name, column)
        if not len(categories.values):
            return NumberColumn(np.zeros(len(codes)), _missing(series))
        return NumberColumn(categories.values[codes], _missing(series))
    missing_values = _missing(series)
    if dtype.kind in "biuf":
        target = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}[dtype.kind]
        values = series.to_numpy(dtype=target, na_value=target(0))
        if dtype.kind == "f":
            # A nullable float column can hold NaN beside its own missing value.
            unknown = np.isnan(values)
            if missing_values is not None:
                unknown |= missing_values
            missing_values = unknown if unknown.any() else None
        return NumberColumn(values, missing_values)
    return _object_numbers(series, missing_values, name, column)


def _object_numbers(
    series: pd.Series, missing: npt.NDArray[np.bool_] | None, name: str, column: str
) -> NumberColumn:
    """Numbers held as Python objects."""
    objects = series.to_numpy(dtype=object, copy=True)
    if missing is not None:
        objects[missing] = False
    types = set(map(type, objects))
    if not all(issubclass(kind, _NUMBERS) for kind in types):
        found = sorted(kind.__name__ for kind in types if not issubclass(kind, _NUMBERS))
        raise InvalidDataError.not_numbers(name, column, ", ".join(found))
    if all(issubclass(kind, _INTEGERS) for kind in types):
        try:
            return NumberColumn(objects.astype(np.int64), missing)
        except OverflowError:
            pass
    return NumberColumn(objects.astype(np.float64), missing)


def _ids(series: pd.Series) -> IdColumn:
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biu":
        kind = _KINDS[dtype.kind] if len(series) else Kind.EMPTY
        return IdColumn(kind, series.to_numpy())
    if isinstance(dtype, pd.CategoricalDtype):
        categories = _ids(series.cat.categories.to_series())
        codes = series.cat.codes.to_numpy()
        missing = codes < 0
        if missing.all():
            return IdColumn(Kind.EMPTY, np.zeros(len(codes), dtype=np.int64), None, missing)
        return IdColumn(
            categories.kind, categories.values, codes, missing if missing.any() else None
        )
    missing_ids = _missing(series)
    if missing_ids is not None and missing_ids.all():
        return IdColumn(Kind.EMPTY, np.zeros(len(series), dtype=np.int64), None, missing_ids)
    if not len(series):
        return IdColumn(Kind.EMPTY, np.zeros(0, dtype=np.int64))
    if isinstance(dtype, pd.StringDtype):
        text = series.to_numpy(dtype=object) if dtype.storage == "python" else series.array
        return IdColumn(Kind.TEXT, text, None, missing_ids)
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return IdColumn(Kind.ZONED_DATE, moments, None, missing_ids)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        kind = Kind.DATE if dtype.kind == "M" else Kind.DURATION
        return IdColumn(kind, series.to_numpy(), None, missing_ids)
    if dtype.kind in "biuf":
        numbers = _numbers(series, "", "")
        return IdColumn(_KINDS[dtype.kind], numbers.values, None, missing_ids)
    return _object_ids(series, missing_ids)


def _object_ids(series: pd.Series, missing: npt.NDArray[np.bool_] | None) -> IdColumn:
    """Ids held as Python objects, or in an Arrow type other than numbers."""
    content = str(pd.api.types.infer_dtype(series, skipna=True))
    values = series.to_numpy(dtype=object)
    if content == "string":
        if isinstance(series.dtype, np.dtype):
            return IdColumn(Kind.TEXT, values, None, missing)
        return IdColumn(Kind.TEXT, series.array, None, missing)
    if content in _EXACT_TYPES and missing is None:
        try:
            exact: npt.NDArray[Any] = values.astype(_EXACT_TYPES[content])
        except OverflowError:
            return IdColumn(Kind.OBJECT, values)
        return IdColumn(_KINDS[exact.dtype.kind], exact)
    return IdColumn(Kind.OBJECT, values, None, missing)
