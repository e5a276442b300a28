"""Equality of two real numbers as that of products: a / b is c / d where a * d is c * b, and neither b nor d is 0.

Sums and products of quotients are quotients; a sum over elements with one divisor is the sum without it, by that divisor. Numbers
that are chosen by conditions are compared case by case.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product as every

from metalift.ir.arith.products import ONE, TooMany, products, real, times
from metalift.ir.arith.sums import is_zero, summand, total
from metalift.ir.expr.build import conj, equal, forall, implies, less, neg
from metalift.ir.expr.nodes import TRUE, Apply, Call, Cast, Const, Expr, Fold, Forall, Ite, Operator, Var, type_of
from metalift.ir.expr.types import REAL, RealType
from metalift.ir.expr.walk import alpha_key, binders_of, children, free_vars, map_children, scoped_children, subexpressions
from metalift.vcgen.exponentials import EXP, LOG, OTHERS, Exponentials, facts, has_exponentials
from metalift.vcgen.obligation import Goal

_CASES = 3  # conditions, of which each makes two cases
_ARITHMETIC = frozenset((Operator.ADD, Operator.SUB, Operator.MUL, Operator.DIV, Operator.NEG))
_FUNCTIONS = frozenset((EXP, LOG, *OTHERS))
ZERO = Const(Fraction(0), REAL)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A number as one that is divided by another one."""

    above: Expr
    below: Expr = ONE


@dataclass(slots=True)
class Quotients:
    """Makes quotients of terms. `unlike` are numbers that have to be other than 0, those that sums divide by apart, and `sums`
    equations that have to hold.
    """

    unlike: dict[Expr, None] = field(default_factory=dict)
    in_sums: dict[Expr, None] = field(default_factory=dict)
    sums: dict[Expr, None] = field(default_factory=dict)

    def of(self, term: Expr) -> Quotient:
        """The number as a quotient."""
        match term:
            case Cast(arg) if isinstance(type_of(arg), RealType):
                return self.of(arg)
            case Apply(Operator.NEG, (arg,)):
                found = self.of(arg)
                return Quotient(times(Const(Fraction(-1), REAL), found.above), found.below)
            case Apply(Operator.ADD | Operator.SUB as op, (left, right)):
                one, other = self.of(left), self.of(right)
                if one.below == other.below:
                    return Quotient(Apply(op, (one.above, other.above)), one.below)
                above = Apply(op, (times(one.above, other.below), times(other.above, one.below)))
                return Quotient(above, times(one.below, other.below))
            case Apply(Operator.MUL, (left, right)):
                one, other = self.of(left), self.of(right)
                return Quotient(times(one.above, other.above), times(one.below, other.below))
            case Apply(Operator.DIV, (left, right)):
                one, other = self.of(left), self.of(right)
                self.unlike.setdefault(other.above)
                return Quotient(times(one.above, other.below), times(one.below, other.above))
            case Fold():
                return self._of_sum(term) or Quotient(real(term))
            case _:
                return Quotient(real(term))

    def _of_sum(self, fold: Fold) -> Quotient | None:
        """A sum of what has one divisor, which does not depend on the element."""
        added = summand(fold) if is_zero(fold.init) and isinstance(type_of(fold), RealType) else None
        if added is None:
            return None
        inner = Quotients()
        found = inner.of(added)
        wanted = (found.below, *inner.unlike, *inner.in_sums)
        if inner.sums or any(fold.index in free_vars(each) for each in wanted):
            return None
        self.in_sums |= inner.unlike | inner.in_sums
        made = total(fold.extent, fold.index, found.above, REAL)
        if made != fold:
            plain = total(fold.extent, fold.index, real(added), REAL)
            self.sums.setdefault(equal(times(plain, found.below), made))
        return Quotient(made, found.below)


def quotients(goal: Goal) -> list[Goal]:
    """Goals from which one follows that says that two real numbers are equal; none where that is not what it says, or where
    nothing would be gained.

    The right one is what the first program gives, which is compared where it is a number: it divides by nothing that is 0.
    """
    binders, domain, pair = _parts(goal.formula)
    if pair is None or not any(map(_is_worth_it, pair)):
        return []
    bound = {var for term in pair for part in subexpressions(term) for var in binders_of(part)}
    found: list[Expr] = []
    cases = list(_cases(*pair))
    for cond, mine, wanted in cases:
        terms = Exponentials()
        left, right, case = terms.within(mine), terms.within(wanted), terms.within(conj(domain, cond))
        inside = dict(terms.positive)
        if any(free_vars(each) & bound for each in inside):
            return []  # it would have to hold for each element
        given: dict[Expr, None] = {}
        if any(map(_adds_logarithms, (left, right))):
            right = terms.of(right)
            given = {less(ZERO, each): None for each in terms.positive if each not in inside}
            left = terms.of(left)
        one, other = Quotients(), Quotients()
        first, second = one.of(left), other.of(right)
        given |= {_unlike_0(each): None for each in other.unlike}
        proved = [less(ZERO, each) for each in terms.positive]
        for function, arg in _strict(mine):  # what the second program computes, also where it cancels
            number = one.of(terms.within(arg))
            if function == LOG:
                proved.append(less(ZERO, times(number.above, number.below)))
            else:
                one.unlike.setdefault(number.above)
        proved += map(_unlike_0, (*one.unlike, *one.in_sums, *other.in_sums))
        proved += [*one.sums, *other.sums, equal(times(first.above, second.below), times(second.above, first.below))]
        found += [implies(conj(case, *given), each) for each in proved if each not in given]
    known = tuple(facts(found, ordered=len(cases) > 1))
    return [Goal(goal.subject, forall(binders, implies(conj(*known), each))) for each in dict.fromkeys(found)]


def _parts(formula: Expr) -> tuple[tuple[Var, ...], Expr, tuple[Expr, Expr] | None]:
    """Variables, under which condition, and which real numbers are equal."""
    binders: tuple[Var, ...] = ()
    domain: list[Expr] = []
    while isinstance(formula, Forall):
        binders, formula = (*binders, *formula.binders), formula.body
    while isinstance(formula, Apply) and formula.op is Operator.OR and len(formula.args) == 2:
        domain.append(neg(formula.args[0]))
        formula = formula.args[1]
    match formula:
        case Apply(Operator.EQ, (left, right)) if isinstance(type_of(left), RealType):
            return binders, conj(*domain), (left, right)
        case _:
            return binders, TRUE, None


def _is_worth_it(term: Expr) -> bool:
    divisions = (part for part in subexpressions(term) if isinstance(part, Apply) and part.op is Operator.DIV)
    return any(not isinstance(part.args[1], Const) for part in divisions) or has_exponentials(term)


def _adds_logarithms(term: Expr) -> bool:
    try:
        found = products(real(term))
    except TooMany:
        return False
    return any(len(each) == 1 and isinstance(call := _without_cast(each[0]), Call) and call.function == LOG for each in found)


def _without_cast(term: Expr) -> Expr:
    return term.arg if isinstance(term, Cast) else term


def _cases(left: Expr, right: Expr) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Each way in which conditions outside of folds choose, with the numbers that these choose."""
    folds = (part for each in (left, right) for part in subexpressions(each) if isinstance(part, Fold))
    inside = frozenset(alpha_key(part) for fold in folds for part in subexpressions(fold.body) if _is_extreme(part))
    left, right = _chosen(left, inside), _chosen(right, inside)
    conditions = dict.fromkeys(part.cond for each in (left, right) for part in _outer(each) if isinstance(part, Ite))
    if len(conditions) > _CASES:
        yield TRUE, left, right
        return
    for ways in every((True, False), repeat=len(conditions)):
        holds = dict(zip(conditions, ways, strict=True))
        case = conj(*(cond if way else neg(cond) for cond, way in holds.items()))
        yield case, _in_case(left, holds), _in_case(right, holds)


def _chosen(term: Expr, inside: frozenset[Expr]) -> Expr:
    """Extremes and absolute values that arithmetic makes a number of, as what conditions choose; not those inside of folds, too,
    which stay as they are there.
    """
    match term:
        case Apply(Operator.MAX | Operator.MIN as op, (left, right)) if _is_extreme(term) and alpha_key(term) not in inside:
            one, other = _chosen(left, inside), _chosen(right, inside)
            return Ite(less(other, one) if op is Operator.MAX else less(one, other), one, other)
        case Apply(Operator.ABS, (arg,)) if isinstance(type_of(term), RealType):
            inner = _chosen(arg, inside)
            return Ite(less(inner, Const(Fraction(0), type_of(inner))), Apply(Operator.NEG, (inner,)), inner)
        case Ite(cond, then, other):
            return Ite(cond, _chosen(then, inside), _chosen(other, inside))
        case _:
            return map_children(lambda each: _chosen(each, inside), term) if _is_computed(term) else term


def _is_extreme(term: Expr) -> bool:
    return isinstance(term, Apply) and term.op in (Operator.MAX, Operator.MIN) and isinstance(type_of(term), RealType)


def _is_computed(term: Expr) -> bool:
    """Whether a number is made of others by arithmetic and functions that are looked into."""
    match term:
        case Apply(op):
            return op in _ARITHMETIC
        case Call(name):
            return name in _FUNCTIONS
        case Cast(arg):
            return isinstance(type_of(arg), RealType)
        case _:
            return False


def _outer(term: Expr) -> Iterator[Expr]:
    """A number and those that arithmetic makes it of."""
    yield term
    inner = (term.then, term.other) if isinstance(term, Ite) else children(term) if _is_computed(term) else ()
    for each in inner:
        yield from _outer(each)


def _strict(term: Expr) -> Iterator[tuple[str, Expr]]:
    """What a number divides by, after "", and takes logarithms of; of sums, what does not depend on the element."""
    match term:
        case Apply(Operator.DIV, (_, below)) if not isinstance(below, Const):
            yield "", below
        case Call("log", (arg,)):
            yield LOG, arg
        case _:
            pass
    for child, binders in scoped_children(term):
        if not isinstance(term, Ite) and isinstance(type_of(child), RealType):
            yield from ((name, each) for name, each in _strict(child) if free_vars(each).isdisjoint(binders))


def _in_case(term: Expr, holds: dict[Expr, bool]) -> Expr:
    match term:
        case Ite(cond, then, other) if cond in holds:
            return _in_case(then if holds[cond] else other, holds)
        case _:
            return map_children(lambda each: _in_case(each, holds), term) if _is_computed(term) else term


def _unlike_0(number: Expr) -> Expr:
    return neg(equal(number, ZERO))
