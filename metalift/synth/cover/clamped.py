"""Other ways to write an integer that is kept between bounds: a bound by itself around what its type bounds, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from metalift.ir.arith.intervals import Interval, interval, type_range
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, type_of
from metalift.ir.expr.types import MachineInt, is_integer
from metalift.synth.cover.normal_operators import cast_form

_EXTREMES = {Operator.MIN, Operator.MAX}


@dataclass(frozen=True, slots=True)
class _Kept:
    """A value of integers and the bounds that it is kept between; None where there is none on that side."""

    value: Expr
    low: int | None = None
    high: int | None = None

    def between(self, low: int | None, high: int | None, type_: MachineInt) -> Expr | None:
        """The value between these bounds, without those that it never passes, in the type; None where it may not fit."""
        known, result = interval(self.value), self.value
        if low is not None and (known.low is None or known.low < low):
            result = Apply(Operator.MAX, (result, Const(low, type_of(result))))
        if high is not None and (known.high is None or known.high > high):
            result = Apply(Operator.MIN, (result, Const(high, type_of(result))))
        reached = known.meet(Interval(low, high))
        return cast_form(result, type_) if reached.empty or reached.within(type_range(type_)) else None


def _kept(term: Expr) -> _Kept:
    match term:
        case Apply(Operator.MIN, (Apply(Operator.MAX, (value, Const(int() as low))), Const(int() as high))) if low <= high:
            return _Kept(value, low, high)
        case Apply(Operator.MIN, (value, Const(int() as high))):
            return _Kept(value, None, high)
        case Apply(Operator.MAX, (value, Const(int() as low))):
            return _Kept(value, low, None)
        case _:
            return _Kept(term)


def clamped(term: Expr) -> Iterator[Expr]:
    """Terms that are equal to one of a machine type: each bound of its own, around a value that the type bounds; the bounds of
    the operands of a minimum, maximum or absolute value; one bound where there are two inside each other.
    """
    type_ = type_of(term)
    if not isinstance(type_, MachineInt):
        return
    match term:
        case Cast(arg, _) if is_integer(type_of(arg)):
            yield from _apart(_kept(arg), type_)
        case Apply(op, (Cast(arg, _), Const(int() as bound))) if op in _EXTREMES and is_integer(type_of(arg)):
            inner = _kept(arg)
            if inner.low is not None and inner.high is not None and inner.low <= bound <= inner.high:
                low, high = (bound, inner.high) if op is Operator.MAX else (inner.low, bound)
                if (joined := inner.between(low, high, type_)) is not None:
                    yield joined


def _apart(kept: _Kept, type_: MachineInt) -> Iterator[Expr]:
    """What the readings of a value in a wider type are that is kept between bounds and then made one of the type."""
    if kept.low is not None and kept.high is not None and type_.low < kept.low <= kept.high < type_.high:
        whole = kept.between(type_.low, type_.high, type_)
        if whole is not None:
            yield Apply(Operator.MIN, (Apply(Operator.MAX, (whole, Const(kept.low, type_))), Const(kept.high, type_)))
    for op, bound, low, high in (
        (Operator.MAX, kept.low, type_.low, kept.high),
        (Operator.MIN, kept.high, kept.low, type_.high),
    ):
        if bound is not None and type_.low < bound < type_.high:
            part = kept.between(low, high, type_)
            if part is not None:
                yield Apply(op, (part, Const(bound, type_)))
    match kept.value:
        case Apply(Operator.ABS, (value,)):  # the greater one is 0 or more: the other may be cut off where the type begins
            both = kept if kept.low is not None else _Kept(kept.value, type_.low, kept.high)
            yield from _each(Operator.MAX, (value, Apply(Operator.NEG, (value,))), both, type_)
        case Apply(op, (one, other)) if op in _EXTREMES:
            yield from _each(op, (one, other), kept, type_)


def _each(op: Operator, values: tuple[Expr, Expr], kept: _Kept, type_: MachineInt) -> Iterator[Expr]:
    """The operands between the bounds, each by itself."""
    one, other = (_Kept(value).between(kept.low, kept.high, type_) for value in values)
    if one is not None and other is not None:
        yield Apply(op, (one, other))
