"""How statements of a kernel are rewritten: their expressions, and the names of their tiles; what they read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

from metalift.ir.expr.nodes import Expr
from metalift.ir.program.kernel import (
    Across,
    Allocate,
    Divided,
    Expand,
    Fused,
    Invariant,
    Loop,
    Map,
    Named,
    Product,
    Reduce,
    Scan,
    Statement,
    Store,
    Tile,
    When,
)


def rewritten(part: Any, expr: Callable[[Expr], Expr], tile: Callable[[str], str]) -> Any:  # noqa: ANN401 (any part of a statement)
    """A statement, or a part of one, with its expressions and the names of tiles in it changed."""
    if isinstance(part, str):
        return tile(part)
    if isinstance(part, tuple):
        return tuple(rewritten(each, expr, tile) for each in part)
    if isinstance(part, Tile):
        return replace(part, name=tile(part.name), rows=expr(part.rows), columns=expr(part.columns))
    if isinstance(part, Map):
        return Map(tile(part.tile), part.op, rewritten(part.operands, expr, tile))
    if isinstance(part, Expand):
        return Expand(tile(part.tile), part.idiom, rewritten(part.operands, expr, tile))
    if isinstance(part, Statement | Invariant):
        kept = ("var", "let")  # names of counters and intermediates
        return type(part)(*(rewritten_field(part, each.name, expr, tile) if each.name not in kept else getattr(part, each.name)
                            for each in fields(part)))  # fmt: skip
    return expr(part) if isinstance(part, Expr) else part


def rewritten_field(part: Any, name: str, expr: Callable[[Expr], Expr], tile: Callable[[str], str]) -> Any:  # noqa: ANN401
    """One field of a statement; counters and coordinates that an inverse gives stay."""
    value = getattr(part, name)
    if name == "inverse":
        return tuple((var, expr(given)) for var, given in value)
    return rewritten(value, expr, tile)


def same(each: str) -> str:
    """Names of tiles that stay as they are."""
    return each


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, those of loops and conditions too."""
    for statement in body:
        yield statement
        if isinstance(statement, Loop | When):
            yield from statements(statement.body)


def written(statement: Statement) -> tuple[str, ...]:
    """The tiles that a statement itself writes; none for an allocation, a store, a loop or a condition."""
    match statement:
        case Allocate() | Loop() | When() | Divided() | Named() | Store():
            return ()
        case Fused(body, kept):
            return tuple(name for each in body[-kept:] for name in written(each))
        case _:
            return (statement.tile,)


def read(statement: Statement) -> tuple[str, ...]:
    """The tiles that a statement itself reads, an accumulator of products among them."""
    match statement:
        case Allocate() | Loop() | When() | Divided():
            return ()
        case Fused(body):
            made = {name for each in body for name in written(each)}
            return tuple(name for each in body for name in read(each) if name not in made)
        case Named(tile) | Store(_, _, tile):
            return (tile,)
        case Product(tile, stationary, moving):
            return (tile, stationary, moving)
        case Map(_, _, operands) | Expand(_, _, operands):
            return tuple(each for each in operands if isinstance(each, str))
        case Reduce(_, _, source) | Across(_, _, source):
            return (source,)
        case Scan(_, factor, source, initial):
            return (factor, source, initial)
        case _:
            return ()


def plain(op: str) -> str:
    """An operator's name without its driver's."""
    return op.rpartition(".")[2]
