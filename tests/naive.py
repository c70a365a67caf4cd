"""Naive reference implementations of recommender metrics.

They are written to be read and believed, not to be fast: plain loops over lists and dicts, the
standard library only, and nothing imported from the package they are there to check.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

Id = Any  # Hashable values of one type; they must be sortable only where ties go by item.
Number = int | float  # A bool is an int in Python: True counts as 1, False as 0.
Rows = list[tuple[Id, Id, Number]]  # (user, item, label or score), in input order
Ranking = list[tuple[Id, Number]]  # (item, score) of one user, best first

LEDGER_KEYS = (
    "evaluated",
    "zero_no_recommendations",
    "zero_no_relevant",
    "left_out_no_relevant",
    "left_out_no_recommendations",
    "left_out_undefined",
)


@dataclass(frozen=True)
class Answer:
    """What a metric says about one pair of `actual` and `predicted`."""

    score: float | None
    support: int
    per_user: dict[Id, tuple[float, int]]  # user -> (value, weight); averaged users only
    ledger: dict[str, int]


# The parts that the metrics share.


def lists(predicted: Rows, ties: str, duplicates: str) -> dict[Id, Ranking]:
    """Return the recommendations of each user as (item, score), best first."""
    if ties not in ("input", "item", "item descending"):
        raise ValueError(f"unknown ties: {ties!r}")
    if duplicates not in ("refuse", "best"):
        raise ValueError(f"unknown duplicates: {duplicates!r}")

    result: dict[Id, Ranking] = {}
    for user, item, score in predicted:
        result.setdefault(user, []).append((item, score))

    for user, ranking in result.items():
        # Sorting is stable, also with reverse=True, so equal scores keep the order they had before
        # the sort by score: that of the input, or the one by item made here.
        if ties == "item":
            ranking = sorted(ranking, key=lambda entry: entry[0])
        if ties == "item descending":
            ranking = sorted(ranking, key=lambda entry: entry[0], reverse=True)
        ranking = sorted(ranking, key=lambda entry: entry[1], reverse=True)

        # Walking from the best down, the first occurrence of an item is its best-ranked one.
        seen: set[Id] = set()
        unique: Ranking = []
        for item, score in ranking:
            if item in seen and duplicates == "refuse":
                raise ValueError(f"user {user!r} was recommended item {item!r} more than once")
            if item not in seen:
                unique.append((item, score))
            seen.add(item)
        result[user] = unique
    return result


def relevant_items(actual: Rows, threshold: Number | None) -> dict[Id, set[Id]]:
    """Return the relevant items of each user; a user without any is not in the result."""
    result: dict[Id, set[Id]] = {}
    for user, item, label in actual:
        if is_relevant(label, threshold):
            # A set: an item with several rows counts once, and one relevant row is enough.
            result.setdefault(user, set()).add(item)
    return result


def is_relevant(label: Number, threshold: Number | None) -> bool:
    """Tell whether a label is relevant: above 0, or at least the threshold if there is one."""
    if threshold is None:
        return label > 0
    return label >= threshold


def all_users(actual: Rows, predicted: Rows) -> list[Id]:
    """Return every user once, by first appearance in `actual` and then in `predicted`."""
    users: dict[Id, None] = {}  # A dict keeps the order of insertion, a set does not.
    for user, _, _ in actual + predicted:
        users[user] = None
    return list(users)


def mean(values: list[Number]) -> float:
    """Return the mean; `fsum` adds without rounding on the way."""
    return math.fsum(values) / len(values)


# Ranking metrics: a value per user, then the plain mean over users.


def mean_over_users(
    actual: Rows,
    predicted: Rows,
    value_of_user: Callable[[list[Id], set[Id]], float],
    zero_without_recommendations: bool,
    k: int | None,
    threshold: Number | None,
    ties: str,
    duplicates: str,
) -> Answer:
    """Average `value_of_user(items of the top k, relevant items)` over the relevant users."""
    rankings = lists(predicted, ties, duplicates)
    relevant = relevant_items(actual, threshold)
    per_user: dict[Id, tuple[float, int]] = {}
    ledger = dict.fromkeys(LEDGER_KEYS, 0)
    for user in all_users(actual, predicted):
        # Lacking relevant items is asked first: it wins when recommendations are lacking too.
        if user not in relevant:
            ledger["left_out_no_relevant"] += 1
        elif user in rankings:
            top = [item for item, _ in rankings[user][:k]]  # [:None] is the whole list.
            per_user[user] = (value_of_user(top, relevant[user]), 1)
            ledger["evaluated"] += 1
        elif zero_without_recommendations:
            per_user[user] = (0.0, 1)
            ledger["zero_no_recommendations"] += 1
        else:
            ledger["left_out_no_recommendations"] += 1
    score = mean([value for value, _ in per_user.values()]) if per_user else None
    return Answer(score, len(per_user), per_user, ledger)


def precision(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Share of the recommended items that are relevant."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hits = len([item for item in top if item in relevant])
        return hits / len(top)  # Not by k: a list may be shorter than k.

    return mean_over_users(actual, predicted, value_of_user, False, k, threshold, ties, duplicates)


def recall(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """Share of the relevant items that are recommended."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hits = len([item for item in top if item in relevant])
        return hits / len(relevant)

    return relevant_users(actual, predicted, value_of_user, k, **options)


def map_(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Mean average precision: the precision at each hit, over the hits that were possible."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hits = 0
        precisions = []
        for rank, item in enumerate(top, start=1):
            if item in relevant:
                hits += 1
                precisions.append(hits / rank)
        # By k even if the list is shorter than k: the missing recommendations count as misses.
        possible_hits = len(relevant) if k is None else min(k, len(relevant))
        return math.fsum(precisions) / possible_hits

    return mean_over_users(actual, predicted, value_of_user, False, k, threshold, ties, duplicates)


def ndcg(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """Discounted gain of the hits, over that of a list of all relevant items."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hit_ranks = [rank for rank, item in enumerate(top, start=1) if item in relevant]
        ideal_ranks = range(1, len(relevant) + 1)  # All relevant items: not cut at k.
        gain = math.fsum(1 / math.log2(rank + 1) for rank in hit_ranks)
        ideal_gain = math.fsum(1 / math.log2(rank + 1) for rank in ideal_ranks)
        return gain / ideal_gain

    return relevant_users(actual, predicted, value_of_user, k, **options)


def f1(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """Harmonic mean of precision and recall."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hits = len([item for item in top if item in relevant])
        if not hits:
            return 0.0
        share, found = hits / len(top), hits / len(relevant)
        return 2 * share * found / (share + found)

    return relevant_users(actual, predicted, value_of_user, k, **options)


def hit_rate(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """Whether there is a hit at all."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        return 1.0 if any(item in relevant for item in top) else 0.0

    return relevant_users(actual, predicted, value_of_user, k, **options)


def mrr(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """One over the rank of the first hit."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        ranks = [rank for rank, item in enumerate(top, start=1) if item in relevant]
        return 1 / ranks[0] if ranks else 0.0

    return relevant_users(actual, predicted, value_of_user, k, **options)


def mar(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """Recall at each hit, over the hits that were possible."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hits = len([item for item in top if item in relevant])
        recalls = [number / len(relevant) for number in range(1, hits + 1)]
        possible_hits = len(relevant) if k is None else min(k, len(relevant))
        return math.fsum(recalls) / possible_hits

    return relevant_users(actual, predicted, value_of_user, k, **options)


def dcg(actual: Rows, predicted: Rows, *, k: int | None = None, **options: Any) -> Answer:
    """Discounted gain of the hits."""

    def value_of_user(top: list[Id], relevant: set[Id]) -> float:
        hit_ranks = [rank for rank, item in enumerate(top, start=1) if item in relevant]
        return math.fsum(1 / math.log2(rank + 1) for rank in hit_ranks)

    return relevant_users(actual, predicted, value_of_user, k, **options)


def relevant_users(
    actual: Rows,
    predicted: Rows,
    value_of_user: Callable[[list[Id], set[Id]], float],
    k: int | None,
    *,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Average over all relevant users, where no recommendation counts 0."""
    return mean_over_users(actual, predicted, value_of_user, True, k, threshold, ties, duplicates)


# Ranking areas: how many recommendations that are not relevant stand below each relevant item.


def area(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    by_item: bool = False,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Mean of the share below: over relevant items by user, or over the items of all users."""
    rankings = lists(predicted, ties, duplicates)
    relevant = relevant_items(actual, threshold)
    per_user: dict[Id, tuple[float, int]] = {}
    ledger = dict.fromkeys(LEDGER_KEYS, 0)
    for user in all_users(actual, predicted):
        ranking = [item for item, _ in rankings.get(user, [])]
        others = [item for item in ranking if item not in relevant.get(user, set())]
        if user not in relevant:
            ledger["left_out_no_relevant"] += 1
        elif not ranking:
            ledger["left_out_no_recommendations"] += 1
        elif not others:
            ledger["left_out_undefined"] += 1
        else:
            shares = []
            for rank, item in enumerate(ranking, start=1):
                if item in relevant[user] and (k is None or rank <= k):
                    below = [other for other in ranking[rank:] if other in others]
                    shares.append(len(below) / len(others))
            n_items = len(relevant[user]) if k is None else min(k, len(relevant[user]))
            per_user[user] = (math.fsum(shares) / n_items, n_items if by_item else 1)
            ledger["evaluated"] += 1
    weight = sum(weight for _, weight in per_user.values())
    total = math.fsum(value * weight for value, weight in per_user.values())
    return Answer(total / weight if weight else None, weight, per_user, ledger)


def ranking_auc(actual: Rows, predicted: Rows, **options: Any) -> Answer:
    """Mean over the relevant items of all users together."""
    return area(actual, predicted, by_item=True, **options)


# Binary metrics: over the rows of `actual` whose item was recommended to the user.


def over_matched_rows(
    actual: Rows,
    predicted: Rows,
    value_of_rows: Callable[[list[tuple[Number, Number]]], float],
    k: int | None,
    ties: str,
    duplicates: str,
) -> Answer:
    """Apply `value_of_rows` to the matched (label, score) of all users, and of each user alone."""
    rankings = lists(predicted, ties, duplicates)
    top_scores = {user: dict(ranking[:k]) for user, ranking in rankings.items()}
    matched: list[tuple[Number, Number]] = []
    matched_by_user: dict[Id, list[tuple[Number, Number]]] = {}
    for user, item, label in actual:
        # Every row counts, also a second one of the same user and item.
        if user in top_scores and item in top_scores[user]:
            row = (label, top_scores[user][item])
            matched.append(row)
            matched_by_user.setdefault(user, []).append(row)

    per_user: dict[Id, tuple[float, int]] = {}
    ledger = dict.fromkeys(LEDGER_KEYS, 0)
    for user in all_users(actual, predicted):
        if user in matched_by_user:
            rows = matched_by_user[user]
            per_user[user] = (value_of_rows(rows), len(rows))
            ledger["evaluated"] += 1
        elif user not in rankings:
            ledger["left_out_no_recommendations"] += 1
        else:
            ledger["left_out_undefined"] += 1
    score = value_of_rows(matched) if matched else None
    return Answer(score, len(matched), per_user, ledger)


def ctr(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Mean label of the matched rows; the labels count as they are, whatever the threshold."""

    def value_of_rows(rows: list[tuple[Number, Number]]) -> float:
        return mean([label for label, _ in rows])

    return over_matched_rows(actual, predicted, value_of_rows, k, ties, duplicates)


def auc(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Share of the (relevant, not relevant) pairs of matched rows that the scores order rightly.

    The pairs are pooled over all users, so the score is no mean of the values per user.
    """

    def value_of_rows(rows: list[tuple[Number, Number]]) -> float:
        positives = [score for label, score in rows if is_relevant(label, threshold)]
        negatives = [score for label, score in rows if not is_relevant(label, threshold)]
        if not positives or not negatives:
            return math.nan
        points = 0.0
        for positive in positives:
            for negative in negatives:
                if positive > negative:
                    points += 1
                elif positive == negative:
                    points += 0.5
        return points / (len(positives) * len(negatives))

    return over_matched_rows(actual, predicted, value_of_rows, k, ties, duplicates)


# Errors: over the matched rows of all users, wherever they rank.


def error(
    actual: Rows,
    predicted: Rows,
    value_of_rows: Callable[[list[tuple[Number, Number]]], float],
    *,
    k: int | None = None,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Apply `value_of_rows` to the matched (label, score), without a cut-off or a threshold."""
    return over_matched_rows(actual, predicted, value_of_rows, None, ties, duplicates)


def mse(actual: Rows, predicted: Rows, **options: Any) -> Answer:
    """Mean squared error."""

    def value_of_rows(rows: list[tuple[Number, Number]]) -> float:
        return mean([(score - label) ** 2 for label, score in rows])

    return error(actual, predicted, value_of_rows, **options)


def rmse(actual: Rows, predicted: Rows, **options: Any) -> Answer:
    """Root of the mean squared error."""

    def value_of_rows(rows: list[tuple[Number, Number]]) -> float:
        return math.sqrt(mean([(score - label) ** 2 for label, score in rows]))

    return error(actual, predicted, value_of_rows, **options)


def mae(actual: Rows, predicted: Rows, **options: Any) -> Answer:
    """Mean absolute error."""

    def value_of_rows(rows: list[tuple[Number, Number]]) -> float:
        return mean([abs(score - label) for label, score in rows])

    return error(actual, predicted, value_of_rows, **options)


# Off-policy estimates: what the rate of the top k would have been, from the log of another policy.


def off_policy(
    actual: list[tuple[Id, Id, Number, float]],
    predicted: Rows,
    estimation: str,
    *,
    k: int | None = None,
    max_weight: float | None = None,
) -> dict[str, float | int | None]:
    """Estimate, support, effective sample size and standard error of ips, snips or dr.

    A row of `actual` has the propensity as its fourth entry. The score of a recommendation is also
    the value that a model expects.
    """
    logged = {(user, item): (value, propensity) for user, item, value, propensity in actual}
    terms: dict[Id, list[tuple[float, float]]] = {}  # user -> (numerator, denominator)
    weights = []
    n_rows = 0
    for user, ranking in lists(predicted, "input", "refuse").items():
        terms[user] = []
        for item, expected in ranking[:k]:
            n_rows += 1
            value, propensity = logged.get((user, item), (0, math.inf))
            weight = 1 / propensity
            if max_weight is not None:
                weight = min(weight, max_weight)
            if (user, item) in logged:
                weights.append(weight)
            if estimation == "ips":
                terms[user].append((weight * value, 1))
            if estimation == "snips":
                terms[user].append((weight * value, weight))
            if estimation == "dr":
                terms[user].append((expected + weight * (value - expected), 1))
    totals = [(math.fsum(y for y, _ in t), math.fsum(n for _, n in t)) for t in terms.values()]
    totals = [(y, n) for y, n in totals if n > 0]
    n = math.fsum(n for _, n in totals)
    if not n:
        return {
            "ctr": None,
            "support": n_rows,
            "effective_sample_size": 0.0,
            "standard_error": None,
        }
    estimate = math.fsum(y for y, _ in totals) / n
    error = None
    if len(totals) > 1:
        squares = math.fsum((y - estimate * n_user) ** 2 for y, n_user in totals)
        if estimation != "snips":
            squares *= len(totals) / (len(totals) - 1)
        error = math.sqrt(squares) / n
    effective = math.fsum(weights) ** 2 / math.fsum(w * w for w in weights) if weights else 0.0
    return {
        "ctr": estimate,
        "support": n_rows,
        "effective_sample_size": effective,
        "standard_error": error,
    }


# Diversity: what users did plays no part, so `actual` is not looked at.


def inter_list_diversity(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
    distance: Callable[[set[Id], set[Id], int], float] | None = None,
) -> Answer:
    """Mean distance between the top k of two users, over all pairs of users.

    A distance takes two sets of items and the number of items in anybody's top k; by default it is
    the cosine distance.
    """

    def cosine(one: set[Id], other: set[Id], n_items: int) -> float:
        return 1 - len(one & other) / math.sqrt(len(one) * len(other))

    distance = distance or cosine
    rankings = lists(predicted, ties, duplicates)
    tops = {user: {item for item, _ in ranking[:k]} for user, ranking in rankings.items()}
    n_items = len(set().union(*tops.values()))
    per_user = {}
    for user, top in tops.items():
        others = [distance(top, tops[other], n_items) for other in tops if other != user]
        per_user[user] = (mean(others) if others else math.nan, 1)
    ledger = dict.fromkeys(LEDGER_KEYS, 0) | {"evaluated": len(per_user)}
    score = mean([value for value, _ in per_user.values()]) if per_user else None
    return Answer(score, len(per_user), per_user, ledger)


def intra_list_diversity(
    actual: Rows,
    predicted: Rows,
    *,
    features: dict[Id, list[float]],
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
    distance: Callable[[list[float], list[float]], float] | None = None,
) -> Answer:
    """Mean distance between two items of a user's top k, over all pairs, averaged over users."""

    def cosine(one: list[float], other: list[float]) -> float:
        lengths = math.hypot(*one) * math.hypot(*other)
        product = math.fsum(x * y for x, y in zip(one, other, strict=True))
        # An item without any feature above 0 is unlike any other.
        return 1 - product / lengths if lengths else 1.0

    distance = distance or cosine
    per_user = {}
    ledger = dict.fromkeys(LEDGER_KEYS, 0)
    for user, ranking in lists(predicted, ties, duplicates).items():
        known = [features[item] for item, _ in ranking[:k] if item in features]
        pairs = list(combinations(known, 2))
        if pairs:
            per_user[user] = (mean([distance(one, other) for one, other in pairs]), 1)
            ledger["evaluated"] += 1
        else:
            ledger["left_out_undefined"] += 1
    score = mean([value for value, _ in per_user.values()]) if per_user else None
    return Answer(score, len(per_user), per_user, ledger)


# The catalogue: which items anybody's top k holds, and how popular they are.


def slots(predicted: Rows, k: int | None, ties: str, duplicates: str) -> dict[Id, list[Id]]:
    """The items of each user's top k."""
    rankings = lists(predicted, ties, duplicates)
    return {user: [item for item, _ in ranking[:k]] for user, ranking in rankings.items()}


def catalog_total(
    predicted: Rows, total: Callable[[list[int]], float], k: int | None, ties: str, duplicates: str
) -> Answer:
    """A total of how often each item is shown."""
    tops = slots(predicted, k, ties, duplicates)
    shown = [item for top in tops.values() for item in top]
    counts = [shown.count(item) for item in set(shown)]
    ledger = dict.fromkeys(LEDGER_KEYS, 0) | {"evaluated": len(tops)}
    return Answer(total(counts) if tops else None, len(tops), {}, ledger)


def coverage(
    actual: Rows,
    predicted: Rows,
    *,
    catalog: int,
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Share of the catalogue that is shown."""
    return catalog_total(predicted, lambda counts: len(counts) / catalog, k, ties, duplicates)


def gini(
    actual: Rows,
    predicted: Rows,
    *,
    catalog: int,
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """How unequally often items are shown, from all pairs of items."""

    def total(counts: list[int]) -> float:
        counts = counts + [0] * (catalog - len(counts))
        differences = sum(abs(one - other) for one in counts for other in counts)
        return differences / (2 * catalog * sum(counts))

    return catalog_total(predicted, total, k, ties, duplicates)


def entropy(
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Bits of the shares of the items."""

    def total(counts: list[int]) -> float:
        shares = [count / sum(counts) for count in counts]
        return -math.fsum(share * math.log2(share) for share in shares)

    return catalog_total(predicted, total, k, ties, duplicates)


def popularity_of_lists(
    predicted: Rows,
    value_of_item: Callable[[Id], float],
    k: int | None,
    ties: str,
    duplicates: str,
) -> Answer:
    """Mean value of the items of a list, averaged over users."""
    tops = slots(predicted, k, ties, duplicates)
    per_user = {
        user: (mean([value_of_item(item) for item in top]), 1) for user, top in tops.items()
    }
    ledger = dict.fromkeys(LEDGER_KEYS, 0) | {"evaluated": len(tops)}
    score = mean([value for value, _ in per_user.values()]) if per_user else None
    return Answer(score, len(per_user), per_user, ledger)


def average_popularity(
    actual: Rows,
    predicted: Rows,
    *,
    popularity: dict[Id, int],
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Mean number of users of the items."""
    return popularity_of_lists(predicted, lambda item: popularity.get(item, 0), k, ties, duplicates)


def novelty(
    actual: Rows,
    predicted: Rows,
    *,
    popularity: dict[Id, int],
    n_users: int,
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Mean surprise of the items."""

    def value_of_item(item: Id) -> float:
        return -math.log2(max(popularity.get(item, 0), 1) / n_users)

    return popularity_of_lists(predicted, value_of_item, k, ties, duplicates)


def long_tail_share(
    actual: Rows,
    predicted: Rows,
    *,
    popularity: dict[Id, int],
    k: int | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
) -> Answer:
    """Share of the items outside the fewest that hold 80 % of the interactions."""
    head: set[Id] = set()
    held = 0
    for item in sorted(popularity, key=lambda item: -popularity[item]):
        if held < 0.8 * sum(popularity.values()):
            head.add(item)
            held += popularity[item]
    return popularity_of_lists(predicted, lambda item: item not in head, k, ties, duplicates)


ORACLES: dict[str, Callable[..., Answer]] = {
    "precision": precision,
    "recall": recall,
    "map": map_,
    "ndcg": ndcg,
    "ctr": ctr,
    "auc": auc,
    "mse": mse,
    "rmse": rmse,
    "mae": mae,
    "f1": f1,
    "hit_rate": hit_rate,
    "mrr": mrr,
    "mar": mar,
    "dcg": dcg,
    "ranking_auc": ranking_auc,
    "gauc": area,
    "lauc": area,
    "coverage": coverage,
    "gini": gini,
    "entropy": entropy,
    "average_popularity": average_popularity,
    "novelty": novelty,
    "long_tail_share": long_tail_share,
    "inter-list diversity": inter_list_diversity,
    "intra-list diversity": intra_list_diversity,
}
