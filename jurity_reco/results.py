"""What a metric returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import InvalidOptionError
from jurity_reco.ledger import Ledger
from jurity_reco.stored import MetricState
from jurity_reco.tables import Everybody

__all__ = ["MetricResult", "UserValues", "pool"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class UserValues:
    """What every user contributes to a score.

    Parameters
    ----------
    users
        The users, and the entries of y and n that are theirs.
    y, n
        Numerator and denominator; n = 0 for users who do not count.
    weighted
        Whether users have different weights.
    root
        Whether a value is the root of the ratio.
    bounds
        Least and largest ratio.
    """

    users: Everybody
    y: Floats
    n: Floats
    weighted: bool
    root: bool
    bounds: tuple[float, float]

    def of_everybody(self) -> Floats:
        """The value of each user, in the order of the users; missing for those who do not count."""
        y, n = self.y[self.users.code], self.n[self.users.code]
        value: Floats = np.full(len(y), np.nan)
        np.divide(y, n, out=value, where=n > 0)
        np.clip(value, *self.bounds, out=value)
        return np.sqrt(value) if self.root else value

    def frame(self) -> pd.DataFrame:
        """A row for each user who counts."""
        counted = self.n[self.users.code] > 0
        ids = self.users.ids[counted].reset_index(drop=True)
        columns = {self.users.column: ids, "value": self.of_everybody()[counted]}
        if self.weighted:
            columns["weight"] = self.n[self.users.code][counted]
        return pd.DataFrame(columns)


@dataclass(frozen=True, eq=False)
class MetricResult:
    """Score of one metric, with what it rests on.

    Parameters
    ----------
    state
        The sums behind the score, which can be stored and added up.
    values
        What every user contributes. ``None`` where batches or stored states were added up, which
        keep no users, and for totals of the catalogue, which are of nobody.
    """

    state: MetricState
    values: UserValues | None = None

    @cached_property
    def per_user(self) -> pd.DataFrame | None:
        """One row per averaged user in order of first appearance (``actual``, then ``predicted``).

        The user column with the caller's own ids, ``value``, and ``weight`` where the score is a
        weighted mean. ``None`` where batches or stored states were added up, which keep no users,
        and for totals of the catalogue, which are of nobody.
        """
        return None if self.values is None else self.values.frame()

    @property
    def name(self) -> str:
        """The metric, as in ``"NDCG@10"``."""
        return self.state.label

    @property
    def score(self) -> float | None:
        """The aggregate; ``None`` when nobody could be averaged."""
        return self.state.score

    @property
    def support(self) -> int:
        """Users for means over users, matched rows for CTR and AUC, user-windows when pooled."""
        return self.state.support

    @property
    def ledger(self) -> Ledger:
        """Where every user of either frame went."""
        return self.state.ledger

    @property
    def details(self) -> dict[str, Any]:
        """What else the metric has to say, such as the standard error of an estimate."""
        return self.state.sums.details()

    def __repr__(self) -> str:
        score = "None" if self.score is None else f"{self.score:.6g}"
        ledger, windows = self.ledger, self.state.n_windows
        users = f"{ledger.n_averaged} of {ledger.n_users} users averaged"
        details = self.details
        if windows > 1:
            users = f"{ledger.n_averaged} of {ledger.n_users} user-windows of {windows} windows"
        if details.get("interval") is not None:
            score += f" ({details['interval'][0]:.4g} to {details['interval'][1]:.4g})"
        verdict = "" if details.get("reliable", True) else f", not reliable: {details['reason']}"
        return f"<{self.name}: {score}, support {self.support}, {users}{verdict}>"


def pool(states: Iterable[MetricState | MetricResult | bytes]) -> MetricResult:
    """Add up stored states of one metric, for example of the days of a month.

    A state knows no users, so a user who is in several states counts several times: the result is
    an average over user-windows, and says so.

    Parameters
    ----------
    states
        States, their bytes, or results, of one metric with the same columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import RankingRecoMetrics, pool
    >>> recall = RankingRecoMetrics.Recall(click_column="click", k=1)
    >>> actual = pd.DataFrame({"user_id": [1, 2], "item_id": [10, 11], "click": [1, 1]})
    >>> monday = pd.DataFrame({"user_id": [1, 2], "item_id": [10, 12], "click": [0.9, 0.8]})
    >>> tuesday = pd.DataFrame({"user_id": [1, 2], "item_id": [10, 11], "click": [0.9, 0.8]})
    >>> stored = [recall.evaluate(actual, day).state.to_bytes() for day in (monday, tuesday)]
    >>> pool(stored)
    <Recall@1: 0.75, support 4, 4 of 4 user-windows of 2 windows>
    """
    if not isinstance(states, Iterable) or isinstance(states, (str, bytes, Mapping)):
        raise InvalidOptionError.not_states(states)
    read = [_read_state(state) for state in states]
    if not read:
        raise InvalidOptionError.nothing_to_pool()
    total, *rest = read
    for state in rest:
        total = total.pooled_with(state)
    return MetricResult(total)


def _read_state(state: Any) -> MetricState:
    if isinstance(state, MetricState):
        return state
    if isinstance(state, MetricResult):
        return state.state
    if isinstance(state, (bytes, bytearray, memoryview)):
        return MetricState.from_bytes(bytes(state))
    raise InvalidOptionError.not_states(state)
