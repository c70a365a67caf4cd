"""Columns of pandas frames as arrays: numbers, and ids of any type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import InvalidDataError
from jurity_reco.frames.extracted import IdColumn, Kind, NumberColumn

__all__ = ["read_ids", "read_numbers"]

Flags = npt.NDArray[np.bool_]

_INTEGERS = (int, np.integer, np.bool_)
_NUMBERS = (*_INTEGERS, float, np.floating, Decimal)
# What pandas calls the content of an object column, and the NumPy types that hold it exactly.
_EXACT_TYPES: dict[str, tuple[Any, ...]] = {
    "boolean": (np.bool_,),
    "integer": (np.int64, np.uint64),
    "floating": (np.float64,),
}
_KINDS = {"b": Kind.BOOLEAN, "i": Kind.INTEGER, "u": Kind.INTEGER, "f": Kind.FLOAT}


def read_numbers(series: pd.Series, name: str, column: str) -> NumberColumn:
    """Labels or scores: booleans, integers or floats, and which of them are missing."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes, categories, missing = _used_categories(series)
        numbers = read_numbers(categories, name, column)
        if not len(numbers.values):
            return NumberColumn(np.zeros(len(codes)), missing)
        return NumberColumn(numbers.values[codes], missing)
    if isinstance(dtype, np.dtype) and dtype.kind in "biu":
        return NumberColumn(series.to_numpy())
    if dtype.kind in "biuf":
        return _native_numbers(series)
    return _object_numbers(series, name, column)


def _native_numbers(series: pd.Series) -> NumberColumn:
    """Numbers of a NumPy, nullable or Arrow type."""
    dtype = series.dtype
    missing = None
    if isinstance(dtype, np.dtype):
        values = series.to_numpy()
    else:
        missing = _missing(series)
        exact = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}[dtype.kind]
        target = np.dtype(getattr(dtype, "numpy_dtype", exact))
        values = series.to_numpy(dtype=target, na_value=target.type(0))
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    # The smallest of some numbers is NaN if any is, and found without a flag for each.
    if values.dtype.kind == "f" and len(values) and np.isnan(values.min()):
        # A nullable float column can hold NaN beside its own missing value.
        unknown = np.isnan(values)
        if missing is not None:
            unknown |= missing
        missing = unknown
    return NumberColumn(values, missing)


def _object_numbers(series: pd.Series, name: str, column: str) -> NumberColumn:
    """Numbers held as Python objects."""
    missing = _missing(series)
    objects = series.to_numpy(dtype=object, copy=True)
    if missing is not None:
        objects[missing] = False
    types = set(map(type, objects))
    if not all(issubclass(kind, _NUMBERS) for kind in types):
        found = sorted(kind.__name__ for kind in types if not issubclass(kind, _NUMBERS))
        raise InvalidDataError.not_numbers(name, column, ", ".join(found))
    exact = (np.int64, np.uint64) if all(issubclass(kind, _INTEGERS) for kind in types) else ()
    for target in (*exact, np.float64):
        try:
            return NumberColumn(objects.astype(target), missing)
        except OverflowError:
            continue
    raise InvalidDataError.not_numbers(name, column, "integers beyond the range of floats")


def read_ids(series: pd.Series) -> IdColumn:
    """Ids of any type, in a form that compares exactly, and which of them are missing."""
    dtype = series.dtype
    if not len(series):
        return IdColumn(Kind.EMPTY, np.zeros(0, dtype=np.int64))
    if isinstance(dtype, np.dtype) and dtype.kind in "biu":
        return IdColumn(_KINDS[dtype.kind], series.to_numpy())
    if isinstance(dtype, pd.CategoricalDtype):
        codes, categories, missing = _used_categories(series)
        if not len(categories):
            return IdColumn(Kind.EMPTY, np.zeros(len(codes), dtype=np.int64), None, missing)
        ids = read_ids(categories)
        return IdColumn(ids.kind, ids.values, codes, missing)
    if dtype.kind in "biuf":
        numbers = _native_numbers(series)
        kind = Kind.EMPTY if _all(numbers.missing) else _KINDS[dtype.kind]
        return IdColumn(kind, numbers.values, None, numbers.missing)
    is_object = isinstance(dtype, np.dtype) and dtype.kind == "O"
    if is_object and pd.api.types.infer_dtype(series, skipna=False) == "string":
        # To see that all are text, and none is missing, is quicker than to look for missing ones.
        return IdColumn(Kind.TEXT, series.to_numpy())
    missing = _missing(series)
    if _all(missing):
        return IdColumn(Kind.EMPTY, np.zeros(len(series), dtype=np.int64), None, missing)
    if isinstance(dtype, pd.StringDtype):
        text = series.to_numpy(dtype=object) if dtype.storage == "python" else series.array
        return IdColumn(Kind.TEXT, text, None, missing)
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return IdColumn(Kind.ZONED_DATE, moments, None, missing)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        kind = Kind.DATE if dtype.kind == "M" else Kind.DURATION
        return IdColumn(kind, series.to_numpy(), None, missing)
    return _object_ids(series, missing)


def _object_ids(series: pd.Series, missing: Flags | None) -> IdColumn:
    """Ids held as Python objects, or in an Arrow type other than numbers."""
    content = str(pd.api.types.infer_dtype(series, skipna=True))
    if content == "string" and not isinstance(series.dtype, np.dtype):
        return IdColumn(Kind.TEXT, series.array, None, missing)
    values = series.to_numpy(dtype=object)
    if missing is not None:
        # Missing ids are left out later; until then any other one may stand in for them.
        values = values.copy()
        values[missing] = values[int((~missing).argmax())]
    if content == "string":
        return IdColumn(Kind.TEXT, values, None, missing)
    for target in _EXACT_TYPES.get(content, ()):
        try:
            exact: npt.NDArray[Any] = values.astype(target)
        except OverflowError:
            continue
        return IdColumn(_KINDS[exact.dtype.kind], exact, None, missing)
    if content in ("datetime", "datetime64"):
        zoned = [value.tzinfo is not None for value in values]
        if all(zoned) or not any(zoned):
            moments = pd.DatetimeIndex(pd.to_datetime(list(values), utc=all(zoned)))
            kind = Kind.ZONED_DATE if all(zoned) else Kind.DATE
            return IdColumn(kind, moments.tz_localize(None).to_numpy(), None, missing)
    if content in ("timedelta", "timedelta64"):
        durations = pd.TimedeltaIndex(pd.to_timedelta(list(values))).to_numpy()
        return IdColumn(Kind.DURATION, durations, None, missing)
    return IdColumn(Kind.OBJECT, values, None, missing)


def _used_categories(series: pd.Series) -> tuple[npt.NDArray[Any], pd.Series, Flags | None]:
    """Codes of a categorical column, the categories that occur, and which rows are missing."""
    categorical: Any = series.array  # whose codes are no copy
    codes, categories = categorical.codes, categorical.categories.to_series()
    missing = codes < 0
    used = np.zeros(len(categories) + 1, dtype=bool)
    used[codes] = True  # a missing row has the code -1, and uses the last place
    if not used[:-1].all():
        renumbered = np.append(np.cumsum(used[:-1]) - 1, -1)
        codes, categories = renumbered[codes], categories[used[:-1]]
    return codes, categories, missing if missing.any() else None


def _missing(series: pd.Series) -> Flags | None:
    mask = series.isna().to_numpy(dtype=bool)
    return mask if mask.any() else None


def _all(missing: Flags | None) -> bool:
    return missing is not None and bool(missing.all())
