"""From a frame to arrays: the edge at which input is checked, once.

An engine is recognised by the module of the frame's class and read by one private file.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from jurity_reco.errors import UnsupportedFrameError
from jurity_reco.frames._pandas_columns import read_ids, read_numbers
from jurity_reco.frames.extracted import Extracted, IdColumn, Kind, NumberColumn, Wanted, nothing

__all__ = [
    "Extracted",
    "IdColumn",
    "Kind",
    "NumberColumn",
    "Wanted",
    "extract",
    "nothing",
    "read_ids",
    "read_numbers",
]

_READERS = {"pandas": "jurity_reco.frames._pandas"}


def extract(
    frame: Any, name: str, *, user: str, item: str, numbers: Sequence[Wanted], on_invalid: str
) -> Extracted:
    """Read the columns that a match needs and refuse, or leave out, rows that lack something.

    Parameters
    ----------
    frame
        The caller's frame, which is not modified.
    name
        ``"actual"`` or ``"predicted"``, for messages.
    user, item
        Names of the columns of ids.
    numbers
        The columns of numbers: the label or the score, and whatever else a metric reads.
    on_invalid
        ``"refuse"`` rows with a missing id or a missing or impossible number, or ``"drop"`` and
        count them.
    """
    for cls in type(frame).__mro__:
        reader = _READERS.get(cls.__module__.partition(".")[0])
        if reader is not None:
            extracted: Extracted = import_module(reader).extract(
                frame, name, user=user, item=item, numbers=numbers, on_invalid=on_invalid
            )
            return extracted
    raise UnsupportedFrameError.for_object(name, frame)
