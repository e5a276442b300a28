"""Integers in tensors of doubles: what has to hold so that nothing is rounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from metalift.ir.arith.sums import total
from metalift.ir.expr.build import conj, forall, implies, in_range, less, plus
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Const, Expr, Forall, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, MachineInt
from metalift.ir.expr.walk import subexpressions

from .terms import Term

EXACT = 2**53  # doubles hold all integers up to this
WIDTH = 53


def exact(terms: Sequence[Term], indices: Mapping[Var, Expr]) -> Expr:
    """The magnitudes of the terms' products, added, are small enough for every cell: so are then all intermediate results."""
    if all(not term.sums for term in terms) and sum(2 ** bits(term) for term in terms) < EXACT:
        return TRUE
    inside = conj(*(in_range(var, extent) for var, extent in indices.items()))
    return forall(tuple(indices), implies(inside, less(reduce(plus, map(magnitude, terms)), integer(EXACT))))


def bits(term: Term) -> int:
    """Of the product, at most."""
    widths = [width(factor) for factor in term.all_factors]
    return sum(widths)


def width(factor: Expr) -> int:
    """The bits of a number, at most."""
    if isinstance(factor, Const):
        return abs(int(factor.value)).bit_length()
    type_ = type_of(factor)
    return type_.bits if isinstance(type_, MachineInt) else WIDTH


def magnitude(term: Term) -> Expr:
    """The sum of the absolute values of the products."""
    factors = [Cast(factor, INT) if type_of(factor) != INT else factor for factor in term.all_factors]
    value: Expr = Apply(Operator.ABS, (reduce(lambda one, two: Apply(Operator.MUL, (one, two)), factors),))
    if term.conditions:
        value = Ite(conj(*term.conditions), value, integer(0))
    for var, extent in reversed(term.sums):
        value = total(extent, var, value, INT)
    return value


def says_exact(formula: Expr) -> bool:
    """Whether it is a condition of this kind."""
    while isinstance(formula, Forall):
        formula = formula.body
    limits = {part for part in subexpressions(formula) if isinstance(part, Const) and part.value == EXACT}
    return bool(limits) and any(isinstance(part, Apply) and part.op is Operator.ABS for part in subexpressions(formula))
