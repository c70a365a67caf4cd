"""What the reader of an engine delivers: columns as arrays, checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Extracted", "IdColumn", "Kind", "NumberColumn", "Wanted", "nothing"]


class Kind(Enum):
    """The kinds of ids; ids of two kinds never match, but whole floats match integers."""

    EMPTY = "no"
    INTEGER = "integer"
    FLOAT = "floating-point"
    BOOLEAN = "boolean"
    TEXT = "text"
    DATE = "datetime"
    ZONED_DATE = "zoned datetime"
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
class Wanted:
    """A column of numbers to read.

    Parameters
    ----------
    column
        Its name.
    least, above
        Numbers have to be at least, or above, this; there is no such bound by default.
    most
        Numbers must not be larger than this.
    optional
        Whether the frame may lack the column.
    option
        The option that names the column, for messages.
    """

    column: str
    least: float | None = None
    above: float | None = None
    most: float | None = None
    optional: bool = False
    option: str | None = None

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        start = f"above {self.above:g}" if self.above is not None else f"from {self.least:g}"
        return f"{start} up to {self.most:g}"

    def outside(self, values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which numbers are out of bounds; a missing one is not."""
        outside = np.zeros(len(values), dtype=bool)
        if self.least is not None:
            outside |= values < self.least
        if self.above is not None:
            outside |= values <= self.above
        if self.most is not None:
            outside |= values > self.most
        return outside


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
    item, numbers
        Items, and numbers by the name of their column, of the rows to keep; ``None`` for an
        optional column that is not there.
    n_dropped
        Rows that are left out because something is missing, the user included.
    take_users, take_items
        Ids at given rows of ``user`` and of ``item``, in the caller's own type.
    describe_row
        The original position and the two ids of one row to keep, for messages.
    """

    name: str
    user: IdColumn
    keep: npt.NDArray[np.bool_] | None
    item: IdColumn
    numbers: Mapping[str, npt.NDArray[Any] | None]
    n_dropped: int
    take_users: Callable[[npt.NDArray[np.integer[Any]]], pd.Series]
    take_items: Callable[[npt.NDArray[np.integer[Any]]], pd.Series]
    describe_row: Callable[[int], tuple[int, object, object]]

    def number(self, column: str) -> npt.NDArray[Any]:
        """A column that is there."""
        values = self.numbers[column]
        assert values is not None, f"{column} is optional"
        return values


def nothing(name: str, number: str) -> Extracted:
    """What is read of a frame that a metric ignores."""
    no_ids = IdColumn(Kind.EMPTY, np.zeros(0, dtype=np.int64))
    empty = pd.Series(dtype=np.int64)
    return Extracted(
        name=name,
        user=no_ids,
        keep=None,
        item=no_ids,
        numbers={number: np.zeros(0)},
        n_dropped=0,
        take_users=empty.take,
        take_items=empty.take,
        describe_row=lambda row: (row, None, None),
    )
