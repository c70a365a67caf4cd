"""The one sort of the package: a stable order of rows, by sorting packed integers.

NumPy sorts plain 64-bit integers several times faster than it finds a sorting permutation. So the
group, the key and the number of a row are packed into one integer, the row last, and the sorted
integers are unpacked. The row makes every integer distinct: the order is stable, and the same on
every processor. Where the three need more than 64 bits, the low bits of the key are left out and
only the few rows that they would have told apart are sorted again, by those bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["descending_key", "sort_rows", "sort_within_runs", "sorted_with_rows"]

_SIGN = np.uint64(2**63)
ROWS_PER_PART = 500_000


def descending_key(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Integers that ascend where the values descend, and are equal where the values are."""
    if values.dtype.kind == "f":
        # Adding zero merges -0.0 with 0.0. Read as integers, negative floats ascend the wrong
        # way round, until all their bits but the sign are inverted.
        bits = (0.0 - values.astype(np.float64, copy=False)).view(np.int64)
        bits ^= (bits >> np.int64(63)) & np.int64(2**63 - 1)
        return bits
    if values.dtype.kind == "u":
        inverted: npt.NDArray[np.int64] = (~values.astype(np.uint64) ^ _SIGN).view(np.int64)
        return inverted
    return ~values.astype(np.int64)


def sort_rows(
    key: npt.NDArray[np.int64],
    group: npt.NDArray[np.int64] | None = None,
    n_groups: int = 1,
) -> npt.NDArray[np.int64]:
    """Row numbers in the order of group, then key, then row.

    Parameters
    ----------
    key
        Any 64-bit integers.
    group, n_groups
        Integers from 0 to below ``n_groups``; one group when not given.
    """
    n_rows = len(key)
    if n_rows < 2:
        return np.arange(n_rows)
    lowest = int(key.min())
    key_bits = (int(key.max()) - lowest).bit_length()
    row_bits = (n_rows - 1).bit_length()
    group_bits = (n_groups - 1).bit_length() if group is not None else 0
    left_out = max(0, group_bits + key_bits + row_bits - 64)

    offset = _distance(key, lowest)
    del key
    packed = offset >> np.uint64(left_out) if left_out else offset
    if group is not None:
        shift = np.uint64(key_bits - left_out)
        for part in _parts(n_rows):
            packed[part] |= group[part].astype(np.uint64) << shift
    _append_rows(packed, row_bits)
    packed.sort()

    continues = _agree_above(packed, row_bits) if left_out else None
    packed &= np.uint64(2**row_bits - 1)
    order = packed.view(np.int64)
    if continues is not None:
        _sort_by_low_bits(order, continues, offset, left_out)
    return order


def sorted_with_rows(
    key: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Keys in ascending order, and their rows in the order of key, then row."""
    n_rows = len(key)
    if n_rows < 2:
        return key, np.arange(n_rows)
    lowest = int(key.min())
    row_bits = (n_rows - 1).bit_length()
    if (int(key.max()) - lowest).bit_length() + row_bits > 64:
        order = sort_rows(key)
        return key[order], order
    # Unpacking both is quicker than looking the keys up by their rows.
    packed = _distance(key, lowest)
    del key
    _append_rows(packed, row_bits)
    packed.sort()
    row = (packed & np.uint64(2**row_bits - 1)).view(np.int64)
    packed >>= np.uint64(row_bits)
    packed += np.uint64(lowest % 2**64)
    return packed.view(np.int64), row


def _append_rows(packed: npt.NDArray[np.uint64], row_bits: int) -> None:
    """Make room for the number of the row behind what is packed, and put it there."""
    packed <<= np.uint64(row_bits)
    for part in _parts(len(packed)):
        packed[part] |= np.arange(part.start, part.stop, dtype=np.uint64)


def _parts(n_rows: int) -> list[slice]:
    """All rows, part by part: temporary arrays stay small."""
    starts = range(0, n_rows, ROWS_PER_PART)
    return [slice(start, min(start + ROWS_PER_PART, n_rows)) for start in starts]


def sort_within_runs(
    order: npt.NDArray[np.int64], continues: npt.NDArray[np.bool_], key: npt.NDArray[np.int64]
) -> None:
    """Sort each run of an order by another key of the rows, in place.

    ``continues[i]`` says that place ``i + 1`` belongs to the same run as place ``i``.
    """
    joined = np.zeros(len(order), dtype=bool)
    joined[1:] = continues
    starts_alone = ~joined
    joined[:-1] |= continues
    places = np.flatnonzero(joined)
    if not len(places):
        return
    run = np.cumsum(starts_alone[places]) - 1
    rows = order[places]
    order[places] = rows[sort_rows(key[rows], run, int(run[-1]) + 1)]


def _sort_by_low_bits(
    order: npt.NDArray[np.int64],
    continues: npt.NDArray[np.bool_],
    offset: npt.NDArray[np.uint64],
    n_bits: int,
) -> None:
    earlier = np.flatnonzero(continues)
    disordered = offset[order[earlier]] > offset[order[earlier + 1]]
    if disordered.any():
        low_bits = (offset & np.uint64(2**n_bits - 1)).view(np.int64)
        sort_within_runs(order, continues, low_bits)


def _agree_above(packed: npt.NDArray[np.uint64], n_bits: int) -> npt.NDArray[np.bool_]:
    """Whether neighbours differ in nothing but their low bits."""
    difference = packed[1:] ^ packed[:-1]
    agree: npt.NDArray[np.bool_] = difference < np.uint64(2**n_bits)
    return agree


def _distance(key: npt.NDArray[np.int64], lowest: int) -> npt.NDArray[np.uint64]:
    # Subtraction modulo 2**64 is right even where the difference exceeds an int64.
    return key.view(np.uint64) - np.uint64(lowest % 2**64)
