"""Functions of lists and sets, with the examples that such functions are usually given."""

import math
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import Gini, InvalidDataError, InvalidOptionError, evaluate
from jurity_reco import functional as f
from tests.frames import D

ITEMS = st.lists(st.integers(0, 6), unique=True, max_size=6)
USERS = st.dictionaries(st.integers(0, 3), ITEMS, max_size=4)
GRADES = st.dictionaries(st.integers(0, 6), st.integers(0, 3), max_size=6)
K = st.integers(1, 8)


def test_worked_examples():
    recommended, relevant = [1, 3, 5, 7, 9], {1, 5, 10}
    assert f.precision_at_k(recommended, relevant, k=5) == 2 / 5
    assert f.recall_at_k(recommended, relevant, k=5) == 2 / 3
    assert f.f1_at_k(recommended, relevant, k=5) == pytest.approx(2 * (2 / 5) * (2 / 3) / (16 / 15))
    assert f.average_precision_at_k([1, 2, 3, 4, 5], {1, 3, 5}, k=5) == pytest.approx(
        (1 / 1 + 2 / 3 + 3 / 5) / 3
    )
    # This list is in the best order: often printed as 0.952, it scores 1.
    assert f.ndcg_at_k([3, 1, 5, 2, 4], {1: 3, 2: 2, 3: 3, 4: 1, 5: 2}, k=5) == 1.0
    assert f.dcg_at_k(["a", "x", "b"], {"a": 3, "b": 2, "c": 1}, k=3) == 3 + 2 / log2(4)
    assert f.catalog_coverage({0: [1, 2, 3], 1: [2, 3, 4], 2: [3, 4, 5]}, 100, k=3) == 0.05
    # Items 1 to 5 are recommended 1, 2, 3, 2 and 1 times.
    counts = sorted([1, 2, 3, 2, 1])
    expected = 2 * sum(i * c for i, c in enumerate(counts, 1)) / (5 * sum(counts)) - 6 / 5
    gini = f.gini_coefficient({0: [1, 2, 3], 1: [2, 3, 4], 2: [3, 4, 5]}, k=3)
    assert gini == pytest.approx(expected)


@given(recommended=ITEMS, relevant=st.sets(st.integers(0, 6)), k=K)
def test_one_user_equals_plain_python(recommended, relevant, k):
    hits = [item in relevant for item in recommended[:k]]
    precision = sum(hits) / k
    recall = sum(hits) / len(relevant) if relevant else 0.0
    at_hits = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
    first = next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    both = precision + recall
    for function, expected in [
        (f.precision_at_k, precision),
        (f.recall_at_k, recall),
        (f.f1_at_k, 2 * precision * recall / both if both else 0.0),
        (
            f.average_precision_at_k,
            math.fsum(at_hits) / min(k, len(relevant)) if relevant else 0.0,
        ),
        (f.hit_rate_at_k, float(any(hits))),
        (f.reciprocal_rank_at_k, first),
    ]:
        assert math.isclose(function(recommended, relevant, k), expected, rel_tol=1e-12)
        assert function(tuple(recommended), sorted(relevant), k) == function(
            recommended, relevant, k
        )


def plain_dcg(items, grades, k):
    return math.fsum(grades.get(item, 0) / log2(rank + 1) for rank, item in enumerate(items[:k], 1))


@given(recommended=ITEMS, grades=GRADES, k=K)
def test_gain_equals_plain_python(recommended, grades, k):
    gain = plain_dcg(recommended, grades, k)
    ideal = plain_dcg(sorted(grades, key=grades.get, reverse=True), grades, k)
    assert math.isclose(f.dcg_at_k(recommended, grades, k), gain, rel_tol=1e-12)
    expected = gain / ideal if ideal else 0.0
    assert math.isclose(f.ndcg_at_k(recommended, grades, k), expected, rel_tol=1e-12)


@given(recommendations=USERS, truth=st.dictionaries(st.integers(0, 3), GRADES, max_size=4), k=K)
def test_means_are_over_users_in_both(recommendations, truth, k):
    users = [user for user in recommendations if user in truth]
    for mean, single, of_user in [
        (f.mean_ndcg_at_k, f.ndcg_at_k, lambda grades: grades),
        (f.mean_average_precision_at_k, f.average_precision_at_k, set),
    ]:
        values = [single(recommendations[user], of_user(truth[user]), k) for user in users]
        found = mean(recommendations, {user: of_user(truth[user]) for user in truth}, k)
        assert math.isclose(found, math.fsum(values) / len(values) if values else 0, rel_tol=1e-12)


@given(recommendations=USERS, k=K)
def test_catalogue_equals_the_classes(recommendations, k):
    rows = [
        (user, item, -rank)
        for user, items in recommendations.items()
        for rank, item in enumerate(items)
    ]
    shown = {item for items in recommendations.values() for item in items[:k]}
    assert f.catalog_coverage(recommendations, 9, k) == len(shown) / 9
    if rows:
        predicted = D(*map(list, zip(*rows, strict=True)))
        expected = Gini("click", k, catalog=len(shown)).get_score(None, predicted)
        assert f.gini_coefficient(recommendations, k) == expected
    else:
        assert f.gini_coefficient(recommendations, k) == 0.0


def test_diversity_of_one_list():
    features = np.random.default_rng(0).normal(size=(5, 3))
    chosen = [4, 0, 2]
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    pairs = [1 - unit[a] @ unit[b] for a in chosen for b in chosen if a < b]
    assert f.intra_list_diversity(chosen, features) == pytest.approx(np.mean(pairs))
    assert f.intra_list_diversity([1], features) == 0.0
    assert f.intra_list_diversity([], features) == 0.0


def test_items_are_whatever_a_set_can_hold():
    assert f.recall_at_k([("a", 1), None, "b"], {("a", 1), "b", 3}, k=3) == 2 / 3
    assert f.precision_at_k(np.array([1, 2]), {2}, k=2) == 0.5


def test_same_numbers_as_frames_in_the_dialect():
    actual = D(["ann", "ann", "bob", "bob"], list("abcd"), [3, 1, 2, 0])
    predicted = D(["ann"] * 3 + ["bob"] * 2, list("bxacd"), [3, 2, 1, 2, 1])
    report = evaluate(actual, predicted, ["ndcg@2", "map@2"], dialect="lists_and_sets")
    lists = {"ann": ["b", "x", "a"], "bob": ["c", "d"]}
    grades = {"ann": {"a": 3, "b": 1}, "bob": {"c": 2, "d": 0}}
    assert f.mean_ndcg_at_k(lists, grades, 2) == pytest.approx(report.scores["ndcg@2"])
    truth = {"ann": {"a", "b"}, "bob": {"c"}}
    assert f.mean_average_precision_at_k(lists, truth, 2) == pytest.approx(report.scores["map@2"])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: f.precision_at_k([1], {1}, 0),
            InvalidOptionError,
            "'k' must be a positive integer, got 0.",
        ),
        (
            lambda: f.ndcg_at_k([1], {1: 1}, None),
            InvalidOptionError,
            "'k' must be a positive integer, got None.",
        ),
        (
            lambda: f.recall_at_k([1, 2, 1], {1}, 2),
            InvalidDataError,
            "A list of recommendations must not repeat an item, got 1 twice; keep the first one.",
        ),
        (
            lambda: f.recall_at_k({1, 2}, {1}, 2),
            InvalidDataError,
            "'recommended' must be a list of items, best first, got {1, 2}.",
        ),
        (
            lambda: f.recall_at_k(["a"], "a", 2),
            InvalidDataError,
            "'relevant' must be a set of items, got 'a'.",
        ),
        (
            lambda: f.ndcg_at_k([1], {1}, 2),
            InvalidDataError,
            "'relevance_scores' must be a dictionary of items, got {1}.",
        ),
        (
            lambda: f.ndcg_at_k([1], {1: -1}, 2),
            InvalidDataError,
            "How relevant items are must be numbers from 0 to 1e100, got -1.",
        ),
        (
            lambda: f.ndcg_at_k([1], {1: "x"}, 2),
            InvalidDataError,
            "How relevant items are must be numbers from 0 to 1e100, got 'x'.",
        ),
        (
            lambda: f.mean_average_precision_at_k({1: [1]}, [{1}], 2),
            InvalidOptionError,
            "'ground_truth' must be a dictionary by user, got [{1}].",
        ),
        (
            lambda: f.mean_ndcg_at_k([[1]], {1: {1: 1}}, 2),
            InvalidOptionError,
            "'recommendations' must be a dictionary by user, got [[1]].",
        ),
        (
            lambda: f.catalog_coverage({1: [1]}, 0, 2),
            InvalidOptionError,
            "'catalog_size' must be a positive integer, got 0.",
        ),
        (
            lambda: f.catalog_coverage({1: [1, 2, 3]}, 2, 3),
            InvalidOptionError,
            "A catalogue of 2 cannot hold the 3 different items that are recommended; pass the "
            "size of the whole catalogue.",
        ),
        (
            lambda: f.intra_list_diversity([0, 7], np.eye(2)),
            InvalidDataError,
            "'recommended' must be numbers of rows of 'item_features', which must have two "
            "dimensions; got [0, 7] for features of shape (2, 2).",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as refused:
        call()
    assert str(refused.value) == message
