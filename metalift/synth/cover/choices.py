"""Numbers of which a condition decides how they are computed: the target chooses first, and computes one side.

So an element is read only where its index is known to be inside, as in `k < n ? a[k] : 0`, and nothing is computed of an array
that may be empty before `if (n == 0) return 0;` has asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.arith.bounds import Facts, follows, learned
from metalift.ir.arith.intervals import interval, type_range
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, conj, disj, neg
from metalift.ir.expr.nodes import (
    FALSE,
    TRUE,
    Apply,
    Cast,
    Const,
    Expr,
    Ite,
    Length,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.expr.types import BoolType, MachineInt, TensorType, is_integer
from metalift.ir.expr.walk import map_children, scoped_children, subexpressions
from metalift.synth.cover.eager import certain, reads
from metalift.synth.cover.normal import normal


def choice_of_reads(term: Expr, step: bool = False) -> tuple[Expr, Ite] | None:
    """The outermost part of a number that decides by a condition which elements are read, and the choice that it is.

    That may be all elements of an array, where numbers alone decide: `if (n == 0) return 0;` before a loop. In a `step` of a loop
    it is every choice: what goes on to the next step is a plain number.
    """
    if isinstance(term, Ite) and (step or (not reads(term.cond) and (reads(term.then) or reads(term.other)))):
        return term, term
    everywhere = certain(term)
    for part in _by_itself(term):
        match part:
            case Ite(cond, then, other) if not _read(then) | _read(other) <= everywhere | certain(cond):
                return part, part
            case Apply(Operator.AND | Operator.OR as op, _):
                first, *others = sorted(_operands(op, part), key=_depth)
                if _depth(first) < _depth(others[-1]):
                    return part, Ite(first, conj(*others), FALSE) if op is Operator.AND else Ite(first, TRUE, disj(*others))
            case _:
                pass
    return None


def changed_where(value: Expr, old: Expr) -> tuple[Expr, Expr] | None:
    """Where a cell is changed, and to what: of a choice by sizes between another value and the `old` one. None for others."""
    if not isinstance(value, Ite) or old not in (value.then, value.other):
        return None
    cond, new = (value.cond, value.then) if value.other == old else (normal(neg(value.cond)), value.other)
    return (cond, new) if all(map(_of_sizes, subexpressions(cond))) else None


def _of_sizes(part: Expr) -> bool:
    """Whether it is an integer or a truth value that is computed of such numbers and of lengths only."""
    type_ = type_of(part)
    whole = is_integer(type_) or isinstance(type_, BoolType | TensorType)  # of an array there can only be its length
    return whole and isinstance(part, Var | Length | Const | Apply | Cast)


def _operands(op: Operator, cond: Expr) -> Iterator[Expr]:
    """The conditions that are joined by an operator, those of joined ones too."""
    for arg in cond.args if isinstance(cond, Apply) and cond.op is op else ():
        yield from _operands(op, arg) if isinstance(arg, Apply) and arg.op is op else (arg,)


def _depth(cond: Expr) -> int:
    """How many elements a condition reads: those that read fewer decide whether others are computed."""
    return sum(isinstance(part, Select) for part in subexpressions(cond))


def _by_itself(expr: Expr) -> Iterator[Expr]:
    """The parts that are computed once: those that no binder is around, each before its own parts."""
    yield expr
    for child, scope in scoped_children(expr):
        if not scope:
            yield from _by_itself(child)


def _read(expr: Expr) -> frozenset[Expr]:
    """The elements that are read by themselves."""
    return frozenset(part for part in _by_itself(expr) if isinstance(part, Select) and isinstance(part.tensor, Var))


def left_to_require(conditions: Iterable[Expr], known: Expr) -> Iterator[Expr]:
    """What of the conditions does not follow from the known one; where that says that two sizes differ, `a < b` is `a <= b`."""
    known = _without_conversions(known)
    facts, here = Facts((known,)), learned(known)
    for cond in conditions:
        match cond:
            case Apply(Operator.LT, (left, right)) if facts.nonzero(_gap(left, right)):
                wanted = at_most(left, right)
            case Apply(Operator.LE, (left, right)) if facts.nonzero(_gap(left, right) + 1):
                wanted = at_most(integer(0), (_gap(left, right) + 1).to_expr())
            case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)) if facts.nonzero(_gap(left, right)):
                continue
            case _:
                wanted = cond
        if not follows(wanted, here):
            yield wanted


def with_meant_conditions(value: Expr, driver: Driver) -> Expr:
    """A value of a program with the conditions of its choices as they are meant, without operators."""
    match value:
        case MakeTuple(items):
            return MakeTuple(tuple(with_meant_conditions(item, driver) for item in items))
        case Ite(cond, then, other):
            sides = (with_meant_conditions(side, driver) for side in (then, other))
            return Ite(_without_conversions(expand(cond, driver)), *sides)
        case _:
            return value


def _gap(left: Expr, right: Expr) -> Polynomial:
    return Polynomial.of(right) - Polynomial.of(left)


def _without_conversions(expr: Expr) -> Expr:
    """The condition with integers in place of their conversions to types that they fit, as of a length."""
    match expr:
        case Cast(arg, MachineInt() as type_) if is_integer(type_of(arg)) and interval(arg).within(type_range(type_)):
            return _without_conversions(arg)
        case _:
            return map_children(_without_conversions, expr)
