"""Numbers that are 0 as long as nothing was counted: `if (n == 0 || x < low) low = x; n++;`.

Where a number starts as 0 and only grows, that it is 0 is the opposite of a truth value that is an accumulator on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.build import conj, disj, equal
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Expr, Ite, Operator, Var, integer, is_number, type_of
from metalift.ir.expr.types import BOOL, is_integer
from metalift.ir.expr.walk import children, free_vars
from metalift.synth.derive.flagged import SCALARS
from metalift.synth.derive.normal_terms import either, index, ite, negate, renew
from metalift.synth.derive.recurrences import Step, plain
from metalift.synth.derive.symbolic import evaluate


@dataclass(frozen=True, slots=True)
class Counted:
    """A number that is more than 0 where the flag is true, and 0 where it is false, as at first."""

    number: Var
    flag: Var

    @property
    def own(self) -> Var:
        """The accumulator that the source does not have."""
        return self.flag

    @property
    def start(self) -> Expr:
        """What that starts as."""
        return FALSE

    def closed(self, closed: Mapping[Var, Expr]) -> dict[Var, Expr]:
        """The closed forms where the flag starts as false."""
        return {var: evaluate(each, {self.flag: FALSE}, plain) for var, each in closed.items()}

    def fact(self, closed: Mapping[Var, Expr]) -> Expr:
        """What holds in each iteration."""
        number, flag = closed[self.number], closed[self.flag]
        zero = integer(0, self.number.type)
        some = Apply(Operator.LT, (zero, number))
        return conj(disj(flag, equal(number, zero)), disj(negate(flag), some))


def with_counts(
    steps: tuple[Step, ...], starts: Mapping[Var, Expr], pure: Mapping[Var, Expr]
) -> tuple[tuple[Step, ...], tuple[Counted, ...]]:
    """The steps of which none but a number's own asks whether that is 0, with new ones for flags, and the numbers."""
    found: list[Counted] = []
    for step in steps:
        start = evaluate(starts[step.arg], pure, plain) if step.arg in starts and is_integer(step.arg.type) else None
        when = _grows(step.arg, step.following) if start is not None and is_number(start, 0) else None
        if when is None or step.arg in free_vars(when):
            continue
        counted = Counted(step.arg, Var(f"{step.arg.name} counted", BOOL))
        changed = tuple(each if each is step else replace(each, following=_asked(each.following, counted)) for each in steps)
        if changed != steps:
            found.append(counted)
            steps = (*changed, Step(counted.flag, either(counted.flag, when)))
    return steps, tuple(found)


def _grows(number: Var, following: Expr) -> Expr | None:
    """Where the number grows; None where it may do anything else than that and stay."""
    match following:
        case Ite(cond, then, other):
            one, two = _grows(number, then), _grows(number, other)
            return None if one is None or two is None else ite(cond, one, two)
        case Cast(wide, type_) if type_ == number.type and is_integer(type_of(wide)):
            following = wide
    change = (index(following) - index(number)).constant_value
    return None if change is None or change < 0 else FALSE if change == 0 else TRUE


def _asked(expr: Expr, counted: Counted) -> Expr:
    """The expression with the flag where it asks whether the number is 0."""
    if counted.number not in free_vars(expr):
        return expr
    match expr:
        case Apply(Operator.EQ | Operator.LT | Operator.LE as op, args) if counted.number in map(strip_casts, args):
            left, right = (None if each == counted.number else each for each in map(strip_casts, args))
            if op is Operator.EQ and (is_number(left or right or expr, 0)):
                return negate(counted.flag)
            if left is not None and is_number(left, 0 if op is Operator.LT else 1):
                return counted.flag
            if right is not None and is_number(right, 1 if op is Operator.LT else 0):
                return negate(counted.flag)
    if isinstance(expr, SCALARS):
        return renew(expr, tuple(_asked(part, counted) for part in children(expr)))
    return expr
