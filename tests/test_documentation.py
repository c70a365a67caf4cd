"""What people read: public names, the example, the table of definitions."""

import inspect
import re
import runpy
from pathlib import Path

import jurity_reco
from tests.metrics import METRICS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def test_public_names_are_sorted_and_exist():
    classes = [name for name in jurity_reco.__all__ if not name.isupper()]
    constants = [name for name in jurity_reco.__all__ if name.isupper()]
    assert jurity_reco.__all__ == sorted(constants) + sorted(classes)
    assert all(inspect.getdoc(getattr(jurity_reco, name)) for name in jurity_reco.__all__)


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "api.rst").read_text()
    directive = r"^\.\. auto(?:class|exception|function|module):: (?:jurity_reco\.)?(\w+)$"
    documented = set(re.findall(directive, text, re.M))
    functions = {*jurity_reco.functional.__all__, *jurity_reco.split.__all__}
    assert documented == {*jurity_reco.__all__, *functions}


def test_every_metric_is_defined():
    text = (DOCS / "definitions.rst").read_text()
    for metric in METRICS:
        assert f"- ``{metric.key}``\n" in text
        assert f":ref:`{metric.__name__} <" in text


def test_example_prints_aggregates_and_users(capsys):
    runpy.run_path(str(DOCS / "examples" / "quickstart.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert re.search(r"NDCG@5 +0\.\d{4}   support 185", printed)
    assert re.search(r"zero_no_recommendations +10\n", printed)
    assert re.search(r"user \d+ +1\.0+\n", printed)


def test_the_version_has_a_changelog_entry():
    assert f"\n{jurity_reco.__version__} " in (ROOT / "CHANGELOG.rst").read_text()
