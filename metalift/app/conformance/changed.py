"""Applications of an operator made of others, by changing their values."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from metalift.app.conformance.samples import Sample, applied, scalar
from metalift.driver import Operator
from metalift.driver.operators import scalar_of
from metalift.ir.expr.types import FunctionType, IntType, MachineInt, ScalarType, Type
from metalift.ir.interp.interpret import Tensor, Value

STEPS = 1000  # each of which changes a number of an application
RECENT = 20  # applications from which most steps go on


def smaller(operator: Operator, listed: Sequence[Sample]) -> Iterator[Sample]:
    """The samples with small numbers in their places, on which machines compute exactly more often."""
    chosen = random.Random(operator.name)

    def small(value: Value, type_: ScalarType) -> Value:
        nested = _nested(value)
        return [small(each, type_) for each in nested] if isinstance(nested, list) else scalar(type_, chosen, small=True)

    for sample in listed:
        if not any(isinstance(each, FunctionType) for each in sample.types):
            values = [small(value, scalar_of(type_)) for value, type_ in zip(sample.values, sample.types, strict=True)]
            made = applied(operator, sample, values)
            yield from [] if made is None else [made]


def walked(operator: Operator, listed: Sequence[Sample], refused: set[int]) -> list[Sample]:
    """Samples that one changed integer after the other leads to: what is required of elements may hold and fail in no other way.

    `refused` gets the conditions that do not hold on the way. Raises DriverError where all hold and the meaning is not defined.
    """
    chosen = random.Random(operator.name)
    found: list[Sample] = []
    for _ in range(STEPS if listed else 0):
        sample = chosen.choice(found[-RECENT:] if found and chosen.random() < 0.7 else listed)
        integers = [at for at, type_ in enumerate(sample.types) if _is_exact(type_) and sample.values[at] != []]
        if integers:
            at = chosen.choice(integers)
            values = list(sample.values)
            values[at] = _changed(values[at], scalar_of(sample.types[at]), chosen)
            made = applied(operator, sample, values, refused)
            found += [] if made is None else [made]
    return found


def _is_exact(type_: Type) -> bool:
    return not isinstance(type_, FunctionType) and isinstance(scalar_of(type_), IntType | MachineInt)


def _changed(value: Value, type_: ScalarType, chosen: random.Random) -> Value:
    """The value with one number less or more by one, or negative, where the type has it."""
    nested = _nested(value)
    if not isinstance(nested, list):
        numbers = (nested - 1, nested + 1, -1)
        return chosen.choice([each for each in numbers if not isinstance(type_, MachineInt) or type_.low <= each <= type_.high])
    at = chosen.randrange(max(len(nested), 1))
    return [_changed(each, type_, chosen) if place == at else each for place, each in enumerate(nested)]


def _nested(value: Value) -> Any:  # noqa: ANN401 - a number, or lists of lists of them
    return value.nested() if isinstance(value, Tensor) else value
