"""Cutting a function at the headers of loops that stay: each part between two cuts is a fragment of its own.

A part begins at a block and ends where control comes to another one, which all its runs come to. Its parameters are the
function's scalar parameters, the arrays it uses, and the values that are alive where it begins; its results are those that are
alive where it ends. A loop that stays is the test at its header, and the parts of its body. Blocks are copied as they are:
running the parts one after the other, and a loop's body while its test holds, is running the function, so what is proved of each
part for all its arguments holds of the whole.

What is known inside of a loop is a part's promise: that the test has held, and what the plan says of the header's arguments. Each
part that ends at that header checks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Length, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute, transform
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Diagnostic,
    Edge,
    Fragment,
    Ground,
    Jump,
    Location,
    Param,
    ParamKind,
    Return,
    Store,
    Terminator,
    Undefined,
)
from metalift.ir.program.summary import Choice, Repeat, Stage, StagedSummary, Stretch, Summary
from metalift.vcgen.natural_loops import dominator_sets, loop_blocks
from metalift.vcgen.obligation import ObligationError

IN, OUT, THEN, OTHER = "in", "out", "then", "other"
KNOWN = "what holds in each iteration of the loops around it"


@dataclass(frozen=True, slots=True)
class Part:
    """A part as a fragment: of `place`, from where, which way and until where; of a test, nothing.

    `inputs` has for each parameter that is no parameter of the function the value that it gets, `outputs` the value that each
    result is. `known` holds in it: what the loops around it promise.
    """

    fragment: Fragment
    inputs: dict[str, Var]
    outputs: tuple[Var, ...]
    known: tuple[Expr, ...]
    name: str = ""
    place: tuple[str, str, str | None] = ("", "", None)


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a plan with its summary; `leaves`: it goes to the block after the loop that it is in."""

    part: Part
    summary: Summary
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class Fork:
    """A branch of a plan."""

    test: Run
    then: tuple[Node, ...]
    other: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a plan."""

    header: str
    args: tuple[Var, ...]
    location: Location
    test: Run | None
    body: tuple[Node, ...]
    exit: tuple[Node, ...] = ()


Node: TypeAlias = Run | Fork | Loop


class Cutter:
    """Makes the parts of one function."""

    def __init__(self, fragment: Fragment) -> None:
        self.fragment = fragment = apart(fragment)
        self.blocks = {block.label: block for block in fragment.blocks}
        self.loops = loop_blocks(fragment)
        preceding: dict[str, set[str]] = {label: set() for label in self.blocks}
        for block in fragment.blocks:
            for edge in block.edges:
                preceding[edge.block].add(block.label)
        self.dominators = dominator_sets(fragment.blocks[0].label, preceding)
        self.scalars = tuple(param for param in fragment.params if not isinstance(param.var.type, TensorType))
        self.arrays = {param.var.name: param for param in fragment.params if isinstance(param.var.type, TensorType)}
        self.arrays |= {var.name: Param(var, ParamKind.POINTER, "") for var in fragment.locals}
        self.assigned = {s.target: s.value for block in fragment.blocks for s in block.body if isinstance(s, Assign)}

    def problem(self, label: str, message: str) -> ObligationError:
        """The error for a place at which the function cannot be cut."""
        return ObligationError(Diagnostic(self.blocks[label].end.location, message))

    # Headers

    def sides(self, header: str) -> tuple[Edge, Edge]:
        """The edges of a header into its loop and out of it. Raises ObligationError where it is no such header."""
        then, other = self.branch(header)
        inside = self.loops.get(header, frozenset())
        ends = (then, other)
        into, out = [e for e in ends if e.block in inside], [e for e in ends if e.block not in inside]
        if len(into) != 1 or into[0].block == header:
            raise self.problem(header, "the loop is not left at its header")
        return into[0], out[0]

    def branch(self, label: str) -> tuple[Edge, Edge]:
        """The edges of a block that stores nothing and branches. Raises ObligationError where it is no such block."""
        block = self.blocks.get(label)
        if block is None:
            raise unknown(self.fragment, label)
        if not isinstance(block.end, Branch) or any(isinstance(s, Store) for s in block.body):
            raise self.problem(label, "there is no branch here, or not only one")
        return block.end.then, block.end.other

    def side(self, label: str, way: str) -> Edge:
        """The edge of a side of a block that branches."""
        if way in (THEN, OTHER):
            return self.branch(label)[way == OTHER]
        return self.sides(label)[way == OUT]

    def condition(self, header: str, way: str) -> Expr:
        """What holds on a side of a branch, over values from before it, where that reads no array; otherwise `true`."""
        edge = self.side(header, way)
        block = self.blocks[header]
        assert isinstance(block.end, Branch)
        cond = block.end.cond if block.end.then == edge else Apply(Operator.NOT, (block.end.cond,))
        own = {s.target: s.value for s in block.body if isinstance(s, Assign)}
        for _ in own:
            cond = substitute(cond, own)
        plain = transform(lambda part: integer(0) if isinstance(part, Length) and isinstance(part.tensor, Var) else part, cond)
        reads = any(isinstance(part, Select) or isinstance(type_of(part), TensorType) for part in subexpressions(plain))
        undefined = {s.target for s in block.body if isinstance(s, Undefined)}
        return Const(True, BOOL) if reads or undefined & free_vars(cond) else cond

    # Parts

    def test(self, header: str, way: str, known: tuple[Expr, ...]) -> Part:
        """Whether control takes a side of a branch."""
        block = self.blocks[header]
        edge = self.side(header, way)
        assert isinstance(block.end, Branch)
        cond = block.end.cond if block.end.then == edge else Apply(Operator.NOT, (block.end.cond,))
        ended = Block(header, (), block.body, Return(cond, block.end.location))
        return replace(self.made([ended], known, (), BOOL, ()), name=f"{header} test")

    def stretch(
        self, start: str, way: str, stop: str | None, known: tuple[Expr, ...] = (), wanted: tuple[Expr, ...] = ()
    ) -> Part:
        """The part from a block to another one; `wanted` has to hold where it ends, in the arguments of `stop`."""
        if start not in self.blocks or (stop is not None and stop not in self.blocks) or way not in ("", IN, OUT, THEN, OTHER):
            raise unknown(self.fragment, f"{start} {way} {stop}")
        first = self.blocks[start]
        if way:
            edge = self.side(start, way)
            assert isinstance(first.end, Branch)
            holds = first.end.cond if edge == first.end.then else Apply(Operator.NOT, (first.end.cond,))
            passed = Assume(holds, KNOWN, first.end.location)
            first = replace(first, body=(*first.body, passed), end=Jump(edge, first.end.location))
        labels = self.reached(first, start, stop)
        inner = {edge.block for label in labels for edge in (first if label == start else self.blocks[label]).edges}
        blocks = [first if label == start else self.blocks[label] for label in labels]
        stub = "" if stop is None else f"{stop}!stop"
        if stop is not None:
            blocks = [replace(block, end=led(block.end, stop, stub)) for block in blocks]
            if any(isinstance(block.end, Return) for block in blocks):
                raise self.problem(start, "control may leave here, before the next loop")
        entered = start in inner and start != stop  # a loop that does not stay
        renamed = {arg: Var(f"{arg.name}.in", arg.type) for arg in first.args} if entered else {}
        outputs: tuple[Var, ...] = ()
        result: Type | None = self.fragment.result
        if stop is not None:
            outputs = (*self.blocks[stop].args, *self.alive(blocks, labels, start, way))
            stopped = self.stopped(stub, stop, outputs, wanted, self.blocks[stop].end.location)
            blocks.append(stopped)
            assert isinstance(stopped.end, Return)
            result = None if stopped.end.value is None else type_of(stopped.end.value)
        if entered:
            given = {arg: value for arg, value in fixed_by(known).items() if arg in renamed}
            edge = Edge(start, tuple(given.get(arg, renamed[arg]) for arg in first.args))
            renamed = {arg: new for arg, new in renamed.items() if arg not in given}
            blocks.insert(0, Block(f"{start}!start", (), (), Jump(edge, first.end.location)))
        else:
            blocks[0] = replace(blocks[0], args=())
        part = self.made(blocks, known, outputs, result, tuple(renamed.items()))
        return replace(part, name=f"{start} {way}".strip(), place=(start, way, stop))

    def reached(self, first: Block, start: str, stop: str | None) -> list[str]:
        """The blocks of a part, its first one first."""
        found, work = [start], [first]
        while work:
            for edge in work.pop().edges:
                if edge.block != stop and edge.block not in found:
                    found.append(edge.block)
                    work.append(self.blocks[edge.block])
        return found

    def alive(self, blocks: Iterable[Block], labels: list[str], start: str, way: str) -> tuple[Var, ...]:
        """What the part defines and other blocks use: those of its loop where it is part of a body, those after it elsewhere."""
        within = self.loops[start] if way == IN else frozenset(self.blocks)
        after = self.loops[start] if way == OUT else frozenset()
        others = [self.blocks[label] for label in self.blocks if label in within - after and label not in labels]
        used = frozenset(var for block in others for var in uses(block))
        return tuple(var for block in blocks for var in defined(block) if var in used)

    def stopped(self, stub: str, stop: str, outputs: tuple[Var, ...], wanted: tuple[Expr, ...], place: Location) -> Block:
        """The block that ends a part: it checks what has to hold, and returns what is alive."""
        args = self.blocks[stop].args
        named: dict[Var, Expr] = {arg: Var(f"{arg.name}.out", arg.type) for arg in args}
        values = tuple(named.get(var, var) for var in outputs)
        checks = tuple(Check(substitute(each, named), "what holds in each iteration", place) for each in wanted)
        value = None if not values else values[0] if len(values) == 1 else MakeTuple(values)
        return Block(stub, tuple(Var(f"{arg.name}.out", arg.type) for arg in args), checks, Return(value, place))

    def made(
        self,
        blocks: list[Block],
        known: tuple[Expr, ...],
        outputs: tuple[Var, ...],
        result: Type | None,
        renamed: tuple[tuple[Var, Var], ...],
    ) -> Part:
        """The part of these blocks."""
        place = blocks[0].end.location
        known = still(known, blocks)
        assumed = tuple(Assume(each, KNOWN, place, Ground.PROMISE) for each in known)
        blocks[0] = replace(blocks[0], body=(*assumed, *blocks[0].body))
        inside = {var for block in blocks for var in (*defined(block), *block.args)}
        free = dict.fromkeys(var for block in blocks for var in uses(block) if var not in inside)
        arrays = [param for name, param in self.arrays.items() if param.var in free]
        given = {param.var for param in (*self.scalars, *self.arrays.values())}
        alive = [var for var in free if var not in given]
        params = (*self.scalars, *arrays, *(Param(var, ParamKind.VALUE, "") for var in alive))
        inputs = {var.name: var for var in alive} | {new.name: old for old, new in renamed}
        return Part(
            replace(
                self.fragment,
                params=tuple(params),
                result=result,
                locals=(),
                blocks=tuple(blocks),
                premises=(),
                notes=(),
                location=replace(place, column=0),
            ),
            inputs,
            outputs,
            known,
        )

    # Plans

    def runs(self, staged: StagedSummary) -> tuple[Node, ...]:
        """The parts of a plan. Raises ObligationError where it is none of this function."""
        return self.stages(staged.stages, Place(self.fragment.blocks[0].label, ""), Ends({None: ()}), ())

    def stages(self, stages: tuple[Stage, ...], place: Place, ends: Ends, known: tuple[Expr, ...]) -> tuple[Node, ...]:
        """Stages from a place to one of the ends."""
        made: list[Node] = []
        for number, stage in enumerate(stages):
            following = stages[number + 1] if number + 1 < len(stages) else None
            mine = ends if following is None else Ends({begin(following): held(following)}, ends.after)
            match stage:
                case Stretch(start, way, stop, summary):
                    if Place(start, way) != place or not mine.allow(stop):
                        raise unknown(self.fragment, "stages that do not follow each other")
                    part = self.stretch(start, way, stop, known, mine.last.get(stop, ()))
                    made.append(Run(part, summary, leaves=stop not in mine.last and stop is not None))
                    place = Place(stop, "")
                    known = (*still(known, part.fragment.blocks), *self.settled(part, summary))
                case Choice(block, test, then, other):
                    if place != Place(block, "") or block in self.loops:
                        raise unknown(self.fragment, "a choice where control does not come to")
                    sides = [
                        self.stages(each, Place(block, way), mine, (*known, self.condition(block, way)))
                        for each, way in ((then, THEN), (other, OTHER))
                    ]
                    made.append(Fork(Run(self.test(block, THEN, known), test), sides[0], sides[1]))
                    known = still(known, self.executed(made[-1:]))
                    place = Place(begin(following) if following is not None else None, "")
                case Repeat(header, holds, _, _, after, _):
                    if place != Place(header, "") or not made or isinstance(made[-1], Loop) or following is None:
                        raise unknown(self.fragment, "stages that do not follow each other")
                    known = still(known, [self.blocks[label] for label in self.loops.get(header, ())])
                    made.append(self.loop(stage, known, ends))
                    known = still((*known, *holds), self.executed(made[-1].exit) if isinstance(made[-1], Loop) else [])
                    place = Place(header, OUT) if after is None else Place(after, "")
        if not stages:
            raise unknown(self.fragment, "stages that are missing")
        return tuple(made)

    def loop(self, stage: Repeat, known: tuple[Expr, ...], ends: Ends) -> Loop:
        """A loop that stays."""
        header, after = stage.header, stage.after
        self.allowed(stage)
        inner = Ends({header: stage.holds}, after)
        at_header = (*known, *stage.holds)
        args, location = self.blocks[header].args, self.blocks[header].end.location
        if stage.test is None:
            if stage.exit or after is None:
                raise unknown(self.fragment, "a loop without an end")
            return Loop(header, args, location, None, self.stages(stage.body, Place(header, ""), inner, at_header))
        test = Run(self.test(header, IN, at_header), stage.test)
        body = self.stages(stage.body, Place(header, IN), inner, (*at_header, self.condition(header, IN)))
        if (after is None) != (not stage.exit):
            raise unknown(self.fragment, "a loop without an end")
        leaving = () if after is None else self.stages(stage.exit, Place(header, OUT), Ends({after: ()}, ends.after), at_header)
        return Loop(header, args, location, test, body, leaving)

    def settled(self, part: Part, summary: Summary) -> tuple[Expr, ...]:
        """What a part makes of integers, in terms of the function's parameters, by its summary, which is proved."""
        known = {param.var for param in self.scalars}
        made = dict(summary.outputs).get("return")
        items = made.items if isinstance(made, MakeTuple) and len(part.outputs) > 1 else (made,)
        return tuple(
            Apply(Operator.EQ, (var, item))
            for var, item in zip(part.outputs, items, strict=False)
            if item is not None and type_of(item) == var.type and arithmetic(item) and free_vars(item) <= known
        )

    @staticmethod
    def executed(nodes: Sequence[Node]) -> list[Block]:
        """The blocks of parts."""
        return [block for run in each_run(nodes) for block in run.part.fragment.blocks]

    def allowed(self, stage: Repeat) -> None:
        """What holds at a header may speak of what does not change while its loop runs, and of the header's arguments."""
        before = self.dominators[stage.header] & self.loops.keys()
        names = {arg for header in before for arg in self.blocks[header].args} | {param.var for param in self.scalars}
        for formula in stage.holds:
            if type_of(formula) != BOOL or not free_vars(formula) <= names:
                raise unknown(self.fragment, "what is said to hold at a loop")

    def plain(self, term: Expr) -> Expr:
        """An integer with SSA names of pure arithmetic replaced by what they are."""
        while True:
            found = {var: value for var in free_vars(term) if (value := self.assigned.get(var)) is not None and arithmetic(value)}
            if not found:
                return term
            term = substitute(term, found)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a stage begins: a block, or a side of it."""

    block: str | None
    way: str


@dataclass(frozen=True, slots=True)
class Ends:
    """Where stages may end: at one of `last`, with what has to hold there. They may also leave for `after`, or return."""

    last: Mapping[str | None, tuple[Expr, ...]]
    after: str | None = None

    def allow(self, stop: str | None) -> bool:
        """Whether a stage may end there."""
        return stop in self.last or stop is None or stop == self.after


def begin(stage: Stage) -> str:
    """The block at which a stage begins."""
    return stage.start if isinstance(stage, Stretch) else stage.block if isinstance(stage, Choice) else stage.header


def held(stage: Stage) -> tuple[Expr, ...]:
    """What has to hold where a stage begins."""
    return stage.holds if isinstance(stage, Repeat) else ()


def each_run(stages: Iterable[Node]) -> Iterator[Run]:
    """All parts, tests before what they decide about."""
    for stage in stages:
        match stage:
            case Run():
                yield stage
            case Fork(test, then, other):
                yield test
                yield from each_run((*then, *other))
            case Loop(test=test, body=body, exit=leaving):
                yield from () if test is None else (test,)
                yield from each_run((*body, *leaving))


def apart(fragment: Fragment) -> Fragment:
    """The function with branches in blocks of their own where the block stores something before."""
    blocks: list[Block] = []
    for block in fragment.blocks:
        if isinstance(block.end, Branch) and any(isinstance(s, Store) for s in block.body):
            label = f"{block.label}!branch"
            blocks.append(replace(block, end=Jump(Edge(label, ()), block.end.location)))
            blocks.append(Block(label, (), (), block.end))
        else:
            blocks.append(block)
    return replace(fragment, blocks=tuple(blocks))


def parts_of(fragment: Fragment, staged: StagedSummary) -> tuple[Run, ...]:
    """The parts of a plan in order."""
    return tuple(each_run(Cutter(fragment).runs(staged)))


def unknown(fragment: Fragment, what: str) -> ObligationError:
    return ObligationError(Diagnostic(fragment.location, f"the function cannot be cut so: {what}"))


def arithmetic(value: Expr) -> bool:
    """Whether it is arithmetic on integers that reads nothing."""
    plain = (Var, Const, Cast, Apply)
    return all(isinstance(part, plain) and is_integer(type_of(part)) for part in subexpressions(value))


def still(known: tuple[Expr, ...], blocks: Sequence[Block]) -> tuple[Expr, ...]:
    """What holds still after these blocks: what speaks of no value that they define anew."""
    anew = {var for block in blocks for var in defined(block)}
    return tuple(formula for formula in known if free_vars(formula).isdisjoint(anew))


def fixed_by(known: tuple[Expr, ...]) -> dict[Var, Expr]:
    """The values that are known to be others."""
    found: dict[Var, Expr] = {}
    for formula in known:
        match formula:
            case Apply(Operator.EQ, (Var() as var, value)) if type_of(value) == var.type:
                found[var] = value
    return found


def led(end: Terminator, stop: str, stub: str) -> Terminator:
    """The end of a block with the edges to `stop` led to the stub."""

    def moved(edge: Edge) -> Edge:
        return replace(edge, block=stub) if edge.block == stop else edge

    match end:
        case Jump(edge, _):
            return replace(end, edge=moved(edge))
        case Branch(_, then, other, _):
            return replace(end, then=moved(then), other=moved(other))
        case _:
            return end


def defined(block: Block) -> tuple[Var, ...]:
    """The values that a block's statements define, and its arguments."""
    return (*block.args, *(s.target for s in block.body if isinstance(s, Assign | Undefined)))


def uses(block: Block) -> Iterator[Var]:
    """The values and arrays that a block uses."""
    for statement in block.body:
        match statement:
            case Assign(_, value, _):
                yield from free_vars(value)
            case Store(array, indices, value, _):
                yield array
                yield from (var for each in (*indices, value) for var in free_vars(each))
            case Assume(cond, _, _) | Check(cond, _, _):
                yield from free_vars(cond)
            case Undefined():
                pass
    match block.end:
        case Branch(cond, _, _, _):
            yield from free_vars(cond)
        case Return(returned, _):
            yield from () if returned is None else free_vars(returned)
        case _:
            pass
    yield from (var for edge in block.edges for each in edge.args for var in free_vars(each))
