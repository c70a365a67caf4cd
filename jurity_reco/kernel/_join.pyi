from typing import Any

import numpy as np
import numpy.typing as npt

ROW_BYTES: int

_Integers = npt.NDArray[np.int64]
_Bytes = npt.NDArray[np.uint8]

def count_parts(user: _Integers, shift: int, counts: _Integers) -> None: ...
def scatter(
    user: _Integers,
    item: _Integers,
    number: npt.NDArray[Any],
    first_row: int,
    shift: int,
    place: _Integers,
    rows: _Bytes,
) -> None: ...
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
