"""The bits of integers: which of them a bitwise operator needs, and how wrapping is written."""

from __future__ import annotations

from typing import TypeGuard

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, type_of
from metalift.ir.expr.types import MachineInt, Type, is_integer

BITWISE = {Operator.BITAND: "bvand", Operator.BITOR: "bvor", Operator.BITXOR: "bvxor"}


def is_bitwise(expr: Expr) -> TypeGuard[Apply]:
    """Whether it is a bitwise operator of a machine type."""
    return isinstance(expr, Apply) and expr.op in BITWISE and isinstance(type_of(expr), MachineInt)


def natural_width(expr: Expr) -> int | None:
    """How many bits hold an integer that is at least 0 by its type; None where it may be negative."""
    if isinstance(expr, Const):
        return int(expr.value).bit_length() if expr.value >= 0 else None
    if is_bitwise(expr):
        widths = [natural_width(arg) for arg in expr.args]
        return None if None in widths else max(width for width in widths if width is not None)
    if isinstance(expr, Cast) and is_integer(type_of(expr.arg)):
        width = natural_width(expr.arg)
        room = expr.type.bits - expr.type.signed if isinstance(expr.type, MachineInt) else width
        if width is not None and room is not None and width <= room:
            return width
    type_ = type_of(expr)
    return type_.bits if isinstance(type_, MachineInt) and not type_.signed else None


def signed_width(expr: Expr) -> int | None:
    """How many bits hold an integer and its sign, of the operands of a bitwise operator its own; None where that is not known."""
    if isinstance(expr, Const):
        value = int(expr.value)
        return max(value, -value - 1).bit_length() + 1
    if is_bitwise(expr):
        one, other = map(signed_width, expr.args)
        return None if one is None or other is None else max(one, other)
    type_ = type_of(expr)
    own = type_.bits + (not type_.signed) if isinstance(type_, MachineInt) else None
    if isinstance(expr, Cast) and is_integer(type_of(expr.arg)):
        width = signed_width(expr.arg)
        room = own if isinstance(type_, MachineInt) and type_.signed else None if isinstance(type_, MachineInt) else width
        if width is not None and room is not None and width <= room:
            return width
    return own


def with_low_bits(expr: Expr, type_: Type) -> Expr:
    """An integer with the same bits, as far as the machine type has some, without conversions that only change others."""
    if isinstance(type_, MachineInt):
        while isinstance(expr, Cast) and is_integer(type_of(expr.arg)):
            if isinstance(expr.type, MachineInt) and expr.type.bits < type_.bits:
                break
            expr = expr.arg
    return expr


def wrapped(text: str, type_: MachineInt) -> str:
    """The value of the type that is congruent modulo 2**bits."""
    size = 1 << type_.bits
    if not type_.signed:
        return f"(mod {text} {size})"
    return f"(- (mod (+ {text} {-type_.low}) {size}) {-type_.low})"
