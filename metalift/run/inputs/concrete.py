"""Concrete values of the source's types: ordinary ones, and hostile ones, all exact in their type."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeAlias, TypeVar, assert_never

from metalift.ir.expr.types import STRING, BoolType, IntType, MachineInt, RealType, ScalarType, is_integer
from metalift.ir.interp import identities
from metalift.ir.interp.values import all_indices

T = TypeVar("T")

Scalar = bool | int | Fraction


@dataclass(frozen=True, slots=True)
class Grid:
    """The contents of an array of several axes, row by row."""

    shape: tuple[int, ...]
    cells: tuple[Scalar, ...]


Contents: TypeAlias = tuple[Scalar, ...] | Grid  # of an array


def shape_of(contents: Contents) -> tuple[int, ...]:
    """The number of elements along each axis."""
    return contents.shape if isinstance(contents, Grid) else (len(contents),)


def cells_of(contents: Contents) -> tuple[Scalar, ...]:
    """The elements, row by row."""
    return contents.cells if isinstance(contents, Grid) else contents


def contents_of(shape: tuple[int, ...], cell: Callable[[tuple[int, ...]], Scalar]) -> Contents:
    """The array of that shape with those elements."""
    cells = tuple(cell(index) for index in all_indices(shape))
    return cells if len(shape) == 1 else Grid(shape, cells)


def nested(shape: tuple[int, ...], cells: Sequence[T]) -> list[object]:
    """Nested lists."""
    if len(shape) == 1:
        return list(cells)
    step = prod(shape[1:])
    return [nested(shape[1:], cells[row * step : (row + 1) * step]) for row in range(shape[0])]


def same_shape(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether two shapes are equal; without rows it does not matter how long these are."""
    for one, other in zip(left, right, strict=False):
        if one != other:
            return False
        if one == 0:
            return True
    return len(left) == len(right)

_TEXTS = ("a", "b", "", "a b", "B")  # strings as they occur
_WIDE = 10.0**4
_MODERATE = 16.0
# Functions that stay finite for any argument of ordinary size; with another one the values stay moderate.
_TAME = frozenset("sqrt cbrt log log2 log10 sin cos tan tanh atan floor ceil round trunc".split())


def rounded(value: float, bits: int) -> Fraction:
    """The float of that width nearest to a value, as an exact number."""
    return Fraction(struct.unpack("f", struct.pack("f", value))[0] if bits == 32 else float(value))


def texts_of(constants: Iterable[int | Fraction]) -> tuple[int, ...]:
    """Strings worth trying: those that are literals among the constants, and a few others."""
    whole = sorted(int(each) for each in frozenset(constants) if each.denominator == 1)
    return (*(each for each in whole if isinstance(identities.content(each), str)), *map(identities.of_text, _TEXTS))


class Values:
    """Draws values; `constants` are literals of the source, whose neighbourhood is worth visiting."""

    def __init__(self, rng: random.Random, constants: Sequence[int | Fraction], functions: frozenset[str]) -> None:
        self._rng = rng
        literals = sorted({Fraction(constant) for constant in constants})
        self._texts = texts_of(constants)
        known = frozenset(self._texts)
        literals = [each for each in literals if each not in known]
        self._integers = tuple(int(literal) for literal in literals if literal.denominator == 1 and abs(literal) > 2)
        self._reals = tuple(literal for literal in literals if abs(literal) < _WIDE)
        self._limit = _WIDE if functions <= _TAME else _MODERATE

    def scalar(self, type_: ScalarType) -> Scalar:
        """One value, from any of the palettes."""
        return self._palette(type_)()

    def cells(self, type_: ScalarType) -> Callable[[int], Scalar]:
        """The elements of an array by index: draws from one palette, or a pattern. Asked twice, an index may differ."""
        rng, draw = self._rng, self._palette(type_)
        first, second, special = draw(), draw(), rng.randrange(6)
        start, step = rng.randint(-2, 3), rng.choice((1, 1, -1, 2, 3))
        match rng.randrange(10):
            case 0:
                return lambda index: first
            case 1:
                return lambda index: rng.choice((first, second))
            case 2:
                return lambda index: first if index % 2 else second
            case 3:
                return lambda index: first if index == special else _inside(0, type_)
            case 4:
                return lambda index: _inside(start + step * index, type_)
            case _:
                return lambda index: draw()

    def index_cells(self, bound: int, type_: ScalarType) -> Callable[[int], Scalar]:
        """The elements of an array of integers that may serve as indices: not negative, and small."""
        most = min(bound, type_.high) if isinstance(type_, MachineInt) else bound
        return lambda index: self._rng.randint(0, max(0, most))

    @staticmethod
    def small(type_: ScalarType) -> tuple[Scalar, ...]:
        """A few values for exhaustive inputs, the most telling first."""
        match type_:
            case BoolType():
                return (False, True)
            case IntType(of, fields):
                if fields:
                    drawn = zip(*(Values.small(each) for _, each in fields), strict=False)
                    return tuple(identities.of_parts(parts) for parts in drawn)
                return tuple(map(identities.of_text, _TEXTS[:2])) if of else (1, 0, -1, 2)
            case MachineInt(1, _):
                return (0, 1)
            case MachineInt(_, signed):
                return (1, 0, -1, 2) if signed else (1, 0, type_.high, 2)
            case RealType():
                return (Fraction(1), Fraction(0), Fraction(-2), Fraction(1, 2))
            case _:
                assert_never(type_)

    def _near(self, type_: ScalarType) -> Callable[[], Scalar]:
        """A way to draw few different values, so that some are alike."""
        if is_integer(type_):
            return lambda: self._rng.randint(0, 1)
        if isinstance(type_, RealType):
            bits = type_.bits
            return lambda: rounded(float(self._rng.choice((*self._reals, 0, 1))), bits)
        return (lambda: self._rng.choice(self._texts[:2])) if type_ == STRING else self._palette(type_)

    def _palette(self, type_: ScalarType) -> Callable[[], Scalar]:
        """A way to draw values of the type; arrays draw all their elements from one palette."""
        match type_:
            case BoolType():
                return lambda: self._rng.random() < 0.5
            case MachineInt(1, _):
                return lambda: self._rng.randrange(2)
            case IntType(_, fields) if fields:
                near = [self._near(each) for _, each in fields]
                palettes = near if self._rng.random() < 0.7 else [self._palette(each) for _, each in fields]
                return lambda: identities.of_parts([draw() for draw in palettes])
            case IntType(of) if of:
                return lambda: self._rng.choice(self._texts)
            case IntType():
                return self._integers_of(MachineInt(64, True))
            case MachineInt():
                return self._integers_of(type_)
            case RealType(bits):
                return self._reals_of(bits)
            case _:
                assert_never(type_)

    def _integers_of(self, type_: MachineInt) -> Callable[[], Scalar]:
        rng = self._rng
        low, high = type_.low, type_.high

        def clipped(bound: int) -> Callable[[], Scalar]:
            return lambda: rng.randint(max(low, -bound), min(high, bound))

        def near_constants() -> Scalar:
            value = rng.choice(self._integers) + rng.randint(-1, 1)
            return value if low <= value <= high else rng.randint(max(low, -3), 3)

        def extreme() -> Scalar:
            return rng.choice((low, low + 1, high - 1, high, 0, 1, high // 2, high // 2 + 1, low // 2))

        palettes = [clipped(3), clipped(10), clipped(100), clipped(1000), lambda: rng.randint(0, min(high, 255)), extreme]
        if self._integers:
            palettes += [near_constants, near_constants]
        if type_.bits <= 16:
            palettes += [lambda: rng.randint(low, high)] * 2
        return rng.choice(palettes)

    def _reals_of(self, bits: int) -> Callable[[], Scalar]:
        rng = self._rng
        limit = self._limit

        def coarse() -> Scalar:
            return Fraction(rng.randint(-64, 64), 8)

        def fine() -> Scalar:
            return rounded(rng.uniform(-4, 4), bits)

        def positive() -> Scalar:
            return rounded(rng.uniform(0.01, 4), bits)

        def wide() -> Scalar:
            return rounded(rng.choice((-1, 1)) * min(limit, 10 ** rng.uniform(-4, 4)), bits)

        def tiny() -> Scalar:
            return rounded(rng.uniform(-1, 1) * 10 ** rng.uniform(-6, -2), bits)

        def few() -> Scalar:
            return rng.choice((Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2), Fraction(-3)))

        def near_constants() -> Scalar:
            return rounded(float(rng.choice(self._reals)) + rng.choice((-1.0, 0.0, 1.0)), bits)

        palettes = [coarse, fine, fine, positive, wide, tiny, few]
        if self._reals:
            palettes.append(near_constants)
        return rng.choice(palettes)


def _inside(value: int, type_: ScalarType) -> Scalar:
    """The number as a value of the type, wrapped where it has to be."""
    match type_:
        case BoolType():
            return value != 0
        case MachineInt():
            return type_.wrap(value)
        case IntType(_, fields) if fields:
            return identities.of_parts([_inside(value, each) for _, each in fields])
        case IntType(of):
            return identities.of_text(_TEXTS[value % len(_TEXTS)]) if of else value
        case RealType():
            return Fraction(value)
        case _:
            assert_never(type_)


def plain(value: Scalar | Contents) -> object:
    """The value as the worker gets it: numbers, lists and shapes; reals of inputs are exact floats."""
    if isinstance(value, Grid):
        return {"shape": list(value.shape), "cells": [plain(item) for item in value.cells]}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return float(value) if isinstance(value, Fraction) else value
