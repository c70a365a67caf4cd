"""Other ways in: ratings, models, names in a YAML list, and splits."""

import logging
import math
from math import log2, sqrt

import numpy as np
import pandas as pd
import pytest
import yaml

from jurity_reco import (
    ColumnNotFoundError,
    InvalidDataError,
    InvalidOptionError,
    MissingPackageError,
    RecommenderEvaluator,
    UnsupportedFrameError,
    compute_metrics,
    evaluate,
    split,
)
from jurity_reco.functional import gini_coefficient
from tests.frames import D
from tests.test_dialects import ACTUAL, PREDICTED

# Predicted and true ratings. By prediction, ann has 5, 2, 4 and bob 1, 3.
RATED = {"ann": [(4.0, 2.0), (4.5, 5.0), (3.0, 4.0)], "bob": [(2.0, 1.0), (1.0, 3.0)]}


def test_ratings():
    found = compute_metrics(
        user_pred_true=RATED,
        metrics=["precision", "recall", "ndcg", "hit_rate", "rmse"],
        k=10,
        threshold=3.5,
    )
    assert list(found) == ["precision", "recall", "ndcg", "hit_rate", "rmse"]
    assert found == pytest.approx(
        {
            "precision": (2 / 10 + 0) / 2,
            "recall": 2 / 2,
            "ndcg": (1 + 1 / log2(4)) / (1 + 1 / log2(3)),
            "hit_rate": 1 / 2,
            "rmse": sqrt((0.5**2 + 2**2 + 1 + 1 + 2**2) / 5),
        }
    )
    cut = compute_metrics(RATED, ["recall", "ndcg", "precision"], k=1)
    assert cut == {"recall": 1 / 2, "ndcg": 1.0, "precision": 1 / 2}
    zero = compute_metrics(RATED, ["recall", "ndcg", "hit"], k=1, empty="zero")
    assert zero == {"recall": 1 / 4, "ndcg": 1 / 2, "hit": 1 / 2}
    assert list(compute_metrics(RATED)) == ["precision", "recall", "ndcg", "hit_rate", "rmse"]
    assert compute_metrics({"bob": RATED["bob"]}, ["recall"]) == {"recall": None}


def test_dcg_of_a_list_with_a_miss_in_the_middle():
    # A, B and C with relevance 1, 0, 1: DCG 1.5, and 1.63 in the best order.
    rated = {"ann": [(0.9, 1), (0.8, 0), (0.7, 1)]}
    assert 1 + 1 / log2(4) == 1.5
    assert round(1 + 1 / log2(3), 2) == 1.63
    found = compute_metrics(rated, "ndcg", k=3, threshold=0.5)
    assert found["ndcg"] == pytest.approx(1.5 / (1 + 1 / log2(3)))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: compute_metrics([1]),
            InvalidOptionError,
            "'user_pred_true' must be a dictionary by user, got [1].",
        ),
        (
            lambda: compute_metrics({}),
            InvalidOptionError,
            "'user_pred_true' must have at least one user, got none.",
        ),
        (
            lambda: compute_metrics({"ann": []}),
            InvalidDataError,
            "'user_pred_true' must hold at least one pair (predicted, true) of numbers for each "
            "user, got [] for 'ann'.",
        ),
        (
            lambda: compute_metrics({"ann": [(1, 2, 3)]}),
            InvalidDataError,
            "'user_pred_true' must hold at least one pair (predicted, true) of numbers for each "
            "user, got [(1, 2, 3)] for 'ann'.",
        ),
        (
            lambda: compute_metrics({"ann": [(1, math.nan)]}),
            InvalidDataError,
            "'user_pred_true' must hold at least one pair (predicted, true) of numbers for each "
            "user, got [(1, nan)] for 'ann'.",
        ),
        (
            lambda: compute_metrics(RATED, ["map"]),
            InvalidOptionError,
            "MAP cannot be computed as in threshold_top_k: threshold_top_k has no MAP. It has "
            "precision, recall, ndcg, hit_rate.",
        ),
        (
            lambda: compute_metrics(RATED, k=[1, 2]),
            InvalidOptionError,
            "'k' must be a positive integer or None, got [1, 2].",
        ),
        (
            lambda: compute_metrics(RATED, empty="none"),
            InvalidOptionError,
            "'empty' must be 'skip' or 'zero', got 'none'.",
        ),
    ],
)
def test_bad_ratings(call, error, message):
    with pytest.raises(error) as refused:
        call()
    assert str(refused.value) == message


def test_names_in_a_yaml_list():
    text = """
    eval:
      SequentialSideInfoTask:
        - hit
        - map@10
        - NDCG(gain="exponential")@5
        - F1(ndcg, map)@10
        - RMSE
        - mae
    """
    names = yaml.safe_load(text)["eval"]["SequentialSideInfoTask"]
    report = evaluate(ACTUAL, PREDICTED, names)
    assert list(report) == names
    assert report.scores["hit"] == 0.5


def test_several_cutoffs_in_yaml():
    text = """
    evaluation:
      top_k: [10, 20, 50]
      metrics: [AUC, F1, GAUC, HitRate, LAUC, MAP, MAR, MRR, nDCG, nDCGRendle2020,
                Precision, Recall]
    """
    settings = yaml.safe_load(text)["evaluation"]
    report = evaluate(
        ACTUAL, PREDICTED, settings["metrics"], k=settings["top_k"], dialect="warprec"
    )
    assert len(report) == 2 + 10 * 3
    assert report["AUC"].state.metric == "RankingAUC"
    assert report["nDCG@10"].state.metric == (
        'NDCG(gain="exponential+1", ideal="min(k, relevant)")@10'
    )
    assert report["nDCGRendle2020@20"].state.metric == 'NDCG(ideal="min(k, relevant)")@20'
    extended = evaluate(ACTUAL, PREDICTED, "F1(nDCG, MAP, beta=0.5)", k=[10], dialect="warprec")
    first = evaluate(ACTUAL, PREDICTED, ["nDCG@10", "MAP@10"], dialect="warprec").per_user
    a, b = first["nDCG@10"].fillna(0), first["MAP@10"].fillna(0)
    value = (1.25 * a * b / (0.25 * a + b)).fillna(0)
    assert extended.scores["F1(nDCG, MAP, beta=0.5)@10"] == pytest.approx(value.mean())


def test_errors_by_users():
    # By users, not by ratings: ann's two errors add up.
    actual = D(["ann", "ann", "bob"], [1, 2, 1], [5, 3, 4])
    predicted = D(["ann", "ann", "bob"], [1, 2, 1], [4, 5, 4])
    report = evaluate(actual, predicted, ["mae", "rmse"], normalize="users")
    assert report.scores == {"mae": 3 / 2, "rmse": sqrt(5 / 2)}


# Models.


class Model:
    def __init__(self, lists, broken=()):
        self.lists, self.broken = lists, broken

    def recommend(self, user_id, n):
        if user_id in self.broken:
            raise LookupError(f"no such user: {user_id}")
        return [(item, 1 / rank) for rank, item in enumerate(self.lists[user_id], 1)][:n]


LISTS = {0: [10, 11, 42], 1: [5, 10], 2: []}
TEST = {0: {10, 25, 42}, 1: {5, 17, 33}, 2: {1}}


def test_model():
    evaluator = RecommenderEvaluator(k_values=[1, 3])
    found = evaluator.evaluate(model=Model(LISTS), test_data=TEST, catalog_size=1000)
    precision, recall = (2 / 3 + 1 / 3 + 0) / 3, (2 / 3 + 1 / 3 + 0) / 3
    assert found == pytest.approx(
        {
            "precision@1": (1 + 1 + 0) / 3,
            "recall@1": (1 / 3 + 1 / 3 + 0) / 3,
            "f1@1": 2 * (2 / 3) * (2 / 9) / (2 / 3 + 2 / 9),
            "coverage@1": 2 / 1000,
            "gini@1": 0.0,
            "precision@3": precision,
            "recall@3": recall,
            "f1@3": 2 * precision * recall / (precision + recall),
            "coverage@3": 4 / 1000,
            "gini@3": gini_coefficient(LISTS, 3),
        }
    )
    assert evaluator.failed == {}


def test_users_for_whom_a_model_fails(caplog):
    evaluator = RecommenderEvaluator([3])
    with caplog.at_level(logging.WARNING):
        found = evaluator.evaluate(Model(LISTS, broken=[1]), TEST, 1000)
    assert found["recall@3"] == pytest.approx((2 / 3 + 0) / 2)
    assert list(evaluator.failed) == [1]
    assert repr(evaluator.failed[1]) == "LookupError('no such user: 1')"
    assert "failed for 1 of 3 users" in caplog.text
    evaluator.evaluate(Model(LISTS), TEST, 1000)
    assert evaluator.failed == {}
    repeating = Model({**LISTS, 0: [10, 10]})
    evaluator.evaluate(repeating, TEST, 1000)
    assert "must not repeat an item, got 10 twice" in str(evaluator.failed[0])


def test_models_may_return_items_alone():
    class Plain:
        def recommend(self, user_id, n):
            return LISTS[user_id][:n]

    class Tuples:
        def recommend(self, user_id, n):
            return [("item", str(item)) for item in LISTS[user_id][:n]]

    named = {user: {("item", str(item)) for item in items} for user, items in TEST.items()}
    pairs = RecommenderEvaluator([2]).evaluate(Model(LISTS), TEST, 50)
    assert RecommenderEvaluator([2]).evaluate(Tuples(), named, 50) == pairs
    assert RecommenderEvaluator([2]).evaluate(Plain(), TEST, 50) == pairs


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: RecommenderEvaluator([0]),
            InvalidOptionError,
            "'k_values' must be a positive integer, got 0.",
        ),
        (
            lambda: RecommenderEvaluator([]),
            InvalidOptionError,
            "'k_values' must be a positive integer or several of them, got [].",
        ),
        (
            lambda: RecommenderEvaluator(progress="yes"),
            InvalidOptionError,
            "'progress' must be True, False or None, got 'yes'.",
        ),
        (
            lambda: RecommenderEvaluator().evaluate(Model(LISTS), {0: "tea"}, 5),
            InvalidDataError,
            "'relevant' must be a set of items, got 'tea'.",
        ),
        (
            lambda: RecommenderEvaluator().evaluate(object, TEST, 5),
            InvalidOptionError,
            "'model' must have a method recommend(user_id, n), got <class 'object'>.",
        ),
        (
            lambda: RecommenderEvaluator().evaluate(Model(LISTS), {}, 5),
            InvalidOptionError,
            "'test_data' must have at least one user, got none.",
        ),
        (
            lambda: RecommenderEvaluator().evaluate(Model(LISTS, TEST), TEST, 5),
            InvalidDataError,
            "The model failed every time (3 of 3), first for 0 with "
            "LookupError('no such user: 0').",
        ),
    ],
)
def test_bad_models(call, error, message):
    with pytest.raises(error) as refused:
        call()
    assert str(refused.value) == message


def test_progress(capsys, monkeypatch):
    RecommenderEvaluator([1], progress=True).evaluate(Model(LISTS), TEST, 50)
    assert "Recommending: 100%" in capsys.readouterr().err
    RecommenderEvaluator([1]).evaluate(Model(LISTS), TEST, 50)
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    with pytest.raises(MissingPackageError, match=r'needs tqdm: pip install "jurity-reco\[progre'):
        RecommenderEvaluator([1], progress=True).evaluate(Model(LISTS), TEST, 50)


# Splits.


def test_split_by_time():
    seen = pd.DataFrame({"user_id": [1, 2, 3, 4, 5], "day": [3, 1, 3, 2, 3]}, index=list("abcde"))
    before = seen.copy()
    learn, test = split.time_based_split(seen, "day", 0.4)
    assert list(learn.index) == ["b", "d", "a"]
    assert list(test.index) == ["c", "e"]
    pd.testing.assert_frame_equal(seen, before)
    matrix = seen.to_numpy()
    for column in (1, -1, np.int64(1)):
        first, second = split.time_based_split(matrix, column, 0.4)
        assert first.tolist() == learn.to_numpy().tolist()
        assert second.tolist() == test.to_numpy().tolist()
    assert [len(part) for part in split.time_based_split(matrix[:3], 1, 0.5)] == [1, 2]
    assert [len(part) for part in split.time_based_split(matrix, 1)] == [4, 1]
    dates = seen.assign(day=pd.to_datetime(seen["day"], unit="D"))
    assert list(split.time_based_split(dates, "day", 0.4)[1].index) == ["c", "e"]


def test_leaving_one_out():
    seen = pd.DataFrame({"user_id": ["a", "b", "a", "c", "b", "b"], "item_id": range(6)})
    drawn = set()
    for seed in range(60):
        learn, test = split.leave_one_out(seen, rng=seed)
        assert sorted(test["user_id"]) == ["a", "b"]
        assert sorted([*learn.index, *test.index]) == list(range(6))
        drawn |= set(test["item_id"])
    assert drawn == {0, 1, 2, 4, 5}
    again = split.leave_one_out(seen, rng=np.random.default_rng(3))[1]
    pd.testing.assert_frame_equal(again, split.leave_one_out(seen, rng=3)[1])


def test_leaving_one_out_of_a_matrix():
    matrix = np.array([[1, 0, 2, 3], [0, 0, 5, 0], [0, 0, 0, 0], [4, 4, 0, 0]])
    before = matrix.copy()
    drawn = set()
    for seed in range(40):
        learn, test = split.leave_one_out(matrix, rng=seed)
        np.testing.assert_array_equal(learn + test, before)
        assert np.count_nonzero(test, axis=1).tolist() == [1, 0, 0, 1]
        drawn |= set(zip(*test.nonzero(), strict=True))
    assert len(drawn) == 5
    np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: split.time_based_split(ACTUAL, "day"),
            ColumnNotFoundError,
            "Column 'day' not found in interactions",
        ),
        (
            lambda: split.time_based_split(np.eye(2), 2),
            ColumnNotFoundError,
            "Column 2 not found in interactions",
        ),
        (
            lambda: split.time_based_split(ACTUAL, "click", 1.5),
            InvalidOptionError,
            "'test_ratio' must be a number between 0 and 1, got 1.5.",
        ),
        (
            lambda: split.time_based_split(D([1, 2], 1, [1, np.nan]), "click"),
            InvalidDataError,
            "interactions has 1 row with a missing 'click'; remove them first.",
        ),
        (
            lambda: split.leave_one_out(D([1, None], 1, 1)),
            InvalidDataError,
            "interactions has 1 row with a missing 'user_id', the first at position 1",
        ),
        (
            lambda: split.time_based_split(D(1, 1, [1, "x"]), "click"),
            InvalidDataError,
            "Column 'click' of interactions holds times that have no order: ",
        ),
        (lambda: split.leave_one_out([1]), UnsupportedFrameError, "interactions must be"),
        (lambda: split.leave_one_out(ACTUAL, "user"), ColumnNotFoundError, "Column 'user' not"),
    ],
)
def test_bad_splits(call, error, message):
    with pytest.raises(error) as refused:
        call()
    assert message in str(refused.value)
