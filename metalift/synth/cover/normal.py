"""The normal form in which meanings and goals are compared.

Every rewrite is an equation of the expression language, apart from reductions known to have an element: those are marked by their
start. Nothing here is trusted: the program that comes of it is shown equal to the summary by the prover.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from metalift.driver.meaning.reduce import reduce_head
from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.arith.polynomial import Polynomial, runs_backward, strip_casts, widens
from metalift.ir.expr.nodes import (
    TRUE,
    Apply,
    Cast,
    Const,
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
    type_of,
)
from metalift.ir.expr.types import BOOL, INT, MachineInt, RealType, TupleType, Type, is_integer
from metalift.ir.expr.walk import alpha_equal, free_vars, map_children, substitute, transform
from metalift.synth.cover.ordered_choices import chosen_by_order, extremes
from metalift.synth.cover.regrouped import (
    as_reduction,
    is_number,
    make_product,
    make_sum,
    neutral,
    nothing,
    parted,
    product_factors,
    same_value,
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
            return _choice(expr)
        case Apply():
            return _operator(expr)
        case Fold():
            return _fold(expr)
        case Item(Fold() as fold, position):
            return _projection(fold, position) or expr
        case Invoke():
            return _one_step_more(expr)
        case _:
            return expr


def index_form(index: Expr) -> Expr:
    """An index as a polynomial in a fixed order."""
    return Polynomial.of(index).to_expr()


# Casts


def cast_form(arg: Expr, type_: Type) -> Expr:
    """A cast to a scalar type, without what a later cast undoes."""
    source = type_of(arg)
    if source == type_:
        return arg
    if isinstance(arg, Const):
        return _cast_constant(arg, type_)
    if isinstance(arg, Cast) and is_integer(source) and widens(type_of(arg.arg), source):
        return cast_form(arg.arg, type_)
    if isinstance(arg, Cast) and _wraps_less(arg, type_):
        return cast_form(arg.arg, type_)
    if isinstance(type_, MachineInt) and is_integer(source):
        return _narrowed(arg, type_) or Cast(arg, type_)
    return Cast(arg, type_)


def _wraps_less(inner: Cast, type_: Type) -> bool:
    """Whether what the inner cast drops is dropped by the outer one too: both keep an integer modulo a power of two."""
    both = isinstance(inner.type, MachineInt) and isinstance(type_, MachineInt) and type_.bits <= inner.type.bits
    return both and is_integer(type_of(inner.arg))


def _cast_constant(constant: Const, type_: Type) -> Expr:
    value = constant.value
    if isinstance(type_, RealType) and not isinstance(value, bool):
        return Const(Fraction(value), type_)
    if is_integer(type_) and isinstance(value, int):
        return Const(type_.wrap(int(value)) if isinstance(type_, MachineInt) else int(value), type_)
    return Cast(constant, type_)


def _narrowed(arg: Expr, type_: MachineInt) -> Expr | None:
    """The choice among values that were widened from the type, made in the type itself."""
    match arg:
        case Ite(cond, then, other):
            arms = (cast_form(then, type_), cast_form(other, type_))
            if sum(isinstance(arm, Cast) for arm in arms) <= 1:
                return _choice(Ite(cond, *arms))
        case Apply(Operator.MIN | Operator.MAX as op, args) if all(_fits(each, type_) for each in args):
            return Apply(op, tuple(cast_form(each, type_) for each in args))
    return None


def _fits(expr: Expr, type_: MachineInt) -> bool:
    """Whether the value is one of the type for a visible reason."""
    if isinstance(expr, Const):
        return type_.low <= expr.value <= type_.high
    return isinstance(expr, Cast) and widens(type_of(strip_casts(expr)), type_)


# Choices and operators


def _choice(expr: Ite) -> Expr:
    """Minimum, maximum and absolute value where they are written as a choice."""
    cond, then, other = expr.cond, expr.then, expr.other
    if isinstance(cond, Const):
        return then if cond.value else other
    if then == other:
        return then
    if (later := _narrowed_later(expr)) is not None:
        return later
    match cond:
        case Apply(Operator.NOT, (inner,)):
            return _choice(Ite(inner, other, then))
        case Apply(Operator.LE, (a, b)) if type_of(a) == INT and type_of(then) != INT:
            return _choice(Ite(Apply(Operator.LT, (b, a)), other, then))
        case Apply(Operator.LT | Operator.LE, (a, b)):
            if same_value(a, then) and same_value(b, other):
                return extremes(Apply(Operator.MIN, (then, other)))
            if same_value(b, then) and same_value(a, other):
                return extremes(Apply(Operator.MAX, (then, other)))
            return chosen_by_order(cond.op, (a, b), then, other) or (_connective(expr) if type_of(then) == BOOL else expr)
        case _:
            return _connective(expr) if type_of(then) == BOOL else expr


def _narrowed_later(expr: Ite) -> Expr | None:
    """A choice of bounds for a value that is converted to a narrower type, made before the conversion."""
    match expr.then, expr.other:
        case (Const(bound, MachineInt()), Cast(value, MachineInt())) | (Cast(value, MachineInt()), Const(bound, MachineInt())):
            wide = type_of(value)
            if not is_integer(wide) or not widens(type_of(expr.then), wide):
                return None
            arms = (Const(bound, wide), value) if isinstance(expr.then, Const) else (value, Const(bound, wide))
            chosen = _choice(Ite(expr.cond, *arms))
            return None if isinstance(chosen, Ite) else Cast(chosen, type_of(expr.then))
        case _:
            return None


def _connective(expr: Ite) -> Expr:
    """A choice between conditions."""
    if expr.then == TRUE:
        return Apply(Operator.OR, (expr.cond, expr.other))
    if isinstance(expr.other, Const) and not expr.other.value:
        return Apply(Operator.AND, (expr.cond, expr.then))
    for cond, then, other in ((expr.cond, expr.then, expr.other), (negated(expr.cond), expr.other, expr.then)):
        match then:
            case Apply(Operator.OR, (one, two)) if other in (one, two):
                more = two if other == one else one
                return Apply(Operator.OR, (_operator(Apply(Operator.AND, (cond, more))), other))
    return expr


def _operator(expr: Apply) -> Expr:
    match expr:
        case Apply(Operator.AND | Operator.OR as op, args):
            return _connected(op, args)
        case Apply(Operator.NOT, (arg,)):
            return negated(arg)
        case Apply(Operator.LT | Operator.LE as op, (left, right)) if type_of(left) == INT:
            return Apply(op, _sized(left, right))
        case Apply(Operator.LT | Operator.LE | Operator.EQ as op, (left, right)):
            return Apply(op, _compared(left, right))
        case Apply(Operator.MIN | Operator.MAX, _):
            return extremes(expr)
        case _:
            return _arithmetic(expr)


def _arithmetic(expr: Apply) -> Expr:
    """Neutral elements are dropped, -x has one form."""
    match expr:
        case Apply(Operator.NEG, (Apply(Operator.NEG, (arg,)),)):
            return arg
        case Apply(Operator.SUB, (left, right)) if is_number(left, 0):
            return Apply(Operator.NEG, (right,))
        case Apply(Operator.ADD | Operator.SUB, (left, right)) if is_number(right, 0):
            return left
        case Apply(Operator.ADD, (left, right)) if is_number(left, 0):
            return right
        case Apply(Operator.MUL, (left, right)):
            return _product(expr, left, right)
        case Apply(Operator.DIV, (left, right)) if is_number(right, 1):
            return left
        case _:
            return expr


def _product(expr: Apply, left: Expr, right: Expr) -> Expr:
    for one, other in ((left, right), (right, left)):
        if is_number(one, 1):
            return other
        if is_number(one, -1):
            return Apply(Operator.NEG, (other,))
    return expr


def _connected(op: Operator, args: tuple[Expr, ...]) -> Expr:
    """Two operands at a time; constants are dropped or decide."""
    decisive = op is Operator.OR
    if any(isinstance(arg, Const) and arg.value is decisive for arg in args):
        return Const(decisive, BOOL)
    kept = [arg for arg in args if not isinstance(arg, Const)]
    if not kept:
        return Const(not decisive, BOOL)
    result = kept[0]
    for arg in kept[1:]:
        result = Apply(op, (result, arg))
    return result


def negated(cond: Expr) -> Expr:
    """The condition does not hold; comparisons are turned round."""
    match cond:
        case Const(value, _):
            return Const(not value, BOOL)
        case Apply(Operator.NOT, (arg,)):
            return arg
        case Apply(Operator.LT, (left, right)):
            return Apply(Operator.LE, (right, left))
        case Apply(Operator.LE, (left, right)):
            return Apply(Operator.LT, (right, left))
        case _:
            return Apply(Operator.NOT, (cond,))


def _sized(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """The sides of a comparison of exact integers as sums without negative terms, but for a number that is one side."""
    difference = Polynomial.of(right) - Polynomial.of(left)
    constant = Polynomial.constant(difference.constant_term)
    negative = Polynomial.make((monomial, factor) for monomial, factor in (difference - constant).terms if factor < 0)
    positive = difference - constant - negative
    if not negative.terms:
        return (-constant).to_expr(), positive.to_expr()
    if not positive.terms or difference.constant_term > 0:
        return (-negative).to_expr(), (positive + constant).to_expr()
    return (-negative - constant).to_expr(), positive.to_expr()


def _is_size_of_type(expr: Expr) -> bool:
    """Whether it is an exact integer, converted to a type that holds it."""
    match expr:
        case Cast(arg, MachineInt() as type_):
            return type_of(arg) == INT and interval(arg).within(type_range(type_))
        case _:
            return False


def _compared(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """The operands of a comparison in the narrowest type that visibly holds both; sizes as they are."""
    if all(_is_size_of_type(each) for each in (left, right)):
        return _sized(strip_casts(left), strip_casts(right))
    for one, other in ((left, right), (right, left)):
        inner = strip_casts(one)
        type_ = type_of(inner)
        if not (isinstance(one, Cast) and isinstance(type_, MachineInt)) or inner is one:
            continue
        if _fits(other, type_) or type_of(strip_casts(other)) == type_:
            return cast_form(left, type_), cast_form(right, type_)
    return left, right


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
    step = _step(fold.acc, fold.body)
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
    return reduced if fold.init == unit else _operator(Apply(op, (fold.init, reduced)))


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
            return _with_condition(replace(fold, body=Ite(_connected(Operator.AND, (cond, inner)), then, acc)))
        case Apply(op, (acc, Ite(Apply(Operator.AND) as cond, then, other))) if acc == fold.acc:
            own, free = parted(cond, fold.acc)
            if not own or not free:
                return fold
            both = _connected(Operator.AND, (*own, _connected(Operator.AND, tuple(free))))
            return Fold(fold.extent, fold.init, fold.acc, fold.index, Apply(op, (acc, Ite(both, then, other))))
        case MakeTuple(items):
            return replace(fold, body=MakeTuple(tuple(_part_where(fold.acc, at, item) for at, item in enumerate(items))))
        case _:
            return fold


def _part_where(acc: Var, position: int, step: Expr) -> Expr:
    """The step of a part of the accumulator that stays where a condition fails which does not speak of the accumulator."""
    kept = Item(acc, position)
    match step:
        case Ite(Apply(Operator.AND) as cond, then, other) if other == kept:
            own, free = parted(cond, acc)
            if own and free:
                inner = normal(Ite(_connected(Operator.AND, tuple(own)), then, kept))
                return Ite(_connected(Operator.AND, tuple(free)), inner, kept)
    return step


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
    return reduced if _is_first(fold.init, op, reduced) else Apply(op, (fold.init, reduced))


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
            operands = [(1, each) for each in _flattened(op, body)]
            rest = _without(acc, operands)
            if rest is None:
                return None
            term = rest[0][1]
            for _, each in rest[1:]:
                term = Apply(op, (term, each))
            return op, term
        case _:
            return None


def _flattened(op: Operator, expr: Expr) -> list[Expr]:
    if isinstance(expr, Apply) and expr.op is op:
        return [part for arg in expr.args for part in _flattened(op, arg)]
    return [expr]


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
