"""A plan for a function that no closed terms describe: which loops stay loops, and the longest stretches between them.

Nothing of it is trusted: `metalift.vcgen.parts` cuts the function as the plan says, and each part is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, equal, to_int, tuple_items
from metalift.ir.expr.nodes import Apply, Cast, Expr, Ite, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.fragment import Branch, Diagnostic, Fragment, Jump, Store, expressions
from metalift.ir.program.graphs import reached
from metalift.ir.program.summary import Choice, Repeat, Stage, StagedSummary, Stretch, Summary
from metalift.synth.derive.region import NotDerived
from metalift.synth.derive.stage_extents import gaps_of
from metalift.vcgen.obligation import ObligationError
from metalift.vcgen.parts import IN, OTHER, OUT, THEN, Cutter, Part, arithmetic, still
from metalift.vcgen.plans import Ends, Place, Reader, reads

Known: TypeAlias = tuple[Expr, ...]
Accept = Callable[[Part], Summary]
"""The summary of a part that the target can compute. Raises NotDerived where there is none."""


@dataclass(slots=True)
class Planner:
    """Looks for a plan. `stayed` has for each loop that stays why it does."""

    fragment: Fragment
    accept: Accept
    possible: Callable[[str, Expr], bool] = lambda header, fact: True  # whether what is thought to hold at a header may do so
    hints: Mapping[str, Known] = field(default_factory=dict)  # what somebody thinks that holds at headers
    cutter: Cutter = field(init=False)
    reader: Reader = field(init=False)
    incoming: dict[Var, list[Expr]] = field(default_factory=dict)  # what each argument of a block is given
    looped: frozenset[Var] = frozenset()  # the arguments of headers
    places: frozenset[Var] = frozenset()  # the integers that decide which element is read or written
    stayed: dict[str, Diagnostic] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    refuted: set[Expr] = field(default_factory=set)  # what was thought to hold at a header, and is not proved to
    refused: dict[tuple[str, str, str | None], Diagnostic] = field(default_factory=dict)  # parts that are not proved
    hard: dict[str, Diagnostic] = field(default_factory=dict)  # loops in closed form that were not proved inside of a part
    tried: dict[tuple[str, str, str | None, Known], tuple[Part, Summary] | Diagnostic] = field(default_factory=dict)
    begun: set[tuple[str, str, str | None, str | None]] = field(default_factory=set)  # stages that are being looked for

    def __post_init__(self) -> None:
        self.cutter = Cutter(self.fragment)
        self.reader = Reader(self.cutter)
        self.fragment = self.cutter.fragment
        for block in self.fragment.blocks:
            self.incoming.update((arg, []) for arg in block.args)
        for edge in (edge for block in self.fragment.blocks for edge in block.edges):
            for arg, value in zip(self.cutter.blocks[edge.block].args, edge.args, strict=True):
                self.incoming[arg].append(value)
        self.looped = frozenset(arg for label in self.cutter.loops for arg in self.cutter.blocks[label].args)
        self.places = frozenset(self.in_places())

    def plan(self) -> StagedSummary:
        """The stages of the function. Raises NotDerived with what stands in the way."""
        return StagedSummary(tuple(self.chosen(self.fragment.blocks[0].label, None, (), None)))

    def stages(self, start: str, way: str, stop: str | None, known: Known, after: str | None) -> list[Stage]:
        """The stages from one block to another: the longest first stretch, then the others. `after` is the block after the loop
        that they are in, where its body leaves it.
        """
        place = (start, way, stop, after)
        if place in self.begun:
            raise NotDerived(Diagnostic(self.cutter.blocks[start].end.location, "control comes here again before the end"))
        self.begun.add(place)
        try:
            return self.longest_first(start, way, stop, known, after)
        finally:
            self.begun.remove(place)

    def longest_first(self, start: str, way: str, stop: str | None, known: Known, after: str | None) -> list[Stage]:
        """The same, which is not being looked for yet."""
        problem: Diagnostic | None = None
        for end in (stop, *reversed(self.cuts(start, way, stop))):
            found = self.stretch(start, way, end, known)
            if isinstance(found, Diagnostic):
                problem = problem or found
                continue
            part, summary = found
            first = Stretch(start, way, end, summary)
            if end == stop:
                return [first]
            assert end is not None
            try:
                return [first, *self.following(end, stop, self.reader.behind(known, part, summary), summary, after)]
            except NotDerived as failed:
                problem = failed.diagnostic
        assert problem is not None
        raise NotDerived(problem)

    def following(self, start: str, stop: str | None, known: Known, before: Summary, after: str | None) -> list[Stage]:
        """The stages after a cut; where a loop begins there, it stays if nothing computes it."""
        if start not in self.cutter.loops:
            return self.chosen(start, stop, known, after)
        try:
            return self.stages(start, "", stop, known, after)
        except NotDerived as problem:
            self.stayed[start] = problem.diagnostic
        known = still(known, self.cutter.changed_in_loop(start))
        loop = self.repeat(start, known, before, after)
        beyond = Place(start, OUT) if loop.after is None else Place(loop.after, "")
        ends_here = beyond == Place(stop, "") and stop not in self.cutter.loops and stop != after
        if beyond.block is None or (beyond == Place(stop, "") and not ends_here):
            raise NotDerived(self.stayed[start])
        try:
            left = self.reader.left(self.reader.loop(loop, known, Ends({stop: ()}, after)), loop.after)
        except ObligationError as problem:
            raise NotDerived(problem.diagnostic) from problem
        known = (*known, *loop.holds, *left)
        if ends_here:
            return [loop]
        if not beyond.way:
            return [loop, *self.chosen(beyond.block, stop, known, after)]
        return [loop, *self.stages(beyond.block, beyond.way, stop, known, after)]

    def chosen(self, start: str, stop: str | None, known: Known, after: str | None) -> list[Stage]:
        """The stages from a block which may branch: both ways meet again, or one of them leaves."""
        try:
            return self.stages(start, "", stop, known, after)
        except NotDerived as problem:
            if not isinstance(self.cutter.blocks[start].end, Branch):
                raise
            why = problem.diagnostic
        try:
            test = self.accept(self.cutter.test(start, THEN, known))
            meets = [
                label
                for label in self.region(start, "", stop)
                if label != start and self.always(label, start, "", stop) and not self.passes_on(label)
            ]
            join = meets[0] if meets else stop
            sides = [self.side(start, way, join, stop, known, after) for way in (THEN, OTHER)]
        except ObligationError as problem:
            raise NotDerived(problem.diagnostic) from problem
        if join == stop:
            return [Choice(start, test, *sides)]
        if join is None:
            raise NotDerived(why)
        choice = Choice(start, test, *sides)
        _, behind = self.reader.walk((choice,), Place(start, ""), Ends({join: ()}, after), known)
        if join in self.cutter.loops:
            return [choice, *self.following(join, stop, behind or (), Summary((), (), ()), after)]
        return [choice, *self.chosen(join, stop, behind or (), after)]

    def side(
        self, start: str, way: str, join: str | None, stop: str | None, known: Known, after: str | None
    ) -> tuple[Stage, ...]:
        """The stages of one side of a branch: to where both meet, or out of the loop, or out of the function."""
        inside = (*known, self.cutter.condition(start, way))
        region = self.region(start, way, stop, without=after)
        reached = {to for label in region for to in self.edges(label, start, way)}
        end = join if join in reached else after if after in reached else None
        return tuple(self.stages(start, way, end, inside, after))

    def repeat(self, header: str, known: Known, before: Summary, outer: str | None) -> Repeat:
        """A loop that stays."""
        self.kept.add(header)
        try:
            begun = self.results(header, before)
            loop = self.with_facts(header, known, tuple(self.holds(header, begun, {})), outer)
            last = loop.body[-1]
            made = self.results(header, last.summary) if isinstance(last, Stretch) else {}
            more = tuple(self.holds(header, begun, made))
            return loop if set(more) <= set(loop.holds) else self.with_facts(header, known, more, outer)
        except ObligationError as problem:
            raise NotDerived(problem.diagnostic) from problem

    def with_facts(self, header: str, known: Known, holds: Known, outer: str | None) -> Repeat:
        """A loop that stays, at whose header something is said to hold."""
        at_header = (*known, *holds)
        after = self.met(header)
        try:
            self.cutter.sides(header)
        except ObligationError:
            if after is None:
                raise
            return Repeat(header, holds, None, tuple(self.stages(header, "", header, at_header, after)), after)
        test = self.accept(self.cutter.test(header, IN, at_header))
        body = tuple(self.stages(header, IN, header, (*at_header, self.cutter.condition(header, IN)), after))
        if after is None:
            return Repeat(header, holds, test, body)
        stays = all(self.cutter.taken(header, OUT)[0].block in blocks for blocks in self.around(header))
        end = after if stays else None
        return Repeat(header, holds, test, body, after, tuple(self.stages(header, OUT, end, at_header, outer)))

    def met(self, header: str) -> str | None:
        """The block at which all ways meet that leave a loop and stay in the one around it, where some leave from inside of the
        body; None where none does. The other ways leave both loops.
        """
        inside = self.cutter.loops[header]
        around = self.around(header)
        ends = {edge.block for edge in self.cutter.blocks[header].edges}
        left = {edge.block for label in inside - {header} for edge in self.cutter.blocks[label].edges}
        left, out = ({to for to in ways - inside if all(to in blocks for blocks in around)} for ways in (left, ends))
        if not left:
            return None
        ways = [self.region(label, "", None) for label in left | out]
        shared = [label for label in ways[0] if all(label in way for way in ways) and all(label in each for each in around)]
        return next((label for label in shared if all(self.always(label, first, "", None) for first in left | out)), None)

    def around(self, header: str) -> list[frozenset[str]]:
        """The blocks of each loop around a loop."""
        return [blocks for label, blocks in self.cutter.loops.items() if header in blocks and label != header]

    def results(self, header: str, summary: Summary) -> dict[Var, Expr]:
        """What a stretch that ends at a header makes of its arguments."""
        made = dict(summary.outputs).get("return")
        if made is None:
            return {}
        items = tuple_items(made)
        values = {binding.var: binding.value for binding in summary.bindings}
        return {arg: substitute(item, values) for arg, item in zip(self.cutter.blocks[header].args, items, strict=False)}

    def stretch(self, start: str, way: str, stop: str | None, known: Known) -> tuple[Part, Summary] | Diagnostic:
        """A part with its summary, or why there is none."""
        key = (start, way, stop, known)
        if (start, way, stop) in self.refused:
            return self.refused[start, way, stop]
        if start and (hard := self.hard.keys() & set(self.region(start, way, stop)) - {start}):
            return self.hard[min(hard)]
        if key not in self.tried:
            try:
                part = self.cutter.stretch(start, way, stop, known)
                self.tried[key] = (part, self.accept(part))
            except (NotDerived, ObligationError) as problem:
                self.tried[key] = problem.diagnostic
        return self.tried[key]

    def forget(self, places: Collection[tuple[str, str, str | None]]) -> None:
        """Look anew for the summaries of the parts at these places."""
        self.tried = {key: found for key, found in self.tried.items() if key[:3] not in places}

    # Where to cut

    def divides(self, place: tuple[str, str, str | None]) -> bool:
        """Whether a part that is no test can be cut in two."""
        return bool(place[0]) and bool(self.cuts(*place))

    def cuts(self, start: str, way: str, stop: str | None) -> list[str]:
        """The headers of loops, the blocks after loops and those that branch, of which every run between the two blocks comes to
        each, in order.
        """
        region = self.region(start, way, stop)
        after = {edge.block for label in region for edge in self.cutter.blocks[label].edges if self.leaves(label, edge.block)}
        again = {start, stop, *(label for label, inside in self.cutter.loops.items() if start in inside)}
        found = [
            label
            for label in region
            if label not in again
            and (label in self.cutter.loops or label in after or isinstance(self.cutter.blocks[label].end, Branch))
            and self.always(label, start, way, stop)
            and self.outermost(label, region, start)
        ]
        return [label for label in found if label in self.cutter.loops or not self.only_leads_to(label, found)]

    def passes_on(self, label: str) -> bool:
        """Whether a block only leads to another one: what is known of values is lost where they get other names in between."""
        block = self.cutter.blocks[label]
        return isinstance(block.end, Jump) and not block.body and label not in self.cutter.loops

    def only_leads_to(self, label: str, others: Collection[str]) -> bool:
        """Whether a block does nothing to arrays before one of the others."""
        block = self.cutter.blocks[label]
        stores = any(isinstance(statement, Store) for statement in block.body)
        return isinstance(block.end, Jump) and block.end.edge.block in others and not stores

    def leaves(self, label: str, to: str) -> bool:
        """Whether an edge leaves a loop."""
        return any(label in inside and to not in inside for inside in self.cutter.loops.values())

    def outermost(self, label: str, region: list[str], start: str) -> bool:
        """Whether no loop of the region is around the block, but one that has the block as its header."""
        loops = ((header, inside) for header, inside in self.cutter.loops.items() if header in region and start not in inside)
        return all(label not in inside or header == label for header, inside in loops)

    def edges(self, label: str, start: str, way: str) -> list[str]:
        """Where control goes from a block."""
        if label == start and way:
            return [self.cutter.taken(start, way)[0].block]
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
        if label == start:
            return True
        rest = self.region(start, way, stop, without=label)
        if stop is None:
            return all(self.edges(each, start, way) for each in rest)
        return all(stop not in self.edges(each, start, way) for each in rest)

    # What holds in each iteration

    def holds(self, header: str, begun: Mapping[Var, Expr], following: Mapping[Var, Expr]) -> Iterator[Expr]:
        """For each counter of a loop, that it has not passed its start, and how far it is beside another one; `begun` and
        `following` are what stretches make of it.
        """
        counters = dict(self.counters(header, begun, following))
        clock = next((arg for arg, (_, steps) in counters.items() if steps in ((1,), (-1,))), None)
        for arg, (start, steps) in counters.items():
            if not steps and arg not in self.places:
                continue
            facts = [at_most(start, to_int(arg))] if not steps or min(steps) >= 0 else []
            facts += [at_most(to_int(arg), start)] if not steps or max(steps) <= 0 else []
            if clock is not None and arg != clock and steps:
                begin, (tick,) = counters[clock]
                passed = (Polynomial.of(to_int(clock)) - Polynomial.of(begin)) * tick
                gone = Polynomial.of(to_int(arg)) - Polynomial.of(start)
                facts += beside(gone - passed * min(steps), passed * max(steps) - gone)
            if clock is not None and not steps:
                facts += self.as_far_as(header, clock, arg)
            if steps:
                facts += self.not_beyond(header, arg, max(map(abs, steps)))
            yield from (fact for fact in facts if fact not in self.refuted and self.possible(header, fact))
        names = self.reader.names_at(header)
        for fact in self.hints.get(header, ()):
            if free_vars(fact) <= names and not reads(fact) and fact not in self.refuted and self.possible(header, fact):
                yield fact

    def tested(self, header: str) -> list[Polynomial]:
        """What a loop's test says is at least 0, where it has one."""
        try:
            return gaps_of(self.cutter.condition(header, IN))
        except ObligationError:
            return []

    def not_beyond(self, header: str, arg: Var, step: int) -> list[Expr]:
        """Where a test has several parts, that none of them is missed by more than a step."""
        gaps, names = self.tested(header), self.reader.names_at(header)
        mine = [gap + step for gap in gaps if arg in gap.free_vars and gap.free_vars <= names]
        return [at_most(integer(0), gap.to_expr()) for gap in mine] if len(gaps) > 1 else []

    def as_far_as(self, header: str, clock: Var, arg: Var) -> list[Expr]:
        """That a number which a loop sets, as to a place that it has found, is where the loop's test lets its counter be."""
        gaps, names = self.tested(header), self.reader.names_at(header)
        set_so = [gap.substitute({clock: Polynomial.of(arg)}) for gap in gaps if clock in gap.free_vars]
        return [at_most(integer(0), gap.to_expr()) for gap in set_so if clock not in gap.free_vars and gap.free_vars <= names]

    def counters(
        self, header: str, begun: Mapping[Var, Expr], following: Mapping[Var, Expr]
    ) -> Iterator[tuple[Var, tuple[Expr, tuple[int, ...]]]]:
        """The integer arguments of a header: where each begins, and by how much it changes, as far as these are numbers."""
        block = self.cutter.blocks[header]
        inside = self.cutter.loops[header]
        scope = {param.var for param in self.fragment.params}
        before = self.cutter.dominators[header] & self.kept
        scope |= {arg for other in before for arg in self.cutter.blocks[other].args}
        edges = [(b.label, edge) for b in self.fragment.blocks for edge in b.edges if edge.block == header]
        for place, arg in enumerate(block.args):
            if not is_integer(arg.type):
                continue
            starts = {self.cutter.plain(edge.args[place]) for label, edge in edges if label not in inside}
            again = [edge.args[place] for label, edge in edges if label in inside]
            leaves = leaves_of(following[arg]) if arg in following else again
            steps = {self.step(arg, value) for each in leaves for value in self.sources(each)}
            start = begun.get(arg) or (starts.pop() if len(starts) == 1 else None)
            if start is not None and not free_vars(start) <= scope and len(met := self.sources(start)) == 1:
                start = met.pop()  # where ways met, it was the same on all of them
            if start is not None and not reads(start) and free_vars(start) <= scope - set(block.args):
                yield arg, (to_int(start), () if None in steps else tuple(sorted(step for step in steps if step is not None)))

    def in_places(self) -> set[Var]:
        """The integers of which indices are made, also in other iterations."""
        found: set[Var] = set()
        for block in self.fragment.blocks:
            indices = [index for statement in block.body if isinstance(statement, Store) for index in statement.indices]
            for expr in expressions(block):
                indices += [index for part in subexpressions(expr) if isinstance(part, Select) for index in part.indices]
            found |= {var for index in indices for var in free_vars(index) if is_integer(var.type)}

        def made_of(var: Var) -> Iterator[Var]:
            made = [self.cutter.assigned[var]] if var in self.cutter.assigned else self.incoming.get(var, [])
            return (each for value in made if arithmetic(value) for each in free_vars(value))

        return reached(found, made_of)

    def sources(self, term: Expr) -> set[Expr]:
        """What an integer may be where ways meet, over the values from before."""
        ends: set[Expr] = set()
        seen: set[Expr] = set()
        work = [self.cutter.plain(term)]
        while work:
            each = work.pop()
            if each in seen:
                continue
            seen.add(each)
            met = next((var for var in free_vars(each) if var in self.incoming and var not in self.looped), None)
            if met is None:
                ends.add(each)
            else:
                work += [self.cutter.plain(substitute(each, {met: value})) for value in self.incoming[met]]
        return ends

    def step(self, arg: Var, following: Expr) -> int | None:
        """By how much a counter changes, where its type does not end; that it does not is for the proof to show."""
        while isinstance(following, Cast) and is_integer(type_of(following.arg)):
            following = following.arg
        return (Polynomial.of(to_int(following)) - Polynomial.of(to_int(arg))).constant_value


def beside(*gaps: Polynomial) -> list[Expr]:
    """That these are at least 0; where one is the other's opposite, that it is 0."""
    sides = [(part_of(gap), part_of(-gap)) for gap in gaps]
    if gaps[0] == -gaps[1]:
        return [equal(*sides[0])]
    return [at_most(less, more) for more, less in sides]


def part_of(value: Polynomial) -> Expr:
    """The terms with a positive factor."""
    return Polynomial.make((monomial, factor) for monomial, factor in value.terms if factor > 0).to_expr()


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
