"""Small operations on arrays that have one entry per row, or one per user."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["at_most", "begins_run", "continues_run", "ratio", "sum_per_user"]

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def continues_run(*columns: npt.NDArray[Any]) -> Flags:
    """Whether each entry but the first equals the one before it, in all columns."""
    same: Flags = columns[0][1:] == columns[0][:-1]
    for column in columns[1:]:
        same &= column[1:] == column[:-1]
    return same


def begins_run(*columns: npt.NDArray[Any]) -> Flags:
    """Whether each entry differs from the one before it, in any column."""
    begins = np.ones(len(columns[0]), dtype=bool)
    np.logical_not(continues_run(*columns), out=begins[1:])
    return begins


def at_most(counts: Integers, k: int | None) -> Integers:
    """Counts cut at k, which may be larger than any array can hold."""
    return counts if k is None or k > np.iinfo(np.int64).max else np.minimum(counts, k)


def sum_per_user(user: Integers, values: npt.NDArray[Any], n_users: int) -> Floats:
    """Sum values over the entries of each user, in the order in which they come."""
    return np.bincount(user, weights=values, minlength=n_users).astype(np.float64, copy=False)


def ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Divide, with 0 where the denominator is 0: such a user has nothing to be divided."""
    # Dividing all and mending a few is quicker than asking for each whether it can be divided.
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: Floats = numerator / denominator
    quotient[denominator == 0] = 0.0
    return quotient
