"""Formulas with less to decide: choices inside of others with the same condition, and conditions that hold for all indices."""

from __future__ import annotations

from functools import lru_cache

from metalift.ir.expr.build import conj, disj, implies, in_range
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Fold, Forall, Ite, Operator, Var, type_of
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import binders_of, children, free_vars, fresh_var, map_children, names, substitute


@lru_cache(maxsize=1 << 14)
def decided_once(expr: Expr) -> Expr:
    """The expression with c ? f(c ? a : b) : g(c ? a : b) as c ? f(a) : g(b)."""
    if not conditions(expr):
        return expr
    made = map_children(decided_once, expr)
    match made:
        case Ite(cond, then, other):
            return Ite(cond, _where(then, cond, True, {}), _where(other, cond, False, {}))
        case _:
            return made


@lru_cache(maxsize=1 << 16)
def conditions(expr: Expr) -> frozenset[Expr]:
    """The conditions of the choices in an expression."""
    found = frozenset[Expr]().union(*map(conditions, children(expr)))
    return found | {expr.cond} if isinstance(expr, Ite) else found


def _where(expr: Expr, cond: Expr, holds: bool, made: dict[Expr, Expr]) -> Expr:
    """What an arm of a choice is: its own choices by the same condition are made. Parts that occur often are rewritten once."""
    if isinstance(expr, Ite) and expr.cond == cond:
        return expr.then if holds else expr.other
    if cond not in conditions(expr) or not free_vars(cond).isdisjoint(binders_of(expr)):
        return expr
    if expr not in made:
        made[expr] = map_children(lambda child: _where(child, cond, holds, made), expr)
    return made[expr]


def for_all(goal: Expr) -> tuple[Expr, bool]:
    """What implies a goal, with a statement about all indices for each fold in it that joins conditions by `and`; and whether
    there is any. Lemma `fold holds`.
    """
    found: list[Fold] = []

    def implied(formula: Expr) -> Expr:
        match formula:
            case Apply(Operator.AND, args):
                return conj(*map(implied, args))
            case Apply(Operator.OR, args):
                return disj(*map(implied, args))
            case Forall(binders, body):
                return Forall(binders, implied(body))
            case Fold(extent, init, acc, index, body) if type_of(init) == BOOL and _joins(body, acc):
                found.append(formula)
                at = fresh_var(index, {*names(body), *names(extent)})
                each = implies(in_range(at, extent), implied(substitute(body, {acc: TRUE, index: at})))
                return conj(implied(init), each if each == TRUE else Forall((at,), each))
            case _:
                return formula

    made = implied(goal)
    return (made, True) if found else (goal, False)


def _joins(step: Expr, acc: Var) -> bool:
    """Whether a step is the accumulator and a condition without it."""
    match step:
        case Apply(Operator.AND, args):
            return acc in args and sum(acc in free_vars(arg) for arg in args) == 1
        case Fold(extent, init, inner, _, body):
            return init == acc and acc not in free_vars(extent) | (free_vars(body) - {inner}) and _joins(body, inner)
        case _:
            return False
