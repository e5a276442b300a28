"""Numbers as Python and NumPy have them: ints without bounds, floats, NumPy's numbers of fixed width.

A plain Python number takes the type of the NumPy number that it meets, as NumPy 2 has it. NumPy's integers are machine integers
whose arithmetic wraps around, with a warning or, in shifts and powers, without one; those of 64 bits are taken not to.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from metalift.frontend.lower import c_scalars as scalars
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Ite, Operator, Select, Var, type_of
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    ROW,
    STRING,
    BoolType,
    IntType,
    MachineInt,
    RealType,
    ScalarType,
    Type,
    is_identity,
    is_integer,
)
from metalift.ir.interp.identities import is_row, of_text, part_of, row_type, tuple_type, whole_of

_POWERS = 8  # the greatest constant exponent that is written out
_LITERALS = 64  # the greatest one of a literal, which is computed


IDENTITIES = "strings are compared with == and are keys, tuples and records are taken apart"


class Mismatch(Exception):
    """An operation that these numbers do not have; the message says which and what to write."""


def convert(expr: Expr, type_: ScalarType) -> Expr:
    """The same number in a type that can hold it."""
    found = type_of(expr)
    if found == type_:
        return expr
    if is_identity(found) or is_identity(type_):
        raise Mismatch(f"{described(found)} where {described(type_)} is needed; {IDENTITIES}")
    if isinstance(found, RealType) and isinstance(type_, RealType) and isinstance(expr, Cast) and is_integer(type_of(expr.arg)):
        return scalars.cast(expr.arg, type_)
    return scalars.cast(expr, type_)


def fitted(expr: Expr, type_: ScalarType) -> Expr:
    """The same number in a type, where that can hold it; otherwise as it is."""
    return convert(expr, type_) if joined(type_of(expr), type_) == type_ else expr


def row_as(expr: Expr, type_: Type) -> Expr:
    """The row with its keys in the order, and its values in the types, of rows of a type, where these can hold them."""
    found = type_of(expr)
    if not (isinstance(found, IntType) and isinstance(type_, IntType) and is_row(found) and is_row(type_)) or found == type_:
        return expr
    names = [name for name, _ in found.fields]
    if set(names) != {name for name, _ in type_.fields}:
        return expr
    parts = [row_as(fitted(part_of(expr, names.index(name)), part), part) for name, part in type_.fields]
    return whole_of(parts, type_) if [type_of(part) for part in parts] == [part for _, part in type_.fields] else expr


def joined(one: Type, other: Type) -> ScalarType | None:
    """The type in which numbers of two types meet; None where there is none."""
    if one == other:
        return one if isinstance(one, ScalarType) else None
    if is_identity(one) or is_identity(other):
        return None
    if not isinstance(one, ScalarType) or not isinstance(other, ScalarType):
        return None
    first, second = sorted((one, other), key=_rank)
    match first, second:
        case MachineInt(), MachineInt():
            return None
        case MachineInt(bits), RealType(32) if bits <= 16:
            return FLOAT
        case MachineInt(), RealType():
            return DOUBLE
        case RealType(), RealType():
            return FLOAT
        case _:
            return second


def joined_tuples(one: Type, other: Type) -> IntType | None:
    """The type of tuples or rows that those of two types are part by part; None where there is none."""
    if isinstance(one, IntType) and isinstance(other, IntType) and is_row(one) and is_row(other):
        types, names = dict(other.fields), [name for name, _ in one.fields]
        rows = [tuple_type([each[name] for name in names if name in each]) for each in (dict(one.fields), types)]
        both = joined_tuples(*rows) if types.keys() == set(names) else None
        return both and row_type(list(zip(names, (part for _, part in both.fields), strict=True)))
    if not isinstance(one, IntType) or not isinstance(other, IntType) or {one.of, other.of} != {"tuple"}:
        return None
    pairs = zip(one.fields, other.fields, strict=False)
    parts = [joined(first, second) or joined_tuples(first, second) for (_, first), (_, second) in pairs]
    found = [part for part in parts if part is not None]
    return tuple_type(found) if len(found) == len(one.fields) == len(other.fields) else None


def _rank(type_: ScalarType) -> int:
    order: tuple[type, ...] = (BoolType, IntType, MachineInt, RealType)
    return order.index(type(type_))


def together(left: Expr, right: Expr) -> tuple[Expr, Expr, ScalarType]:
    """Both in the type in which they meet; truth values count as 0 and 1."""
    both = joined(type_of(left), type_of(right))
    if both is None and (is_identity(type_of(left)) or is_identity(type_of(right))):
        raise Mismatch(f"{described(type_of(left))} together with {described(type_of(right))}; {IDENTITIES}")
    if both is None:
        raise Mismatch("NumPy integers of two types; convert them with int(...)")
    for side in (left, right):
        fits = isinstance(side, Const) and isinstance(both, MachineInt) and is_integer(type_of(side))
        if fits and isinstance(side, Const) and isinstance(both, MachineInt) and not both.low <= side.value <= both.high:
            raise Mismatch(f"{side.value} does not fit the NumPy integer beside it; convert that with int(...)")
    return convert(left, both), convert(right, both), both


def described(type_: Type) -> str:
    """What values of the type are, in words."""
    if not isinstance(type_, IntType) or not type_.of:
        return "a truth value" if type_ == BOOL else "a number"
    return {"str": "a string", "tuple": "a tuple", ROW: "a row"}.get(type_.of, f"a record ({type_.of})")


def number(expr: Expr) -> Expr:
    """A truth value as 0 or 1."""
    if is_identity(type_of(expr)):
        raise Mismatch(f"{described(type_of(expr))} where a number is needed; {IDENTITIES}")
    return convert(expr, INT) if type_of(expr) == BOOL else expr


def truth(expr: Expr) -> Expr:
    """Whether Python takes the value as true."""
    type_ = type_of(expr)
    if type_ == BOOL:
        return expr
    number(expr)
    zero = scalars.cast(Const(0, INT), type_)
    return neg(scalars.equal(expr, zero))


def add(op: Operator, left: Expr, right: Expr) -> Expr:
    """+, -, *."""
    if op is not Operator.MUL and type_of(left) == BOOL and isinstance(type_of(right), MachineInt):
        raise Mismatch(f"{op.value} of a truth value and a NumPy integer, which may wrap around; convert the first with int(...)")
    a, b, type_ = together(number(left), number(right))
    if isinstance(a, Const) and isinstance(b, Const) and is_integer(type_):
        return integer_constant(op, int(a.value), int(b.value), type_)
    if op is Operator.ADD and isinstance(b, Const) and b.value < 0 and isinstance(type_, IntType):
        return Apply(Operator.SUB, (a, Const(-b.value, type_)))
    return wrapped(type_, partial(applied, op), a, b)


def applied(op: Operator, *operands: Expr) -> Expr:
    """An operator on numbers of one type."""
    return Apply(op, operands)


def wrapped(type_: Type, step: Callable[..., Expr], *operands: Expr) -> Expr:
    """What a step gives on numbers of a type; on integers that wrap around, computed exactly and then brought into the range."""
    assert isinstance(type_, ScalarType)
    if not wraps(type_):
        return step(*(convert(each, type_) for each in operands))
    return scalars.cast(step(*(convert(each, INT) for each in operands)), type_)


def integer_constant(op: Operator, left: int, right: int, type_: ScalarType) -> Expr:
    """The value of +, -, * on two literals."""
    value = left + right if op is Operator.ADD else left - right if op is Operator.SUB else left * right
    if isinstance(type_, MachineInt) and not type_.low <= value <= type_.high:
        raise Mismatch(f"{value} does not fit NumPy's integer")
    return Const(value, type_)


def divide(left: Expr, right: Expr) -> Expr:
    """/: the quotient of floats, whatever the operands are."""
    left, right = number(left), number(right)
    if is_integer(type_of(left)) and is_integer(type_of(right)):
        return Apply(Operator.DIV, (convert(left, DOUBLE), convert(right, DOUBLE)))
    a, b, _ = together(left, right)
    return Apply(Operator.DIV, (a, b))


def floor_divide(op: Operator, left: Expr, right: Expr) -> Expr:
    """// and %: rounded down, on floats too."""
    a, b, type_ = together(number(left), number(right))
    if isinstance(a, Const) and isinstance(b, Const) and isinstance(type_, IntType) and b.value != 0:
        x, y = int(a.value), int(b.value)
        return Const(x // y if op is Operator.FDIV else x % y, INT)
    if not isinstance(type_, RealType):
        return wrapped(type_, partial(applied, op), a, b)
    quotient = Call("floor", (Apply(Operator.DIV, (a, b)),), type_)
    return quotient if op is Operator.FDIV else Apply(Operator.SUB, (a, Apply(Operator.MUL, (b, quotient))))


def bitwise(op: Operator, left: Expr, right: Expr) -> Expr:
    """<<, >>, &, |, ^ on integers; on truth values &, |, ^ are connectives."""
    if type_of(left) == type_of(right) == BOOL and op in (Operator.BITAND, Operator.BITOR, Operator.BITXOR):
        return scalars.connect({Operator.BITAND: "and", Operator.BITOR: "or"}.get(op, "xor"), left, right)
    a, b, type_ = together(number(left), number(right))
    if not is_integer(type_):
        raise Mismatch(f"{op.value} on floats, which Python does not have")
    if op is Operator.SHL:
        return wrapped(type_, partial(applied, op), a, b)
    return Apply(op, (a, b))


def wraps(type_: Type) -> bool:
    """Whether a library's arithmetic in the type goes on at the other end of its range, here too."""
    return isinstance(type_, MachineInt) and (type_.bits < 64 or not type_.signed)


def power(base: Expr, exponent: Expr) -> Expr:
    """base ** exponent."""
    base, exponent = number(base), number(exponent)
    type_ = type_of(base)
    match exponent:
        case Const(int() as times, _) if isinstance(base, Const) and isinstance(base.value, int) and 0 <= times <= _LITERALS:
            return Const(base.value**times, type_)
        case Const(int() as times, _) if 0 <= times <= _POWERS:
            return wrapped(type_, partial(_repeated, times=times), base)
        case Const(int() as times, _) if -_POWERS <= times < 0:
            real = base if isinstance(type_, RealType) else convert(base, DOUBLE)
            return Apply(Operator.DIV, (scalars.cast(Const(1, INT), type_of(real)), _repeated(real, -times)))
        case Const(Fraction() as value, _) if value in (Fraction(1, 2), Fraction(-1, 2)):
            real = base if isinstance(type_, RealType) else convert(base, DOUBLE)
            root = Call("sqrt", (real,), type_of(real))
            one = scalars.cast(Const(1, INT), type_of(real))
            return root if value > 0 else Apply(Operator.DIV, (one, root))
    a, b, both = together(base, exponent)
    if not isinstance(both, RealType):
        raise Mismatch(f"** of integers with an exponent that is no number from -{_POWERS} to {_POWERS}; write the product")
    return Call("pow", (a, b), both)


def _repeated(base: Expr, times: int) -> Expr:
    result = base
    for _ in range(times - 1):
        result = Apply(Operator.MUL, (result, base))
    return result if times else scalars.cast(Const(1, INT), type_of(base))


def negative(expr: Expr) -> Expr:
    """-x."""
    expr = number(expr)
    type_ = type_of(expr)
    if isinstance(expr, Const) and not (isinstance(type_, MachineInt) and not type_.low <= -expr.value <= type_.high):
        return Const(-expr.value, type_)
    return wrapped(type_, partial(applied, Operator.NEG), expr)


def invert(expr: Expr) -> Expr:
    """~x on an int."""
    expr = number(expr)
    if not isinstance(type_of(expr), IntType):
        raise Mismatch("~ of what is no int; convert it with int(...)")
    return Apply(Operator.SUB, (Apply(Operator.NEG, (expr,)), Const(1, INT)))


def compare(relation: str, left: Expr, right: Expr) -> Expr:
    """lt, le, gt, ge, eq, ne."""
    alike = type_of(left) == type_of(right)
    if alike and relation in ("eq", "ne") and (type_of(left) == BOOL or has_equality(type_of(left))):
        a, b = left, right
    else:
        a, b = _comparable(left, right)
    if relation in ("eq", "ne"):
        nan = a == b and isinstance(a, Select | Var) and isinstance(type_of(a), RealType)  # which alone is not equal to itself
        same = neg(scalars.question("isnan", a)) if nan else scalars.equal(a, b)
        return same if relation == "eq" else neg(same)
    if isinstance(a, Const) and isinstance(b, Const):
        known = {"lt": a.value < b.value, "le": a.value <= b.value, "gt": a.value > b.value, "ge": a.value >= b.value}
        return TRUE if known[relation] else FALSE
    return scalars.ordered(relation, a, b)


def has_equality(type_: Type) -> bool:
    """Whether values are strings, or tuples of values that are equal only if they are the same: no floats and records."""
    if not isinstance(type_, IntType) or type_.of not in ("str", "tuple"):
        return False
    return all(is_integer(part) or part == BOOL or has_equality(part) for _, part in type_.fields)


def _comparable(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Numbers are compared by value: integers of two types as exact ones, a literal beyond a machine type too."""
    left, right = number(left), number(right)
    one, other = type_of(left), type_of(right)
    if is_integer(one) and is_integer(other) and one != other:
        return convert(left, INT), convert(right, INT)
    a, b, _ = together(left, right)
    return a, b


def extremum(op: Operator, left: Expr, right: Expr) -> Expr:
    """min or max of two numbers, or of two truth values."""
    if type_of(left) == type_of(right) == BOOL:
        return scalars.connect("or" if op is Operator.MAX else "and", left, right)
    a, b, type_ = together(number(left), number(right))
    if isinstance(a, Const) and isinstance(b, Const):
        return a if (a.value <= b.value) == (op is Operator.MIN) else b
    return Apply(op, (a, b))


def absolute(expr: Expr) -> Expr:
    """abs(x)."""
    expr = number(expr)
    return wrapped(type_of(expr), partial(applied, Operator.ABS), expr)


def to_int(expr: Expr) -> Expr:
    """int(x): truncation."""
    expr = expr if type_of(expr) == BOOL else number(expr)
    return scalars.cast(expr, INT)


def choose(cond: Expr, then: Expr, other: Expr) -> Expr:
    """One of two numbers."""
    if type_of(then) != type_of(other):
        then, other, _ = together(then, other)
    return scalars.choose(cond, then, other)


def literal(value: object) -> Expr | None:
    """A literal of the source as a number."""
    match value:
        case bool():
            return TRUE if value else FALSE
        case int():
            return Const(value, INT)
        case str():
            return Const(of_text(value), STRING)
        case float() if abs(value) < sys.float_info.max:  # which stands for an infinity
            return Const(Fraction(repr(value)), DOUBLE)
        case _:
            return None


def clamped(length: Expr, certain: bool) -> Expr:
    """A length that is 0 where the number is negative."""
    if certain:
        return length
    if isinstance(length, Const):
        return Const(max(0, int(length.value)), INT)
    return Apply(Operator.MAX, (Const(0, INT), length))


def ite_index(index: Expr, length: Expr) -> Expr:
    """An index that counts from the end where it is negative."""
    return Ite(Apply(Operator.LT, (index, Const(0, INT))), Apply(Operator.ADD, (index, length)), index)
