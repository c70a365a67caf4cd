"""Metrics by name."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from jurity_reco.columns import Columns
from jurity_reco.dialects import Dialect
from jurity_reco.errors import InvalidOptionError
from jurity_reco.metrics import namespaces
from jurity_reco.metrics.base import Metric
from jurity_reco.metrics.f1 import COMPONENTS, F1
from jurity_reco.metrics.grammar import (
    Call,
    build,
    find_class,
    option_names,
    quoted,
    read_name,
    simplified,
)

__all__ = ["METRICS", "metric_in_dialect", "parse_metric"]

#: Every metric of the package.
METRICS: tuple[type[Metric], ...] = tuple(
    metric
    for family in namespaces.__all__
    for metric in vars(getattr(namespaces, family)).values()
    if inspect.isclass(metric) and issubclass(metric, Metric)
)


def parse_metric(
    name: str | Metric,
    click_column: str | None = None,
    *,
    columns: Columns | None = None,
    **options: Any,
) -> Metric:
    """A metric from its name.

    Names are those of the classes, with options in brackets and the cut-off after ``@``. Case,
    blanks, hyphens and underscores do not matter, and common other names are known, such as
    ``hit``, ``nDCGRendle2020`` or ``mean average precision``. For every metric,
    ``parse_metric(metric.name, columns=metric.columns) == metric``; names of metrics with data,
    such as the items of a catalogue, need the same data as an option.

    Parameters
    ----------
    name
        The name, such as ``"ndcg@10"``, ``'NDCG(gain="exponential")@10'`` or
        ``"F1(ndcg, map)@10"``. A metric is returned as it is.
    click_column
        Column of the label, and of the score unless ``score_column`` is given; ``"click"`` by
        default.
    columns
        All columns at once, as another metric has them.
    options
        Options of the metric that the name does not hold.

    Examples
    --------
    >>> from jurity_reco import parse_metric
    >>> parse_metric("ndcg@10")
    NDCG(click_column='click', k=10)
    >>> parse_metric("F1(beta=2)@5", click_column="bought")
    F1(click_column='bought', k=5, beta=2.0)
    >>> parse_metric("coverage@10", catalog=1000).name
    'Coverage(catalog=1000)@10'
    >>> parse_metric("ndgc@10")     # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    jurity_reco.errors.InvalidOptionError: There is no metric 'ndgc@10'; did you mean NDCG ...
    """
    if isinstance(name, Metric):
        return name
    metric_class, call = find_class(read_name(name), METRICS)
    if columns is not None:
        if not isinstance(columns, Columns):
            raise InvalidOptionError.not_columns(columns)
        if click_column is not None:
            raise InvalidOptionError.columns_twice()
        options = {**_column_options(metric_class, call, columns), **options}
    elif click_column is not None:
        options = {"click_column": click_column, **options}
    return _build(metric_class, call, options)


def metric_in_dialect(
    name: str, dialect: Dialect, k: int | None, options: Mapping[str, Any]
) -> Metric:
    """A metric from its name, with the rules of a library wherever the name does not say more.

    Parameters
    ----------
    name
        The name.
    dialect
        The rules.
    k
        The cut-off of a metric that can have one and whose name has none.
    options
        Options for all metrics that have them.
    """
    metric_class, call = find_class(_in_other_words(read_name(name), dialect), METRICS)
    threshold = call.options.get("relevance_threshold", options.get("relevance_threshold"))
    dialect.check(metric_class.key, metric_class.__name__, threshold)
    given = {
        option: value
        for option, value in {**dialect.options(metric_class.key), **options}.items()
        if option in option_names(metric_class)
    }
    if metric_class is F1:
        found = F1.from_arguments(call.arguments, call.text).get("metrics")
        pair = call.options.get("metrics", found) or ("Precision", "Recall")
        if not isinstance(pair, tuple):
            raise InvalidOptionError.not_two_metrics(pair)
        spoken = tuple(_component_in_dialect(component, dialect, threshold) for component in pair)
        arguments = () if found else call.arguments
        call = dataclasses.replace(
            call, arguments=arguments, options={**call.options, "metrics": spoken}
        )
    if k is not None and call.k is None and "k" not in call.options and metric_class.cutoff:
        given["k"] = k
    return _build(metric_class, call, given)


def _in_other_words(call: Call, dialect: Dialect) -> Call:
    """A name with what it means in a dialect."""
    alias = dialect.aliases.get(simplified(call.title))
    if alias is None:
        return call
    meant = read_name(alias)
    return dataclasses.replace(call, title=meant.title, options={**meant.options, **call.options})


def _component_in_dialect(name: str, dialect: Dialect, threshold: float | None) -> str:
    """A metric of F1, with the options of a dialect that its name does not hold."""
    call = _in_other_words(read_name(name), dialect)
    metric_class, call = find_class(call, COMPONENTS, "metric for F1")
    dialect.check(metric_class.key, metric_class.__name__, threshold)
    of_f1 = set(option_names(F1))
    own = {
        option: value
        for option, value in dialect.options(metric_class.key).items()
        if option not in of_f1
    }
    spelled = {**own, **call.options}
    inside = ", ".join(f"{option}={quoted(value)}" for option, value in spelled.items())
    return f"{metric_class.__name__}({inside})"


def _build(metric_class: type[Metric], call: Call, options: Mapping[str, Any]) -> Metric:
    """A metric from its name, whose brackets may hold a column or metrics too."""
    given = dict(options)
    found = metric_class.from_arguments(call.arguments, call.text)
    if "click_column" in found and "click_column" in given:
        # Names as they are printed hold the column of the label, or of the value to average.
        column = found.pop("click_column")
        if "value_column" in option_names(metric_class):
            given.setdefault("value_column", column)
            column = given["click_column"] if given["value_column"] == column else column
        if column != given["click_column"]:
            raise InvalidOptionError.other_column(call.text, column, given["click_column"])
    call = dataclasses.replace(call, options={**found, **call.options})
    if "click_column" not in call.options:
        given.setdefault("click_column", "click")
    return build(call, metric_class, given)


def _column_options(metric_class: type[Metric], call: Call, columns: Columns) -> dict[str, Any]:
    """The options that make a metric read these columns."""
    options: dict[str, Any] = {
        "click_column": columns.label,
        "score_column": columns.score,
        "user_id_column": columns.user,
        "item_id_column": columns.item,
    }
    if call.options.get("estimation", "matching") != "matching":
        options["propensity_column"] = columns.propensity
        options["target_propensity_column"] = columns.target
    return options
