"""Off-policy CTR: estimates from the log of another policy."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import (
    CTR,
    NDCG,
    ColumnNotFoundError,
    CombinedMetrics,
    InvalidDataError,
    InvalidOptionError,
    InvalidStateError,
    MetricState,
    pool,
)
from tests.frames import D
from tests.naive import off_policy

ESTIMATIONS = ["ips", "snips", "dr"]
USERS, ITEMS = st.integers(0, 4), st.integers(0, 3)
PROPENSITIES = st.sampled_from([0.1, 0.25, 0.5, 1.0])
VALUES = st.sampled_from([0, 1, 1, 2.5])
SCORES = st.sampled_from([0.1, 0.2, 0.3, 0.9])


def by_pair(row):
    return row[:2]


LOGS = st.lists(st.tuples(USERS, ITEMS, VALUES, PROPENSITIES), max_size=15, unique_by=by_pair)
LISTS = st.lists(st.tuples(USERS, ITEMS, SCORES), max_size=15, unique_by=by_pair)


def log(rows):
    columns = ["user_id", "item_id", "click", "propensity"]
    return pd.DataFrame(rows, columns=columns).astype({"click": float, "propensity": float})


def lists(rows):
    return pd.DataFrame(rows, columns=["user_id", "item_id", "click"]).astype({"click": float})


def same(left, right):
    if left is None or right is None:
        return left is right
    return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-12)


def same_error(left, right):
    if left is None or right is None:
        return left is right
    # An error of 0 is the root of a difference of sums, which is exact to its square only.
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-7)


@pytest.mark.parametrize("estimation", ESTIMATIONS)
@given(
    rows=LOGS,
    recommended=LISTS,
    k=st.sampled_from([None, 1, 2]),
    max_weight=st.sampled_from([None, 3.0]),
)
def test_equals_oracle(estimation, rows, recommended, k, max_weight):
    metric = CTR("click", k=k, estimation=estimation, max_weight=max_weight)
    answer = off_policy(rows, recommended, estimation, k=k, max_weight=max_weight)
    found = metric.get_score(log(rows), lists(recommended), return_extended_results=True)
    for key, expected in answer.items():
        compare = same_error if key == "standard_error" else same
        assert compare(found[key], expected), key
    result = metric.evaluate(log(rows), lists(recommended))
    if result.score is not None:
        mean = (result.per_user["value"] * result.per_user["weight"]).sum()
        assert same(mean / result.per_user["weight"].sum(), result.score)
    assert result.ledger.n_users == len({row[0] for row in rows} | {row[0] for row in recommended})
    assert result.ledger.n_averaged == len(result.per_user)


@pytest.mark.parametrize("estimation", ESTIMATIONS)
@given(rows=LOGS, recommended=LISTS, max_weight=st.sampled_from([None, 2.5]), data=st.data())
def test_batches_and_byte_trips_equal_the_whole(estimation, rows, recommended, max_weight, data):
    uniform = data.draw(st.booleans())
    options = {"estimation": estimation, "max_weight": max_weight, "k": 2}
    if uniform:
        options["propensity_column"] = None
    whole = CTR("click", **options).get_score(log(rows), lists(recommended), False, True)
    metric, other = CTR("click", **options), CTR("click", **options)
    states = []
    for part in range(3):
        batch = (
            log([row for row in rows if row[0] % 3 == part]),
            lists([row for row in recommended if row[0] % 3 == part]),
        )
        (metric if part else other).update(*batch)
        states.append(CTR("click", **options).evaluate(*batch).state.to_bytes())
    metric.merge(other)
    trip = MetricState.from_bytes(metric.state.to_bytes())
    for found in (metric.state.shown(True), trip.shown(True), pool(states).state.shown(True)):
        assert same_error(found["standard_error"], whole["standard_error"])
        for key in ("ctr", "mean_weight", "max_weight_seen", "clipped_share"):
            assert same(found[key], whole[key]), key
        for key in ("support", "ledger", "reliable", "matched_share"):
            assert found[key] == whole[key], key


ACTUAL = log([(1, "a", 1, 0.5), (1, "b", 0, 0.25), (2, "a", 1, 0.2), (3, "c", 0, 0.1)])
PREDICTED = lists([(1, "a", 0.9), (1, "c", 0.6), (2, "a", 0.8), (2, "b", 0.3), (4, "a", 0.7)])


@pytest.mark.parametrize(
    ("options", "score"),
    [
        # Two of five recommendations were logged and clicked, with weights 2 and 5.
        ({"estimation": "ips"}, (2 + 5) / 5),
        ({"estimation": "snips"}, (2 + 5) / (2 + 5)),
        (
            {"estimation": "dr"},
            (0.9 + 0.6 + 0.8 + 0.3 + 0.7 + 2 * (1 - 0.9) + 5 * (1 - 0.8)) / 5,
        ),
        ({"estimation": "ips", "max_weight": 3}, (2 + 3) / 5),
        ({"estimation": "ips", "k": 1}, (2 + 5) / 3),
        # Three distinct items were logged.
        ({"estimation": "ips", "propensity_column": None}, (3 + 3) / 5),
        ({"estimation": "ips", "propensity_column": None, "n_items": 10}, (10 + 10) / 5),
        (
            {
                "estimation": "ips",
                "propensity_column": None,
                "n_items": np.int64(10),
                "max_weight": 4,
            },
            (4 + 4) / 5,
        ),
        # A column of propensities knows better.
        ({"estimation": "ips", "n_items": 10}, (2 + 5) / 5),
        ({"estimation": "ips", "propensity_column": None, "max_weight": 2}, (2 + 2) / 5),
    ],
    ids=str,
)
def test_worked_examples(options, score):
    assert CTR("click", **options).get_score(ACTUAL, PREDICTED) == pytest.approx(score, rel=1e-14)


def test_diagnostics():
    found = CTR("click", estimation="ips", max_weight=3).get_score(ACTUAL, PREDICTED, False, True)
    values = np.array([2, 3, 0]) - 1.0 * np.array([2, 2, 1])  # y - V n of the users 1, 2 and 4
    error = math.sqrt((values**2).sum() / 2 * 3) / 5
    assert found.pop("ledger")["left_out_no_recommendations"] == 1
    interval = found.pop("interval")
    assert interval == pytest.approx((1 - 1.959964 * error, 1 + 1.959964 * error), rel=1e-6)
    assert found == {
        "ctr": 1.0,
        "support": 5,
        "assumed_items": None,
        "matched_share": 2 / 5,
        "mean_weight": 1.0,
        "max_weight_seen": 5.0,
        "clipped_share": 1 / 2,
        "effective_sample_size": pytest.approx(25 / 13),
        "standard_error": pytest.approx(error),
        "reliable": False,
        "reason": "the effective sample size is 1.9, below 100",
    }


def many(n_users, click):
    actual = log([(user, "a", click, 1.0) for user in range(n_users)])
    return actual, lists([(user, "a", 0.5) for user in range(n_users)])


def test_reliable_needs_sample_clicks_and_users():
    estimate = CTR("click", estimation="ips")
    assert estimate.evaluate(*many(100, 1)).details["reliable"]
    assert estimate.evaluate(*many(100, 1)).details["reason"] is None
    assert estimate.evaluate(*many(100, 0)).details["reason"] == (
        "0 matched rows have a value other than 0, below 50"
    )
    one_user = [frame.assign(user_id=1, item_id=range(200)) for frame in many(200, 1)]
    assert estimate.evaluate(*one_user).details["reason"] == (
        "there is one user only, and no standard error"
    )


def test_batches_with_and_without_propensities_do_not_mix():
    metric = CTR("click", estimation="ips")
    metric.update(ACTUAL, PREDICTED)
    before = metric.state.to_bytes()
    others = [frame.assign(user_id=frame["user_id"] + 10) for frame in (ACTUAL, PREDICTED)]
    message = (
        "Some of the data has a column of propensities and some has not, so their weights do not "
        "add up; give the column to all batches, or pass propensity_column=None."
    )
    with pytest.raises(InvalidStateError, match=f"^{re.escape(message)}$"):
        metric.update(others[0].drop(columns="propensity"), others[1])
    assert metric.state.to_bytes() == before
    metric.update(others[0][:0].drop(columns="propensity"), others[1])


def test_states_of_other_propensities_do_not_pool():
    actual = ACTUAL.assign(p2=0.1)
    states = [
        CTR("click", estimation="ips", propensity_column=column).evaluate(actual, PREDICTED).state
        for column in ("propensity", "p2")
    ]
    with pytest.raises(InvalidStateError, match="Only states of one metric and the same columns"):
        pool(states)


def test_expected_values_are_read_by_dr_alone():
    actual = ACTUAL.assign(minutes=1.0)
    predicted = PREDICTED.assign(minutes=[1.0, 1.0, math.nan, 1.0, 1.0])
    ips = CTR("click", value_column="minutes", estimation="ips")
    assert ips.get_score(actual, predicted) == ips.get_score(actual, PREDICTED)
    with pytest.raises(InvalidDataError, match="missing 'minutes'"):
        CTR("click", value_column="minutes", estimation="dr").get_score(actual, predicted)
    infinite = PREDICTED.assign(click=[math.inf, 0.6, 0.8, 0.3, -math.inf])
    assert CTR("click", estimation="ips").get_score(ACTUAL, infinite) == pytest.approx(7 / 5)
    with pytest.raises(InvalidDataError, match="2 rows with an infinite expected value"):
        CTR("click", estimation="dr").get_score(ACTUAL, infinite)


def test_values_and_weights_too_large_to_add_up():
    for actual in (ACTUAL.assign(click=1e308), ACTUAL.assign(propensity=1e-310)):
        metric = CTR("click", estimation="ips")
        refusal = pytest.raises(InvalidDataError, match="too large to be added up")
        with np.errstate(over="ignore", invalid="ignore"), refusal:
            metric.get_score(actual, PREDICTED, True, True)
        assert metric.state.support == 0


def test_snips_does_not_leave_the_range_of_the_values():
    rng = np.random.default_rng(0)
    for _ in range(200):
        value = float(rng.random())
        actual = ACTUAL.assign(click=value, propensity=rng.uniform(0.1, 1, len(ACTUAL)))
        assert CTR("click", estimation="snips").get_score(actual, PREDICTED) == value


def test_weights_that_do_not_fit_the_log_are_not_reliable():
    # Everybody saw what is recommended, but every item is taken to be one of ten.
    actual, predicted = many(200, 1)
    actual = actual.drop(columns="propensity")
    actual["item_id"] = [f"item {user % 10}" for user in range(200)]
    predicted["item_id"] = actual["item_id"]
    ips = CTR("click", estimation="ips").evaluate(actual, predicted)
    assert ips.details["assumed_items"] == 10
    assert ips.details["reason"] == (
        "the mean weight is 10.00, so the propensities do not fit the log"
    )
    assert "not reliable: the mean weight is 10.00" in repr(ips)
    assert CTR("click", estimation="snips").evaluate(actual, predicted).details["reliable"]


def test_target_propensities():
    predicted = PREDICTED.assign(shown=[0.5, 0.5, 0.2, 0.8, 1.0])
    options = {"target_propensity_column": "shown"}
    ips = CTR("click", estimation="ips", **options)
    # The weights are 0.5 / 0.5 and 0.2 / 0.2, and 3 recommendations are to be expected.
    assert ips.get_score(ACTUAL, predicted) == pytest.approx((1 + 1) / 3)
    uniform = CTR("click", estimation="ips", propensity_column=None, **options)
    assert uniform.get_score(ACTUAL, predicted) == pytest.approx((0.5 * 3 + 0.2 * 3) / 3)
    dr = CTR("click", estimation="dr", **options)
    expected = 0.5 * 0.9 + 0.5 * 0.6 + 0.2 * 0.8 + 0.8 * 0.3 + 1.0 * 0.7
    assert dr.get_score(ACTUAL, predicted) == pytest.approx((expected + (1 - 0.9) + (1 - 0.8)) / 3)
    snips = CTR("click", estimation="snips", **options)
    assert snips.get_score(ACTUAL, predicted) == pytest.approx((1 + 1) / (1 + 1))
    assert ips.evaluate(ACTUAL, predicted).details["mean_weight"] == pytest.approx((1 + 1) / 3)
    cut = CTR("click", estimation="ips", propensity_column=None, max_weight=1, **options)
    assert cut.get_score(ACTUAL, predicted) == pytest.approx((1 + 0.2 * 3) / 3)
    message = (
        "IPS(click) cannot be accumulated over batches: with target_propensity_column and "
        "max_weight, the number of items has to be known from the first batch on; pass n_items, or "
        "a propensity_column of another name."
    )
    with pytest.raises(InvalidOptionError, match=f"^{re.escape(message)}$"):
        cut.update(ACTUAL, predicted)
    with pytest.raises(InvalidStateError, match="do not add up with others; pass n_items"):
        pool([cut.evaluate(ACTUAL, predicted)] * 2)
    known = CTR(
        "click", estimation="ips", propensity_column=None, n_items=3, max_weight=1, **options
    )
    known.update(ACTUAL, predicted)
    assert known.compute().score == pytest.approx((1 + 0.2 * 3) / 3)


def test_expected_values_may_have_a_column_of_their_own():
    actual = ACTUAL.rename(columns={"click": "minutes"})
    predicted = PREDICTED.assign(minutes=[1.0, 2.0, 3.0, 4.0, 5.0])
    dr = CTR("click", value_column="minutes", estimation="dr")
    assert dr.get_score(actual, predicted) == pytest.approx(
        (1 + 2 + 3 + 4 + 5 + 2 * (1 - 1) + 5 * (1 - 3)) / 5
    )
    # Without it, the score is what the model expects.
    assert dr.get_score(actual, PREDICTED) == pytest.approx(
        (0.9 + 0.6 + 0.8 + 0.3 + 0.7 + 2 * (1 - 0.9) + 5 * (1 - 0.8)) / 5
    )


def test_repeated_interactions():
    actual = log([(1, "a", 1, 0.5), (2, "b", 0, 0.5), (1, "a", 0, 0.25)])
    predicted = lists([(1, "a", 0.9)])
    message = (
        "actual has 1 row that repeats an earlier pair of 'user_id' and 'item_id', the first at "
        "position 2 with user_id=1 and item_id='a'; estimates from logs weigh each recommendation "
        'once, so pass repeated="mean" to average the value and the propensity of such rows.'
    )
    for estimation in ESTIMATIONS:
        with pytest.raises(InvalidDataError, match=f"^{re.escape(message)}$"):
            CTR("click", estimation=estimation).get_score(actual, predicted)
    ips = CTR("click", estimation="ips", repeated="mean")
    assert ips.get_score(actual, predicted) == pytest.approx(0.5 / 0.375)


@pytest.mark.parametrize("value", [0.0, -0.5, 1.5])
def test_impossible_propensities(value):
    actual = ACTUAL.assign(propensity=[0.5, value, 0.2, value])
    message = (
        "actual has 2 rows in which 'propensity' is not a number above 0 up to 1, the first at "
        f'position 1 with {value}; pass on_invalid="drop" to leave such rows out.'
    )
    for estimation in ESTIMATIONS:
        with pytest.raises(InvalidDataError, match=f"^{re.escape(message)}$"):
            CTR("click", estimation=estimation).get_score(actual, PREDICTED)
    dropped = CTR("click", estimation="ips", on_invalid="drop").evaluate(actual, PREDICTED)
    assert dropped.score == pytest.approx((2 + 5) / 5)
    assert dropped.ledger.actual_rows_invalid == 2
    # For other metrics, such rows are as good as any.
    together = CombinedMetrics(
        CTR("click", estimation="ips", on_invalid="drop"),
        CTR("click", on_invalid="drop"),
        NDCG("click", on_invalid="drop"),
    ).evaluate(actual, PREDICTED)
    assert together["CTR(click)"].ledger.actual_rows_invalid == 0
    assert CTR("click").get_score(actual, PREDICTED) == 1.0


def test_missing_propensities_are_refused():
    actual = ACTUAL.assign(propensity=[0.5, math.nan, 0.2, 0.1])
    with pytest.raises(InvalidDataError, match="1 row with a missing 'propensity'"):
        CTR("click", estimation="ips").get_score(actual, PREDICTED)


def test_impossible_target_propensities():
    predicted = PREDICTED.assign(shown=[0.5, 0.5, 0.2, 0.0, 1.1])
    message = (
        "predicted has 1 row in which 'shown' is not a number from 0 up to 1, the first at "
        'position 4 with 1.1; pass on_invalid="drop" to leave such rows out.'
    )
    with pytest.raises(InvalidDataError, match=f"^{re.escape(message)}$"):
        CTR("click", estimation="ips", target_propensity_column="shown").get_score(
            ACTUAL, predicted
        )


def test_a_named_propensity_column_has_to_be_there():
    actual = ACTUAL.rename(columns={"propensity": "p"})
    by_name = CTR("click", estimation="ips", propensity_column="p")
    assert by_name.get_score(actual, PREDICTED) == pytest.approx((2 + 5) / 5)
    with pytest.raises(ColumnNotFoundError, match="'p' not found in actual"):
        by_name.get_score(ACTUAL, PREDICTED)
    # The default one need not be: items are then equally likely.
    assert CTR("click", estimation="ips").get_score(actual, PREDICTED) == pytest.approx(6 / 5)


def test_empty_frames():
    nothing = ACTUAL[:0]
    assert CTR("click", estimation="ips").get_score(nothing, PREDICTED) == 0.0
    assert CTR("click", estimation="snips").get_score(nothing, PREDICTED) is None
    expected = PREDICTED["click"].mean()
    assert CTR("click", estimation="dr").get_score(nothing, PREDICTED) == pytest.approx(expected)
    for estimation in ESTIMATIONS:
        metric = CTR("click", estimation=estimation)
        assert metric.get_score(ACTUAL, PREDICTED[:0]) is None
        assert (
            metric.get_score(nothing, PREDICTED[:0], return_extended_results=True)["support"] == 0
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"estimation": "ips", "max_weight": 0},
            "'max_weight' must be a number above 0 or None, got 0.",
        ),
        (
            {"estimation": "ips", "max_weight": "3"},
            "'max_weight' must be a number above 0 or None, got '3'.",
        ),
        (
            {"estimation": "ips", "n_items": 1.5},
            "'n_items' must be a positive integer or None, got 1.5.",
        ),
        (
            {"estimation": "ips", "repeated": "sum"},
            "'repeated' must be 'refuse' or 'mean', got 'sum'.",
        ),
        (
            {"estimation": "ips", "n_items": 5, "propensity_column": "p"},
            "'n_items' is for logs without propensities, and propensity_column is 'p'; pass one of "
            "the two.",
        ),
        (
            {"n_items": 5},
            "'n_items' is for estimates from logs: pass it with estimation='ips', 'snips' or 'dr', "
            "not with 'matching'.",
        ),
        (
            {"repeated": "mean"},
            "'repeated' is for estimates from logs: pass it with estimation='ips', 'snips' or "
            "'dr', not with 'matching'.",
        ),
    ],
)
def test_options(options, message):
    with pytest.raises(InvalidOptionError, match=f"^{re.escape(message)}$"):
        CTR("click", **options)


def test_names():
    assert str(CTR("click", 3, estimation="ips")) == "IPS(click)@3"
    assert str(CTR("click", estimation="snips")) == "SNIPS(click)"
    assert str(CTR("click", value_column="v", estimation="dr")) == "Doubly Robust(v)"
    assert CTR("click", 3, estimation="ips", max_weight=5).name == (
        'CTR(estimation="ips", max_weight=5.0)@3'
    )


def test_estimates_find_the_rate_of_a_policy_they_did_not_see():
    # Items 0 to 9 are shown with probabilities that fall, and clicked with rates that rise.
    rng = np.random.default_rng(3)
    n_users = 40_000
    shown_with = np.arange(10, 0, -1) / 55
    rates = np.linspace(0.05, 0.5, 10)
    users, shown = np.arange(n_users), rng.choice(10, n_users, p=shown_with)
    actual = D(users, shown, (rng.random(n_users) < rates[shown]).astype(float))
    actual["propensity"] = shown_with[shown]
    best = rng.choice([7, 8, 9], n_users)
    predicted = D(users, best, rates[best] + 0.1)  # a model that expects too much
    truth = rates[best].mean()
    for estimation in ESTIMATIONS:
        result = CTR("click", estimation=estimation).evaluate(actual, predicted)
        low, high = result.details["interval"]
        assert low < truth < high
        assert high - low < 0.08
        assert result.details["reliable"]
        assert result.details["mean_weight"] == pytest.approx(1, abs=0.05)
    assert CTR("click").get_score(actual, predicted) == pytest.approx(rates[7:].mean(), abs=0.02)


def test_estimates_find_the_rate_of_a_random_policy():
    rng = np.random.default_rng(4)
    n_users, n_items = 30_000, 5
    logging, target = np.array([0.4, 0.3, 0.1, 0.1, 0.1]), np.array([0.1, 0.1, 0.2, 0.2, 0.4])
    rates = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    users, shown = np.arange(n_users), rng.choice(n_items, n_users, p=logging)
    actual = D(users, shown, (rng.random(n_users) < rates[shown]).astype(float))
    actual["propensity"] = logging[shown]
    # Every item is listed for everybody, with the probability of being shown.
    items = np.tile(np.arange(n_items), n_users)
    predicted = D(np.repeat(users, n_items), items, rates[items]).assign(shown=target[items])
    for estimation in ESTIMATIONS:
        estimate = CTR("click", estimation=estimation, target_propensity_column="shown")
        result = estimate.evaluate(actual, predicted)
        low, high = result.details["interval"]
        assert low < (rates * target).sum() < high
        assert high - low < 0.03
