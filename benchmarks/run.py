"""Lifts every kernel of the suites and prints a table: for each suite and style what was proved, what agrees, and the times.

Usage, from the root of the project: python -m benchmarks.run [--targets T,...] [--only NAME] [--language L] [--each] [--jobs N]
[--cold] [SUITE ...]

Kernels are lifted one after the other by a process that stays, to all targets at once; what the first one takes to load is not
counted. With --jobs there are several such processes: all is done sooner, while each kernel's time is less certain. With --cold
the command line lifts each kernel once per target, each time in a process of its own; times are those of the first target's
run. Exit status 1 where a verdict is not the expected one or generated code does not agree with its source.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks import compare
from benchmarks.suites import TENSORS, Kernel, LongFunction, long_suites, read_long, read_suite, suite_names, suite_targets
from benchmarks.tables import Row, Run, each_kernel, explain, suites_and_styles
from benchmarks.warm import LIMIT, Warm

METALIFT = Path(sys.executable).with_name("metalift")
LANGUAGES = {"c": ".c", "c++": ".cc", "python": ".py"}
LONG_LIMIT = 1800.0  # for all loop nests of one function


def lift_warm(warm: Warm, kernel: Kernel, targets: Sequence[str]) -> Row:
    """Lift one kernel to all targets in the process that stays."""
    lifted = warm.lift(kernel)
    run = Run(lifted.function, lifted.wall, lifted.megabytes, lifted.error, compare.texts_of(lifted.function))
    return Row(kernel, dict.fromkeys(targets, run))


def lift_cold(kernel: Kernel, targets: Sequence[str], out: Path) -> Row:
    """Lift one kernel to each target in a process of its own."""
    return Row(kernel, {target: lift(kernel, target, out) for target in targets})


def lift(kernel: Kernel, target: str, out: Path) -> Run:
    """Lift one kernel to one target in a process of its own."""
    functions, wall, megabytes, error = process([kernel.path, "--function", kernel.function], target, out)
    function = functions[0] if functions else {}
    return Run(function, wall, megabytes, error, compare.texts_of(function))


def lift_nests(long: LongFunction, target: str, out: Path) -> dict[tuple[str, int], Run]:
    """Lift a long function by its loop nests in one process; a nest's wall time is the sum of its stages."""
    functions, _, megabytes, _ = process([long.path, "--function", long.function, "--nests"], target, out, LONG_LIMIT)
    parts = [function for function in functions if not function["split"]]
    walls = [sum(each["seconds"].values()) for each in parts]
    runs = [Run(each, wall, megabytes, texts=compare.texts_of(each)) for each, wall in zip(parts, walls, strict=True)]
    return {(run.function["name"], run.function["line"]): run for run in runs}


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


def run_all(kernels: Sequence[Kernel], targets: Sequence[str], cold: bool, jobs: int) -> list[Row]:
    """Lift every kernel to every target, with a line on each to standard error; after Ctrl-C, those that were done."""
    rows: dict[int, Row] = {}
    waiting = iter(list(enumerate(kernels)))  # `next` of a list's iterator is one step for all threads
    stopped = threading.Event()

    def work(folder: Path) -> None:
        with Warm(kernels[0], targets, folder) as warm:
            while (left := next(waiting, None)) and not stopped.is_set():
                number, kernel = left
                row = rows[number] = lift_cold(kernel, targets, folder) if cold else lift_warm(warm, kernel, targets)
                done = ", ".join(f"{target} {run.verdict} in {run.wall:.1f} s" for target, run in row.runs.items())
                print(f"{len(rows)}/{len(kernels)} {kernel.label} ({kernel.style}): {done}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder, suppress(KeyboardInterrupt), ThreadPoolExecutor(jobs) as pool:
        try:
            for each in [pool.submit(work, Path(folder, str(number))) for number in range(jobs if kernels else 0)]:
                each.result()
        finally:
            stopped.set()
    return [rows[number] for number in sorted(rows)]


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
    known = (*suite_names(()), *long_suites())
    parser = argparse.ArgumentParser(description="Run the benchmark suites and print a table.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(known)} (default: all that have the targets)")
    parser.add_argument("--targets", help="target languages, one run each (default: those of the first suite, or numpy,pytorch)")
    parser.add_argument("--only", metavar="NAME", help="only the kernels of this name")
    parser.add_argument("--language", choices=LANGUAGES, help="only the sources in this language")
    parser.add_argument("--each", action="store_true", help="a line for each kernel too, with the time of each stage")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="kernels that are lifted at once (default: 1)")
    parser.add_argument("--cold", action="store_true", help="each kernel and target by a process of its own")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the verdicts, summaries, code and formulas there")
    parser.add_argument("--compare", metavar="FILE", type=Path, help="compare all that with what --save wrote")
    options = parser.parse_args()
    unknown = set(options.suites) - set(known)
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    own = suite_targets(options.suites[0]) if options.suites and options.suites[0] in suite_names(()) else TENSORS
    targets = options.targets.split(",") if options.targets else list(own)
    suites = options.suites or (*suite_names(targets), *(long_suites() if set(targets) <= set(TENSORS) else ()))
    kernels = [kernel for suite in suites if suite in suite_names(()) for kernel in read_suite(suite)]
    kernels = [kernel for kernel in kernels if options.only in (None, kernel.name)]
    if options.language:
        kernels = [kernel for kernel in kernels if kernel.path.suffix == LANGUAGES[options.language]]
    rows = run_all(kernels, targets, options.cold, options.jobs)
    long = [each for suite in suites if suite in long_suites() for each in read_long(suite)]
    nests, wrong = run_long([each for each in long if options.only in (None, each.name)], targets)
    rows += nests
    if not rows:
        parser.error("no kernel of that name was run")
    if options.each:
        print("\n".join([*each_kernel(rows, targets), ""]))
    print("\n".join(suites_and_styles(rows, targets)))
    good = sum(row.good for row in rows)
    print(f"\n{good} of {len(rows)} as expected, with code that agrees with the source")
    for row in rows:
        if not row.good:
            print("\n".join(explain(row)))
    print("\n".join(wrong), end="\n" if wrong else "")
    same = _as_before(rows, options.save, options.compare)
    return 0 if good == len(rows) and not wrong and same else 1


def _as_before(rows: Sequence[Row], save: Path | None, before: Path | None) -> bool:
    """Keep what was found if asked to, and print how it differs from an earlier run's; whether the verdicts do not."""
    found = {f"{row.kernel.label} ({row.kernel.style})": _found(row) for row in rows}
    if save is not None:
        compare.save(found, save)
    if before is None:
        return True
    verdicts, texts = compare.differences(found, before)
    print("\n".join([f"{len(verdicts)} verdicts and {len(texts)} texts differ from {before}", *verdicts, *texts]))
    return not verdicts


def _found(row: Row) -> dict[str, str]:
    """The verdict for each target, and the texts."""
    found = {target: f"{run.verdict}, code {run.agreement(target)}" for target, run in row.runs.items()}
    return found | {name: text for run in row.runs.values() for name, text in run.texts.items()}


if __name__ == "__main__":
    raise SystemExit(main())
