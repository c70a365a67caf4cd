"""States: value, support, variance and addition."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco.states import RatioState, ScoreState
from jurity_reco.states.scores import sum_of_products

USERS = st.lists(st.tuples(st.floats(0, 10), st.integers(0, 5)), max_size=20)


def ratio_state(users):
    return RatioState.of_users(
        np.array([y * (n > 0) for y, n in users], dtype=float),
        np.array([n for _, n in users], dtype=float),
    )


@given(USERS, st.integers(0, 20))
def test_ratio_states_add_up(users, split):
    whole, parts = ratio_state(users), (ratio_state(users[:split]), ratio_state(users[split:]))
    total = parts[0] + parts[1]
    assert (total.n_users, total.support) == (whole.n_users, whole.support)
    if whole.value is None:
        assert total.value is None
    else:
        assert total.value == pytest.approx(whole.value, rel=1e-12)


def test_empty_state():
    assert RatioState().value is None
    assert RatioState().support == 0
    assert math.isnan(RatioState().variance)
    assert ratio_state([(1, 1)]) + RatioState() == ratio_state([(1, 1)])


def test_variance_of_a_mean_is_that_of_the_textbook():
    values = np.array([0.1, 0.5, 0.4, 0.9])
    state = RatioState.of_users(values, np.ones(4))
    assert state.variance == pytest.approx(np.var(values, ddof=1) / 4, rel=1e-12)


def test_variance_of_a_ratio_is_that_of_the_delta_method():
    y, n = np.array([1.0, 0.0, 2.0, 3.0]), np.array([2.0, 1.0, 2.0, 5.0])
    ratio, mean = y.sum() / n.sum(), n.mean()
    yy, yn, nn = np.cov(y, n).ravel()[[0, 1, 3]]
    expected = (yy - 2 * ratio * yn + ratio**2 * nn) / (4 * mean**2)
    assert RatioState.of_users(y, n).variance == pytest.approx(expected, rel=1e-12)


def test_variance_needs_two_users():
    assert math.isnan(ratio_state([(1, 1), (5, 0)]).variance)


ROWS = st.lists(st.tuples(st.sampled_from([0.1, 0.5, -math.inf, 2.0]), st.booleans()), max_size=15)


def score_state(rows):
    return ScoreState.of_rows(
        np.array([row[0] for row in rows], dtype=float),
        np.array([row[1] for row in rows], dtype=bool),
    )


@given(ROWS, st.lists(st.integers(0, 15), max_size=3))
def test_score_states_add_up(rows, splits):
    bounds = [0, *sorted(splits), len(rows)]
    total = score_state([])
    for start, end in pairwise(bounds):
        total = total + score_state(rows[start : max(start, end)])
    whole = score_state(rows)
    assert total.support == whole.support == len(rows)
    assert str(total.value) == str(whole.value)
    assert total.score.tolist() == sorted({row[0] for row in rows})


def test_sums_of_products_beyond_64_bits_are_exact():
    large = np.array([2**62, 2**62])
    assert sum_of_products(large, large) == 2**125
    assert sum_of_products(np.array([3, 4]), np.array([5, 6])) == 39
    assert sum_of_products(large[:0], large[:0]) == 0
