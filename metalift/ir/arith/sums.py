"""Sums as folds, and a condition that lets one term of a sum through."""

from __future__ import annotations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Fold, Ite, Operator, Var, type_of
from metalift.ir.expr.types import INT, RealType, Type, is_integer
from metalift.ir.expr.walk import free_vars, fresh_var, names


def summand(fold: Fold) -> Expr | None:
    """What each step adds (what it subtracts, negated), None where the fold is no sum."""
    if not (is_integer(type_of(fold)) or isinstance(type_of(fold), RealType)):
        return None
    match fold.body:
        case Apply(Operator.ADD, (left, right)):
            for acc, term in ((left, right), (right, left)):
                if acc == fold.acc and fold.acc not in free_vars(term):
                    return term
        case Apply(Operator.SUB, (left, term)) if left == fold.acc and fold.acc not in free_vars(term):
            return Apply(Operator.NEG, (term,))
        case Ite(cond, then, other) if fold.acc not in free_vars(cond):
            plain = summand(Fold(fold.extent, fold.init, fold.acc, fold.index, then))
            if plain is not None and other == fold.acc:
                return Ite(cond, plain, zero(type_of(fold)))
        case Fold(_, init, _, _, _) as inner if init == fold.acc and (added := summand(inner)) is not None:
            if fold.acc not in free_vars(inner.extent) | free_vars(added):
                return total(inner.extent, inner.index, added, type_of(fold))
    return None


def total(extent: Expr, index: Var, term: Expr, type_: Type) -> Fold:
    """The sum of the terms."""
    acc = fresh_var(Var("acc", INT if is_integer(type_) else type_), names(term) | {index.name})
    return Fold(extent, zero(type_), acc, index, Apply(Operator.ADD, (acc, term)))


def zero(type_: Type) -> Const:
    """Nothing, as a start of a sum."""
    return Const(0, type_)


def is_zero(expr: Expr) -> bool:
    """Whether it is the number 0."""
    return isinstance(expr, Const) and not isinstance(expr.value, bool) and expr.value == 0


def wants(cond: Expr, index: Var) -> Expr | None:
    """What the index has to be for the condition to hold: it is an equation with the index alone on one side."""
    if isinstance(cond, Apply) and cond.op is Operator.EQ and is_integer(type_of(cond.args[0])):
        difference = Polynomial.of(cond.args[0]) - Polynomial.of(cond.args[1])
        affine = difference.affine_in((index,))
        if affine is not None:
            coefficient, rest = affine[0][index].constant_value, affine[1]
            if coefficient in (1, -1):
                return (-rest if coefficient == 1 else rest).to_expr()
    return None
