"""The ways in which a condition can be decided: each of its parts decides alone, once with either answer, and once at its border.

A way through a fragment says what a branch did, not why. `a and b` is true in one way and false in two; `a < b` is false where
they are equal, and where they are not. Conditions of values (`x if a and b else y`) are no branches at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from metalift.ir.expr.build import equal
from metalift.ir.expr.nodes import COMPARISONS, CONNECTIVES, Apply, Call, Cast, Expr, Ite, Item, Operator, Select, type_of
from metalift.ir.expr.types import RealType
from metalift.ir.expr.walk import children
from metalift.ir.program.fragment import Assign, Block, Branch, Return, Store

Answers = tuple[tuple[Expr, bool], ...]  # parts of a condition, and whether each holds
_MOST = 16  # ways to decide one condition
_INSIDE = Apply | Cast | Ite | Call | Item | Select  # what has no variables of its own


@dataclass(frozen=True, slots=True)
class Question:
    """A condition of a block, and the answers with which it is decided in its different ways."""

    cond: Expr
    ways: tuple[Answers, ...]

    @property
    def parts(self) -> Iterator[Expr]:
        """Everything that is asked."""
        return (part for way in self.ways for part, _ in way)


def questions_of(block: Block) -> list[Question]:
    """The conditions of a block's branch and values."""
    asked = [cond for expr in _expressions(block) for cond in _conditions(expr)]
    if isinstance(block.end, Branch):
        asked.append(block.end.cond)
    return [Question(cond, tuple(dict.fromkeys(_ways(cond)))[:_MOST]) for cond in dict.fromkeys(asked)]


def _expressions(block: Block) -> Iterator[Expr]:
    for statement in block.body:
        match statement:
            case Assign(_, value) | Store(_, _, value):
                yield value
            case _:
                pass
    for edge in block.edges:
        yield from edge.args
    if isinstance(block.end, Return) and block.end.value is not None:
        yield block.end.value


def _conditions(expr: Expr) -> Iterator[Expr]:
    """The outermost conditions in a value."""
    if not isinstance(expr, _INSIDE):
        return
    if isinstance(expr, Apply) and (expr.op in CONNECTIVES or expr.op in COMPARISONS):
        yield expr
        return
    for child in children(expr):
        yield from _conditions(child)


def _ways(cond: Expr) -> Iterator[Answers]:
    for wanted in (True, False):
        for way in _deciding(cond, wanted):
            yield way
            yield from _at_borders(way)


def _deciding(cond: Expr, wanted: bool) -> Iterator[Answers]:
    """For each part that can decide the condition, it deciding while the others do not."""
    match cond:
        case Apply(Operator.NOT, (arg,)):
            yield from _deciding(arg, not wanted)
        case Apply(Operator.AND | Operator.OR as op, args):
            alone = (op is Operator.OR) == wanted  # one operand is enough
            others = [next(_deciding(arg, not wanted if alone else wanted)) for arg in args]
            for at, arg in enumerate(args):
                for way in islice(_deciding(arg, wanted), _MOST):
                    yield sum((*others[:at], way, *others[at + 1 :]), ())
        case _:
            yield ((cond, wanted),)


def _at_borders(way: Answers) -> Iterator[Answers]:
    """The same with both sides of a comparison equal, for each that is then as it has to be; of reals, rounding would decide."""
    for part, wanted in way:
        match part:
            case Apply(Operator.LT | Operator.LE as op, (left, right)) if (op is Operator.LE) == wanted and not _is_real(left):
                yield (*way, (equal(left, right), True))
            case _:
                pass


def _is_real(expr: Expr) -> bool:
    return isinstance(type_of(expr), RealType)
