"""What folds have found that look for an element, as ground formulas and universal facts."""

from __future__ import annotations

from metalift.ir.expr.build import at_most, conj, conjuncts, disj, equal, forall, implies, in_range, less, neg
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, ScalarType
from metalift.ir.expr.walk import free_vars, substitute
from metalift.prove.folds import chosen


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
    """Whether each step takes a value, or leaves the accumulator as it is, whatever that is."""
    known = isinstance(type_of(fold), ScalarType) and bool(chosen(fold))
    return known and fold.acc not in free_vars(_taken(fold.body, fold.acc))


def last_taken(fold: Fold, name: str) -> Expr:
    """The fold is what its last step that takes a value took, or its start if none does; the step is a fresh constant called
    after `name`, -1 where there is none. Lemma `fold last`.
    """
    last, after = Var(f"{name}.c", INT), Var(f"{name}.j", INT)
    taken = _taken(fold.body, fold.acc)

    def at(expr: Expr, index: Expr) -> Expr:
        return substitute(expr, {fold.index: index, fold.acc: fold.init})  # no value that is taken speaks of the accumulator

    none = conj(equal(last, integer(-1)), equal(fold, fold.init))
    one = conj(in_range(last, fold.extent), at(taken, last), equal(fold, at(fold.body, last)))
    rest = conj(at_most(integer(0), after), less(last, after), less(after, fold.extent))
    return conj(disj(none, one), forall((after,), implies(rest, neg(at(taken, after)))))


def _taken(body: Expr, acc: Var) -> Expr:
    """When a step takes a value."""
    if isinstance(body, Ite):
        return disj(conj(body.cond, _taken(body.then, acc)), conj(neg(body.cond), _taken(body.other, acc)))
    return FALSE if body == acc else TRUE
