"""Which integers a term can be, from the ranges of machine types and the shape of the term."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from metalift.ir.nodes import Apply, Cast, Const, Expr, Ite, Operator, type_of
from metalift.ir.polynomial import strip_casts, widens
from metalift.ir.types import MachineInt, is_integer
from metalift.ir.walk import map_children


@dataclass(frozen=True, slots=True)
class Interval:
    """Integers from low to high; None is no bound."""

    low: int | None = None
    high: int | None = None

    def within(self, other: Interval) -> Interval:
        """The common part."""
        lows = [each for each in (self.low, other.low) if each is not None]
        highs = [each for each in (self.high, other.high) if each is not None]
        return Interval(max(lows, default=None), min(highs, default=None))

    def union(self, other: Interval) -> Interval:
        """The least interval that holds both."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Interval(low, high)

    def plus(self, other: Interval) -> Interval:
        """Sums."""
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Interval(low, high)

    def negative(self) -> Interval:
        """The numbers with the other sign."""
        return Interval(None if self.high is None else -self.high, None if self.low is None else -self.low)

    def times(self, other: Interval) -> Interval:
        """Products; without all four bounds only the sign of two non-negative factors is kept."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            positive = self.low is not None and other.low is not None and self.low >= 0 and other.low >= 0
            return Interval(0, None) if positive else ANY
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(corners), max(corners))

    @property
    def has_zero(self) -> bool:
        """Whether zero may be a value."""
        return (self.low is None or self.low <= 0) and (self.high is None or self.high >= 0)


ANY = Interval()
MAX_SHIFT = 64
Known = Mapping[Expr, Interval]


def interval(expr: Expr, known: Known) -> Interval:
    """The range of an integer term; `known` has ranges of subterms without casts that hold here."""
    own = known.get(strip_casts(expr), ANY)
    type_ = type_of(expr)
    if isinstance(type_, MachineInt):  # a value outside its type is undefined in the source
        own = own.within(Interval(type_.low, type_.high))
    return _of(expr, known).within(own)


def fits(expr: Expr, type_: MachineInt) -> bool:
    """Whether an integer term is visibly always one of the type's."""
    whole = Interval(type_.low, type_.high)
    return is_integer(type_of(expr)) and interval(expr, {}).union(whole) == whole


def with_shifts(expr: Expr) -> Expr:
    """The term with shifts for divisions of what is never negative by powers of two."""
    match map_children(with_shifts, expr):
        case Apply(Operator.TDIV | Operator.FDIV, (value, Const(int() as divisor, type_))) as division if divisor > 0:
            low = interval(value, {}).low
            if divisor & (divisor - 1) == 0 and low is not None and low >= 0:
                return Apply(Operator.SHR, (value, Const(divisor.bit_length() - 1, type_)))
            return division
        case other:
            return other


def with_bounds_of(pattern: Expr, expr: Expr) -> Expr:
    """The term with both of the pattern's bounds, where it has one of them and never passes the other; else as it stands."""
    match (pattern, expr):
        case (
            Apply(Operator.MIN, (Apply(Operator.MAX, (_, Const() as low)), Const() as high)),
            Apply(op, (value, Const() as bound)),
        ):
            if not is_integer(type_of(value)) or low.type != bound.type:
                return expr
            passes = interval(value, {})
            above = op is Operator.MIN and bound == high and passes.low is not None and passes.low >= low.value
            below = op is Operator.MAX and bound == low and passes.high is not None and passes.high <= high.value
            written = isinstance(value, Apply) and value.op is Operator.MAX and value.args[1] == low
            if (above and not written) or below:
                return Apply(Operator.MIN, (Apply(Operator.MAX, (value, low)), high))
            return expr
        case _:
            return expr


def _of(expr: Expr, known: Known) -> Interval:
    match expr:
        case Const(value, _):
            return Interval(int(value), int(value))
        case Cast(arg, type_) if is_integer(type_of(arg)):
            inner = interval(arg, known)
            whole = Interval(type_.low, type_.high) if isinstance(type_, MachineInt) else ANY
            return inner if widens(type_of(arg), type_) or whole.union(inner) == whole else ANY
        case Ite(cond, then, other):
            return interval(then, refine(cond, known, holds=True)).union(interval(other, refine(cond, known, holds=False)))
        case Apply(op, args) if all(is_integer(type_of(arg)) for arg in args):
            return _apply(op, [interval(arg, known) for arg in args])
        case _:
            return ANY


def _apply(op: Operator, args: list[Interval]) -> Interval:
    match op, args:
        case Operator.ADD, [a, b]:
            return a.plus(b)
        case Operator.SUB, [a, b]:
            return a.plus(b.negative())
        case Operator.MUL, [a, b]:
            return a.times(b)
        case Operator.NEG, [a]:
            return a.negative()
        case Operator.MIN | Operator.MAX, [a, b]:
            return _extremum(op, a, b)
        case Operator.ABS, [a]:
            return a.union(a.negative()).within(Interval(0, None))
        case _:
            return _divided(op, args)


def _extremum(op: Operator, a: Interval, b: Interval) -> Interval:
    if op is Operator.MAX:
        return _extremum(Operator.MIN, a.negative(), b.negative()).negative()
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    highs = [each for each in (a.high, b.high) if each is not None]
    return Interval(low, min(highs, default=None))


def _divided(op: Operator, args: list[Interval]) -> Interval:
    """Division, remainder and bits of non-negative numbers."""
    if len(args) != 2 or any(each.low is None or each.low < 0 for each in args):
        return ANY
    a, b = args
    match op:
        case Operator.TDIV | Operator.FDIV | Operator.SHR:
            return Interval(0, a.high)
        case Operator.TREM | Operator.FMOD:
            return Interval(0, None if b.high is None else max(0, b.high - 1))
        case Operator.BITAND:
            return Interval(0, a.high).within(Interval(0, b.high))
        case Operator.BITOR | Operator.BITXOR if a.high is not None and b.high is not None:
            return Interval(0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1)
        case Operator.SHL if a.high is not None and b.high is not None and b.high < MAX_SHIFT:
            return Interval(0, a.high << b.high)
        case _:
            return ANY


def refine(cond: Expr, known: Known, *, holds: bool) -> Known:
    """The ranges where the condition holds, or where it does not."""
    match cond:
        case Apply(Operator.NOT, (arg,)):
            return refine(arg, known, holds=not holds)
        case Apply(Operator.AND, args) if holds:
            for arg in args:
                known = refine(arg, known, holds=True)
            return known
        case Apply(Operator.OR, args) if not holds:
            for arg in args:
                known = refine(arg, known, holds=False)
            return known
        case Apply(Operator.EQ | Operator.LT | Operator.LE as op, (left, right)) if is_integer(type_of(left)):
            return _compare(op, left, right, known, holds=holds)
        case _:
            return known


def _compare(op: Operator, left: Expr, right: Expr, known: Known, *, holds: bool) -> Known:
    a, b = interval(left, known), interval(right, known)
    if op is Operator.EQ:
        if holds:
            both = a.within(b)
            return {**known, strip_casts(left): both, strip_casts(right): both}
        return {**known, strip_casts(left): _except(a, b), strip_casts(right): _except(b, a)}
    if not holds:  # not a < b is b <= a
        op, left, right, a, b = (Operator.LE if op is Operator.LT else Operator.LT), right, left, b, a
    gap = 1 if op is Operator.LT else 0
    upper = Interval(None, None if b.high is None else b.high - gap)
    lower = Interval(None if a.low is None else a.low + gap, None)
    return {**known, strip_casts(left): a.within(upper), strip_casts(right): b.within(lower)}


def _except(a: Interval, b: Interval) -> Interval:
    """What is left of a when it differs from the single value of b."""
    if b.low is None or b.low != b.high:
        return a
    low = b.low + 1 if a.low == b.low else a.low
    high = b.low - 1 if a.high == b.low else a.high
    return Interval(low, high)


def decided(cond: Expr, known: Known) -> bool:
    """Whether the condition holds for all values in the ranges; false also where that is not known."""
    match cond:
        case Const(value, _):
            return bool(value)
        case Apply(Operator.AND, args):
            return all(decided(arg, known) for arg in args)
        case Apply(Operator.OR, args):
            return any(decided(arg, known) for arg in args)
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if is_integer(type_of(left)):
            difference = interval(left, known).plus(interval(right, known).negative())
            return not difference.has_zero
        case Apply(Operator.LT | Operator.LE as op, (left, right)) if is_integer(type_of(left)):
            a, b = interval(left, known), interval(right, known)
            return a.high is not None and b.low is not None and a.high + (op is Operator.LT) <= b.low
        case _:
            return False
