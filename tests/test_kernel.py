"""The compiled kernel and its NumPy twin give the same, however many threads work."""

import dataclasses
import importlib
import os
import subprocess
import sys
import types

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jurity_reco
from jurity_reco import InvalidDataError, InvalidOptionError, threads
from jurity_reco.kernel import Coded, Joined, Order, kernel_in_use, twin

compiled = pytest.importorskip("jurity_reco.kernel.compiled", reason="no compiled kernel")
_join = pytest.importorskip("jurity_reco.kernel._join")
_numbers = pytest.importorskip("jurity_reco.kernel._numbers")


def assert_same(one, other, where="joined"):
    if dataclasses.is_dataclass(one):
        assert type(one) is type(other), where
        for field in dataclasses.fields(one):
            names = f"{where}.{field.name}"
            assert_same(getattr(one, field.name), getattr(other, field.name), names)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, err_msg=where)
    else:
        assert one == other, where


def join_both(lists: Coded, log: Coded, order: Order, n_users: int, n_items: int) -> Joined:
    sizes = {"n_users": n_users, "n_items": n_items}
    expected = twin.join(lists, log, order, **sizes)
    assert_same(compiled.join(lists, log, order, **sizes), expected)
    return expected


ORDERS = st.builds(
    Order,
    st.sampled_from(["input", "item", "item descending", "item text descending"]),
    find_ties=st.booleans(),
    every_row=st.booleans(),
    whole_lists=st.booleans(),
)
SCORES = st.sampled_from([0.0, -0.0, 0.5, 1.0, -1.0, 1e-300, -1e-300, np.inf, -np.inf])
NUMBERS = {
    np.float64: SCORES,
    np.float32: SCORES,
    np.int64: st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1]),
    np.uint64: st.sampled_from([0, 1, 2**63, 2**64 - 1]),
    np.int8: st.integers(-2, 2),
    np.bool_: st.booleans(),
}


@st.composite
def rows(draw, n_users, n_items, number, dtype):
    n_rows = draw(st.integers(0, 60))
    columns = [
        draw(st.lists(values, min_size=n_rows, max_size=n_rows))
        for values in (st.integers(0, n_users - 1), st.integers(0, n_items - 1), number)
    ]
    user, item = (np.array(column, dtype=np.int64) for column in columns[:2])
    return Coded(user, item, np.array(columns[2], dtype=dtype))


@st.composite
def joins(draw):
    n_users, n_items = draw(st.integers(1, 20)), draw(st.sampled_from([1, 3, 40]))
    dtype = draw(st.sampled_from(list(NUMBERS)))
    lists = draw(rows(n_users, n_items, NUMBERS[dtype], dtype))
    return lists, draw(rows(n_users, n_items, st.booleans(), np.bool_)), n_users, n_items


@pytest.fixture(params=["one thread", "three threads, many parts"])
def division(request, monkeypatch):
    """Small frames too are divided among threads and parts."""
    if request.param != "one thread":
        monkeypatch.setattr(threads, "MANY_ROWS", 0)
        monkeypatch.setattr(threads, "worthwhile_threads", lambda n_rows: 3)
        monkeypatch.setattr(compiled, "worthwhile_threads", lambda n_rows: 3)
        monkeypatch.setattr(compiled, "ROWS_PER_PART", 4)
        jurity_reco.set_n_threads(3)
    yield
    jurity_reco.set_n_threads(None)


class TestJoin:
    def test_same_on_random_frames(self, division):
        @settings(max_examples=200)
        @given(joins(), ORDERS)
        def check(frames, order):
            lists, log, n_users, n_items = frames
            join_both(lists, log, order, n_users, n_items)

        check()

    @pytest.mark.parametrize("ties", ["input", "item", "item descending"])
    @pytest.mark.parametrize("find_ties", [False, True])
    @pytest.mark.parametrize("n_scores", [1, 50, 10**9])
    @pytest.mark.parametrize(("n_users", "n_rows"), [(1, 5_000), (3, 20_000), (5_000, 40_000)])
    def test_same_on_long_lists_and_many_users(self, ties, find_ties, n_scores, n_users, n_rows):
        rng = np.random.default_rng(n_users)
        n_items = max(n_rows // n_users, 10)

        def ids(n, n_codes):
            return rng.integers(0, n_codes, n)

        score = rng.integers(0, n_scores, n_rows) / 7
        lists = Coded(ids(n_rows, n_users), ids(n_rows, n_items), score)
        n_log = n_rows // 3
        log = Coded(ids(n_log, n_users), ids(n_log, n_items), rng.random(n_log) < 0.5)
        for order in (
            Order(ties, find_ties),
            Order(ties, find_ties, every_row=True, whole_lists=True),
        ):
            joined = join_both(lists, log, order, n_users, n_items)
            assert joined.n_repeated
            assert len(joined.hits.user)

    def test_same_when_lists_are_in_order(self):
        user = np.repeat(np.arange(300), 40)
        item = np.tile(np.arange(40), 300)
        lists = Coded(user, item, -item.astype(float))
        log = Coded(user[::3], item[::-3], np.ones(len(user[::3]), dtype=bool))
        joined = join_both(lists, log, Order("input", whole_lists=True), 300, 40)
        np.testing.assert_array_equal(joined.list_row, np.arange(len(user)))

    def test_any_64_bit_items_for_the_compiled_kernel(self):
        item = np.array([2**63 - 1, -(2**63), -1, 0, 2**62], dtype=np.int64)
        user = np.zeros(5, dtype=np.int64)
        lists = Coded(user, item, np.ones(5))
        log = Coded(user[:2], item[1:3], np.ones(2, dtype=bool))
        joined = compiled.join(lists, log, Order("item"), n_users=1, n_items=2**64)
        assert joined.hits.rank.tolist() == [1, 2]

    def test_users_that_change_while_they_are_read(self, monkeypatch):
        user, item = np.zeros(6, dtype=np.int64), np.arange(6)
        lists, log = Coded(user, item, np.ones(6)), Coded(user, item, np.ones(6, dtype=bool))
        for n_users in (1, 4):
            for other in (4, -1, 2):
                user[:] = 0
                user[3] = other
                if other >= n_users or other < 0:
                    with pytest.raises(InvalidDataError, match="changed while it was read"):
                        compiled.join(lists, log, Order("input"), n_users=n_users, n_items=6)

        def counted_before(user, *arguments):
            return _join.count_parts(np.zeros_like(user), *arguments)

        monkeypatch.setattr(compiled, "ROWS_PER_PART", 1)
        monkeypatch.setattr(compiled, "_join", types.SimpleNamespace(**vars(_join)))
        monkeypatch.setattr(compiled._join, "count_parts", counted_before)
        with pytest.raises(InvalidDataError, match="changed while it was read"):
            compiled.join(lists, log, Order("input"), n_users=4, n_items=6)

    def test_users_in_order_that_change_while_they_are_read(self):
        user, number = np.repeat(np.arange(4), 3), np.arange(12.0)
        parts = compiled._Division(4, 0).parts(Coded(user, np.arange(12), number), number)
        for other in (0, 3):
            user[7] = other
            with pytest.raises(InvalidDataError, match="changed while it was read"):
                parts.rows_of(2, 3)

    @pytest.mark.parametrize("user", [[0, 0, 0, 9], [-5, 0, 0, 0]])
    def test_users_in_order_that_have_no_code(self, user):
        lists = Coded(np.array(user), np.arange(4), np.ones(4))
        log = Coded(np.zeros(1, dtype=np.int64), np.arange(1), np.ones(1, dtype=bool))
        with pytest.raises(InvalidDataError, match="changed while it was read"):
            compiled.join(lists, log, Order("input"), n_users=1, n_items=4)

    def test_nobody(self):
        nothing = np.zeros(0, dtype=np.int64)
        empty = Coded(nothing, nothing, np.zeros(0)), Coded(nothing, nothing, nothing.astype(bool))
        join_both(*empty, Order("input", True, True, True), 0, 0)
        join_both(*empty, Order("input"), 0, 0)

    def test_columns_that_are_not_contiguous(self):
        both = np.array([[0, 5], [1, 6], [0, 7], [1, 8]])
        lists = Coded(both[:, 0], both[:, 1], np.arange(8.0)[::2])
        log = Coded(both[::2, 0], both[::2, 1], np.array([True, False, True, False])[::2])
        join_both(lists, log, Order("input"), 2, 9)


TEXTS = st.one_of(
    st.text(alphabet="ab\0\u00e9\u4e2d\U0001f600", max_size=40),
    # Long texts that differ in the middle only.
    st.builds(lambda n, middle: "x" * n + middle + "x" * n, st.integers(6, 20), st.text("xy")),
)


def numbered_naively(*columns):
    known = {}
    return [[known.setdefault(value, len(known)) for value in column] for column in columns]


def assert_numbered(numbered, *columns):
    assert [numbered.left.tolist(), numbered.right.tolist()] == numbered_naively(*columns)
    assert numbered.n_numbers == len({*columns[0], *columns[1]})


class TestNumbers:
    @settings(max_examples=300)
    @given(st.lists(TEXTS, max_size=80), st.lists(TEXTS, max_size=80))
    def test_text_in_python_objects(self, left, right):
        columns = [np.array([*column, None], dtype=object)[:-1] for column in (left, right)]
        for kernel in (compiled, twin):
            assert_numbered(kernel.number_text(*columns), left, right)

    @settings(max_examples=300)
    @given(st.data(), st.lists(TEXTS, max_size=80), st.lists(TEXTS, max_size=80))
    def test_text_in_arrow_arrays(self, data, left, right):
        pa = pytest.importorskip("pyarrow")
        types = [pa.string(), pa.large_string(), pa.string_view()]

        def column(texts):
            type_ = data.draw(st.sampled_from(types))
            cut = data.draw(st.integers(0, len(texts)))
            # Chunks that begin inside of their buffers.
            first = pa.array(["before", *texts[:cut]], type_)[1:]
            chunks = pa.chunked_array([first, pa.array([*texts[cut:], "after"], type_)[:-1]])
            return pd.arrays.ArrowExtensionArray(chunks)

        assert_numbered(compiled.number_text(column(left), column(right)), left, right)
        objects = np.array([*right, None], dtype=object)[:-1]
        assert_numbered(compiled.number_text(column(left), objects), left, right)

    @settings(max_examples=300)
    @given(*[st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9))] * 2)
    def test_integers(self, left, right):
        columns = [np.array(column, dtype=np.int64) for column in (left, right)]
        for kernel in (compiled, twin):
            assert_numbered(kernel.number_integers(*columns), left, right)

    def test_more_ids_than_a_table_has_room_for_at_first(self):
        values = np.random.default_rng(0).integers(-(2**62), 2**62, 50_000)
        values = np.concatenate([values, values[::-1]])
        texts = values.astype(str).astype(object)
        for kernel in (compiled, twin):
            assert_numbered(kernel.number_integers(values, values[:9]), values, values[:9])
            assert_numbered(kernel.number_text(texts, texts[:9]), texts, texts[:9])

    def test_half_of_a_surrogate_pair(self):
        texts = np.array(["\ud800", "a", "\ud800"], dtype=object)
        assert_numbered(compiled.number_text(texts, texts[:1]), texts, texts[:1])

    def test_arrays_that_cannot_be_written_to(self):
        texts = np.array(["a", "b", "a"], dtype=object)
        texts.flags.writeable = False
        assert_numbered(compiled.number_text(texts, texts), texts, texts)

    def test_offsets_that_lead_elsewhere(self):
        numbers = _numbers.TextNumbers()
        data, out = np.zeros(3, dtype=np.uint8), np.zeros(1, dtype=np.int32)
        for offsets in ([0, 4], [2, 1], [-1, 2]):
            with pytest.raises(ValueError, match="not within its data"):
                numbers.add_arrow(np.array(offsets, dtype=np.int64), data, out)

    def test_what_is_no_text(self):
        with pytest.raises(TypeError):
            compiled.number_text(np.array(["a", 1], dtype=object), np.array([], dtype=object))


class TestChoice:
    def run(self, code, **variables):
        return subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "JURITY_RECO_KERNEL": "", **variables},
            capture_output=True,
            text=True,
        )

    def kernel(self, **variables):
        code = "from jurity_reco.kernel import kernel_in_use; print(kernel_in_use())"
        return self.run(code, **variables).stdout.strip()

    def test_by_environment(self):
        assert self.kernel(JURITY_RECO_KERNEL="numpy").startswith("numpy (JURITY_RECO_KERNEL")
        assert self.kernel(JURITY_RECO_KERNEL="compiled") == "compiled"
        assert self.kernel() == "compiled"

    def test_unknown(self):
        failed = self.run("import jurity_reco", JURITY_RECO_KERNEL="fast")
        assert "'JURITY_RECO_KERNEL' must be 'compiled' or 'numpy', got 'fast'." in failed.stderr

    def test_without_the_extension(self):
        hide = "import sys; sys.modules['jurity_reco.kernel._join'] = None; "
        code = hide + "import jurity_reco; jurity_reco.show_versions()"
        assert "numpy (the compiled one cannot be loaded" in self.run(code).stdout
        failed = self.run(code, JURITY_RECO_KERNEL="compiled")
        assert "MissingPackageError" in failed.stderr
        assert "JURITY_RECO_BUILD=required" in failed.stderr

    def test_which_one_is_in_use(self):
        module = importlib.import_module("jurity_reco.kernel")
        assert (module.kernel_for(10) is compiled) == (kernel_in_use() == "compiled")
        assert module.kernel_for(2**30) is twin


class TestThreads:
    @pytest.mark.parametrize("value", [0, -1, 1.5, "2", True])
    def test_not_a_number_of_threads(self, value):
        with pytest.raises(InvalidOptionError, match="'n_threads' must be an integer from 1"):
            jurity_reco.set_n_threads(value)

    def test_by_environment(self, monkeypatch):
        monkeypatch.setenv("JURITY_RECO_THREADS", "7")
        assert jurity_reco.get_n_threads() == 7
        jurity_reco.set_n_threads(2)
        assert jurity_reco.get_n_threads() == 2
        jurity_reco.set_n_threads(None)
        monkeypatch.setenv("JURITY_RECO_THREADS", "many")
        with pytest.raises(InvalidOptionError, match="'JURITY_RECO_THREADS' must be an integer"):
            jurity_reco.get_n_threads()

    def test_all_cores_by_default(self, monkeypatch):
        monkeypatch.delenv("JURITY_RECO_THREADS", raising=False)
        assert jurity_reco.get_n_threads() >= 1
