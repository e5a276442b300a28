"""Whether two computations gave the same: the criterion, element by element.

Integers and booleans must be equal; where rounding decides between several, one of those that the source's own arithmetic allows
will do: the truncations of all that is within the running error bound of the float.

A real result may be as far from the exact one as the source's own arithmetic could be, times 8: the running error bound of the
element, but no more than 8 times the error that the compiled source has, or 16 units in the last place of the largest
intermediate, whichever is more. Where an engine flushes numbers below the least normal one, they may be 0. Where it divides by
products with reciprocals, the bound is that of the source's arithmetic with its quotients rounded so. Where loops stay loops,
rounding is fed back, as in recurrences that are one call: there the running error bound alone counts, up to a thousandth of the
result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isfinite, nan
from typing import cast

from metalift.ir.expr.floats import has_floats
from metalift.ir.expr.nodes import Apply, Expr, Fold, Operator, Var, type_of
from metalift.ir.expr.types import INT64, IntType, RealType, TensorType, TupleType, Type, element_of
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.identities import content, error_bounds
from metalift.ir.interp.interpret import Array, Tensor, Undef, Value
from metalift.ir.interp.values import tensor_of
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.run.compare.cases import Reference
from metalift.run.compare.precision import ROUNDOFF, Bounded
from metalift.run.compare.undecided import span_of
from metalift.run.inputs.concrete import Contents, Grid, cells_of, shape_of

RETURN = "return"
Number = bool | int | float

_SLACK = 8.0
_LAST_PLACES = 16.0
_LEAST_NORMAL = {32: 2.0**-126, 64: 2.0**-1022}
_FED_BACK = 2.0**-10  # of the result: more than that is never taken for rounding that has grown from step to step
_FLOOR = 4.0  # units in the last place of the result itself that are always allowed once there is any arithmetic


@dataclass(frozen=True, slots=True)
class Output:
    """One result: an array parameter, or with a `position` an item of what is returned.

    Of tuples and records with floats each part is a result by itself: `part` leads to it from the whole. `shape` is empty for a
    scalar; `exact` are its exact values, row by row, with bounds of the source's arithmetic, if real.
    """

    name: str
    position: int | None
    shape: tuple[int, ...]
    exact: Sequence[Value]
    bounds: Sequence[float] | None
    width: int  # of floats, 0 for integers
    parts: tuple[tuple[float, float], ...]  # exact values of reals as the unevaluated sum of two doubles
    part: tuple[int, ...] = ()
    spans: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # by place: integers between which rounding decides

    @property
    def called(self) -> str:
        """The name of the output, or of the part."""
        return ".".join((self.name, *map(str, self.part)))

    @property
    def may_leave(self) -> bool:
        """Whether rounding decides if an integer fits the 64 bits that hold it where integers have no bound."""
        return any(low < INT64.low or INT64.high < high for low, high in self.spans.values())

    def errors(self, values: Sequence[Number]) -> list[float]:
        """The distance of each value from the exact one."""
        return [abs((value - high) - low) for value, (high, low) in zip(values, self.parts, strict=True)]


def outputs(fragment: Fragment, reference: Reference) -> list[Output]:
    """The result, or each item of a tuple, and the array parameters."""
    outcome, rounded = reference.run.outcome, reference.rounded
    found = returned(fragment, outcome.result, None if rounded is None else rounded.result)
    changed = _changed(reference)
    for param in fragment.params:
        name = param.var.name
        if not isinstance(param.var.type, TensorType):
            continue
        if name not in changed:
            contents = _as_passed(reference, name)
            cells = [float(item) if isinstance(item, Fraction) else item for item in cells_of(contents)]
            found.append(Output(name, None, shape_of(contents), cells, None, 0, ()))
        else:
            number = None if rounded is None else rounded.arrays[name]
            assert not isinstance(number, dict), "references are run on arrays with ends"
            found += output_of(name, None, reference.run.final[name], number, param.var.type)
    return found


def returned(fragment: Fragment, result: Value | None, rounded: Value | None) -> list[Output]:
    """The result of a run that is exact, and of one in the source's own arithmetic if there is one; each item of a tuple."""
    if fragment.result is None or result is None:
        return []
    types = fragment.result.items if isinstance(fragment.result, TupleType) else (fragment.result,)
    exact = _items(result, fragment.result)
    ours: Sequence[Value | None] = [None] * len(types) if rounded is None else _items(rounded, fragment.result)
    found: list[Output] = []
    for position, (type_, value, number) in enumerate(zip(types, exact, ours, strict=True)):
        name = f"{RETURN}[{position}]" if isinstance(fragment.result, TupleType) else RETURN
        found += output_of(name, position, value, number, type_)
    return found


def _items(value: Value | None, type_: Type) -> list[Value]:
    """The items of a tuple, or the value alone."""
    return list(cast(tuple[Value, ...], value)) if isinstance(type_, TupleType) else [cast(Value, value)]


def _changed(reference: Reference) -> set[str]:
    """The arrays that the source writes in this run, under any of their names."""
    owners = dict(reference.run.input.shared)
    written = {name for name, touched in reference.run.outcome.touched.items() if touched.written is not None}
    buffers = {owners.get(name, name) for name in written}
    return written | buffers | {name for name, owner in owners.items() if owner in buffers}


def _as_passed(reference: Reference, name: str) -> Contents:
    """What was given for an array."""
    owner = dict(reference.run.input.shared).get(name, name)
    contents = dict(reference.run.input.values)[owner]
    assert isinstance(contents, tuple | Grid)
    return contents


def output_of(name: str, position: int | None, exact: Value, rounded: Value | None, type_: Type) -> Iterator[Output]:
    """An output, or one for each part of its tuples."""
    shape, values = flat(exact, type_)
    ours = None if rounded is None else flat(rounded, type_)[1]
    for part, scalar in _parts(element_of(type_)):
        width = scalar.bits if isinstance(scalar, RealType) else 0
        cells = [part_at(value, part) for value in values]
        bounds = None if ours is None or not width else [_bound(number, part) for number in ours]
        sums = tuple(map(_two_doubles, cells)) if width else ()
        spans = {} if ours is None or part else dict(_undecided(ours))
        yield Output(name, position, shape, cells, bounds, width, sums, part, spans)


def _undecided(values: Sequence[Value]) -> Iterator[tuple[int, tuple[int, int]]]:
    for place, value in enumerate(values):
        span = span_of(value)
        if span is not None:
            yield place, span


def _parts(type_: Type) -> Iterator[tuple[tuple[int, ...], Type]]:
    """The parts, with their types, that are compared by themselves: those of tuples and records with floats."""
    if not isinstance(type_, IntType) or not has_floats(type_):
        yield (), type_
        return
    for position, (_, inner) in enumerate(type_.fields):
        yield from (((position, *rest), scalar) for rest, scalar in _parts(inner))


def part_at(value: Value, part: tuple[int, ...]) -> Value:
    """A part of a tuple or record; not a number where the value is none that has it."""
    for position in part:
        found = content(value) if isinstance(value, int) else None
        if not isinstance(found, tuple) or position >= len(found):
            return nan
        value = found[position]
    return value


def _bound(number: Value, part: tuple[int, ...]) -> float:
    """How far the source's arithmetic may be off."""
    if not part:
        return number.bound if isinstance(number, Bounded) else inf
    owner = part_at(number, part[:-1])
    return error_bounds(owner)[part[-1]] if isinstance(owner, int) else inf


def flat(value: Value, type_: Type) -> tuple[tuple[int, ...], Sequence[Value]]:
    """The shape of a value and its elements row by row; a scalar has no axes."""
    if not isinstance(type_, TensorType):
        return (), [value]
    tensor = value if isinstance(value, Tensor) else tensor_of(cast(list[Value], value), type_.rank)
    return tensor.shape, tensor.cells


def _two_doubles(exact: Value) -> tuple[float, float]:
    assert not isinstance(exact, tuple | list | Tensor | Array | Undef), "results are compared element by element"
    high = float(exact)
    if not isinstance(exact, Fraction | int):
        return high, float(exact - high)
    return high, 0.0 if high.as_integer_ratio() == exact.as_integer_ratio() else float(exact - Fraction(high))


@dataclass(frozen=True, slots=True)
class Measure:
    """How far results of one output may be from the exact ones. `source_error`: the greatest error of the compiled source.

    `flushes`: numbers below the least normal one may be 0. `fed_back`: what rounding does in one step goes into the next ones,
    and may grow there in the source as in the generated code, whichever order their sums have.
    """

    output: Output
    largest: Mapping[int, float]
    source_error: float = inf
    flushes: bool = False
    fed_back: bool = False

    def first_wrong(self, values: Sequence[Number]) -> int | None:
        """The position of the first value that is too far off, or not finite."""
        if self.output.width == 0:
            pairs = enumerate(zip(values, self.output.exact, strict=True))
            return next((place for place, (value, exact) in pairs if not self._is_one_of(place, value, exact)), None)
        most = max(_SLACK * self.source_error, _LAST_PLACES * self._last_place())
        for place, error in enumerate(self.output.errors(values)):
            if error != 0.0 and not error <= self._tolerance(place, most):  # the error of NaN is NaN
                return place
        return None

    def may_be_rounding(self, place: int, values: Sequence[Number]) -> bool:
        """Whether rounding that grows from step to step leaves so little of the source's own result that one that is too far off
        may be as good: on such an input nothing is said.
        """
        bound = inf if self.output.bounds is None or place < 0 else self.output.bounds[place]
        return self.fed_back and isfinite(bound) and self.output.errors(values)[place] <= _SLACK * bound

    def _is_one_of(self, place: int, value: Number, exact: Value) -> bool:
        """Whether an integer is the exact one, or one that rounding may make of it."""
        span = self.output.spans.get(place)
        allowed = span is not None and not isinstance(value, float) and span[0] <= value <= span[1]
        return allowed or _equal(value, exact)

    def _last_place(self) -> float:
        """A unit in the last place of the largest intermediate."""
        return max((2 * ROUNDOFF[bits] * size for bits, size in self.largest.items()), default=0.0)

    def _tolerance(self, place: int, most: float) -> float:
        bound = inf if self.output.bounds is None else self.output.bounds[place]
        least = _FLOOR * 2 * ROUNDOFF[self.output.width] * abs(self.output.parts[place][0]) if self.largest else 0.0
        if self.fed_back:
            most = max(most, _FED_BACK * abs(self.output.parts[place][0]))
        return max(least, _LEAST_NORMAL[self.output.width] if self.flushes and self.largest else 0.0, min(_SLACK * bound, most))


def feeds_back(summary: Summary) -> bool:
    """Whether rounding in one step goes into the next ones by a factor, in some fold that is no product."""
    terms = [binding.value for binding in summary.bindings] + [value for _, value in summary.outputs]
    folds = [part for term in terms for part in subexpressions(term) if isinstance(part, Fold)]
    return any(_scales(part, fold.acc) for fold in folds for part in subexpressions(fold.body) if part is not fold.body)


def _scales(part: Expr, acc: Var) -> bool:
    product = isinstance(part, Apply) and part.op in (Operator.MUL, Operator.DIV)
    return product and isinstance(type_of(part), RealType) and acc in free_vars(part)


def _equal(value: Number, exact: Value) -> bool:
    """Whether both are the same number and, for integers, of the same kind: 3.0 is no integer."""
    return value == exact and isinstance(value, float) == isinstance(exact, float)
