"""Runs a fragment and compares the state at each loop's header with what the loop's summary says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from metalift.ir.expr.types import TensorType
from metalift.ir.interp.interpret import Array, SourceUndefined, Tensor, Value, evaluate, run
from metalift.ir.interp.values import all_indices
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import LoopSummary, Summary
from metalift.run.compare.falsify import same
from metalift.vcgen.natural_loops import loop_blocks


@dataclass(slots=True)
class Visit:
    """A loop that is being executed: its state at entry, and the number of complete iterations."""

    entry: dict[str, Value]
    done: int = 0


@dataclass(slots=True)
class Watch:
    """Looks at the state on entry to each block."""

    fragment: Fragment
    loops: Mapping[str, LoopSummary]
    bodies: Mapping[str, frozenset[str]]
    inside: dict[str, Visit] = field(default_factory=dict)
    before: str = ""
    differences: list[str] = field(default_factory=list)

    def __call__(self, label: str, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> None:
        for header in [h for h in self.inside if label not in self.bodies[h]]:
            self.left(header)
        if label in self.loops:
            self.at_header(label, values, arrays)
        self.before = label

    def left(self, header: str) -> None:
        visit = self.inside.pop(header)
        trips = evaluate(self.loops[header].trip, visit.entry)
        if trips != visit.done:
            self.differences.append(f"{header}: left after {visit.done} iterations where the summary has {trips}")

    def at_header(self, label: str, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> None:
        if label in self.inside and self.before in self.bodies[label]:
            self.inside[label].done += 1
        else:
            scalars = {name: value for name, value in values.items() if not isinstance(value, Array)}
            self.inside[label] = Visit({**scalars, **{name: contents(array) for name, array in arrays.items()}})
        visit, loop = self.inside[label], self.loops[label]
        env = {**visit.entry, loop.index.name: visit.done}
        for var, term in loop.state:
            is_array = isinstance(var.type, TensorType)
            actual = contents(arrays[var.name]) if is_array else values[var.name]
            if is_array and var in self.fragment.locals:
                continue  # no length to compare them by; what they hold is seen in the result
            try:
                stated = evaluate(term, env)
            except SourceUndefined as error:
                self.differences.append(f"{label} after {visit.done}: {var.name} is undefined: {error.reason}")
                continue
            if not alike(stated, actual):
                self.differences.append(f"{label} after {visit.done}: {var.name} is {actual} where the summary has {stated}")


def contents(array: Array) -> Value:
    """The elements as a list or, along several axes, a tensor; of an array without a length, a copy."""
    if array.memory.length is None:
        return array.copy()
    if array.memory.inner:
        shape = (array.memory.length, *array.memory.inner)
        return Tensor(shape, [array.memory.cells[cell] for cell in all_indices(shape)])
    return [array.memory.cells[cell] for cell in range(array.memory.length)]


def alike(one: Value, two: Value) -> bool:
    """Whether both are the same value."""
    one, two = (value.nested() if isinstance(value, Tensor) else value for value in (one, two))
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(alike(a, b) for a, b in zip(one, two, strict=True))
    return same(one, two)


def differences(fragment: Fragment, summary: Summary, args: Mapping[str, Value]) -> list[str]:
    """Where the states of one run are not those of the loops' summaries."""
    watch = Watch(fragment, {loop.header: loop for loop in summary.loops if isinstance(loop, LoopSummary)}, loop_blocks(fragment))
    run(fragment, args, observer=watch)
    return watch.differences
