"""Real arithmetic of the interpreter: exact as far as possible, or rounded as the source's float types round."""

from __future__ import annotations

import ctypes
import math
from fractions import Fraction
from functools import lru_cache
from typing import Protocol

from metalift.ir.interp.functions import EXPONENTIAL, MP, Function, to_mpf
from metalift.ir.interp.values import Real, SourceUndefined

_LONGEST = 512  # bits of a numerator or denominator; beyond, a number of 120 bits takes over
_LARGEST = 1100  # binary exponent up to which functions are computed; doubles end at 1024
_STEEPEST = 30  # binary exponent up to which the argument of an exponential function may go


class Reals(Protocol):
    """How real numbers are computed; `bits` is the width of the result's type, 0 for none."""

    def enter(self, value: Real | int, bits: int) -> Real:
        """The representation of an input, a literal or an integer, or of a number of another width."""

    def add(self, left: Real, right: Real, bits: int) -> Real:
        """left + right."""

    def sub(self, left: Real, right: Real, bits: int) -> Real:
        """left - right."""

    def mul(self, left: Real, right: Real, bits: int) -> Real:
        """left * right."""

    def div(self, left: Real, right: Real, bits: int) -> Real:
        """left / right; by zero it raises SourceUndefined."""

    def less(self, left: Real, right: Real) -> int:
        """Whether left < right, as a bool or a number that could be 0 or 1."""

    def equal(self, left: Real, right: Real) -> int:
        """Whether both are the same number, likewise."""

    def truncate(self, value: Real) -> int:
        """The integer next to it towards zero."""

    def call(self, function: Function, args: tuple[Real, ...], bits: int) -> Real:
        """The function's value; outside its domain it raises SourceUndefined."""


def _exponent(value: Real) -> int:
    """The binary exponent of a number, a rough one for fractions; very small for zero."""
    if isinstance(value, Fraction):
        return value.numerator.bit_length() - value.denominator.bit_length()
    return int(MP.mag(value)) if value else -_LARGEST


def _check_domain(function: Function, args: tuple[Real, ...]) -> None:
    if function.within is not None and not function.within(*args):
        shown = ", ".join(f"{float(arg):.6g}" for arg in args)
        raise SourceUndefined(f"{function.name}({shown}) is undefined: it needs {function.domain}")


class ExactReals:
    """Fractions while numbers are rational and not too long, 120-bit numbers otherwise. Widths play no role."""

    def enter(self, value: Real | int, bits: int) -> Real:
        """The exact value; infinities and NaN raise SourceUndefined."""
        if isinstance(value, float):
            if not math.isfinite(value):
                raise SourceUndefined(f"{value} is not a number")
            value = Fraction(value)
        elif isinstance(value, int):
            value = Fraction(value)
        return _trim(value) if isinstance(value, Fraction) else value

    def add(self, left: Real, right: Real, bits: int) -> Real:
        """left + right."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return _trim(left + right)
        return to_mpf(left) + to_mpf(right)

    def sub(self, left: Real, right: Real, bits: int) -> Real:
        """left - right."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return _trim(left - right)
        return to_mpf(left) - to_mpf(right)

    def mul(self, left: Real, right: Real, bits: int) -> Real:
        """left * right."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return _trim(left * right)
        return to_mpf(left) * to_mpf(right)

    def div(self, left: Real, right: Real, bits: int) -> Real:
        """left / right; by zero it raises SourceUndefined."""
        if right == 0:
            raise SourceUndefined("division by zero")
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return _trim(left / right)
        return to_mpf(left) / to_mpf(right)

    def less(self, left: Real, right: Real) -> bool:
        """Whether left < right, exact for fractions."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return left < right
        return bool(to_mpf(left) < to_mpf(right))

    def equal(self, left: Real, right: Real) -> bool:
        """Whether both are the same number, exact for fractions, otherwise to 120 bits."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return left == right
        return bool(to_mpf(left) == to_mpf(right))

    def truncate(self, value: Real) -> int:
        """The integer next to it towards zero."""
        if _exponent(value) > _LARGEST:
            raise SourceUndefined("a number too large to be converted to an integer")
        return int(value)

    def call(self, function: Function, args: tuple[Real, ...], bits: int) -> Real:
        """The exact value where `rational` knows it, otherwise one of 120 bits."""
        _check_domain(function, args)
        steepest = _STEEPEST if function.name in EXPONENTIAL else _LARGEST
        if any(
            _exponent(arg) > (_LARGEST if function.name == "pow" and not place else steepest) for place, arg in enumerate(args)
        ):
            raise SourceUndefined(f"{function.name} of a number too large", too_large=True)
        if function.rational is not None and all(isinstance(arg, Fraction) for arg in args):
            exact = function.rational(*args)
            if exact is not None:
                return _trim(exact)
        return function.value(*(to_mpf(arg) for arg in args))


def _trim(value: Fraction) -> Real:
    if value.numerator.bit_length() > _LONGEST or value.denominator.bit_length() > _LONGEST:
        return to_mpf(value)
    return value


class FloatReals:
    """Each result is rounded to the float type of its width, 64 where it has none: how the source itself computes.

    Infinities and NaN do not exist: a result that overflows raises SourceUndefined.
    """

    def enter(self, value: Real | int, bits: int) -> Real:
        """The nearest float of the width."""
        if isinstance(value, int):
            value = Fraction(value)
        if isinstance(value, Fraction):
            return _nearest(value, bits)
        try:
            return _rounded(float(value), bits)
        except OverflowError:
            raise SourceUndefined("a number too large for a float") from None

    def add(self, left: Real, right: Real, bits: int) -> Real:
        """left + right."""
        return _rounded(left + right, bits)

    def sub(self, left: Real, right: Real, bits: int) -> Real:
        """left - right."""
        return _rounded(left - right, bits)

    def mul(self, left: Real, right: Real, bits: int) -> Real:
        """left * right."""
        return _rounded(left * right, bits)

    def div(self, left: Real, right: Real, bits: int) -> Real:
        """left / right; by zero it raises SourceUndefined."""
        if right == 0:
            raise SourceUndefined("division by zero")
        return _rounded(left / right, bits)

    def less(self, left: Real, right: Real) -> bool:
        """Whether left < right."""
        return bool(left < right)

    def equal(self, left: Real, right: Real) -> bool:
        """Whether both are the same number."""
        return bool(left == right)

    def truncate(self, value: Real) -> int:
        """The integer next to it towards zero."""
        return int(value)

    def call(self, function: Function, args: tuple[Real, ...], bits: int) -> Real:
        """The function in double precision, rounded to the width."""
        _check_domain(function, args)
        try:
            native = function.native
            value = native(*args) if native is not None else float(function.value(*(to_mpf(arg) for arg in args)))
        except (OverflowError, ValueError):
            raise SourceUndefined(f"{function.name} has no finite value here") from None
        return _rounded(value, bits)


def _rounded(value: Real, bits: int) -> float:
    """A double rounded to the width; exact for +, -, *, / and sqrt, since a double has more than twice a float's digits."""
    result = ctypes.c_float(float(value)).value if bits == 32 else float(value)
    if not math.isfinite(result):
        raise SourceUndefined("a float overflows")
    return result


@lru_cache(maxsize=4096)
def _nearest(value: Fraction, bits: int) -> float:
    """The float of the width nearest to a fraction, ties to even."""
    if bits != 32:
        try:
            return float(value)
        except OverflowError:
            raise SourceUndefined("a number too large for a float") from None
    if value == 0:
        return 0.0
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, -126) - 23)
    return _rounded(float(round(value / quantum) * quantum), 32)


EXACT = ExactReals()
FLOATS = FloatReals()
