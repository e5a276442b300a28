"""Under which conditions on parameters two functions are equal: those that do not hold anyway, each once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from metalift.check.proving import QUICK, prove_all
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj
from metalift.ir.expr.nodes import Apply, Expr, Operator, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.rewrite.simplify import simplify
from metalift.ir.text import show
from metalift.pipeline.sides import Side
from metalift.run.inputs.inputs import Run, inputs
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Goal, Obligation

TRIED = 40  # inputs among which is one that shows that a condition speaks of something
SECONDS = 1.0  # for one condition


def needed(one: Side, conditions: Sequence[Expr], given: tuple[Expr, ...]) -> list[Expr]:
    """The conditions on the first function's parameters that follow neither from what is given nor from the others."""
    tried = list(islice(inputs(one.fragment, given), TRIED))
    left = [each for each in dict.fromkeys(map(plain, conditions)) if not follows(one, each, given, tried)]
    for each in sorted(left, key=lambda cond: -len(show(cond))):  # of two that say the same, the shorter one stays
        others = tuple(other for other in left if other != each)
        if others and follows(one, each, (*given, *others), tried):
            left.remove(each)
    return left


def follows(one: Side, condition: Expr, given: tuple[Expr, ...], tried: Sequence[Run]) -> bool:
    """Whether a condition follows, which is quickly seen."""
    known = tuple(erased(formula, {}) for formula in given)
    goal = Obligation("a condition", one.fragment.location, (), known, (Goal("condition", erased(condition, {})),))
    return all(made.proved for made in prove_all([goal], one.fragment, one.summary, tried, one.job.pool, SECONDS, quick=QUICK))


def plain(condition: Expr) -> Expr:
    """The condition, with numbers on their own on the left of an order, and without what orders say anyway."""
    match simplify(condition):
        case Apply(Operator.AND, parts):
            return conj(*map(plain, parts))
        case Apply(Operator.LE, (Apply(Operator.MAX, parts), right)) if right in parts:
            return conj(*(plain(at_most(part, right)) for part in parts if part != right))
        case Apply(Operator.LE, (left, right)) if is_integer(type_of(left)):
            room = Polynomial.of(right) - Polynomial.of(left)
            number = next((factor for monomial, factor in room.terms if not monomial), 0)
            rest = room - number
            positive = all(factor > 0 for _, factor in rest.terms)
            return at_most(integer(-number), rest.to_expr()) if positive and rest.terms else at_most(left, right)
        case found:
            return found
