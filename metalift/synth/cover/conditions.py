"""What operators require of sizes, and whether it is known, ensured by the source, or for a guard."""

from __future__ import annotations

from collections.abc import Mapping, Set

from metalift.ir.arith.intervals import Interval
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Ite, Length, Select, Var, integer, type_of
from metalift.ir.expr.nodes import Operator as Op
from metalift.ir.expr.types import INT, BoolType, RealType, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.interp.evaluate import evaluate_if_defined
from metalift.synth.cover.by_intervals import decided
from metalift.synth.cover.goal import Goal, as_int64, same_size
from metalift.synth.cover.normal import normal
from metalift.synth.cover.normal_operators import negated
from metalift.synth.cover.patterns import Pattern


def _is_inside(cond: Expr, tensor: Expr, index: Expr) -> bool:
    """Whether the condition is that the index is one of the tensor of one axis."""
    match cond:
        case Apply(Op.AND, (Apply(Op.LE, (Const(0), low)), Apply(Op.LT, (high, Length(of, 0))))):
            held = normal(Cast(as_int64(index), INT))  # as an element of a tensor
            return of == tensor and Polynomial.of(low) == Polynomial.of(high) in (Polynomial.of(index), Polynomial.of(held))
        case _:
            return False


def _cancelled(cond: Expr) -> Expr:
    """A comparison of sizes without what is on both of its sides."""
    match cond:
        case Apply(Op.LT | Op.LE as op, (left, right)) if type_of(left) == INT:
            low, high = Polynomial.of(left), Polynomial.of(right)
            terms = (high - low).terms
            if len(terms) < len(low.terms) + len(high.terms):
                above = Polynomial(tuple((monomial, factor) for monomial, factor in terms if factor > 0))
                return Apply(op, ((above + low - high).to_expr(), above.to_expr()))
    return cond


def _unless_empty(goal: Goal, cond: Expr) -> Expr:
    """The condition, unless the goal has no elements."""
    for extent in reversed(goal.extents):
        cond = Apply(Op.OR, (Apply(Op.LE, (extent, integer(0))), cond))
    return cond


def is_plain(expr: Expr, numbers: Set[Var], elements: bool = False) -> bool:
    """Whether an exact integer is computed from plain numbers and lengths only; `elements`: and integers that arrays hold."""
    match expr:
        case Var():
            return expr in numbers
        case Const() | Length(Var(), _):
            return True
        case Apply(_, args):
            return all(is_plain(arg, numbers, elements) for arg in args)
        case Cast(arg, type_):
            return is_integer(type_) and is_plain(arg, numbers, elements)
        case Ite(cond, then, other):
            return all(is_plain(part, numbers, elements) for part in (cond, then, other))
        case Select(Var(), indices) if elements:
            return is_integer(type_of(expr)) and all(is_plain(index, numbers, elements) for index in indices)
        case _:
            return False


def required(
    pattern: Pattern, bound: dict[Var, Goal], goal: Goal, numbers: Set[Var], intermediates: Mapping[Expr, Interval]
) -> tuple[Expr, ...] | None:
    """What the operator requires of sizes, for the guards; None where the source does not ensure what it requires."""
    values: dict[Var, Expr] = {}
    for param, part in bound.items():
        values[param] = part.body if pattern.operator.elementwise else part.expr
    conditions: list[Expr] = []
    for each in pattern.requires:
        cond = _cancelled(normal(substitute(each, values)))
        if decided(cond, intermediates) or _same_sizes(cond) or _holds(cond):
            continue
        if _defined(cond, goal.body):
            if goal.used().isdisjoint(free_vars(cond)) and _plain_condition(cond, numbers):
                conditions.append(_unless_empty(goal, cond))
            continue
        if _of_literals(cond):
            return None
        if not goal.used().isdisjoint(free_vars(cond)) or not _plain_condition(cond, numbers):
            if not _in_bounds(cond):
                return None
            continue
        if not intermediates.keys().isdisjoint(free_vars(cond)):  # a guard comes before anything is computed
            return None
        conditions.append(cond)
    return tuple(conditions)


def _of_literals(cond: Expr) -> bool:
    """Whether a condition speaks of numbers that are all known."""
    return all(isinstance(part, Apply | Const | Cast | Ite) for part in subexpressions(cond))


def _holds(cond: Expr) -> bool:
    """Whether a condition on literals holds."""
    return _of_literals(cond) and evaluate_if_defined(cond, {}) is True


def _defined(cond: Expr, term: Expr) -> bool:
    """Whether the condition is one for the term itself to have a value: that a divisor is not zero, or an index in range.

    The source computes it too.
    """
    for sub in subexpressions(term):
        if isinstance(sub, Select) and len(sub.indices) == 1 and _is_inside(cond, sub.tensor, sub.indices[0]):
            return True
        if isinstance(sub, Apply) and sub.op in (Op.DIV, Op.TDIV, Op.TREM, Op.FDIV, Op.FMOD):
            right = sub.args[1]
            zero = Const(0, type_of(right))
            if cond == normal(negated(Apply(Op.EQ, (right, zero)))):
                return True
        if isinstance(sub, Apply) and sub.op in (Op.SHL, Op.SHR):
            if cond == normal(Apply(Op.LE, (Const(0, type_of(sub.args[1])), sub.args[1]))):
                return True
    return False


def _same_sizes(cond: Expr) -> bool:
    match cond:
        case Apply(Op.EQ, (left, right)) if is_integer(type_of(left)):
            return same_size(left, right)
        case _:
            return False


def _plain_condition(cond: Expr, numbers: Set[Var]) -> bool:
    match cond:
        case Apply(Op.LT | Op.LE | Op.EQ, args) if all(is_integer(type_of(arg)) for arg in args):
            return all(is_plain(arg, numbers) for arg in args)
        case Apply(Op.LT | Op.LE | Op.EQ, args) if all(isinstance(type_of(arg), RealType) for arg in args):
            return all(arg in numbers or isinstance(arg, Const) for arg in args)  # exact: nothing is computed
        case Apply(Op.AND | Op.OR | Op.NOT, args):
            return all(_plain_condition(arg, numbers) for arg in args)
        case _:
            return False


def _in_bounds(cond: Expr) -> bool:
    """Whether it is about all elements of an index tensor: a source that is defined reads inside its arrays."""
    return not isinstance(cond, Apply) and type_of(cond) == type_of(Const(True, BoolType()))
