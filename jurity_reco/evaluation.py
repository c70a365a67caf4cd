"""Any number of metrics at once, by name, in the dialect of any library."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jurity_reco.dialects import Dialect
from jurity_reco.errors import InvalidOptionError
from jurity_reco.metrics.base import Metric, run
from jurity_reco.metrics.combined import distinct_names
from jurity_reco.metrics.grammar import option_names, read_name
from jurity_reco.metrics.names import METRICS, metric_in_dialect
from jurity_reco.metrics.options import checked_count, checked_cutoff
from jurity_reco.report import Report

__all__ = ["evaluate", "names_with_cutoffs"]


def evaluate(
    actual: Any,
    predicted: Any,
    metrics: str | Metric | Sequence[str | Metric],
    *,
    k: int | Sequence[int] | None = None,
    dialect: str | Dialect | None = None,
    click_column: str = "click",
    user_id_column: str = "user_id",
    item_id_column: str = "item_id",
    score_column: str | None = None,
    relevance_threshold: float | None = None,
    duplicates: str = "refuse",
    on_invalid: str = "refuse",
    **options: Any,
) -> Report:
    """Score recommendations with any number of metrics over one match.

    Parameters
    ----------
    actual
        Frame of what users did: user, item and label columns. May be ``None`` for metrics that look
        at recommendations alone.
    predicted
        Frame of recommendations: user, item and score columns.
    metrics
        Names of metrics, as :func:`parse_metric` reads them, or metrics. Results are keyed by the
        names as they are given, and a metric by its printed name.
    k
        Cut-off, or several, for all names that have none.
    dialect
        Whose rules apply to metrics asked for by name: the name of a library, see :class:`Dialect`,
        or a dialect of your own. By default those of Jurity.
    click_column, user_id_column, item_id_column, score_column
        The columns, as for every metric.
    relevance_threshold
        A label is relevant from this value on; by default, when it is true or greater than 0.
    duplicates, on_invalid
        What to do about repeated recommendations and about rows that lack something, as for every
        metric.
    options
        Fields of the dialect that are to be others, such as ``ideal="min(k, relevant)"`` or
        ``ties="item"``; and options for those of the metrics that have them, such as ``catalog=``
        or ``popularity=``.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import evaluate
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2, 3], "item_id": [10, 11, 10, 12], "click": [1, 1, 1, 1]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 1, 2, 2],
    ...     "item_id": [10, 20, 11, 20, 10],
    ...     "click": [0.9, 0.8, 0.7, 0.6, 0.5]})
    >>> report = evaluate(actual, predicted, ["ndcg@2", "map@2", "hit", "ctr"])
    >>> report
    metric   score  support  users averaged
    ndcg@2  0.4147        3          3 of 3
    map@2   0.5000        2          2 of 3
    hit     0.6667        3          3 of 3
    ctr     1.0000        3          2 of 3
    >>> report.scores["map@2"]
    0.5
    >>> report.per_user
       user_id    ndcg@2  map@2  hit  ctr
    0        1  0.613147    0.5  1.0  1.0
    1        2  0.630930    0.5  1.0  1.0
    2        3  0.000000    NaN  0.0  NaN
    >>> evaluate(actual, predicted, "ndcg@2", dialect="rectools").scores
    {'ndcg@2': 0.3333333333333333}
    """
    spoken, options, changed = _own_dialect(dialect, options)
    shared = {
        "click_column": click_column,
        "user_id_column": user_id_column,
        "item_id_column": item_id_column,
        "score_column": score_column,
        "relevance_threshold": relevance_threshold,
        "duplicates": duplicates,
        "on_invalid": on_invalid,
        **options,
    }
    named = _named_metrics(metrics, k, spoken, shared)
    _check_options([*options, *changed], list(named.values()))
    distinct = list(dict.fromkeys(named.values()))
    outcomes = run(distinct, actual, predicted, with_users=True)
    results = {metric: one.result() for metric, one in zip(distinct, outcomes, strict=True)}
    return Report({name: results[metric] for name, metric in named.items()}, spoken.name)


def names_with_cutoffs(
    names: str | Metric | Iterable[str | Metric], k: Any
) -> list[tuple[str | Metric, int | None]]:
    """Metrics and their cut-offs: each name without one gets every cut-off.

    Parameters
    ----------
    names
        One or several names or metrics.
    k
        One or several cut-offs, or None.
    """
    listed = [names] if isinstance(names, (str, Metric)) else names
    if not isinstance(listed, Iterable) or isinstance(listed, (bytes, Mapping)):
        raise InvalidOptionError.no_metrics(names)
    listed = list(listed)
    if not listed:
        raise InvalidOptionError.no_metrics(names)
    several = isinstance(k, Iterable) and not isinstance(k, (str, bytes))
    cutoffs: list[int | None] = [checked_cutoff(k)] if not several else []
    if several:
        cutoffs = [checked_count("k", one, optional=False) for one in k]
    if not cutoffs:
        raise InvalidOptionError.not_cutoffs("k", k)
    pairs: list[tuple[str | Metric, int | None]] = []
    for name in listed:
        own = isinstance(name, Metric) or _has_cutoff(name)
        pairs += [(name, None)] if own else [(name, cutoff) for cutoff in cutoffs]
    return pairs


def _named_metrics(
    metrics: Any, k: Any, dialect: Dialect, shared: Mapping[str, Any]
) -> dict[str, Metric]:
    """Metrics by the name that their result gets."""
    pairs = names_with_cutoffs(metrics, k)
    objects = list(dict.fromkeys(one for one, _ in pairs if isinstance(one, Metric)))
    printed = dict(zip(objects, distinct_names(objects), strict=True))
    named: dict[str, Metric] = {}
    for name, cutoff in pairs:
        if isinstance(name, Metric):
            title = printed[name]
            named[repr(name) if named.get(title, name) != name else title] = name
            continue
        metric = metric_in_dialect(name, dialect, cutoff, shared)
        # Where a cut-off was added, the name says it; a metric without cut-offs takes none.
        cut = cutoff is not None and metric.cutoff and metric.k == cutoff
        title = f"{name}@{cutoff}" if cut else name
        if named.get(title, metric) != metric:
            named[repr(named[title])] = named.pop(title)
        named[title] = metric
    return named


def _has_cutoff(name: str) -> bool:
    call = read_name(name)
    return call.k is not None or "k" in call.options


def _own_dialect(
    dialect: str | Dialect | None, options: Mapping[str, Any]
) -> tuple[Dialect, dict[str, Any], list[str]]:
    """A dialect with the fields that are given as options, the others, and those fields."""
    spoken = Dialect.named(dialect)
    changed = {name: options[name] for name in Dialect.field_names() if name in options}
    others = {name: value for name, value in options.items() if name not in changed}
    if not changed:
        return spoken, others, []
    listed = ", ".join(f"{name}={value!r}" for name, value in changed.items())
    own = dataclasses.replace(spoken, name=f"{spoken.name} with {listed}", **changed)
    # These are options of metrics that no dialect is about, too.
    for name in ("ties", "users"):
        if name in changed and not isinstance(changed[name], Mapping):
            others[name] = changed[name]
    return own, others, list(changed)


def _check_options(options: Sequence[str], metrics: Sequence[Metric]) -> None:
    """Refuse an option that none of the metrics has."""
    if "denominator" in options:
        raise InvalidOptionError.which_denominator()
    usable = _all_options(map(type, metrics)) - {"denominator", "metrics"}
    keys = {metric.key for metric in metrics}
    usable |= {f"{key}_denominator" for key in ("precision", "recall", "map") if keys & {key, "f1"}}
    if "f1" in keys:
        usable |= {"ideal", "gain", "discount"}
    known = _all_options(METRICS) | set(Dialect.field_names())
    for option in options:
        if option not in usable:
            raise InvalidOptionError.no_metric_has(option, sorted(usable), sorted(known))


def _all_options(metrics: Iterable[type[Metric]]) -> set[str]:
    return {option for metric in metrics for option in option_names(metric)}
