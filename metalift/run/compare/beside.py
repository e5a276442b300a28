"""Two programs, run on the same inputs: what each really gives, whatever their models say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any, TypeAlias

from metalift.ir.expr.nodes import Const
from metalift.ir.expr.types import RealType, TensorType
from metalift.ir.interp.functions import to_mpf
from metalift.ir.interp.interpret import AssumeViolated, CheckViolated, LimitExceeded, SourceUndefined, Value, evaluate
from metalift.ir.interp.interpret import run as execute
from metalift.ir.program.fragment import Fragment
from metalift.run.compare.falsify import RETURN, as_tensor
from metalift.run.compare.keyed_results import arguments, entries
from metalift.run.compare.precision import Bounded, SourceReals
from metalift.run.inputs.concrete import Contents, Grid, Scalar, cells_of, plain
from metalift.run.inputs.inputs import Input, Run
from metalift.run.workers.jobs import Runnable
from metalift.run.workers.process import Worker, WorkerFailed
from metalift.vcgen.correspondence import Correspondence, Lengths
from metalift.vcgen.given_back import kept_results

_TOLERANCE = {32: 1e-3, 64: 1e-6}  # of the largest number of the same output: sums may be in another order
_NEAR = 1 / 8  # of a difference over real numbers: as near each program is to its own number where the difference counts
_SLACK = 8.0  # times the bound of the error: as far two programs that round in other ways are apart
_SAME = 2.0**-40  # of real numbers that are equal
_ROUNDED = 1 / 4  # as many inputs as of the others: where more differ by rounding, it is not taken for that
_OWN = 1 / 1024  # of the larger number of the two: less is left to rounding, whatever else is known
_ENDED = 5  # inputs on which a program may end its process; then it is not run any more

Output: TypeAlias = tuple[str, int | None]  # of the first program: an array, or one of the results
Exact: TypeAlias = tuple[Mapping[str, Value], Mapping[str, Value]]  # the first program's outputs over real numbers by both
Exactly: TypeAlias = Callable[[Run], Exact | None]


@dataclass(frozen=True, slots=True)
class Program:
    """A function with what runs it."""

    fragment: Fragment
    source: Runnable

    def answers(
        self, start: Callable[[], Worker], given: Sequence[Sequence[object]], *, strict: bool = True
    ) -> list[dict[str, Any]]:
        """What it gives on these arguments; it is undefined where it ends its process, and if `strict`, where Python computes
        what is no number. Raises WorkerFailed, NotRunnable.
        """
        with start() as worker:
            try:
                return self._together(worker, given, strict)
            except WorkerFailed:
                pass
        found: list[dict[str, Any]] = []
        ended = 0
        while len(found) < len(given):
            with start() as worker:
                try:
                    while len(found) < len(given):
                        found += self._together(worker, [given[len(found)]], strict)
                except WorkerFailed as problem:
                    ended += 1
                    left = 1 if ended <= _ENDED else len(given) - len(found)
                    found += [{"undefined": str(problem)}] * left
        return found

    def _together(self, worker: Worker, given: Sequence[Sequence[object]], strict: bool) -> list[dict[str, Any]]:
        cases = [{"args": arguments(self.fragment, args), "native": True, "emitted": False} for args in given]
        source = {**self.source.wait(), "strict": strict}
        job = {"source": source, "emitted": None, "function": "", **entries(self.fragment), "written": []}
        return [self._kept(answer["native"]) for answer in worker.run({**job, "cases": cases}, len(cases))]

    def _kept(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Without results that are arrays which the function changes."""
        kept = kept_results(self.fragment)
        if kept is None or "results" not in answer:
            return answer
        return {**answer, "results": [answer["results"][at] for at in kept]}


@dataclass(frozen=True, slots=True)
class Ran:
    """Inputs on which both programs gave something, with what is different; and those on which the second one alone did not."""

    compared: tuple[tuple[Input, str | None], ...]
    refused: tuple[tuple[Input, str], ...]

    @property
    def smallest_difference(self) -> str | None:
        """The smallest input on which they gave something else, and what."""
        different = [(each, how) for each, how in self.compared if how is not None]
        smallest = min(different, key=lambda pair: pair[0].cells, default=None)
        return None if smallest is None else f"{smallest[0].text()}: {smallest[1]}"


@dataclass(frozen=True, slots=True)
class Both:
    """Two programs whose parameters correspond."""

    first: Program
    second: Program
    names: Correspondence
    counterparts: Mapping[str, str]  # of the second program's parameters in the first
    written: frozenset[str]  # the second program's arrays in which a difference counts

    def ran(
        self, start: Callable[[], Worker], runs: Sequence[Run], exact: Exactly | None = None, near: Sequence[Run] = ()
    ) -> Ran:
        """Run both. `exact`: what they give over real numbers, which decides where floats differ, and on all runs that are `near`
        a suspect. Raises WorkerFailed, NotRunnable.
        """
        both, inputs = [*near, *runs], [each.input for each in (*near, *runs)]
        first = self.first.answers(start, [tuple(plain(value) for _, value in each.values) for each in inputs])
        second = self.second.answers(start, [self.arguments(each) for each in inputs])
        compared: list[tuple[Input, str | None]] = []
        rounded: list[tuple[Input, str | None]] = []
        refused, warned = [], []
        for at, (run, left, right) in enumerate(zip(both, first, second, strict=True)):
            given = run.input
            if not _usable(left):
                continue
            if _usable(right):
                how = self.difference(left, right)
                known = exact(run) if exact is not None and (how is not None or at < len(near)) else None
                only_rounding = how is not None and known is not None and self.is_rounding(run, left, right, known)
                if how is None and known is not None:
                    how = self.apart(left, right, known)
                (rounded if only_rounding else compared).append((given, how))
            elif _warned(right):
                warned.append((given, left, str(right["undefined"])))
            elif "undefined" in right:
                refused.append((given, str(right["undefined"])))
        again = self.second.answers(start, [self.arguments(given) for given, _, _ in warned], strict=False) if warned else []
        for (given, left, why), right in zip(warned, again, strict=True):  # what is no number need not be in what it gives
            if _usable(right) and self.difference(left, right) is None:
                compared.append((given, None))
            else:
                refused.append((given, why))
        if len(rounded) > len(compared) * _ROUNDED:
            compared += rounded
        return Ran(tuple(compared), tuple(refused))

    def arguments(self, given: Input) -> tuple[object, ...]:
        """The second program's arguments."""
        values = dict(given.values)
        found: list[object] = []
        for param in self.second.fragment.params:
            name = param.var.name
            scalar = self.names.scalars.get(name)
            if name in self.names.arrays:
                found.append(plain(self.contents(given, self.names.arrays[name])))
            elif isinstance(scalar, Const):  # what it is by default
                found.append(plain(scalar.value))
            else:
                value = values[self.counterparts[name]]
                assert not isinstance(value, tuple | Grid)
                found.append(plain(value))
        return tuple(found)

    def shape(self, given: Input, lengths: Lengths) -> tuple[int, ...]:
        """The lengths of an array on an input."""
        env = given.env()
        return tuple(max(0, int(evaluate(extent, env))) for extent in lengths.shape)  # type: ignore[arg-type]

    def contents(self, given: Input, lengths: Lengths) -> Contents:
        """An array of the second program, with the elements of the first one's."""
        shape, value = self.shape(given, lengths), dict(given.values)[lengths.array.name]
        assert isinstance(value, tuple | Grid)
        cells: tuple[Scalar, ...] = cells_of(value)[: prod(shape)]
        cells = (*cells, *(0,) * (prod(shape) - len(cells)))
        return cells if len(shape) == 1 else Grid(shape, cells)

    def difference(self, left: Mapping[str, Any], right: Mapping[str, Any]) -> str | None:
        """What is different, in words."""
        if not self.names.results and len(left["results"]) != len(right["results"]):
            return f"{len(left['results'])} and {len(right['results'])} results"
        for _, one, other in self._pairs(left, right):
            if not _close(_cells(one), _cells(other), self.tolerance):
                return f"{_text(one)} and {_text(other)}"
        return None

    def apart(self, left: Mapping[str, Any], right: Mapping[str, Any], exact: Exact) -> str | None:
        """What is different where both give what they give over real numbers, or nearly."""
        for output, one, other in self._pairs(left, right):
            if any(each.is_apart for each in _places(one, other, output, exact)):
                return f"{_text(one)} and {_text(other)}"
        return None

    def is_rounding(self, run: Run, left: Mapping[str, Any], right: Mapping[str, Any], exact: Exact) -> bool:
        """Whether both give the same over real numbers, and the first program's own arithmetic may be as far off."""
        bounds = self._bounds(run)
        for output, one, other in self._pairs(left, right):
            if _close(_cells(one), _cells(other), self.tolerance):
                continue
            places, near = _places(one, other, output, exact), None if bounds is None else _cells_of(bounds, output)
            if not places or near is None or len(near) != len(places):
                return False
            if not all(place.is_rounding(cell) for place, cell in zip(places, near, strict=True)):
                return False
        return True

    def _bounds(self, run: Run) -> dict[str, Value] | None:
        """The first program's outputs in its own arithmetic, with bounds; None where rounding decides what is computed."""
        reals = SourceReals()
        try:
            outcome = execute(self.first.fragment, run.input.arguments(), reals=reals)
        except (SourceUndefined, AssumeViolated, CheckViolated, LimitExceeded):
            return None
        result, kept = outcome.result, kept_results(self.first.fragment)
        if kept is not None and isinstance(result, tuple):
            result = tuple(result[at] for at in kept)
        given = {} if result is None else {RETURN: result}
        return None if reals.ambiguous else {**outcome.arrays, **given}

    def _pairs(self, left: Mapping[str, Any], right: Mapping[str, Any]) -> list[tuple[Output, Any, Any]]:
        """What both gave for each output of the first program."""
        order = [param.var.name for param in self.first.fragment.params]
        pairs: list[tuple[Output, Any, Any]] = [
            ((RETURN, at), *both) for at, both in enumerate(zip(left["results"], right["results"], strict=False))
        ]
        if self.names.results:
            pairs = []
            for lengths, found in zip(self.names.results, right["results"], strict=True):
                after = left["arrays"][order.index(lengths.array.name)]
                pairs.append(((lengths.array.name, None), _cells(after)[: len(_cells(found))], found))
        for param, after in zip(self.second.fragment.params, right["arrays"], strict=True):
            if after is not None and param.var.name in self.written:
                lengths = self.names.arrays[param.var.name]
                mine = left["arrays"][order.index(lengths.array.name)]
                if mine is not None:
                    pairs.append(((lengths.array.name, None), _cells(mine)[: len(_cells(after))], after))
        return pairs

    @property
    def tolerance(self) -> float:
        """How far floats may be apart, of the largest."""
        types = [param.var.type for program in (self.first, self.second) for param in program.fragment.params]
        elements = [type_.element if isinstance(type_, TensorType) else type_ for type_ in types]
        return _TOLERANCE[32] if any(isinstance(each, RealType) and each.bits == 32 for each in elements) else _TOLERANCE[64]


def _usable(answer: Mapping[str, Any]) -> bool:
    if "undefined" in answer or "error" in answer:
        return False
    values = [cell for each in (*answer["results"], *answer["arrays"]) if each is not None for cell in _cells(each)]
    return all(isfinite(cell) for cell in values if isinstance(cell, float))


def _warned(answer: Mapping[str, Any]) -> bool:
    return str(answer.get("undefined", "")).startswith(FloatingPointError.__name__)


def _cells(value: Any) -> list[Any]:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        return list(value["cells"])
    return list(value) if isinstance(value, list) else [value]


def _close(one: Sequence[Any], other: Sequence[Any], tolerance: float) -> bool:
    if len(one) != len(other):
        return False
    scale = max([1.0, *(abs(float(each)) for each in (*one, *other))])
    floats = any(isinstance(each, float) for each in (*one, *other))
    most = tolerance * scale if floats else 0.0
    return all(abs(float(a) - float(b)) <= most for a, b in zip(one, other, strict=True))


@dataclass(frozen=True, slots=True)
class _Place:
    """What both programs gave for a number, and what they give over real numbers."""

    one: float
    other: float
    left: float
    right: float

    @property
    def is_apart(self) -> bool:
        """Whether both are near their own real numbers, and far from each other."""
        own = max(abs(self.one - self.left), abs(self.other - self.right))
        return abs(self.one - self.other) > max(_OWN * max(abs(self.one), abs(self.other)), own / _NEAR)

    def is_rounding(self, rounded: Value) -> bool:
        """Whether the real numbers are equal, and the bound of the error of a rounded one explains the difference."""
        equal = abs(self.left - self.right) <= _SAME * max(abs(self.left), abs(self.right))
        bound = rounded.bound if isinstance(rounded, Bounded) else 0.0
        return equal and isfinite(bound) and abs(self.one - self.other) <= _SLACK * bound


def _places(one: Any, other: Any, output: Output, exact: Exact) -> list[_Place]:  # noqa: ANN401 (JSON)
    """The floats of an output; none where something is no float, or not known."""
    cells = [_cells(one), _cells(other), *(_exact_cells(each, output) for each in exact)]
    floats = all(isinstance(each, float) for each in (*cells[0], *cells[1])) and all(map(isfinite, (*cells[2], *cells[3])))
    return [_Place(*each) for each in zip(*cells, strict=True)] if floats and len({len(each) for each in cells}) == 1 else []


def _exact_cells(outputs: Mapping[str, Value], output: Output) -> list[float]:
    """The numbers of an output, without any where it has something else."""
    cells = _cells_of(outputs, output) or []
    numbers = not any(each is None or isinstance(each, tuple | list) for each in cells)
    return [float(to_mpf(each)) for each in cells] if numbers else []


def _cells_of(outputs: Mapping[str, Value], output: Output) -> Sequence[Any] | None:
    """The elements of an output, or the one number that it is; None where there is no such output."""
    name, at = output
    value = outputs.get(name)
    if isinstance(value, tuple) and at is not None:
        value = value[at] if at < len(value) else None
    if value is None:
        return None
    tensor = as_tensor(value)
    return [value] if tensor is None else tensor.cells


def _text(value: Any) -> str:  # noqa: ANN401 (JSON)
    cells = _cells(value)
    shown = ", ".join(f"{each:g}" if isinstance(each, float) else str(each) for each in cells[:8])
    return f"[{shown}{', ...' if len(cells) > 8 else ''}]" if isinstance(value, list | dict) else shown
