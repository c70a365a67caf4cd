"""What can go wrong, as a small tree; every message is made here.

A message says what was expected, what came, and what to do. Everything is a
:class:`JurityRecoError`, so that one ``except`` catches what this package refuses, and each
class is also the built-in exception that people expect.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "ColumnNotFoundError",
    "InvalidDataError",
    "InvalidOptionError",
    "InvalidStateError",
    "JurityRecoError",
    "MetricNotFoundError",
    "MissingPackageError",
    "UnsupportedFrameError",
]


# A frame with thousands of columns must not make a message of thousands of words.
_NAMES_SHOWN = 20


class JurityRecoError(Exception):
    """Base of everything that this package raises on purpose."""


class InvalidOptionError(JurityRecoError, ValueError):
    """An option of a metric or a function has a value that it cannot have."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        #: The part of the message that says why.
        self.reason = message

    @classmethod
    def not_a_column(cls, option: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be the name of a column, got {value!r}.")

    @classmethod
    def no_cutoff(cls, metric: str, value: object) -> InvalidOptionError:
        return cls(f"'k' of {metric} must be None, because it has no cut-off, got {value!r}.")

    @classmethod
    def not_a_number_of_threads(cls, where: str, value: object) -> InvalidOptionError:
        return cls(f"{where!r} must be an integer from 1, got {value!r}.")

    @classmethod
    def not_a_beta(cls, value: object) -> InvalidOptionError:
        return cls(f"'beta' must be a number above 0, got {value!r}.")

    @classmethod
    def same_column(cls, option: str, other: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} and {other!r} must be different columns, got {value!r} for both.")

    @classmethod
    def column_of_results(cls, value: object) -> InvalidOptionError:
        return cls(
            f"'user_id_column' must not be {value!r}, which is a column of per-user results; "
            "rename the column."
        )

    @classmethod
    def not_a_threshold(cls, value: object) -> InvalidOptionError:
        return cls(f"'relevance_threshold' must be a number or None, got {value!r}.")

    @classmethod
    def not_a_choice(cls, option: str, choices: Sequence[str], value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be {_any_of(map(repr, choices))}, got {value!r}.")

    @classmethod
    def no_tie_bounds(
        cls, metric: str, choices: Sequence[str], value: object
    ) -> InvalidOptionError:
        return cls(
            f"'ties' of {metric} must be {_any_of(map(repr, choices))}, got {value!r}: only "
            "metrics of the ranks of hits have a best, a worst and an expected order."
        )

    @classmethod
    def no_expected_ties(cls, metric: str, reason: str) -> InvalidOptionError:
        return cls(f"'ties' of {metric} must not be 'expected', because {reason}.")

    @classmethod
    def not_a_user_rule(cls, value: object) -> InvalidOptionError:
        return cls(
            "'users' must be three words, 'skip' or 'zero' for users without a row in actual, for "
            "users without a relevant item and for users without a recommendation, as in "
            f"('skip', 'skip', 'zero'); got {value!r}."
        )

    @classmethod
    def users_without_weight(cls, metric: str, weight: str, value: object) -> InvalidOptionError:
        return cls(
            f"'users' of {metric} must say 'skip' for users without {weight}, because users are "
            f"weighted by the number of their {weight}; got {value!r}."
        )

    @classmethod
    def ideal_of_grades(cls, gain: str) -> InvalidOptionError:
        return cls(
            f"'ideal' must not be 'k' with gain={gain!r}, because better grades than those of the "
            "ideal list would score above 1; pass gain='binary' or another ideal."
        )

    @classmethod
    def ideal_too_long(cls, longest: int, k: int) -> InvalidOptionError:
        return cls(f"'k' must be at most {longest} with ideal='k', got {k!r}.")

    @classmethod
    def not_two_metrics(cls, value: object) -> InvalidOptionError:
        return cls(
            "'metrics' of F1 must be the names of two metrics, as in ('ndcg', 'map'), got "
            f"{value!r}."
        )

    @classmethod
    def not_of_component(cls, name: str) -> InvalidOptionError:
        return cls(
            "A metric in F1 takes cut-off and columns from F1, as in F1(ndcg, map)@10; got "
            f"{name!r}."
        )

    @classmethod
    def not_a_name(cls, value: object) -> InvalidOptionError:
        return cls(
            "The name of a metric must look like 'ndcg@10', 'NDCG(gain=\"linear\")@10' or "
            f"'F1(ndcg, map)@10', got {value!r}."
        )

    @classmethod
    def not_a_cutoff(cls, name: str, cutoff: str) -> InvalidOptionError:
        return cls(f"After '@' in {name!r} must stand a positive integer, got {cutoff!r}.")

    @classmethod
    def two_cutoffs(cls, name: str) -> InvalidOptionError:
        return cls(f"{name!r} has two cut-offs; leave one of them out.")

    @classmethod
    def unknown_metric(
        cls, name: str, title: str, names: Mapping[str, str], metrics: Sequence[str], kind: str
    ) -> InvalidOptionError:
        near = difflib.get_close_matches(title, names, n=3, cutoff=0.55)
        close = list(dict.fromkeys(names[short] for short in near))
        meant = f"; did you mean {_any_of(close)}?" if close else "."
        return cls(f"There is no {kind} {name!r}{meant} Metrics: {', '.join(metrics)}.")

    @classmethod
    def no_popularity_users(cls, metric: str) -> InvalidOptionError:
        return cls(
            f"{metric} needs to know over how many users popularity was counted: pass "
            "popularity_users= with their number."
        )

    @classmethod
    def no_such_option(
        cls, option: str, metric: str, options: Sequence[str], name: str
    ) -> InvalidOptionError:
        close = difflib.get_close_matches(option, options, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else "."
        listed = ", ".join(options) if options else "none"
        of_name = f" in {name!r}" if name else ""
        return cls(f"{metric} has no option {option!r}{of_name}{meant} Options: {listed}.")

    @classmethod
    def unclear_arguments(cls, name: str) -> InvalidOptionError:
        return cls(
            f"In the brackets of {name!r} must stand options with their names, as in "
            "'NDCG(gain=\"linear\")@10', or the column of the label."
        )

    @classmethod
    def data_not_given(cls, option: str, text: str, name: str) -> InvalidOptionError:
        return cls(
            f"{name!r} was made with data that the name does not hold: pass {option}= with "
            f"{text.strip('<>')}."
        )

    @classmethod
    def other_data(cls, option: str, expected: str, found: str, name: str) -> InvalidOptionError:
        return cls(f"{option!r} must be {expected} for {name!r}, got {found}.")

    @classmethod
    def columns_twice(cls) -> InvalidOptionError:
        return cls("Pass 'click_column' or 'columns', which holds it, but not both.")

    @classmethod
    def other_column(cls, name: str, column: str, given: str) -> InvalidOptionError:
        return cls(
            f"{name!r} is about the column {column!r}, but 'click_column' is {given!r}; pass one "
            "of them."
        )

    @classmethod
    def unknown_dialect(
        cls, value: object, dialects: Sequence[str], reason: str | None
    ) -> InvalidOptionError:
        if reason is not None:
            return cls(f"There is no dialect {value!r}, because {reason}.")
        return cls(
            f"There is no dialect {value!r}{_close(value, dialects)} Dialects: "
            f"{', '.join(dialects)}; or pass a Dialect of your own."
        )

    @classmethod
    def not_a_dialect_name(cls, value: object) -> InvalidOptionError:
        return cls(f"'name' of a dialect must be a text, got {value!r}.")

    @classmethod
    def not_users_of_metrics(cls, keys: Sequence[str], value: object) -> InvalidOptionError:
        return cls(
            "'users' of a dialect must be three words for all metrics, or a dictionary with "
            f"'others' and any of {', '.join(keys[1:])}; got {value!r}."
        )

    @classmethod
    def not_in_dialect(
        cls, metric: str, dialect: str, reason: str, metrics: Sequence[str]
    ) -> InvalidOptionError:
        has = f" It has {', '.join(metrics)}." if metrics else ""
        error = cls(f"{metric} cannot be computed as in {dialect}: {reason}.{has}")
        error.reason = reason
        return error

    @classmethod
    def not_by_user(cls, option: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be a dictionary by user, got {value!r}.")

    @classmethod
    def not_cutoffs(cls, option: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be a positive integer or several of them, got {value!r}.")

    @classmethod
    def not_a_switch(cls, option: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be True, False or None, got {value!r}.")

    @classmethod
    def data_needed(cls, option: str, metric: str) -> InvalidOptionError:
        return cls(f"{metric} needs data: pass {option}=.")

    @classmethod
    def no_users(cls, option: str) -> InvalidOptionError:
        return cls(f"{option!r} must have at least one user, got none.")

    @classmethod
    def not_a_model(cls, value: object) -> InvalidOptionError:
        return cls(f"'model' must have a method recommend(user_id, n), got {value!r}.")

    @classmethod
    def not_a_share(cls, option: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be a number between 0 and 1, got {value!r}.")

    @classmethod
    def no_metrics(cls, value: object) -> InvalidOptionError:
        return cls(
            "'metrics' must be a name, a metric, or a list of them, as in ['ndcg@10', 'map@5']; "
            f"got {value!r}."
        )

    @classmethod
    def not_by_name(cls, metric: object) -> InvalidOptionError:
        return cls(
            "Dialects are about metrics that are asked for by name, as in 'ndcg@10', got "
            f"{metric!r}."
        )

    @classmethod
    def which_denominator(cls) -> InvalidOptionError:
        return cls(
            "Several metrics have one: pass precision_denominator=, recall_denominator= or "
            "map_denominator=, or write it into a name, as in 'map(denominator=\"k\")'."
        )

    @classmethod
    def no_metric_has(
        cls, option: str, options: Sequence[str], known: Sequence[str]
    ) -> InvalidOptionError:
        none = "None of the metrics has an" if option in known else "There is no"
        close = "." if option in known else _close(option, sorted({*options, *known}))
        return cls(f"{none} option {option!r}{close} Options: {', '.join(options)}.")

    @classmethod
    def not_digits(cls, value: object) -> InvalidOptionError:
        return cls(f"'digits' must be an integer from 0 on, got {value!r}.")

    @classmethod
    def not_columns(cls, value: object) -> InvalidOptionError:
        return cls(
            f"'columns' must be the columns of a metric, as in metric.columns, got {value!r}."
        )

    @classmethod
    def not_dialects(cls, value: object) -> InvalidOptionError:
        return cls(f"'dialects' must be one or several names or dialects, got {value!r}.")

    @classmethod
    def not_a_generator(cls, value: object) -> InvalidOptionError:
        return cls(f"'rng' must be a NumPy generator, a seed from 0 on or None, got {value!r}.")

    @classmethod
    def no_user_values(cls, names: Sequence[str]) -> InvalidOptionError:
        return cls(
            f"None of {', '.join(names)} has values of users: they are totals over all users."
        )

    @classmethod
    def other_user_column(cls, column: str, other: str) -> InvalidOptionError:
        return cls(
            "Metrics of one table of users must have the same user_id_column, got "
            f"{column!r} and {other!r}; look at the results one by one."
        )

    @classmethod
    def metric_like_column(cls, name: str) -> InvalidOptionError:
        return cls(
            f"A metric and the column of users are both called {name!r}; rename one of them."
        )

    @classmethod
    def no_accumulation(cls, metric: str, reason: str) -> InvalidOptionError:
        return cls(f"{metric} cannot be accumulated over batches: {reason}.")

    @classmethod
    def not_a_weight(cls, value: object) -> InvalidOptionError:
        return cls(f"'max_weight' must be a number above 0 or None, got {value!r}.")

    @classmethod
    def not_a_count(cls, option: str, value: object, *, optional: bool) -> InvalidOptionError:
        or_none = " or None" if optional else ""
        return cls(f"{option!r} must be a positive integer{or_none}, got {value!r}.")

    @classmethod
    def not_a_seed(cls, value: object) -> InvalidOptionError:
        return cls(f"'seed' must be an integer from 0 on, got {value!r}.")

    @classmethod
    def items_and_propensities(cls, column: object) -> InvalidOptionError:
        return cls(
            f"'n_items' is for logs without propensities, and propensity_column is {column!r}; "
            "pass one of the two."
        )

    @classmethod
    def only_for_estimates(cls, option: str) -> InvalidOptionError:
        return cls(
            f"{option!r} is for estimates from logs: pass it with estimation='ips', 'snips' or "
            "'dr', not with 'matching'."
        )

    @classmethod
    def not_a_sample_size(cls, value: object) -> InvalidOptionError:
        return cls(
            "'user_sample_size' must be a number of users, a share of them above 0, None for "
            f"everybody or 'auto', got {value!r}."
        )

    @classmethod
    def not_an_integer(cls, option: str, value: object) -> InvalidOptionError:
        return cls(f"{option!r} must be an integer other than 0, got {value!r}.")

    @classmethod
    def not_a_distance(cls, choices: Sequence[str], value: object) -> InvalidOptionError:
        return cls(
            f"'metric' must be a function of two vectors, or {_any_of(map(repr, choices))}; got "
            f"{value!r}."
        )

    @classmethod
    def no_catalog(cls, metric: str) -> InvalidOptionError:
        return cls(
            f"{metric} needs the catalogue: pass catalog= with the number of its items, or with "
            "the items."
        )

    @classmethod
    def not_a_catalog(cls, value: object) -> InvalidOptionError:
        return cls(
            "'catalog' must be the number of items in the catalogue, or the items, none of them "
            f"missing; got {value!r}."
        )

    @classmethod
    def catalog_too_small(cls, size: int, shown: int) -> InvalidOptionError:
        return cls(
            f"A catalogue of {size} cannot hold the {shown} different items that are recommended; "
            "pass the size of the whole catalogue."
        )

    @classmethod
    def no_popularity(cls, metric: str) -> InvalidOptionError:
        return cls(
            f"{metric} needs to know how popular items are: pass popularity= with a dictionary, or "
            "a Series, of the number of users of each item."
        )

    @classmethod
    def not_a_popularity(cls, value: object) -> InvalidOptionError:
        return cls(
            "'popularity' must be a dictionary or a Series of the number of users of each item, "
            f"from 0 on; got {value!r}."
        )

    @classmethod
    def more_users_than_all(cls, largest: float, users: int) -> InvalidOptionError:
        return cls(
            f"'popularity' has an item with {largest:g} users, more than the {users} of "
            "'popularity_users'."
        )

    @classmethod
    def cannot_merge(cls, mine: object, other: object) -> InvalidOptionError:
        return cls(
            f"Only accumulators with the same parameters can be merged, got {other!r} for {mine!r}."
        )

    @classmethod
    def not_states(cls, value: object) -> InvalidOptionError:
        return cls(
            "pool takes a list of states, of their bytes or of results, as in pool([monday.state, "
            f"tuesday.state]); got {value!r}."
        )

    @classmethod
    def nothing_to_pool(cls) -> InvalidOptionError:
        return cls("pool takes one or more states of a metric, got none.")

    @classmethod
    def not_metrics(cls, value: object) -> InvalidOptionError:
        return cls(
            "CombinedMetrics takes one or more metrics, as in "
            f"CombinedMetrics(Precision('click', k=5), Recall('click', k=5)); got {value!r}."
        )


class MetricNotFoundError(InvalidOptionError, KeyError):
    """A report has no metric of this name."""

    @classmethod
    def in_report(cls, name: object, names: Sequence[str]) -> MetricNotFoundError:
        return cls(
            f"There is no metric {name!r} in the report{_close(name, names)} Metrics: "
            f"{', '.join(names)}."
        )

    def __str__(self) -> str:
        return self.reason


class InvalidDataError(JurityRecoError, ValueError):
    """A frame holds something that has no meaning for the metric."""

    @classmethod
    def changed_meanwhile(cls) -> InvalidDataError:
        return cls(
            "A column of users changed while it was read, so nothing was computed. Let no other "
            "thread write into a frame that is being scored, or give it a copy."
        )

    @classmethod
    def repeated_column(cls, frame: str, column: object, count: int) -> InvalidDataError:
        return cls(
            f"Column {column!r} occurs {count} times in {frame}, so it is unclear which one is "
            "meant; rename the others."
        )

    @classmethod
    def missing_values(cls, frame: str, column: object, count: int, first: int) -> InvalidDataError:
        return cls(
            f"{frame} has {_rows(count)} with a missing {column!r}, the first at position "
            f'{first}; pass on_invalid="drop" to leave such rows out.'
        )

    @classmethod
    def out_of_bounds(
        cls, frame: str, column: object, bounds: str, count: int, first: int, value: object
    ) -> InvalidDataError:
        return cls(
            f"{frame} has {_rows(count)} in which {column!r} is not a number {bounds}, the first "
            f"at position {first} with {_plain(value)!r}; "
            'pass on_invalid="drop" to leave such rows out.'
        )

    @classmethod
    def repeated_interactions(
        cls, columns: tuple[object, object], count: int, first: tuple[object, object], row: int
    ) -> InvalidDataError:
        user, item = columns
        return cls(
            f"actual has {_rows(count)} that {_verb('repeat', count)} an earlier pair of {user!r} "
            f"and {item!r}, the first at position {row} with {user}={_plain(first[0])!r} and "
            f"{item}={_plain(first[1])!r}; estimates from logs weigh each recommendation once, so "
            'pass repeated="mean" to average the value and the propensity of such rows.'
        )

    @classmethod
    def not_numbers(cls, frame: str, column: object, found: str) -> InvalidDataError:
        return cls(
            f"Column {column!r} of {frame} must hold numbers or booleans, got {found}; convert it "
            "first, for example with pandas.to_numeric, or by comparing it with the value that "
            "means yes."
        )

    @classmethod
    def error_not_finite(cls, count: int) -> InvalidDataError:
        return cls(
            f"{_rows(count)} of actual {_verb('match', count)} a recommendation with an infinite "
            "label or score, and no mean error exists; replace or remove them first."
        )

    @classmethod
    def expected_not_finite(cls, count: int) -> InvalidDataError:
        return cls(
            f"predicted has {_rows(count)} with an infinite expected value, and 'dr' has no mean; "
            "replace or remove them, or use 'ips' or 'snips'."
        )

    @classmethod
    def unfit_grade(
        cls, column: object, gain: str, grade: float, highest: float
    ) -> InvalidDataError:
        return cls(
            f"Relevant labels in {column!r} must be from 0 to {highest:g} as grades of "
            f"gain={gain!r}, got {grade:g}; change them, pass another relevance_threshold, or "
            "gain='binary'."
        )

    @classmethod
    def repeated_in_list(cls, item: object) -> InvalidDataError:
        return cls(
            f"A list of recommendations must not repeat an item, got {_plain(item)!r} twice; keep "
            "the first one."
        )

    @classmethod
    def mixed_times(cls, column: object, reason: str) -> InvalidDataError:
        return cls(f"Column {column!r} of interactions holds times that have no order: {reason}.")

    @classmethod
    def not_items(cls, option: str, expected: str, value: object) -> InvalidDataError:
        return cls(f"{option!r} must be {expected}, got {value!r}.")

    @classmethod
    def not_hashable(cls, option: str, reason: str) -> InvalidDataError:
        return cls(f"{option!r} must hold items that can be in a set: {reason}.")

    @classmethod
    def not_numbers_of_interactions(cls, dtype: object) -> InvalidDataError:
        return cls(f"A matrix of interactions must hold numbers and none missing, got {dtype}.")

    @classmethod
    def not_relevances(cls, value: object) -> InvalidDataError:
        return cls(f"How relevant items are must be numbers from 0 to 1e100, got {value!r}.")

    @classmethod
    def not_rows_of_features(cls, shape: tuple[int, ...], items: object) -> InvalidDataError:
        return cls(
            "'recommended' must be numbers of rows of 'item_features', which must have two "
            f"dimensions; got {items!r} for features of shape {shape!r}."
        )

    @classmethod
    def not_pairs(cls, user: object, value: object) -> InvalidDataError:
        return cls(
            "'user_pred_true' must hold at least one pair (predicted, true) of numbers for each "
            f"user, got {value!r} for {_plain(user)!r}."
        )

    @classmethod
    def all_failed(cls, count: int, user: object, error: Exception) -> InvalidDataError:
        return cls(
            f"The model failed every time ({count} of {count}), first for {_plain(user)!r} with "
            f"{error!r}."
        )

    @classmethod
    def no_time(cls, column: object, count: int) -> InvalidDataError:
        return cls(f"interactions has {_rows(count)} with a missing {column!r}; remove them first.")

    @classmethod
    def too_large(cls, column: object) -> InvalidDataError:
        return cls(
            f"The matched values of {column!r}, or their weights, are too large to be added up as "
            "floats; divide the values first, or pass max_weight."
        )

    @classmethod
    def not_finite(cls, column: object, count: int) -> InvalidDataError:
        return cls(
            f"actual has {_rows(count)} with an infinite {column!r} that {_verb('match', count)} a "
            "recommendation, and no mean exists; replace or remove them first."
        )

    @classmethod
    def repeated_pairs(
        cls, columns: tuple[object, object], count: int, first: tuple[object, object], row: int
    ) -> InvalidDataError:
        user, item = columns
        return cls(
            f"predicted has {_rows(count)} that {_verb('repeat', count)} an earlier pair of "
            f"{user!r} and {item!r}, the first at position {row} with {user}={_plain(first[0])!r} "
            f"and {item}={_plain(first[1])!r}; "
            'pass duplicates="best" to keep the best-ranked row of each pair.'
        )

    @classmethod
    def no_features(cls, item: object) -> InvalidDataError:
        return cls(
            f"item_features must have the column {item!r} and at least one column of numbers, got "
            "no other column."
        )

    @classmethod
    def infinite_features(cls, column: object, count: int, first: int) -> InvalidDataError:
        return cls(
            f"item_features has {_rows(count)} with an infinite {column!r}, the first at position "
            f"{first}; replace or remove them first."
        )

    @classmethod
    def missing_features(cls, column: object, count: int, first: int) -> InvalidDataError:
        return cls(
            f"item_features has {_rows(count)} with a missing {column!r}, the first at position "
            f"{first}; fill them, or remove the rows: items without features are left out and "
            "counted."
        )

    @classmethod
    def repeated_features(cls, column: object, count: int, first: object) -> InvalidDataError:
        return cls(
            f"item_features has {_rows(count)} whose {column!r} is in an earlier row, the first "
            f"with {_plain(first)!r}; keep one row per item."
        )

    @classmethod
    def repeated_users(cls, column: object, count: int, first: object) -> InvalidDataError:
        users = "1 user" if count == 1 else f"{count} users"
        example = f"{column}={_plain(first)!r}"
        return cls(
            f"{users} of this batch came in an earlier one, for example {example}; "
            'put all rows of a user into one batch, or pass repeated_users="count" to count users '
            "once per batch. The batch was not added."
        )

    @classmethod
    def common_users(cls, column: object, count: int) -> InvalidDataError:
        users = "1 user is" if count == 1 else f"{count} users are"
        return cls(
            f"{users} in both accumulators (by {column!r}) and would count twice; split the data "
            'by user, or pass repeated_users="count" to count users once per accumulator. Nothing '
            "was merged."
        )

    @classmethod
    def ids_cannot_match(
        cls,
        column: object,
        types: tuple[Iterable[str], Iterable[str]],
        frames: tuple[str, str],
    ) -> InvalidDataError:
        left, right = (
            f"{' and '.join(sorted(names))} ids in {frame}"
            for names, frame in zip(types, frames, strict=True)
        )
        return cls(
            f"Column {column!r} holds {left} and {right}, so none of them can match; convert one "
            "of the two columns, for example with astype."
        )

    @classmethod
    def ids_not_whole(cls, column: object) -> InvalidDataError:
        return cls(
            f"Column {column!r} holds integer ids in one frame and floating-point ids in the "
            "other, and not all of the latter are whole numbers below 2**53; convert one of the "
            "two columns, for example with astype."
        )

    @classmethod
    def ids_not_hashable(cls, column: object, reason: str) -> InvalidDataError:
        return cls(
            f"Column {column!r} holds values that cannot be ids ({reason}); use "
            "numbers, text, dates or tuples of them."
        )

    @classmethod
    def ids_not_ordered(cls, column: object, reason: str) -> InvalidDataError:
        return cls(
            f"Ties cannot be broken by {column!r}, because its ids have no order ({reason}); "
            'pass ties="input" or convert the ids to one type.'
        )

    @classmethod
    def dates_out_of_range(cls, column: object) -> InvalidDataError:
        return cls(
            f"Column {column!r} holds dates of different resolution in actual and predicted that "
            "do not fit the finer of the two; convert both to one resolution with dt.as_unit."
        )


class InvalidStateError(InvalidDataError):
    """Bytes are no stored state, or a state belongs to something else."""

    @classmethod
    def not_a_state(cls, length: int) -> InvalidStateError:
        return cls(
            f"These {length} bytes are not a stored state: they do not begin as one. Pass what "
            "MetricState.to_bytes returned."
        )

    @classmethod
    def not_bytes(cls, value: object) -> InvalidStateError:
        return cls(
            f"A stored state is bytes, got {type(value).__name__}; read a file with "
            "pathlib.Path(file).read_bytes()."
        )

    @classmethod
    def damaged(cls, length: int) -> InvalidStateError:
        return cls(
            f"This stored state of {length} bytes is cut off or damaged: its checksum is wrong. "
            "Compute and store it again."
        )

    @classmethod
    def of_another_version(cls, found: int, expected: int) -> InvalidStateError:
        return cls(
            f"This state was stored in version {found} of the format, and this version of "
            f"jurity_reco reads version {expected}: update jurity_reco, or store the state again."
        )

    @classmethod
    def of_another_hash(cls, found: int, expected: int) -> InvalidStateError:
        return cls(
            f"This state was stored with version {found} of the hash of ids, and this version of "
            f"jurity_reco uses version {expected}: the two cannot be added up."
        )

    @classmethod
    def cut_by_own_items(cls) -> InvalidStateError:
        return cls(
            "Weights that were cut by the number of items of one call do not add up with others; "
            "pass n_items, or a propensity_column of another name than the default."
        )

    @classmethod
    def unreadable(cls, reason: object) -> InvalidStateError:
        return cls(
            f"This stored state cannot be read, although its checksum is right ({reason}). It was "
            "not written by jurity_reco, or by a later version of it."
        )

    @classmethod
    def propensities_in_part(cls) -> InvalidStateError:
        return cls(
            "Some of the data has a column of propensities and some has not, so their weights do "
            "not add up; give the column to all batches, or pass propensity_column=None."
        )

    @classmethod
    def of_another_metric(cls, mine: object, other: object) -> InvalidStateError:
        return cls(
            f"Only states of one metric and the same columns add up, got {mine} and {other}."
        )


class MissingPackageError(JurityRecoError, ImportError):
    """Something needs a package that is not installed."""

    @classmethod
    def for_feature(cls, feature: str, package: str, extra: str) -> MissingPackageError:
        return cls(f'{feature} needs {package}: pip install "jurity-reco[{extra}]".')

    @classmethod
    def no_compiled_kernel(cls, variable: str, reason: str) -> MissingPackageError:
        return cls(
            f"{variable} asks for the compiled kernel, which cannot be loaded ({reason}). Install "
            "the package where there is a C compiler, with JURITY_RECO_BUILD=required to see what "
            f"goes wrong, or unset {variable} to use NumPy."
        )


class ColumnNotFoundError(InvalidDataError, KeyError):
    """A frame lacks a column that the metric reads."""

    @classmethod
    def in_frame(
        cls,
        frame: str,
        column: object,
        existing: Iterable[object],
        index_levels: Iterable[object] = (),
        option: str | None = None,
    ) -> ColumnNotFoundError:
        names = [str(name) for name in existing]
        message = f"Column {column!r} not found in {frame}"
        by_lower_case = {name.lower(): name for name in names}
        close = difflib.get_close_matches(str(column).lower(), by_lower_case, n=1)
        if column in list(index_levels):
            message += "; it is in the index: call reset_index() first."
        elif close:
            message += f"; did you mean {by_lower_case[close[0]]!r}?"
        else:
            message += "."
        shown = ", ".join(names[:_NAMES_SHOWN]) or "none"
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        hint = f" Name another one with {option}." if option and not close else ""
        return cls(f"{message} Columns: {shown}{more}.{hint}")

    def __str__(self) -> str:
        # KeyError prints the repr of its argument, which would put the message in quotes.
        return str(self.args[0])


class UnsupportedFrameError(JurityRecoError, TypeError):
    """The object given as a frame is of a kind that this package does not read."""

    @classmethod
    def for_object(cls, name: str, value: Any) -> UnsupportedFrameError:
        kind = type(value)
        return cls(f"{name} must be a pandas DataFrame, got {kind.__module__}.{kind.__qualname__}.")

    @classmethod
    def for_interactions(cls, value: Any) -> UnsupportedFrameError:
        kind = type(value)
        return cls(
            "interactions must be a pandas DataFrame or a matrix (a NumPy array of two "
            f"dimensions), got {kind.__module__}.{kind.__qualname__}."
        )


def _plain(value: Any) -> object:
    """A NumPy scalar as the Python object that people type."""
    return value.item() if hasattr(value, "item") else value


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _verb(plural: str, count: int) -> str:
    if count > 1:
        return plural
    return f"{plural}es" if plural.endswith("ch") else f"{plural}s"


def _any_of(choices: Iterable[str]) -> str:
    *most, last = choices
    return f"{', '.join(most)} or {last}" if most else last


def _close(value: object, choices: Sequence[str]) -> str:
    """The closest of several choices, as the end of a sentence."""
    near = difflib.get_close_matches(str(value).lower(), choices, n=2)
    return f"; did you mean {_any_of(map(repr, near))}?" if near else "."
