"""Which sample programs the search writes with an operator, and what it takes in the operator's place."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from metalift.app.conformance.programs import Form, SampleProgram, Setting, sample_program
from metalift.app.conformance.samples import Sample
from metalift.driver import Driver, Operator, Target
from metalift.driver.operators import is_size
from metalift.ir.expr.types import TensorType
from metalift.ir.program.summary import TargetProgram

PROGRAMS = 12  # of one operator in one form, which differ in types, and in what configures it
TYPES = 4  # choices of an operator's types of which a program is run
SIZES = (2, 4)  # that are numbers in a program
SETTINGS = 12  # of one operator that is configured
LEFT_OUT = 8  # choices of operators that the search takes in its place and that are left out


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sample program that the search covers with the operator that it is about, where it has none of those `beside` it."""

    sample: SampleProgram
    program: TargetProgram
    beside: tuple[str, ...] = ()


def chosen_in(
    operator: Operator, driver: Driver, target: Target, samples: Sequence[Sample], runs: Callable[[Chosen], bool] | None
) -> Chosen | str | None:
    """A program with the operator; why there is none; None where there is no sample program.

    With `runs`, one that does if there is any; all that differ in their types and settings are tried. Programs for which the
    search takes the operator go before those for which it takes it where what it prefers is left out.
    """
    good: dict[Hashable, Chosen] = {}
    refused: list[Chosen] = []
    rest: list[tuple[SampleProgram, TargetProgram]] = []
    programs = list(_programs(operator, samples))
    enough = 1 if runs is None else PROGRAMS if operator.holes else TYPES
    for sample in programs:
        if sample.kind in good or len(good) == enough or (program := sample.covered(driver, target.name)) is None:
            continue
        chosen = Chosen(sample, program)
        if operator.name not in program.called:
            rest.append((sample, program))
        elif runs is None or runs(chosen):
            good[sample.kind] = chosen
        else:
            refused.append(chosen)
    if good:
        return next(iter(good.values()))
    for each in (found for one in rest for found in _without_others(operator, driver, target, *one)):
        if runs is None or runs(each):
            return each
        refused.append(each)
    return refused[0] if refused else _never([program for _, program in rest]) if programs else None


def _never(programs: Sequence[TargetProgram]) -> str:
    """Why the operator is in none of these, which are what the search finds for its meaning."""
    others = dict.fromkeys(name for program in programs for name in program.called)
    if others:
        return f"the search takes {', '.join(others)}"
    return "the search needs no operator for its meaning" if programs else "the search finds no program for its meaning"


def _programs(operator: Operator, samples: Sequence[Sample]) -> Iterator[SampleProgram]:
    """Programs of each form: on vectors first, then of others; of many choices of types some that have little in common."""
    chosen = random.Random(operator.name)
    typed = list(dict.fromkeys((each.types, each.result) for each in samples))
    kinds = [(*types, setting) for types in typed for setting in settings(operator, chosen)]
    fixed = [(*types, ((param.name, size),)) for types in typed for param in operator.params if is_size(param) for size in SIZES]
    for form in Form:
        listed = kinds if form is not Form.FIXED else [] if operator.holes else fixed
        chosen.shuffle(listed)
        listed.sort(key=lambda kind: abs(1 - max((each.rank for each in kind[0] if isinstance(each, TensorType)), default=0)))
        yield from islice(filter(None, (sample_program(operator, *kind, form) for kind in listed)), PROGRAMS)


def settings(operator: Operator, chosen: random.Random) -> list[Setting]:
    """What configures the operator: all there are, or where these are many some, each in its own right."""
    holes = operator.holes or {}
    if prod(holes.values()) <= SETTINGS:
        return [tuple(zip(holes, values, strict=True)) for values in product(*map(range, holes.values()))]
    return [tuple((name, chosen.randrange(choices)) for name, choices in holes.items()) for _ in range(SETTINGS)]


def _without_others(
    operator: Operator, driver: Driver, target: Target, sample: SampleProgram, program: TargetProgram
) -> Iterator[Chosen]:
    """The programs with the operator that the search finds without some of the operators that it took."""
    ways: deque[tuple[str, ...]] = deque((name,) for name in program.called)
    for _ in range(LEFT_OUT):
        if not ways:
            return
        without = ways.popleft()
        other = sample.covered(driver, target.name, frozenset(without))
        if other is not None and operator.name in other.called:
            yield Chosen(sample, other, without)
        elif other is not None:
            ways.extend((*without, name) for name in other.called if name not in program.called)
