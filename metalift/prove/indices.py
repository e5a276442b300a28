"""Indices as rows of a length and a rest: instances of the lemmas about them, and the values of binders that lead to a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial, strip_casts
from metalift.ir.expr.build import at_most, conj, disj, equal, implies, in_range, less
from metalift.ir.expr.nodes import Apply, Expr, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import free_vars, scoped_children, subexpressions, substitute
from metalift.prove.encode import VERSION
from metalift.prove.quantifiers import Universal

Cell = tuple[Polynomial, ...]
Flat = tuple[Polynomial, Polynomial, Polynomial]  # an index, and its quotient and remainder by a stride
DIVISIONS = frozenset({Operator.TDIV, Operator.FDIV, Operator.TREM, Operator.FMOD})


def rows(index: Polynomial, length: Polynomial) -> Flat:
    """The index, its row and its place in the row, where rows have this length; from its end where the index falls."""
    quotient, remainder = index.divide(length)
    falling = bool(remainder.terms) and all(factor < 0 for _, factor in remainder.terms)
    return (index, quotient - 1, remainder + length) if falling else (index, quotient, remainder)


def multiplied(index: Polynomial) -> set[Expr]:
    """The atoms of an index that stand in a product of unknowns."""
    return {atom for monomial, _ in index.terms if len(monomial) > 1 for atom in monomial}


def products(index: Polynomial) -> int:
    """How many products of unknowns an index has."""
    return sum(len(monomial) > 1 for monomial, _ in index.terms)


def row_bound(c: Polynomial, q: Polynomial, p: Polynomial) -> Expr:
    """The instance of the lemma; that rows are the same is said where their numbers are of rows themselves."""
    zero = integer(0)
    least = implies(at_most(zero, c.to_expr()), implies(at_most(zero, q.to_expr()), at_most(zero, (c * q).to_expr())))
    below = conj(at_most(zero, c.to_expr()), less(q.to_expr(), p.to_expr()))
    parts = [least, implies(below, at_most((c * q + c).to_expr(), (c * p).to_expr()))]
    if products(q) and products(p):
        parts.append(implies(equal(q.to_expr(), p.to_expr()), equal((c * q).to_expr(), (c * p).to_expr())))
    return conj(*parts)


def product_bounds(one: Expr, two: Expr) -> Expr | None:
    """How large the product of two integers is, where both are known to lie between numbers; None where they are not."""
    ranges = [(each, interval(each)) for each in (one, two)]
    (a, of_one), (b, of_two) = ranges
    if None in (of_one.low, of_one.high, of_two.low, of_two.high):
        return None
    inside = [
        conj(at_most(integer(known.low), each), at_most(each, integer(known.high)))
        for each, known in ranges
        if known.low is not None and known.high is not None
    ]
    x, y = Polynomial.atom(a), Polynomial.atom(b)
    parts = []
    for c, d in product((of_one.low, of_one.high), (of_two.low, of_two.high)):
        assert c is not None and d is not None
        edge = (y * c + x * d - c * d).to_expr()
        same = (c == of_one.low) == (d == of_two.low)
        parts.append(at_most(edge, (x * y).to_expr()) if same else at_most((x * y).to_expr(), edge))
    return implies(conj(*inside), conj(*parts))


def alike_but_for_multiples(op: Operator, n: Polynomial, a: Polynomial, divisor: Expr) -> Expr | None:
    """What is known of the quotients or remainders, rounded down, of two integers that differ by a multiple of the divisor.

    None where they do not, or where this is of a constant divisor, which solvers know. Lemma `quotient`.
    """
    b = Polynomial.of(divisor)
    if op not in (Operator.FDIV, Operator.FMOD) or not b.terms or b.is_constant:
        return None
    q, rest = (n - a).divide(b)
    if rest.terms or not q.terms:
        return None
    one, other = (Polynomial.atom(Apply(Operator.FDIV, (each.to_expr(), divisor))) for each in (n, a))
    same = equal(one.to_expr(), (q + other).to_expr())
    parts = []
    for sign, stated in ((1, at_most(integer(1), divisor)), (-1, at_most(divisor, integer(-1)))):
        found = [*within(a, b, other, sign), implies(conj(*within(n, b, q + other, sign)), same)]
        parts.append(implies(stated, conj(*found)))
    if op is Operator.FMOD:
        remainders = (Apply(op, (each.to_expr(), divisor)) for each in (n, a))
        exact = ((n - b * one).to_expr(), (a - b * other).to_expr())
        parts += [disj(equal(divisor, integer(0)), equal(*each)) for each in zip(remainders, exact, strict=True)]
    return conj(*parts)


def within(n: Polynomial, b: Polynomial, d: Polynomial, sign: int) -> tuple[Expr, Expr]:
    """That n is at least b*d, and less than one b more; at most, and more, where the sign of b is -1."""
    low, value, high = ((each * sign).to_expr() for each in (b * d, n, b * d + b))
    return at_most(low, value), less(value, high)


@lru_cache(maxsize=1 << 14)
def same_cell(stride: Polynomial, one: Flat, two: Flat) -> Expr:
    """The instance of the lemma for two indices."""
    extent = stride.to_expr()
    inside = [in_range(flat[2].to_expr(), extent) for flat in (one, two)]
    same = [equal(a.to_expr(), b.to_expr()) for a, b in zip(one, two, strict=True)]
    return implies(conj(*inside, same[0]), conj(same[1], same[2]))


@dataclass(slots=True)
class Equations:
    """Which integers formulas say, somewhere, to be equal."""

    found: dict[Polynomial, dict[Polynomial, None]] = field(default_factory=dict)

    def note(self, one: Polynomial, two: Polynomial) -> bool:
        """Add an equation; whether it is new."""
        if two in self.found.setdefault(one, {}):
            return False
        self.found[one][two] = self.found.setdefault(two, {})[one] = None
        return True

    def near(self, index: Polynomial, flat: Mapping[Polynomial, Flat], *, every: bool) -> list[Polynomial]:
        """Those of the `flat` indices that are said to equal this one, or what it is said to equal that is no such index; or
        `every` one.
        """
        if every:
            return list(flat)
        seen, todo, near = {index}, [index], []
        while todo:
            for other in self.found.get(todo.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    if other in flat and flat[other][1].terms:
                        near.append(other)
                    else:
                        todo.append(other)
        return near


@dataclass(frozen=True, slots=True)
class Rows:
    """The numbers of rows in indices, of rows in these numbers, and so on, by the length of the rows; `lengths` are those that
    may be an index's.
    """

    lengths: Callable[[Polynomial], Sequence[Polynomial]]
    numbers: dict[Polynomial, dict[Polynomial, None]] = field(default_factory=dict)
    ways: dict[tuple[Polynomial, ...], None] = field(default_factory=dict)  # what was divided by, one after the other

    def divide(self, index: Polynomial, way: tuple[Polynomial, ...] = ()) -> None:
        """Add the numbers of the rows in an index."""
        for length in self.lengths(index):
            number, _ = index.divide(length)
            if number.terms and number not in self.numbers.setdefault(length, {}):
                self.numbers[length][number] = None
                if products(number):
                    self.divide(number, (*way, length))
                else:
                    self.ways[(*way, length)] = None

    def divide_alike(self, size: Polynomial) -> None:
        """Add the numbers of the rows in a product, as the size of an array, which could be divided by its factors in any order:
        it is divided as the indices were. Where none of them was divided by a factor of it, by all.
        """
        if not any([self._divided(size, way) for way in list(self.ways)]):
            self.divide(size)

    def _divided(self, size: Polynomial, way: tuple[Polynomial, ...]) -> bool:
        number = size
        for length in way:
            quotient, rest = number.divide(length)
            if quotient.terms and not rest.terms:
                self.numbers.setdefault(length, {})[quotient] = None
                number = quotient
        return number != size


def patterns(fact: Universal) -> list[tuple[str, tuple[Expr, ...]]]:
    """The array reads and divisions of a fact that mention its binders; with an empty name, sides of its integer equations."""
    wanted = frozenset(fact.binders)
    found: dict[tuple[str, tuple[Expr, ...]], None] = {}

    def visit(expr: Expr, bound: frozenset[Var]) -> None:
        mentioned = free_vars(expr)
        if mentioned.isdisjoint(wanted):
            return
        match expr:
            case Select(Var(name), cell) if mentioned.isdisjoint(bound):
                found.setdefault((name, cell))
            case Apply(op, (dividend, divisor)) if op in DIVISIONS and mentioned.isdisjoint(bound):
                if free_vars(divisor).isdisjoint(wanted):
                    found.setdefault((division(op, divisor), (dividend,)))
            case Apply(Operator.EQ, (left, right)) if mentioned.isdisjoint(bound) and is_integer(type_of(left)):
                for side in (left, right):
                    if not free_vars(side).isdisjoint(wanted):
                        found.setdefault(("", (side,)))
        for child, scope in scoped_children(expr):
            visit(child, bound | frozenset(scope) if scope else bound)

    visit(fact.body, frozenset())
    return list(found)


def defined_cells(fact: Universal) -> frozenset[tuple[str, tuple[Expr, ...]]]:
    """The cells, speaking of all binders, that a fact says what they hold, as those of an array that a loop wrote."""
    parts = fact.body.args if isinstance(fact.body, Apply) and fact.body.op is Operator.OR else (fact.body,)
    equations = (part for part in parts if isinstance(part, Apply) and part.op is Operator.EQ)
    sides = [strip_casts(side) for equation in equations for side in equation.args]
    cells = [(side.tensor.name, side.indices) for side in sides if isinstance(side, Select) and isinstance(side.tensor, Var)]
    found = [(name, cell) for name, cell in cells if mentions_all(cell, fact.binders)]
    return frozenset([(name, cell) for name, cell in found if VERSION in name] or found)


def division(op: Operator, divisor: Expr) -> str:
    """The name under which what is divided by a term is looked up, as the cells of an array are by its name."""
    return f"{op.name} by {divisor!r}"


def mentions_all(cell: tuple[Expr, ...], binders: tuple[Var, ...]) -> bool:
    """Whether the indices of a cell speak of all binders."""
    return set(binders) <= {var for index in cell for var in free_vars(index)}


def solve(binders: tuple[Var, ...], cell: tuple[Expr, ...], wanted: Cell) -> tuple[Polynomial, ...] | None:
    """Values of all binders for which the cell's indices are the wanted ones, found by division, or None.

    Indices without binders are not looked at: whether they are the same may depend on the case. So may what is left of an
    index that is divided by a row length.
    """
    values: dict[Var, Polynomial] = {}
    for index, target in zip(cell, wanted, strict=True):
        affine = Polynomial.of(index).affine_in(binders)
        if affine is None:
            return None
        coefficients, rest = affine
        remaining = target - rest
        used = {var: c for var, c in coefficients.items() if c.terms}
        if not used:
            continue
        in_row = False
        for var in sorted(used, key=lambda v: size(used[v]), reverse=True):
            quotient, remaining = remaining.divide(used[var])
            in_row = bool(quotient.terms) and not used[var].is_constant
            if values.setdefault(var, quotient) != quotient:
                return None
        if remaining.terms and not in_row:
            return None
    return tuple(values[binder] for binder in binders) if len(values) == len(binders) else None


def by_elements(binders: tuple[Var, ...], cell: tuple[Expr, ...], wanted: Cell) -> Iterator[tuple[Polynomial, ...]]:
    """Values of all binders for a cell at an element of another array, such as x[p + start[i]]: those that make it one of the
    elements of that array that the wanted indices speak of. The element may be at one of a third array, and so on.
    """
    inside = [part for target in wanted for atom in sorted(target.atoms, key=repr) for part in subexpressions(atom)]
    for element in (part for index in cell for part in subexpressions(index)):
        mine = tuple(binder for binder in binders if binder in free_vars(element))
        if not (isinstance(element, Select) and isinstance(element.tensor, Var) and mine):
            continue
        for other in inside:
            if isinstance(other, Select) and other.tensor == element.tensor:
                found = solve(mine, element.indices, tuple(map(Polynomial.of, other.indices)))
                if found is None:
                    continue
                known = dict(zip(mine, found, strict=True))
                rest = tuple(binder for binder in binders if binder not in known)
                there = {binder: value.to_expr() for binder, value in known.items()}
                at = tuple(substitute(index, there) for index in cell)
                left = solve(rest, at, wanted)
                for values in [left] if left is not None else by_elements(rest, at, wanted):
                    both = known | dict(zip(rest, values, strict=True))
                    yield tuple(both[binder] for binder in binders)


def size(coefficient: Polynomial) -> tuple[int, int]:
    """Larger for coefficients that are worth more: by degree, then by absolute value."""
    degree = max((len(monomial) for monomial, _ in coefficient.terms), default=0)
    return degree, max(abs(factor) for _, factor in coefficient.terms)

