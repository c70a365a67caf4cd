"""Names of metrics as text, such as ``NDCG(gain="linear")@10``: written, read, and built."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jurity_reco.errors import InvalidOptionError

__all__ = ["Call", "build", "find_class", "option_names", "quoted", "read_name", "simplified"]

_Class = TypeVar("_Class", bound=type[Any])
_Metric = TypeVar("_Metric")

_NAME = re.compile(r"\s*(?P<title>[^()@]*?)\s*(?:\((?P<inside>.*)\)\s*)?(?:@(?P<k>.*))?", re.DOTALL)

#: Nobody writes a longer name.
LONGEST_NAME = 2000

#: Other names of metrics, simplified, and what they stand for.
ALIASES = {
    "hit": "HitRate",
    "hr": "HitRate",
    "averageprecision": "MAP",
    "meanaverageprecision": "MAP",
    "reciprocalrank": "MRR",
    "meanreciprocalrank": "MRR",
    "fscore": "F1",
    "ndcgrendle2020": 'NDCG(ideal="min(k, relevant)")',
    "catalogcoverage": "Coverage",
    "ginicoefficient": "Gini",
    "ips": 'CTR(estimation="ips")',
    "snips": 'CTR(estimation="snips")',
    "dr": 'CTR(estimation="dr")',
    "doublyrobust": 'CTR(estimation="dr")',
}


@dataclass(frozen=True)
class Call:
    """A name of a metric, taken apart.

    Parameters
    ----------
    title
        What stands before the brackets and the cut-off.
    arguments, options
        What stands in the brackets, without and with a name of its own.
    k
        The cut-off.
    text
        The whole name, for messages.
    """

    title: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    k: int | None = None
    text: str = ""


def simplified(title: str) -> str:
    """A title without regard to case, blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", title).lower()


def quoted(value: Any) -> str:
    """An option as it stands in a name."""
    if callable(value):
        value = f"<{value.__module__}.{getattr(value, '__qualname__', '?')}>"
    if isinstance(value, tuple):
        return f"({', '.join(map(quoted, value))})"
    if isinstance(value, (bool, int, float, type(None))):
        return repr(value)
    text = str(value)
    if not isinstance(value, str) and not _stands_for_data(text):
        return text
    return repr(text) if '"' in text or "\\" in text else f'"{text}"'


def _stands_for_data(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("<") and value.endswith(">")


def read_name(name: Any) -> Call:
    """Take a name apart; what it means is another question."""
    parts = _NAME.fullmatch(name) if isinstance(name, str) and len(name) <= LONGEST_NAME else None
    if parts is None or not parts["title"]:
        raise InvalidOptionError.not_a_name(name)
    cutoff = parts["k"]
    if cutoff is not None and not re.fullmatch(r"\s*[0-9]{1,18}\s*", cutoff):
        raise InvalidOptionError.not_a_cutoff(name, cutoff.strip())
    try:
        expression = ast.parse(f"_({parts['inside'] or ''})", mode="eval").body
        if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Name):
            raise InvalidOptionError.not_a_name(name)
        arguments = tuple(_value(argument) for argument in expression.args)
        options = {str(keyword.arg): _value(keyword.value) for keyword in expression.keywords}
    except (SyntaxError, ValueError):
        raise InvalidOptionError.not_a_name(name) from None
    # Two values of one option, or options out of nowhere as in **options.
    if len(options) < len(expression.keywords) or "None" in options:
        raise InvalidOptionError.not_a_name(name)
    return Call(parts["title"], arguments, options, int(cutoff) if cutoff else None, name)


def _value(node: ast.expr) -> Any:
    """A number, a text, several of them, or a word or metric, which stay text."""
    match node:
        case ast.Name(id="inf"):
            return math.inf
        case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="inf")):
            return -math.inf
        case ast.Name() | ast.Attribute() | ast.Call() | ast.BinOp(op=ast.MatMult()):
            return ast.unparse(node)
        case ast.Tuple() | ast.List():
            return tuple(_value(element) for element in node.elts)
    return ast.literal_eval(node)


def find_class(call: Call, classes: Iterable[_Class], kind: str = "metric") -> tuple[_Class, Call]:
    """The class that a name means, and the name with what an alias stands for.

    Parameters
    ----------
    call
        The name.
    classes
        Classes of metrics, which have a key and a name.
    kind
        What they are, for the message.
    """
    known = {
        simplified(title): metric_class
        for metric_class in classes
        for title in (metric_class.__name__, metric_class.key)
    }
    title = simplified(call.title)
    if title not in known and title in ALIASES:
        alias = read_name(ALIASES[title])
        title = simplified(alias.title)
        call = dataclasses.replace(call, options={**alias.options, **call.options})
    if title not in known:
        names = {short: metric_class.__name__ for short, metric_class in known.items()}
        others = {
            other: meant
            for other, meant in ALIASES.items()
            if simplified(read_name(meant).title) in known
        }
        raise InvalidOptionError.unknown_metric(
            call.text,
            title,
            {**others, **names},
            sorted(set(names.values()), key=str.lower),
            kind,
        )
    return known[title], call


def option_names(metric_class: type[Any]) -> list[str]:
    """The options of a metric, but for the cut-off."""
    return sorted(
        option.name
        for option in dataclasses.fields(metric_class)
        if option.init and option.name != "k"
    )


def _required(metric_class: type[Any]) -> list[str]:
    """Options without a default."""
    return [
        option.name
        for option in dataclasses.fields(metric_class)
        if option.init and option.default is option.default_factory is dataclasses.MISSING
    ]


def build(call: Call, metric_class: type[_Metric], given: Mapping[str, Any]) -> _Metric:
    """A metric from its name.

    Parameters
    ----------
    call
        The name; what it holds wins.
    metric_class
        The class that it names.
    given
        Options that the name need not hold, such as columns and data.
    """
    known = option_names(metric_class)
    for option in (*call.options, *given):
        if option not in known and option != "k":
            raise InvalidOptionError.no_such_option(option, metric_class.__name__, known, call.text)
    data = {option: text for option, text in call.options.items() if _stands_for_data(text)}
    for option, text in data.items():
        if given.get(option) is None:
            raise InvalidOptionError.data_not_given(option, text, call.text)
    spelled = {option: value for option, value in call.options.items() if option not in data}
    options = {**given, **spelled}
    if call.k is not None:
        if "k" in spelled or given.get("k", call.k) != call.k:
            raise InvalidOptionError.two_cutoffs(call.text)
        options["k"] = call.k
    for needed in _required(metric_class):
        if needed not in options:
            raise InvalidOptionError.data_needed(needed, metric_class.__name__)
    metric = metric_class(**options)
    for option, text in data.items():
        found = quoted(getattr(metric, option)).strip('"')
        if found != text:
            raise InvalidOptionError.other_data(option, text, found, call.text)
    return metric
