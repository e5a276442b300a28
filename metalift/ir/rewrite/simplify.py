"""Simpler expressions of the same value.

Where the given expression has a value, the result has the same one; where it has none, the result may have any. Reals are real
numbers. Sums and products are not expanded, and casts that say in which type a value is computed stay: only casts to the type
that is there already, and casts that an index does not need, are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from metalift.ir.arith.intervals import (
    EVERYTHING,
    NO_RANGES,
    Interval,
    Ranges,
    index_range,
    interval,
    refine,
    type_range,
    without,
)
from metalift.ir.expr.build import conj, disj, neg
from metalift.ir.expr.filters import count
from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import BOOL, RealType, is_integer
from metalift.ir.expr.walk import alpha_equal, map_children, rebuild, scoped_children, substitute
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.interp.values import LimitExceeded, SourceUndefined
from metalift.ir.rewrite.simplify_operators import RULES, cast, comparison, literal, unary

__all__ = ["EVERYTHING", "Interval", "Ranges", "interval", "simplify", "type_range"]

_ROUNDS = 20  # rules that apply at one node, one after the other; each makes it smaller or closer to a normal form


def simplify(expr: Expr, ranges: Mapping[Expr, Interval] = NO_RANGES) -> Expr:
    """The expression, simplified from the leaves upwards; `ranges` are known ranges of integer variables or other terms."""
    current = _children(expr, ranges)
    for _ in range(_ROUNDS):
        simpler = _node(current, ranges)
        if simpler == current:
            return current
        current = simpler
    return current


def _children(expr: Expr, ranges: Ranges) -> Expr:
    """The node with simplified children, each with what is known where it stands."""
    if isinstance(expr, Ite):
        cond = simplify(expr.cond, ranges)
        then = simplify(expr.then, refine(ranges, cond, True))
        return Ite(cond, then, simplify(expr.other, refine(ranges, cond, False)))
    if not isinstance(expr, Build | Filter | Fold | Update | Forall | Exists | Lambda):
        return map_children(lambda child: simplify(child, ranges), expr)
    extents = _extents(expr)
    parts = []
    for child, binders in scoped_children(expr):
        inner = without(ranges, *binders) if binders else ranges
        known: dict[Expr, Interval] = {binder: index_range(extents[binder], ranges) for binder in binders if binder in extents}
        parts.append(simplify(child, {**inner, **known} if known else inner))
    return rebuild(expr, tuple(parts))


def _extents(expr: Build | Filter | Fold | Update | Forall | Exists | Lambda) -> dict[Var, Expr]:
    """The extents of the binders that have one which speaks of no other binder."""
    match expr:
        case Build(extents, binders, _):
            return dict(zip(binders, extents, strict=True))
        case Filter(extent, index, _, _) | Fold(extent, _, _, index, _):
            return {index: extent}
        case Update(_, binders, extents, _, _, _):
            return dict(zip(binders[:1], extents[:1], strict=True))
        case _:
            return {}


def _node(expr: Expr, ranges: Ranges) -> Expr:
    """One step at the root."""
    match expr:
        case Apply(op, args):
            return _folded(expr) or _apply(op, args, expr, ranges)
        case Cast(arg, type_):
            return _folded(expr) or cast(arg, type_, expr, ranges)
        case Call():
            return _folded(expr) or expr
        case Ite(cond, then, other):
            return _ite(cond, then, other, expr)
        case Select() | Item() | Length() | Invoke():
            return _part(expr, ranges)
        case Filter(extent, index, Const(kept, _), body):
            return Build((extent if kept else integer(0),), (index,), body)
        case Fold(extent, init, acc, _, body):
            return init if _none(extent, ranges) or body == acc else expr
        case Update(base, _, extents, _, _, guard):
            return base if guard == FALSE or any(_none(extent, {}) for extent in extents) else expr
        case Forall(_, body) | Exists(_, body) if isinstance(body, Const):
            return body
        case _:
            return expr


def _none(extent: Expr, ranges: Ranges) -> bool:
    """Whether a loop of this extent certainly does nothing."""
    high = interval(extent, ranges).high
    return high is not None and high <= 0


def _part(expr: Select | Item | Length | Invoke, ranges: Ranges) -> Expr:
    """A part of something, or a result of a function, whose construction is in sight."""
    match expr:
        case Select(Build(_, binders, body), indices):
            return substitute(body, dict(zip(binders, indices, strict=True)))
        case Item(MakeTuple(items), position):
            return items[position]
        case Length(Build(extents, _, _), axis):
            found = interval(extents[axis], ranges)
            return extents[axis] if found.nonnegative else Apply(Operator.MAX, (integer(0), extents[axis]))
        case Length(Filter() as kept, _):
            return count(kept)
        case Length(Update(base), axis):
            return Length(base, axis)
        case Invoke(Lambda(params, body), args):
            return substitute(body, dict(zip(params, args, strict=True)))
        case _:
            return expr


def _folded(expr: Apply | Cast | Call) -> Const | None:
    """The value of an expression of literals, if it is one that a literal can be: no real that is not a decimal."""
    args = (expr.arg,) if isinstance(expr, Cast) else expr.args
    if not all(isinstance(arg, Const) for arg in args):
        return None
    try:
        value = evaluate(expr, {})
    except (SourceUndefined, LimitExceeded, KeyError):
        return None
    type_ = type_of(expr)
    if isinstance(type_, RealType):
        return Const(value, type_) if isinstance(value, Fraction) and _is_decimal(value) else None
    return Const(value, type_) if isinstance(value, bool | int) and value.bit_length() <= 256 else None


def _is_decimal(value: Fraction) -> bool:
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


def _apply(op: Operator, args: tuple[Expr, ...], expr: Apply, ranges: Ranges) -> Expr:
    if op in (Operator.AND, Operator.OR, Operator.NOT):
        return _connective(op, args, expr)
    if op in (Operator.LT, Operator.LE, Operator.EQ):
        return comparison(op, args[0], args[1], expr, ranges)
    if len(args) == 1:
        return unary(op, args[0], expr, ranges)
    found = interval(expr, ranges).constant if is_integer(type_of(expr)) else None
    if found is not None:
        return literal(found, type_of(expr))
    rule = RULES.get(op)
    return expr if rule is None else rule(args[0], args[1], ranges) or expr


def _connective(op: Operator, args: tuple[Expr, ...], expr: Apply) -> Expr:
    if op is Operator.NOT:
        return _negated(args[0], expr)
    flat = conj(*args) if op is Operator.AND else disj(*args)
    if not isinstance(flat, Apply) or flat.op is not op:
        return flat
    kept: list[Expr] = []
    for part in flat.args:
        if any(alpha_equal(part, neg(other)) for other in kept):
            return FALSE if op is Operator.AND else TRUE
        if part not in kept:
            kept.append(part)
    return kept[0] if len(kept) == 1 else Apply(op, tuple(kept))


def _negated(arg: Expr, expr: Apply) -> Expr:
    match arg:
        case Const(value, _):
            return FALSE if value else TRUE
        case Apply(Operator.NOT, (inner,)):
            return inner
        case Apply(Operator.LT, (left, right)):
            return Apply(Operator.LE, (right, left))
        case Apply(Operator.LE, (left, right)):
            return Apply(Operator.LT, (right, left))
        case _:
            return expr


def _ite(cond: Expr, then: Expr, other: Expr, expr: Ite) -> Expr:
    if isinstance(cond, Const):
        return then if cond.value else other
    if alpha_equal(then, other):
        return then
    match cond, then, other:
        case Apply(Operator.NOT, (inner,)), _, _:
            return Ite(inner, other, then)
        case _, Ite(again, first, _), _ if again == cond:
            return Ite(cond, first, other)
        case _, _, Ite(again, _, last) if again == cond:
            return Ite(cond, then, last)
        case _ if type_of(then) == BOOL:
            return _bool_ite(cond, then, other) or expr
        case _:
            return expr


def _bool_ite(cond: Expr, then: Expr, other: Expr) -> Expr | None:
    """A choice where one arm is a literal; `and` and `or` do not look at their last operand either, unless they need it."""
    if then == TRUE:
        return disj(cond, other)
    if other == FALSE:
        return conj(cond, then)
    if then == FALSE:
        return conj(neg(cond), other)
    return disj(neg(cond), then) if other == TRUE else None
