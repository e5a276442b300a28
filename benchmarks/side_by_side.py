"""How long lifts take here and in another checkout: the same kernels, run in turns.

Usage, from the root of the project: python -m benchmarks.side_by_side OTHER [--kernels N] [--runs N] [SUITE ...]

OTHER is the root of another checkout, for example a worktree of an earlier commit; both run with this Python. Each kernel is
lifted to numpy by a process of its own, in one checkout after the other, so that both meet the same load. Seconds are processor
time of that process and all that it starts, also of what outlives it; of several runs the fastest counts. The last line is the
median over kernels. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.suites import ROOT, Kernel, read_suite

HERE = ROOT.parent
CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of <linux/prctl.h>


def wait_for_orphans() -> None:
    """Wait for what a lift left running, which is ours once its parent is gone."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def seconds(root: Path, kernel: Kernel) -> float:
    """Processor time of one lift with the code under root."""
    with tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        drivers = Path(folder, "found")
        drivers.mkdir()
        (drivers / "metalift_drivers").symlink_to(root / "drivers")
        command = [sys.executable, "-m", "metalift.cli", "lift", str(kernel.path.resolve()), "--function", kernel.function]
        command += ["--to", "numpy", "--out", str(Path(folder, "out"))]
        path = os.pathsep.join([str(root), str(drivers)])
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, stdout=subprocess.DEVNULL, check=True)
        wait_for_orphans()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each kernel, and the median."""
    parser = argparse.ArgumentParser(description="Time lifts here and in another checkout, in turns.")
    parser.add_argument("other", type=Path, metavar="OTHER", help="the root of the other checkout")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=["array", "llama", "blend", "simd"])
    parser.add_argument("--kernels", type=int, default=30, help="how many, drawn with a fixed seed")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(argv)
    ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)
    every = [kernel for suite in options.suites for kernel in read_suite(suite)]
    drawn = random.Random(1).sample(every, min(options.kernels, len(every)))
    ratios = []
    for kernel in drawn:
        there, here = [], []
        for _ in range(options.runs):
            there.append(seconds(options.other.resolve(), kernel))
            here.append(seconds(HERE, kernel))
        ratios.append(min(here) / min(there))
        sys.stdout.write(f"{kernel.label:<40}{min(there):>8.2f} s there{min(here):>8.2f} s here{ratios[-1]:>8.2f}\n")
        sys.stdout.flush()
    median = statistics.median(ratios)
    sys.stdout.write(f"{len(ratios)} kernels, {options.runs} runs each: median {median:.3f} of the time there\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
