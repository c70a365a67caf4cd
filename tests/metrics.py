"""Every metric of the package, found by looking at its namespaces."""

import inspect

import jurity_reco
from jurity_reco.metrics.base import Metric

NAMESPACES = {
    name: value
    for name, value in vars(jurity_reco).items()
    if inspect.isclass(value) and name.endswith("RecoMetrics")
}
METRICS = [
    metric
    for namespace in NAMESPACES.values()
    for metric in vars(namespace).values()
    if inspect.isclass(metric) and issubclass(metric, Metric)
]
# Metrics of what users did; the others look at recommendations alone.
METRICS_OF_ACTUAL = [metric for metric in METRICS if not metric.ignores_actual]


def make(metric_class, click_column="click", k=None, *more, **options):
    """A metric, without a cut-off if it has none."""
    return metric_class(click_column, k if metric_class.cutoff else None, *more, **options)
