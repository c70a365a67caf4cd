"""A model that recommends, evaluated on what its users liked."""

from __future__ import annotations

import logging
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from jurity_reco.errors import InvalidDataError, InvalidOptionError, MissingPackageError
from jurity_reco.functional import RULES, binary_grades, score_of
from jurity_reco.listed import checked_items, tables_of_lists
from jurity_reco.metrics.catalog import Coverage, Gini
from jurity_reco.metrics.names import metric_in_dialect
from jurity_reco.metrics.options import checked_count
from jurity_reco.tables import Tables

__all__ = ["RecommenderEvaluator"]

_logger = logging.getLogger(__name__)

_SCORES = (Real, type(None))
#: From so many users on a bar is shown, if anybody can see it.
MANY_USERS = 1000


class RecommenderEvaluator:
    """Evaluates any model with a method ``recommend(user_id, n)``.

    Precision divides by k and users without relevant items count 0, as in the dialect
    ``lists_and_sets``; ``f1@k`` is the harmonic mean of the mean Precision and the mean Recall, and
    ``gini@k`` is over the recommended items. Users for whom the model fails are left out of the
    means; they and their errors are in ``failed`` after each call.

    Parameters
    ----------
    k_values
        The cut-offs.
    progress
        Whether to show a bar, which needs tqdm. By default it is shown for a thousand users and
        more where there is a terminal and tqdm is installed.

    Examples
    --------
    >>> from jurity_reco import RecommenderEvaluator
    >>> class Popular:
    ...     def recommend(self, user_id, n):
    ...         if user_id == "eve":
    ...             raise KeyError("eve is new")
    ...         return [("tea", 0.9), ("jam", 0.5), ("oil", 0.1)][:n]
    >>> evaluator = RecommenderEvaluator(k_values=[1, 2])
    >>> liked = {"ann": {"tea"}, "bob": {"jam", "rye"}, "eve": {"tea"}}
    >>> evaluator.evaluate(Popular(), liked, catalog_size=10)["recall@2"]     # (1 + 1/2) / 2
    0.75
    >>> evaluator.failed
    {'eve': KeyError('eve is new')}
    """

    def __init__(
        self, k_values: Iterable[int] = (5, 10, 20), *, progress: bool | None = None
    ) -> None:
        values = k_values if isinstance(k_values, Iterable) else [k_values]
        cutoffs = [checked_count("k_values", k, optional=False) for k in values]
        if not cutoffs:
            raise InvalidOptionError.not_cutoffs("k_values", k_values)
        if progress is not None and not isinstance(progress, bool):
            raise InvalidOptionError.not_a_switch("progress", progress)
        self.k_values = tuple(dict.fromkeys(cutoffs))
        self.progress = progress
        #: Errors of the last call, by user.
        self.failed: dict[Any, Exception] = {}

    def evaluate(
        self, model: Any, test_data: Mapping[Any, Collection[Any]], catalog_size: int
    ) -> dict[str, float]:
        """Ask the model for recommendations and score them.

        Parameters
        ----------
        model
            Anything with ``recommend(user_id, n)`` that returns a list of pairs (item, score), or
            of items, best first. Entries are pairs if all of them are a tuple or list of two, the
            second of which is a number or None.
        test_data
            The relevant items of each user.
        catalog_size
            Number of items in the catalogue.

        Returns
        -------
        dict
            ``precision@k``, ``recall@k``, ``f1@k``, ``coverage@k`` and ``gini@k`` for every k.
        """
        if not callable(getattr(model, "recommend", None)):
            raise InvalidOptionError.not_a_model(model)
        if not isinstance(test_data, Mapping):
            raise InvalidOptionError.not_by_user("test_data", test_data)
        if not test_data:
            raise InvalidOptionError.no_users("test_data")
        size = checked_count("catalog_size", catalog_size, optional=False)
        relevant = {user: binary_grades(items) for user, items in test_data.items()}
        lists, self.failed = self._recommendations(model, test_data)
        if not lists:
            user, error = next(iter(self.failed.items()))
            raise InvalidDataError.all_failed(len(test_data), user, error) from error
        if self.failed:
            _logger.warning(
                "The model failed for %d of %d users, who are left out; they are in failed.",
                len(self.failed),
                len(test_data),
            )
        tables = tables_of_lists(list(lists.values()), [relevant[user] for user in lists])
        scores: dict[str, float] = {}
        for k in self.k_values:
            scores |= _scores_at(k, tables, size)
        return scores

    def _recommendations(
        self, model: Any, test_data: Mapping[Any, Any]
    ) -> tuple[dict[Any, list[Any]], dict[Any, Exception]]:
        lists: dict[Any, list[Any]] = {}
        failed: dict[Any, Exception] = {}
        longest = max(self.k_values)
        for user in _with_progress(test_data, self.progress):
            # Whatever goes wrong in a model is the user's error, and must not stop the others.
            try:
                lists[user] = _items(model.recommend(user, n=longest))
            except Exception as error:
                failed[user] = error
        return lists, failed


def _items(recommended: Any) -> list[Any]:
    """The items of recommendations, which may come with scores."""
    if isinstance(recommended, Sequence) and not isinstance(recommended, (str, bytes)):
        pairs = all(
            isinstance(one, (tuple, list)) and len(one) == 2 and isinstance(one[1], _SCORES)
            for one in recommended
        )
        if pairs:
            recommended = [item for item, _ in recommended]
    return checked_items("recommended", recommended)


def _scores_at(k: int, tables: Tables, catalog_size: int) -> dict[str, float]:
    def mean(name: str) -> float:
        return score_of(metric_in_dialect(name, RULES, k, {}), tables)

    shown = tables.recommendations
    assert shown is not None
    n_items = len(set(shown.at(k).item.tolist()))
    precision, recall = mean("precision"), mean("recall")
    both = precision + recall
    gini = score_of(Gini("click", k, catalog=n_items), tables) if n_items else 0.0
    return {
        f"precision@{k}": precision,
        f"recall@{k}": recall,
        f"f1@{k}": 2 * precision * recall / both if both else 0.0,
        f"coverage@{k}": score_of(Coverage("click", k, catalog=catalog_size), tables),
        f"gini@{k}": gini,
    }


def _with_progress(users: Mapping[Any, Any], progress: bool | None) -> Iterable[Any]:
    """The users, with a bar that counts them."""
    if progress is False or (
        progress is None and (len(users) < MANY_USERS or not sys.stderr.isatty())
    ):
        return users
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress:
            raise MissingPackageError.for_feature("A progress bar", "tqdm", "progress") from None
        return users
    bar: Iterable[Any] = tqdm(users, desc="Recommending", unit="user")
    return bar
