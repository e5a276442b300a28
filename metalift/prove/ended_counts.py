"""Counters of loops that have ended, replaced by how often the loops run: then what two programs make of it is compared as it is
written.
"""

from __future__ import annotations

from collections.abc import Sequence

from metalift.ir.arith.bounds import not_negative, rooms
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import free_vars, substitute


def with_ended_counts(hypotheses: Sequence[Expr], goal: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """The hypotheses and the goal, with n for a variable of which they say that it is at most n, and not below n.

    Equal terms replace each other, and all hypotheses stay: what is implied stays the same.
    """
    known, wanted = tuple(hypotheses), goal
    done: set[Var] = set()
    while (found := _ended(known, done)) is not None:
        counter, count = found
        done.add(counter)
        known = tuple(substitute(each, {counter: count}) for each in known)
        wanted = substitute(wanted, {counter: count})
    return known, wanted


def _ended(hypotheses: Sequence[Expr], done: set[Var]) -> tuple[Var, Expr] | None:
    """A counter that is as far as it comes, and how far that is."""
    parts = [part for each in hypotheses for part in conjuncts(each)]
    most: dict[Var, set[Expr]] = {}
    for part in parts:
        match part:
            case Apply(Operator.LE, (Var(type=type_) as counter, limit)) if type_ == INT:
                most.setdefault(counter, set()).add(limit)
            case _:
                pass
    for part in parts:
        match part:
            case Apply(Operator.NOT, (Apply(Operator.LT, (Var() as counter, count)),)) if counter in most and counter not in done:
                if counter not in free_vars(count) and _reaches(count, most[counter], parts):
                    return counter, count
            case _:
                pass
    return None


def _reaches(count: Expr, most: set[Expr], known: Sequence[Expr]) -> bool:
    """Whether one of the limits is the count, or that and at least 0, which it is known to be."""
    if count in most:
        return True
    limited = any(
        isinstance(each, Apply) and each.op is Operator.MAX and set(each.args) == {Const(0, INT), count} for each in most
    )
    return limited and not_negative(Polynomial.of(count), tuple(room for part in known for room in rooms(part)))
