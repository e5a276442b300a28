"""Arguments at the edges of a meaning: on both sides of every clamp, comparison and cast in it.

An edge is a condition over the parameters that the meaning's own term decides by. Its two sides are found by drawing arguments
until it holds on some and not on others, and by halving the way between two such until they are neighbours in one argument.
All elements of an array are the same number in these, so that what is summed or indexed does not matter.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product
from typing import TypeAlias

from metalift.driver import Instance
from metalift.ir.expr.build import less
from metalift.ir.expr.nodes import COMPARISONS, Apply, Cast, Const, Expr, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, INT, FunctionType, IntType, MachineInt, RealType, TensorType, TupleType, Type
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value, evaluate
from metalift.run.workers.jobs import rank

Plain: TypeAlias = bool | int | Fraction
Number: TypeAlias = "Plain | tuple[Number, ...]"
DRAWN = 40  # arguments for one edge
PAIRS = 4  # of neighbours at one edge, from different arguments
GRID = 8  # reals are multiples of an eighth: exact in every type, and so are their sums
BASES = 8  # arguments that others are made of
AXIS = 2  # elements along an axis where an edge is looked for


def edges(instance: Instance) -> list[Expr]:
    """The conditions that the meaning, and what it requires, decide by."""
    found: dict[Expr, None] = {}
    for whole in (instance.body, *instance.requires):
        for part in subexpressions(whole):
            match part:
                case Apply(op, (left, right)) if op in COMPARISONS or op in (Operator.MIN, Operator.MAX):
                    found.setdefault(part if op in COMPARISONS else less(left, right))
                case Cast(arg, MachineInt() as type_) if isinstance(type_of(arg), IntType | MachineInt):
                    for bound in (Const(type_.low, INT), Const(type_.high, INT)):
                        number = arg if type_of(arg) == INT else Cast(arg, INT)
                        found.setdefault(less(number, bound) if bound.value == type_.low else less(bound, number))
    return list(found)


@dataclass(slots=True)
class Aim:
    """Finds arguments at the edges of one meaning: a number for each parameter, in an array for all of its elements."""

    instance: Instance
    chosen: random.Random
    constants: tuple[Plain, ...] = field(init=False)
    met: list[dict[str, Number]] = field(default_factory=list)  # arguments for which what is required holds

    def __post_init__(self) -> None:
        wholes = (self.instance.body, *self.instance.requires)
        literals = (part.value for whole in wholes for part in subexpressions(whole) if isinstance(part, Const))
        self.constants = tuple(dict.fromkeys(each for each in literals if not isinstance(each, bool)))

    def arguments(self) -> Iterator[dict[str, Number]]:
        """Neighbours at every edge that is found."""
        wanted = {param.name for param in self.instance.params}
        seen: set[tuple[tuple[str, Number], ...]] = set()
        for edge in edges(self.instance):
            for found in self._sides(edge):
                kept = {name: value for name, value in found.items() if name in wanted}
                if (key := tuple(kept.items())) not in seen:
                    seen.add(key)
                    yield kept

    def _sides(self, edge: Expr) -> Iterator[dict[str, Number]]:
        """Neighbours on both sides of one edge."""
        params = [param for param in self.instance.params if not isinstance(param.type, FunctionType)]
        inner = sorted(free_vars(edge) - set(params), key=lambda each: each.name)  # indices, and what is accumulated
        variables = [*params, *inner]
        tried: dict[bool, list[dict[str, Number]]] = {True: [], False: []}
        for _ in range(DRAWN):
            drawn = self._drawn(params)
            drawn |= {each.name: self.chosen.randrange(AXIS) if each.type == INT else self._number(each.type) for each in inner}
            holds = self._holds(edge, variables, drawn)
            if holds is not None:
                tried[holds].append(drawn)
        pairs = list(zip(tried[True], tried[False], strict=False))[:PAIRS]
        for one, other in (*pairs, *islice(self._beside(edge, variables, params), PAIRS)):
            yield from self._neighbours(edge, variables, one, other)

    def _beside(
        self, edge: Expr, variables: Sequence[Var], params: Sequence[Var]
    ) -> Iterator[tuple[dict[str, Number], dict[str, Number]]]:
        """Arguments for which what is required holds, and others with one number near a constant, on the edge's other side."""
        for base, param in product(self.met, params):
            side = self._holds(edge, variables, base) if param in free_vars(edge) else None
            element = param.type.element if isinstance(param.type, TensorType) else param.type
            for number in (int(each) + step for each in self.constants for step in (0, -1, 1) if side is not None):
                if isinstance(element, MachineInt) and not element.low <= number <= element.high:
                    continue
                there = {**base, param.name: Fraction(number) if isinstance(element, RealType) else number}
                if self._holds(edge, variables, there) is (not side):
                    yield (base, there) if side else (there, base)
                    break

    def _drawn(self, params: Sequence[Var]) -> dict[str, Number]:
        """A number for each parameter; often what is required held for these but for one, so that this one decides."""
        if self.met and self.chosen.random() < 0.5:
            base, changed = self.chosen.choice(self.met), self.chosen.choice(params)
            return {**base, changed.name: self._number(changed.type)}
        drawn = {each.name: self._number(each.type) for each in params}
        if len(self.met) < BASES and all(self._holds(each, params, drawn) for each in self.instance.requires):
            self.met.append(drawn)
        return drawn

    def _neighbours(
        self, edge: Expr, variables: Sequence[Var], one: dict[str, Number], other: dict[str, Number]
    ) -> tuple[dict[str, Number], ...]:
        """Two arguments between these that differ in one number as little as can be, with the edge between them."""
        here = one
        for name, last in other.items():
            there = {**here, name: last}
            if self._holds(edge, variables, there) is not False:
                here = there
                continue
            while (middle := _middle(here[name], there[name])) is not None:
                between = {**here, name: middle}
                if self._holds(edge, variables, between):
                    here = between
                else:
                    there = between
            return here, there
        return ()

    def _holds(self, edge: Expr, variables: Sequence[Var], drawn: Mapping[str, Number]) -> bool | None:
        env = {each.name: filled(drawn[each.name], (AXIS,) * rank(each.type)) for each in variables if each.name in drawn}
        try:
            return bool(evaluate(edge, env))
        except (SourceUndefined, LimitExceeded, LookupError):
            return None

    def _number(self, type_: Type) -> Number:
        """A number of that type, or of an array's elements: small, near a constant of the meaning, of any magnitude, extreme."""
        element = type_.element if isinstance(type_, TensorType) else type_
        if isinstance(element, TupleType):  # what several variables of a loop are
            return tuple(map(self._number, element.items))
        if element == BOOL:
            return self.chosen.random() < 0.5
        near = self.chosen.choice(self.constants or (0,)) if self.chosen.random() < 0.4 else 0
        if isinstance(element, RealType):
            wide = GRID * self.chosen.choice((1, 4, 300))
            return Fraction(near) + Fraction(self.chosen.randrange(-wide, wide + 1), GRID)
        if not isinstance(element, MachineInt):
            return int(near) + self.chosen.randrange(-3, 4) if near else self.chosen.choice((-1, 0, 1, 2, 3, 5, 8, 16, 31))
        magnitude = 1 << (element.bits if self.chosen.random() < 0.4 else self.chosen.randrange(element.bits))
        drawn = int(near) + self.chosen.randrange(-magnitude, magnitude + 1)
        return min(max(drawn, element.low), element.high)


def _middle(one: Number, other: Number) -> Number | None:
    """A number between; None where there is none."""
    if isinstance(one, bool | tuple) or isinstance(other, tuple) or one == other:  # of tuples, that is no matter
        return None
    if isinstance(one, int) and isinstance(other, int):
        between = (one + other) // 2
        return None if between in (one, other) else between
    low, high = sorted((Fraction(one), Fraction(other)))
    middle = Fraction(math.floor((low + high) / 2 * GRID), GRID)
    return None if middle in (low, high) or high - low <= Fraction(1, GRID) else middle


def filled(value: Value, shape: Sequence[int]) -> Value:
    """Nested lists of that shape with that value everywhere."""
    return [filled(value, shape[1:]) for _ in range(shape[0])] if shape else value
