"""What a call and the import cost, whatever the size of the data.

Each runs in fresh processes, of which the best counts.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IMPORT = """
import time
start = time.perf_counter()
import pandas
middle = time.perf_counter()
import jurity_reco
print(middle - start, time.perf_counter() - middle)
"""

# One get_score on 100 rows: the best of many, for each kind of ids.
CALL = """
import sys, time
sys.path.insert(0, sys.argv[1])
from data import make_data
from frames import in_pandas
from jurity_reco import NDCG

data = make_data(100)
for ids in ("integers", "Arrow strings", "object strings"):
    actual, predicted = (
        in_pandas({name.split(".")[1]: data[name] for name in data if name.startswith(frame)}, ids)
        for frame in ("actual", "predicted")
    )
    metric, best = NDCG("click", k=10), float("inf")
    for _ in range(300):
        start = time.perf_counter()
        metric.get_score(actual, predicted)
        best = min(best, time.perf_counter() - start)
    print(best)
"""

TITLES = (
    "import pandas",
    "import jurity_reco, beyond pandas",
    "get_score on 100 rows, integer ids",
    "get_score on 100 rows, Arrow strings",
    "get_score on 100 rows, object strings",
)


def fixed_costs(processes: int = 5) -> dict[str, float]:
    """Seconds by title."""

    def best(code: str) -> list[float]:
        command = [sys.executable, "-c", code, str(Path(__file__).parent)]
        outputs = [
            subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            for _ in range(processes)
        ]
        runs = [map(float, output.split()) for output in outputs]
        return [min(values) for values in zip(*runs, strict=True)]

    return dict(zip(TITLES, best(IMPORT) + best(CALL), strict=True))
