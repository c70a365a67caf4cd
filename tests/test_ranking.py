"""Worked examples of the ranking metrics, with their arithmetic."""

from math import log2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import MAP, NDCG, Precision, RankingRecoMetrics, Recall
from tests.frames import D, frame, row_lists

# ann has five relevant items, bob has one, cleo has one and no recommendation, dan saw one item and
# did not click it, eve has one and three recommendations that miss it.
ACTUAL = D(
    ["ann"] * 5 + ["bob", "cleo", "dan", "eve"],
    ["i1", "i2", "i3", "i4", "i5", "i1", "i9", "i1", "i1"],
    [1, 1, 1, 1, 1, 1, 1, 0, 1],
)
PREDICTED = D(
    ["ann"] * 4 + ["bob"] * 2 + ["dan"] * 3 + ["eve"] * 3,
    ["i1", "z1", "i2", "i3", "z1", "i1", "z1", "z2", "z3", "z1", "z2", "z3"],
    [0.9, 0.8, 0.7, 0.6, 0.9, 0.8, 0.9, 0.8, 0.7, 0.9, 0.8, 0.7],
)
IDEAL_OF_FIVE = 1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5) + 1 / log2(6)


@pytest.mark.parametrize(
    ("metric", "values"),
    [
        (Precision("click", k=3), {"ann": 2 / 3, "bob": 1 / 2, "eve": 0}),
        (Precision("click"), {"ann": 3 / 4, "bob": 1 / 2, "eve": 0}),
        (Precision("click", k=1), {"ann": 1, "bob": 0, "eve": 0}),
        (Recall("click", k=3), {"ann": 2 / 5, "bob": 1, "cleo": 0, "eve": 0}),
        (Recall("click"), {"ann": 3 / 5, "bob": 1, "cleo": 0, "eve": 0}),
        (MAP("click", k=3), {"ann": (1 + 2 / 3) / 3, "bob": 1 / 2, "eve": 0}),
        (MAP("click"), {"ann": (1 + 2 / 3 + 3 / 4) / 5, "bob": 1 / 2, "eve": 0}),
        (
            NDCG("click", k=3),
            {"ann": (1 + 1 / log2(4)) / IDEAL_OF_FIVE, "bob": 1 / log2(3), "cleo": 0, "eve": 0},
        ),
        (
            NDCG("click"),
            {
                "ann": (1 + 1 / log2(4) + 1 / log2(5)) / IDEAL_OF_FIVE,
                "bob": 1 / log2(3),
                "cleo": 0,
                "eve": 0,
            },
        ),
    ],
    ids=str,
)
def test_worked_examples(metric, values):
    result = metric.evaluate(ACTUAL, PREDICTED)
    expected = pd.DataFrame({"user_id": list(values), "value": [float(v) for v in values.values()]})
    pd.testing.assert_frame_equal(result.per_user, expected, check_dtype=False, rtol=1e-14)
    assert result.score == pytest.approx(sum(values.values()) / len(values), rel=1e-14)
    assert result.support == len(values)


def test_names():
    assert str(NDCG("click", k=3)) == "NDCG@3"
    assert str(NDCG("click")) == "NDCG"
    assert NDCG("click", 3, relevance_threshold=3.5).name == "NDCG(relevance_threshold=3.5)@3"
    assert repr(NDCG("click", k=3).evaluate(ACTUAL, PREDICTED)) == (
        "<NDCG@3: 0.284918, support 4, 4 of 5 users averaged>"
    )


def test_perfect_lists_score_exactly_one():
    users, items = np.divmod(np.arange(6000), 60)
    actual = D(users, items, 1)
    predicted = D(users, items, -items)
    for metric in (Precision, Recall, MAP, NDCG):
        result = metric("click").evaluate(actual, predicted)
        assert result.score == 1.0
        assert (result.per_user["value"] == 1.0).all()


@given(rows=row_lists())
def test_recall_never_falls_with_k(rows):
    actual, predicted = map(frame, rows)
    scores = [Recall("click", k=k).get_score(actual, predicted) for k in (1, 2, 3, 5, None)]
    if scores[0] is not None:
        assert scores == sorted(scores)


@given(st.permutations(range(8)), st.sets(st.integers(0, 7), min_size=1), st.integers(0, 6))
def test_moving_a_hit_up_never_hurts(items, relevant, place):
    better = list(items)
    if better[place + 1] in relevant:
        better[place], better[place + 1] = better[place + 1], better[place]
    actual = D(1, sorted(relevant), 1)
    scores = -np.arange(8)
    for metric in (NDCG("click"), MAP("click"), NDCG("click", k=3), MAP("click", k=3)):
        before = metric.get_score(actual, D(1, items, scores))
        assert metric.get_score(actual, D(1, better, scores)) >= before - 1e-15


def test_precision_and_map_agree_at_one():
    precision = RankingRecoMetrics.Precision("click", k=1).evaluate(ACTUAL, PREDICTED)
    average = RankingRecoMetrics.MAP("click", k=1).evaluate(ACTUAL, PREDICTED)
    pd.testing.assert_frame_equal(precision.per_user, average.per_user)
