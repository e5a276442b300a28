"""Conditions on all elements in words, for people: "for all i below n: a[i] <= a[i + 1]"."""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.arith.polynomial import strip_casts
from metalift.ir.expr.build import conj, conjuncts, neg
from metalift.ir.expr.nodes import Apply, Const, Exists, Expr, Forall, Operator, Var, type_of
from metalift.ir.expr.walk import map_children
from metalift.ir.text.printer import show

ORDER = {Operator.LT: "<", Operator.LE: "<="}


def in_words(condition: Expr) -> str:
    """The condition, in words where it speaks of all elements, and otherwise as it is written."""
    match condition:
        case Forall(binders, body):
            domain, claim = _implication(body)
            return f"for all {_ranges(binders, domain)}: {_claim(claim)}"
        case Exists(binders, body):
            return f"for some {_ranges(binders, [])}: {_claim(body)}"
        case Apply(Operator.AND, args) if any(isinstance(each, Forall | Exists) for each in args):
            return "; ".join(map(in_words, args))
        case _:
            return show(condition)


def _implication(body: Expr) -> tuple[list[Expr], Expr]:
    """The conditions under which something holds, and that."""
    match body:
        case Apply(Operator.OR, (Apply(Operator.NOT, (domain,)), *rest)) if rest:
            more, claim = _implication(rest[0]) if len(rest) == 1 else ([], Apply(Operator.OR, tuple(rest)))
            return [*conjuncts(domain), *more], claim
        case _:
            return [], body


def _ranges(binders: Sequence[Var], domain: Sequence[Expr]) -> str:
    """From where to where each of the variables goes, and what else is to hold of them."""
    rest, told = list(domain), []
    for binder in binders:
        first = next((each for each in rest if _is(each, Operator.LE, 1, binder)), None)
        last = next((each for each in rest if _is(each, Operator.LT, 0, binder)), None)
        text = binder.name
        if isinstance(first, Apply) and isinstance(last, Apply):
            least, most = first.args[0], last.args[1]
            starts = isinstance(least, Const) and least.value == 0
            text += f" below {_plainly(most)}" if starts else f" from {_plainly(least)} to before {_plainly(most)}"
            rest = [each for each in rest if each not in (first, last)]
        told.append(text)
    return " and ".join(told) + (f" where {_claim(conj(*rest))}" if rest else "")


def _is(cond: Expr, op: Operator, side: int, var: Var) -> bool:
    return isinstance(cond, Apply) and cond.op is op and cond.args[side] == var


def _claim(condition: Expr) -> str:
    """What holds: comparisons that have a side in common are one."""
    match condition:
        case Forall() | Exists():
            return in_words(condition)
        case Apply(Operator.AND, (Apply(op, (low, middle)), Apply(other, (again, high)))) if op in ORDER and other in ORDER:
            if _without(middle) == _without(again):
                return f"{_plainly(low)} {ORDER[op]} {_plainly(middle)} {ORDER[other]} {_plainly(high)}"
            return _plainly(condition)
        case Apply(Operator.OR, (Apply(Operator.NOT, (given,)), claim)):
            return f"{_claim(claim)} where {_claim(given)}"
        case Apply(Operator.NOT, (inner,)) if neg(inner) != condition:
            return _claim(neg(inner))
        case _:
            return _plainly(condition)


def _plainly(expr: Expr) -> str:
    plain = _without(expr)
    return show(plain, type_of(plain))


def _without(expr: Expr) -> Expr:
    """The expression without conversions of integers that change nothing: what is computed exactly is not asked here."""
    return map_children(_without, strip_casts(expr))
