"""Sums that merge: what is left of a match once a metric has looked at it.

A state is a value. Two states of one metric add up to the state of all their users together, so
batches, days and partitions combine without the rows they came from.
"""

from __future__ import annotations

from jurity_reco.states.base import State
from jurity_reco.states.diversity import DiversityState
from jurity_reco.states.items import ItemCountState
from jurity_reco.states.policy import PolicyState
from jurity_reco.states.ratio import RatioState
from jurity_reco.states.scores import ScoreState

__all__ = [
    "STATES",
    "DiversityState",
    "ItemCountState",
    "PolicyState",
    "RatioState",
    "ScoreState",
    "State",
]

#: Classes of states by the name that stands in stored bytes.
STATES: dict[str, type[State]] = {
    state.kind: state
    for state in (RatioState, ScoreState, DiversityState, ItemCountState, PolicyState)
}
