"""The sort: against Python's own stable sort."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco.order import descending_key, sort_rows, sort_within_runs

ANY_INTEGER = st.integers(-(2**63), 2**63 - 1)
# Keys that share their high bits, so that the low bits that do not fit decide.
CLOSE = st.builds(lambda high, low: high * 2**60 + low, st.integers(-8, 7), st.integers(0, 3))


@given(st.lists(st.tuples(st.integers(0, 5), st.one_of(ANY_INTEGER, CLOSE)), max_size=60))
def test_sort_rows_is_a_stable_sort(rows):
    group = np.array([row[0] for row in rows], dtype=np.int64)
    key = np.array([row[1] for row in rows], dtype=np.int64)
    before = group.copy(), key.copy()
    assert sort_rows(key, group, 6).tolist() == sorted(range(len(rows)), key=rows.__getitem__)
    assert sort_rows(key).tolist() == sorted(range(len(rows)), key=key.tolist().__getitem__)
    assert np.array_equal(group, before[0])
    assert np.array_equal(key, before[1])


@pytest.mark.parametrize("n_bits", [0, 8, 30, 40, 50, 63])
def test_sort_rows_of_many_rows(n_bits):
    rng = np.random.default_rng(n_bits)
    group = rng.integers(0, 50, 20_000)
    # Every key occurs about twice, and keys differ in high bits, in low bits, or in both.
    key = rng.integers(0, 2**7, 20_000) + (rng.integers(0, 2**7, 20_000) << max(n_bits - 7, 0))
    assert np.array_equal(sort_rows(key, group, 50), np.lexsort([key, group]))


def test_sort_within_runs():
    order = np.array([4, 2, 0, 1, 3])
    continues = np.array([True, False, True, True])  # the runs: (4, 2) and (0, 1, 3)
    key = np.array([9, 5, 1, 7, 2])
    sort_within_runs(order, continues, key)
    assert order.tolist() == [2, 4, 1, 3, 0]


FLOATS = st.floats(allow_nan=False)
UNSIGNED = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [(np.float64, FLOATS), (np.int64, ANY_INTEGER), (np.uint64, UNSIGNED), (bool, st.booleans())],
)
def test_descending_key_reverses_the_order(dtype, values):
    @given(st.lists(values, min_size=2, max_size=2))
    def check(pair):
        first, second = descending_key(np.array(pair, dtype=dtype)).tolist()
        assert (first < second) == (pair[0] > pair[1])
        assert (first == second) == (pair[0] == pair[1])

    check()


def test_descending_key_of_zeros_and_infinities():
    key = descending_key(np.array([math.inf, 5e-324, 0.0, -0.0, -5e-324, -math.inf]))
    assert key[2] == key[3]
    assert np.all(np.diff(key[[0, 1, 2, 4, 5]]) > 0)
