"""The data of the benchmarks: frames as arrays, in every shape that is measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

LIST_LENGTH = 20
INTERACTIONS_PER_ROW = 0.39
K = 10

# Columns of both frames: "actual.user_id", "predicted.click" and so on.
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """Columns, what their ids become in frames (see ``frames.py``), and a cut-off."""

    title: str
    columns: Columns
    ids: str = "integers"
    k: int = K

    @property
    def n_rows(self) -> int:
        """Rows of both frames."""
        return len(self.columns["actual.click"]) + len(self.columns["predicted.click"])


def make_data(n_rows: int, list_length: int = LIST_LENGTH, seed: int = 0) -> Columns:
    """Lists of equal length for users 0, 1, ...; a fifth of the log is about what they got."""
    rng = np.random.default_rng(seed)
    n_users = max(n_rows // list_length, 1)
    n_items = max(n_users // 5, 10 * list_length)
    # Steps from a random start that cover half the catalogue: no item twice in a list.
    step = n_items // (2 * list_length)
    first = rng.integers(0, n_items, n_users)
    user = np.repeat(np.arange(n_users), list_length)
    item = (first[:, None] + step * np.arange(list_length)).ravel() % n_items
    actual = make_log(user, item, n_users, n_items, rng)
    order = rng.permutation(len(user))
    return actual | {
        "predicted.user_id": user[order],
        "predicted.item_id": item[order],
        "predicted.click": distinct_scores(len(user), rng),
    }


def make_log(
    user: np.ndarray, item: np.ndarray, n_users: int, n_items: int, rng: np.random.Generator
) -> Columns:
    """Interactions of random users with random items, a fifth of them with what was shown."""
    n_log = int(len(user) * INTERACTIONS_PER_ROW)
    log_user, log_item = rng.integers(0, n_users, n_log), rng.integers(0, n_items, n_log)
    shown = rng.integers(0, len(user), n_log // 5)
    log_user[: len(shown)], log_item[: len(shown)] = user[shown], item[shown]
    # Without repeated rows, which Jurity counts as further relevant items.
    pair = np.sort(log_user * n_items + log_item)
    pair = rng.permutation(pair[np.append(True, pair[1:] != pair[:-1])])
    return {
        "actual.user_id": pair // n_items,
        "actual.item_id": pair % n_items,
        "actual.click": (rng.random(len(pair)) < 0.5).astype(np.int64),
    }


def distinct_scores(n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Distinct, so that libraries have to agree on the order.

    Over a power of two, so that up to 16 million stay distinct in the 32 bits of trec_eval.
    """
    return rng.permutation(n_rows) / 2.0 ** max(n_rows - 1, 1).bit_length()


def cases(n_rows: int) -> Iterator[Case]:
    """What all libraries are measured on; the first is the base of all ratios."""
    data = make_data(n_rows)
    yield Case("integer ids, shuffled", data)
    in_order = np.lexsort([-data["predicted.click"], data["predicted.user_id"]])
    ordered = {name: data[name][in_order] for name in data if name.startswith("predicted")}
    yield Case("integer ids, in order", data | ordered)
    yield Case("Arrow strings, shuffled", data, ids="Arrow strings")


def shapes(n_rows: int) -> Iterator[Case]:
    """What this package is measured on besides, with Polars beside it."""
    rng = np.random.default_rng(1)
    data = make_data(n_rows)
    scores = data["predicted.click"]
    yield Case("lists of 2,000", make_data(n_rows, list_length=min(2000, n_rows)))
    part = n_rows // 10
    yield Case(f"one user with {part:,} rows", with_users(data, np.zeros(part, np.int64), rng))
    yield Case(f"{part:,} users with one row", with_users(data, np.arange(part), rng))
    yield Case("k=1", data, k=1)
    yield Case("k=10,000", data, k=10_000)
    yield Case("all scores equal", data | {"predicted.click": np.full(len(scores), 0.5)})
    yield Case("scores rounded to two decimals", data | {"predicted.click": scores.round(2)})
    yield Case("random 64-bit ids", with_random_ids(data, rng))
    yield Case("object strings", data, ids="object strings")
    yield Case("categorical ids", data, ids="categories")


def with_users(data: Columns, users: np.ndarray, rng: np.random.Generator) -> Columns:
    """Rows of new users instead of the last lists, and a tenth of these rows in the log."""
    n_lists = (len(data["predicted.click"]) - len(users)) // LIST_LENGTH
    kept = data["predicted.user_id"] < n_lists
    logged = rng.random(len(users)) < 0.1
    order = rng.permutation(np.count_nonzero(kept) + len(users))
    new_ids = {"user_id": users + data["predicted.user_id"].max() + 1}
    new_ids["item_id"] = np.arange(len(users))  # no item twice for anybody
    result = {"actual.click": np.append(data["actual.click"], np.ones(logged.sum(), np.int64))}
    for column, ids in new_ids.items():
        result[f"actual.{column}"] = np.append(data[f"actual.{column}"], ids[logged])
        result[f"predicted.{column}"] = np.append(data[f"predicted.{column}"][kept], ids)[order]
    return result | {"predicted.click": data["predicted.click"][: len(order)]}


def with_random_ids(data: Columns, rng: np.random.Generator) -> Columns:
    """Each id replaced by a random 64-bit integer."""
    result = data.copy()
    for column in ("user_id", "item_id"):
        names = [f"{frame}.{column}" for frame in ("actual", "predicted")]
        n_ids = 1 + max(data[name].max() for name in names)
        ids = rng.integers(-(2**63), 2**63 - 1, n_ids)  # twice the same is next to impossible
        result |= {name: ids[data[name]] for name in names}
    return result
