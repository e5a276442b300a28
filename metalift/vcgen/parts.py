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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, MakeTuple, Operator, Select, Var, type_of
from metalift.ir.expr.types import BOOL, TensorType, Type, is_integer
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
from metalift.ir.program.summary import Repeat, StagedSummary, Stretch, Summary
from metalift.vcgen.natural_loops import dominator_sets, loop_blocks
from metalift.vcgen.obligation import ObligationError

IN, OUT = "in", "out"
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
    place: tuple[str, str, str | None] = ("", "", None)


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a plan with its summary."""

    part: Part
    summary: Summary


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a plan."""

    header: str
    args: tuple[Var, ...]
    location: Location
    test: Run
    body: tuple[Run | Loop, ...]


class Cutter:
    """Makes the parts of one function."""

    def __init__(self, fragment: Fragment) -> None:
        self.fragment = fragment
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
        block = self.blocks.get(header)
        inside = self.loops.get(header, frozenset())
        if block is None or not isinstance(block.end, Branch) or any(isinstance(s, Store) for s in block.body):
            raise self.problem(header, "the loop is not left at its header") if block else unknown(self.fragment, header)
        ends = (block.end.then, block.end.other)
        into, out = [e for e in ends if e.block in inside], [e for e in ends if e.block not in inside]
        if len(into) != 1 or into[0].block == header:
            raise self.problem(header, "the loop is not left at its header")
        for label in inside - {header}:
            if any(edge.block not in inside for edge in self.blocks[label].edges) or not self.blocks[label].edges:
                raise self.problem(label, "the loop is left here, before its end")
        return into[0], out[0]

    def condition(self, header: str) -> Expr:
        """The test at a header, over its arguments and values from before it, where it reads no array; otherwise `true`."""
        block = self.blocks[header]
        assert isinstance(block.end, Branch)
        inside, _ = self.sides(header)
        cond = block.end.cond if block.end.then == inside else Apply(Operator.NOT, (block.end.cond,))
        own = {s.target: s.value for s in block.body if isinstance(s, Assign)}
        for _ in own:
            cond = substitute(cond, own)
        reads = any(isinstance(part, Select) or isinstance(type_of(part), TensorType) for part in subexpressions(cond))
        undefined = {s.target for s in block.body if isinstance(s, Undefined)}
        return Const(True, BOOL) if reads or undefined & free_vars(cond) else cond

    # Parts

    def test(self, header: str, known: tuple[Expr, ...]) -> Part:
        """Whether the loop goes on."""
        block = self.blocks[header]
        inside, _ = self.sides(header)
        assert isinstance(block.end, Branch)
        cond = block.end.cond if block.end.then == inside else Apply(Operator.NOT, (block.end.cond,))
        ended = Block(header, (), block.body, Return(cond, block.end.location))
        return self.made([ended], known, (), BOOL, ())

    def stretch(
        self, start: str, way: str, stop: str | None, known: tuple[Expr, ...] = (), wanted: tuple[Expr, ...] = ()
    ) -> Part:
        """The part from a block to another one; `wanted` has to hold where it ends, in the arguments of `stop`."""
        if start not in self.blocks or (stop is not None and stop not in self.blocks) or way not in ("", IN, OUT):
            raise unknown(self.fragment, f"{start} {way} {stop}")
        first = self.blocks[start]
        if way:
            inside, outside = self.sides(start)
            assert isinstance(first.end, Branch)
            edge = inside if way == IN else outside
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
                raise self.problem(start, "the function may return here, before its last loop")
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
            edge = Edge(start, tuple(renamed[arg] for arg in first.args))
            blocks.insert(0, Block(f"{start}!start", (), (), Jump(edge, first.end.location)))
        else:
            blocks[0] = replace(blocks[0], args=())
        part = self.made(blocks, known, outputs, result, tuple(renamed.items()))
        return replace(part, place=(start, way, stop))

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

    def runs(self, staged: StagedSummary) -> tuple[Run | Loop, ...]:
        """The parts of a plan. Raises ObligationError where it is none of this function."""
        made, end = self.stages(staged.stages, self.fragment.blocks[0].label, "", None, ())
        if end is not None:
            raise unknown(self.fragment, "a plan that does not end")
        return made

    def stages(
        self,
        stages: tuple[Stretch | Repeat, ...],
        start: str,
        way: str,
        last: str | None,
        known: tuple[Expr, ...],
        at_last: tuple[Expr, ...] = (),
    ) -> tuple[tuple[Run | Loop, ...], str | None]:
        """Stages that begin at one block and end at another; the block they end at."""
        made: list[Run | Loop] = []
        here: str | None = start
        for number, stage in enumerate(stages):
            following = stages[number + 1] if number + 1 < len(stages) else None
            if isinstance(stage, Stretch):
                if (stage.start, stage.way) != (here, way) or (following is None) != (stage.stop == last):
                    raise unknown(self.fragment, "stages that do not follow each other")
                wanted = at_last if stage.stop == last else ()
                if isinstance(following, Repeat):
                    wanted = following.holds
                made.append(Run(self.stretch(stage.start, stage.way, stage.stop, known, wanted), stage.summary))
                here, way = stage.stop, ""
                continue
            if stage.header != here or way or following is None or not made:
                raise unknown(self.fragment, "stages that do not follow each other")
            made.append(self.loop(stage, known))
            known = (*known, *stage.holds)  # of values that do not change any more
            way = OUT
        return tuple(made), here

    def loop(self, stage: Repeat, known: tuple[Expr, ...]) -> Loop:
        """A loop that stays."""
        header = stage.header
        self.allowed(stage)
        at_header = (*known, *stage.holds)
        inside = (*at_header, self.condition(header))
        test = Run(self.test(header, at_header), stage.test)
        body, _ = self.stages(stage.body, header, IN, header, inside, stage.holds)
        return Loop(header, self.blocks[header].args, self.blocks[header].end.location, test, body)

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


def each_run(stages: Iterable[Run | Loop]) -> Iterator[Run]:
    """All parts, the test of a loop before its body."""
    for stage in stages:
        if isinstance(stage, Run):
            yield stage
        else:
            yield stage.test
            yield from each_run(stage.body)


def parts_of(fragment: Fragment, staged: StagedSummary) -> tuple[Run, ...]:
    """The parts of a plan in order."""
    return tuple(each_run(Cutter(fragment).runs(staged)))


def unknown(fragment: Fragment, what: str) -> ObligationError:
    return ObligationError(Diagnostic(fragment.location, f"the function cannot be cut so: {what}"))


def arithmetic(value: Expr) -> bool:
    """Whether it is arithmetic on integers that reads nothing."""
    plain = (Var, Const, Cast, Apply)
    return all(isinstance(part, plain) and is_integer(type_of(part)) for part in subexpressions(value))


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
