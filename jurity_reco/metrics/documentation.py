"""Docstrings of metrics: each explains all its parameters, and none is written twice."""

from __future__ import annotations

import re

__all__ = ["with_inherited_parameters"]

_PARAMETERS = "Parameters\n----------\n"
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def with_inherited_parameters(doc: str, inherited: str) -> str:
    """A docstring with the parameters of another one after its own.

    Parameters
    ----------
    doc
        The docstring of a class, without indentation.
    inherited
        That of its base class, with all of its parameters.
    """
    before, own, after = _split(doc)
    _, more, _ = _split(inherited)
    known = set(_names(own))
    added = "".join(entry for entry in _entries(more) if not known & set(_names(entry)))
    return f"{before.rstrip()}\n\n{_PARAMETERS}{own}{added}\n{after}".rstrip() + "\n"


def _split(doc: str) -> tuple[str, str, str]:
    """What stands before the parameters, the parameters, and what stands after them."""
    start = doc.find(_PARAMETERS)
    if start < 0:
        section = _SECTION.search(doc)
        end = section.start() if section else len(doc)
        return doc[:end], "", doc[end:]
    body = start + len(_PARAMETERS)
    section = _SECTION.search(doc, body)
    end = section.start() if section else len(doc)
    return doc[:start], doc[body:end].rstrip() + "\n", doc[end:]


def _entries(parameters: str) -> list[str]:
    """Each parameter with its explanation, which is indented."""
    return re.findall(r"^\S.*\n(?:[ ]+.*\n)*", parameters, re.MULTILINE)


def _names(parameters: str) -> list[str]:
    """Names of parameters, of which one line may have several."""
    lines = re.findall(r"^\S.*$", parameters, re.MULTILINE)
    return [name.strip() for line in lines for name in line.split(",")]
