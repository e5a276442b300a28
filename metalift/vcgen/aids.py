"""Lemmas and case splits that somebody gave, in obligations: neither is believed, and what is claimed stays as it was.

A lemma speaks of nothing but its own variables. That it holds is an obligation of its own without any hypothesis, by induction:
what is proved of it is proved for all values. Other obligations get instances of it. Of a split c each goal g becomes `c => g`
and `not c => g`, which are to be proved both, from the same hypotheses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, implies, neg, plus
from metalift.ir.expr.nodes import TRUE, Cast, Expr, Fold, Length, Var, integer
from metalift.ir.expr.types import INT, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, scoped_children, substitute
from metalift.ir.program.fragment import Location
from metalift.ir.program.summary import Aids, StatedLemma
from metalift.vcgen.erasure import erased
from metalift.vcgen.obligation import Goal, Obligation

INSTANCES = 16  # of one lemma in an obligation


def aided(obligations: Iterable[Obligation], aids: Aids, location: Location) -> Iterator[Obligation]:
    """That the lemmas hold, and the obligations with instances of them, their goals split."""
    lemmas = [replace(each, formula=erased(each.formula, {})) for each in aids.lemmas]
    splits = [erased(each, {}) for each in aids.splits]
    for number, lemma in enumerate(lemmas, 1):
        yield Obligation(f"lemma {number} holds", location, (), (), induction(lemma))
    for obligation in obligations:
        goals = obligation.goals
        for split in splits:
            goals = tuple(part for goal in goals for part in cases(goal, split))
        found = (each for lemma in lemmas for each in instances(lemma, obligation))
        yield replace(obligation, goals=goals, instances=tuple(dict.fromkeys(found)))


def cases(goal: Goal, split: Expr) -> tuple[Goal, Goal]:
    """The goal where the condition holds, and where it does not."""
    return (
        Goal(f"{goal.subject} where the split holds", implies(split, goal.formula)),
        Goal(f"{goal.subject} where the split does not hold", implies(neg(split), goal.formula)),
    )


def induction(lemma: StatedLemma) -> tuple[Goal, ...]:
    """Base and step for every integer: where the count is not positive, and for one more where it is not negative."""
    count = lemma.count
    if count is None:
        return (Goal("the lemma", lemma.formula),)
    following = substitute(lemma.formula, {count: plus(count, integer(1))})
    return (
        Goal("base", implies(at_most(count, integer(0)), lemma.formula)),
        Goal("step", implies(conj(at_most(integer(0), count), lemma.formula), following)),
    )


def instances(lemma: StatedLemma, obligation: Obligation) -> Iterator[Expr]:
    """The lemma for arrays and numbers of which the obligation speaks: those of its variables' names first, and for its counts
    the numbers of elements of folds.
    """
    formulas = (*(goal.formula for goal in obligation.goals), *obligation.hypotheses, *obligation.assumed)
    known = sorted({var for formula in formulas for var in free_vars(formula)}, key=lambda var: var.name)
    counts = fold_extents(formulas)
    chosen = [candidates(var, known, counts) for var in lemma.free]
    for values in islice(product(*chosen), INSTANCES):
        found = substitute(lemma.formula, dict(zip(lemma.free, values, strict=True)))
        if found != TRUE:
            yield found


def candidates(var: Var, known: Sequence[Var], counts: Sequence[Expr]) -> list[Expr]:
    """Terms of the variable's type."""
    named = sorted(known, key=lambda each: each.name != var.name)
    if var.type != INT:
        return [each for each in named if each.type == var.type]
    own = [each if each.type == INT else Cast(each, INT) for each in named if each.name == var.name and is_integer(each.type)]
    return list(dict.fromkeys((*own, *counts)))


def fold_extents(formulas: Iterable[Expr]) -> list[Expr]:
    """How many elements the folds of the formulas take that speak of no binder, each number once; then how long arrays are."""
    found: dict[Polynomial, Expr] = {}
    lengths: dict[Polynomial, Expr] = {}
    seen: set[tuple[Expr, frozenset[Var]]] = set()
    work = [(formula, frozenset[Var]()) for formula in reversed(list(formulas))]
    while work:
        expr, bound = work.pop()
        if (expr, bound) in seen:
            continue
        seen.add((expr, bound))
        match expr:
            case Fold(extent) if bound.isdisjoint(free_vars(extent)):
                found.setdefault(Polynomial.of(extent), extent)
            case Length(Var(_, TensorType())) if bound.isdisjoint(free_vars(expr)):
                lengths.setdefault(Polynomial.of(expr), expr)
        work += [(child, bound | frozenset(scope) if scope else bound) for child, scope in reversed(scoped_children(expr))]
    return list({**found, **lengths}.values())
