"""The spellings of an operator, run in the libraries of their targets beside the interpreter."""

from __future__ import annotations

import ast
import itertools
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from metalift.app.conformance.cpython import agrees, first_difference
from metalift.app.conformance.same_results import Runs
from metalift.app.conformance.sample_functions import Function
from metalift.app.conformance.samples import Nested, Sample, plain, show
from metalift.driver import Operator, Target
from metalift.driver.laws import broken
from metalift.driver.operators import is_size, scalar_of
from metalift.driver.templates import fill_template
from metalift.ir.expr.nodes import Cast, Const, Lambda, type_of
from metalift.ir.expr.types import INT, FunctionType, TensorType, Type
from metalift.ir.interp.interpret import Value
from metalift.run.workers.jobs import dtype, engine_entry, rank
from metalift.run.workers.worker import Engine, Tensor

APPLICATIONS = 8  # of an operator in a library that compiles for each shape
SLOW_APPLICATIONS = 24  # of an operator in a library in which each takes long
_BRANCHES = frozenset({"if", "not"})  # what Python has no way to write for columns
ALONG_AXES = 3  # of each operator among those that differ by their axes only
Application: TypeAlias = tuple[Sample, tuple[bool, ...]]  # and which of its arguments are plain numbers


@dataclass(frozen=True, slots=True)
class Started:
    """A target with its library."""

    target: Target
    engine: Engine

    def array(self, value: Value, type_: Type, *, strided: bool = False) -> Tensor:
        """A value of the interpreter as an array of the library; `strided`: its elements do not lie side by side."""
        layout, nested = self.target.layout, plain(value)
        if layout is None:
            return nested
        shape = _shape(nested, rank(type_))
        if not strided or not shape or layout.lists or layout.update or not layout.shared:  # these have no such
            return self.engine.of(nested, shape, dtype(type_))
        return self.engine.of(_spaced(nested, len(shape)), (*shape[:-1], 2 * shape[-1]), dtype(type_))[..., ::2]


def started(target: Target) -> Started | str:
    """The target's library in this process; what is missing where it is not installed."""
    for variable, value in target.engine.environment.items():
        os.environ.setdefault(variable, value)
    try:
        engine = Engine(engine_entry(target))
    except ImportError as error:
        return error.name or str(error)
    exec(target.preamble, engine.space)
    return Started(target, engine)


def in_engine(operator: Operator, on: Started, samples: Sequence[Sample], most: int | None = None) -> Runs:
    """The spelling, run beside the interpreter: on tensors, arrays without axes, and plain numbers, as the target takes them.

    `most` is how many applications are drawn from these; without it all are run, and few where each would be compiled.
    """
    if operator.groups:  # it is spelled of groups: what its functions compute has to be a value of one, which nothing drawn is
        return Runs(0)
    usable = [sample for sample in samples if _takes_functions(operator, on.target, sample)]
    computed = [sample for sample in usable if _computes(operator, on.target, sample)]
    listed = [(sample, numbers) for sample in computed for numbers in _arrangements(operator, on.target, sample)]
    if most is None and on.target.engine.inputs is not None and any(param.pattern.rank for param in operator.params):
        most = SLOW_APPLICATIONS
    elif most is None and on.target.engine.shapes is not None:
        most = ALONG_AXES if operator.axes is not None else APPLICATIONS
    if most is not None and len(listed) > most:
        listed = _drawn(listed, most, random.Random(operator.name))
    for position, (sample, numbers) in enumerate(listed):
        failure = _run(operator, on, sample, numbers, strided=position % 2 == 1)
        if failure:
            return Runs(position, failure)
    on_numbers = all(all(numbers) for _, numbers in listed)
    return Runs(len(listed), without_arrays=on_numbers and _has_arrays(operator, on.target))


def _has_arrays(operator: Operator, target: Target) -> bool:
    """Whether the target spells a function of elements for arrays."""
    elements = operator.elementwise and not target.lists and not all(map(operator.alone, operator.params))
    return elements and target.layout is not None and operator.spelling(target.name) is not None


def _drawn(listed: Sequence[Application], most: int, chosen: random.Random) -> list[Application]:
    """So many of the applications, half of them from those with the most elements: what differs at an end is seen there."""
    longest = sorted(listed, key=lambda each: -_elements(each[0].values))[: max(most, len(listed) // 4)]
    return chosen.sample(longest, most // 2) + chosen.sample(listed, most - most // 2)


def _elements(value: object) -> int:
    return sum(map(_elements, value)) if isinstance(value, list) else 1


def _takes_functions(operator: Operator, target: Target, sample: Sample) -> bool:
    """Whether its functions are written with what columns have too, and reducers are as they have to be."""
    functions = [value for value in sample.values if isinstance(value, Function)]
    if target.layout is not None and target.layout.columns and any(_BRANCHES & set(each.text.split()) for each in functions):
        return False
    if operator.reducer is None:
        return True
    values = dict(zip((param.name for param in operator.params), sample.values, strict=True))
    function, start = (values[each] for each in operator.reducer)
    assert isinstance(function, Function) and isinstance(start, bool | int | Fraction)
    return broken(Lambda(function.params, function.body), Const(start, type_of(function.body))) is None


def _computes(operator: Operator, target: Target, sample: Sample) -> bool:
    """Whether the target has arrays like these, and it is a conversion, or has no elements of types that are only stored."""
    elements = tuple(scalar_of(type_) for type_ in sample.types if not isinstance(type_, FunctionType))
    if target.layout is not None and any(rank(type_) > target.layout.axes for type_ in sample.types):
        return False
    if target.stored.isdisjoint(elements):
        return True
    return operator.elementwise and isinstance(operator.instantiate(elements, sample.result).body, Cast)


def _arrangements(operator: Operator, target: Target, sample: Sample) -> Iterator[tuple[bool, ...]]:
    """Which arguments are plain numbers."""
    options: list[tuple[bool, ...]] = []
    for param, type_ in zip(operator.params, sample.types, strict=True):
        if isinstance(type_, TensorType | FunctionType):
            options.append((False,))
        elif is_size(param) or target.lists or target.layout is None or target.layout.part:
            options.append((True,))
        else:
            options.append((False, True))
    for numbers in itertools.product(*options):
        if not operator.takes(target, numbers):
            continue
        own = [n for n, param in zip(numbers, operator.params, strict=True) if param.pattern.element == operator.result.element]
        if not own or all(numbers) or not all(own):
            yield numbers


def _run(operator: Operator, on: Started, sample: Sample, numbers: tuple[bool, ...], *, strided: bool) -> str:
    """What disagrees, nothing where the spelling computes the meaning."""
    target, on_numbers = on.target, bool(numbers) and all(numbers)
    tree = spelling(operator, target, sample, on_numbers=on_numbers)
    scope = dict(on.engine.space)
    where = f"{ast.unparse(tree)} on {', '.join(show(value) for value in sample.values)}"
    try:
        for param, value, type_, number in zip(operator.params, sample.values, sample.types, numbers, strict=True):
            if not isinstance(type_, FunctionType):  # those are written out
                scope[f"arg_{param.name}"] = plain(value) if number else on.array(value, type_, strided=strided)
        found = eval(compile(tree, "spelling", "eval"), scope)
        values = on.engine.plain(found)
    except Exception as error:  # noqa: BLE001 - a library may raise anything
        if any(each in str(error) for each in target.engine.overflow):
            return ""
        return f"{where} raises {type(error).__name__}: {error}"
    if not agrees(values, sample.wanted, sample.result):
        here, wanted, gives = first_difference(values, sample.wanted, sample.result)
        return f"{where} gives {show(gives)}{here and f' at {here}'}, the meaning {show(wanted)}"
    if target.layout is not None and (axes := getattr(found, "ndim", sample.axes)) != sample.axes:
        return f"{where} has {axes} axes, not {sample.axes}"
    return "" if on_numbers else _other_dtype(found, target, sample, scope, where)


def _other_dtype(found: Tensor, target: Target, sample: Sample, scope: dict[str, Any], where: str) -> str:
    if sample.result == INT or sample.result not in target.dtypes or target.lists:
        return ""
    has, wanted = getattr(found, "dtype", None), eval(target.dtypes[sample.result], scope)
    return f"{where} has the dtype {has}, not {wanted}" if has != wanted else ""


def spelling(operator: Operator, target: Target, sample: Sample, *, on_numbers: bool) -> ast.Expression:
    """The operator applied to names `arg_x`, ready to be compiled."""
    template = operator.spelling(target.name, on_numbers=on_numbers) or operator.spelling(target.name)
    assert template is not None
    names: dict[str, ast.expr] = {param.name: ast.Name(f"arg_{param.name}", ast.Load()) for param in operator.params}
    for param, value in zip(operator.params, sample.values, strict=True):
        if isinstance(value, Function):
            names[param.name] = ast.parse(value.text, mode="eval").body
    arrays = [param.name for param, type_ in zip(operator.params, sample.types, strict=True) if isinstance(type_, TensorType)]
    names.setdefault("near", ast.Name(f"arg_{arrays[0]}", ast.Load()) if arrays else ast.Constant(value=None))
    names["dtype"] = ast.parse(target.dtypes.get(scalar_of(sample.result), "None"), mode="eval").body
    return ast.fix_missing_locations(ast.Expression(fill_template(template, names)))


def _shape(nested: Nested, axes: int) -> tuple[int, ...]:
    """The shape of nested lists; without rows, there are no columns."""
    if axes == 0:
        return ()
    return (len(nested), *(_shape(nested[0], axes - 1) if nested else (0,) * (axes - 1)))


def _spaced(nested: Nested, axes: int) -> Nested:
    """Every element twice along the last axis."""
    return [_spaced(row, axes - 1) for row in nested] if axes > 1 else [cell for cell in nested for _ in range(2)]
