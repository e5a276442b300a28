"""Constructors that keep derived terms in normal form.

Index arithmetic becomes a sorted polynomial of mathematical integers; values keep their shape. Casts that keep a loop counter
within its machine type are dropped: a proposal like everything here, and proved later.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from metalift.ir.arith.masks import without_low_bits
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.arith.rounding import ratio
from metalift.ir.expr.nodes import (
    BITWISE,
    FALSE,
    TRUE,
    Apply,
    Call,
    Cast,
    Const,
    Expr,
    Ite,
    Item,
    Operator,
    Select,
    Var,
    integer,
    is_number,
    type_of,
)
from metalift.ir.expr.types import BOOL, BoolType, IntType, MachineInt, RealType, Type, is_integer
from metalift.ir.expr.walk import rebuild, subexpressions
from metalift.synth.derive.choices_as_operators import absolute, extremum, zero
from metalift.synth.derive.division import ARITHMETIC as _ARITHMETIC
from metalift.synth.derive.division import arithmetic
from metalift.synth.derive.division import whole_parts as _whole_parts

_OPPOSITE = {"floor": "ceil", "ceil": "floor"}
Cell: TypeAlias = tuple[Expr, ...]
"""Where an element of an array is: one index for each axis."""
Place: TypeAlias = tuple[Polynomial, ...]
"""The same as polynomials."""


@lru_cache(maxsize=1 << 15)
def index(expr: Expr) -> Polynomial:
    """An integer expression used as an index or a size, as a polynomial.

    Wrap-around of 32 bits and more is taken not to happen, but for what a function returns: that may be any number. n / c * c
    is written as n - n % c.
    """
    found = _index(expr)
    return found if all(isinstance(atom, Var) for atom in found.atoms) else _whole_parts(found)


def _index(expr: Expr) -> Polynomial:  # noqa: C901 (one case for each kind of operator)
    match expr:
        case Const(value, _):
            return Polynomial.constant(int(value))
        case Cast(arg, type_) if is_integer(type_of(arg)):
            return _index_of_cast(arg, type_)
        case Cast(arg, _) if isinstance(type_of(arg), RealType) and (whole := rounded(arg, "trunc")) is not None:
            return whole
        case Apply(Operator.ADD, (left, right)):
            return index(left) + index(right)
        case Apply(Operator.SUB, (left, right)):
            return index(left) - index(right)
        case Apply(Operator.MUL, (left, right)):
            return index(left) * index(right)
        case Apply(Operator.NEG, (arg,)):
            return -index(arg)
        case Apply(Operator.SHL, (left, Const(amount, _))) if 0 <= amount < 64:
            return index(left) * (1 << int(amount))
        case Apply(op, _) if op in BITWISE and isinstance(type_of(expr), MachineInt):
            return _bitwise(expr)
        case Apply(op, args) if op in _ARITHMETIC:
            return arithmetic(op, tuple(index(arg) for arg in args))
        case Ite(cond, then, other):
            return _conditional(cond, index(then), index(other))
        case _:
            return Polynomial.atom(expr)


def rounded(value: Expr, how: str) -> Polynomial | None:
    """A real number that is a ratio of whole ones, rounded: `floor`, `ceil` or `trunc`. None for other numbers."""
    match value:
        case Call("floor" | "ceil" | "trunc" as inner, (arg,), _):
            return rounded(arg, inner)
        case Apply(Operator.NEG, (arg,)):
            found = rounded(arg, _OPPOSITE.get(how, how))
            return None if found is None else -found
        case _:
            pass
    of = ratio(value)
    if of is None:
        return None
    above, by = total(of[0]), Polynomial.constant(of[1])
    if of[1] == 1:
        return above
    if how == "ceil":
        return -arithmetic(Operator.FDIV, (-above, by))
    return arithmetic(Operator.FDIV if how == "floor" else Operator.TDIV, (above, by))


def total(terms: Iterable[tuple[Expr, int]]) -> Polynomial:
    """A sum of whole numbers with their factors."""
    return sum((index(term) * number for term, number in terms), Polynomial())


def _bitwise(expr: Apply) -> Polynomial:
    """Low bits of what is no data are the remainder by a power of two; other bits are those of a machine type."""
    match expr:
        case Apply(Operator.BITAND as op, (left, Const(mask, _) as right)) if int(mask) > 0 and int(mask) & (int(mask) + 1) == 0:
            if not any(isinstance(part, Select) for part in subexpressions(left)):
                return arithmetic(op, (index(left), index(right)))
    return _masked(expr.op, expr.args) or Polynomial.atom(expr)


def _masked(op: Operator, args: tuple[Expr, ...]) -> Polynomial | None:
    """A number whose low bits are masked out, as it is without its remainder."""
    match op, args:
        case Operator.BITAND, (left, Const(mask, type_)) if (step := without_low_bits(int(mask), type_)) is not None:
            return index(left) - arithmetic(Operator.FMOD, (index(left), Polynomial.constant(step)))
        case _:
            return None


def _index_of_cast(arg: Expr, type_: Type) -> Polynomial:
    inner = index(arg)
    returned = any(isinstance(atom, Call) for atom in inner.atoms)
    if isinstance(type_, MachineInt) and (type_.bits < 32 or returned) and not counts(inner):
        source = type_of(strip_casts(arg))
        fits = isinstance(source, MachineInt) and type_.low <= source.low and source.high <= type_.high
        value = inner.constant_value
        if not fits and (value is None or not type_.low <= value <= type_.high):
            return Polynomial.atom(Cast(inner.to_expr(), type_))
    return inner


def _conditional(cond: Expr, then: Polynomial, other: Polynomial) -> Polynomial:
    chosen = ite(cond, then.to_expr(), other.to_expr())
    return Polynomial.atom(chosen) if isinstance(chosen, Ite) else index(chosen)


@lru_cache(maxsize=1 << 14)
def counts(polynomial: Polynomial) -> bool:
    """Whether it is a loop counter: linear, of variables, one of which is a mathematical integer (a trip index, a binder)."""
    linear = all(len(monomial) <= 1 for monomial, _ in polynomial.terms)
    atoms = polynomial.atoms
    return linear and all(isinstance(a, Var) for a in atoms) and any(isinstance(type_of(a), IntType) for a in atoms)


def exact(expr: Expr) -> Expr:
    """The normal form of an integer expression, of type INT."""
    return index(expr).to_expr()


def place_of(cell: Cell) -> Place:
    """The indices of a cell as polynomials."""
    return tuple(map(index, cell))


def cell_at(at: Place) -> Cell:
    """The indices of a cell as expressions of type INT."""
    return tuple(each.to_expr() for each in at)


def same(left: Expr, right: Expr) -> bool:
    """Whether two indices are equal as polynomials."""
    return index(left) == index(right)


def cast(arg: Expr, type_: Type) -> Expr:
    """A conversion, without those in it that change nothing."""
    source = type_of(arg)
    if source == type_:
        return arg
    if isinstance(type_, IntType) and is_integer(source):
        return exact(arg)
    if isinstance(arg, Const):
        return _cast_constant(arg, type_)
    if isinstance(arg, Cast) and is_integer(source) and isinstance(type_of(arg.arg), IntType) and counts(index(arg.arg)):
        return cast(arg.arg, type_)
    return _there_and_back(arg, type_) or Cast(arg, type_)


def _there_and_back(arg: Expr, type_: Type) -> Expr | None:
    """A number of the type that was converted to another type of its width or more, or a choice or bits of such."""
    match arg:
        case Cast(inner, IntType()):
            return inner if type_of(inner) == type_ else None
        case Cast(inner, MachineInt(bits, _)) if isinstance(type_, MachineInt):
            return inner if type_of(inner) == type_ and bits >= type_.bits else None
        case Ite(cond, then, other):
            one, two = _there_and_back(then, type_), _there_and_back(other, type_)
            return None if one is None or two is None else ite(cond, one, two)
        case Apply(op, (left, right)) if op in BITWISE:
            one, two = (_low_bits(each, type_) for each in (left, right))
            return None if one is None or two is None else Apply(op, (one, two))
        case _:
            return None


def _low_bits(arg: Expr, type_: Type) -> Expr | None:
    """The same of an operand of a bitwise operator, which may be a constant."""
    return _cast_constant(arg, type_) if isinstance(arg, Const) else _there_and_back(arg, type_)


def _cast_constant(arg: Const, type_: Type) -> Expr:
    match type_:
        case RealType() if not isinstance(arg.value, bool):
            return Const(Fraction(arg.value), type_)
        case MachineInt() if not isinstance(arg.value, Fraction):
            return integer(type_.wrap(int(arg.value)), type_)
        case IntType() if not isinstance(arg.value, Fraction):
            return integer(int(arg.value))
        case _:
            return Cast(arg, type_)


def apply(op: Operator, args: tuple[Expr, ...]) -> Expr:
    """An operator applied, with neutral elements and what constants decide folded."""
    match op:
        case Operator.LT | Operator.LE | Operator.EQ:
            return compare(op, args[0], args[1])
        case Operator.NOT:
            return negate(args[0])
        case Operator.AND:
            return both(*args)
        case Operator.OR:
            return negate(both(*(negate(arg) for arg in args)))
        case _:
            return _neutral(op, args) or Apply(op, args)


def _neutral(op: Operator, args: tuple[Expr, ...]) -> Expr | None:
    """What is left where one operand makes no difference, or decides."""
    match op:
        case Operator.ADD if is_number(args[0], 0):
            return args[1]
        case Operator.ADD | Operator.SUB if is_number(args[1], 0):
            return args[0]
        case Operator.MUL if is_number(args[0], 1):
            return args[1]
        case Operator.MUL | Operator.DIV | Operator.TDIV if is_number(args[1], 1):
            return args[0]
        case Operator.MUL if is_number(args[0], 0) or is_number(args[1], 0):
            return zero(type_of(args[0]))
        case Operator.MIN | Operator.MAX if args[0] == args[1]:
            return args[0]
        case _:
            return None


def _unbounded(op: Operator, value: Expr, bound: Expr) -> Expr | None:
    """What a value is without a bound, in which it is kept in some cases or all."""
    match value:
        case Apply(same, (left, right)) if same is op and bound in (left, right):
            return right if left == bound else left
        case Ite(_, then, other):
            one, two = _unbounded(op, then, bound), _unbounded(op, other, bound)
            return one if one == two else None
        case _:
            return value


def both(*parts: Expr) -> Expr:
    """The conjunction, without parts that are said twice; FALSE where one is the opposite of another."""
    kept: list[Expr] = []
    for part in parts:
        for each in part.args if isinstance(part, Apply) and part.op is Operator.AND else (part,):
            if each == FALSE or negate(each) in kept:
                return FALSE
            if each != TRUE and each not in kept:
                kept.append(each)
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else Apply(Operator.AND, tuple(kept))


def parts_of(cond: Expr) -> tuple[Expr, ...]:
    """What a condition is the conjunction of."""
    return cond.args if isinstance(cond, Apply) and cond.op is Operator.AND else (cond,)


def either(left: Expr, right: Expr) -> Expr:
    """The disjunction, without what one part says of the other: `p and not q or q` is `p or q`."""
    left, right = _beside(left, right), _beside(right, left)
    if left == right or right == FALSE:
        return left
    if left == FALSE:
        return right
    if TRUE in (left, right) or left == negate(right):
        return TRUE
    return Apply(Operator.OR, (left, right))


def _beside(cond: Expr, other: Expr) -> Expr:
    """A condition where another one does not hold."""
    parts = parts_of(cond)
    return both(*(each for each in parts if negate(each) != other)) if len(parts) > 1 else cond


@lru_cache(maxsize=1 << 14)
def negate(cond: Expr) -> Expr:
    """The opposite of a condition; comparisons turn around."""
    match cond:
        case Const(value, _):
            return FALSE if value else TRUE
        case Apply(Operator.NOT, (arg,)):
            return arg
        case Apply(Operator.LT, (left, right)):
            return Apply(Operator.LE, (right, left))
        case Apply(Operator.LE, (left, right)):
            return Apply(Operator.LT, (right, left))
        case Apply(Operator.AND, args):
            result: Expr = FALSE
            for arg in args:
                result = either(result, negate(arg))
            return result
        case Apply(Operator.OR, args):
            return both(*(negate(arg) for arg in args))
        case _:
            return Apply(Operator.NOT, (cond,))


def compare(op: Operator, left: Expr, right: Expr) -> Expr:
    """A comparison; of loop counters as mathematical integers."""
    if isinstance(type_of(left), BoolType):
        return _compare_truth(op, left, right)
    if left == right:
        return FALSE if op is Operator.LT else TRUE
    if isinstance(left, Const) and isinstance(right, Const):
        return _decided(op, Fraction(right.value) - Fraction(left.value))
    if not is_integer(type_of(left)):
        return Apply(op, (left, right))
    if op is Operator.EQ and is_number(right, 0) and (truth := _truth(left)) is not None:
        return negate(truth)
    gap = index(right) - index(left)
    if gap.constant_value is not None and _of_counters(left) and _of_counters(right):
        return _decided(op, Fraction(gap.constant_value))
    if _of_counters(left) and _of_counters(right) and any(isinstance(v.type, IntType) for v in gap.free_vars):
        return Apply(op, (exact(left), exact(right)))
    return Apply(op, (left, right))


def _decided(op: Operator, gap: Fraction) -> Expr:
    holds = gap > 0 if op is Operator.LT else gap >= 0 if op is Operator.LE else gap == 0
    return TRUE if holds else FALSE


def _compare_truth(op: Operator, left: Expr, right: Expr) -> Expr:
    if op is Operator.EQ and isinstance(right, Const):
        return left if right.value else negate(left)
    return Apply(op, (left, right))


def _truth(expr: Expr) -> Expr | None:
    """The condition whose value 0 or 1 the integer expression is."""
    match expr:
        case Cast(arg, _) if isinstance(type_of(arg), BoolType):
            return arg
        case Cast(arg, _) if is_integer(type_of(arg)):
            return _truth(arg)
        case Const(0 | 1 as value) if is_integer(type_of(expr)):
            return TRUE if value else FALSE
        case Ite(cond, then, other):
            one, two = _truth(then), _truth(other)
            return None if one is None or two is None else ite(cond, one, two)
        case _:
            return None


def _of_counters(expr: Expr) -> bool:
    """Whether the value is made of scalar variables only."""
    return not any(isinstance(sub, Select | Call | Item) for sub in subexpressions(expr))


@lru_cache(maxsize=1 << 14)
def ite(cond: Expr, then: Expr, other: Expr) -> Expr:
    """A choice; a compare-and-choose is a minimum, a maximum or an absolute value."""
    if then == other or cond == TRUE:
        return then
    if cond == FALSE:
        return other
    if isinstance(cond, Apply) and cond.op is Operator.NOT:
        return ite(cond.args[0], other, then)
    if isinstance(then, Ite) and then.cond in (cond, negate(cond)):
        return ite(cond, then.then if then.cond == cond else then.other, other)
    if isinstance(other, Ite) and other.cond in (cond, negate(cond)):
        return ite(cond, then, other.other if other.cond == cond else other.then)
    if type_of(then) == BOOL:
        return _choice_of_truth(cond, then, other)
    if isinstance(then, Ite) and then.other == other:
        return ite(both(cond, then.cond), then.then, other)
    if isinstance(other, Ite) and other.then == then:
        return ite(either(cond, other.cond), then, other.other)
    if isinstance(then, Ite) and isinstance(cond, Apply) and cond.op is Operator.OR and then.cond == cond.args[0]:
        return ite(then.cond, then.then, ite(_rest(cond), then.other, other))
    return extremum(cond, then, other) or absolute(cond, then, other) or _added(cond, then, other) or Ite(cond, then, other)


def _added(cond: Expr, then: Expr, other: Expr) -> Expr | None:
    """A choice of a sum with choices in it, or of the same with more, as the sum of it and what is added or not: written as a
    choice, it would hold the sum twice, and twice as often with each one that follows.
    """
    for base, total in ((other, then), (then, other)):
        more = _beyond(base, total) if any(isinstance(term, Ite) for term in _terms(base)) else None
        if more is not None:
            nothing = zero(type_of(base))
            chosen = ite(cond, more, nothing) if base == other else ite(cond, nothing, more)
            both_ = Apply(Operator.ADD, (_as_sum(base), chosen))
            return exact(both_) if isinstance(type_of(base), IntType) else both_
    return None


def _as_sum(base: Expr) -> Expr:
    """A choice of a sum, or of the same with more, as the sum of it and what is added or not."""
    more = _beyond(base.other, base.then) if isinstance(base, Ite) else None
    if more is None or not isinstance(base, Ite):
        return base
    return Apply(Operator.ADD, (base.other, Ite(base.cond, more, zero(type_of(base)))))


def _terms(expr: Expr) -> tuple[Expr, ...]:
    """The terms of a sum."""
    if isinstance(expr, Apply) and expr.op is Operator.ADD:
        return (*_terms(expr.args[0]), *_terms(expr.args[1]))
    return (expr,)


def _beyond(base: Expr, total: Expr) -> Expr | None:
    """What a sum has beyond another one; None where it is no other one with more."""
    if isinstance(type_of(base), IntType):
        terms = index(total).terms
        rest = index(total) - index(base)
        return rest.to_expr() if {*index(base).terms} < {*terms} else None
    match total:
        case Apply(Operator.ADD, (left, right)) if base in (left, right):
            return right if left == base else left
        case Apply(Operator.SUB, (left, right)) if left == base:
            return Apply(Operator.NEG, (right,))
        case _:
            return None


def _rest(cond: Apply) -> Expr:
    """The disjunction without its first part."""
    return cond.args[1] if len(cond.args) == 2 else Apply(Operator.OR, cond.args[1:])


def _choice_of_truth(cond: Expr, then: Expr, other: Expr) -> Expr:
    then, other = _where(cond, then), _where(negate(cond), other)
    if then == TRUE:
        return either(cond, other)
    if then == FALSE:
        return both(negate(cond), other)
    if other == FALSE:
        return both(cond, then)
    if other == TRUE:
        return either(negate(cond), then)
    return Ite(cond, then, other)


def _where(cond: Expr, truth: Expr) -> Expr:
    """What is left to ask where a condition holds."""
    match truth:
        case _ if truth == cond:
            return TRUE
        case _ if truth == negate(cond):
            return FALSE
        case Apply(Operator.AND, args):
            return both(*(_where(cond, arg) for arg in args))
        case Apply(Operator.OR, args):
            result: Expr = FALSE
            for arg in args:
                result = either(result, _where(cond, arg))
            return result
        case _:
            return truth


def renew(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    """The node with other children, in normal form; not for nodes that bind."""
    match expr:
        case Apply(Operator.MIN | Operator.MAX as op, _) if (value := _unbounded(op, *parts) or parts[0]) != parts[0]:
            return renew(expr, (value, parts[1]))
        case Apply(op, _) if isinstance(type_of(parts[0]), IntType) and op not in (Operator.LT, Operator.LE, Operator.EQ):
            return exact(Apply(op, parts))
        case Apply(op, _):
            return apply(op, parts)
        case Cast(_, type_):
            return cast(parts[0], type_)
        case Ite():
            return ite(*parts)
        case Select():
            return Select(parts[0], tuple(exact(part) for part in parts[1:]))
        case _:
            return rebuild(expr, parts)
