"""Runs of equal values in sorted columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["begins_run", "continues_run"]

Flags = npt.NDArray[np.bool_]


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
