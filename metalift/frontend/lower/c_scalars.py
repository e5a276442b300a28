"""Scalar expressions built the way C and LLVM mean them: casts, wrapping arithmetic, comparisons, constants.

Every function here is exact: a wrap or a cast is left out only where the ranges of the operands show that it changes nothing.
"""

from __future__ import annotations

import struct
from fractions import Fraction

from metalift.ir.expr.floats import as_float32, shortest_decimal
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Ite, Length, Operator, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, BoolType, IntType, MachineInt, RealType, Type, is_integer

Interval = tuple[int, int]
_LARGEST_FLOAT = 2**128 - 2**104
EXACT = {"add": Operator.ADD, "sub": Operator.SUB, "mul": Operator.MUL, "shl": Operator.SHL}


def cast(expr: Expr, type_: Type) -> Expr:
    """Conversion as `Cast` means it, with conversions that change nothing left out."""
    source = type_of(expr)
    if source == type_:
        return expr
    if isinstance(expr, Const):
        folded = _cast_constant(expr, type_)
        if folded is not None:
            return folded
    if isinstance(source, BoolType) and not isinstance(type_, MachineInt):
        return cast(Cast(expr, INT32), type_)
    if isinstance(expr, Cast) and is_integer(expr.type) and _redundant_middle(expr, type_):
        return cast(expr.arg, type_)
    return Cast(expr, type_)


def _cast_constant(expr: Const, type_: Type) -> Const | None:
    value = expr.value
    if isinstance(value, Fraction):
        if not isinstance(type_, RealType):
            return None
        small = type_ == FLOAT and abs(value) <= _LARGEST_FLOAT
        return Const(shortest_decimal(as_float32(float(value)), 32) if small else value, type_)  # as float literals are read
    match type_:
        case MachineInt():
            return Const(type_.wrap(int(value)), type_)
        case IntType():
            return Const(int(value), type_)
        case RealType():
            return Const(Fraction(int(value)), type_)
        case _:
            return None


def _redundant_middle(expr: Cast, type_: Type) -> bool:
    """Whether casting the argument of the cast `expr` straight to `type_` gives the same."""
    source, middle = type_of(expr.arg), expr.type
    if isinstance(source, BoolType):
        return isinstance(type_, MachineInt) and type_.high >= 1
    if not is_integer(source) or not isinstance(middle, MachineInt):
        return False
    if isinstance(type_, MachineInt) and type_.bits <= middle.bits:
        return True
    span = interval(expr.arg)
    return span is not None and span[0] >= middle.low and span[1] <= middle.high and not isinstance(type_, BoolType)


def signed(bits: int) -> MachineInt:
    """The signed machine type of a width."""
    return MachineInt(bits, True)


def unsigned(bits: int) -> MachineInt:
    """The unsigned machine type of a width."""
    return MachineInt(bits, False)


def within(span: Interval | None, type_: MachineInt) -> bool:
    """Whether all numbers of the interval are values of the type."""
    return span is not None and type_.low <= span[0] and span[1] <= type_.high


def interval(expr: Expr) -> Interval | None:
    """Bounds of an integer expression that its types and constants give; None where there are none."""
    type_ = type_of(expr)
    whole = (type_.low, type_.high) if isinstance(type_, MachineInt) else None
    match expr:
        case Const(value) if isinstance(value, int):
            return int(value), int(value)
        case Length():  # of a vector: its bytes can be counted by a signed machine integer
            return 0, (1 << 63) - 1
        case Cast(arg) if isinstance(type_of(arg), BoolType):
            return 0, 1
        case Cast(arg) if is_integer(type_of(arg)):
            span = interval(arg)
            return span if span and (whole is None or (whole[0] <= span[0] and span[1] <= whole[1])) else whole
        case Ite(_, then, other):
            first, second = interval(then), interval(other)
            return (min(first[0], second[0]), max(first[1], second[1])) if first and second else whole
        case Apply(op, (left, right)):
            first, second = interval(left), interval(right)
            span = _combine(op, first, second) if first and second else None
            return span if span and (whole is None or (whole[0] <= span[0] and span[1] <= whole[1])) else whole
        case _:
            return whole


def _combine(op: Operator, left: Interval, right: Interval) -> Interval | None:
    """Bounds of the exact result of an operator."""
    match op:
        case Operator.ADD:
            return left[0] + right[0], left[1] + right[1]
        case Operator.SUB:
            return left[0] - right[1], left[1] - right[0]
        case Operator.MUL:
            corners = [a * b for a in left for b in right]
            return min(corners), max(corners)
        case Operator.TDIV if left[0] >= 0 and right[0] >= 1:
            return left[0] // right[1], left[1] // right[0]
        case Operator.TREM if left[0] >= 0 and right[0] >= 1:
            return 0, min(left[1], right[1] - 1)
        case Operator.SHL if 0 <= right[0] and right[1] < 64:
            corners = [a << b for a in left for b in right]
            return min(corners), max(corners)
        case Operator.SHR if 0 <= right[0] and right[1] < 64:
            corners = [a >> b for a in left for b in right]
            return min(corners), max(corners)
        case Operator.BITAND if left[0] >= 0 and right[0] >= 0:
            return 0, min(left[1], right[1])
        case _:
            return None


def arithmetic(op: str, left: Expr, right: Expr, flags: frozenset[str], bits: int) -> Expr:
    """add, sub, mul or shl of a width: exact in the signed or unsigned type as the flags promise, otherwise wrapping."""
    operator = EXACT[op]
    if "nsw" in flags or "nuw" in flags:
        type_ = MachineInt(bits, "nsw" in flags)
        return _exact(operator, cast(left, type_), cast(right, type_))
    type_ = wrapping_type(left, right, bits)
    if within(interval(left), type_) and within(interval(right), type_):
        exact = _exact(operator, cast(left, type_), cast(right, type_))
        span = _combine(operator, interval(left) or (0, 0), interval(right) or (0, 0))
        if within(span, type_):
            return exact
    count = cast(shift_count(right), INT) if operator is Operator.SHL else _congruent(right, bits)
    return Cast(_exact(operator, _congruent(left, bits), count), type_)


def shift_count(count: Expr) -> Expr:
    """The count of a shift without conversions that keep all numbers from 0 on.

    Negative ones become large ones by them: a shift by either is undefined.
    """
    match count:
        case Cast(arg, MachineInt() as type_) if isinstance(source := type_of(arg), MachineInt):
            kept = source.bits <= type_.bits if source.signed or not type_.signed else source.bits < type_.bits
            return shift_count(arg) if kept else count
        case _:
            return count


def wrapping_type(left: Expr, right: Expr, bits: int) -> MachineInt:
    """The type of arithmetic that carries no promise: in C that is unsigned, except below the width of int."""
    types = [type_of(side) for side in (left, right) if not isinstance(side, Const)]
    narrow_signed = bits < 32 and all(isinstance(type_, MachineInt) and type_.signed for type_ in types)
    return MachineInt(bits, narrow_signed)


def _congruent(expr: Expr, bits: int) -> Expr:
    """An exact integer congruent to the value modulo 2**bits: without the wraps that a later wrap does again."""
    if isinstance(expr, Cast) and type_of(expr.arg) == INT and isinstance(expr.type, MachineInt) and expr.type.bits >= bits:
        return expr.arg
    return cast(expr, INT)


def _exact(op: Operator, left: Expr, right: Expr) -> Expr:
    """The application, with neater forms of x + (-c) and 0 - x."""
    if op is Operator.ADD and isinstance(right, Const) and isinstance(right.value, int) and right.value < 0:
        type_ = type_of(right)
        if not isinstance(type_, MachineInt) or -right.value <= type_.high:
            return Apply(Operator.SUB, (left, Const(-right.value, type_)))
    if op is Operator.SUB and isinstance(left, Const) and left.value == 0:
        return Apply(Operator.NEG, (right,))
    return Apply(op, (left, right))


def represent(expr: Expr, type_: Type) -> Expr:
    """The value with the same bits in another type of the same width; a byte that holds a truth value is 0 or 1."""
    if isinstance(type_, BoolType) and type_of(expr) != BOOL:
        return negate(equal(expr, cast(Const(0, INT), type_of(expr))))
    return cast(expr, type_)


def negate(cond: Expr) -> Expr:
    """The negation of a condition."""
    if isinstance(cond, Const):
        return FALSE if cond.value else TRUE
    if isinstance(cond, Apply) and cond.op is Operator.NOT:
        return cond.args[0]
    return Apply(Operator.NOT, (cond,))


def equal(left: Expr, right: Expr) -> Expr:
    """Equality of two scalars of one type; a truth value compared with 0 or 1 is the truth value or its negation."""
    for truth, other in ((left, right), (right, left)):
        if isinstance(other, Const) and not isinstance(other.value, Fraction) and int(other.value) in (0, 1):
            inner = truth.arg if isinstance(truth, Cast) else truth
            if type_of(inner) == BOOL:
                return inner if int(other.value) == 1 else negate(inner)
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left.value == right.value else FALSE
    return Apply(Operator.EQ, (left, right))


def compare(predicate: str, left: Expr, right: Expr, bits: int) -> Expr:
    """An integer comparison by LLVM's predicate (eq, ne, slt, ule, ...)."""
    if predicate in ("eq", "ne"):
        type_ = type_of(right if isinstance(left, Const) else left)
        if isinstance(type_, BoolType) and bits > 1:
            type_ = unsigned(bits)
        same = equal(cast(left, type_), cast(right, type_))
        return same if predicate == "eq" else negate(same)
    machine = MachineInt(bits, predicate[0] == "s")
    first, second = cast(left, machine), cast(right, machine)
    decided = _of_truth(predicate[1:], first, second)
    return ordered(predicate[1:], first, second) if decided is None else decided


def _of_truth(relation: str, left: Expr, right: Expr) -> Expr | None:
    """The order of a truth value, as the number 0 or 1, and a constant, as a truth value; None for other numbers."""
    truth, other = (left, right) if isinstance(right, Const) else (right, left)
    inner = truth.arg if isinstance(truth, Cast) else truth
    if not isinstance(other, Const) or isinstance(truth, Const) or type_of(inner) != BOOL or truth == inner:
        return None
    holds = [_holds(relation, *((each, int(other.value)) if truth is left else (int(other.value), each))) for each in (0, 1)]
    if holds[0] == holds[1]:
        return TRUE if holds[0] else FALSE
    return inner if holds[1] else negate(inner)


def _holds(relation: str, left: int, right: int) -> bool:
    return {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[relation]


def ordered(relation: str, left: Expr, right: Expr) -> Expr:
    """lt, le, gt or ge of two numbers of one type."""
    if relation in ("gt", "ge"):
        left, right = right, left
    return Apply(Operator.LT if relation in ("lt", "gt") else Operator.LE, (left, right))


def real_compare(predicate: str, left: Expr, right: Expr) -> Expr:
    """A comparison of floats. They are real numbers here, never NaN, so ordered and unordered predicates mean the same."""
    if predicate in ("true", "ord"):
        return TRUE
    if predicate in ("false", "uno"):
        return FALSE
    relation = predicate[1:]
    if relation in ("eq", "ne"):
        if left == right:
            return TRUE if relation == "eq" else FALSE
        same = Apply(Operator.EQ, (left, right))
        return same if relation == "eq" else negate(same)
    return ordered(relation, left, right)


def connect(op: str, left: Expr, right: Expr) -> Expr:
    """and, or, xor of truth values."""
    if op == "xor":
        for truth, other in ((left, right), (right, left)):
            if isinstance(other, Const):
                return negate(truth) if other.value else truth
        return negate(Apply(Operator.EQ, (left, right)))
    neutral = TRUE if op == "and" else FALSE
    if left == neutral:
        return right
    if right == neutral:
        return left
    if negate(neutral) in (left, right):
        return negate(neutral)
    return Apply(Operator.AND if op == "and" else Operator.OR, (left, right))


def choose(cond: Expr, then: Expr, other: Expr) -> Expr:
    """A select; on truth values the short-circuit connectives where one side is a literal."""
    if isinstance(cond, Const):
        return then if cond.value else other
    if then == other:
        return then
    if type_of(then) == BOOL:
        if other == FALSE:
            return connect("and", cond, then)
        if then == TRUE:
            return connect("or", cond, other)
        if then == FALSE:
            return connect("and", negate(cond), other)
        if other == TRUE:
            return connect("or", negate(cond), then)
    return Ite(cond, then, other)


def float_literal(token: str, bits: int) -> Fraction | None:
    """The number of LLVM's text for a float constant: the shortest decimal that rounds to it; None for infinities and NaN."""
    if token.startswith("0x"):
        if not token[2].isdigit() and token[2] in "KLMHR":
            return None
        value = struct.unpack(">d", bytes.fromhex(token[2:].rjust(16, "0")))[0]
    else:
        value = float(token)
    if value != value or value in (float("inf"), float("-inf")):
        return None
    return shortest_decimal(value, bits)
