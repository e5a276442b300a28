"""Mutants of a summary: every small change of one node, over all kinds of nodes, drawn with a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Exists,
    Expr,
    Filter,
    Fold,
    Forall,
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
    type_of,
)
from metalift.ir.expr.types import INT, BoolType, MachineInt, RealType, TupleType, Type, is_integer
from metalift.ir.expr.walk import children, rebuild, scoped_children
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.ir.text import show_summary

_SAME_SHAPE = (
    (Operator.ADD, Operator.SUB, Operator.MUL, Operator.MIN, Operator.MAX),
    (Operator.LT, Operator.LE, Operator.EQ),
    (Operator.AND, Operator.OR),
    (Operator.TDIV, Operator.FDIV, Operator.TREM, Operator.FMOD),
    (Operator.SHL, Operator.SHR),
    (Operator.BITAND, Operator.BITOR, Operator.BITXOR),
    (Operator.NEG, Operator.ABS),
)
_ONE_ARGUMENT = ("sqrt", "exp", "log", "sin", "cos", "tanh", "floor", "ceil")


def mutants(fragment: Fragment, summary: Summary, count: int, seed: int = 0) -> list[Summary]:
    """At most `count` different mutants, each with one node changed."""
    found = sorted({mutant for mutant in _all(fragment, summary) if mutant != summary}, key=show_summary)
    random.Random(seed).shuffle(found)
    return found[:count]


def _all(fragment: Fragment, summary: Summary) -> Iterator[Summary]:
    scope = tuple(param.var for param in fragment.params)
    for place, binding in enumerate(summary.bindings):
        for value in changed(binding.value, scope):
            bindings = (*summary.bindings[:place], replace(binding, value=value), *summary.bindings[place + 1 :])
            yield replace(summary, bindings=bindings)
        scope = (*scope, binding.var)
    for place, (name, output) in enumerate(summary.outputs):
        for value in changed(output, scope):
            yield replace(summary, outputs=(*summary.outputs[:place], (name, value), *summary.outputs[place + 1 :]))


def changed(expr: Expr, scope: tuple[Var, ...]) -> Iterator[Expr]:
    """The expression with one node changed, the node itself or one below it."""
    yield from _node(expr, scope)
    parts = children(expr)
    for place, (child, binders) in enumerate(scoped_children(expr)):
        for new in changed(child, (*scope, *binders)):
            yield rebuild(expr, (*parts[:place], new, *parts[place + 1 :]))


def _node(expr: Expr, scope: tuple[Var, ...]) -> Iterator[Expr]:  # noqa: C901 (one case for each node)
    """The node itself changed, to one of the same type."""
    match expr:
        case Var():
            yield from (other for other in scope if other.type == expr.type and other != expr)
        case Const(value, type_):
            yield from (Const(other, type_) for other in _constants(value, type_) if other != value)
        case Apply():
            yield from _operators(expr)
        case Cast(arg, type_):
            if is_integer(type_) and is_integer(type_of(arg)):
                yield Cast(_more(expr, -1), type_) if type_ == INT else Cast(Cast(arg, MachineInt(4, True)), type_)
        case Ite(cond, then, other):
            yield from (Ite(cond, other, then), then, other)
        case Select(tensor, indices):
            for place, index in enumerate(indices):
                yield from (Select(tensor, (*indices[:place], _more(index, by), *indices[place + 1 :])) for by in (1, -1))
        case Length():
            yield from (_more(expr, by) for by in (1, -1))
        case Call(function, args, type_):
            if function in _ONE_ARGUMENT:
                yield from (Call(other, args, type_) for other in _ONE_ARGUMENT if other != function)
        case Item(tuple_, position):
            yield from _items(tuple_, position, type_of(expr))
        case MakeTuple(items):
            if len(items) > 1 and type_of(items[0]) == type_of(items[1]):
                yield MakeTuple((items[1], items[0], *items[2:]))
        case Build() | Fold() | Update():
            yield from _ranges(expr)
        case Filter(extent, index, cond, body):
            yield Filter(extent, index, Apply(Operator.NOT, (cond,)), body)
            yield from _ranges(expr)
        case Forall() | Exists() | Lambda() | Invoke():
            return
        case _:
            assert_never(expr)


def _ranges(expr: Build | Filter | Fold | Update) -> Iterator[Expr]:
    """Extents, indices, guards, initial values."""
    match expr:
        case Build(extents, binders, body):
            yield from (Build((_more(extents[0], by), *extents[1:]), binders, body) for by in (1, -1))
        case Filter(extent, index, cond, body):
            yield from (Filter(_more(extent, by), index, cond, body) for by in (1, -1))
        case Fold(extent, init, acc, index, body):
            yield from (Fold(_more(extent, by), init, acc, index, body) for by in (1, -1))
            yield init
        case Update(base, _, extents, indices, _, guard):
            for by in (1, -1):
                yield replace(expr, indices=(_more(indices[0], by), *indices[1:]))
                if extents:
                    yield replace(expr, extents=(_more(extents[0], by), *extents[1:]))
            yield replace(expr, guard=FALSE if guard == TRUE else TRUE)
            yield base
        case _:
            assert_never(expr)


def _constants(value: bool | int | Fraction, type_: Type) -> tuple[bool | int | Fraction, ...]:
    match type_:
        case BoolType():
            return (not value,)
        case MachineInt():
            return tuple(other for other in (value + 1, value - 1, 0, -value) if type_.low <= other <= type_.high)
        case RealType():
            return (value + 1, Fraction(value) / 10, Fraction(0), -value)
        case _:
            return (value + 1, value - 1, 0, -value)


def _operators(expr: Apply) -> Iterator[Expr]:
    op, args = expr.op, expr.args
    for group in _SAME_SHAPE:
        if op in group:
            yield from (Apply(other, args) for other in group if other is not op)
    if len(args) == 2:
        yield Apply(op, (args[1], args[0]))
    if type_of(expr) == type_of(args[0]):
        yield from args
    if op is Operator.NOT:
        yield args[0]


def _items(tuple_: Expr, position: int, wanted: Type) -> Iterator[Expr]:
    type_ = type_of(tuple_)
    assert isinstance(type_, TupleType)
    others = (place for place, item in enumerate(type_.items) if item == wanted and place != position)
    yield from (Item(tuple_, place) for place in others)


def _more(expr: Expr, by: int) -> Expr:
    """An integer expression, a little more or less."""
    return Apply(Operator.ADD, (expr, Const(by, type_of(expr))))
