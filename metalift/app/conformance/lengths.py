"""Lengths of an operator's arrays: which are the same, and where what is required of them begins and ends to hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from metalift.driver import Instance
from metalift.ir.expr.nodes import Apply, Const, Expr, Length, Operator, Var
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import free_vars, subexpressions, transform
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, evaluate

Shapes: TypeAlias = dict[str, tuple[int, ...]]
LONGEST = 300  # elements along an axis
FARTHEST = 4096  # elements along an axis, where a limit is that far
USUAL = (2, 1, 3, 4, 8, 16, 32, 64, 128, 256)  # the first that is allowed is used beside an axis that is long
FEW = 2  # limits from the smallest and from the largest, where there are many: `n % 4 == 0` has one everywhere


class Lengths:
    """Of one meaning. An axis is a Length node; axes that are required to be equal vary together."""

    def __init__(self, instance: Instance) -> None:
        self.arrays = [param for param in instance.params if isinstance(param.type, TensorType)]
        self.axes = [Length(param, axis) for param in self.arrays for axis in range(_rank(param))]
        self.names = {axis: Var(f"length{position}", INT) for position, axis in enumerate(self.axes)}
        measured = [transform(self._named, each) for each in instance.requires]
        self.conditions = [each for each in measured if free_vars(each) <= set(self.names.values())]
        self.group = {axis: axis for axis in self.axes}
        for each in instance.requires:
            match each:
                case Apply(Operator.EQ, (Length() as left, Length() as right)) if left in self.group and right in self.group:
                    old, new = self.group[right], self.group[left]
                    self.group = {axis: new if first == old else first for axis, first in self.group.items()}

    def _named(self, part: Expr) -> Expr:
        return self.names.get(part, part) if isinstance(part, Length) else part

    def allowed(self, lengths: Mapping[Length, int]) -> bool:
        """Whether what is required of lengths alone holds."""
        env = {self.names[axis].name: length for axis, length in lengths.items()}
        try:
            return all(evaluate(each, env) for each in self.conditions)
        except (SourceUndefined, LimitExceeded):
            return False

    def usual(self) -> dict[Length, int] | None:
        """Short arrays that are allowed, None where none of those tried is."""
        made = (dict.fromkeys(self.axes, length) for length in USUAL)
        return next((each for each in made if self.allowed(each)), None)

    def at_limits(self) -> Iterator[Shapes]:
        """Shapes on both sides of each limit, along one axis after the other and all of them, and with as many as are tried."""
        usual = self.usual()
        if usual is None:
            return
        groups = list(dict.fromkeys(self.group.values()))
        vectors = len(self.arrays) == len(self.axes)
        for changed in [*([each] for each in groups), *([groups] if vectors and len(groups) > 1 else [])]:
            tried = [*range(LONGEST + 1), *self._beyond()]
            allowed = {length: self.allowed(self._changed(usual, changed, length)) for length in tried}
            limits = [sides for sides in pairwise(tried) if allowed[sides[0]] != allowed[sides[1]]]
            near = limits if len(limits) <= 2 * FEW else [*limits[:FEW], *limits[-FEW:]]
            for length in dict.fromkeys((*(side for sides in near for side in sides), LONGEST)):
                yield self.shapes(self._changed(usual, changed, length))

    def _beyond(self) -> list[int]:
        """Longer lengths at which a condition may begin or end to hold: those that it names, and those beside them."""
        parts = (part.value for each in self.conditions for part in subexpressions(each) if isinstance(part, Const))
        named = {value for value in parts if isinstance(value, int) and LONGEST < value <= FARTHEST}
        return sorted({length for value in named for length in (value - 1, value, value + 1) if length > LONGEST})

    def _changed(self, usual: Mapping[Length, int], changed: Sequence[Length], length: int) -> dict[Length, int]:
        return {axis: length if self.group[axis] in changed else usual[axis] for axis in self.axes}

    def shapes(self, lengths: Mapping[Length, int]) -> Shapes:
        """The shape of each array."""
        return {param.name: tuple(lengths[Length(param, axis)] for axis in range(_rank(param))) for param in self.arrays}


def _rank(param: Var) -> int:
    assert isinstance(param.type, TensorType)
    return param.type.rank
