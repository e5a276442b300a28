"""That two results are the same: scalars by value, tensors by shape and elements, tuples item by item.

The extent of an inner axis counts only where all outer extents are positive: a nested list without rows has no columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from metalift.ir.expr.build import clamped, conj, equal, forall, implies, in_range, less
from metalift.ir.expr.nodes import Build, Expr, Filter, Length, MakeTuple, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, TensorType, TupleType
from metalift.ir.expr.walk import substitute
from metalift.vcgen.obligation import Goal


@dataclass(frozen=True, slots=True)
class Elements:
    """A tensor as extents and element function."""

    extents: tuple[Expr, ...]
    at: Callable[[tuple[Expr, ...]], Expr]


class NoElements(Exception):
    """A tensor or a tuple is not given by its parts."""


def elements(expr: Expr) -> Elements:
    """A tensor-valued expression by its extents and elements; raises NoElements."""
    match expr:
        case Build(extents, binders, body):
            return Elements(extents, lambda cell: substitute(body, dict(zip(binders, cell, strict=True))))
        case Filter():
            return Elements((Length(expr),), lambda cell: Select(expr, cell))
        case Var(_, TensorType(_, rank)):
            return Elements(tuple(Length(expr, axis) for axis in range(rank)), lambda cell: Select(expr, cell))
        case _:
            raise NoElements(f"a tensor is given by {type(expr).__name__}")


def same(mine: Expr, wanted: Expr, extents: str, subject: str = "result") -> list[Goal]:
    """The goals, in which `extents` is the word for those of a tensor.

    Raises NoElements where tensors or tuples are not given by their parts.
    """
    match type_of(wanted):
        case TupleType():
            if not isinstance(mine, MakeTuple) or not isinstance(wanted, MakeTuple) or len(mine.items) != len(wanted.items):
                raise NoElements("a tuple is not given by its items")
            pairs = zip(mine.items, wanted.items, strict=True)
            parts = [same(a, b, extents, f"item {place} of the {subject}") for place, (a, b) in enumerate(pairs, 1)]
            return [goal for part in parts for goal in part]
        case TensorType():
            return _same_tensor(elements(mine), elements(wanted), extents, subject)
        case _:
            return [Goal(subject, equal(mine, wanted))]


def _same_tensor(mine: Elements, wanted: Elements, extents: str, subject: str) -> list[Goal]:
    if len(mine.extents) != len(wanted.extents):
        raise NoElements("tensors have different numbers of axes")
    cell = tuple(Var(f"r{axis}!f", INT) for axis in range(len(wanted.extents)))
    inside = conj(*(in_range(at, extent) for at, extent in zip(cell, wanted.extents, strict=True)))
    same_elements = forall(cell, implies(inside, equal(mine.at(cell), wanted.at(cell))))
    return [
        Goal(f"{extents} of the {subject}", same_shape(mine.extents, wanted.extents)),
        Goal(f"elements of the {subject}", same_elements),
    ]


def same_shape(mine: tuple[Expr, ...], wanted: tuple[Expr, ...]) -> Expr:
    """The extents agree, as far as there are elements along the outer axes."""
    parts = []
    for axis, (one, two) in enumerate(zip(mine, wanted, strict=True)):
        outer = conj(*(less(integer(0), extent) for extent in wanted[:axis]))
        parts.append(implies(outer, equal(clamped(one), clamped(two))))
    return conj(*parts)
