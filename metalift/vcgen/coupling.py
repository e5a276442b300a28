"""Equality of two numbers that folds compute, by induction on the steps of both.

The folds of both sides go on side by side. A coupling relates their accumulators after k rounds: the claim itself with k in the
place of the number of rounds, and where accumulators are integers perhaps that they are at least 0 and at most k, as indices are.
It holds before the first round, and each round keeps it. In a round a fold makes one step, or as many as another one's loop takes
together: lanes of four go on with four steps of a plain sum. What folds have done before the first round is a claim of its own,
proved in the same way: that of a loop over the rest is about the lanes that it starts from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, conjuncts, equal, forall, implies, less, neg, plus
from metalift.ir.expr.nodes import TRUE, Apply, Const, Expr, Fold, Forall, Ite, Item, MakeTuple, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, ScalarType, is_integer
from metalift.ir.expr.walk import binders_of, children, free_vars, map_children, subexpressions, substitute, with_extent
from metalift.vcgen.obligation import Goal

_ROUND = "round!k"
_STAGES = 3  # loops one after the other
_TOGETHER = 16  # steps in a round


@dataclass(frozen=True, slots=True)
class Moving:
    """A fold that makes `steps` steps in each round, after those it has made `before` the first one.

    `acc` stands for its value after some rounds; `after` the last one it has so many steps left at most.
    """

    fold: Fold
    steps: int
    before: Expr
    acc: Var
    after: int = 0

    def done(self, rounds: Expr) -> Expr:
        """The steps made after so many rounds; less than 0 is none."""
        return (Polynomial.of(rounds) * self.steps + Polynomial.of(self.before)).to_expr()

    def going_on(self, done: Expr, steps: int) -> Expr:
        """The value after further steps, though not more than there are in all."""
        value: Expr = self.acc
        begun = (Polynomial.of(self.before).constant_value or 0) >= 0 and Polynomial.of(self.before).is_constant
        for at in (plus(done, integer(more)) for more in range(steps)):
            step = substitute(self.fold.body, {self.fold.acc: value, self.fold.index: at})
            cond = conj(*([] if begun else [at_most(integer(0), at)]), *([less(at, self.fold.extent)] if self.after else []))
            value = step if cond == TRUE else Ite(cond, step, value)
        return value

    @property
    def started(self) -> Expr:
        """The fold before the first round, step by step where these are few."""
        known = 0 if self.after else Polynomial.of(self.before).constant_value
        if known is None or known > _TOGETHER:
            return with_extent(self.fold, self.before)
        value = self.fold.init
        for at in map(integer, range(known)):
            value = substitute(self.fold.body, {self.fold.acc: value, self.fold.index: at})
        return value


def couplings(formula: Expr) -> list[list[Goal]]:
    """Lists of goals of which each suffices for an equality, likely ones first; none where no folds are in it."""
    apart = separated(formula)
    binders, conds, claim = opened(apart)
    found = [[Goal("each fold by itself", apart)]] if apart != formula else []
    if isinstance(claim, Apply) and claim.op is Operator.EQ and isinstance(type_of(claim.args[0]), ScalarType):
        for bounded in (True, False):
            made = list(_induction(binders, conds, claim, bounded, _STAGES))
            if len(made) > 1 and made not in found:
                found.append(made)
    return found


def opened(formula: Expr) -> tuple[tuple[Var, ...], tuple[Expr, ...], Expr]:
    """A formula as binders, conditions, and what holds for all of them where the conditions do."""
    match formula:
        case Forall(binders, body):
            more, conds, claim = opened(body)
            return (*binders, *more), conds, claim
        case Apply(Operator.OR, (*others, conclusion)):
            return (), tuple(map(neg, others)), conclusion
        case _:
            return (), (), formula


def _induction(binders: tuple[Var, ...], conds: tuple[Expr, ...], claim: Expr, bounded: bool, stages: int) -> Iterator[Goal]:
    """The goals of an induction, of those for what comes before it, and in the end the claim that is left."""

    def closed(formula: Expr, *more: Expr, also: Sequence[Var] = ()) -> Expr:
        return forall((*binders, *also), implies(conj(*conds, *more), formula))

    found = moving(claim) if stages else None
    if found is None:
        yield Goal("before the first step", closed(claim))
        return
    extent, movers = found
    at, accs, none = Var(f"{_ROUND}{stages}", INT), [each.acc for each in movers], at_most(integer(0), extent)
    general = {each.fold.extent: each.done(at) for each in movers if Polynomial.of(each.before).is_constant}
    rest = any(each.after for each in movers)
    kept = shortest(claim) if rest else claim

    def coupled(rounds: Expr, values: dict[Var, Expr]) -> Expr:
        whole = replaced(kept, {**general, **{each.fold: each.acc for each in movers}})
        ranged = [
            conj(at_most(integer(0), each.acc), at_most(each.acc, each.done(at)))
            for each in movers
            if bounded and is_integer(each.acc.type) and each.before == integer(0)
        ]
        return substitute(conj(whole, *ranged), {**values, at: rounds})

    unmoved = [implies(at_most(each.done(at), integer(0)), equal(each.acc, each.fold.init)) for each in movers]
    following = coupled(plus(at, integer(1)), {each.acc: each.going_on(each.done(at), each.steps) for each in movers})
    inside = (at_most(integer(0), at), less(at, extent))
    yield Goal("after a step", closed(following, *inside, coupled(at, {}), *unmoved, also=(*accs, at)))
    still: dict[Expr, Expr] = {each.fold: each.fold.init for each in movers if each.fold.extent == extent}
    yield Goal("without steps", closed(replaced(claim, still), less(extent, integer(0))))
    if rest:
        ended: dict[Expr, Expr] = {each.fold: each.going_on(each.done(extent), each.after) for each in movers}
        yield Goal("after the last step", closed(replaced(claim, ended), none, coupled(extent, {}), also=accs))
    for each in movers if rest else ():
        left = (Polynomial.of(each.fold.extent) - Polynomial.of(each.done(extent))).to_expr()
        yield Goal("steps that are left", closed(at_most(left, integer(each.after)), none))
    first = coupled(integer(0), {each.acc: each.started for each in movers})
    for part in conjuncts(first):
        yield from _induction(binders, (*conds, none), part, bounded, stages - 1)


def moving(claim: Expr) -> tuple[Expr, list[Moving]] | None:
    """How many rounds there are, and the folds that go on in each; None where it is not seen how folds go on side by side."""
    sides = [list(dict.fromkeys(outermost(side))) for side in children(claim)]
    folds = [fold for side in sides for fold in side]
    known = free_vars(claim)
    if not folds or any(not isinstance(fold.acc.type, ScalarType) or not free_vars(fold) <= known for fold in folds):
        return None
    slowest = min(folds, key=lambda fold: (not outermost(fold.init), _together(fold) == 1, _length(fold, folds)))
    extent = slowest.extent
    found: list[Moving] = []
    mine = next(side for side in sides if slowest in side)
    for fold in folds:
        acc = Var(f"acc!{len(found)}{_ROUND}", fold.acc.type)
        if Polynomial.of(fold.extent) == Polynomial.of(extent):
            found.append(Moving(fold, 1, integer(0), acc))
        elif fold not in mine:
            steps = _together(slowest)
            before = Polynomial.of(fold.extent) - Polynomial.of(extent) * steps
            if steps == 1 or before.is_constant:
                found.append(Moving(fold, steps, before.to_expr(), acc))
            else:
                none = Apply(Operator.MIN, (before.to_expr(), integer(0)))
                found.append(Moving(fold, steps, none, acc, steps - 1))
    return extent, found


def _together(fold: Fold) -> int:
    """How many steps of another fold one step may be: what the number of steps is divided by."""
    for atom in Polynomial.of(fold.extent).atoms:
        match atom:
            case Apply(Operator.FDIV, (_, Const(by, _))) if isinstance(by, int) and 1 < by <= _TOGETHER:
                return by
    return 1


def _length(fold: Fold, folds: Sequence[Fold]) -> int:
    """How much longer it is than others, as far as that is a number."""
    gaps = (Polynomial.of(fold.extent) - Polynomial.of(other.extent) for other in folds)
    return max((gap.constant_value or 0 for gap in gaps), default=0)


def shortest(term: Expr) -> Expr:
    """The claim without what is done under a condition after loops."""
    match term:
        case Fold():
            return term
        case Ite(_, then, other):
            return shortest(min(then, other, key=lambda way: sum(1 for _ in subexpressions(way))))
        case _:
            return map_children(shortest, term)


def outermost(expr: Expr) -> list[Fold]:
    """The folds in an expression that are under no binder, and so in no other one."""
    if binders_of(expr):
        return [expr] if isinstance(expr, Fold) else []
    return [fold for child in children(expr) for fold in outermost(child)]


def replaced(term: Expr, parts: dict[Expr, Expr]) -> Expr:
    """The term with values in the place of parts, but for those under binders, where names may stand for something else."""
    if term in parts or binders_of(term):
        return parts.get(term, term)
    return map_children(lambda child: replaced(child, parts), term)


def separated(term: Expr) -> Expr:
    """The term with an item of a fold as a fold of its own, those that it depends on as folds within it."""
    term = map_children(separated, term)
    match term:
        case Item(Fold(extent, MakeTuple(starts), acc, index, MakeTuple(bodies)), position):
            alone = _alone(starts, acc, index, bodies, position, frozenset())
            return term if alone is None else Fold(extent, *alone)
        case _:
            return term


def _alone(
    starts: tuple[Expr, ...], acc: Var, index: Var, bodies: tuple[Expr, ...], position: int, above: frozenset[int]
) -> tuple[Expr, Var, Var, Expr] | None:
    """One item's start, accumulator, index and step; None where items depend on each other in turn."""
    used = {place for place in range(len(starts)) if place != position and _uses(bodies[position], Item(acc, place))}
    own = Var(f"{acc.name}.{position}", type_of(starts[position]))
    items: dict[Expr, Expr] = {Item(acc, position): own}
    for place in used:
        alone = None if place in above else _alone(starts, acc, index, bodies, place, above | {position})
        if alone is None:
            return None
        start, inner, at, body = alone
        within = Var(f"{at.name}.{place}", at.type)
        items[Item(acc, place)] = Fold(index, start, inner, within, substitute(body, {at: within}))
    step = replaced(bodies[position], items)
    return None if acc in free_vars(step) else (starts[position], own, index, step)


def _uses(expr: Expr, part: Expr) -> bool:
    return expr == part or any(_uses(child, part) for child in children(expr))
