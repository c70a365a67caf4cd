"""Error metrics: how far predicted values are from what users did."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from jurity_reco.arrays import sum_per_user
from jurity_reco.errors import InvalidDataError
from jurity_reco.metrics.base import Metric
from jurity_reco.metrics.options import check_choice
from jurity_reco.states import RatioState, State
from jurity_reco.tables import Need, Tables, matched_rows

__all__ = ["MAE", "MSE", "RMSE"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class ErrorMetric(Metric):
    """A mean over all rows of ``actual`` whose user and item are in ``predicted``.

    Parameters
    ----------
    normalize
        ``"pairs"`` divides by the number of matched rows, ``"users"`` by the number of users with a
        matched row.
    """

    cutoff: ClassVar[bool] = False
    by_relevance: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    value_range: ClassVar[tuple[float, float]] = (0.0, np.inf)

    _: KW_ONLY
    normalize: str = "pairs"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("normalize", ("pairs", "users"), self.normalize)

    @abstractmethod
    def error(self, difference: Floats) -> Floats:
        """The error of a difference between the predicted and the actual value."""

    @property
    def needs(self) -> Need:
        """Matched rows."""
        return Need.ROWS

    def per_user(self, tables: Tables) -> tuple[Floats, Floats]:
        """Sum of the errors, and the number of rows, or 1 for a user with a row."""
        rows, n_users = matched_rows(tables, None), len(tables.users)
        difference = rows.score.astype(np.float64) - rows.label.astype(np.float64)
        infinite = int(np.count_nonzero(~np.isfinite(difference)))
        if infinite:
            raise InvalidDataError.error_not_finite(infinite)
        n_rows = rows.per_user(n_users)
        n = np.minimum(n_rows, 1.0) if self.normalize == "users" else n_rows
        return sum_per_user(rows.user, self.error(difference), n_users), n

    def measure(self, tables: Tables) -> tuple[Floats, Floats, State]:
        """Sums of errors, whose root is taken last."""
        y, n = self.per_user(tables)
        return y, n, RatioState.of_users(y, n, root=self.root)

    @property
    def empty_sums(self) -> State:
        """Nobody."""
        return RatioState(root=self.root)


@dataclass(frozen=True, repr=False)
class MSE(ErrorMetric):
    r"""Mean squared error of the predicted values.

    With v the label of a row of ``actual`` and s the score of the same user and item in
    ``predicted``,

    .. math:: \frac{1}{|M|} \sum_{M} (s - v)^2

    over the set M of all such rows: there is neither a cut-off nor a threshold. A user's value is
    that of the user's own rows, and the score their mean, weighted by the number of rows. Averaged
    are users with a matched row. The range starts at 0, which is perfect.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import ErrorRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "rating": [5.0, 3.0, 1.0]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "rating": [4.0, 3.0, 3.0]})
    >>> ErrorRecoMetrics.MSE("rating").get_score(actual, predicted)      # (1 + 0 + 4) / 3
    1.6666666666666667
    """

    key: ClassVar[str] = "mse"

    def error(self, difference: Floats) -> Floats:
        """The square."""
        return difference * difference


@dataclass(frozen=True, repr=False)
class RMSE(MSE):
    r"""Root of the mean squared error of the predicted values.

    With v the label of a row of ``actual`` and s the score of the same user and item in
    ``predicted``,

    .. math:: \sqrt{\frac{1}{|M|} \sum_{M} (s - v)^2}

    over the set M of all such rows: there is neither a cut-off nor a threshold. A user's value is
    that of the user's own rows; the score is the root of the mean of their squares, weighted by the
    number of rows. Averaged are users with a matched row. The range starts at 0, which is perfect.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import ErrorRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "rating": [5.0, 3.0, 1.0]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "rating": [3.0, 3.0, 3.0]})
    >>> round(ErrorRecoMetrics.RMSE("rating").get_score(actual, predicted), 4)   # root of 8 / 3
    1.633
    """

    key: ClassVar[str] = "rmse"
    root: ClassVar[bool] = True


@dataclass(frozen=True, repr=False)
class MAE(ErrorMetric):
    r"""Mean absolute error of the predicted values.

    With v the label of a row of ``actual`` and s the score of the same user and item in
    ``predicted``,

    .. math:: \frac{1}{|M|} \sum_{M} |s - v|

    over the set M of all such rows: there is neither a cut-off nor a threshold. A user's value is
    that of the user's own rows, and the score their mean, weighted by the number of rows. Averaged
    are users with a matched row. The range starts at 0, which is perfect.

    Examples
    --------
    >>> import pandas as pd
    >>> from jurity_reco import ErrorRecoMetrics
    >>> actual = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "rating": [5.0, 3.0, 1.0]})
    >>> predicted = pd.DataFrame({
    ...     "user_id": [1, 1, 2], "item_id": [10, 11, 10], "rating": [4.0, 3.0, 3.0]})
    >>> ErrorRecoMetrics.MAE("rating").get_score(actual, predicted)      # (1 + 0 + 2) / 3
    1.0
    """

    key: ClassVar[str] = "mae"

    def error(self, difference: Floats) -> Floats:
        """The distance."""
        return np.abs(difference)
