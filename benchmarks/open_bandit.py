"""Check off-policy CTR on real logs, in which the right answer is known.

The Open Bandit Dataset (Saito, Aihara, Matsutani, Narita: "Open Bandit Dataset and Pipeline",
arXiv 2008.07146) has logs of two policies that ran side by side: one showed items at random, the
other by Bernoulli Thompson sampling (bts). The rate of one policy, estimated from the log of the
other, can be compared with that policy's own log.

    python benchmarks/open_bandit.py FOLDER

FOLDER holds ``open_bandit_random_men.csv.gz``, ``open_bandit_bts_men.csv.gz`` and so on, with the
columns item_id, position, click and propensity_score. The package ``obp`` ships 10,000 rows of
each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from jurity_reco import CTR

ESTIMATIONS = ("matching", "ips", "snips", "dr")


def read(folder: Path, policy: str, campaign: str) -> pd.DataFrame:
    """A log in which every impression is a user of its own: the data has no user ids."""
    log = pd.read_csv(folder / f"open_bandit_{policy}_{campaign}.csv.gz")
    log["user_id"] = np.arange(len(log))
    return log.rename(columns={"propensity_score": "propensity"})


def policy_of(log: pd.DataFrame) -> pd.Series:
    """How likely a policy shows each item at each position, from the propensities in its log."""
    mean = log.groupby(["position", "item_id"])["propensity"].mean()
    return mean / mean.groupby("position").transform("sum")


def recommend(log: pd.DataFrame, policy: pd.Series) -> pd.DataFrame:
    """All items for every impression, as likely as the policy has them at its position.

    The score is the value that a simple model expects: the rate of the item in that half of the log
    to which the impression does not belong.
    """
    shown = policy.rename("shown").reset_index()
    predicted = log[["user_id", "position"]].merge(shown, on="position")
    predicted["click"] = 0.0
    for half in (0, 1):
        rates = log[log["user_id"] % 2 != half].groupby("item_id")["click"].mean()
        rows = predicted["user_id"] % 2 == half
        expected = predicted.loc[rows, "item_id"].map(rates).fillna(rates.mean())
        predicted.loc[rows, "click"] = expected
    return predicted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder

    print(f"{'':34}{'estimate':>9}{'95 % interval':>20}{'truth, 95 %':>20}{'sample':>8}  reliable")
    for campaign in ("men", "women"):
        for logged, target in (("random", "bts"), ("bts", "random")):
            log, other = read(folder, logged, campaign), read(folder, target, campaign)
            predicted = recommend(log, policy_of(other))
            rate = other["click"].mean()
            margin = 1.96 * np.sqrt(rate * (1 - rate) / len(other))
            truth = f"{rate - margin:.4f} to {rate + margin:.4f}"
            for estimation in ESTIMATIONS:
                name = f"{campaign}, {target} from {logged}, {estimation}"
                if estimation == "matching":
                    # What one would do without an estimate: count clicks where the log agrees
                    # with the likeliest item.
                    metric = CTR("click", k=1, score_column="shown")
                    score = metric.get_score(log, predicted)
                    print(f"{name:34}{score:9.4f}{'':20}{truth:>20}")
                    continue
                metric = CTR("click", estimation=estimation, target_propensity_column="shown")
                result = metric.evaluate(log, predicted)
                details = result.details
                low, high = details["interval"]
                reliable = "yes" if details["reliable"] else "no"
                print(
                    f"{name:34}{result.score:9.4f}{f'{low:.4f} to {high:.4f}':>20}{truth:>20}"
                    f"{details['effective_sample_size']:8.0f}  {reliable}"
                )


if __name__ == "__main__":
    main()
