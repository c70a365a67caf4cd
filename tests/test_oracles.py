"""Every metric against its naive oracle, on frames made by hypothesis."""

import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jurity_reco import InvalidDataError
from jurity_reco.metrics.base import RelevanceMetric
from jurity_reco.metrics.error import ErrorMetric
from tests.frames import INFINITE_SCORES, frame, row_lists
from tests.metrics import METRICS, METRICS_OF_ACTUAL, make
from tests.naive import ORACLES, Answer

CUTOFFS = st.sampled_from([None, 1, 2, 3, 7])
THRESHOLDS = st.sampled_from([None, 1, 0.5, -1])
TIES = st.sampled_from(["input", "item", "item descending"])


def test_every_metric_has_an_oracle():
    assert {metric.key for metric in METRICS} == set(ORACLES)


def same(number, other):
    if number is None or other is None or math.isnan(other):
        return (number is None) == (other is None) and (other is None or math.isnan(number))
    return math.isclose(number, other, rel_tol=1e-12, abs_tol=1e-15)


def check(metric, result, answer: Answer):
    assert same(result.score, answer.score)
    assert result.support == answer.support
    assert list(result.per_user["user_id"]) == list(answer.per_user)
    weights = result.per_user["weight"] if metric.weighted else [1] * len(result.per_user)
    for value, weight, expected in zip(
        result.per_user["value"], weights, answer.per_user.values(), strict=True
    ):
        assert same(value, expected[0])
        assert weight == expected[1]
    ledger = result.ledger.to_dict()
    assert {key: ledger[key] for key in answer.ledger} == answer.ledger


@pytest.mark.parametrize("metric_class", METRICS_OF_ACTUAL, ids=lambda metric: metric.key)
@settings(max_examples=150)
@given(rows=row_lists(), k=CUTOFFS, threshold=THRESHOLDS, ties=TIES)
@example(rows=([], []), k=None, threshold=None, ties="input")
@example(rows=([(1, 1, 1)], []), k=1, threshold=None, ties="item")
@example(rows=([], [("a", "b", 0.5)]), k=1, threshold=None, ties="item descending")
def test_equals_oracle(metric_class, rows, k, threshold, ties):
    actual, predicted = rows
    by_label = issubclass(metric_class, RelevanceMetric)
    options = {"relevance_threshold": threshold} if by_label else {}
    metric = make(metric_class, k=k, ties=ties, **options)
    answer = ORACLES[metric.key](actual, predicted, k=metric.k, threshold=threshold, ties=ties)
    check(metric, metric.evaluate(frame(actual), frame(predicted)), answer)


@pytest.mark.parametrize("metric_class", METRICS_OF_ACTUAL, ids=lambda metric: metric.key)
@given(rows=row_lists(repeats=True), k=CUTOFFS, ties=TIES)
def test_repeated_recommendations_equal_oracle(metric_class, rows, k, ties):
    actual, predicted = rows
    metric = make(metric_class, k=k, ties=ties, duplicates="best")
    answer = ORACLES[metric.key](actual, predicted, k=metric.k, ties=ties, duplicates="best")
    result = metric.evaluate(frame(actual), frame(predicted))
    check(metric, result, answer)
    distinct = {row[:2] for row in predicted}
    assert result.ledger.predicted_rows_repeated == len(predicted) - len(distinct)


@pytest.mark.parametrize("metric_class", METRICS_OF_ACTUAL, ids=lambda metric: metric.key)
@given(rows=row_lists(scores=INFINITE_SCORES), k=CUTOFFS)
def test_infinite_scores_equal_oracle(metric_class, rows, k):
    actual, predicted = rows
    metric = make(metric_class, k=k)
    if issubclass(metric_class, ErrorMetric):
        matched = {row[:2] for row in actual} & {row[:2] for row in predicted if math.isinf(row[2])}
        if matched:
            with pytest.raises(InvalidDataError, match="infinite label or score"):
                metric.evaluate(frame(actual), frame(predicted))
        return
    answer = ORACLES[metric.key](actual, predicted, k=metric.k)
    check(metric, metric.evaluate(frame(actual), frame(predicted)), answer)
