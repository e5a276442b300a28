"""Sums and maxima over tiles as parts of those over a whole: laws that are stated once, proved by induction, and used.

A chain is a fold by addition or by maximum. Where a part of a whole goes on behind the first e elements, q steps of the part are
as many more of the whole: whole(e + q) = whole(e) + part(q). Where the part is made of rows of c elements each, its q rows are
c * q more. Base and step of each law are claims to be proved; only what is claimed is used, at the lengths that occur.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, equal, forall, implies, in_range, plus
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import INT, ScalarType, TensorType, is_integer
from metalift.ir.expr.walk import free_vars, map_children, subexpressions, substitute, with_extent
from metalift.vcgen.places import COUNT, Places, places_among

Place = tuple[tuple[Var, Expr | None], ...]
"""Variables with their extents; one without is any natural number."""
CHAINS = frozenset({Operator.ADD, Operator.MAX})
DIVISIONS = frozenset({Operator.TDIV, Operator.FDIV})


@dataclass(frozen=True, slots=True)
class Law:
    """Wherever `domain` holds, the claim holds of every number COUNT >= 0 of steps."""

    whole: Fold
    part: Fold
    domain: Expr
    claim: Expr

    def instance(self) -> Expr:
        """What it says of the part as long as it is."""
        known = conj(self.domain, at_most(integer(0), self.part.extent))
        return implies(known, substitute(self.claim, {COUNT: self.part.extent}))


def chain(op: Operator, value: Expr, along: Var, count: Expr, type_: ScalarType) -> Expr:
    """The sum or maximum of values; a maximum is of one value or more. Of one value it is this value."""
    if count == integer(1):
        return substitute(value, {along: integer(0)})
    acc, index = Var("tile.acc", type_), Var(f"{along.name}.each", INT)
    if op is Operator.ADD:
        zero = Const(0, type_) if is_integer(type_) else Const(Fraction(0), type_)
        return Fold(count, zero, acc, index, Apply(op, (acc, substitute(value, {along: index}))))
    later = substitute(value, {along: plus(index, integer(1))})
    return Fold(polynomial(count, -1), substitute(value, {along: integer(0)}), acc, index, Apply(op, (acc, later)))


@dataclass
class Chains:
    """The laws found so far, and what has to be proved for them."""

    laws: dict[tuple[Fold, Fold, Expr], Law] = field(default_factory=dict)
    claims: dict[Expr, None] = field(default_factory=dict)
    places: dict[tuple[Places, Expr], tuple[Expr, ...]] = field(default_factory=dict)  # what is known of places of maxima
    opposites: dict[tuple[Fold, Fold, Expr], Expr] = field(default_factory=dict)  # minima as negated maxima

    def relate(self, found: Expr, wanted: Expr, place: Place, holds: tuple[Expr, ...]) -> None:
        """Look for parts of wholes among the folds of two values that are compared at a place where something holds."""
        folds = folds_of(found, wanted)
        domain = conj(*ranges(place), *holds)
        begun = starts(found, wanted)
        for start in begun:
            folds.setdefault(start)
        for each in places_among(list(folds)):
            if (each, domain) not in self.places and simple(each.greatest, each.part, Operator.MAX) is not None:
                self.places[each, domain] = tuple(implies(domain, known) for known in self.placed(each, place, holds))
        for least, greatest in opposites(folds):
            folds.setdefault(greatest)
            if (least, greatest, domain) not in self.opposites:
                self.opposites[least, greatest, domain] = implies(domain, self.negated(least, greatest, place, holds))
        for whole in folds:
            for part in folds:
                own = whole in begun and canonical(with_extent(part, integer(0))) == canonical(with_extent(whole, integer(0)))
                if whole != part and not own:
                    self.found(whole, part, place, holds, first=whole in begun)

    def found(self, whole: Fold, part: Fold, place: Place, holds: tuple[Expr, ...], first: bool) -> None:
        """Note the law for a part, where there is one; what a whole without a step is, is stated too where it is the first."""
        key = (whole, part, conj(*ranges(place), *holds))
        if key in self.laws:
            return
        claim = self.law(whole, part, place, holds)
        if claim is not None:
            self.laws[key] = Law(whole, part, key[2], claim)
            if first:
                self.state(equal(whole, whole.init), place, holds)

    def instances(self, found: Expr, wanted: Expr) -> list[Expr]:
        """What the laws say of the folds in two values."""
        folds = folds_of(found, wanted)
        folds |= dict.fromkeys(greatest for _, greatest in opposites(folds))
        begun = starts(found, wanted)
        folds |= dict.fromkeys(begun)
        laws = [law.instance() for law in self.laws.values() if law.whole in folds and law.part in folds]
        of_places = (known for (each, _), known in self.places.items() if each.place in folds and each.numbers in folds)
        negated = [law for (one, two, _), law in self.opposites.items() if one in folds and two in folds]
        used = {law.whole for law in self.laws.values() if law.part in folds}
        first = [equal(start, start.init) for start in begun if start in used]
        return laws + negated + first + [one for known in of_places for one in known]

    def negated(self, least: Fold, greatest: Fold, place: Place, holds: tuple[Expr, ...]) -> Expr:
        """That a minimum is the negated maximum of the negated elements, with its proof stated."""

        def claim(count: Expr) -> Expr:
            return equal(with_extent(least, count), Apply(Operator.NEG, (with_extent(greatest, count),)))

        self.induction(claim(COUNT), place, holds)
        empty = implies(at_most(least.extent, integer(0)), claim(least.extent))
        self.state(empty, place, holds)
        return conj(empty, implies(at_most(integer(0), least.extent), claim(least.extent)))

    def placed(self, places: Places, place: Place, holds: tuple[Expr, ...]) -> Iterator[Expr]:
        """What is known of the place of a maximum, with its proof stated."""
        for claim, known in places.laws():
            if COUNT not in free_vars(claim.formula):
                self.state(claim.formula, place, holds, claim.free)
            else:
                now = (claim.formula, *claim.known)
                first = tuple(substitute(each, {COUNT: integer(0)}) for each in now)
                following = tuple(substitute(each, {COUNT: plus(COUNT, integer(1))}) for each in now)
                self.state(first[0], place, (*holds, *first[1:]), claim.free)
                self.state(following[0], (*place, (COUNT, claim.most)), (*holds, *now, *following[1:]), claim.free)
            yield from known

    def law(self, whole: Fold, part: Fold, place: Place, holds: tuple[Expr, ...]) -> Expr | None:
        """The claim for a part, with its proof stated; None where it is no part of the whole."""
        op = operator_of(whole)
        if op is None or operator_of(part) is not op:
            return None
        if canonical(part.init) == canonical(whole):
            return self.continued(whole, part, place, holds)
        term = term_of(part)
        if isinstance(term, Fold) and operator_of(term) is op:
            return self.rows(whole, part, term, op, place, holds)
        claim = simple(whole, part, op)
        if claim is not None:
            self.induction(claim, place, holds)
            return claim
        return self.quotients(whole, part, op, place, holds)

    def continued(self, whole: Fold, part: Fold, place: Place, holds: tuple[Expr, ...]) -> Expr | None:
        """The claim for a part that goes on from the whole: both together are the whole of as many more."""
        later = plus(whole.extent, part.index)
        if canonical(substitute(term_of(whole), {whole.index: later})) != canonical(term_of(part)):
            return None
        long = (*holds, at_most(integer(0), whole.extent))
        claim = equal(with_extent(whole, polynomial(plus(whole.extent, COUNT), 0)), with_extent(part, COUNT))
        self.induction(claim, place, long)
        return implies(at_most(integer(0), whole.extent), claim)

    def quotients(self, whole: Fold, part: Fold, op: Operator, place: Place, holds: tuple[Expr, ...]) -> Expr | None:
        """The claim for a part whose terms are those of the whole, but for quotients that are the same numbers there."""
        divided = (each for each in subexpressions(term_of(whole)) if isinstance(each, Apply) and each.op in DIVISIONS)
        if not any(whole.index in free_vars(each) for each in divided):
            return None
        first, each = aligned(whole, part, op)
        same = [differences(*pair) for pair in (first, each)]
        if any(pairs is None for pairs in same):
            return None
        begins, goes_on = (conj(*(equal(one, two) for one, two in pairs or ())) for pairs in same)
        inside = (*holds, at_most(integer(0), part.extent))
        self.state(begins, place, inside)
        at = substitute(goes_on, {part.index: COUNT})
        self.state(at, (*place, (COUNT, part.extent)), holds)
        claim = claimed(whole, part, op, Polynomial.of(covered(COUNT, op)))
        self.state(substitute(claim, {COUNT: integer(0)}), place, (*inside, begins))
        self.state(substitute(claim, {COUNT: plus(COUNT, integer(1))}), (*place, (COUNT, part.extent)), (*holds, claim, at))
        return claim

    def rows(
        self, whole: Fold, part: Fold, row: Fold, op: Operator, place: Place, holds: tuple[Expr, ...]
    ) -> Expr | None:
        """The claim for a part made of rows, which are parts themselves."""
        columns = Polynomial.of(covered(row.extent, op))
        before = Polynomial.of(part.index) if op is Operator.ADD else Polynomial.of(part.index) + 1
        later = with_extent(whole, (Polynomial.of(whole.extent) + columns * before).to_expr())
        each = simple(later, row, op)
        if each is None:
            return None
        self.induction(each, (*place, (part.index, None)), holds)
        long = at_most(integer(0), row.extent)
        known: tuple[Expr, ...] = ()
        if op is Operator.MAX:
            if not isinstance(part.init, Fold) or (first := simple(whole, part.init, op)) is None:
                return None
            self.induction(first, place, holds)
            known = (implies(long, substitute(first, {COUNT: part.init.extent})),)
        elif part.init != row.init:
            return None
        claim = claimed(whole, part, op, columns * Polynomial.of(covered(COUNT, op)))
        self.state(substitute(claim, {COUNT: integer(0)}), place, (*holds, *known, long))
        one = implies(long, substitute(each, {COUNT: row.extent, part.index: COUNT}))
        step = substitute(claim, {COUNT: plus(COUNT, integer(1))})
        self.state(step, (*place, (COUNT, None)), (*holds, claim, one, long))
        return implies(long, claim)

    def induction(self, claim: Expr, place: Place, holds: tuple[Expr, ...]) -> None:
        """State base and step."""
        self.state(substitute(claim, {COUNT: integer(0)}), place, holds)
        self.state(substitute(claim, {COUNT: plus(COUNT, integer(1))}), (*place, (COUNT, None)), (*holds, claim))

    def state(self, formula: Expr, place: Place, holds: tuple[Expr, ...], free: tuple[Var, ...] = ()) -> None:
        """Something to prove, for all values of `free` too."""
        stated = forall((*(var for var, _ in place), *free), implies(conj(*ranges(place), *holds), formula))
        self.claims.setdefault(stated)


def starts(found: Expr, wanted: Expr) -> list[Fold]:
    """The chains without a step, of those that are wanted and of which nothing is found: parts may go on from their start."""
    known: dict[Expr, list[Fold]] = {}
    for fold in folds_of(found, wanted):
        if operator_of(fold) is not None:
            known.setdefault(canonical(with_extent(fold, integer(0))), []).append(fold)
    there = folds_of(found)
    alone = (each[0] for each in known.values() if len(each) == 1 and each[0] not in there)
    return [with_extent(each, integer(0 if operator_of(each) is Operator.ADD else -1)) for each in alone]


def opposites(folds: Iterable[Fold]) -> list[tuple[Fold, Fold]]:
    """Minima, each with the maximum of as many elements negated, where there are maxima of these."""
    found: list[tuple[Fold, Fold]] = []
    for least in folds:
        for greatest in folds:
            match least.body, greatest.body:
                case Apply(Operator.MIN, (one, term)), Apply(Operator.MAX, (two, other)) if one == least.acc:
                    negated = Apply(Operator.NEG, (substitute(term, {least.index: greatest.index}),))
                    alone = two == greatest.acc and least.acc not in free_vars(term)
                    if alone and canonical(negated) == canonical(other):
                        found.append((least, with_extent(greatest, least.extent)))
                case _:
                    pass
    return found


def simple(whole: Fold, part: Fold, op: Operator) -> Expr | None:
    """The claim for a part whose terms are those of the whole behind its extent; None where they are not."""
    if any(canonical(one) != canonical(two) for one, two in aligned(whole, part, op)):
        return None
    return claimed(whole, part, op, Polynomial.of(covered(COUNT, op)))


def aligned(whole: Fold, part: Fold, op: Operator) -> tuple[tuple[Expr, Expr], tuple[Expr, Expr]]:
    """What has to be the same for a part: what it starts with, and its term at each index; those of the whole first."""
    at = plus(whole.extent, part.index)
    zero = Const(0, type_of(part.init)) if is_integer(type_of(part.init)) else Const(Fraction(0), type_of(part.init))
    first: Expr = zero
    if op is Operator.MAX:
        first = substitute(term_of(whole), {whole.index: whole.extent})
        at = plus(at, integer(1))
    return (first, part.init), (substitute(term_of(whole), {whole.index: at}), term_of(part))


def differences(one: Expr, two: Expr) -> list[tuple[Expr, Expr]] | None:
    """The indices in which two terms differ, by quotients; None where they differ in others, or nowhere."""
    found: list[tuple[Expr, Expr]] = []

    def same(left: Expr, right: Expr) -> bool:
        if left == right:
            return True
        if isinstance(left, Apply) and left.op in DIVISIONS and is_integer(type_of(right)):
            found.append((left, right))
            return True
        if isinstance(left, Select) and isinstance(right, Select) and left.tensor == right.tensor:
            return all(map(same, left.indices, right.indices))
        if isinstance(left, Cast) and isinstance(right, Cast) and left.type == right.type:
            return same(left.arg, right.arg)
        if isinstance(left, Apply) and isinstance(right, Apply) and left.op == right.op and len(left.args) == len(right.args):
            return all(map(same, left.args, right.args))
        return False

    return found if same(canonical(one), canonical(two)) else None


def claimed(whole: Fold, part: Fold, op: Operator, more: Polynomial) -> Expr:
    """whole(e + more) = whole(e) op part(COUNT)."""
    longer = with_extent(whole, (Polynomial.of(whole.extent) + more).to_expr())
    return equal(longer, Apply(op, (whole, with_extent(part, COUNT))))


def covered(extent: Expr, op: Operator) -> Expr:
    """How many elements a part of that extent has: a maximum starts from one."""
    return polynomial(extent, 1) if op is Operator.MAX else extent


def polynomial(expr: Expr, more: int) -> Expr:
    """The sum, simplified."""
    return (Polynomial.of(expr) + more).to_expr()


def operator_of(fold: Fold) -> Operator | None:
    """The operator of a chain: the accumulator and a term that does not mention it."""
    match fold.body:
        case Apply(op, (first, term)) if op in CHAINS and first == fold.acc and fold.acc not in free_vars(term):
            return op
        case _:
            return None


def term_of(fold: Fold) -> Expr:
    """What a step of a chain adds."""
    assert isinstance(fold.body, Apply)
    return fold.body.args[1]


@lru_cache(maxsize=1 << 14)
def canonical(expr: Expr) -> Expr:
    """The expression with indices, and the extents of folds, as polynomials.

    A sum with what is negated is a difference, and factors stand in one order.
    """
    if isinstance(expr, Fold):
        expr = with_extent(expr, Polynomial.of(expr.extent).to_expr())
    if isinstance(expr, Select):
        return Select(canonical(expr.tensor), tuple(Polynomial.of(index).to_expr() for index in expr.indices))
    made = map_children(canonical, expr)
    match made:
        case Apply(Operator.ADD, (left, Apply(Operator.NEG, (right,)))):
            return Apply(Operator.SUB, (left, right))
        case Apply(Operator.MUL, (left, right)) if repr(right) < repr(left):
            return Apply(Operator.MUL, (right, left))
        case _:
            return made


def opaque(formula: Expr) -> Expr:
    """The formula with folds as elements of arbitrary arrays at their extents: what holds of these holds of the folds."""
    names: dict[Expr, Var] = {}

    def go(part: Expr) -> Expr:
        if isinstance(part, Fold) and isinstance(type_of(part), ScalarType):
            key = canonical(with_extent(part, integer(0)))
            type_ = type_of(part)
            assert isinstance(type_, ScalarType)
            array = names.setdefault(key, Var(f"fold.{len(names)}", TensorType(type_)))
            return Select(array, (part.extent,))
        return map_children(go, part)

    return go(formula)


def folds_of(*values: Expr) -> dict[Fold, None]:
    """The folds in some values."""
    return dict.fromkeys(part for value in values for part in subexpressions(value) if isinstance(part, Fold))


def ranges(place: Place) -> list[Expr]:
    """What is known of the variables."""
    return [at_most(integer(0), var) if extent is None else in_range(var, extent) for var, extent in place]
