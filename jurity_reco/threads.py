"""How many threads work, and how they share the work."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from jurity_reco.errors import InvalidOptionError

__all__ = ["at_once", "each", "get_n_threads", "set_n_threads", "worthwhile_threads"]

#: The environment variable that says how many threads to use.
VARIABLE = "JURITY_RECO_THREADS"
#: Below so many rows a second thread costs more than it saves.
MANY_ROWS = 200_000
ROWS_PER_THREAD = 10_000

_First = TypeVar("_First")
_Second = TypeVar("_Second")

_chosen: int | None = None


def set_n_threads(n_threads: int | None) -> None:
    """Choose how many threads work on large frames; results do not depend on it.

    Parameters
    ----------
    n_threads
        How many, from 1; ``None`` goes back to the environment variable ``JURITY_RECO_THREADS``,
        and without that to all cores that this process may use.

    Examples
    --------
    >>> import jurity_reco
    >>> jurity_reco.set_n_threads(1)
    >>> jurity_reco.get_n_threads()
    1
    >>> jurity_reco.set_n_threads(None)
    """
    global _chosen
    _chosen = None if n_threads is None else _checked(n_threads, "n_threads")


def get_n_threads() -> int:
    """How many threads work on large frames."""
    if _chosen is not None:
        return _chosen
    value = os.environ.get(VARIABLE, "").strip()
    if value:
        return _checked(int(value) if value.isdecimal() else value, VARIABLE)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system tells
        return os.cpu_count() or 1


def _checked(n_threads: Any, where: str) -> int:
    if isinstance(n_threads, bool) or not isinstance(n_threads, int) or n_threads < 1:
        raise InvalidOptionError.not_a_number_of_threads(where, n_threads)
    return n_threads


def worthwhile_threads(n_rows: int) -> int:
    """How many threads so many rows are worth: none of them gets just a few."""
    return min(get_n_threads(), n_rows // ROWS_PER_THREAD) if n_rows >= MANY_ROWS else 1


def at_once(
    first: Callable[[], _First], second: Callable[[], _Second], *, n_rows: int
) -> tuple[_First, _Second]:
    """Two results that do not need each other, in two threads where there are many rows.

    The second one is computed in this thread. If both fail, its error is raised.
    """
    if worthwhile_threads(n_rows) == 1:
        done = second()
        return first(), done
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(first)
        done = second()
        return waiting.result(), done


def each(
    function: Callable[[_First], _Second], items: Sequence[_First], *, n_rows: int
) -> list[_Second]:
    """What a function makes of each of several items, by several threads for many rows."""
    n_threads = min(worthwhile_threads(n_rows), len(items))
    if n_threads < 2:
        return [function(item) for item in items]
    with ThreadPoolExecutor(n_threads) as threads:
        return list(threads.map(function, items))
