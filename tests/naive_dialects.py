"""Naive reference implementations of the options by which libraries differ.

Like `naive`, to be read and believed: plain loops, the standard library only, and nothing imported
from the package they are there to check.
"""

import math
from collections.abc import Callable
from typing import Any

from tests.naive import (
    LEDGER_KEYS,
    Answer,
    Id,
    Number,
    Ranking,
    Rows,
    all_users,
    is_relevant,
    lists,
    mean,
)

Grades = dict[Id, Number]  # relevant item of one user -> grade; the other items are not in it


def score(
    key: str,
    actual: Rows,
    predicted: Rows,
    *,
    k: int | None = None,
    threshold: Number | None = None,
    ties: str = "input",
    duplicates: str = "refuse",
    **options: Any,
) -> Answer:
    """Average a metric over the users that its `users` rule counts."""
    usual = ("skip", "skip", "skip" if key in ("precision", "map") else "zero")
    users = options.pop("users", usual)
    grades = grades_of_users(actual, threshold)
    rankings = lists(predicted, "input" if ties in ("best", "worst") else ties, duplicates)
    users_with_rows = {user for user, _, _ in actual}

    per_user: dict[Id, tuple[float, int]] = {}
    ledger = dict.fromkeys(LEDGER_KEYS, 0)
    for user in all_users(actual, predicted):
        entry = ledger_entry(user in users_with_rows, user in grades, user in rankings, users)
        ledger[entry] += 1
        if entry == "evaluated":
            value = value_of_user(key, rankings[user], grades[user], k, ties, options)
            per_user[user] = (value, 1)
        if entry in ("zero_no_recommendations", "zero_no_relevant"):
            per_user[user] = (0.0, 1)
    average = mean([value for value, _ in per_user.values()]) if per_user else None
    return Answer(average, len(per_user), per_user, ledger)


# The parts that the metrics share.


def ledger_entry(
    has_rows: bool, has_relevant: bool, has_recommendations: bool, users: tuple[str, str, str]
) -> str:
    """Tell where a user belongs, from what there is of them and a word for each thing to lack."""
    if any(word not in ("skip", "zero") for word in users):
        raise ValueError(f"unknown users: {users!r}")
    if_no_rows, if_none_relevant, if_no_recommendations = users
    if has_relevant and has_recommendations:
        return "evaluated"
    if has_relevant:
        zero = if_no_recommendations == "zero"
        return "zero_no_recommendations" if zero else "left_out_no_recommendations"
    zero = (if_none_relevant if has_rows else if_no_rows) == "zero"
    if not has_recommendations:
        zero = zero and if_no_recommendations == "zero"  # Both are lacking: both must say so.
    return "zero_no_relevant" if zero else "left_out_no_relevant"


def grades_of_users(actual: Rows, threshold: Number | None) -> dict[Id, Grades]:
    """Return the relevant items of each user who has any, with the highest label of each."""
    result: dict[Id, Grades] = {}
    for user, item, label in actual:
        if is_relevant(label, threshold):
            grades = result.setdefault(user, {})
            grades[item] = max(label, grades.get(item, label))
    return result


def gain_of_item(item: Id, grades: Grades, gain: str) -> Number:
    """What an item is worth: nothing if it is not relevant, else what its grade says."""
    if item not in grades:
        return 0
    return gain_of_grade(grades[item], gain)


def gain_of_grade(grade: Number, gain: str) -> Number:
    """What a relevant item of this grade is worth."""
    if gain == "binary":
        return 1
    if gain == "linear":
        return grade
    if gain == "exponential":
        return 2**grade - 1
    if gain == "exponential+1":
        return 2 ** (grade + 1) - 1
    raise ValueError(f"unknown gain: {gain!r}")


def top_items(ranking: Ranking, grades: Grades, k: int | None, ties: str, gain: str) -> list[Id]:
    """Return the top k; among equal scores the most gain comes first (best) or last (worst)."""
    if ties in ("best", "worst"):
        # Sorting is stable: equal scores keep the order by gain, equal gains that of the input.
        ranking = sorted(
            ranking,
            key=lambda entry: gain_of_item(entry[0], grades, gain),
            reverse=ties == "best",
        )
        ranking = sorted(ranking, key=lambda entry: entry[1], reverse=True)
    return [item for item, _ in ranking[:k]]  # [:None] is the whole list.


def value_of_user(
    key: str, ranking: Ranking, grades: Grades, k: int | None, ties: str, options: dict[str, Any]
) -> float:
    """Value of a user who has both relevant items and recommendations."""
    # Whom F1 averages is for F1 to say: the rule of one of its two metrics plays no part.
    options = {name: option for name, option in options.items() if name != "users"}
    if key == "f1":
        return f1(ranking, grades, k, ties, **options)
    top = top_items(ranking, grades, k, ties, options.get("gain", "binary"))
    return VALUES[key](top, grades, k, **options)


def hit_ranks(top: list[Id], grades: Grades) -> list[int]:
    """Return the ranks at which there are relevant items."""
    return [rank for rank, item in enumerate(top, start=1) if item in grades]


def number_of_items(choice: str, top: list[Id], grades: Grades, k: int | None) -> int:
    """How many items a denominator counts."""
    if choice == "recommended":
        return len(top)
    if choice == "relevant":
        return len(grades)
    if choice == "hits":
        return len(hit_ranks(top, grades))
    if choice == "min(recommended, relevant)":
        return min(len(top), len(grades))
    if choice == "min(k, relevant)":
        return len(grades) if k is None else min(k, len(grades))
    if choice == "k":
        return len(top) if k is None else k
    raise ValueError(f"unknown denominator: {choice!r}")


def ratio(part: float, whole: float) -> float:
    """Divide; a part of nothing is 0."""
    return part / whole if whole else 0.0


# The metrics: the value of one user, from the top k and the grades of the relevant items.


def precision(
    top: list[Id], grades: Grades, k: int | None, denominator: str = "recommended"
) -> float:
    """Number of hits, over that of the items recommended."""
    return ratio(len(hit_ranks(top, grades)), number_of_items(denominator, top, grades, k))


def recall(top: list[Id], grades: Grades, k: int | None, denominator: str = "relevant") -> float:
    """Number of hits, over that of the relevant items."""
    return ratio(len(hit_ranks(top, grades)), number_of_items(denominator, top, grades, k))


def map_(
    top: list[Id], grades: Grades, k: int | None, denominator: str = "min(k, relevant)"
) -> float:
    """Sum of the precision at each hit, over the hits that were possible."""
    ranks = hit_ranks(top, grades)
    precisions = [hits / rank for hits, rank in enumerate(ranks, start=1)]
    return ratio(math.fsum(precisions), number_of_items(denominator, top, grades, k))


def mar(top: list[Id], grades: Grades, k: int | None) -> float:
    """Sum of the recall at each hit, over the hits that were possible."""
    ranks = hit_ranks(top, grades)
    recalls = [hits / len(grades) for hits, _ in enumerate(ranks, start=1)]
    return ratio(math.fsum(recalls), number_of_items("min(k, relevant)", top, grades, k))


def hit_rate(top: list[Id], grades: Grades, k: int | None) -> float:
    """Whether there is a hit at all."""
    return 1.0 if hit_ranks(top, grades) else 0.0


def mrr(top: list[Id], grades: Grades, k: int | None) -> float:
    """One over the rank of the first hit."""
    ranks = hit_ranks(top, grades)
    return 1 / ranks[0] if ranks else 0.0


def discounted(gains: list[Number], discount: str) -> float:
    """Sum of the gains, each over the discount of its rank."""
    total = []
    for rank, gain in enumerate(gains, start=1):
        if discount == "log2(r+1)":
            total.append(gain / math.log2(rank + 1))
        elif discount == "log2(max(r, 2))":
            total.append(gain / math.log2(max(rank, 2)))
        else:
            raise ValueError(f"unknown discount: {discount!r}")
    return math.fsum(total)


def dcg(
    top: list[Id],
    grades: Grades,
    k: int | None,
    gain: str = "binary",
    discount: str = "log2(r+1)",
) -> float:
    """Discounted gain of the list."""
    return discounted([gain_of_item(item, grades, gain) for item in top], discount)


def ndcg(
    top: list[Id],
    grades: Grades,
    k: int | None,
    ideal: str = "relevant",
    gain: str = "binary",
    discount: str = "log2(r+1)",
) -> float:
    """Discounted gain of the list, over that of an ideal list."""
    ideal_gains = gains_of_ideal(top, grades, k, ideal, gain)
    return ratio(dcg(top, grades, k, gain, discount), discounted(ideal_gains, discount))


def gains_of_ideal(
    top: list[Id], grades: Grades, k: int | None, ideal: str, gain: str
) -> list[Number]:
    """Return the gains of an ideal list, best first."""
    if ideal == "k":
        n_items = number_of_items("k", top, grades, k)
        return [gain_of_grade(1, gain)] * n_items
    if ideal == "retrieved":
        found = [gain_of_item(item, grades, gain) for item in top if item in grades]
        return sorted(found, reverse=True)
    if ideal not in ("relevant", "min(k, relevant)"):
        raise ValueError(f"unknown ideal: {ideal!r}")
    n_items = number_of_items(ideal, top, grades, k)
    gains = [gain_of_item(item, grades, gain) for item in grades]
    return sorted(gains, reverse=True)[:n_items]


def f1(
    ranking: Ranking,
    grades: Grades,
    k: int | None,
    ties: str,
    beta: float = 1,
    metrics: tuple[tuple[str, dict[str, Any]], ...] = (("precision", {}), ("recall", {})),
) -> float:
    """Weighted harmonic mean of two metrics, each of which orders ties by its own gain."""
    (one_key, one_options), (other_key, other_options) = metrics
    one = value_of_user(one_key, ranking, grades, k, ties, one_options)
    other = value_of_user(other_key, ranking, grades, k, ties, other_options)
    return ratio((1 + beta**2) * one * other, beta**2 * one + other)


VALUES: dict[str, Callable[..., float]] = {
    "precision": precision,
    "recall": recall,
    "map": map_,
    "ndcg": ndcg,
    "dcg": dcg,
    "mrr": mrr,
    "hit_rate": hit_rate,
    "mar": mar,
}
