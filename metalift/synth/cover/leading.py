"""Loops that data end early, where all that matters is whether they were: whether a condition holds for all or for any element.

A summary counts the iterations before the end by a fold that grows as long as it is the index. Compared with its extent, and used
for nothing else, it says no more than that a condition fails somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Expr, Fold, Ite, Operator, Var, is_number, type_of
from metalift.ir.expr.types import BOOL, INT
from metalift.ir.expr.walk import free_vars, map_children
from metalift.ir.program.summary import Summary
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import negated
from metalift.synth.cover.regrouped import parted


def with_conditions(summary: Summary) -> Summary:
    """The summary with such comparisons as folds over conditions."""
    for binding in summary.bindings:
        number = _leading(binding.var, binding.value)
        if number is None:
            continue
        values = [each.value for each in summary.bindings] + [value for _, value in summary.outputs]
        changed = [number.compared(value) for value in values]
        if all(binding.var not in free_vars(value) for value in changed):
            bindings = tuple(replace(each, value=value) for each, value in zip(summary.bindings, changed, strict=False))
            outputs = tuple((name, value) for (name, _), value in zip(summary.outputs, changed[len(bindings) :], strict=True))
            kept = tuple(each for each in bindings if each.var != binding.var)
            summary = replace(summary, bindings=kept, outputs=outputs)
    return summary


@dataclass(frozen=True, slots=True)
class _Leading:
    """A number of iterations by its name, and the condition that holds in all of them."""

    var: Var
    fold: Fold
    holds: Expr

    def compared(self, expr: Expr) -> Expr:
        """The expression with comparisons of the number with its extent replaced."""
        match expr:
            case Apply(Operator.LT, (left, right)) if self._is_below(left, right):
                return self.ended()
            case Apply(Operator.LE, (left, right)) if self._is_below(right, left):
                return negated(self.ended())
            case _:
                return map_children(self.compared, expr)

    def _is_below(self, number: Expr, bound: Expr) -> bool:
        """Whether the two are the number and the extent, moved by the same amount."""
        if type_of(number) != INT or self.var not in free_vars(number) | free_vars(bound):
            return False
        gap = Polynomial.of(bound) - Polynomial.of(number)
        return gap == Polynomial.of(self.fold.extent) - Polynomial.of(Cast(self.var, INT))

    def ended(self) -> Expr:
        """That the condition fails somewhere."""
        acc = Var(self.fold.acc.name, BOOL)
        fails = normal(negated(self.holds))
        if isinstance(fails, Apply) and fails.op in (Operator.NOT, Operator.OR):
            return negated(Fold(self.fold.extent, TRUE, acc, self.fold.index, Apply(Operator.AND, (acc, self.holds))))
        return Fold(self.fold.extent, FALSE, acc, self.fold.index, Apply(Operator.OR, (acc, fails)))


def _leading(var: Var, value: Expr) -> _Leading | None:
    match value:
        case Fold(_, init, acc, index, Apply(Operator.ADD, (left, Ite(cond, then, other)))) if left == acc and is_number(init, 0):
            if not is_number(then, 1) or not is_number(other, 0):
                return None
            own, free = parted(cond, acc)
            if len(own) == 1 and free and _is_index(own[0], acc, index):
                return _Leading(var, value, free[0] if len(free) == 1 else Apply(Operator.AND, tuple(free)))
    return None


def _is_index(cond: Expr, acc: Var, index: Var) -> bool:
    match cond:
        case Apply(Operator.EQ, (left, right)):
            return {strip_casts(left), strip_casts(right)} == {acc, index}
        case _:
            return False
