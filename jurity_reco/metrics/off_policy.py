"""What a rate would have been: estimates of one policy from the log of another."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, sum_per_user
from jurity_reco.states import PolicyState
from jurity_reco.tables import Rows, Tables, first_recommendations

__all__ = ["estimate_from_log"]

Floats = npt.NDArray[np.float64]


def estimate_from_log(
    tables: Tables,
    rows: Rows,
    value: Floats,
    *,
    estimation: str,
    k: int | None,
    n_items: int | None,
    max_weight: float | None,
) -> tuple[Floats, Floats, PolicyState]:
    """Numerator and denominator of every user, and the state of the estimate.

    Parameters
    ----------
    tables
        The match, with rows and lists.
    rows, value
        Rows that match one of the first k recommendations, and the value of each.
    estimation
        ``"ips"``, ``"snips"`` or ``"dr"``.
    k
        The cut-off.
    n_items
        Number of equally likely items; ``None`` if the rows know their propensity, or if it is the
        number of distinct logged items.
    max_weight
        Where to cut weights.
    """
    rows, value = _mean_of_repeated(rows, value)
    n_users = len(tables.users)
    lists = first_recommendations(tables, k)
    # How often each recommendation is to be expected: once, or as the target policy says.
    shown = np.ones(len(lists.user)) if lists.target is None else lists.target
    expected_rows = sum_per_user(lists.user, shown, n_users)

    logged_items = np.zeros(0, dtype=np.uint64)
    if rows.propensity is None and n_items is None:
        logged_items = tables.hash_logged_items()
    # Equal weights wait for the number of items, unless each has to be cut on its own.
    waits = rows.propensity is None and n_items is None
    if waits and rows.target is not None and max_weight is not None:
        waits, n_items = False, len(logged_items)
    weight = _weights(rows, n_items)
    largest = float(weight.max(initial=0.0))
    n_clipped = 0
    if max_weight is not None and not waits:
        n_clipped = int(np.count_nonzero(weight > max_weight))
        weight = np.minimum(weight, max_weight)

    a, b = np.zeros(n_users), weight * value
    if estimation == "dr":
        expected = lists.score if lists.estimate is None else lists.estimate
        a = sum_per_user(lists.user, shown * expected, n_users)
        b = weight * (value - (rows.score if rows.estimate is None else rows.estimate))
    b = sum_per_user(rows.user, b, n_users)
    n = sum_per_user(rows.user, weight, n_users) if estimation == "snips" else expected_rows

    empty = PolicyState.empty(by_weight=estimation == "snips", max_weight=max_weight)
    by_items = 1 if waits and len(logged_items) else 0 if len(value) else -1
    products = (a, b, n, a * a, a * b, b * b, a * n, b * n, n * n)
    state = dataclasses.replace(
        empty,
        counts=np.array(
            [
                np.count_nonzero(n),
                len(lists.user),
                len(value),
                n_clipped,
                np.count_nonzero(value),
            ],
            dtype=np.int64,
        ),
        sums=np.array([product.sum() for product in products]),
        weights=np.array([weight.sum(), (weight * weight).sum(), largest, expected_rows.sum()]),
        items=logged_items if waits else empty.items,
        options=np.append(by_items, empty.options[1:]),
    )
    return a + state.scale * b, n, state


def _weights(rows: Rows, n_items: int | None) -> Floats:
    """How many rows each matched row stands for; 1 for each where that is still to be known."""
    target = np.ones(len(rows.user)) if rows.target is None else rows.target
    if n_items is not None:
        return target * n_items
    return target if rows.propensity is None else target / rows.propensity


def _mean_of_repeated(rows: Rows, value: Floats) -> tuple[Rows, Floats]:
    """One row per recommendation, with the means of value and propensity."""
    first = begins_run(rows.user, rows.rank)
    if first.all():
        return rows, value
    start = np.flatnonzero(first)
    length = np.diff(start, append=len(first))
    single = rows.filtered(first)
    if rows.propensity is not None:
        mean = np.add.reduceat(rows.propensity, start) / length
        single = dataclasses.replace(single, propensity=mean)
    return single, np.add.reduceat(value, start) / length
