"""Diversity: how different lists are from each other, and the items within a list."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run, sum_per_user
from jurity_reco.errors import InvalidOptionError
from jurity_reco.hashing import hash_series
from jurity_reco.metrics.base import Metric
from jurity_reco.metrics.distances import SETS, VECTORS, unit_vectors
from jurity_reco.metrics.features import ItemFeatures
from jurity_reco.metrics.options import (
    checked_count,
    checked_integer,
    checked_sample_size,
    checked_seed,
    warn_about_sample_size,
)
from jurity_reco.states import DiversityState, RatioState, State
from jurity_reco.tables import Need, Recommendations, Tables, first_recommendations

__all__ = ["InterListDiversity", "IntraListDiversity"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Distance = Callable[[Any, Any], float]

#: How many users are looked at where everybody would take too long.
DEFAULT_SAMPLE = 10_000
#: Numbers that a temporary array may hold.
_BLOCK = 4_000_000


@dataclass(frozen=True, repr=False)
class DiversityMetric(Metric):
    """What both diversity metrics have in common: they look at recommendations alone.

    Parameters
    ----------
    user_sample_size
        Look at this many users, or at this share of them, drawn at random in each run; ``None``
        for everybody. ``"auto"``: everybody for ``"cosine"``, which is exact and cheap, and
        otherwise up to 10,000 users.
    seed
        Where the draws start.
    metric
        The distance: ``"cosine"``, ``"jaccard"``, ``"dice"``, ``"euclidean"`` (``"l2"``),
        ``"sqeuclidean"``, ``"cityblock"`` (``"l1"``, ``"manhattan"``), ``"canberra"``,
        ``"chebyshev"``, ``"hamming"``, ``"braycurtis"``, ``"correlation"``, or a function of two
        vectors.
    num_runs
        Number of draws, whose results are averaged. With everybody in the sample there is one.
    """

    ignores_actual: ClassVar[bool] = True
    by_relevance: ClassVar[bool] = False

    _: KW_ONLY
    user_sample_size: int | float | str | None = "auto"
    seed: int = 1
    metric: str | Distance = "cosine"
    num_runs: int = 10
    n_jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("user_sample_size", checked_sample_size(self.user_sample_size))
        self._set("num_runs", checked_count("num_runs", self.num_runs, optional=False))
        self._set("n_jobs", checked_integer("n_jobs", self.n_jobs))
        self._set("seed", checked_seed(self.seed))
        if not callable(self.metric) and not (isinstance(self.metric, str) and self.metric in SETS):
            raise InvalidOptionError.not_a_distance(list(SETS), self.metric)

    @property
    def needs(self) -> Need:
        """All recommendations."""
        return Need.LISTS

    @property
    def empty_sums(self) -> State:
        """Nobody."""
        return DiversityState()

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Mean distance of every user, times the share of draws that the user was in."""
        y, n, _ = self.measure(tables)
        return y, n

    def _draws(self, listed: Integers) -> Iterator[Integers]:
        """The users to look at in each run."""
        size = self.user_sample_size
        if size == "auto":
            size = None if self.metric == "cosine" else min(DEFAULT_SAMPLE, len(listed))
        if isinstance(size, float):
            size = max(int(len(listed) * size), 1)
        if isinstance(size, int) and size > len(listed):
            warn_about_sample_size()
        if not isinstance(size, int) or size >= len(listed):
            yield listed
            return
        rng = np.random.default_rng(self.seed)
        for _ in range(self.num_runs):
            yield np.sort(rng.choice(listed, size=size, replace=False))

    @property
    def not_accumulated(self) -> str | None:
        """A sample of each batch is not a sample of all users."""
        if self.user_sample_size is None or (self.user_sample_size, self.metric) == (
            "auto",
            "cosine",
        ):
            return None
        return "it looks at a sample of users; pass user_sample_size=None to look at everybody"

    @property
    def _range(self) -> tuple[float, float]:
        low, high = self.value_range
        return (low, high) if self.metric == "cosine" else (-np.inf, np.inf)

    def _state(
        self,
        y: Floats,
        n: Floats,
        n_not_sampled: int,
        n_without: int = 0,
        items: npt.NDArray[np.uint64] | None = None,
    ) -> DiversityState:
        ratio = RatioState.of_users(y, n, self._range)
        return DiversityState(ratio, (n_not_sampled, n_without), items)


@dataclass(frozen=True, repr=False)
class InterListDiversity(DiversityMetric):
    r"""How different the lists of different users are: mean distance over all pairs of users.

    With the 0/1 vector of the items among each user's first k recommendations, scaled to length 1
    as :math:`v_u`, and N users, the mean cosine distance is

    .. math:: 1 - \frac{|\sum_u v_u|^2 - N}{N (N - 1)}

    which is exact for everybody and costs no more than reading the recommendations. Averaged are
    all users in ``predicted``; ``actual`` is ignored and may be ``None``. With one single user the
    score is ``nan``, with a warning. The range of the cosine distance is 0 to 1.

    A user's value is the mean distance from the others. It depends on them, so batches do not add
    up, and ``batch_accumulate=True`` is refused.

    Parameters
    ----------
    n_jobs
        Number of threads for distances other than cosine; -1 for all processors.
    working_memory
        Mebibytes for temporary distances, other than cosine.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import DiversityRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2, 3, 3],
    ...     "item_id": ["a", "b", "a", "b", "a", "c"],
    ...     "click": [0.9, 0.8, 0.9, 0.8, 0.9, 0.8]})
    >>> diversity = DiversityRecoMetrics.InterListDiversity(click_column="click", k=2)
    >>> round(diversity.get_score(None, predicted), 4)       # (0 + 1/2 + 1/2) / 3
    0.3333
    """

    key: ClassVar[str] = "inter-list diversity"

    user_sample_size: int | float | str | None = field(default="auto", kw_only=False)
    seed: int = field(default=1, kw_only=False)
    metric: str | Distance = field(default="cosine", kw_only=False)
    num_runs: int = field(default=10, kw_only=False)
    n_jobs: int = field(default=1, kw_only=False)
    working_memory: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.working_memory is not None:
            self._set("working_memory", checked_count("working_memory", self.working_memory))

    @property
    def not_accumulated(self) -> str | None:
        """Pairs of users of different batches are never seen together."""
        return "it compares all users with each other, so they have to come in one call"

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """Mean distance of each user from the others."""
        lists = first_recommendations(tables, self.k)
        listed = tables.users.listed
        y, n = np.zeros(len(listed)), np.zeros(len(listed))
        n_draws = 0
        for users in self._draws(np.flatnonzero(listed)):
            n_draws += 1
            n[users] += 1
            if len(users) == 1:
                warnings.warn(
                    "Inter-List Diversity is nan, because there is only one single user.",
                    UserWarning,
                    stacklevel=2,
                )
                y[users] += np.nan
            elif len(users):
                y[users] += self._mean_distances(_of_users(lists, users, len(listed)))
        n_draws = max(n_draws, 1)
        y, n = y / n_draws, n / n_draws
        n_not_sampled = int(np.count_nonzero(listed & (n == 0)))
        return y, n, self._state(y, n, n_not_sampled)

    def _mean_distances(self, lists: Recommendations) -> Floats:
        """Mean distance of each of some users, who are numbered from 0 on, from the others."""
        length = np.bincount(lists.user).astype(np.float64)
        n_users = len(length)
        if self.metric == "cosine":
            scale = 1 / np.sqrt(length)[lists.user]
            total = sum_per_user(lists.item, scale, lists.n_items)
            similarity = sum_per_user(lists.user, scale * total[lists.item], n_users)
            # A user's similarity to everybody includes that to the user, which is 1.
            return 1 - (similarity - 1) / (n_users - 1)

        memory = _BLOCK if self.working_memory is None else self.working_memory * 2**20 // 8
        height = max(memory // n_users, 1)
        starts = range(0, n_users, height)
        distances = self._function_blocks if callable(self.metric) else self._set_blocks
        block = distances(lists, length)

        def mean_of_block(start: int) -> Floats:
            rows = block(start, min(start + height, n_users))
            # The distance from oneself is 0 by definition, whatever rounding makes of it.
            rows[np.arange(len(rows)), np.arange(start, start + len(rows))] = 0
            mean: Floats = rows.sum(axis=1) / (n_users - 1)
            return mean

        n_threads = (os.cpu_count() or 1) if self.n_jobs < 0 else self.n_jobs
        with ThreadPoolExecutor(n_threads) as pool:
            return np.concatenate(list(pool.map(mean_of_block, starts)))

    def _set_blocks(self, lists: Recommendations, length: Floats) -> Callable[[int, int], Floats]:
        """Distances of some users from all, by the number of common items."""
        assert isinstance(self.metric, str)
        distance = SETS[self.metric]
        common = _CommonItems(lists, len(length))

        def block(start: int, end: int) -> Floats:
            return distance(
                common.block(start, end), length[start:end, None], length[None, :], common.n_items
            )

        return block

    def _function_blocks(
        self, lists: Recommendations, length: Floats
    ) -> Callable[[int, int], Floats]:
        """Distances of some users from all, by calling a function for every pair."""
        assert callable(self.metric)
        distance = self.metric
        _, item = np.unique(lists.item, return_inverse=True)
        vectors = np.zeros((len(length), int(item.max()) + 1))
        vectors[lists.user, item] = 1

        def block(start: int, end: int) -> Floats:
            return np.array([[distance(x, y) for y in vectors] for x in vectors[start:end]])

        return block

    def __str__(self) -> str:
        return self._named([], title="Inter-List Diversity")


class _CommonItems:
    """How many items the lists of users have in common, for some users and all others.

    The few items that are in many lists are counted by a product of matrices, and the many that are
    in few lists one by one; either alone would be slow.
    """

    def __init__(self, lists: Recommendations, n_users: int) -> None:
        self.n_users = n_users
        order = np.argsort(lists.item, kind="stable")
        item = np.cumsum(begins_run(lists.item[order])) - 1
        self.user = lists.user[order]
        popularity = np.bincount(item)
        self.n_items = len(popularity)
        popular = popularity > max(200, n_users // 50)
        number = np.cumsum(popular) - 1
        in_many = popular[item]
        self.matrix = np.zeros((n_users, int(popular.sum())), dtype=np.float32)
        self.matrix[self.user[in_many], number[item[in_many]]] = 1
        # Rows of rare items, by user, with the range of users who have the same item.
        rare = np.flatnonzero(~in_many)
        rare = rare[np.argsort(self.user[rare], kind="stable")]
        end = np.cumsum(popularity)
        self.rare_user = self.user[rare]
        self.start, self.length = (end - popularity)[item[rare]], popularity[item[rare]]

    def block(self, start: int, end: int) -> Floats:
        """Common items of the users from start to end with everybody."""
        common = (self.matrix[start:end] @ self.matrix.T).astype(np.float64)
        rows = slice(*np.searchsorted(self.rare_user, [start, end]))
        length = self.length[rows]
        before = np.cumsum(length) - length
        place = np.arange(length.sum()) + np.repeat(self.start[rows] - before, length)
        pair = np.repeat(self.rare_user[rows] - start, length) * self.n_users + self.user[place]
        common += np.bincount(pair, minlength=common.size).reshape(common.shape)
        return common


@dataclass(frozen=True, init=False, repr=False)
class IntraListDiversity(DiversityMetric):
    r"""How different the items within a list are: mean distance over pairs, averaged over users.

    With features :math:`f_i` of the n items among a user's first k recommendations, scaled to
    length 1, a user's mean cosine distance is

    .. math:: 1 - \frac{|\sum_i f_i|^2 - \sum_i |f_i|^2}{n (n - 1)}

    so no matrix of all items is needed. Averaged are users with two or more items with features;
    ``actual`` is ignored and may be ``None``. Items without features are left out and counted as
    ``items_without_features``. An item whose features are all 0 has distance 1 from any other. The
    range of the cosine distance is 0 to 2.

    Parameters
    ----------
    item_features
        Frame with a row per item: the item column, and columns of numbers.
    n_jobs
        Taken as in Jurity; there is nothing left that threads would make faster.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import DiversityRecoMetrics
    >>> features = pd.DataFrame({
    ...     "item_id": ["a", "b", "c"], "sweet": [1.0, 1.0, 0.0], "salty": [0.0, 0.0, 1.0]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2],
    ...     "item_id": ["a", "b", "a", "c"],
    ...     "click": [0.9, 0.8, 0.9, 0.8]})
    >>> diversity = DiversityRecoMetrics.IntraListDiversity(features, click_column="click", k=2)
    >>> diversity.get_score(None, predicted)                 # (0 + 1) / 2
    0.5
    """

    key: ClassVar[str] = "intra-list diversity"
    value_range: ClassVar[tuple[float, float]] = (0.0, 2.0)

    item_features: ItemFeatures = field(kw_only=True)

    def __init__(
        self,
        item_features: Any,
        click_column: str,
        k: int | None = None,
        user_id_column: str = "user_id",
        item_id_column: str = "item_id",
        user_sample_size: int | float | str | None = "auto",
        seed: int = 1,
        metric: str | Distance = "cosine",
        n_jobs: int = 1,
        num_runs: int = 10,
        **options: Any,
    ) -> None:
        if not isinstance(item_features, ItemFeatures):
            item_features = ItemFeatures(item_features, item_id_column)
        given = {
            "item_features": item_features,
            "click_column": click_column,
            "k": k,
            "user_id_column": user_id_column,
            "item_id_column": item_id_column,
            "user_sample_size": user_sample_size,
            "seed": seed,
            "metric": metric,
            "n_jobs": n_jobs,
            "num_runs": num_runs,
            **options,
        }
        unknown = sorted(set(options) - set(self._defaults) | {"_accumulated"} & set(options))
        if unknown:
            raise TypeError(f"IntraListDiversity got unknown options: {', '.join(unknown)}")
        for option, default in self._defaults.items():
            self._set(option, given.get(option, default))
        self.__post_init__()

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """Mean distance of the items of each user."""
        lists = first_recommendations(tables, self.k)
        listed = tables.users.listed
        n_users = len(listed)
        n_sampled, n_draws = np.zeros(n_users), 0
        for users in self._draws(np.flatnonzero(listed)):
            n_sampled[users] += 1
            n_draws += 1
        in_sample = n_sampled[lists.user] > 0
        user, vector, without = self._with_features(
            tables, lists.user[in_sample], lists.item[in_sample]
        )

        n_items = np.bincount(user, minlength=n_users).astype(np.float64)
        total = self._total_distances(user, vector, n_users)
        mean = np.zeros(n_users)
        n_pairs = n_items * (n_items - 1) / 2
        np.divide(total, n_pairs, out=mean, where=n_pairs > 0)
        n = np.where(n_pairs > 0, n_sampled / max(n_draws, 1), 0.0)
        y = mean * n
        n_not_sampled = int(np.count_nonzero(listed & (n_sampled == 0)))
        return y, n, self._state(y, n, n_not_sampled, *without)

    def _with_features(
        self, tables: Tables, user: Integers, item: Integers
    ) -> tuple[Integers, Integers, tuple[int, npt.NDArray[np.uint64]]]:
        """Recommendations of items with features: the user, and the row of the features.

        The third is how many recommendations have none, and the hashes of their items.
        """
        codes, ids = tables.recommended_items()
        row_of_item = np.full(int(codes.max(initial=-1)) + 1, -1)
        row_of_item[codes] = self.item_features.rows_of(ids, self.item_id_column)
        row = row_of_item[item]
        lacking = np.unique(item[row < 0])
        hashes = np.sort(hash_series(ids[np.isin(codes, lacking)]))
        without = int(np.count_nonzero(row < 0)), hashes
        return user[row >= 0], row[row >= 0], without

    def _total_distances(self, user: Integers, vector: Integers, n_users: int) -> Floats:
        """Sum of the distances over all pairs of items of each user."""
        features = self.item_features.vectors
        if self.metric == "cosine":
            return _total_cosine(user, vector, unit_vectors(features), n_users)
        # Each item is paired with all earlier ones of the same user.
        start = np.flatnonzero(begins_run(user))
        earlier = np.arange(len(user)) - np.repeat(start, np.diff(start, append=len(user)))
        total = np.zeros(n_users)
        for rows in _blocks(earlier * features.shape[1]):
            length = earlier[rows]
            left = np.repeat(np.arange(rows.start, rows.stop), length)
            before = np.cumsum(length) - length
            right = (
                left - np.repeat(length, length) + np.arange(len(left)) - np.repeat(before, length)
            )
            x, y = features[vector[left]], features[vector[right]]
            if callable(self.metric):
                distance = np.array(
                    [self.metric(a, b) for a, b in zip(x, y, strict=True)], dtype=float
                )
            else:
                distance = VECTORS[self.metric](x, y)
            total += sum_per_user(user[left], distance, n_users)
        return total

    def __str__(self) -> str:
        return self._named([], title="Intra-List Diversity")


def _total_cosine(user: Integers, vector: Integers, unit: Floats, n_users: int) -> Floats:
    """Sum of the cosine distances over all pairs of rows of each user."""
    length = np.einsum("ij,ij->i", unit, unit)
    squares = sum_per_user(user, length[vector], n_users)
    n_items = np.bincount(user, minlength=n_users).astype(np.float64)
    of_sum = np.zeros(n_users)
    # Whole users at a time, because the vectors of a user are added up.
    start = np.flatnonzero(begins_run(user))
    n_rows = np.diff(start, append=len(user))
    for users in _blocks(n_rows * unit.shape[1]):
        first, last = start[users.start], start[users.stop - 1] + n_rows[users.stop - 1]
        total = np.add.reduceat(unit[vector[first:last]], start[users] - first)
        of_sum[user[start[users]]] = np.einsum("ij,ij->i", total, total)
    return n_items * (n_items - 1) / 2 - (of_sum - squares) / 2


def _blocks(sizes: npt.NDArray[Any]) -> Iterator[slice]:
    """Ranges of entries whose sizes add up to about as much as a temporary array may hold."""
    if not len(sizes):
        return
    block = np.cumsum(sizes) // _BLOCK
    start = np.append(np.flatnonzero(begins_run(block)), len(sizes))
    for first, last in zip(start[:-1].tolist(), start[1:].tolist(), strict=True):
        yield slice(first, last)


def _of_users(lists: Recommendations, users: Integers, n_users: int) -> Recommendations:
    """The recommendations of some users, who are numbered anew from 0 on."""
    number = np.full(n_users, -1)
    number[users] = np.arange(len(users))
    chosen = lists.filtered(number[lists.user] >= 0)
    return chosen.with_users(number[chosen.user])
