"""How much of each array a function with loops that stay touches: what its parts touch, over all iterations.

Only candidates: that no part touches more is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import to_int
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var
from metalift.ir.expr.types import INT
from metalift.ir.program.summary import Choice, Repeat, Stage, StagedSummary, Stretch, Summary
from metalift.synth.derive.bounds import greatest, unclamped
from metalift.synth.derive.promises import positive, room
from metalift.vcgen.parts import IN, Cutter

Bound = tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The values that a loop's argument has: `start`, then less than `extent` more, or fewer where `down`."""

    arg: Var
    start: Expr
    extent: Polynomial
    down: bool


def whole_extents(cutter: Cutter, staged: StagedSummary) -> dict[str, Bound]:
    """For each array of which bounds are found, as many elements along each axis as all parts touch."""
    found: dict[str, list[list[Polynomial]]] = {}
    unknown: set[str] = set()
    known = {param.var for param in (*cutter.scalars, *cutter.arrays.values())}
    for ranges, summary in summaries(cutter, staged.stages, ()):
        for array, shape in summary.extents:
            axes = found.setdefault(array, [[] for _ in shape])
            for axis, extent in zip(axes, shape, strict=True):
                bounds = [over(part, ranges) for part in maxima(to_int(extent))]
                axis += [bound for bound in bounds if bound is not None]
                if any(bound is None or not bound.free_vars <= known for bound in bounds):
                    unknown.add(array)
    return {array: tuple(map(most, axes)) for array, axes in found.items() if array not in unknown}


def maxima(extent: Expr) -> tuple[Expr, ...]:
    """The numbers of which an extent is the greatest."""
    if isinstance(extent, Apply) and extent.op is Operator.MAX:
        return tuple(part for arg in extent.args for part in maxima(arg))
    return (extent,)


def summaries(cutter: Cutter, stages: Sequence[Stage], ranges: tuple[Range, ...]) -> Iterator[tuple[tuple[Range, ...], Summary]]:
    """The summary of each part, with the ranges of the arguments of the loops around it, the outermost first."""
    for stage in stages:
        match stage:
            case Stretch(summary=summary):
                yield ranges, summary
            case Choice(test=test, then=then, other=other):
                yield ranges, test
                yield from summaries(cutter, (*then, *other), ranges)
            case Repeat(test=asked, body=body, exit=leaving):
                yield from () if asked is None else ((ranges, asked),)
                inside = () if asked is None else tuple(ranges_of(cutter, stage))
                yield from summaries(cutter, body, (*ranges, *inside))
                yield from summaries(cutter, leaving, ranges)


def ranges_of(cutter: Cutter, stage: Repeat) -> Iterator[Range]:
    """The ranges of a loop's arguments: between what holds of them and what its test says."""
    args = set(cutter.blocks[stage.header].args)
    cond = cutter.condition(stage.header, IN)
    for formula in stage.holds:
        match formula:
            case Apply(Operator.LE, (low, high)):
                pair = (strip_casts(low), strip_casts(high))
            case _:
                continue
        for arg, start, down in ((pair[1], pair[0], False), (pair[0], pair[1], True)):
            if not isinstance(arg, Var) or arg not in args:
                continue
            extent = remaining(cond, arg, start, down)
            if extent is not None:
                yield Range(arg, start, extent, down)


def remaining(cond: Expr, arg: Var, start: Expr, down: bool) -> Polynomial | None:
    """How many values the argument has while the condition holds."""
    gap = room(positive(cond))
    parts = None if gap is None else gap.affine_in((arg,))
    if parts is None or parts[0][arg].constant_value != (1 if down else -1):
        return None
    return parts[1] + parts[0][arg] * Polynomial.of(to_int(start)) + 1


def over(extent: Expr, ranges: tuple[Range, ...]) -> Polynomial | None:
    """The greatest value of an extent over all iterations."""
    binders: dict[Var, Expr] = {}
    values: dict[Expr, Polynomial] = {}
    for number, each in enumerate(ranges):
        binder = Var(f"b{number}", INT)
        start = Polynomial.of(to_int(each.start)).substitute(values)
        binders[binder] = each.extent.substitute(values).to_expr()
        values[each.arg] = start - Polynomial.of(binder) if each.down else start + Polynomial.of(binder)
    bound = greatest(unclamped(Polynomial.of(extent)).substitute(values), binders)
    return None if bound is None else unclamped(bound)


def most(values: Sequence[Polynomial]) -> Expr:
    """The greatest of several bounds."""
    kept: list[Polynomial] = []
    for value in dict.fromkeys(values):
        gaps = [(value - other).constant_value for other in kept]
        if any(gap is not None and gap <= 0 for gap in gaps):
            continue
        kept = [other for other, gap in zip(kept, gaps, strict=True) if gap is None]
        kept.append(value)
    greatest_one = kept[0].to_expr()
    for value in kept[1:]:
        greatest_one = Apply(Operator.MAX, (greatest_one, value.to_expr()))
    return greatest_one
