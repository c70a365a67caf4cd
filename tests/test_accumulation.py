"""Batches, merges, pools and byte trips add up to the whole."""

import math
import pickle
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import (
    AUC,
    CTR,
    NDCG,
    CombinedMetrics,
    InterListDiversity,
    InvalidDataError,
    InvalidOptionError,
    InvalidStateError,
    MetricState,
    Precision,
    Recall,
    pool,
)
from jurity_reco.accumulation import SeenUsers
from tests.frames import D, frame, row_lists
from tests.metrics import METRICS_OF_ACTUAL, make

GOLDEN = Path(__file__).parent / "golden"
ACCUMULATING = METRICS_OF_ACTUAL
over_metrics = pytest.mark.parametrize("metric_class", ACCUMULATING, ids=lambda metric: metric.key)

ACTUAL = D([1, 1, 2, 3], ["a", "b", "a", "c"], [1, 0, 1, 1])
PREDICTED = D([1, 1, 2, 4], ["a", "b", "c", "a"], [0.9, 0.8, 0.7, 0.6])
MORE_ACTUAL = D([11, 12], ["a", "b"], [1, 0])
MORE_PREDICTED = D([11, 12], ["a", "b"], [0.3, 0.2])


def same(left, right):
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-12) or (math.isnan(left) and math.isnan(right))


def split(rows, n_parts):
    """The rows of both sides by user: everybody is in one part."""
    users = list(dict.fromkeys(row[0] for side in rows for row in side))
    part_of = {user: number % n_parts for number, user in enumerate(users)}
    return [
        [frame([row for row in side if part_of[row[0]] == part]) for side in rows]
        for part in range(n_parts)
    ]


def check_same_result(state, whole):
    assert same(state.score, whole.score)
    assert state.support == whole.support
    assert state.ledger == whole.ledger


@over_metrics
@given(rows=row_lists(), k=st.sampled_from([None, 1, 3]), n_parts=st.integers(1, 4))
def test_batches_equal_the_whole(metric_class, rows, k, n_parts):
    whole = make(metric_class, k=k).evaluate(*map(frame, rows))
    metric = make(metric_class, k=k)
    for part in split(rows, n_parts):
        batch, so_far = metric.get_score(*part, True, True)
        assert str(batch) == str(make(metric_class, k=k).get_score(*part, False, True))
    assert same(so_far[metric.key], whole.score)
    check_same_result(metric.compute(), whole)
    metric.reset()
    assert metric.compute().score is None
    assert metric.compute().ledger.n_users == 0


@over_metrics
@given(rows=row_lists(), data=st.data())
def test_merges_and_byte_trips_equal_the_whole(metric_class, rows, data):
    whole = make(metric_class, k=2).evaluate(*map(frame, rows))
    accumulators = []
    for part in split(rows, 4):
        accumulators.append(make(metric_class, k=2))
        accumulators[-1].update(*part)
    stored = [accumulator.state.to_bytes() for accumulator in accumulators]
    # Merge in any order, as any tree.
    while len(accumulators) > 1:
        left = accumulators.pop(data.draw(st.integers(0, len(accumulators) - 1)))
        right = accumulators[data.draw(st.integers(0, len(accumulators) - 1))]
        if data.draw(st.booleans()):
            left = pickle.loads(pickle.dumps(left))
        right.merge(left)
    check_same_result(accumulators[0].compute(), whole)
    order = data.draw(st.permutations(range(4)))
    check_same_result(pool(stored[number] for number in order), whole)
    trip = MetricState.from_bytes(accumulators[0].state.to_bytes())
    check_same_result(trip, whole)
    assert trip.to_bytes() == accumulators[0].state.to_bytes()


@given(rows=row_lists(), n_parts=st.integers(1, 3))
def test_combined_batches_equal_the_whole(rows, n_parts):
    metrics = [make(metric, k=k) for metric in ACCUMULATING for k in (None, 2)]
    whole = CombinedMetrics(*metrics).evaluate(*map(frame, rows))
    combined, other = CombinedMetrics(*metrics), CombinedMetrics(*metrics)
    first, *rest = split(rows, n_parts)
    batch, so_far = combined.get_score(*first, batch_accumulate=True)
    assert str(batch) == str(so_far) == str(CombinedMetrics(*metrics).get_score(*first))
    for part in rest:
        other.update(*part)
    combined.merge(other)
    assert list(combined.compute()) == list(whole)
    for name, result in combined.compute().items():
        check_same_result(result, whole[name])
        check_same_result(combined.state[name], whole[name])
    combined.reset()
    assert all(result.score is None for result in combined.compute().values())


@over_metrics
def test_return_modes(metric_class):
    metric = make(metric_class, k=2)
    first = metric.get_score(ACTUAL, PREDICTED, batch_accumulate=True)
    assert first == (metric.get_score(ACTUAL, PREDICTED),) * 2
    batch, so_far = metric.get_score(MORE_ACTUAL, MORE_PREDICTED, True, True)
    assert list(batch)[:2] == list(so_far)[:2] == [metric.key, "support"]
    assert so_far["support"] > batch["support"]
    assert so_far["ledger"]["evaluated"] > batch["ledger"]["evaluated"]


@over_metrics
def test_an_empty_first_batch_is_no_error(metric_class):
    metric = metric_class("click")
    assert metric.get_score(ACTUAL[:0], PREDICTED[:0], batch_accumulate=True) == (None, None)
    batch, so_far = metric.get_score(ACTUAL, PREDICTED, batch_accumulate=True)
    assert batch == so_far == metric_class("click").get_score(ACTUAL, PREDICTED)


REPEATED = (
    "1 user of this batch came in an earlier one, for example user_id=4; put all rows of a user "
    'into one batch, or pass repeated_users="count" to count users once per batch. The batch was '
    "not added."
)


@over_metrics
def test_a_user_who_comes_twice_is_refused_and_nothing_changes(metric_class):
    metric = make(metric_class, k=2)
    metric.update(ACTUAL, PREDICTED)
    before = metric.state.to_bytes()
    # User 4 had recommendations in the first batch and comes with clicks in the second.
    with pytest.raises(InvalidDataError, match=f"^{re.escape(REPEATED)}$"):
        metric.update(D([20, 4], ["a", "a"], 1), D([20], ["a"], 1))
    assert metric.state.to_bytes() == before
    metric.update(D([20], ["a"], 1), D([20], ["a"], 1))  # and user 20 was not taken for seen


@over_metrics
def test_repeated_users_can_be_counted(metric_class):
    metric = make(metric_class, k=2, repeated_users="count")
    once = metric.get_score(ACTUAL, PREDICTED, return_extended_results=True)
    metric.update(ACTUAL, PREDICTED)
    metric.update(ACTUAL, PREDICTED)
    assert metric.compute().support == 2 * once["support"]
    other = make(metric_class, k=2, repeated_users="count")
    other.update(ACTUAL, PREDICTED)
    metric.merge(other)
    assert metric.compute().support == 3 * once["support"]
    assert same(metric.compute().score, once[metric.key])


def test_users_are_recognised_in_columns_of_another_type():
    for first, second in [
        ([1, 2], [2.0, 3.0]),
        ([1, 2], pd.array([2, 3], dtype="Int64")),
        ([1, 2], pd.Categorical([2, 3])),
        (["1", "2"], pd.Categorical(["2", "3"])),
        (["1", "2"], pd.array(["2", "3"], dtype="string[python]")),
        (["1", "2"], np.array(["2", "3"], dtype=object)),
        (
            pd.to_datetime(["2026-01-01", "2026-01-02"]),
            np.array(["2026-01-02", "2026-01-03"], dtype="datetime64[s]"),
        ),
        (
            pd.to_datetime(["2026-01-01", "2026-01-02"]),
            np.array([pd.Timestamp("2026-01-02"), pd.Timestamp("2026-01-03")], dtype=object),
        ),
        (
            pd.to_datetime(["2026-01-01 00:00", "2026-01-02 00:00"]).tz_localize("UTC"),
            pd.to_datetime(["2026-01-02 09:00", "2026-01-03 00:00"]).tz_localize("Asia/Tokyo"),
        ),
    ]:
        metric = Recall("click")
        metric.update(D(first, ["a", "a"], 1), D(first, ["a", "a"], 1))
        with pytest.raises(InvalidDataError, match=r"^1 user of this batch"):
            metric.update(D(second, ["a", "a"], 1), D(second, ["a", "a"], 1))


def test_a_failed_update_of_one_metric_changes_no_other():
    combined = CombinedMetrics(Recall("click"), CTR("click", value_column="kpi"))
    combined.update(ACTUAL.assign(kpi=1.0), PREDICTED)
    before = {name: state.to_bytes() for name, state in combined.state.items()}
    broken = MORE_ACTUAL.assign(kpi=math.inf)
    with pytest.raises(InvalidDataError):
        combined.update(broken, MORE_PREDICTED)
    with pytest.raises(InvalidDataError, match="user_id"):
        combined.get_score(ACTUAL.assign(kpi=1.0), PREDICTED, True)
    assert {name: state.to_bytes() for name, state in combined.state.items()} == before
    combined.update(broken.assign(kpi=1.0), MORE_PREDICTED)


def test_accumulators_with_common_users_do_not_merge():
    left, right = Recall("click"), Recall("click")
    left.update(ACTUAL, PREDICTED)
    right.update(ACTUAL[:2], PREDICTED[:2])
    before = left.state.to_bytes()
    message = (
        "1 user is in both accumulators (by 'user_id') and would count twice; split the data by "
        'user, or pass repeated_users="count" to count users once per accumulator. Nothing was '
        "merged."
    )
    with pytest.raises(InvalidDataError, match=f"^{re.escape(message)}$"):
        left.merge(right)
    with pytest.raises(InvalidDataError, match=r"^4 users are in both accumulators"):
        left.merge(left)
    assert left.state.to_bytes() == before


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        (Recall("click"), Recall("click", k=2)),
        (Recall("click"), NDCG("click")),
        (Recall("click"), Recall("kpi")),
        (Recall("click"), "Recall"),
        (CombinedMetrics(Recall("click")), Recall("click")),
        (CombinedMetrics(Recall("click")), CombinedMetrics(Recall("click", k=2))),
    ],
)
def test_other_metrics_do_not_merge(mine, other):
    message = (
        f"Only accumulators with the same parameters can be merged, got {other!r} for {mine!r}."
    )
    with pytest.raises(InvalidOptionError, match=f"^{re.escape(message)}$"):
        mine.merge(other)


def test_a_metric_with_batches_is_still_a_value():
    metric = Recall("click")
    metric.update(ACTUAL, PREDICTED)
    assert metric == Recall("click")
    assert hash(metric) == hash(Recall("click"))
    assert repr(metric) == repr(Recall("click"))
    assert pickle.loads(pickle.dumps(metric)).compute().score == metric.compute().score
    assert Recall("click").compute().score is None
    assert metric.compute().per_user is None


def test_pool_counts_user_windows_and_says_so():
    recall = Recall("click", k=2)
    day = recall.evaluate(ACTUAL, PREDICTED).state
    pooled = pool([day, day.to_bytes(), day])
    assert pooled.support == 3 * day.support
    assert same(pooled.score, day.score)
    assert pooled.state.n_windows == 3
    assert repr(pooled) == "<Recall@2: 0.333333, support 9, 9 of 12 user-windows of 3 windows>"
    assert MetricState.from_bytes(pooled.state.to_bytes()).n_windows == 3
    assert repr(pooled.state) == "<state of Recall@2 of 3 windows: 0.333333, support 9>"
    assert pool([pooled.state, day]).state.n_windows == 4
    for wrong in ("monday.bin", {"a": day}, day, [5], ["monday.bin"], [None]):
        with pytest.raises(
            InvalidOptionError, match=r"^pool takes a list of states, of their bytes"
        ):
            pool(wrong)
    assert pool([recall.evaluate(ACTUAL, PREDICTED), memoryview(day.to_bytes())]).support == 6
    with pytest.raises(
        InvalidOptionError, match=r"^pool takes one or more states of a metric, got none"
    ):
        pool([])


def test_states_of_other_metrics_do_not_pool():
    recall = Recall("click", k=2).evaluate(ACTUAL, PREDICTED).state
    for other in (
        Recall("click", k=3),
        NDCG("click", k=2),
        Recall("click", 2, score_column="click2"),
    ):
        predicted = PREDICTED.assign(click2=PREDICTED["click"])
        state = other.evaluate(ACTUAL, predicted).state
        with pytest.raises(
            InvalidStateError, match=r"^Only states of one metric and the same columns"
        ):
            pool([recall, state])


def damaged(change):
    """Bytes of a state after a change of its body, with the right checksum."""
    data = bytearray(Recall("click").evaluate(ACTUAL, PREDICTED).state.to_bytes()[:-4])
    change(data)
    return bytes(data) + struct.pack("<I", zlib.crc32(bytes(data)))


def with_header(entry):
    """Bytes of a state with one entry of the header replaced, and the right checksum."""
    data = Recall("click").evaluate(ACTUAL, PREDICTED).state.to_bytes()
    (length,) = struct.unpack_from("<I", data, 6)
    header, arrays = data[10 : 10 + length], data[10 + length : -4]
    key = entry.split(b":")[0]
    old = re.search(re.escape(key) + rb':(\[\[.*\]\]|"[^"]*"|[^,}]*)', header).group(0)
    changed = header.replace(old, entry)
    body = data[:6] + struct.pack("<I", len(changed)) + changed + arrays
    return body + struct.pack("<I", zlib.crc32(body))


def test_bad_bytes_are_refused():
    data = Recall("click").evaluate(ACTUAL, PREDICTED).state.to_bytes()
    for cut in (20, len(data) // 2, len(data) - 1):
        message = (
            f"This stored state of {cut} bytes is cut off or damaged: its checksum is wrong. "
            "Compute and store it again."
        )
        with pytest.raises(InvalidStateError, match=f"^{re.escape(message)}$"):
            MetricState.from_bytes(data[:cut])
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    with pytest.raises(InvalidStateError, match="checksum is wrong"):
        MetricState.from_bytes(bytes(flipped))
    for foreign in (b"", b"JRS", b"PAR1" + data):
        message = (
            f"These {len(foreign)} bytes are not a stored state: they do not begin as one. Pass "
            "what MetricState.to_bytes returned."
        )
        with pytest.raises(InvalidStateError, match=f"^{re.escape(message)}$"):
            MetricState.from_bytes(foreign)
    message = (
        "This state was stored in version 9 of the format, and this version of jurity_reco reads "
        "version 1: update jurity_reco, or store the state again."
    )
    with pytest.raises(InvalidStateError, match=f"^{re.escape(message)}$"):
        MetricState.from_bytes(damaged(lambda data: data.__setitem__(slice(4, 6), b"\x09\x00")))

    for header, message in [
        (b'"kind":"other"', "'other'"),
        (b'"arrays":[["n_users","<i8",9999999]]', "buffer"),
        (b'"arrays":[["n_users","|O",1]]', "is of type"),
        (b'"n_windows":"a"', "do not fit together"),
        (b'"metric":1e', "JSON|Expecting"),
    ]:
        with pytest.raises(InvalidStateError, match=r"^This stored state cannot be read, although"):
            MetricState.from_bytes(with_header(header))
        assert message
    with pytest.raises(InvalidStateError, match="A stored state is bytes, got str; read a file"):
        MetricState.from_bytes("monday.bin")

    def another_hash(data):
        data[:] = data.replace(b'"hash_version":1', b'"hash_version":7')

    message = (
        "This state was stored with version 7 of the hash of ids, and this version of jurity_reco "
        "uses version 1: the two cannot be added up."
    )
    with pytest.raises(InvalidStateError, match=f"^{re.escape(message)}$"):
        MetricState.from_bytes(damaged(another_hash))


@pytest.mark.parametrize(
    ("file", "metric"),
    [
        ("ratio_v1.state", NDCG("click", 2)),
        ("scores_v1.state", AUC("click")),
        ("ratio_rows_v1.state", CTR("click", 2)),
        ("policy_v1.state", CTR("click", estimation="ips")),
        ("diversity_v1.state", InterListDiversity("click", 1)),
    ],
)
def test_stored_states_can_be_read_for_ever(file, metric):
    # If this fails, the format has changed: read the old version too, and store a new file.
    stored = (GOLDEN / file).read_bytes()
    state = metric.evaluate(ACTUAL, PREDICTED).state
    check_same_result(MetricState.from_bytes(stored), state)
    assert state.to_bytes() == stored


@given(st.lists(st.sets(st.integers(0, 2**64 - 1), max_size=6), max_size=12))
def test_seen_users_are_a_set(batches):
    seen, expected = SeenUsers(), set()
    for batch in batches:
        hashes = np.array(sorted(batch), dtype=np.uint64)
        assert seen.contains(hashes).tolist() == [int(h) in expected for h in hashes]
        new = hashes[~seen.contains(hashes)]
        seen = seen.adding(new)
        expected |= batch
        assert len(seen) == len(expected)
        assert len(seen.runs) <= 1 + math.log2(len(expected) + 1)


def test_extended_results_of_batches_are_plain_data():
    precision = Precision("click", k=1)
    _, so_far = precision.get_score(ACTUAL, PREDICTED, True, True)
    assert so_far["ledger"]["evaluated"] == 2
    assert all(type(value) in (float, int, dict) for value in so_far.values())
