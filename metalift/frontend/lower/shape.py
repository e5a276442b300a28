"""The shape of a fragment's control flow: nothing unreachable, no block that only passes control on, loops in simple form.

Nothing here changes what is computed. A branch whose two ways meet at once becomes an Ite: only the chosen side has to be
defined, as before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from metalift.frontend.lower.c_scalars import choose
from metalift.ir.expr.nodes import Call, Cast, Const, Expr, Var
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.interp.identities import PART
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Edge,
    Jump,
    Location,
    Return,
    Statement,
    Store,
    Terminator,
    Undefined,
    Unreachable,
)
from metalift.ir.program.graphs import reverse_postorder

EdgeMap = Callable[[Edge], Edge]


def shaped(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks in reverse postorder, simplified until nothing more can be."""
    current = in_order(list(blocks))
    while True:
        found = (step(current) for step in (_decide_one, _merge_one, _forward_one, _meet_one, _empty_one))
        simpler = next((blocks for blocks in found if blocks is not None), None)
        if simpler is None:
            return tuple(current)
        current = in_order(simpler)


def _decide_one(blocks: list[Block]) -> list[Block] | None:
    """A branch on a constant passes control on."""
    for position, block in enumerate(blocks):
        if isinstance(block.end, Branch) and isinstance(block.end.cond, Const):
            taken = block.end.then if block.end.cond.value else block.end.other
            return [*blocks[:position], replace(block, end=Jump(taken, block.end.location)), *blocks[position + 1 :]]
    return None


def in_order(blocks: list[Block]) -> list[Block]:
    """The blocks that can be reached from the first, in reverse postorder, `then` before `other`."""
    by_label = {block.label: block for block in blocks}
    order = reverse_postorder(blocks[0].label, lambda label: [edge.block for edge in reversed(by_label[label].edges)])
    return [by_label[label] for label in order]


def entries(blocks: Iterable[Block]) -> Counter[str]:
    """How many edges lead to each block."""
    return Counter(edge.block for block in blocks for edge in block.edges)


def map_end(end: Terminator, exprs: Mapping[Var, Expr]) -> Terminator:
    """The terminator with variables replaced."""
    match end:
        case Jump(edge, location):
            return Jump(map_edge(edge, exprs), location)
        case Branch(cond, then, other, location):
            return Branch(substitute(cond, exprs), map_edge(then, exprs), map_edge(other, exprs), location)
        case Return(value, location):
            return Return(None if value is None else substitute(value, exprs), location)
        case Unreachable():
            return end
        case _:
            assert_never(end)


def map_edge(edge: Edge, exprs: Mapping[Var, Expr]) -> Edge:
    """The edge with variables replaced in its values."""
    return Edge(edge.block, tuple(substitute(arg, exprs) for arg in edge.args))


def map_statement(statement: Statement, exprs: Mapping[Var, Expr]) -> Statement:
    """The statement with variables replaced in what it reads."""
    match statement:
        case Assign(target, value, location):
            return Assign(target, substitute(value, exprs), location)
        case Store(array, indices, value, location):
            return Store(array, tuple(substitute(index, exprs) for index in indices), substitute(value, exprs), location)
        case Assume(cond, origin, location, ground):
            return Assume(substitute(cond, exprs), origin, location, ground)
        case Check(cond, message, location):
            return Check(substitute(cond, exprs), message, location)
        case Undefined():
            return statement
        case _:
            assert_never(statement)


def map_block(block: Block, exprs: Mapping[Var, Expr]) -> Block:
    """The block with variables replaced."""
    if not exprs:
        return block
    return replace(block, body=tuple(map_statement(item, exprs) for item in block.body), end=map_end(block.end, exprs))


def _merge_one(blocks: list[Block]) -> list[Block] | None:
    """Join a block to the one that jumps to it, if nothing else leads there."""
    count = entries(blocks)
    by_label = {block.label: block for block in blocks}
    for block in blocks:
        if not isinstance(block.end, Jump):
            continue
        edge, location = block.end.edge, block.end.location
        target = by_label[edge.block]
        if count[edge.block] != 1 or target is block or target is blocks[0]:
            continue
        named = [(var, arg) for var, arg in zip(target.args, edge.args, strict=True) if not is_plain(arg)]
        plain = {var: arg for var, arg in zip(target.args, edge.args, strict=True) if is_plain(arg)}
        assigns = tuple(Assign(var, arg, location) for var, arg in named)
        joined = replace(block, body=(*block.body, *assigns, *target.body), end=target.end)
        return [map_block(joined if item is block else item, plain) for item in blocks if item is not target]
    return None


def _forward_one(blocks: list[Block]) -> list[Block] | None:
    """Lead edges past an empty block that only jumps on."""
    used = Counter(var for block in blocks for var in mentioned(block))
    headers = loop_headers(blocks)
    jumping = {block.end.edge.block for block in blocks if isinstance(block.end, Jump)}
    for block in blocks[1:]:
        if block.body or not isinstance(block.end, Jump) or block.end.edge.block == block.label:
            continue
        if block.end.edge.block in headers and block.label not in jumping:
            continue
        own = set().union(*(free_vars(arg) for arg in block.end.edge.args))
        if any(used[var] > (1 if var in own else 0) for var in block.args):
            continue
        onward = block.end.edge

        def lead(edge: Edge, past: Block = block, onward: Edge = onward) -> Edge:
            return map_edge(onward, dict(zip(past.args, edge.args, strict=True))) if edge.block == past.label else edge

        return [map_edges(item, lead) for item in blocks if item is not block]
    return None


def _empty_one(blocks: list[Block]) -> list[Block] | None:
    """An arm of a conditional that only computes what it passes on passes it on as expressions."""
    count = entries(blocks)
    used = Counter(var for block in blocks for var in _occurrences(block))
    by_label = {block.label: block for block in blocks}
    headers = loop_headers(blocks)
    for fork in blocks:
        if not isinstance(fork.end, Branch):
            continue
        ways = [by_label[edge.block] for edge in fork.edges]
        for arm, other in (ways, reversed(ways)):
            if not isinstance(arm.end, Jump) or not arm.body or count[arm.label] != 1 or arm.end.edge.block in headers:
                continue
            meeting = arm.end.edge.block
            meets = other.label == meeting or (isinstance(other.end, Jump) and other.end.edge.block == meeting)
            assigned = [item for item in arm.body if isinstance(item, Assign)]
            if meets and len(assigned) == len(arm.body) and all(used[item.target] == 1 for item in assigned):
                return [_without_assigns(block) if block is arm else block for block in blocks]
    return None


def _without_assigns(block: Block) -> Block:
    """The block with its assignments put where they are used."""
    while block.body:
        first = block.body[0]
        assert isinstance(first, Assign)
        block = map_block(replace(block, body=block.body[1:]), {first.target: first.value})
    return block


def loop_headers(blocks: list[Block]) -> set[str]:
    """The blocks to which an edge leads back; the blocks are in reverse postorder."""
    order = {block.label: at for at, block in enumerate(blocks)}
    return {edge.block for block in blocks for edge in block.edges if order[edge.block] <= order[block.label]}


def _occurrences(block: Block) -> list[Var]:
    """The variables that a block reads, once for each occurrence."""
    return [part for expr in read_expressions(block) for part in subexpressions(expr) if isinstance(part, Var)]


def read_expressions(block: Block) -> list[Expr]:
    """All expressions that a block evaluates."""
    return [expr for expr, _ in placed_expressions(block)]


def placed_expressions(block: Block) -> list[tuple[Expr, Location]]:
    """All expressions that a block evaluates, with their places."""
    found: list[tuple[Expr, Location]] = []
    for statement in block.body:
        match statement:
            case Assign(_, value):
                found.append((value, statement.location))
            case Store(_, indices, value):
                found += [(each, statement.location) for each in (*indices, value)]
            case Assume(cond) | Check(cond):
                found.append((cond, statement.location))
            case Undefined():
                pass
            case _:
                assert_never(statement)
    match block.end:
        case Branch(cond):
            found.append((cond, block.end.location))
        case Return(result) if result is not None:
            found.append((result, block.end.location))
        case _:
            pass
    return found + [(arg, block.end.location) for edge in block.edges for arg in edge.args]


def mentioned(block: Block) -> frozenset[Var]:
    """The variables that a block reads."""
    return frozenset().union(*(free_vars(expr) for expr in read_expressions(block)))


def map_edges(block: Block, function: EdgeMap) -> Block:
    """The block with `function` applied to the edges that leave it."""
    match block.end:
        case Jump(edge, location):
            return replace(block, end=Jump(function(edge), location))
        case Branch(cond, then, other, location):
            return replace(block, end=Branch(cond, function(then), function(other), location))
        case _:
            return block


def _meet_one(blocks: list[Block]) -> list[Block] | None:
    """A branch whose two edges lead to one block becomes a jump that chooses the values."""
    for position, block in enumerate(blocks):
        end = block.end
        if isinstance(end, Branch) and end.then.block == end.other.block:
            args = tuple(choose(end.cond, then, other) for then, other in zip(end.then.args, end.other.args, strict=True))
            met = replace(block, end=Jump(Edge(end.then.block, args), end.location))
            return [*blocks[:position], met, *blocks[position + 1 :]]
    return None


def is_plain(expr: Expr) -> bool:
    """Whether an expression may stand in several places: a variable, a constant, or a cast or part of one."""
    while isinstance(expr, Cast) or (isinstance(expr, Call) and expr.function.startswith(PART)):
        expr = expr.arg if isinstance(expr, Cast) else expr.args[0]
    return isinstance(expr, Var | Const)
