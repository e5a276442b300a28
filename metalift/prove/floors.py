"""C's division as floor division, of what the hypotheses say is not negative: one name for one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metalift.ir.arith.bounds import FLOORING
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, type_of
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import binders_of, distinct_parts, free_vars, replaced


def with_floors(hypotheses: Sequence[Expr], goal: Expr) -> tuple[Sequence[Expr], Expr]:
    """The formulas with quotients and remainders by positive numbers as those of floor division, where both are the same: under
    the hypotheses nothing changes, so what is implied stays the same.
    """
    parts = {part for formula in (*hypotheses, goal) for part in distinct_parts(formula)}
    by_c = [part for part in parts if isinstance(part, Apply) and part.op in FLOORING and _by_positive(part)]
    if not by_c:
        return hypotheses, goal
    natural = {each for hypothesis in hypotheses for fact in conjuncts(hypothesis) for each in _not_negative(fact)}
    bound = {binder.name for part in parts for binder in binders_of(part)}
    floors: dict[Expr, Expr] = {
        part: Apply(FLOORING[part.op], part.args)
        for part in by_c
        if part.args[0] in natural and bound.isdisjoint(var.name for var in free_vars(part))
    }
    if not floors:
        return hypotheses, goal
    return [replaced(each, floors) for each in hypotheses], replaced(goal, floors)


def _by_positive(division: Apply) -> bool:
    """Whether exact integers are divided by a positive number."""
    dividend, divisor = division.args
    return type_of(dividend) == INT and isinstance(divisor, Const) and type_of(divisor) == INT and divisor.value > 0


def _not_negative(fact: Expr) -> Iterator[Expr]:
    """What a fact says is not negative: what is at least 0, and what is divided where a quotient is."""
    match fact:
        case Apply(Operator.LE | Operator.LT, (Const(int() as low), value)) if low >= 0:
            yield value
            match value:
                case Apply(Operator.FDIV, (dividend, Const(int() as by))) if by > 0:
                    yield dividend
