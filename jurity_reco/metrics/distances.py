"""Distances: between sets from the sizes of their intersections, and between rows of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SETS", "VECTORS", "unit_vectors"]

Floats = npt.NDArray[np.float64]


def _cosine_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return 1 - common / np.sqrt(a * b)


def _jaccard_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return 1 - common / (a + b - common)


def _dice_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return 1 - 2 * common / (a + b)


def _difference_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return a + b - 2 * common


def _euclidean_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return np.sqrt(a + b - 2 * common)


def _hamming_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return (a + b - 2 * common) / size


def _chebyshev_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return (a + b > 2 * common).astype(np.float64)


def _braycurtis_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    return (a + b - 2 * common) / (a + b)


def _correlation_of_sets(common: Floats, a: Floats, b: Floats, size: int) -> Floats:
    # A list of all items there are has no variance, and no correlation.
    with np.errstate(invalid="ignore", divide="ignore"):
        return 1 - (common - a * b / size) / np.sqrt((a - a * a / size) * (b - b * b / size))


#: Distance of two 0/1 vectors from the number of common ones, the ones of each, and their length.
SETS: dict[str, Callable[[Floats, Floats, Floats, int], Floats]] = {
    "cosine": _cosine_of_sets,
    "jaccard": _jaccard_of_sets,
    "dice": _dice_of_sets,
    "euclidean": _euclidean_of_sets,
    "l2": _euclidean_of_sets,
    "sqeuclidean": _difference_of_sets,
    "cityblock": _difference_of_sets,
    "manhattan": _difference_of_sets,
    "l1": _difference_of_sets,
    "canberra": _difference_of_sets,
    "chebyshev": _chebyshev_of_sets,
    "hamming": _hamming_of_sets,
    "braycurtis": _braycurtis_of_sets,
    "correlation": _correlation_of_sets,
}


def unit_vectors(x: npt.NDArray[Any]) -> Floats:
    """Rows scaled to length 1; a row of zeros stays one."""
    length: Floats = np.sqrt(np.einsum("ij,ij->i", x, x))
    unit: Floats = x / np.where(length > 0, length, 1.0)[:, None]
    return unit


def _cosine(x: Floats, y: Floats) -> Floats:
    distance: Floats = 1 - np.einsum("ij,ij->i", unit_vectors(x), unit_vectors(y))
    return distance


def _correlation(x: Floats, y: Floats) -> Floats:
    distance = _cosine(x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True))
    # Equal features all along have no variance, and no correlation.
    constant = (np.ptp(x, axis=1) == 0) | (np.ptp(y, axis=1) == 0)
    return np.where(constant, np.nan, distance)


def _euclidean(x: Floats, y: Floats) -> Floats:
    return np.sqrt(_squared(x, y))


def _squared(x: Floats, y: Floats) -> Floats:
    squared: Floats = ((x - y) ** 2).sum(axis=1)
    return squared


def _cityblock(x: Floats, y: Floats) -> Floats:
    block: Floats = np.abs(x - y).sum(axis=1)
    return block


def _chebyshev(x: Floats, y: Floats) -> Floats:
    largest: Floats = np.abs(x - y).max(axis=1)
    return largest


def _hamming(x: Floats, y: Floats) -> Floats:
    unequal: Floats = (x != y).mean(axis=1)
    return unequal


def _canberra(x: Floats, y: Floats) -> Floats:
    total: Floats = _share(np.abs(x - y), np.abs(x) + np.abs(y)).sum(axis=1)
    return total


def _braycurtis(x: Floats, y: Floats) -> Floats:
    return _share(np.abs(x - y).sum(axis=1), np.abs(x + y).sum(axis=1))


def _jaccard(x: Floats, y: Floats) -> Floats:
    in_x, in_y = x != 0, y != 0
    return _share((in_x != in_y).sum(axis=1), (in_x | in_y).sum(axis=1))


def _dice(x: Floats, y: Floats) -> Floats:
    in_x, in_y = x != 0, y != 0
    return _share((in_x != in_y).sum(axis=1), in_x.sum(axis=1) + in_y.sum(axis=1))


def _share(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    """A quotient that is 0 where both are: two rows of zeros are alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(part == 0, 0.0, part / whole)


#: Distance of each row of one matrix from the same row of another.
VECTORS: dict[str, Callable[[Floats, Floats], Floats]] = {
    "cosine": _cosine,
    "jaccard": _jaccard,
    "dice": _dice,
    "euclidean": _euclidean,
    "l2": _euclidean,
    "sqeuclidean": _squared,
    "cityblock": _cityblock,
    "manhattan": _cityblock,
    "l1": _cityblock,
    "canberra": _canberra,
    "chebyshev": _chebyshev,
    "hamming": _hamming,
    "braycurtis": _braycurtis,
    "correlation": _correlation,
}
