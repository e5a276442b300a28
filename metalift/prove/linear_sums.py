"""Sums of reals as sums of multiples: what is added is multiplied out, and what does not depend on the index is a factor.

The sum of (x - m)^2 is that of x^2, minus that of x times 2*m, and as often m^2 as there are elements. Sums of the same products
are then the same terms, whatever they were written in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.products import ONE, Products, TooMany, added, inverse, product, products, real, times
from metalift.ir.arith.sums import is_zero, summand, total
from metalift.ir.expr.build import at_most, conj, disj, equal, in_range, neg
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, REAL, RealType, is_integer
from metalift.ir.expr.walk import free_vars, substitute
from metalift.prove.folds import closed
from metalift.prove.sum_lemmas import MOST_MULTIPLES


@dataclass(slots=True)
class Multiples:
    """States what sums of reals are as sums of multiples; `state` takes instances of lemmas with the names of these.

    `plain`: the sums of which nothing is to be stated, by what they are as functions, and of what.
    """

    state: Callable[[str, Expr], None]
    plain: dict[tuple[object, ...], Fold] = field(default_factory=dict)
    inverted: set[tuple[Expr, ...]] = field(default_factory=set)

    def note(self, fold: Fold) -> None:
        """Use the sum for all of its value, if it is a plain one."""
        multiples = multiples_of(fold)
        if len(multiples) == 1 and multiples[0][0] == ONE and is_zero(fold.init):
            self.known(fold, multiples[0][1], fold)

    def known(self, fold: Fold, inside: Expr, default: Fold | None = None) -> Fold:
        """The one that is used of the sums of some products over as many elements as a fold has."""
        made = total(fold.extent, fold.index, inside, REAL)
        function = closed(made)
        parts = (Polynomial.of(each) if is_integer(type_of(each)) else each for each in (made.extent, *function.captured))
        return self.plain.setdefault((function.key, *parts), default or made)

    def multiply_out(self, fold: Fold, scales: Sequence[Expr], name: str) -> list[Fold]:
        """State what a sum is, and its products with the scales; the sums it is written in, of which nothing is to be stated.

        Ground: or what is added is something else, at a fresh index called after `name`. Lemma `sum of multiples`.
        """
        multiples = multiples_of(fold)
        if not 0 < len(multiples) <= MOST_MULTIPLES:
            return []
        sums = [self.known(fold, inside) for _, inside in multiples]
        if sums == [fold]:
            return []
        term, index = summand(fold), Var(f"{name}.k", INT)
        assert term is not None
        step = added([times(factor, inside) for factor, inside in multiples])
        same = equal(*(substitute(real(each), {fold.index: index}) for each in (term, step)))
        unless = (at_most(fold.extent, integer(0)), conj(in_range(index, fold.extent), neg(same)))
        count = Cast(fold.extent, REAL)
        values = [count if inside == ONE else real(each) for each, (_, inside) in zip(sums, multiples, strict=True)]
        for scale in (ONE, *scales):
            whole = added([times(scale, times(factor, value)) for (factor, _), value in zip(multiples, values, strict=True)])
            if not is_zero(fold.init):
                whole = Apply(Operator.ADD, (times(scale, real(fold.init)), whole))
            self.state("sum of multiples", disj(*unless, equal(times(scale, real(fold)), whole)))
            self.invert(whole)
        return [each for each, (_, inside) in zip(sums, multiples, strict=True) if inside != ONE]

    def invert(self, whole: Expr) -> None:
        """State of the products in a number that a factor and its inverse are none. Lemma `inverse`."""
        with suppress(TooMany):
            for factors in products(whole):
                self.without_inverses(factors)

    def without_inverses(self, factors: tuple[Expr, ...]) -> None:
        """State what a product is without a factor and its inverse, and so on."""
        for factor in factors:
            other = inverse(factor)
            if other in factors and factors not in self.inverted:
                self.inverted.add(factors)
                rest = list(factors)
                rest.remove(factor)
                rest.remove(other)
                none = equal(factor, Const(Fraction(0), REAL))
                self.state("inverse", disj(none, equal(product(factors), product(tuple(rest)))))
                self.without_inverses(tuple(rest))


def multiples_of(fold: Fold) -> list[tuple[Expr, Expr]]:
    """What a sum of reals adds, as factors and what they are multiplied with; none of what is no such sum."""
    term = summand(fold) if isinstance(type_of(fold), RealType) else None
    if term is None:
        return []
    try:
        return list(by_index(products(term), fold))
    except TooMany:
        return []


def by_index(found: Products, fold: Fold) -> Iterator[tuple[Expr, Expr]]:
    """What depends on a sum's index, each once, and the factor it has."""
    outside: dict[tuple[Expr, ...], list[Expr]] = {}
    for factors, number in found.items():
        inside = tuple(each for each in factors if fold.index in free_vars(each))
        rest = product(tuple(each for each in factors if fold.index not in free_vars(each)))
        outside.setdefault(inside, []).append(times(Const(number, REAL), rest))
    for inside, numbers in sorted(outside.items(), key=repr):
        yield added(numbers), product(inside)
