"""Minima and maxima of integers of which the summary's requirements, and the ranges of its indices, say which operand it is.

A loop that tests at its end runs `max(1, n)` times; where the cells that it writes are distinct only if `max(1, n) <= n`, the
requirement is `1 <= n`, and the loop runs n times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache, reduce

from metalift.ir.arith.intervals import NO_RANGES, Interval, Ranges, index_range, interval, refine, without
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Build, Expr, Fold, Operator, Update, type_of
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import children, map_children, rebuild, scoped_children
from metalift.ir.program.summary import Binding, LoopSummary, Summary


def with_decided_bounds(summary: Summary) -> Summary:
    """The summary under its requirements, with these in fewer words."""
    requires = tuple(dict.fromkeys(map(_plain, summary.requires)))
    known = reduce(lambda ranges, cond: refine(ranges, cond, True), requires, NO_RANGES)

    def all_of(terms: Iterable[Expr]) -> tuple[Expr, ...]:
        return tuple(_decided(term, known) for term in terms)

    def loop(one: LoopSummary) -> LoopSummary:
        state = tuple((var, _decided(value, known)) for var, value in one.state)
        return replace(one, trip=_decided(one.trip, known), state=state, holds=all_of(one.holds))

    return replace(
        summary,
        loops=tuple(loop(one) if isinstance(one, LoopSummary) else one for one in summary.loops),
        bindings=tuple(Binding(each.var, _decided(each.value, known)) for each in summary.bindings),
        outputs=tuple((name, _decided(value, known)) for name, value in summary.outputs),
        requires=requires,
        extents=tuple((name, tuple(_size(extent, known) for extent in shape)) for name, shape in summary.extents),
        facts=all_of(summary.facts),
    )


def _plain(condition: Expr) -> Expr:
    """That a maximum is no more than its operand, or a minimum no less, as the comparison of the operands that it is."""
    match condition:
        case Apply(Operator.LE, (low, high)) if type_of(low) == INT:
            gap = Polynomial.of(high) - Polynomial.of(low)  # which is not negative
            for part in gap.atoms:
                match part:
                    case Apply(Operator.MIN | Operator.MAX as op, (one, other)):
                        for own, least in ((one, other), (other, one)):
                            excess = Polynomial.atom(part) - Polynomial.of(own)
                            if gap == (-excess if op is Operator.MAX else excess):
                                return Apply(Operator.LE, (least, own) if op is Operator.MAX else (own, least))
    return condition


def _size(extent: Expr, ranges: Ranges) -> Expr:
    """A number of elements where the ranges hold: its terms may cancel then."""
    made = _decided(extent, ranges)
    return extent if made is extent else Polynomial.of(made).to_expr()


@lru_cache(maxsize=1 << 14)
def _compares(expr: Expr) -> bool:
    """Whether there is a minimum or maximum in it."""
    return isinstance(expr, Apply) and expr.op in (Operator.MIN, Operator.MAX) or any(map(_compares, children(expr)))


def _decided(expr: Expr, ranges: Ranges) -> Expr:
    """The term where the ranges hold."""
    if not _compares(expr):
        return expr
    made = _inside(expr, ranges)
    match made:
        case Apply(Operator.MIN | Operator.MAX as op, (one, other)) if type_of(made) == INT:
            more = interval((Polynomial.of(other) - Polynomial.of(one)).to_expr(), ranges)
            if more.low is not None and more.low >= 0:
                return one if op is Operator.MIN else other
            if more.high is not None and more.high <= 0:
                return other if op is Operator.MIN else one
    return made


def _inside(expr: Expr, ranges: Ranges) -> Expr:
    """The node with such parts, each with what is known of the indices there."""
    if not isinstance(expr, Build | Fold | Update):
        return map_children(lambda child: _decided(child, ranges), expr)
    counted = {expr.index: expr.extent} if isinstance(expr, Fold) else dict(zip(expr.binders, expr.extents, strict=True))
    parts = []
    for child, scope in scoped_children(expr):
        known = without(ranges, *scope) if scope else ranges
        steps: dict[Expr, Interval] = {at: index_range(counted[at], known) for at in scope if at in counted}
        parts.append(_decided(child, {**known, **steps} if steps else known))
    return rebuild(expr, tuple(parts))
