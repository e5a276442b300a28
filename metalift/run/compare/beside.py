"""Two programs, run on the same inputs: what each really gives, whatever their models say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

from metalift.ir.expr.nodes import Const
from metalift.ir.expr.types import RealType, TensorType
from metalift.ir.interp.interpret import evaluate
from metalift.ir.program.fragment import Fragment
from metalift.run.compare.keyed_results import arguments, entries
from metalift.run.inputs.concrete import Contents, Grid, Scalar, cells_of, plain
from metalift.run.inputs.inputs import Input
from metalift.run.workers.jobs import Runnable
from metalift.run.workers.process import Worker, WorkerFailed
from metalift.vcgen.correspondence import Correspondence, Lengths
from metalift.vcgen.given_back import kept_results

_TOLERANCE = {32: 1e-3, 64: 1e-6}  # of the largest number of the same output: sums may be in another order
_ENDED = 5  # inputs on which a program may end its process; then it is not run any more


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

    def ran(self, start: Callable[[], Worker], inputs: Sequence[Input]) -> Ran:
        """Run both. Raises WorkerFailed, NotRunnable."""
        mine = [tuple(plain(value) for _, value in each.values) for each in inputs]
        first = self.first.answers(start, mine)
        second = self.second.answers(start, [self.arguments(each) for each in inputs])
        compared, refused, warned = [], [], []
        for given, left, right in zip(inputs, first, second, strict=True):
            if not _usable(left):
                continue
            if _usable(right):
                compared.append((given, self.difference(given, left, right)))
            elif _warned(right):
                warned.append((given, left, str(right["undefined"])))
            elif "undefined" in right:
                refused.append((given, str(right["undefined"])))
        again = self.second.answers(start, [self.arguments(given) for given, _, _ in warned], strict=False) if warned else []
        for (given, left, why), right in zip(warned, again, strict=True):  # what is no number need not be in what it gives
            if _usable(right) and self.difference(given, left, right) is None:
                compared.append((given, None))
            else:
                refused.append((given, why))
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

    def difference(self, given: Input, left: Mapping[str, Any], right: Mapping[str, Any]) -> str | None:
        """What is different, in words."""
        order = [param.var.name for param in self.first.fragment.params]
        results = list(zip(left["results"], right["results"], strict=False))
        if not self.names.results and len(left["results"]) != len(right["results"]):
            return f"{len(left['results'])} and {len(right['results'])} results"
        if self.names.results:
            results = []
            for lengths, found in zip(self.names.results, right["results"], strict=True):
                after = left["arrays"][order.index(lengths.array.name)]
                results.append((_cells(after)[: len(_cells(found))], found))
        for param, after in zip(self.second.fragment.params, right["arrays"], strict=True):
            if after is not None and param.var.name in self.written:
                lengths = self.names.arrays[param.var.name]
                mine = left["arrays"][order.index(lengths.array.name)]
                if mine is not None:
                    results.append((_cells(mine)[: len(_cells(after))], after))
        for one, other in results:
            if not _close(_cells(one), _cells(other), self.tolerance):
                return f"{_text(one)} and {_text(other)}"
        return None

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


def _text(value: Any) -> str:  # noqa: ANN401 (JSON)
    cells = _cells(value)
    shown = ", ".join(f"{each:g}" if isinstance(each, float) else str(each) for each in cells[:8])
    return f"[{shown}{', ...' if len(cells) > 8 else ''}]" if isinstance(value, list | dict) else shown
