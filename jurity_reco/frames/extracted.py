"""What the reader of an engine delivers: columns as arrays, checked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Extracted", "IdColumn", "Kind", "NumberColumn"]


class Kind(Enum):
    """The kinds of ids; ids of two kinds never match, but whole floats match integers."""

    EMPTY = "no"
    INTEGER = "integer"
    FLOAT = "floating-point"
    BOOLEAN = "boolean"
    TEXT = "text"
    DATE = "date"
    ZONED_DATE = "time-zone-aware date"
    DURATION = "duration"
    OBJECT = "object"


@dataclass(frozen=True)
class IdColumn:
    """Ids of one column: ``values[codes]``, or ``values`` alone where there are no codes.

    ``values`` is a NumPy array, or for text whatever array the engine holds. Codes come from
    categorical columns, whose categories then need to be compared instead of the rows.
    """

    kind: Kind
    values: Any
    codes: npt.NDArray[np.integer[Any]] | None = None
    missing: npt.NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.values if self.codes is None else self.codes)

    def filter(self, keep: npt.NDArray[np.bool_]) -> IdColumn:
        """The rows to keep."""
        missing = None if self.missing is None else self.missing[keep]
        if self.codes is None:
            return IdColumn(self.kind, self.values[keep], None, missing)
        return IdColumn(self.kind, self.values, self.codes[keep], missing)


@dataclass(frozen=True)
class NumberColumn:
    """Labels or scores, as booleans, integers or 64-bit floats."""

    values: npt.NDArray[Any]
    missing: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Extracted:
    """The columns of one frame, with no user missing.

    Parameters
    ----------
    name
        ``"actual"`` or ``"predicted"``, for messages.
    user
        Users of all rows in which they are known.
    keep
        Which of those rows lack nothing else; ``None`` when all do. The rest is still here
        because its users are in the frame and have to be accounted for.
    item, number
        Items, and labels or scores, of the rows to keep.
    n_dropped
        Rows that are left out because something is missing, the user included.
    take_users
        Ids at given rows of ``user``, in the caller's own type.
    describe_row
        The original position and the two ids of one row to keep, for messages.
    """

    name: str
    user: IdColumn
    keep: npt.NDArray[np.bool_] | None
    item: IdColumn
    number: NumberColumn
    n_dropped: int
    take_users: Callable[[npt.NDArray[np.integer[Any]]], Any]
    describe_row: Callable[[int], tuple[int, object, object]]
