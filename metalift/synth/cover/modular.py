"""Sums that wrap around, as the exact sums that they are modulo the size of their type.

Each step of such a sum is brought back to the type. That keeps an integer modulo a power of two, so the whole is the exact sum,
brought back once; a count is in range as it is.
"""

from __future__ import annotations

from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt
from metalift.ir.expr.walk import free_vars
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import cast_form
from metalift.synth.cover.regrouped import make_sum, sum_terms

NEVER_FULL = 64  # bits of a type that no count of elements leaves


def summed_exactly(expr: Expr) -> Expr:
    """An equal term for a sum in a machine type whose steps may wrap around."""
    match expr:
        case Fold(extent, init, Var(name, MachineInt() as type_) as acc, index, body):
            added = _added(acc, body)
            if added is None:
                return expr
            if init == Const(0, type_) and type_.bits >= NEVER_FULL and interval(added).within(Interval(0, 1)):
                return normal(Fold(extent, init, acc, index, Apply(Operator.ADD, (acc, cast_form(added, type_)))))
            wide = Var(name, INT)
            return Cast(normal(Fold(extent, cast_form(init, INT), wide, index, Apply(Operator.ADD, (wide, added)))), type_)
        case _:
            return expr


def _added(acc: Var, step: Expr) -> Expr | None:
    """The exact integer that a step adds before it is brought back to the type; None where it does otherwise."""
    match step:
        case Var() if step == acc:
            return integer(0)
        case Cast(total, type_) if type_ == acc.type and type_of(total) == INT:
            terms = sum_terms(total)
            before = (1, Cast(acc, INT))
            if before not in terms:
                return None
            terms.remove(before)
            return None if not terms or any(acc in free_vars(term) for _, term in terms) else make_sum(terms)
        case Ite(cond, then, other) if acc not in free_vars(cond):
            one, two = _added(acc, then), _added(acc, other)
            return None if one is None or two is None else Ite(cond, one, two)
        case _:
            return None
