"""Features of items, checked once and comparable as a value."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import ColumnNotFoundError, InvalidDataError, UnsupportedFrameError
from jurity_reco.frames import IdColumn, read_ids, read_numbers
from jurity_reco.hashing import hash_series

__all__ = ["ItemFeatures"]

NAME = "item_features"


class ItemFeatures:
    """A vector of numbers for each item.

    Two of them are equal when they hold the same items with the same features in the same order.

    Parameters
    ----------
    frame
        A pandas frame with a row per item: the item column, and columns of numbers.
    item_id_column
        Name of the item column.
    """

    def __init__(self, frame: Any, item_id_column: str) -> None:
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
