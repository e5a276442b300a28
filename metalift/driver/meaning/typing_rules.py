"""Typing of literals and mixed operands while a meaning is read: Python's numbers have no width, the terms' have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from metalift.ir.expr.floats import as_float32, shortest_decimal
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, type_of
from metalift.ir.expr.types import INT, BoolType, IntType, RealType, Type, is_integer, show_type


@dataclass(frozen=True, slots=True)
class Literal:
    """A number in the text; it takes the type of what it is combined with."""

    value: int | Fraction


Value = Expr | Literal


class TypeClash(Exception):
    """Values of types that do not go together."""


def typed(value: Value, type_: Type) -> Expr:
    """The value as a term of the type; integers become reals where a real is wanted, machine integers exact ones.

    Raises TypeClash otherwise.
    """
    if isinstance(value, Literal):
        return _literal(value, type_)
    found = type_of(value)
    if found == type_:
        return value
    if is_integer(found) and isinstance(type_, IntType | RealType):
        return Cast(value, type_)
    raise TypeClash(f"found {show_type(found)} where {show_type(type_)} is wanted; write convert(...) for a conversion")


def _literal(literal: Literal, type_: Type) -> Expr:
    if isinstance(type_, RealType):
        return Const(_rounded(Fraction(literal.value), type_.bits), type_)
    if is_integer(type_) and not isinstance(literal.value, Fraction):
        return Const(literal.value, type_)
    raise TypeClash(f"the number {literal.value} is not a {show_type(type_)}")


def _rounded(value: Fraction, bits: int) -> Fraction:
    """The number as the source's literals of that width are read; beside an array of such floats the libraries round it so."""
    if not bits:
        return value
    try:
        nearest = as_float32(float(value)) if bits == 32 else float(value)
    except OverflowError:
        nearest = math.inf
    if math.isinf(nearest):
        raise TypeClash(f"a number of this size is no {bits}-bit float")
    return shortest_decimal(nearest, bits)


def settle(value: Value) -> Expr:
    """The value as a term; a literal integer on its own is an exact integer."""
    return typed(value, INT if isinstance(value.value, int) else RealType()) if isinstance(value, Literal) else value


def unified(left: Value, right: Value) -> tuple[Expr, Expr]:
    """Both as terms of one type."""
    if isinstance(left, Literal):
        if isinstance(right, Literal):
            kind = INT if isinstance(left.value, int) and isinstance(right.value, int) else RealType()
            return _literal(left, kind), _literal(right, kind)
        return typed(left, type_of(right)), right
    if isinstance(right, Literal):
        return left, typed(right, type_of(left))
    return _common(left, right)


def _common(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    a, b = type_of(left), type_of(right)
    if a == b:
        return left, right
    if isinstance(a, RealType) or (isinstance(a, IntType) and is_integer(b)):
        return left, typed(right, a)
    return typed(left, b), right


def truth(value: Value) -> Expr:
    """The value as a condition."""
    if isinstance(value, Literal) or not isinstance(type_of(value), BoolType):
        raise TypeClash("a condition is a comparison, a Bool, or 'and', 'or', 'not' of these")
    return value


def apply(op: Operator, *values: Value) -> Expr:
    """The operator on operands brought to one type."""
    match values:
        case (one,):
            return Apply(op, (settle(one),))
        case (one, other):
            return Apply(op, unified(one, other))
        case _:
            first, *rest = values
            total = settle(first) if len(rest) == 0 else first
            for each in rest:
                total = apply(op, total, each)
            return settle(total)
