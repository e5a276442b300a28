"""Integers of which rounding decides which one of a few they are: what a float becomes that lies close to a whole number.

They pass through sums, products and comparisons that are the same for each of them. Anything else that is asked of one, such as
which branch is taken, which element is read or what its low bits are, has more than one answer: then the whole run is undecided.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Protocol


class Notes(Protocol):
    """Takes down that a run is decided by rounding."""

    ambiguous: bool


class Undecided(int):
    """The source's integer, which could as well be another one from `low` to `high`."""

    low: int
    high: int
    notes: Notes

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __abs__(self) -> int:
        return -self if self < 0 else +self


def undecided(value: int, low: int, high: int, notes: Notes) -> int:
    """An integer from `low` to `high`; a plain one where these are the same."""
    if low == high:
        return low
    number = Undecided(value)
    number.low, number.high, number.notes = low, high, notes
    return number


def span_of(value: object) -> tuple[int, int] | None:
    """From where to where an integer may be; None where it is decided."""
    return (value.low, value.high) if isinstance(value, Undecided) else None


def plain(value: int) -> int:
    """The source's integer as a number like any other."""
    return int.__int__(value)


def _asked(value: int) -> int:
    """The source's integer, where another one would have meant something else."""
    if isinstance(value, Undecided):
        value.notes.ambiguous = True
    return plain(value)


def _ends(value: int) -> tuple[int, int]:
    return (value.low, value.high) if isinstance(value, Undecided) else (value, value)


def _by_ends(function: Callable[..., int]) -> Callable[..., int]:
    """An operator whose least and greatest values are at ends of its operands' ranges."""

    def method(*args: int) -> int:
        found = [function(*ends) for ends in product(*map(_ends, args))]
        notes = next(arg.notes for arg in args if isinstance(arg, Undecided))
        return undecided(function(*map(plain, args)), min(found), max(found), notes)

    return method


def _by_plain(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """The same where the second operand is decided, and no answer otherwise."""
    by_ends = _by_ends(function)
    return lambda left, right: by_ends(left, _asked(right)) if isinstance(left, Undecided) else function(left, _asked(right))


def _ordered(function: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    """A comparison of sizes: decided where it is the same at all ends."""

    def method(left: int, right: int) -> bool:
        if len({function(one, other) for one, other in product(_ends(left), _ends(right))}) > 1:
            _asked(left), _asked(right)
        return function(plain(left), plain(right))

    return method


def _alike(function: Callable[[int, int], bool]) -> Callable[[int, int], bool]:
    """Whether both are the same, or not: decided where they have nothing in common."""

    def method(left: int, right: int) -> bool:
        (low, high), (least, most) = _ends(left), _ends(right)
        if low <= most and least <= high:
            _asked(left), _asked(right)
        return function(plain(left), plain(right))

    return method


def _turned(method: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda right, left: method(left, right)


def _install() -> None:
    """Gives the class its operators."""
    binary: dict[str, Callable[..., int]] = {each: _by_ends(getattr(operator, each)) for each in ("add", "sub", "mul")}
    binary |= {"floordiv": _by_plain(operator.floordiv), "rshift": _by_plain(operator.rshift)}
    for name in ("mod", "lshift", "and", "or", "xor", "truediv", "pow"):
        function = getattr(operator, f"__{name}__")
        binary[name] = lambda left, right, function=function: function(_asked(left), _asked(right))
    for name, method in binary.items():
        setattr(Undecided, f"__{name}__", method)
        setattr(Undecided, f"__r{name}__", _turned(method))
    for name in ("neg", "pos"):
        setattr(Undecided, f"__{name}__", _by_ends(getattr(operator, name)))
    for name in ("lt", "le", "gt", "ge"):
        setattr(Undecided, f"__{name}__", _ordered(getattr(operator, name)))
    for name in ("eq", "ne"):
        setattr(Undecided, f"__{name}__", _alike(getattr(operator, name)))
    numbers: dict[str, Callable[[int], object]] = {"int": plain, "index": plain, "float": float, "hash": hash}
    for name, whole in numbers.items():
        setattr(Undecided, f"__{name}__", lambda value, whole=whole: whole(_asked(value)))


_install()
