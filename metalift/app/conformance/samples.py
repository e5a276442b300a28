"""Applications of an operator: types, values, and what its meaning gives on them in the interpreter."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from metalift.app.conformance.sample_functions import function
from metalift.driver import Operator
from metalift.driver.meaning.language import Kind, TypePattern, TypeVariable
from metalift.driver.operators import is_size
from metalift.ir.expr.nodes import type_of
from metalift.ir.expr.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT32,
    INT64,
    UINT8,
    FunctionType,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    Type,
)
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Tensor, Value, evaluate

Nested: TypeAlias = Any  # a plain number, or lists of lists of them
TYPES = {
    Kind.SCALAR: (BOOL, UINT8, INT32, FLOAT),
    Kind.NUMBER: (UINT8, INT32, INT64, FLOAT, DOUBLE),
    Kind.VALUE: (UINT8, INT32, INT64, FLOAT, DOUBLE),
    Kind.INTEGER: (UINT8, INT32, INT64),
    Kind.REAL: (FLOAT, DOUBLE),
}
LENGTHS = (0, 1, 2, 3, 5)
RANKS = (0, 1, 2, 3, 4)  # of the tensors that elementwise operators are tried on
NO_NUMBER = ("does not fit", "shift", "it needs", "too large", "overflows", "no finite value", "not a number")
SMALLER = (False, *[True] * 30)  # of small values more are tried where an operator requires something of them
TRIES = 2  # at each choice of types, arrangement and length; as many more for each argument of a function


@dataclass(frozen=True, slots=True)
class Sample:
    """One application: argument types, values, the result's element type, and what the meaning gives in the interpreter."""

    types: tuple[Type, ...]
    values: tuple[Value, ...]
    result: ScalarType
    wanted: Value
    axes: int  # of the result


@dataclass(frozen=True, slots=True)
class _NoValue:
    """An application on which the meaning has no value although what it requires holds, as of a real function at a pole."""

    reason: str


def samples(operator: Operator) -> Iterator[Sample]:
    """Applications on which what the operator requires holds. Raises DriverError where the meaning is partial on one."""
    chosen = random.Random(operator.name)
    full: list[Sample] = []
    without: list[_NoValue] = []
    tries = TRIES * max([1, *(len(param.pattern.takes) for param in operator.params)])
    for types in _typings(operator):
        for rank in RANKS if operator.elementwise else (0,):
            for length in LENGTHS:
                for attempt in range(tries):
                    oblong = not operator.elementwise and attempt > 0
                    made = _drawn(operator, types, (rank, length, oblong), chosen)
                    if isinstance(made, Sample):
                        full += [made] * (plain(made.wanted) != [])
                        yield made
                    elif made is not None:
                        without.append(made)
    if without and not full:
        message = f"{operator.meaning.name} has a value on no arguments that were tried, but for empty results"
        raise operator.meaning.error(f"{message} ({without[0].reason})")


def _drawn(
    operator: Operator, types: Mapping[TypeVariable, ScalarType], sizes: tuple[int, int, bool], chosen: random.Random
) -> Sample | _NoValue | None:
    """The first application that is one, of larger, then small values; None where what the operator requires never holds."""
    drawn = (_sample(operator, types, sizes, chosen, small=small) for small in SMALLER)
    return next((each for each in drawn if each is not None), None)


def _typings(operator: Operator) -> Iterator[dict[TypeVariable, ScalarType]]:
    """Choices of the operator's type variables."""
    patterns = [*(param.pattern for param in operator.params), operator.result]
    variables = list(dict.fromkeys(variable for pattern in patterns for variable in pattern.variables))
    for chosen in itertools.product(*(TYPES[variable.kind] for variable in variables)):
        yield dict(zip(variables, chosen, strict=True))


def _sample(
    operator: Operator,
    types: Mapping[TypeVariable, ScalarType],
    sizes: tuple[int, int, bool],
    chosen: random.Random,
    *,
    small: bool,
) -> Sample | _NoValue | None:
    """One application with so many axes of that length, of any lengths where the last of `sizes` says so.

    `small`: lengths and integers are such that places lie inside, and two lengths are often the same.
    """
    rank, length, oblong = sizes
    values: list[Any] = []
    arg_types: list[Type] = []
    several = operator.elementwise and rank and len(operator.params) > 1
    scalar = chosen.randrange(-1, len(operator.params)) if several else -1  # which one is none beside tensors
    for position, param in enumerate(operator.params):
        axes = rank if operator.elementwise and position != scalar and not is_size(param) else param.pattern.rank
        if param.pattern.takes:
            called = FunctionType(_takes(param.pattern, types), _element(param.pattern, types))
            arg_types.append(called)
            values.append(function(called, chosen))
            continue
        element = _element(param.pattern, types)
        most = 2 if rank > 2 else 3 if axes > 2 else LENGTHS[-1]
        lengths = LENGTHS[1:4] if small else LENGTHS
        shape = tuple(min(chosen.choice(lengths) if oblong else length, most) for _ in range(axes))
        values.append(_filled(shape, element, chosen, small=small))
        arg_types.append(TensorType(element, axes) if axes else element)
    result = _element(operator.result, types)
    instance = operator.instantiate(tuple(arg_types), result)
    env = {param.name: value for param, value in zip(instance.params, values, strict=True)}
    domain = range(-1, (LENGTHS[-1] if oblong else length) + 1)
    try:
        if not all(evaluate(each, env, domain=lambda binder: domain) for each in instance.requires):
            return None
        wanted = evaluate(instance.body, env)
    except (SourceUndefined, LimitExceeded) as problem:
        if _of_numbers(problem):
            return _NoValue(str(problem))
        shown = ", ".join(f"{name} = {show(value)}" for name, value in env.items())
        message = f"{operator.meaning.name} is not defined on {shown} ({problem}); state what it needs as requires="
        raise operator.meaning.error(message) from problem
    whole = type_of(instance.body)
    axes = whole.rank if isinstance(whole, TensorType) else 0
    return Sample(tuple(arg_types), tuple(values), result, wanted, axes)


def _of_numbers(problem: SourceUndefined | LimitExceeded) -> bool:
    """Whether machine integers overflow, or a real function has no value: what the types say, not a gap in the meaning."""
    text = str(problem)
    if isinstance(problem, LimitExceeded) or any(word in text for word in NO_NUMBER):
        return True
    return "zero" in text and not problem.immediate


def _element(pattern: TypePattern, types: Mapping[TypeVariable, ScalarType]) -> ScalarType:
    return types[pattern.element] if isinstance(pattern.element, TypeVariable) else pattern.element


def _takes(pattern: TypePattern, types: Mapping[TypeVariable, ScalarType]) -> tuple[ScalarType, ...]:
    return tuple(types[each] if isinstance(each, TypeVariable) else each for each in pattern.takes)


def _filled(shape: tuple[int, ...], type_: ScalarType, chosen: random.Random, *, small: bool) -> Value:
    """Nested lists of that shape."""
    if not shape:
        return _scalar(type_, chosen, small=small)
    return [_filled(shape[1:], type_, chosen, small=small) for _ in range(shape[0])]


def _scalar(type_: ScalarType, chosen: random.Random, *, small: bool) -> Value:
    """A value that the type holds exactly; extremes are among them, unless it is to be small."""
    match type_:
        case MachineInt() if small:
            return chosen.randrange(3)
        case MachineInt():
            usual = [0, 1, 2, 3, 7, 100]
            extremes = [type_.low, type_.high] if chosen.random() < 0.2 else []
            return chosen.choice([*usual, *(-each for each in usual if type_.signed), *extremes])
        case RealType():
            return Fraction(chosen.randrange(-24, 25), 8)
        case _:
            return chosen.random() < 0.5 if type_ == BOOL else chosen.randrange(0, 6)


def plain(value: Value) -> Nested:
    """A value of the interpreter in Python's numbers and lists."""
    if isinstance(value, Tensor):
        return plain(value.nested())
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(value) if isinstance(value, Fraction) else value


def show(value: object) -> str:
    """A value for people."""
    return str(plain(value)) if isinstance(value, list | Fraction | Tensor) else str(value)


def application(operator: Operator, sample: Sample) -> str:
    return f"{operator.meaning.name}({', '.join(show(value) for value in sample.values)})"
