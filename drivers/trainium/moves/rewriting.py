"""What a move is, and how statements of a kernel are rewritten: their expressions, and the names of their tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from metalift.ir.expr.nodes import TRUE, Expr
from metalift.ir.program.kernel import Allocate, Expand, Idiom, Invariant, Kernel, Loop, Map, Statement, Tile, When

Site = tuple[int | str | Expr, ...]
"""Where a move can be made; what is in it is for the move to say. Sites of one kernel are the same whenever they are asked for."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A changed kernel; `guard` says for which sizes the change was made, where that is not for all."""

    kernel: Kernel
    guard: Expr = TRUE


class Move(Protocol):
    """A change that can be made at some sites of a kernel."""

    NAME: str

    def sites(self, kernel: Kernel) -> tuple[Site, ...]:
        """Where it can be made."""

    def apply(self, kernel: Kernel, site: Site) -> Moved:
        """The kernel with the change made at one of its sites."""


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


def written(statement: Statement) -> str | None:
    """The tile that a statement writes; None for an allocation, a store, or a loop."""
    if isinstance(statement, Allocate | Loop | When):
        return None
    from metalift.ir.program.kernel import Divided, Named, Store

    return None if isinstance(statement, Divided | Named | Store) else statement.tile


def tiles_of(part: Any) -> Iterator[str]:  # noqa: ANN401 (any part of a statement)
    """The names of tiles in a statement, those of its body too."""
    found: list[str] = []

    def note(each: str) -> str:
        found.append(each)
        return each

    rewritten(part, lambda expr: expr, note)
    return iter(found)


__all__ = ["Idiom", "Move", "Moved", "Site", "rewritten", "same", "statements", "tiles_of", "written"]
