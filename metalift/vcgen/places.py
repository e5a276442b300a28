"""Places of maxima in tiles as parts of those in a whole: laws that are stated once, proved by induction, and used.

A kernel finds the place of the maximum M of a block as the maximum of numbers k(j) where element j equals M, and of a number
below all of them elsewhere. The place fold of the source is A: A(e + q) is e + P(q) where element A(e) is to be replaced by
element e + P(q), else A(e); P is the same fold over the q elements of the block. M(q) is the element at P(q), and the maximum of
the numbers is k(P(q)). Base and step of each law are claims to be proved; only what is claimed is used, for lengths that occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, equal, implies, plus
from metalift.ir.expr.nodes import Apply, Cast, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, ScalarType, is_integer
from metalift.ir.expr.walk import free_vars, map_children, substitute, with_extent

COUNT = Var("tile.q", INT)
ORDERS = frozenset({Operator.LT, Operator.LE})


@dataclass(frozen=True, slots=True)
class Claim:
    """A formula that is to be proved, for every COUNT in 0 .. most by induction where it has one, for all values of `free`.

    `known` is proved of the same numbers, so that it may be used of COUNT and of the next one.
    """

    formula: Expr
    most: Expr | None = None
    known: tuple[Expr, ...] = ()
    free: tuple[Var, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """The folds of a block's place: of the whole the place and the maximum, of the block the maximum and that of the numbers."""

    place: Fold
    greatest: Fold
    part: Fold
    numbers: Fold

    @property
    def before(self) -> Expr:
        """How many elements come before the block."""
        return (Polynomial.of(self.place.extent) + 1).to_expr()

    def element(self, at: Expr) -> Expr:
        """The element of the whole at a place, as the maximum takes it."""
        _, term = _combined(self.greatest)
        return substitute(term, {self.greatest.index: (Polynomial.of(at) - 1).to_expr()})

    def in_block(self, extent: Expr) -> Fold:
        """The place in the block, of its first elements."""
        place = self.place
        assert isinstance(place.body, Ite)
        moved = plus(self.before, place.index)
        at = exactly(place.acc)

        def shifted(part: Expr) -> Expr:
            return plus(self.before, at) if part == at else map_children(shifted, part)

        cond = shifted(substitute(place.body.cond, {place.index: moved}))
        return Fold(extent, place.init, place.acc, place.index, Ite(cond, place.body.then, place.body.other))

    def replaced(self, one: Expr, two: Expr) -> Expr:
        """Whether the element at the second place is taken instead of that at the first."""
        place = self.place
        assert isinstance(place.body, Ite)
        at = exactly(place.acc)

        def shifted(part: Expr) -> Expr:
            return one if part == at else map_children(shifted, part)

        return substitute(shifted(place.body.cond), {place.index: (Polynomial.of(two) - 1).to_expr()})

    def number(self, at: Expr) -> Expr:
        """The number of a place in the block."""
        _, term = _combined(self.numbers)
        assert isinstance(term, Ite)
        return substitute(term.then, {self.numbers.index: (Polynomial.of(at) - 1).to_expr()})

    def numbered(self, extent: Expr, most: Expr) -> Fold:
        """The maximum of the numbers of elements that equal something, of the first ones of the block."""

        def same(part: Expr) -> Expr:
            return most if part == self.part else map_children(same, part)

        numbers = self.numbers
        return Fold(extent, same(numbers.init), numbers.acc, numbers.index, same(numbers.body))

    def laws(self) -> Iterator[tuple[Claim, tuple[Expr, ...]]]:
        """What is claimed, and the instances that are used of it."""
        place, greatest, last = self.place, self.greatest, self.part.extent
        here, block = exactly(with_extent(place, COUNT)), exactly(self.in_block(COUNT))
        at_least = at_most(integer(0), last)

        def at(formula: Expr, count: Expr) -> Expr:
            return substitute(formula, {COUNT: count})

        whole = equal(with_extent(greatest, COUNT), self.element(here))
        yield Claim(whole, place.extent), (implies(at_most(integer(0), place.extent), at(whole, place.extent)),)
        none = conj(equal(place, place.init), equal(greatest, greatest.init))
        empty = implies(at_most(place.extent, integer(0)), conj(none, equal(greatest.init, self.element(exactly(place.init)))))
        yield Claim(empty), (empty,)

        taken = plus(self.before, block)
        old = exactly(place)
        later = exactly(with_extent(place, (Polynomial.of(place.extent) + Polynomial.of(COUNT) + 1).to_expr()))
        joined = equal(later, Ite(self.replaced(old, taken), taken, old))
        yield Claim(joined, last), (implies(at_least, at(joined, last)),)

        inside = conj(at_most(integer(0), block), at_most(block, COUNT))
        found = conj(inside, equal(with_extent(self.part, COUNT), self.element(taken)))
        yield Claim(found, last), (implies(at_least, at(found, last)),)

        type_ = type_of(self.part)
        assert isinstance(type_, ScalarType)
        most = Var("tile.most", INT if is_integer(type_) else type_)
        _, term = _combined(self.numbers)
        assert isinstance(term, Ite)
        part = with_extent(self.part, COUNT)
        value = Ite(equal(part, most), self.number(block), term.other)
        numbered = implies(at_most(part, most), equal(self.numbered(COUNT, most), value))
        instance = substitute(at(numbered, last), {most: self.part})
        yield Claim(numbered, last, (found,), (most,)), (implies(at_least, instance),)


def places_among(folds: list[Fold]) -> Iterator[Places]:
    """The folds that are together the place of a maximum, block by block."""
    maxima = [fold for fold in folds if _combined(fold)[0] is Operator.MAX]
    for place in folds:
        if not _is_place(place):
            continue
        for greatest in maxima:
            if greatest.index in free_vars(greatest.init) or Polynomial.of(greatest.extent) != Polynomial.of(place.extent):
                continue
            for numbers in maxima:
                _, term = _combined(numbers)
                match term:
                    case Ite(Apply(Operator.EQ, (_, Fold() as part)), _, _) if part in maxima:
                        yield Places(place, greatest, part, numbers)
                    case _:
                        pass


def exactly(place: Expr) -> Expr:
    """A place as an exact integer."""
    return place if type_of(place) == INT else Cast(place, INT)


def _is_place(fold: Fold) -> bool:
    """Whether the fold keeps the index of the element that is before all others in some order."""
    match fold.body:
        case Ite(Apply(op, _), then, other) if op in ORDERS and other == fold.acc and is_integer(type_of(fold)):
            later = plus(fold.index, integer(1))
            inner = then.arg if isinstance(then, Cast) else then
            return type_of(inner) == INT and Polynomial.of(inner) == Polynomial.of(later)
        case _:
            return False


def _combined(fold: Fold) -> tuple[Operator | None, Expr]:
    """The operator of a fold that combines its accumulator with a term, and the term."""
    match fold.body:
        case Apply(op, (first, term)) if first == fold.acc and fold.acc not in free_vars(term):
            return op, term
        case _:
            return None, fold.body
