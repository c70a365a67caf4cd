"""Sums of an estimate from logs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import begins_run
from jurity_reco.errors import InvalidStateError
from jurity_reco.states.base import NothingMore
from jurity_reco.states.ratio import RatioState

__all__ = ["BY_ITEMS", "BY_OWN_ITEMS", "NO_WEIGHTS", "WHOLE", "PolicyState"]

Floats = npt.NDArray[np.float64]


# 95 % of a normal distribution lie within this many standard deviations.
_NORMAL_95 = 1.959963984540054
# Below these, normal intervals of estimates from logs cover less than they say.
_LEAST_SAMPLE = 100
_LEAST_CLICKS = 50
# With right propensities, weights are 1 on average.
_FAR_FROM_ONE = 2.0
# What weights are: none, whole, to be multiplied by the number of logged items of all batches, or
# whole by that number in one call alone.
NO_WEIGHTS, WHOLE, BY_ITEMS, BY_OWN_ITEMS = -1, 0, 1, 2


@dataclass(frozen=True, eq=False)
class PolicyState(NothingMore):
    r"""Sums of an estimate from logs, with what tells whether to believe it.

    A user's numerator is y = a + s b and the denominator n; the estimate is
    :math:`\sum y / \sum n`. Where the probability of being shown is known, b holds the whole
    weights and s is 1. Where items are taken to be shown with equal probability, s is their number,
    which is known only when the last batch has come; so a and b are summed apart.

    Parameters
    ----------
    counts
        Users with n > 0, top-k rows, matched rows, matched rows whose weight was cut, and matched
        rows with a value other than 0.
    sums
        Sums over users of a, b, n, aa, ab, bb, an, bn, nn.
    weights
        Sum, sum of squares and largest of the weights of matched rows, before s, and the sum that
        is to be expected: the number of top-k rows, or of those that a random policy would show;
        then the least and the largest value of a matched row.
    items
        Hashes of the distinct logged items, ascending, where s is their number.
    options
        What the weights are; 1 if the estimate is divided by them, else 0; the largest weight
        allowed, or infinity.
    """

    kind: ClassVar[str] = "policy"

    counts: npt.NDArray[np.int64]
    sums: Floats
    weights: Floats
    items: npt.NDArray[np.uint64]
    options: Floats

    @classmethod
    def empty(cls, *, by_weight: bool, max_weight: float | None) -> PolicyState:
        """The state before the first row."""
        limit = math.inf if max_weight is None else max_weight
        return cls(
            counts=np.zeros(5, dtype=np.int64),
            sums=np.zeros(9),
            weights=np.array([0, 0, 0, 0, math.inf, -math.inf]),
            items=np.zeros(0, dtype=np.uint64),
            options=np.array([NO_WEIGHTS, by_weight, limit], dtype=np.float64),
        )

    def __add__(self, other: PolicyState) -> PolicyState:
        kinds = [self.options[0], other.options[0]]
        if BY_OWN_ITEMS in kinds and NO_WEIGHTS not in kinds:
            raise InvalidStateError.cut_by_own_items()
        if set(kinds) == {WHOLE, BY_ITEMS}:
            raise InvalidStateError.propensities_in_part()
        weights = self.weights + other.weights
        weights[[2, 5]] = np.maximum(self.weights, other.weights)[[2, 5]]
        weights[4] = min(self.weights[4], other.weights[4])
        items = np.sort(np.concatenate([self.items, other.items]))
        return PolicyState(
            counts=self.counts + other.counts,
            sums=self.sums + other.sums,
            weights=weights,
            items=items[begins_run(items)],
            options=np.maximum(self.options, other.options),
        )

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All arrays as they are."""
        return {
            "counts": self.counts,
            "sums": self.sums,
            "weights": self.weights,
            "items": self.items,
            "options": self.options,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[Any]]) -> PolicyState:
        """The state that was stored."""
        return cls(**arrays)

    @property
    def bounds(self) -> tuple[float, float]:
        """Those of the values, if divided by weights; other estimates may leave them."""
        if self.options[1]:
            return float(self.weights[4]), float(self.weights[5])
        return -math.inf, math.inf

    @property
    def support(self) -> int:
        """Top-k rows, matched or not."""
        return int(self.counts[1])

    @property
    def scale(self) -> float:
        """The factor s of all weights."""
        kind, by_weight, limit = self.options
        # Divided by weights, a common factor cancels.
        return min(float(len(self.items)), limit) if kind == BY_ITEMS and not by_weight else 1.0

    @property
    def ratio(self) -> RatioState:
        """Sums of y and n."""
        a, b, n, aa, ab, bb, an, bn, nn = self.sums.tolist()
        s = self.scale
        return RatioState(
            n_users=int(self.counts[0]),
            y=a + s * b,
            n=n,
            yy=aa + 2 * s * ab + s * s * bb,
            yn=an + s * bn,
            nn=nn,
            least=self.bounds[0],
            largest=self.bounds[1],
        )

    @property
    def value(self) -> float | None:
        """The estimate; None when there is nothing to divide by."""
        return self.ratio.value

    @property
    def standard_error(self) -> float | None:
        """Standard error of the estimate, with users as the sampling unit; None below two users."""
        variance = self.ratio.variance
        if math.isnan(variance):
            return None
        if self.options[1]:
            # The usual error of a self-normalised estimate has no correction for small samples.
            variance *= (self.counts[0] - 1) / self.counts[0]
        return math.sqrt(variance)

    @property
    def effective_sample_size(self) -> float:
        """How many equally weighted rows would say as much."""
        total, squares = self.weights[:2]
        return float(total**2 / squares) if squares else 0.0

    def details(self) -> dict[str, Any]:
        """Diagnostics of the estimate."""
        _, n_rows, n_matched, n_clipped, _ = self.counts.tolist()
        kind, _, limit = self.options
        total, _, largest, expected = self.weights[:4].tolist()
        n_items = float(len(self.items)) if kind == BY_ITEMS else 1.0
        if kind == BY_ITEMS and n_items > limit:
            n_clipped = n_matched
        error, value = self.standard_error, self.value
        interval = None
        if error is not None and value is not None:
            interval = (value - _NORMAL_95 * error, value + _NORMAL_95 * error)
        reason = self._reason_to_doubt()
        return {
            "assumed_items": len(self.items) if kind == BY_ITEMS else None,
            "matched_share": n_matched / n_rows if n_rows else None,
            "mean_weight": total * min(n_items, limit) / expected if expected else None,
            "max_weight_seen": largest * n_items,
            "clipped_share": n_clipped / n_matched if n_matched else 0.0,
            "effective_sample_size": self.effective_sample_size,
            "standard_error": error,
            "interval": interval,
            "reliable": reason is None,
            "reason": reason,
        }

    def _reason_to_doubt(self) -> str | None:
        effective, clicks = self.effective_sample_size, int(self.counts[4])
        if effective < _LEAST_SAMPLE:
            return f"the effective sample size is {effective:.1f}, below {_LEAST_SAMPLE}"
        if clicks < _LEAST_CLICKS:
            return f"{clicks} matched rows have a value other than 0, below {_LEAST_CLICKS}"
        kind, by_weight, limit = self.options
        total, _, largest, expected = self.weights[:4]
        n_items = len(self.items) if kind == BY_ITEMS else 1
        mean_weight = total * n_items / expected if expected else 1.0
        # Divided by weights, a common factor cancels; and cut weights are low for a reason.
        cut = largest * n_items > limit
        if not by_weight and (mean_weight > _FAR_FROM_ONE or mean_weight * _FAR_FROM_ONE < 1 - cut):
            return f"the mean weight is {mean_weight:.2f}, so the propensities do not fit the log"
        if self.standard_error is None:
            return "there is one user only, and no standard error"
        return None
