"""How much of suites of dense kernels is index notation: what is proved, and what has no statement, by reason.

Usage, from the root of the project: python -m benchmarks.notation [--language L] [--each] [SUITE ...]

A kernel is expressible where it is sums of products of numbers that stand at sums of indices and sizes: for all others the driver
says what stands in the way.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from benchmarks.run import LANGUAGES, run_all
from benchmarks.suites import read_suite
from benchmarks.tables import Run

TARGET = "tensora"
SUITES = ("array", "blend", "llama")
REASONS = {  # what the driver's messages say: a word for it in the table
    "is a choice": "a choice, a least or a greatest number",
    "operator min": "a choice, a least or a greatest number",
    "operator max": "a choice, a least or a greatest number",
    "operator abs": "a choice, a least or a greatest number",
    "do not add": "a loop that keeps something else than a sum",
    "operator /": "a quotient of arrays",
    "operator tdiv": "division of integers",
    "is a conversion": "numbers that wrap or are rounded",
    "a condition that": "a choice, a least or a greatest number",
    "where a condition holds": "a choice, a least or a greatest number",
    "arrays of coordinates": "a choice, a least or a greatest number",
    "no sum of indices": "an index that is not a sum of indices and sizes",
    "depends on another index": "a sum over a range that depends on another index",
    "its tensors hold numbers": "truth values",
    "is none of these": "functions of numbers, such as exp",
    "index notation has no": "an index used as a number",
}


def reason(run: Run) -> str:
    """Why there is no statement; nothing where there is one."""
    told = " ".join(str(each.get("message", "")) for each in run.function.get("diagnostics", ()))
    return next((word for part, word in REASONS.items() if part in told), "") or ("something else" if told else "")


def main(argv: Sequence[str] | None = None) -> int:
    """Lift the kernels and print the table; exit status 1 where one that is expressible is not proved, or does not agree."""
    parser = argparse.ArgumentParser(description="How much of suites of dense kernels is index notation.")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=list(SUITES), help=f"(default: {', '.join(SUITES)})")
    parser.add_argument("--language", choices=LANGUAGES, default="c", help="of the sources (default: c)")
    parser.add_argument("--each", action="store_true", help="a line for each kernel that is not proved, too")
    options = parser.parse_args(argv)
    kernels = [each for suite in options.suites for each in read_suite(suite) if each.path.suffix == LANGUAGES[options.language]]
    rows = run_all(kernels, [TARGET], cold=False, jobs=1)
    proved = expressible = 0
    others: Counter[str] = Counter()
    for row in rows:
        run = row.runs[TARGET]
        good = run.verdict == "PROVED" and run.agreement(TARGET) == "agrees"
        why = "" if good or run.verdict == "TESTED" else reason(run)
        proved += good
        expressible += why in ("", "something else")
        others[why] += bool(why)
        if options.each and not good:
            sys.stdout.write(f"{row.kernel.label} ({row.kernel.style}): {run.verdict}, {why or 'not proved'}\n")
    sys.stdout.write(f"{len(rows)} kernels: {expressible} are index notation, {proved} of them proved, with code that agrees\n")
    for why, count in others.most_common():
        if count and why != "something else":
            sys.stdout.write(f"{count:>5} {why}\n")
    return 0 if proved == expressible and rows else 1


if __name__ == "__main__":
    raise SystemExit(main())
