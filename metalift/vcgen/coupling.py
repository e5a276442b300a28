"""Equality of two results that are each computed by one fold, by induction on the steps of both.

The two folds go on side by side. A coupling relates their accumulators after k steps: it holds before the first step, each step
keeps it, and after all steps it says that the results are equal. The coupling is the claim itself with k in the place of the
number of steps, and where the accumulators are integers perhaps that they are at least 0 and at most k, as indices are. Where one
fold has a step more than the other, its first step is done before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, equal, forall, implies, less, plus
from metalift.ir.expr.nodes import Expr, Var, integer, type_of
from metalift.ir.expr.types import INT, ScalarType, is_integer
from metalift.ir.expr.walk import free_vars, outer_folds, replaced, substitute
from metalift.vcgen.obligation import Goal

_STEPS = Var("steps!k", INT)


@dataclass(frozen=True, slots=True)
class Side:
    """A result as a term with the fold's accumulator `acc` in the place of the fold; `init` and `step` are the fold's."""

    term: Expr
    acc: Var
    init: Expr
    step: Callable[[Expr, Expr], Expr]
    extent: Expr

    def result(self, value: Expr) -> Expr:
        """The result where the fold has this value."""
        return substitute(self.term, {self.acc: value})

    def without_first(self) -> Side:
        """The same fold after its first step."""
        step, one = self.step, integer(1)
        left = plus(self.extent, integer(-1))
        return replace(self, init=step(self.init, integer(0)), step=lambda acc, at: step(acc, plus(at, one)), extent=left)


def couplings(one: Expr, other: Expr) -> Iterator[list[Goal]]:
    """Goals of which each list suffices for two results to be equal, likely ones first; none where these are no single folds."""
    left, right = side_of(one, "first!acc"), side_of(other, "second!acc")
    if left is None or right is None:
        return
    more = Polynomial.of(left.extent) - Polynomial.of(right.extent)
    starts: list[Goal] = []
    if more in (Polynomial.of(integer(1)), Polynomial.of(integer(-1))):
        longer = left if more == Polynomial.of(integer(1)) else right
        none_left = less(longer.extent, integer(1))  # and so there is no step of either
        starts.append(Goal("equal without a step", implies(none_left, equal(left.result(left.init), right.result(right.init)))))
        left, right = (each.without_first() if each is longer else each for each in (left, right))
    elif more != Polynomial.of(integer(0)):
        return
    general: dict[Expr, Expr] = {left.extent: _STEPS, right.extent: _STEPS}
    options = [(True, False) if is_integer(each.acc.type) else (False,) for each in (left, right)]
    for bounds in product(*options):
        yield [*starts, *induction(left, right, general, bounds)]


def side_of(result: Expr, name: str) -> Side | None:
    """A result of one number that has one fold of numbers in it, perhaps at several places."""
    found = list(dict.fromkeys(outer_folds(result)))
    if len(found) != 1 or not isinstance(type_of(result), ScalarType):
        return None
    (fold,) = found
    if not isinstance(fold.acc.type, ScalarType) or not free_vars(fold) <= free_vars(result):  # not one number each
        return None
    acc = Var(name, fold.acc.type)

    def step(now: Expr, at: Expr) -> Expr:
        return substitute(fold.body, {fold.acc: now, fold.index: at})

    return Side(replaced(result, {fold: acc}), acc, fold.init, step, fold.extent)


def induction(left: Side, right: Side, general: dict[Expr, Expr], bounds: tuple[bool, ...]) -> Iterator[Goal]:
    """That a coupling holds before the first step, is kept, and gives the claim where there is no step."""
    extent = left.extent

    def coupled(a: Expr, b: Expr, steps: Expr) -> Expr:
        pairs = zip((left, right), (a, b), strict=True)
        terms = [substitute(replaced(each.term, general), {_STEPS: steps, each.acc: value}) for each, value in pairs]
        ranged = [value for value, wanted in zip((a, b), bounds, strict=True) if wanted]
        return conj(equal(*terms), *(conj(at_most(integer(0), value), at_most(value, steps)) for value in ranged))

    at = _STEPS
    before = coupled(left.acc, right.acc, at)
    after = coupled(left.step(left.acc, at), right.step(right.acc, at), plus(at, integer(1)))
    inside = conj(at_most(integer(0), at), less(at, extent))
    yield Goal("before the first step", coupled(left.init, right.init, integer(0)))
    yield Goal("after a step", forall((left.acc, right.acc, at), implies(conj(inside, before), after)))
    none = less(extent, integer(0))
    yield Goal("without steps", implies(none, equal(left.result(left.init), right.result(right.init))))
