"""What the operators do to numbers: exact integer arithmetic, its limits in machine types, and casts.

Undefined, for every integer type: //, %, tdiv and trem by zero, a shift by a negative amount, a shift to the left by more than
MAX_SHIFT. For machine types also: a result outside of the type, a shift by the width or more, and trem where tdiv overflows.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import pos

from metalift.ir.expr.nodes import Operator
from metalift.ir.expr.types import IntType, MachineInt, RealType, Type, show_type
from metalift.ir.interp.values import LimitExceeded, SourceUndefined

MAX_SHIFT = 1 << 16  # an exact shift by more has a meaning but is not computed; it is reported as undefined
LONGEST = 1 << 16  # bits of a product of numbers without bounds

Binary = Callable[[int, int], int]


def _nonzero(divisor: int) -> None:
    if divisor == 0:
        raise SourceUndefined("division by zero", immediate=True)


def tdiv(left: int, right: int) -> int:
    """Quotient rounded to zero."""
    _nonzero(right)
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def trem(left: int, right: int) -> int:
    """Remainder of tdiv, which has the sign of the dividend."""
    return left - right * tdiv(left, right)


def _fdiv(left: int, right: int) -> int:
    _nonzero(right)
    return left // right


def _fmod(left: int, right: int) -> int:
    _nonzero(right)
    return left % right


def _shl(left: int, right: int) -> int:
    if not 0 <= right <= MAX_SHIFT:
        raise SourceUndefined(f"shift by {right}")
    return left << right


def _times(left: int, right: int) -> int:
    """The product; each step of a run may make a number without bounds twice as long."""
    if left.bit_length() + right.bit_length() > LONGEST:
        raise LimitExceeded(f"a number has more than {LONGEST} bits")
    return left * right


def _shr(left: int, right: int) -> int:
    if right < 0:
        raise SourceUndefined(f"shift by {right}")
    return left >> right


INTEGER_BINARY: dict[Operator, Binary] = {
    Operator.ADD: lambda left, right: left + right,
    Operator.SUB: lambda left, right: left - right,
    Operator.MUL: lambda left, right: left * right,
    Operator.TDIV: tdiv,
    Operator.TREM: trem,
    Operator.FDIV: _fdiv,
    Operator.FMOD: _fmod,
    Operator.MIN: min,
    Operator.MAX: max,
    Operator.SHL: _shl,
    Operator.SHR: _shr,
    Operator.BITAND: lambda left, right: left & right,
    Operator.BITOR: lambda left, right: left | right,
    Operator.BITXOR: lambda left, right: left ^ right,
}

INTEGER_UNARY: dict[Operator, Callable[[int], int]] = {Operator.NEG: lambda value: -value, Operator.ABS: abs}

_DIVISIONS = frozenset({Operator.TDIV, Operator.TREM})


def integer_unary(op: Operator, type_: IntType | MachineInt) -> Callable[[int], int]:
    """The operator on numbers of the type."""
    function = INTEGER_UNARY[op]
    if isinstance(type_, IntType):
        return function
    low, high, name = type_.low, type_.high, show_type(type_)

    def checked(value: int) -> int:
        result = function(value)
        if not low <= result <= high:
            raise SourceUndefined(f"{op.value}({value}) = {result} does not fit {name}")
        return result

    return checked


def integer_binary(op: Operator, type_: IntType | MachineInt) -> Binary:
    """The operator on numbers of the type."""
    function = INTEGER_BINARY[op]
    if isinstance(type_, IntType):
        return _times if op is Operator.MUL else function
    low, high, bits, name = type_.low, type_.high, type_.bits, show_type(type_)
    fitting = tdiv if op is Operator.TREM else function

    def checked(left: int, right: int) -> int:
        result = fitting(left, right)
        if not low <= result <= high:
            raise SourceUndefined(f"{left} {op.value} {right} = {result} does not fit {name}", immediate=op in _DIVISIONS)
        return result if fitting is function else function(left, right)

    def shift(left: int, right: int) -> int:
        if not 0 <= right < bits:
            raise SourceUndefined(f"shift of {name} by {right}")
        return checked(left, right)

    return shift if op in (Operator.SHL, Operator.SHR) else checked


def fits(value: int, type_: Type) -> bool:
    """Whether an integer is a value of the type."""
    return not isinstance(type_, MachineInt) or type_.low <= value <= type_.high


def integer_to(type_: IntType | MachineInt) -> Callable[[int], int]:
    """The cast from an integer or bool."""
    if isinstance(type_, IntType):
        return pos
    low, high, wrap = type_.low, type_.high, type_.wrap

    def cast(value: int) -> int:
        number = +value
        return number if low <= number <= high else wrap(number)

    return cast


def truncated_to(value: int, type_: IntType | MachineInt) -> int:
    """The cast from a real, whose truncation is `value`."""
    if not fits(value, type_):
        raise SourceUndefined(f"{value} does not fit {show_type(type_)}")
    return value


def real_bits(type_: Type) -> int:
    """The width of a real type."""
    assert isinstance(type_, RealType)
    return type_.bits
