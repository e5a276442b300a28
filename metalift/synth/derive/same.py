"""Truth values that are the same in every iteration: whether a key is in each of two dictionaries that are filled together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from metalift.ir.expr.nodes import FALSE, TRUE, Expr, Var
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import free_vars
from metalift.synth.derive.flagged import alike
from metalift.synth.derive.recurrences import Step, plain
from metalift.synth.derive.symbolic import evaluate


@dataclass(frozen=True, slots=True)
class Same:
    """A truth value that another one stands for; both start as false."""

    flag: Var
    other: Var

    @property
    def own(self) -> Var:
        """The accumulator that has no step."""
        return self.other

    @property
    def start(self) -> Expr:
        """What that starts as."""
        return FALSE

    def closed(self, closed: Mapping[Var, Expr]) -> dict[Var, Expr]:
        """The closed forms with that of the other one."""
        return {**closed, self.other: closed[self.flag]}

    def fact(self, _closed: Mapping[Var, Expr]) -> Expr:
        """What holds in each iteration and is not said by the closed forms."""
        return TRUE


def with_one(steps: tuple[Step, ...], starts: Mapping[Var, Expr]) -> tuple[tuple[Step, ...], tuple[Same, ...]]:
    """The steps without truth values that others stand for, and these."""
    found: list[Same] = []
    while (same := next(_same(steps, starts), None)) is not None:
        found.append(same)
        names: dict[Var, Expr] = {same.other: same.flag}
        kept = (step for step in steps if step.arg != same.other)
        steps = tuple(replace(step, following=evaluate(step.following, names, plain)) for step in kept)
    return steps, tuple(found)


def _same(steps: tuple[Step, ...], starts: Mapping[Var, Expr]) -> Iterator[Same]:
    flags = [step for step in steps if step.arg.type == BOOL and starts.get(step.arg) == FALSE]
    for one, two in itertools.permutations(flags, 2):
        if two.arg not in free_vars(one.following) and one.following != one.arg:
            following = evaluate(two.following, {two.arg: one.arg}, plain)
            if alike(following, one.following):
                yield Same(one.arg, two.arg)
