"""Folds over ranges that depend on outer counters, as folds over all that any of them reaches, with a condition.

Tensors are rectangular: the sum over `j <= i` is that over all columns of what is 0 beyond the diagonal.
"""

from __future__ import annotations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.sums import summand, zero
from metalift.ir.expr.build import at_most, conj, disj, implies, less
from metalift.ir.expr.nodes import Apply, Expr, Fold, Ite, Operator, type_of
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import free_vars, map_children, substitute
from metalift.synth.cover.goal import Goal
from metalift.synth.cover.inside_windows import Ranges, bound
from metalift.synth.cover.normal import normal


def rectangular(goal: Goal) -> Expr:
    """The goal's body, in normal form, with such folds replaced, as far as they are sums or conditions."""
    found = _rectangular(goal.body, dict(zip(goal.binders, goal.extents, strict=True)))
    return goal.body if found == goal.body else normal(found)


def _rectangular(expr: Expr, ranges: Ranges) -> Expr:
    """`ranges` are those of the counters in scope."""
    if isinstance(expr, Fold):
        inner = _rectangular(expr.body, {**ranges, expr.index: expr.extent})
        fold = Fold(expr.extent, expr.init, expr.acc, expr.index, inner)
        return fold if free_vars(expr.extent).isdisjoint(ranges) else _whole(fold, ranges) or fold
    return map_children(lambda child: _rectangular(child, ranges), expr)


def _whole(fold: Fold, ranges: Ranges) -> Fold | None:
    """The fold over as many elements as there are for any values of the outer counters.

    Where there are the fewer of them the greater a counter is, the last ones stay in place, otherwise the first.
    """
    extent = Polynomial.of(fold.extent)
    most = bound(extent, ranges, upper=True)
    if most is None:
        return None
    falls = any((extent.coefficient(binder).constant_value or 0) < 0 for binder in ranges)
    first = most - extent if falls else Polynomial()
    index = Polynomial.atom(fold.index)
    inside = at_most(first.to_expr(), fold.index) if falls else less(fold.index, fold.extent)
    shifted = substitute(fold.body, {fold.index: (index - first).to_expr()}) if falls else fold.body
    body = _where(inside, Fold(fold.extent, fold.init, fold.acc, fold.index, shifted))
    return None if body is None else Fold(most.to_expr(), fold.init, fold.acc, fold.index, body)


def _where(inside: Expr, fold: Fold) -> Expr | None:
    """The step where the condition holds, which leaves the accumulator as it is elsewhere."""
    term = summand(fold)
    if term is not None:
        return Apply(Operator.ADD, (fold.acc, Ite(inside, term, zero(type_of(term)))))
    match fold.body:
        case Apply(Operator.AND | Operator.OR as op, args) if type_of(fold) == BOOL and fold.acc in args:
            others = [arg for arg in args if arg != fold.acc]
            holds = implies(inside, conj(*others)) if op is Operator.AND else conj(inside, disj(*others))
            return Apply(op, (fold.acc, holds))
        case _:
            return None
