"""States that runs of a function go through: good inputs of the parts of it that begin there.

Real numbers are rounded to a few bits. They need not be the run's own: a part is about all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from metalift.ir.expr.types import RealType, TensorType, Type, is_integer
from metalift.ir.interp.functions import to_mpf
from metalift.ir.interp.interpret import Array, LimitExceeded, SourceUndefined, Tensor, Undef, Value, run
from metalift.ir.program.fragment import Fragment
from metalift.run.inputs.concrete import Contents, Scalar, contents_of
from metalift.run.inputs.inputs import Run
from metalift.vcgen.parts import Cutter, Part

MOST = 24  # states of one step from block to block
EARLY = 3  # visits in a run of which each is kept; later ones become rare
MOST_CELLS = 600  # of an array
STEPS = 20_000
PARTS = 16  # of 1 that real numbers are rounded to
LARGEST = 1 << 10

Values = Mapping[str, Scalar | Contents]


@dataclass(slots=True)
class States:
    """States at blocks, by the block and the one that was entered next."""

    kept: dict[tuple[str, str], list[Values]] = field(default_factory=dict)

    def at(self, label: str, following: Collection[str]) -> list[Values]:
        """The states in which a block was entered, if one of those came next (whichever did, if there are none)."""
        found = [states for (here, there), states in self.kept.items() if here == label and (not following or there in following)]
        return [state for states in found for state in states]


def states_of(fragment: Fragment, labels: Collection[str], runs: Iterable[Run]) -> States:
    """States in which runs enter some blocks."""
    states = States()
    arrays = [var for var in (*(param.var for param in fragment.params), *fragment.locals) if isinstance(var.type, TensorType)]
    elements = {var.name: var.type.element for var in arrays if isinstance(var.type, TensorType)}
    for each in runs:
        watched = Watched(labels, states, elements)
        try:
            run(fragment, each.input.arguments(), max_steps=STEPS, observer=watched)
        except (SourceUndefined, LimitExceeded):
            continue
    return states


def given_to(states: States, cutter: Cutter, part: Part) -> list[Values]:
    """Inputs of a part that runs of its function give it."""
    start, way, _ = part.place
    following = (cutter.taken(start, way)[0].block,) if way else ()
    names = {param.var.name: part.inputs.get(param.var.name, param.var).name for param in part.fragment.params}
    found = states.at(start or part.fragment.blocks[0].label, following)
    whole = (state for state in found if state.keys() >= set(names.values()))
    return [{name: state[value] for name, value in names.items()} for state in whole]


@dataclass(slots=True)
class Watched:
    """Looks at one run."""

    labels: Collection[str]
    states: States
    elements: Mapping[str, Type]
    visits: dict[str, int] = field(default_factory=dict)
    last: tuple[str, Values] | None = None

    def __call__(self, label: str, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> None:
        """Keep the state in which a block is entered, once it is known what comes next."""
        if self.last is not None:
            kept = self.states.kept.setdefault((self.last[0], label), [])
            if len(kept) < MOST:
                kept.append(self.last[1])
        self.last = None
        if label in self.labels:
            self.visits[label] = visit = self.visits.get(label, 0) + 1
            if visit <= EARLY or visit & (visit - 1) == 0:
                self.last = (label, self.copied(values, arrays))

    def copied(self, values: Mapping[str, Value], arrays: Mapping[str, Array]) -> Values:
        """The values that can be given as arguments."""
        found: dict[str, Scalar | Contents] = {}
        for name, value in values.items():
            if name not in arrays and (scalar := plain(value)) is not None:
                found[name] = scalar
        for name, array in arrays.items():
            if (contents := held(array, self.elements[name])) is not None:
                found[name] = contents
        return found


def plain(value: Value) -> Scalar | None:
    """A number or a truth value, a real one rounded; None of anything else."""
    if isinstance(value, bool | int):
        return value
    if isinstance(value, tuple | list | Tensor | Array | Undef):
        return None
    return Fraction(round(max(-LARGEST, min(LARGEST, to_mpf(value))) * PARTS), PARTS)


def held(array: Array, element: Type) -> Contents | None:
    """What an array holds, 0 where it has no value yet; None where it is large or of something else."""
    if not is_integer(element) and not isinstance(element, RealType):
        return None
    cells = {cell if isinstance(cell, tuple) else (cell,): value for cell, value in array.memory.cells.items()}
    cells = {(index[0] - array.origin, *index[1:]): value for index, value in cells.items()}
    if array.memory.length is not None:
        shape = (max(0, array.memory.length - array.origin), *array.memory.inner)
    else:
        axes = zip(*cells, strict=True)
        shape = tuple(max(0, *axis) + 1 for axis in axes) or (0,)
    if prod(shape) > MOST_CELLS:
        return None
    known = {index: number for index, value in cells.items() if (number := plain(value)) is not None}
    rest: Scalar = 0 if is_integer(element) else Fraction(0)
    return contents_of(shape, lambda index: known.get(index, rest))
