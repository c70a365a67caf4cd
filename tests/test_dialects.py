"""The dialects of libraries: their numbers on one small data set, and what makes the difference."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurity_reco import (
    MAP,
    NDCG,
    Dialect,
    InvalidOptionError,
    Precision,
    Recall,
    compare_dialects,
    evaluate,
    parse_metric,
)
from tests.frames import D, frame, row_lists
from tests.naive_dialects import score

# u1 has five relevant items, u2 and u5 one, u3 one and no recommendation; u4 saw one item and did
# not click it.
ACTUAL = D(
    ["u1"] * 5 + ["u2", "u3", "u4", "u5"],
    ["i1", "i2", "i3", "i4", "i5", "i1", "i9", "i1", "i1"],
    [1] * 7 + [0, 1],
)
PREDICTED = D(
    ["u1"] * 4 + ["u2"] * 2 + ["u4"] * 3 + ["u5"] * 3,
    ["i1", "z1", "i2", "i3", "z1", "i1", *["z1", "z2", "z3"] * 2],
    [0.9, 0.8, 0.7, 0.6, 0.9, 0.8, *[0.9, 0.8, 0.7] * 2],
)
METRICS = ["precision@3", "recall@3", "map@3", "ndcg@3", "mrr@3", "hit@3"]
# As the libraries themselves give them, rounded to four digits; None where a library has no such
# metric, or one that no combination of choices gives.
FIXTURE = {
    "jurity": [0.3889, 0.35, 0.3519, 0.2849, 0.375, 0.5],
    "rectools": [0.25, 0.35, 0.2083, 0.25, 0.375, 0.5],
    "replay": [0.25, 0.35, 0.2639, 0.3337, 0.375, 0.5],
    "warprec": [0.25, 0.35, 0.2639, 0.3337, 0.375, 0.5],
    "recbole": [0.25, 0.35, 0.2639, 0.3337, 0.375, 0.5],
    "ranx": [0.20, 0.28, 0.1667, 0.2670, 0.30, 0.40],
    "ir_measures": [0.20, 0.28, 0.1667, 0.2670, 0.30, 0.40],
    "pytrec_eval": [0.25, 0.35, 0.2083, 0.3337, 0.375, 0.5],
    "ms_recommenders": [0.3333, 0.4667, 0.3519, 0.3337, None, None],
    "lenskit": [0.2917, 0.4167, 0.3519, 0.4050, 0.375, 0.5],
    "elliot": [0.3333, 0.4667, None, 0.4449, 0.5, 0.6667],
    "recpack": [0.25, 0.35, None, 0.3337, 0.375, None],
    "cornac": [0.25, 0.35, None, 0.3337, None, 0.5],
    "laikallm": [None, None, 0.2667, 0.3101, 0.30, 0.40],
    # These two are no libraries, and follow from their rules.
    "threshold_top_k": [0.20, 0.35, None, 0.3337, None, 0.40],
    "lists_and_sets": [0.25, 0.35, 0.2639, 0.3337, 0.375, 0.5],
}
SUPPORT = {"jurity": [3, 4, 3, 4, 4, 4], "lenskit": [4, 4, 3, 4, 4, 4], "laikallm": [5, 5, 5, 5]}


def test_every_preset_has_a_row():
    assert set(FIXTURE) == set(Dialect.names())


@pytest.mark.parametrize("dialect", FIXTURE)
def test_fixture(dialect):
    expected = dict(zip(METRICS, FIXTURE[dialect], strict=True))
    has = [name for name in METRICS if expected[name] is not None]
    report = evaluate(ACTUAL, PREDICTED, has, dialect=dialect)
    assert {name: round(value, 4) for name, value in report.scores.items()} == {
        name: expected[name] for name in has
    }
    if dialect in SUPPORT:
        assert [result.support for result in report.values()] == SUPPORT[dialect]
    for name in set(METRICS) - set(has):
        with pytest.raises(InvalidOptionError, match=f"cannot be computed as in {dialect}: "):
            evaluate(ACTUAL, PREDICTED, name, dialect=dialect)
    table = compare_dialects(ACTUAL, PREDICTED, METRICS, dialects=[dialect])
    found = [None if math.isnan(value) else round(value, 4) for value in table["value"]]
    assert found == FIXTURE[dialect]
    assert [reason != "" for reason in table["reason"]] == [value is None for value in found]


@pytest.mark.parametrize(
    ("dialect", "name", "expected"),
    [
        ("rectools", 'precision(denominator="min(k, relevant)")@3', 0.4167),
        ("rectools", 'map(denominator="k")@3', 0.1806),
        ("rectools", 'ndcg(ideal="min(k, relevant)")@3', 0.3337),
        ("recpack", 'recall(denominator="min(k, relevant)")@3', 0.4167),
        ("ms_recommenders", 'map(denominator="relevant")@3', 0.2778),
        ("ranx", "ndcg_burges@3", 0.2670),
        ("rectools", "f1@3", 0.25),
        ("ranx", "f1@3", 0.20),
        ("ranx", "dcg@3", 0.4262),
        ("lenskit", "dcg@3", 0.6577),
        ("warprec", "nDCGRendle2020@3", 0.3337),
        ("pytrec_eval", "success@3", 0.5),
    ],
)
def test_variants(dialect, name, expected):
    assert evaluate(ACTUAL, PREDICTED, name, dialect=dialect).scores[name] == pytest.approx(
        expected, abs=5e-5
    )


def test_laikallm_without_users_who_clicked_nothing():
    judged = ACTUAL[ACTUAL["user_id"] != "u4"]
    report = evaluate(judged, PREDICTED, METRICS[2:], dialect="LaikaLLM")
    assert [round(value, 4) for value in report.scores.values()] == [0.3333, 0.3877, 0.375, 0.5]


@pytest.mark.parametrize("dialect", FIXTURE)
@settings(max_examples=25)
@given(rows=row_lists(), k=st.sampled_from([None, 1, 2, 5]))
def test_a_preset_is_its_fields(dialect, rows, k):
    actual, predicted = rows
    rules = Dialect.named(dialect)
    known = zip(METRICS, FIXTURE[dialect], strict=True)
    names = [name.partition("@")[0] for name, value in known if value]
    suffix = "" if k is None else f"@{k}"
    if rules.ties == "item text descending" and predicted and not isinstance(predicted[0][1], str):
        return  # the oracle orders ids as they are
    report = evaluate(frame(actual), frame(predicted), names, k=k, dialect=dialect)
    for name in names:
        options = rules.options(parse_metric(name).key)
        ties = options.pop("ties").replace("text ", "")
        answer = score(parse_metric(name).key, actual, predicted, k=k, ties=ties, **options)
        result = report[name + suffix]
        assert result.support == answer.support
        assert (result.score is None) == (answer.score is None)
        assert result.score is None or math.isclose(result.score, answer.score, abs_tol=1e-12)


def test_names_of_dialects():
    assert Dialect.named("RecTools") is Dialect.named("rec-tools") is Dialect.named("REC_TOOLS")
    assert Dialect.named(None) is Dialect.named("jurity")
    ours = Dialect("ours", ideal="min(k, relevant)")
    assert Dialect.named(ours) is ours
    assert {ours: 1}[dataclasses.replace(ours)] == 1
    for name, message in [
        ("rectool", "There is no dialect 'rectool'; did you mean 'rectools' or 'recbole'? "),
        (3, "There is no dialect 3. Dialects: jurity, warprec, "),
        (
            "TorchMetrics",
            "There is no dialect 'TorchMetrics', because it only knows relevant items",
        ),
        ("evidently", "There is no dialect 'evidently', because it only knows relevant items"),
    ]:
        with pytest.raises(InvalidOptionError) as refused:
            evaluate(ACTUAL, PREDICTED, "ndcg", dialect=name)
        assert str(refused.value).startswith(message)


def test_dialects_that_cannot_be():
    with pytest.raises(InvalidOptionError, match=r"'users' of a dialect must be three words"):
        Dialect("ours", users={"ndgc": ("skip", "skip", "zero"), "others": ("skip",) * 3})
    with pytest.raises(InvalidOptionError, match="'ideal' must be 'relevant'"):
        evaluate(ACTUAL, PREDICTED, "ndcg", dialect=Dialect("ours", ideal="all"))
    with pytest.raises(InvalidOptionError, match="no field shifts grades"):
        evaluate(ACTUAL, PREDICTED, "ndcg", dialect="elliot", relevance_threshold=0.5)


def test_default_dialect_is_that_of_the_classes():
    names = ["precision@3", "recall@3", "map@3", "ndcg@3", "f1@3", "gauc", "mar@3"]
    report = evaluate(ACTUAL, PREDICTED, names)
    for name in names:
        assert report.scores[name] == parse_metric(name).get_score(ACTUAL, PREDICTED)
        assert report[name].state.metric == parse_metric(name).name


def test_names_hold_what_wins_over_a_dialect():
    report = evaluate(
        ACTUAL,
        PREDICTED,
        ["ndcg@3", 'ndcg(ideal="relevant")@3', NDCG("click", 3), "F1(ndcg, map)@3"],
        dialect="rectools",
    )
    assert report.dialect == "rectools"
    assert report["ndcg@3"].state.metric == 'NDCG(ideal="k")@3'
    assert report['ndcg(ideal="relevant")@3'].state.metric == "NDCG@3"
    assert report["NDCG@3"].state.metric == "NDCG@3"
    assert report["F1(ndcg, map)@3"].state.metric == (
        'F1(NDCG(ideal="k"), MAP(denominator="relevant"))@3'
    )


def test_single_fields_as_keywords():
    report = evaluate(ACTUAL, PREDICTED, ["ndcg@3", "map@3"], ideal="k", map_denominator="relevant")
    assert report["ndcg@3"].state.metric == 'NDCG(ideal="k")@3'
    assert report["map@3"].state.metric == 'MAP(denominator="relevant")@3'
    assert report.dialect == "jurity with map_denominator='relevant', ideal='k'"
    ties = evaluate(ACTUAL, PREDICTED, ["ndcg@3", "gauc"], ties="worst")
    assert ties["gauc"].state.metric == 'GAUC(ties="worst")'


# Comparing dialects.


def test_differences_are_found_by_switching():
    table = compare_dialects(ACTUAL, PREDICTED, ["map@3", "ndcg@3", "precision@3"])
    assert list(table.columns) == [
        "metric",
        "dialect",
        "value",
        "support",
        "differs_by",
        "reason",
    ]
    assert len(table) == 3 * 16
    rows = table.set_index(["metric", "dialect"])
    assert rows.loc[("map@3", "jurity"), "differs_by"] == ""
    assert rows.loc[("map@3", "rectools"), "differs_by"] == "map_denominator, users"
    assert rows.loc[("map@3", "lenskit"), "differs_by"] == ""
    assert rows.loc[("ndcg@3", "rectools"), "differs_by"] == "ideal"
    assert rows.loc[("ndcg@3", "ranx"), "differs_by"] == "ideal, users"
    # LensKit counts u4 instead of u3, both with 0.
    assert rows.loc[("ndcg@3", "lenskit"), "differs_by"] == "ideal, discount"
    assert rows.loc[("precision@3", "ms_recommenders"), "differs_by"] == "precision_denominator"
    assert rows.loc[("map@3", "elliot"), "reason"] == (
        "the MAP of elliot is the mean of Precision at 1 to k, not an average precision"
    )


@settings(max_examples=20)
@given(rows=row_lists(), k=st.sampled_from([1, 3]))
def test_listed_fields_are_exactly_those_that_change_the_value(rows, k):
    actual, predicted = map(frame, rows)
    dialects = ["lenskit", "ranx", "cornac", "laikallm", "warprec"]
    table = compare_dialects(actual, predicted, ["ndcg", "map", "f1"], k=k, dialects=dialects)
    reference = Dialect.named("jurity")
    for row in table[table["value"].notna()].to_dict("records"):
        plain = evaluate(actual, predicted, row["metric"]).scores[row["metric"]]
        if plain is None:
            continue
        other = Dialect.named(row["dialect"])
        changing = []
        for field in Dialect.field_names():
            switched = dataclasses.replace(reference, **{field: getattr(other, field)})
            value = evaluate(actual, predicted, row["metric"], dialect=switched).scores
            found = value[row["metric"]]
            if found is None or not math.isclose(found, plain, rel_tol=1e-12, abs_tol=1e-12):
                changing.append(field)
        assert row["differs_by"] == ", ".join(changing)
        whole = evaluate(actual, predicted, row["metric"], dialect=other)
        assert row["value"] == whole.scores[row["metric"]]
        assert row["support"] == whole[row["metric"]].support


def test_fields_that_matter_only_together():
    # An ideal cut at k changes nothing with two relevant items and k = 2, and neither do grades
    # alone; cut at 1 they do.
    actual = D(1, ["a", "b"], [1, 3])
    predicted = D(1, ["b", "a"], [0.9, 0.8])
    ours = Dialect("ours", gain="linear", ideal="min(k, relevant)")
    table = compare_dialects(actual, predicted, "ndcg@1", dialects=[ours])
    assert table["differs_by"].tolist() == ["ideal, gain"]
    worst = D(1, ["a", "b"], [0.5, 0.5])
    both = Dialect("both", gain="linear", ties="best")
    found = compare_dialects(actual, worst, "ndcg@2", dialects=[both]).iloc[0]
    assert found["differs_by"] == "gain"
    assert found["value"] == 1


def test_bad_data_of_one_dialect_leave_the_others():
    seconds = ACTUAL.assign(click=ACTUAL["click"] * 3600)
    table = compare_dialects(seconds, PREDICTED, "ndcg@3", dialects=["warprec", "ranx"])
    assert math.isnan(table["value"][0])
    assert (
        "must be from 0 to 1000 as grades of gain='exponential+1', got 3600" in table["reason"][0]
    )
    assert table["value"][1] == pytest.approx(0.2670, abs=5e-5)


def test_reference_may_be_another_one():
    table = compare_dialects(
        ACTUAL, PREDICTED, "map", k=[1, 3], dialects=["jurity", "replay"], reference="replay"
    )
    assert table["metric"].tolist() == ["map@1", "map@1", "map@3", "map@3"]
    assert table["differs_by"].tolist() == ["users", "", "users", ""]
    lacking = compare_dialects(
        ACTUAL, PREDICTED, "mrr@3", dialects=["jurity", "cornac"], reference="cornac"
    )
    assert lacking["differs_by"].tolist() == ["", ""]
    assert lacking["value"].notna().tolist() == [True, False]


def test_bad_questions():
    for metrics, message in [
        ("ndgc@3", "There is no metric 'ndgc@3'; did you mean NDCG"),
        ([], r"'metrics' must be a name, a metric, or a list of them"),
        (NDCG("click"), "Dialects are about metrics that are asked for by name"),
    ]:
        with pytest.raises(InvalidOptionError, match=message):
            compare_dialects(ACTUAL, PREDICTED, metrics)


def test_classes_take_the_fields_too():
    assert Precision("click", 3, denominator="k", users="skip, skip, zero").get_score(
        ACTUAL, PREDICTED
    ) == pytest.approx(0.25)
    assert MAP("click", 3, denominator="k").get_score(ACTUAL, PREDICTED) == pytest.approx(
        np.mean([(1 + 2 / 3) / 3, 1 / 6, 0])
    )
    assert Recall("click", 3, denominator="min(k, relevant)").get_score(
        ACTUAL, PREDICTED
    ) == pytest.approx(np.mean([2 / 3, 1, 0, 0]))
