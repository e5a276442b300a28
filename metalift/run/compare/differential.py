"""The generated code beside the source and the interpreter, on many inputs.

The interpreter is the third party: it alone can tell an error of the importer from one of the rest. The criterion is that of
`metalift.run.compare.agreement`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from metalift.driver.layout import Engine
from metalift.ir.interp.values import Tensor, all_indices
from metalift.ir.program.fragment import Fragment
from metalift.result.verdict import Agreement
from metalift.run.compare.agreement import RETURN, Measure, Output, outputs, part_at
from metalift.run.compare.cases import Case, Expect, Reference, Refusals, cases, with_reciprocals
from metalift.run.compare.exactness import Exactness, Figures
from metalift.run.compare.keyed_results import arguments, at_key, entries, unlike
from metalift.run.inputs.concrete import Contents, cells_of, same_shape, shape_of
from metalift.run.inputs.inputs import show_value
from metalift.run.workers.jobs import NotRunnable, Runnable
from metalift.run.workers.process import Answer, Worker, WorkerFailed

HUGE = 1 << 24  # numbers that give arrays of which memory may be too small


@dataclass(frozen=True, slots=True)
class Emitted:
    """A generated file and its function; `written` are the array parameters that it changes and returns."""

    file: Path
    function: str
    written: tuple[str, ...]
    refusals: Refusals = Refusals()
    fed_back: bool = False  # whether it computes step by step, each from the results of the one before


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the runs showed.

    `engine`: the library with its version. `inputs`: how many valid inputs were compared; `decided`: on how many of them rounding
    decides which integers are the results, so that any of those will do. `refused`: how many invalid ones were refused, as they
    must be. `undecided`: how many were left out, because rounding decides about a branch, or something else from which more than
    the results follow; `discarded`: how many others, because the source reported undefined behaviour or an infinity, because the
    library says that an integer is too large, or because a huge number makes an array for which there is no memory. `example`: an
    input on which rounding decides. `difference`: the first one, for people; `reason`: why nothing was run, or not to the end.
    `vacuous`: because there was no input on which the source is defined.
    """

    status: Agreement = Agreement.NOT_RUN
    engine: str = ""
    inputs: int = 0
    figures: Figures | None = None
    difference: str | None = None
    reason: str = ""
    refused: int = 0
    discarded: int = 0
    decided: int = 0
    undecided: int = 0
    example: str = ""
    vacuous: bool = False


def compare(
    fragment: Fragment, found: Sequence[Reference], emitted: Emitted | None, source: Runnable, worker: Worker
) -> Comparison:
    """Runs the generated function on the references. Whatever goes wrong is a result, never an exception.

    Without `emitted`, the source is compared with its model alone.
    """
    tally = _Tally(fragment, worker.target.engine, emitted is not None and emitted.fed_back)
    listed: list[Case] = []
    try:
        tally.engine = worker.engine()
        ready = source.wait()
        limits = worker.target.engine
        listed += cases(fragment, found, emitted.refusals if emitted else None, limits.shapes, limits.inputs)
        given = [(case.args, case.expect is Expect.VALUES) for case in listed]
        answers = worker.run(job(fragment, emitted, ready, given), len(listed))
        for case, answer in zip(listed, answers, strict=True):
            tally.add(case, answer)
            if tally.difference is not None:
                break
    except NotRunnable as failure:
        return tally.stopped(str(failure))
    except WorkerFailed as failure:
        where = "" if failure.answered is None else f" on the input {listed[failure.answered].reference.run.input.text()}"
        return tally.stopped(f"{failure}{where}")
    return tally.result()


def job(
    fragment: Fragment, emitted: Emitted | None, source: Mapping[str, object], listed: Sequence[tuple[Sequence[object], bool]]
) -> dict[str, object]:
    """What the worker is asked: the arguments of each case, and whether the source is to run on them."""
    return {
        "source": dict(source),
        "emitted": str(emitted.file) if emitted else None,
        "function": emitted.function if emitted else "",
        **entries(fragment),
        "written": list(emitted.written) if emitted else [],
        "cases": [{"args": arguments(fragment, args), "native": native, "emitted": True} for args, native in listed],
    }


@dataclass(frozen=True, slots=True)
class _Sound:
    """A reference on which the source does what its model does: the outputs, and the source's error in each."""

    outputs: Sequence[Output]
    errors: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """A value in an answer: its shape, empty for a scalar, and its elements row by row."""

    shape: tuple[int, ...]
    cells: Sequence[Any]


def seen_of(value: object) -> Seen:
    match value:
        case {"shape": shape, "cells": cells}:
            return Seen(tuple(shape), cells)
        case list():
            return Seen((len(value),), value)
        case _:
            return Seen((), [value])


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts, and the first difference."""

    engine: str = ""
    inputs: int = 0
    refused: int = 0
    discarded: int = 0
    decided: int = 0
    undecided: int = 0
    example: str = ""
    exactness: Exactness = field(default_factory=Exactness)
    difference: str | None = None
    problems: set[str] = field(default_factory=set)

    def stopped(self, reason: str) -> Comparison:
        """Not run, or not to the end."""
        return replace(self.counted(Agreement.NOT_RUN), reason=reason)

    def result(self) -> Comparison:
        """After the last answer, or the first difference."""
        if self.difference is None and self.inputs == 0:
            found = f" (the source reports: {', '.join(sorted(self.problems))})" if self.problems else ""
            return replace(self.stopped(f"no valid input was found{found}"), vacuous=True)
        status = Agreement.AGREES if self.difference is None else Agreement.DIFFERS
        return replace(self.counted(status), figures=self.exactness.figures(), difference=self.difference)

    def counted(self, status: Agreement) -> Comparison:
        """The numbers of inputs."""
        return Comparison(
            status,
            self.engine,
            self.inputs,
            refused=self.refused,
            discarded=self.discarded,
            decided=self.decided,
            undecided=self.undecided,
            example=self.example,
        )


@dataclass(slots=True)
class _Tally(Tally):
    """Of the references of one function."""

    fragment: Fragment
    runs_on: Engine
    fed_back: bool = False
    sound: dict[int, _Sound] = field(default_factory=dict)  # by the identity of the reference

    def add(self, case: Case, answer: Answer) -> None:
        """Takes one answer into account."""
        answer = {each: found and at_key(self.fragment, case.args, found) for each, found in answer.items()}
        match case.expect:
            case Expect.REFUSAL:
                self._refusal(case, answer["emitted"])
            case Expect.VALUES:
                self._values(case, answer["native"], answer["emitted"])
            case Expect.UNTOUCHED:
                sound = self.sound.get(id(case.reference))
                if sound is not None:
                    self._emitted(case, answer["emitted"], sound, None)

    def _refusal(self, case: Case, answer: Answer) -> None:
        if "error" in answer:
            self.refused += 1
        else:
            text = case.reference.run.input.text()
            self.difference = f"{text}, but {case.why}: the generated code does not raise"

    def _values(self, case: Case, native: Answer, emitted: Answer | None) -> None:
        if "undefined" in native:
            self.discarded += 1
            self.problems.add(native["undefined"])
            return
        if case.reference.ambiguous:
            self._leave_out(case)
            return
        if not all_finite(native):
            self.discarded += 1
            return
        sound = self._native(case, native)
        if sound is not None and emitted is not None and self.runs_on.reciprocals:
            reference = with_reciprocals(self.fragment, case.reference)
            if reference.ambiguous:
                self._leave_out(case)
                return
            sound = replace(sound, outputs=outputs(self.fragment, reference))
        if sound is not None and any(output.may_leave for output in sound.outputs):
            self._leave_out(case)
        elif sound is not None:
            self.inputs += 1
            self.sound[id(case.reference)] = sound
            if emitted is not None:
                self._emitted(case, emitted, sound, native)
            if any(output.spans for output in sound.outputs):
                self.decided += 1
                self.example = self.example or case.reference.run.input.text()

    def _leave_out(self, case: Case) -> None:
        """Rounding decides which way the source goes."""
        self.undecided += 1
        self.example = self.example or case.reference.run.input.text()

    def _native(self, case: Case, native: Answer) -> _Sound | None:
        """Compares the source with its model; None where the source is not what the importer made of it."""
        errors: dict[str, float] = {}
        wanted = outputs(self.fragment, case.reference)
        for output in wanted:
            seen = self._of(native, output)
            place = self._first_wrong(output, seen, Measure(output, case.reference.largest))
            if place is not None:
                what = f"the source gives {element_text(output, seen, place)}"
                text = case.reference.run.input.text()
                model = Seen(output.shape, output.exact)
                self.difference = f"{text}: {what} where its model gives {element_text(output, model, place)}"
                return None
            errors[output.called] = max(output.errors(seen.cells), default=0.0) if output.width else 0.0
        return _Sound(wanted, errors)

    def _emitted(self, case: Case, emitted: Answer, sound: _Sound, native: Answer | None) -> None:
        """Compares the generated code's results; `native` are the source's."""

        if "error" in emitted and self._does_not_count(case, emitted["error"]):
            self.inputs -= native is not None
            self.discarded += 1
            return
        if "error" in emitted:
            return self._differs(case, f"the generated code raises {emitted['error']}")
        different = unlike(native, emitted) if native is not None else None
        if different is not None:
            return self._differs(case, different)
        for output in sound.outputs:
            seen = self._of(emitted, output)
            passed = case.passed.get(output.name)
            if passed is not None:
                if not _is_untouched(seen, passed, output.shape):
                    what = f"its {' x '.join(map(str, output.shape))} elements"
                    return self._differs(case, f"{output.name} is changed beyond {what}")
                seen = _window(seen, output.shape)
            measure = Measure(output, case.reference.largest, sound.errors[output.called], self.runs_on.flushes, self.fed_back)
            place = self._first_wrong(output, seen, measure)
            if place is not None:
                return self._is_off(case, output, seen, place, measure, native)
            if native is not None and output.width:
                self.exactness.add(output, seen.cells, self._of(native, output).cells)

    def _differs(self, case: Case, how: str) -> None:
        longer = " with longer arrays" if case.expect is Expect.UNTOUCHED else ""
        self.difference = f"{case.reference.run.input.text()}{longer}: {how}"

    def _is_off(self, case: Case, output: Output, seen: Seen, place: int, measure: Measure, native: Answer | None) -> None:
        """A value that is too far off is a difference, unless rounding leaves nothing of the source's own."""
        if measure.may_be_rounding(place, seen.cells):
            self.inputs -= native is not None
            self._leave_out(case)
            return
        wanted = Seen(output.shape, output.exact) if native is None else self._of(native, output)
        self._differs(case, f"source {element_text(output, wanted, place)}, generated code {element_text(output, seen, place)}")

    def _does_not_count(self, case: Case, error: str) -> bool:
        """Whether the library's error is about an integer out of its range, or about no memory for an array of a huge size."""
        if any(each in error for each in self.runs_on.overflow):
            return True
        scalars = (value for _, value in case.reference.run.input.values if isinstance(value, int))
        return any(abs(value) >= HUGE for value in scalars) and any(part in error for part in self.runs_on.no_memory)

    def _first_wrong(self, output: Output, seen: Seen, measure: Measure) -> int | None:
        if not same_shape(seen.shape, output.shape):
            return -1
        return measure.first_wrong(seen.cells)

    def _of(self, answer: Answer, output: Output) -> Seen:
        """An output in an answer."""
        if output.position is not None:
            value = answer["results"][output.position]
        else:
            names = [param.var.name for param in self.fragment.params]
            value = answer["arrays"][names.index(output.name)]
        seen = seen_of(value)
        return replace(seen, cells=[part_at(cell, output.part) for cell in seen.cells]) if output.part else seen


def all_finite(answer: Answer) -> bool:
    """Whether no float of the answer is infinite or NaN."""
    return all(isfinite(cell) for value in (*answer["results"], *answer["arrays"]) for cell in _floats(seen_of(value).cells))


def _floats(cells: Sequence[Any]) -> Iterator[float]:
    """The floats, and those in tuples and records that have no number because they hold no number."""
    for cell in cells:
        if isinstance(cell, float):
            yield cell
        elif isinstance(cell, list):
            yield from _floats(cell)


def _window(seen: Seen, shape: tuple[int, ...]) -> Seen:
    """The first elements along each axis."""
    whole = Tensor(seen.shape, list(seen.cells))
    return Seen(shape, [whole.at(index) for index in all_indices(shape)])


def _is_untouched(seen: Seen, passed: Contents, shape: tuple[int, ...]) -> bool:
    """Whether an array has its shape, and outside of the window the elements that it had."""
    if seen.shape != shape_of(passed):
        return False
    for index, cell, before in zip(all_indices(seen.shape), seen.cells, cells_of(passed), strict=True):
        if cell != before and any(at >= extent for at, extent in zip(index, shape, strict=True)):
            return False
    return True


def element_text(output: Output, seen: Seen, place: int) -> str:
    """An element for people: `9.0` for a result, `o[1] = 9.0` for an array; the shape where that is what differs."""
    if place < 0:
        return f"{' x '.join(map(str, seen.shape)) or 'no'} elements of {output.called}"
    shown = show_value(seen.cells[place])
    if not output.shape:
        return shown if output.called == RETURN else f"{output.called} = {shown}"
    index = next(islice(all_indices(output.shape), place, None))
    return f"{output.called}[{', '.join(map(str, index))}] = {shown}"
