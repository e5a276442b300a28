"""Integer expressions as polynomials: how indices and extents are compared and taken apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Any, TypeVar

from metalift.ir.expr.hashed import Hashed, hash_once
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, IntType, MachineInt, Type, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions

Monomial = tuple[Expr, ...]  # a product of atoms in their order, with repetitions; () is 1


T = TypeVar("T")


def widens(source: Type, target: Type) -> bool:
    """Whether every value of the integer type `source` is one of `target`, so that a cast never changes it."""
    if isinstance(target, IntType):
        return is_integer(source)
    if isinstance(target, MachineInt) and isinstance(source, MachineInt):
        return target.low <= source.low and source.high <= target.high
    return False


def strip_casts(expr: Expr) -> Expr:
    """The expression without the outermost casts between integer types that never change a value."""
    while isinstance(expr, Cast) and widens(type_of(expr.arg), expr.type):
        expr = expr.arg
    return expr


@lru_cache(maxsize=1 << 14)
def _order(atom: Expr) -> tuple[int, str]:
    """Variables come first, by name; the order of other atoms means nothing but is fixed."""
    return (0, atom.name) if isinstance(atom, Var) else (1, repr(atom))


def _term_order(monomial: Monomial) -> tuple[int, list[tuple[int, str]]]:
    return (-len(monomial), [_order(atom) for atom in monomial])


@hash_once
@dataclass(frozen=True, slots=True)
class Polynomial(Hashed):
    """A sum of monomials with integer coefficients, none zero, in a fixed order: equal polynomials are equal values.

    An atom is a subterm that is not +, -, *, negation or a shift by a constant, without value-preserving casts. Arithmetic of
    machine types is taken at its mathematical value, as everywhere.
    """

    terms: tuple[tuple[Monomial, int], ...] = ()

    @staticmethod
    def make(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
        """The sum of the terms, which may be in any order and repeat."""
        return _sum((tuple(_sorted(monomial, _order)), factor) for monomial, factor in terms)

    @staticmethod
    def constant(value: int) -> Polynomial:
        """The constant polynomial."""
        return Polynomial.make((((), value),))

    @staticmethod
    def atom(expr: Expr) -> Polynomial:
        """The polynomial that is one atom, whatever the expression looks like."""
        return Polynomial((((strip_casts(expr),), 1),))

    @staticmethod
    def of(expr: Expr) -> Polynomial:
        """The polynomial of an expression of integer type."""
        return _of(expr)

    def to_expr(self) -> Expr:
        """An expression of type INT: highest degree first; equal polynomials give equal expressions."""
        return _expression(self)

    @property
    def signs(self) -> tuple[Polynomial, Polynomial]:
        """Two polynomials without negative coefficients of which it is the difference."""
        positive = Polynomial(tuple((monomial, factor) for monomial, factor in self.terms if factor > 0))
        return positive, Polynomial(tuple((monomial, -factor) for monomial, factor in self.terms if factor < 0))

    def __add__(self, other: Polynomial | int) -> Polynomial:
        right = _lift(other)
        return _sum((*self.terms, *right.terms)) if self.terms and right.terms else self if self.terms else right

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -_lift(other)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple((monomial, -factor) for monomial, factor in self.terms))

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        right = _lift(other).terms
        return Polynomial.make((a + b, x * y) for a, x in self.terms for b, y in right)

    @property
    def is_constant(self) -> bool:
        """Whether it has no atoms."""
        return all(not monomial for monomial, _ in self.terms)

    @property
    def constant_value(self) -> int | None:
        """Its value if it is a constant."""
        return self.constant_term if self.is_constant else None

    @property
    def constant_term(self) -> int:
        """The coefficient of 1."""
        return next((factor for monomial, factor in self.terms if not monomial), 0)

    @property
    def atoms(self) -> frozenset[Expr]:
        """All atoms of all terms."""
        return frozenset(atom for monomial, _ in self.terms for atom in monomial)

    @property
    def free_vars(self) -> frozenset[Var]:
        """The variables that occur anywhere, inside atoms too."""
        return frozenset(var for atom in self.atoms for var in free_vars(atom))

    def degree(self, atom: Expr) -> int:
        """The highest power of the atom."""
        return max((monomial.count(atom) for monomial, _ in self.terms), default=0)

    def coefficient(self, atom: Expr) -> Polynomial:
        """What the first power of the atom is multiplied by; terms with other powers of it do not count."""
        return Polynomial.make((_without(m, atom), factor) for m, factor in self.terms if m.count(atom) == 1)

    def affine_in(self, variables: Iterable[Var]) -> tuple[dict[Var, Polynomial], Polynomial] | None:
        """The coefficient of each variable and the rest, none of which mentions a variable; None if it is not affine in them."""
        wanted = tuple(variables)
        parts: dict[Var, list[tuple[Monomial, int]]] = {var: [] for var in wanted}
        rest: list[tuple[Monomial, int]] = []
        for monomial, factor in self.terms:
            mentioned = [atom for atom in monomial if not free_vars(atom).isdisjoint(wanted)]
            match mentioned:
                case []:
                    rest.append((monomial, factor))
                case [Var() as var]:
                    parts[var].append((_without(monomial, var), factor))
                case _:
                    return None
        return {var: Polynomial.make(terms) for var, terms in parts.items()}, Polynomial.make(rest)

    def substitute(self, values: Mapping[Expr, Polynomial]) -> Polynomial:
        """Replaces atoms by polynomials; what is inside other atoms stays."""
        total = Polynomial()
        for monomial, factor in self.terms:
            product = Polynomial.constant(factor)
            for atom in monomial:
                product = product * values.get(atom, Polynomial((((atom,), 1),)))
            total = total + product
        return total

    def divide(self, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Quotient and remainder of division with respect to the divisor's leading term; self == quotient * divisor + remainder.

        A zero remainder means that the divisor is a factor. The divisor is not zero.
        """
        return _divided(self, divisor)

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients; 0 for the zero polynomial."""
        return gcd(*(factor for _, factor in self.terms))


def _sum(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
    """The sum of terms whose atoms are in order."""
    total: dict[Monomial, int] = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, 0) + factor
    kept = [(monomial, factor) for monomial, factor in total.items() if factor]
    return Polynomial(tuple(_sorted(kept, lambda term: _term_order(term[0]))))


def _sorted(parts: Sequence[T], key: Callable[[T], Any]) -> Sequence[T]:
    """The parts in order; what the order goes by, which may be a long text, is only asked for where there are several."""
    return sorted(parts, key=key) if len(parts) > 1 else parts


@lru_cache(maxsize=1 << 14)
def _divided(whole: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    lead, lead_factor = divisor.terms[0]
    quotient = Polynomial()
    remainder = Polynomial()
    while whole.terms:
        monomial, factor = whole.terms[0]
        over = _quotient(monomial, lead)
        if over is None or factor % lead_factor:
            remainder, whole = remainder + Polynomial(whole.terms[:1]), Polynomial(whole.terms[1:])
        else:
            step = Polynomial(((over, factor // lead_factor),))
            quotient, whole = quotient + step, whole - step * divisor
    return quotient, remainder


def _lift(value: Polynomial | int) -> Polynomial:
    return Polynomial.constant(value) if isinstance(value, int) else value


@lru_cache(maxsize=1 << 14)
def _of(expr: Expr) -> Polynomial:
    expr = strip_casts(expr)
    match expr:
        case Const(value, _):
            return Polynomial.constant(int(value))
        case Apply(Operator.ADD, (left, right)):
            return _of(left) + _of(right)
        case Apply(Operator.SUB, (left, right)):
            return _of(left) - _of(right)
        case Apply(Operator.MUL, (left, right)):
            return _of(left) * _of(right)
        case Apply(Operator.NEG, (arg,)):
            return -_of(arg)
        case Apply(Operator.SHL, (left, Const(amount, _))) if 0 <= amount < 64:
            return _of(left) * (1 << int(amount))
        case _:
            assert is_integer(type_of(expr)), "a polynomial is made of integers"
            return Polynomial.atom(expr)


@lru_cache(maxsize=1 << 14)
def _expression(poly: Polynomial) -> Expr:
    result: Expr | None = None
    for monomial, factor in poly.terms:
        term = _product(monomial, abs(factor))
        if result is None:
            result = term if factor > 0 else _negated(monomial, factor)
        else:
            result = Apply(Operator.ADD if factor > 0 else Operator.SUB, (result, term))
    return integer(0) if result is None else result


def _as_int(atom: Expr) -> Expr:
    return atom if isinstance(type_of(atom), IntType) else Cast(atom, INT)


def _product(monomial: Monomial, factor: int) -> Expr:
    """factor * atom * atom ..., the factor left out where it is 1 and there are atoms; factor > 0."""
    parts = [_as_int(atom) for atom in monomial]
    if factor != 1 or not parts:
        parts.insert(0, integer(factor))
    result = parts[0]
    for part in parts[1:]:
        result = Apply(Operator.MUL, (result, part))
    return result


def _negated(monomial: Monomial, factor: int) -> Expr:
    """A leading term whose coefficient is negative."""
    if not monomial:
        return integer(factor)
    if factor == -1:
        return Apply(Operator.NEG, (_product(monomial, 1),))
    parts = _product(monomial, 1)
    return Apply(Operator.MUL, (integer(factor), parts))


def _without(monomial: Monomial, atom: Expr) -> Monomial:
    """The monomial without one occurrence of the atom."""
    position = monomial.index(atom)
    return monomial[:position] + monomial[position + 1 :]


def _quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """What is left of the monomial after division, or None."""
    for atom in divisor:
        if atom not in monomial:
            return None
        monomial = _without(monomial, atom)
    return monomial


def runs_backward(fold: Fold) -> bool:
    """Whether some array is read at an index that falls as the fold's index rises."""
    for part in subexpressions(fold.body):
        for index in part.indices if isinstance(part, Select) else ():
            parts = Polynomial.of(index).affine_in((fold.index,))
            slope = None if parts is None else parts[0][fold.index].constant_value
            if slope is not None and slope < 0:
                return True
    return False


def least_of(value: Polynomial) -> list[Polynomial] | None:
    """The values of which a minimum, or a minimum and a number, is the least one; None where it is none."""
    match (value - value.constant_term).to_expr():
        case Apply(Operator.MIN, args):
            return [Polynomial.of(arg) + value.constant_term for arg in args]
        case _:
            return None
