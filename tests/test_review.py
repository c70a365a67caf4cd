"""What a sceptical reader found: each of these once gave a wrong answer or a bad error."""

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest

from jurity_reco import (
    CTR,
    GAUC,
    AveragePopularity,
    Dialect,
    HitRate,
    InvalidDataError,
    InvalidOptionError,
    MetricNotFoundError,
    RecommenderEvaluator,
    UnsupportedFrameError,
    compare_dialects,
    evaluate,
    functional,
    parse_metric,
    set_n_threads,
    split,
)
from tests.frames import D

POPULAR = AveragePopularity("click", popularity={1: 1, 2: 1, 3: 1, 8: 100, 9: 10})


@pytest.mark.parametrize(
    "users",
    [
        list("abc"),
        [2**60, 5, -(2**60)],
        pd.to_datetime(["2020-01-01", "2021-05-05", "2022-09-09"]),
        pd.Categorical(["a", "b", "c"], categories=["c", "b", "a", "z"]),
    ],
    ids=["text", "sparse", "dates", "categories"],
)
def test_users_of_a_report_get_their_own_values(users):
    users = pd.Series(users)
    actual = D(users, [1, 2, 3], 1)
    predicted = D(users[::-1].reset_index(drop=True), [3, 9, 8], [0.9, 0.8, 0.7])
    for metrics in (["recall@1", POPULAR], [POPULAR, "recall@1"]):
        table = evaluate(actual, predicted, metrics).per_user
        assert table["user_id"].tolist() == users.tolist()
        assert table["AveragePopularity"].tolist() == [100.0, 10.0, 1.0]
        assert list(table.columns[1:]) == [str(metric) for metric in metrics]


def test_float_and_integer_users_of_a_report():
    actual = D([1.0, 2.0, 3.0], [1, 2, 3], 1)
    predicted = D([3, 2, 7, 1], [3, 9, 8, 3], [0.9, 0.8, 0.7, 0.1])
    table = evaluate(actual, predicted, ["recall@1", POPULAR]).per_user
    assert table["user_id"].tolist() == [1, 2, 3, 7]
    assert table["AveragePopularity"].tolist() == [1, 10, 1, 100]


def test_float_users_beside_integers_that_no_float_holds():
    actual = D([1.0, 2.0], [1, 2], 1)
    predicted = D([2**60 + 1, 1, 2], [8, 9, 3], [0.9, 0.8, 0.7])
    table = evaluate(actual, predicted, ["recall@1", POPULAR]).per_user
    assert table["user_id"].tolist() == [1, 2, 2**60 + 1]
    assert table["AveragePopularity"].tolist() == [10, 1, 100]


def test_users_far_apart_cost_nothing():
    actual, predicted = D([1, 2 * 10**9], [1, 2], 1), D([1], [1], [0.9])
    assert len(evaluate(actual, predicted, ["recall@1", POPULAR]).per_user) == 2


def test_keywords_reach_metrics_that_no_dialect_is_about():
    actual, predicted = D([1, 1], [1, 2], [1, 0]), D([1, 1], [2, 1], 0.5)
    expected = CTR("click", 1, ties="item").get_score(actual, predicted)
    assert evaluate(actual, predicted, "ctr@1", ties="item").scores == {"ctr@1": expected}
    actual, predicted = D([1, 2], [1, 2], 1), D([1, 1], [1, 5], [0.9, 0.1])
    rule = ("skip", "skip", "zero")
    expected = GAUC("click", users=rule).get_score(actual, predicted)
    assert evaluate(actual, predicted, "gauc", users="skip, skip, zero").scores["gauc"] == expected
    for name, options in [
        ("precision@1", {"gain": "linear"}),
        ("ndcg@1", {"map_denominator": "k"}),
        ("ctr", {"users": rule}),
    ]:
        with pytest.raises(InvalidOptionError, match="None of the metrics has an option"):
            evaluate(actual, predicted, name, **options)


def test_refusals_of_a_dialect_hold_in_names_and_in_f1():
    actual, predicted = D([1], [1], 1), D([1], [1], [0.5])
    for name, dialect, options in [
        ("ndcg(relevance_threshold=1)@1", "elliot", {}),
        ("F1(ndcg, recall)@1", "elliot", {"relevance_threshold": 1}),
        ("F1(map, recall)@3", "cornac", {}),
    ]:
        with pytest.raises(InvalidOptionError, match=f"cannot be computed as in {dialect}"):
            evaluate(actual, predicted, name, dialect=dialect, **options)
    both = evaluate(actual, predicted, "F1(ndcg_burges, map)@1", dialect="ranx")
    assert both.scores == {"F1(ndcg_burges, map)@1": 1.0}


@pytest.mark.parametrize(
    "name",
    [
        'ndcg(gain="linear")(ideal="k")@3',
        "F1(ndcg, map)(beta=2)",
        "ndcg() + x()",
        "ndcg@" + "9" * 5000,
        "ndcg(" + "-" * 100_000 + "1)",
        "ndcg(gain=a" + ".a" * 20_000 + ")",
    ],
)
def test_names_that_are_none(name):
    with pytest.raises(InvalidOptionError):
        parse_metric(name)


def test_comparison_where_one_side_has_nobody():
    unclicked, predicted = D([1], [1], 0), D([1], [1], [0.5])
    table = compare_dialects(unclicked, predicted, "recall@1", dialects=["jurity", "ranx"])
    assert table["differs_by"].tolist() == ["", "users"]
    assert table["reason"].tolist() == ["nobody to average", ""]
    one_class = compare_dialects(D([1], [1], 1), predicted, "auc", dialects="rectools")
    assert one_class["reason"].tolist() == [""]
    lacking = compare_dialects(
        D([1], [1], 1), predicted, "map@1", dialects=["ranx"], reference="cornac"
    )
    assert lacking["reason"][0].startswith("not compared, because the MAP of cornac has no cut-off")
    own_name = compare_dialects(
        D([1], [1], 1), predicted, "p@1", dialects="pytrec_eval", reference="pytrec_eval"
    )
    assert own_name["value"].tolist() == [1.0]
    for dialects in (5, []):
        with pytest.raises(InvalidOptionError, match="'dialects' must be one or several"):
            compare_dialects(unclicked, predicted, "recall", dialects=dialects)


def test_switches_that_are_refused_are_listed_too():
    actual = D(1, [1, 2, 3], [1, 2, 3])
    predicted = D(1, [1, 5, 2], [0.9, 0.8, 0.7])
    table = compare_dialects(actual, predicted, "ndcg@2", dialects=["rectools"], reference="ranx")
    together = table["differs_by"][0] or table["reason"][0]
    assert "gain" in together


def test_report_is_a_mapping():
    report = evaluate(D([1], [1], 1), D([1], [1], [0.5]), "recall")
    assert report.get("x") is None
    with pytest.raises(MetricNotFoundError, match="no metric 'x' in the report"):
        report["x"]
    with pytest.raises(KeyError):
        report["x"]
    for digits in (-1, "x"):
        with pytest.raises(InvalidOptionError, match="'digits' must be an integer from 0 on"):
            report.to_markdown(digits=digits)


def test_cutoffs_in_brackets_stay():
    report = evaluate(D([1], [1], 1), D([1], [1], [0.5]), "NDCG(k=1)", k=[1, 2])
    assert list(report) == ["NDCG(k=1)"]


def test_dialects_are_values():
    jurity = Dialect.named("jurity")
    with pytest.raises(TypeError):
        jurity.users["map"] = ("zero",) * 3
    for again in (copy.deepcopy(jurity), pickle.loads(pickle.dumps(jurity))):
        assert again == jurity
    mine = {"others": ["skip", "skip", "zero"]}
    ours = Dialect("ours", users=mine)
    mine["others"] = ["zero"] * 3
    assert ours == Dialect("ours", users=("skip", "skip", "zero"))
    for options in [{"users": "nonsense"}, {"metrics": ("nope",)}, {"ideal": "all"}]:
        with pytest.raises(InvalidOptionError):
            Dialect("ours", **options)
    with pytest.raises(InvalidOptionError, match="'name' of a dialect must be a text, got 5"):
        Dialect(5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: functional.precision_at_k(pd.DataFrame({"a": [1]}), {1}, 2),
        lambda: functional.precision_at_k([1], {1: 0}, 1),
        lambda: functional.precision_at_k([[1], [2]], {1}, 2),
        lambda: functional.precision_at_k([1], [[1]], 2),
        lambda: functional.precision_at_k(np.eye(2), {1}, 2),
        lambda: functional.dcg_at_k([1], {1: np.complex128(1)}, 2),
        lambda: functional.dcg_at_k([1], {1: 1e200}, 2),
        lambda: functional.intra_list_diversity([True, False], np.eye(2)),
        lambda: functional.intra_list_diversity([0, 1], [["a"], ["b"]]),
        lambda: functional.intra_list_diversity([0, 1], None),
        lambda: split.leave_one_out(np.array([["a", ""], ["b", "c"]])),
        lambda: split.leave_one_out(np.array([[1.0, np.nan]])),
        lambda: split.leave_one_out(D([1, 1], 1, 1), rng="x"),
        lambda: split.leave_one_out(D([1, 1], 1, 1), rng=-1),
        lambda: split.leave_one_out(D([[1], [2]], 1, 1)),
        lambda: split.time_based_split(D([1], 1, 1), "click", None),
        lambda: split.time_based_split(pd.DataFrame([[1, 2]], columns=["t", "t"]), "t"),
        lambda: RecommenderEvaluator([5], progress=np.array([1, 2])),
        lambda: parse_metric("ndcg", columns=5),
        lambda: evaluate(D([1], [1], 1), D([1], [1], 1), "F1(metrics=5)"),
        lambda: evaluate(D([1], [1], 1), D([1], [1], 1), "F1(metrics=ndcg)"),
    ],
)
def test_nonsense_is_refused(call):
    with pytest.raises((InvalidDataError, InvalidOptionError)):
        call()


def test_frames_and_sets_from_a_model_are_failures():
    class Odd:
        def recommend(self, user_id, n):
            return {"set": {1, 2}, "frame": pd.DataFrame({"a": [1]}), "list": [(1, None)]}[user_id]

    evaluator = RecommenderEvaluator([1])
    found = evaluator.evaluate(Odd(), {"set": {1}, "frame": {1}, "list": {1}}, 10)
    assert list(evaluator.failed) == ["set", "frame"]
    assert found["recall@1"] == 1.0


def test_time_in_categories():
    seen = pd.DataFrame({"time": pd.Categorical(list("abc"), categories=list("cba"), ordered=True)})
    _, test = split.time_based_split(seen, "time", 1 / 3)
    assert test["time"].tolist() == ["a"]


@pytest.mark.parametrize("size", [1000, 100_000, 1_000_000])
def test_expected_values_of_long_ties_keep_their_digits(size):
    actual, predicted = D([1], [0], 1), D(1, np.arange(size), 0.5)
    found = HitRate("click", 1, ties="expected").get_score(actual, predicted)
    assert math.isclose(found, 1 / size, rel_tol=1e-13)
    mrr = parse_metric("mrr(ties='expected')").get_score(actual, predicted)
    harmonic = math.fsum(1 / rank for rank in range(1, size + 1)) / size
    assert math.isclose(mrr, harmonic, rel_tol=1e-11)


def test_codes_of_mixed_users_and_large_items_fit():
    ids = pd.Series(["a", 1, 2.5, ("t",), "b", 3, 4.5, ("u",)], dtype=object)
    items = np.array([2**62 // 9 - 1, 0] * 4)
    actual, predicted = D(ids, items, 1), D(ids[:1], items[:1], 1.0)
    assert evaluate(actual, predicted, "recall").scores == {"recall": 0.125}


def test_scores_are_compared_as_64_bit_floats():
    one = np.longdouble(1)
    scores = np.array([one, one + np.longdouble(2) ** -60, one])
    report = evaluate(D(1, [5, 6], [1, 0]), D(1, [9, 7, 5], scores), "mrr", ties="item")
    assert report.scores == {"mrr": 1.0}


def test_half_of_a_surrogate_pair_in_the_order_of_items():
    items = pd.Series(["a", "\ud800"], dtype=object)
    report = evaluate(D([0, 1], items, 1), D([0, 1], items, 1.0), "mrr", ties="item")
    assert report.scores == {"mrr": 1.0}


@pytest.mark.parametrize("frame", [np.array(5), pd.DataFrame, None, 5])
def test_what_is_no_frame(frame):
    with pytest.raises(UnsupportedFrameError):
        evaluate(D([1], [1], 1), frame, "recall")


def test_more_threads_than_rows():
    actual, predicted = D(np.arange(200_000), 1, 1), D(np.arange(200_000), 1, 1.0)
    try:
        set_n_threads(200_001)
        assert evaluate(actual, predicted, "recall").scores == {"recall": 1.0}
    finally:
        set_n_threads(None)
