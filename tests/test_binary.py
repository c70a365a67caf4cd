"""Worked examples of the binary metrics, with their arithmetic."""

import math

import pandas as pd
import pytest

from jurity_reco import AUC, CTR, NDCG, BinaryRecoMetrics, CombinedMetrics
from tests.frames import D

# bob saw jam twice, cleo saw nothing that was recommended, dan got no recommendation.
ACTUAL = D(
    ["ann", "ann", "bob", "bob", "bob", "cleo", "dan"],
    ["tea", "jam", "jam", "jam", "oil", "tea", "tea"],
    [1, 0, 1, 0, 1, 1, 1],
).assign(minutes=[10.0, 1.0, 4.0, 0.0, 8.0, 9.0, 9.0])
PREDICTED = D(
    ["ann", "ann", "ann", "bob", "bob", "cleo"],
    ["tea", "jam", "rye", "jam", "oil", "oil"],
    [0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
)


@pytest.mark.parametrize(
    ("metric", "score", "support", "values", "weights"),
    [
        (CTR("click"), 3 / 5, 5, [1 / 2, 2 / 3], [2, 3]),
        (CTR("click", k=1), 2 / 3, 3, [1, 1 / 2], [1, 2]),
        (CTR("click", value_column="minutes"), 23 / 5, 5, [11 / 2, 12 / 3], [2, 3]),
        # ann: tea beats jam; bob: of the pairs (jam, jam) and (oil, jam) only half of one is won.
        (AUC("click"), (2 + 1 / 2) / (3 * 2), 5, [1, 1 / 4], [2, 3]),
        (AUC("click", k=1), (1 + 1 / 2) / 2, 3, [math.nan, 1 / 2], [1, 2]),
    ],
    ids=str,
)
def test_worked_examples(metric, score, support, values, weights):
    result = metric.evaluate(ACTUAL, PREDICTED)
    assert result.score == pytest.approx(score, rel=1e-14)
    assert result.support == support
    expected = pd.DataFrame(
        {
            "user_id": ["ann", "bob"],
            "value": [float(value) for value in values],
            "weight": [float(weight) for weight in weights],
        }
    )
    pd.testing.assert_frame_equal(result.per_user, expected, rtol=1e-14)
    assert result.ledger.evaluated == 2
    assert result.ledger.left_out_undefined == 1
    assert result.ledger.left_out_no_recommendations == 1


def test_names():
    assert str(CTR("click", k=3)) == "CTR(click)@3"
    assert str(CTR("click", value_column="minutes")) == "CTR(minutes)"
    assert str(AUC("click")) == "AUC(click)"
    assert str(AUC("click", k=3)) == "AUC(click)@3"


def test_positional_parameters_of_ctr():
    metric = BinaryRecoMetrics.CTR("click", 3, "u", "i", "minutes", "matching", "p")
    assert metric == CTR(
        click_column="click",
        k=3,
        user_id_column="u",
        item_id_column="i",
        value_column="minutes",
        estimation="matching",
        propensity_column="p",
    )
    assert CTR("click", value_column="click") == CTR("click")


def test_ctr_of_a_value_needs_no_label_in_the_log():
    metric = CTR("score", value_column="minutes")
    log = ACTUAL.drop(columns="click")
    assert metric.get_score(log, PREDICTED.rename(columns={"click": "score"})) == 23 / 5


def test_ctr_takes_values_as_they_are():
    actual = D([1, 1], ["a", "b"], [-1, 0.5])
    assert CTR("click").get_score(actual, D([1, 1], ["a", "b"], [2, 1])) == -0.25


def test_area_of_one_class_is_nan():
    actual = D([1, 1], ["a", "b"], 1)
    predicted = D([1, 1], ["a", "b"], [2, 1])
    extended = AUC("click").get_score(actual, predicted, return_extended_results=True)
    assert math.isnan(extended["auc"])
    assert extended["support"] == 2


def test_area_needs_a_threshold_to_split_ratings():
    actual = D([1, 1, 1], ["a", "b", "c"], [5, 4, 1])
    predicted = D([1, 1, 1], ["a", "b", "c"], [3, 1, 2])
    assert AUC("click", relevance_threshold=4).get_score(actual, predicted) == 1 / 2


def test_a_metric_without_a_threshold_shares_a_match_that_has_one():
    metrics = CombinedMetrics(CTR("click"), NDCG("click", relevance_threshold=1))
    scores = metrics.get_score(ACTUAL, PREDICTED)
    assert scores == {
        "CTR(click)": CTR("click").get_score(ACTUAL, PREDICTED),
        "NDCG": NDCG("click", relevance_threshold=1).get_score(ACTUAL, PREDICTED),
    }
