from typing import Any

import numpy as np
import numpy.typing as npt

ROW_BYTES: int

_Integers = npt.NDArray[np.int64]
_Bytes = npt.NDArray[np.uint8]

def ascends(user: npt.NDArray[Any]) -> bool: ...
def count_parts(user: npt.NDArray[Any], n_users: int, shift: int, counts: _Integers) -> bool: ...
def scatter(
    user: npt.NDArray[Any],
    item: npt.NDArray[Any],
    number: npt.NDArray[Any],
    first_row: int,
    n_users: int,
    shift: int,
    place: _Integers,
    end: _Integers,
    rows: _Bytes,
) -> bool: ...
def join_parts(
    list_rows: _Bytes,
    list_start: _Integers,
    log_rows: _Bytes,
    log_start: _Integers,
    first_part: int,
    end_part: int,
    shift: int,
    ties: int,
    n_recommended: _Integers,
    n_relevant: _Integers,
    judged: _Bytes,
    hit_user: _Integers | None,
    hit_rank: _Integers | None,
    tie_first: _Integers | None,
    tie_size: _Integers | None,
    match_user: _Integers | None,
    match_rank: _Integers | None,
    match_log_row: _Integers | None,
    match_list_row: _Integers | None,
    list_row: _Integers | None,
) -> tuple[int, int, int, int, int]: ...
