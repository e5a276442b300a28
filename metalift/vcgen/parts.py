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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Const, Expr, MakeTuple, Operator, Var, type_of
from metalift.ir.expr.types import BOOL, TensorType, Type, is_integer
from metalift.ir.expr.walk import free_vars, read_by, subexpressions, substitute
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
    Param,
    ParamKind,
    Return,
    Store,
    Terminator,
    Undefined,
    expressions,
)
from metalift.ir.wellformed.check import defined_vars
from metalift.vcgen.natural_loops import dominator_sets, loop_blocks
from metalift.vcgen.obligation import ObligationError

IN, OUT, THEN, OTHER = "in", "out", "then", "other"
HELD = "what holds in each iteration"  # a check that a part ends with
KNOWN = "what holds in each iteration of the loops around it"


@dataclass(frozen=True, slots=True)
class Part:
    """A part as a fragment: of `place`, from where, which way and until where; of a test, nothing.

    `inputs` has for each parameter that is no parameter of the function the value that it gets, `outputs` the value that each
    result is. `known` holds in it: what the loops around it promise; `named` are the values that it defines anew of which it is
    known what they are.
    """

    fragment: Fragment
    inputs: dict[str, Var]
    outputs: tuple[Var, ...]
    known: tuple[Expr, ...]
    named: tuple[Var, ...] = ()
    name: str = ""
    place: tuple[str, str, str | None] = ("", "", None)


class Cutter:
    """Makes the parts of one function."""

    def __init__(self, fragment: Fragment) -> None:
        self.fragment = fragment = apart(fragment)
        self.blocks = {block.label: block for block in fragment.blocks}
        self.loops = loop_blocks(fragment)
        self.dominators = dominator_sets(fragment)
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

    def taken(self, label: str, way: str) -> tuple[Edge, Expr]:
        """The edge of a side of a block that branches, and when control takes it."""
        then, other = self.branch(label)
        into = way == THEN if way in (THEN, OTHER) else (self.sides(label)[way == OUT] == then)
        end = self.blocks[label].end
        assert isinstance(end, Branch)
        return (then, end.cond) if into else (other, neg(end.cond))

    def condition(self, label: str, way: str) -> Expr:
        """What holds on a side of a branch, over values from before it, where that reads no array; otherwise `true`."""
        _, cond = self.taken(label, way)
        body = self.blocks[label].body
        own = {s.target: s.value for s in body if isinstance(s, Assign)}
        for _ in own:
            cond = substitute(cond, own)
        undefined = {s.target for s in body if isinstance(s, Undefined)}
        known = all(not isinstance(var.type, TensorType) and var not in undefined for var in read_by(cond))
        return cond if known else TRUE

    # Parts

    def test(self, label: str, way: str, known: tuple[Expr, ...]) -> Part:
        """Whether control takes a side of a branch."""
        block = self.blocks[label]
        _, cond = self.taken(label, way)
        ended = Block(label, (), block.body, Return(cond, block.end.location))
        return replace(self.made([ended], known, (), BOOL, {}), name=f"{label} test")

    def stretch(
        self, start: str, way: str, stop: str | None, known: tuple[Expr, ...] = (), wanted: tuple[Expr, ...] = ()
    ) -> Part:
        """The part from a block to another one; `wanted` has to hold where it ends, in the arguments of `stop`."""
        if start not in self.blocks or (stop is not None and stop not in self.blocks) or way not in ("", IN, OUT, THEN, OTHER):
            raise unknown(self.fragment, f"{start} {way} {stop}")
        first = self.blocks[start]
        if way:
            edge, holds = self.taken(start, way)
            passed = Assume(holds, KNOWN, first.end.location)
            first = replace(first, body=(*first.body, passed), end=Jump(edge, first.end.location))
        labels = self.reached(first, start, stop)
        blocks = [first, *(self.blocks[label] for label in labels[1:])]
        again = start != stop and any(edge.block == start for block in blocks for edge in block.edges)
        if again and way:
            raise self.problem(start, "control comes here again, and may go the other way then")
        renamed: dict[Var, Var] = {}
        if again:  # a loop that does not stay
            given = fixed_by(known)
            renamed = {arg: Var(f"{arg.name}.in", arg.type) for arg in first.args if arg not in given}
            edge = Edge(start, tuple(renamed.get(arg) or given[arg] for arg in first.args))
            blocks.insert(0, Block(f"{start}!start", (), (), Jump(edge, first.end.location)))
        else:
            blocks[0] = replace(first, args=())
        outputs: tuple[Var, ...] = ()
        result: Type | None = self.fragment.result
        if stop is not None:
            outputs = (*self.blocks[stop].args, *self.alive(blocks, labels, start, way))
            ending = self.ending(stop, outputs, wanted)
            blocks = [replace(block, end=led(block.end, stop, ending.label)) for block in blocks]
            if any(isinstance(block.end, Return) for block in blocks):
                raise self.problem(start, "control may leave here, before the next loop")
            assert isinstance(ending.end, Return)
            result = None if ending.end.value is None else type_of(ending.end.value)
            blocks.append(ending)
        if early := self.used_before(blocks):
            raise self.problem(start, f"{early.name} is used here, and then made anew")
        part = self.made(blocks, known, outputs, result, renamed)
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

    @staticmethod
    def used_before(blocks: list[Block]) -> Var | None:
        """A value from before the part that one of its blocks uses where another one has not yet defined it anew."""
        inside = frozenset(var for block in blocks for var in defined_vars(block))
        found = {block.label: block for block in blocks}
        for var in inside:
            seen, work = set[str](), [blocks[0]]
            while work:
                block = work.pop()
                if block.label in seen or var in block.args:
                    continue
                seen.add(block.label)
                defined = var in defined_vars(block)
                if not defined and var in uses(block):
                    return var
                if not defined:
                    work += [found[edge.block] for edge in block.edges if edge.block in found]
        return None

    def alive(self, blocks: Iterable[Block], labels: list[str], start: str, way: str) -> tuple[Var, ...]:
        """What the part defines and other blocks use: behind a loop, those that are not in it, which define it anew."""
        passed = self.loops[start] if way == OUT else frozenset()
        others = (block for label, block in self.blocks.items() if label not in passed and label not in labels)
        used = frozenset(var for block in others for var in uses(block))
        return tuple(var for block in blocks for var in defined_vars(block) if var in used)

    def ending(self, stop: str, outputs: tuple[Var, ...], wanted: tuple[Expr, ...]) -> Block:
        """The block that ends a part: it checks what has to hold, and returns what is alive."""
        place = self.blocks[stop].end.location
        args = tuple(Var(f"{arg.name}.out", arg.type) for arg in self.blocks[stop].args)
        named: dict[Var, Expr] = dict(zip(self.blocks[stop].args, args, strict=True))
        values = tuple(named.get(var, var) for var in outputs)
        checks = tuple(Check(substitute(each, named), HELD, place) for each in wanted)
        value = None if not values else values[0] if len(values) == 1 else MakeTuple(values)
        return Block(f"{stop}!stop", args, checks, Return(value, place))

    def made(
        self,
        blocks: list[Block],
        known: tuple[Expr, ...],
        outputs: tuple[Var, ...],
        result: Type | None,
        renamed: Mapping[Var, Var],
    ) -> Part:
        """The part of these blocks."""
        place = blocks[0].end.location
        inside = frozenset(var for block in blocks for var in defined_vars(block))
        known = still(known, inside)
        given = {param.var for param in (*self.scalars, *self.arrays.values())}
        fixed: dict[Var, Expr] = {}
        for var, value in fixed_by(known).items():
            of_others = substitute(value, fixed)
            if var not in given and var not in free_vars(of_others):  # each is named by what is not named itself
                fixed = {each: substitute(own, {var: of_others}) for each, own in fixed.items()} | {var: of_others}
        named = tuple(Assign(var, value, place) for var, value in fixed.items())
        others = (each for each in known if fixed.keys().isdisjoint(fixed_by((each,))))
        known = tuple(substitute(each, fixed) for each in others)
        assumed = tuple(Assume(each, KNOWN, place, Ground.PROMISE) for each in known)
        blocks[0] = replace(blocks[0], body=(*named, *assumed, *blocks[0].body))
        inside |= fixed.keys()
        free = dict.fromkeys(var for block in blocks for var in uses(block) if var not in inside)
        arrays = [param for name, param in self.arrays.items() if param.var in free]
        alive = [var for var in free if var not in given]
        params = (*self.scalars, *arrays, *(Param(var, ParamKind.VALUE, "") for var in alive))
        inputs = {var.name: var for var in alive} | {new.name: old for old, new in renamed.items()}
        return Part(
            replace(
                self.fragment,
                params=tuple(params),
                result=result,
                locals=(),
                rooms=(),
                blocks=tuple(blocks),
                premises=(),
                notes=(),
                location=replace(place, column=0),
            ),
            inputs,
            outputs,
            known,
            tuple(fixed),
        )

    def changed_in_loop(self, header: str) -> frozenset[Var]:
        """The values that a loop defines."""
        return frozenset(var for label in self.loops.get(header, ()) for var in defined_vars(self.blocks[label]))

    def plain(self, term: Expr) -> Expr:
        """An integer with SSA names of pure arithmetic replaced by what they are."""
        while True:
            found = {var: value for var in free_vars(term) if (value := self.assigned.get(var)) is not None and arithmetic(value)}
            if not found:
                return term
            term = substitute(term, found)


def apart(fragment: Fragment) -> Fragment:
    """The function with branches in blocks of their own where the block stores something before, or is a loop by itself."""
    blocks: list[Block] = []
    for block in fragment.blocks:
        itself = any(edge.block == block.label for edge in block.edges)
        if isinstance(block.end, Branch) and (itself or any(isinstance(s, Store) for s in block.body)):
            label = f"{block.label}!branch"
            blocks.append(replace(block, end=Jump(Edge(label, ()), block.end.location)))
            blocks.append(Block(label, (), (), block.end))
        else:
            blocks.append(block)
    return replace(fragment, blocks=tuple(blocks))


def unknown(fragment: Fragment, what: str) -> ObligationError:
    return ObligationError(Diagnostic(fragment.location, f"the function cannot be cut so: {what}"))


def arithmetic(value: Expr) -> bool:
    """Whether it is arithmetic on integers that reads nothing."""
    plain = (Var, Const, Cast, Apply)
    return all(isinstance(part, plain) and is_integer(type_of(part)) for part in subexpressions(value))


def still(known: tuple[Expr, ...], changed: frozenset[Var]) -> tuple[Expr, ...]:
    """What still holds where these values may be others."""
    return tuple(formula for formula in known if free_vars(formula).isdisjoint(changed))


def fixed_by(known: tuple[Expr, ...]) -> dict[Var, Expr]:
    """The values that are known to be others."""
    found: dict[Var, Expr] = {}
    for formula in known:
        match formula:
            case Apply(Operator.EQ, (Var() as var, value)) if type_of(value) == var.type:
                found[var] = value
    return found


def led(end: Terminator, stop: str, ending: str) -> Terminator:
    """The end of a block with the edges to `stop` led to the ending."""

    def moved(edge: Edge) -> Edge:
        return replace(edge, block=ending) if edge.block == stop else edge

    match end:
        case Jump(edge, _):
            return replace(end, edge=moved(edge))
        case Branch(_, then, other, _):
            return replace(end, then=moved(then), other=moved(other))
        case _:
            return end


def uses(block: Block) -> Iterator[Var]:
    """The values and arrays that a block uses."""
    yield from (var for expr in expressions(block) for var in free_vars(expr))
    yield from (statement.array for statement in block.body if isinstance(statement, Store))
