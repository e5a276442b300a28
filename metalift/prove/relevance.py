"""Hypotheses that a goal has no use for, left out: each of them makes instances, and with all of them there are too many."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Expr, Fold, Forall, Length, Operator, Select
from metalift.ir.expr.walk import alpha_key, subexpressions

ORDER = frozenset({Operator.LE, Operator.LT})


def about_arrays_of(hypotheses: Sequence[Expr], goal: Expr) -> list[Expr]:
    """The hypotheses without those that say that all of some indices are inside of arrays, where the goal does not speak of the
    arrays' lengths, and without those that say how large sums are, where the goal does not.
    """
    keys = frozenset(map(alpha_key, hypotheses))
    needed = lengths(goal, keys)
    kept = [formula for formula in hypotheses if not (inside := bounds(formula)) or not inside.isdisjoint(needed)]
    return kept if limits_sums(goal, keys) else [formula for formula in kept if not limits_sums(formula, frozenset())]


def limits_sums(formula: Expr, known: frozenset[Expr]) -> bool:
    """Whether it says for some indices, other than by what is known, that a sum is less than something."""
    if not isinstance(formula, Forall) or alpha_key(formula) in known:
        return isinstance(formula, Apply) and formula.op in (Operator.AND, Operator.OR) and any(
            limits_sums(part, known) for part in formula.args
        )
    ordered = [part for part in subexpressions(formula) if isinstance(part, Apply) and part.op in ORDER]
    return any(isinstance(strip_casts(side), Fold) for part in ordered for side in part.args)


def lengths(formula: Expr, known: frozenset[Expr]) -> set[Expr]:
    """The lengths of arrays in a formula, but for the parts that are known."""
    match formula:
        case Forall(_, body):
            return set() if alpha_key(formula) in known else lengths(body, known)
        case Apply(Operator.AND | Operator.OR, parts):
            return {length for part in parts for length in lengths(part, known)}
        case _ if formula in known:
            return set()
        case _:
            return {part for part in subexpressions(formula) if isinstance(part, Length)}


def bounds(formula: Expr) -> set[Expr]:
    """The lengths below which a formula says that all of some indices are; none where it says anything else, or speaks of what an
    array holds: that is more than where the array is read.
    """
    if not isinstance(formula, Forall):
        return set()
    while isinstance(formula, Forall) and isinstance(formula.body, Apply) and formula.body.op is Operator.OR:
        formula = formula.body.args[-1]
    found: set[Expr] = set()
    for part in conjuncts(formula):
        if not (isinstance(part, Apply) and part.op in ORDER) or any(isinstance(strip_casts(side), Select) for side in part.args):
            return set()
        found.update(side for side in part.args if isinstance(side, Length))
    return found
