"""From codes of users back to the caller's own ids."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import union_categoricals

from jurity_reco.arrays import begins_run
from jurity_reco.frames import Extracted
from jurity_reco.kernel.joined import AnyIntegers
from jurity_reco.match.encode import Codes, first_rows
from jurity_reco.order import sort_rows

__all__ = ["by_first_appearance", "distinct_items", "occurring"]

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def occurring(codes: AnyIntegers, n_codes: int) -> Flags:
    """Which codes occur."""
    occurs = np.zeros(n_codes, dtype=bool)
    occurs[codes] = True
    return occurs


def by_first_appearance(
    codes: Codes, actual: Extracted, predicted: Extracted, chosen: Flags
) -> tuple[Integers, pd.Series]:
    """Chosen users in the order in which they appear in ``actual`` and then in ``predicted``.

    Returns their codes and their ids.
    """
    n_actual = len(codes.actual)
    first_row = first_rows(codes.actual, codes.predicted, codes.n_codes)
    code = np.flatnonzero(chosen)
    code = code[sort_rows(first_row[code])]
    row = first_row[code]
    n_from_actual = int(np.searchsorted(row, n_actual))
    ids = _join_ids(
        actual.take_users(row[:n_from_actual]),
        predicted.take_users(row[n_from_actual:] - n_actual),
    )
    return code, ids.reset_index(drop=True)


def distinct_items(codes: AnyIntegers, extracted: Extracted) -> tuple[Integers, pd.Series]:
    """Codes and ids of the distinct items of a frame."""
    # Any row of an item will do, and sorting rows by item finds one for each.
    codes = codes.astype(np.int64, copy=False)
    order = sort_rows(codes)
    first = order[begins_run(codes[order])]
    return codes[first], extracted.take_items(first)


def _join_ids(left: pd.Series, right: pd.Series) -> pd.Series:
    """One column of both, in the type of ``actual`` where the two types are the same."""
    if not len(right):
        return left
    if not len(left):
        return right
    if left.dtype == right.dtype:
        joined: pd.Series = pd.concat([left, right])
        return joined
    if isinstance(left.dtype, pd.CategoricalDtype) and isinstance(right.dtype, pd.CategoricalDtype):
        return pd.Series(union_categoricals([left, right], ignore_order=True))
    if sorted((left.dtype.kind, right.dtype.kind)) in (["f", "i"], ["f", "u"]):
        # Floats matched integers, so they are whole; as objects, 1.0 and 1 would be two users.
        if all(bool((ids.abs() <= 2**53).all()) for ids in (left, right)):
            return pd.concat([left.astype(np.float64), right.astype(np.float64)])
        left, right = (
            ids.astype(object).map(int) if ids.dtype.kind == "f" else ids for ids in (left, right)
        )
    # Through objects: pandas would join int64 and uint64 as floats, which merges large ids.
    exact: pd.Series = pd.concat([left.astype(object), right.astype(object)])
    return exact.infer_objects() if len(set(map(type, exact))) == 1 else exact
