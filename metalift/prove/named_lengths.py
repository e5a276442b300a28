"""Names for row lengths that are sums: `((i*k + j)*h + y)*w + x` is short where h and w are names, and dozens of
products without.

An index is taken apart by what its products have in common, and compared with others so: by too many factors where it is long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import binders_of, children, distinct_parts, fresh_name, map_children, names

LONG = 8  # terms of an index
SUMS = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG})
ORDER = frozenset({Operator.LT, Operator.LE})


@dataclass(frozen=True, slots=True)
class Named:
    """A name for a sum, and one of the sum's variables by the name and the others."""

    name: Var
    total: Polynomial
    lead: Expr
    rest: Polynomial  # without the lead
    sign: int

    @property
    def value(self) -> Polynomial:
        """What the lead is."""
        return (Polynomial.atom(self.name) - self.rest) * self.sign


def with_named_lengths(hypotheses: Sequence[Expr], goal: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """The hypotheses and the goal with names for sums that something is compared with, where an index is half as long with them.

    What the names stand for are hypotheses more, and terms are replaced by equal ones: what is implied stays the same.
    """
    formulas = (*hypotheses, goal)
    long = list(dict.fromkeys(poly for formula in formulas for poly in _long(formula)))
    found = _named(formulas, long) if long else ()
    if not any(2 * len(_shorter(poly, found).terms) <= len(poly.terms) for poly in long):
        return tuple(hypotheses), goal
    *known, wanted = (_rewritten(formula, found) for formula in formulas)
    return (*(equal(one.name, one.total.to_expr()) for one in found), *known), wanted


@lru_cache(maxsize=1 << 12)
def _long(formula: Expr) -> tuple[Polynomial, ...]:
    """The sums in a formula that have many terms."""
    return tuple(dict.fromkeys(poly for poly in _sums(formula, set()) if len(poly.terms) >= LONG))


def _sums(expr: Expr, seen: set[Expr]) -> Iterator[Polynomial]:
    """The sums and products of integers in an expression, without the parts of larger ones; each once."""
    if expr in seen:
        return
    seen.add(expr)
    if not _is_sum(expr):
        inside = children(expr)
    else:
        poly = Polynomial.of(expr)
        yield poly
        inside = tuple(child for atom in poly.atoms for child in children(atom))
    for part in inside:
        yield from _sums(part, seen)


def _named(formulas: Sequence[Expr], long: Sequence[Polynomial]) -> tuple[Named, ...]:
    """Names for sums of variables that are free in all formulas, and of a constant: those that make long sums shorter."""
    parts = [part for formula in formulas for part in distinct_parts(formula)]
    bound = {binder for part in parts for binder in binders_of(part)}
    compared = (part.args for part in parts if isinstance(part, Apply) and part.op in ORDER and is_integer(type_of(part.args[0])))
    sums = dict.fromkeys(Polynomial.of(side) for sides in compared for side in sides)
    free = [total for total in sums if all(isinstance(atom, Var) and atom not in bound for atom in total.atoms)]
    taken = set[str]().union(*map(names, formulas))
    found: tuple[Named, ...] = ()
    terms = sum(len(poly.terms) for poly in long)
    while True:  # the one that helps most comes first: others have some of its variables, too
        made = [one for total in free if (one := _name(total, taken, found)) is not None]
        left = {one: sum(len(_shorter(poly, (*found, one)).terms) for poly in long) for one in made}
        best = min(left, key=left.__getitem__, default=None)
        if best is None or left[best] >= terms:
            return found
        terms, found = left[best], (*found, best)
        taken.add(best.name.name)


def _name(total: Polynomial, taken: set[str], known: Sequence[Named]) -> Named | None:
    """A name for a linear sum; None where it is none, or has no variable that is in no other."""
    leads = {one.lead for one in known}
    others = {atom for one in known for atom in one.rest.atoms}
    if len(total.terms) < 3 or any(len(monomial) > 1 for monomial, _ in total.terms):
        return None
    for monomial, factor in total.terms:
        rest = total - Polynomial(((monomial, factor),))
        if monomial and factor in (1, -1) and monomial[0] not in leads | others and rest.atoms.isdisjoint(leads):
            return Named(Var(fresh_name("length", taken), INT), total, monomial[0], rest, factor)
    return None


def _shorter(poly: Polynomial, found: Sequence[Named]) -> Polynomial:
    """The sum with the names or without, whichever has fewer terms."""
    plain = poly.substitute({one.name: one.total for one in found})
    named = plain.substitute({one.lead: one.value for one in found})
    return named if len(named.terms) < len(plain.terms) else plain


def _rewritten(expr: Expr, found: Sequence[Named]) -> Expr:
    if not _is_sum(expr):
        return map_children(lambda child: _rewritten(child, found), expr)
    poly = Polynomial.of(expr)
    inside = {atom: Polynomial.of(_rewritten(atom, found)) for atom in poly.atoms}
    return _shorter(poly.substitute(inside), found).to_expr()


def _is_sum(expr: Expr) -> bool:
    return isinstance(expr, Apply) and expr.op in SUMS and type_of(expr) == INT
