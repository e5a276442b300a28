"""Short constructors for formulas and integer terms; they fold only what is decided by the constants true, false, 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable

from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Cast,
    Const,
    Exists,
    Expr,
    Forall,
    MakeTuple,
    Operator,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import INT, REAL, RealType


def conj(*parts: Expr) -> Expr:
    """All of the parts hold."""
    return _join(Operator.AND, parts, TRUE, FALSE)


def disj(*parts: Expr) -> Expr:
    """At least one of the parts holds."""
    return _join(Operator.OR, parts, FALSE, TRUE)


def _join(op: Operator, parts: Iterable[Expr], unit: Expr, zero: Expr) -> Expr:
    flat: list[Expr] = []
    for part in parts:
        if part == zero:
            return zero
        if isinstance(part, Apply) and part.op is op:
            flat.extend(part.args)
        elif part != unit:
            flat.append(part)
    if not flat:
        return unit
    return flat[0] if len(flat) == 1 else Apply(op, tuple(flat))


def conjuncts(formula: Expr) -> tuple[Expr, ...]:
    """The parts of a conjunction."""
    if isinstance(formula, Apply) and formula.op is Operator.AND:
        return tuple(part for arg in formula.args for part in conjuncts(arg))
    return (formula,)


def told(cond: Expr, holds: bool) -> dict[Expr, bool]:
    """What is known of conditions where one holds, or does not: of it, and of its parts where these follow."""
    match cond:
        case Apply(Operator.NOT, (arg,)):
            return {cond: holds, **told(arg, not holds)}
        case Apply(Operator.AND | Operator.OR as op, args) if holds == (op is Operator.AND):
            return {cond: holds, **{part: each for arg in args for part, each in told(arg, holds).items()}}
        case _:
            return {cond: holds}


def neg(part: Expr) -> Expr:
    """The part does not hold."""
    if isinstance(part, Const):
        return FALSE if part.value else TRUE
    if isinstance(part, Apply) and part.op is Operator.NOT:
        return part.args[0]
    return Apply(Operator.NOT, (part,))


def implies(premise: Expr, conclusion: Expr) -> Expr:
    """The conclusion holds where the premise does."""
    return disj(neg(premise), conclusion)


def equal(left: Expr, right: Expr) -> Expr:
    """Both are the same; sides of different types are compared as reals where one is a real, otherwise as integers."""
    if left == right:
        return TRUE
    if type_of(left) != type_of(right) and any(isinstance(type_of(side), RealType) for side in (left, right)):
        return Apply(Operator.EQ, (Cast(left, REAL), Cast(right, REAL)))
    if type_of(left) != type_of(right):
        left, right = to_int(left), to_int(right)
    return Apply(Operator.EQ, (left, right))


def less(left: Expr, right: Expr) -> Expr:
    """left < right."""
    return Apply(Operator.LT, (left, right))


def at_most(left: Expr, right: Expr) -> Expr:
    """left <= right."""
    return Apply(Operator.LE, (left, right))


def in_range(index: Expr, extent: Expr) -> Expr:
    """0 <= index < extent."""
    return conj(at_most(integer(0), index), less(index, extent))


def clamped(extent: Expr) -> Expr:
    """A length: negative counts as 0."""
    return Apply(Operator.MAX, (integer(0), extent))


def plus(left: Expr, right: Expr) -> Expr:
    """left + right, exact integers."""
    if right == integer(0):
        return left
    return right if left == integer(0) else Apply(Operator.ADD, (left, right))


def minus(left: Expr, right: Expr) -> Expr:
    """left - right, exact integers."""
    return left if right == integer(0) else Apply(Operator.SUB, (left, right))


def to_int(expr: Expr) -> Expr:
    """The same number as an exact integer."""
    if type_of(expr) == INT:
        return expr
    if isinstance(expr, Const):
        return integer(int(expr.value))
    return Cast(expr, INT)


def tuple_items(value: Expr) -> tuple[Expr, ...]:
    """The values of which a value is made: those of a tuple that is written out, or the value alone."""
    return value.items if isinstance(value, MakeTuple) else (value,)


def forall(binders: tuple[Var, ...], body: Expr) -> Expr:
    """The body holds for all values of the binders; without binders, the body."""
    return Forall(binders, body) if binders else body


def exists(binders: tuple[Var, ...], body: Expr) -> Expr:
    """The body holds for some values of the binders; without binders, the body."""
    return Exists(binders, body) if binders else body
