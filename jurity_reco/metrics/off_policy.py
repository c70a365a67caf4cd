"""What a rate would have been: estimates of one policy from the log of another."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, sum_per_user
from jurity_reco.errors import InvalidDataError
from jurity_reco.states import PolicyState
from jurity_reco.states.policy import BY_ITEMS, BY_OWN_ITEMS, NO_WEIGHTS, WHOLE
from jurity_reco.tables import Rows, Tables, first_recommendations

__all__ = ["estimate_from_log"]

Floats = npt.NDArray[np.float64]


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

    weights = _weigh(tables, rows, n_items, max_weight)
    weight = weights.weight

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

    with np.errstate(over="ignore"):
        products = (a, b, n, a * a, a * b, b * b, a * n, b * n, n * n)
        squares = (weight * weight).sum()
    n_clicks = np.count_nonzero(value)
    least, most = value.min(initial=np.inf), value.max(initial=-np.inf)
    empty = PolicyState.empty(by_weight=estimation == "snips", max_weight=max_weight)
    state = dataclasses.replace(
        empty,
        counts=np.array(
            [np.count_nonzero(n), len(lists.user), len(value), weights.n_cut, n_clicks],
            dtype=np.int64,
        ),
        sums=np.array([product.sum() for product in products]),
        weights=np.array(
            [weight.sum(), squares, weights.largest, expected_rows.sum(), least, most]
        ),
        items=weights.items,
        options=np.append(weights.kind, empty.options[1:]),
    )
    y = a + state.scale * b
    if not (np.isfinite(y).all() and np.isfinite(state.sums).all()):
        raise InvalidDataError.too_large(column)
    return y, n, state


@dataclass(frozen=True)
class _Weights:
    """How many rows each matched row stands for.

    Parameters
    ----------
    kind
        What the weights are.
    weight
        One for each matched row; to be multiplied by the number of items where that is awaited.
    largest, n_cut
        The largest weight before any was cut, and how many were.
    items
        Hashes of the logged items, where their number is awaited.
    """

    kind: int
    weight: Floats
    largest: float
    n_cut: int
    items: npt.NDArray[np.uint64]


def _weigh(tables: Tables, rows: Rows, n_items: int | None, max_weight: float | None) -> _Weights:
    kind, items = WHOLE, np.zeros(0, dtype=np.uint64)
    if rows.propensity is None and n_items is None:
        kind, items = BY_ITEMS, tables.hash_logged_items()
        if rows.target is not None and max_weight is not None:
            # Each weight has to be cut on its own, so the number of items is needed at once.
            kind, n_items, items = BY_OWN_ITEMS, len(items), items[:0]
    weight = np.ones(len(rows.user)) if rows.target is None else rows.target
    if rows.propensity is not None:
        weight = weight / rows.propensity
    elif n_items is not None:
        weight = weight * n_items
    largest, n_cut = float(weight.max(initial=0.0)), 0
    if max_weight is not None and kind != BY_ITEMS:
        n_cut = int(np.count_nonzero(weight > max_weight))
        weight = np.minimum(weight, max_weight)
    if not len(items if kind == BY_ITEMS else weight):
        kind = NO_WEIGHTS
    return _Weights(kind, weight, largest, n_cut, items)


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
