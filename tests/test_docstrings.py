"""Docstrings of metrics: every parameter is explained, once."""

import inspect
import re

import pytest

from jurity_reco.metrics.documentation import with_inherited_parameters
from tests.metrics import METRICS


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.key)
def test_every_parameter_is_explained_once(metric):
    text = inspect.getdoc(metric)
    (section,) = re.findall(r"^Parameters\n-+\n(.*?)(?=^\w+\n-{3,}\n|\Z)", text, re.M | re.S)
    lines = re.findall(r"^\S.*$", section, re.M)
    explained = [name.strip() for line in lines for name in line.split(",")]
    parameters = [name for name in inspect.signature(metric).parameters if name != "options"]
    assert len(explained) == len(set(explained))
    assert set(parameters) <= set(explained)
    assert text.index("Parameters") < text.index("Examples")


def test_own_parameters_come_first():
    base = "What it is.\n\nParameters\n----------\nk\n    The cut-off.\na, b\n    Two.\n"
    own = "Something.\n\nParameters\n----------\na\n    Mine.\n\nExamples\n--------\n>>> 1\n1\n"
    assert with_inherited_parameters(own, base) == (
        "Something.\n\nParameters\n----------\na\n    Mine.\nk\n    The cut-off.\n\n"
        "Examples\n--------\n>>> 1\n1\n"
    )
    assert with_inherited_parameters("Something.\n\nExamples\n--------\n>>> 1\n", base).startswith(
        "Something.\n\nParameters\n----------\nk\n    The cut-off.\na, b\n    Two.\n\nExamples\n"
    )
