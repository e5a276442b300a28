"""Real numbers of the source's and the target's float formats, and where there are any."""

from __future__ import annotations

import struct
from dataclasses import fields, is_dataclass
from fractions import Fraction

from metalift.ir.expr.types import RealType

LARGEST_FLOAT32 = float.fromhex("0x1.fffffep+127")


def shortest_decimal(value: float, bits: int) -> Fraction:
    """The shortest decimal that rounds to the value in the float format of that width, and is not beyond its largest value.

    Libraries convert no number to a format whose largest one is less, even where rounding would give that one.
    """
    if bits == 64:
        return Fraction(repr(value))
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if as_float32(float(text)) == value and abs(float(text)) <= LARGEST_FLOAT32:
            return Fraction(text)
    return Fraction(repr(value))


def as_float32(value: float) -> float:
    """The nearest value of 32 bits, an infinity beyond the largest."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf")
    return rounded


def has_floats(*parts: object) -> bool:
    """Whether a float occurs anywhere in fragments, summaries, programs, kernels or terms.

    The type of each variable, literal, conversion and call is a field of it, so that looking at all fields misses no term,
    wherever it stands, nor a part of a record. There is no exception for conversions that are exact, which would have to know
    what is computed with their results.
    """
    pending, seen = [*parts], set[int]()
    while pending:
        part = pending.pop()
        if isinstance(part, RealType):
            return True
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, tuple):
            pending.extend(part)
        elif is_dataclass(part):
            pending.extend(getattr(part, field.name) for field in fields(part))
    return False
