"""Which scales and activation a source's rounding and saturation are: found by computing it at some places, proved afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from .operators import LARGEST, MOST_BITS, finished, moved

INT32 = range(-(2**31), 2**31)
HIGH = tuple(2**31 - 1 - (2**bits - 1) for bits in range(31))  # a source may add to large sums, or multiply them
LOW = tuple(-1 - each for each in HIGH)
DENOMINATORS = tuple(2**bits for bits in range(MOST_BITS + 1))
NEAR = (0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 47, 63, 64, 65, 85, 96, 100, 126, 127)
BYTES = tuple(sorted({sign * each for each in NEAR for sign in (1, -1)} | {-128}))
SHARES = tuple(  # of an element on its way in, the simplest first
    sorted(
        {Fraction(n, d) for d in DENOMINATORS[:8] for n in range(-2 * d, 2 * d + 1)} | set(map(Fraction, range(-128, 129))),
        key=lambda each: (each.denominator, abs(each.numerator), each < 0),
    )
)
OUTER = tuple(
    sorted({Fraction(n, d) for d in DENOMINATORS[:9] for n in (1, 3, 5, 7)}, key=lambda each: (each != 1, each.denominator))
)
TRIED = 4  # pairs of shares that agree with a source at 0: most are the same on 8 bits


@dataclass(frozen=True, slots=True)
class Out:
    """What becomes of an accumulator."""

    relu: int
    scale: Fraction


def accumulators(f: Callable[[int], int | None]) -> Out | None:
    """How accumulators leave, if 8-bit values `f` of 32-bit sums are such; nothing is asked where there is no value."""
    least, most = (next((s for s in ends if f(s) is not None), 0) for ends in (LOW, HIGH))
    if f(most) != 127:
        return None
    relu = int(f(least) == 0)
    low, first = 0, most  # the first sum that is saturated
    while first - low > 1:
        middle = (low + first) // 2
        low, first = (low, middle) if f(middle) == 127 else (middle, first)
    for d in DENOMINATORS:
        for n in range(max(1, 253 * d // (2 * first)), min(LARGEST, 253 * d // (2 * max(first - 1, 1)) + 1) + 1):
            if all(f(s) in (None, finished(s, relu, n, bits_of(d))) for s in sums(first)):
                return Out(relu, Fraction(n, d))
    return None


def sums(first: int) -> Iterator[int]:
    """Where accumulators are compared: near 0, near both ends, at halves of what is rounded to, and between."""
    yield from range(-40, 41)
    for part in range(-131, 132):
        middle = part * first // 127
        yield from (s for s in (middle - 1, middle, middle + 1, middle + first // 254, middle + first // 254 + 1) if s in INT32)
    yield from (INT32[0], INT32[0] + 1, INT32[-1] - 1, INT32[-1])


@dataclass(frozen=True, slots=True)
class Shares:
    """What two elements are scaled by, and what becomes of their sum."""

    a: Fraction
    b: Fraction
    out: Out


def elements(f: Callable[[int, int], int | None]) -> Shares | None:
    """The shares of two 8-bit elements in `f`, if they are such."""
    across = {(a, b): f(a, b) for a, b in product(BYTES, BYTES)}
    first = [(x, f(x, 0)) for x in BYTES]
    second = [(x, f(0, x)) for x in BYTES]
    for scale, relu in product(OUTER, (0, 1)):
        out = Out(relu, scale)
        for a, b in product(shares(first, out), shares(second, out)):
            if all(value == added(pair, a, b, out) for pair, value in across.items()):
                return Shares(a, b, out)
    return None


def shares(wanted: list[tuple[int, int | None]], out: Out) -> list[Fraction]:
    """Scales of one element that give these values where the other is 0."""
    fitting = (each for each in SHARES if all(added((x, 0), each, Fraction(0), out) == value for x, value in wanted))
    return [each for each, _ in zip(fitting, range(TRIED), strict=False)]


def added(pair: tuple[int, int], a: Fraction, b: Fraction, out: Out) -> int:
    """What the library makes of two elements."""
    total = sum(moved(x, *parts(scale)) for x, scale in zip(pair, (a, b), strict=True))
    return finished(total, out.relu, *parts(out.scale))


def parts(scale: Fraction) -> tuple[int, int]:
    """n and bits of n / 2**bits."""
    return scale.numerator, bits_of(scale.denominator)


def bits_of(power: int) -> int:
    """The logarithm of a power of two."""
    return power.bit_length() - 1
