"""Recommender metrics that say who was counted."""

from jurity_reco import functional, split
from jurity_reco.comparison import compare_dialects
from jurity_reco.dialects import Dialect
from jurity_reco.errors import (
    ColumnNotFoundError,
    InvalidDataError,
    InvalidOptionError,
    InvalidStateError,
    JurityRecoError,
    MetricNotFoundError,
    MissingPackageError,
    UnsupportedFrameError,
)
from jurity_reco.evaluation import evaluate
from jurity_reco.evaluator import RecommenderEvaluator
from jurity_reco.ledger import Ledger
from jurity_reco.metrics.area import GAUC, LAUC, RankingAUC
from jurity_reco.metrics.binary import AUC, CTR
from jurity_reco.metrics.catalog import (
    AveragePopularity,
    Coverage,
    Entropy,
    Gini,
    LongTailShare,
    Novelty,
)
from jurity_reco.metrics.combined import CombinedMetrics
from jurity_reco.metrics.diversity import InterListDiversity, IntraListDiversity
from jurity_reco.metrics.error import MAE, MSE, RMSE
from jurity_reco.metrics.f1 import F1
from jurity_reco.metrics.gain import DCG, NDCG
from jurity_reco.metrics.names import parse_metric
from jurity_reco.metrics.namespaces import (
    BinaryRecoMetrics,
    CatalogRecoMetrics,
    DiversityRecoMetrics,
    ErrorRecoMetrics,
    RankingRecoMetrics,
)
from jurity_reco.metrics.ranking import MAP, MAR, MRR, HitRate, Precision, Recall
from jurity_reco.predictions import compute_metrics
from jurity_reco.report import Report
from jurity_reco.results import MetricResult, pool
from jurity_reco.stored import MetricState
from jurity_reco.threads import get_n_threads, set_n_threads
from jurity_reco.versions import show_versions

__version__ = "0.1.0"


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


__all__ = [
    "AUC",
    "CTR",
    "DCG",
    "F1",
    "GAUC",
    "LAUC",
    "MAE",
    "MAP",
    "MAR",
    "MRR",
    "MSE",
    "NDCG",
    "RMSE",
    "AveragePopularity",
    "BinaryRecoMetrics",
    "CatalogRecoMetrics",
    "ColumnNotFoundError",
    "CombinedMetrics",
    "Coverage",
    "Dialect",
    "DiversityRecoMetrics",
    "Entropy",
    "ErrorRecoMetrics",
    "Gini",
    "HitRate",
    "InterListDiversity",
    "IntraListDiversity",
    "InvalidDataError",
    "InvalidOptionError",
    "InvalidStateError",
    "JurityRecoError",
    "Ledger",
    "LongTailShare",
    "MetricNotFoundError",
    "MetricResult",
    "MetricState",
    "MissingPackageError",
    "Novelty",
    "Precision",
    "RankingAUC",
    "RankingRecoMetrics",
    "Recall",
    "RecommenderEvaluator",
    "Report",
    "UnsupportedFrameError",
    "compare_dialects",
    "compute_metrics",
    "evaluate",
    "functional",
    "get_n_threads",
    "parse_metric",
    "pool",
    "set_n_threads",
    "show_versions",
    "split",
]
