"""Beta reduction: elements and lengths of tensors that are given by their element function, lengths of Filters."""

from __future__ import annotations

from functools import lru_cache

from metalift.ir.expr.filters import count
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Const,
    Expr,
    Filter,
    Invoke,
    Ite,
    Item,
    Lambda,
    Length,
    MakeTuple,
    Operator,
    Select,
    Update,
    Var,
)
from metalift.ir.expr.walk import substitute, transform


def reduce_head(expr: Expr) -> Expr:
    """The node with its own redex reduced; its children are in reduced form already, and so is what it becomes.

    An element of a Build is taken to be inside its extents, as every element that a program reads is.
    """
    match expr:
        case Select(Build(_, binders, body), indices):
            return substitute(body, dict(zip(binders, indices, strict=True)), reduce_head)
        case Length(Build(extents), axis):
            return extents[axis]
        case Length(Filter() as kept, _):
            return count(kept)
        case Length(Update(base), axis):
            return reduce_head(Length(base, axis))
        case Item(MakeTuple(items), position):
            return items[position]
        case Invoke(Lambda(params, body), args):
            return substitute(body, dict(zip(params, args, strict=True)), reduce_head)
        case _:
            return expr


def reduce(expr: Expr) -> Expr:
    """The expression without elements or lengths of Builds, nor items of tuples that are spelled out."""
    return transform(reduce_head, expr)


def apply_meaning(params: tuple[Var, ...], body: Expr, args: tuple[Expr, ...]) -> Expr:
    """The body with arguments, which are in reduced form, for its parameters, reduced."""
    return substitute(_reduced(body), dict(zip(params, args, strict=True)), reduce_head)


def configured(expr: Expr) -> Expr:
    """The meaning of an operator some of whose arguments are numbers: without the choices that these decide."""
    return transform(_configured, expr)


def _configured(expr: Expr) -> Expr:
    match expr:
        case Ite(Apply(Operator.EQ, (Const(left, left_type), Const(right, right_type))), then, other) if left_type == right_type:
            return then if left == right else other
        case Ite(Const(chosen), then, other):
            return then if chosen else other
        case _:
            return expr


@lru_cache(maxsize=1 << 12)
def _reduced(body: Expr) -> Expr:
    return reduce(body)
