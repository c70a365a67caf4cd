"""The table of edge cases, row by row."""

import dataclasses
import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from jurity_reco import (
    AUC,
    CTR,
    MAP,
    NDCG,
    CombinedMetrics,
    InvalidDataError,
    Precision,
    Recall,
)
from tests.frames import D

RANKING = (Precision, Recall, MAP, NDCG)
ALL = (*RANKING, CTR, AUC)


def scores(actual, predicted, **options):
    """Score, support and ledger by metric at 2, with 'nan' as a text that equals itself."""
    metrics = CombinedMetrics(*(metric("click", k=2, **options) for metric in ALL))
    return {
        name: (str(result.score), result.support, result.ledger)
        for name, result in metrics.evaluate(actual, predicted).items()
    }


def test_list_shorter_than_k():
    actual, predicted = D([1], ["a"], 1), D([1, 1], ["a", "b"], [2, 1])
    assert Precision("click", k=5).get_score(actual, predicted) == 1 / 2


def test_user_without_relevant_items_is_left_out():
    actual = D([1, 2], ["a", "a"], [1, 0])
    predicted = D([1, 2, 3], ["a", "a", "a"], 1)
    for metric in RANKING:
        result = metric("click").evaluate(actual, predicted)
        assert (result.score, result.support) == (1.0, 1)
        assert result.per_user["user_id"].tolist() == [1]
        assert result.ledger.evaluated == 1
        assert result.ledger.left_out_no_relevant == 2


@pytest.mark.parametrize(
    ("metric", "score"), [(Recall, 0.5), (NDCG, 0.5), (Precision, 1), (MAP, 1)]
)
def test_relevant_user_without_recommendations(metric, score):
    result = metric("click").evaluate(D([1, 2], ["a", "a"], 1), D([1], ["a"], 1))
    assert result.score == score
    zero = metric in (Recall, NDCG)
    assert result.ledger.zero_no_recommendations == (1 if zero else 0)
    assert result.ledger.left_out_no_recommendations == (0 if zero else 1)


def test_repeated_interaction_is_one_relevant_item_but_every_row_counts_for_ctr():
    actual = D([1, 1, 1], ["a", "a", "b"], [0, 1, 1])
    predicted = D([1, 1], ["a", "c"], [2, 1])
    assert Precision("click").get_score(actual, predicted) == 1 / 2
    assert Recall("click").get_score(actual, predicted) == 1 / 2
    ctr = CTR("click").evaluate(actual, predicted)
    assert (ctr.score, ctr.support) == (1 / 2, 2)
    auc = AUC("click").evaluate(actual, predicted)
    assert (auc.score, auc.support) == (1 / 2, 2)


def test_repeated_recommendation_keeps_the_best_ranked():
    actual = D([1], ["a"], 1)
    predicted = D([1, 1, 1], ["a", "b", "a"], [1, 2, 3])
    result = NDCG("click", duplicates="best").evaluate(actual, predicted)
    assert result.score == 1.0
    assert result.ledger.predicted_rows_repeated == 1


@pytest.mark.parametrize(
    ("ties", "first"), [("input", "b"), ("item", "a"), ("item descending", "c")]
)
def test_equal_scores(ties, first):
    predicted = D([1, 1, 1, 1], ["b", "c", "a", "d"], [0.5, 0.5, 0.5, 0.1])
    for item in "abcd":
        score = Precision("click", k=1, ties=ties).get_score(D([1], [item], 1), predicted)
        assert score == (1.0 if item == first else 0.0)


def test_equal_scores_of_integer_ids_are_ordered_as_numbers():
    predicted = D([1, 1], [10, 9], 0.5)
    assert Precision("click", k=1, ties="item").get_score(D([1], [9], 1), predicted) == 1.0


def test_equal_scores_of_categories_are_ordered_by_id_not_by_category():
    predicted = D([1, 1], pd.Categorical(["b", "a"], categories=["b", "a"]), 0.5)
    assert Precision("click", k=1, ties="item").get_score(D([1], ["a"], 1), predicted) == 1.0


def test_ties_do_not_depend_on_other_users():
    predicted = D([1] * 20, range(20), 0.5)
    others = D(np.repeat(np.arange(2, 60), 20), np.tile(np.arange(20), 58), 0.5)
    many = pd.concat([others, predicted]).sample(frac=1, random_state=3).sort_index(kind="stable")
    for item in range(20):
        actual = D([1], [item], 1)
        alone = Precision("click", k=5).get_score(actual, predicted)
        assert Precision("click", k=5).get_score(actual, many) == alone == float(item < 5) / 5


def test_infinite_scores_are_ordinary():
    predicted = D([1, 1, 1], ["a", "b", "c"], [-math.inf, math.inf, 0.0])
    assert NDCG("click").get_score(D([1], ["b"], 1), predicted) == 1.0
    assert NDCG("click").get_score(D([1], ["a"], 1), predicted) == 1 / math.log2(4)


def test_zeros_of_both_signs_tie():
    predicted = D([1, 1], ["a", "b"], [-0.0, 0.0])
    assert Precision("click", k=1).get_score(D([1], ["a"], 1), predicted) == 1.0
    assert AUC("click").get_score(D([1, 1], ["a", "b"], [1, 0]), predicted) == 0.5


@pytest.mark.parametrize("column", ["user_id", "item_id", "click"])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("text", [True, False])
def test_missing_values_can_be_dropped_and_are_counted(column, side, text):
    ids = (["x", "y", "x"], ["a", "a", "b"]) if text else ([1, 2, 1], [5, 5, 6])
    frames = [D(*ids, [1, 1, 1]), D(*ids, [0.9, 0.8, 0.7])]
    frames[side] = frames[side].astype({column: object})
    frames[side].loc[2, column] = None
    clean = list(frames)
    clean[side] = frames[side].iloc[:2].infer_objects()
    expected = scores(*clean)
    dropped = "predicted_rows_invalid" if side else "actual_rows_invalid"
    for name, (score, support, ledger) in scores(*frames, on_invalid="drop").items():
        assert getattr(ledger, dropped) == 1
        found = score, support, dataclasses.replace(ledger, **{dropped: 0})
        assert found == expected[name]


def test_user_whose_rows_are_all_dropped_is_still_accounted_for():
    actual = D([1, 2], ["a", "a"], [1.0, math.nan])
    predicted = D([1, 3], ["a", "a"], [1.0, math.nan])
    result = Recall("click", on_invalid="drop").evaluate(actual, predicted)
    assert (result.score, result.support) == (1.0, 1)
    assert result.ledger.n_users == 3
    assert result.ledger.left_out_no_relevant == 2
    assert result.ledger.actual_rows_invalid == result.ledger.predicted_rows_invalid == 1


def test_disjoint_users():
    found = scores(D([1], ["a"], 1), D([2], ["a"], 1))
    assert {name: score for name, (score, _, _) in found.items()} == {
        "Precision@2": "None",
        "Recall@2": "0.0",
        "MAP@2": "None",
        "NDCG@2": "0.0",
        "CTR(click)@2": "None",
        "AUC(click)@2": "None",
    }
    assert found["Precision@2"][2].left_out_no_recommendations == 1
    assert found["Precision@2"][2].left_out_no_relevant == 1
    assert found["CTR(click)@2"][2].left_out_undefined == 1


USERS, ITEMS = [0, 0, 1, 2, 2, 2], [1, 2, 1, 0, 1, 2]
ACTUAL = D(USERS, ITEMS, [1, 0, 1, 0, 1, 1])
PREDICTED = D([0, 0, 1, 2, 2, 3], [1, 0, 2, 2, 0, 1], [0.3, 0.9, 0.5, 0.6, 0.8, 0.1])
DAY = pd.Timestamp("2026-01-01")
ID_TYPES = {
    "int8": lambda ids: ids.astype("int8"),
    "uint64": lambda ids: ids.astype("uint64") + np.uint64(2**64 - 100),
    "negative": lambda ids: ids - 2**62,
    "sparse": lambda ids: ids * 10**15,
    "float": lambda ids: ids.astype(float) / 2,
    "bool": lambda ids: ids.astype("int16"),
    "nullable": lambda ids: ids.astype("Int64"),
    "category": lambda ids: ids.astype(pd.CategoricalDtype([9, 3, 2, 8, 1, 0])),
    "text category": lambda ids: ids.map(str).astype(pd.CategoricalDtype(list("3210x"))),
    "str": lambda ids: ids.map("id {}".format),
    "object": lambda ids: ids.map("id {}".format).astype(object),
    "string": lambda ids: ids.map("id {}".format).astype("string[python]"),
    "text with zeros": lambda ids: ids.map(lambda number: "a\0" + "b" * number).astype(object),
    "string with zeros": lambda ids: ids.map(lambda number: "a\0" + "b" * number).astype(
        "string[python]"
    ),
    "datetime": lambda ids: DAY + pd.to_timedelta(ids, unit="D"),
    "zoned": lambda ids: (DAY + pd.to_timedelta(ids, unit="D")).dt.tz_localize("Asia/Tokyo"),
    "timedelta": lambda ids: pd.to_timedelta(ids, unit="D"),
    "period": lambda ids: (DAY + pd.to_timedelta(ids, unit="D")).dt.to_period("D"),
    "date": lambda ids: ids.map(lambda day: datetime.date(2026, 1, day + 1)),
    "tuple": lambda ids: ids.map(lambda number: ("id", number)),
    "mixed": lambda ids: ids.map({0: 1, 1: "1", 2: (1,), 3: 1.5}).astype(object),
    "alike": lambda ids: ids.map({0: 1, 1: 1.0, 2: True, 3: "1"}.get).astype(object),
    "huge": lambda ids: (ids.astype(object) + 10**30).astype(object),
    "decimal": lambda ids: ids.map(Decimal).astype(object),
}
ARROW_TYPES = {
    "arrow int": lambda ids: ids.astype("int32[pyarrow]"),
    "arrow string": lambda ids: ids.map("id {}".format).astype("string[pyarrow]"),
    "arrow dtype string": lambda ids: ids.map("id {}".format).astype(
        pd.ArrowDtype(_arrow().string())
    ),
    "arrow large string": lambda ids: ids.map("id {}".format).astype(
        pd.ArrowDtype(_arrow().large_string())
    ),
    "arrow timestamp": lambda ids: (DAY + pd.to_timedelta(ids, unit="D")).astype(
        "timestamp[us][pyarrow]"
    ),
    "arrow dictionary": lambda ids: ids.map(str).astype(
        pd.ArrowDtype(_arrow().dictionary(_arrow().int32(), _arrow().string()))
    ),
}


def _arrow():
    return pytest.importorskip("pyarrow")


@pytest.mark.parametrize("name", ID_TYPES | ARROW_TYPES)
@pytest.mark.parametrize(
    ("column", "ties"), [("user_id", "input"), ("item_id", "input"), ("item_id", "item")]
)
def test_id_types_give_the_values_of_plain_ids(name, column, ties):
    if name in ARROW_TYPES:
        _arrow()
    if ties == "item" and name in ("mixed", "alike"):
        ties = "input"  # such ids have no order, or another one than the plain ids
    convert = (ID_TYPES | ARROW_TYPES)[name]
    actual, predicted = ACTUAL.copy(), PREDICTED.copy()
    actual[column], predicted[column] = convert(actual[column]), convert(predicted[column])
    assert scores(actual, predicted, ties=ties) == scores(ACTUAL, PREDICTED, ties=ties)
    for metric in ALL:
        per_user = metric("click").evaluate(actual, predicted).per_user
        plain = metric("click").evaluate(ACTUAL, PREDICTED).per_user
        pd.testing.assert_series_equal(per_user["value"], plain["value"])
        if column == "user_id":
            assert per_user["user_id"].tolist() == convert(plain["user_id"]).tolist()
            assert per_user["user_id"].map(type).tolist() == (
                convert(plain["user_id"]).map(type).tolist()
            )


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("int64", "Int64"),
        ("int64", "uint8"),
        ("int64", "float64"),
        ("float32", "int16"),
        ("int64", "object"),
        ("int64", "category"),
        ("uint64", "category"),
        ("object", "category"),
        ("str", "category"),
        ("str", "string[python]"),
        ("str", "object"),
        ("datetime64[s]", "datetime64[ns]"),
        ("datetime64[ns]", "object"),
        ("datetime64[us]", "category"),
    ],
)
def test_id_types_that_can_match_do(left, right):
    actual, predicted = ACTUAL.copy(), PREDICTED.copy()
    expected = scores(actual, predicted)
    for column in ("user_id", "item_id"):
        if "str" in left:
            actual[column], predicted[column] = actual[column].map(str), predicted[column].map(str)
        if "datetime" in left:
            actual[column] = DAY + pd.to_timedelta(actual[column], unit="D")
            predicted[column] = DAY + pd.to_timedelta(predicted[column], unit="D")
        actual[column], predicted[column] = (
            actual[column].astype(left),
            predicted[column].astype(right),
        )
    assert scores(actual, predicted) == expected
    assert scores(predicted.assign(click=1), actual, duplicates="best")  # and the other way round


def test_large_integers_compare_exactly():
    actual = D(np.array([2**53 + 1], dtype=np.int64), [1], 1)
    predicted = D(np.array([2**53, 2**53 + 1], dtype=np.uint64), [1, 2], 1)
    assert Recall("click").get_score(actual, predicted) == 0.0
    predicted = D(np.array([2**53 + 1, 2**64 - 1], dtype=np.uint64), [1, 2], 1)
    assert Recall("click").get_score(actual, predicted) == 1.0
    # -1 and 2**64 - 1 have the same bits.
    negative = D(np.array([-1, 2**53 + 1], dtype=np.int64), [1, 1], 1)
    result = Recall("click").evaluate(negative, D(np.array([2**64 - 1], dtype=np.uint64), [1], 1))
    assert result.score == 0.0
    assert result.ledger.n_users == 3


def test_users_of_both_frames_keep_their_ids():
    actual = D(np.array([2**53 + 1], dtype=np.int64), [1], 1)
    predicted = D(np.array([2**64 - 1], dtype=np.uint64), [1], 1)
    metric = CTR("click")
    per_user = Recall("click").evaluate(actual, predicted).per_user
    assert per_user["user_id"].tolist() == [2**53 + 1]
    both = pd.concat([predicted.astype(object), actual.astype(object)]).astype({"click": float})
    assert metric.evaluate(actual, both.infer_objects()).per_user["user_id"].tolist() == [2**53 + 1]


def test_per_user_keeps_the_type_of_the_ids():
    categories = pd.CategoricalDtype(["b", "a", "unused"])
    actual = D(["a", "b"], [1, 1], 1).astype({"user_id": categories})
    predicted = D(["b"], [1], 1).astype({"user_id": categories})
    per_user = Recall("click").evaluate(actual, predicted).per_user
    assert per_user["user_id"].dtype == categories
    assert per_user["user_id"].tolist() == ["a", "b"]
    nullable = Recall("click").evaluate(
        D([2, 1], [1, 1], 1).astype({"user_id": "Int64"}), D([1], [1], 1)
    )
    assert nullable.per_user["user_id"].dtype == "Int64"


@pytest.mark.parametrize(
    "labels",
    [
        [True, False, True],
        np.array([1, 0, 2], dtype=np.uint8),
        [0.5, 0.0, 3.5],
        [1, -1, 1],
        pd.array([1, 0, 1], dtype="Int64"),
        pd.array([True, False, True], dtype="boolean"),
        pd.array([1.0, 0.0, 1.0], dtype="Float64"),
        pd.Categorical([1, 0, 1]),
        np.array([True, False, 1], dtype=object),
        np.array([Decimal("0.1"), Decimal(0), Decimal(1)], dtype=object),
    ],
    ids=lambda labels: str(getattr(labels, "dtype", type(labels[0]).__name__)),
)
def test_label_types(labels):
    actual = D([1, 1, 1], ["a", "b", "c"], labels)
    predicted = D([1, 1], ["a", "b"], [1, 2])
    assert Recall("click").get_score(actual, predicted) == 1 / 2
    assert NDCG("click").get_score(actual, predicted) == pytest.approx(
        (1 / math.log2(3)) / (1 + 1 / math.log2(3))
    )


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint64", "float32", "bool", "Int64", "Float32", "boolean", "category", "object"],
)
def test_score_types(dtype):
    predicted = D([1, 1], ["a", "b"], [0, 1]).astype({"click": dtype})
    assert NDCG("click").get_score(D([1], ["b"], 1), predicted) == 1.0
    assert AUC("click").get_score(D([1, 1], ["a", "b"], [0, 1]), predicted) == 1.0


def test_integer_scores_above_the_floats_compare_exactly():
    predicted = D([1, 1], ["a", "b"], [2**53, 2**53 + 1])
    assert NDCG("click").get_score(D([1], ["b"], 1), predicted) == 1.0
    assert AUC("click").get_score(D([1, 1], ["a", "b"], [0, 1]), predicted) == 1.0


def test_graded_labels_are_relevant_from_the_threshold_on():
    actual = D([1, 1, 1], ["a", "b", "c"], [5, 3.5, 3])
    predicted = D([1, 1, 1], ["a", "b", "c"], [1, 2, 3])
    assert Precision("click", relevance_threshold=3.5).get_score(actual, predicted) == 2 / 3
    assert Precision("click").get_score(actual, predicted) == 1.0


def test_mean_of_equal_values_does_not_leave_its_range():
    actual, predicted = D([1] * 3, [1] * 3, [0.1] * 3), D([1], [1], 1.0)
    result = CTR("click").evaluate(actual, predicted)
    assert result.score == 0.1
    assert result.per_user["value"].tolist() == [0.1]


def test_values_that_cannot_be_added_up():
    predicted = D([1], [1], 1.0)
    assert CTR("click").get_score(D([1] * 2, [1] * 2, 1e200), predicted) == 1e200
    with (
        pytest.raises(InvalidDataError, match="too large to be added up"),
        np.errstate(over="ignore"),
    ):
        CTR("click").get_score(D([1] * 2, [1] * 2, 1e308), predicted)


def test_threshold_is_compared_in_the_type_of_the_labels():
    for dtype in (np.float32, "Float32", np.float64):
        actual = D([1], [1], 0.7).astype({"click": dtype})
        metric = Recall("click", relevance_threshold=0.7)
        assert metric.get_score(actual, D([1], [1], 1.0)) == 1.0


def test_cutoff_beyond_all_lists():
    for metric in RANKING:
        expected = metric("click").get_score(ACTUAL, PREDICTED)
        assert metric("click", k=2**70).get_score(ACTUAL, PREDICTED) == expected
        assert metric("click", k=2**70, ties="expected").get_score(ACTUAL, PREDICTED) is not None


@pytest.mark.parametrize("text", [True, False])
def test_empty_frames_of_categories(text):
    categories = pd.Categorical(["a", "b"] if text else [1, 2])
    full = D(categories, [1, 2], [0.9, 0.8])
    empty = full[full["click"] > 5]
    assert Recall("click").get_score(full, empty) == 0.0
    assert Recall("click").get_score(empty, full) is None
    assert Recall("click").get_score(empty, D([1], [1], 1)) is None


def test_unused_categories_are_nobody():
    actual = D(pd.Categorical([1.0, 2.0], categories=[1.0, 2.0, 2.5]), [1, 1], 1)
    assert Recall("click").get_score(actual, D([1, 2], [1, 1], 1.0)) == 1.0
    labels = pd.Categorical([1, 0], categories=[0, 1, "unused"])
    assert Recall("click").get_score(D([1, 2], [1, 1], labels), D([1, 2], [1, 1], 1.0)) == 1.0


@pytest.mark.parametrize("column", ["user_id", "item_id"])
def test_nan_in_nullable_floats_is_missing(column):
    ids = pd.arrays.FloatingArray(np.array([1.5, math.nan]), np.zeros(2, dtype=bool))
    actual = D([0, 1], [0, 1], 1).assign(**{column: pd.Series(ids)})
    predicted = D([0, 1], [0, 1], [0.9, 0.8]).assign(**{column: [1.5, 2.5]})
    with pytest.raises(InvalidDataError, match=f"1 row with a missing '{column}'"):
        Recall("click").get_score(actual, predicted)
    dropped = Recall("click", on_invalid="drop").evaluate(actual, predicted)
    assert dropped.ledger.actual_rows_invalid == 1


@pytest.mark.parametrize("others", [[1.0, 2.0], [1, 2], pd.Categorical([1, 2])])
def test_a_dropped_row_does_not_change_what_matches(others):
    actual = D(np.array([1, 2, None], dtype=object), [1, 2, 3], 1)
    recall = Recall("click", on_invalid="drop")
    assert recall.get_score(actual, D(others, [1, 2], [0.9, 0.8])) == 1.0


def test_time_zones_of_objects_and_columns():
    zoned = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]).tz_localize("UTC"))
    objects = pd.Series(list(zoned.dt.tz_convert("Asia/Tokyo")), dtype=object)
    mixed = pd.Series([*objects[:1], "text"], dtype=object)
    assert Recall("click").get_score(D(zoned, [1, 2], 1), D(objects, [1, 2], 1)) == 1.0
    assert Recall("click").get_score(D(zoned, [1, 2], 1), D(mixed, [1, 2], 1)) == 0.5


def test_byte_order_does_not_matter():
    actual = D(np.array([1, 2], dtype=">i8"), [1, 2], 1)
    result = Recall("click").evaluate(actual, D(np.array([1, 3], dtype=">i4"), [1, 2], 1.0))
    assert result.score == 0.5
    assert result.per_user["user_id"].tolist() == [1, 2]


def test_large_object_scores_compare_exactly():
    scores = np.array([2**63, 2**63 + 1], dtype=object)
    predicted = D([1, 1], ["a", "b"], scores)
    assert NDCG("click").get_score(D([1], ["b"], 1), predicted) == 1.0
    with pytest.raises(InvalidDataError, match="integers beyond the range of floats"):
        NDCG("click").get_score(
            D([1], ["b"], 1), D([1, 1], ["a", "b"], pd.Series([10**400, 1], dtype=object))
        )


def test_infinite_value_has_no_mean():
    actual = D([1, 1], ["a", "b"], [1.0, math.inf])
    predicted = D([1, 1], ["a", "b"], [2, 1])
    with pytest.raises(InvalidDataError):
        CTR("click").get_score(actual, predicted)
    assert CTR("click", k=1).get_score(actual, predicted) == 1.0


def test_more_users_and_items_than_fit_a_small_table():
    rng = np.random.default_rng(5)
    users, items = rng.integers(0, 2**62, 500), rng.integers(-(2**62), 2**62, 500)
    actual = D(users, items, 1)
    predicted = D(np.append(users, users[:100]), np.append(items, items[:100] + 1), 0.5)
    assert Recall("click").get_score(actual, predicted) == 1.0
    assert Precision("click", k=1).get_score(actual, predicted) == 1.0
