"""The meaning of an operator as the Python function it is, beside the interpreter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

from metalift.app.conformance.same_results import Runs
from metalift.app.conformance.samples import SHOWN, Nested, Sample, application, plain, show
from metalift.driver import Operator
from metalift.ir.expr.nodes import Call
from metalift.ir.expr.types import MachineInt, RealType, ScalarType, TensorType
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.interpret import SourceUndefined, Tensor, Value


def in_cpython(operator: Operator, samples: Sequence[Sample]) -> Runs:
    """The meaning as the Python function it is, beside the interpreter."""
    agreed = 0
    for sample in samples:
        if operator.axes or (operator.elementwise and any(isinstance(type_, TensorType) for type_ in sample.types)):
            continue  # the meaning is on scalars, or on a vector
        transcendental = _calls(operator, sample)
        values = [plain(value) if transcendental else value for value in sample.values]
        try:
            found = operator.meaning.source.function(*values)
        except SourceUndefined:  # a function that was given leaves its type, which only matters where its value is kept
            continue
        except (ArithmeticError, LookupError, ValueError, TypeError, RecursionError) as error:
            return Runs(agreed, f"{application(operator, sample)} raises {type(error).__name__} in CPython: {error}")
        if not agrees(found, sample.wanted, sample.result, modulo=True):
            here, wanted, gives = first_difference(found, sample.wanted, sample.result, modulo=True)
            return Runs(agreed, f"{application(operator, sample)}{here} is {show(wanted)}, in CPython {show(gives)}")
        agreed += 1
    return Runs(agreed)


def _calls(operator: Operator, sample: Sample) -> bool:
    """Whether the meaning calls functions of `math`, which take floats."""
    body = operator.instantiate(sample.types, sample.result).body
    return any(isinstance(part, Call) for part in subexpressions(body))


def agrees(found: Nested, wanted: Value, type_: ScalarType, *, modulo: bool = False) -> bool:
    """Equal, reals up to rounding; `modulo`: machine integers modulo their size, which `convert` leaves to the reader."""
    if isinstance(wanted, Tensor):
        wanted = wanted.nested()
    if isinstance(wanted, list):
        if not isinstance(found, list | tuple) or len(found) != len(wanted):
            return False
        return all(agrees(one, other, type_, modulo=modulo) for one, other in zip(found, wanted, strict=True))
    if isinstance(type_, MachineInt | RealType) and not isinstance(found, Real):
        return False
    if modulo and isinstance(type_, MachineInt):
        return type_.wrap(math.trunc(found)) == wanted
    if isinstance(type_, RealType):
        exact = float(plain(wanted))
        return bool(abs(float(found) - exact) <= (1e-11 if type_.bits == 64 else 2e-6) * max(1.0, abs(exact)))
    return bool(found == wanted)


def first_difference(found: Nested, wanted: Value, type_: ScalarType, *, modulo: bool = False) -> tuple[str, Value, Nested]:
    """Where two values differ, what is wanted there and what was found: the whole of them where they are short or no lists."""
    nested = wanted.nested() if isinstance(wanted, Tensor) else wanted
    if not isinstance(nested, list) or len(nested) <= SHOWN or not isinstance(found, list) or len(found) != len(nested):
        return "", wanted, found
    pairs = enumerate(zip(found, nested, strict=True))
    at, (one, other) = next((at, pair) for at, pair in pairs if not agrees(*pair, type_, modulo=modulo))
    inner, value, gives = first_difference(one, other, type_, modulo=modulo)
    return f"[{at}]{inner}", value, gives
