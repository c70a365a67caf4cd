"""The metrics by family, as in ``RankingRecoMetrics.NDCG``."""

from __future__ import annotations

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
from jurity_reco.metrics.diversity import InterListDiversity, IntraListDiversity
from jurity_reco.metrics.error import MAE, MSE, RMSE
from jurity_reco.metrics.f1 import F1
from jurity_reco.metrics.gain import DCG, NDCG
from jurity_reco.metrics.ranking import MAP, MAR, MRR, HitRate, Precision, Recall

__all__ = [
    "BinaryRecoMetrics",
    "CatalogRecoMetrics",
    "DiversityRecoMetrics",
    "ErrorRecoMetrics",
    "RankingRecoMetrics",
]


class BinaryRecoMetrics:
    """Metrics of what users did with the recommendations that they are known to have seen."""

    AUC = AUC
    CTR = CTR


class RankingRecoMetrics:
    """Metrics that reward relevant items for standing high in a user's list."""

    AUC = RankingAUC
    DCG = DCG
    F1 = F1
    GAUC = GAUC
    HitRate = HitRate
    LAUC = LAUC
    MAP = MAP
    MAR = MAR
    MRR = MRR
    NDCG = NDCG
    Precision = Precision
    Recall = Recall


class ErrorRecoMetrics:
    """Metrics of how far predicted values are from what users did."""

    MAE = MAE
    MSE = MSE
    RMSE = RMSE


class CatalogRecoMetrics:
    """Metrics of which items are recommended at all, and how popular they are."""

    AveragePopularity = AveragePopularity
    Coverage = Coverage
    Entropy = Entropy
    Gini = Gini
    LongTailShare = LongTailShare
    Novelty = Novelty


class DiversityRecoMetrics:
    """Metrics of how different recommendations are, whatever users did with them."""

    InterListDiversity = InterListDiversity
    IntraListDiversity = IntraListDiversity
