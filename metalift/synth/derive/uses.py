"""Where a fragment uses what: values of a loop outside it, elements of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, assert_never

from metalift.ir.expr.nodes import Apply, Build, Const, Expr, Ite, Operator, Select, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import children, free_vars
from metalift.ir.program.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Check,
    Edge,
    Jump,
    Return,
    Statement,
    Store,
    Undefined,
    Unreachable,
)
from metalift.synth.derive.cfg import Graph
from metalift.synth.derive.normal_terms import negate

Reading: TypeAlias = tuple[Select | Apply, tuple[Expr, ...], dict[Var, Expr]]
PARTIAL = frozenset({Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD, Operator.SHL, Operator.SHR})


def reads(expr: Expr) -> Iterator[Reading]:
    """The elements of arrays that an expression of the source reads, and its quotients and shifts by what is not constant, with
    the conditions and the binders they are computed for.
    """
    match expr:
        case Select(Var(), _):
            yield expr, (), {}
        case Apply(op, (_, right)) if op in PARTIAL and not isinstance(right, Const):
            yield expr, (), {}
        case Build(extents, binders, body):
            for extent in extents:
                yield from reads(extent)
            outer = dict(zip(binders, extents, strict=True))
            yield from ((select, conds, {**outer, **ranges}) for select, conds, ranges in reads(body))
            return
    known: tuple[Expr, ...] = ()
    for place, child in enumerate(children(expr)):
        match expr:
            case Ite(cond, _, _) if place > 0:
                known = (cond if place == 1 else negate(cond),)
            case Apply(Operator.AND | Operator.OR as op, args):
                known = tuple(arg if op is Operator.AND else negate(arg) for arg in args[:place])
        yield from ((select, (*known, *conds), ranges) for select, conds, ranges in reads(child))


def used_outside(graph: Graph, header: str, pure: Mapping[Var, Expr]) -> frozenset[Var]:
    """The values defined in a loop that are used outside it, or on its way out; `pure` is put in where it is used."""
    blocks = graph.loops[header].blocks
    defined: set[Var] = set()
    used: set[Var] = set()
    for label in graph.order:
        block = graph.blocks[label]
        if label in blocks:
            defined.update(block.args)
            defined.update(s.target for s in block.body if isinstance(s, Assign | Undefined))
        for expr, edge in _uses(block):
            if label not in blocks or (edge is not None and edge.block not in blocks):
                used.update(free_vars(expr))
                used.update(var for name in free_vars(expr) for var in free_vars(pure.get(name, name)))
    return frozenset(defined & used)


def arrays_used_outside(graph: Graph, header: str) -> frozenset[Var]:
    """The arrays that are read outside a loop."""
    others = [graph.blocks[label] for label in graph.order if label not in graph.loops[header].blocks]
    expressions = [expr for block in others for expr, _ in _uses(block)]
    return frozenset(var for expr in expressions for var in free_vars(expr) if isinstance(var.type, TensorType))


def _uses(block: Block) -> list[tuple[Expr, Edge | None]]:
    found: list[tuple[Expr, Edge | None]] = [(expr, None) for statement in block.body for expr in _parts(statement)]
    match block.end:
        case Jump(edge, _):
            found.extend((arg, edge) for arg in edge.args)
        case Branch(cond, then, other, _):
            found.append((cond, None))
            found.extend((arg, edge) for edge in (then, other) for arg in edge.args)
        case Return(value, _):
            found.extend([] if value is None else [(value, None)])
        case Unreachable():
            pass
    return found


def _parts(statement: Statement) -> tuple[Expr, ...]:
    match statement:
        case Assign(_, value, _):
            return (value,)
        case Store(_, cell, value, _):
            return (*cell, value)
        case Assume(cond, _, _) | Check(cond, _, _):
            return (cond,)
        case Undefined():
            return ()
        case _:
            assert_never(statement)
