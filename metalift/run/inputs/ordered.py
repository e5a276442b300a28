"""Arrays whose neighbouring elements assumptions compare: what they hold is drawn in order, for random numbers hardly ever are.

All ordered arrays of an attempt have the same segments of positions: one that may not fall holds where these end; one that
rises in places rises in each segment anew; one that rises or stays the same holds the segment's number.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.nodes import Apply, Expr, Operator, Select, Var
from metalift.ir.expr.types import MachineInt, ScalarType, TensorType, is_integer
from metalift.ir.expr.walk import subexpressions

LARGEST = 2**31 - 1  # of integers without a width
DRAWN = 4096  # elements; all after these are 0


class Order(Enum):
    """How neighbours are compared."""

    NOT_FALLING = auto()  # a[i] <= a[i + 1]
    RISING = auto()  # a[i] < a[i + 1]
    GROUPED = auto()  # a[i] < a[i + 1], or a[i] == a[i + 1] and so on


def orders_of(assumptions: Sequence[Expr]) -> dict[Var, Order]:
    """The arrays of integers that assumptions say to be ordered."""
    found: dict[Var, set[Operator]] = {}
    for part in (part for formula in assumptions for part in subexpressions(formula)):
        if isinstance(part, Apply) and part.op in (Operator.LE, Operator.LT, Operator.EQ):
            left, right = map(strip_casts, part.args)
            if isinstance(left, Select) and isinstance(right, Select) and _follows(left, right):
                assert isinstance(left.tensor, Var)
                found.setdefault(left.tensor, set()).add(part.op)
    return {array: _order(operators) for array, operators in found.items()}


def _order(operators: set[Operator]) -> Order:
    if Operator.LE in operators:
        return Order.NOT_FALLING
    return Order.GROUPED if Operator.EQ in operators else Order.RISING


def _follows(left: Select, right: Select) -> bool:
    """Whether the right one is the element after the left one."""
    array = left.tensor
    if array != right.tensor or not isinstance(array, Var) or len(left.indices) != 1:
        return False
    if not (isinstance(array.type, TensorType) and is_integer(array.type.element)):
        return False
    return Polynomial.of(right.indices[0]) == Polynomial.of(left.indices[0]) + 1


@dataclass(slots=True)
class Segments:
    """Segments of positions of random lengths, drawn when they are asked for."""

    rng: random.Random
    longest: int
    ends: list[int] = field(default_factory=lambda: [0])
    numbers: list[int] = field(default_factory=list)  # the segment of each position
    risen: list[int] = field(default_factory=list)  # a number for each position, rising in its segment

    def _next(self) -> None:
        """Draw one more segment; some are empty, not all from some place on."""
        length = self.rng.randint(0, self.longest)
        value = self.rng.choice((0, 0, 0, 1, 2))
        for _ in range(length):
            self.numbers.append(len(self.ends) - 1)
            self.risen.append(value)
            value += self.rng.choice((1, 1, 1, 2))
        self.ends.append(self.ends[-1] + length)

    def cells(self, order: Order, type_: ScalarType) -> Callable[[int], int]:
        """The elements of an array by index, none above the greatest of their type; 0 where none is drawn."""
        most = type_.high if isinstance(type_, MachineInt) else LARGEST

        def cell(index: int) -> int:
            if not 0 <= index < DRAWN:
                return 0
            held = {Order.NOT_FALLING: self.ends, Order.GROUPED: self.numbers, Order.RISING: self.risen}[order]
            while index >= len(held):
                self._next()
            return min(held[index], most)

        return cell
