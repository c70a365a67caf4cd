"""Recommender metrics that say who was counted."""

from jurity_reco.errors import (
    ColumnNotFoundError,
    InvalidDataError,
    InvalidOptionError,
    InvalidStateError,
    JurityRecoError,
    UnsupportedFrameError,
)
from jurity_reco.ledger import Ledger
from jurity_reco.metrics.binary import AUC, CTR, BinaryRecoMetrics
from jurity_reco.metrics.combined import CombinedMetrics
from jurity_reco.metrics.diversity import (
    DiversityRecoMetrics,
    InterListDiversity,
    IntraListDiversity,
)
from jurity_reco.metrics.ranking import MAP, NDCG, Precision, RankingRecoMetrics, Recall
from jurity_reco.results import MetricResult, pool
from jurity_reco.stored import MetricState

__version__ = "0.1.0"

__all__ = [
    "AUC",
    "CTR",
    "MAP",
    "NDCG",
    "BinaryRecoMetrics",
    "ColumnNotFoundError",
    "CombinedMetrics",
    "DiversityRecoMetrics",
    "InterListDiversity",
    "IntraListDiversity",
    "InvalidDataError",
    "InvalidOptionError",
    "InvalidStateError",
    "JurityRecoError",
    "Ledger",
    "MetricResult",
    "MetricState",
    "Precision",
    "RankingRecoMetrics",
    "Recall",
    "UnsupportedFrameError",
    "pool",
]
