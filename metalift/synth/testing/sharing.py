"""Pointer parameters that are given the same buffer: the fragment as it runs then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from metalift.ir.fragment import (
    Assign,
    Assume,
    Block,
    Branch,
    Edge,
    Fragment,
    Jump,
    Return,
    Statement,
    Store,
    Terminator,
    Undefined,
    Unreachable,
)
from metalift.ir.nodes import Expr, Var
from metalift.ir.walk import substitute


def with_shared_buffers(fragment: Fragment, shared: Mapping[str, str]) -> Fragment:
    """The fragment with each array named in `shared` replaced by the array whose buffer it is; the parameters stay."""
    arrays = {param.var.name: param.var for param in fragment.params}
    renamed = {arrays[name]: arrays[owner] for name, owner in shared.items()}
    if not renamed:
        return fragment
    return replace(fragment, blocks=tuple(_block(block, renamed) for block in fragment.blocks))


def _block(block: Block, renamed: Mapping[Var, Var]) -> Block:
    return replace(block, body=tuple(_statement(item, renamed) for item in block.body), end=_end(block.end, renamed))


def _statement(statement: Statement, renamed: Mapping[Var, Var]) -> Statement:
    match statement:
        case Assign(_, value):
            return replace(statement, value=substitute(value, renamed))
        case Store(array, indices, value):
            indices = tuple(substitute(index, renamed) for index in indices)
            return replace(statement, array=renamed.get(array, array), indices=indices, value=substitute(value, renamed))
        case Assume(cond):
            return replace(statement, cond=substitute(cond, renamed))
        case Undefined():
            return statement
        case _:
            assert_never(statement)


def _end(end: Terminator, renamed: Mapping[Var, Expr]) -> Terminator:
    match end:
        case Jump(edge):
            return replace(end, edge=_edge(edge, renamed))
        case Branch(cond, then, other):
            return replace(end, cond=substitute(cond, renamed), then=_edge(then, renamed), other=_edge(other, renamed))
        case Return(value):
            return end if value is None else replace(end, value=substitute(value, renamed))
        case Unreachable():
            return end
        case _:
            assert_never(end)


def _edge(edge: Edge, renamed: Mapping[Var, Expr]) -> Edge:
    return replace(edge, args=tuple(substitute(arg, renamed) for arg in edge.args))
