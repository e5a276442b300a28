"""Sizes of tiles, and the types that values in them have."""

from __future__ import annotations

from metalift.driver import CannotWrite
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, plus
from metalift.ir.expr.nodes import Apply, Build, Expr, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import FLOAT, INT32, MachineInt, RealType, ScalarType, TensorType, is_integer

ONE = integer(1)


def type_scalar(expr: Expr) -> ScalarType:
    """The type of a value, or of its elements."""
    type_ = type_of(expr)
    found = type_.element if isinstance(type_, TensorType) else type_
    assert isinstance(found, ScalarType)
    return found


def number_type(expr: Expr) -> ScalarType:
    """The type that a value is reduced in: integers have 32 bits."""
    type_ = type_scalar(expr)
    return INT32 if is_integer(type_) else single(type_)


def bounds(kind: Operator, bound: int | None, before: Expr, whole: Expr) -> tuple[Expr, Expr] | None:
    """Bounds on a sum or a maximum of so many integers: of the first ones, and of all."""
    if bound is None:
        return None
    return (times(bound, before), times(bound, whole)) if kind is Operator.ADD else (integer(bound), integer(bound))


def single(type_: ScalarType) -> ScalarType:
    """A type that the chip has. Raises CannotWrite."""
    if isinstance(type_, RealType) and type_ != FLOAT:
        raise CannotWrite("doubles: the chip computes in fp32 at most")
    if isinstance(type_, MachineInt) and type_.bits > 32:
        raise CannotWrite(f"integers of {type_.bits} bits: the chip has 32 at most")
    return type_


def array_of(view: Build) -> str:
    """A name for what is loaded."""
    assert isinstance(view.body, Select) and isinstance(view.body.tensor, Var)
    return view.body.tensor.name


def limited(value: Expr, bound: int) -> Expr:
    """An integer is at most so large in magnitude."""
    type_ = type_scalar(value)
    return conj(at_most(integer(-bound, type_), value), at_most(value, integer(bound, type_)))


def natural(size: Expr) -> Expr:
    """A size, 0 where a difference is negative."""
    if any(coefficient < 0 for _, coefficient in Polynomial.of(size).terms):
        return Apply(Operator.MAX, (integer(0), size))
    return size


def times(factor: int, value: Expr) -> Expr:
    """A multiple."""
    return value if factor == 1 else Apply(Operator.MUL, (integer(factor), value))


def product(left: Expr, right: Expr) -> Expr:
    """A product of sizes."""
    return Apply(Operator.MUL, (left, right))


def sub(left: Expr, right: Expr) -> Expr:
    """A difference."""
    return Apply(Operator.SUB, (left, right))


def div(value: Expr, by: int | Expr) -> Expr:
    """A quotient, rounded down."""
    return value if by == 1 else Apply(Operator.FDIV, (value, _size(by)))


def mod(value: Expr, by: int | Expr) -> Expr:
    """What the quotient leaves."""
    return integer(0) if by == 1 else Apply(Operator.FMOD, (value, _size(by)))


def ceiling(value: Expr, by: int | Expr) -> Expr:
    """A quotient, rounded up."""
    less = integer(by - 1) if isinstance(by, int) else sub(by, ONE)
    return div(plus(value, less), by)


def _size(value: int | Expr) -> Expr:
    """A size as an expression."""
    return integer(value) if isinstance(value, int) else value
