"""Which values of variables make an affine formula a given integer: an index in a flat array as row and column of a matrix."""

from __future__ import annotations

from collections.abc import Iterable

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Expr, Var


def taken_apart(formula: Polynomial, variables: Iterable[Var], value: Polynomial) -> dict[Var, Expr] | None:
    """Values with which the formula is the given one, as polynomials; None where none are found, it is not affine in them, or
    two have steps of one size, so that nothing says how much each has.

    With i * n + j and 128 * n * t + n + k they are i = 128 * t + 1 and j = k: the largest step takes what it divides. There may
    be others; in which range they lie is not looked at.
    """
    affine = formula.affine_in(variables)
    if affine is None:
        return None
    steps, rest = affine
    left = value - rest
    found: dict[Var, Expr] = {}
    if len({_size(step) for step in steps.values()}) < len(steps):
        return None
    for var in sorted(steps, key=lambda each: _size(steps[each]), reverse=True):
        if not steps[var].terms:
            return None
        quotient, left = left.divide(steps[var])
        found[var] = quotient.to_expr()
    return found if not left.terms else None


def _size(step: Polynomial) -> tuple[int, int]:
    """How a step compares with others: by its degree, then by its coefficients."""
    return max((len(monomial) for monomial, _ in step.terms), default=0), step.content
