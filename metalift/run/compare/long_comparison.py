"""Runs the compiled source and generated code on few inputs with large arrays, and compares all that they give.

The interpreter takes part as the third one, for some elements: it jumps over loops (`metalift.vcgen.jumps`). These are elements
at both ends, some in between, and those in which the generated code differs most from the source: only those elements may
differ, and by no more than `metalift.run.compare.agreement` says.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import islice
from math import inf, isnan, prod
from typing import Any

from metalift.ir.expr.floats import has_floats
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import IntType, TensorType, TupleType, Type, element_of
from metalift.ir.interp.execute import Argument, Made, Shared, Unbounded
from metalift.ir.interp.interpret import (
    EXACT,
    Array,
    AssumeViolated,
    CheckViolated,
    LimitExceeded,
    Reals,
    SourceUndefined,
    Value,
    run,
)
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.run.compare.agreement import Measure, Output, output_of, returned
from metalift.run.compare.differential import Comparison, Emitted, Seen, Tally, all_finite, element_text, job, seen_of
from metalift.run.compare.lost import computed_early
from metalift.run.compare.precision import SourceReals
from metalift.run.inputs.concrete import plain
from metalift.run.inputs.inputs import show_value
from metalift.run.inputs.long import Arguments, Pattern, long_inputs
from metalift.run.workers.jobs import NotRunnable, Runnable
from metalift.run.workers.process import Answer, Worker, WorkerFailed
from metalift.vcgen.jumps import Jumps, plans
from metalift.vcgen.natural_loops import loop_blocks

WANTED = 2  # inputs
DRAWN = 12  # of which these are taken
MOST_CELLS = 1 << 23  # elements of all arrays of all inputs together: what a worker has memory for
ENDS = 10  # elements at each end of an array that the interpreter computes
BETWEEN = 40  # others
DIFFERING = 40  # those in which generated code and source differ most


@dataclass(frozen=True, slots=True)
class Model:
    """What the interpreter makes of an input: the result, and arrays whose elements are computed when they are asked for."""

    result: Value | None
    arrays: Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Long:
    """An input with its model: exact, and where there are reals in the source's own arithmetic.

    `shared`: an array that is given the buffer of an earlier one, which has the same elements in the model.
    """

    given: Arguments
    exact: Model
    rounded: Model | None
    reals: SourceReals
    shared: tuple[str, str] | None = None

    @property
    def cells(self) -> int:
        """The number of elements of all arrays."""
        return sum(prod(value.shape) for value in self.given.values() if isinstance(value, Made))

    def text(self) -> str:
        """For people."""
        parts = [f"{name}={_shown(value)}" for name, value in self.given.items()]
        return ", ".join([*parts, *([] if self.shared is None else ["{} is the same array as {}".format(*self.shared)])])

    def passed(self) -> list[object]:
        """The arguments as the worker gets them."""
        args = [_passed(value) for value in self.given.values()]
        if self.shared is not None:
            later, owner = (list(self.given).index(name) for name in self.shared)
            args[later] = {"same": owner}
        return args


def _shown(value: Argument) -> str:
    if not isinstance(value, Made):
        assert not isinstance(value, Unbounded | Shared), "a long input has scalars and arrays that have ends"
        return show_value(value)
    assert isinstance(value.fill, Pattern)
    return f"{' x '.join(map(str, value.shape))} elements {show_value(value.fill.period[:4])[:-1]}, ...]"


def compare_long(
    fragment: Fragment, summary: Summary, assumptions: Sequence[Expr], emitted: Emitted, source: Runnable, worker: Worker
) -> Comparison | None:
    """Runs the generated function on a few long inputs; None where there are none. Whatever goes wrong is a result."""
    if not _is_plain(fragment):
        return None
    found = list(islice(_models(fragment, summary, assumptions, emitted), WANTED))
    if not found:
        return None
    tally = _Tally(fragment, frozenset(name for name, _ in summary.outputs))
    most = MOST_CELLS // max(1, found[0].cells)
    if not most:
        return Comparison(reason=f"its arrays have {found[0].cells} elements, and no more than {MOST_CELLS} are compared")
    try:
        tally.engine = worker.engine()
        asked = [(each, True, each.passed()) for each in found[:most]]
        asked += [(found[0], False, args) for args in islice(refused(found[0], fragment, emitted), max(0, most - len(found)))]
        given = [(args, native) for _, native, args in asked]
        answers = worker.run(job(fragment, emitted, source.wait(), given), len(given))
        for (each, native, _), answer in zip(asked, answers, strict=True):
            tally.add(each, answer) if native else tally.add_refused(each, answer["emitted"])
            if tally.difference is not None:
                break
    except (NotRunnable, WorkerFailed) as failure:
        return tally.stopped(str(failure))
    return tally.result()


def result_types(fragment: Fragment) -> tuple[Type, ...]:
    """The types of what is returned."""
    if isinstance(fragment.result, TupleType):
        return fragment.result.items
    return () if fragment.result is None else (fragment.result,)


def _is_plain(fragment: Fragment) -> bool:
    """Whether all results are numbers, and all arrays of numbers."""
    results = result_types(fragment)
    types = [*(param.var.type for param in fragment.params), *results]
    if fragment.key is not None or any(isinstance(each, TensorType) for each in results):
        return False
    return not any(isinstance(element := element_of(each), IntType) and element.fields for each in types)


def _passed(value: Argument) -> object:
    return _array(value, value.shape) if isinstance(value, Made) else plain(value)  # type: ignore[arg-type]


def _array(made: Made, shape: tuple[int, ...]) -> object:
    """The first elements, row by row, as an array of that shape."""
    assert isinstance(made.fill, Pattern)
    cells = made.fill.passed(prod(shape))
    return cells if len(shape) == 1 else {"shape": list(shape), "cells": cells}


def refused(long: Long, fragment: Fragment, emitted: Emitted) -> Iterator[list[object]]:
    """Arguments that generated code has to refuse: an array that is one too short, and two that are one."""
    names = [param.var.name for param in fragment.params]
    for name, axis, _ in emitted.refusals.extents:
        made = long.given[name]
        if axis == 0 and isinstance(made, Made):
            args = long.passed()
            args[names.index(name)] = _array(made, (made.shape[0] - 1, *made.shape[1:]))
            yield args
    for pair in emitted.refusals.disjoint:
        first, second = sorted(pair, key=names.index)
        one, two = long.given[first], long.given[second]
        if isinstance(one, Made) and isinstance(two, Made) and one.shape == two.shape:
            args = long.passed()
            args[names.index(second)] = {"same": names.index(first)}
            yield args


def _models(fragment: Fragment, summary: Summary, assumptions: Sequence[Expr], emitted: Emitted) -> Iterator[Long]:
    """Valid inputs, the second one for each pair of arrays that may be the same with these as one."""
    order = [param.var.name for param in fragment.params]
    kept = {param.var.name for param in fragment.params if param.noalias}
    pairs = [sorted(pair, key=order.index) for pair in emitted.refusals.same_or_disjoint if kept.isdisjoint(pair)]
    for args in long_inputs(fragment, summary, assumptions, seed=1, count=DRAWN):
        made = modelled(fragment, summary, args)
        if made is None:
            continue
        yield made
        for owner, later in pairs:
            alike = modelled(fragment, summary, {**args, later: args[owner]})
            if alike is not None and _shape(args[owner]) == _shape(args[later]):
                yield replace(alike, shared=(later, owner))


def _shape(argument: Argument) -> tuple[int, ...]:
    return argument.shape if isinstance(argument, Made) else ()


def modelled(fragment: Fragment, summary: Summary, args: Arguments) -> Long | None:
    """The input with what the source makes of it, as far as a run with jumps tells; None where it is no valid input."""
    reals = SourceReals()
    exact = _model(fragment, summary, args, EXACT)
    rounded = _model(fragment, summary, args, reals) if has_floats(fragment) else None
    if exact is None or (rounded is None and has_floats(fragment)):
        return None
    return Long(args, exact, rounded, reals)


def _model(fragment: Fragment, summary: Summary, args: Arguments, reals: Reals) -> Model | None:
    bodies = loop_blocks(fragment)
    over = next(plans(summary, bodies))
    last: list[Mapping[str, Array]] = []

    def observe(label: str, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> None:
        last[:] = [arrays]

    try:
        outcome = run(fragment, args, reals=reals, observer=observe, leap=Jumps(summary, over, bodies, reals))
    except (SourceUndefined, AssumeViolated, CheckViolated, LimitExceeded):
        return None
    return Model(outcome.result, last[0]) if outcome.lost <= computed_early(fragment) else None


@dataclass(slots=True)
class _Tally(Tally):
    """Of long inputs."""

    fragment: Fragment
    written: frozenset[str]

    def add_refused(self, long: Long, emitted: Answer) -> None:
        """Takes the answer to arguments that are to be refused into account."""
        if "error" in emitted:
            self.refused += 1
        else:
            self.difference = f"{long.text()}, but an array too short, or the same as another: the generated code does not raise"

    def add(self, long: Long, answer: Answer) -> None:
        """Takes the answers of source and generated code into account."""
        native, emitted = answer["native"], answer["emitted"]
        if "undefined" in native or (has_floats(self.fragment) and not all_finite(native)):
            self.discarded += 1
            self.problems |= {native["undefined"]} if "undefined" in native else set()
            return
        if "error" in emitted:
            self.difference = f"{long.text()}: the generated code raises {emitted['error']}"
            return
        try:
            compared = list(self._pairs(long, native, emitted))
        except SourceUndefined:
            self.discarded += 1
            return
        if long.reals.ambiguous or any(output.may_leave for output, _, _ in compared):
            self.undecided += 1
            self.example = self.example or long.text()
            return
        self.inputs += 1
        self.decided += any(output.spans for output, _, _ in compared)
        for output, ours, theirs in compared:
            self._compare(long, output, ours, theirs)

    def _compare(self, long: Long, output: Output, ours: Seen, theirs: Seen) -> None:
        """The elements that were chosen of one output: source and model, then generated code."""
        errors = max(output.errors(ours.cells), default=0.0) if output.width else 0.0
        for seen, measure, what in (
            (ours, Measure(output, long.reals.largest), "the source"),
            (theirs, Measure(output, long.reals.largest, errors), "the generated code"),
        ):
            place = measure.first_wrong(seen.cells)
            if place is not None and self.difference is None:
                wanted = element_text(output, Seen(output.shape, output.exact), place)
                given = element_text(output, seen, place)
                self.difference = f"{long.text()}: {what} gives {given} where the model of the source gives {wanted}"
        if self.difference is None and output.width:
            self.exactness.add(output, theirs.cells, ours.cells)

    def _pairs(self, long: Long, native: Answer, emitted: Answer) -> Iterator[tuple[Output, Seen, Seen]]:
        """For each output some elements, with those of the source and of the generated code."""
        for output in returned(self.fragment, long.exact.result, None if long.rounded is None else long.rounded.result):
            yield output, seen_of(native["results"][output.position]), seen_of(emitted["results"][output.position])
        for number, param in enumerate(self.fragment.params):
            if isinstance(param.var.type, TensorType):
                ours, theirs = seen_of(native["arrays"][number]), seen_of(emitted["arrays"][number])
                yield self._elements(long, param.var.name, param.var.type, ours, theirs)

    def _elements(self, long: Long, name: str, type_: TensorType, ours: Seen, theirs: Seen) -> tuple[Output, Seen, Seen]:
        """Some elements of an array."""
        made = long.given[name]
        assert isinstance(made, Made)
        if ours.shape != made.shape or theirs.shape != made.shape:
            raise WorkerFailed(f"{name} has another shape than before")
        places = chosen(ours.cells, theirs.cells)
        cells = [index_of(place, made.shape) for place in places]
        if long.shared is not None and name in long.shared:
            name = next((each for each in long.shared if each in self.written), name)
        exact: list[Value] = [long.exact.arrays[name].at(cell) for cell in cells]
        rounded = [long.rounded.arrays[name].at(cell) for cell in cells] if long.rounded is not None else None
        (output,) = output_of(name, None, exact, rounded, replace(type_, rank=1))
        one, two = (Seen((len(places),), [seen.cells[place] for place in places]) for seen in (ours, theirs))
        return output, one, two


def index_of(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The indices of the element that comes at this place row by row."""
    found: list[int] = []
    for extent in reversed(shape):
        place, index = divmod(place, extent)
        found.append(index)
    return tuple(reversed(found))


def chosen(ours: Sequence[Any], theirs: Sequence[Any]) -> list[int]:
    """Places of elements: at both ends, some in between, and those that differ most, by themselves and relative to their size."""
    count = len(ours)
    places = {*range(min(ENDS, count)), *range(max(0, count - ENDS), count)}
    places.update(random.Random(count).sample(range(count), min(BETWEEN, count)))
    if ours != theirs:
        pairs = enumerate(zip(ours, theirs, strict=True))
        gaps = {at: abs(float(a) - float(b)) for at, (a, b) in pairs if a != b or type(a) is not type(b)}
        gaps = {at: inf if isnan(gap) else gap for at, gap in gaps.items()}
        sizes = {at: gap / (abs(float(ours[at])) or 1.0) for at, gap in gaps.items()}
        for measure in (gaps, sizes):
            places.update(nlargest(DIFFERING, measure, key=measure.__getitem__))
    return sorted(places)
