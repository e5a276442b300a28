"""Conformance of a driver: meanings are accepted and total, and CPython, the interpreter and the engines agree on them.

A meaning runs as a Python function in CPython, as a term in the interpreter, and as its spelling in the target's library where
that is installed: on no element, one and more, small values, and extremes of each type. A value on which a meaning is not defined
although what the operator requires holds shows that it is partial. This is testing; facts about recursive meanings are proved.
"""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

from metalift.codegen.templates import fill_template
from metalift.driver import Driver, DriverError, Operator, Target, is_size, scalar_of
from metalift.driver_files import Loaded
from metalift.facts import facts, prove_facts, recursive
from metalift.ir.interpret import LimitExceeded, SourceUndefined, Tensor, Value, evaluate
from metalift.ir.nodes import Call
from metalift.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    INT32,
    INT64,
    REAL,
    UINT8,
    MachineInt,
    RealType,
    ScalarType,
    TensorType,
    Type,
)
from metalift.ir.walk import subexpressions
from metalift.meaning.annotations import Kind, TypePattern, TypeVariable
from metalift.prove.solver import SolverPool
from metalift.verdict import ObligationVerdict

Array: TypeAlias = Any  # of an engine, or a plain number
TYPES = {
    Kind.SCALAR: (BOOL, UINT8, INT32, FLOAT),
    Kind.NUMBER: (UINT8, INT32, INT64, FLOAT, DOUBLE),
    Kind.INTEGER: (UINT8, INT32, INT64),
    Kind.REAL: (FLOAT, DOUBLE),
}
LENGTHS = (0, 1, 2, 3, 5)
RANKS = (0, 1, 2, 3, 4)  # of the tensors that elementwise operators are tried on
NO_NUMBER = ("does not fit", "shift", "it needs", "too large", "overflows", "no finite value", "not a number")
TRIES = 2  # at each choice of types, arrangement and length


@dataclass(frozen=True, slots=True)
class Runs:
    """What came of running an operator in one place: how many applications agreed, and the first that did not."""

    agreed: int = 0
    failure: str = ""
    missing: str = ""  # the library that is not installed

    @property
    def ok(self) -> bool:
        """Whether nothing disagreed."""
        return not self.failure


@dataclass(frozen=True, slots=True)
class OperatorCheck:
    """What was found about one operator. `problem` says where its meaning is not accepted."""

    name: str
    line: int
    problem: str = ""
    meaning: Runs = field(default_factory=Runs)
    engines: Mapping[str, Runs] = field(default_factory=dict)
    facts: tuple[tuple[str, bool], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is accepted and everything that ran agreed; facts that do not hold are not used, and no failure."""
        return not self.problem and self.meaning.ok and all(runs.ok for runs in self.engines.values())


def check_driver(driver: Driver, pool: SolverPool, timeout: float = 10.0) -> list[OperatorCheck]:
    """Check every operator; `timeout` in seconds bounds the proof of one fact."""
    spaces = {target.name: _space(target) for target in driver.targets if target.language == "python"}
    return [_check(driver, operator, spaces, pool, timeout) for operator in driver.operators.values()]


def report(loaded: Loaded) -> tuple[str, bool]:
    """A table of all operators of a driver, and whether all conform."""
    with SolverPool() as pool:
        checks = check_driver(loaded.driver, pool)
    return table(checks, loaded.driver, str(loaded.path)), all(check.ok for check in checks)


def _space(target: Target) -> dict[str, Any] | str:
    """The names that spellings may use, or the library that is missing."""
    space: dict[str, Any] = {}
    for statement in target.imports.values():
        try:
            exec(statement, space)
        except ImportError as error:
            return error.name or statement
    exec(target.preamble, space)
    return space


def _check(
    driver: Driver, operator: Operator, spaces: Mapping[str, dict[str, Any] | str], pool: SolverPool, timeout: float
) -> OperatorCheck:
    line = operator.meaning.source.tree.lineno
    try:
        samples = list(_samples(operator))
        meaning = _in_cpython(operator, samples)
        known = _facts(operator, pool, timeout)
    except DriverError as error:
        return OperatorCheck(operator.name, line, error.reason)
    engines = {}
    for name, space in spaces.items():
        target = driver.target(name)
        if operator.spelling(name) is None and operator.spelling(name, on_numbers=True) is None:
            continue
        engines[name] = Runs(missing=space) if isinstance(space, str) else _in_engine(operator, target, space, samples)
    return OperatorCheck(operator.name, line, "", meaning, engines, known)


# Applications


@dataclass(frozen=True, slots=True)
class Sample:
    """One application: argument types, values, the result's element type, and what the meaning gives in the interpreter."""

    types: tuple[Type, ...]
    values: tuple[Value, ...]
    result: ScalarType
    wanted: Value


def _samples(operator: Operator) -> Iterator[Sample]:
    """Applications on which what the operator requires holds. Raises DriverError where the meaning is partial on one."""
    chosen = random.Random(operator.name)
    for types in _typings(operator):
        for rank in RANKS if operator.elementwise else (0,):
            for length in LENGTHS:
                for _ in range(TRIES):
                    sample = _sample(operator, types, rank, length, chosen)
                    if sample is not None:
                        yield sample


def _typings(operator: Operator) -> Iterator[dict[TypeVariable, ScalarType]]:
    """Choices of the operator's type variables."""
    patterns = [*(param.pattern for param in operator.params), operator.result]
    variables = list(dict.fromkeys(p.element for p in patterns if isinstance(p.element, TypeVariable)))
    for chosen in itertools.product(*(TYPES[variable.kind] for variable in variables)):
        yield dict(zip(variables, chosen, strict=True))


def _sample(
    operator: Operator, types: Mapping[TypeVariable, ScalarType], rank: int, length: int, chosen: random.Random
) -> Sample | None:
    values: list[Value] = []
    arg_types: list[Type] = []
    scalar = chosen.randrange(len(operator.params)) if operator.elementwise and rank and len(operator.params) > 1 else -1
    for position, param in enumerate(operator.params):
        axes = rank if operator.elementwise and position != scalar else param.pattern.rank
        element = _element(param.pattern, types)
        shape = (min(length, 2),) * axes if rank > 2 else (length,) * axes
        values.append(_filled(shape, element, chosen))
        arg_types.append(TensorType(element, axes) if axes else element)
    result = _element(operator.result, types)
    instance = operator.instantiate(tuple(arg_types), result)
    env = {param.name: value for param, value in zip(instance.params, values, strict=True)}
    domain = range(-1, length + 1)
    try:
        if not all(evaluate(each, env, domain=lambda binder: domain) for each in instance.requires):
            return None
        wanted = evaluate(instance.body, env)
    except (SourceUndefined, LimitExceeded) as problem:
        if _of_numbers(problem):
            return None
        shown = ", ".join(f"{name} = {show(value)}" for name, value in env.items())
        message = f"{operator.meaning.name} is not defined on {shown} ({problem}); state what it needs as requires="
        raise operator.meaning.error(message) from problem
    return Sample(tuple(arg_types), tuple(values), result, wanted)


def _of_numbers(problem: SourceUndefined | LimitExceeded) -> bool:
    """Whether machine integers overflow, or a real function has no value: what the types say, not a gap in the meaning."""
    text = str(problem)
    if isinstance(problem, LimitExceeded) or any(word in text for word in NO_NUMBER):
        return True
    return "zero" in text and not problem.immediate


def _element(pattern: TypePattern, types: Mapping[TypeVariable, ScalarType]) -> ScalarType:
    return types[pattern.element] if isinstance(pattern.element, TypeVariable) else pattern.element


def _filled(shape: tuple[int, ...], type_: ScalarType, chosen: random.Random) -> Value:
    """Nested lists of that shape."""
    if not shape:
        return _scalar(type_, chosen)
    return [_filled(shape[1:], type_, chosen) for _ in range(shape[0])]


def _scalar(type_: ScalarType, chosen: random.Random) -> Value:
    """A value that the type holds exactly; extremes are among them."""
    match type_:
        case MachineInt():
            small = [0, 1, 2, 3, 7, 100]
            extremes = [type_.low, type_.high] if chosen.random() < 0.2 else []
            return chosen.choice([*small, *(-each for each in small if type_.signed), *extremes])
        case RealType():
            return Fraction(chosen.randrange(-24, 25), 8)
        case _:
            return chosen.random() < 0.5 if type_ == BOOL else chosen.randrange(0, 6)


# CPython


def _in_cpython(operator: Operator, samples: Sequence[Sample]) -> Runs:
    """The meaning as the Python function it is, beside the interpreter."""
    agreed = 0
    for sample in samples:
        if operator.elementwise and any(isinstance(type_, TensorType) for type_ in sample.types):
            continue
        transcendental = _calls(operator, sample)
        values = [plain(value) if transcendental else value for value in sample.values]
        try:
            found = operator.meaning.source.function(*values)
        except (ArithmeticError, LookupError, ValueError, TypeError, RecursionError) as error:
            return Runs(agreed, f"{_application(operator, sample)} raises {type(error).__name__} in CPython: {error}")
        if not _agrees(found, sample.wanted, sample.result, modulo=True):
            return Runs(agreed, f"{_application(operator, sample)} is {show(sample.wanted)}, in CPython {show(found)}")
        agreed += 1
    return Runs(agreed)


def _calls(operator: Operator, sample: Sample) -> bool:
    """Whether the meaning calls functions of `math`, which take floats."""
    body = operator.instantiate(sample.types, sample.result).body
    return any(isinstance(part, Call) for part in subexpressions(body))


# Engines


def _in_engine(operator: Operator, target: Target, space: Mapping[str, Any], samples: Sequence[Sample]) -> Runs:
    """The spelling, run beside the interpreter: on tensors, arrays without axes, and plain numbers, as the target takes them."""
    agreed = 0
    for sample in samples:
        for numbers in _arrangements(operator, target, sample):
            failure = _run(operator, target, space, sample, numbers)
            if failure:
                return Runs(agreed, failure)
            agreed += 1
    return Runs(agreed)


def _arrangements(operator: Operator, target: Target, sample: Sample) -> Iterator[tuple[bool, ...]]:
    """Which arguments are plain numbers."""
    options: list[tuple[bool, ...]] = []
    for param, type_ in zip(operator.params, sample.types, strict=True):
        if isinstance(type_, TensorType):
            options.append((False,))
        elif is_size(param) or target.layout is None:
            options.append((True,))
        else:
            options.append((False, True))
    for numbers in itertools.product(*options):
        if not operator.takes(target, numbers):
            continue
        own = [n for n, param in zip(numbers, operator.params, strict=True) if param.pattern.element == operator.result.element]
        if not own or all(numbers) or not all(own):
            yield numbers


def _run(operator: Operator, target: Target, space: Mapping[str, Any], sample: Sample, numbers: tuple[bool, ...]) -> str:
    """What disagrees, nothing where the spelling computes the meaning."""
    on_numbers = bool(numbers) and all(numbers)
    template = operator.spelling(target.name, on_numbers=on_numbers) or operator.spelling(target.name)
    assert template is not None
    names: dict[str, ast.expr] = {param.name: ast.Name(f"arg_{param.name}", ast.Load()) for param in operator.params}
    names["dtype"] = _dtype(target, sample.result)
    tree = ast.fix_missing_locations(ast.Expression(fill_template(template, names)))
    scope = dict(space)
    for param, value, type_, number in zip(operator.params, sample.values, sample.types, numbers, strict=True):
        scope[f"arg_{param.name}"] = plain(value) if number else _array(value, type_, target, space)
    where = f"{ast.unparse(tree)} on {', '.join(show(value) for value in sample.values)}"
    try:
        found = eval(compile(tree, "spelling", "eval"), scope)
    except Exception as error:  # noqa: BLE001 - a library may raise anything
        return f"{where} raises {type(error).__name__}: {error}"
    if not _agrees(found, sample.wanted, sample.result):
        return f"{where} gives {found}, the meaning {show(sample.wanted)}"
    dtype = getattr(found, "dtype", None)
    if not on_numbers and sample.result != INT and sample.result in target.dtypes:
        wanted = eval(target.dtypes[sample.result], scope)
        if dtype != wanted:
            return f"{where} has the dtype {dtype}, not {wanted}"
    return ""


def _array(value: Value, type_: Type, target: Target, space: Mapping[str, Any]) -> Array:
    """A value as an array of the engine."""
    if target.layout is None:
        return plain(value)
    element, rank = scalar_of(type_), type_.rank if isinstance(type_, TensorType) else 0
    scope = {**space, "made": plain(value)}
    template = fill_template(target.layout.array, {"value": ast.Name("made", ast.Load()), "dtype": _dtype(target, element)})
    array = eval(compile(ast.fix_missing_locations(ast.Expression(template)), "array", "eval"), scope)
    return array.reshape((0,) * rank) if rank > array.ndim else array


def _dtype(target: Target, element: ScalarType) -> ast.expr:
    return ast.parse(target.dtypes.get(element, "None"), mode="eval").body


def _agrees(found: Array, wanted: Value, type_: ScalarType, *, modulo: bool = False) -> bool:
    """Equal, reals up to rounding; `modulo`: machine integers modulo their size, which `convert` leaves to the reader."""
    if isinstance(wanted, Tensor):
        wanted = wanted.nested()
    if isinstance(wanted, list):
        if len(found) != len(wanted):
            return False
        return all(_agrees(one, other, type_, modulo=modulo) for one, other in zip(found, wanted, strict=True))
    if modulo and isinstance(type_, MachineInt):
        return type_.wrap(math.trunc(found)) == wanted
    if isinstance(type_, RealType):
        exact = float(plain(wanted))
        return bool(abs(float(found) - exact) <= 2e-6 * max(1.0, abs(exact)))
    return bool(found == wanted)


# Facts


def _facts(operator: Operator, pool: SolverPool, timeout: float) -> tuple[tuple[str, bool], ...]:
    """What was proved about a recursive meaning, of exact integers where it takes these, otherwise of reals."""
    if not recursive(operator.meaning):
        return ()
    for number in (INT, REAL):
        elements = [_with(number, param.pattern) for param in operator.params]
        ranks = [param.pattern.rank for param in operator.params]
        types = tuple(TensorType(one, rank) if rank else one for one, rank in zip(elements, ranks, strict=True))
        try:
            stated = facts(operator.meaning, types, _with(number, operator.result))
        except ValueError:
            continue
        made = prove_facts(stated, pool, timeout)
        return tuple((one.claim.name, one.verdict is ObligationVerdict.PROVED) for one in made)
    return ()


def _with(number: ScalarType, pattern: TypePattern) -> ScalarType:
    """The element type of a pattern where its type variables stand for numbers of one type."""
    return number if isinstance(pattern.element, TypeVariable) else pattern.element


# Words


def plain(value: Value) -> Array:
    """A value of the interpreter in Python's numbers and lists."""
    if isinstance(value, Tensor):
        return plain(value.nested())
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(value) if isinstance(value, Fraction) else value


def show(value: object) -> str:
    """A value for people."""
    return str(plain(value)) if isinstance(value, list | Fraction | Tensor) else str(value)


def _application(operator: Operator, sample: Sample) -> str:
    return f"{operator.meaning.name}({', '.join(show(value) for value in sample.values)})"


def table(checks: Sequence[OperatorCheck], driver: Driver, file: str) -> str:
    """One line for each operator, then what is wrong, each with its place in the driver's file."""
    targets = [target.name for target in driver.targets if target.language == "python"]
    width = max(len("operator"), *(len(check.name) for check in checks)) + 2
    lines = [f"{'operator':<{width}}{'accepted':<10}{'CPython':>8}" + "".join(f"{target:>12}" for target in targets) + "  facts"]
    for check in checks:
        cells = [_cell(check.engines.get(target)) for target in targets]
        known = " ".join(f"{name}{'' if proved else ' (not proved)'}" for name, proved in check.facts)
        accepted = "no" if check.problem else "yes"
        cpython = "" if check.problem else str(check.meaning.agreed) if check.meaning.ok else "differs"
        ran = "".join(f"{cell:>12}" for cell in cells)
        lines.append(f"{check.name:<{width}}{accepted:<10}{cpython:>8}{ran}  {known}".rstrip())
    for check in checks:
        failures = [check.problem, check.meaning.failure, *(f"{t}: {r.failure}" for t, r in check.engines.items() if r.failure)]
        lines += [f"{file}:{check.line}: {failure}" for failure in failures if failure]
    missing = dict.fromkeys(r.missing for check in checks for r in check.engines.values() if r.missing)
    lines += [f"{library} is not installed: its spellings were not run" for library in missing]
    good = sum(check.ok for check in checks)
    lines.append(f"{good} of {len(checks)} operators conform")
    return "\n".join(lines)


def _cell(runs: Runs | None) -> str:
    if runs is None:
        return "-"
    return "missing" if runs.missing else str(runs.agreed) if runs.ok else "differs"
