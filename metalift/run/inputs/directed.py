"""Inputs made for the ways through a fragment that other inputs do not take.

Random elements hardly ever satisfy several conditions at once: that a field is a certain string, another one in a range, and a
third one equal to a parameter. So a run is taken that comes near, the conditions along its way are written in terms of its input
(`metalift.run.inputs.traced`), and its input is changed step by step until they hold and the next one has the other value
(`metalift.run.inputs.inverting`). Whether the changed input is valid and takes the way is seen by running it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, islice

from metalift.ir.expr.nodes import Expr
from metalift.ir.interp import identities
from metalift.ir.interp.interpret import Value
from metalift.ir.program.fragment import Fragment
from metalift.run.inputs.attempts import LONGEST_VECTOR, Attempt, Cells
from metalift.run.inputs.concrete import Scalar
from metalift.run.inputs.inverting import Change, Inverse
from metalift.run.inputs.questions import Answers, questions_of
from metalift.run.inputs.traced import Traced, Unclear, value_of
from metalift.run.inputs.trails import Step, Trails, back, trails_of

_ENOUGH = 32  # valid runs after which inputs are made
_FRUITLESS = 300  # attempts in a row without a valid run, after which they are
_BASES = 2  # runs that are changed for one step
_LONGEST = 400  # blocks of a run that is changed
_EXPANDED = 24  # changed inputs of which further changes are tried
_PROPOSED = 16  # changes of one input for one condition
_ANSWERS = 3  # changed inputs that are run
_MOST = 20_000  # evaluations of conditions, for all ways together
_MOST_AT_ONCE = 1_500  # for one run that is changed
_MOST_ANSWERS = 5_000  # evaluations for the ways in which conditions are decided
_MADE = 40  # inputs for the ways in which conditions are decided

Trace = tuple[str, ...]


@dataclass(slots=True)
class Directed:
    """Makes attempts for steps that no run has taken. `run` gives the trace of an attempt, None where it is no valid input."""

    fragment: Fragment
    texts: Sequence[int]
    shared: Mapping[str, str]
    run: Callable[[Attempt], Trace | None]
    left: int = _MOST
    trails: Trails = field(init=False)
    near: dict[int, list[tuple[Attempt, Trace]]] = field(default_factory=dict)  # by step, runs that take it
    known: list[tuple[Attempt, Trace]] = field(default_factory=list)

    def among(self, attempts: Iterator[Attempt]) -> Iterator[Attempt]:
        """The attempts, and in between such that are made of those that were noted."""
        since, before = 0, 0
        for attempt in attempts:
            yield attempt
            since = since + 1 if len(self.known) == before else 0
            before = len(self.known)
            if before >= _ENOUGH or (before and since >= _FRUITLESS):
                break
        yield from self._made()
        yield from attempts

    def note(self, attempt: Attempt, trace: Trace) -> None:
        """Takes a valid run into account."""
        if len(self.known) < _ENOUGH:
            self.known.append((attempt, trace))

    def _made(self) -> Iterator[Attempt]:
        """Those that take other ways, those that take them for other reasons, and then all of these together."""
        made: list[Attempt] = []
        for attempt in chain(self._turning(), islice(self._answering(), _MADE)):
            made.append(attempt)
            yield attempt
        yield from (whole for whole in together(made) if self.run(whole) is not None)

    def _turning(self) -> Iterator[Attempt]:
        """Attempts with valid runs that take other ways than the known ones do."""
        self.trails = trails_of(self.fragment)
        seen: set[Trace] = set()
        for attempt, trace in sorted(self.known, key=lambda each: len(each[1])):
            if trace not in seen and len(trace) <= _LONGEST:
                seen.add(trace)
                self._note(attempt, trace)
        for step in self.trails.steps:
            if step.number in self.near or step.before is None or step.before.number not in self.near:
                continue
            found = self._toward(step, step.before)
            if found is not None:
                self._note(*found)
                yield found[0]
            if self.left <= 0:
                return

    def _answering(self) -> Iterator[Attempt]:
        """Attempts in which conditions are decided in ways in which the runs that are near do not decide them."""
        asked = {block.label: questions_of(block) for block in self.fragment.blocks}
        done: set[str] = set()
        self.left = min(self.left, _MOST_ANSWERS)
        for step in self.trails.steps:
            if step.label not in done and step.number in self.near:
                done.add(step.label)
                yield from self._answers(step, [way for question in asked[step.label] for way in question.ways])

    def _answers(self, step: Step, ways: Sequence[Answers]) -> Iterator[Attempt]:
        """Those for the conditions of one block."""
        parts = {step.label: tuple(dict.fromkeys(part for way in ways for part, _ in way))}
        bases = list(self._bases(step, parts))
        answers = self._answered(bases[0][0], bases[0][1][-1]) if bases else {}
        for way in ways:
            if all(answers.get(part) is holds for part, holds in way):
                continue
            for traced, visits in bases:
                made = self._deciding(traced, way, visits)
                if made is not None:
                    yield made
                    break
            if self.left <= 0:
                return

    def _bases(self, step: Step, parts: Mapping[str, Sequence[Expr]]) -> Iterator[tuple[Traced, list[int]]]:
        """Runs that take a step, with the places of its way: those that go on furthest, for then what comes after it may tell."""
        number = len(list(back(step)))
        for end in (*self.trails.ends(step, self.near.keys()), step):
            for attempt, trace in self.near[end.number][: 1 if end is not step else _BASES]:
                visits = self.trails.visits(end, trace)
                if visits is not None:
                    yield self._traced(attempt, trace, parts), visits[:number]

    def _traced(self, attempt: Attempt, trace: Trace, asked: Mapping[str, Sequence[Expr]] | None = None) -> Traced:
        traced = Traced(self.fragment, attempt, self.shared, trace, asked or {})
        traced.follow()
        return traced

    def _answered(self, traced: Traced, place: int) -> dict[Expr, Value | None]:
        """What holds where a run comes to the conditions."""
        return {part: self._value(found, traced.values) for part, found in traced.answers.get(place, {}).items()}

    def _deciding(self, traced: Traced, way: Answers, visits: Sequence[int]) -> Attempt | None:
        """An attempt that comes to the same place, and decides the condition there in that way."""
        answers = traced.answers.get(visits[-1], {})
        found = [(answers.get(part), holds) for part, holds in way]
        here = [(part, holds) for part, holds in found if part is not None]
        if len(here) < len(found):
            return None
        places = frozenset(visits[:-1])
        along = [(each.cond, each.holds) for each in traced.decisions if each.promised or each.place in places]
        for values in islice(self._solutions(traced, [*along, *here]), _ANSWERS):
            made = changed(traced, values)
            if made is not None and self.run(made) is not None:
                return made
        return None

    def _note(self, attempt: Attempt, trace: Trace) -> None:
        for number in self.trails.taken(trace):
            bases = self.near.setdefault(number, [])
            if len(bases) < _BASES:
                bases.append((attempt, trace))

    def _toward(self, step: Step, before: Step) -> tuple[Attempt, Trace] | None:
        """A run that takes the step, made of one that takes the step before it."""
        for attempt, trace in list(self.near[before.number]):
            traced = self._traced(attempt, trace)
            for last in (False, True):
                visits = self.trails.visits(before, trace, last)
                wanted = None if visits is None else self._conditions(traced, visits)
                for values in islice(self._solutions(traced, wanted), _ANSWERS) if wanted else ():
                    made = changed(traced, values)
                    other = None if made is None else self.run(made)
                    if made is not None and other is not None and step.number in self.trails.taken(other):
                        return made, other
        return None

    @staticmethod
    def _conditions(traced: Traced, visits: Sequence[int]) -> list[tuple[Expr, bool]]:
        """What has to hold for the run to come to the last visit, and not to go on as it did; nothing where that is not known."""
        places = frozenset(visits)
        along = [each for each in traced.decisions if each.promised or each.place in places]
        turn = [each for each in along if each.place == visits[-1] and not each.promised]
        if not turn:
            return []
        return [(each.cond, each.holds != (each in turn)) for each in along if each.place <= visits[-1]]

    def _solutions(self, traced: Traced, wanted: Sequence[tuple[Expr, bool]]) -> Iterator[dict[str, Value]]:
        """Values of the input's variables with which all conditions are as wanted: those with few that are not come first."""
        start = dict(traced.values)
        pending: list[tuple[int, int, dict[str, Value]]] = [(len(wanted), 0, start)]
        seen = {_key(start)}
        count, least = 0, max(0, self.left - _MOST_AT_ONCE)
        for _ in range(_EXPANDED):
            if not pending or self.left <= least:
                return
            values = heappop(pending)[2]
            failing = [(cond, holds) for cond, holds in wanted if self._value(cond, values) is not holds]
            for cond, holds in failing[:2]:
                for var, value in islice(self._changes(cond, holds, values), _PROPOSED):
                    other = {**values, var.name: value}
                    if _key(other) in seen or var not in traced.sources:
                        continue
                    seen.add(_key(other))
                    count += 1
                    unlike = sum(self._value(each, other) is not value for each, value in wanted)
                    if unlike == 0:
                        yield other
                    heappush(pending, (unlike, count, other))

    def _changes(self, cond: Expr, holds: bool, values: Mapping[str, Value]) -> Iterator[Change]:
        return Inverse(lambda expr: self._value(expr, values), self.texts).changes(cond, holds)

    def _value(self, expr: Expr, values: Mapping[str, Value]) -> Value | None:
        """The value, None where it has none."""
        self.left -= 1
        try:
            return value_of(expr, values)
        except Unclear:
            return None


def _key(values: Mapping[str, Value]) -> tuple[Value, ...]:
    return tuple(values.values())


def changed(traced: Traced, values: Mapping[str, Value]) -> Attempt | None:
    """The run's attempt with other values of its variables; None where an array cannot be that long."""
    attempt = traced.attempt
    scalars, shapes = dict(attempt.scalars), {name: shape for name, (shape, _) in attempt.arrays.items()}
    cells = {name: dict(each.drawn) for name, (_, each) in attempt.arrays.items()}
    for var, source in traced.sources.items():
        value = values[var.name]
        if value == traced.values[var.name]:
            continue
        assert isinstance(value, bool | int | Fraction), "variables are scalars"
        name, shape = source.parameter, shapes.get(source.parameter)
        if source.axis is not None and shape is not None:
            if not isinstance(value, int) or not 0 <= value <= LONGEST_VECTOR:
                return None
            shapes[name] = tuple(value if axis == source.axis else extent for axis, extent in enumerate(shape))
        elif source.cell is None:
            scalars[name] = _with_part(scalars[name], source.parts, value)
        else:
            cell = source.cell[0] if len(source.cell) == 1 else source.cell
            old = cells[name].get(cell, attempt.arrays[name][1](cell))
            cells[name][cell] = _with_part(old, source.parts, value)
    arrays = {name: (shapes[name], Cells(each.draw, cells[name])) for name, (_, each) in attempt.arrays.items()}
    return Attempt(scalars, arrays, attempt.more)


def together(attempts: Sequence[Attempt]) -> Iterator[Attempt]:
    """For attempts with the same scalars one whose vectors have the elements of all: so one run does what these do one by one."""
    groups: dict[tuple[tuple[str, Scalar], ...], list[Attempt]] = {}
    for attempt in attempts:
        groups.setdefault(tuple(attempt.scalars.items()), []).append(attempt)
    for group in groups.values():
        parts = {name: [_elements(attempt, name) for attempt in group] for name in group[0].arrays}
        if len(group) < 2 or any(None in found for found in parts.values()):
            continue
        whole = {name: list(chain.from_iterable(each or () for each in found))[:LONGEST_VECTOR] for name, found in parts.items()}
        arrays = {
            name: ((len(cells),), Cells(group[0].arrays[name][1].draw, dict(enumerate(cells)))) for name, cells in whole.items()
        }
        yield Attempt(group[0].scalars, arrays)


def _elements(attempt: Attempt, name: str) -> list[Scalar] | None:
    """The elements of a vector; None of what is none, or has several axes."""
    shape, cells = attempt.arrays[name]
    return [cells(index) for index in range(shape[0])] if shape is not None and len(shape) == 1 else None


def _with_part(whole: Scalar, parts: Sequence[int], value: Scalar) -> Scalar:
    """A value with a part of its parts replaced; the new value itself where none is named."""
    if not parts:
        return value
    inner = identities.content(int(whole))
    assert isinstance(inner, tuple)
    made = [_with_part(each, parts[1:], value) if at == parts[0] else each for at, each in enumerate(inner)]
    return identities.of_parts(made)
