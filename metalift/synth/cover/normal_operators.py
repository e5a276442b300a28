"""The normal form of operators, conversions and choices: of a node whose parts are in normal form."""

from __future__ import annotations

from fractions import Fraction

from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.arith.polynomial import Polynomial, strip_casts, widens
from metalift.ir.expr.nodes import TRUE, Apply, Call, Cast, Const, Expr, Ite, Operator, is_number, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, RealType, Type, is_integer
from metalift.synth.cover.ordered_choices import chosen_by_order, extremes, next_to
from metalift.synth.cover.regrouped import NOTHING, nothing, same_value


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
    if isinstance(arg, Call) and arg.function == NOTHING:
        return nothing(type_)
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
                return choice(Ite(cond, *arms))
        case Apply(Operator.MIN | Operator.MAX as op, args) if all(_fits(each, type_) for each in args):
            return Apply(op, tuple(cast_form(each, type_) for each in args))
    return None


def _fits(expr: Expr, type_: MachineInt) -> bool:
    """Whether the value is one of the type for a visible reason."""
    if isinstance(expr, Const):
        return type_.low <= expr.value <= type_.high
    return isinstance(expr, Cast) and widens(type_of(strip_casts(expr)), type_)


# Choices and operators


def choice(expr: Ite) -> Expr:
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
            return choice(Ite(inner, other, then))
        case Apply(Operator.LE, (a, b)) if type_of(a) == INT and type_of(then) != INT:
            return choice(Ite(Apply(Operator.LT, (b, a)), other, then))
        case Apply(Operator.LT | Operator.LE, (a, b)):
            if same_value(a, then) and same_value(b, other):
                return extremes(Apply(Operator.MIN, (then, other)))
            if same_value(b, then) and same_value(a, other):
                return extremes(Apply(Operator.MAX, (then, other)))
            return chosen_by_order(cond.op, (a, b), then, other) or (_connective(expr) if type_of(then) == BOOL else expr)
        case Apply(Operator.EQ, (value, Const(int() as end))) if is_integer(type_of(value)) and type_of(then) != BOOL:
            known = interval(value)  # to be equal to the end of its range is not to be before it
            pair = (value, cond.args[1]) if known.low == end else (cond.args[1], value) if known.high == end else None
            return expr if pair is None else next_to(Operator.LE, *pair, then, other) or expr
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
            chosen = choice(Ite(expr.cond, *arms))
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
                return Apply(Operator.OR, (operator(Apply(Operator.AND, (cond, more))), other))
    return expr


def operator(expr: Apply) -> Expr:
    match expr:
        case Apply(Operator.AND | Operator.OR as op, args):
            return connected(op, args)
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


def connected(op: Operator, args: tuple[Expr, ...]) -> Expr:
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
