"""Worked examples of the error metrics, with their arithmetic."""

from math import sqrt

import pytest

from jurity_reco import MAE, MSE, RMSE, InvalidOptionError
from tests.frames import D

ACTUAL = D([1, 1, 2, 3], ["a", "b", "a", "c"], [5.0, 3.0, 1.0, 2.0])
PREDICTED = D([1, 1, 2, 4], ["a", "b", "a", "c"], [3.0, 3.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("metric", "score", "support", "values", "weights"),
    [
        (MSE("click"), (4 + 0 + 1) / 3, 3, [2, 1], [2, 1]),
        (RMSE("click"), sqrt((4 + 0 + 1) / 3), 3, [sqrt(2), 1], [2, 1]),
        (MAE("click"), (2 + 0 + 1) / 3, 3, [1, 1], [2, 1]),
        (MSE("click", normalize="users"), (4 + 0 + 1) / 2, 2, [4, 1], [1, 1]),
        (RMSE("click", normalize="users"), sqrt((4 + 0 + 1) / 2), 2, [2, 1], [1, 1]),
        (MAE("click", normalize="users"), (2 + 0 + 1) / 2, 2, [2, 1], [1, 1]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_worked_examples(metric, score, support, values, weights):
    result = metric.evaluate(ACTUAL, PREDICTED)
    assert result.score == pytest.approx(score, rel=1e-14)
    assert result.support == support
    assert result.per_user["user_id"].tolist() == [1, 2]
    assert result.per_user["value"].tolist() == pytest.approx(values, rel=1e-14)
    assert result.per_user["weight"].tolist() == weights
    assert result.ledger.left_out_undefined == 1
    assert result.ledger.left_out_no_recommendations == 1


def test_options():
    with pytest.raises(
        InvalidOptionError, match=r"^'normalize' must be 'pairs' or 'users', got 'k'"
    ):
        MAE("click", normalize="k")
    message = r"^'k' of RMSE must be None, because it has no cut-off, got 5\.$"
    with pytest.raises(InvalidOptionError, match=message):
        RMSE("click", k=5)
