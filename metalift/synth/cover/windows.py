"""Parameters applied to sums of binders: x[i + k] stands for whatever depends on i + k alone.

So do x[2 * m - i] and, for several axes, x[i + a, j + b]: each index has a binder of its own, for which it is solved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var
from metalift.ir.expr.walk import free_vars, substitute
from metalift.synth.cover.normal import normal


@dataclass(frozen=True, slots=True)
class Window:
    """The element function of a tensor, and the number of elements along each axis that the indices reach."""

    binders: tuple[Var, ...]
    body: Expr
    reach: tuple[Expr, ...]


def window(indices: Sequence[Polynomial], term: Expr, extents: Mapping[Var, Expr]) -> Window | None:
    """The tensor whose element at the indices is the term, None where the term depends on more than the indices.

    `extents` are those of the binders that are open.
    """
    leads: list[Var] = []
    values: dict[Var, Expr] = {}
    for position, index in enumerate(indices):
        others = [each for at, each in enumerate(indices) if at != position]
        lead = _lead(index, others, extents)
        if lead is None:
            return None
        binder, sign = lead
        rest = index - Polynomial.atom(binder) * sign
        values[binder] = ((Polynomial.atom(binder) - rest) * sign).to_expr()
        leads.append(binder)
    body = normal(substitute(term, values))
    ends = [reach(index, extents) for index in indices]
    if any(binder in extents and binder not in leads for binder in free_vars(body)) or None in ends:
        return None
    return Window(tuple(leads), body, tuple(each.to_expr() for each in ends if each is not None))


def _lead(index: Polynomial, others: Sequence[Polynomial], extents: Mapping[Var, Expr]) -> tuple[Var, int] | None:
    """A binder that occurs in this index only, once, with its sign."""
    affine = index.affine_in(extents)
    if affine is None:
        return None
    for binder, factor in affine[0].items():
        sign = factor.constant_value
        if sign in (1, -1) and not any(binder in other.free_vars for other in others):
            return binder, sign
    return None


def reach(index: Polynomial, extents: Mapping[Var, Expr]) -> Polynomial | None:
    """One more than the largest value of the index, for strides that are not negative; None where that is not clear."""
    affine = index.affine_in(extents)
    if affine is None:
        return None
    last = affine[1] + 1
    for binder, factor in affine[0].items():
        if not free_vars(extents[binder]).isdisjoint(extents):
            return None
        if factor.constant_value is None or factor.constant_value > 0:
            last = last + factor * (Polynomial.of(extents[binder]) - 1)
    return last


def missing_atom(pattern: Polynomial, goal: Polynomial, known: Mapping[Expr, Polynomial]) -> tuple[Expr, Polynomial] | None:
    """The one atom of an equation that is not known, and its value, where it occurs once."""
    unknown = [atom for atom in pattern.atoms if atom not in known]
    if len(unknown) != 1:
        return None
    affine = pattern.coefficient(unknown[0])
    if affine.constant_value != 1 or pattern.degree(unknown[0]) != 1:
        return None
    rest = (pattern - Polynomial.atom(unknown[0])).substitute(known)
    return unknown[0], goal - rest


def narrowed(extents: Mapping[Var, Expr], cond: Expr) -> dict[Var, Expr]:
    """The extents of binders where the condition holds, which may bound some of them."""
    found = dict(extents)
    for each in conjuncts(normal(cond)):
        match each:
            case Apply(Operator.LT | Operator.LE as op, (Var() as binder, bound)) if binder in found:
                if free_vars(bound).isdisjoint(found):
                    found[binder] = (Polynomial.of(bound) + (1 if op is Operator.LE else 0)).to_expr()
    return found
