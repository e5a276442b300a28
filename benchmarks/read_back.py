"""What is emitted for NumPy or PyTorch is read back and proved equal to its source: a check of the printers that trusts no
template.

Usage, from the root of the project: python -m benchmarks.read_back [--to TARGET] [--kernels N] [--time-limit S] [SUITE ...]

Each kernel is lifted; the file that comes out is compared with the source by `metalift equiv`. Prints a line for each, how many
are EQUAL, or EQUAL WHERE the arguments are what the emitted code takes, and how many that is of those that were lifted. Exit
status 1 where one is DIFFERENT. Of exact integers (Python's) the emitted code says that they fit 64 bits: where they do not, it
is DIFFERENT.
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

from benchmarks.suites import TENSORS, Kernel, read_suite, suite_names
from metalift import lift
from metalift.pipeline.equivalence import EquivVerdict, equiv
from metalift.result.errors import UsageError


def fate(kernel: Kernel, target: str, folder: Path, seconds: float) -> tuple[str, str]:
    """What becomes of one kernel, and why."""
    (made,) = lift(kernel.path, functions=[kernel.function], to=[target], out=folder).functions
    file = made.targets[target].file if target in made.targets else None
    if file is None:
        return NOT_LIFTED, made.verdict.value
    try:
        result = equiv(kernel.path, Path(file), functions=(kernel.function, None), time_limit=seconds)
    except UsageError as problem:
        return "UNKNOWN", str(problem)
    return result.verdict.value, result.reason or "; ".join(result.where)


NOT_LIFTED = "not lifted"


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each kernel, and the totals."""
    parser = argparse.ArgumentParser(description="Read emitted NumPy or PyTorch back, and prove it equal to its source.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=suite_names())
    parser.add_argument("--to", choices=TENSORS, default=TENSORS[0], help=f"the target (default: {TENSORS[0]})")
    parser.add_argument("--kernels", type=int, default=1000, help="how many, drawn with a fixed seed")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for each comparison (default: 120)")
    options = parser.parse_args(argv)
    every = [kernel for suite in options.suites for kernel in read_suite(suite)]
    total = Counter[str]()
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        for number, kernel in enumerate(random.Random(1).sample(every, min(options.kernels, len(every)))):
            begin = time.perf_counter()
            found, why = fate(kernel, options.to, Path(folder, str(number)), options.time_limit)
            total[found] += 1
            label = f"{kernel.label} ({kernel.style})"
            sys.stdout.write(f"{label:<50}{found:<12}{time.perf_counter() - begin:6.1f} s  {why[:150]}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{sum(total.values())} kernels: {', '.join(f'{count} {each}' for each, count in total.most_common())}\n")
    equal = total[EquivVerdict.EQUAL.value] + total[EquivVerdict.EQUAL_WHERE.value]
    sys.stdout.write(f"{equal / max(1, sum(total.values()) - total[NOT_LIFTED]):.0%} EQUAL, or EQUAL WHERE\n")
    return 1 if total[EquivVerdict.DIFFERENT.value] else 0


if __name__ == "__main__":
    raise SystemExit(main())
