"""Assumptions with quantifiers, decided on a concrete input: only where every binder has a range that can be run through.

A universal assumption that holds for the values tried may be false for others, and what is false proves anything. So nothing
is sampled here: `forall b: not (0 <= b and b < n and ...) or ...` is evaluated for all b below n, everything else is not
taken to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metalift.ir.expr.nodes import Apply, Const, Exists, Expr, Forall, Operator
from metalift.ir.expr.ranged import limits
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.interpret import LimitExceeded, SourceUndefined, Value, evaluate

MANY_BINDINGS = 20_000


def has_quantifiers(formula: Expr) -> bool:
    """Whether a quantifier occurs anywhere."""
    return any(isinstance(part, Forall | Exists) for part in subexpressions(formula))


def certainly_holds(formula: Expr, env: Mapping[str, Value]) -> bool:
    """Whether the formula is true; False where that cannot be decided, or where it has no value."""
    try:
        return _holds(formula, dict(env))
    except (SourceUndefined, LimitExceeded, KeyError, _Undecided):
        return False


class _Undecided(Exception):
    """A quantifier without a range, in a place that is not looked into, or over too many values."""


def _holds(formula: Expr, env: dict[str, Value]) -> bool:
    match formula:
        case Apply(Operator.AND, parts):
            return all([_holds(part, env) for part in parts])
        case Forall(_, body):
            return all(_holds(body, inner) for inner in _bindings(formula, env))
        case _ if has_quantifiers(formula):
            raise _Undecided
        case _:
            return bool(evaluate(formula, {var.name: env[var.name] for var in free_vars(formula)}))


def _bindings(formula: Forall, env: dict[str, Value]) -> Iterator[dict[str, Value]]:
    """All values of the binders in their ranges."""
    stated = limits(formula)
    if stated is None:
        raise _Undecided
    envs = [env]
    for binder, limit in zip(formula.binders, stated, strict=True):
        envs = [{**one, binder.name: value} for one in envs for value in range(_number(limit, one))]
        if len(envs) > MANY_BINDINGS:
            raise _Undecided
    yield from envs


def _number(limit: Expr, env: dict[str, Value]) -> int:
    value = limit.value if isinstance(limit, Const) else evaluate(limit, {var.name: env[var.name] for var in free_vars(limit)})
    if not isinstance(value, int) or value > MANY_BINDINGS:
        raise _Undecided
    return value
