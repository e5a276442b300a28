"""Elements of an array that are some of equal blocks which fill it one after the other, as halves of the heads of a query are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial

MOST = 64  # places of a block among those of all levels
Block: TypeAlias = tuple[int, int, int]
"""The position of a binder, into how many blocks each step of it is parted, and which of these is taken."""


def blocks(
    length: Polynomial, sizes: Sequence[Polynomial], start: Polynomial, terms: Sequence[tuple[int, Polynomial]], facts: Facts
) -> list[Block] | None:
    """The blocks that an array of a length, at least, is parted into, slowest first, where its elements at `start` + the sum of
    stride * binder for each (position of the binder, stride) in `terms` are some of them; None where they are not.
    """
    pending = dict(terms)
    found: list[tuple[int, int]] = []
    steps: list[Polynomial] = []
    step = Polynomial.constant(1)
    while pending:
        known = [(n, at) for at, stride in pending.items() if (n := _times(stride, step)) > 0]
        if not known:
            return None
        into, at = min(known)
        found.insert(0, (at, into))
        steps.insert(0, step)
        step = pending.pop(at) * sizes[at]
    if not facts.never_negative(length - step) or prod(into for _, into in found) > MOST:
        return None
    for chosen in product(*(range(into) for _, into in found)):
        if sum((each * taken for each, taken in zip(steps, chosen, strict=True)), Polynomial()) == start:
            return [(at, into, taken) for (at, into), taken in zip(found, chosen, strict=True)]
    return None


def _times(whole: Polynomial, part: Polynomial) -> int:
    """How many times the part the whole is, a number; 0 where it is none."""
    times, rest = whole.divide(part)
    return times.constant_value or 0 if rest == Polynomial() else 0
