"""The compiled kernel: who does what, in how many threads.

**Join.** The rows of both frames are first written to parts, each of them a range of users that is
small enough for the cache of a processor, and then every part is joined by itself: the rows of each
user are brought together, the list goes into a hash table, and the log is looked up in it. The rank
of a hit is one more than the number of recommendations that go before it, so that most lists need
no sort. Threads share the rows while these are written, and the parts afterwards; every row and
every user has one place to go to, whoever brings it there, so that the number of threads changes
nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import jurity_reco.kernel._join as _join  # "from" would blame a circular import if it is missing
from jurity_reco.errors import InvalidDataError
from jurity_reco.kernel import twin
from jurity_reco.kernel._numbers import IntegerNumbers, TextNumbers
from jurity_reco.kernel.joined import Coded, Joined, JoinedHits, JoinedRows, Numbered, Order
from jurity_reco.kernel.text import ArrowText, pieces_of_text
from jurity_reco.order import descending_key
from jurity_reco.threads import each, worthwhile_threads

__all__ = ["MOST_ROWS", "item_limit", "join", "number_integers", "number_text"]

Integers = npt.NDArray[np.int64]

#: Of both frames together: rows and places are 32-bit integers, some of them with a sign, and there
#: can be four codes for each row.
MOST_ROWS = 2**30 - 1
#: The rows of a part and the tables beside them fit a cache of one megabyte.
ROWS_PER_PART = 2**14
#: More parts than this, and the processor cannot keep an eye on all of them.
MOST_PARTS = 2**12
#: More tasks than threads, because parts are of different size, and small ones, because rows that
#: are in order are written when their task needs them.
TASKS_PER_THREAD = 8
ROWS_PER_TASK = 2**20

_TIES = {"input": 0, "item": 1, "item descending": 2, "item text descending": 2}


def item_limit(n_rows: int) -> int | None:
    """Codes of items may be any 64-bit integers."""
    return None


def number_integers(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Numbered:
    """Numbers of integers of both columns in the order of their first appearance."""
    known = IntegerNumbers()
    numbers = []
    for values in (left, right):
        numbers.append(np.empty(len(values), dtype=np.int32))
        known.add(np.ascontiguousarray(values).view(np.int64), numbers[-1])
    return Numbered(numbers[0], numbers[1], len(known))


def number_text(left: Any, right: Any) -> Numbered:
    """Numbers of texts of both columns in the order of their first appearance."""
    try:
        return _number_text(left, right)
    except UnicodeEncodeError:  # half of a surrogate pair has no UTF-8
        return twin.number_text(left, right)


def _number_text(left: Any, right: Any) -> Numbered:
    known = TextNumbers()
    numbers = []
    # The pieces have to stay, because the table refers to their texts.
    for pieces in [list(pieces_of_text(values)) for values in (left, right)]:
        of_column = np.empty(sum(map(len, pieces)), dtype=np.int32)
        numbers.append(of_column)
        done = 0
        for piece in pieces:
            own = of_column[done : done + len(piece)]
            if isinstance(piece, ArrowText):
                known.add_arrow(piece.offsets, piece.data, own)
            else:
                known.add_objects(piece.ctypes.data, own)
            done += len(piece)
    return Numbered(numbers[0], numbers[1], len(known))


def join(lists: Coded, log: Coded, order: Order, *, n_users: int, n_items: int) -> Joined:
    """Rank all lists and find in them what the log is about; see the twin."""
    n_rows = len(lists) + len(log)
    wanted_parts = min(n_rows // ROWS_PER_PART + 1, MOST_PARTS)
    # A part is a user's code without its low bits.
    shift = (-(-n_users // wanted_parts) - 1).bit_length() if n_users else 0
    division = _Division(n_users, shift)
    joint = _Joint(
        lists=division.parts(lists, _scores(lists.number)),
        log=division.parts(log, log.number.view(np.uint8)),
        shift=shift,
        order=order,
        n_recommended=np.empty(n_users, dtype=np.int64),
        n_relevant=np.empty(n_users, dtype=np.int64),
        judged=np.empty(n_users, dtype=np.uint8),
    )
    n_tasks = max(TASKS_PER_THREAD * worthwhile_threads(n_rows), n_rows // ROWS_PER_TASK)
    tasks = _split(division.n_parts, min(n_tasks, division.n_parts))
    return joint.joined(each(joint.join_parts, tasks, n_rows=n_rows))


@dataclass(frozen=True)
class _Division:
    """Which users a part has: all whose codes differ in their low bits only."""

    n_users: int
    shift: int

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        return -(-self.n_users // (1 << self.shift))

    def parts(self, coded: Coded, number: npt.NDArray[Any]) -> _Parts:
        """The rows of a frame in parts."""
        columns = _Columns(*map(np.ascontiguousarray, (coded.user, coded.item, number)))
        ranges = _split(len(coded), worthwhile_threads(len(coded)))
        if columns.ascend(ranges):
            first_users = np.arange(self.n_parts + 1) << self.shift
            first_users[-1] = self.n_users
            start = np.searchsorted(columns.user, first_users).astype(np.int64, copy=False)
            _succeed([start[0] == 0 and start[-1] == len(columns.user)])
            return _InOrder(start, self, columns)
        return self._scattered(columns, ranges)

    def _scattered(self, columns: _Columns, ranges: Sequence[tuple[int, int]]) -> _Parts:
        """Write rows to their parts; rows of one part keep their order."""
        counts = np.zeros((len(ranges), self.n_parts), dtype=np.int64)

        def count(thread: int) -> bool:
            begin, end = ranges[thread]
            user = columns.user[begin:end]
            return _join.count_parts(user, self.n_users, self.shift, counts[thread])

        _succeed(each(count, range(len(ranges)), n_rows=len(columns.user)))
        # Of each part, the rows of the first thread come first.
        end_of = np.ascontiguousarray(counts.T.cumsum().reshape(counts.T.shape).T)
        place = end_of - counts
        start = np.append(place[0], len(columns.user))
        rows = _room(len(columns.user))

        def scatter(thread: int) -> None:
            self.scatter(columns, ranges[thread], place[thread], end_of[thread], rows)

        each(scatter, range(len(ranges)), n_rows=len(columns.user))
        return _Scattered(start, rows)

    def scatter(
        self,
        columns: _Columns,
        bounds: tuple[int, int],
        place: Integers,
        end_of: Integers,
        rows: npt.NDArray[np.uint8],
    ) -> None:
        """Write some rows to the next places of their parts."""
        begin, end = bounds
        done = _join.scatter(
            columns.user[begin:end],
            columns.item[begin:end],
            columns.number[begin:end],
            begin,
            self.n_users,
            self.shift,
            place,
            end_of,
            rows,
        )
        _succeed([done])


@dataclass(frozen=True)
class _Columns:
    """Contiguous columns of one frame."""

    user: npt.NDArray[Any]
    item: npt.NDArray[Any]
    number: npt.NDArray[Any]

    def ascend(self, ranges: Sequence[tuple[int, int]]) -> bool:
        """Whether rows are in the order of users already."""
        if not _join.ascends(self.user[:1000]):
            return False
        # Each range and the first row of the next one.
        user = self.user
        parts = [user[begin : end + 1] for begin, end in ranges]
        return all(each(_join.ascends, parts, n_rows=len(user)))


class _Parts(Protocol):
    """The rows of one frame, part by part."""

    @property
    def start(self) -> Integers:
        """Where each part begins, and where the last one ends."""

    def rows_of(self, first: int, end: int) -> tuple[npt.NDArray[np.uint8], Integers]:
        """Rows of some neighbouring parts, and where each part begins in them."""


@dataclass(frozen=True)
class _Scattered:
    """Rows that have been written to their parts."""

    start: Integers
    rows: npt.NDArray[np.uint8]

    def rows_of(self, first: int, end: int) -> tuple[npt.NDArray[np.uint8], Integers]:
        """Rows of some neighbouring parts, and where each part begins in them."""
        return self.rows, self.start


@dataclass(frozen=True)
class _InOrder:
    """Rows that are in their parts already, and are written when they are needed."""

    start: Integers
    division: _Division
    columns: _Columns

    def rows_of(self, first: int, end: int) -> tuple[npt.NDArray[np.uint8], Integers]:
        """Rows of some neighbouring parts, and where each part begins in them."""
        bounds = int(self.start[first]), int(self.start[end])
        # Parts outside of these have no room: a user who has changed into one of theirs is refused.
        start = np.clip(self.start, *bounds) - bounds[0]
        rows = _room(bounds[1] - bounds[0])
        self.division.scatter(self.columns, bounds, start[:-1].copy(), start[1:], rows)
        return rows, start


def _room(n_rows: int) -> npt.NDArray[np.uint8]:
    """Memory for rows, and for one more: an array without a first entry has no address."""
    return np.empty((n_rows + 1) * _join.ROW_BYTES, dtype=np.uint8)


def _succeed(done: Sequence[bool]) -> None:
    """Refuse to go on with users that are not those that were encoded, or counted."""
    if not all(done):
        raise InvalidDataError.changed_meanwhile()


def _scores(score: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Scores as the kernel takes them: floats, or integers that ascend where scores descend."""
    if score.dtype.kind == "f":
        return score.astype(np.float64, copy=False)
    return descending_key(score)


def _split(length: int, n_ranges: int) -> list[tuple[int, int]]:
    """A range as several, about equally long."""
    cuts = [length * number // n_ranges for number in range(n_ranges + 1)] if n_ranges else []
    return list(itertools.pairwise(cuts))


@dataclass(frozen=True)
class _Joint:
    """Both frames in parts, and what is found out about every user."""

    lists: _Parts
    log: _Parts
    shift: int
    order: Order
    n_recommended: Integers
    n_relevant: Integers
    judged: npt.NDArray[np.uint8]

    def join_parts(self, bounds: tuple[int, int]) -> _Found:
        """Join some neighbouring parts."""
        first, end = bounds
        lists, list_start = self.lists.rows_of(first, end)
        log, log_start = self.log.rows_of(first, end)
        n_listed = int(list_start[end] - list_start[first]) + 1
        n_log = int(log_start[end] - log_start[first]) + 1
        sizes = [n_log] * 8 + [n_listed]
        wanted = [True] * 2 + [self.order.find_ties] * 2 + [self.order.every_row] * 4
        columns = [
            np.empty(size, dtype=np.int64) if is_wanted else None
            for size, is_wanted in zip(sizes, [*wanted, self.order.whole_lists], strict=True)
        ]
        n_hits, n_matches, n_places, n_repeated, n_repeated_log = _join.join_parts(
            lists,
            list_start,
            log,
            log_start,
            first,
            end,
            self.shift,
            _TIES[self.order.ties],
            self.n_recommended,
            self.n_relevant,
            self.judged,
            *columns,
        )
        used = [n_hits] * 4 + [n_matches] * 4 + [n_places]
        return _Found(
            [
                None if column is None else column[:n]
                for column, n in zip(columns, used, strict=True)
            ],
            n_repeated,
            n_repeated_log,
        )

    def joined(self, done: Sequence[_Found]) -> Joined:
        """All parts together."""
        columns = [_chained([found.columns[number] for found in done]) for number in range(9)]
        n_repeated_log = sum(found.n_repeated_log for found in done)
        return Joined(
            n_recommended=self.n_recommended,
            n_relevant=self.n_relevant,
            judged=self.judged.view(np.bool_),
            hits=JoinedHits(
                *columns[:2], *(columns[2:4] if self.order.find_ties else (None, None))
            ),
            n_repeated=sum(found.n_repeated for found in done),
            rows=JoinedRows(*columns[4:8]) if self.order.every_row else None,
            n_repeated_log=n_repeated_log if self.order.every_row else None,
            list_row=columns[8] if self.order.whole_lists else None,
        )


@dataclass(frozen=True)
class _Found:
    """What is found in some parts: columns of hits, of matches and of lists."""

    columns: list[Integers | None]
    n_repeated: int
    n_repeated_log: int


def _chained(pieces: Sequence[Any]) -> Any:
    """Pieces of one column as one array, without what was set aside and not used."""
    if not pieces:
        return np.zeros(0, dtype=np.int64)
    return None if pieces[0] is None else np.concatenate(pieces)
