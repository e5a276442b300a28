"""Inputs on which a second function's summary may say something else than the first function gives: before anything is proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.run.compare.falsify import Counterexample, compare, falsify
from metalift.run.inputs.inputs import Input, Run
from metalift.vcgen.bounded import certainly_holds

TRIED = 300  # inputs on which the summaries are compared


def broken(conditions: Iterable[Expr], given: Input) -> bool:
    """Whether one of the conditions certainly does not hold on an input."""
    return any(certainly_holds(neg(each), given.env()) for each in conditions)


def suspected(
    fragment: Fragment, candidate: Summary, given: Sequence[Expr], tried: list[Run], conditions: Sequence[Expr] | None
) -> tuple[list[Run], Counterexample | None]:
    """Inputs, with one on which a summary says something else than the function gives; with `conditions` those on which they may
    hold and the summary says something.
    """
    if conditions is None:
        return tried, falsify(fragment, candidate, given, tried=TRIED)
    pairs = [(each, compare(fragment, candidate, each)) for each in tried if not broken(conditions, each.input)]
    kept = [(each, differs) for each, differs in pairs if differs is None or not wraps(differs)]
    return [each for each, _ in kept], next((differs for _, differs in kept if differs is not None), None)


def wraps(found: Counterexample) -> bool:
    """Whether a summary says nothing because an integer does not fit its type."""
    return found.undefined and "does not fit" in found.text()
