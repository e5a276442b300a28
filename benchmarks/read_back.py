"""What is emitted for NumPy is read back and proved equal to its source: a check of the printers that trusts no template.

Usage, from the root of the project: python -m benchmarks.read_back [--kernels N] [SUITE ...]

Each kernel is lifted to numpy; the file that comes out is compared with the source by `metalift equiv`. Prints a line for each,
and how many are EQUAL, or EQUAL WHERE the arguments are what the emitted code takes. Exit status 1 where one is DIFFERENT.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.suites import Kernel, read_suite
from metalift import lift
from metalift.pipeline.equivalence import EquivVerdict, equiv
from metalift.result.errors import UsageError


def fate(kernel: Kernel, folder: Path) -> tuple[str, str]:
    """What becomes of one kernel, and why."""
    (made,) = lift(kernel.path, functions=[kernel.function], to=["numpy"], out=folder).functions
    file = made.targets["numpy"].file if "numpy" in made.targets else None
    if file is None:
        return "not lifted", made.verdict.value
    name = made.name.rpartition("::")[2]
    try:
        result = equiv(kernel.path, Path(file), functions=(kernel.function, name))
    except UsageError as problem:
        return "UNKNOWN", str(problem)
    return result.verdict.value, result.reason or "; ".join(result.where)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each kernel, and the totals."""
    parser = argparse.ArgumentParser(description="Read emitted NumPy back, and prove it equal to its source.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=["array", "blend", "llama"])
    parser.add_argument("--kernels", type=int, default=1000, help="how many, drawn with a fixed seed")
    options = parser.parse_args(argv)
    every = [kernel for suite in options.suites for kernel in read_suite(suite)]
    total = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        for number, kernel in enumerate(random.Random(1).sample(every, min(options.kernels, len(every)))):
            begin = time.perf_counter()
            found, why = fate(kernel, Path(folder, str(number)))
            total[found] += 1
            label = f"{kernel.label} ({kernel.style})"
            sys.stdout.write(f"{label:<50}{found:<12}{time.perf_counter() - begin:6.1f} s  {why[:150]}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{sum(total.values())} kernels: {', '.join(f'{count} {each}' for each, count in total.most_common())}\n")
    return 1 if total[EquivVerdict.DIFFERENT.value] else 0


if __name__ == "__main__":
    raise SystemExit(main())
