"""From a frame to arrays: the edge at which input is checked, once.

An engine is recognised by the module of the frame's class and read by one private file.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from jurity_reco.errors import UnsupportedFrameError
from jurity_reco.frames.extracted import Extracted, IdColumn, Kind, NumberColumn

__all__ = ["Extracted", "IdColumn", "Kind", "NumberColumn", "extract"]

_READERS = {"pandas": "jurity_reco.frames._pandas"}


def extract(
    frame: Any, name: str, *, user: str, item: str, number: str, on_invalid: str
) -> Extracted:
    """Read the columns that a match needs and refuse, or leave out, rows that lack something.

    Parameters
    ----------
    frame
        The caller's frame, which is not modified.
    name
        ``"actual"`` or ``"predicted"``, for messages.
    user, item, number
        Names of the columns; the number is the label or the score.
    on_invalid
        ``"refuse"`` rows with a missing id or number, or ``"drop"`` and count them.
    """
    for cls in type(frame).__mro__:
        reader = _READERS.get(cls.__module__.partition(".")[0])
        if reader is not None:
            extracted: Extracted = import_module(reader).extract(
                frame, name, user=user, item=item, number=number, on_invalid=on_invalid
            )
            return extracted
    raise UnsupportedFrameError.for_object(name, frame)
