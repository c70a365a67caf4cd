"""Catalogue metrics: oracles, worked examples, accumulation, refusals."""

import math
import pickle
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import (
    AveragePopularity,
    CatalogRecoMetrics,
    CombinedMetrics,
    Coverage,
    Entropy,
    Gini,
    InvalidDataError,
    InvalidOptionError,
    LongTailShare,
    MetricState,
    Novelty,
    Recall,
    pool,
)
from tests.frames import D, frame, row_lists
from tests.naive import ORACLES

# The number of users of some of the items that the strategies make.
POPULARITY = {0: 9, 1: 4, 2: 4, 3: 1, "": 7, "a": 5, "aa": 1, -7: 3, 2**53: 2, 2**53 + 1: 8}
CUTOFFS = st.sampled_from([None, 1, 2, 3])


def popularity_of(rows):
    types = {type(row[1]) for row in rows} or {int}
    return {item: count for item, count in POPULARITY.items() if type(item) in types}


METRICS = {
    "coverage": (lambda rows: {"catalog": 10}, {}),
    "gini": (lambda rows: {"catalog": 10}, {}),
    "entropy": (lambda rows: {}, {}),
    "average_popularity": (lambda rows: {"popularity": popularity_of(rows)}, {}),
    "novelty": (
        lambda rows: {"popularity": popularity_of(rows), "popularity_users": 12},
        {"popularity_users": "n_users"},
    ),
    "long_tail_share": (lambda rows: {"popularity": popularity_of(rows)}, {}),
}
CLASSES = {
    metric.key: metric for metric in vars(CatalogRecoMetrics).values() if hasattr(metric, "key")
}


def test_every_catalogue_metric_is_tested():
    assert set(METRICS) == set(CLASSES)


def same(left, right):
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)


@pytest.mark.parametrize("key", METRICS)
@given(rows=row_lists(repeats=True), k=CUTOFFS, ties=st.sampled_from(["input", "item"]))
def test_equals_oracle(key, rows, k, ties):
    _, predicted = rows
    options_of, renamed = METRICS[key]
    options = options_of(predicted)
    metric = CLASSES[key]("click", k=k, ties=ties, duplicates="best", **options)
    for_oracle = {renamed.get(name, name): value for name, value in options.items()}
    answer = ORACLES[key]([], predicted, k=k, ties=ties, duplicates="best", **for_oracle)
    result = metric.evaluate(None, frame(predicted))
    assert same(result.score, answer.score)
    assert result.support == answer.support
    assert result.ledger.evaluated == result.ledger.n_users == answer.ledger["evaluated"]
    low, high = metric.value_range
    assert result.score is None or low <= result.score <= high
    if metric.totals:
        assert result.per_user is None
    else:
        assert result.per_user["user_id"].tolist() == list(answer.per_user)
        for found, (value, _) in zip(
            result.per_user["value"], answer.per_user.values(), strict=True
        ):
            assert same(found, value)


@pytest.mark.parametrize("key", METRICS)
@given(rows=row_lists(), k=CUTOFFS)
def test_batches_merges_and_byte_trips_equal_the_whole(key, rows, k):
    _, predicted = rows
    make = partial(CLASSES[key], "click", k=k, **METRICS[key][0](predicted))
    whole = make().evaluate(None, frame(predicted))
    users = list(dict.fromkeys(row[0] for row in predicted))
    metric, other, states = make(), make(), []
    for number, user in enumerate(users):
        part = frame([row for row in predicted if row[0] == user])
        (metric if number % 2 else other).update(None, part)
        states.append(make().evaluate(None, part).state.to_bytes())
    metric.merge(pickle.loads(pickle.dumps(other)))
    results = [metric.compute(), MetricState.from_bytes(metric.state.to_bytes())]
    if states:
        results.append(pool(states))
    for result in results:
        assert same(result.score, whole.score)
        assert result.support == whole.support
        assert result.ledger == whole.ledger


PREDICTED = D([1, 1, 2, 2], ["tea", "jam", "tea", "oil"], [0.9, 0.8, 0.9, 0.8])


def test_worked_examples():
    assert (
        Coverage("click", catalog=["tea", "jam", "oil", "rye"]).get_score(None, PREDICTED) == 3 / 4
    )
    assert Coverage("click", k=1, catalog=4).get_score(None, PREDICTED) == 1 / 4
    # Counts 0, 1, 1, 2: (-3 * 0 - 1 * 1 + 1 * 1 + 3 * 2) / (4 * 4).
    assert Gini("click", catalog=4).get_score(None, PREDICTED) == 6 / 16
    assert Gini("click", k=1, catalog=4).get_score(None, PREDICTED) == 3 / 4
    assert Entropy("click").get_score(None, PREDICTED) == 1.5
    assert Entropy("click", k=1).get_score(None, PREDICTED) == 0.0
    popularity = pd.Series({"tea": 8, "jam": 2, "rye": 1})
    average = AveragePopularity("click", popularity=popularity)
    assert average.get_score(None, PREDICTED) == ((8 + 2) / 2 + (8 + 0) / 2) / 2
    novelty = Novelty("click", popularity=popularity, popularity_users=16)
    assert novelty.get_score(None, PREDICTED) == ((1 + 3) / 2 + (1 + 4) / 2) / 2
    # tea alone has 8 of 11 interactions, tea and jam 10 of 11.
    tail = LongTailShare("click", popularity=popularity)
    assert tail.get_score(None, PREDICTED) == (0 / 2 + 1 / 2) / 2


def test_items_outside_the_catalogue_are_counted():
    result = Coverage("click", catalog=["tea", "rye"]).evaluate("ignored", PREDICTED)
    assert result.score == 1 / 2
    assert result.details == {"recommendations_outside_catalog": 2}


def test_metrics_are_values():
    coverage = Coverage("click", catalog=["a", "b"])
    assert coverage == Coverage("click", catalog=pd.Series(["b", "a", "a"]))
    assert coverage != Coverage("click", catalog=["a", "c"])
    assert coverage != Coverage("click", catalog=2)
    assert coverage.name != Coverage("click", catalog=["a", "c"]).name
    assert Coverage("click", 3, catalog=2).name == "Coverage(catalog=2)@3"
    assert Novelty("click", popularity={"a": 1}, popularity_users=np.int64(3)) == Novelty(
        "click", popularity=pd.Series({"a": 1}), popularity_users=3
    )
    assert hash(AveragePopularity("click", popularity={"a": 1})) == hash(
        AveragePopularity("click", popularity={"a": 1.0})
    )


def test_combined_with_other_metrics():
    actual = D([1, 9], ["tea", "tea"], 1)
    metrics = CombinedMetrics(Coverage("click", catalog=4), Recall("click"), Entropy("click"))
    assert metrics.get_score(actual, PREDICTED) == {
        "Coverage": 3 / 4,
        "Recall": 1 / 2,
        "Entropy": 1.5,
    }
    metrics.update(actual, PREDICTED)
    assert metrics.compute()["Coverage"].score == 3 / 4


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Coverage("click"),
            "Coverage needs the catalogue: pass catalog= with the number of its items, or with the "
            "items.",
        ),
        (
            lambda: Gini("click", catalog=0),
            "'catalog' must be the number of items in the catalogue, or the items, none of them "
            "missing; got 0.",
        ),
        (
            lambda: Gini("click", catalog=["a", None]),
            "'catalog' must be the number of items in the catalogue, or the items, none of them "
            "missing; got ['a', None].",
        ),
        (
            lambda: Coverage("click", catalog=2).get_score(None, PREDICTED),
            "A catalogue of 2 cannot hold the 3 different items that are recommended; pass the "
            "size of the whole catalogue.",
        ),
        (
            lambda: AveragePopularity("click"),
            "AveragePopularity needs to know how popular items are: pass popularity= with a "
            "dictionary, or a Series, of the number of users of each item.",
        ),
        (
            lambda: AveragePopularity("click", popularity=[1, 2]),
            "'popularity' must be a dictionary or a Series of the number of users of each item, "
            "from 0 on; got [1, 2].",
        ),
        (
            lambda: AveragePopularity("click", popularity={"a": -1}),
            "'popularity' must be a dictionary or a Series of the number of users of each item, "
            "from 0 on; got {'a': -1}.",
        ),
        (
            lambda: Novelty("click", popularity={"a": 5}),
            "Novelty needs to know over how many users popularity was counted: pass "
            "popularity_users= with their number.",
        ),
        (
            lambda: Novelty("click", popularity={"a": 5}, popularity_users=4),
            "'popularity' has an item with 5 users, more than the 4 of 'popularity_users'.",
        ),
    ],
)
def test_options(make, message):
    with pytest.raises(InvalidOptionError, match=f"^{re.escape(message)}$"):
        make()


def test_popularity_of_other_items_altogether():
    metric = AveragePopularity("click", popularity={1: 5})
    with pytest.raises(
        InvalidDataError, match="integer ids in popularity and text ids in predicted"
    ):
        metric.get_score(None, PREDICTED)
