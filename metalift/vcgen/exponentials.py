"""Exponentials of sums as products: exp(a - b) is exp(a) / exp(b), exp(log(a)) is a, and tanh a quotient of exponentials.

All of it holds of real numbers by what these functions are. What an exponential is an argument of is brought into one form first,
so that equal arguments, multiplied out, are the same exponentials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from metalift.ir.arith.products import ONE, TooMany, product, products, real, times
from metalift.ir.expr.build import conj, disj, forall, less, neg
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Operator, type_of
from metalift.ir.expr.types import INT, REAL, RealType
from metalift.ir.expr.walk import binders_of, free_vars, map_children, subexpressions

EXP, LOG = "exp", "log"
OTHERS = frozenset({"tanh", "sinh", "cosh"})  # quotients and sums of exponentials
_POWER = 4  # up to which one is written as a product
_COMPARED = 4  # exponentials that are compared with one another
TWO = Const(Fraction(2), REAL)


@dataclass(slots=True)
class Exponentials:
    """Rewrites terms; `positive` are numbers of which a logarithm was taken away, which holds where they are positive."""

    positive: dict[Expr, None] = field(default_factory=dict)
    memo: dict[int, tuple[Expr, Expr]] = field(default_factory=dict)

    def within(self, expr: Expr) -> Expr:
        """The term with exponentials of what is no sum."""
        known = self.memo.get(id(expr))
        if known is None:
            made = self._written(map_children(self.within, expr))
            found = type_of(expr)
            wide = isinstance(found, RealType) and type_of(made) != found
            known = self.memo[id(expr)] = (expr, Cast(made, found) if wide else made)
        return known[1]

    def _written(self, node: Expr) -> Expr:
        match node:
            case Call("exp", (arg,)):
                return self.of(arg)
            case Call("tanh", (arg,)):
                square = self.of(times(TWO, real(arg)))
                return _by(Operator.DIV, _by(Operator.SUB, square, ONE), _by(Operator.ADD, square, ONE))
            case Call("sinh" | "cosh" as name, (arg,)):
                one = self.of(arg)
                op = Operator.ADD if name == "cosh" else Operator.SUB
                return _by(Operator.DIV, _by(op, one, _by(Operator.DIV, ONE, one)), TWO)
            case _:
                return node

    def of(self, arg: Expr) -> Expr:
        """exp(arg), of an argument that is rewritten already."""
        try:
            found = products(real(arg))
        except TooMany:
            return Call(EXP, (real(arg),), REAL)
        above: list[Expr] = []
        below: list[Expr] = []
        for factors, number in sorted(found.items(), key=repr):
            count = abs(number)
            whole = count.denominator == 1 and count <= _POWER and factors != ()
            base = self._of_one(factors, ONE if whole else Const(count, REAL))
            (above if number > 0 else below).extend([base] * (int(count) if whole else 1))
        made = product(tuple(above))
        return _by(Operator.DIV, made, product(tuple(below))) if below else made

    def _of_one(self, factors: tuple[Expr, ...], scale: Const) -> Expr:
        match factors:
            case (Cast(Call("log", (arg,))) | Call("log", (arg,)),) if scale == ONE:
                self.positive.setdefault(real(arg))
                return real(arg)
            case _:
                return Call(EXP, (times(scale, product(factors)),), REAL)


def _by(op: Operator, left: Expr, right: Expr) -> Expr:
    return Apply(op, (left, right))


def has_exponentials(expr: Expr) -> bool:
    """Whether there is something to rewrite."""
    return any(isinstance(part, Call) and part.function in (EXP, *OTHERS) for part in subexpressions(expr))


def facts(terms: Sequence[Expr], *, ordered: bool) -> Iterator[Expr]:
    """What is known of the exponentials in terms: they are positive, and in the order of their arguments if `ordered`."""
    parts = [part for term in terms for part in subexpressions(term)]
    bound = {var for part in parts for var in binders_of(part) if var.type == INT}
    found = dict.fromkeys(part for part in parts if isinstance(part, Call) and part.function == EXP)
    zero = Const(Fraction(0), REAL)

    def for_all(expr: Expr, fact: Expr) -> Expr:
        return forall(tuple(sorted(free_vars(expr) & bound, key=lambda var: var.name)), fact)

    for each in found:
        (arg,) = each.args
        yield for_all(each, less(zero, each))
        if ordered:
            beside = conj(_alike(less(zero, arg), less(ONE, each)), _alike(less(arg, zero), less(each, ONE)))
            yield for_all(each, beside)
    for one, other in combinations(list(found)[:_COMPARED] if ordered else (), 2):
        if free_vars(one) & bound == free_vars(other) & bound:
            yield for_all(one, _alike(less(one.args[0], other.args[0]), less(one, other)))


def _alike(one: Expr, other: Expr) -> Expr:
    return conj(disj(neg(one), other), disj(neg(other), one))
