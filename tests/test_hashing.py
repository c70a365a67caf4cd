"""The stable hash of ids."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco.hashing import HASH_VERSION, hash_ids

# Stored with version 1. If one of these changes, every stored hash is worthless: raise the version.
GOLDEN = [
    (
        np.array([0, 1, -1, 2**62]),
        "e220a8397b1dcdaf 910a2dec89025cc1 e4d971771b652c20 aa50ea8e0fa9eb",
    ),
    (np.array([0.5, -0.25, 1e300]), "7aa7078a1db4a8b1 78a37d263746bcce 1d4af6cf9cdc2e3f"),
    (np.array([False, True]), "6c45d188009454f f893a2eefb32555e"),
    (
        np.array(["", "a", "user 1", "é", "a\0b"], dtype=object),
        "186da64456263a46 c1999a454057bfd0 91f66878fd7b114b eaa82851ccf8e8e7 85208b62dfe18cce",
    ),
    (
        np.array(["2026-01-01", "1969-12-31"], dtype="datetime64[s]"),
        "6ddc737be158cdce ba8f45cc409991ae",
    ),
    (
        np.array([("a", 1), datetime.date(2026, 1, 1)], dtype=object),
        "20e718386a28e4e2 36824f466aa180d9",
    ),
]


def of(*ids, dtype=None):
    array = np.empty(len(ids), dtype=object)
    array[:] = ids
    return hash_ids(array if dtype is None else array.astype(dtype)).tolist()


@pytest.mark.parametrize(("ids", "stored"), GOLDEN)
def test_hashes_are_what_they_were(ids, stored):
    assert HASH_VERSION == 1
    assert [f"{value:x}" for value in hash_ids(ids).tolist()] == stored.split()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), unique=True))
def test_integers_never_collide(ids):
    assert len(set(of(*ids, dtype=np.int64))) == len(ids)


@given(st.lists(st.text(), unique=True))
def test_text_does_not_collide(ids):
    assert len(set(of(*ids))) == len(ids)


@given(st.integers(-(2**53) + 1, 2**53 - 1))
def test_the_type_of_the_column_does_not_matter(number):
    expected = of(number, dtype=np.int64)
    assert of(number) == expected
    assert of(np.int64(number)) == expected
    assert of(number, dtype=np.float64) == expected
    assert of(float(number)) == expected


def test_floats_beside_other_objects_are_not_integers():
    assert of(1.0) == of(1)
    assert len(set(of(1, 1.0, "x"))) == 3


def test_durations_and_broken_text():
    duration = datetime.timedelta(days=2)
    assert of(duration) == hash_ids(np.array([duration], dtype="timedelta64[us]")).tolist()
    assert of("\ud800") != of("\ud801")


def test_small_integer_types():
    for dtype in (np.int8, np.uint8, np.uint64):
        assert of(1, 2, dtype=dtype) == of(1, 2)


def test_kinds_of_ids_do_not_collide():
    hashes = of(1, "1", True, 1.5, b"1", (1,), datetime.date(1970, 1, 2), 2**64 + 1, -1, 2**64 - 1)
    assert len(set(hashes)) == len(hashes)
    assert of(2**64 - 1, dtype=np.uint64) == of(2**64 - 1)
    assert of(1, 2**64 + 1)[0] == of(1)[0]
    date, duration = np.array([5], dtype="datetime64[s]"), np.array([5], dtype="timedelta64[s]")
    assert hash_ids(date) != hash_ids(duration)


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("day", ["2026-01-01", "1950-06-01"])
def test_resolution_of_dates_does_not_matter(unit, day):
    expected = hash_ids(np.array([day], dtype="datetime64[s]"))
    assert hash_ids(np.array([day], dtype=f"datetime64[{unit}]")) == expected


def test_fractions_of_a_second_matter():
    dates = np.array(["2026-01-01T00:00:00", "2026-01-01T00:00:00.001"], dtype="datetime64[ns]")
    assert len(set(hash_ids(dates).tolist())) == 2
    before_1970 = np.array(
        ["1960-01-01T00:00:00.5", "1960-01-01T00:00:00.7"], dtype="datetime64[ns]"
    )
    assert len(set(hash_ids(before_1970).tolist())) == 2
    assert np.array_equal(hash_ids(before_1970.astype("datetime64[ms]")), hash_ids(before_1970))


def test_input_is_not_modified():
    ids = np.array([3, 4])
    hash_ids(ids)
    assert ids.tolist() == [3, 4]
