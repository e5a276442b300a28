"""Nested sums in one form: factors and conditions inside, and a sum of which a condition lets one term through as that term.

Both sides of an equation come to the same form where one sums over cells and the other over where those are stored. Each step
is stated as an instance of a lemma, at fresh constants below binders: this module chooses steps, and asserts nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from metalift.ir.build import at_most, conj, conjuncts, disj, equal, in_range, less, neg
from metalift.ir.nodes import TRUE, Apply, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.polynomial import Polynomial
from metalift.ir.sums import is_zero, summand, total, wants, zero
from metalift.ir.types import INT, is_integer
from metalift.ir.walk import free_vars, fresh_var, names, subexpressions, substitute
from metalift.prove.folds import accumulator, extensionality, fusion, is_number, shift

MAX_STEPS = 300  # of one obligation


@dataclass(slots=True)
class Sums:
    """Brings sums into form; `state` takes each instance of a lemma with the lemma's name."""

    state: Callable[[str, Expr], None]
    fresh: count[int] = field(default_factory=count)
    formed: dict[Expr, Expr] = field(default_factory=dict)
    indices: list[Var] = field(default_factory=list)  # the constants for the indices of the sums around, outermost first
    places: dict[tuple[Polynomial, Polynomial], tuple[Polynomial, Polynomial]] = field(default_factory=dict)  # of flat cells
    steps: int = 0

    def form(self, expr: Expr) -> Expr:
        """What the expression equals, by the instances that were stated and by arithmetic."""
        if expr not in self.formed:
            self.formed[expr] = self._formed(expr) if self.steps < MAX_STEPS else expr
            self.formed.setdefault(self.formed[expr], self.formed[expr])
        return self.formed[expr]

    def _formed(self, expr: Expr) -> Expr:
        match expr:
            case Fold():
                return self.sum(expr) if summand(expr) is not None else expr
            case Apply(Operator.MUL, (left, right)):
                return self.product(self.form(left), self.form(right))
            case Apply(Operator.ADD | Operator.SUB | Operator.NEG as op, args) if is_number(type_of(expr)):
                return Apply(op, tuple(map(self.form, args)))
            case Ite(cond, then, other) if is_number(type_of(expr)) and is_zero(other):
                return self.guarded(self.placed(cond), self.form(then))
            case _:
                return expr

    def name(self) -> str:
        """A name for the constants of one instance."""
        self.steps += 1
        return f"s!{next(self.fresh)}"

    # Sums

    def sum(self, fold: Fold) -> Expr:
        """A sum: what it starts from apart, its terms in form, then one of the steps for the whole."""
        if not is_zero(fold.init):
            plain = Fold(fold.extent, zero(type_of(fold)), fold.acc, fold.index, fold.body)
            self.state("fold shift", shift(fold, plain, self.name()))
            return Apply(Operator.ADD, (fold.init, self.form(plain)))
        term = summand(fold)
        assert term is not None
        name = self.name()
        at = Var(f"{name}.k", INT)  # the constant of the instance of extensionality
        self.indices.append(at)
        formed = self.form(substitute(term, {fold.index: at}))
        self.indices.pop()
        if formed != substitute(term, {fold.index: at}):
            changed = total(fold.extent, fold.index, substitute(formed, {at: fold.index}), type_of(fold))
            self.state("fold extensionality", extensionality(fold, changed, name))
            fold = changed
        whole = self.whole(fold)
        self.formed[fold] = whole
        if whole == fold and any(isinstance(part, Ite) for part in subexpressions(formed)):
            self.unmoved(fold)
        return whole

    def unmoved(self, fold: Fold) -> None:
        """State that a sum is what it starts from if no step changes that: or there is a step, at a fresh constant, that does.

        Lemma `fold rest`.
        """
        index = Var(f"{self.name()}.k", INT)
        step = substitute(fold.body, {fold.acc: fold.init, fold.index: index})
        self.form(step)
        changes = conj(at_most(integer(0), index), less(index, fold.extent), neg(equal(step, fold.init)))
        self.state("fold rest", disj(changes, equal(fold, fold.init)))

    def whole(self, fold: Fold) -> Expr:
        """A sum whose terms are in form, where a condition below speaks of its index: that condition is what it is moved to."""
        term, index = summand(fold), fold.index
        assert term is not None
        if isinstance(term, Ite) and is_zero(term.other) and (outside := self.outside(fold, term.cond)):
            rest = conj(*(part for part in conjuncts(term.cond) if part not in outside))
            kept = term.then if rest == TRUE else Ite(rest, term.then, term.other)
            inner = total(fold.extent, index, kept, type_of(fold))
            self.fused(fold, inner, lambda value: Ite(conj(*outside), value, zero(type_of(fold))))
            self.formed[inner] = self.whole(inner)
            return Ite(conj(*outside), self.formed[inner], zero(type_of(fold)))
        if all(wants(part, index) is None for part in subexpressions(term)):
            return fold
        match term:
            case Ite(cond, then, other) if is_zero(other):
                if index not in free_vars(cond):
                    inner = total(fold.extent, index, then, type_of(fold))
                    formed = self.whole(inner)
                    if formed == inner:
                        return fold
                    self.fused(fold, inner, lambda value: Ite(cond, value, other))
                    return self.guarded(cond, formed)
                return self.picked(fold, cond, then)
            case Fold() if summand(term) is not None and is_zero(term.init) and index not in free_vars(term.extent):
                return self.exchanged(fold, term)
            case _:
                return fold

    def picked(self, fold: Fold, cond: Expr, then: Expr) -> Expr:
        """A sum of whose terms a condition lets one through. Lemma `sum of one`."""
        for part in conjuncts(cond):
            place = wants(part, fold.index)
            if place is not None:
                term = summand(fold)
                assert term is not None
                there = Ite(
                    conj(at_most(integer(0), place), less(place, fold.extent)),
                    substitute(term, {fold.index: place}),
                    zero(type_of(fold)),
                )
                self.name()
                self.state("sum of one", equal(fold, there))
                rest = conj(*(substitute(each, {fold.index: place}) for each in conjuncts(cond) if each != part))
                inside = self.form(substitute(then, {fold.index: place}))
                return Ite(conj(there.cond, rest), inside, there.other)
        return fold

    def exchanged(self, fold: Fold, inner: Fold) -> Expr:
        """The inner sum outside. Lemma `sums exchanged`."""
        type_ = type_of(fold)
        term = summand(inner)
        assert term is not None
        outer = fresh_var(inner.index, names(fold))
        moved = total(fold.extent, fold.index, substitute(term, {inner.index: outer}), type_)
        result = total(inner.extent, outer, moved, type_)
        self.name()
        self.state("sums exchanged", equal(fold, result))
        return self.form(result)

    # Cells of flattened arrays

    def outside(self, fold: Fold, cond: Expr) -> list[Expr]:
        """The parts of a condition in a sum that say what an index around is on which the sum's extent depends."""
        return [part for part in conjuncts(cond) if fold.index not in free_vars(part) and self.says(fold, part)]

    def says(self, value: Expr, cond: Expr) -> bool:
        """Whether a condition says what an index around a sum is, on which the extent of the sum depends."""
        around = free_vars(value.extent).intersection(self.indices) if isinstance(value, Fold) else ()
        return any(wants(part, index) is not None for part in conjuncts(cond) for index in around)

    def placed(self, cond: Expr) -> Expr:
        """The condition with i == q and x == r in the place of i*n + x == cell, where i is the index of a sum."""
        return conj(*(each for part in conjuncts(cond) for each in self.row_and_rest(part)))

    def row_and_rest(self, part: Expr) -> tuple[Expr, ...]:
        """Both equations, or the part as it is."""
        if not (isinstance(part, Apply) and part.op is Operator.EQ and is_integer(type_of(part.args[0]))):
            return (part,)
        difference = Polynomial.of(part.args[0]) - Polynomial.of(part.args[1])
        for index in self.indices:
            length = difference.coefficient(index)
            if len(length.terms) != 1 or length.is_constant or not length.free_vars.isdisjoint(self.indices):
                continue
            if length.terms[0][1] < 0:
                difference, length = -difference, -length
            if length.terms[0][1] != 1:
                continue
            left = difference - Polynomial.atom(index) * length
            moving = [(m, f) for m, f in left.terms if any(not free_vars(atom).isdisjoint(self.indices) for atom in m)]
            rest = Polynomial(tuple(moving))
            row, column = self.place(rest - left, length)
            return equal(index, row.to_expr()), equal(rest.to_expr(), column.to_expr())
        return (part,)

    def place(self, cell: Polynomial, length: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Row and column of a flat cell in rows of a length: what they are written as, or constants. Lemma `rows`."""
        row, column = cell.divide(length)
        if row.terms:
            return row, column
        if (cell, length) not in self.places:
            name = self.name()
            row, column = (Polynomial.atom(Var(f"{name}.{part}", INT)) for part in ("row", "column"))
            there = equal(cell.to_expr(), (row * length + column).to_expr())
            holds = conj(there, in_range(column.to_expr(), length.to_expr()))
            self.state("rows", disj(at_most(length.to_expr(), integer(0)), holds))
            self.places[cell, length] = row, column
        return self.places[cell, length]

    def flat(self, cell: Polynomial) -> list[Polynomial]:
        """A cell by row and column."""
        return [row * length + column for (known, length), (row, column) in self.places.items() if known == cell]

    # What is done to sums

    def product(self, left: Expr, right: Expr) -> Expr:
        """Factors inside of a sum or a condition."""
        for one, two, swapped in ((left, right, False), (right, left, True)):
            def times(value: Expr, two: Expr = two, swapped: bool = swapped) -> Expr:
                return Apply(Operator.MUL, (two, value) if swapped else (value, two))

            match one:
                case Ite(cond, then, other) if is_zero(other):
                    self.state("product inside", equal(times(one), Ite(cond, times(then), other)))
                    return Ite(cond, self.form(times(then)), other)
                case Fold() if is_zero(one.init) and (term := summand(one)) is not None:
                    index = fresh_var(one.index, names(two) | names(one))
                    result = total(one.extent, index, times(substitute(term, {one.index: index})), type_of(one))
                    name = self.fused(result, one, times)
                    acc, at = accumulator(one, f"{name}.0"), Var(f"{name}.0.k", INT)
                    added = substitute(term, {one.index: at})
                    parts = Apply(Operator.ADD, (times(acc), times(added)))
                    self.state("product inside", equal(times(Apply(Operator.ADD, (acc, added))), parts))
                    return self.form(result)
        return Apply(Operator.MUL, (left, right))

    def guarded(self, cond: Expr, value: Expr) -> Expr:
        """A condition on a value, inside of a sum."""
        if cond == TRUE:
            return value
        if self.says(value, cond):
            return Ite(cond, value, zero(type_of(value)))
        if isinstance(value, Fold) and is_zero(value.init) and (term := summand(value)) is not None:
            index = fresh_var(value.index, names(cond) | names(value))
            nothing = zero(type_of(value))
            result = total(value.extent, index, Ite(cond, substitute(term, {value.index: index}), nothing), type_of(value))
            self.fused(result, value, lambda each: Ite(cond, each, nothing))
            return self.form(result)
        return Ite(cond, value, zero(type_of(value)))

    def fused(self, fold: Fold, inner: Fold, around: Callable[[Expr], Expr]) -> str:
        """State that `fold` is `around` the inner one, with constants called after the name. Lemma `fold fusion`."""
        name = self.name()
        self.state("fold fusion", fusion(fold, inner, around, name)[0])
        return name


def is_nested(fold: Fold) -> bool:
    """Whether there may be something to bring into form: a sum of sums, or of what conditions let through."""
    term = summand(fold)
    if term is None:
        return False
    parts = list(subexpressions(term))
    inner = any(isinstance(part, Fold) and summand(part) is not None for part in parts)
    return inner or any(wants(part, fold.index) is not None for part in parts)
