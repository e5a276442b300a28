"""The mathematical functions that a Call may name: arity, domain, value."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

import mpmath

from metalift.ir.expr.types import BOOL, BoolType, IntType, MachineInt, RealType, ScalarType, Type
from metalift.ir.interp.values import Mpf, Real

MP = mpmath.MPContext()  # a context of its own: nobody else's precision changes it
MP.prec = 120


@dataclass(frozen=True, slots=True)
class Function:
    """A function of reals, or a question for them.

    `value` computes with `MP` numbers, `rational` is the exact value of rational arguments where that is rational (None where
    it is not), `native` computes with doubles. `within` decides the domain, which `domain` puts in words; outside of it the
    function is undefined (C gives NaN or an infinity there). `slope` bounds the derivative of a function that oscillates, whose
    values at the ends of an interval say little of those in it. `whole`: its values are whole numbers, and it never falls.
    `question`: its value is true or false.
    """

    name: str
    arity: int
    value: Callable[..., Mpf]
    native: Callable[..., float] | None = None
    rational: Callable[..., Fraction | None] | None = None
    within: Callable[..., bool] | None = None
    domain: str = "everywhere"
    slope: float | None = None
    whole: bool = False
    question: bool = False

    def result(self, type_: Type) -> Type:
        """The type of its value where its arguments have the given one."""
        return BOOL if self.question else type_


def to_mpf(value: Real) -> Mpf:
    """The value as a number of `MP`."""
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else MP.mpf(value)


def _exact_root(value: Fraction) -> Fraction | None:
    """The square root if it is rational."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    exact = top * top == value.numerator and bottom * bottom == value.denominator
    return Fraction(top, bottom) if exact else None


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """The power for small integer exponents."""
    if exponent.denominator != 1 or abs(exponent) > 64:
        return None
    return base ** int(exponent)


def _power_defined(base: Real, exponent: Real) -> bool:
    whole = exponent == MP.floor(to_mpf(exponent))
    return bool(base > 0 or (base == 0 and exponent >= 0) or (base < 0 and whole))


def _power(base: Mpf, exponent: Mpf) -> Mpf:
    if base < 0:  # the exponent is whole
        return MP.power(-base, exponent) * (-1 if int(exponent) % 2 else 1)
    return MP.power(base, exponent)


def _half_away(value: Fraction) -> int:
    """C's round: to the nearest integer, halves away from zero."""
    magnitude = math.floor(abs(value) + Fraction(1, 2))
    return magnitude if value >= 0 else -magnitude


def _cube_root(value: Mpf) -> Mpf:
    return -MP.cbrt(-value) if value < 0 else MP.cbrt(value)


def _c_fmod(x: Fraction, y: Fraction) -> Fraction:
    """C's fmod: x - y * trunc(x / y)."""
    return x - y * math.trunc(x / y)


def _whole(function: Callable[[Fraction], int]) -> Callable[[Fraction], Fraction]:
    return lambda value: Fraction(function(value))


def _question(name: str) -> Function:
    """One that is false of all real numbers. Nothing is proved from that: a proof takes it for any function."""
    return Function(name, 1, MP.mpf, question=True)


def mpf_to_fraction(value: Mpf) -> Fraction:
    """The exact value; only for numbers of moderate size."""
    sign, mantissa, exponent, _ = value._mpf_
    magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -magnitude if sign else magnitude


def _by_fractions(exact: Callable[..., Fraction]) -> Callable[..., Mpf]:
    """An exact function of rationals, for MP numbers."""
    return lambda *args: to_mpf(exact(*(mpf_to_fraction(arg) for arg in args)))


def _rounding(name: str, exact: Callable[[Fraction], int]) -> Function:
    return Function(name, 1, _by_fractions(_whole(exact)), lambda x: float(exact(Fraction(x))), _whole(exact), whole=True)


_ROWS = (
    Function("sqrt", 1, MP.sqrt, math.sqrt, _exact_root, lambda x: x >= 0, "x >= 0"),
    Function("cbrt", 1, _cube_root, math.cbrt),
    Function("hypot", 2, MP.hypot, math.hypot, lambda x, y: _exact_root(x * x + y * y)),
    Function("exp", 1, MP.exp, math.exp),
    Function("exp2", 1, lambda x: MP.power(2, x), math.exp2, lambda x: _exact_power(Fraction(2), x)),
    Function("expm1", 1, MP.expm1, math.expm1),
    Function("log", 1, MP.log, math.log, None, lambda x: x > 0, "x > 0"),
    Function("log2", 1, lambda x: MP.log(x, 2), math.log2, None, lambda x: x > 0, "x > 0"),
    Function("log10", 1, MP.log10, math.log10, None, lambda x: x > 0, "x > 0"),
    Function("log1p", 1, lambda x: MP.log1p(x), math.log1p, None, lambda x: x > -1, "x > -1"),
    Function("pow", 2, _power, math.pow, _exact_power, _power_defined, "x > 0, or x = 0 <= y, or x < 0 and y whole"),
    Function("sin", 1, MP.sin, math.sin, slope=1.0),
    Function("cos", 1, MP.cos, math.cos, slope=1.0),
    Function("tan", 1, MP.tan, math.tan),
    Function("asin", 1, MP.asin, math.asin, None, lambda x: -1 <= x <= 1, "-1 <= x <= 1"),
    Function("acos", 1, MP.acos, math.acos, None, lambda x: -1 <= x <= 1, "-1 <= x <= 1"),
    Function("atan", 1, MP.atan, math.atan),
    Function("atan2", 2, MP.atan2, math.atan2, None, lambda y, x: y != 0 or x != 0, "not both 0"),
    Function("sinh", 1, MP.sinh, math.sinh),
    Function("cosh", 1, MP.cosh, math.cosh),
    Function("tanh", 1, MP.tanh, math.tanh),
    Function("asinh", 1, MP.asinh, math.asinh),
    Function("acosh", 1, MP.acosh, math.acosh, None, lambda x: x >= 1, "x >= 1"),
    Function("atanh", 1, MP.atanh, math.atanh, None, lambda x: -1 < x < 1, "-1 < x < 1"),
    Function("erf", 1, MP.erf, math.erf),
    Function("erfc", 1, MP.erfc, math.erfc),
    Function("tgamma", 1, MP.gamma, math.gamma, None, lambda x: x > 0, "x > 0"),
    Function("lgamma", 1, MP.loggamma, math.lgamma, None, lambda x: x > 0, "x > 0"),
    Function("fmod", 2, _by_fractions(_c_fmod), math.fmod, _c_fmod, lambda x, y: y != 0, "y != 0"),
    _rounding("floor", math.floor),
    _rounding("ceil", math.ceil),
    _rounding("trunc", math.trunc),
    _rounding("round", _half_away),
    _rounding("rint", round),
    _question("isnan"),
    _question("isinf"),
)

EXTERNAL = "external."  # in front of the name of a function of which nothing is known but that it is one


def made_up(name: str, args: tuple[object, ...], type_: ScalarType) -> bool | int | Fraction:
    """A value of an external function: any function will do for what holds for all of them, this one has no pattern."""
    drawn = zlib.crc32(repr((name, args)).encode())
    match type_:
        case BoolType():
            return drawn % 2 == 1
        case MachineInt():
            return type_.wrap(drawn)
        case IntType():
            return drawn % 512 - 256
        case RealType():
            return Fraction(drawn % 512 - 256, 8)
        case _:
            assert_never(type_)


FUNCTIONS: dict[str, Function] = {row.name: row for row in _ROWS}
QUESTIONS = tuple(row.name for row in _ROWS if row.question)

# Those whose value grows faster than any power: their arguments are bounded, so that exponents stay small.
EXPONENTIAL = frozenset({"exp", "exp2", "expm1", "sinh", "cosh", "pow", "tgamma"})
