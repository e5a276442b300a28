"""What a loop adds to a tile as a part of a fold of the program: its terms are matched, which gives the fold's index in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.taken_apart import taken_apart
from metalift.ir.expr.nodes import Apply, Expr, Fold, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import children, free_vars, rebuild, subexpressions, substitute, with_extent
from metalift.vcgen.chains import canonical, covered, operator_of, term_of

Values = Mapping[Var, Expr]
COMMUTING = frozenset({Operator.ADD, Operator.MUL, Operator.MAX, Operator.MIN})
DIVISIONS = frozenset({Operator.FDIV, Operator.TDIV})


@dataclass(frozen=True, slots=True)
class Prefix:
    """So many elements of a fold of the program, and how many more a part adds to them."""

    fold: Fold
    start: Polynomial
    more: Polynomial

    def upto(self, elements: Polynomial) -> Fold:
        """The fold of so many elements; a maximum begins with the first."""
        less = 1 if operator_of(self.fold) is Operator.MAX else 0
        return with_extent(self.fold, (elements - less).to_expr())


def prefix(part: Expr, op: Operator, folds: Sequence[Fold], fixed: frozenset[Var]) -> Prefix | None:
    """Of which fold a part is the elements from where on. `fixed` are variables that folds and parts have in common."""
    term, counts = terms(part, op)
    if term is None:
        return None
    for fold in folds:
        if operator_of(fold) is not op:
            continue
        wanted = element(fold, op)
        unknown = free_vars(wanted) - fixed
        for values in matches(canonical(wanted), canonical(term), {}, unknown):
            if fold.index in values:
                rest = {var: value for var, value in values.items() if var != fold.index}
                start = Polynomial.of(substitute(values[fold.index], {var: integer(0) for var in counts}))
                more = Polynomial.constant(1)
                for count in counts.values():
                    more = more * Polynomial.of(count)
                made = substitute(Fold(fold.extent, fold.init, fold.acc, fold.index, fold.body), rest)
                assert isinstance(made, Fold)
                return Prefix(made, start, more)
    return None


def element(fold: Fold, op: Operator) -> Expr:
    """What stands at an index of a fold; a maximum begins with the element at 0."""
    back = {fold.index: (Polynomial.of(fold.index) - 1).to_expr()} if op is Operator.MAX else {}
    return substitute(term_of(fold), dict(back))


def terms(part: Expr, op: Operator) -> tuple[Expr | None, dict[Var, Expr]]:
    """What a part combines, by indices of which each has so many values."""
    counts: dict[Var, Expr] = {}
    while isinstance(part, Fold) and operator_of(part) is op:
        if part.index in counts:
            return None, counts
        counts[part.index] = covered(part.extent, op)
        part = element(part, op)
    return part, counts


def matches(pattern: Expr, subject: Expr, known: Values, unknown: frozenset[Var]) -> Iterator[Values]:
    """Values of the unknown variables with which a pattern is the subject, but for quotients."""
    if pattern == subject:
        yield known
        return
    if is_integer(type_of(pattern)) and is_integer(type_of(subject)) and not _elements(pattern) and not _elements(subject):
        found = _index(pattern, subject, known, unknown)
        if found is not None:
            yield found
        return
    if type(pattern) is not type(subject):
        return
    mine, others = children(pattern), children(subject)
    if len(mine) != len(others) or rebuild(pattern, others) != subject:
        return
    commutes = isinstance(pattern, Apply) and pattern.op in COMMUTING
    for order in permutations(others) if commutes else (others,):
        yield from _each(mine, tuple(order), known, unknown)


def _each(patterns: tuple[Expr, ...], subjects: tuple[Expr, ...], known: Values, unknown: frozenset[Var]) -> Iterator[Values]:
    """Values with which all patterns are their subjects."""
    if not patterns:
        yield known
        return
    for values in matches(patterns[0], subjects[0], known, unknown):
        yield from _each(patterns[1:], subjects[1:], values, unknown)


def _index(pattern: Expr, subject: Expr, known: Values, unknown: frozenset[Var]) -> Values | None:
    """Values with which one integer is another; a quotient is not looked at."""
    mine = Polynomial.of(substitute(pattern, dict(known)))
    other = Polynomial.of(subject)
    open_ = (mine.free_vars & unknown) - known.keys()
    if mine == other:
        return known
    if any(isinstance(part, Apply) and part.op in DIVISIONS for part in subexpressions(pattern)):
        return known
    if not open_:
        return None
    found = taken_apart(mine, sorted(open_, key=lambda var: var.name), other)
    return None if found is None else {**known, **found}


def _elements(expr: Expr) -> bool:
    """Whether elements of arrays are in it."""
    return any(isinstance(part, Select | Fold) for part in subexpressions(expr))
