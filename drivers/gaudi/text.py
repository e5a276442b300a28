"""Sizes, numbers and types as C spells them, in 32 bits as the chip's scalars are."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from metalift.driver import CannotWrite
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, MachineInt, RealType, ScalarType, Type, is_integer, show_type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.text import show

INFIX = {
    Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*", Operator.DIV: "/", Operator.TDIV: "/", Operator.TREM: "%",
    Operator.LT: "<", Operator.LE: "<=", Operator.EQ: "==", Operator.AND: "&&", Operator.OR: "||", Operator.BITAND: "&",
    Operator.BITOR: "|", Operator.BITXOR: "^", Operator.SHL: "<<", Operator.SHR: ">>",
}  # fmt: skip
RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict "
    "return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false main tensor "
    "int5 first last NULL V_LANE_ID_32 TPC_RUN KNOWN EMPTY y0 y1 yn j0 j1 jn".split()
)
VECTORS = frozenset(
    "float64 float128 float256 int64 int128 int256 uint64 uint128 uint256 short128 short256 ushort128 ushort256 char256 "
    "uchar256".split()
)
GENERATED = re.compile(r"(v|s_i32|s_f32|convert|tpc|gen|get|in)_.*|(at|result)_\d+(_at)?|.*_wide_\d+")
BASES = {
    (32, True): "i32", (16, True): "i16", (16, False): "u16", (8, True): "i8", (8, False): "u8",
}  # fmt: skip


def name(text: str) -> str:
    """A name that C takes, and that nothing else has."""
    plain = text.replace(".", "_")
    return f"{plain}_" if plain in RESERVED | VECTORS or GENERATED.fullmatch(plain) else plain


def expression(expr: Expr) -> str:  # noqa: C901 (one case for each node)
    """An expression on numbers."""
    match expr:
        case Var(text):
            return name(text)
        case Const(value, type_):
            return literal(value, type_)
        case Cast(arg, type_):
            return converted(arg, type_)
        case Apply(Operator.NEG, (arg,)):
            return f"-{operand(arg)}"
        case Apply(Operator.NOT, (arg,)):
            return f"!{operand(arg)}"
        case Apply(Operator.MIN | Operator.MAX as op, (left, right)):
            kind = "f32" if type_of(expr) == FLOAT else "i32"
            return f"s_{kind}_{'min' if op is Operator.MIN else 'max'}({expression(left)}, {expression(right)})"
        case Apply(Operator.FDIV, (arg, Const(by))) if power(by):
            return f"{operand(arg)} >> {int(by).bit_length() - 1}"
        case Apply(Operator.FMOD, (arg, Const(by))) if power(by):
            return f"{operand(arg)} & {int(by) - 1}"
        case Apply(Operator.TDIV | Operator.TREM, (_, right)) if (found := interval(right)) != found.meet(Interval(1)):
            raise CannotWrite("a number that is divided by what may be 0 outside of vectors")
        case Apply(Operator.SHL | Operator.SHR, (_, right)) if not interval(right).within(Interval(0, 31)):
            raise CannotWrite("a number that is shifted by what may be no number of bits, outside of vectors")
        case Apply(op, args) if op in INFIX:
            return f" {INFIX[op]} ".join(map(operand, args))
        case Ite(cond, then, other):
            return f"{operand(cond)} ? {operand(then)} : {operand(other)}"
        case _:
            raise CannotWrite(f"a number that is computed outside of vectors: {show(expr)[:80]}")


def literal(value: object, type_: Type) -> str:
    """A number; of reals the nearest float."""
    if isinstance(value, Fraction):
        if type_ != FLOAT:
            raise CannotWrite("doubles: the chip computes in fp32 at most")
        return f"{np.float32(float(value))!s}f".replace("inff", "INFINITY")
    number = int(value)  # type: ignore[call-overload]
    if not -(1 << 31) <= number < 1 << 31:
        raise CannotWrite("a number of more than 32 bits")
    return "INT32_MIN" if number == -(1 << 31) else str(int(number))


def converted(arg: Expr, type_: Type) -> str:
    """A conversion; one that changes nothing is left out."""
    source = type_of(arg)
    if type_ == BOOL:
        return expression(arg) if source == BOOL else f"{operand(arg)} != 0"
    if isinstance(type_, RealType):
        if type_ != FLOAT or (isinstance(source, RealType) and source != FLOAT):
            raise CannotWrite("doubles: the chip computes in fp32 at most")
        return f"(float){operand(arg)}" if source != FLOAT else expression(arg)
    if not is_integer(source) and source != BOOL:
        raise CannotWrite("a conversion of floats to integers outside of vectors")
    if not isinstance(type_, MachineInt) or interval(arg).within(Interval(type_.low, type_.high)):
        return expression(arg)
    if type_.bits < 32 or (type_.bits == 32 and type_.signed):
        return f"({word(type_)}){operand(arg)}"
    raise CannotWrite(f"a number that is converted to {show_type(type_)} and may wrap")


def number(expr: Expr) -> str:
    """A number for all lanes: scalars have 32 bits, so nothing on the way to it may need more."""
    for part in subexpressions(expr):
        wide = isinstance(part, Apply) and is_integer(type_of(part)) and type_of(part) != INT32
        if (wide or type_of(part) == INT32 and isinstance(part, Apply) and part.op is Operator.SHL) and not fits(part):
            raise CannotWrite(f"a number that may need more than 32 bits outside of vectors: {show(part)[:80]}")
    return expression(expr)


def fits(expr: Expr) -> bool:
    """Whether an integer has 32 bits."""
    return interval(expr).within(Interval(INT32.low, INT32.high))


def power(value: object) -> bool:
    """Whether a number is a power of two."""
    return isinstance(value, int) and value > 0 and value & (value - 1) == 0


def operand(expr: Expr) -> str:
    """An expression, in parentheses where it is made of parts."""
    text = expression(expr)
    return text if text.replace("_", "").replace(".", "").isalnum() else f"({text})"


def size(expr: Expr) -> str:
    """A size, simplified."""
    return expression(Polynomial.of(expr).to_expr())


def word(type_: Type) -> str:
    """A type of C's."""
    if type_ == FLOAT:
        return "float"
    if isinstance(type_, RealType) and type_.bits == 64:
        return "double"
    if type_ == BOOL:
        return "bool"
    if isinstance(type_, MachineInt) and type_.bits in (8, 16, 32, 64):
        return f"{'' if type_.signed else 'u'}int{type_.bits}_t"
    raise CannotWrite(f"a parameter of type {show_type(type_)}")


def base(type_: ScalarType) -> str:
    """What intrinsics call a type of elements in vectors; truth values are words."""
    if type_ == FLOAT:
        return "f32"
    if type_ in (BOOL, INT):
        return "i32"
    if isinstance(type_, MachineInt) and (type_.bits, type_.signed) in BASES:
        return BASES[type_.bits, type_.signed]
    raise CannotWrite(f"elements of type {show_type(type_)}: vectors have fp32, and integers of 8, 16 or 32 bits")
