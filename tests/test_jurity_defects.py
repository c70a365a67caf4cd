"""The defects of Jurity 2.1.0 that concern these metrics, each with the frames that show it."""

import math

import numpy as np
import pandas as pd
import pytest

from jurity_reco import (
    AUC,
    CTR,
    MAP,
    NDCG,
    ColumnNotFoundError,
    CombinedMetrics,
    InterListDiversity,
    IntraListDiversity,
    InvalidDataError,
    InvalidOptionError,
    Precision,
    Recall,
)
from tests.frames import D


def test_1_one_recommender_does_not_get_the_result_of_another():
    actual = D([1, 1, 2, 2], [10, 11, 20, 21], 1)
    good = D([1, 1, 2, 2], [10, 11, 20, 21], [2, 1, 2, 1])
    bad = D([1, 1, 2, 2], [98, 99, 98, 99], [2, 1, 2, 1])
    recall = Recall("click", k=2)
    assert recall.get_score(actual, good) == 1.0
    assert recall.get_score(actual, bad) == 0.0
    assert recall.get_score(actual, good) == 1.0


def test_2_map_works_on_every_pandas():
    assert MAP("click", k=2).get_score(D([1, 2], [1, 2], 1), D([1, 2], [1, 9], [0.9, 0.8])) == 0.5


def test_2_ips_and_dr_count_unmatched_recommendations():
    actual, predicted = D([1, 2], [1, 2], 1), D([1, 2], [1, 9], [0.9, 0.8])
    assert CTR("click", estimation="ips").get_score(actual, predicted) == 1.0
    assert CTR("click", estimation="dr").get_score(actual, predicted) == pytest.approx(0.95)


def test_3_map_works_without_a_cutoff():
    actual = D([1, 1], ["a", "b"], 1)
    predicted = D([1, 1, 1], ["a", "x", "b"], [3, 2, 1])
    assert MAP("click").get_score(actual, predicted) == (1 / 1 + 2 / 3) / 2


@pytest.mark.parametrize("side", ["actual", "predicted", "both", "neither"])
def test_4_categorical_users_in_one_frame(side):
    actual = D(list("zaaa"), [1, 1, 2, 3], 1)
    predicted = D(list("zaa"), [1, 1, 2], [0.9, 0.8, 0.7])
    categories = pd.CategoricalDtype(["z", "a"])
    if side in ("actual", "both"):
        actual = actual.astype({"user_id": categories})
    if side in ("predicted", "both"):
        predicted = predicted.astype({"user_id": categories})
    assert MAP("click", k=3).get_score(actual, predicted) == pytest.approx((1 + 2 / 3) / 2)


def test_5_ties_follow_the_input_whatever_the_other_users():
    rng = np.random.default_rng(0)
    predicted = D(np.repeat(np.arange(50), 30), np.tile(np.arange(30), 50), 0.5)
    actual = D(rng.integers(0, 50, 200), rng.integers(0, 30, 200), 1)
    per_user = Precision("click", k=5).evaluate(actual, predicted).per_user
    for user, value in zip(per_user["user_id"], per_user["value"], strict=True):
        items = set(actual["item_id"][actual["user_id"] == user])
        assert value == len(items & {0, 1, 2, 3, 4}) / 5


@pytest.mark.parametrize("metric", [Precision, Recall, MAP, NDCG, CTR, AUC])
def test_6_missing_labels_and_scores_are_refused(metric):
    complete = D([1, 1], ["a", "b"], [1.0, 0.0])
    lacking = D([1, 1], ["a", "b"], [1.0, math.nan])
    for frames in [(lacking, complete), (complete, lacking)]:
        with pytest.raises(InvalidDataError, match="1 row with a missing 'click'"):
            metric("click").get_score(*frames)


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (Precision, 1 / 2),
        (Recall, 1 / 2),
        (NDCG, 1 / (1 + 1 / math.log2(3))),
        (MAP, 1 / 2),
    ],
)
def test_7_repeated_impressions(metric, score):
    actual = D([1] * 4, list("AAAC"), 1)
    predicted = D([1, 1], list("AB"), [0.9, 0.8])
    assert metric("click", k=2).get_score(actual, predicted) == score
    repeated = D([1, 1, 1], list("AAB"), [0.9, 0.85, 0.8])
    assert metric("click", k=2, duplicates="best").get_score(actual, repeated) == score


def test_8_ips_without_propensities_does_not_depend_on_the_batching():
    actual = D([1, 1, 2, 2], [1, 2, 3, 4], [1, 0, 1, 0])
    predicted = D([1, 2], [1, 3], [0.9, 0.8])
    ips = CTR("click", estimation="ips")
    assert ips.get_score(actual, predicted) == 4.0
    for user in (1, 2):
        _, so_far = ips.get_score(
            actual[actual["user_id"] == user], predicted[predicted["user_id"] == user], True
        )
    assert so_far == 4.0


@pytest.mark.parametrize("propensity", [0.0, math.nan])
def test_9_propensities_of_zero_and_missing_ones_are_refused(propensity):
    actual = D([1, 2], [1, 2], 1).assign(propensity=[0.5, propensity])
    for estimation in ("ips", "snips", "dr"):
        with pytest.raises(InvalidDataError, match="'propensity'"):
            CTR("click", estimation=estimation).get_score(actual, D([1, 2], [1, 2], 0.9))


def test_10_empty_batches_are_no_error():
    nothing, some = D([], [], []), D([1], [1], 1)
    for metric in (Precision, Recall, MAP, NDCG, CTR, AUC):
        assert metric("click").get_score(nothing, some) is None
        assert metric("click").get_score(nothing, nothing) is None
        accumulating = metric("click")
        assert accumulating.get_score(nothing, nothing, True) == (None, None)
        accumulating.update(some, some)
    assert CTR("click", estimation="ips").get_score(nothing, some) == 0.0
    assert CTR("click", estimation="dr").get_score(nothing, some) == 1.0


def test_11_ctr_needs_the_label_column():
    actual = D([1], [1], 1).drop(columns="click")
    with pytest.raises(ColumnNotFoundError, match="'click' not found in actual"):
        CTR("click").get_score(actual, D([1], [1], 0.9))


def test_12_cutoffs_are_checked_and_numpy_integers_are_fine():
    for k in (0, -1):
        with pytest.raises(InvalidOptionError):
            MAP("click", k=k)
    assert MAP("click", k=np.int64(2)) == MAP("click", k=2)
    assert InterListDiversity("click", k=np.int64(2)).k == 2


def test_13_diversity():
    predicted = D(list("xxyy"), list("abac"), [4, 3, 2, 1])
    features = pd.DataFrame({"item_id": list("ab"), "size": [1.0, 2.0], "weight": [1.0, 0.0]})
    intra = IntraListDiversity(features, "click", k=2).get_score(None, predicted, False, True)
    assert intra["support"] == 1
    assert intra["items_without_features"] == 1
    categorical = predicted.astype({"user_id": "category", "item_id": "category"})
    for metric, score in (("cosine", 1 / 2), ("jaccard", 2 / 3)):
        inter = InterListDiversity("click", k=2, metric=metric)
        assert inter.get_score(None, categorical) == pytest.approx(score)


def test_14_combined_metrics_lose_nothing():
    actual = D([1], ["a"], 1).assign(kpi=[1])
    predicted = D([2], ["a"], 0.5).assign(kpi=[0.1])
    metrics = CombinedMetrics(Precision("click", k=2), Precision("kpi", k=2), Recall("click", k=2))
    assert metrics.get_score(actual, predicted) == {
        "Precision(click)@2": None,
        "Precision(kpi)@2": None,
        "Recall@2": 0.0,
    }


def test_15_a_user_in_two_batches_is_noticed_and_accumulators_reset_and_merge():
    recall, other = Recall("click"), Recall("click")
    recall.update(D([1], [1], 1), D([1], [1], 1))
    with pytest.raises(InvalidDataError, match="user_id=1"):
        recall.update(D([1], [2], 1), D([1], [1], 1))
    other.update(D([2], [2], 1), D([2], [1], 1))
    recall.merge(other)
    assert recall.compute().score == 1 / 2
    recall.reset()
    assert recall.compute().score is None


def test_16_there_are_per_user_results():
    actual = D(["x", "y", "y"], [1, 1, 2], 1)
    predicted = D(["y", "x"], [1, 3], [0.9, 0.8])
    per_user = Recall("click").evaluate(actual, predicted).per_user
    pd.testing.assert_frame_equal(
        per_user, pd.DataFrame({"user_id": ["x", "y"], "value": [0.0, 1 / 2]})
    )
