"""Runs the installed command line on every kernel of the suites and prints a table.

Usage, from the root of the project: python -m benchmarks.run [--targets numpy,pytorch] [--only NAME] [SUITE ...]

Each kernel is lifted once per target, each time by a process of its own from a cold start. Wall time, the time of each stage and
the peak memory (of the largest process) are those of the first target's run. Exit status 1 where a verdict is not the expected
one or generated code does not agree with its source.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import compare
from benchmarks.suites import Kernel, LongFunction, long_suites, read_long, read_suite, suite_names

METALIFT = Path(sys.executable).with_name("metalift")
LIMIT = 300.0  # seconds for one lift; past that the run counts as failed
LONG_LIMIT = 1800.0  # for all loop nests of one function


@dataclass(frozen=True, slots=True)
class Run:
    """One process: what it printed as JSON about its function (empty where it failed), and what it took."""

    function: dict[str, Any]
    wall: float
    megabytes: float
    error: str = ""

    @property
    def verdict(self) -> str:
        """The function's verdict, or that the process failed."""
        return str(self.function.get("verdict", "FAILED"))

    @property
    def solver_seconds(self) -> float:
        """The prover's time over all obligations."""
        return sum(float(obligation["seconds"]) for obligation in self.function.get("obligations", ()))

    def agreement(self, target: str) -> str:
        """Whether the target's code agrees with the source."""
        return str(self.function.get("targets", {}).get(target, {}).get("checked", "-"))


@dataclass(slots=True)
class Row:
    """A kernel and its runs, by target."""

    kernel: Kernel
    runs: dict[str, Run] = field(default_factory=dict)

    @property
    def first(self) -> Run:
        """The run that times are taken from."""
        return next(iter(self.runs.values()))

    @property
    def good(self) -> bool:
        """Every verdict is the expected one, and all code agrees."""
        proved = all(run.verdict == self.kernel.expected for run in self.runs.values())
        agrees = all(run.agreement(target) == "agrees" for target, run in self.runs.items())
        return proved and (agrees or self.kernel.expected != "PROVED")


def lift(kernel: Kernel, target: str, out: Path) -> Run:
    """Lift one kernel to one target in a process of its own."""
    functions, wall, megabytes, error = process([kernel.path, "--function", kernel.function], target, out)
    return Run(functions[0] if functions else {}, wall, megabytes, error)


def lift_nests(long: LongFunction, target: str, out: Path) -> dict[tuple[str, int], Run]:
    """Lift a long function by its loop nests in one process; a nest's wall time is the sum of its stages."""
    functions, _, megabytes, _ = process([long.path, "--function", long.function, "--nests"], target, out, LONG_LIMIT)
    parts = [function for function in functions if not function["split"]]
    return {(each["name"], each["line"]): Run(each, sum(each["seconds"].values()), megabytes) for each in parts}


def process(
    arguments: Sequence[object], target: str, out: Path, limit: float = LIMIT
) -> tuple[list[dict[str, Any]], float, float, str]:
    """Run `metalift lift`: what it says of each function, the wall time, megabytes, and the last line of its messages."""
    command = [METALIFT, "lift", *arguments, "--to", target, "--out", out, "--json"]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=errors)
        usage = _wait(process, limit)
        wall = time.perf_counter() - start
        output.seek(0)
        errors.seek(0)
        try:
            functions = json.loads(output.read())["functions"]
        except (ValueError, KeyError):
            functions = []
        lines = errors.read().decode(errors="replace").strip().splitlines()
    return functions, wall, usage / 1024, lines[-1] if lines else ""


def _wait(process: subprocess.Popen[bytes], limit: float) -> int:
    """Wait for a process, at most `limit` seconds; the peak resident memory in KiB of it or its largest child."""
    deadline = time.monotonic() + limit
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_maxrss
        if time.monotonic() > deadline:
            process.terminate()
            deadline += limit
        time.sleep(0.002)


def table(rows: Sequence[Row], targets: Sequence[str]) -> list[str]:
    """The table's lines: a header, one line per kernel, then medians and maxima."""
    stages = list(dict.fromkeys(stage for row in rows for stage in row.first.function.get("seconds", {})))
    header = ["kernel", "style", "verdict", *targets, "wall s", *stages, "prover s", "MB"]
    numbers = [_numbers(row.first, stages) for row in rows]
    body = [
        [row.kernel.label, row.kernel.style, row.first.verdict, *(row.runs[t].agreement(t) for t in targets), *_format(values)]
        for row, values in zip(rows, numbers, strict=True)
    ]
    blank = [""] * (2 + len(targets))
    columns = list(zip(*numbers, strict=True))
    footer = [
        ["median", *blank, *_format([statistics.median(column) for column in columns])],
        ["maximum", *blank, *_format([max(column) for column in columns])],
    ]
    return _align([header, *body, *footer], left=3 + len(targets))


def _numbers(run: Run, stages: Iterable[str]) -> list[float]:
    """Wall time, the stages, the prover's time, memory."""
    seconds = run.function.get("seconds", {})
    return [run.wall, *(float(seconds.get(stage, 0.0)) for stage in stages), run.solver_seconds, run.megabytes]


def _format(values: Sequence[float]) -> list[str]:
    """Seconds with three decimals, the last value as whole megabytes."""
    return [*(f"{value:.3f}" for value in values[:-1]), f"{values[-1]:.0f}"]


def _align(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Columns side by side, the first `left` ones flush left."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if position < left else cell.rjust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def explain(row: Row) -> list[str]:
    """Why a kernel does not count: verdicts, and the first message of each run."""
    lines = [f"{row.kernel.label} ({row.kernel.style}, {row.kernel.path}): expected {row.kernel.expected}"]
    for target, run in row.runs.items():
        messages = [diagnostic["message"] for diagnostic in run.function.get("diagnostics", ())]
        obligations = [o for o in run.function.get("obligations", ()) if o["verdict"] != "PROVED"]
        unproved = [f"{o['name']}: {o['verdict']} {o['reason']}" for o in obligations]
        reason = next(iter([*messages, *unproved, *filter(None, [run.error])]), "")
        lines.append(f"  {target}: {run.verdict}, code {run.agreement(target)}; {reason}")
    return lines


def run_all(kernels: Sequence[Kernel], targets: Sequence[str]) -> list[Row]:
    """Lift every kernel to every target, with a line on each to standard error; after Ctrl-C, those that were done."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        for number, kernel in enumerate(kernels, start=1):
            row = Row(kernel, {target: lift(kernel, target, Path(folder)) for target in targets})
            rows.append(row)
            done = ", ".join(f"{target} {run.verdict} in {run.wall:.1f} s" for target, run in row.runs.items())
            print(f"{number}/{len(kernels)} {kernel.label} ({kernel.style}): {done}", file=sys.stderr, flush=True)
    return rows


def run_long(functions: Sequence[LongFunction], targets: Sequence[str]) -> tuple[list[Row], list[str]]:
    """Lift long functions by their loop nests: a row for each nest, and what is wrong with the number of them."""
    rows: list[Row] = []
    wrong = []
    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt):
        for long in functions:
            runs = {target: lift_nests(long, target, Path(folder)) for target in targets}
            nests = next(iter(runs.values()))
            for name, line in nests:
                found = {target: runs[target].get((name, line), Run({}, 0.0, 0.0)) for target in targets}
                rows.append(Row(long.kernel(name, line), found))
            good = sum(row.good for row in rows[len(rows) - len(nests) :])
            print(f"{long.suite}/{long.name}: {good} of {len(nests)} loop nests as expected", file=sys.stderr, flush=True)
            if len(nests) != long.nests:
                wrong.append(f"{long.suite}/{long.name}: {len(nests)} loop nests instead of {long.nests}")
    return rows, wrong


def main() -> int:
    """Run the suites, print the table and what is not as expected."""
    known = (*suite_names(), *long_suites())
    parser = argparse.ArgumentParser(description="Run the benchmark suites and print a table.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(known)} (default: all)")
    parser.add_argument("--targets", default="numpy,pytorch", help="target languages, one run each (default: numpy,pytorch)")
    parser.add_argument("--only", metavar="NAME", help="only the kernels of this name")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the verdicts there")
    parser.add_argument("--compare", metavar="FILE", type=Path, help="compare the verdicts with those that --save wrote")
    options = parser.parse_args()
    unknown = set(options.suites) - set(known)
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    targets = options.targets.split(",")
    suites = options.suites or known
    kernels = [kernel for suite in suites if suite in suite_names() for kernel in read_suite(suite)]
    rows = run_all([kernel for kernel in kernels if options.only in (None, kernel.name)], targets)
    long = [each for suite in suites if suite in long_suites() for each in read_long(suite)]
    nests, wrong = run_long([each for each in long if options.only in (None, each.name)], targets)
    rows += nests
    if not rows:
        parser.error("no kernel of that name was run")
    print("\n".join(table(rows, targets)))
    good = sum(row.good for row in rows)
    print(f"\n{good} of {len(rows)} as expected, with code that agrees with the source")
    for row in rows:
        if not row.good:
            print("\n".join(explain(row)))
    print("\n".join(wrong), end="\n" if wrong else "")
    same = _as_before(rows, options.save, options.compare)
    return 0 if good == len(rows) and not wrong and same else 1


def _as_before(rows: Sequence[Row], save: Path | None, before: Path | None) -> bool:
    """Keep the verdicts if asked to, and print how they differ from an earlier run's; whether they do not."""
    verdicts = {
        f"{row.kernel.label} ({row.kernel.style})": {
            target: f"{run.verdict}, code {run.agreement(target)}" for target, run in row.runs.items()
        }
        for row in rows
    }
    if save is not None:
        compare.save(verdicts, save)
    differing = compare.differences(verdicts, before) if before is not None else []
    if before is not None:
        print("\n".join([f"{len(differing)} verdicts differ from {before}", *differing]))
    return not differing


if __name__ == "__main__":
    raise SystemExit(main())
