"""What holds for every metric; the metrics are found by introspection, so none can dodge it."""

import dataclasses
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frames import D, frame, row_lists
from tests.metrics import METRICS_OF_ACTUAL, NAMESPACES, make

pytestmark = pytest.mark.parametrize(
    "metric_class", METRICS_OF_ACTUAL, ids=lambda metric: metric.key
)

CUTOFFS = st.sampled_from([None, 1, 2, 3])
ACTUAL = D([1, 1, 2, 2, 3, 4], [10, 11, 10, 12, 13, 14], [1, 0, 1, 1, 1, 0])
PREDICTED = D(
    [1, 1, 1, 2, 2, 4, 5], [10, 11, 12, 12, 13, 15, 10], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
)


def same(left, right):
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-12) or (math.isnan(left) and math.isnan(right))


@given(rows=row_lists(), k=CUTOFFS)
def test_values_stay_in_range(metric_class, rows, k):
    actual, predicted = rows
    result = make(metric_class, k=k).evaluate(frame(actual), frame(predicted))
    low, high = metric_class.value_range
    if metric_class.key == "ctr":
        labels = [row[2] for row in actual]
        low, high = min(labels, default=0), max(labels, default=0)
    if result.score is not None and not math.isnan(result.score):
        assert low <= result.score <= high
    assert result.per_user["value"].dropna().between(low, high).all()


@given(rows=row_lists(), k=CUTOFFS, seed=st.integers(0, 2**32 - 1))
def test_row_order_does_not_matter_without_ties(metric_class, rows, k, seed):
    actual, predicted = rows
    # Scores by rank in the list of rows: distinct, and the order of rows is free to change.
    predicted = [(user, item, number) for number, (user, item, _) in enumerate(predicted)]
    rng = np.random.default_rng(seed)
    metric = make(metric_class, k=k)
    shuffled = [[rows[i] for i in rng.permutation(len(rows))] for rows in (actual, predicted)]
    expected = metric.get_score(frame(actual), frame(predicted), return_extended_results=True)
    found = metric.get_score(*map(frame, shuffled), return_extended_results=True)
    assert same(found.pop(metric.key), expected.pop(metric.key))
    assert found == expected


@given(rows=row_lists(), k=CUTOFFS)
def test_names_of_users_and_items_do_not_matter(metric_class, rows, k):
    renamed = [
        frame([(f"user {user}", (item, "item"), number) for user, item, number in side])
        for side in rows
    ]
    metric = make(metric_class, k=k)
    expected = metric.get_score(*map(frame, rows), return_extended_results=True)
    found = metric.get_score(*renamed, return_extended_results=True)
    assert same(found.pop(metric.key), expected.pop(metric.key))
    assert found == expected


@given(rows=row_lists(), k=CUTOFFS)
def test_other_users_do_not_change_a_user(metric_class, rows, k):
    whole = make(metric_class, k=k).evaluate(*map(frame, rows)).per_user
    for user, value in zip(whole["user_id"], whole["value"], strict=True):
        alone = [[row for row in side if row[0] == user] for side in rows]
        result = make(metric_class, k=k).evaluate(*map(frame, alone))
        assert len(result.per_user) == 1
        assert same(result.per_user["value"][0], value)


@given(rows=row_lists(), k=CUTOFFS)
def test_score_is_the_weighted_mean_of_the_users(metric_class, rows, k):
    if metric_class.key == "auc":
        pytest.skip("a pooled area is not a mean over users")
    result = make(metric_class, k=k).evaluate(*map(frame, rows))
    value = result.per_user["value"]
    if result.score is None:
        assert value.empty
        return
    weight = result.per_user["weight"] if metric_class.weighted else np.ones(len(value))
    power = 2 if metric_class.root else 1
    mean = (value**power * weight).sum() / weight.sum()
    assert math.isclose(result.score**power, mean, abs_tol=1e-15)


@given(rows=row_lists(), k=CUTOFFS)
def test_ledger_accounts_for_every_user(metric_class, rows, k):
    actual, predicted = rows
    result = make(metric_class, k=k).evaluate(frame(actual), frame(predicted))
    assert result.ledger.n_users == len({row[0] for row in actual + predicted})
    counted = (
        result.ledger.evaluated
        + result.ledger.zero_no_recommendations
        + result.ledger.zero_no_relevant
    )
    assert counted == len(result.per_user)


def test_unclicked_rows_do_not_change_ranking_metrics(metric_class):
    if not metric_class.by_relevance:
        pytest.skip("the metric looks at rows without a click")
    more = pd.concat([ACTUAL, D([1, 2, 9], [12, 13, 10], 0)], ignore_index=True)
    metric = make(metric_class, k=2)
    assert metric.get_score(more, PREDICTED) == metric.get_score(ACTUAL, PREDICTED)


def test_inputs_are_not_modified(metric_class):
    actual, predicted = ACTUAL.copy(), PREDICTED.copy()
    actual.index, predicted.index = actual.index[::-1], predicted.index * 3
    before = actual.copy(), predicted.copy()
    make(metric_class, k=2, ties="item descending").evaluate(actual, predicted)
    pd.testing.assert_frame_equal(actual, before[0])
    pd.testing.assert_frame_equal(predicted, before[1])


def test_read_only_arrays_are_fine(metric_class):
    frames = []
    for source in (ACTUAL, PREDICTED):
        columns = {name: column.to_numpy().copy() for name, column in source.items()}
        for column in columns.values():
            column.setflags(write=False)
        frames.append(pd.DataFrame(columns, copy=False))
    metric = make(metric_class, k=2)
    assert metric.get_score(*frames) == metric.get_score(ACTUAL, PREDICTED)


def test_index_does_not_matter(metric_class):
    metric = make(metric_class, k=2)
    strange = PREDICTED.set_index(pd.Index([0] * len(PREDICTED)))
    assert metric.get_score(ACTUAL, strange) == metric.get_score(ACTUAL, PREDICTED)
    per_user = metric.evaluate(ACTUAL.set_index(pd.Index(list("abcdef"))), strange).per_user
    assert per_user.index.tolist() == list(range(len(per_user)))


def test_repeated_calls_agree(metric_class):
    metric = make(metric_class, k=2)
    first = metric.get_score(ACTUAL, PREDICTED)
    metric.get_score(PREDICTED, ACTUAL)
    assert metric.get_score(ACTUAL, PREDICTED) == first


def test_metric_is_a_value(metric_class):
    metric = make(metric_class, "click", 3)
    assert metric == make(metric_class, k=np.int64(3))
    assert hash(metric) == hash(make(metric_class, click_column="click", k=3))
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert eval(repr(metric), {metric_class.__name__: metric_class}) == metric
    cutoff = ", k=3" if metric_class.cutoff else ""
    assert repr(metric) == f"{metric_class.__name__}(click_column='click'{cutoff})"
    assert {"get_score", "evaluate", "k", "ties"} <= set(dir(metric))
    assert "measure" not in dir(metric)
    assert not metric_class.cutoff or metric != metric_class("click", 4)
    for other in (
        make(metric_class, "kpi", 3),
        make(metric_class, "click", 3, "user"),
        make(metric_class, "click", 3, item_id_column="item"),
        make(metric_class, "click", 3, score_column="score"),
        make(metric_class, "click", 3, ties="item"),
        make(metric_class, "click", 3, duplicates="best"),
        make(metric_class, "click", 3, on_invalid="drop"),
    ):
        assert metric != other
    with pytest.raises(dataclasses.FrozenInstanceError):
        metric.k = 5


def test_positional_order_is_that_of_jurity(metric_class):
    metric = make(metric_class, "click", 3, "user", "item")
    assert (metric.click_column, metric.k) == ("click", 3 if metric_class.cutoff else None)
    assert (metric.user_id_column, metric.item_id_column) == ("user", "item")
    renamed = {"user_id": "user", "item_id": "item"}
    result = metric.evaluate(ACTUAL.rename(columns=renamed), PREDICTED.rename(columns=renamed))
    assert result.score == make(metric_class, "click", 3).get_score(ACTUAL, PREDICTED)
    assert result.per_user.columns[0] == "user"


def test_score_may_have_a_column_of_its_own(metric_class):
    metric = make(metric_class, k=2, score_column="score")
    predicted = PREDICTED.rename(columns={"click": "score"})
    assert metric.get_score(ACTUAL, predicted) == make(metric_class, k=2).get_score(
        ACTUAL, PREDICTED
    )


def test_return_modes(metric_class):
    metric = make(metric_class, k=2)
    result = metric.evaluate(ACTUAL, PREDICTED)
    assert type(metric.get_score(ACTUAL, PREDICTED)) is float
    assert metric.get_score(ACTUAL, PREDICTED, False, True) == {
        metric.key: result.score,
        "support": result.support,
        "ledger": result.ledger.to_dict(),
    }
    assert metric.get_score(
        actual_results=ACTUAL, predicted_results=PREDICTED, return_extended_results=False
    ) == pytest.approx(result.score)


def test_nobody_to_average(metric_class):
    metric = make(metric_class, k=2)
    for actual, predicted in [
        (ACTUAL[:0], PREDICTED),
        (ACTUAL[:0], PREDICTED[:0]),
        (pd.DataFrame(columns=list(ACTUAL)), PREDICTED[:0]),
    ]:
        assert metric.get_score(actual, predicted) is None
        extended = metric.get_score(actual, predicted, return_extended_results=True)
        assert extended[metric.key] is None
        assert extended["support"] == 0
        result = metric.evaluate(actual, predicted)
        assert result.score is None
        assert list(result.per_user["value"]) == []
        assert result.ledger.n_users == predicted["user_id"].nunique()


def test_canonical_name(metric_class):
    short = metric_class.__name__
    assert metric_class("click").name == short
    cutoff = "@3" if metric_class.cutoff else ""
    assert make(metric_class, "kpi", 3, "u", "i", score_column="s").name == f"{short}{cutoff}"
    assert make(metric_class, "click", 3, ties="item", on_invalid="drop").name == (
        f'{short}(ties="item", on_invalid="drop"){cutoff}'
    )


def test_docstring_has_formula_and_example(metric_class):
    text = metric_class.__doc__
    assert "Examples" in text
    assert ">>> " in text
    assert "average" in text.lower()
    assert "range" in text or "lies between" in text


def test_class_is_importable_on_its_own_and_in_its_namespace(metric_class):
    import jurity_reco

    assert metric_class.__name__ in jurity_reco.__all__
    assert any(metric_class in vars(namespace).values() for namespace in NAMESPACES.values())
