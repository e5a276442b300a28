"""What a goal has no use for, left out: hypotheses, of which each makes instances, and parts of the goal that are known."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.build import conj, conjuncts, disj
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Fold, Forall, Length, Operator, Select
from metalift.ir.expr.walk import alpha_key, distinct_parts, free_vars

ORDER = frozenset({Operator.LE, Operator.LT})


def without_known(hypotheses: Sequence[Expr], goal: Expr) -> Expr:
    """What is left to prove of the goal: its parts that say what a hypothesis says, but for the names of binders, hold."""
    known = frozenset(alpha_key(part) for formula in hypotheses for part in conjuncts(formula))

    def left(formula: Expr) -> Expr:
        match formula:
            case Apply(Operator.AND, parts):
                return conj(*map(left, parts))
            case Apply(Operator.OR, parts):
                return disj(*map(left, parts))
            case _:
                return TRUE if alpha_key(formula) in known else formula

    return left(goal)


def about_arrays_of(hypotheses: Sequence[Expr], goal: Expr) -> list[Expr]:
    """The hypotheses without those that say that all of some indices are inside of arrays, where the goal does not speak of the
    arrays' lengths, and without those that say how large sums are, where the goal does not.
    """
    needed = {part for part in distinct_parts(goal) if isinstance(part, Length)}
    kept = [formula for formula in hypotheses if not (inside := bounds(formula)) or not inside.isdisjoint(needed)]
    return kept if limits_sums(goal) else [formula for formula in kept if not limits_sums(formula)]


def limits_sums(formula: Expr) -> bool:
    """Whether it says for some indices that a sum is less than something."""
    if not isinstance(formula, Forall):
        parts = formula.args if isinstance(formula, Apply) and formula.op in (Operator.AND, Operator.OR) else ()
        return any(map(limits_sums, parts))
    ordered = [part for part in distinct_parts(formula) if isinstance(part, Apply) and part.op in ORDER]
    sums = (side for part in ordered for side in map(strip_casts, part.args) if isinstance(side, Fold))
    return any(not free_vars(side).isdisjoint(formula.binders) for side in sums)


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
