"""Inputs on which a second function's summary may say something else than the first function gives: before anything is proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import RealType, TensorType
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.run.compare.falsify import Counterexample, compare, falsify
from metalift.run.inputs.concrete import Contents, Grid, Scalar, contents_of, shape_of
from metalift.run.inputs.inputs import Input, Run, inputs
from metalift.vcgen.bounded import certainly_holds

TRIED = 300  # inputs on which the summaries are compared
HALVES = range(-16, 17)  # where functions bend


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


def alike(
    fragment: Fragment, found: Input, given: Sequence[Expr], extents: Mapping[str, Sequence[Expr]]
) -> Iterator[Run]:
    """Runs on inputs like the one that was found, the floats of all arrays being one number: a small difference of one element is
    lost beside a large one of another.
    """
    seeds = [_with_floats(fragment, found, Fraction(half, 2)) for half in HALVES]
    count = len(seeds) if seeds[0] != seeds[-1] else 0
    yield from islice(inputs(fragment, given, extents=extents, seeds=seeds), count)


def _with_floats(fragment: Fragment, found: Input, number: Fraction) -> Mapping[str, Scalar | Contents]:
    types = {param.var.name: param.var.type for param in fragment.params}
    floats = {name for name, type_ in types.items() if isinstance(type_, TensorType) and isinstance(type_.element, RealType)}
    return {
        name: contents_of(shape_of(value), lambda _: number) if name in floats and isinstance(value, tuple | Grid) else value
        for name, value in found.values
    }
