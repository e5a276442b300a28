"""Symbolic execution of one region: a loop's body once, or the whole function, with inner loops replaced by their effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Const, Expr, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Diagnostic,
    Edge,
    Fragment,
    Jump,
    Location,
    Return,
    Store,
    Undefined,
    Unreachable,
)
from metalift.synth.derive.cfg import Graph
from metalift.synth.derive.effects import Access, Applied, Effect, Exit
from metalift.synth.derive.gates import Gate, Way, choice, condition, graft, settle
from metalift.synth.derive.normal_terms import Cell, both, exact, ite, parts_of
from metalift.synth.derive.recurrences import plain
from metalift.synth.derive.state import Contents, Unresolved, Write, lost, merge
from metalift.synth.derive.symbolic import evaluate
from metalift.synth.derive.uses import reads


class NotDerived(Exception):
    """No summary was found; the diagnostic says where and why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(slots=True)
class Departure:
    """An edge that control may take, with the state it brings along. `target` is a block label, or one of the names below."""

    target: str
    args: tuple[Expr, ...]
    contents: dict[Var, Contents]
    location: Location
    source: str
    edge: Edge | None = None


NEXT = "<next iteration>"
EXIT = "<exit>"
RETURN = "<return>"


@dataclass(slots=True)
class Shared:
    """What all regions of a fragment share.

    `pure` has the index arithmetic of SSA values in normal form, `spelled` as the source has it.
    """

    fragment: Fragment
    graph: Graph
    arrays: tuple[Var, ...]
    pure: dict[Var, Expr]
    spelled: dict[Var, Expr]
    effects: dict[str, Effect] = field(default_factory=dict)
    entries: dict[str, tuple[Expr, ...]] = field(default_factory=dict)


def prepare(fragment: Fragment, graph: Graph) -> Shared:
    """The shared facts: the arrays, and the index arithmetic of SSA values, which is put in wherever they are used."""
    arrays = tuple(p.var for p in fragment.params if isinstance(p.var.type, TensorType)) + fragment.locals
    pure: dict[Var, Expr] = dict(_one_for_equal(fragment, graph))
    spelled: dict[Var, Expr] = dict(pure)
    for label in graph.order:
        for statement in graph.blocks[label].body:
            if isinstance(statement, Assign) and _is_index_arithmetic(statement.value):
                pure[statement.target] = exact_of_type(evaluate(statement.value, pure, lambda a, c, r: a), statement.target)
                spelled[statement.target] = substitute(statement.value, spelled)
    return Shared(fragment, graph, arrays, pure, spelled)


def _one_for_equal(fragment: Fragment, graph: Graph) -> Iterator[tuple[Var, Expr]]:
    """Integers among the parameters that every run that returns takes to be a number or equal to an earlier one, with what they
    are: the number, or else the earliest."""
    place = {param.var: at for at, param in enumerate(fragment.params) if is_integer(param.var.type)}
    ends = [label for label in graph.order if isinstance(graph.blocks[label].end, Return)]
    always = [label for label in graph.order if all(graph.dominates(label, end) for end in ends)]
    groups = {var: {var} for var in place}
    numbers: dict[Var, Const] = {}
    for statement in (statement for label in always for statement in graph.blocks[label].body):
        match statement:
            case Assume(Apply(Operator.EQ, (Var() as one, Var() as two))) if {one, two} <= place.keys() and one.type == two.type:
                groups[one] |= groups[two]
                groups |= dict.fromkeys(groups[two], groups[one])
            case Assume(Apply(Operator.EQ, (Var() as var, Const() as number))) if var in place and var.type == number.type:
                numbers[var] = number
    for var, group in groups.items():
        first = min(group, key=lambda each: place[each])
        found = next((numbers[each] for each in place if each in group and each in numbers), first)
        if found != var:
            yield var, found


def exact_of_type(value: Expr, target: Var) -> Expr:
    """The value; as a sorted polynomial if it is of type INT."""
    return exact(value) if target.type == INT else value


def _checked_parts(part: Select | Apply) -> tuple[Expr, ...]:
    """The indices of an element; a divisor; the bits of a shift, and of its type where that has a number of them."""
    if isinstance(part, Select):
        return part.indices
    type_ = type_of(part)
    shift = part.op in (Operator.SHL, Operator.SHR)
    return (part.args[1], *([integer(type_.bits)] if shift and isinstance(type_, MachineInt) else []))


def _is_index_arithmetic(value: Expr) -> bool:
    match value:
        case Var(_, type_) | Const(_, type_):
            return is_integer(type_)
        case Length():
            return True
        case Cast(arg, type_):
            return is_integer(type_) and is_integer(type_of(arg)) and _is_index_arithmetic(arg)
        case Apply(Operator.ADD | Operator.SUB | Operator.MUL | Operator.NEG, args):
            return all(_is_index_arithmetic(arg) for arg in args)
        case _:
            return False


class Region:
    """Executes the nodes of a region in topological order. Afterwards `gate` tells how control leaves, `departures` with what."""

    def __init__(self, shared: Shared, header: str | None) -> None:
        self.shared = shared
        self.graph = shared.graph
        self.header = header
        self.nodes = self.graph.region_nodes(header)
        self.env: dict[Var, Expr] = dict(shared.pure)
        self.departures: list[Departure] = []
        self.leaving: dict[str, Gate] = {}
        self.accesses: list[Access] = []
        self.needs: list[Expr] = []
        self.reach: dict[str, Expr] = {}
        self.here = self.graph.blocks[self.nodes[0]].end.location
        self.version_of = {array: array for array in shared.arrays}

    # Running

    def run(self) -> None:
        """Executes every node."""
        for label in self.nodes:
            block = self.graph.blocks[label]
            self.here = block.body[0].location if block.body else block.end.location
            arrived = self.arrive(label)
            if arrived is None:
                self.leaving[label] = None
                continue
            contents, args = arrived
            try:
                if label in self.graph.loops and label != self.header:
                    self.leaving[label] = self.pass_loop(label, args, contents)
                else:
                    if label != self.header:
                        self.env.update(zip(block.args, args, strict=True))
                    self.leaving[label] = self.execute(block, contents)
            except Unresolved as problem:
                raise self.failure(str(problem)) from problem

    def failure(self, message: str) -> NotDerived:
        """The exception for what was just executed."""
        return NotDerived(Diagnostic(self.here, message))

    @property
    def gate(self) -> Gate:
        """All the ways out of the region."""
        return self.ways_from(self.nodes[0], None, {})

    def arrive(self, label: str) -> tuple[dict[Var, Contents], tuple[Expr, ...]] | None:
        """The state in which control reaches a node, merged over the edges that lead to it; None where it never does."""
        if label == self.nodes[0]:
            self.reach[label] = TRUE
            return {array: Contents(self.version_of[array]) for array in self.shared.arrays}, ()
        above = self.node_of(self.graph.idom[label])
        gate = self.ways_from(above, label, {})
        self.reach[label] = condition(self.ways_from(self.nodes[0], label, {}), lambda e: self.departures[e].target == label)
        gate = self.only(gate, label)
        if gate is None:
            return None
        args = tuple(self.merged_argument(gate, place) for place in range(len(self.graph.blocks[label].args)))
        return self.merged_contents(gate), args

    def merged_argument(self, gate: Gate, place: int) -> Expr:
        """A block argument where the ways of the gate meet."""
        return settle(gate, lambda edge: self.departures[edge].args[place], ite)

    def merged_contents(self, gate: Gate) -> dict[Var, Contents]:
        """The arrays where the ways of the gate meet."""

        def merged(array: Var) -> Contents:
            return settle(gate, lambda edge: self.departures[edge].contents[array], self.merge)

        return {array: merged(array) for array in self.shared.arrays}

    def merge(self, cond: Expr, then: Contents, other: Contents) -> Contents:
        """One array's contents where two ways meet."""
        return merge(cond, then, other)

    def only(self, gate: Gate, target: str) -> Gate:
        """The gate without ways that lead elsewhere."""
        return graft(gate, lambda edge: Way(edge) if self.departures[edge].target == target else None)

    def ways_from(self, label: str, until: str | None, memo: dict[str, Gate]) -> Gate:
        """How control goes on from the start of a node: to `until`, or out of the region."""
        if label not in memo:

            def follow(edge: int) -> Gate:
                target = self.departures[edge].target
                if target == until or target not in self.leaving:
                    return Way(edge)
                return self.ways_from(target, until, memo)

            memo[label] = graft(self.leaving[label], follow)
        return memo[label]

    def node_of(self, label: str) -> str:
        """The node of this region that holds the block."""
        while label not in self.nodes:
            owner = self.graph.innermost(label)
            while owner is not None and owner not in self.nodes:
                owner = self.graph.loops[owner].parent
            assert owner is not None
            label = owner
        return label

    # Blocks

    def execute(self, block: Block, contents: dict[Var, Contents]) -> Gate:
        """The statements of a block and its end."""
        contents = dict(contents)
        for statement in block.body:
            self.here = statement.location
            match statement:
                case Assign(target, value, _):
                    self.env[target] = self.assigned(target, exact_of_type(self.value(value, contents, block.label), target))
                case Store(array, cell, value, _):
                    for each in cell:
                        self.must_fit(each, self.reach[block.label])
                    at = tuple(exact(self.value(each, contents, block.label)) for each in cell)
                    self.access(array, at, block.label)
                    write = Write((), (), at, self.stored(array, self.value(value, contents, block.label)))
                    contents[array] = contents[array].after(write)
                case Assume() | Check():
                    pass
                case Undefined(target):
                    self.env[target] = target
        return self.end(block, contents)

    def assigned(self, target: Var, value: Expr) -> Expr:
        """What stands for an assigned value from now on."""
        return value

    def stored(self, array: Var, value: Expr) -> Expr:
        """What stands for a stored value from now on."""
        return value

    def end(self, block: Block, contents: dict[Var, Contents]) -> Gate:
        """Where control goes after a block."""
        self.here = block.end.location
        match block.end:
            case Jump(edge, location):
                return Way(self.depart(edge, contents, block.label, location))
            case Branch(cond, then, other, location):
                if self.header and any(edge.block not in self.graph.loops[self.header].blocks for edge in (then, other)):
                    self.must_fit(cond, self.reach[block.label])
                test = self.value(cond, contents, block.label)
                one = self.depart(then, contents, block.label, location)
                two = self.depart(other, contents, block.label, location)
                return choice(test, Way(one), Way(two))
            case Return(value, location):
                result = () if value is None else (self.value(value, contents, block.label),)
                self.departures.append(Departure(RETURN, result, contents, location, block.label))
                return Way(len(self.departures) - 1)
            case Unreachable():
                return None

    def depart(self, edge: Edge, contents: dict[Var, Contents], label: str, location: Location) -> int:
        """Records an edge out of a block."""
        args = tuple(self.value(arg, contents, label) for arg in edge.args)
        if isinstance(self.graph.blocks[edge.block].end, Return):
            for arg in edge.args:
                if type_of(arg) == INT:  # of a part of a function: a place in an array
                    self.must_fit(arg, self.reach[label])
        return self.record(edge, args, contents, location, label)

    def record(
        self, edge: Edge, args: tuple[Expr, ...], contents: dict[Var, Contents], location: Location, label: str
    ) -> int:
        """Records an edge with the values it brings."""
        inside = edge.block in self.nodes
        target = NEXT if edge.block == self.header else edge.block if inside else EXIT
        self.departures.append(Departure(target, args, contents, location, label, edge))
        return len(self.departures) - 1

    def value(self, expr: Expr, contents: Mapping[Var, Contents], label: str) -> Expr:
        """An expression of the source in the current state; the elements it reads are noted."""

        def read(array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr:
            return self.read(contents, array, cell, ranges)

        for part, conds, ranges in reads(expr):
            known = both(self.reach[label], *(evaluate(cond, self.env, read, ranges) for cond in conds))
            at = tuple(exact(evaluate(each, self.env, read, ranges)) for each in _checked_parts(part))
            array = part.op if isinstance(part, Apply) else part.tensor
            assert isinstance(array, Var | Operator)
            extents = tuple(evaluate(extent, self.env, read, ranges) for extent in ranges.values())
            self.accesses.append(Access(array, tuple(ranges), extents, at, known))
            if isinstance(part, Select):
                self.must_fit(part, known)
        return evaluate(expr, self.env, read)

    def read(self, contents: Mapping[Var, Contents], array: Var, cell: Cell, ranges: Mapping[Var, Expr]) -> Expr:
        """An element of an array."""
        held = contents.get(array)
        return Contents(array).read(cell, ranges) if held is None else held.read(cell, ranges)

    def access(self, array: Var, cell: Cell, label: str) -> None:
        """Notes that an element is read or written."""
        self.accesses.append(Access(array, (), (), cell, self.reach[label]))

    def must_fit(self, expr: Expr, known: Expr) -> None:
        """Notes integers in an index or a loop's condition that the source computes in a type where they might wrap around."""
        for sub in subexpressions(substitute(expr, self.shared.spelled)):
            if isinstance(sub, Cast) and isinstance(sub.type, MachineInt) and _is_index_arithmetic(sub.arg):
                if not widens(type_of(sub.arg), sub.type):
                    at = exact(evaluate(sub.arg, self.env, plain))
                    self.accesses.append(Access(sub.type, (), (), (at,), known))

    # Loops

    def pass_loop(self, label: str, args: tuple[Expr, ...], contents: dict[Var, Contents]) -> Gate:
        """A whole inner loop."""
        effect = self.shared.effects[label]
        counting = free_vars(effect.trips)
        for departure in self.departures:
            if departure.target == label and departure.edge is not None:
                for arg, value in zip(self.graph.blocks[label].args, departure.edge.args, strict=True):
                    if arg in counting:
                        self.must_fit(value, self.reach[label])
        self.shared.entries[label] = args
        entry = {**self.env, **dict(zip(self.graph.blocks[label].args, args, strict=True))}
        return self.apply(effect, entry, contents)

    def apply(self, effect: Effect, entry: Mapping[Var, Expr], contents: dict[Var, Contents]) -> Gate:
        """The effect of a loop entered with these values, for the region's state."""
        read = partial(self.read, contents)
        trips = self.counted(effect, evaluate(effect.trips, entry, read))
        applied = Applied(effect, entry, read, self.reach[effect.header], trips)
        after = dict(contents)
        for array, write in applied.writes():
            after[array] = after[array].after(write)
        after.update({array: lost(array) for array in effect.lost})
        alike = tuple(part for part in parts_of(self.reach[effect.header]) if _compares_lengths(part))
        self.accesses.extend(replace(each, guard=both(each.guard, *alike)) for each in applied.accesses())
        self.needs.extend(applied.needs())
        self.env.update(self.results(applied.values()))
        after = self.passed(effect, after)
        numbers = [self.leave(effect, applied, way_out, after) for way_out in effect.exits]
        return graft(applied.way(), lambda chosen: Way(numbers[chosen]))

    def leave(self, effect: Effect, applied: Applied, way_out: Exit, contents: Mapping[Var, Contents]) -> int:
        """Records one way out of an inner loop."""
        after = dict(contents)
        for array, write in applied.last(way_out):
            after[array] = after[array].after(write)
        read = partial(self.read, after)
        args = way_out.edge.args
        values = tuple(self.env.get(v, v) if isinstance(v, Var) else evaluate(v, self.env, read) for v in args)
        return self.record(way_out.edge, values, self.passed(effect, after), self.here, effect.header)

    def counted(self, effect: Effect, trips: Expr) -> Expr:
        """What is known of how often a loop goes round."""
        return trips

    def passed(self, effect: Effect, contents: dict[Var, Contents]) -> dict[Var, Contents]:
        """The state after a loop."""
        return contents

    def results(self, values: dict[Var, Expr]) -> dict[Var, Expr]:
        """What is known of a loop's results after it."""
        return values


def _compares_lengths(cond: Expr) -> bool:
    """Whether it says that an array has as many elements as another, or at least as many."""
    match cond:
        case Apply(Operator.EQ | Operator.LE | Operator.LT, sides) | Apply(Operator.NOT, (Apply(Operator.LT, sides),)):
            return all(isinstance(side.arg if isinstance(side, Cast) else side, Length) for side in sides)
        case _:
            return False
