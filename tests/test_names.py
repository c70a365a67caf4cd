"""Metrics by name."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurity_reco import (
    CTR,
    F1,
    MAP,
    NDCG,
    Coverage,
    HitRate,
    InterListDiversity,
    IntraListDiversity,
    InvalidOptionError,
    Novelty,
    Precision,
    RankingAUC,
    Recall,
    parse_metric,
)
from tests.metrics import METRICS

RULE = st.tuples(*[st.sampled_from(["skip", "zero"])] * 3)
# Values of options other than columns, by name; whatever a metric has of them is drawn.
VALUES = {
    "ties": st.sampled_from(["input", "item", "item descending", "item text descending", "best"]),
    "duplicates": st.sampled_from(["refuse", "best"]),
    "on_invalid": st.sampled_from(["refuse", "drop"]),
    "repeated_users": st.sampled_from(["refuse", "count"]),
    "relevance_threshold": st.sampled_from([None, 0.5, 3, -math.inf]),
    "users": RULE,
    "denominator": st.sampled_from(["k", "min(k, relevant)", "relevant", "hits", "recommended"]),
    "ideal": st.sampled_from(["relevant", "min(k, relevant)", "k", "retrieved"]),
    "gain": st.sampled_from(["binary", "linear", "exponential+1"]),
    "discount": st.sampled_from(["log2(r+1)", "log2(max(r, 2))"]),
    "metrics": st.sampled_from(
        [("precision", "recall"), ("ndcg", "map"), ('Precision(denominator="k")', "hit")]
    ),
    "beta": st.sampled_from([1, 0.5, 2]),
    "weights": st.sampled_from([None, "positives", "impressions"]),
    "estimation": st.sampled_from(["matching", "ips", "snips", "dr"]),
    "max_weight": st.sampled_from([None, 10, math.inf]),
    "n_items": st.sampled_from([None, 7]),
    "repeated": st.sampled_from(["refuse", "mean"]),
    "normalize": st.sampled_from(["pairs", "users"]),
    "catalog": st.sampled_from([10, 1000]),
    "user_sample_size": st.sampled_from(["auto", None, 10, 0.5]),
    "seed": st.sampled_from([1, 2]),
    "metric": st.sampled_from(["cosine", "jaccard"]),
}
COLUMNS = {
    "user_id_column": st.sampled_from(["user_id", "u"]),
    "item_id_column": st.sampled_from(["item_id", "i"]),
    "score_column": st.sampled_from([None, "score", "click"]),
    "value_column": st.sampled_from([None, "kpi", "click"]),
    "propensity_column": st.sampled_from([None, "propensity", "p"]),
    "target_propensity_column": st.sampled_from([None, "q"]),
}
DATA = {
    "item_features": pd.DataFrame({"item_id": [1, 2], "x": [0.5, 1.0]}),
    "popularity": {1: 5, 2: 3},
    "popularity_users": 6,
}


@pytest.mark.parametrize("metric_class", METRICS, ids=lambda metric: metric.key)
@given(data=st.data(), k=st.sampled_from([None, 1, 10]))
def test_canonical_name_is_read_back(metric_class, data, k):
    fields = metric_class.__dataclass_fields__
    needed = {name: value for name, value in DATA.items() if name in fields}
    options = {
        name: data.draw(values)
        for name, values in {**VALUES, **COLUMNS}.items()
        if name in fields and data.draw(st.booleans())
    }
    if "item_features" in needed:
        needed["item_features"] = needed["item_features"].rename(
            columns={"item_id": options.get("item_id_column", "item_id")}
        )
    if "catalog" in fields:
        options.setdefault("catalog", 10)
    if metric_class.cutoff:
        options["k"] = k
    try:
        metric = metric_class(click_column="click", **needed, **options)
    except InvalidOptionError:
        return  # not every choice goes with every other
    again = parse_metric(metric.name, columns=metric.columns, **needed)
    assert again == metric
    assert hash(again) == hash(metric)
    assert again.name == metric.name
    assert parse_metric(metric) is metric


@pytest.mark.parametrize("metric_class", METRICS, ids=lambda metric: metric.key)
def test_printed_name_is_read_back(metric_class):
    fields = metric_class.__dataclass_fields__
    needed = {name: value for name, value in {**DATA, "catalog": 5}.items() if name in fields}
    options = {"k": 3} if metric_class.cutoff else {}
    metric = metric_class(click_column="click", **needed, **options)
    for name in (str(metric), metric.key, metric_class.__name__, str(metric).upper()):
        name = name if "@" in name or not metric_class.cutoff else f"{name}@3"
        name = name.replace("CLICK", "click")
        assert parse_metric(name, **needed) == metric
        assert parse_metric(name, columns=metric.columns, **needed) == metric


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("hit", HitRate("click")),
        ("Hit@5", HitRate("click", 5)),
        ("HitRate@5", HitRate("click", 5)),
        ("hit_rate @ 5", HitRate("click", 5)),
        ("map@10", MAP("click", 10)),
        ("nDCG@3", NDCG("click", 3)),
        ("nDCG(k=3)", NDCG("click", 3)),
        ("nDCGRendle2020@3", NDCG("click", 3, ideal="min(k, relevant)")),
        (
            "nDCGRendle2020(gain='linear')@3",
            NDCG("click", 3, ideal="min(k, relevant)", gain="linear"),
        ),
        ('NDCG(gain="exponential")@10', NDCG("click", 10, gain="exponential")),
        ("NDCG(gain=exponential)@10", NDCG("click", 10, gain="exponential")),
        ("F1(beta=2)@5", F1("click", 5, beta=2)),
        ("F1(ndcg, map)@10", F1("click", 10, metrics=("NDCG", "MAP"))),
        ("f1(nDCG, MAP, beta=0.5)", F1("click", metrics=("NDCG", "MAP"), beta=0.5)),
        (
            "F1(metrics=(Precision(denominator='k'), recall))@4",
            F1("click", 4, metrics=("precision(denominator='k')", "recall")),
        ),
        ("Precision", Precision("click")),
        ("Precision(kpi)@2", Precision("kpi", 2)),
        ("CTR(kpi)@2", CTR("kpi", 2)),
        ("snips(click)@2", CTR("click", 2, estimation="snips")),
        ("Doubly Robust(click)@2", CTR("click", 2, estimation="dr")),
        ("ranking_auc", RankingAUC("click")),
        ("Inter-List Diversity@4", InterListDiversity("click", 4)),
        ("recall(users='skip, zero, zero')@1", Recall("click", 1, users=("skip", "zero", "zero"))),
    ],
)
def test_names(name, metric):
    assert parse_metric(name) == metric


def test_value_column_goes_with_click_column():
    assert parse_metric("CTR(kpi)@2", click_column="click") == CTR("click", 2, value_column="kpi")
    metric = CTR("click", 2, value_column="kpi")
    assert parse_metric(str(metric), columns=metric.columns) == metric


def test_ctr_is_what_it_reads():
    # Two ways to say: order by score, average click.
    assert CTR("click", score_column="score") == CTR("score", value_column="click")
    assert CTR("click", score_column="score") != CTR("click")
    assert CTR("click", propensity_column="p") == CTR("click")
    assert CTR("click", estimation="ips", propensity_column="p") != CTR("click", estimation="ips")


def test_data_are_not_in_names():
    items = Coverage("click", 2, catalog=["a", "b", "c"])
    assert parse_metric(items.name, catalog=["c", "b", "a"]) == items
    with pytest.raises(InvalidOptionError, match="pass catalog= with 3 items, "):
        parse_metric(items.name)
    with pytest.raises(InvalidOptionError, match=r"'catalog' must be <3 items, .*, got <2 items"):
        parse_metric(items.name, catalog=["a", "b"])

    def distance(left, right):
        return 0.0

    by_function = InterListDiversity("click", metric=distance)
    assert parse_metric(by_function.name, metric=distance) == by_function
    features = IntraListDiversity(DATA["item_features"], "click", 3)
    assert parse_metric(features.name, item_features=DATA["item_features"]) == features


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("ndgc@10", {}, "There is no metric 'ndgc@10'; did you mean NDCG or DCG? Metrics: AUC, "),
        ("hits", {}, "There is no metric 'hits'; did you mean HitRate"),
        ("serendipity", {}, "There is no metric 'serendipity'. Metrics: AUC, AveragePopularity, "),
        ("ndcg@", {}, "After '@' in 'ndcg@' must stand a positive integer, got ''."),
        ("ndcg@ten", {}, "After '@' in 'ndcg@ten' must stand a positive integer, got 'ten'."),
        ("ndcg@0", {}, "'k' must be a positive integer or None, got 0."),
        ("rmse@10", {}, "'k' of RMSE must be None, because it has no cut-off, got 10."),
        (
            "ndcg(gain='linear'",
            {},
            "The name of a metric must look like 'ndcg@10', 'NDCG(gain=\"linear\")@10' or "
            "'F1(ndcg, map)@10', got \"ndcg(gain='linear'\".",
        ),
        ("", {}, "The name of a metric must look like "),
        (None, {}, "The name of a metric must look like "),
        ("ndcg(k=3)@2", {}, "'ndcg(k=3)@2' has two cut-offs; leave one of them out."),
        (
            "recall(gain='linear')",
            {},
            "Recall has no option 'gain' in \"recall(gain='linear')\". Options: click_column, ",
        ),
        (
            "ndcg(gian='linear')",
            {},
            "NDCG has no option 'gian' in \"ndcg(gian='linear')\"; did you mean 'gain'?",
        ),
        ("ndcg", {"catalog": 3}, "NDCG has no option 'catalog' in 'ndcg'. Options: "),
        ("NDCG(exponential)@10", {}, "In the brackets of 'NDCG(exponential)@10' must stand "),
        ("F1(ndcg)@10", {}, "'metrics' of F1 must be the names of two metrics, as in "),
        ("ndcg(gain='linear', gain='binary')", {}, "The name of a metric must look like "),
        ("ndcg(**options)", {}, "The name of a metric must look like "),
        ("ndcg@\u0663", {}, "After '@' in 'ndcg@\u0663' must stand a positive integer"),
        ("ndcg@5", {"k": 3}, "'ndcg@5' has two cut-offs; leave one of them out."),
        ("intra list diversity", {}, "IntraListDiversity needs data: pass item_features=."),
        ("F1(ndcg, coverage)", {}, "There is no metric for F1 'coverage'"),
        ("novelty", {"popularity": {1: 2}}, "Novelty needs to know over how many users "),
        ("ndcg(a, b)", {}, "In the brackets of 'ndcg(a, b)' must stand options with their names"),
        ("ndcg(3)", {}, "In the brackets of 'ndcg(3)' must stand options with their names"),
        (
            "coverage@3",
            {},
            "Coverage needs the catalogue: pass catalog= with the number of its items",
        ),
        ("novelty@3", {}, "Novelty needs to know how popular items are: pass popularity= with"),
        (
            "Precision(kpi)@2",
            {"click_column": "click"},
            "'Precision(kpi)@2' is about the column 'kpi', but 'click_column' is 'click'; pass one "
            "of them.",
        ),
        (
            "ndcg",
            {"click_column": "click", "columns": NDCG("click").columns},
            "Pass 'click_column' or 'columns', which holds it, but not both.",
        ),
    ],
)
def test_bad_names(name, options, message):
    with pytest.raises(InvalidOptionError) as refused:
        parse_metric(name, **options)
    assert str(refused.value).startswith(message)


def test_novelty_by_name():
    novelty = parse_metric("novelty@2", popularity={1: 5}, popularity_users=6)
    assert novelty == Novelty("click", 2, popularity={1: 5}, popularity_users=6)
