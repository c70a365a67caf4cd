"""Several metrics at once."""

import pandas as pd
from hypothesis import given

import jurity_reco.metrics.base as base
from jurity_reco import CTR, NDCG, CombinedMetrics, Precision, Recall
from tests.frames import D, frame, row_lists
from tests.metrics import METRICS_OF_ACTUAL, make

ACTUAL = D([1, 1, 2], [10, 11, 10], [1, 0, 1])
PREDICTED = D([1, 1, 2], [10, 12, 11], [0.9, 0.8, 0.7])


@given(rows=row_lists())
def test_equals_each_metric_alone(rows):
    actual, predicted = map(frame, rows)
    metrics = list(
        dict.fromkeys(make(metric, k=k) for metric in METRICS_OF_ACTUAL for k in (None, 2))
    )
    combined = CombinedMetrics(*metrics)
    extended = combined.get_score(actual, predicted, return_extended_results=True)
    plain = combined.get_score(actual, predicted)
    assert list(extended) == list(plain) == [str(metric) for metric in metrics]
    for metric in metrics:
        alone = metric.get_score(actual, predicted, return_extended_results=True)
        # By their texts, because nan differs from itself.
        assert str(extended[str(metric)]) == str(alone)
        assert str(plain[str(metric)]) == str(alone[metric.key])


def test_results_of_evaluate():
    results = CombinedMetrics(Precision("click", k=1), Recall("click", k=2)).evaluate(
        ACTUAL, PREDICTED
    )
    assert list(results) == ["Precision@1", "Recall@2"]
    alone = Recall("click", k=2).evaluate(ACTUAL, PREDICTED)
    pd.testing.assert_frame_equal(results["Recall@2"].per_user, alone.per_user)
    assert results["Recall@2"].ledger == alone.ledger


def test_metrics_of_any_cutoff_share_one_match(monkeypatch):
    calls = []

    def counting(rules, *frames, **options):
        calls.append(rules)
        return match(rules, *frames, **options)

    match = base.match
    monkeypatch.setattr(base, "match", counting)
    CombinedMetrics(
        *(make(metric, k=k) for metric in METRICS_OF_ACTUAL for k in (1, 2, None))
    ).get_score(ACTUAL, PREDICTED)
    assert len(calls) == 1
    CombinedMetrics(Recall("click"), Recall("click", ties="item")).get_score(ACTUAL, PREDICTED)
    assert len(calls) == 3


def test_names_are_distinct():
    metrics = CombinedMetrics(
        Recall("click", k=2),
        Recall("kpi", k=2),
        Recall("kpi", k=2, ties="item"),
        Recall("kpi", k=2, ties="item", relevance_threshold=3),
        Recall("kpi", k=5),
        NDCG("click", k=2),
        CTR("click"),
        CTR("click", score_column="score"),
    )
    assert metrics.names == [
        "Recall(click)@2",
        "Recall(kpi, ties='input', relevance_threshold=None)@2",
        "Recall(kpi, ties='item', relevance_threshold=None)@2",
        "Recall(kpi, ties='item', relevance_threshold=3.0)@2",
        "Recall@5",
        "NDCG@2",
        "CTR(click, score_column=None)",
        "CTR(click, score_column='score')",
    ]


def test_the_same_metric_twice_is_one_entry():
    combined = CombinedMetrics(Recall("click", k=1), Recall("click", k=1))
    assert list(combined.get_score(ACTUAL, PREDICTED)) == ["Recall@1"]


def test_repr_names_the_metrics():
    assert repr(CombinedMetrics(Recall("click"))).startswith("CombinedMetrics(Recall(click_column=")
