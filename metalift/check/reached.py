"""Inputs of the parts of a function with loops that stay: what runs of the whole function give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.walk import free_names
from metalift.ir.interp.interpret import evaluate_if_defined
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.run.inputs.inputs import Run, as_argument, inputs, runs, telling
from metalift.run.inputs.states import MOST, States, Values, Wanted, states_of
from metalift.vcgen.parts import Cutter, Part

TRIED = 60  # inputs of the function, and of a part of which few are known
MANY = MOST // 2  # states that are enough


@dataclass(slots=True)
class Reached:
    """The states that runs of a function go through, on inputs that satisfy some conditions."""

    fragment: Fragment
    given: tuple[Expr, ...]
    cutter: Cutter = field(init=False)
    found: States | None = None

    def __post_init__(self) -> None:
        self.cutter = Cutter(self.fragment)

    @property
    def states(self) -> States:
        """All of them."""
        if self.found is None:
            fragment = self.cutter.fragment
            self.found = states_of(fragment, frozenset(self.cutter.blocks), runs(fragment, self.given, tried=TRIED))
        return self.found

    def may_hold(self, header: str, fact: Expr) -> bool:
        """Whether something holds whenever runs come to a header."""
        envs = ({name: as_argument(value) for name, value in state.items()} for state in self.states.at(header, ()))
        return all(evaluate_if_defined(fact, env) is not False for env in envs if free_names(fact) <= env.keys())

    def seeds(self, part: Part) -> list[Values]:
        """Inputs of a part that runs of the function give it."""
        names = names_of(part)
        whole = (state for state in self.states.at(*self.place(part)) if state.keys() >= set(names.values()))
        return [{name: state[value] for name, value in names.items()} for state in whole]

    def sample(self, part: Part, given: Sequence[Expr], summary: Summary, others: bool) -> list[Run]:
        """Valid inputs of a part: those that runs of the function give it, if there are many, and `others` where asked for."""
        seeds = self.seeds(part)
        if others or len(seeds) < MANY:
            return runs(part.fragment, given, tried=TRIED, extents=summary.shapes, seeds=seeds)
        found = inputs(part.fragment, given, extents=summary.shapes, seeds=seeds)
        return telling(part.fragment, list(islice(found, len(seeds) // 2)))

    def wanted(self, part: Part, formula: Expr) -> Wanted:
        """That a formula about the parameters of a part holds wherever a run of the function comes to it."""
        return Wanted(*self.place(part), formula, names_of(part))

    def place(self, part: Part) -> tuple[str, frozenset[str]]:
        """The block at which a part begins, and where control goes next, if that is said."""
        start, way, _ = part.place
        following = frozenset({self.cutter.taken(start, way)[0].block} if way else ())
        return start or part.fragment.blocks[0].label, following


def names_of(part: Part) -> dict[str, str]:
    """What the parameters of a part are called in the function."""
    return {param.var.name: part.inputs.get(param.var.name, param.var).name for param in part.fragment.params}
