"""Who is in a score, and who is not."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt

from jurity_reco.tables import Tables

__all__ = ["Ledger"]


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
    left_out_not_sampled
        Users whom a metric of a sample of users did not look at.
    actual_rows_invalid, predicted_rows_invalid
        Rows left out by ``on_invalid="drop"``.
    predicted_rows_repeated
        Rows left out by ``duplicates="best"``.
    """

    evaluated: int = 0
    zero_no_recommendations: int = 0
    zero_no_relevant: int = 0
    left_out_no_relevant: int = 0
    left_out_no_recommendations: int = 0
    left_out_undefined: int = 0
    left_out_not_sampled: int = 0
    actual_rows_invalid: int = 0
    predicted_rows_invalid: int = 0
    predicted_rows_repeated: int = 0

    @classmethod
    def of_users(
        cls,
        tables: Tables,
        counted: npt.NDArray[np.bool_],
        *,
        by_relevance: bool,
        n_not_sampled: int = 0,
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
        n_not_sampled
            Users with recommendations whom the metric did not look at.
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
            left_out_undefined=count[2 + 1] - n_not_sampled,
            left_out_not_sampled=n_not_sampled,
            actual_rows_invalid=left_out.actual_rows_invalid,
            predicted_rows_invalid=left_out.predicted_rows_invalid,
            predicted_rows_repeated=left_out.predicted_rows_repeated,
        )

    def __add__(self, other: Ledger) -> Ledger:
        mine, theirs = self.to_dict(), other.to_dict()
        return Ledger(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def n_users(self) -> int:
        """Users of either frame."""
        return (
            self.n_averaged
            + self.left_out_no_relevant
            + self.left_out_no_recommendations
            + self.left_out_undefined
            + self.left_out_not_sampled
        )

    @property
    def n_averaged(self) -> int:
        """Users who count in the score."""
        return self.evaluated + self.zero_no_recommendations + self.zero_no_relevant

    def to_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)
