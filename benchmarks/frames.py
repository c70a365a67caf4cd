"""Frames of pandas, Polars and Arrow from arrays, with ids of several kinds.

Read by ``measure.py`` in the environment of each library, so nothing else is imported on top.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from data import Columns


def text(column: str, ids: np.ndarray) -> Any:
    """Arrow strings like "user 123456"."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(
        column.removesuffix("_id"), pa.array(ids).cast("string"), " "
    )


def in_pandas(columns: Columns, ids: str) -> Any:
    import pandas as pd

    def converted(column: str, values: np.ndarray) -> Any:
        if ids == "integers" or not column.endswith("_id"):
            return values
        strings = text(column, values)
        if ids == "object strings":
            return pd.Series(strings.to_numpy(zero_copy_only=False), dtype=object)
        if ids == "categories":
            return strings.dictionary_encode().to_pandas()
        # The default of pandas 3, and the nearest that older ones have.
        newest = int(pd.__version__.split(".")[0]) >= 3
        dtype = pd.Series(dtype="str").dtype if newest else pd.StringDtype("pyarrow")
        return pd.Series(dtype.__from_arrow__(strings))

    return pd.DataFrame({name: converted(name, values) for name, values in columns.items()})


def in_arrow(columns: Columns, ids: str) -> Any:
    import pyarrow as pa

    is_text = {name: ids != "integers" and name.endswith("_id") for name in columns}
    arrays = {name: text(name, values) if is_text[name] else pa.array(values)
              for name, values in columns.items()}  # fmt: skip
    return pa.table(arrays)


def in_polars(columns: Columns, ids: str) -> Any:
    import polars as pl

    frame = pl.from_arrow(in_arrow(columns, ids))
    kind = pl.Categorical if ids == "categories" else pl.String
    return frame if ids == "integers" else frame.cast({"user_id": kind, "item_id": kind})


FRAMES: dict[str, Callable[[Columns, str], Any]] = {
    "pandas": in_pandas,
    "Polars": in_polars,
    "Arrow": in_arrow,
}
