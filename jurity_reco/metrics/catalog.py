"""Catalogue metrics: which items are recommended at all, and how popular they are."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import ratio, sum_per_user
from jurity_reco.errors import InvalidOptionError
from jurity_reco.hashing import hash_series
from jurity_reco.metrics.base import Metric
from jurity_reco.metrics.features import Catalog, ItemFeatures, popularity_table
from jurity_reco.metrics.options import checked_count
from jurity_reco.states import ItemCountState, State
from jurity_reco.tables import Need, Tables, first_recommendations

__all__ = [
    "AveragePopularity",
    "Coverage",
    "Entropy",
    "Gini",
    "LongTailShare",
    "Novelty",
]

Floats = npt.NDArray[np.float64]

#: Share of all interactions that the popular items hold.
HEAD_SHARE = 0.8


@dataclass(frozen=True, repr=False)
class CatalogMetric(Metric):
    """A metric of recommendations alone: ``actual`` is ignored and may be ``None``."""

    ignores_actual: ClassVar[bool] = True
    by_relevance: ClassVar[bool] = False

    @property
    def needs(self) -> Need:
        """All recommendations."""
        return Need.LISTS


@dataclass(frozen=True, repr=False)
class CatalogTotal(CatalogMetric):
    """A metric of how often each item is recommended to anybody.

    Parameters
    ----------
    catalog
        The catalogue: the number of its items, or the items. Recommendations of items that are not
        in it are left out and counted as ``recommendations_outside_catalog``.
    """

    totals: ClassVar[bool] = True
    statistic: ClassVar[str]
    catalog_needed: ClassVar[bool] = True

    _: KW_ONLY
    catalog: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.catalog is not None:
            self._set("catalog", Catalog.of(self.catalog))
        elif self.catalog_needed:
            raise InvalidOptionError.no_catalog(type(self).__name__)

    @property
    def empty_sums(self) -> State:
        """No items."""
        size = 0 if self.catalog is None else self.catalog.size
        return ItemCountState(statistic=self.statistic, catalog_size=size)

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """All users with recommendations count, but have no value of their own."""
        y, n, _ = self.measure(tables)
        return y, n

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """How often each item is among the first k."""
        lists = first_recommendations(tables, self.k)
        codes, ids = tables.recommended_items()
        count = np.bincount(lists.item, minlength=lists.n_items)[codes]
        items = hash_series(ids)
        shown = count > 0
        known = shown if self.catalog is None else shown & self.catalog.contains(items)
        order = np.argsort(items[known])
        n = tables.users.listed.astype(np.float64)
        state = ItemCountState(
            items=items[known][order],
            count=count[known][order],
            n_users=int(n.sum()),
            n_outside=int(count.sum() - count[known].sum()),
            statistic=self.statistic,
            catalog_size=0 if self.catalog is None else self.catalog.size,
        )
        if self.catalog is not None and len(state.items) > self.catalog.size:
            raise InvalidOptionError.catalog_too_small(self.catalog.size, len(state.items))
        return np.zeros(len(n)), n, state


@dataclass(frozen=True, repr=False)
class Coverage(CatalogTotal):
    r"""Share of the catalogue that is among anybody's first k recommendations.

    The average over users has no meaning here: it is a total over all users in ``predicted``. The
    range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import CatalogRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2], "item_id": [10, 11, 10, 12], "click": [0.9, 0.8, 0.9, 0.8]})
    >>> CatalogRecoMetrics.Coverage("click", k=2, catalog=4).get_score(None, predicted)    # 3 / 4
    0.75
    """

    key: ClassVar[str] = "coverage"
    statistic: ClassVar[str] = "coverage"


@dataclass(frozen=True, repr=False)
class Gini(CatalogTotal):
    r"""How unequally often the items of the catalogue are recommended.

    With c(j) the number of lists that item j is in, in ascending order and items that are never
    shown included, and N items in the catalogue,

    .. math:: \frac{\sum_{j=1}^{N} (2j - N - 1)\, c(j)}{N \sum_j c(j)}

    It is 0 when all items are shown equally often and close to 1 when one item is shown alone. The
    average over users has no meaning here: it is a total over all users in ``predicted``. The range
    is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import CatalogRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2], "item_id": [10, 11, 10, 12], "click": [0.9, 0.8, 0.9, 0.8]})
    >>> CatalogRecoMetrics.Gini("click", k=2, catalog=4).get_score(None, predicted)
    0.375
    """

    key: ClassVar[str] = "gini"
    statistic: ClassVar[str] = "gini"


@dataclass(frozen=True, repr=False)
class Entropy(CatalogTotal):
    r"""How evenly recommendations are spread over items, in bits.

    With p(j) the share of all recommendations that are of item j,

    .. math:: -\sum_j p(j) \log_2 p(j)

    The average over users has no meaning here: it is a total over all users in ``predicted``. The
    range starts at 0, when one item is shown alone. It needs no catalogue.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import CatalogRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 2], "item_id": [10, 11, 10, 12], "click": [0.9, 0.8, 0.9, 0.8]})
    >>> CatalogRecoMetrics.Entropy("click", k=2).get_score(None, predicted)    # 1/2 + 2 * 2/4
    1.5
    """

    key: ClassVar[str] = "entropy"
    statistic: ClassVar[str] = "entropy"
    catalog_needed: ClassVar[bool] = False
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)


@dataclass(frozen=True, repr=False)
class PopularityMetric(CatalogMetric):
    """A mean over users of something that depends on how popular their items are.

    Parameters
    ----------
    popularity
        How many users each item had: a dictionary, or a Series whose index holds the items. An item
        that is not in it had none.
    """

    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    _: KW_ONLY
    popularity: Any = field(default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.popularity is None:
            raise InvalidOptionError.no_popularity(type(self).__name__)
        if not isinstance(self.popularity, ItemFeatures):
            self._set("popularity", popularity_table(self.popularity))

    @abstractmethod
    def of_items(self, count: Floats) -> Floats:
        """The value of each item, the last of which stands for all items without users."""

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Mean over the list."""
        lists = first_recommendations(tables, self.k)
        codes, ids = tables.recommended_items()
        value_of_row = self.of_items(np.append(self.popularity.vectors[:, 0], 0.0))
        value_of_item = np.zeros(lists.n_items)
        # Row -1, of an item that nobody had, is the last one.
        value_of_item[codes] = value_of_row[self.popularity.rows_of(ids, self.item_id_column)]
        n_users = len(tables.users)
        total = sum_per_user(lists.user, value_of_item[lists.item], n_users)
        n_items = np.bincount(lists.user, minlength=n_users)
        return ratio(total, n_items), (n_items > 0).astype(np.float64)


@dataclass(frozen=True, repr=False)
class AveragePopularity(PopularityMetric):
    r"""Mean popularity of the items in a user's list, averaged over users.

    Averaged are users with a recommendation. The range starts at 0.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import CatalogRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": ["tea", "jam", "oil"], "click": [0.9, 0.8, 0.7]})
    >>> popularity = CatalogRecoMetrics.AveragePopularity("click", popularity={"tea": 8, "jam": 2})
    >>> popularity.get_score(None, predicted)       # ((8 + 2) / 2 + 0) / 2
    2.5
    """

    key: ClassVar[str] = "average_popularity"

    def of_items(self, count: Floats) -> Floats:
        """The number of users."""
        return count


@dataclass(frozen=True, repr=False)
class Novelty(PopularityMetric):
    r"""Mean self-information of the items in a user's list, averaged over users.

    With the number of users ``pop`` of an item, of U users,

    .. math:: -\log_2 \frac{\max(pop, 1)}{U}

    is how surprising it is, in bits: 0 for an item that everybody has. Averaged are users with a
    recommendation. The range starts at 0.

    Parameters
    ----------
    popularity_users
        The users U that popularity was counted over.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import CatalogRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": ["tea", "jam", "oil"], "click": [0.9, 0.8, 0.7]})
    >>> novelty = CatalogRecoMetrics.Novelty(
    ...     "click", popularity={"tea": 8, "jam": 2}, popularity_users=8)
    >>> novelty.get_score(None, predicted)          # ((0 + 2) / 2 + 3) / 2
    2.0
    """

    key: ClassVar[str] = "novelty"

    _: KW_ONLY
    popularity_users: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.popularity_users is None:
            raise InvalidOptionError.no_popularity_users(type(self).__name__)
        users = checked_count("popularity_users", self.popularity_users, optional=False)
        self._set("popularity_users", users)
        largest = float(self.popularity.vectors.max(initial=0.0))
        if largest > users:
            raise InvalidOptionError.more_users_than_all(largest, users)

    def of_items(self, count: Floats) -> Floats:
        """Bits of surprise."""
        assert self.popularity_users is not None
        bits: Floats = np.log2(self.popularity_users) - np.log2(np.maximum(count, 1.0))
        return bits


@dataclass(frozen=True, repr=False)
class LongTailShare(PopularityMetric):
    r"""Share of a user's list outside the most popular items, averaged over users.

    The most popular items are the fewest that hold 80 % of all interactions in ``popularity``; of
    items with the same number of users, the first ones given. Averaged are users with a
    recommendation. The range is 0 to 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import CatalogRecoMetrics
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": ["tea", "jam", "oil"], "click": [0.9, 0.8, 0.7]})
    >>> tail = CatalogRecoMetrics.LongTailShare("click", popularity={"tea": 8, "jam": 2})
    >>> tail.get_score(None, predicted)             # (1 / 2 + 1 / 1) / 2
    0.75
    """

    key: ClassVar[str] = "long_tail_share"
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def of_items(self, count: Floats) -> Floats:
        """1 for an item of the long tail."""
        order = np.argsort(-count, kind="stable")
        held_before = np.cumsum(count[order]) - count[order]
        tail = np.ones(len(count))
        tail[order[held_before < HEAD_SHARE * count.sum()]] = 0.0
        return tail
