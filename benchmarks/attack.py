"""Mutates the right summary of every kernel of the suites and prints what becomes of the mutants.

Usage, from the root of the project: python -m benchmarks.attack [--mutants N] [--seed S] [--skip N] [SUITE ...]

A mutant is the derived summary with one node changed. "differs": some input tells it from the source, found with a large budget;
"refuted": found with the budget that `metalift lift` itself spends; "proved": its obligations are.
A mutant that reads an array where the source does not, and makes no use of what is there, is undefined on some input and may be
proved: an element outside has some value, and that code for a target reads none is proved of the code. "wrong" are those that are
proved and have another value than the source on some input. Exit status 1 where there are any, or fewer than nine in ten of those
that differ are refuted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from benchmarks.mutants import mutants
from benchmarks.suites import Kernel, read_suite, suite_names
from metalift.check.proving import prove_all
from metalift.frontend import import_function, open_source
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.ir.text import show_summary
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.pipeline.function import TRIED_AFTER_FAILURE
from metalift.prove.solver import SolverPool
from metalift.run.compare.falsify import compare, falsify
from metalift.run.inputs.inputs import Run, inputs, runs
from metalift.synth.derive import derive
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.paths import PathGenerator

SECONDS = 0.25  # for one obligation of a mutant
LARGE = 1500  # inputs that decide whether a mutant differs at all


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of a kernel's mutants; `wrong` are those that are proved and have another value than the source."""

    made: int
    differ: int
    refuted: int
    proved: int
    wrong: tuple[str, ...]


def well_formed(fragment: Fragment, made: Iterable[Summary]) -> Iterator[Summary]:
    """The mutants that are summaries at all."""
    for mutant in made:
        try:
            check_summary(mutant, fragment)
        except IllTyped:
            continue
        yield mutant


def is_proved(fragment: Fragment, mutant: Summary, sample: list[Run], pool: SolverPool, seconds: float = SECONDS) -> bool:
    """Whether its obligations are; the loops' invariants are not changed, so theirs are left out."""
    try:
        obligations = list(PathGenerator(fragment, mutant, mutant.requires).obligations())
    except ObligationError:
        return False
    changed = [one for one in obligations if not one.name.startswith("loop")]
    return bool(changed) and all(one.proved for one in prove_all(changed, fragment, mutant, sample, pool, seconds))


def has_another_value(fragment: Fragment, mutant: Summary, seed: int) -> bool:
    """Whether a mutant has another value than the source on some input on which it has one; arrays may be longer than needed."""
    found = inputs(fragment, mutant.requires, seed=seed, extents=mutant.shapes, padded=True)
    differences = (compare(fragment, mutant, each) for each in islice(found, LARGE))
    return any(one is not None and not one.undefined for one in differences)


def attack(fragment: Fragment, summary: Summary, count: int, seed: int, pool: SolverPool) -> Tally:
    """Make the mutants of one summary and see what becomes of each."""
    sample = runs(fragment, summary.requires, tried=120, extents=summary.shapes)
    differ, refuted, proved, wrong = 0, 0, 0, []
    tried = list(islice(well_formed(fragment, mutants(fragment, summary, 3 * count, seed=seed)), count))
    for mutant in tried:
        early = falsify(fragment, mutant, mutant.requires, tried=TRIED_AFTER_FAILURE, first=sample) is not None
        late = early or falsify(fragment, mutant, mutant.requires, tried=LARGE, seed=seed + 7) is not None
        holds = is_proved(fragment, mutant, sample, pool)
        differ, refuted, proved = differ + late, refuted + early, proved + holds
        if late and holds and has_another_value(fragment, mutant, seed + 7):
            wrong.append(show_summary(mutant))
    return Tally(len(tried), differ, refuted, proved, tuple(wrong))


def kernels(suites: Sequence[str]) -> Iterator[Kernel]:
    """All kernels of the suites that are expected to be proved."""
    for suite in suites:
        yield from (kernel for kernel in read_suite(suite) if kernel.expected == "PROVED")


def main(argv: Sequence[str] | None = None) -> int:
    """Attack, print a line for each kernel and the totals."""
    parser = argparse.ArgumentParser(description="Mutate right summaries; none that differs may be proved.")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="so many kernels, which a run that was stopped has done")
    options = parser.parse_args(argv)
    say = sys.stdout.write
    say(f"{'kernel':<28}{'style':<24}{'mutants':>8}{'differ':>8}{'refuted':>9}{'proved':>8}{'wrong':>7}\n")
    total = [0, 0, 0, 0, 0]
    with SolverPool(2) as pool:
        for kernel in islice(kernels(options.suites or suite_names()), options.skip, None):
            fragment = import_function(open_source(kernel.path), kernel.function)
            tally = attack(fragment, derive(fragment), options.mutants, options.seed, pool)
            row = (tally.made, tally.differ, tally.refuted, tally.proved, len(tally.wrong))
            total = [a + b for a, b in zip(total, row, strict=True)]
            say(f"{kernel.label:<28}{kernel.style:<24}{row[0]:>8}{row[1]:>8}{row[2]:>9}{row[3]:>8}{row[4]:>7}\n")
            for text in tally.wrong:
                say(f"    WRONG: {text}\n")
            sys.stdout.flush()
    made, differ, refuted, proved, wrong = total
    say(f"\n{made} mutants: {differ} differ from their source, {refuted} of these refuted by an input; ")
    say(f"{proved} proved, of which {wrong} have another value\n")
    return 1 if wrong or refuted < 0.9 * differ else 0


if __name__ == "__main__":
    raise SystemExit(main())
