"""What `metalift optimise` finds beyond what is emitted by default, and how fast candidates are scored and proved.

Usage, from the root of the project: python -m benchmarks.nki_search [--rounds N] [--proofs N] [NAME ...]

For each kernel (default: llama/softmax, llama/rmsnorm and nki/layernorm) a search with a beam of four; then the best candidate,
and others drawn with a fixed seed, are proved with the cache of goals. Printed are modelled cycles of the default and of the best
candidate, candidates scored in a minute, and candidates proved in a minute with how many of their goals were known.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.nki_cycles import sources
from metalift.check.assumptions import formulas, of_source
from metalift.check.claims import with_target
from metalift.check.proving import claim
from metalift.driver.files import load
from metalift.frontend import functions_of, open_source
from metalift.pipeline.optimising import Limits, Search
from metalift.pipeline.search_log import SearchLog
from metalift.prove.solver import SolverPool
from metalift.vcgen.tile_obligations import TileGenerator

NAMES = ("llama/softmax", "llama/rmsnorm", "nki/layernorm")


def searched(name: str, folder: Path, rounds: int, proofs: int) -> None:
    """One kernel."""
    path, function = sources(True, {})[name]
    module = open_source(path)
    symbol = next(one for one, _ in functions_of(module) if one == function)
    search = Search(module, symbol, load("trainium").driver, "nki", folder, Limits(rounds=rounds), lambda _: None)
    request = search.requested()
    log = SearchLog.open(folder, search.about(request))
    begin = time.perf_counter()
    search.run(request, log)
    seconds = time.perf_counter() - begin
    best = log.best()
    default = next(each for each in best if each.move == "default")
    for what, each in (("default", default), ("best", best[0])):
        sys.stdout.write(f"{name:<20}{what:<9}{search.optimiser.told(request, search.kernel(request, log, each.key))}\n")
    sys.stdout.write(f"{name:<20}scored   {len(best)} candidates in {seconds:.1f} s, {60 * len(best) / seconds:.0f} a minute\n")
    others = random.Random(1).sample(best[1:], min(proofs - 1, len(best) - 1))
    assumed = formulas(with_target(request.program, search.driver, "nki", of_source(request.fragment, request.summary, {}, ())))
    proved = goals = known = 0
    begin = time.perf_counter()
    with SolverPool(2) as pool:
        for each in (best[0], *others):
            kernel = search.kernel(request, log, each.key)
            generator = TileGenerator(request.fragment, request.program, kernel, search.driver, assumed)
            found = search.cache.settle([claim(one) for one in generator.obligations()], pool, 10.0)
            proved, goals, known = proved + found.all, goals + found.goals, known + found.known
    seconds = time.perf_counter() - begin
    rate = 60 * proved / seconds
    sys.stdout.write(f"{name:<20}proved   {proved} of {1 + len(others)} in {seconds:.1f} s, {rate:.0f} a minute; ")
    sys.stdout.write(f"{known} of {goals} goals were known\n")
    sys.stdout.flush()


def main(argv: Sequence[str] | None = None) -> int:
    """Print what is found."""
    parser = argparse.ArgumentParser(description="Searches for faster NKI kernels.")
    parser.add_argument("names", nargs="*", metavar="NAME", default=NAMES, help="such as llama/softmax")
    parser.add_argument("--rounds", type=int, default=8, help="of moves (default: 8)")
    parser.add_argument("--proofs", type=int, default=40, help="candidates that are proved (default: 40)")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        for name in options.names:
            searched(name, Path(folder) / name.replace("/", "-"), options.rounds, options.proofs)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
