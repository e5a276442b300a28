"""Runs of the source that show that obligations speak of something, and why there may be none."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.expr.nodes import FALSE, Call, Expr
from metalift.ir.expr.walk import transform
from metalift.ir.interp.functions import QUESTIONS
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.prove.prover import impossible
from metalift.prove.solver import SolverPool
from metalift.run.inputs.inputs import Run
from metalift.run.inputs.long import long_inputs
from metalift.run.inputs.trails import trails_of
from metalift.vcgen.natural_loops import loop_blocks
from metalift.vcgen.obligation import Obligation
from metalift.vcgen.witness import Witnesses

MANY = 24  # runs that are looked at for witnesses


def witnesses_among(runs: Sequence[Run], fragment: Fragment, summary: Summary) -> Witnesses:
    """The smallest of the runs, to look for witnesses in, and those that take a path which these do not; all where no run repeats
    anything, as each takes another path. Where there are no runs, as all are too long, those that jump over loops.
    """
    ordered = sorted(runs, key=lambda run: (run.input.cells, run.outcome.steps))
    looked_at = ordered[:MANY] if loop_blocks(fragment) else ordered
    looked_at += taking_others(fragment, looked_at, ordered[len(looked_at) :])
    long = () if runs else long_inputs(fragment, summary)
    return Witnesses(fragment, summary, [run.input.arguments() for run in looked_at], long)


def taking_others(fragment: Fragment, known: Sequence[Run], further: Sequence[Run]) -> list[Run]:
    """The further runs that take a path through the fragment which the known ones and those before them do not."""
    trails = trails_of(fragment)
    taken = set[int]().union(*(trails.taken(run.outcome.trace) for run in known))
    found: list[Run] = []
    for run in further:
        ways = trails.taken(run.outcome.trace)
        if not ways <= taken:
            found.append(run)
            taken |= ways
    return found


def why_not_taken(obligation: Obligation, seen: frozenset[str] | None, pool: SolverPool, timeout: float) -> str | None:
    """Why no run takes the path, or None where that is not shown.

    The source itself may rule it out, for all floats or, as no run has others, for those that are numbers. What is assumed may,
    too, but only where the same obligation has a run on another path (`seen` are the names of those that have): assumptions that
    contradict each other rule out everything. So does a source in which nothing is defined: `seen` is None where no run comes to
    its end.
    """
    if not obligation.trail or seen is None:
        return None
    if impossible(obligation.hypotheses, pool, timeout):
        return "no run takes this path"
    of_numbers = [transform(_of_numbers, each) for each in obligation.hypotheses]
    if of_numbers != list(obligation.hypotheses) and impossible(of_numbers, pool, timeout):
        return "only NaN or an infinity takes this path"
    if obligation.name in seen and impossible((*of_numbers, *obligation.assumed), pool, timeout):
        return "the assumptions rule this path out"
    return None


def _of_numbers(expr: Expr) -> Expr:
    """What a question for NaN or infinities says of numbers."""
    return FALSE if isinstance(expr, Call) and expr.function in QUESTIONS else expr
