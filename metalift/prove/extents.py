"""Facts about folds over different extents: what further steps leave alone, and two steps taken as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.arith.sums import zero
from metalift.ir.expr.build import at_most, conj, disj, equal, less, neg, plus
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Ite, Operator, Var, integer, type_of
from metalift.ir.expr.types import INT, is_integer
from metalift.ir.expr.walk import binders_of, map_children, subexpressions, substitute
from metalift.prove.folds import accumulator, all_equal, closed, is_number


def alike(left: Fold, right: Fold) -> bool:
    """Whether they are one function, from one start, at two extents."""
    one, other = closed(left), closed(right)
    return one.key == other.key and one.captured == other.captured


def resting(longer: Fold, shorter: Fold, name: str) -> Expr:
    """If no step from the extent of `shorter` on changes what it has come to, the longer fold ends with the same.

    As a ground formula: they are equal, or the extents are in the other order, or there is a step (at a fresh constant called
    after `name`) that changes it. Lemma `fold rest`.
    """
    index = Var(f"{name}.k", INT)
    after = substitute(longer.body, {longer.acc: shorter, longer.index: index})
    differ = conj(at_most(shorter.extent, index), less(index, longer.extent), neg(all_equal(after, shorter)))
    order = conj(at_most(integer(0), shorter.extent), at_most(shorter.extent, longer.extent))
    return disj(neg(order), differ, all_equal(longer, shorter))


def windowed(longer: Fold, shorter: Fold, first: Expr, name: str) -> Expr:
    """If the steps of `shorter` are those of `longer` from `first` on, and all others change nothing, they end alike.

    Starts of numbers may differ by a distance that the steps keep. Ground as in `resting`, with indices for the steps before,
    within and after, and an accumulator for those that agree. Lemma `fold window`.
    """
    before, index, rest = (Var(f"{name}.{letter}", INT) for letter in "bkl")
    acc = accumulator(shorter, name)

    def step(value: Expr, at: Expr) -> Expr:
        return substitute(longer.body, {longer.acc: value, longer.index: at})

    def moved(value: Expr) -> Expr:
        if longer.init == shorter.init or not is_number(type_of(longer)):
            return value
        return Apply(Operator.ADD, (value, Apply(Operator.SUB, (longer.init, shorter.init))))

    def changes(at: Expr, low: Expr, high: Expr, value: Expr) -> Expr:
        return conj(at_most(low, at), less(at, high), neg(all_equal(step(value, at), value)))

    within = moved(substitute(shorter.body, {shorter.acc: acc, shorter.index: index}))
    zero, last, found = integer(0), plus(first, shorter.extent), moved(shorter)
    order = conj(at_most(zero, first), at_most(zero, shorter.extent), at_most(last, longer.extent))
    return disj(
        neg(conj(order, all_equal(longer.init, moved(shorter.init)))),
        changes(before, zero, first, longer.init),
        conj(at_most(zero, index), less(index, shorter.extent), neg(all_equal(step(moved(acc), plus(first, index)), within))),
        changes(rest, last, longer.extent, found),
        all_equal(longer, found),
    )


def entered(fold: Fold) -> list[Expr]:
    """Where a fold may begin to do something: at 0, or where a condition says so of its index, conversions left out."""
    found: list[Expr] = []
    for part in subexpressions(fold.body):
        match part:
            case Apply(Operator.LE | Operator.LT as op, (left, right)) if is_integer(type_of(left)):
                gap = Polynomial.of(_unwrapped(right)) - Polynomial.of(_unwrapped(left))
                own = gap.coefficient(fold.index).constant_value
                rest = Polynomial.atom(fold.index) * (own or 0) - gap
                if own == 1 and rest.free_vars.isdisjoint(binders_of(fold)):
                    found.append((rest + (1 if op is Operator.LT else 0)).to_expr())
                elif own == -1 and rest.free_vars.isdisjoint(binders_of(fold)):
                    found.append(integer(0))
    return list(dict.fromkeys(found))


def _unwrapped(expr: Expr) -> Expr:
    if isinstance(expr, Cast) and is_integer(type_of(expr.arg)):
        return _unwrapped(expr.arg)
    return map_children(_unwrapped, expr) if isinstance(expr, Apply) else expr


def rounded_up(extent: Expr) -> tuple[Expr, Expr] | None:
    """The size and the block of an extent that is a size rounded up to whole blocks: (size + block - 1) // block * block."""
    match extent:
        case Apply(Operator.MUL, (Apply(Operator.FDIV, (dividend, divisor)), factor)):
            size = Polynomial.of(dividend) - Polynomial.of(divisor) + 1
            if divisor == factor and not isinstance(divisor, Const) and divisor not in size.atoms:
                return size.to_expr(), divisor
    return None


def whole_blocks(size: Expr, block: Expr, extent: Expr) -> Expr:
    """What is known of a size rounded up to whole blocks. Lemma `whole blocks`."""
    zero = integer(0)
    nothing = disj(less(zero, size), at_most(extent, zero))
    return disj(less(block, integer(1)), conj(at_most(size, extent), less(extent, plus(size, block)), nothing))


def growing(longer: Fold, shorter: Fold, name: str) -> Expr:
    """If each step from the extent of `shorter` on adds 0 or 1, the longer fold is at least what it has come to.

    Ground as in `resting`, with an accumulator too. Lemma `fold growth`.
    """
    index, acc = Var(f"{name}.k", INT), accumulator(longer, name)
    step = substitute(longer.body, {longer.acc: acc, longer.index: index})
    inside = conj(at_most(shorter.extent, index), less(index, longer.extent))
    one_more = conj(at_most(acc, step), at_most(step, plus(acc, integer(1))))
    order = conj(at_most(integer(0), shorter.extent), at_most(shorter.extent, longer.extent))
    return disj(neg(order), conj(inside, neg(one_more)), at_most(shorter, longer))


def stopping(number: Fold, any_: Fold, name: str) -> Expr:
    """If `number` grows as long as it is the index and a condition holds, and `any_` leaves its start where that fails, the
    number is below the extent just where `any_` has left its start.

    Ground as in `resting`, with an accumulator too. Lemma `fold leading`.
    """
    index, acc = Var(f"{name}.k", INT), Var(f"{name}.a", INT)

    def grown(before: Expr) -> Expr:
        return substitute(number.body, {number.acc: before, number.index: index})

    def left(before: Expr) -> Expr:
        return equal(substitute(any_.body, {any_.acc: before, any_.index: index}), any_.init)

    inside = conj(at_most(integer(0), index), less(index, number.extent))
    one_more = equal(grown(index), plus(index, integer(1)))
    rules = conj(
        disj(equal(acc, index), equal(grown(acc), acc)),
        disj(equal(grown(index), index), one_more),
        equal(left(any_.init), one_more),
        neg(left(neg(any_.init))),
    )
    start = conj(at_most(integer(0), number.extent), equal(number.extent, any_.extent), equal(number.init, integer(0)))
    return disj(neg(start), conj(inside, neg(rules)), equal(less(number, number.extent), neg(equal(any_, any_.init))))


def positive(number: Fold, any_: Fold, name: str) -> Expr:
    """If no step makes `number` negative, and each makes it positive just where it changes `any_` from its start, it is not
    negative, and positive just where `any_` is not as at its start.

    Ground as in `resting`, with an accumulator too. Lemma `fold relation`.
    """
    index, acc = Var(f"{name}.k", INT), accumulator(number, name)
    nothing = zero(type_of(number))

    def sign(value: Expr) -> Expr:
        return neg(equal(less(nothing, value), any_.init))  # where the number is 0, it is as at its start

    step = substitute(number.body, {number.acc: acc, number.index: index})
    other = substitute(any_.body, {any_.acc: sign(acc), any_.index: index})
    kept = conj(at_most(nothing, step), equal(sign(step), other))
    differ = conj(at_most(integer(0), index), less(index, number.extent), at_most(nothing, acc), neg(kept))
    start = conj(equal(number.extent, any_.extent), equal(number.init, nothing))
    return disj(neg(start), differ, conj(at_most(nothing, number), equal(sign(number), any_)))


def never_beyond(fold: Fold) -> Callable[[Expr], Expr] | None:
    """That a number is not on the other side of the start of a fold, where each step visibly takes a maximum (or each a minimum)
    with it, or leaves it; None where one does something else, or none leaves it.
    """
    if not is_number(type_of(fold)) or not isinstance(fold.body, Ite):
        return None
    for op in (Operator.MAX, Operator.MIN):
        if _joins(fold.body, op, fold.acc):
            ordered = at_most if op is Operator.MAX else _at_least
            return partial(ordered, fold.init)
    return None


def _at_least(left: Expr, right: Expr) -> Expr:
    return at_most(right, left)


def _joins(step: Expr, op: Operator, acc: Var) -> bool:
    match step:
        case Ite(_, then, other):
            return _joins(then, op, acc) and _joins(other, op, acc)
        case Apply(found, args) if found is op:
            return any(_joins(arg, op, acc) for arg in args)
        case _:
            return step == acc


def beside_start(left: Fold, right: Fold, name: str) -> Expr | None:
    """If the steps agree from every accumulator that the steps of one come to from their common start, the folds are equal.

    Of a maximum or a minimum in some cases only: these are not on the other side of the start, so that in the other cases the
    start may be joined. None where neither is one. Ground as in `resting`, with an accumulator too. Lemma `fold relation`.
    """
    known = never_beyond(left) or never_beyond(right)
    if known is None or type_of(left) != type_of(right):
        return None
    index, acc = Var(f"{name}.k", INT), accumulator(left, name)
    one, two = (substitute(fold.body, {fold.acc: acc, fold.index: index}) for fold in (left, right))
    kept = conj(known(one), equal(one, two))
    differ = conj(at_most(integer(0), index), less(index, left.extent), known(acc), neg(kept))
    start = conj(equal(left.extent, right.extent), equal(left.init, right.init))
    return disj(neg(start), differ, equal(left, right))


def is_half(extent: Expr) -> bool:
    """Whether the extent is half of something."""
    match extent:
        case Apply(Operator.TDIV | Operator.FDIV, (_, Const(2))):
            return True
        case Cast(arg, type_) if is_integer(type_):
            return is_half(arg)
        case _:
            return False


def pairing(single: Fold, paired: Fold, name: str) -> list[Expr]:
    """If each step of `paired` is two of `single`, the one over n is the other over 2n; or over 2n + 1, the first taken before.

    Ground as in `resting`, with an accumulator too. Lemma `fold pairing`.
    """
    first = substitute(single.body, {single.acc: single.init, single.index: integer(0)})
    return [_paired(single, paired, more, start, f"{name}.{more}") for more, start in enumerate((single.init, first))]


def _paired(single: Fold, paired: Fold, more: int, start: Expr, name: str) -> Expr:
    index = Var(f"{name}.k", INT)
    acc = accumulator(single, name)
    even = plus(Apply(Operator.MUL, (integer(2), index)), integer(more))

    def step(before: Expr, at: Expr) -> Expr:
        return substitute(single.body, {single.acc: before, single.index: at})

    one = substitute(paired.body, {paired.acc: acc, paired.index: index})
    two = step(step(acc, even), plus(even, integer(1)))
    differ = conj(at_most(integer(0), index), less(index, paired.extent), neg(all_equal(one, two)))
    twice = plus(Apply(Operator.MUL, (integer(2), paired.extent)), integer(more))
    same_start = conj(at_most(integer(0), paired.extent), equal(single.extent, twice), all_equal(start, paired.init))
    return disj(neg(same_start), differ, all_equal(single, paired))
