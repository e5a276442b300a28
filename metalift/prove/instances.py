"""Which instances of universal facts to use: guided by the array cells that ground formulas speak of.

A fact about X[e(b)] is instantiated so that e(b) is a cell of X that some formula reads; e is taken apart as a polynomial, for
several binders by dividing by their coefficients (delinearisation). Nothing is asserted here but instances of stated facts,
so a bad choice can only lose a proof. What is divided by one term is taken for the index of a cell, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice, permutations, product

from metalift.ir.arith.polynomial import Polynomial, widens
from metalift.ir.arith.products import inverse
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import children, free_vars, scoped_children, subexpressions, substitute
from metalift.prove.efforts import Effort
from metalift.prove.encode import LOGICAL
from metalift.prove.extents import rounded_up, whole_blocks
from metalift.prove.indices import (
    DIVISIONS,
    Cell,
    Equations,
    Flat,
    Rows,
    alike_but_for_multiples,
    by_elements,
    defined_cells,
    division,
    mentions_all,
    multiplied,
    patterns,
    product_bounds,
    products,
    row_bound,
    rows,
    same_cell,
    solve,
)
from metalift.prove.nested_sums import PLACE
from metalift.prove.quantifiers import Clausifier, Universal
from metalift.prove.relations import Folds
from metalift.system.collecting import computed

ORDERS = frozenset({Operator.LE, Operator.LT, Operator.MIN, Operator.MAX})
SETTLED = 2  # rounds after which most sums are there that are said to be elements of arrays
MAX_PAIRS = 60  # of terms that instances are made for together
MAX_COUNTERS = 6  # that facts about counters alone are used for
FAIR = 8  # instances of each fact in a round, also where others have used up the limit


class TooLong(Exception):
    """Making instances took longer than there was time."""


@dataclass(slots=True)
class Instantiation:
    """The ground formulas of an obligation, grown by instances of its universal facts and of the folds' definitions."""

    effort: Effort
    clauses: Clausifier
    deadline: float = math.inf  # of computed(); past it there is no result, never a smaller one
    scanned: int = 0
    visited: set[tuple[Expr, frozenset[Var]]] = field(default_factory=set)
    cells: dict[str, dict[Cell, tuple[Expr, ...]]] = field(default_factory=dict)
    sides: dict[Polynomial, None] = field(default_factory=dict)
    compared: dict[Polynomial, None] = field(default_factory=dict)  # what is compared, where it has products
    counters: dict[Var, None] = field(default_factory=dict)  # integers without bound that are compared by themselves
    made: set[tuple[int, tuple[Polynomial, ...]]] = field(default_factory=set)
    wraps: bool = False
    products: dict[Expr, dict[Expr, None]] = field(default_factory=dict)
    ordered: set[tuple[Expr, Expr, Expr]] = field(default_factory=set)
    bounded: set[frozenset[Expr]] = field(default_factory=set)
    row_lengths: set[Expr] = field(default_factory=set)  # what indices of array reads multiply with; if empty, not known
    sums: dict[Polynomial, None] = field(default_factory=dict)  # row lengths of several terms, as `w + 1`
    read: int = 0  # universal facts whose array reads were looked at
    flattened: dict[Polynomial, dict[Polynomial, Flat]] = field(default_factory=dict)
    equal: Equations = field(default_factory=Equations)
    separated: set[tuple[Polynomial, frozenset[Polynomial]]] = field(default_factory=set)
    stated: set[int] = field(default_factory=set)  # ground formulas that lemmas on indices gave: nothing new is read in them
    rounded: set[Expr] = field(default_factory=set)  # sizes in whole blocks
    divided: dict[tuple[Operator, Expr], dict[Polynomial, None]] = field(default_factory=dict)  # by what, and how
    related: set[tuple[Operator, Expr, Polynomial, Polynomial]] = field(default_factory=set)  # of what is divided
    lemmas: set[str] = field(default_factory=set)
    folds: Folds = field(init=False)

    def __post_init__(self) -> None:
        """The folds are found by the same scan as everything else."""
        self.folds = Folds(self.clauses, self.lemmas, self.scan, self.in_time)

    def run(self) -> list[Expr]:
        """All ground formulas after the rounds."""
        for number in range(self.effort.rounds):
            before = len(self.clauses.ground)
            self.scan()
            if not self.about_folds(number):
                break
            self.instances()
            self.separate()
            self.order_rows()
            self.order_products()
            self.relate_quotients()
            if self.effort.by_constants:
                self.bound_products()
            waits = self.effort.multiply_sums and number < SETTLED
            if (len(self.clauses.ground) == before and not waits) or len(self.made) > self.effort.limit:
                break
        return self.clauses.ground

    def about_folds(self, number: int) -> bool:
        """What a round says of folds; whether it is worth while to go on."""
        if self.effort.steps_only:
            self.folds.match()
        elif self.effort.form_sums:
            self.folds.form()
        elif self.effort.gathered:
            return self.folds.gather()
        elif not self.effort.multiply_sums:
            self.folds.unfold()
            self.folds.bound()
        elif number >= SETTLED:
            self.folds.multiply()
        if self.effort.searches:
            self.folds.search()
        if self.effort.opposite and not self.folds.oppose():
            return False
        if self.effort.compare_folds:
            self.folds.compare(shorter=self.effort.compare_shorter)
        return True

    def in_time(self) -> None:
        """Raises TooLong past the deadline."""
        if computed() > self.deadline:
            raise TooLong

    def each_in_time(self, formulas: Iterable[Expr]) -> Iterator[Expr]:
        """The formulas, each once. Raises TooLong past the deadline."""
        for formula in dict.fromkeys(formulas):
            self.in_time()
            yield formula

    # What the ground formulas speak of

    def scan(self) -> None:
        """Collect array cells, sides of integer equations, and folds of the formulas not yet seen."""
        while self.scanned < len(self.clauses.ground):
            if self.scanned not in self.stated:
                self.visit(self.clauses.ground[self.scanned], frozenset())
            self.scanned += 1
        while self.read < len(self.clauses.universals):
            fact = self.clauses.universals[self.read]
            for part in subexpressions(fact.body):
                self.note_row_lengths(part)
            for _, cell in patterns(fact):
                for index in cell:
                    self.note_sums(Polynomial.of(index), fact.binders)
            self.read += 1

    def visit(self, expr: Expr, bound: frozenset[Var]) -> None:
        """Note what an expression speaks of, where it occurs first."""
        if (expr, bound) not in self.visited:
            self.visited.add((expr, bound))
            self.note(expr, not bound or free_vars(expr).isdisjoint(bound))
            for child, scope in scoped_children(expr):
                self.visit(child, bound | frozenset(scope) if scope else bound)

    def note(self, expr: Expr, closed: bool) -> None:  # of one node; `closed`: none of its variables is a binder
        self.note_row_lengths(expr)
        match expr:
            case Select(Var(name), cell) if closed:
                for wanted in {cell, tuple(map(self.unwrapped, cell))}:
                    self.cells.setdefault(name, {}).setdefault(tuple(map(Polynomial.of, wanted)), wanted)
            case Apply(Operator.EQ, (left, right)) if closed:
                self.note_equation(left, right)
            case Apply(op, (left, right)) if op in ORDERS and closed and is_integer(type_of(left)):
                self.note_compared(left, right)
            case Fold() if closed:
                self.folds.found.setdefault(expr, False)
            case Apply(Operator.DIV, (Fold() as fold, divisor)) if closed:
                self.folds.quotients.setdefault((fold, inverse(divisor)))
        if closed and expr not in self.rounded and (blocks := rounded_up(expr)) is not None:
            self.rounded.add(expr)
            self.lemmas.add("whole blocks")
            self.clauses.add(whole_blocks(*blocks, expr))
        if closed and isinstance(expr, Apply) and any(isinstance(arg, Fold) for arg in expr.args):
            self.folds.note_beside(expr)
        if closed and isinstance(expr, Apply | Cast | Select):
            self.note_products(expr)
            self.note_division(expr)

    def unwrapped(self, index: Expr) -> Expr:
        """An index without conversions that may wrap: a cell that is read if none does."""
        while isinstance(index, Cast) and is_integer(type_of(index.arg)):
            self.wraps = self.wraps or not widens(type_of(index.arg), index.type)
            index = index.arg
        return index

    def note_row_lengths(self, expr: Expr) -> None:
        """Remember what may be row lengths: atoms of products in the indices of an array read."""
        for index in expr.indices if isinstance(expr, Select) else ():
            inside = (each.arg for each in subexpressions(index) if isinstance(each, Cast) and is_integer(type_of(each.arg)))
            for whole in (index, *inside):
                self.row_lengths |= multiplied(Polynomial.of(whole))

    def note_equation(self, left: Expr, right: Expr) -> None:
        """Remember the sides of an equation."""
        if is_integer(type_of(left)):
            self.equal.note(Polynomial.of(left), Polynomial.of(right))
        for side, other in ((left, right), (right, left)):
            if is_integer(type_of(left)) and not isinstance(side, Const):
                self.sides.setdefault(Polynomial.of(side))
                self.note_sums(Polynomial.of(side), witnesses(side))
            self.folds.note_equation(side, other)

    def note_compared(self, *sides: Expr) -> None:
        """Remember what is compared, where it has products."""
        for side in sides:
            if isinstance(side, Var) and side.type == INT:
                self.counters.setdefault(side)
        for side in sides:
            if products(Polynomial.of(side)):
                self.compared.setdefault(Polynomial.of(side))
                self.note_sums(Polynomial.of(side), witnesses(side))

    def note_sums(self, index: Polynomial, moving: Iterable[Var]) -> None:
        """Remember row lengths that are sums: what a binder, or the constant in its place, is multiplied with in an index."""
        affine = index.affine_in(moving)
        for length in affine[0].values() if affine else ():
            if len(length.terms) > 1:
                self.sums.setdefault(length)

    def note_division(self, expr: Expr) -> None:
        """What is divided by a term, as the cell of an array of that term's."""
        match expr:
            case Apply(op, (dividend, divisor)) if op in DIVISIONS:
                known = self.cells.setdefault(division(op, divisor), {})
                for index in (dividend, self.unwrapped(dividend)):
                    known.setdefault((Polynomial.of(index),), (index,))
                self.divided.setdefault((op, divisor), {}).setdefault(Polynomial.of(dividend))

    def note_products(self, expr: Expr) -> None:
        """Products of two unknowns in the integer operands of a node."""
        for operand in children(expr):
            if not is_integer(type_of(operand)):
                continue
            for monomial, _ in Polynomial.of(operand).terms:
                if len(monomial) == 2:
                    one, two = monomial
                    self.products.setdefault(one, {})[two] = None
                    self.products.setdefault(two, {})[one] = None

    def order_rows(self) -> None:
        """What is compared, as rows of a length and a rest: the rows are ordered as their numbers are. Lemma `row bound`."""
        found = Rows(self.every_divisor if self.effort.combine else self.divisors)
        alone = [] if self.effort.combine else [index for index in self.compared if len(index.terms) == 1]
        for index in self.compared:
            if index not in alone:
                found.divide(index)
        for index in alone:
            found.divide_alike(index)
        for length, numbers in found.numbers.items():
            apart = ((one, [two for two in numbers if not (two - one).is_constant]) for one in numbers)
            pairs = ((one, two) for one, others in apart for two in others or [one])  # one alone may be below 0
            for one, two in islice(pairs, MAX_PAIRS):
                key = (length.to_expr(), one.to_expr(), two.to_expr())
                if key not in self.ordered:
                    self.ordered.add(key)
                    self.state("row bound", row_bound(length, one, two))

    def order_products(self) -> None:
        """Products with a common factor are ordered as their other factors are, and 0 is. Lemma `row bound`."""
        nothing = integer(0)
        pairs = ((factor, *pair) for factor, others in self.products.items() for pair in permutations(others, 2))
        alone = ((factor, nothing, other) for factor, others in self.products.items() for other in others)
        for key in (*islice(alone, MAX_PAIRS), *islice(pairs, MAX_PAIRS)):
            if key not in self.ordered:
                self.ordered.add(key)
                self.state("row bound", row_bound(*map(Polynomial.of, key)))

    def bound_products(self) -> None:
        """How large products are of numbers of which it is known how large they are. Lemma `product bounds`."""
        pairs = dict.fromkeys(frozenset((one, two)) for one, others in self.products.items() for two in others)
        for pair in [pair for pair in islice(pairs, MAX_PAIRS) if pair not in self.bounded]:
            self.bounded.add(pair)
            one, two = sorted(pair, key=repr) if len(pair) == 2 else (*pair, *pair)
            if (instance := product_bounds(one, two)) is not None:
                self.state("product bounds", instance)

    def relate_quotients(self) -> None:
        """Quotients of integers that differ by a multiple of the divisor. Lemma `quotient`."""
        for (op, divisor), dividends in self.divided.items():
            for pair in islice(combinations(dividends, 2), MAX_PAIRS):
                key = (op, divisor, *pair)
                if key not in self.related:
                    self.related.add(key)
                    if (instance := alike_but_for_multiples(op, *pair, divisor)) is not None:
                        self.state("quotient", instance)

    def state(self, lemma: str, instance: Expr) -> None:
        """Assert an instance of a lemma on indices."""
        self.lemmas.add(lemma)
        before = len(self.clauses.ground)
        self.clauses.add(instance)
        self.stated.update(range(before, len(self.clauses.ground)))

    # Indices of several dimensions

    def separate(self) -> None:
        """Two cells C*q + r with 0 <= r < C are the same only if q and r are. Lemma `delinearisation`."""
        todo = list(self.sides)
        while todo:
            index = todo.pop(0)
            for divisor in self.divisors(index):
                known = self.flattened.setdefault(divisor, {})
                self.in_time()
                if index not in known:
                    known[index] = flat = rows(index, divisor)
                    if products(flat[1]):  # of three axes and more
                        todo.append(flat[1])
        while any([self.separate_by(*each) for each in self.flattened.items()]):
            self.in_time()

    def separate_by(self, divisor: Polynomial, known: dict[Polynomial, Flat]) -> bool:
        """State the lemma for indices that are said to be equal; whether more are, then: their rows."""
        more = False
        for index, flat in known.items():
            for other in self.equal.near(index, known, every=self.effort.combine):
                pair = (divisor, frozenset((index, other)))
                if other != index and pair not in self.separated and known[other][1] != flat[1]:  # of one row, it says nothing
                    self.separated.add(pair)
                    self.state("delinearisation", same_cell(divisor, flat, known[other]))
                    more = self.equal.note(flat[1], known[other][1]) or more
        return more

    def every_divisor(self, index: Polynomial) -> list[Polynomial]:
        """What may be a row length in an index."""
        return [*self.sums, *map(Polynomial.atom, self.lengths(index))]

    def divisors(self, index: Polynomial) -> list[Polynomial]:
        """What may be the row length in an index: sums that divide its products, or else factors of them; where some divide all
        of its products, as the last length does in rows of rows, only those.
        """
        sums = [each for each in self.sums if products(index.divide(each)[1]) < products(index)]
        found = sums or [Polynomial.atom(atom) for atom in self.lengths(index)]
        return [each for each in found if not products(index.divide(each)[1])] or found

    def lengths(self, index: Polynomial) -> list[Expr]:
        """The factors of products in an index that may be row lengths; all where no array is read so."""
        return sorted(filter(self.may_be_length, multiplied(index)), key=repr)

    def may_be_length(self, atom: Expr) -> bool:
        """Whether a factor of an index may be a row length; where no array is read so, all but constants in place of binders."""
        if self.row_lengths:
            return atom in self.row_lengths
        return not (isinstance(atom, Var) and LOGICAL in atom.name)

    # Universal facts

    def instances(self) -> None:
        """One round of instances."""
        self.scan()
        facts = list(enumerate(self.clauses.universals))
        for position, fact in facts:
            self.in_time()
            own = 0
            for values in self.candidates(fact):
                key = (position, values)
                if self.effort.known_cells and not self.occur(fact, values):
                    continue
                if key not in self.made and (len(self.made) <= self.effort.limit or own < FAIR):
                    own += 1
                    self.made.add(key)
                    self.clauses.instantiate(fact, tuple(value.to_expr() for value in values))

    def occur(self, fact: Universal, values: tuple[Polynomial, ...]) -> bool:
        """Whether the cells, speaking of all binders, that a fact compares occur; one that defines a cell may bring in others."""
        if defined_cells(fact):
            return True
        there = dict(zip(fact.binders, (value.to_expr() for value in values), strict=True))
        cells = [(name, cell) for name, cell in patterns(fact) if name and mentions_all(cell, fact.binders)]
        found = (tuple(Polynomial.of(substitute(index, there)) for index in cell) for _, cell in cells)
        return all(cell in self.cells.get(name, ()) for (name, _), cell in zip(cells, found, strict=True))

    def candidates(self, fact: Universal) -> Iterator[tuple[Polynomial, ...]]:
        """Values for the binders that make one of the fact's cells a cell that occurs; facts about other types have none."""
        if any(binder.type != INT for binder in fact.binders):
            return
        found = patterns(fact)
        if not found:  # it compares what it computes of its binders: these are counters that are compared
            yield from islice(permutations(self.latest_counters(), len(fact.binders)), MAX_PAIRS)
        defined = defined_cells(fact) if self.effort.defined_only and not self.folds.found_by_search else frozenset()
        if defined:
            found = [(name, cell) for name, cell in found if not name or (name, cell) in defined]
        if not any(mentions_all(cell, fact.binders) for _, cell in found):
            yield from self.by_equations(fact, [side for name, (side, *_) in found if not name])
            yield from self.by_cells(fact, [(name, cell) for name, cell in found if name])
        for name, cell in found:
            known: Iterable[Cell] = list(self.cells.get(name, ())) if name else [(side,) for side in self.all_indices()]
            for wanted in [each for read in known for each in self.by_rows(read, cell, fact.binders)]:
                values = solve(fact.binders, cell, wanted)
                if values is not None:
                    yield values
                elif name:
                    yield from by_elements(fact.binders, cell, wanted)
        if self.effort.combine and len(fact.binders) <= 3:
            pool = self.index_terms()
            yield from product(pool, repeat=len(fact.binders))

    def by_rows(self, read: Cell, pattern: tuple[Expr, ...], binders: tuple[Var, ...]) -> list[Cell]:
        """A cell that occurs; by row and column where these are known, for a pattern that has rows."""
        wanted = Polynomial.of(pattern[0])
        if len(read) != 1 or not products(wanted):
            return [read]
        if self.effort.by_row and is_constant(read[0]):
            for length in self.divisors(wanted):
                if length.free_vars.isdisjoint(binders):
                    self.folds.sums.place(read[0], length)
        return [(each,) for each in self.folds.sums.flat(read[0])] or [read]

    def by_equations(self, fact: Universal, sides: list[Expr]) -> Iterator[tuple[Polynomial, ...]]:
        """Values for binders of which each equation mentions some only, those of one axis of an array."""
        values: dict[tuple[Var, ...], list[tuple[Polynomial, ...]]] = {}
        missing = list(fact.binders)
        for side in sides:
            mine = tuple(binder for binder in fact.binders if binder in free_vars(side))
            if all(binder in missing for binder in mine):
                found = (solve(mine, (side,), (wanted,)) for wanted in self.all_indices())
                values[mine] = list(dict.fromkeys(each for each in found if each is not None))
                missing = [binder for binder in missing if binder not in mine]
        if missing:
            return
        for choice in islice(product(*values.values()), MAX_PAIRS):
            together = {var: one for mine, each in zip(values, choice, strict=True) for var, one in zip(mine, each, strict=True)}
            yield tuple(together[binder] for binder in fact.binders)

    def by_cells(self, fact: Universal, found: list[tuple[str, tuple[Expr, ...]]]) -> Iterator[tuple[Polynomial, ...]]:
        """Values for binders of which each cell mentions some only: an order between any two elements of an array."""
        values: dict[Var, list[Polynomial]] = {}
        for name, cell in found:
            mine = tuple(binder for binder in fact.binders if any(binder in free_vars(index) for index in cell))
            for wanted in self.cells.get(name, ()):
                for binder, value in zip(mine, solve(mine, cell, wanted) or (), strict=False):
                    if value not in values.setdefault(binder, []):
                        values[binder].append(value)
        pool = list(dict.fromkeys((*self.index_terms(), *self.latest_counters()))) if len(values) < len(fact.binders) else []
        yield from islice(product(*(values.get(binder) or pool for binder in fact.binders)), MAX_PAIRS)

    def all_indices(self) -> list[Polynomial]:
        """Sides of equations and all indices of reads."""
        found = dict(self.sides)
        for cells in self.cells.values():
            for cell in cells:
                found.update(dict.fromkeys(cell))
        return list(found)

    def latest_counters(self) -> list[Polynomial]:
        """Integers without bound that are compared by themselves, the last ones first."""
        return list(islice(map(Polynomial.atom, reversed(self.counters)), MAX_COUNTERS))

    def index_terms(self) -> list[Polynomial]:
        """The variables that occur in indices, or where indices are compared, converted or not."""
        found: dict[Polynomial, None] = {}
        for poly in (*self.compared, *self.all_indices()):
            for atom in map(self.unwrapped, sorted(poly.atoms, key=repr)):
                if isinstance(atom, Var):
                    found.setdefault(Polynomial.atom(atom))
        return list(found)[:8]


def is_constant(index: Polynomial) -> bool:
    """Whether it is a constant in place of a binder, and none that is a row or column already."""
    match index.terms:
        case (((Var(name),), 1),):
            return LOGICAL in name and not name.startswith(PLACE)
        case _:
            return False


def witnesses(expr: Expr) -> list[Var]:
    """The constants in place of binders."""
    return sorted((var for var in free_vars(expr) if LOGICAL in var.name), key=lambda var: var.name)
