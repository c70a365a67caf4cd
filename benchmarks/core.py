"""Time and memory of four metrics at k=10, beside Jurity on the same data, as ratios.

    python benchmarks/core.py                     # 10 million recommendations, some minutes
    python benchmarks/core.py --rows 20000 --no-jurity

Every measurement runs in a process of its own: read the frames, score once for the peak of the
memory, then take the best of several runs. Jurity runs in an environment of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import jurity_environment

WORKER = Path(__file__).with_name("worker.py")
LIST_LENGTH = 20
INTERACTIONS_PER_ROW = 0.39


def make_data(n_rows: int, list_length: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Lists of equal length for users 0, 1, ...; a fifth of the log is about what they got."""
    rng = np.random.default_rng(seed)
    n_users = max(n_rows // list_length, 1)
    n_items = max(n_users // 5, 10 * list_length)
    # Steps from a random start that cover half the catalogue: no item twice in a list.
    step = n_items // (2 * list_length)
    first = rng.integers(0, n_items, n_users)
    user = np.repeat(np.arange(n_users), list_length)
    item = (first[:, None] + step * np.arange(list_length)).ravel() % n_items

    n_log = int(len(user) * INTERACTIONS_PER_ROW)
    log_user, log_item = rng.integers(0, n_users, n_log), rng.integers(0, n_items, n_log)
    shown = rng.integers(0, len(user), n_log // 5)
    log_user[: len(shown)], log_item[: len(shown)] = user[shown], item[shown]
    # Without repeated rows, which Jurity counts as further relevant items.
    pair = np.sort(log_user * n_items + log_item)
    pair = rng.permutation(pair[np.append(True, pair[1:] != pair[:-1])])

    order = rng.permutation(len(user))
    return {
        "actual.user_id": pair // n_items,
        "actual.item_id": pair % n_items,
        "actual.click": (rng.random(len(pair)) < 0.5).astype(np.int64),
        "predicted.user_id": user[order],
        "predicted.item_id": item[order],
        # Distinct, so that both packages have to agree on the scores.
        "predicted.click": rng.permutation(len(user)) / len(user),
    }


def with_text_ids(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: np.char.add(f"{name.split('.')[1]} ", values.astype(str))
        if name.endswith("_id")
        else values
        for name, values in data.items()
    }


def cases(n_rows: int) -> dict[str, dict[str, np.ndarray]]:
    data = make_data(n_rows, LIST_LENGTH)
    scores = data["predicted.click"]
    grouped = np.lexsort([-scores, data["predicted.user_id"]])
    small = make_data(1000, 10)
    rows = f"{n_rows:,}"
    return {
        f"{rows} rows, shuffled": data,
        f"{rows} rows, in order": {
            name: values[grouped] if name.startswith("predicted") else values
            for name, values in data.items()
        },
        f"{rows} rows, scores rounded": data | {"predicted.click": scores.round(2)},
        f"{rows} rows, scores equal": data | {"predicted.click": np.full(len(scores), 0.5)},
        "1,000 rows, integer ids": small,
        "1,000 rows, text ids": with_text_ids(small),
    }


def measure(python: Path, package: str, file: Path, repeats: int) -> dict[str, Any]:
    done = subprocess.run(
        [python, "-W", "ignore", WORKER, package, file, str(repeats)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--no-jurity", action="store_true")
    parser.add_argument("--environment", type=Path, help="a virtual environment with jurity 2.1.0")
    arguments = parser.parse_args()
    jurity = None if arguments.no_jurity else jurity_environment.python(arguments.environment)

    print(f"{'':30}{'time':>11}{'to shuffled':>13}{'memory':>9}{'Jurity':>11}{'speed-up':>10}")
    base = None
    with tempfile.TemporaryDirectory() as folder:
        for name, data in cases(arguments.rows).items():
            file = Path(folder, "data.npz")
            np.savez(file, **data)
            small = len(data["predicted.click"]) <= 1000
            ours = measure(Path(sys.executable), "jurity_reco", file, 300 if small else 5)
            base = base or ours["seconds"]
            line = f"{name:30}{ours['seconds'] * 1000:8.2f} ms"
            line += f"{'':13}" if small else f"{ours['seconds'] / base:13.2f}"
            line += f"{'':9}" if small else f"{ours['extra']:9.2f}"
            if jurity is not None:
                theirs = measure(jurity, "jurity", file, 20 if small else 1)
                line += (
                    f"{theirs['seconds'] * 1000:8.0f} ms{theirs['seconds'] / ours['seconds']:10.0f}"
                )
                if len(np.unique(data["predicted.click"])) == len(data["predicted.click"]):
                    check_same(name, ours["scores"], theirs["scores"])
            print(line, flush=True)
    print(
        "Time of four metrics at k=10; 'to shuffled' is the ratio to the first line, 'memory' the "
        "extra\nmemory at its peak as a multiple of the two frames."
    )


def check_same(name: str, ours: dict[str, float], theirs: dict[str, float]) -> None:
    for metric, score in ours.items():
        if not math.isclose(score, theirs[metric], rel_tol=1e-9):
            raise SystemExit(f"{name}: {metric} is {score} here and {theirs[metric]} in Jurity")


if __name__ == "__main__":
    main()
