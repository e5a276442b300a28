"""Every operator of the tensor driver: its executed spelling computes its meaning, with the dtype that it states."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import pytest

from drivers.tensor import driver
from metalift.codegen.templates import fill_template
from metalift.driver import Operator, Target, is_size, scalar_of
from metalift.ir.interpret import SourceUndefined, Tensor, Value, evaluate
from metalift.ir.nodes import type_of
from metalift.ir.types import BOOL, DOUBLE, FLOAT, INT, INT32, INT64, UINT8, MachineInt, RealType, ScalarType, TensorType, Type
from metalift.meaning.annotations import Kind, TypePattern, TypeVariable

Engine: TypeAlias = Any  # the module numpy or torch
Array: TypeAlias = Any  # an array of either, or a plain number
UINT32 = MachineInt(32, False)
ENGINES = {"numpy": "numpy", "pytorch": "torch"}
CHOICES = {
    Kind.SCALAR: (BOOL, UINT8, INT32, FLOAT),
    Kind.NUMBER: (UINT8, INT32, INT64, FLOAT, DOUBLE),
    Kind.INTEGER: (UINT8, INT32, INT64),
    Kind.REAL: (FLOAT, DOUBLE),
}
LENGTHS = (0, 1, 2, 5)
SPELLED = [(op.name, target.name) for op in driver.operators.values() for target in driver.targets if op.spelling(target.name)]
ON_NUMBERS = [
    (op.name, target.name)
    for op in driver.operators.values()
    for target in driver.targets
    if op.spelling(target.name, on_numbers=True)
]


def scalar(type_: ScalarType, chosen: random.Random) -> Value:
    """A value that the type holds exactly, extremes among them."""
    match type_:
        case MachineInt():
            small = [0, 1, 2, 3, 7, 100]
            return chosen.choice([*small, *(-each for each in small if type_.signed), 127, 31 if type_.signed else 255])
        case RealType():
            return Fraction(chosen.randrange(-24, 25), 8)
        case _:
            return chosen.random() < 0.5 if type_ == BOOL else chosen.randrange(0, 6)


def filled(shape: tuple[int, ...], type_: ScalarType, chosen: random.Random) -> Value:
    """Nested lists of that shape."""
    if not shape:
        return scalar(type_, chosen)
    return [filled(shape[1:], type_, chosen) for _ in range(shape[0])]


def typings(operator: Operator) -> Iterator[dict[TypeVariable, ScalarType]]:
    """Choices of the operator's type variables."""
    patterns = [*(param.pattern for param in operator.params), operator.result]
    variables = list(dict.fromkeys(p.element for p in patterns if isinstance(p.element, TypeVariable)))
    for chosen in itertools.product(*(CHOICES[variable.kind] for variable in variables)):
        yield dict(zip(variables, chosen, strict=True))


def element(pattern: TypePattern, types: dict[TypeVariable, ScalarType]) -> ScalarType:
    return types[pattern.element] if isinstance(pattern.element, TypeVariable) else pattern.element


def argument(value: Value, type_: Type, engine: Engine, target: Target, *, number: bool) -> Array:
    """A value of the interpreter as the engine's, or as a plain Python number."""
    element_type = scalar_of(type_)
    real = isinstance(element_type, RealType)
    if number:
        return floats(value) if real else value
    dtype = eval(target.dtypes[element_type], {engine.__name__.replace("numpy", "np"): engine, "torch": engine})
    array = engine.asarray(floats(value), dtype=dtype)
    rank = type_.rank if isinstance(type_, TensorType) else 0
    return array.reshape((0,) * rank) if rank > array.ndim else array


def floats(value: Value) -> Array:
    if isinstance(value, list):
        return [floats(each) for each in value]
    return float(value) if isinstance(value, Fraction) else value


def run(template: str, operator: Operator, args: list[Array], target: Target, result: Type) -> Array:
    """The spelling on the arguments."""
    space: dict[str, Any] = {f"arg_{param.name}": arg for param, arg in zip(operator.params, args, strict=True)}
    for statement in target.imports.values():
        exec(statement, space)
    names: dict[str, ast.expr] = {param.name: ast.Name(f"arg_{param.name}", ast.Load()) for param in operator.params}
    names["dtype"] = ast.parse(target.dtypes.get(scalar_of(result), "None"), mode="eval").body
    tree = ast.fix_missing_locations(ast.Expression(fill_template(template, names)))
    return eval(compile(tree, "spelling", "eval"), space)


def arrangements(operator: Operator) -> Iterator[tuple[str, ...]]:
    """For each parameter: a tensor, an array without axes, or a plain number."""
    if not operator.elementwise:
        yield tuple("number" if is_size(p) else "tensor" if p.pattern.rank else "array" for p in operator.params)
        return
    for kinds in itertools.product(("tensor", "array", "number"), repeat=len(operator.params)):
        if set(kinds) != {"number"} or operator.plain == {param.name for param in operator.params}:
            yield kinds


def close(found: Array, wanted: Value, type_: ScalarType) -> bool:
    if isinstance(wanted, Tensor):
        wanted = wanted.nested()
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(close(a, b, type_) for a, b in zip(found, wanted, strict=True))
    if isinstance(type_, RealType):
        exact = float(floats(wanted))
        return bool(abs(float(found) - exact) <= 2e-6 * max(1.0, abs(exact)))
    return bool(found == wanted)


def shapes(operator: Operator, length: int) -> dict[str, tuple[int, ...]]:
    """Shapes of tensor parameters: all axes of one length, which every operator takes."""
    return {param.name: (length,) * param.pattern.rank for param in operator.params}


@pytest.mark.parametrize(("name", "target_name"), SPELLED)
def test_a_spelling_computes_the_meaning(name: str, target_name: str) -> None:
    engine = pytest.importorskip(ENGINES[target_name])
    operator, target = driver.operators[name], driver.target(target_name)
    template = operator.spelling(target_name)
    assert template is not None
    chosen = random.Random(name)
    compared = 0
    for types in typings(operator):
        for kinds in arrangements(operator):
            if not operator.takes(target, tuple(kind == "number" for kind in kinds)) or not typed(operator, kinds):
                continue
            for length in LENGTHS:
                compared += conforms(operator, target, engine, (types, kinds, length), template, chosen)
    assert compared >= 3


def typed(operator: Operator, kinds: tuple[str, ...]) -> bool:
    """Whether the result's dtype comes from an array among the arguments of its type."""
    own = [kind for kind, param in zip(kinds, operator.params, strict=True) if param.pattern.element == operator.result.element]
    return not own or len(own) == len(kinds) or any(kind != "number" for kind in own)


def conforms(
    operator: Operator,
    target: Target,
    engine: Engine,
    choice: tuple[dict[TypeVariable, ScalarType], tuple[str, ...], int],
    template: str,
    chosen: random.Random,
) -> bool:
    """Compares one application; False where the interpreter finds it undefined or outside of what is required."""
    types, kinds, length = choice
    values: list[Value] = []
    arg_types: list[Type] = []
    for param, kind in zip(operator.params, kinds, strict=True):
        rank = (1 if kind == "tensor" else 0) if operator.elementwise else param.pattern.rank
        scalar_type = element(param.pattern, types)
        values.append(filled((length,) * rank, scalar_type, chosen))
        arg_types.append(TensorType(scalar_type, rank) if rank else scalar_type)
    result = element(operator.result, types)
    instance = operator.instantiate(tuple(arg_types), result)
    env = {param.name: value for param, value in zip(instance.params, values, strict=True)}
    try:
        holds = [evaluate(each, env, domain=lambda var: range(-1, length + 1)) for each in instance.requires]
        if not all(holds):
            return False
        wanted = evaluate(instance.body, env)
    except SourceUndefined:
        return False
    args = [
        argument(value, type_, engine, target, number=kind == "number")
        for value, type_, kind in zip(values, arg_types, kinds, strict=True)
    ]
    found = run(template, operator, args, target, result)
    where = f"{template} on {values} of {arg_types}, {kinds}: {found}, meaning {wanted}"
    assert close(found, wanted, result), where
    if result != INT:
        dtype = eval(target.dtypes[result], {"np": engine, "torch": engine})
        assert found.dtype == dtype, f"{where}: dtype {found.dtype}"
    whole = type_of(instance.body)
    assert getattr(found, "ndim", 0) == (whole.rank if isinstance(whole, TensorType) else 0), where
    return True


@pytest.mark.parametrize(("name", "target_name"), ON_NUMBERS)
def test_a_spelling_for_plain_numbers_computes_the_meaning(name: str, target_name: str) -> None:
    operator, target = driver.operators[name], driver.target(target_name)
    template = operator.spelling(target_name, on_numbers=True)
    assert template is not None
    chosen = random.Random(name)
    compared = 0
    for types in typings(operator):
        for _ in range(20):
            scalars = [element(param.pattern, types) for param in operator.params]
            values = [scalar(type_, chosen) for type_ in scalars]
            result = element(operator.result, types)
            instance = operator.instantiate(tuple(scalars), result)
            env = {param.name: value for param, value in zip(instance.params, values, strict=True)}
            try:
                if not all(evaluate(each, env) for each in instance.requires):
                    continue
                wanted = evaluate(instance.body, env)
            except SourceUndefined:
                continue
            found = run(template, operator, [floats(value) for value in values], target, result)
            assert close(found, wanted, result), f"{template} on {values}: {found}, meaning {wanted}"
            compared += 1
    assert compared >= 10
