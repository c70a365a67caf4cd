"""The options by which libraries differ, against their naive oracle."""

from itertools import permutations, product
from math import exp2, fsum, isclose, log2

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jurity_reco import (
    DCG,
    F1,
    GAUC,
    MAP,
    NDCG,
    CombinedMetrics,
    HitRate,
    InvalidDataError,
    InvalidOptionError,
    Precision,
    RankingAUC,
    RankingRecoMetrics,
    Recall,
)
from tests.frames import D, frame, row_lists
from tests.metrics import METRICS, make
from tests.naive_dialects import score
from tests.test_oracles import check

CUTOFFS = st.sampled_from([None, 1, 2, 3, 7])
WORDS = st.sampled_from(["skip", "zero"])
RULES = st.tuples(WORDS, WORDS, WORDS)
GAINS = ["linear", "exponential", "exponential+1"]
OPTIONS = [
    *[(Precision, {"denominator": one}) for one in ("recommended", "k", "min(k, relevant)")],
    *[(Recall, {"denominator": one}) for one in ("relevant", "min(k, relevant)")],
    *[
        (MAP, {"denominator": one})
        for one in ("min(k, relevant)", "relevant", "hits", "min(recommended, relevant)", "k")
    ],
    *[(NDCG, {"ideal": one}) for one in ("relevant", "min(k, relevant)", "k", "retrieved")],
    *[
        (NDCG, {"gain": gain, "ideal": ideal})
        for gain in GAINS
        for ideal in ("relevant", "min(k, relevant)", "retrieved")
    ],
    *[(DCG, {"gain": gain}) for gain in GAINS],
    *[
        (metric, {"discount": "log2(max(r, 2))", "gain": gain})
        for metric in (DCG, NDCG)
        for gain in ("binary", "linear")
    ],
    (HitRate, {}),
    (RankingRecoMetrics.MRR, {}),
    (RankingRecoMetrics.MAR, {}),
    (F1, {"beta": 2.0}),
    (F1, {"metrics": (("ndcg", {}), ("map", {})), "beta": 0.5}),
    (F1, {"metrics": (("precision", {"denominator": "k"}), ("recall", {}))}),
    (F1, {"metrics": (("ndcg", {"gain": "linear"}), ("hit_rate", {}))}),
]


def named(component):
    """A metric of F1 by its name."""
    key, options = component
    return f"{key}({', '.join(f'{name}={value!r}' for name, value in options.items())})"


def built(metric_class, k, options, **more):
    if "metrics" in options:
        options = {**options, "metrics": tuple(map(named, options["metrics"]))}
    return metric_class("click", k, **options, **more)


def describe(value):
    return value.key if isinstance(value, type) else " ".join(map(str, value.values())) or "plain"


@pytest.mark.parametrize(("metric_class", "options"), OPTIONS, ids=describe)
@settings(max_examples=60)
@given(rows=row_lists(), k=CUTOFFS, users=RULES, threshold=st.sampled_from([None, 1, 0.5]))
@example(rows=([], []), k=None, users=("zero",) * 3, threshold=None)
@example(rows=([(1, 1, 0)], [(2, 1, 0.5)]), k=2, users=("zero",) * 3, threshold=None)
def test_equals_oracle(metric_class, options, rows, k, users, threshold):
    actual, predicted = rows
    for ties in ("input", "best", "worst", "item descending"):
        metric = built(
            metric_class, k, options, users=users, ties=ties, relevance_threshold=threshold
        )
        answer = score(
            metric.key,
            actual,
            predicted,
            k=k,
            users=users,
            ties=ties,
            threshold=threshold,
            **options,
        )
        result = metric.evaluate(frame(actual), frame(predicted))
        check(metric, result, answer)
        low, high = metric.value_range
        assert result.per_user["value"].between(low, high).all()


def all_orders(predicted):
    ties = {}
    for item, number in predicted:
        ties.setdefault(number, []).append(item)
    for order in product(*(permutations(ties[number]) for number in sorted(ties, reverse=True))):
        items = [item for group in order for item in group]
        yield [(1, item, -rank) for rank, item in enumerate(items)]


@pytest.mark.parametrize(
    ("metric_class", "options"),
    [
        (metric_class, options)
        for metric_class, options in OPTIONS
        if options.get("denominator") != "hits"
        and options.get("ideal") != "retrieved"
        and ("metrics" not in options or options["metrics"][0][0] == "precision")
    ],
    ids=describe,
)
@settings(max_examples=60)
@given(
    scores=st.lists(st.integers(0, 1), min_size=1, max_size=6),
    grades=st.lists(st.integers(0, 3), min_size=1, max_size=7),
    k=CUTOFFS,
)
@example(scores=[0] * 6, grades=[3, 2, 1, 3, 2, 1], k=3)
@example(scores=[0] * 4, grades=[2, 2, 2, 2, 2], k=2)
def test_expected_ties_equal_all_orders(metric_class, options, scores, grades, k):
    actual = [(1, item, grade) for item, grade in enumerate(grades)]
    predicted = list(enumerate(scores))
    key = metric_class.key
    tried = [score(key, actual, one, k=k, **options).score for one in all_orders(predicted)]
    found = built(metric_class, k, options, ties="expected").get_score(
        frame(actual), frame([(1, item, number) for item, number in predicted])
    )
    if tried[0] is None:
        assert found is None
    else:
        assert isclose(found, fsum(tried) / len(tried), rel_tol=1e-12, abs_tol=1e-15)


@pytest.mark.parametrize("metric_class", METRICS, ids=lambda metric: metric.key)
@given(rows=row_lists(), users=RULES)
def test_user_rule_decides_who_counts(metric_class, rows, users):
    if "users" not in metric_class.__dataclass_fields__:
        return
    if metric_class is RankingAUC and "zero" in users[:2]:
        return
    actual, predicted = rows
    result = make(metric_class, k=2, users=users).evaluate(frame(actual), frame(predicted))
    unjudged, irrelevant, unlisted = (word == "zero" for word in users)
    relevant = {row[0] for row in actual if row[2] > 0}
    judged, listed = {row[0] for row in actual}, {row[0] for row in predicted}
    expected = relevant & listed
    expected |= {user for user in relevant - listed if unlisted}
    expected |= {user for user in judged - relevant if irrelevant and (user in listed or unlisted)}
    expected |= {user for user in listed - judged if unjudged}
    averaged = set(result.per_user["user_id"])
    n_undefined = result.ledger.left_out_undefined
    assert averaged <= expected
    assert len(averaged) == len(expected) - n_undefined
    lacking = result.per_user[~result.per_user["user_id"].isin(relevant & listed)]
    assert (lacking["value"] == 0).all()


def test_worked_grades():
    # Grades 3, 1 and 2; the list finds 1, nothing, 3.
    actual = D(1, [10, 11, 12], [3, 1, 2])
    predicted = D(1, [11, 20, 10], [0.9, 0.8, 0.7])
    for gain, of in [
        ("linear", lambda grade: grade),
        ("exponential", lambda grade: exp2(grade) - 1),
        ("exponential+1", lambda grade: exp2(grade + 1) - 1),
    ]:
        found = of(1) + of(3) / log2(4)
        best = of(3) + of(2) / log2(3) + of(1) / log2(4)
        best_two = of(3) + of(2) / log2(3)
        retrieved = of(3) + of(1) / log2(3)

        def value(metric_class, k, actual=actual, **options):
            return metric_class("click", k, **options).get_score(actual, predicted)

        assert value(DCG, 3, gain=gain) == pytest.approx(found)
        assert value(NDCG, 3, gain=gain) == pytest.approx(found / best)
        assert value(NDCG, 3, gain=gain, ideal="retrieved") == pytest.approx(found / retrieved)
        cut = value(NDCG, 2, gain=gain, ideal="min(k, relevant)")
        assert cut == pytest.approx(of(1) / best_two)
        # The grade of a repeated pair is the highest.
        twice = D(1, [10, 10, 11, 12], [3, 1, 1, 2])
        assert value(NDCG, 3, twice, gain=gain) == pytest.approx(found / best)


def test_grades_that_are_all_one_change_nothing():
    actual, predicted = D(1, [10, 11, 12], 1), D(1, [10, 20, 11], [0.9, 0.8, 0.7])
    plain = NDCG("click", 3).get_score(actual, predicted)
    for gain in GAINS:
        assert NDCG("click", 3, gain=gain).get_score(actual, predicted) == pytest.approx(plain)
    assert NDCG("click", 3, gain="linear").get_score(actual, predicted) == plain
    assert NDCG("click", 3, gain="linear").get_score(actual.astype({"click": bool}), predicted) == (
        plain
    )


def test_binary_and_graded_share_one_match_and_do_not_change_each_other():
    actual = D([1, 1, 1], [1, 2, 3], [1, 2, 3])
    predicted = D([1] * 4, [1, 2, 3, 4], [0.5, 0.5, 0.5, 0.1])
    metrics = [
        NDCG("click", 2, ties=ties, gain=gain)
        for ties in ("input", "best", "worst", "expected")
        for gain in ("binary", "linear")
    ]
    together = CombinedMetrics(*metrics).get_score(actual, predicted)
    alone = [metric.get_score(actual, predicted) for metric in metrics]
    assert list(together.values()) == alone


@pytest.mark.parametrize(
    ("make_metric", "message"),
    [
        (
            lambda: Precision("click", denominator="hits"),
            "'denominator' must be 'recommended', 'k' or 'min(k, relevant)', got 'hits'.",
        ),
        (
            lambda: NDCG("click", gain="quadratic"),
            "'gain' must be 'binary', 'linear', 'exponential' or 'exponential+1', got 'quadratic'.",
        ),
        (
            lambda: NDCG("click", ideal="k", gain="linear"),
            "'ideal' must not be 'k' with gain='linear', because better grades than those of the "
            "ideal list would score above 1; pass gain='binary' or another ideal.",
        ),
        (
            lambda: NDCG("click", 10**9, ideal="k"),
            "'k' must be at most 10000000 with ideal='k', got 1000000000.",
        ),
        (
            lambda: MAP("click", denominator="hits", ties="expected"),
            "'ties' of MAP(ties=\"expected\", denominator=\"hits\") must not be 'expected', "
            "because the number of hits is random.",
        ),
        (
            lambda: NDCG("click", ideal="retrieved", ties="expected"),
            "'ties' of NDCG(ties=\"expected\", ideal=\"retrieved\") must not be 'expected', "
            "because the ideal list is random.",
        ),
        (
            lambda: F1("click", metrics=("ndcg", "map"), ties="expected"),
            "'ties' of F1(NDCG, MAP, ties=\"expected\") must not be 'expected', because the "
            "harmonic mean of other metrics than Precision and Recall has no closed form.",
        ),
        (
            lambda: Recall("click", users="skip, none, zero"),
            "'users' must be three words, 'skip' or 'zero' for users without a row in actual, for "
            "users without a relevant item and for users without a recommendation, as in "
            "('skip', 'skip', 'zero'); got 'skip, none, zero'.",
        ),
        (
            lambda: RankingAUC("click", users=("skip", "zero", "skip")),
            '\'users\' of RankingAUC(users=("skip", "zero", "skip")) must say \'skip\' for users '
            "without relevant items, because users are weighted by the number of their relevant "
            "items; got ('skip', 'zero', 'skip').",
        ),
        (
            lambda: GAUC("click", weights="impressions", users=("skip", "skip", "zero")),
            '\'users\' of GAUC(users=("skip", "skip", "zero"), weights="impressions") must say '
            "'skip' for users without recommendations, because users are weighted by the number "
            "of their recommendations; got ('skip', 'skip', 'zero').",
        ),
        (
            lambda: F1("click", metrics="ndcg"),
            "'metrics' of F1 must be the names of two metrics, as in ('ndcg', 'map'), got 'ndcg'.",
        ),
        (
            lambda: F1("click", metrics=("ndcg@10", "map")),
            "A metric in F1 takes cut-off and columns from F1, as in F1(ndcg, map)@10; got "
            "'ndcg@10'.",
        ),
        (
            lambda: F1("click", metrics=("ndcg", "dcg")),
            "There is no metric for F1 'dcg'; did you mean NDCG? Metrics: GAUC, HitRate, LAUC, "
            "MAP, MAR, MRR, NDCG, Precision, Recall.",
        ),
        (
            lambda: F1("click", metrics=("ndcg(ties='item')", "map")),
            "NDCG in F1 has no option 'ties' in \"ndcg(ties='item')\". Options: discount, gain, "
            "ideal.",
        ),
    ],
)
def test_bad_options(make_metric, message):
    with pytest.raises(InvalidOptionError) as refused:
        make_metric()
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("labels", "gain", "threshold", "message"),
    [
        (
            [-1, 2],
            "linear",
            -2,
            "must be from 0 to 1e+100 as grades of gain='linear', got -1;",
        ),
        (
            [3600, 2],
            "exponential",
            None,
            "must be from 0 to 1000 as grades of gain='exponential', got",
        ),
        ([float("inf"), 2], "linear", None, "as grades of gain='linear', got inf"),
    ],
)
def test_unfit_grades_are_refused(labels, gain, threshold, message):
    metric = NDCG("click", gain=gain, relevance_threshold=threshold)
    with pytest.raises(InvalidDataError, match=message.replace("+", r"\+")):
        metric.get_score(D(1, [1, 2], labels), D(1, [1, 2], [0.2, 0.1]))


def test_user_rule_may_be_one_text():
    assert Recall("click", users="skip, zero, zero") == Recall(
        "click", users=["skip", "zero", "zero"]
    )


def test_ids_as_text_decide_between_equal_scores():
    # As numbers 10 comes after 9, as text before it.
    actual, predicted = D(1, [9], 1), D(1, [10, 9], 0.5)
    for ties, expected in [("item descending", 0.0), ("item text descending", 1.0), ("item", 1.0)]:
        assert HitRate("click", 1, ties=ties).get_score(actual, predicted) == expected
    mixed = D(1, ["9", "10", "b"], 0.5)
    assert HitRate("click", 1, ties="item text descending").get_score(D(1, ["b"], 1), mixed) == 1.0
    objects = D(1, [9, 10, "b"], 0.5)
    assert HitRate("click", 2, ties="item text descending").get_score(
        D(1, [9, "x"], 1), objects
    ) == (1.0)
