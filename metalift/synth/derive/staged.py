"""A plan for a function that no closed terms describe: which loops stay loops, and the longest stretches between them.

Nothing of it is trusted: `metalift.vcgen.parts` cuts the function as the plan says, and each part is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, to_int
from metalift.ir.expr.nodes import Apply, Cast, Expr, Ite, MakeTuple, Operator, Var, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import free_vars, substitute
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
    kept: dict[str, None] = field(default_factory=dict)
    refuted: set[Expr] = field(default_factory=set)  # what was thought to hold at a header, and is not proved to
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
            return [first, *self.after(end, stop, known, found)]
        assert problem is not None
        raise NotDerived(problem)

    def after(self, start: str, stop: str | None, known: tuple[Expr, ...], before: Summary) -> list[Stretch | Repeat]:
        """The stages after a cut; where a loop begins there, it stays if nothing computes it."""
        if start not in self.cutter.loops:
            return self.stages(start, "", stop, known)
        try:
            return self.stages(start, "", stop, known)
        except NotDerived as problem:
            self.stayed[start] = problem.diagnostic
        loop = self.repeat(start, known, before)
        return [loop, *self.stages(start, OUT, stop, (*known, *loop.holds))]

    def repeat(self, header: str, known: tuple[Expr, ...], before: Summary) -> Repeat:
        """A loop that stays."""
        self.kept[header] = None
        try:
            begun = self.results(header, before)
            loop = self.with_facts(header, known, tuple(self.holds(header, begun, {})))
            last = loop.body[-1]
            more = tuple(self.holds(header, begun, self.results(header, last.summary if isinstance(last, Stretch) else before)))
            return loop if set(more) <= set(loop.holds) else self.with_facts(header, known, more)
        except ObligationError as problem:
            raise NotDerived(problem.diagnostic) from problem

    def with_facts(self, header: str, known: tuple[Expr, ...], holds: tuple[Expr, ...]) -> Repeat:
        """A loop that stays, at whose header something is said to hold."""
        at_header = (*known, *holds)
        test = self.accept(self.cutter.test(header, at_header))
        inside = (*at_header, self.cutter.condition(header))
        return Repeat(header, holds, test, tuple(self.stages(header, IN, header, inside)))

    def results(self, header: str, summary: Summary) -> dict[Var, Expr]:
        """What a stretch that ends at a header makes of its arguments."""
        made = dict(summary.outputs).get("return")
        if made is None:
            return {}
        items = made.items if isinstance(made, MakeTuple) else (made,)
        values = {binding.var: binding.value for binding in summary.bindings}
        return {arg: substitute(item, values) for arg, item in zip(self.cutter.blocks[header].args, items, strict=False)}

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

    def holds(self, header: str, begun: Mapping[Var, Expr], following: Mapping[Var, Expr]) -> Iterator[Expr]:
        """For each counter of a loop, that it has not passed its start; `begun` and `following` are what stretches make of it."""
        block = self.cutter.blocks[header]
        inside = self.cutter.loops[header]
        scope = {param.var for param in self.cutter.scalars}
        before = self.cutter.dominators[header] & self.kept.keys()
        scope |= {arg for other in before for arg in self.cutter.blocks[other].args}
        edges = [(b.label, edge) for b in self.fragment.blocks for edge in b.edges if edge.block == header]
        for place, arg in enumerate(block.args):
            if not is_integer(arg.type):
                continue
            starts = {self.cutter.plain(edge.args[place]) for label, edge in edges if label not in inside}
            again = [edge.args[place] for label, edge in edges if label in inside]
            leaves = leaves_of(following[arg]) if arg in following else again
            steps = {self.step(arg, self.cutter.plain(each)) for each in leaves}
            start = begun.get(arg) or (starts.pop() if len(starts) == 1 else None)
            if start is None or None in steps or not free_vars(start) <= scope - set(block.args):
                continue
            facts = [(True, at_most(to_int(start), to_int(arg))), (False, at_most(to_int(arg), to_int(start)))]
            for up, fact in facts:
                if fact not in self.refuted and all(step is not None and (step >= 0 if up else step <= 0) for step in steps):
                    yield fact

    def step(self, arg: Var, following: Expr) -> int | None:
        """By how much a counter changes, where its type does not end; that it does not is for the proof to show."""
        while isinstance(following, Cast) and is_integer(type_of(following.arg)):
            following = following.arg
        return (Polynomial.of(to_int(following)) - Polynomial.of(to_int(arg))).constant_value


def leaves_of(value: Expr) -> tuple[Expr, ...]:
    """What a value may be, whatever its conditions are."""
    match value:
        case Ite(_, then, other):
            return (*leaves_of(then), *leaves_of(other))
        case Apply(Operator.ADD | Operator.SUB as op, args):
            return tuple(Apply(op, each) for each in product(*map(leaves_of, args)))
        case Cast(arg, type_) if is_integer(type_):
            return tuple(Cast(each, type_) for each in leaves_of(arg))
        case _:
            return (value,)
