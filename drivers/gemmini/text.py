"""Sizes, conditions and types as C spells them."""

from __future__ import annotations

from metalift.driver import CannotWrite
from metalift.ir.nodes import Apply, Const, Expr, Operator, Var
from metalift.ir.polynomial import strip_casts
from metalift.ir.types import MachineInt, TensorType, Type, show_type

BINARY = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.LT: "<", Operator.LE: "<=", Operator.EQ: "==",
    Operator.AND: "&&", Operator.OR: "||",
}  # fmt: skip
RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false apart "
    "elem_t acc_t scale_t acc_scale_t scale_acc_t size_t NULL REFUSE WS OS CPU RELU NO_ACTIVATION DIM least ACCUMULATORS ADDED "
    "FULL GARBAGE_ADDR WEIGHT_STATIONARY".split()
)


class NoText(Exception):
    """A condition has no spelling."""


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


def spelled(expr: Expr) -> str:
    """A size or a condition on numbers, in 64 bits. Raises NoText."""
    expr = strip_casts(expr)
    match expr:
        case Var(name, type_) if not isinstance(type_, TensorType):
            return name
        case Const(value):
            return str(int(value))
        case Apply(Operator.NOT, (arg,)):
            return f"!{operand(arg)}"
        case Apply(Operator.NEG, (arg,)):
            return f"-{wide(arg)}"
        case Apply(Operator.ADD | Operator.SUB | Operator.MUL as op, (first, *rest)):
            return f" {BINARY[op]} ".join([wide(first), *map(operand, rest)])
        case Apply(op, args) if op in BINARY:
            return f" {BINARY[op]} ".join(map(operand, args))
        case _:
            raise NoText


def operand(expr: Expr) -> str:
    """The same, in parentheses where it is made of parts."""
    text = spelled(expr)
    return f"({text})" if " " in text else text


def wide(expr: Expr) -> str:
    """The first operand, of 64 bits, so that the others are made so."""
    return f"(int64_t){operand(expr)}" if isinstance(strip_casts(expr), Var | Const) else operand(expr)


def size(expr: Expr) -> str:
    """A size. Raises CannotWrite."""
    try:
        return spelled(expr)
    except NoText:
        raise CannotWrite("a size that is no polynomial of the parameters") from None
