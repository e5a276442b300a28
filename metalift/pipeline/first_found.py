"""A summary with the first element that a condition keeps as a fold that finds it: `[...][0]`, or something else without any.

Targets have it as the first of the elements that count, and not as an element of what is kept. Another proposal, no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from metalift.ir.expr.build import disj
from metalift.ir.expr.filters import count, start_of
from metalift.ir.expr.nodes import FALSE, Apply, Expr, Filter, Fold, Ite, Item, MakeTuple, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, ScalarType, TupleType
from metalift.ir.expr.walk import alpha_equal, fresh_var, map_children, names, substitute
from metalift.ir.program.summary import Binding, Summary


def first_found(summary: Summary) -> Summary:
    """The summary with such folds."""
    values = {each.var: each.value for each in summary.bindings}

    def go(expr: Expr) -> Expr:
        match expr:
            case Ite(cond, Select(Filter() as kept, (place,)), other) if place == integer(0) and some(cond, kept, values):
                return found(kept, go(other))
            case Ite(cond, other, Select(Filter() as kept, (place,))) if place == integer(0) and none(cond, kept, values):
                return found(kept, go(other))
            case Select(Filter() as kept, (place,)) if place == integer(0):
                return found(kept, start_of(type_of(kept.body)))
            case _:
                return map_children(go, expr)

    bindings = tuple(Binding(each.var, go(each.value)) for each in summary.bindings)
    return replace(summary, bindings=bindings, outputs=tuple((name, go(term)) for name, term in summary.outputs))


def some(cond: Expr, kept: Filter, values: Mapping[Var, Expr]) -> bool:
    """Whether the condition says that something is kept."""
    match substitute(cond, values):
        case Apply(Operator.LT, (low, number)):
            return low == integer(0) and alpha_equal(number, count(kept))
        case Apply(Operator.NOT, (other,)):
            return none(other, kept, values)
        case _:
            return False


def none(cond: Expr, kept: Filter, values: Mapping[Var, Expr]) -> bool:
    """Whether the condition says that nothing is kept."""
    match substitute(cond, values):
        case Apply(Operator.EQ | Operator.LE, (number, low)) if low == integer(0):
            return alpha_equal(number, count(kept))
        case Apply(Operator.EQ, (low, number)) if low == integer(0):
            return alpha_equal(number, count(kept))
        case _:
            return False


def found(kept: Filter, start: Expr) -> Expr:
    """The first element that is kept, else `start`, of the type of the elements."""
    type_ = type_of(kept.body)
    assert isinstance(type_, ScalarType)
    index = fresh_var(kept.index, set(names(start)))
    cond, body = (substitute(part, {kept.index: index}) for part in (kept.cond, kept.body))
    taken = {index.name, *(name for part in (cond, body, start) for name in names(part))}
    acc = fresh_var(Var("acc", TupleType((BOOL, type_))), taken)
    seen, value = Item(acc, 0), Item(acc, 1)
    step = MakeTuple((disj(seen, cond), Ite(cond, Ite(seen, value, body), value)))
    return Item(Fold(kept.extent, MakeTuple((FALSE, start)), acc, index, step), 1)
