"""Ids of two frames as integer codes: equal ids, and only equal ids, get the same code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import InvalidDataError
from jurity_reco.frames import IdColumn, Kind
from jurity_reco.hashing import is_exact_integer

__all__ = ["Codes", "encode"]

_DATES = {Kind.DATE, Kind.ZONED_DATE, Kind.DURATION}
_NUMBERS = {Kind.BOOLEAN, Kind.INTEGER, Kind.FLOAT}
# Types of Python objects that are also types of columns, the narrower first.
_FAMILIES: tuple[tuple[Any, Kind], ...] = (
    ((bool, np.bool_), Kind.BOOLEAN),
    ((int, np.integer), Kind.INTEGER),
    ((float, np.floating), Kind.FLOAT),
    (str, Kind.TEXT),
    (datetime, Kind.DATE),
    (timedelta, Kind.DURATION),
)


@dataclass(frozen=True)
class Codes:
    """Codes of both frames, all of them at least 0 and below ``n_codes``.

    A code may belong to nobody: a gap between integer ids, or an unused category. Where any 64-bit
    integers will do, ``n_codes`` is 2**64, and codes can be negative.
    """

    actual: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    n_codes: int


def encode(
    actual: IdColumn,
    predicted: IdColumn,
    column: str,
    *,
    limit: int | None,
    order: str | None = None,
    frames: tuple[str, str] = ("actual", "predicted"),
) -> Codes:
    """Encode the ids of one column of both frames.

    Parameters
    ----------
    actual, predicted
        The ids; none of them is missing.
    column
        Name of the column, for messages.
    limit
        Codes have to be from 0 to below this, unless there are more different ids; ``None``: any
        64-bit integers will do.
    order
        Whether codes have to be in the order of the ids by ``"value"``, or as ``"text"``.
    frames
        Names of the frames, for messages.
    """
    left, right = _comparable(actual, predicted, column, frames)
    if left.dtype.kind in "iu" and right.dtype.kind in "iu":
        codes = _encode_integers(left, right, limit, order)
    else:
        codes = _encode_by_hash(left, right, column, order)
    return Codes(
        actual=_of_rows(codes.actual, actual.codes),
        predicted=_of_rows(codes.predicted, predicted.codes),
        n_codes=codes.n_codes,
    )


def _of_rows(
    codes: npt.NDArray[np.int64], categories: npt.NDArray[np.integer[Any]] | None
) -> npt.NDArray[np.int64]:
    return codes if categories is None else codes[categories]


def _comparable(
    actual: IdColumn, predicted: IdColumn, column: str, frames: tuple[str, str]
) -> tuple[Any, Any]:
    """The values of both columns as arrays that compare exactly, or an error."""
    left, right = actual.values, predicted.values
    kinds = {actual.kind, predicted.kind}
    if Kind.EMPTY in kinds:
        # Nothing to compare: an empty column takes the type of the other one.
        if actual.kind is Kind.EMPTY:
            left = right[:0]
        if predicted.kind is Kind.EMPTY:
            right = left[:0]
        kinds = kinds - {Kind.EMPTY} or {Kind.INTEGER}
    if kinds == {Kind.INTEGER, Kind.FLOAT}:
        left, right = _whole(left), _whole(right)
        if left is None or right is None:
            raise InvalidDataError.ids_not_whole(column)
        kinds = {Kind.INTEGER}
    if len(kinds) > 1 or kinds == {Kind.OBJECT}:
        in_actual, in_predicted = _types(actual), _types(predicted)
        if in_actual and in_predicted and not in_actual & in_predicted:
            raise InvalidDataError.ids_cannot_match(column, (in_actual, in_predicted), frames)
        return _objects(actual.kind, left), _objects(predicted.kind, right)
    if kinds <= _DATES:
        return _common_dates(left, right, column)
    if kinds == {Kind.INTEGER}:
        return _common_integers(left, right)
    if left.dtype == right.dtype:
        return left, right
    return _objects(actual.kind, left), _objects(predicted.kind, right)


def _types(ids: IdColumn) -> set[str]:
    """What the ids of a column are, in words."""
    if ids.kind is Kind.EMPTY:
        return set()
    if ids.kind is not Kind.OBJECT:
        return {ids.kind.value}
    types: set[str] = set()
    for type_ in set(map(type, ids.values)):
        kinds = [kind.value for family, kind in _FAMILIES if issubclass(type_, family)]
        types.add(kinds[0] if kinds else type_.__name__)
    # The type of an object does not tell whether it has a time zone.
    return types | {Kind.ZONED_DATE.value} if Kind.DATE.value in types else types


def _objects(kind: Kind, values: Any) -> npt.NDArray[np.object_]:
    # Through pandas, because NumPy turns dates into integers.
    series = pd.Series(values)
    if kind is Kind.ZONED_DATE:
        series = series.dt.tz_localize("UTC")
    return series.to_numpy(dtype=object)


def _whole(values: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Floats as the integers they stand for, or None if some do not."""
    if values.dtype.kind != "f":
        return values
    return values.astype(np.int64) if is_exact_integer(values).all() else None


def _common_integers(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> tuple[Any, Any]:
    """Both as int64 or both as uint64, never through floats; as objects where neither fits."""
    if left.dtype.kind == right.dtype.kind == "i":
        return left.astype(np.int64, copy=False), right.astype(np.int64, copy=False)
    bounds = [int(bound) for side in (left, right) if len(side) for bound in _bounds(side)]
    if not bounds or max(bounds) < 2**63:
        return left.astype(np.int64, copy=False), right.astype(np.int64, copy=False)
    if min(bounds) >= 0:
        return left.astype(np.uint64, copy=False), right.astype(np.uint64, copy=False)
    return left.astype(object), right.astype(object)


def _bounds(values: npt.NDArray[Any]) -> tuple[Any, Any]:
    return values.min(), values.max()


def _common_dates(
    left: npt.NDArray[Any], right: npt.NDArray[Any], column: str
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    unit = np.promote_types(left.dtype, right.dtype)
    finer = []
    for values in (left, right):
        converted = values.astype(unit)
        if not np.array_equal(converted.astype(values.dtype), values):
            raise InvalidDataError.dates_out_of_range(column)
        finer.append(converted.view(np.int64))
    return finer[0], finer[1]


def _encode_integers(
    left: npt.NDArray[Any], right: npt.NDArray[Any], limit: int | None, order: str | None
) -> Codes:
    if limit is None:
        limit = 2**64
        if order != "text":
            return Codes(_signed(left), _signed(right), limit)
    bounds = [int(bound) for side in (left, right) if len(side) for bound in _bounds(side)]
    if not bounds:
        return Codes(left.view(np.int64), right.view(np.int64), 0)
    if order == "text":
        codes, uniques = pd.factorize(np.concatenate([left, right]))
        return _split(*_in_order(codes, uniques.astype(str)), len(left))
    lowest, highest = min(bounds), max(bounds)
    if lowest >= 0 and highest < limit:
        return Codes(left.view(np.int64), right.view(np.int64), highest + 1)
    if highest - lowest < limit:
        offset = left.dtype.type(lowest)
        return Codes(
            (left - offset).view(np.int64), (right - offset).view(np.int64), highest - lowest + 1
        )
    return _split(*pd.factorize(np.concatenate([left, right]), sort=order == "value"), len(left))


def _signed(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Integers as signed ones in the same order."""
    if values.dtype.kind == "u":
        values = values ^ np.uint64(2**63)
    return values.view(np.int64)


def _encode_by_hash(left: Any, right: Any, column: str, order: str | None) -> Codes:
    both = _concatenate(left, right)
    try:
        codes, uniques = pd.factorize(both)
    except TypeError as error:
        raise InvalidDataError.ids_not_hashable(column, str(error)) from None
    is_object = both.dtype == object
    is_text = pd.api.types.infer_dtype(uniques, skipna=False) == "string"
    if is_object and is_text and not np.array_equal(uniques[codes], both):
        # pandas 2 reads text up to its first zero character, unless something else is with it.
        codes, uniques = pd.factorize(np.append(both, [None]))
        codes = codes[:-1]
    if order is not None:
        values = _objects(Kind.OBJECT, uniques)
        if order == "text":
            values = np.array([str(value) for value in values], dtype=object)
        try:
            codes, uniques = _in_order(codes, values)
        except TypeError as error:
            raise InvalidDataError.ids_not_ordered(column, str(error)) from None
    if is_object and not is_text:
        tags, n_tags = _number_types(both)
        return _split(codes * n_tags + tags, range(len(uniques) * n_tags), len(left))
    return _split(codes, uniques, len(left))


def _concatenate(left: Any, right: Any) -> Any:
    if isinstance(left, np.ndarray):
        return np.concatenate([left, right])
    return type(left)._concat_same_type([left, right])


def _split(codes: npt.NDArray[np.int64], uniques: Any, n_left: int) -> Codes:
    return Codes(codes[:n_left], codes[n_left:], len(uniques))


def _in_order(
    codes: npt.NDArray[np.int64], values: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """Codes in the order of the values that they stand for."""
    order = np.argsort(values, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[codes], values[order]


def _number_types(values: npt.NDArray[np.object_]) -> tuple[npt.NDArray[np.int64], int]:
    """A tag for each object that keeps 1, 1.0 and True apart, which a hash table merges."""
    types, kinds = pd.factorize(np.fromiter(map(type, values), dtype=object, count=len(values)))
    numbers = [family for family, kind in _FAMILIES if kind in _NUMBERS]
    tag_of_type = [
        next((tag for tag, family in enumerate(numbers, 1) if issubclass(kind, family)), 0)
        for kind in kinds
    ]
    return np.array(tag_of_type, dtype=np.int64)[types], len(numbers) + 1
