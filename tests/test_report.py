"""Many metrics at once, and how their results are shown."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurity_reco import (
    CTR,
    NDCG,
    Coverage,
    InvalidOptionError,
    Novelty,
    Precision,
    Recall,
    Report,
    evaluate,
    parse_metric,
)
from tests.frames import D, frame, row_lists
from tests.test_dialects import ACTUAL, PREDICTED

POPULARITY = {"i1": 4, "z1": 2, "i2": 1}
NAMES = ["ndcg@3", "map@3", "hit", "ctr", "auc", "rmse", "gauc", "coverage@2", "novelty@2"]
DATA = {"catalog": 20, "popularity": POPULARITY, "popularity_users": 5}


def full_report():
    return evaluate(ACTUAL, PREDICTED, NAMES, **DATA)


def test_scores_are_those_of_the_metrics():
    report = full_report()
    assert list(report) == NAMES
    assert len(report) == 9
    for name in NAMES:
        options = {key: value for key, value in DATA.items() if key in fields_of(name)}
        metric = parse_metric(name, **options)
        score = metric.get_score(ACTUAL, PREDICTED)
        assert report.scores[name] == score or (math.isnan(score))
        assert report[name].score == report.scores[name] or math.isnan(score)
        alone = metric.evaluate(ACTUAL, PREDICTED).state
        assert report[name].state.to_bytes() == alone.to_bytes()


def fields_of(name):
    needed = {"coverage@2": ["catalog"], "novelty@2": ["popularity", "popularity_users"]}
    return needed.get(name, [])


def test_table_of_users():
    report = full_report()
    users = report.per_user
    assert users["user_id"].tolist() == ["u1", "u2", "u3", "u4", "u5"]
    assert list(users.columns) == ["user_id", *[name for name in NAMES if name != "coverage@2"]]
    for name in users.columns[1:]:
        own = report[name].per_user.set_index("user_id")["value"]
        both = users.set_index("user_id")[name].reindex(own.index)
        pd.testing.assert_series_equal(both, own, check_names=False)
        others = set(users["user_id"]) - set(own.index)
        assert users.set_index("user_id")[name].loc[list(others)].isna().all()
    assert report.per_user is users


@settings(max_examples=50)
@given(rows=row_lists(), k=st.sampled_from([None, 1, 3]))
def test_table_of_users_for_any_frames(rows, k):
    actual, predicted = map(frame, rows)
    names = ["ndcg", "precision(ties='item')", "ndcg(relevance_threshold=1)", "ctr", "novelty"]
    popularity = dict.fromkeys(predicted["item_id"], 1)
    report = evaluate(actual, predicted, names, k=k, popularity=popularity, popularity_users=2)
    users = report.per_user
    everybody = dict.fromkeys([*actual["user_id"], *predicted["user_id"]])
    assert users["user_id"].tolist() == list(everybody)
    for name, result in report.items():
        own = dict(zip(result.per_user["user_id"], result.per_user["value"], strict=True))
        found = users[["user_id", name]].dropna()
        assert dict(zip(found["user_id"], found[name], strict=True)) == own


def test_table_of_users_survives_changes_of_the_frames():
    actual, predicted = ACTUAL.copy(), D([1, 2], [1, 2], [0.5, 0.4])
    actual = D([1, 2], [1, 3], 1)
    report = evaluate(actual, predicted, "recall")
    actual["user_id"] = 7
    actual.loc[:, "user_id"] = 8
    predicted.loc[:, "user_id"] = 9
    assert report.per_user["user_id"].tolist() == [1, 2]
    assert report["recall"].per_user["user_id"].tolist() == [1, 2]


def test_cutoffs():
    report = evaluate(ACTUAL, PREDICTED, ["ndcg", "map@2", "rmse", Recall("click")], k=[1, 3])
    assert list(report) == ["ndcg@1", "ndcg@3", "map@2", "rmse", "Recall"]
    assert list(evaluate(ACTUAL, PREDICTED, "ndcg", k=np.int64(5))) == ["ndcg@5"]
    assert list(evaluate(ACTUAL, PREDICTED, "ndcg(k=2)", k=[5, 6])) == ["ndcg(k=2)"]
    with pytest.raises(InvalidOptionError, match="'k' must be a positive integer, got 0"):
        evaluate(ACTUAL, PREDICTED, "ndcg", k=[0])
    with pytest.raises(InvalidOptionError, match="'k' must be a positive integer or None, got '5'"):
        evaluate(ACTUAL, PREDICTED, "ndcg", k="5")


def test_one_metric_by_several_names():
    report = evaluate(
        ACTUAL, PREDICTED, ["ndcg@3", "NDCG@3", "ndcg@3", NDCG("click", 3), NDCG("click", 3)]
    )
    assert list(report) == ["ndcg@3", "NDCG@3"]
    assert report["ndcg@3"] is report["NDCG@3"]
    more = ACTUAL.assign(bought=ACTUAL["click"])
    listed = PREDICTED.assign(bought=PREDICTED["click"])
    other = evaluate(more, listed, ["NDCG@3", NDCG("bought", 3)])
    assert list(other) == ["NDCG@3", "NDCG(click_column='bought', k=3)"]
    both = evaluate(more, listed, [NDCG("click", 3), NDCG("bought", 3)])
    assert list(both) == ["NDCG(click)@3", "NDCG(bought)@3"]


def test_columns_and_options():
    actual = ACTUAL.rename(columns={"user_id": "u", "item_id": "i", "click": "rating"})
    predicted = PREDICTED.rename(columns={"user_id": "u", "item_id": "i", "click": "score"})
    report = evaluate(
        actual,
        predicted,
        ["ndcg@3", "ctr"],
        click_column="rating",
        score_column="score",
        user_id_column="u",
        item_id_column="i",
        relevance_threshold=0.5,
        ties="item",
    )
    assert report.scores["ndcg@3"] == NDCG("click", 3).get_score(ACTUAL, PREDICTED)
    assert report.scores["ctr"] == CTR("click").get_score(ACTUAL, PREDICTED)
    assert report.per_user.columns[0] == "u"


def test_recommendations_alone():
    report = evaluate(None, PREDICTED, ["coverage", "novelty"], k=2, **DATA)
    assert report.scores["coverage@2"] == Coverage("click", 2, catalog=20).get_score(
        None, PREDICTED
    )
    novelty = Novelty("click", 2, popularity=POPULARITY, popularity_users=5)
    assert report.scores["novelty@2"] == novelty.get_score(None, PREDICTED)


def test_shown_as_text():
    report = evaluate(ACTUAL, PREDICTED, ["ndcg@3", "map@3"], dialect="rectools")
    assert repr(report).splitlines() == [
        "metric   score  support  users averaged",
        "ndcg@3  0.2500        4          4 of 5",
        "map@3   0.2083        4          4 of 5",
        "As in rectools.",
    ]
    assert report.to_markdown().splitlines() == [
        "| metric | score | support | users averaged |",
        "| --- | ---: | ---: | ---: |",
        "| ndcg@3 | 0.2500 | 4 | 4 of 5 |",
        "| map@3 | 0.2083 | 4 | 4 of 5 |",
    ]
    latex = evaluate(ACTUAL, PREDICTED, "hit_rate@3").to_latex(digits=2)
    assert latex.splitlines() == [
        r"\begin{tabular}{lrrr}",
        r"\toprule",
        r"metric & score & support & users averaged \\",
        r"\midrule",
        r"hit\_rate@3 & 0.50 & 4 & 4 of 5 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    page = evaluate(ACTUAL, PREDICTED, 'ndcg(gain="linear")@3')._repr_html_()
    assert "<th>ndcg(gain=&quot;linear&quot;)@3</th><td>0.2849</td><td>4</td>" in page
    assert page.count("<tr>") == page.count("</tr>") == 2


def test_remarks():
    broken = PREDICTED.copy()
    broken.loc[0, "click"] = np.nan
    twice = pd.concat([broken, PREDICTED[-1:]])
    report = evaluate(
        ACTUAL, twice, ["recall", 'ctr(estimation="snips")'], on_invalid="drop", duplicates="best"
    )
    assert repr(report).splitlines()[3:] == [
        'ctr(estimation="snips") is not reliable: the effective sample size is 3.0, below 100.',
        "Left out: 1 rows of predicted lack something.",
        "Left out: 1 rows of predicted are repeated.",
    ]


def test_nobody_to_average():
    report = evaluate(ACTUAL[:0], PREDICTED, ["ndcg@3", "auc"])
    assert report.scores == {"ndcg@3": None, "auc": None}
    assert "ndcg@3      -        0          0 of 4" in repr(report)
    assert report.to_frame()["score"].isna().all()
    assert json.loads(report.to_json())["metrics"]["ndcg@3"]["score"] is None


def test_as_data():
    report = full_report()
    table = report.to_frame()
    assert table.index.tolist() == NAMES
    assert table.loc["map@3"].to_dict() == {
        "score": report.scores["map@3"],
        "support": 3,
        "users_averaged": 3,
        "users": 5,
    }
    assert report.ledger.loc["map@3"].to_dict() == report["map@3"].ledger.to_dict()
    read = json.loads(report.to_json(indent=2))
    assert read["dialect"] == "jurity"
    assert read["metrics"]["map@3"]["metric"] == "MAP@3"
    assert read["metrics"]["map@3"]["ledger"]["left_out_no_recommendations"] == 1
    one_class = evaluate(D(1, [1], 1), D(1, [1], 0.5), "auc")
    assert math.isnan(one_class.scores["auc"])
    assert json.loads(one_class.to_json())["metrics"]["auc"]["score"] is None


def test_reports_can_be_copied_and_pickled():
    report = full_report()
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert isinstance(again, Report)
        assert repr(again) == repr(report)
        pd.testing.assert_frame_equal(again.per_user, report.per_user)


@pytest.mark.parametrize(
    ("metrics", "options", "message"),
    [
        (
            [],
            {},
            "'metrics' must be a name, a metric, or a list of them",
        ),
        (None, {}, "'metrics' must be a name, a metric, or a list of them"),
        ({"ndcg": 1}, {}, "'metrics' must be a name, a metric, or a list of them"),
        (["ndgc"], {}, "There is no metric 'ndgc'; did you mean NDCG"),
        (["ndcg", 3], {}, "The name of a metric must look like 'ndcg@10'"),
        (["ndcg"], {"catalog": 3}, "None of the metrics has an option 'catalog'. Options: "),
        (["ndcg"], {"idael": "k"}, "There is no option 'idael'; did you mean 'ideal'? Options: "),
        (
            ["ndcg"],
            {"catalgo": 3},
            "There is no option 'catalgo'; did you mean 'catalog'?",
        ),
        (
            ["map"],
            {"denominator": "k"},
            "Several metrics have one: pass precision_denominator=, recall_denominator= or "
            "map_denominator=, or write it into a name, as in 'map(denominator=\"k\")'.",
        ),
        (["ndcg@5"], {"k": True}, "'k' must be a positive integer or None, got True."),
        (["ndcg"], {"k": []}, "'k' must be a positive integer or several of them, got []."),
        (
            ["ndcg@5"],
            {"precision_denominator": "all"},
            "'precision_denominator' must be 'recommended', 'k' or 'min(k, relevant)', got 'all'.",
        ),
        (["coverage"], {}, "Coverage needs the catalogue: pass catalog= with the number of its "),
        (["novelty"], {}, "Novelty needs to know how popular items are: pass popularity= with a "),
        (["recall(gain='linear')"], {}, "Recall has no option 'gain' in "),
    ],
)
def test_bad_calls(metrics, options, message):
    with pytest.raises(InvalidOptionError) as refused:
        evaluate(ACTUAL, PREDICTED, metrics, **options)
    assert str(refused.value).startswith(message)


def test_bad_questions_to_a_report():
    report = evaluate(ACTUAL, PREDICTED, ["ndcg@3"])
    with pytest.raises(InvalidOptionError, match="no metric 'ndcg@5' in the report; did you mean"):
        report["ndcg@5"]
    assert "ndcg@5" not in report
    with pytest.raises(InvalidOptionError, match="None of coverage has values of users"):
        evaluate(None, PREDICTED, "coverage", catalog=9).per_user  # noqa: B018
    renamed = PREDICTED.assign(u=PREDICTED["user_id"])
    both = evaluate(
        ACTUAL.assign(u=ACTUAL["user_id"]), renamed, ["ndcg@3", Precision("click", 3, "u")]
    )
    with pytest.raises(InvalidOptionError, match="must have the same user_id_column"):
        both.per_user  # noqa: B018
