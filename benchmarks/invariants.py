"""Mutates what the suites' summaries say of loops, and prints what becomes of the mutants.

Usage, from the root of the project: python -m benchmarks.invariants [--mutants N] [--seed S] [--seconds S] [SUITE ...]

A mutant has one node of one loop's state, or of its trip count, changed. "false": in some run the state at the loop's header is
not what it says; "proved": its obligations of that loop are. Exit status 1 where one that is false is proved.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.attack import SECONDS, kernels
from benchmarks.mutants import changed
from benchmarks.suites import suite_names
from metalift.check.proving import prove_all
from metalift.frontend import import_function, open_source
from metalift.ir.expr.nodes import Var
from metalift.ir.interp.interpret import SourceUndefined
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import LoopSummary, Summary
from metalift.ir.text import show
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import Run, runs
from metalift.synth.derive import derive
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.paths import PathGenerator
from tests.derive.loop_states import differences

RUNS = 60


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of a kernel's mutants; `wrong` are those that are false and proved."""

    made: int
    false: int
    proved: int
    wrong: tuple[str, ...]


def mutants(fragment: Fragment, summary: Summary, count: int, seed: int) -> list[tuple[LoopSummary, Summary]]:
    """At most so many: the changed loop, and the summary with it."""
    found = []
    for place, loop in enumerate(summary.loops):
        for other in of_loop(fragment, loop) if isinstance(loop, LoopSummary) else ():
            made = replace(summary, loops=(*summary.loops[:place], other, *summary.loops[place + 1 :]))
            try:
                check_summary(made, fragment)
            except IllTyped:
                continue
            found.append((other, made))
    chosen = sorted(dict.fromkeys(found), key=lambda pair: described(pair[0]))
    random.Random(seed).shuffle(chosen)
    return chosen[:count]


def of_loop(fragment: Fragment, loop: LoopSummary) -> Iterator[LoopSummary]:
    """The loop with one node changed."""
    scope: tuple[Var, ...] = (loop.index, *(param.var for param in fragment.params), *(var for var, _ in loop.state))
    for place, (var, term) in enumerate(loop.state):
        for other in changed(term, scope):
            yield replace(loop, state=(*loop.state[:place], (var, other), *loop.state[place + 1 :]))
    for other in changed(loop.trip, scope[1:]):
        yield replace(loop, trip=other)


def described(loop: LoopSummary) -> str:
    """What a loop's summary says."""
    parts = [f"trip = {show(loop.trip)}", *(f"{var.name} = {show(term)}" for var, term in loop.state)]
    return f"{loop.header}: {', '.join(parts)}"


def is_false(fragment: Fragment, summary: Summary, header: str, sample: Sequence[Run]) -> bool:
    """Whether the state at the header contradicts the summary in some run. A larger trip count says less, nothing false."""
    for run in sample:
        try:
            found = differences(fragment, summary, run.input.env())
        except (SourceUndefined, KeyError, AssertionError):
            continue
        if any(text.startswith(f"{header} after") for text in found):
            return True
    return False


def is_proved(fragment: Fragment, summary: Summary, sample: list[Run], pool: SolverPool) -> bool:
    """Whether the obligations of all loops are."""
    try:
        obligations = list(PathGenerator(fragment, summary, summary.requires).obligations())
    except (ObligationError, ValueError):
        return False
    loops = [one for one in obligations if one.name.startswith("loop")]
    return bool(loops) and all(one.proved for one in prove_all(loops, fragment, summary, sample, pool, SECONDS))


def attack(fragment: Fragment, summary: Summary, count: int, seed: int, pool: SolverPool) -> Tally:
    """Make the mutants of one summary's loops and see what becomes of each."""
    sample = runs(fragment, summary.requires, tried=RUNS)
    made = mutants(fragment, summary, count, seed)
    false, proved, wrong = 0, 0, []
    for loop, mutant in made:
        contradicted = is_false(fragment, mutant, loop.header, sample)
        holds = is_proved(fragment, mutant, sample, pool)
        false, proved = false + contradicted, proved + holds
        if contradicted and holds:
            wrong.append(described(loop))
    return Tally(len(made), false, proved, tuple(wrong))


def main(argv: Sequence[str] | None = None) -> int:
    """Attack, print a line for each kernel and the totals."""
    parser = argparse.ArgumentParser(description="Mutate invariants; none that is false may be proved.")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--mutants", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args(argv)
    say = sys.stdout.write
    total = [0, 0, 0, 0]
    began = time.monotonic()
    with SolverPool(2) as pool:
        for kernel in kernels(options.suites or suite_names()):
            if time.monotonic() - began > options.seconds:
                break
            fragment = import_function(open_source(kernel.path), kernel.function)
            tally = attack(fragment, derive(fragment), options.mutants, options.seed, pool)
            row = (tally.made, tally.false, tally.proved, len(tally.wrong))
            total = [a + b for a, b in zip(total, row, strict=True)]
            say(f"{kernel.label:<28}{kernel.style:<24}" + "".join(f"{number:>8}" for number in row) + "\n")
            for text in tally.wrong:
                say(f"    WRONG: {text}\n")
            sys.stdout.flush()
    made, false, proved, wrong = total
    say(f"\n{made} mutants of invariants: {false} are false in some run; {proved} proved, of which {wrong} are false\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
