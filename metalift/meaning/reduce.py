"""Beta reduction: elements and lengths of tensors that are given by their element function."""

from __future__ import annotations

from metalift.ir.nodes import Build, Expr, Item, Length, MakeTuple, Select, Update, Var
from metalift.ir.walk import substitute, transform


def reduce_head(expr: Expr) -> Expr:
    """The node with its own redex reduced; its children are in reduced form already.

    An element of a Build is taken to be inside its extents, as every element that a program reads is.
    """
    match expr:
        case Select(Build(_, binders, body), indices):
            return reduce(substitute(body, dict(zip(binders, indices, strict=True))))
        case Length(Build(extents), axis):
            return extents[axis]
        case Length(Update(base), axis):
            return reduce_head(Length(base, axis))
        case Item(MakeTuple(items), position):
            return items[position]
        case _:
            return expr


def reduce(expr: Expr) -> Expr:
    """The expression without elements or lengths of Builds, nor items of tuples that are spelled out."""
    return transform(reduce_head, expr)


def apply_meaning(params: tuple[Var, ...], body: Expr, args: tuple[Expr, ...]) -> Expr:
    """The body with arguments for its parameters, reduced."""
    return reduce(substitute(body, dict(zip(params, args, strict=True))))
