"""Real numbers of the source's and the target's float formats."""

from __future__ import annotations

import struct
from fractions import Fraction


def shortest_decimal(value: float, bits: int) -> Fraction:
    """The shortest decimal that rounds to the value in the float format of that width."""
    if bits == 64:
        return Fraction(repr(value))
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if as_float32(float(text)) == value:
            return Fraction(text)
    return Fraction(value)


def as_float32(value: float) -> float:
    """The nearest value of 32 bits, an infinity beyond the largest."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf")
    return rounded
