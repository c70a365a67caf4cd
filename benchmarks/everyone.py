"""Four metrics at k=10, beside every library that computes them, on the same data.

    pip install -e ".[benchmark]"
    python benchmarks/everyone.py                                    # more than an hour
    python benchmarks/everyone.py --rows 20000 --largest 100000 --peers polars,duckdb --output DIR

Each library runs in a process and an environment of its own, in turns with this package, from
frames to scores. The scores have to agree with those of this package in the dialect of the library,
or the benchmark stops. Tables, a drawing and a description of the machine go to ``--output``. Times
from a shared machine mean little: look at the ratios.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import environments
import tables
from data import Case, cases, shapes
from fixed_costs import fixed_costs
from machine import about_machine
from peers import LIBRARIES, MANY, OURS, OWN_WAY
from scaling import draw, scaling
from scorers import Bench, in_turns
from tables import Beside, Shape

BESIDE_SHAPES = "polars"
DOCUMENTATION = Path(__file__).resolve().parent.parent / "docs" / "benchmark"


class Everyone:
    """Measures this package and its peers on one case after the other."""

    def __init__(self, interpreters: dict[str, Path], folder: Path, repeats: int) -> None:
        self.interpreters, self.folder, self.repeats = interpreters, folder, repeats
        self.peers = [library for library in interpreters if library != OURS]
        self.compared: list[Beside] = []
        self.shapes: list[Shape] = []

    def run(self, n_rows: int) -> None:
        """Measure all cases and shapes beside the first case, which is the base of their ratios."""
        all_cases = cases(n_rows)
        with self._bench(next(all_cases)) as base:
            self._measure(base, base, self.peers)
            self._measure_many(base)
            for case in all_cases:
                with self._bench(case) as bench:
                    self._measure(bench, base, self.peers)
            beside = [library for library in self.peers if library == BESIDE_SHAPES]
            for case in shapes(n_rows):
                with self._bench(case) as bench:
                    self._measure(bench, base, beside)

    def _bench(self, case: Case) -> Bench:
        return Bench(case, self.folder, self.interpreters, self.repeats)

    def _measure(self, bench: Bench, base: Bench, peers: list[str]) -> None:
        title, n_rows = bench.case.title, bench.case.n_rows
        with bench.scorer(OURS) as ours, base.scorer(OURS) as first:
            own, base_again = in_turns([(ours, OWN_WAY), (first, OWN_WAY)], self.repeats)
        to_polars = None
        for library in peers:
            ours_beside, ways = bench.beside(library)
            compared = Beside(title, library, ways, ours_beside.seconds, own.extra, n_rows)
            print(f"{title}: {library} takes {compared.to_ours:.2f} times as long", flush=True)
            self.compared.append(compared)
            if library == BESIDE_SHAPES:
                to_polars = compared.to_ours
        self.shapes.append(Shape(title, own, base_again.seconds, n_rows, to_polars))

    def _measure_many(self, base: Bench) -> None:
        """Measure this package again, with more metrics and cut-offs."""
        with base.scorer(OURS) as ours, base.scorer(OURS) as many:
            own, more = in_turns([(ours, OWN_WAY), (many, MANY)], self.repeats)
        polars = [one for one in self.compared if one.library == BESIDE_SHAPES]
        to_polars = polars[0].fastest.seconds / more.seconds if polars else None
        title = f"integer ids, {MANY}"
        self.shapes.append(Shape(title, more, own.seconds, base.case.n_rows, to_polars))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000, help="recommendations")
    parser.add_argument("--largest", type=int, default=100_000_000, help="of the drawing")
    parser.add_argument("--repeats", type=int, default=5)
    peers = [library for library in LIBRARIES if library != OURS]
    parser.add_argument("--peers", default=",".join(peers), help="with commas between them")
    parser.add_argument("--environments", type=Path, help="a folder with an environment of each")
    parser.add_argument("--output", type=Path, default=DOCUMENTATION)
    arguments = parser.parse_args()
    chosen = [name for name in arguments.peers.split(",") if name]
    if unknown := set(chosen) - set(peers):
        parser.error(f"unknown peers {sorted(unknown)}; there are {', '.join(peers)}")
    interpreters = {
        library: environments.python(library, arguments.environments) for library in (OURS, *chosen)
    }
    output = arguments.output
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        everyone = Everyone(interpreters, folder, arguments.repeats)
        everyone.run(arguments.rows)
        points = scaling(arguments.largest, folder, interpreters, arguments.repeats)
        (output / "machine.txt").write_text(
            about_machine(arguments.rows, interpreters, folder, arguments.repeats)
        )
    draw(points, output / "scaling.svg")
    tables.write_times(output, everyone.compared, everyone.shapes)
    tables.write_memory(output, everyone.compared, everyone.shapes)
    tables.write_ways(output, everyone.compared)
    tables.write_shapes(output, everyone.shapes)
    tables.write_scaling(output, points)
    tables.write_fixed_costs(output, fixed_costs())


if __name__ == "__main__":
    main()
