"""Nested sums in one form: factors and conditions inside, and a sum of which a condition lets one term through as that term.

Both sides of an equation come to the same form where one sums over cells and the other over where those are stored. Each step
is stated as an instance of a lemma, at fresh constants below binders: this module chooses steps, and asserts nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.sums import is_zero, summand, total, wants, zero
from metalift.ir.expr.build import at_most, conj, conjuncts, disj, equal, implies, in_range, less, neg
from metalift.ir.expr.nodes import TRUE, Apply, Expr, Fold, Ite, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import free_vars, fresh_var, names, subexpressions, substitute
from metalift.prove.folds import accumulator, extensionality, fusion, is_number, shift

MAX_STEPS = 300  # of one obligation
STEP = "step!"  # begins the names of the constants at which steps of sums are compared
PLACE = "rows!"  # those for rows and columns of flat cells


@dataclass(slots=True)
class Sums:
    """Brings sums into form; `state` takes each instance of a lemma with the lemma's name, `define` a sum whose value over no
    elements is to be stated.
    """

    state: Callable[[str, Expr], None]
    define: Callable[[Fold], None]
    fresh: count[int] = field(default_factory=count)
    formed: dict[Expr, Expr] = field(default_factory=dict)
    indices: list[Var] = field(default_factory=list)  # the constants for the indices of the sums around, outermost first
    places: dict[tuple[Polynomial, Polynomial], tuple[Polynomial, Polynomial]] = field(default_factory=dict)  # of flat cells
    at_rest: bool = False  # inside of a step that may change nothing
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
        return f"{STEP}{next(self.fresh)}"

    # Sums

    def sum(self, fold: Fold) -> Expr:
        """A sum: what it starts from apart, its terms in form, then one of the steps for the whole."""
        plain = self.plain(fold)
        if plain != fold:
            return self.form(plain) if is_zero(fold.init) else Apply(Operator.ADD, (fold.init, self.form(plain)))
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
        if whole == fold and any(isinstance(part, Ite) for part in subexpressions(fold)) and (self.at_rest or not in_step(fold)):
            self.unmoved(fold)
        return whole

    def plain(self, fold: Fold) -> Fold:
        """The sum from 0 on, of which each step adds a term to what was before."""
        term = summand(fold)
        assert term is not None
        if not (isinstance(fold.body, Apply) and fold.body.op is Operator.ADD):
            name = self.name()
            adding = replace(total(fold.extent, fold.index, term, type_of(fold)), init=fold.init)
            self.goes_on(substitute(fold.body, {fold.acc: accumulator(fold, name), fold.index: Var(f"{name}.k", INT)}))
            self.state("fold extensionality", extensionality(fold, adding, name))
            fold = adding
        if is_zero(fold.init):
            return fold
        start = Fold(fold.extent, zero(type_of(fold)), fold.acc, fold.index, fold.body)
        self.state("fold shift", shift(fold, start, self.name()))
        return start

    def goes_on(self, step: Expr) -> None:
        """State what a step of a sum adds, where it is a sum that goes on from what was before."""
        match step:
            case Fold() if summand(step) is not None:
                self.plain(step)
            case Ite(_, then, other):
                self.goes_on(then)
                self.goes_on(other)

    def unmoved(self, fold: Fold) -> None:
        """State that a sum is what it starts from if no step changes that: or there is a step, at a fresh constant, that does.

        Lemma `fold rest`.
        """
        index = Var(f"{self.name()}.k", INT)
        step = substitute(fold.body, {fold.acc: fold.init, fold.index: index})
        before, self.at_rest = self.at_rest, True
        self.form(step)
        self.at_rest = before
        changes = conj(at_most(integer(0), index), less(index, fold.extent), neg(equal(step, fold.init)))
        self.state("fold rest", disj(changes, equal(fold, fold.init)))

    def whole(self, fold: Fold) -> Expr:
        """A sum whose terms are in form: conditions that do not speak of its index outside, one that says what the index is used,
        a sum inside with such conditions below it outside.
        """
        term, index = summand(fold), fold.index
        assert term is not None
        match term:
            case Ite(cond, then, other) if is_zero(other):
                outside = [part for part in conjuncts(cond) if index not in free_vars(part)]
                if outside:
                    rest = conj(*(part for part in conjuncts(cond) if part not in outside))
                    inner = total(fold.extent, index, then if rest == TRUE else Ite(rest, then, other), type_of(fold))
                    self.fused(fold, inner, lambda value: Ite(conj(*outside), value, other))
                    self.formed[inner] = self.whole(inner)
                    return self.guarded(conj(*outside), self.formed[inner])
                return self.picked(fold, cond, then)
            case Apply(Operator.ADD | Operator.SUB as op, parts) if len(parts) == 2:
                left, right = (total(fold.extent, index, part, type_of(fold)) for part in parts)
                self.name()
                self.state("sum of two", equal(fold, Apply(op, (left, right))))
                return Apply(op, (self.form(left), self.form(right)))
            case Fold() if summand(term) is not None and is_zero(term.init) and index not in free_vars(term.extent):
                return self.exchanged(fold, term) if self.opens(term, index) or is_turned(fold, term) else fold
            case _:
                return fold

    def opens(self, inner: Fold, index: Var) -> bool:
        """Whether a condition below a sum says what the index of the sum around it is, or does not speak of it."""
        parts = [part for part in subexpressions(inner) if isinstance(part, Ite)]
        conditions = [cond for part in parts for cond in conjuncts(part.cond)]
        return any(wants(cond, index) is not None or index not in free_vars(cond) for cond in conditions)

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
                return self.guarded(conj(there.cond, rest), inside)
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

    def placed(self, cond: Expr) -> Expr:
        """The condition with i == q and x == r in the place of i*n + x == cell, where i is the index of a sum, or what an array
        holds at one.
        """
        return conj(*(each for part in conjuncts(cond) for each in self.row_and_rest(part)))

    def row_and_rest(self, part: Expr) -> tuple[Expr, ...]:
        """Both equations, or the part as it is."""
        if not (isinstance(part, Apply) and part.op is Operator.EQ and is_integer(type_of(part.args[0]))):
            return (part,)
        difference = Polynomial.of(part.args[0]) - Polynomial.of(part.args[1])
        read = [atom for atom in difference.atoms if isinstance(atom, Select) and not free_vars(atom).isdisjoint(self.indices)]
        rows: list[Expr] = [*self.indices, *sorted(read, key=repr)]
        for index in rows:
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
            name = f"{PLACE}{next(self.fresh)}"
            row, column = (Polynomial.atom(Var(f"{name}.{part}", INT)) for part in ("row", "column"))
            there = equal(cell.to_expr(), (row * length + column).to_expr())
            sign = implies(at_most(integer(0), cell.to_expr()), at_most(integer(0), row.to_expr()))
            holds = conj(there, in_range(column.to_expr(), length.to_expr()), sign)
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
        return self.ordered(Apply(Operator.MUL, (left, right)))

    def ordered(self, value: Expr) -> Expr:
        """A product with its factors in one order. Lemma `product order`."""
        first, *others = sorted(factors_of(value), key=repr)
        result = first
        for factor in others:
            result = Apply(Operator.MUL, (result, factor))
        if result != value:
            self.state("product order", equal(value, result))
        return result

    def guarded(self, cond: Expr, value: Expr) -> Expr:
        """A condition on a value."""
        if isinstance(value, Ite) and is_zero(value.other):
            return self.guarded(conj(cond, value.cond), value.then)
        return value if cond == TRUE else Ite(cond, value, zero(type_of(value)))

    def fused(self, fold: Fold, inner: Fold, around: Callable[[Expr], Expr]) -> str:
        """State that `fold` is `around` the inner one, with constants called after the name. Lemma `fold fusion`."""
        name = self.name()
        self.state("fold fusion", fusion(fold, inner, around, name)[0])
        self.define(fold)  # at no elements, of which the lemma says nothing
        self.define(inner)
        return name


def is_turned(fold: Fold, inner: Fold) -> bool:
    """Whether a sum of sums comes before in the order of their extents, or of their terms, when the inner one is outside."""
    term = summand(inner)
    assert term is not None
    if fold.extent != inner.extent:
        return repr(inner.extent) < repr(fold.extent)
    first, second = (Var(f"{STEP}{place}", INT) for place in ("first", "second"))
    now, then = ({fold.index: one, inner.index: other} for one, other in ((first, second), (second, first)))
    return repr(substitute(term, then)) < repr(substitute(term, now))


def factors_of(expr: Expr) -> list[Expr]:
    """The factors of a product."""
    if isinstance(expr, Apply) and expr.op is Operator.MUL:
        return [factor for arg in expr.args for factor in factors_of(arg)]
    return [expr]


def in_step(expr: Expr) -> bool:
    """Whether it speaks of a step of a sum at which lemmas compare it: what they say of it is stated with them."""
    return any(var.name.startswith(STEP) for var in free_vars(expr))


def are_parts(folds: Sequence[Fold]) -> bool:
    """Whether there are the sum of what is added or subtracted, and the sum of one of its parts."""
    at = Var(f"{STEP}part", INT)
    terms = [substitute(term, {fold.index: at}) for fold in folds if (term := summand(fold)) is not None]
    parts = {part for term in terms if isinstance(term, Apply) and term.op in (Operator.ADD, Operator.SUB) for part in term.args}
    return not parts.isdisjoint(terms)


def can_be_formed(fold: Fold) -> bool:
    """Whether there may be something to bring into form: a sum of sums, of what conditions let through, or of the cells of a
    flattened array.
    """
    term = summand(fold)
    if term is None:
        return False
    parts = list(subexpressions(term))
    inner = any(isinstance(part, Fold) and summand(part) is not None for part in parts)
    return inner or any(wants(part, fold.index) is not None or is_flat(part, fold.index) for part in parts)


def is_flat(part: Expr, index: Var) -> bool:
    """Whether it is an equation of integers with a product of unknowns, of which one speaks of the index."""
    if not (isinstance(part, Apply) and part.op is Operator.EQ and is_integer(type_of(part.args[0]))):
        return False
    products = [monomial for side in part.args for monomial, _ in Polynomial.of(side).terms if len(monomial) > 1]
    return any(index in free_vars(atom) for monomial in products for atom in monomial)
