"""Recurrences that are linear in what was before, in the form in which operators have them: factor * before + term."""

from __future__ import annotations

from collections.abc import Callable

from metalift.ir.expr.build import tuple_items
from metalift.ir.expr.nodes import Apply, Expr, Fold, Item, MakeTuple, Operator, Var, is_number, type_of
from metalift.ir.expr.types import RealType
from metalift.ir.expr.walk import free_vars, transform
from metalift.synth.cover.normal import normal
from metalift.synth.cover.regrouped import Signed, as_reduction, make_product, make_sum, number, product_factors

Form = dict[Expr | None, list[Signed]]  # the terms of the factor of each part of the accumulator, and those without one


def linear(expr: Expr) -> Expr:
    """The term, in normal form, with such steps in folds over reals, as far as they are no reductions."""
    found = transform(_linear, expr)
    return expr if found == expr else normal(found)


def _linear(expr: Expr) -> Expr:
    if not isinstance(expr, Fold) or as_reduction(expr) is not None:
        return expr
    forms = _forms(expr)
    if forms is None:
        return expr
    made = tuple(map(_step, forms))
    return Fold(expr.extent, expr.init, expr.acc, expr.index, MakeTuple(made) if isinstance(expr.body, MakeTuple) else made[0])


def approaching(expr: Expr) -> Expr:
    """The term, in normal form, with steps before + rate * (term - before): rounding leaves alone what has arrived."""
    found = transform(_approaching, expr)
    return expr if found == expr else normal(found)


def _approaching(expr: Expr) -> Expr:
    if not isinstance(expr, Fold) or not isinstance(type_of(expr), RealType):
        return expr
    match _form(expr.body, expr.acc):
        case {expr.acc: [(1, one), (-1, rate)], None: [(1, term)]} if is_number(one, 1):
            factors = product_factors(term)
            for factor in product_factors(rate):
                if factor not in factors:
                    return expr
                factors.remove(factor)
            difference = Apply(Operator.SUB, (make_product(factors) if factors else one, expr.acc))
            body = Apply(Operator.ADD, (expr.acc, Apply(Operator.MUL, (rate, difference))))
            return Fold(expr.extent, expr.init, expr.acc, expr.index, body)
        case _:
            return expr


def _forms(fold: Fold) -> list[Form] | None:
    """The terms of the steps of all parts, or of the only one; None where some are not linear."""
    steps = tuple_items(fold.body)
    forms = [_form(step, fold.acc) for step in steps if isinstance(type_of(step), RealType)]
    found = [form for form in forms if form is not None]
    return found if len(found) == len(steps) else None


def _step(form: Form) -> Expr:
    """The step; its own terms come last."""
    parts = sorted((part for part in form if part is not None), key=lambda part: part.position if isinstance(part, Item) else 0)
    terms: list[Signed] = [(1, _times(make_sum(form[part]), part)) for part in parts]
    return make_sum([*terms, *form.get(None, [])])


def _form(step: Expr, acc: Var) -> Form | None:
    """The terms of a step; None where it is not linear in the accumulator."""
    if acc not in free_vars(step):
        return {None: [(1, step)]}
    match step:
        case Var() | Item(Var(), _):
            return {step: [(1, number(1, type_of(step)))]}
        case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
            one, two = _form(left, acc), _form(right, acc)
            return None if one is None or two is None else _joined(one, two, 1 if op is Operator.ADD else -1)
        case Apply(Operator.NEG, (arg,)):
            form = _form(arg, acc)
            return None if form is None else _joined({}, form, -1)
        case Apply(Operator.MUL, (left, right)) if acc not in free_vars(left):
            return _each(_form(right, acc), lambda term: _times(left, term))
        case Apply(Operator.MUL, (left, right)) if acc not in free_vars(right):
            return _each(_form(left, acc), lambda term: _times(term, right))
        case Apply(Operator.DIV, (left, right)) if acc not in free_vars(right):
            return _each(_form(left, acc), lambda term: Apply(Operator.DIV, (term, right)))
        case _:
            return None


def _times(left: Expr, right: Expr) -> Expr:
    return normal(Apply(Operator.MUL, (left, right)))


def _joined(one: Form, two: Form, sign: int) -> Form:
    parts = dict.fromkeys((*one, *two))
    return {part: [*one.get(part, []), *((sign * own, term) for own, term in two.get(part, []))] for part in parts}


def _each(form: Form | None, change: Callable[[Expr], Expr]) -> Form | None:
    if form is None:
        return None
    return {part: [(sign, change(term)) for sign, term in terms] for part, terms in form.items()}
