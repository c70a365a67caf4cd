"""The one stable hash of an id.

The same id has the same 64-bit hash in every process, on every machine, whatever the type of the
column it stands in. Whatever has to recognise a user without keeping the id, or to draw the same
lot for a user everywhere, builds on it. Values that were stored with one version must never be
compared with those of another, so a change of any hash is a new version.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["HASH_VERSION", "hash_ids", "hash_series", "is_exact_integer"]

HASH_VERSION = 1

Hashes = npt.NDArray[np.uint64]

# Beyond this, neighbouring whole numbers are the same 64-bit float.
_EXACT_FLOATS = 2**53
# Added before mixing, so that ids of two kinds do not collide.
_INTEGER, _FLOAT, _BOOLEAN, _DATE, _DURATION, _FRACTION, _OBJECT, _LARGE = (
    np.uint64(number * 0x9E3779B97F4A7C15 % 2**64) for number in range(1, 9)
)


def hash_ids(ids: npt.NDArray[Any]) -> Hashes:
    """Hash ids, none of which is missing.

    Parameters
    ----------
    ids
        A NumPy array of integers, floats, booleans, dates, durations or objects. Whole floats
        below 2**53 hash like the integers they equal, larger ones like none. Among objects, text,
        numbers and dates with a time hash by their value, and anything else by its type and its
        ``repr``.
    """
    kind = ids.dtype.kind
    if kind == "i":
        return _mix(ids.astype(np.int64).view(np.uint64) + _INTEGER)
    if kind == "u":
        # From 2**63 on, an unsigned integer has the bits of a negative one.
        values = ids.astype(np.uint64)
        return _mix(values + np.where(values >> np.uint64(63), _LARGE, _INTEGER))
    if kind == "b":
        return _mix(ids.astype(np.uint64) + _BOOLEAN)
    if kind == "f":
        return _hash_floats(ids.astype(np.float64))
    if kind in "mM":
        return _hash_dates(ids)
    return _hash_objects(ids.astype(object))


def hash_series(ids: pd.Series) -> Hashes:
    """Hash the ids of a column, none of which is missing."""
    dtype = ids.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        codes = ids.cat.codes.to_numpy()
        return hash_series(ids.cat.categories.to_series())[codes]
    if isinstance(dtype, pd.DatetimeTZDtype):
        return hash_ids(ids.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if isinstance(dtype, np.dtype):
        return hash_ids(ids.to_numpy())
    if dtype.kind in "biuf":
        exact = {"b": np.bool_, "i": np.int64, "u": np.uint64, "f": np.float64}[dtype.kind]
        return hash_ids(ids.to_numpy(dtype=exact))
    return hash_ids(ids.to_numpy(dtype=object))


def is_exact_integer(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Which floats are whole numbers that no other integer shares."""
    exact: npt.NDArray[np.bool_] = (np.abs(values) < _EXACT_FLOATS) & (values == np.floor(values))
    return exact


def _mix(values: Hashes) -> Hashes:
    """Spread 64 bits over 64 bits, one to one: the finaliser of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _hash_floats(values: npt.NDArray[np.float64]) -> Hashes:
    whole = is_exact_integer(values)
    hashes = _mix(values.view(np.uint64) + _FLOAT)
    hashes[whole] = hash_ids(values[whole].astype(np.int64))
    return hashes


def _hash_dates(values: npt.NDArray[Any]) -> Hashes:
    """Whole seconds and the rest of a second, so that the resolution does not matter."""
    seconds = values.astype(f"{values.dtype.kind}8[s]")
    # Converting cuts towards zero or towards the past; only the difference has to fit.
    rest = (values - seconds).astype("m8[ns]").view(np.int64)
    salt = _DATE if values.dtype.kind == "M" else _DURATION
    return _mix(seconds.view(np.uint64) + salt) ^ _mix(rest.view(np.uint64) + _FRACTION)


def _hash_objects(values: npt.NDArray[np.object_]) -> Hashes:
    types, kinds = pd.factorize(np.fromiter(map(type, values), dtype=object, count=len(values)))
    if len(kinds) == 1 and issubclass(kinds[0], (float, np.floating)):
        return _hash_floats(values.astype(np.float64))
    hashes = np.empty(len(values), dtype=np.uint64)
    for number, kind in enumerate(kinds):
        members = types == number
        hashes[members] = _hash_objects_of_type(values[members], kind)
    return hashes


def _hash_objects_of_type(values: npt.NDArray[np.object_], kind: type) -> Hashes:
    if issubclass(kind, str):
        try:
            return pd.util.hash_array(values, categorize=False)
        except UnicodeEncodeError:
            # Text with half a surrogate pair has no UTF-8.
            escaped = np.array([ascii(value) for value in values], dtype=object)
            return pd.util.hash_array(escaped, categorize=False)
    if issubclass(kind, (bool, np.bool_)):
        return hash_ids(values.astype(bool))
    if issubclass(kind, (int, np.integer)):
        try:
            return hash_ids(values.astype(np.int64))
        except OverflowError:
            return np.array([_hash_large_integer(int(value)) for value in values], dtype=np.uint64)
    if issubclass(kind, (float, np.floating)):
        # Beside objects of other types, 1.0 is not 1.
        return _mix(values.astype(np.float64).view(np.uint64) + _FLOAT)
    if issubclass(kind, timedelta):
        return hash_ids(pd.TimedeltaIndex(pd.to_timedelta(list(values))).to_numpy())
    if issubclass(kind, datetime):
        return hash_series(pd.Series(pd.DatetimeIndex(pd.to_datetime(list(values), utc=True))))
    described = np.array([f"{kind.__qualname__} {value!r}" for value in values], dtype=object)
    return _mix(pd.util.hash_array(described, categorize=False) + _OBJECT)


def _hash_large_integer(value: int) -> int:
    """The hash that an integer has in any column that can hold it."""
    for exact, least, most in ((np.int64, -(2**63), 2**63), (np.uint64, 0, 2**64)):
        if least <= value < most:
            return int(hash_ids(np.array([value], dtype=exact))[0])
    text = np.array([str(value)], dtype=object)
    return int(_mix(pd.util.hash_array(text, categorize=False) + _LARGE)[0])
