"""Score a recommender on data made here: aggregate, per-user results, and who was counted.

Run it with ``python docs/examples/quickstart.py``.
"""

import numpy as np
import pandas as pd

from jurity_reco import BinaryRecoMetrics, CombinedMetrics, RankingRecoMetrics


def make_data(n_users: int = 200, n_items: int = 50) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A week of logs, and recommendations of a model that knows the users a little."""
    rng = np.random.default_rng(2026)
    taste = rng.normal(size=(n_users, n_items))

    shown = np.argsort(rng.random((n_users, n_items)), axis=1)[:, :15]
    users = np.repeat([f"user {number}" for number in range(n_users)], 15)
    clicked = rng.random(shown.shape) < 1 / (1 + np.exp(2 - np.take_along_axis(taste, shown, 1)))
    actual = pd.DataFrame({"user_id": users, "item_id": shown.ravel(), "click": clicked.ravel()})

    guess = taste + rng.normal(scale=2, size=taste.shape)
    best = np.argsort(-guess, axis=1)[:, :10]
    predicted = pd.DataFrame(
        {
            "user_id": np.repeat([f"user {number}" for number in range(n_users)], 10),
            "item_id": best.ravel(),
            "click": np.take_along_axis(guess, best, 1).ravel(),
        }
    )
    # The model knows nothing about the last users and recommends them nothing.
    return actual, predicted.iloc[: -10 * 10]


def main() -> None:
    """Print aggregates, the ledger of users, and the values of the best and the worst served."""
    actual, predicted = make_data()
    metrics = CombinedMetrics(
        BinaryRecoMetrics.CTR(click_column="click", k=5),
        BinaryRecoMetrics.AUC(click_column="click"),
        RankingRecoMetrics.Precision(click_column="click", k=5),
        RankingRecoMetrics.Recall(click_column="click", k=5),
        RankingRecoMetrics.MAP(click_column="click", k=5),
        RankingRecoMetrics.NDCG(click_column="click", k=5),
    )
    results = metrics.evaluate(actual, predicted)

    print("Aggregate")
    for name, result in results.items():
        print(f"  {name:14} {result.score:.4f}   support {result.support}")

    ndcg = results["NDCG@5"]
    print("\nWho is in NDCG@5")
    for name, count in ndcg.ledger.to_dict().items():
        print(f"  {name:28} {count:4}")

    print("\nNDCG@5 of each user, best first")
    print(ndcg.per_user.sort_values("value", ascending=False, kind="stable").to_string(max_rows=10))


if __name__ == "__main__":
    main()
