"""Inputs of sources that fix sizes of thousands: arrays of which an interpreter computes a few elements only."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod

from metalift.ir.expr.nodes import Const, Expr
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_names
from metalift.ir.interp.execute import Argument, Made, Shared, Unbounded
from metalift.ir.interp.interpret import Array, SourceUndefined, Value, evaluate
from metalift.ir.interp.values import Cell, Memory
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import LoopSummary, Summary
from metalift.run.inputs.attempts import LONGEST as MOST_ELEMENTS
from metalift.run.inputs.attempts import Attempt, Attempts
from metalift.run.inputs.concrete import Scalar, plain
from metalift.run.inputs.roles import roles_of
from metalift.vcgen.bounded import certainly_holds
from metalift.vcgen.natural_loops import loop_blocks

LONGEST = 1 << 23  # elements of an array
TRIED = 4  # inputs that are looked at
MANY = 10_000  # iterations of which the steps may be too many for `metalift.run.inputs.inputs`
PERIOD = 1009  # elements of an array, after which they come again: a prime, so that rows differ

Arguments = dict[str, Argument]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The elements of an array of that shape: row by row, `period` again and again."""

    shape: tuple[int, ...]
    period: tuple[Scalar, ...]

    def __call__(self, cell: Cell) -> Scalar:
        place = 0
        for index, extent in zip(cell if isinstance(cell, tuple) else (cell,), self.shape, strict=True):
            place = place * extent + index
        return self.period[place % len(self.period)]

    def made(self) -> Made:
        """As an argument for the interpreter."""
        return Made(self.shape, self)

    def passed(self, count: int) -> list[object]:
        """The first elements as the worker gets them."""
        once = [plain(value) for value in self.period]
        return (once * (count // len(once) + 1))[:count]


def long_inputs(
    fragment: Fragment, summary: Summary, assumptions: Sequence[Expr] = (), seed: int = 0, count: int = TRIED
) -> Iterator[Arguments]:
    """Arguments that satisfy the assumptions, with arrays of as many elements as the summary says; none if it says too little.

    Whether the source does anything defined on them is not asked. There are none where the source fixes no large sizes.
    """
    if not is_long(fragment, summary):
        return
    roles = roles_of(fragment, assumptions)
    for attempt in islice(Attempts(fragment, roles, random.Random(seed), ()).random(), count):
        made = _made(fragment, summary, attempt)
        if made is not None and all(certainly_holds(formula, _env(made)) for formula in assumptions):
            yield made


def is_long(fragment: Fragment, summary: Summary) -> bool:
    """Whether the source itself says that an array has more elements, or that loops make more steps, than inputs here allow."""
    elements = max(map(_size, summary.shapes.values()), default=0)
    return elements > MOST_ELEMENTS or max(_iterations(fragment, summary), default=0) > MANY


def _iterations(fragment: Fragment, summary: Summary) -> Iterator[int]:
    """For each loop how often its body runs, as far as that is fixed: the numbers of iterations around it, multiplied."""
    trips = {loop.header: loop.trip for loop in summary.loops if isinstance(loop, LoopSummary)}
    bodies = loop_blocks(fragment)
    for header in trips:
        yield _size(tuple(trip for outer, trip in trips.items() if header in bodies[outer]))


def _size(numbers: Sequence[Expr]) -> int:
    """The product of those that are constants."""
    return prod(number.value for number in numbers if isinstance(number, Const) and isinstance(number.value, int))


def _made(fragment: Fragment, summary: Summary, attempt: Attempt) -> Arguments | None:
    arguments: Arguments = {}
    for param in fragment.params:
        name = param.var.name
        if not isinstance(param.var.type, TensorType):
            arguments[name] = attempt.scalars[name]
            continue
        extents = [_number(extent, attempt) for extent in summary.shapes.get(name, ())]
        shape = tuple(extent for extent in extents if extent is not None)
        if len(shape) < max(len(extents), 1) or prod(shape) > LONGEST or min(shape) <= 0:
            return None
        cells = attempt.arrays[name][1]
        arguments[name] = Pattern(shape, tuple(cells(at) for at in range(PERIOD))).made()
    return arguments


def _number(extent: Expr, attempt: Attempt) -> int | None:
    """The number of elements, where it follows from the scalars."""
    if not free_names(extent) <= attempt.scalars.keys():
        return None
    try:
        value = evaluate(extent, attempt.scalars)
    except SourceUndefined:
        return None
    return value if isinstance(value, int) else None


def _env(arguments: Arguments) -> dict[str, Value]:
    """The values of the parameters, for evaluating assumptions."""
    return {name: _value(name, value) for name, value in arguments.items()}


def _value(name: str, argument: Argument) -> Value:
    if isinstance(argument, Made):
        return Array(name, Memory({}, argument.shape[0], argument.fill, inner=argument.shape[1:]))
    assert not isinstance(argument, Unbounded | Shared), "a long input has scalars and arrays that have ends"
    return argument
