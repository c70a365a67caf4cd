"""Diversity metrics: oracles, invariants, distances and samples."""

import math
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import (
    NDCG,
    CombinedMetrics,
    DiversityRecoMetrics,
    InterListDiversity,
    IntraListDiversity,
    InvalidDataError,
    InvalidOptionError,
    MetricState,
    Recall,
)
from jurity_reco.metrics.distances import SETS, VECTORS
from tests.frames import D, frame, row_lists
from tests.naive import inter_list_diversity, intra_list_diversity

CUTOFFS = st.sampled_from([None, 1, 2, 3])
# Features of some of the items that the strategies make; one has none but zeros.
FEATURES = {
    0: [1.0, 0.0, 2.0],
    1: [0.0, 0.0, 0.0],
    2: [1.0, 1.0, 1.0],
    3: [-1.0, 0.5, 2.0],
    "": [1.0, 0.0, 2.0],
    "a": [0.0, 0.0, 0.0],
    "aa": [1.0, 1.0, 1.0],
    -7: [1.0, 0.0, 2.0],
    2**53: [0.5, 0.0, 2.0],
    2**53 + 1: [3.0, 1.0, 1.0],
}


def features_of(items):
    known = [item for item in FEATURES if any(type(item) is type(other) for other in items)]
    ids = pd.Series(known or ["none"], dtype=None if known else object)
    vectors = np.array([FEATURES.get(item, [0.0] * 3) for item in ids])
    return pd.DataFrame(
        {"item_id": ids, "x": vectors[:, 0], "y": vectors[:, 1], "z": vectors[:, 2]}
    )


def same(left, right):
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)


def check(result, answer):
    assert same(result.score, answer.score)
    assert result.support == answer.support
    assert result.per_user["user_id"].tolist() == list(answer.per_user)
    for value, (expected, _) in zip(
        result.per_user["value"], answer.per_user.values(), strict=True
    ):
        assert same(value, expected)
    ledger = result.ledger.to_dict()
    assert {key: ledger[key] for key in answer.ledger} == answer.ledger


def two_users_or_none(predicted):
    """One single user is a matter of its own: a warning, which tests take for an error."""
    return predicted if len({row[0] for row in predicted}) != 1 else []


@given(rows=row_lists(), k=CUTOFFS, ties=st.sampled_from(["input", "item"]))
def test_inter_list_equals_oracle(rows, k, ties):
    predicted = two_users_or_none(rows[1])
    metric = InterListDiversity("click", k=k, ties=ties)
    result = metric.evaluate(None, frame(predicted))
    check(result, inter_list_diversity([], predicted, k=k, ties=ties))
    assert result.score is None or 0 <= result.score <= 1


SET_DISTANCES = {
    "jaccard": lambda a, b, n: 1 - len(a & b) / len(a | b),
    "dice": lambda a, b, n: 1 - 2 * len(a & b) / (len(a) + len(b)),
    "euclidean": lambda a, b, n: math.sqrt(len(a ^ b)),
    "sqeuclidean": lambda a, b, n: len(a ^ b),
    "cityblock": lambda a, b, n: len(a ^ b),
    "canberra": lambda a, b, n: len(a ^ b),
    "chebyshev": lambda a, b, n: float(a != b),
    "hamming": lambda a, b, n: len(a ^ b) / n,
    "braycurtis": lambda a, b, n: len(a ^ b) / (len(a) + len(b)),
}


@pytest.mark.parametrize("metric", SET_DISTANCES)
@given(rows=row_lists(), k=CUTOFFS)
def test_other_distances_of_lists_equal_oracle(metric, rows, k):
    predicted = two_users_or_none(rows[1])
    found = InterListDiversity("click", k=k, metric=metric).evaluate(None, frame(predicted))
    check(found, inter_list_diversity([], predicted, k=k, distance=SET_DISTANCES[metric]))


@given(rows=row_lists(), k=CUTOFFS)
def test_a_function_of_two_vectors_is_a_distance_of_lists(rows, k):
    predicted = two_users_or_none(rows[1])
    metric = InterListDiversity("click", k=k, metric=lambda x, y: float(np.abs(x - y).sum()))
    answer = inter_list_diversity([], predicted, k=k, distance=SET_DISTANCES["cityblock"])
    check(metric.evaluate(None, frame(predicted)), answer)


@given(rows=row_lists(), k=CUTOFFS)
def test_intra_list_equals_oracle(rows, k):
    predicted = rows[1]
    features = features_of([row[1] for row in predicted])
    known = dict(
        zip(features["item_id"], features[["x", "y", "z"]].to_numpy().tolist(), strict=True)
    )
    result = IntraListDiversity(features, "click", k=k).evaluate(None, frame(predicted))
    check(result, intra_list_diversity([], predicted, k=k, features=known))
    assert result.score is None or 0 <= result.score <= 2
    ranked = sorted(predicted, key=lambda row: -row[2])
    tops = [
        item
        for user in {row[0] for row in predicted}
        for item in [row[1] for row in ranked if row[0] == user][:k]
    ]
    lacking = [item for item in tops if item not in known]
    assert result.details == {
        "items_without_features": len(set(lacking)),
        "recommendations_without_features": len(lacking),
    }


def nonzero(vector):
    return {place for place, value in enumerate(vector) if value}


VECTOR_DISTANCES = {
    "euclidean": math.dist,
    "sqeuclidean": lambda x, y: math.dist(x, y) ** 2,
    "cityblock": lambda x, y: sum(abs(a - b) for a, b in zip(x, y, strict=True)),
    "chebyshev": lambda x, y: max(abs(a - b) for a, b in zip(x, y, strict=True)),
    "hamming": lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) / len(x),
    "jaccard": lambda x, y: len(nonzero(x) ^ nonzero(y)) / len(nonzero(x) | nonzero(y) or {0}),
    "canberra": lambda x, y: sum(
        abs(a - b) / ((abs(a) + abs(b)) or 1) for a, b in zip(x, y, strict=True)
    ),
    "braycurtis": lambda x, y: (
        sum(abs(a - b) for a, b in zip(x, y, strict=True))
        / (sum(abs(a + b) for a, b in zip(x, y, strict=True)) or 1)
    ),
    "dice": lambda x, y: len(nonzero(x) ^ nonzero(y)) / ((len(nonzero(x)) + len(nonzero(y))) or 1),
}


@pytest.mark.parametrize("metric", VECTOR_DISTANCES)
@given(rows=row_lists(), k=CUTOFFS)
def test_other_distances_of_items_equal_oracle(metric, rows, k):
    predicted = rows[1]
    features = features_of([row[1] for row in predicted])
    known = dict(
        zip(features["item_id"], features[["x", "y", "z"]].to_numpy().tolist(), strict=True)
    )
    for distance in (metric, VECTOR_DISTANCES[metric]):
        result = IntraListDiversity(features, "click", k=k, metric=distance).evaluate(
            None, frame(predicted)
        )
        answer = intra_list_diversity(
            [], predicted, k=k, features=known, distance=VECTOR_DISTANCES[metric]
        )
        check(result, answer)


PREDICTED = D([1, 1, 2, 2, 3, 3], list("abacad"), [0.9, 0.8, 0.9, 0.8, 0.9, 0.8])
ITEMS = pd.DataFrame(
    {"item_id": list("abcd"), "x": [1.0, 1.0, 0.0, 0.0], "y": [0.0, 0.0, 1.0, 0.0]}
)
METRICS = [
    pytest.param(lambda **options: InterListDiversity("click", **options), id="inter"),
    pytest.param(lambda **options: IntraListDiversity(ITEMS, "click", **options), id="intra"),
]
over_metrics = pytest.mark.parametrize("make", METRICS)


def test_worked_examples():
    # Each two lists share one item of two; the items of 1 are alike, those of 2 and 3 are not.
    assert InterListDiversity("click", k=2).get_score(None, PREDICTED) == pytest.approx(1 / 2)
    assert InterListDiversity("click", k=1).get_score(None, PREDICTED) == 0.0
    result = IntraListDiversity(ITEMS, "click", k=2).evaluate(None, PREDICTED)
    assert result.score == pytest.approx((0 + 1 + 1) / 3)
    assert result.per_user["value"].tolist() == pytest.approx([0, 1, 1])


@over_metrics
def test_actual_is_ignored(make):
    expected = make(k=2).get_score(None, PREDICTED)
    for actual in (D([9], ["z"], 1), pd.DataFrame(), "anything"):
        assert make(k=2).get_score(actual, PREDICTED) == expected
        assert make(k=2).evaluate(actual, PREDICTED).ledger.n_users == 3


@over_metrics
@pytest.mark.parametrize("dtype", ["category", object, "string[python]"])
def test_types_of_ids_do_not_matter(make, dtype):
    predicted = PREDICTED.astype({"item_id": dtype, "user_id": "category"})
    for options in ({}, {"metric": "jaccard"}, {"k": np.int64(2)}):
        assert make(**options).get_score(None, predicted) == make(**options).get_score(
            None, PREDICTED
        )


@over_metrics
def test_metric_is_a_value(make):
    metric = make(k=2)
    assert metric == make(k=np.int64(2))
    assert hash(metric) == hash(make(k=2))
    assert metric != make(k=3)
    assert metric != make(k=2, seed=5)
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert make(k=2, metric="jaccard", ties="item").name.endswith("@2")


def test_features_are_part_of_the_value():
    changed = ITEMS.assign(x=[1.0, 1.0, 0.0, 0.5])
    one, other = IntraListDiversity(ITEMS, "click"), IntraListDiversity(changed, "click")
    assert one == IntraListDiversity(ITEMS.copy(), "click")
    assert one != other
    assert one.name != other.name
    assert "2 features of 4 items" in repr(one)


def test_features_are_a_copy():
    features = ITEMS.assign(item_id=range(4))
    predicted = PREDICTED.assign(item_id=[0, 1, 0, 2, 0, 3])
    metric = IntraListDiversity(features, "click")
    expected = metric.get_score(None, predicted)
    features.loc[0, "item_id"] = 77
    features.loc[0, "x"] = 5.0
    assert metric.get_score(None, predicted) == expected
    changed = IntraListDiversity(features, "click")
    assert changed != metric
    assert changed.get_score(None, predicted) != expected


def test_names_and_positional_order():
    assert str(InterListDiversity("click", 4)) == "Inter-List Diversity@4"
    assert str(InterListDiversity("click")) == "Inter-List Diversity"
    assert str(IntraListDiversity(ITEMS, "click", 4)) == "Intra-List Diversity@4"
    inter = DiversityRecoMetrics.InterListDiversity(
        "click", 4, "u", "i", 100, 7, "jaccard", 3, 2, 64
    )
    assert inter == InterListDiversity(
        click_column="click",
        k=4,
        user_id_column="u",
        item_id_column="i",
        user_sample_size=100,
        seed=7,
        metric="jaccard",
        num_runs=3,
        n_jobs=2,
        working_memory=64,
    )
    items = ITEMS.rename(columns={"item_id": "i"})
    intra = DiversityRecoMetrics.IntraListDiversity(
        items, "click", 4, "u", "i", 100, 7, "jaccard", 2, 3
    )
    assert (intra.user_sample_size, intra.seed, intra.metric) == (100, 7, "jaccard")
    assert (intra.n_jobs, intra.num_runs, intra.ties) == (2, 3, "input")
    with pytest.raises(TypeError, match="unknown options: colour"):
        IntraListDiversity(ITEMS, "click", colour="red")


def test_extended_results():
    found = InterListDiversity("click", 2).get_score(None, PREDICTED, False, True)
    assert list(found)[:2] == ["inter-list diversity", "support"]
    assert found["support"] == 3
    found = IntraListDiversity(ITEMS[:3], "click", 2).get_score(None, PREDICTED, False, True)
    assert found["intra-list diversity"] == pytest.approx((0 + 1) / 2)
    assert found["support"] == 2
    assert found["items_without_features"] == 1
    assert found["ledger"]["left_out_undefined"] == 1


def test_one_single_user():
    with pytest.warns(UserWarning, match="is nan, because there is only one single user"):
        score = InterListDiversity("click").get_score(None, PREDICTED[:2])
    assert math.isnan(score)
    assert IntraListDiversity(ITEMS, "click", k=1).get_score(None, PREDICTED) is None
    assert InterListDiversity("click").get_score(None, PREDICTED[:0]) is None


def lists_of(n_users, seed=0):
    rng = np.random.default_rng(seed)
    items = np.array([rng.choice(60, 5, replace=False) for _ in range(n_users)])
    return D(np.repeat(np.arange(n_users), 5), items.ravel(), np.tile(-np.arange(5), n_users))


def test_samples():
    predicted = lists_of(300)
    features = pd.DataFrame({"item_id": range(60), "x": range(60), "y": [1] * 60})
    for make in (
        lambda **options: InterListDiversity("click", **options),
        lambda **options: IntraListDiversity(features, "click", **options),
    ):
        exact = make().evaluate(None, predicted)
        assert exact.support == 300
        for size, support in ((100, 100), (0.5, 150), (np.float64(0.001), 1)):
            if support == 1 and exact.name.startswith("Inter"):
                continue
            sample = make(user_sample_size=size, num_runs=3).evaluate(None, predicted)
            assert sample.support == support
            assert sample.ledger.n_users == 300
            assert sample.ledger.left_out_not_sampled == 300 - len(sample.per_user)
            if support > 1:
                assert sample.score == pytest.approx(exact.score, rel=0.2)
                assert sample.score != exact.score
            again = make(user_sample_size=size, num_runs=3).get_score(None, predicted)
            assert again == sample.score
            other = make(user_sample_size=size, num_runs=3, seed=9).get_score(None, predicted)
            assert other != sample.score
        with pytest.warns(
            UserWarning, match="User_sample_size can not be larger than total number"
        ):
            everybody = make(user_sample_size=301).get_score(None, predicted)
        assert everybody == exact.score
        assert make(user_sample_size=None).get_score(None, predicted) == exact.score
        assert make(user_sample_size=300).get_score(None, predicted) == exact.score


@pytest.mark.parametrize("metric", ["jaccard", "euclidean", "correlation"])
def test_blocks_and_threads_change_nothing(metric, monkeypatch):
    # Popular items and rare ones, so that both ways of counting common items are used.
    rng = np.random.default_rng(1)
    n_users = 700
    items = np.array(
        [
            [0, 1 + user % 3, *rng.choice(np.arange(10, 900), 3, replace=False)]
            for user in range(n_users)
        ]
    )
    predicted = D(np.repeat(np.arange(n_users), 5), items.ravel(), np.tile(-np.arange(5), n_users))
    vectors = np.zeros((n_users, 900))
    vectors[np.repeat(np.arange(n_users), 5), items.ravel()] = 1
    vectors = vectors[:, vectors.any(axis=0)]
    common = vectors @ vectors.T
    distances = SETS[metric](
        common, np.full((n_users, 1), 5.0), np.full((1, n_users), 5.0), vectors.shape[1]
    )
    np.fill_diagonal(distances, 0)
    expected = distances.sum() / (n_users * (n_users - 1))
    for options in ({}, {"n_jobs": 2}, {"n_jobs": -1}, {"working_memory": 1}):
        found = InterListDiversity("click", metric=metric, **options).get_score(None, predicted)
        assert found == pytest.approx(expected, rel=1e-12)
    monkeypatch.setattr("jurity_reco.metrics.diversity._BLOCK", 5000)
    assert InterListDiversity("click", metric=metric).get_score(None, predicted) == pytest.approx(
        expected, rel=1e-12
    )


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_blocks_of_items_change_nothing(metric, monkeypatch):
    predicted = lists_of(200)
    features = pd.DataFrame({"item_id": range(60), "x": np.arange(60) % 7, "y": 1})
    whole = IntraListDiversity(features, "click", metric=metric).evaluate(None, predicted)
    monkeypatch.setattr("jurity_reco.metrics.diversity._BLOCK", 30)
    parts = IntraListDiversity(features, "click", metric=metric).evaluate(None, predicted)
    pd.testing.assert_frame_equal(parts.per_user, whole.per_user)


def test_intra_list_accumulates_and_inter_list_does_not():
    whole = IntraListDiversity(ITEMS[:3], "click").evaluate(None, PREDICTED)
    metric = IntraListDiversity(ITEMS[:3], "click")
    for user in (1, 2, 3):
        metric.update(None, PREDICTED[PREDICTED["user_id"] == user])
    trip = MetricState.from_bytes(metric.state.to_bytes())
    for found in (metric.state, trip):
        assert same(found.score, whole.score)
        assert found.support == whole.support
        assert found.sums.details() == whole.details
    with pytest.raises(InvalidDataError, match="came in an earlier one"):
        metric.update(None, PREDICTED[:2])
    message = (
        "Inter-List Diversity@2 cannot be accumulated over batches: it compares all users with "
        "each other, so they have to come in one call."
    )
    inter = InterListDiversity("click", k=2)
    for accumulating in (inter, CombinedMetrics(Recall("click"), inter)):
        with pytest.raises(InvalidOptionError, match=f"^{re.escape(message)}$"):
            accumulating.get_score(PREDICTED, PREDICTED, batch_accumulate=True)


def test_combined_with_other_metrics():
    actual = D([1, 2, 9], ["a", "c", "a"], 1)
    intra = IntraListDiversity(ITEMS, "click", k=2)
    metrics = CombinedMetrics(intra, InterListDiversity("click", k=2), NDCG("click", k=2))
    assert metrics.get_score(actual, PREDICTED) == {
        "Intra-List Diversity@2": intra.get_score(None, PREDICTED),
        "Inter-List Diversity@2": InterListDiversity("click", k=2).get_score(None, PREDICTED),
        "NDCG@2": NDCG("click", k=2).get_score(actual, PREDICTED),
    }
    # User 9 is in actual alone, which the diversity metric does not look at.
    batches = CombinedMetrics(intra, NDCG("click", k=2))
    batches.update(actual, PREDICTED)
    with pytest.raises(InvalidDataError, match="user_id=9"):
        batches.update(D([9], ["a"], 1), D([9], ["a"], 1.0))


def test_samples_do_not_accumulate():
    sampling = [
        IntraListDiversity(ITEMS, "click", user_sample_size=2),
        IntraListDiversity(ITEMS, "click", metric="euclidean"),
    ]
    for metric in sampling:
        with pytest.raises(
            InvalidOptionError, match="looks at a sample of users; pass user_sample"
        ):
            metric.update(None, PREDICTED)
    everybody = IntraListDiversity(ITEMS, "click", metric="euclidean", user_sample_size=None)
    everybody.update(None, PREDICTED)
    assert everybody.compute().score == sampling[1].get_score(None, PREDICTED)


def test_score_of_a_sample_is_the_weighted_mean_of_the_users():
    metric = InterListDiversity("click", user_sample_size=10, num_runs=3)
    result = metric.evaluate(None, lists_of(50))
    value, weight = result.per_user["value"], result.per_user["weight"]
    assert (value * weight).sum() / weight.sum() == pytest.approx(result.score, rel=1e-12)
    assert result.support == 10


def test_shares_and_numbers_of_users_are_not_confused():
    assert InterListDiversity("click", user_sample_size=1.0).user_sample_size is None
    with pytest.warns(UserWarning, match="User_sample_size can not be larger"):
        assert InterListDiversity("click", user_sample_size=2.0).user_sample_size is None
    one, text = ITEMS.assign(item_id=[1, 2, 3, 4]), ITEMS.assign(item_id=list("1234"))
    assert IntraListDiversity(one, "click") != IntraListDiversity(text, "click")


def test_correlation_equals_numpy():
    predicted, rng = lists_of(30), np.random.default_rng(2)
    features = pd.DataFrame(rng.normal(size=(60, 4))).add_prefix("f").assign(item_id=range(60))
    vectors = features.drop(columns="item_id").to_numpy()
    by_numpy = IntraListDiversity(
        features,
        "click",
        metric=lambda x, y: 1 - float(np.corrcoef(x, y)[0, 1]),
    )
    ours = IntraListDiversity(features, "click", metric="correlation")
    assert ours.get_score(None, predicted) == pytest.approx(by_numpy.get_score(None, predicted))
    assert vectors.shape == (60, 4)
    constant = features.assign(f0=1.0, f1=1.0, f2=1.0, f3=1.0)
    score = IntraListDiversity(constant, "click", metric="correlation").get_score(None, predicted)
    assert math.isnan(score)


def test_name_of_a_function_is_the_same_in_every_process():
    assert InterListDiversity("click", metric=math.dist).name == (
        'InterListDiversity(metric="<math.dist>")'
    )


def test_every_distance_has_both_forms():
    assert list(SETS) == list(VECTORS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_runs": 0}, "'num_runs' must be a positive integer, got 0."),
        ({"num_runs": 1.5}, "'num_runs' must be a positive integer, got 1.5."),
        ({"seed": -1}, "'seed' must be an integer from 0 on, got -1."),
        ({"n_jobs": "2"}, "'n_jobs' must be an integer other than 0, got '2'."),
        (
            {"user_sample_size": 0},
            "'user_sample_size' must be a number of users, a share of them above 0, None for "
            "everybody or 'auto', got 0.",
        ),
        (
            {"user_sample_size": -0.5},
            "'user_sample_size' must be a number of users, a share of them above 0, None for "
            "everybody or 'auto', got -0.5.",
        ),
    ],
)
@over_metrics
def test_options(make, options, message):
    with pytest.raises(InvalidOptionError, match=f"^{re.escape(message)}$"):
        make(**options)


@over_metrics
def test_unknown_distances(make):
    with pytest.raises(InvalidOptionError, match=r"^'metric' must be a function of two vectors"):
        make(metric="mahalanobis")


def test_working_memory():
    with pytest.raises(InvalidOptionError, match=r"'working_memory' must be a positive integer"):
        InterListDiversity("click", working_memory=1.5)


@pytest.mark.parametrize(
    ("features", "error", "message"),
    [
        ([1, 2], TypeError, "item_features must be a pandas DataFrame, got builtins.list."),
        (
            ITEMS.rename(columns={"item_id": "item"}),
            KeyError,
            "Column 'item_id' not found in item_features; did you mean 'item'? Columns: item, x, "
            "y.",
        ),
        (
            ITEMS[["item_id"]],
            InvalidDataError,
            "item_features must have the column 'item_id' and at least one column of numbers, got "
            "no other column.",
        ),
        (
            ITEMS.assign(x=["red", "red", "blue", "green"]),
            InvalidDataError,
            "Column 'x' of item_features must hold numbers or booleans, got str; convert it first, "
            "for example with pandas.to_numeric, or by comparing it with the value that means yes.",
        ),
        (
            ITEMS.assign(x=[1, None, 2, None]),
            InvalidDataError,
            "item_features has 2 rows with a missing 'x', the first at position 1; fill them, or "
            "remove the rows: items without features are left out and counted.",
        ),
        (
            ITEMS.assign(item_id=["a", None, "c", "d"]),
            InvalidDataError,
            "item_features has 1 row with a missing 'item_id', the first at position 1; fill them, "
            "or remove the rows: items without features are left out and counted.",
        ),
        (
            ITEMS.assign(x=[1, 2, 3, np.inf]),
            InvalidDataError,
            "item_features has 1 row with an infinite 'x', the first at position 3; replace or "
            "remove them first.",
        ),
        (
            ITEMS.assign(item_id=["a", "b", "a", "b"]),
            InvalidDataError,
            "item_features has 2 rows whose 'item_id' is in an earlier row, the first with 'a'; "
            "keep one row per item.",
        ),
    ],
)
def test_bad_features(features, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        IntraListDiversity(features, "click")


def test_features_of_other_items_altogether():
    message = (
        "Column 'item_id' holds integer ids in item_features and text ids in predicted, so none of "
        "them can match"
    )
    with pytest.raises(InvalidDataError, match=message):
        IntraListDiversity(ITEMS.assign(item_id=range(4)), "click").get_score(None, PREDICTED)
    strangers = ITEMS.assign(item_id=list("wxyz"))
    result = IntraListDiversity(strangers, "click").evaluate(None, PREDICTED)
    assert result.score is None
    assert result.details["items_without_features"] == 4
