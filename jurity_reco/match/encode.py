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
from jurity_reco.kernel import Numbered, kernel_for
from jurity_reco.kernel.joined import AnyIntegers
from jurity_reco.threads import each, worthwhile_threads

__all__ = ["Codes", "encode", "first_rows"]

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

    actual: AnyIntegers
    predicted: AnyIntegers
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
    left, right, kind = _comparable(actual, predicted, column, frames)
    if kind is Kind.INTEGER:
        codes = _encode_integers(left, right, limit, order, column)
    elif kind is Kind.TEXT:
        numbered = kernel_for(len(left) + len(right)).number_text(left, right)
        codes = _in_order(numbered, left, right, order, column)
    else:
        codes = _encode_objects(left, right, order, column)
    return Codes(
        actual=_of_rows(codes.actual, actual.codes),
        predicted=_of_rows(codes.predicted, predicted.codes),
        n_codes=codes.n_codes,
    )


def _of_rows(codes: AnyIntegers, categories: npt.NDArray[np.integer[Any]] | None) -> AnyIntegers:
    return codes if categories is None else codes[categories]


def _comparable(
    actual: IdColumn, predicted: IdColumn, column: str, frames: tuple[str, str]
) -> tuple[Any, Any, Kind]:
    """The values of both columns as arrays that compare exactly and their kind, or an error."""
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
        return _objects(actual.kind, left), _objects(predicted.kind, right), Kind.OBJECT
    if kinds <= _DATES:
        return *_common_dates(left, right, column), Kind.INTEGER
    if kinds == {Kind.INTEGER}:
        left, right = _common_integers(left, right)
        return left, right, Kind.OBJECT if left.dtype == object else Kind.INTEGER
    return left, right, kinds.pop()


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
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values
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
    pieces = np.array_split(values, worthwhile_threads(len(values)))
    bounds = each(lambda piece: (piece.min(), piece.max()), pieces, n_rows=len(values))
    return min(least for least, _ in bounds), max(most for _, most in bounds)


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
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    limit: int | None,
    order: str | None,
    column: str,
) -> Codes:
    if limit is None and order != "text":
        return Codes(_signed(left), _signed(right), 2**64)
    bounds = [int(bound) for side in (left, right) if len(side) for bound in _bounds(side)]
    if not bounds:
        return Codes(left.view(np.int64), right.view(np.int64), 0)
    lowest, highest = min(bounds), max(bounds)
    if order != "text" and limit is not None and highest - lowest < limit:
        if lowest >= 0 and highest < limit:
            return Codes(left.view(np.int64), right.view(np.int64), highest + 1)
        offset = left.dtype.type(lowest)
        return Codes(
            (left - offset).view(np.int64), (right - offset).view(np.int64), highest - lowest + 1
        )
    numbered = kernel_for(len(left) + len(right)).number_integers(left, right)
    return _in_order(numbered, left, right, order, column)


def _signed(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Integers as signed ones in the same order."""
    if values.dtype.kind == "u":
        values = values ^ np.uint64(2**63)
    return values.view(np.int64)


def _encode_objects(left: Any, right: Any, order: str | None, column: str) -> Codes:
    """Codes of anything that can be hashed."""
    both = np.concatenate([left, right])
    try:
        numbers, uniques = pd.factorize(both)
    except TypeError as error:
        raise InvalidDataError.ids_not_hashable(column, str(error)) from None
    numbered = Numbered(numbers[: len(left)], numbers[len(left) :], len(uniques))
    codes = _in_order(numbered, left, right, order, column)
    if both.dtype != object:
        return codes
    tags, n_tags = _number_types(both)
    return Codes(
        codes.actual * n_tags + tags[: len(left)],
        codes.predicted * n_tags + tags[len(left) :],
        codes.n_codes * n_tags,
    )


def _in_order(numbered: Numbered, left: Any, right: Any, order: str | None, column: str) -> Codes:
    """Numbers of ids as codes in the order of the ids, if there has to be one."""
    if order is None:
        return Codes(numbered.left, numbered.right, numbered.n_numbers)
    row = first_rows(numbered.left, numbered.right, numbered.n_numbers)
    from_left = row < len(left)
    values = np.concatenate(
        [
            _objects(Kind.OBJECT, left[row[from_left]]),
            _objects(Kind.OBJECT, right[row[~from_left] - len(left)]),
        ]
    )
    if order == "text":
        values = np.array([str(value) for value in values], dtype=object)
    try:
        ascending = np.argsort(values, kind="stable")
    except TypeError as error:
        raise InvalidDataError.ids_not_ordered(column, str(error)) from None
    code = np.empty(len(ascending), dtype=np.int64)
    code[ascending] = np.arange(len(ascending))
    return Codes(code[numbered.left], code[numbered.right], numbered.n_numbers)


def first_rows(left: AnyIntegers, right: AnyIntegers, n_codes: int) -> npt.NDArray[np.int64]:
    """The first row of each code, counted through both columns; anything for one without rows."""
    n_left, n_rows = len(left), len(left) + len(right)
    row = np.empty(n_codes, dtype=np.int64)
    # Of several values assigned to one place the last one stays: written back to front, the first.
    row[right[::-1]] = np.arange(n_rows - 1, n_left - 1, -1)
    row[left[::-1]] = np.arange(n_left - 1, -1, -1)
    return row


def _number_types(values: npt.NDArray[np.object_]) -> tuple[npt.NDArray[np.int64], int]:
    """A tag for each object that keeps 1, 1.0 and True apart, which a hash table merges."""
    types, kinds = pd.factorize(np.fromiter(map(type, values), dtype=object, count=len(values)))
    numbers = [family for family, kind in _FAMILIES if kind in _NUMBERS]
    tag_of_type = [
        next((tag for tag, family in enumerate(numbers, 1) if issubclass(kind, family)), 0)
        for kind in kinds
    ]
    return np.array(tag_of_type, dtype=np.int64)[types], len(numbers) + 1
