"""Sizes and types as C spells them."""

from __future__ import annotations

from metalift.driver import CannotWrite
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import MachineInt, TensorType, Type, show_type

from .._tiles.c_text import NoText, spelled

RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false apart "
    "elem_t acc_t scale_t acc_scale_t scale_acc_t size_t NULL REFUSE WS OS CPU RELU NO_ACTIVATION DIM least ACCUMULATORS ADDED "
    "FULL GARBAGE_ADDR WEIGHT_STATIONARY".split()
)


def declared(type_: Type, name: str, *, constant: bool) -> str:
    """A parameter."""
    if isinstance(type_, TensorType):
        if type_.rank != 1:
            raise CannotWrite(f"{name} has {type_.rank} axes; the library takes pointers to elements")
        return f"{'const ' if constant else ''}{word(type_.element)} *{name}"
    return f"{word(type_)} {name}"


def word(type_: Type) -> str:
    """An integer type of C."""
    if isinstance(type_, MachineInt) and type_.bits in (8, 16, 32, 64):
        return f"{'' if type_.signed else 'u'}int{type_.bits}_t"
    if isinstance(type_, MachineInt) and type_.bits == 1:
        return "bool"
    raise CannotWrite(f"a parameter of type {show_type(type_)}")


def size(expr: Expr) -> str:
    """A size. Raises CannotWrite."""
    try:
        return spelled(expr)
    except NoText:
        raise CannotWrite("a size that is no polynomial of the parameters") from None
