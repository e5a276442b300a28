"""Choices that are decided by what is known, and results that depend on the way that was taken."""

from __future__ import annotations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Build, Expr, Ite, MakeTuple, Operator, integer, is_number, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import substitute, transform
from metalift.synth.derive.bounds import certain, follows
from metalift.synth.derive.normal_terms import both, either, exact, index, ite, negate


def assuming(expr: Expr, known: Expr) -> Expr:
    """The expression without the choices that the condition decides."""

    def rewrite(node: Expr) -> Expr:
        if isinstance(node, Ite):
            cond = decided(node.cond, known)
            return ite(cond, node.then, node.other)
        return node

    found = transform(rewrite, expr)
    return exact(found) if found != expr and is_integer(type_of(expr)) else found


def decided(cond: Expr, known: Expr) -> Expr:
    """The condition without what is known to hold or to fail."""
    match cond:
        case Apply(Operator.AND, args):
            return both(*(decided(arg, known) for arg in args))
        case Apply(Operator.OR, args):
            result: Expr = FALSE
            for arg in args:
                result = either(result, decided(arg, known))
            return result
        case Apply(Operator.NOT, (arg,)):
            return negate(decided(arg, known))
        case Apply(Operator.LT | Operator.LE as op, (left, right)) if is_integer(type_of(left)):
            gap = index(right) - index(left) - (1 if op is Operator.LT else 0)
            if _holds(gap, known):
                return TRUE
            return FALSE if _holds(-gap - 1, known) else cond
        case Apply(Operator.EQ, (left, right)) if is_integer(type_of(left)):
            gap = index(right) - index(left)
            return FALSE if _holds(gap - 1, known) or _holds(-gap - 1, known) else cond
        case _:
            return cond


def _holds(value: Polynomial, known: Expr) -> bool:
    """Whether value >= 0."""
    return certain(value) or follows(value, known)


def positive(extent: Expr) -> Expr:
    """That there is something along an axis."""
    return TRUE if certain(index(extent) - 1) else Apply(Operator.LT, (integer(0), exact(extent)))


def either_result(cond: Expr, then: Expr, other: Expr) -> Expr:
    """One result for two: of tuples item by item, of tensors by extents and elements."""
    match then, other:
        case MakeTuple(ours), MakeTuple(theirs):
            return MakeTuple(tuple(either_result(cond, a, b) for a, b in zip(ours, theirs, strict=True)))
        case Build(ours, binders, one), Build(theirs, others, two):
            if then == other:
                return then
            extents: tuple[Expr, ...] = ()
            for a, b in zip(ours, theirs, strict=True):
                extents += (assuming(_extent(cond, a, b), both(*map(positive, extents))),)
            two = substitute(two, dict(zip(others, binders, strict=True)))
            body = assuming(ite(cond, one, two), both(*map(positive, extents)))
            return Build(extents, binders, body)
        case _:
            return ite(cond, then, other)


def _extent(cond: Expr, then: Expr, other: Expr) -> Expr:
    """One extent for two."""
    return size(ite(cond, exact(then), exact(other)))


def size(extent: Expr) -> Expr:
    """An extent without the case that there is nothing: `n == 0 ? 0 : n` and `0 < n ? n : 0` are n."""
    match extent:
        case Ite(Apply(Operator.EQ, (left, right)), none, some) if is_integer(type_of(left)):
            empty = index(left) - index(right) in (index(some), -index(some))
            return some if is_number(none, 0) and empty else extent
        case Apply(Operator.MAX, (low, high)) if is_number(low, 0) or is_number(high, 0):
            return high if is_number(low, 0) else low
        case _:
            return extent
