"""What a rate would have been: estimates of one policy from the log of another."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, sum_per_user
from jurity_reco.errors import InvalidDataError
from jurity_reco.states import PolicyState
from jurity_reco.tables import Rows, Tables, first_recommendations

__all__ = ["estimate_from_log"]

Floats = npt.NDArray[np.float64]

# Weights are: none, whole, waiting for the number of items, or whole by the items of this call.
_NOTHING, _WHOLE, _BY_ITEMS, _BY_OWN_ITEMS = -1, 0, 1, 2


def estimate_from_log(
    tables: Tables,
    rows: Rows,
    value: Floats,
    *,
    estimation: str,
    column: str,
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
    column
        Name of the column of values, for messages.
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
    weigh = _WHOLE
    if rows.propensity is None and n_items is None:
        logged_items = tables.hash_logged_items()
        weigh = _BY_ITEMS
        if rows.target is not None and max_weight is not None:
            # Each weight has to be cut on its own, so the number of items is needed at once.
            weigh, n_items = _BY_OWN_ITEMS, len(logged_items)
    weight = _weights(rows, n_items)
    largest = float(weight.max(initial=0.0))
    n_clipped = 0
    if max_weight is not None and weigh != _BY_ITEMS:
        n_clipped = int(np.count_nonzero(weight > max_weight))
        weight = np.minimum(weight, max_weight)

    a, b = np.zeros(n_users), weight * value
    if estimation == "dr":
        expected = lists.score if lists.estimate is None else lists.estimate
        infinite = int(np.count_nonzero(np.isinf(expected.astype(np.float64))))
        if infinite:
            raise InvalidDataError.expected_not_finite(infinite)
        a = sum_per_user(lists.user, shown * expected, n_users)
        b = weight * (value - (rows.score if rows.estimate is None else rows.estimate))
    b = sum_per_user(rows.user, b, n_users)
    n = sum_per_user(rows.user, weight, n_users) if estimation == "snips" else expected_rows

    empty = PolicyState.empty(by_weight=estimation == "snips", max_weight=max_weight)
    if not len(logged_items if weigh == _BY_ITEMS else value):
        weigh = _NOTHING
    with np.errstate(over="ignore"):
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
        weights=np.array(
            [
                weight.sum(),
                (weight * weight).sum(),
                largest,
                expected_rows.sum(),
                value.min(initial=np.inf),
                value.max(initial=-np.inf),
            ]
        ),
        items=logged_items if weigh == _BY_ITEMS else empty.items,
        options=np.append(weigh, empty.options[1:]),
    )
    y = a + state.scale * b
    if not (np.isfinite(y).all() and np.isfinite(state.sums).all()):
        raise InvalidDataError.too_large(column)
    return y, n, state


def _weights(rows: Rows, n_items: int | None) -> Floats:
    """How many rows each matched row stands for; 1 for each where that is still to be known."""
    target = np.ones(len(rows.user)) if rows.target is None else rows.target
    if rows.propensity is not None:
        return target / rows.propensity
    return target if n_items is None else target * n_items


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
