"""What to change of an input so that a condition of it holds, or does not: a few proposals, the nearest first.

Nothing is promised of a proposal: who asks evaluates the condition again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, floor, isqrt, sqrt

from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import STRING, BoolType, IntType, MachineInt, RealType, Type, is_integer
from metalift.ir.interp.identities import content, of_text
from metalift.ir.interp.interpret import Value
from metalift.run.inputs.concrete import Scalar, rounded

Change = tuple[Var, Scalar]
_SHARES = (8, 64, 1024, 2**15, 2**20, 2**35)  # parts of a real's size by which it is changed
_WIDEST = 64  # bits by which integers are shifted
_STEPS = (0, 1, 2)  # from an integer that an operand is to be less than


@dataclass(frozen=True, slots=True)
class Inverse:
    """Proposals for conditions, of which `value` tells the values now. `texts` are strings that may be needed."""

    value: Callable[[Expr], Value | None]
    texts: Sequence[int] = ()

    def changes(self, cond: Expr, wanted: bool) -> Iterator[Change]:
        """What may make the condition be as wanted, one change at a time."""
        match cond:
            case Var():
                yield cond, wanted
            case Apply(Operator.NOT, (arg,)):
                yield from self.changes(arg, not wanted)
            case Apply(Operator.AND | Operator.OR as op, args):
                whole = (op is Operator.AND) == wanted  # whether all operands have to be as wanted
                for arg in args:
                    if not whole or bool(self.value(arg)) != wanted:
                        yield from self.changes(arg, wanted)
            case Apply(Operator.LT | Operator.LE | Operator.EQ as op, (left, right)):
                yield from self._compared(op, left, right, wanted)
            case Ite(test, then, other):
                yield from self.changes(then if self.value(test) else other, wanted)
                yield from self.changes(test, not self.value(test))
            case Call(_, args):
                yield from chain(*map(self._other_text, args))
            case _:
                return

    def _compared(self, op: Operator, left: Expr, right: Expr, wanted: bool) -> Iterator[Change]:
        """Either operand, brought to where the other one is or beside it."""
        one, two = self.value(left), self.value(right)
        if isinstance(type_of(left), BoolType):
            if one is not None and two is not None:
                yield from self.changes(left, bool(two) == wanted)
                yield from self.changes(right, bool(one) == wanted)
            return
        if op is Operator.EQ:
            for expr, target in ((left, two), (right, one)):
                for goal in (target,) if wanted else self._others(target, type_of(expr)):
                    yield from self.reaching(expr, goal)
            return
        below = wanted  # whether the left one is to be the smaller one
        touching = (op is Operator.LE) == wanted  # whether they may be equal
        for expr, target, sign in ((left, two, -1 if below else 1), (right, one, 1 if below else -1)):
            for goal in _beside(target, type_of(expr), sign, touching):
                yield from self.reaching(expr, goal)

    def _others(self, value: Value | None, type_: Type) -> Iterator[Value]:
        """Values that are not this one."""
        if is_integer(type_) and isinstance(value, int):
            yield from (value + 1, value - 1)
        elif isinstance(type_, RealType) and isinstance(value, Fraction):
            yield from (value + 1, value - 1)
        elif type_ == STRING and isinstance(value, int):
            yield from (text for text in self.texts if text != value)
            text = content(value)
            yield of_text(f"{text}." if isinstance(text, str) else "a")

    def _other_text(self, expr: Expr) -> Iterator[Change]:
        """Other strings for what a function that is not known is given."""
        if isinstance(expr, Var) and expr.type == STRING:
            yield from ((expr, text) for text in self.texts)

    def reaching(self, expr: Expr, goal: Value | None) -> Iterator[Change]:  # noqa: C901 (one case for each node)
        """What may make the expression have a value."""
        if goal is None:
            return
        match expr:
            case Var(_, type_):
                made = _as_type(goal, type_)
                if made is not None:
                    yield expr, made
            case Apply(op, (arg,)) if isinstance(goal, int | Fraction):
                for inner in (-goal,) if op is Operator.NEG else (goal, -goal):
                    yield from self.reaching(arg, inner)
            case Apply(op, (left, right)) if isinstance(goal, int | Fraction):
                yield from self._operands(op, left, right, goal)
            case Cast(arg, _) if isinstance(type_of(arg), BoolType):
                yield from self.changes(arg, bool(goal))
            case Cast(arg, _) if is_integer(type_of(arg)) and isinstance(goal, int | Fraction):
                for inner in dict.fromkeys((floor(goal), ceil(goal))):
                    yield from self.reaching(arg, inner)
            case Cast(arg, _) if isinstance(goal, int | Fraction):
                yield from self.reaching(arg, Fraction(goal))
            case Ite(test, then, other):
                chosen, left = (then, other) if self.value(test) else (other, then)
                if self.value(left) == goal:
                    yield from self.changes(test, not self.value(test))
                yield from self.reaching(chosen, goal)
                yield from self.changes(test, not self.value(test))
            case Call("sqrt", (arg,)) if isinstance(goal, int | Fraction):
                yield from self.reaching(arg, Fraction(goal) * Fraction(goal))
            case Call(_, args):
                # a record that is made of its parts is that one when they are; of others nothing is known
                parts = content(int(goal)) if isinstance(goal, int) else None
                if isinstance(parts, tuple) and len(parts) == len(args):
                    for arg, part in zip(args, parts, strict=True):
                        if self.value(arg) != part:
                            yield from self.reaching(arg, part)
            case _:
                return

    def _operands(self, op: Operator, left: Expr, right: Expr, goal: int | Fraction) -> Iterator[Change]:
        """Either operand, with the other one as it is."""
        one, two = self.value(left), self.value(right)
        if not isinstance(one, int | Fraction) or not isinstance(two, int | Fraction):
            return
        if op is Operator.MUL and left == right and goal >= 0:
            for root in (isqrt(ceil(goal)), Fraction(sqrt(goal))):
                yield from self.reaching(left, root)
                yield from self.reaching(left, -root)
        for inner in _lefts(op, one, two, goal):
            yield from self.reaching(left, inner)
        if isinstance(right, Const):
            return
        for inner in _rights(op, one, goal):
            yield from self.reaching(right, inner)


def _beside(value: Value | None, type_: Type, sign: int, touching: bool) -> Iterator[Value]:
    """Values on one side of a value, the nearest first; of reals also such that no rounding brings back."""
    if is_integer(type_) and isinstance(value, int):
        yield from (value + sign * step for step in _STEPS if step or touching)
    elif isinstance(type_, RealType) and isinstance(value, int | Fraction):
        shares = [abs(Fraction(value)) / share for share in _SHARES]
        yield from (value + sign * step for step in (*shares, Fraction(1), Fraction(0)) if step or touching)


def _lefts(op: Operator, left: int | Fraction, right: int | Fraction, goal: int | Fraction) -> Iterator[int | Fraction]:
    """Values of a left operand with which the result is near the goal."""
    match op:
        case Operator.ADD:
            yield goal - right
        case Operator.SUB:
            yield goal + right
        case Operator.MUL if right:
            yield from _quotients(goal, right)
        case Operator.DIV | Operator.TDIV | Operator.FDIV if right:
            yield from (goal * right, goal * right + right - 1, goal * right - right + 1)
        case Operator.TREM | Operator.FMOD if right and isinstance(left, int) and isinstance(right, int):
            up = (int(goal) - left) % abs(right)
            yield from (left + up, left + up - abs(right), goal, left + up + abs(right))
        case Operator.MIN | Operator.MAX | Operator.BITOR:
            yield goal
        case _ if isinstance(left, int) and isinstance(right, int):
            yield from _bits(op, left, right, int(goal))
        case _:
            return


def _bits(op: Operator, left: int, right: int, goal: int) -> Iterator[int | Fraction]:
    """As `_lefts`, for operators on the digits of integers."""
    match op:
        case Operator.SHL if 0 <= right < _WIDEST:
            yield from _quotients(goal, 2**right)
        case Operator.SHR if 0 <= right < _WIDEST:
            yield goal * 2**right
        case Operator.BITAND:
            yield (left & ~right) | (goal & right)
        case Operator.BITXOR:
            yield goal ^ right
        case _:
            return


def _rights(op: Operator, left: int | Fraction, goal: int | Fraction) -> Iterator[int | Fraction]:
    """Values of a right operand with which the result is near the goal."""
    match op:
        case Operator.ADD:
            yield goal - left
        case Operator.SUB:
            yield left - goal
        case Operator.MUL if left:
            yield from _quotients(goal, left)
        case Operator.DIV | Operator.TDIV | Operator.FDIV if goal:
            yield from _quotients(left, goal)
        case Operator.TREM | Operator.FMOD if isinstance(left, int):
            yield from (left - int(goal), left + 1)
        case Operator.MIN | Operator.MAX | Operator.BITOR:
            yield goal
        case Operator.BITAND | Operator.BITXOR if isinstance(left, int):
            yield int(goal) if op is Operator.BITAND else int(goal) ^ left
        case _:
            return


def _quotients(value: int | Fraction, by: int | Fraction) -> Iterator[int | Fraction]:
    """The quotient, or of integers those beside it."""
    exact = Fraction(value) / Fraction(by)
    if isinstance(value, int) and isinstance(by, int):
        yield from dict.fromkeys((floor(exact), ceil(exact)))
    else:
        yield exact


def _as_type(value: Value, type_: Type) -> Scalar | None:
    """The value as one of a variable of the type; None where it is none."""
    match type_:
        case BoolType():
            return bool(value)
        case MachineInt(_, _) if isinstance(value, int):
            return int(value) if type_.low <= value <= type_.high else None
        case IntType() if isinstance(value, int):
            return int(value)
        case RealType(bits) if isinstance(value, int | Fraction):
            try:
                return rounded(float(value), bits)
            except OverflowError:
                return None
        case _:
            return None
