"""Applications of an operator: types, values, and what its meaning gives on them in the interpreter."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from metalift.app.conformance.edges import Aim, filled
from metalift.app.conformance.lengths import LONGEST, USUAL, Lengths, Shapes
from metalift.app.conformance.sample_functions import function
from metalift.driver import Operator
from metalift.driver.meaning.language import Kind, TypePattern, TypeVariable
from metalift.driver.operators import is_size, scalar_of
from metalift.ir.expr.nodes import Expr, Fold, type_of
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
from metalift.ir.expr.walk import free_vars, subexpressions
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
SHOWN = 12  # elements of a list in a message
LARGE = 1 << 20  # reals beyond which sums in another order differ visibly
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


def samples(operator: Operator, refused: set[int] | None = None) -> Iterator[Sample]:
    """Applications on which what the operator requires holds. Raises DriverError where the meaning is partial on one.

    `refused` gets the position, from the end, of each condition of what it requires that did not hold on one that was tried.
    """
    refused = set() if refused is None else refused
    chosen = random.Random(operator.name)
    full: list[Sample] = []
    without: list[_NoValue] = []
    tries = TRIES * max([1, *(len(param.pattern.takes) for param in operator.params)])
    for types in _typings(operator):
        for rank in RANKS if operator.elementwise else (0,):
            for length in LENGTHS:
                for attempt in range(tries):
                    oblong = not operator.elementwise and attempt > 0
                    made = _drawn(operator, types, (rank, length, oblong), chosen, refused)
                    if isinstance(made, Sample):
                        full += [made] * (plain(made.wanted) != [])
                        yield made
                    elif made is not None:
                        without.append(made)
    if without and not full:
        message = f"{operator.meaning.name} has a value on no arguments that were tried, but for empty results"
        raise operator.meaning.error(f"{message} ({without[0].reason})")
    for position, types in enumerate(_typings(operator)):
        yield from _at_edges(operator, types, chosen, refused, long=position == 0)


def _at_edges(
    operator: Operator, types: Mapping[TypeVariable, ScalarType], chosen: random.Random, refused: set[int], *, long: bool
) -> Iterator[Sample]:
    """Applications on both sides of the edges of the meaning, of what it requires and, `long`, of the lengths that it takes."""
    result = _element(operator.result, types)
    if any(param.pattern.takes for param in operator.params) or operator.axes is not None:  # one on vectors has its meaning
        return
    ranks = [0 if operator.elementwise else param.pattern.rank for param in operator.params]
    elements = [_element(param.pattern, types) for param in operator.params]
    arg_types = tuple(TensorType(each, rank) if rank else each for each, rank in zip(elements, ranks, strict=True))
    instance = operator.instantiate(arg_types, result)
    lengths = Lengths(instance)
    usual = lengths.usual()
    shapes = {} if usual is None else lengths.shapes(usual)
    aim = Aim(instance, chosen)
    kept: list[list[Value]] = []
    for found in aim.arguments() if usual is not None else ():
        numbers: list[Value] = [found[param.name] for param in instance.params]
        values = [filled(number, shapes.get(param.name, ())) for number, param in zip(numbers, instance.params, strict=True)]
        made = _application(operator, arg_types, values, result, range(-1, USUAL[0] + 1), refused)
        if isinstance(made, Sample):
            kept.append(numbers)
            yield made
    if not long:
        return
    if operator.elementwise and all(not is_size(param) for param in operator.params) and operator.params:
        alone = [operator.alone(param) for param in operator.params]
        arg_types = tuple(each if one else TensorType(each) for each, one in zip(elements, alone, strict=True))
        every: list[Shapes] = [{param.name: () if operator.alone(param) else (LONGEST,) for param in operator.params}]
    else:
        every = list(lengths.at_limits())
    summed = any(isinstance(part, Fold) for part in subexpressions(instance.body))  # reals in one order or another
    aimed = [[] if summed and isinstance(each, RealType) else [one[at] for one in kept] for at, each in enumerate(elements)]
    for shape in every:
        for mixed in (True, False):
            values = [
                _spread(shape.get(param.name, ()), aimed[at], elements[at], chosen, mixed=mixed)
                for at, param in enumerate(operator.params)
            ]
            domain = range(-1, max((max(each) for each in shape.values() if each), default=0) + 1)
            made = _application(operator, arg_types, values, result, domain, refused)
            if isinstance(made, Sample):
                yield from [made] * (not _is_large(made.wanted))
                break


def _is_large(value: Value) -> bool:
    """Whether a real number in it is beyond what is computed in long sums without an error to speak of."""
    if isinstance(value, list | Tensor):
        return any(map(_is_large, value if isinstance(value, list) else value.nested()))
    number: Any = value
    return not isinstance(number, int | tuple) and bool(abs(number) > LARGE)


def _tiny(type_: ScalarType, chosen: random.Random) -> Value:
    """A value of which many can be added and multiplied without rounding."""
    return Fraction(chosen.randrange(-8, 9), 8) if isinstance(type_, RealType) else scalar(type_, chosen, small=True)


def _spread(shape: Sequence[int], aimed: Sequence[Value], type_: ScalarType, chosen: random.Random, *, mixed: bool) -> Value:
    """Nested lists of that shape whose elements are those numbers in turn; `mixed`: and small ones between them."""
    turn = itertools.cycle(aimed) if aimed else None

    def element() -> Value:
        return _tiny(type_, chosen) if turn is None or (mixed and chosen.random() < 0.3) else next(turn)

    def nested(extents: Sequence[int]) -> Value:
        return [nested(extents[1:]) for _ in range(extents[0])] if extents else element()

    return nested(shape)


def _drawn(
    operator: Operator,
    types: Mapping[TypeVariable, ScalarType],
    sizes: tuple[int, int, bool],
    chosen: random.Random,
    refused: set[int],
) -> Sample | _NoValue | None:
    """The first application that is one, of larger, then small values; None where what the operator requires never holds."""
    drawn = (_sample(operator, types, sizes, chosen, refused, small=small) for small in SMALLER)
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
    refused: set[int],
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
        axes = rank if operator.elementwise and position != scalar and not operator.alone(param) else param.pattern.rank
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
    domain = range(-1, (LENGTHS[-1] if oblong else length) + 1)
    return _application(operator, tuple(arg_types), values, _element(operator.result, types), domain, refused)


def _application(
    operator: Operator, types: tuple[Type, ...], values: Sequence[Value], result: ScalarType, domain: range, refused: set[int]
) -> Sample | _NoValue | None:
    """The application to these values; None where what the operator requires does not hold."""
    instance = operator.instantiate(types, result)
    env = {param.name: value for param, value in zip(instance.params, values, strict=True)}
    try:
        if not all(evaluate(each, env) for each in _of_plain_ones(operator, types, result)):
            return None
        for position, each in enumerate(instance.requires):
            if not evaluate(each, env, domain=lambda binder: domain):
                refused.add(position - len(instance.requires))
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
    return Sample(types, tuple(values), result, wanted, axes)


def _of_plain_ones(operator: Operator, types: tuple[Type, ...], result: ScalarType) -> list[Expr]:
    """What a function of elements requires of its plain parameters alone: programs require that of empty arrays, too."""
    if not operator.plain or not operator.elementwise or not any(isinstance(each, TensorType) for each in types):
        return []
    alone = {param.name for param in operator.params if operator.alone(param)}
    required = operator.instantiate(tuple(map(scalar_of, types)), result).requires
    return [each for each in required if {var.name for var in free_vars(each)} <= alone]


def applied(operator: Operator, sample: Sample, values: Sequence[Value], refused: set[int] | None = None) -> Sample | None:
    """The sample with other values; None where it is none then. `refused` as of `samples`."""
    domain = range(-1, LENGTHS[-1] + 1)
    made = _application(operator, sample.types, values, sample.result, domain, set() if refused is None else refused)
    return made if isinstance(made, Sample) else None


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
        return scalar(type_, chosen, small=small)
    return [_filled(shape[1:], type_, chosen, small=small) for _ in range(shape[0])]


def scalar(type_: ScalarType, chosen: random.Random, *, small: bool) -> Value:
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
    """A value for people; of a long list the first elements and how many there are."""
    if not isinstance(value, list | Fraction | Tensor):
        return str(value)
    numbers = plain(value)
    if not isinstance(numbers, list) or len(numbers) <= SHOWN:
        return str(numbers)
    return f"[{', '.join(map(show, numbers[:4]))}, ... {len(numbers)} in all]"


def application(operator: Operator, sample: Sample) -> str:
    return f"{operator.meaning.name}({', '.join(show(value) for value in sample.values)})"
