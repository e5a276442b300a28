"""The normal form in which meanings and goals are compared.

Every rewrite is an equation of the expression language, apart from reductions known to have an element: those are marked by their
start. Nothing here is trusted: the program that comes of it is shown equal to the summary by the prover.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from metalift.driver.meaning.reduce import reduce_head
from metalift.ir.arith.polynomial import Polynomial, runs_backward
from metalift.ir.expr.nodes import (
    Apply,
    Cast,
    Expr,
    Fold,
    Invoke,
    Ite,
    Item,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    is_number,
    type_of,
)
from metalift.ir.expr.types import RealType, TupleType
from metalift.ir.expr.walk import alpha_equal, free_vars, map_children, substitute, transform
from metalift.synth.cover.normal_operators import cast_form, choice, connected, index_form, negated, operator
from metalift.synth.cover.regrouped import (
    as_reduction,
    joined_parts,
    make_product,
    make_sum,
    neutral,
    nothing,
    parted,
    product_factors,
    sum_terms,
)


@lru_cache(maxsize=1 << 14)
def normal(expr: Expr) -> Expr:
    """The normal form."""
    return _rewrite(reduce_head(map_children(normal, expr)))


def _rewrite(expr: Expr) -> Expr:
    match expr:
        case Select(tensor, indices):
            return Select(tensor, tuple(index_form(index) for index in indices))
        case Cast(arg, type_):
            return cast_form(arg, type_)
        case Ite():
            return choice(expr)
        case Apply():
            return operator(expr)
        case Fold():
            return _fold(expr)
        case Item(Fold() as fold, position):
            return _projection(fold, position) or expr
        case Invoke():
            return _one_step_more(expr)
        case _:
            return expr


# Folds


def _one_step_more(expr: Invoke) -> Expr:
    """A step on the fold of the steps before is a fold of one step more."""
    for fold in expr.args:
        if isinstance(fold, Fold) and isinstance(fold.body, Invoke) and fold.body.function == expr.function:
            step = tuple(
                fold if arg == fold.acc else normal(substitute(arg, {fold.index: fold.extent})) for arg in fold.body.args
            )
            if step == expr.args:
                return Fold((Polynomial.of(fold.extent) + 1).to_expr(), fold.init, fold.acc, fold.index, fold.body)
    return expr


def _fold(fold: Fold) -> Expr:
    """A reduction starts from its neutral element and joins what it started from outside; others stay as they are."""
    if (wide := _wide(fold)) is not None:
        return cast_form(normal(wide), fold.acc.type)
    step = _step(fold.acc, fold.body) or _extreme_where(fold)
    if step is None:
        return _with_condition(_without_idle_step(fold))
    op, term = step
    fold, term = _forwards(fold, op, term)
    unit = neutral(op, type_of(fold.init))
    if op in (Operator.MAX, Operator.MIN):
        return _extremum(fold, op, term)
    if unit is None:
        return fold
    reduced = Fold(fold.extent, unit, fold.acc, fold.index, Apply(op, (fold.acc, term)))
    return reduced if fold.init == unit else operator(Apply(op, (fold.init, reduced)))


def _wide(fold: Fold) -> Fold | None:
    """The fold in the type in which its steps are computed, where each is narrowed only to be kept; None for others."""
    match fold.body:
        case Cast(arg, RealType()) | Ite(_, Cast(arg, RealType()), _) | Ite(_, _, Cast(arg, RealType())):
            type_ = type_of(arg)
        case _:
            return None
    if not isinstance(type_, RealType):
        return None
    acc = Var(fold.acc.name, type_)
    body = _widened(fold.body, fold.acc, acc)
    return None if body is None else Fold(fold.extent, cast_form(fold.init, type_), acc, fold.index, body)


def _widened(step: Expr, acc: Var, wide: Var) -> Expr | None:
    """What a step computes from the wider accumulator; None where it uses the narrow one as such."""
    match step:
        case Var() if step == acc:
            return wide
        case Cast(arg, _) if type_of(arg) == wide.type:
            widened = Cast(acc, wide.type)
            found = transform(lambda part: wide if part == widened else part, arg)
            return None if acc in free_vars(found) else found
        case Ite(cond, then, other) if acc not in free_vars(cond):
            left, right = _widened(then, acc, wide), _widened(other, acc, wide)
            return None if left is None or right is None else Ite(cond, left, right)
        case _:
            return None


def _without_idle_step(fold: Fold) -> Fold:
    """A choice whose first step leaves the start as it is, from the second step on."""
    chosen = isinstance(fold.body, Ite) and fold.acc in (fold.body.then, fold.body.other)
    if not (chosen or isinstance(fold.body, MakeTuple)):
        return fold
    first = normal(substitute(fold.body, {fold.acc: fold.init, fold.index: integer(0)}))
    if first != fold.init:
        return fold
    later = normal(substitute(fold.body, {fold.index: Apply(Operator.ADD, (fold.index, integer(1)))}))
    return Fold((Polynomial.of(fold.extent) - 1).to_expr(), fold.init, fold.acc, fold.index, later)


def _with_condition(fold: Fold) -> Fold:
    """Of the conditions of a step, those that do not speak of the accumulator as one, behind the others.

    A step that leaves the accumulator as it is where a condition holds is one that changes it where it does not.
    """
    match fold.body:
        case Ite(cond, then, other) if then == fold.acc:
            return _with_condition(replace(fold, body=Ite(normal(negated(cond)), other, then)))
        case Ite(cond, Ite(inner, then, other), acc) if acc == fold.acc and acc in (then, other):
            inner, then = (inner, then) if other == acc else (normal(negated(inner)), other)
            return _with_condition(replace(fold, body=Ite(connected(Operator.AND, (cond, inner)), then, acc)))
        case Apply(op, (acc, Ite(Apply(Operator.AND) as cond, then, other))) if acc == fold.acc:
            own, free = parted(cond, fold.acc)
            if not own or not free:
                return fold
            both = connected(Operator.AND, (*own, connected(Operator.AND, tuple(free))))
            return Fold(fold.extent, fold.init, fold.acc, fold.index, Apply(op, (acc, Ite(both, then, other))))
        case MakeTuple(items):
            return replace(fold, body=MakeTuple(tuple(_part_where(fold.acc, at, item) for at, item in enumerate(items))))
        case _:
            return fold


def _part_where(acc: Var, position: int, step: Expr) -> Expr:
    """The step of a part of the accumulator that stays where a condition fails which does not speak of the accumulator."""
    kept = Item(acc, position)
    match step:
        case Ite(cond, Ite(inner, then, other), end) if end == kept and acc in free_vars(cond) and acc not in free_vars(inner):
            arms = [arm if arm == kept else normal(Ite(cond, arm, kept)) for arm in (then, other)]
            return Ite(inner, *arms) if kept in arms else step
        case Ite(cond, end, Ite() as choice_) if end == kept:
            return _part_where(acc, position, Ite(negated(cond), choice_, kept))
        case Ite(Apply(Operator.AND) as cond, then, other) if other == kept:
            own, free = parted(cond, acc)
            if own and free:
                inner = normal(Ite(connected(Operator.AND, tuple(own)), then, kept))
                return Ite(connected(Operator.AND, tuple(free)), inner, kept)
    return step


def _extreme_where(fold: Fold) -> tuple[Operator, Expr] | None:
    """The operator and the term of a step that takes a maximum in some cases only: in the others it is that with the start."""
    match fold.body:
        case Ite(cond, then, other) if fold.acc in (then, other) and fold.acc not in free_vars(cond) and then != other:
            step = _step(fold.acc, then if other == fold.acc else other)
            if step is not None and step[0] in (Operator.MAX, Operator.MIN):
                terms = (step[1], fold.init) if other == fold.acc else (fold.init, step[1])
                return step[0], _rewrite(Ite(cond, *terms))
    return None


def _forwards(fold: Fold, op: Operator, term: Expr) -> tuple[Fold, Expr]:
    """A reduction from the last element to the first goes from the first to the last."""
    if not runs_backward(fold):
        return fold, term
    mirrored: Expr = (Polynomial.of(fold.extent) - 1 - Polynomial.of(fold.index)).to_expr()
    turned = normal(substitute(term, {fold.index: mirrored}))
    other = Fold(fold.extent, fold.init, fold.acc, fold.index, Apply(op, (fold.acc, turned)))
    return (fold, term) if runs_backward(other) else (other, turned)


def _extremum(fold: Fold, op: Operator, term: Expr) -> Expr:
    start = nothing(type_of(fold.init))
    if fold.init == start:
        return Fold(fold.extent, start, fold.acc, fold.index, Apply(op, (fold.acc, term)))
    before = normal(substitute(term, {fold.index: integer(-1)}))
    if alpha_equal(before, fold.init):
        extent = (Polynomial.of(fold.extent) + 1).to_expr()
        earlier = Apply(Operator.SUB, (fold.index, integer(1)))
        shifted = normal(substitute(term, {fold.index: earlier}))
        return Fold(extent, start, fold.acc, fold.index, Apply(op, (fold.acc, shifted)))
    after = normal(substitute(term, {fold.index: fold.extent}))
    if after == fold.init:
        extent = (Polynomial.of(fold.extent) + 1).to_expr()
        return Fold(extent, start, fold.acc, fold.index, Apply(op, (fold.acc, term)))
    reduced = Fold(fold.extent, start, fold.acc, fold.index, Apply(op, (fold.acc, term)))
    idle = _is_first(fold.init, op, reduced) or (op is Operator.MAX and is_number(fold.init, 0) and _is_magnitude(term))
    return reduced if idle else Apply(op, (fold.init, reduced))


def _is_magnitude(term: Expr) -> bool:
    """Whether it is an absolute value, or a greatest one: never less than 0."""
    match term:
        case Apply(Operator.ABS, _):
            return True
        case Fold() if (step := as_reduction(term)) is not None and step.op is Operator.MAX:
            return _is_magnitude(step.term)
        case _:
            return False


def _is_first(value: Expr, op: Operator, reduced: Fold) -> bool:
    """Whether it is the first element of an extremum, or of an extremum of extrema: joining it once more changes nothing."""
    element: Expr = reduced
    while isinstance(element, Fold) and (step := as_reduction(element)) is not None and step.op is op:
        element = normal(substitute(step.term, {element.index: integer(0)}))
        if element == value:
            return True
    return False


def _step(acc: Var, body: Expr) -> tuple[Operator, Expr] | None:
    """The operator and the term of a step acc op term."""
    match body:
        case Ite(cond, then, other) if acc not in free_vars(cond):
            return _conditional(acc, cond, then, other)
        case Apply(Operator.ADD | Operator.SUB, _):
            terms = sum_terms(body)
            rest = _without(acc, terms)
            return None if rest is None else (Operator.ADD, make_sum(rest))
        case Apply(Operator.MUL | Operator.DIV, _):
            rest = _without(acc, product_factors(body))
            return None if rest is None else (Operator.MUL, make_product(rest))
        case Apply(Operator.MAX | Operator.MIN | Operator.AND | Operator.OR as op, _):
            operands = [(1, each) for each in joined_parts(body, op)]
            rest = _without(acc, operands)
            if rest is None:
                return None
            term = rest[0][1]
            for _, each in rest[1:]:
                term = Apply(op, (term, each))
            return op, term
        case _:
            return None


def _without(acc: Var, parts: list[tuple[int, Expr]]) -> list[tuple[int, Expr]] | None:
    """The other parts, where the accumulator is one of them, once and positive, and there are others."""
    if parts.count((1, acc)) != 1:
        return None
    rest = [part for part in parts if part != (1, acc)]
    return rest if rest and not any(acc in free_vars(part) for _, part in rest) else None


def _conditional(acc: Var, cond: Expr, then: Expr, other: Expr) -> tuple[Operator, Expr] | None:
    """A step that is made in some cases only: in the others the neutral element is joined."""
    left = None if then == acc else _step(acc, then)
    right = None if other == acc else _step(acc, other)
    if (left is None and then != acc) or (right is None and other != acc):
        return None
    op = left[0] if left else right[0] if right else None
    if op is None or (left and right and left[0] is not right[0]):
        return None
    unit = neutral(op, type_of(acc))
    terms = (left[1] if left else unit, right[1] if right else unit)
    if terms[0] is None or terms[1] is None:
        return None
    return op, _rewrite(Ite(cond, terms[0], terms[1]))


def _projection(fold: Fold, position: int) -> Expr | None:
    """A component of a fold over tuples, as a fold of its own where it depends on no other component."""
    kind = fold.acc.type
    assert isinstance(kind, TupleType)
    acc = Var(f"{fold.acc.name}.{position}", kind.items[position])
    body = _replace_item(_component(fold.body, fold.acc, position), fold.acc, position, acc)
    init = _component(fold.init, fold.acc, position)
    if fold.acc in free_vars(body):
        return None
    return normal(Fold(fold.extent, init, acc, fold.index, body))


def _component(expr: Expr, acc: Var, position: int) -> Expr:
    match expr:
        case MakeTuple(items):
            return items[position]
        case Ite(cond, then, other):
            return Ite(cond, _component(then, acc, position), _component(other, acc, position))
        case _:
            return Item(expr, position)


def _replace_item(expr: Expr, acc: Var, position: int, new: Expr) -> Expr:
    if expr == Item(acc, position):
        return new
    return map_children(lambda child: _replace_item(child, acc, position, new), expr)
