"""Between which integers the value of an expression lies, wherever it has a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Ite, Length, Operator, Var, type_of
from metalift.ir.expr.types import BoolType, MachineInt, Type, is_integer
from metalift.ir.expr.walk import free_vars


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from `low` to `high`; None is no bound on that side."""

    low: int | None = None
    high: int | None = None

    @property
    def constant(self) -> int | None:
        """The only integer in it, if there is just one."""
        return self.low if self.low == self.high else None

    def within(self, other: Interval) -> bool:
        """Whether it is part of the other one."""
        low = other.low is None or (self.low is not None and other.low <= self.low)
        return low and (other.high is None or (self.high is not None and self.high <= other.high))

    def meet(self, other: Interval) -> Interval:
        """The integers in both."""
        return Interval(_pick(max, self.low, other.low), _pick(min, self.high, other.high))

    def join(self, other: Interval) -> Interval:
        """The least interval around both."""
        return Interval(_both(min, self.low, other.low), _both(max, self.high, other.high))

    @property
    def nonnegative(self) -> bool:
        """Whether it has no negative number."""
        return self.low is not None and self.low >= 0

    @property
    def has_zero(self) -> bool:
        """Whether zero may be a value."""
        return not self.meet(Interval(0, 0)).empty

    @property
    def empty(self) -> bool:
        """Whether there is no integer in it."""
        return self.low is not None and self.high is not None and self.low > self.high

    def differing(self, other: Interval) -> Interval:
        """What is left of it for a number that differs from the other one, if that is known."""
        if other.constant is None:
            return self
        low = other.constant + 1 if self.low == other.constant else self.low
        high = other.constant - 1 if self.high == other.constant else self.high
        return Interval(low, high)


Ranges: TypeAlias = Mapping[Expr, Interval]
EVERYTHING = Interval()
NO_RANGES: Ranges = {}

_MOST_BITS = 256  # bits of a bound; a longer one is given up


def _pick(choose: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    """The bound where one side suffices."""
    if left is None or right is None:
        return right if left is None else left
    return choose(left, right)


def _both(choose: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    """The bound where both sides are needed."""
    return None if left is None or right is None else choose(left, right)


LONGEST = (1 << 63) - 1  # elements of an array: no object is larger than PTRDIFF_MAX


def type_range(type_: Type) -> Interval:
    """All values of an integer type; of Bool as 0 and 1."""
    if isinstance(type_, MachineInt):
        return Interval(type_.low, type_.high)
    return Interval(0, 1) if isinstance(type_, BoolType) else EVERYTHING


def interval(expr: Expr, ranges: Ranges = NO_RANGES) -> Interval:
    """Where the value of an expression of integer type lies, wherever it has a value.

    `ranges` are known ranges of variables or of other subexpressions.
    """
    if not ranges:
        return _alone(expr)
    if not isinstance(ranges, _Learned):
        return _within(expr, ranges)
    if expr not in ranges.found:
        ranges.found[expr] = _within(expr, ranges)
    return ranges.found[expr]


class _Learned(dict[Expr, Interval]):
    """Ranges that are not changed any more, with what was found by them: a part of a term is asked for often."""

    def __init__(self, ranges: Ranges) -> None:
        super().__init__(ranges)
        self.found: dict[Expr, Interval] = {}


@lru_cache(maxsize=1 << 14)
def _alone(expr: Expr) -> Interval:
    return _within(expr, NO_RANGES)


def _within(expr: Expr, ranges: Ranges) -> Interval:
    found = _bounded(_of(expr, ranges)).meet(type_range(type_of(expr)))
    known = ranges.get(expr)
    return found.meet(known) if known is not None else found


def _bounded(found: Interval) -> Interval:
    low = found.low if found.low is not None and found.low.bit_length() <= _MOST_BITS else None
    high = found.high if found.high is not None and found.high.bit_length() <= _MOST_BITS else None
    return Interval(low, high)


def _of(expr: Expr, ranges: Ranges) -> Interval:
    match expr:
        case Const(value, _):
            return Interval(int(value), int(value))
        case Cast(arg, type_):
            return _cast(arg, type_, ranges)
        case Ite(cond, then, other):
            yes, no = refine(ranges, cond, True), refine(ranges, cond, False)
            return interval(then, yes).join(interval(other, no))
        case Length():
            return Interval(0, LONGEST)
        case Apply(op, args):
            return combined(op, *(interval(arg, ranges) for arg in args))
        case Fold():
            return _fold(expr, ranges)
        case _:
            return EVERYTHING


def _fold(fold: Fold, ranges: Ranges) -> Interval:
    """A fold that keeps the range of its first value has that range; a sum has that of as many terms as there can be."""
    start = interval(fold.init, ranges)
    match fold.body:
        case Apply(Operator.ADD, (acc, term)) if acc == fold.acc:
            index = index_range(fold.extent, ranges)
            one = interval(term, {**without(ranges, fold.acc, fold.index), fold.index: index})
            if index.high is not None:
                steps = Interval(0, max(0, index.high + 1))
                return _add(start, _multiply(steps, one))
        case _:
            pass
    for guess in (start, Interval(start.low, None), Interval(None, start.high)):
        inner = {**without(ranges, fold.acc, fold.index), fold.acc: guess, fold.index: index_range(fold.extent, ranges)}
        if interval(fold.body, inner).within(guess):
            return guess
    return EVERYTHING


def _cast(arg: Expr, type_: Type, ranges: Ranges) -> Interval:
    source = type_of(arg)
    if isinstance(source, BoolType):
        return Interval(0, 1) if Interval(0, 1).within(type_range(type_)) else EVERYTHING
    if not is_integer(source):
        return EVERYTHING
    inner = interval(arg, ranges)
    return inner if inner.within(type_range(type_)) else EVERYTHING


def index_range(extent: Expr, ranges: Ranges) -> Interval:
    """The values of a binder that runs from 0 below the extent."""
    high = interval(extent, ranges).high
    return Interval(0, None if high is None else high - 1)


def without(ranges: Ranges, *binders: Var) -> dict[Expr, Interval]:
    """What is still known where the binders hide variables of the same name."""
    return {expr: found for expr, found in ranges.items() if free_vars(expr).isdisjoint(binders)}


def refine(ranges: Ranges, cond: Expr, holds: bool) -> Ranges:
    """What is known where the condition holds, or where it does not."""
    match cond:
        case Apply(Operator.NOT, (arg,)):
            return refine(ranges, arg, not holds)
        case Apply(Operator.AND, args) if holds:
            return _refine_all(ranges, args, True)
        case Apply(Operator.OR, args) if not holds:
            return _refine_all(ranges, args, False)
        case Apply(Operator.LT | Operator.LE | Operator.EQ as op, (left, right)) if is_integer(type_of(left)):
            return _refine_comparison(ranges, op, left, right, holds)
        case _:
            return ranges


def _refine_all(ranges: Ranges, conditions: tuple[Expr, ...], hold: bool) -> Ranges:
    for condition in conditions:
        ranges = refine(ranges, condition, hold)
    return ranges


def _refine_comparison(ranges: Ranges, op: Operator, left: Expr, right: Expr, holds: bool) -> Ranges:
    a, b = interval(left, ranges), interval(right, ranges)
    if op is Operator.EQ:
        if not holds:
            a, b = b.differing(a), a.differing(b)
        return _learn(_learn(ranges, left, b), right, a)
    if not holds:  # right < left or right <= left
        left, right, a, b = right, left, b, a
        op = Operator.LE if op is Operator.LT else Operator.LT
    gap = 1 if op is Operator.LT else 0
    upper = None if b.high is None else b.high - gap
    lower = None if a.low is None else a.low + gap
    return _learn(_learn(ranges, left, Interval(None, upper)), right, Interval(lower, None))


def _learn(ranges: Ranges, expr: Expr, found: Interval) -> Ranges:
    """Adds what is known about an expression, and about what it casts without changing the value."""
    inner = strip_casts(expr)
    if isinstance(inner, Const) or found == EVERYTHING:
        return ranges
    before = interval(inner, ranges)
    known = before.meet(found)
    if known == before and interval(expr, ranges).within(known):
        return ranges
    return _Learned({**ranges, inner: known, expr: known})


def combined(op: Operator, *args: Interval) -> Interval:
    """Where the exact result of an operator lies, by where its operands do."""
    if len(args) == 1:
        (arg,) = args
        return _negated(arg) if op is Operator.NEG else _absolute(arg)
    left, right = args
    rule = _RULES.get(op)
    return rule(left, right) if rule else EVERYTHING


def _negated(arg: Interval) -> Interval:
    return Interval(None if arg.high is None else -arg.high, None if arg.low is None else -arg.low)


def _absolute(arg: Interval) -> Interval:
    if arg.nonnegative:
        return arg
    negated = _negated(arg)
    return negated if negated.nonnegative else Interval(0, arg.join(negated).high)


def _add(left: Interval, right: Interval) -> Interval:
    return Interval(_both(int.__add__, left.low, right.low), _both(int.__add__, left.high, right.high))


def _subtract(left: Interval, right: Interval) -> Interval:
    return _add(left, _negated(right))


def _multiply(left: Interval, right: Interval) -> Interval:
    if None not in (left.low, left.high, right.low, right.high):
        return _corners(left, right, int.__mul__)
    if left.nonnegative and right.nonnegative:
        return Interval(_both(int.__mul__, left.low, right.low), None)
    for factor, other in ((left.constant, right), (right.constant, left)):
        if factor is not None:
            ends = Interval(
                None if other.low is None else factor * other.low, None if other.high is None else factor * other.high
            )
            return ends if factor >= 0 else Interval(ends.high, ends.low)
    return EVERYTHING


def _corners(left: Interval, right: Interval, function: Callable[[int, int], int]) -> Interval:
    """The range of a function that is monotonic in each argument, whose ranges are bounded."""
    found = [function(a, b) for a in (left.low, left.high) for b in (right.low, right.high) if a is not None and b is not None]
    return Interval(min(found), max(found))


def _quotient(left: Interval, right: Interval) -> Interval:
    """tdiv and // by a positive number do not leave the range between 0 (or -1) and the dividend."""
    if right.low is not None and right.low >= 1:
        if right.constant is not None and left.nonnegative:
            return Interval(
                None if left.low is None else left.low // right.low, None if left.high is None else left.high // right.low
            )
        low = None if left.low is None else min(left.low, 0)
        high = None if left.high is None else max(left.high, 0)
        return Interval(low, high)
    if left.low is None or left.high is None:
        return EVERYTHING
    largest = max(abs(left.low), abs(left.high))
    return Interval(-largest, largest)


def _trem(left: Interval, right: Interval) -> Interval:
    """The sign of the dividend, and smaller than the divisor."""
    low = 0 if left.nonnegative else left.low
    high = 0 if left.high is not None and left.high <= 0 else left.high
    found = Interval(low, high)
    size = _absolute(right).high
    if size is None or size == 0:
        return found
    return found.meet(Interval(0 if left.nonnegative else 1 - size, size - 1))


def _fmod(left: Interval, right: Interval) -> Interval:
    """The sign of the divisor, and smaller than it."""
    high = None if right.high is None else max(right.high - 1, 0)
    low = None if right.low is None else min(right.low + 1, 0)
    found = Interval(low, high)
    return found.meet(Interval(0, left.high)) if left.nonnegative and right.nonnegative else found


def _shift_left(left: Interval, right: Interval) -> Interval:
    if right.high is None or right.high > _MOST_BITS or None in (left.low, left.high):
        return Interval(0, None) if left.nonnegative else EVERYTHING
    return _corners(left, Interval(max(right.low or 0, 0), max(right.high, 0)), int.__lshift__)


def _shift_right(left: Interval, right: Interval) -> Interval:
    if left.low is None or left.high is None:
        return Interval(0, left.high) if left.nonnegative else EVERYTHING
    least = max(right.low or 0, 0)
    most = left.high.bit_length() + left.low.bit_length() if right.high is None else max(right.high, least)
    return _corners(left, Interval(min(least, _MOST_BITS), min(most, _MOST_BITS)), int.__rshift__)


def _bit_and(left: Interval, right: Interval) -> Interval:
    if left.nonnegative and right.nonnegative:
        return Interval(0, _pick(min, left.high, right.high))
    if left.nonnegative:
        return Interval(0, left.high)
    return Interval(0, right.high) if right.nonnegative else _signed_bits(left, right)


def _bit_or(left: Interval, right: Interval) -> Interval:
    if not (left.nonnegative and right.nonnegative):
        return _signed_bits(left, right)
    high = None if left.high is None or right.high is None else (1 << max(left.high, right.high).bit_length()) - 1
    return Interval(_pick(max, left.low, right.low), high)


def _bit_xor(left: Interval, right: Interval) -> Interval:
    found = _bit_or(left, right)
    return Interval(0, found.high) if left.nonnegative and right.nonnegative else found


def _signed_bits(left: Interval, right: Interval) -> Interval:
    """The numbers of as many bits as the longer operand."""
    bounds = (left.low, left.high, right.low, right.high)
    if None in bounds:
        return EVERYTHING
    bits = max((bound if bound >= 0 else -bound - 1).bit_length() for bound in bounds if bound is not None)
    return Interval(-(1 << bits), (1 << bits) - 1)


def _minimum(left: Interval, right: Interval) -> Interval:
    return Interval(_both(min, left.low, right.low), _pick(min, left.high, right.high))


def _maximum(left: Interval, right: Interval) -> Interval:
    return Interval(_pick(max, left.low, right.low), _both(max, left.high, right.high))


_RULES: dict[Operator, Callable[[Interval, Interval], Interval]] = {
    Operator.ADD: _add,
    Operator.SUB: _subtract,
    Operator.MUL: _multiply,
    Operator.TDIV: _quotient,
    Operator.FDIV: _quotient,
    Operator.TREM: _trem,
    Operator.FMOD: _fmod,
    Operator.SHL: _shift_left,
    Operator.SHR: _shift_right,
    Operator.BITAND: _bit_and,
    Operator.BITOR: _bit_or,
    Operator.BITXOR: _bit_xor,
    Operator.MIN: _minimum,
    Operator.MAX: _maximum,
}
