"""Which column of a frame is the user, the item, the label and the score."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """Names of the columns that a metric reads.

    Parameters
    ----------
    user, item
        The id columns, in both frames.
    label
        The column of ``actual`` that says what the user did.
    score
        The column of ``predicted`` that orders the recommendations, largest first.
    propensity, target
        For estimates from logs: the column of ``actual`` with the probability of having been shown,
        and that of ``predicted`` with the probability of being shown.
    """

    user: str
    item: str
    label: str
    score: str
    propensity: str | None = None
    target: str | None = None
