"""Dialects: how a library decides what the definition of a metric leaves open."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from jurity_reco.errors import InvalidOptionError
from jurity_reco.tables import UserRule, checked_user_rule

__all__ = ["CHOICES", "Dialect"]

#: What can be chosen, by the field of a dialect.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "precision_denominator": ("recommended", "k", "min(k, relevant)"),
    "recall_denominator": ("relevant", "min(k, relevant)"),
    "map_denominator": (
        "min(k, relevant)",
        "relevant",
        "hits",
        "min(recommended, relevant)",
        "k",
    ),
    "ideal": ("relevant", "min(k, relevant)", "k", "retrieved"),
    "gain": ("binary", "linear", "exponential", "exponential+1"),
    "discount": ("log2(r+1)", "log2(max(r, 2))"),
    "ties": (
        "input",
        "item",
        "item descending",
        "item text descending",
        "best",
        "worst",
        "expected",
    ),
}

_SKIP: UserRule = ("skip", "skip", "skip")
_ZERO: UserRule = ("zero", "zero", "zero")
_LISTED_ZERO: UserRule = ("skip", "skip", "zero")
_JUDGED_ZERO: UserRule = ("skip", "zero", "zero")

#: Where the rule of metrics that are not named stands in ``Dialect.users``.
OTHERS = "others"
#: Metrics for which a dialect decides something, by their keys.
METRICS = ("precision", "recall", "f1", "hit_rate", "mrr", "map", "mar", "ndcg", "dcg")
#: Metrics of areas, for which it decides the order of equal scores alone.
AREAS = ("ranking_auc", "gauc", "lauc")


@dataclass(frozen=True)
class Dialect:
    """What a library decides about ranking metrics; the defaults are those of Jurity.

    A dialect gives defaults to metrics that are asked for by name: options that stand in a name,
    and metrics that are given as objects, stay as they are.

    Parameters
    ----------
    name
        What it is called in results.
    precision_denominator, recall_denominator, map_denominator
        The ``denominator`` of Precision, of Recall and of MAP.
    ideal, gain, discount
        Those of NDCG, and the last two of DCG.
    users
        Which users count, for all metrics, or as a dictionary by the keys of metrics with
        ``"others"`` for all the others.
    ties
        The order of equal scores.
    metrics
        Keys of the ranking metrics that the library has; ``None`` for all.
    refused
        Why a metric that the library has, by name, cannot be expressed.
    threshold_refused
        The same for metrics that cannot be expressed with a ``relevance_threshold`` only.
    aliases
        Names that mean something else in this library.

    Examples
    --------
    >>> from jurity_reco import Dialect
    >>> Dialect.named("RecTools").ideal
    'k'
    >>> ours = Dialect("ours", ideal="min(k, relevant)", users=("skip", "skip", "zero"))
    """

    name: str
    precision_denominator: str = "recommended"
    recall_denominator: str = "relevant"
    map_denominator: str = "min(k, relevant)"
    ideal: str = "relevant"
    gain: str = "binary"
    discount: str = "log2(r+1)"
    users: Any = field(
        default_factory=lambda: {OTHERS: _LISTED_ZERO, "precision": _SKIP, "map": _SKIP}
    )
    ties: str = "input"
    metrics: tuple[str, ...] | None = None
    refused: Mapping[str, str] = field(default_factory=dict)
    threshold_refused: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise InvalidOptionError.not_a_choice(name, choices, getattr(self, name))
        users = self.users if isinstance(self.users, Mapping) else {OTHERS: self.users}
        if set(users) - {OTHERS, *METRICS} or OTHERS not in users:
            raise InvalidOptionError.not_users_of_metrics((OTHERS, *METRICS), self.users)
        rules = {key: checked_user_rule(rule) for key, rule in users.items()}
        object.__setattr__(self, "users", MappingProxyType(rules))
        if not isinstance(self.name, str) or not self.name:
            raise InvalidOptionError.not_a_dialect_name(self.name)
        for key in self.metrics or ():
            if key not in (*METRICS, *AREAS):
                raise InvalidOptionError.not_a_choice("metrics", (*METRICS, *AREAS), key)

    def __reduce__(self) -> tuple[Any, ...]:
        """To be copied and pickled, for which the rules of users have to be a plain dictionary."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return _dialect, ({**values, "users": dict(self.users)},)

    def __hash__(self) -> int:
        return hash(self.name)

    @classmethod
    def names(cls) -> list[str]:
        """The names of all presets."""
        return list(PRESETS)

    @classmethod
    def named(cls, name: str | Dialect | None) -> Dialect:
        """A preset, whatever the case, hyphens and underscores of its name.

        Parameters
        ----------
        name
            The name; a dialect is returned as it is, and None is Jurity's.
        """
        if isinstance(name, Dialect):
            return name
        known = {_simplified(preset): preset for preset in PRESETS}
        short = "jurity" if name is None else _simplified(name) if isinstance(name, str) else ""
        if short in known:
            return PRESETS[known[short]]
        raise InvalidOptionError.unknown_dialect(name, list(PRESETS), WITHOUT_PRESET.get(short))

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """What a dialect decides: the fields in which two can differ."""
        about = ("name", "metrics", "refused", "threshold_refused", "aliases")
        return tuple(one.name for one in fields(cls) if one.name not in about)

    def options(self, key: str) -> dict[str, Any]:
        """The options of a metric, by its key."""
        if key in AREAS:
            return {"ties": self.ties}
        if key not in METRICS:
            return {}
        own: dict[str, Any] = {}
        match key:
            case "precision":
                own = {"denominator": self.precision_denominator}
            case "recall":
                own = {"denominator": self.recall_denominator}
            case "map":
                own = {"denominator": self.map_denominator}
            case "ndcg":
                own = {"ideal": self.ideal, "gain": self.gain, "discount": self.discount}
            case "dcg":
                own = {"gain": self.gain, "discount": self.discount}
        return {**own, "users": self.users.get(key, self.users[OTHERS]), "ties": self.ties}

    def check(self, key: str, title: str, threshold: float | None) -> None:
        """Refuse a metric that this dialect does not have.

        Parameters
        ----------
        key, title
            The key of the metric, and its name for the message.
        threshold
            The threshold of relevance.
        """
        reason = self.refused.get(key)
        if reason is None and threshold is not None:
            reason = self.threshold_refused.get(key)
        if reason is None and self.metrics is not None and key in (*METRICS, *AREAS):
            reason = None if key in self.metrics else f"{self.name} has no {title}"
        if reason is not None:
            raise InvalidOptionError.not_in_dialect(title, self.name, reason, self.metrics or ())


def _dialect(values: dict[str, Any]) -> Dialect:
    return Dialect(**values)


def _simplified(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


_COMMON = ("precision", "recall", "map", "ndcg", "mrr", "hit_rate")
_TREC_NAMES = {
    "p": "Precision",
    "r": "Recall",
    "ap": "MAP",
    "rr": "MRR",
    "reciprank": "MRR",
    "success": "HitRate",
}

#: The presets, by library; versions and sources are on the page of the documentation.
PRESETS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("jurity"),
        Dialect(
            "warprec",
            precision_denominator="k",
            ideal="min(k, relevant)",
            gain="exponential+1",
            users={OTHERS: _LISTED_ZERO, "f1": _ZERO},
            metrics=(*_COMMON, "f1", "mar", *AREAS),
            aliases={"auc": "RankingAUC", "ndcgrendle2020": 'NDCG(gain="binary")'},
        ),
        Dialect(
            "laikallm",
            map_denominator="hits",
            ideal="retrieved",
            users=_JUDGED_ZERO,
            metrics=("map", "ndcg", "mrr", "hit_rate"),
        ),
        Dialect(
            "rectools",
            precision_denominator="k",
            map_denominator="relevant",
            ideal="k",
            users=_LISTED_ZERO,
            metrics=(*_COMMON, "f1"),
        ),
        Dialect(
            "replay",
            precision_denominator="k",
            ideal="min(k, relevant)",
            users=_LISTED_ZERO,
            ties="item descending",
            metrics=_COMMON,
        ),
        Dialect(
            "ranx",
            precision_denominator="k",
            map_denominator="relevant",
            ideal="min(k, relevant)",
            gain="linear",
            users=_JUDGED_ZERO,
            metrics=(*_COMMON, "f1", "dcg"),
            aliases={
                "ndcgburges": 'NDCG(gain="exponential")',
                "dcgburges": 'DCG(gain="exponential")',
            },
        ),
        Dialect(
            "pytrec_eval",
            precision_denominator="k",
            map_denominator="relevant",
            ideal="min(k, relevant)",
            gain="linear",
            users=("skip", "zero", "skip"),
            ties="item text descending",
            metrics=_COMMON,
            aliases=_TREC_NAMES,
        ),
        Dialect(
            "ir_measures",
            precision_denominator="k",
            map_denominator="relevant",
            ideal="min(k, relevant)",
            gain="linear",
            users=_JUDGED_ZERO,
            ties="item text descending",
            metrics=_COMMON,
            aliases=_TREC_NAMES,
        ),
        Dialect(
            "ms_recommenders",
            precision_denominator="k",
            ideal="min(k, relevant)",
            users={OTHERS: _SKIP, "ndcg": _LISTED_ZERO},
            metrics=("precision", "recall", "map", "ndcg"),
        ),
        Dialect(
            "lenskit",
            recall_denominator="min(k, relevant)",
            map_denominator="min(recommended, relevant)",
            ideal="min(k, relevant)",
            discount="log2(max(r, 2))",
            users={OTHERS: ("zero", "zero", "skip"), "map": _SKIP},
            metrics=(*_COMMON, "dcg"),
        ),
        Dialect(
            "recbole",
            precision_denominator="k",
            ideal="min(k, relevant)",
            users=_LISTED_ZERO,
            metrics=_COMMON,
        ),
        Dialect(
            "cornac",
            precision_denominator="k",
            ideal="min(k, relevant)",
            users=_LISTED_ZERO,
            ties="worst",
            metrics=("precision", "recall", "f1", "ndcg", "hit_rate"),
            refused={
                "map": "the MAP of cornac has no cut-off and ranks the whole catalogue",
                "mrr": "the MRR of cornac has no cut-off and fails for a user without a hit",
            },
        ),
        Dialect(
            "elliot",
            precision_denominator="k",
            ideal="min(k, relevant)",
            gain="exponential+1",
            users=_SKIP,
            metrics=("precision", "recall", "f1", "ndcg", "mrr", "hit_rate"),
            refused={
                "map": "the MAP of elliot is the mean of Precision at 1 to k, not an average "
                "precision"
            },
            threshold_refused={
                "ndcg": "the gain of elliot is 2^(g - threshold + 1) - 1, and no field shifts "
                "grades"
            },
        ),
        Dialect(
            "recpack",
            precision_denominator="k",
            ideal="min(k, relevant)",
            users=_LISTED_ZERO,
            metrics=("precision", "recall", "ndcg", "mrr"),
            refused={
                "hit_rate": "the HitK of recpack counts hits, and is no rate of users with a hit"
            },
        ),
        Dialect(
            "threshold_top_k",
            precision_denominator="k",
            ideal="min(k, relevant)",
            users={OTHERS: _LISTED_ZERO, "precision": _JUDGED_ZERO, "hit_rate": _JUDGED_ZERO},
            metrics=("precision", "recall", "ndcg", "hit_rate"),
        ),
        Dialect(
            "lists_and_sets",
            precision_denominator="k",
            ideal="min(k, relevant)",
            gain="linear",
            users=("skip", "zero", "skip"),
            metrics=(*_COMMON, "f1", "dcg"),
        ),
    )
}

#: Libraries whose numbers no combination of fields gives, and why.
WITHOUT_PRESET = {
    "torchmetrics": "it only knows relevant items that are in the given list, divides average "
    "precision by the hits, and takes scores of 0 and less for not recommended",
    "evidently": "it only knows relevant items that are in the given list, repeats the last row of "
    "a short list, and averages the ranks of equal scores, so that values exceed 1",
}
