"""Options of metrics, checked when a metric is made."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from jurity_reco.errors import InvalidOptionError

__all__ = [
    "check_choice",
    "check_column",
    "checked_beta",
    "checked_count",
    "checked_cutoff",
    "checked_integer",
    "checked_sample_size",
    "checked_seed",
    "checked_threshold",
    "checked_weight",
    "warn_about_sample_size",
]


def checked_cutoff(k: Any) -> int | None:
    """A cut-off as a Python integer."""
    return None if k is None else checked_count("k", k)


def checked_count(option: str, value: Any, *, optional: bool = True) -> int:
    """A positive number of something as a Python integer."""
    count = _integer(value)
    if count is None or count < 1:
        raise InvalidOptionError.not_a_count(option, value, optional=optional)
    return count


def checked_integer(option: str, value: Any) -> int:
    """An integer other than 0 as a Python integer."""
    integer = _integer(value)
    if not integer:
        raise InvalidOptionError.not_an_integer(option, value)
    return integer


def checked_seed(value: Any) -> int:
    """A seed as a Python integer."""
    seed = _integer(value)
    if seed is None or seed < 0:
        raise InvalidOptionError.not_a_seed(value)
    return seed


def _integer(value: Any) -> int | None:
    # True and False are integers for Python, but nobody means them as a number.
    if isinstance(value, (bool, np.bool_)):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def checked_sample_size(value: Any) -> int | float | str | None:
    """A number of users, a share of them below 1, None for everybody, or "auto"."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return value
    if isinstance(value, (float, np.floating)) and 0 < value < math.inf:
        if value > 1:
            warn_about_sample_size()
        return float(value) if value < 1 else None
    number = _integer(value)
    if number is None or number < 1:
        raise InvalidOptionError.not_a_sample_size(value)
    return number


def warn_about_sample_size() -> None:
    """Say that a sample cannot be larger than the whole."""
    warnings.warn(
        "User_sample_size can not be larger than total number of users. "
        "Everybody is in the sample.",
        UserWarning,
        stacklevel=2,
    )


def checked_threshold(threshold: Any) -> float | None:
    """A threshold as a float."""
    if threshold is None:
        return None
    number = _number(threshold)
    if math.isnan(number):
        raise InvalidOptionError.not_a_threshold(threshold)
    return number


def checked_weight(weight: Any) -> float:
    """A largest weight as a float."""
    number = _number(weight)
    if not number > 0:
        raise InvalidOptionError.not_a_weight(weight)
    return number


def checked_beta(beta: Any) -> float:
    """How much one of two metrics counts, as a float."""
    number = _number(beta)
    if not 0 < number < math.inf:
        raise InvalidOptionError.not_a_beta(beta)
    return number


def _number(value: Any) -> float:
    try:
        return math.nan if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def check_column(option: str, value: Any) -> None:
    """Refuse what is no name of a column."""
    if not isinstance(value, str):
        raise InvalidOptionError.not_a_column(option, value)


def check_choice(option: str, choices: Sequence[str], value: Any) -> None:
    """Refuse what is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidOptionError.not_a_choice(option, choices, value)
