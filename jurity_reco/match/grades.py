"""How relevant items are: the highest label of each pair of user and item."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.hits import Grades
from jurity_reco.kernel import JoinedRows
from jurity_reco.kernel.joined import AnyIntegers
from jurity_reco.kernel.judgements import all_pairs

__all__ = ["all_grades", "grades_of_hits"]

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def grades_of_hits(rows: JoinedRows, label: npt.NDArray[Any], relevant: Flags) -> Floats:
    """Grades of recommendations of which any row is relevant, by user and then by rank."""
    start = np.flatnonzero(begins_run(rows.user, rows.rank))
    if not len(start):
        return np.zeros(0)
    highest = np.maximum.reduceat(label[rows.log_row], start).astype(np.float64)
    return highest[np.logical_or.reduceat(relevant[rows.log_row], start)]


def all_grades(
    user: AnyIntegers,
    item: AnyIntegers,
    label: npt.NDArray[Any],
    relevant: Flags,
    n_users: int,
    n_items: int,
) -> Grades:
    """Grades of all relevant items, recommended or not."""
    judgements = all_pairs(user.astype(np.int64, copy=False) * n_items + item, relevant)
    return Grades.of_items(
        judgements.pair[judgements.relevant] // max(n_items, 1),
        judgements.highest(label)[judgements.relevant],
        n_users,
    )
