"""Refusals, with their whole messages."""

import datetime
import re
import uuid

import numpy as np
import pandas as pd
import pytest

from jurity_reco import (
    AUC,
    CTR,
    NDCG,
    ColumnNotFoundError,
    CombinedMetrics,
    InvalidDataError,
    InvalidOptionError,
    JurityRecoError,
    Recall,
    UnsupportedFrameError,
)
from tests.frames import D

ACTUAL = D([1, 1, 2], [10, 11, 10], [1, 0, 1])
PREDICTED = D([1, 1, 2], [10, 12, 11], [0.9, 0.8, 0.7])


def refused(error, message):
    return pytest.raises(error, match=f"^{re.escape(message)}$")


@pytest.mark.parametrize("k", [0, -1, 2.5, 3.0, True, np.True_, "3", np.float64(3), [3]])
def test_cutoff(metric_class, k):
    with refused(InvalidOptionError, f"'k' must be a positive integer or None, got {k!r}."):
        metric_class("click", k=k)


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        ("duplicates", "'refuse' or 'best'"),
        ("on_invalid", "'refuse' or 'drop'"),
    ],
)
def test_choices(metric_class, option, choices):
    with refused(InvalidOptionError, f"'{option}' must be {choices}, got 'maybe'."):
        metric_class("click", **{option: "maybe"})


def test_ties(metric_class):
    orders = "'input', 'item', 'item descending'"
    choices = f"{orders} or 'item text descending'"
    if metric_class.by_relevance:
        choices = f"{orders}, 'item text descending', 'best', 'worst' or 'expected'"
    with refused(InvalidOptionError, f"'ties' must be {choices}, got 'maybe'."):
        metric_class("click", ties="maybe")


@pytest.mark.parametrize("metric", [CTR, AUC])
@pytest.mark.parametrize("ties", ["best", "worst", "expected"])
def test_ties_without_hit_ranks(metric, ties):
    message = (
        f"'ties' of {metric.__name__} must be 'input', 'item', 'item descending' or "
        f"'item text descending', got '{ties}': "
        "only metrics of the ranks of hits have a best, a worst and an expected order."
    )
    with refused(InvalidOptionError, message):
        metric("click", ties=ties)


@pytest.mark.parametrize(
    "option", ["click_column", "user_id_column", "item_id_column", "score_column"]
)
def test_column_options(metric_class, option):
    with refused(InvalidOptionError, f"'{option}' must be the name of a column, got 3."):
        metric_class(**{"click_column": "click", option: 3})


@pytest.mark.parametrize("threshold", ["3.5", float("nan"), [1]])
def test_threshold(threshold):
    message = f"'relevance_threshold' must be a number or None, got {threshold!r}."
    with refused(InvalidOptionError, message):
        NDCG("click", relevance_threshold=threshold)


def test_options_of_ctr():
    message = "'estimation' must be 'matching', 'ips', 'snips' or 'dr', got 'magic'."
    with refused(InvalidOptionError, message):
        CTR("click", estimation="magic")
    with refused(InvalidOptionError, "'value_column' must be the name of a column, got 7."):
        CTR("click", value_column=7)


def test_combined_metrics_takes_metrics():
    message = (
        "CombinedMetrics takes one or more metrics, as in CombinedMetrics(Precision('click', k=5), "
        "Recall('click', k=5)); got {}."
    )
    with refused(InvalidOptionError, message.format("()")):
        CombinedMetrics()
    with refused(InvalidOptionError, message.format("('ndcg@10',)")):
        CombinedMetrics("ndcg@10")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"user_id_column": "x", "item_id_column": "x"},
            "'user_id_column' and 'item_id_column' must be different columns, got 'x' for both.",
        ),
        (
            {"click_column": "x", "item_id_column": "x"},
            "'click_column' and 'item_id_column' must be different columns, got 'x' for both.",
        ),
        (
            {"click_column": "x", "user_id_column": "x"},
            "'user_id_column' and 'click_column' must be different columns, got 'x' for both.",
        ),
        (
            {"user_id_column": "weight"},
            "'user_id_column' must not be 'weight', which is a column of per-user results; rename "
            "the column.",
        ),
    ],
)
def test_columns_that_collide(metric_class, columns, message):
    with refused(InvalidOptionError, message):
        metric_class(**{"click_column": "click", **columns})


def test_long_lists_of_columns_are_cut():
    wide = PREDICTED.assign(**{f"feature_{number}": 0 for number in range(30)})
    with pytest.raises(ColumnNotFoundError, match=r"feature_16 and 13 more\.$"):
        NDCG("zzz").get_score(wide, PREDICTED)


@pytest.mark.parametrize(
    ("column", "hint"),
    [
        ("CLICK", "; did you mean 'click'? Columns: user_id, item_id, click."),
        ("clik", "; did you mean 'click'? Columns: user_id, item_id, click."),
        ("zzz", ". Columns: user_id, item_id, click."),
    ],
)
@pytest.mark.parametrize("error", [ColumnNotFoundError, KeyError, ValueError])
def test_missing_column(column, hint, error):
    with refused(error, f"Column '{column}' not found in actual{hint}"):
        NDCG(column).get_score(ACTUAL, PREDICTED)
    if "did you mean" not in hint:
        hint += " Name another one with score_column."
    with refused(error, f"Column '{column}' not found in predicted{hint}"):
        NDCG("click", score_column=column).get_score(ACTUAL, PREDICTED)


def test_missing_column_that_is_in_the_index():
    message = (
        "Column 'user_id' not found in predicted; it is in the index: call reset_index() first. "
        "Columns: item_id, click."
    )
    with refused(ColumnNotFoundError, message):
        NDCG("click").get_score(ACTUAL, PREDICTED.set_index("user_id"))


def test_frame_without_columns():
    with refused(ColumnNotFoundError, "Column 'user_id' not found in actual. Columns: none."):
        NDCG("click").get_score(pd.DataFrame(), PREDICTED)


def test_repeated_column():
    twice = pd.concat([PREDICTED, PREDICTED[["click"]]], axis=1)
    message = (
        "Column 'click' occurs 2 times in predicted, so it is unclear which one is meant; rename "
        "the others."
    )
    with refused(InvalidDataError, message):
        NDCG("click").get_score(ACTUAL, twice)


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ([1, 2], "builtins.list"),
        (None, "builtins.NoneType"),
        (PREDICTED["click"], "pandas.Series"),
        (PREDICTED.to_numpy(), "numpy.ndarray"),
    ],
)
@pytest.mark.parametrize("error", [UnsupportedFrameError, TypeError, JurityRecoError])
def test_other_kinds_of_frames(frame, kind, error):
    kind = kind if not isinstance(frame, pd.Series) else f"{pd.Series.__module__}.Series"
    with refused(error, f"actual must be a pandas DataFrame, got {kind}."):
        NDCG("click").get_score(frame, PREDICTED)
    with refused(error, f"predicted must be a pandas DataFrame, got {kind}."):
        NDCG("click").get_score(ACTUAL, frame)


@pytest.mark.parametrize("column", ["user_id", "item_id", "click"])
@pytest.mark.parametrize(("count", "rows"), [(1, "1 row"), (2, "2 rows")])
def test_missing_values(metric_class, column, count, rows):
    message = (
        "{} has " + rows + f" with a missing '{column}', the first at position {3 - count}; pass "
        'on_invalid="drop" to leave such rows out.'
    )
    lacking = []
    for frame in (ACTUAL, PREDICTED):
        frame = frame.astype({column: float}).set_index(pd.Index([7, 7, 7]))
        frame.iloc[3 - count :, frame.columns.get_loc(column)] = np.nan
        lacking.append(frame)
    with refused(InvalidDataError, message.format("actual")):
        metric_class("click").get_score(lacking[0], PREDICTED)
    with refused(InvalidDataError, message.format("predicted")):
        metric_class("click").get_score(ACTUAL, lacking[1])


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["yes", "no", "yes"], "str"),
        (np.array([1, "no", None], dtype=object), "str"),
        (np.array([1, (2,), 0], dtype=object), "tuple"),
        (pd.Timestamp("2026-01-01"), "Timestamp"),
        (pd.Categorical(["a", "b", "a"]), "str"),
        (1j, "complex"),
    ],
)
def test_labels_that_are_no_numbers(labels, found):
    message = (
        "Column 'click' of {} must hold numbers or booleans, got " + found + "; convert it first, "
        "for example with pandas.to_numeric, or by comparing it with the value that means yes."
    )
    with refused(InvalidDataError, message.format("actual")):
        NDCG("click").get_score(ACTUAL.assign(click=labels), PREDICTED)
    with refused(InvalidDataError, message.format("predicted")):
        NDCG("click").get_score(ACTUAL, PREDICTED.assign(click=labels))


@pytest.mark.parametrize(
    ("in_predicted", "kind"),
    [
        (["1", "1", "2"], "text"),
        ([True, True, False], "boolean"),
        ([uuid.UUID(int=1), uuid.UUID(int=1), uuid.UUID(int=2)], "UUID"),
        (np.array([b"1", ("a",), b"2"], dtype=object), "bytes and tuple"),
        (pd.to_datetime(["2026-01-01"] * 3), "datetime"),
        (pd.to_datetime(["2026-01-01"] * 3, utc=True), "zoned datetime"),
        (pd.to_timedelta([1, 1, 2], unit="D"), "duration"),
        (pd.Categorical(["1", "1", "2"]), "text"),
    ],
)
def test_ids_that_cannot_match(metric_class, in_predicted, kind):
    for column in ("user_id", "item_id"):
        message = (
            f"Column '{column}' holds integer ids in actual and {kind} ids in predicted, so none "
            "of them can match; convert one of the two columns, for example with astype."
        )
        with refused(InvalidDataError, message):
            metric_class("click").get_score(ACTUAL, PREDICTED.assign(**{column: in_predicted}))


@pytest.mark.parametrize("ids", [[1.0, 1.0, 2.5], [1.0, 1.0, 2.0**53]])
def test_fractional_ids_against_integers(ids):
    message = (
        "Column 'user_id' holds integer ids in one frame and floating-point ids in the other, and "
        "not all of the latter are whole numbers below 2**53; convert one of the two columns, for "
        "example with astype."
    )
    with refused(InvalidDataError, message):
        Recall("click").get_score(ACTUAL, PREDICTED.assign(user_id=ids))
    with refused(InvalidDataError, message):
        Recall("click").get_score(ACTUAL.assign(user_id=ids), PREDICTED)


@pytest.mark.parametrize(
    ("in_actual", "in_predicted", "message"),
    [
        ([uuid.UUID(int=1)], [str(uuid.UUID(int=1))], "UUID ids in actual and text ids"),
        ([(1,)], ["1"], "tuple ids in actual and text ids"),
        ([b"a"], ["a"], "bytes ids in actual and text ids"),
        ([datetime.date(2026, 1, 1)], pd.to_datetime(["2026-01-01"]), "date ids in actual"),
        ([10**30], ["a"], "integer ids in actual and text ids"),
        (
            pd.to_datetime(["2026-01-01"]).tz_localize("UTC"),
            np.array([pd.Timestamp("2026-01-01")], dtype=object),
            "zoned datetime ids in actual and datetime ids",
        ),
        (
            pd.Categorical([1], categories=[1, "unused"]),
            ["1"],
            "integer ids in actual and text ids",
        ),
        (pd.array([1, None], dtype=object)[:1], ["1"], "integer ids in actual and text ids"),
    ],
)
def test_objects_that_cannot_match(in_actual, in_predicted, message):
    actual, predicted = D(pd.Series(in_actual), [1], 1), D(pd.Series(in_predicted), [1], 1)
    with pytest.raises(InvalidDataError, match=message):
        Recall("click").get_score(actual, predicted)
    with pytest.raises(InvalidDataError, match="none of them can match"):
        Recall("click").get_score(predicted, actual)


def test_repeated_recommendations(metric_class):
    predicted = D(["x", "y", "x", "y", "x"], list("aabaa"), [0.1, 0.2, 0.3, 0.4, 0.5])
    predicted = predicted.set_index(pd.Index([5, 5, 5, 5, 5]))
    message = (
        "predicted has 2 rows that repeat an earlier pair of 'user_id' and 'item_id', the first at "
        "position 3 with user_id='y' and item_id='a'; pass duplicates=\"best\" to keep the "
        "best-ranked row of each pair."
    )
    with refused(InvalidDataError, message):
        metric_class("click").get_score(D(["x"], ["a"], 1), predicted)


def test_repeated_recommendations_are_found_where_they_were_before_dropping():
    predicted = D([7, None, 8, 8, 8], [1, 1, 3, None, 3], [0.1, 0.2, 0.3, 0.4, 0.5])
    message = (
        "predicted has 1 row that repeat an earlier pair of 'user_id' and 'item_id', the first at "
        'position 4 with user_id=8.0 and item_id=3.0; pass duplicates="best" to keep the '
        "best-ranked row of each pair."
    )
    with refused(InvalidDataError, message.replace("row that repeat ", "row that repeats ")):
        Recall("click", on_invalid="drop").get_score(ACTUAL, predicted)


def test_ids_without_an_order():
    predicted = D([1, 1], [(1, 2), "b"], 0.5)
    message = (
        "Ties cannot be broken by 'item_id', because its ids have no order ('<' not supported "
        "between instances of "
    )
    with pytest.raises(InvalidDataError, match=f"^{re.escape(message)}"):
        Recall("click", ties="item").get_score(predicted, predicted)


def test_ids_that_cannot_be_hashed():
    predicted = D([1, 1], [[1], [2]], 0.5)
    message = (
        "Column 'item_id' holds values that cannot be ids (unhashable type: 'list'); use numbers, "
        "text, dates or tuples of them."
    )
    with refused(InvalidDataError, message):
        Recall("click").get_score(predicted, predicted)


def test_dates_that_do_not_fit_the_finer_resolution():
    actual = D(np.array(["9999-01-01"], dtype="datetime64[s]"), [1], 1)
    predicted = D(np.array(["2026-01-01"], dtype="datetime64[ns]"), [1], 1)
    message = (
        "Column 'user_id' holds dates of different resolution in actual and predicted that do not "
        "fit the finer of the two; convert both to one resolution with dt.as_unit."
    )
    with refused(InvalidDataError, message):
        Recall("click").get_score(actual, predicted)


def test_infinite_value():
    actual = ACTUAL.assign(click=np.inf)
    message = (
        "actual has 1 row with an infinite 'click' that match a recommendation, and no mean "
        "exists; replace or remove them first."
    )
    with refused(InvalidDataError, message.replace("that match ", "that matches ")):
        CTR("click").get_score(actual, PREDICTED)
