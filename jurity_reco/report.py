"""Several metrics side by side, and how to show them."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from jurity_reco.errors import InvalidOptionError, MetricNotFoundError
from jurity_reco.hashing import hash_series
from jurity_reco.results import MetricResult
from jurity_reco.tables import Everybody

__all__ = ["Report"]

_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\^{}",
    "~": r"\textasciitilde{}",
    **{letter: f"\\{letter}" for letter in "&%#_{}$"},
}


@dataclass(frozen=True, eq=False, repr=False)
class Report(Mapping[str, MetricResult]):
    """What ``evaluate`` returns: the results of several metrics, by the names they were asked for.

    It is a mapping: ``report["ndcg@10"]`` is the whole result of one metric.

    Parameters
    ----------
    results
        The results by name.
    dialect
        The name of the dialect in which metrics that were asked for by name were computed.
    """

    results: Mapping[str, MetricResult]
    dialect: str

    def __getitem__(self, name: str) -> MetricResult:
        try:
            return self.results[name]
        except KeyError:
            raise MetricNotFoundError.in_report(name, list(self.results)) from None

    def __contains__(self, name: object) -> bool:
        return name in self.results

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def scores(self) -> dict[str, float | None]:
        """The score of every metric; ``None`` where nobody could be averaged."""
        return {name: result.score for name, result in self.results.items()}

    @property
    def ledger(self) -> pd.DataFrame:
        """Where every user went, with one row per metric and one column per count."""
        counts = {name: result.ledger.to_dict() for name, result in self.results.items()}
        return pd.DataFrame.from_dict(counts, orient="index").rename_axis("metric")

    @cached_property
    def per_user(self) -> pd.DataFrame:
        """One row per user of either frame, one column per metric.

        Users whom a metric does not average have a missing value there, and metrics that are
        totals over users have no column. The user column holds the caller's own ids.
        """
        values = {
            name: result.values
            for name, result in self.results.items()
            if result.values is not None
        }
        if not values:
            raise InvalidOptionError.no_user_values(list(self.results))
        # Metrics that ignore actual know only some of the users.
        everybody = max((one.users for one in values.values()), key=lambda users: users.complete)
        columns: dict[str, Any] = {everybody.column: everybody.ids}
        for name, one in values.items():
            if one.users.column != everybody.column:
                raise InvalidOptionError.other_user_column(everybody.column, one.users.column)
            if name == everybody.column:
                raise InvalidOptionError.metric_like_column(name)
            columns[name] = _aligned(one.of_everybody(), one.users, everybody)
        return pd.DataFrame(columns)

    def to_frame(self) -> pd.DataFrame:
        """One row per metric: score, support, users who count, and users in all."""
        rows = {
            name: {
                "score": math.nan if result.score is None else result.score,
                "support": result.support,
                "users_averaged": result.ledger.n_averaged,
                "users": result.ledger.n_users,
            }
            for name, result in self.results.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("metric")

    def to_dict(self) -> dict[str, Any]:
        """Everything but the values of users, in plain types."""
        return {
            "dialect": self.dialect,
            "metrics": {
                name: {
                    "metric": result.state.metric,
                    "score": result.score,
                    "support": result.support,
                    "ledger": result.ledger.to_dict(),
                    **result.details,
                }
                for name, result in self.results.items()
            },
        }

    def to_json(self, indent: int | None = None) -> str:
        """The same as JSON, with ``null`` for a score that does not exist or is no number.

        Parameters
        ----------
        indent
            Blanks before each level; everything in one line without it.
        """
        return json.dumps(_strict(self.to_dict()), indent=indent, allow_nan=False)

    def to_markdown(self, digits: int = 4) -> str:
        """A table in Markdown.

        Parameters
        ----------
        digits
            Digits of the scores.
        """
        header, *rows = [[cell.replace("|", r"\|") for cell in row] for row in self._cells(digits)]
        lines = [header, ["---", "---:", "---:", "---:"], *rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def to_latex(self, digits: int = 4) -> str:
        r"""A table in LaTeX, for the package booktabs.

        Parameters
        ----------
        digits
            Digits of the scores.
        """
        header, *rows = [
            r" & ".join("".join(_LATEX.get(letter, letter) for letter in cell) for cell in row)
            for row in self._cells(digits)
        ]
        body = [f"{line} \\\\" for line in rows]
        top, bottom = r"\begin{tabular}{lrrr}", r"\end{tabular}"
        rules = [top, r"\toprule", f"{header} \\\\", r"\midrule", *body, r"\bottomrule", bottom]
        return "\n".join(rules)

    def __repr__(self) -> str:
        cells = self._cells(4)
        widths = [max(len(row[column]) for row in cells) for column in range(4)]
        lines = [
            "  ".join(
                cell.ljust(width) if column == 0 else cell.rjust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in cells
        ]
        return "\n".join([*lines, *self._remarks()])

    def _repr_html_(self) -> str:
        header, *rows = self._cells(4)
        top = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        body = "".join(
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td></tr>".format(*map(html.escape, row))
            for row in rows
        )
        remarks = "".join(f"<p>{html.escape(remark)}</p>" for remark in self._remarks())
        return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{remarks}"

    def _cells(self, digits: int) -> list[list[str]]:
        """The table as people read it."""
        if not isinstance(digits, int) or digits < 0:
            raise InvalidOptionError.not_digits(digits)
        rows = [["metric", "score", "support", "users averaged"]]
        for name, result in self.results.items():
            score = "-" if result.score is None else f"{result.score:.{digits}f}"
            averaged = f"{result.ledger.n_averaged:,} of {result.ledger.n_users:,}"
            rows.append([name, score, f"{result.support:,}", averaged])
        return rows

    def _remarks(self) -> list[str]:
        """What has to be known about the scores."""
        remarks = [] if self.dialect == "jurity" else [f"As in {self.dialect}."]
        for name, result in self.results.items():
            if not result.details.get("reliable", True):
                remarks.append(f"{name} is not reliable: {result.details['reason']}.")
        ledgers = [result.ledger for result in self.results.values()]
        for count, what in [
            (max(one.actual_rows_invalid for one in ledgers), "of actual lack something"),
            (max(one.predicted_rows_invalid for one in ledgers), "of predicted lack something"),
            (max(one.predicted_rows_repeated for one in ledgers), "of predicted are repeated"),
        ]:
            if count:
                remarks.append(f"Left out: {count:,} rows {what}.")
        return remarks


def _aligned(
    values: npt.NDArray[np.float64], users: Everybody, everybody: Everybody
) -> npt.NDArray[np.float64]:
    """Values in the order of all users; missing for users who are not among those with a value."""
    # All users of both frames are the same users in the same order, whatever the match.
    if users.complete and everybody.complete:
        return values
    hashes = hash_series(everybody.ids)
    by_hash = np.argsort(hashes)
    wanted = hash_series(users.ids)
    place = by_hash[np.minimum(np.searchsorted(hashes[by_hash], wanted), len(by_hash) - 1)]
    assert np.array_equal(hashes[place], wanted), "a user of one match is unknown in another"
    aligned = np.full(len(everybody.code), np.nan)
    aligned[place] = values
    return aligned


def _strict(value: Any) -> Any:
    """The same value without numbers that JSON does not know."""
    if isinstance(value, Mapping):
        return {key: _strict(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_strict(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
