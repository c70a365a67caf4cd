"""What all metrics have in common, and the one way in which they are computed."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, overload

import numpy as np
import numpy.typing as npt

from jurity_reco.accumulation import Accumulated
from jurity_reco.columns import Columns
from jurity_reco.dialects import CHOICES
from jurity_reco.errors import InvalidOptionError
from jurity_reco.ledger import Ledger
from jurity_reco.match import MatchRules, match
from jurity_reco.metrics.documentation import with_inherited_parameters
from jurity_reco.metrics.grammar import quoted
from jurity_reco.metrics.options import (
    check_choice,
    check_column,
    checked_cutoff,
    checked_threshold,
)
from jurity_reco.results import MetricResult, UserValues
from jurity_reco.states import RatioState, State
from jurity_reco.stored import MetricState
from jurity_reco.tables import BatchUsers, Need, Tables
from jurity_reco.threads import each

__all__ = ["Metric", "Outcome", "RelevanceMetric", "run"]

Floats = npt.NDArray[np.float64]

# Orders of recommendations with equal scores, and what can be said about all their orders.
TIE_ORDERS = ("input", "item", "item descending", "item text descending")
TIE_BOUNDS = ("best", "worst", "expected")
DUPLICATES = ("refuse", "best")
ON_INVALID = ("refuse", "drop")
REPEATED_USERS = ("refuse", "count")


@dataclass(frozen=True, repr=False)
class Metric(ABC):
    """A metric with its parameters: a value that compares, hashes and pickles as such.

    Parameters
    ----------
    click_column
        Column of the label in ``actual`` and, unless ``score_column`` is given, of the score in
        ``predicted``.
    k
        How many recommendations of each user count, best first; ``None`` for all of them.
    user_id_column, item_id_column
        Columns of the ids, in both frames.
    score_column
        Column of the score in ``predicted``, where it has another name than the label.
    ties
        Order of equal scores: ``"input"`` as they come, ``"item"`` by item id,
        ``"item descending"``, or ``"item text descending"`` by the id as text, in which 9 comes
        after 10. Ranking metrics can also put hits first (``"best"``) or last (``"worst"``) among
        equal scores, and take the ``"expected"`` value over all their orders.
    duplicates
        ``"refuse"`` a pair of user and item that is recommended twice, or keep the ``"best"``
        ranked.
    on_invalid
        ``"refuse"`` rows with a missing id, label or score, or ``"drop"`` and count them.
    repeated_users
        When batches are accumulated, ``"refuse"`` a user who was in an earlier one, or ``"count"``
        users once per batch.
    """

    #: Key of the score in extended results.
    key: ClassVar[str]
    #: Whether the metric can be cut at k.
    cutoff: ClassVar[bool] = True
    #: Values that ``ties`` can have.
    tie_choices: ClassVar[tuple[str, ...]] = TIE_ORDERS
    #: Whether relevant items decide which users count.
    by_relevance: ClassVar[bool] = True
    #: Whether ``actual`` is not looked at, and may be None.
    ignores_actual: ClassVar[bool] = False
    #: Whether users have different weights in the score.
    weighted: ClassVar[bool] = False
    #: Whether the score is a total over all users, who have no value of their own.
    totals: ClassVar[bool] = False
    #: Whether the score is the root of a mean.
    root: ClassVar[bool] = False
    #: Least and largest value of the score.
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    click_column: str
    k: int | None = None
    user_id_column: str = "user_id"
    item_id_column: str = "item_id"
    _: KW_ONLY
    score_column: str | None = None
    ties: str = "input"
    duplicates: str = "refuse"
    on_invalid: str = "refuse"
    repeated_users: str = "refuse"
    _accumulated: Accumulated | None = field(init=False, default=None, repr=False, compare=False)

    def __init_subclass__(cls) -> None:
        """Explain inherited parameters in the docstring of every metric."""
        super().__init_subclass__()
        inherited = inspect.getdoc(cls.__base__)
        if cls.__doc__ is not None and inherited is not None:
            cls.__doc__ = with_inherited_parameters(inspect.cleandoc(cls.__doc__), inherited)

    def __post_init__(self) -> None:
        self._set("k", checked_cutoff(self.k))
        if self.k is not None and not self.cutoff:
            raise InvalidOptionError.no_cutoff(type(self).__name__, self.k)
        for option in ("click_column", "user_id_column", "item_id_column"):
            check_column(option, getattr(self, option))
        for option in ("user_id_column", "click_column"):
            if getattr(self, option) == self.item_id_column:
                raise InvalidOptionError.same_column(option, "item_id_column", self.item_id_column)
        if self.user_id_column == self.click_column:
            raise InvalidOptionError.same_column(
                "user_id_column", "click_column", self.click_column
            )
        if self.score_column is not None:
            check_column("score_column", self.score_column)
        if self.score_column == self.click_column:
            self._set("score_column", None)
        if self.user_id_column in ("value", "weight"):
            raise InvalidOptionError.column_of_results(self.user_id_column)
        if self._bounds_ties and self.ties not in self.tie_choices:
            raise InvalidOptionError.no_tie_bounds(type(self).__name__, self.tie_choices, self.ties)
        check_choice("ties", self.tie_choices, self.ties)
        check_choice("duplicates", DUPLICATES, self.duplicates)
        check_choice("on_invalid", ON_INVALID, self.on_invalid)
        check_choice("repeated_users", REPEATED_USERS, self.repeated_users)

    def _set(self, option: str, value: object) -> None:
        """Store the normal form of an option while the metric is being made."""
        object.__setattr__(self, option, value)

    @abstractmethod
    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Numerator y and denominator n of every user; n = 0 leaves the user out."""

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """The numerators and denominators of users, and what is kept of them."""
        y, n = self.per_user(tables)
        return y, n, RatioState.of_users(y, n, plain=not self.weighted)

    @property
    def empty_sums(self) -> State:
        """What is kept before the first batch."""
        return RatioState()

    @property
    def not_accumulated(self) -> str | None:
        """Why batches of this metric do not add up, if they do not."""
        return None

    @property
    def columns(self) -> Columns:
        """The columns that the metric reads."""
        return Columns(
            user=self.user_id_column,
            item=self.item_id_column,
            label=self.click_column,
            score=self.click_column if self.score_column is None else self.score_column,
        )

    @property
    def _bounds_ties(self) -> bool:
        return isinstance(self.ties, str) and self.ties in TIE_BOUNDS

    @property
    def needs(self) -> Need:
        """What the metric looks at in a match."""
        return Need.TIES if self._bounds_ties else Need.NOTHING

    @property
    def match_rules(self) -> MatchRules:
        """How the frames have to be matched for this metric."""
        return MatchRules(
            columns=self.columns,
            threshold=None,
            ties="input" if self._bounds_ties else self.ties,
            duplicates=self.duplicates,
            on_invalid=self.on_invalid,
            ignores_actual=self.ignores_actual,
        )

    @property
    def name(self) -> str:
        """The canonical name, with all options but columns that are not the default."""
        return self._named(self.name_arguments)

    @property
    def name_arguments(self) -> list[str]:
        """What stands in the brackets of the canonical name."""
        return [
            f"{option}={quoted(value)}"
            for option, value in self.options.items()
            if not option.endswith("_column") and value != self._defaults[option]
        ]

    @classmethod
    def from_arguments(cls, arguments: tuple[Any, ...], name: str) -> dict[str, Any]:
        """What stands in the brackets of a name without saying which option it is."""
        choices = {choice for several in CHOICES.values() for choice in several}
        if len(arguments) > 1 or not all(
            isinstance(one, str) and one not in choices for one in arguments
        ):
            raise InvalidOptionError.unclear_arguments(name)
        return {"click_column": arguments[0]} if arguments else {}

    @property
    def options(self) -> Mapping[str, Any]:
        """All parameters but k."""
        return {
            option.name: getattr(self, option.name)
            for option in dataclasses.fields(self)
            if option.init and option.name != "k"
        }

    @property
    def _defaults(self) -> Mapping[str, Any]:
        return {option.name: option.default for option in dataclasses.fields(self)}

    def _named(self, arguments: Iterable[str], title: str | None = None) -> str:
        inside = ", ".join(arguments)
        title = title or type(self).__name__
        cutoff = "" if self.k is None else f"@{self.k}"
        return f"{title}({inside}){cutoff}" if inside else title + cutoff

    def __str__(self) -> str:
        return self._named([])

    def __repr__(self) -> str:
        given = {"click_column": self.click_column, "k": self.k, **self.options}
        shown = ", ".join(
            f"{option}={value!r}"
            for option, value in given.items()
            if option == "click_column" or value != self._defaults[option]
        )
        return f"{type(self).__name__}({shown})"

    def __dir__(self) -> list[str]:
        """What people look for; the rest is for those who write metrics."""
        methods = ("columns", "compute", "evaluate", "get_score", "key", "merge", "name", "reset")
        return sorted([*self.options, "k", "state", "update", *methods])

    @overload
    def get_score(
        self,
        actual_results: Any,
        predicted_results: Any,
        batch_accumulate: Literal[False] = False,
        return_extended_results: Literal[False] = False,
    ) -> float | None: ...

    @overload
    def get_score(
        self,
        actual_results: Any,
        predicted_results: Any,
        batch_accumulate: Literal[False] = False,
        *,
        return_extended_results: Literal[True],
    ) -> dict[str, Any]: ...

    @overload
    def get_score(
        self,
        actual_results: Any,
        predicted_results: Any,
        batch_accumulate: Literal[True],
        return_extended_results: Literal[False] = False,
    ) -> tuple[float | None, float | None]: ...

    @overload
    def get_score(
        self,
        actual_results: Any,
        predicted_results: Any,
        batch_accumulate: bool = False,
        return_extended_results: bool = False,
    ) -> Any: ...

    def get_score(
        self,
        actual_results: Any,
        predicted_results: Any,
        batch_accumulate: bool = False,
        return_extended_results: bool = False,
    ) -> Any:
        """Score recommendations, called as in Jurity.

        Parameters
        ----------
        actual_results
            Frame of what users did: user, item and label columns.
        predicted_results
            Frame of recommendations: user, item and score columns.
        batch_accumulate
            Whether this is one of several batches with different users. The score of the batch and
            that of all batches so far are then returned together.
        return_extended_results
            Whether to return the support and the ledger too.

        Returns
        -------
        float or None or dict or tuple
            The score, ``None`` when nobody can be averaged. Extended: a dictionary with the score
            under the metric's key, its ``support`` and its ``ledger``. With ``batch_accumulate``: a
            pair of these, for the batch and for all batches so far.
        """
        if not batch_accumulate:
            (outcome,) = run([self], actual_results, predicted_results)
            return outcome.shown(return_extended_results)
        (outcome,) = self._accumulate(actual_results, predicted_results)
        return outcome.shown(return_extended_results), self.state.shown(return_extended_results)

    def evaluate(self, actual: Any, predicted: Any) -> MetricResult:
        """Score recommendations and return everything about the score.

        Parameters
        ----------
        actual
            Frame of what users did: user, item and label columns.
        predicted
            Frame of recommendations: user, item and score columns.
        """
        (outcome,) = run([self], actual, predicted, with_users=True)
        return outcome.result()

    def update(self, actual: Any, predicted: Any) -> None:
        """Add a batch; when it is refused, nothing changes.

        Parameters
        ----------
        actual, predicted
            The rows of users who were in no earlier batch.
        """
        self._accumulate(actual, predicted)

    def compute(self) -> MetricResult:
        """The result of all batches so far, which is that of one call on all their rows."""
        return MetricResult(self.state)

    def reset(self) -> None:
        """Forget all batches."""
        self._set("_accumulated", None)

    def merge(self, other: Metric) -> None:
        """Add what another metric with the same parameters has accumulated of other users.

        Parameters
        ----------
        other
            The other metric, which does not change.
        """
        if self != other:
            raise InvalidOptionError.cannot_merge(self, other)
        self._set("_accumulated", self._so_far.merging(other._so_far))

    @property
    def state(self) -> MetricState:
        """The state of all batches so far, which can be stored."""
        (state,) = self._so_far.states
        return state

    @property
    def empty_state(self) -> MetricState:
        """The state before the first batch."""
        return self.metric_state(self.empty_sums, Ledger())

    def metric_state(self, sums: State, ledger: Ledger) -> MetricState:
        """A state of this metric."""
        return MetricState(
            metric=self.name,
            label=str(self),
            key=self.key,
            columns=self.columns,
            sums=sums,
            ledger=ledger,
        )

    @property
    def _so_far(self) -> Accumulated:
        return self._accumulated or Accumulated((self.empty_state,))

    def _accumulate(self, actual: Any, predicted: Any) -> list[Outcome]:
        outcomes = run_batch([self], actual, predicted)
        self._set("_accumulated", add_batch(self._so_far, outcomes))
        return outcomes


@dataclass(frozen=True, repr=False)
class RelevanceMetric(Metric):
    """A metric for which labels are either relevant or not.

    Parameters
    ----------
    relevance_threshold
        A label is relevant from this value on; by default, when it is true or greater than 0.
    """

    _: KW_ONLY
    relevance_threshold: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("relevance_threshold", checked_threshold(self.relevance_threshold))

    @property
    def match_rules(self) -> MatchRules:
        """How the frames have to be matched for this metric."""
        return dataclasses.replace(super().match_rules, threshold=self.relevance_threshold)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One metric on one match."""

    metric: Metric
    tables: Tables
    y: Floats
    n: Floats
    sums: State

    @property
    def state(self) -> MetricState:
        """What can be kept and added up."""
        return self.metric.metric_state(self.sums, self._ledger)

    @property
    def _ledger(self) -> Ledger:
        # Metrics with the same rule for users share one array of weights, and so one ledger.
        counted = (id(self.n), self.metric.by_relevance, self.sums.n_not_sampled)
        if counted not in self.tables.ledgers:
            ledger = Ledger.of_users(
                self.tables,
                self.n > 0,
                by_relevance=self.metric.by_relevance,
                n_not_sampled=self.sums.n_not_sampled,
            )
            self.tables.ledgers[counted] = self.n, ledger
        known: Ledger = self.tables.ledgers[counted][1]
        return known

    def shown(self, extended: bool) -> Any:
        """What ``get_score`` returns; without the ledger there is no need to count users."""
        return self.state.shown(extended) if extended else self.sums.value

    def result(self) -> MetricResult:
        """What ``evaluate`` returns."""
        if self.metric.totals:
            return MetricResult(self.state)
        values = UserValues(
            users=self.tables.everybody,
            y=self.y,
            n=self.n,
            # Users whom a sample drew more often count more.
            weighted=self.metric.weighted or self.sums.n_not_sampled > 0,
            root=self.metric.root,
            bounds=self.sums.bounds,
        )
        return MetricResult(self.state, values)


def run(
    metrics: Sequence[Metric], actual: Any, predicted: Any, *, with_users: bool = False
) -> list[Outcome]:
    """Compute metrics: everything in this package that scores goes through here.

    Metrics whose rules agree share one match, whatever their cut-offs. If users will be asked for,
    they are looked up at the same time.
    """
    matches = match_all(metrics, actual, predicted)
    n_users = max((len(tables.users) for tables in matches), default=0)
    lookups: list[Callable[[], Any]] = [
        functools.partial(getattr, tables, "everybody")
        for tables in {id(tables): tables for tables in matches}.values()
        if with_users
    ]
    measures: list[Callable[[], Any]] = [
        functools.partial(measured, metric, tables)
        for metric, tables in zip(metrics, matches, strict=True)
    ]
    done = each(lambda task: task(), [*lookups, *measures], n_rows=n_users)
    return done[len(lookups) :]


def match_all(metrics: Sequence[Metric], actual: Any, predicted: Any) -> list[Tables]:
    """The match of each metric; those whose rules agree get the same."""
    rules = _shared_rules(metrics)
    tables = {
        shared: match(
            shared,
            actual,
            predicted,
            _union(
                metric.needs for metric, own in zip(metrics, rules, strict=True) if own == shared
            ),
        )
        for shared in dict.fromkeys(rules)
    }
    return [tables[own] for own in rules]


def _union(needs: Iterable[Need]) -> Need:
    return functools.reduce(operator.or_, needs)


def measured(metric: Metric, tables: Tables) -> Outcome:
    """One metric on one match."""
    return Outcome(metric, tables, *metric.measure(tables))


def _shared_rules(metrics: Sequence[Metric]) -> list[MatchRules]:
    """The rules of each metric; one that knows no threshold joins a match with any threshold."""
    thresholds = {
        dataclasses.replace(metric.match_rules, threshold=None): metric.match_rules
        for metric in metrics
        if isinstance(metric, RelevanceMetric)
    }
    return [
        metric.match_rules
        if isinstance(metric, RelevanceMetric)
        else thresholds.get(metric.match_rules, metric.match_rules)
        for metric in metrics
    ]


def run_batch(metrics: Sequence[Metric], actual: Any, predicted: Any) -> list[Outcome]:
    """Compute metrics for a batch, if all of them can be accumulated."""
    for metric in metrics:
        if metric.not_accumulated is not None:
            raise InvalidOptionError.no_accumulation(str(metric), metric.not_accumulated)
    return run(metrics, actual, predicted)


def add_batch(so_far: Accumulated, outcomes: Sequence[Outcome]) -> Accumulated:
    """What has been accumulated, with the outcomes of one more batch."""
    users: dict[str, BatchUsers] = {}
    # A metric that ignores actual knows only some of the users.
    for outcome in sorted(outcomes, key=lambda outcome: outcome.metric.ignores_actual):
        column = outcome.tables.user_column
        if outcome.metric.repeated_users == "refuse" and column not in users:
            users[column] = outcome.tables.batch_users()
    return so_far.adding([outcome.state for outcome in outcomes], users.values())
