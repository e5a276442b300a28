"""Whether two computations gave the same: the criterion, element by element.

Integers and booleans must be equal. A real result may be as far from the exact one as the source's own arithmetic could be, times
8: the running error bound of the element, but no more than 8 times the error that the compiled source has, or 16 units in the
last place of the largest intermediate, whichever is more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from metalift.ir.fragment import Fragment
from metalift.ir.interpret import Array, Tensor, Undef, Value
from metalift.ir.types import RealType, TensorType, Type
from metalift.synth.testing.cases import Reference
from metalift.synth.testing.precision import ROUNDOFF, Bounded

RETURN = "return"
Number = bool | int | float

_SLACK = 8.0
_LAST_PLACES = 16.0
_FLOOR = 4.0  # units in the last place of the result itself that are always allowed once there is any arithmetic


@dataclass(frozen=True, slots=True)
class Output:
    """One result: its name ("return" or an array), its exact value, and bounds of the source's arithmetic, if real."""

    name: str
    exact: Sequence[Value]
    bounds: Sequence[float] | None
    is_list: bool
    width: int  # of floats, 0 for integers
    parts: tuple[tuple[float, float], ...]  # exact values of reals as the unevaluated sum of two doubles

    def errors(self, values: Sequence[Number]) -> list[float]:
        """The distance of each value from the exact one."""
        return [abs((value - high) - low) for value, (high, low) in zip(values, self.parts, strict=True)]


def outputs(fragment: Fragment, reference: Reference) -> list[Output]:
    """The result and the array parameters; a scalar result is a list of one."""
    found: list[Output] = []
    outcome, rounded = reference.run.outcome, reference.rounded
    if fragment.result is not None and outcome.result is not None:
        found.append(_output(RETURN, outcome.result, None if rounded is None else rounded.result, fragment.result))
    changed = _changed(reference)
    for param in fragment.params:
        name = param.var.name
        if not isinstance(param.var.type, TensorType):
            continue
        if name not in changed:
            found.append(Output(name, _as_passed(reference, name), None, True, 0, ()))
        else:
            contents = None if rounded is None else rounded.arrays[name]
            assert not isinstance(contents, dict), "references are run on arrays with ends"
            found.append(_output(name, reference.run.final[name], contents, param.var.type))
    return found


def _changed(reference: Reference) -> set[str]:
    """The arrays that the source writes in this run, under any of their names."""
    owners = dict(reference.run.input.shared)
    written = {name for name, touched in reference.run.outcome.touched.items() if touched.written is not None}
    buffers = {owners.get(name, name) for name in written}
    return written | buffers | {name for name, owner in owners.items() if owner in buffers}


def _as_passed(reference: Reference, name: str) -> list[Value]:
    """The numbers that were given for an array."""
    owner = dict(reference.run.input.shared).get(name, name)
    contents = dict(reference.run.input.values)[owner]
    assert isinstance(contents, tuple)
    return [float(item) if isinstance(item, Fraction) else item for item in contents]


def _output(name: str, exact: Value, rounded: Value | None, type_: Type) -> Output:
    element = type_.element if isinstance(type_, TensorType) else type_
    width = element.bits if isinstance(element, RealType) else 0
    values = exact if isinstance(exact, list) else [exact]
    bounds: list[float] | None = None
    if rounded is not None and width:
        numbers = rounded if isinstance(rounded, list) else [rounded]
        bounds = [number.bound if isinstance(number, Bounded) else inf for number in numbers]
    parts = tuple(_two_doubles(value) for value in values) if width else ()
    return Output(name, values, bounds, isinstance(exact, list), width, parts)


def _two_doubles(exact: Value) -> tuple[float, float]:
    assert not isinstance(exact, tuple | list | Tensor | Array | Undef), "results are compared element by element"
    high = float(exact)
    return high, float(exact - Fraction(high)) if isinstance(exact, Fraction | int) else float(exact - high)


@dataclass(frozen=True, slots=True)
class Measure:
    """How far results of one output may be from the exact ones. `source_error`: the greatest error of the compiled source."""

    output: Output
    largest: Mapping[int, float]
    source_error: float = inf

    def first_wrong(self, values: Sequence[Number]) -> int | None:
        """The position of the first value that is too far off, or not finite."""
        if self.output.width == 0:
            pairs = enumerate(zip(values, self.output.exact, strict=True))
            return next((place for place, (value, exact) in pairs if not _equal(value, exact)), None)
        most = max(_SLACK * self.source_error, _LAST_PLACES * self._last_place())
        for place, error in enumerate(self.output.errors(values)):
            if error != 0.0 and not error <= self._tolerance(place, most):  # the error of NaN is NaN
                return place
        return None

    def _last_place(self) -> float:
        """A unit in the last place of the largest intermediate."""
        return max((2 * ROUNDOFF[bits] * size for bits, size in self.largest.items()), default=0.0)

    def _tolerance(self, place: int, most: float) -> float:
        bound = inf if self.output.bounds is None else self.output.bounds[place]
        least = _FLOOR * 2 * ROUNDOFF[self.output.width] * abs(self.output.parts[place][0]) if self.largest else 0.0
        return max(least, min(_SLACK * bound, most))


def _equal(value: Number, exact: Value) -> bool:
    """Whether both are the same number and, for integers, of the same kind: 3.0 is no integer."""
    return value == exact and isinstance(value, float) == isinstance(exact, float)


def relative_difference(left: Sequence[Number], right: Sequence[Number]) -> float:
    """The greatest |a - b| / max(|a|, |b|) of two lists."""
    pairs = zip(left, right, strict=True)
    return max((abs(a - b) / max(abs(a), abs(b)) for a, b in pairs if a != b), default=0.0)
