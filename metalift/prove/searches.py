"""What folds have found that look for an element, as ground formulas and universal facts."""

from __future__ import annotations

from collections.abc import Callable

from metalift.ir.expr.build import at_most, conj, conjuncts, disj, equal, forall, implies, in_range, less, neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, ScalarType
from metalift.ir.expr.walk import free_vars, substitute
from metalift.prove.folds import accumulator, chosen
from metalift.prove.wraps import without_wraps


def grows_while(fold: Fold) -> Expr | None:
    """The condition of its index while which a number goes along with the index, from 0 on; None where the fold is none such."""
    match fold.body:
        case Apply(Operator.ADD, (acc, Ite(cond, Const(1), Const(0)))) if acc == fold.acc and fold.init == integer(0):
            together = {equal(acc, fold.index), equal(fold.index, acc)}
            rest = conj(*(part for part in conjuncts(cond) if part not in together))
            return rest if rest != cond and acc not in free_vars(rest) else None
        case _:
            return None


def first_not_met(number: Fold, condition: Expr, name: str) -> Expr:
    """A number that grows while a condition holds is the first index at which it does not. Lemma `fold first`."""
    before = Var(f"{name}.j", INT)

    def met(at: Expr) -> Expr:
        return substitute(condition, {number.index: at})

    below = forall((before,), implies(in_range(before, number), met(before)))
    ends = implies(less(number, number.extent), neg(met(number)))
    return disj(less(number.extent, integer(0)), conj(at_most(integer(0), number), at_most(number, number.extent), below, ends))


def takes(fold: Fold) -> bool:
    """Whether each step takes a value, or leaves the accumulator as it is; where that depends on the accumulator, always the same
    value of its index.
    """
    values = set(chosen(fold))
    known = isinstance(type_of(fold), ScalarType) and bool(values)
    return known and (len(values) == 1 or fold.acc not in free_vars(_taken(fold.body, fold.acc)))


def last_taken(fold: Fold, name: str) -> Expr:
    """The fold is what its last step that takes a value took, or its start if none does; the step is a fresh constant called
    after `name`, -1 where there is none. That step would have taken its value after any step before it, too, and no later one
    does after it, unless the fresh constants show that the steps are in no order. Lemma `fold last`.
    """
    last, other = Var(f"{name}.c", INT), Var(f"{name}.j", INT)
    values, taken = set(chosen(fold)), _taken(fold.body, fold.acc)
    body = values.pop() if len(values) == 1 else fold.body

    def value(at: Expr) -> Expr:
        return substitute(body, {fold.index: at, fold.acc: fold.init})  # no value that is taken depends on the accumulator

    def takes_after(before: Expr, at: Expr) -> Expr:
        return substitute(taken, {fold.index: at, fold.acc: before})

    none = conj(equal(last, integer(-1)), equal(fold, fold.init))
    one = conj(in_range(last, fold.extent), takes_after(fold.init, last), equal(fold, value(last)))
    kept = forall((other,), implies(in_range(other, last), takes_after(value(other), last)))
    rest = conj(at_most(integer(0), other), less(last, other), less(other, fold.extent))
    none, one = (
        conj(each, forall((other,), implies(rest, neg(takes_after(before, other)))))
        for each, before in ((none, fold.init), (conj(one, kept), value(last)))
    )
    _, stated = without_wraps((), disj(none, one, _in_no_order(fold, value, takes_after, name)))
    return stated


def _in_no_order(fold: Fold, value: Callable[[Expr], Expr], takes_after: Callable[[Expr, Expr], Expr], name: str) -> Expr:
    """That fresh constants are an accumulator and two steps which a relation between steps that is an order rules out."""
    if fold.acc not in free_vars(takes_after(fold.acc, fold.index)):
        return FALSE
    before, first, second = accumulator(fold, name), Var(f"{name}.f", INT), Var(f"{name}.s", INT)
    inside = conj(in_range(first, second), less(second, fold.extent))
    one, two, both = takes_after(before, first), takes_after(before, second), takes_after(value(first), second)
    return conj(inside, disj(conj(two, neg(one), neg(both)), conj(one, both, neg(two))))


def _taken(body: Expr, acc: Var) -> Expr:
    """When a step takes a value."""
    if isinstance(body, Ite):
        return disj(conj(body.cond, _taken(body.then, acc)), conj(neg(body.cond), _taken(body.other, acc)))
    return FALSE if body == acc else TRUE
