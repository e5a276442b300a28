"""Making terms safe for eager evaluation.

A tensor operator computes all its arguments for all elements, so a division that the source makes only under a condition would
be made everywhere. Its divisor becomes 1 where the condition does not hold; the choice around it drops those results. In the same
way an element that is read under a condition is another one elsewhere, the first, which is there if the array has any.
"""

from __future__ import annotations

from metalift.ir.arith.intervals import NO_RANGES, interval, refine
from metalift.ir.expr.build import conj, neg
from metalift.ir.expr.nodes import Apply, Expr, Ite, Operator, Select, Var, integer, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.expr.walk import children, map_children, subexpressions
from metalift.synth.cover.normal import normal
from metalift.synth.cover.regrouped import number

DIVISIONS = frozenset({Operator.TDIV, Operator.TREM, Operator.FDIV, Operator.FMOD})
Path = tuple[tuple[Expr, bool], ...]  # conditions, and whether they hold


def safe_divisors(expr: Expr) -> Expr:
    """The term, equal wherever it is defined, without integer division by what only a condition keeps from being zero."""
    return normal(_safe(expr, ()))


def _safe(expr: Expr, path: Path) -> Expr:
    match expr:
        case Ite(cond, then, other):
            return Ite(
                _safe(cond, path),
                _safe(then, (*path, (cond, True))),
                _safe(other, (*path, (cond, False))),
            )
        case Apply(op, (left, right)) if op in DIVISIONS and path and is_integer(type_of(right)):
            divisor = _safe(right, path)
            if interval(right).has_zero:
                divisor = _guarded(divisor, path)
            return Apply(op, (_safe(left, path), divisor))
        case _:
            return map_children(lambda child: _safe(child, path), expr)


def safe_reads(expr: Expr) -> Expr:
    """The term, equal wherever it is defined, in which elements that conditions on indices guard are read at 0 elsewhere."""
    return normal(_masked(expr, (), certain(expr)))


def _masked(expr: Expr, path: tuple[Expr, ...], certain: frozenset[Expr]) -> Expr:
    match expr:
        case Ite(cond, then, other):
            inside, outside = ((*path, cond), (*path, neg(cond))) if not reads(cond) else (path, path)
            return Ite(_masked(cond, path, certain), _masked(then, inside, certain), _masked(other, outside, certain))
        case Select(Var(), indices) if path and expr not in certain:
            return Select(expr.tensor, tuple(Ite(conj(*path), at, integer(0)) for at in indices))
        case _:
            return map_children(lambda child: _masked(child, path, certain), expr)


def certain(expr: Expr) -> frozenset[Expr]:
    """The elements that are read whatever holds."""
    if isinstance(expr, Ite):
        return certain(expr.cond) | (certain(expr.then) & certain(expr.other))
    below: frozenset[Expr] = frozenset().union(*map(certain, children(expr)))
    return below | {expr} if isinstance(expr, Select) else below


def reads(expr: Expr) -> bool:
    return any(isinstance(part, Select) for part in subexpressions(expr))


def _guarded(divisor: Expr, path: Path) -> Expr:
    """The divisor where the path's conditions hold, 1 elsewhere; one condition alone where its ranges exclude zero."""
    needed = path
    for step in path:
        if not interval(divisor, refine(NO_RANGES, *step)).has_zero:
            needed = (step,)
            break
    result = divisor
    one = number(1, type_of(divisor))
    for cond, holds in reversed(needed):
        result = Ite(cond, result, one) if holds else Ite(cond, one, result)
    return result
