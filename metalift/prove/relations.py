"""The folds of an obligation: their definitions, and the lemmas about one or two of them, as ground formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, permutations, product

from metalift.ir.arith.intervals import interval
from metalift.ir.arith.polynomial import Polynomial, runs_backward
from metalift.ir.arith.products import real
from metalift.ir.arith.sums import summand
from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Fold, Ite, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import BOOL, INT, RealType, TupleType, is_integer
from metalift.ir.expr.walk import children, outer_folds, replaced, subexpressions, with_extent
from metalift.prove.extents import (
    alike,
    beside_start,
    entered,
    growing,
    is_half,
    pairing,
    positive,
    resting,
    rounded_up,
    stopping,
    windowed,
)
from metalift.prove.folds import (
    canonical_integers,
    chosen,
    continues,
    count_bounds,
    counts,
    empty,
    extensionality,
    fusion,
    holds_throughout,
    is_number,
    one_of,
    peeling,
    reversal,
    shift,
    splitting,
    sum_of_positives,
    unfolded,
    wrapped,
    wraps,
)
from metalift.prove.kept import found_there, gathered, is_gathered
from metalift.prove.linear_sums import Multiples
from metalift.prove.nested_sums import Sums, are_parts, can_be_formed, in_step
from metalift.prove.quantifiers import Clausifier
from metalift.prove.searches import first_not_met, grows_while, last_taken, takes

UNROLLED = 16  # steps in one iteration of a loop
JOINING = frozenset({Operator.ADD, Operator.MUL, Operator.MAX, Operator.MIN})
MAX_PAIRS = 60  # of folds related by lemmas in one obligation


@dataclass(slots=True)
class Folds:
    """The folds that were found so far, and whether their definition was stated; `scan` finds those in new clauses."""

    clauses: Clausifier
    lemmas: set[str]
    scan: Callable[[], None]
    in_time: Callable[[], None]  # raises TooLong when it is too late
    found: dict[Fold, bool] = field(default_factory=dict)
    shortened: set[Fold] = field(default_factory=set)  # those that unfolding brought in
    compared: int = 0
    related: set[frozenset[Fold]] = field(default_factory=set)
    bounded: set[Fold] = field(default_factory=set)
    searched: set[Fold] = field(default_factory=set)
    found_by_search: bool = False  # whether it was stated which elements some have found
    scaled: dict[Expr, None] = field(default_factory=dict)  # products with sums
    extremes: dict[Apply, None] = field(default_factory=dict)  # of a fold and something else
    formed: set[Expr] = field(default_factory=set)  # sums, and products with them, that were brought into one form
    results: dict[Fold, None] = field(default_factory=dict)  # what came out
    defined: set[Fold] = field(default_factory=set)  # whose values over no elements were stated
    quotients: dict[tuple[Fold, Expr], None] = field(default_factory=dict)  # sums, and the inverses they are multiplied with
    multiples: Multiples = field(init=False)
    sums: Sums = field(init=False)
    equations: dict[tuple[Fold, Expr], bool] = field(default_factory=dict)  # of a fold and a term, and whether fusion was stated

    def __post_init__(self) -> None:
        """What is stated of sums is stated here."""
        self.sums = Sums(self.state, self.define)
        self.multiples = Multiples(self.state)

    def state(self, lemma: str, fact: Expr) -> None:
        """An instance of a lemma."""
        self.lemmas.add(lemma)
        self.clauses.add(fact)

    def define(self, fold: Fold) -> None:
        """What a fold is over no elements, by its definition."""
        if fold not in self.defined:
            self.defined.add(fold)
            for fact in empty(fold):
                self.clauses.add(fact)

    def form(self) -> None:
        """Bring sums into one form, and compare what comes out over equal extents; nothing where all are plain."""
        sums = [fold for fold in self.found if fold not in self.formed and summand(fold) is not None and not in_step(fold)]
        if not self.formed and not any(map(can_be_formed, sums)) and not are_parts(sums):
            return
        scaled = [each for each in self.scaled if each not in self.formed and not in_step(each)]
        factors = {part for each in scaled for part in subexpressions(each)}
        wanted = [*(each for each in sums if each not in factors), *scaled]
        results = [self.sums.form(each) for each in wanted]
        self.formed.update(sums, scaled)
        self.scan()
        for right in [fold for each in results for fold in outer_folds(each)]:
            for left in self.results:
                if left != right and same_extent(left, right) and len(self.related) <= MAX_PAIRS:
                    self.relate(left, right)
            self.results[right] = None

    def multiply(self) -> None:
        """Sums of reals as sums of multiples."""
        fresh = [fold for fold in self.found if fold not in self.formed]
        for fold in fresh:
            self.multiples.note(fold)
        for fold in fresh:
            scales = [scale for each, scale in self.quotients if each == fold]
            scales += [real(other) for each in self.scaled for one, other in permutations(children(each)) if one == fold]
            made = self.multiples.multiply_out(fold, scales, f"m!{len(self.formed)}")
            self.formed.update((fold, *made))
            for each in (fold, *made):
                self.define(each)

    def note_beside(self, expr: Apply) -> None:
        """Remember a product of a fold and something else, and an extreme of the two."""
        if expr.op is Operator.MUL:
            self.scaled.setdefault(expr)
        elif expr.op in (Operator.MAX, Operator.MIN):
            self.extremes.setdefault(expr)

    def note_equation(self, fold: Expr, term: Expr) -> None:
        """Remember an equation of a fold with a term around another one."""
        if isinstance(fold, Fold) and not isinstance(term, Fold) and not isinstance(type_of(fold), TupleType):
            self.equations.setdefault((fold, term), False)

    def unfold(self) -> None:
        """The definition of each fold that occurs, at its extent."""
        for fold, done in list(self.found.items()):
            if done:
                continue
            self.in_time()
            self.found[fold] = True
            for fact in unfolded(fold):
                self.clauses.add(fact)
        self.shorten()

    def shorten(self) -> None:
        """Of the folds that unfolding brought in, what they are if empty; all, where they are little longer than another one."""
        for _ in range(UNROLLED):
            known = set(self.found)
            self.scan()
            fresh = [fold for fold in self.found if fold not in known]
            self.shortened |= set(fresh)
            for fold in fresh:
                self.in_time()
                self.found[fold] = True
                for fact in unfolded(fold) if self.nearly(fold) else empty(fold):
                    self.clauses.add(fact)

    def nearly(self, fold: Fold) -> bool:
        """Whether the same fold occurs over a few elements less: a loop that makes several steps in one iteration."""
        for other in self.found:
            if other.body == fold.body and other.init == fold.init and other not in self.shortened:
                more = (Polynomial.of(fold.extent) - Polynomial.of(other.extent)).constant_value
                if more is not None and 0 < more < UNROLLED:
                    return True
        return False

    def compare(self, *, shorter: bool) -> None:
        """The lemmas for pairs of folds of one type; `shorter`: extensionality also for those that unfolding brought in."""
        folds = [fold for fold in self.found if fold not in self.shortened]
        fresh = folds[self.compared :]
        self.compared = len(folds)
        for right in fresh:
            self.in_time()
            for left in folds:
                if left is right or len(self.related) > MAX_PAIRS or unlike(left, right):
                    continue
                self.relate(left, right)
        if shorter:
            for left in [fold for fold in self.found if fold in self.shortened]:
                for right in folds:
                    same = Polynomial.of(left.extent) == Polynomial.of(right.extent) and left.init == right.init
                    if same and left.body != right.body and len(self.related) <= MAX_PAIRS:
                        self.relate(left, right)
        for position, ((fold, term), stated) in enumerate(list(self.equations.items())):
            if not stated:
                self.in_time()
                self.equations[(fold, term)] = True
                self.fuse(fold, term, f"f!{position}")

    def match(self) -> None:
        """Extensionality, also from starts that are apart, for pairs of folds over equal extents: folds within the steps of
        others are compared at a fresh step.
        """
        folds = list(self.found)
        fresh = folds[self.compared :]
        self.compared = len(folds)
        for right in fresh:
            for left in folds[: folds.index(right)]:
                pair = frozenset((left, right))
                if pair in self.related or len(self.related) > MAX_PAIRS or type_of(left) != type_of(right):
                    continue
                if same_extent(left, right) and not alike(left, right) and not unlike(left, right):
                    self.related.add(pair)
                    name = f"x!{len(self.related)}"
                    self.state("fold extensionality", extensionality(left, right, name))
                    self.move(left, right, name)
        for term, whole in product(self.extremes, folds):
            for inner in term.args:
                if isinstance(inner, Fold) and starts_beside(whole, inner, term) and (whole, term) not in self.equations:
                    self.equations[(whole, term)] = True
                    self.fuse(whole, term, f"f!{len(self.equations)}")

    def fuse(self, fold: Fold, term: Expr, name: str) -> None:
        """State that folds may be joined with what is done to their result, for each fold in a term that equals another.

        Each statement has witnesses of its own, called after `name`: one for two of them would say more than the lemma.
        """
        inner = [part for part in subexpressions(term) if isinstance(part, Fold) and part in self.found]
        for number, part in enumerate(inner[:2]):
            if part not in self.shortened and not isinstance(type_of(part), TupleType):
                self.lemmas.add("fold fusion")

                def around(value: Expr, part: Expr = part) -> Expr:
                    return replaced(term, {part: value})

                for clause in fusion(fold, part, around, f"{name}.{number}"):
                    self.clauses.add(clause)

    def relate(self, left: Fold, right: Fold) -> None:
        """State the lemmas for a pair, once."""
        pair = frozenset((left, right))
        if pair in self.related:
            return
        if type_of(left) != type_of(right) and not (is_real(left) and is_real(right)):
            self.link(left, right)
            return
        self.related.add(pair)
        name = f"x!{len(self.related)}"
        if alike(left, right):  # one function: at equal extents they are equal by themselves
            self.relate_extents(left, right, name)
            return
        if self.pad(left, right, name):
            return
        self.lemmas.add("fold extensionality")
        self.clauses.add(extensionality(left, right, name))
        self.move(left, right, name)
        self.reverse(left, right, f"{name}.r")
        if Polynomial.of(left.extent) != Polynomial.of(right.extent):
            self.lemmas.add("fold peeling")
            self.clauses.add(peeling(left, right, f"{name}.p"))
            self.clauses.add(peeling(right, left, f"{name}.q"))
            self.pair(left, right, name)
            self.window(left, right, name)
        self.wrap(left, right, name)
        for whole, rest in ((left, right), (right, left)):
            if continues(rest, whole) or self.starts_within(rest, whole):
                self.lemmas.add("fold splitting")
                self.clauses.add(splitting(whole, rest, f"{name}.t"))

    def move(self, left: Fold, right: Fold, name: str) -> None:
        """The lemmas for numbers that start with a distance, and for those that stay on one side of their start."""
        if left.init != right.init and is_number(type_of(left)):
            self.state("fold shift", shift(left, right, f"{name}.s"))
        elif (side := beside_start(left, right, f"{name}.o")) is not None:
            self.state("fold relation", side)

    def oppose(self) -> bool:
        """The lemma for folds that take elements in opposite orders, of those that are there; whether there are any."""
        pairs = [pair for pair in combinations([fold for fold in self.found if fold not in self.shortened], 2) if opposite(*pair)]
        for left, right in pairs:
            if frozenset((left, right)) not in self.related and len(self.related) <= MAX_PAIRS:
                self.related.add(frozenset((left, right)))
                self.reverse(left, right, f"o!{len(self.related)}")
        return bool(pairs)

    def gather(self) -> bool:
        """Of folds that take what a condition keeps, what they are over all elements, and which elements these are; whether there
        are any. Lemmas `fold gathering` and `fold element`.
        """
        for kept, whole in permutations([fold for fold in self.found if fold not in self.shortened], 2):
            if frozenset((kept, whole)) not in self.related and is_gathered(kept, whole):
                self.related.add(frozenset((kept, whole)))
                self.gather_over(kept, whole, f"g!{len(self.related)}")
        for fold in [fold for fold in self.found if fold not in self.searched]:
            self.searched.add(fold)
            there = found_there(fold, f"g!{len(self.searched)}.e")
            if there is not None:
                self.state("fold element", there)
        return bool(self.related)

    def gather_over(self, kept: Fold, whole: Fold, name: str) -> None:
        """The lemma for a pair, and how the count grows where they may differ."""
        count, index = kept.extent, Var(f"{name}.k", INT)
        assert isinstance(count, Fold)
        before, after = with_extent(count, index), with_extent(count, plus(index, integer(1)))
        self.state("fold gathering", gathered(kept, whole, name))
        self.state("fold count", count_bounds(before, f"{name}.b"))
        self.state("fold growth", growing(count, after, f"{name}.g"))
        for fact in unfolded(after):
            self.clauses.add(fact)
        self.shortened |= {before, after}

    def reverse(self, left: Fold, right: Fold, name: str) -> None:
        """The lemma for folds that take elements in opposite orders."""
        if opposite(left, right):
            forward, backward = (right, left) if runs_backward(left) else (left, right)
            for clause in reversal(forward, backward, name):
                self.state("fold reversal", clause)

    def wrap(self, left: Fold, right: Fold, name: str) -> None:
        """The lemma for folds of which one brings each step back to a type that the other does not need."""
        for narrow, exact in ((left, right), (right, left)):
            type_ = wraps(narrow)
            if type_ is not None and wraps(exact) is None and same_extent(left, right):
                self.lemmas.add("fold fusion")
                for clause in fusion(narrow, exact, partial(wrapped, type_=type_), f"{name}.g"):
                    self.clauses.add(clause)

    def starts_within(self, rest: Fold, whole: Fold) -> bool:
        """Whether `rest` starts from an element of an array that is said to be the same fold as `whole`, over fewer elements."""
        start = rest.init
        if not isinstance(start, Select) or type_of(start) != type_of(whole):
            return False
        told = [fold for fold, term in self.equations if isinstance(term, Select) and same_element(term, start)]
        return any(alike(fold, whole) for fold in told)

    def link(self, left: Fold, right: Fold) -> None:
        """State what is known of a number and a condition over the same elements. Lemmas `fold leading` and `fold relation`."""
        for number, condition in ((left, right), (right, left)):
            if counts(number) and type_of(condition) == BOOL and number.extent == condition.extent:
                self.related.add(frozenset((left, right)))
                self.lemmas.add("fold leading")
                self.clauses.add(stopping(number, condition, f"l!{len(self.related)}"))
            if is_sum(number) and type_of(condition) == BOOL and same_extent(number, condition):
                self.related.add(frozenset((left, right)))
                self.state("fold relation", positive(number, condition, f"l!{len(self.related)}.s"))

    def bound(self) -> None:
        """Where folds that count lie, and those that choose, whether conditions hold, and which sums are not negative.

        Lemmas `fold count`, `fold choice`, `fold holds` and `sum of positives`.
        """
        while fresh := [fold for fold in self.found if fold not in self.bounded]:
            for fold in fresh:
                self.in_time()
                self.bounded.add(fold)
                self.bound_one(fold, f"n!{len(self.bounded)}")
            if not any(type_of(fold) == BOOL for fold in fresh):
                return
            self.scan()  # a step of one of these may be one, too

    def bound_one(self, fold: Fold, name: str) -> None:
        """The lemmas about one fold."""
        if is_integer(type_of(fold)) and chosen(fold):
            self.state("fold choice", one_of(fold, name))
        if counts(fold):
            self.state("fold count", count_bounds(fold, name))
        elif is_real(fold) and is_sum(fold) and (term := summand(fold)) is not None and has_exponentials(term):
            self.state("sum of positives", sum_of_positives(fold, term, name))
        elif type_of(fold) == BOOL or (is_integer(type_of(fold)) and interval(fold).nonnegative):
            self.state("fold holds", holds_throughout(fold, name))

    def search(self) -> None:
        """Where folds that go on while a condition holds come to their end, and which element others have taken last.

        Lemmas `fold first` and `fold last`.
        """
        for fold in [fold for fold in self.found if fold not in self.searched and fold not in self.shortened]:
            self.searched.add(fold)
            name = f"c!{len(self.searched)}"
            condition = grows_while(fold)
            self.found_by_search |= condition is not None or takes(fold)
            if condition is not None:
                self.state("fold first", first_not_met(fold, condition, name))
            elif takes(fold):
                self.state("fold last", last_taken(fold, name))

    def relate_extents(self, left: Fold, right: Fold, name: str) -> None:
        """The lemmas for one fold over different extents."""
        self.lemmas.add("fold rest")
        self.clauses.add(resting(left, right, f"{name}.u"))
        self.clauses.add(resting(right, left, f"{name}.v"))
        if counts(left):
            self.lemmas.add("fold growth")
            self.clauses.add(growing(left, right, f"{name}.w"))
            self.clauses.add(growing(right, left, f"{name}.x"))

    def pair(self, left: Fold, right: Fold, name: str) -> None:
        """The lemma for folds of which one takes two steps of the other at once."""
        for single, paired in ((left, right), (right, left)):
            if is_half(paired.extent) and not is_half(single.extent):
                self.lemmas.add("fold pairing")
                for clause in pairing(single, paired, f"{name}.h"):
                    self.clauses.add(clause)

    def window(self, left: Fold, right: Fold, name: str) -> None:
        """The lemma for folds of which one does something in a part of its range alone."""
        for letter, longer, shorter in (("b", left, right), ("d", right, left)):
            if entered(shorter):
                continue
            for number, first in enumerate(entered(longer)[:2]):
                self.lemmas.add("fold window")
                self.clauses.add(windowed(longer, shorter, first, f"{name}.{letter}{number}"))

    def pad(self, left: Fold, right: Fold, name: str) -> bool:
        """The lemma for folds of which one goes on to the end of a block, and no other for these."""
        for longer, shorter in ((left, right), (right, left)):
            if rounded_up(longer.extent) is not None and rounded_up(shorter.extent) is None:
                self.lemmas.add("fold window")
                self.clauses.add(windowed(longer, shorter, integer(0), f"{name}.m"))
                return True
        return False


def starts_beside(whole: Fold, inner: Fold, extreme: Apply) -> bool:
    """Whether an extreme of a fold and something else is like a fold that starts from that, over as many elements or one more."""
    other = [arg for arg in extreme.args if arg != inner]
    more = (Polynomial.of(whole.extent) - Polynomial.of(inner.extent)).constant_value
    return joined(whole.body, whole.acc) is extreme.op and other == [whole.init] and more in (0, 1)


def unlike(left: Fold, right: Fold) -> bool:
    """Whether one is visibly a sum, say, and the other one a maximum: nothing is gained by comparing their steps."""
    one, other = joined(left.body, left.acc), joined(right.body, right.acc)
    return one is not None and other is not None and one is not other


def joined(step: Expr, acc: Var) -> Operator | None:
    """The operator by which a step visibly joins the accumulator with something, if only in some cases."""
    match step:
        case Apply(Operator.SUB, (first, _)) if first == acc:
            return Operator.ADD
        case Apply(op, args) if acc in args and op in JOINING:
            return op
        case Ite(_, then, other) if other == acc:
            return joined(then, acc)
        case Ite(_, then, other) if then == acc:
            return joined(other, acc)
        case _:
            return None


def opposite(left: Fold, right: Fold) -> bool:
    """Whether two folds of numbers take elements in opposite orders."""
    alike = type_of(left) == type_of(right) or (is_real(left) and is_real(right))
    return alike and not isinstance(type_of(left), TupleType) and runs_backward(left) != runs_backward(right)


def is_real(fold: Fold) -> bool:
    """Whether its accumulator is a float, of any width: these are real numbers in a proof."""
    return isinstance(type_of(fold), RealType)


def is_sum(fold: Fold) -> bool:
    """Whether it adds something to 0 in each step."""
    return summand(fold) is not None and isinstance(fold.init, Const) and fold.init.value == 0


def same_element(one: Select, two: Select) -> bool:
    """Whether both are the element of one array at equal indices."""
    return one.tensor == two.tensor and list(map(Polynomial.of, one.indices)) == list(map(Polynomial.of, two.indices))


def same_extent(one: Fold, two: Fold) -> bool:
    """Whether they are over equal numbers of elements, in whichever order sums are written, also inside of reads."""
    return canonical_integers(one.extent, ()) == canonical_integers(two.extent, ())


def has_exponentials(term: Expr) -> bool:
    """Whether a number is made of exponentials, which are positive."""
    return any(isinstance(part, Call) and part.function == "exp" for part in subexpressions(term))
