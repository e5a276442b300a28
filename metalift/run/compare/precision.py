"""How exactly the source can compute: its own float arithmetic, each number with a bound of its distance from the exact value.

The bound is a running error analysis (Wilkinson): every operation adds its rounding error to the errors of its operands, unless
it is exact. Sums count the magnitudes of their operands rather than of the result, so that the bound also holds for the same
sum in another order; so do products with exact sums, which may be sums of products. A truncation and a comparison that rounding
decides are integers of a few possible values (`metalift.run.compare.undecided`). Where a division, a branch or anything else has
more than one answer within the bounds, the exact and the rounded run may part ways: such a run is called ambiguous, and says
nothing about values.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import frexp, inf, isfinite, nextafter

from metalift.ir.interp.functions import Function
from metalift.ir.interp.interpret import FLOATS, SourceUndefined
from metalift.ir.interp.values import Real
from metalift.run.compare.undecided import Undecided, plain, undecided

ROUNDOFF = {32: 2.0**-24, 64: 2.0**-53, 0: 2.0**-53}  # half the distance of 1 to the next float
_LEAST = {32: 2.0**-149, 64: 2.0**-1074, 0: 2.0**-1074}
_SPLIT = 134217729.0  # 2**27 + 1: Veltkamp's splitting of a double in two halves
_FEW_BITS = {32: 2.0**41 + 1, 64: _SPLIT, 0: _SPLIT}  # splits that leave 12 and 26 bits
_SMALL = {32: 2.0**18, 64: 2.0**47, 0: 2.0**47}  # sums of some dozens of such whole numbers are exact
_LIBRARY = 4  # roundings that a mathematical function may be off


class Bounded(float):
    """A float of the source; the exact value lies within `bound` of it. `mass` is its magnitude, of an exact sum that of all its
    terms together.
    """

    __slots__ = ("bound", "mass")
    bound: float
    mass: float

    def __neg__(self) -> Bounded:
        return bounded(float.__neg__(self), self.bound, self.mass)

    def __abs__(self) -> Bounded:
        return bounded(float.__abs__(self), self.bound, self.mass)


def bounded(value: float, bound: float, mass: float = 0.0) -> Bounded:
    """A number with its bound."""
    number = Bounded(value)
    number.bound = bound
    number.mass = max(mass, abs(value))
    return number


def _own(value: Real) -> Bounded:
    """The number; one that was made elsewhere is taken as exact."""
    return value if isinstance(value, Bounded) else bounded(float(value), 0.0)


@lru_cache(maxsize=4096)
def _literal(value: Fraction, bits: int) -> Bounded:
    nearest = float(FLOATS.enter(value, bits))
    exact = nearest.as_integer_ratio() == value.as_integer_ratio()
    return bounded(nearest, 0.0 if exact else float(abs(value - Fraction(nearest))))


class SourceReals:
    """Real arithmetic for the interpreter that rounds as the source does. One object serves one run.

    `largest` is the greatest magnitude that an operation gave, by width; `ambiguous` whether a decision lay within the bounds;
    `divided` whether there was a quotient. With `reciprocals` bounds are those of a machine that divides by a product with the
    reciprocal: rounded twice, also where the quotient is exact. The values stay the source's.
    """

    def __init__(self, *, reciprocals: bool = False) -> None:
        self.reciprocals = reciprocals
        self.largest: dict[int, float] = {}
        self.ambiguous = False
        self.divided = False

    def _exact(self, value: float, bits: int, mass: float = 0.0) -> Bounded:
        self.largest[bits] = max(self.largest.get(bits, 0.0), abs(value))
        return bounded(value, 0.0, mass)

    def _result(self, value: float, bound: float, bits: int, mass: float = 0.0) -> Bounded:
        """A number that is rounded, or each of terms which are that large together."""
        size = abs(value)
        if size > self.largest.get(bits, 0.0):
            self.largest[bits] = size
        return bounded(value, bound + ROUNDOFF[bits] * max(size, mass) + _LEAST[bits])

    def enter(self, value: Real | int, bits: int) -> Bounded:
        """The nearest float; what is lost counts."""
        if isinstance(value, Bounded):
            nearest = float(FLOATS.enter(value, bits))
            return value if nearest == value else self._result(nearest, value.bound, bits)
        if isinstance(value, Undecided):
            nearest = float(FLOATS.enter(plain(value), bits))
            return self._result(nearest, max(abs(nearest - value.low), abs(nearest - value.high)), bits)
        number = _literal(value if isinstance(value, Fraction) else Fraction(value), bits)
        if number.bound > 0.0:
            self.largest[bits] = max(self.largest.get(bits, 0.0), abs(number))
        return number

    def add(self, left: Real, right: Real, bits: int) -> Bounded:
        """left + right."""
        return self._sum(float(FLOATS.add(left, right, bits)), _own(left), _own(right), bits)

    def sub(self, left: Real, right: Real, bits: int) -> Bounded:
        """left - right."""
        return self._sum(float(FLOATS.sub(left, right, bits)), _own(left), -_own(right), bits)

    def _sum(self, value: float, left: Bounded, right: Bounded, bits: int) -> Bounded:
        if _is_nothing(left) or _is_nothing(right):
            return bounded(value, left.bound + right.bound, left.mass + right.mass)
        if left.bound == right.bound == 0.0 and _is_sum(value, float(left), float(right)):
            if _is_exact_in_any_order(float(left), float(right), bits):
                return self._exact(value, bits, left.mass + right.mass)
        moved = ROUNDOFF[bits] * (abs(float(left)) + abs(float(right)))
        return self._result(value, left.bound + right.bound + moved, bits)

    def mul(self, left: Real, right: Real, bits: int) -> Bounded:
        """left * right."""
        left, right = _own(left), _own(right)
        value = float(FLOATS.mul(left, right, bits))
        if _is_nothing(left) or _is_nothing(right):
            return self._exact(value, bits)
        mass = left.mass * right.mass
        if left.bound == right.bound == 0.0 and _is_product(value, float(left), float(right)):
            return self._exact(value, bits, mass)
        bound = abs(float(left)) * right.bound + abs(float(right)) * left.bound + left.bound * right.bound
        return self._result(value, bound, bits, mass)

    def div(self, left: Real, right: Real, bits: int) -> Bounded:
        """left / right; by zero it raises SourceUndefined."""
        left, right = _own(left), _own(right)
        value = float(FLOATS.div(left, right, bits))
        self.divided = True
        product = self.reciprocals and abs(frexp(right)[0]) != 0.5  # the reciprocal of a power of two is exact
        if left.bound == right.bound == 0.0 and not product and _is_product(float(left), value, float(right)):
            return self._exact(value, bits)
        least = abs(float(right)) - right.bound
        if least <= 0.0:
            self.ambiguous = True
            return self._result(value, 0.0, bits)
        inverse = ROUNDOFF[bits] * abs(value) if product else 0.0
        return self._result(value, (left.bound + abs(value) * right.bound) / least + inverse, bits, left.mass / least)

    def less(self, left: Real, right: Real) -> int:
        """Whether left < right."""
        return self._decided(float(left) < float(right), left, right)

    def equal(self, left: Real, right: Real) -> int:
        """Whether both are the same number."""
        return self._decided(float(left) == float(right), left, right)

    def _decided(self, answer: bool, left: Real, right: Real) -> int:
        slack = _own(left).bound + _own(right).bound
        if slack > 0.0 and abs(float(left) - float(right)) <= slack:
            return undecided(answer, 0, 1, self)
        return answer

    def truncate(self, value: Real) -> int:
        """The integer next to it towards zero, or one of those next to what the exact value may be."""
        low, high = _around(_own(value))
        if not (isfinite(low) and isfinite(high)):
            self.ambiguous = True
            return int(value)
        return undecided(int(value), int(low), int(high), self)

    def call(self, function: Function, args: tuple[Real, ...], bits: int) -> Bounded:
        """The function's value; its bound is how far the value moves with the arguments."""
        value = float(FLOATS.call(function, args, bits))
        numbers = tuple(_own(arg) for arg in args)
        if function.rational is not None and not any(number.bound for number in numbers):
            rational = function.rational(*(Fraction(number) for number in numbers))
            if rational is not None and rational == Fraction(value):
                return self._exact(value, bits)
        if function.whole:
            low, high = (float(FLOATS.call(function, (end,), 64)) for end in _around(numbers[0]))
            return bounded(value, max(high - value, value - low))
        bound = 0.0
        for place, number in enumerate(numbers):
            if number.bound > 0.0:
                bound += max(self._moved(function, numbers, place, moved, value) for moved in (number.bound, -number.bound))
        return self._result(value, bound + _LIBRARY * ROUNDOFF[bits] * abs(value), bits)

    def _moved(self, function: Function, args: tuple[Bounded, ...], place: int, by: float, value: float) -> float:
        """The distance of the function's value where one argument is a little different, or a bound of it."""
        if function.slope is not None:
            return function.slope * abs(by)
        moved = (*args[:place], float(args[place]) + by, *args[place + 1 :])
        try:
            return abs(float(FLOATS.call(function, moved, 64)) - value)
        except SourceUndefined:
            self.ambiguous = True
            return 0.0


def _is_nothing(number: Bounded) -> bool:
    """Whether it is 0, exactly."""
    return float(number) == 0.0 == number.bound


def _around(number: Bounded) -> tuple[float, float]:
    """From where to where the exact value may be."""
    value, bound = float(number), number.bound
    return (nextafter(value - bound, -inf), nextafter(value + bound, inf)) if bound > 0.0 else (value, value)


def _is_sum(value: float, left: float, right: float) -> bool:
    """Whether value = left + right exactly (Knuth's two-sum)."""
    total = left + right
    part = total - left
    return value == total and (left - (total - part)) + (right - part) == 0.0


def _is_exact_in_any_order(left: float, right: float, bits: int) -> bool:
    """Whether a sum that is exact is likely to be so with its terms in another order: few digits, or small whole numbers."""
    if left.is_integer() and right.is_integer() and abs(left) + abs(right) <= _SMALL[bits]:
        return True
    few = _FEW_BITS[bits]
    return _is_short(left, few) and _is_short(right, few)


def _is_product(value: float, left: float, right: float) -> bool:
    """Whether value = left * right exactly, where that is easily seen: the factors are short, and nothing underflows."""
    product = left * right
    return value == product and (product == 0.0) == (left == 0.0 or right == 0.0) and _is_short(left) and _is_short(right)


def _is_short(value: float, split: float = _SPLIT) -> bool:
    """Whether a double has few significant bits: with the default split at most 26, so that a product of two such is exact."""
    scaled = split * value
    return scaled - (scaled - value) == value
