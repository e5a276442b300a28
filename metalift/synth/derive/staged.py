"""A plan for a function that no closed terms describe: which loops stay loops, and the longest stretches between them.

Nothing of it is trusted: `metalift.vcgen.parts` cuts the function as the plan says, and each part is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, to_int
from metalift.ir.expr.nodes import Cast, Expr, Var, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import free_vars
from metalift.ir.program.fragment import Diagnostic, Fragment
from metalift.ir.program.summary import Repeat, StagedSummary, Stretch, Summary
from metalift.synth.derive.region import NotDerived
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.parts import IN, OUT, Cutter, Part

Accept = Callable[[Part], Summary]
"""The summary of a part that the target can compute. Raises NotDerived where there is none."""


@dataclass(slots=True)
class Planner:
    """Looks for a plan. `stayed` has for each loop that stays why it does."""

    fragment: Fragment
    accept: Accept
    cutter: Cutter = field(init=False)
    stayed: dict[str, Diagnostic] = field(default_factory=dict)
    known: dict[tuple[str, str, str | None, tuple[Expr, ...]], Summary | Diagnostic] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cutter = Cutter(self.fragment)

    def plan(self) -> StagedSummary:
        """The stages of the function. Raises NotDerived with what stands in the way."""
        return StagedSummary(tuple(self.stages(self.fragment.blocks[0].label, "", None, ())))

    def stages(self, start: str, way: str, stop: str | None, known: tuple[Expr, ...]) -> list[Stretch | Repeat]:
        """The stages from one block to another: the longest first stretch, then the others."""
        problem: Diagnostic | None = None
        cuts = self.cuts(start, way, stop)
        for end in (stop, *reversed(cuts)):
            found = self.stretch(start, way, end, known)
            if isinstance(found, Diagnostic):
                problem = problem or found
                continue
            first = Stretch(start, way, end, found)
            if end == stop:
                return [first]
            assert end is not None
            return [first, *self.following(end, stop, known)]
        assert problem is not None
        raise NotDerived(problem)

    def following(self, start: str, stop: str | None, known: tuple[Expr, ...]) -> list[Stretch | Repeat]:
        """The stages after a cut; where a loop begins there, it stays if nothing computes it."""
        if start not in self.cutter.loops:
            return self.stages(start, "", stop, known)
        try:
            return self.stages(start, "", stop, known)
        except NotDerived as problem:
            self.stayed[start] = problem.diagnostic
        return [self.repeat(start, known), *self.stages(start, OUT, stop, known)]

    def repeat(self, header: str, known: tuple[Expr, ...]) -> Repeat:
        """A loop that stays."""
        try:
            holds = tuple(self.holds(header))
            at_header = (*known, *holds)
            test = self.accept(self.cutter.test(header, at_header))
            inside = (*at_header, self.cutter.condition(header))
            return Repeat(header, holds, test, tuple(self.stages(header, IN, header, inside)))
        except ObligationError as problem:
            raise NotDerived(problem.diagnostic) from problem

    def stretch(self, start: str, way: str, stop: str | None, known: tuple[Expr, ...]) -> Summary | Diagnostic:
        """The summary of a part, or why there is none."""
        key = (start, way, stop, known)
        if key not in self.known:
            try:
                self.known[key] = self.accept(self.cutter.stretch(start, way, stop, known))
            except (NotDerived, ObligationError) as problem:
                self.known[key] = problem.diagnostic
        return self.known[key]

    # Where to cut

    def cuts(self, start: str, way: str, stop: str | None) -> list[str]:
        """The headers of loops, and the blocks after loops, that every run between the two blocks comes to, in order."""
        region = self.region(start, way, stop)
        after = {edge.block for label in region for edge in self.cutter.blocks[label].edges if self.leaves(label, edge.block)}
        wanted = [label for label in region if label not in (start, stop) and (label in self.cutter.loops or label in after)]
        return [label for label in wanted if self.always(label, start, way, stop) and self.outermost(label, region, start)]

    def leaves(self, label: str, to: str) -> bool:
        """Whether an edge leaves a loop."""
        return any(label in inside and to not in inside for inside in self.cutter.loops.values())

    def outermost(self, label: str, region: list[str], start: str) -> bool:
        """Whether no loop of the region is around the block, but one that has the block as its header."""
        loops = ((header, inside) for header, inside in self.cutter.loops.items() if header in region and header != start)
        return all(label not in inside or header == label for header, inside in loops)

    def edges(self, label: str, start: str, way: str) -> list[str]:
        """Where control goes from a block."""
        if label == start and way:
            inside, outside = self.cutter.sides(start)
            return [(inside if way == IN else outside).block]
        return [edge.block for edge in self.cutter.blocks[label].edges]

    def region(self, start: str, way: str, stop: str | None, without: str | None = None) -> list[str]:
        """The blocks that are reached before `stop`, each after one that leads to it."""
        finished: list[str] = []
        seen = {start}

        def visit(label: str) -> None:
            for to in self.edges(label, start, way):
                if to not in seen and to not in (stop, without):
                    seen.add(to)
                    visit(to)
            finished.append(label)

        visit(start)
        return finished[::-1]

    def always(self, label: str, start: str, way: str, stop: str | None) -> bool:
        """Whether every run comes to the block."""
        rest = self.region(start, way, stop, without=label)
        if stop is None:
            return all(self.edges(each, start, way) for each in rest)
        return all(stop not in self.edges(each, start, way) for each in rest)

    # What holds in each iteration

    def holds(self, header: str) -> Iterator[Expr]:
        """For each counter of a loop, that it has not passed its start."""
        block = self.cutter.blocks[header]
        inside = self.cutter.loops[header]
        scope = {param.var for param in self.cutter.scalars}
        scope |= {
            arg for other, labels in self.cutter.loops.items() if header in labels for arg in self.cutter.blocks[other].args
        }
        edges = [(b.label, edge) for b in self.fragment.blocks for edge in b.edges if edge.block == header]
        for place, arg in enumerate(block.args):
            if not is_integer(arg.type):
                continue
            starts = {self.cutter.plain(edge.args[place]) for label, edge in edges if label not in inside}
            steps = {self.step(arg, self.cutter.plain(edge.args[place])) for label, edge in edges if label in inside}
            start = starts.pop() if len(starts) == 1 else None
            if start is None or None in steps or not free_vars(start) <= scope - set(block.args):
                continue
            if all(step is not None and step > 0 for step in steps):
                yield at_most(to_int(start), to_int(arg))
            if all(step is not None and step < 0 for step in steps):
                yield at_most(to_int(arg), to_int(start))

    def step(self, arg: Var, following: Expr) -> int | None:
        """By how much a counter changes, where its type does not end; that it does not is for the proof to show."""
        while isinstance(following, Cast) and is_integer(type_of(following.arg)):
            following = following.arg
        return (Polynomial.of(to_int(following)) - Polynomial.of(to_int(arg))).constant_value
