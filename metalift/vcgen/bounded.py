"""Assumptions with quantifiers, decided on a concrete input: only where every binder has a range that can be run through.

A universal assumption that holds for the values tried may be false for others, and what is false proves anything. So nothing
is sampled here: `forall b: not (0 <= b and b < n and ...) or ...` is evaluated for all b below n, everything else is not
taken to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from metalift.ir.interpret import SourceUndefined, Value, evaluate
from metalift.ir.nodes import Apply, Const, Exists, Expr, Forall, Operator, Var, integer
from metalift.ir.types import INT
from metalift.ir.walk import free_vars, subexpressions

MANY_BINDINGS = 20_000


def has_quantifiers(formula: Expr) -> bool:
    """Whether a quantifier occurs anywhere."""
    return any(isinstance(part, Forall | Exists) for part in subexpressions(formula))


def certainly_holds(formula: Expr, env: Mapping[str, Value]) -> bool:
    """Whether the formula is true; False where that cannot be decided, or where it has no value."""
    try:
        return _holds(formula, dict(env))
    except (SourceUndefined, KeyError, _Undecided):
        return False


class _Undecided(Exception):
    """A quantifier without a range, in a place that is not looked into, or over too many values."""


def _holds(formula: Expr, env: dict[str, Value]) -> bool:
    match formula:
        case Apply(Operator.AND, parts):
            return all([_holds(part, env) for part in parts])
        case Forall(binders, Apply(Operator.OR, (Apply(Operator.NOT, (premise,)), *_)) as body):
            return all(_holds(body, inner) for inner in _bindings(binders, premise, env))
        case _ if has_quantifiers(formula):
            raise _Undecided
        case _:
            return bool(evaluate(formula, {var.name: env[var.name] for var in free_vars(formula)}))


def _bindings(binders: tuple[Var, ...], premise: Expr, env: dict[str, Value]) -> Iterator[dict[str, Value]]:
    """All values of the binders for which the ranges in the premise hold; the premise may say more."""
    parts = premise.args if isinstance(premise, Apply) and premise.op is Operator.AND else (premise,)
    envs = [env]
    for place, binder in enumerate(binders):
        limit = _limit(binder, parts, frozenset(binders[place:]))
        envs = [{**one, binder.name: value} for one in envs for value in range(_number(limit, one))]
        if len(envs) > MANY_BINDINGS:
            raise _Undecided
    yield from envs


def _limit(binder: Var, parts: tuple[Expr, ...], later: frozenset[Var]) -> Expr:
    """n where the parts say 0 <= binder < n."""
    from_zero = Apply(Operator.LE, (integer(0), binder)) in parts
    for part in parts:
        match part:
            case Apply(Operator.LT, (Var() as var, limit)) if var == binder and free_vars(limit).isdisjoint(later):
                if from_zero and binder.type == INT:
                    return limit
    raise _Undecided


def _number(limit: Expr, env: dict[str, Value]) -> int:
    value = limit.value if isinstance(limit, Const) else evaluate(limit, {var.name: env[var.name] for var in free_vars(limit)})
    if not isinstance(value, int) or value > MANY_BINDINGS:
        raise _Undecided
    return value
