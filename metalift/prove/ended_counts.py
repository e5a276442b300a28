"""Counters of loops that have ended, replaced by how often the loops run: then what two programs make of it is compared as it is
written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from metalift.ir.arith.bounds import not_negative, rooms
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import conjuncts
from metalift.ir.expr.nodes import Apply, Const, Expr, Fold, Operator, Var
from metalift.ir.expr.types import INT
from metalift.ir.expr.walk import binders_of, free_vars, subexpressions, substitute, transform


def with_ended_counts(hypotheses: Sequence[Expr], goal: Expr) -> tuple[tuple[Expr, ...], Expr]:
    """The hypotheses and the goal, with n for a variable of which they say that it is at most n, and not below n, or n.
    Where it is at most n or 0, that is with n where it is the extent of a fold, to which negative numbers are as 0.

    Equal terms replace each other, and all hypotheses stay: what is implied stays the same.
    """
    formulas = (*hypotheses, goal)
    done: set[Var] = set()
    while (found := _ended(formulas[:-1], done)) is not None:
        counter, count, everywhere = found
        done.add(counter)
        put_in = substitute if everywhere else _with_extents
        formulas = tuple(put_in(each, {counter: count}) for each in formulas)
    return formulas[:-1], formulas[-1]


def _with_extents(formula: Expr, counts: Mapping[Var, Expr]) -> Expr:
    """The formula with the counts in the place of variables that are extents of folds."""
    named = frozenset[Var]().union(*map(free_vars, counts.values()))

    def put_in(part: Expr) -> Expr:
        count = counts.get(part.extent) if isinstance(part, Fold) and isinstance(part.extent, Var) else None
        return replace(part, extent=count) if isinstance(part, Fold) and count is not None else part

    bound = any(var in named for part in subexpressions(formula) for var in binders_of(part))
    return formula if bound else transform(put_in, formula)


def _ended(hypotheses: Sequence[Expr], done: set[Var]) -> tuple[Var, Expr, bool] | None:
    """A counter that is as far as it comes, how far that is, and whether it is so far even where that is negative."""
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
                everywhere = _reaches(count, most[counter], parts)
                if counter not in free_vars(count) and (everywhere or _cut_off(count, most[counter])):
                    return counter, count, everywhere
            case Apply(Operator.EQ, (Var() as counter, count)) if counter in most and counter not in done | free_vars(count):
                return counter, count, True
            case _:
                pass
    return None


def _reaches(count: Expr, most: set[Expr], known: Sequence[Expr]) -> bool:
    """Whether one of the limits is the count, or that and at least 0, which it is known to be."""
    return count in most or (
        _cut_off(count, most) and not_negative(Polynomial.of(count), tuple(room for part in known for room in rooms(part)))
    )


def _cut_off(count: Expr, most: set[Expr]) -> bool:
    """Whether one of the limits is the count, and at least 0."""
    return any(isinstance(each, Apply) and each.op is Operator.MAX and set(each.args) == {Const(0, INT), count} for each in most)
