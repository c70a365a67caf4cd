"""Equal scores: best, worst and expected order, against all orders tried out."""

from itertools import permutations, product
from math import fsum, isclose, log2

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jurity_reco import MAP, NDCG, CombinedMetrics, Precision, Recall
from tests.frames import D, frame, row_lists
from tests.metrics import METRICS, make
from tests.naive import ORACLES

BOUNDED = [metric for metric in METRICS if "expected" in metric.tie_choices]
CUTOFFS = st.sampled_from([None, 1, 2, 3, 5])


def scores_of_all_orders(metric, actual, predicted, k):
    """The oracle's score of one user for every order of the recommendations of equal score."""
    ties = {}
    for item, score in predicted:
        ties.setdefault(score, []).append(item)
    groups = [permutations(ties[score]) for score in sorted(ties, reverse=True)]
    for order in product(*groups):
        items = [item for group in order for item in group]
        ranked = [(1, item, -rank) for rank, item in enumerate(items)]
        yield ORACLES[metric.key](actual, ranked, k=k if metric.cutoff else None).score


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.key)
@given(
    scores=st.lists(st.integers(0, 2), min_size=1, max_size=7),
    relevant=st.sets(st.integers(0, 8), min_size=1),
    k=CUTOFFS,
)
@example(scores=[0] * 7, relevant={0, 1, 2}, k=None)
@example(scores=[0] * 7, relevant={0, 1, 2}, k=3)
@example(scores=[0] * 7, relevant=set(range(7)), k=5)
def test_one_user_equals_all_orders(metric, scores, relevant, k):
    actual = [(1, item, 1) for item in sorted(relevant)]
    predicted = list(enumerate(scores))
    tried = list(scores_of_all_orders(metric, actual, predicted, k))
    if tried[0] is None:
        return  # no recommendation that is not relevant, so no area, whatever the order
    frames = frame(actual), frame([(1, item, score) for item, score in predicted])
    for ties, expected in [
        ("best", max(tried)),
        ("worst", min(tried)),
        ("expected", fsum(tried) / len(tried)),
    ]:
        found = make(metric, k=k, ties=ties).get_score(*frames)
        assert isclose(found, expected, rel_tol=1e-12, abs_tol=1e-15)
        low, high = metric.value_range
        assert low <= found <= high


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.key)
@given(rows=row_lists(), k=CUTOFFS)
def test_users_do_not_mix(metric, rows, k):
    for ties in ("best", "worst", "expected"):
        whole = make(metric, k=k, ties=ties).evaluate(*map(frame, rows)).per_user
        for user, value in zip(whole["user_id"], whole["value"], strict=True):
            alone = [[row for row in side if row[0] == user] for side in rows]
            found = make(metric, k=k, ties=ties).get_score(*map(frame, alone))
            assert isclose(found, value, rel_tol=1e-12)


@pytest.mark.parametrize("metric", BOUNDED, ids=lambda metric: metric.key)
@given(rows=row_lists(), k=CUTOFFS)
def test_bounds_hold_and_agree_without_ties(metric, rows, k):
    actual, predicted = rows
    worst, order, expected, best = (
        make(metric, k=k, ties=ties).get_score(frame(actual), frame(predicted))
        for ties in ("worst", "input", "expected", "best")
    )
    if order is not None:
        assert worst <= order + 1e-15
        assert order <= best + 1e-15
        assert worst - 1e-15 <= expected <= best + 1e-15
    distinct = [(user, item, number) for number, (user, item, _) in enumerate(predicted)]
    scores = {
        make(metric, k=k, ties=ties).get_score(frame(actual), frame(distinct))
        for ties in metric.tie_choices
    }
    assert len(scores) == 1


def test_worked_example():
    # One relevant item among three of equal score: rank 1, 2 or 3, each with probability 1/3.
    actual, predicted = D([1], ["b"], 1), D([1] * 3, list("abc"), 0.5)
    for metric, best, expected, worst in [
        (Precision("click", k=1), 1, 1 / 3, 0),
        (Recall("click", k=2), 1, 2 / 3, 0),
        (MAP("click"), 1, (1 + 1 / 2 + 1 / 3) / 3, 1 / 3),
        (NDCG("click"), 1, (1 + 1 / log2(3) + 1 / log2(4)) / 3, 1 / log2(4)),
    ]:
        options = {"k": metric.k}
        found = {
            ties: type(metric)("click", ties=ties, **options).get_score(actual, predicted)
            for ties in ("best", "expected", "worst")
        }
        assert found == pytest.approx({"best": best, "expected": expected, "worst": worst})


def test_ties_share_one_match():
    actual, predicted = D([1], ["b"], 1), D([1] * 3, list("abc"), 0.5)
    found = CombinedMetrics(
        *(Precision("click", k=1, ties=ties) for ties in ("input", "best", "expected"))
    ).get_score(actual, predicted)
    assert list(found) == [
        "Precision(click, ties='input')@1",
        "Precision(click, ties='best')@1",
        "Precision(click, ties='expected')@1",
    ]
    assert list(found.values()) == [0.0, 1.0, 1 / 3]


def test_repeated_recommendations_leave_the_tie():
    actual = D([1], ["a"], 1)
    predicted = D([1] * 4, list("abab"), [2, 2, 2, 1])
    # a once and b once remain, with the same score.
    metric = Precision("click", k=1, ties="expected", duplicates="best")
    assert metric.get_score(actual, predicted) == 1 / 2


def test_long_ties_are_cheap_and_exact():
    n = 200_000
    actual = D(1, np.arange(0, n, 4), 1)
    predicted = D(1, np.arange(n), 0.5)
    discount = 1 / np.log2(np.arange(2, n + 2))
    expected = discount[:1000].sum() / 4 / discount[: n // 4].sum()
    found = NDCG("click", k=1000, ties="expected").get_score(actual, predicted)
    assert found == pytest.approx(expected, rel=1e-12)
