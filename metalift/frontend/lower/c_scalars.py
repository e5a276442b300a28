"""Scalar expressions built the way C and LLVM mean them: casts, wrapping arithmetic, comparisons, constants.

Every function here is exact: a wrap or a cast is left out only where the ranges of the operands show that it changes nothing.
"""

from __future__ import annotations

import struct
from fractions import Fraction

from metalift.ir.arith.intervals import combined, interval, type_range
from metalift.ir.expr.build import conj, disj, neg
from metalift.ir.expr.floats import LARGEST_FLOAT32, as_float32, shortest_decimal
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Call, Cast, Const, Expr, Ite, Operator, type_of
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, BoolType, IntType, MachineInt, RealType, Type, is_integer
from metalift.ir.interp.functions import QUESTIONS

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
        small = type_ == FLOAT and abs(value) <= LARGEST_FLOAT32
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
    return interval(expr.arg).within(type_range(middle)) and not isinstance(type_, BoolType)


def signed(bits: int) -> MachineInt:
    """The signed machine type of a width."""
    return MachineInt(bits, True)


def unsigned(bits: int) -> MachineInt:
    """The unsigned machine type of a width."""
    return MachineInt(bits, False)


def arithmetic(op: str, left: Expr, right: Expr, flags: frozenset[str], bits: int) -> Expr:
    """add, sub, mul or shl of a width: exact in the signed or unsigned type as the flags promise, otherwise wrapping."""
    operator = EXACT[op]
    if "nsw" in flags or "nuw" in flags:
        type_ = MachineInt(bits, "nsw" in flags)
        return _exact(operator, cast(left, type_), cast(right, type_))
    type_ = wrapping_type(left, right, bits)
    values = type_range(type_)
    if interval(left).within(values) and interval(right).within(values):
        if combined(operator, interval(left), interval(right)).within(values):
            return _exact(operator, cast(left, type_), cast(right, type_))
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
        return neg(equal(expr, cast(Const(0, INT), type_of(expr))))
    return cast(expr, type_)


def equal(left: Expr, right: Expr) -> Expr:
    """Equality of two scalars of one type; a truth value compared with 0 or 1 is the truth value or its negation."""
    for truth, other in ((left, right), (right, left)):
        if isinstance(other, Const) and not isinstance(other.value, Fraction) and int(other.value) in (0, 1):
            inner = truth.arg if isinstance(truth, Cast) else truth
            if type_of(inner) == BOOL:
                return inner if int(other.value) == 1 else neg(inner)
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
        return same if predicate == "eq" else neg(same)
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
    return inner if holds[1] else neg(inner)


def _holds(relation: str, left: int, right: int) -> bool:
    return {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[relation]


def ordered(relation: str, left: Expr, right: Expr) -> Expr:
    """lt, le, gt or ge of two numbers of one type."""
    if relation in ("gt", "ge"):
        left, right = right, left
    return Apply(Operator.LT if relation in ("lt", "gt") else Operator.LE, (left, right))


def question(name: str, value: Expr) -> Expr:
    """What a question of <math.h> for a float answers; false for all real numbers, but nobody needs to know."""
    if name == "isfinite":
        return neg(disj(*(question(each, value) for each in QUESTIONS)))
    finite = isinstance(value, Const) or (isinstance(value, Cast) and is_integer(type_of(value.arg)))
    return FALSE if finite else Call(name, (value,), BOOL)


def compare_with_infinity(predicate: str, value: Expr, sign: int) -> Expr | None:
    """Whether a float is equal to an infinity, or its size less than infinity; None for other comparisons."""
    nan = question("isnan", value)
    match value:
        case Apply(Operator.ABS, (inner,)) if sign > 0:
            nan, same = question("isnan", inner), question("isinf", inner)
            if predicate in ("olt", "uge"):
                return neg(disj(nan, same)) if predicate == "olt" else disj(nan, same)
        case _:
            zero = Const(Fraction(0), type_of(value))
            same = conj(question("isinf", value), ordered("gt" if sign > 0 else "lt", value, zero))
    if predicate[1:] not in ("eq", "ne"):
        return None
    equal = same if predicate in ("oeq", "une") else disj(nan, same)
    return equal if predicate[1:] == "eq" else neg(equal)


def real_compare(predicate: str, left: Expr, right: Expr, asks: bool) -> Expr:
    """A comparison of floats. They are real numbers here, so ordered and unordered predicates mean the same, but for those that
    ask for NaN, if `asks`: else no float is NaN.
    """
    if predicate in ("true", "false"):
        return TRUE if predicate == "true" else FALSE
    if predicate in ("ord", "uno") and not asks:
        return TRUE if predicate == "ord" else FALSE
    if predicate in ("ord", "uno") or (asks and left == right and predicate in ("oeq", "une")):
        operands = [each for each in dict.fromkeys((left, right)) if not isinstance(each, Const)]
        some = disj(*(question("isnan", each) for each in operands))
        return some if predicate in ("uno", "une") else neg(some)
    relation = predicate[1:]
    if relation in ("eq", "ne"):
        if left == right:
            return TRUE if relation == "eq" else FALSE
        same = Apply(Operator.EQ, (left, right))
        return same if relation == "eq" else neg(same)
    return ordered(relation, left, right)


def connect(op: str, left: Expr, right: Expr) -> Expr:
    """and, or, xor of truth values."""
    if op == "xor":
        for truth, other in ((left, right), (right, left)):
            if isinstance(other, Const):
                return neg(truth) if other.value else truth
        return neg(Apply(Operator.EQ, (left, right)))
    neutral = TRUE if op == "and" else FALSE
    if left == neutral:
        return right
    if right == neutral:
        return left
    if neg(neutral) in (left, right):
        return neg(neutral)
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
            return connect("and", neg(cond), other)
        if other == TRUE:
            return connect("or", neg(cond), then)
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
