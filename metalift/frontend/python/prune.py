"""Removes what nothing depends on: block arguments that always get one value, and values that are not used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from metalift.frontend.lower.shape import in_order, map_block, map_edges
from metalift.ir.expr.nodes import Const, Expr, Var
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.fragment import Assign, Assume, Block, Branch, Edge, Return, Statement, Store, Undefined
from metalift.ir.program.graphs import reached


def pruned(blocks: Iterable[Block]) -> list[Block]:
    """The blocks that can be reached, with the arguments and definitions that something observable depends on."""
    current = in_order(list(blocks))
    while (simpler := _without_trivial(current) or _without_twin(current)) is not None:
        current = simpler
    return _without_dead(current)


def _without_trivial(blocks: list[Block]) -> list[Block] | None:
    """Replace arguments that always get one and the same value by that."""
    incoming: dict[tuple[str, int], set[Expr]] = {}
    for block in blocks:
        for edge in block.edges:
            for at, arg in enumerate(edge.args):
                incoming.setdefault((edge.block, at), set()).add(arg)
    found: dict[Var, Expr] = {}
    drop: dict[str, set[int]] = {}
    for block in blocks:
        for at, var in enumerate(block.args):
            values = incoming.get((block.label, at), set()) - {var}
            if len(values) == 1 and not found:
                (value,) = values
                if isinstance(value, Var | Const):
                    found[var] = value
                    drop.setdefault(block.label, set()).add(at)
    return _dropped(blocks, drop, found) if found else None


def _without_twin(blocks: list[Block]) -> list[Block] | None:
    """Replace an argument that begins as another one of the block and goes on as it, such as a length and its counter."""
    for block in blocks:
        edges = [edge for other in blocks for edge in other.edges if edge.block == block.label]
        for at, var in enumerate(block.args):
            for place, twin in enumerate(block.args[at + 1 :], at + 1):
                pairs = [(edge.args[at], edge.args[place]) for edge in edges]
                if var.type == twin.type and all(substitute(one, {var: twin}) == other for one, other in pairs):
                    return _dropped(blocks, {block.label: {at}}, {var: twin})
    return None


def _dropped(blocks: list[Block], drop: dict[str, set[int]], values: dict[Var, Expr]) -> list[Block]:
    """The blocks without some of their arguments, for which values stand instead."""

    def lead(edge: Edge) -> Edge:
        gone = drop.get(edge.block, set())
        return Edge(edge.block, tuple(arg for at, arg in enumerate(edge.args) if at not in gone)) if gone else edge

    made = []
    for block in blocks:
        gone = drop.get(block.label, set())
        kept = tuple(var for at, var in enumerate(block.args) if at not in gone)
        made.append(map_block(map_edges(replace(block, args=kept), lead), values))
    return made


def _without_dead(blocks: list[Block]) -> list[Block]:
    needs: dict[Var, set[Var]] = {}
    roots: set[Var] = set()
    args = {block.label: block.args for block in blocks}
    for block in blocks:
        for statement in block.body:
            _note(statement, needs, roots)
        if isinstance(block.end, Branch):
            roots |= free_vars(block.end.cond)
        elif isinstance(block.end, Return) and block.end.value is not None:
            roots |= free_vars(block.end.value)
        for edge in block.edges:
            for var, value in zip(args[edge.block], edge.args, strict=True):
                needs.setdefault(var, set()).update(free_vars(value))
    live = reached(roots, lambda var: needs.get(var, ()))
    drop = {block.label: {at for at, var in enumerate(block.args) if var not in live} for block in blocks}
    kept = [replace(block, body=tuple(item for item in block.body if _is_live(item, live))) for block in blocks]
    return _dropped(kept, drop, {})


def _note(statement: Statement, needs: dict[Var, set[Var]], roots: set[Var]) -> None:
    match statement:
        case Assign(target, value):
            needs.setdefault(target, set()).update(free_vars(value))
        case Store(_, indices, value):
            roots |= free_vars(value).union(*(free_vars(index) for index in indices))
        case Assume(cond):
            roots |= free_vars(cond)
        case _:
            pass


def _is_live(statement: Statement, live: set[Var]) -> bool:
    return not isinstance(statement, Assign | Undefined) or statement.target in live
