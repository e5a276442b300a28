"""Mutates what was proved of functions with loops that stay, and prints what becomes of the mutants.

Usage, from the root of the project: python -m benchmarks.step_mutants [--mutants N] [--seed S] [--kernel NAME] [SUITE ...]

A mutant is a proved plan with one thing changed: a node of what one part computes, reads or requires (a step, a trip count, the
version of an array, an exit value), what is said to hold in every iteration, or the order of the stages. "refused": it is no plan
of the function; "refuted": an input of the changed part tells it from the source; "open": not all of its obligations are proved;
"proved": they are. "wrong" are those that are proved and have another value than the source on some input. Exit status 1 where
there are any.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from benchmarks.mutants import changed, mutants
from benchmarks.suites import Kernel, read_suite
from metalift import lift
from metalift.check import certificate
from metalift.check.proving import prove_all
from metalift.check.reached import Reached
from metalift.check.staged import StagedClaims
from metalift.frontend import import_function, open_source
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Choice, Repeat, Stage, StagedSummary, Stretch, Summary
from metalift.ir.text import show_staged
from metalift.ir.wellformed.check import IllTyped
from metalift.prove.solver import SolverPool
from metalift.run.compare.falsify import compare, falsify
from metalift.run.inputs.inputs import inputs
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.plans import Run

SECONDS = 2.0  # for one obligation of a mutant
TRIED = 60  # inputs that may refute a part
LARGE = 600  # inputs that decide whether what is proved is right
FATES = ("refused", "refuted", "open", "proved", "wrong")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed plan: of one summary, or of how stages follow each other."""

    staged: StagedSummary
    of_summary: bool


def in_stages(stages: Sequence[Stage], change: Callable[[Summary], Iterator[Summary]]) -> Iterator[tuple[Stage, ...]]:
    """The stages with one summary changed in every way."""
    for at, stage in enumerate(stages):
        for made in in_stage(stage, change):
            yield (*stages[:at], made, *stages[at + 1 :])


def in_stage(stage: Stage, change: Callable[[Summary], Iterator[Summary]]) -> Iterator[Stage]:
    """The same of one stage."""
    match stage:
        case Stretch(summary=summary):
            yield from (replace(stage, summary=each) for each in change(summary))
        case Choice(test=test, then=then, other=other):
            yield from (replace(stage, test=each) for each in change(test))
            yield from (replace(stage, then=each) for each in in_stages(then, change))
            yield from (replace(stage, other=each) for each in in_stages(other, change))
        case Repeat(test=test, body=body, exit=leaving):
            yield from () if test is None else (replace(stage, test=each) for each in change(test))
            yield from (replace(stage, body=each) for each in in_stages(body, change))
            yield from (replace(stage, exit=each) for each in in_stages(leaving, change))


def rearranged(stages: Sequence[Stage]) -> Iterator[tuple[Stage, ...]]:
    """The stages in another order, one fewer or one twice, and with other facts, at any depth."""
    stages = tuple(stages)
    for at, stage in enumerate(stages):
        yield (*stages[:at], *stages[at + 1 :])
        yield (*stages[: at + 1], *stages[at:])
        if at:
            yield (*stages[: at - 1], stage, stages[at - 1], *stages[at + 1 :])
        if isinstance(stage, Repeat):
            inner: list[Stage] = [replace(stage, body=each) for each in rearranged(stage.body)]
            inner += [replace(stage, exit=each) for each in rearranged(stage.exit)]
            for number, fact in enumerate(stage.holds):
                others = (*stage.holds[:number], *stage.holds[number + 1 :])
                inner += [replace(stage, holds=(*others, each)) for each in changed(fact, ())]
        elif isinstance(stage, Choice):
            inner = [replace(stage, then=stage.other, other=stage.then)]
            inner += [replace(stage, then=each) for each in rearranged(stage.then)]
        else:
            inner = []
        yield from ((*stages[:at], each, *stages[at + 1 :]) for each in inner)


def made(fragment: Fragment, claims: StagedClaims, count: int, seed: int) -> list[Mutant]:
    """So many mutants: three of four of them of a summary, the others of the order."""
    parts = {run.summary: run.part.fragment for run in claims.parts}
    stages = claims.staged.stages
    rng = random.Random(seed)

    def change(summary: Summary) -> Iterator[Summary]:
        yield from mutants(parts[summary], summary, count, seed)

    found = [replace(claims.staged, stages=each) for each in in_stages(stages, change)]
    others = [replace(claims.staged, stages=each) for each in rearranged(stages)]
    rng.shuffle(found)
    rng.shuffle(others)
    some = others[: max(count // 4, count - len(found))]
    return [Mutant(each, True) for each in found[: count - len(some)]] + [Mutant(each, False) for each in some]


@dataclass(slots=True)
class Attack:
    """One kernel's plan under attack."""

    fragment: Fragment
    claims: StagedClaims
    pool: SolverPool
    reached: Reached

    def fate(self, mutant: Mutant) -> str:
        """What becomes of a mutant."""
        try:
            claims = StagedClaims.of(self.fragment, mutant.staged, self.claims.user)
        except (ObligationError, IllTyped):
            return "refused"
        known = {(run.part.fragment, run.summary) for run in self.claims.parts}
        new = [run for run in claims.parts if (run.part.fragment, run.summary) not in known]
        if mutant.of_summary and any(self.refuted(claims, run, TRIED) for run in new):
            return "refuted"
        if not all(self.proved(claims, run) for run in claims.parts):
            return "open"
        return "wrong" if any(self.has_another_value(claims, run) for run in new) else "proved"

    def given(self, claims: StagedClaims, run: Run) -> tuple[Expr, ...]:
        """The conditions on the inputs of a part."""
        return (*run.summary.requires, *claims.given(run))

    def refuted(self, claims: StagedClaims, run: Run, tried: int) -> bool:
        """Whether an input of a part tells its summary from the source."""
        seeds = self.reached.seeds(run.part)
        return falsify(run.part.fragment, run.summary, claims.given(run), tried=tried, seeds=seeds) is not None

    def proved(self, claims: StagedClaims, run: Run) -> bool:
        """Whether all obligations about a part are, quickly."""
        try:
            wanted = [*claims.of_part(run), *claims.of_all_extents(run)]
        except ObligationError:
            return False
        sample = self.reached.sample(run.part, self.given(claims, run), run.summary, others=True)
        evidence = prove_all(wanted, run.part.fragment, run.summary, sample, self.pool, SECONDS, all_or_none=True)
        return all(one.proved for one in evidence)

    def has_another_value(self, claims: StagedClaims, run: Run) -> bool:
        """Whether a part's summary has another value than the source on some input on which it has one."""
        part = run.part.fragment
        found = inputs(part, self.given(claims, run), seed=7, extents=run.summary.shapes, padded=True)
        differences = (compare(part, run.summary, each) for each in islice(found, LARGE))
        return any(one is not None and not one.undefined for one in differences)


def plan_of(kernel: Kernel, folder: Path) -> StagedSummary | None:
    """The plan that is proved of a kernel; None where it is not proved, or has a closed form."""
    (result,) = lift(kernel.path, functions=[kernel.function], to=["numpy"], out=folder).functions
    if result.certificate is None:
        return None
    summary = certificate.read(Path(result.certificate)).summary
    return summary if isinstance(summary, StagedSummary) else None


def main(argv: Sequence[str] | None = None) -> int:
    """Attack, print a line for each kernel and the totals."""
    parser = argparse.ArgumentParser(description="Mutate proved plans; none that differs may be proved.")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    parser.add_argument("--mutants", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernel", action="append", help="only this kernel; may be repeated")
    options = parser.parse_args(argv)
    say = sys.stdout.write
    say(f"{'kernel':<36}{'mutants':>8}" + "".join(f"{fate:>9}" for fate in FATES) + "\n")
    total = dict.fromkeys(FATES, 0)
    with SolverPool(2) as pool, tempfile.TemporaryDirectory(prefix="metalift-") as folder:
        every = (kernel for suite in options.suites or ("polybench", "steps") for kernel in read_suite(suite))
        for kernel in every:
            if options.kernel and kernel.name not in options.kernel:
                continue
            staged = plan_of(kernel, Path(folder))
            if staged is None:
                say(f"{kernel.label:<36} has no loop that stays, or is not proved\n")
                continue
            fragment = import_function(open_source(kernel.path), kernel.function)
            attack = Attack(fragment, StagedClaims.of(fragment, staged, ()), pool, Reached(fragment, ()))
            fates = dict.fromkeys(FATES, 0)
            for mutant in made(fragment, attack.claims, options.mutants, options.seed):
                fate = attack.fate(mutant)
                fates[fate] += 1
                if fate == "wrong":
                    say(f"    WRONG: {show_staged(mutant.staged)}\n")
            total = {fate: total[fate] + fates[fate] for fate in FATES}
            say(f"{kernel.label:<36}{sum(fates.values()):>8}" + "".join(f"{fates[fate]:>9}" for fate in FATES) + "\n")
            sys.stdout.flush()
    say(f"\n{sum(total.values())} mutants: {', '.join(f'{total[fate]} {fate}' for fate in FATES)}\n")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
