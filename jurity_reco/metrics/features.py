"""Features of items, checked once and comparable as a value."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.arrays import begins_run
from jurity_reco.errors import (
    ColumnNotFoundError,
    InvalidDataError,
    InvalidOptionError,
    UnsupportedFrameError,
)
from jurity_reco.frames import IdColumn, read_ids, read_numbers
from jurity_reco.hashing import hash_series
from jurity_reco.match.encode import encode

__all__ = ["Catalog", "ItemFeatures", "popularity_table"]

NAME = "item_features"


@dataclass(frozen=True, repr=False)
class Catalog:
    """All items there are: how many, and which, if known.

    Parameters
    ----------
    size
        The number of items.
    hashes
        Bytes of the hashes of the items, ascending; empty if only their number is known.
    """

    size: int
    hashes: bytes = b""

    @classmethod
    def of(cls, value: Any) -> Catalog:
        """A catalogue from the number of its items, or from the items."""
        if isinstance(value, Catalog):
            return value
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value > 0:
            return cls(int(value))
        if isinstance(value, (str, bytes, dict, int, float, np.number, pd.DataFrame)):
            raise InvalidOptionError.not_a_catalog(value)
        items = pd.Series(list(value))
        if not len(items) or items.isna().any():
            raise InvalidOptionError.not_a_catalog(value)
        hashes = np.sort(hash_series(items))
        distinct = hashes[begins_run(hashes)]
        return cls(len(distinct), distinct.tobytes())

    def __repr__(self) -> str:
        if not self.hashes:
            return str(self.size)
        return f"<{self.size} items, {hashlib.sha256(self.hashes).hexdigest()[:8]}>"

    def contains(self, hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Which items are in the catalogue; all of them, if it is only known by its size."""
        if not self.hashes:
            return np.ones(len(hashes), dtype=bool)
        known = np.frombuffer(self.hashes, dtype=np.uint64)
        place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        found: npt.NDArray[np.bool_] = known[place] == hashes
        return found


def popularity_table(popularity: Any) -> ItemFeatures:
    """How many users each item had, as a feature of the items."""
    if not isinstance(popularity, (dict, pd.Series)):
        raise InvalidOptionError.not_a_popularity(popularity)
    counts = pd.Series(popularity)
    frame = pd.DataFrame({"item": counts.index.to_numpy(), "users": counts.to_numpy()})
    table = ItemFeatures(frame, "item", "popularity")
    if (table.vectors < 0).any():
        raise InvalidOptionError.not_a_popularity(popularity)
    return table


class ItemFeatures:
    """A vector of numbers for each item.

    Two of them are equal when they hold the same items with the same features in the same order.

    Parameters
    ----------
    frame
        A pandas frame with a row per item: the item column, and columns of numbers.
    item_id_column
        Name of the item column.
    name
        Name of the frame, for messages.
    """

    def __init__(self, frame: Any, item_id_column: str, name: str = NAME) -> None:
        self.name = name
        if not isinstance(frame, pd.DataFrame):
            raise UnsupportedFrameError.for_object(NAME, frame)
        if item_id_column not in frame.columns:
            raise ColumnNotFoundError.in_frame(
                NAME, item_id_column, frame.columns, frame.index.names
            )
        columns = [column for column in frame.columns if column != item_id_column]
        if not columns:
            raise InvalidDataError.no_features(item_id_column)
        for column in frame.columns[frame.columns.duplicated()][:1]:
            count = int((frame.columns == column).sum())
            raise InvalidDataError.repeated_column(NAME, column, count)
        # A copy, because a metric is a value and the caller's frame may change.
        ids = frame[item_id_column].copy(deep=True)
        self.items: IdColumn = read_ids(ids)
        _refuse(self.items.missing, item_id_column)
        try:
            repeated = ids.duplicated().to_numpy()
        except TypeError as error:
            raise InvalidDataError.ids_not_hashable(item_id_column, str(error)) from None
        if repeated.any():
            raise InvalidDataError.repeated_features(
                item_id_column, int(repeated.sum()), ids.iloc[int(repeated.argmax())]
            )
        self.vectors: npt.NDArray[np.float64] = np.empty((len(frame), len(columns)))
        for number, column in enumerate(columns):
            read = read_numbers(frame[column], NAME, column)
            _refuse(read.missing, column)
            infinite = np.isinf(read.values.astype(np.float64))
            if infinite.any():
                raise InvalidDataError.infinite_features(
                    column, int(infinite.sum()), int(infinite.argmax())
                )
            self.vectors[:, number] = read.values
        digest = hashlib.sha256(self.vectors.tobytes())
        digest.update(hash_series(ids).tobytes())
        self.digest = digest.hexdigest()

    def rows_of(self, ids: pd.Series, column: str) -> npt.NDArray[np.int64]:
        """The row of each of some items, or -1 for an item without features."""
        both = encode(
            self.items, read_ids(ids), column, limit=2**62, frames=(self.name, "predicted")
        )
        by_code = np.argsort(both.actual, kind="stable")
        ascending = both.actual[by_code]
        if not len(ascending):
            return np.full(len(ids), -1)
        place = np.minimum(np.searchsorted(ascending, both.predicted), len(ascending) - 1)
        return np.where(ascending[place] == both.predicted, by_code[place], -1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemFeatures) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        n_items, n_features = self.vectors.shape
        return f"<{n_features} features of {n_items} items, {self.digest[:8]}>"


def _refuse(missing: npt.NDArray[np.bool_] | None, column: object) -> None:
    if missing is not None:
        raise InvalidDataError.missing_features(column, int(missing.sum()), int(missing.argmax()))
