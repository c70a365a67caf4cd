"""What a metric returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.states import State
from jurity_reco.tables import Tables

__all__ = ["Ledger", "MetricResult"]


@dataclass(frozen=True)
class Ledger:
    """Who is in a score: every user of either frame, counted exactly once.

    The first three add up to the support of a metric that is a mean over users.

    Parameters
    ----------
    evaluated
        Users with a value of their own.
    zero_no_recommendations
        Users with relevant items but no recommendation who count as 0.
    zero_no_relevant
        Users without a relevant item who count as 0.
    left_out_no_relevant
        Users without a relevant item who do not count, whether or not they have recommendations.
    left_out_no_recommendations
        Users with relevant items but no recommendation who do not count.
    left_out_undefined
        Users with both for whom the metric has no value: for CTR and AUC, nothing matched.
    actual_rows_invalid, predicted_rows_invalid
        Rows left out by ``on_invalid="drop"``.
    predicted_rows_repeated
        Rows left out by ``duplicates="best"``.
    """

    evaluated: int
    zero_no_recommendations: int
    zero_no_relevant: int
    left_out_no_relevant: int
    left_out_no_recommendations: int
    left_out_undefined: int
    actual_rows_invalid: int = 0
    predicted_rows_invalid: int = 0
    predicted_rows_repeated: int = 0

    @classmethod
    def of_users(
        cls, tables: Tables, counted: npt.NDArray[np.bool_], *, by_relevance: bool
    ) -> Ledger:
        """Count the users of a match.

        Parameters
        ----------
        tables
            The match.
        counted
            Users who count in the score.
        by_relevance
            Whether relevant items decide who counts. For metrics of matched rows they do not.
        """
        users = tables.users
        # Three yes-or-no questions make eight cells; codes that belong to nobody get a ninth.
        cell = np.where(users.present, 4 * counted.astype(np.int8), np.int8(8))
        cell += 2 * users.listed.astype(np.int8)
        if by_relevance:
            cell += users.relevant
        else:
            cell += users.present
        count = np.bincount(cell, minlength=8).tolist()
        left_out = tables.leaves_out
        return cls(
            evaluated=count[4 + 2 + 1],
            zero_no_recommendations=count[4 + 1],
            zero_no_relevant=count[4] + count[4 + 2],
            left_out_no_relevant=count[0] + count[2],
            left_out_no_recommendations=count[1],
            left_out_undefined=count[2 + 1],
            actual_rows_invalid=left_out.actual_rows_invalid,
            predicted_rows_invalid=left_out.predicted_rows_invalid,
            predicted_rows_repeated=left_out.predicted_rows_repeated,
        )

    @property
    def n_users(self) -> int:
        """Users of either frame."""
        return (
            self.evaluated
            + self.zero_no_recommendations
            + self.zero_no_relevant
            + self.left_out_no_relevant
            + self.left_out_no_recommendations
            + self.left_out_undefined
        )

    def to_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class MetricResult:
    """Score of one metric, with what it rests on.

    Parameters
    ----------
    name
        The metric, as in ``"NDCG@10"``.
    score
        The aggregate; ``None`` when nobody could be averaged.
    support
        Users for means over users, matched rows for CTR and AUC.
    per_user
        One row per averaged user in order of first appearance (``actual``, then ``predicted``):
        the user column with the caller's own ids, ``value``, and ``weight`` where the score is a
        weighted mean.
    ledger
        Where every user of either frame went.
    state
        The sums behind the score, which add up over users.
    """

    name: str
    score: float | None
    support: int
    per_user: pd.DataFrame
    ledger: Ledger
    state: State

    def __repr__(self) -> str:
        score = "None" if self.score is None else f"{self.score:.6g}"
        return (
            f"<{self.name}: {score}, support {self.support}, "
            f"{len(self.per_user)} of {self.ledger.n_users} users averaged>"
        )


def per_user_frame(
    tables: Tables,
    y: npt.NDArray[np.float64],
    n: npt.NDArray[np.float64],
    *,
    weighted: bool,
) -> pd.DataFrame:
    """The value of every averaged user under the caller's own id."""
    code, ids = tables.by_first_appearance(n > 0)
    columns = {tables.user_column: ids, "value": y[code] / n[code]}
    if weighted:
        columns["weight"] = n[code]
    return pd.DataFrame(columns)
