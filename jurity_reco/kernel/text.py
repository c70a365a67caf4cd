"""Columns of text as the compiled kernel reads them: Arrow buffers, or Python strings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["ArrowText", "pieces_of_text"]

_OFFSETS = {"string": np.int32, "large_string": np.int64}


@dataclass(frozen=True)
class ArrowText:
    """Texts one after the other: each begins at an offset into the data and ends at the next."""

    offsets: npt.NDArray[Any]
    data: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.offsets) - 1


def pieces_of_text(values: Any) -> Iterator[ArrowText | npt.NDArray[np.object_]]:
    """The pieces of a column without missing values, in their order and without a copy."""
    if isinstance(values, np.ndarray):
        yield np.ascontiguousarray(values)
        return
    column = values.__arrow_array__()
    for piece in getattr(column, "chunks", [column]):
        if not len(piece):
            continue
        if str(piece.type) not in _OFFSETS:
            piece = piece.cast("large_string")
        _, offsets, data = piece.buffers()
        dtype = np.dtype(_OFFSETS[str(piece.type)])
        yield ArrowText(
            # An Arrow array can be part of its buffers.
            np.frombuffer(offsets, dtype, len(piece) + 1, piece.offset * dtype.itemsize),
            # All texts may be empty, but the data has to have an address.
            np.frombuffer(data if data is not None and data.size else b"\0", dtype=np.uint8),
        )
