"""A Filter by its definition, as folds: how many elements it has, and which one stands at a place.

The element at place p is the body at the index where the condition holds and has held p times before. There is at most one such
index, so a fold that keeps the last one found is that element; beyond the length it is whatever the fold starts from.
"""

from __future__ import annotations

from fractions import Fraction

from metalift.ir.expr.build import conj, equal
from metalift.ir.expr.nodes import Apply, Const, Expr, Filter, Fold, Ite, Length, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, RealType, Type
from metalift.ir.expr.walk import children, fresh_var, map_children, names, substitute


def count(kept: Filter, extent: Expr | None = None) -> Fold:
    """How many of the first `extent` indices are kept; of all of them where none is given."""
    acc = fresh_var(Var("acc", INT), {kept.index.name, *names(kept.cond)})
    match kept.cond:
        case Apply(Operator.NOT, (left_out,)):
            number = Ite(left_out, integer(0), integer(1))
        case cond:
            number = Ite(cond, integer(1), integer(0))
    step = Apply(Operator.ADD, (acc, number))
    return Fold(kept.extent if extent is None else extent, integer(0), acc, kept.index, step)


def element(kept: Filter, place: Expr) -> Fold:
    """The element at a place below the length."""
    taken = {name for part in (*children(kept), place) for name in names(part)}
    index = fresh_var(kept.index, taken)
    acc = fresh_var(Var("acc", type_of(kept.body)), {*taken, index.name})
    cond, body = (substitute(part, {kept.index: index}) for part in (kept.cond, kept.body))
    here = conj(cond, equal(count(kept, index), place))
    return Fold(kept.extent, start_of(acc.type), acc, index, Ite(here, body, acc))


def start_of(type_: Type) -> Const:
    """What an element is beyond the length."""
    if type_ == BOOL:
        return Const(False, BOOL)
    return Const(Fraction(0) if isinstance(type_, RealType) else 0, type_)


def as_folds(expr: Expr) -> Expr:
    """The expression with elements and lengths of Filters as the folds that they are."""
    new = map_children(as_folds, expr)
    match new:
        case Select(Filter() as kept, (place,)):
            return element(kept, place)
        case Length(Filter() as kept, _):
            return count(kept)
        case _:
            return new
