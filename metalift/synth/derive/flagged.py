"""Values that are what they were at first as long as a truth value is false: `if (!there) { there = true; n = 0; } n += 1;`.

A value that changes only where the truth value becomes true is its start where that is false, so `there ? n : 0` is `n`, and the
value is an accumulator on its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from metalift.ir.expr.build import disj, equal, told
from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Const, Expr, Ite, Item, MakeTuple, Operator, Var
from metalift.ir.expr.types import BOOL
from metalift.ir.expr.walk import alpha_equal, free_vars, map_children
from metalift.synth.derive.better import better, taken_apart
from metalift.synth.derive.normal_terms import both
from metalift.synth.derive.recurrences import Step, plain
from metalift.synth.derive.symbolic import evaluate

SCALARS = (Apply, Cast, Ite, Item, MakeTuple)  # nodes that bind no names
ATOMS = 6  # conditions of which all combinations are tried


@dataclass(frozen=True, slots=True)
class Flagged:
    """A value that is `start` as long as the flag is false."""

    flag: Var
    value: Var
    start: Expr

    def fact(self, closed: Mapping[Var, Expr]) -> Expr:
        """What holds in each iteration."""
        return disj(closed[self.flag], equal(closed[self.value], self.start))


def without_flags(
    steps: tuple[Step, ...], starts: Mapping[Var, Expr], pure: Mapping[Var, Expr]
) -> tuple[tuple[Step, ...], tuple[Flagged, ...]]:
    """The steps of which none asks for a flag where its value says the same, and the values that this is true of."""
    flags = [step for step in steps if step.arg.type == BOOL and starts.get(step.arg) == FALSE]
    found: list[Flagged] = []
    result: list[Step] = []
    for step in steps:
        for flag in flags:
            start = evaluate(starts[step.arg], pure, plain) if step.arg in starts else None
            asked = flag is not step and flag.arg in free_vars(step.following)
            if not asked or start is None or not _changes_with(step, flag):
                continue
            step = replace(step, following=taken_apart(step.arg, step.following))
            following = evaluate(_without(settled(step.following, {}), flag.arg, step.arg, start), {}, plain)
            if flag.arg not in free_vars(following):
                found.append(Flagged(flag.arg, step.arg, start))
                step = replace(step, following=following)
        result.append(step)
    return tuple(result), tuple(found)


def _without(expr: Expr, flag: Var, value: Var, start: Expr) -> Expr:
    """The expression without choices by the flag that the value makes, too."""
    if isinstance(expr, SCALARS):
        expr = map_children(lambda part: _without(part, flag, value, start), expr)
    match expr:
        case Ite(cond, then, other) if cond == flag and _is_start(then, other, value, start):
            return then
        case Ite(Apply(Operator.NOT, (cond,)), other, then) if cond == flag and _is_start(then, other, value, start):
            return then
    return expr


def settled(expr: Expr, known: Mapping[Expr, bool]) -> Expr:
    """The expression without choices by conditions that choices around them decide."""
    match expr:
        case _ if expr in known:
            return TRUE if known[expr] else FALSE
        case Ite(cond, then, other):
            cond = settled(cond, known)
            if isinstance(cond, Const):
                return settled(then if cond.value else other, known)
            return Ite(cond, settled(then, {**known, **told(cond, True)}), settled(other, {**known, **told(cond, False)}))
        case Apply(Operator.AND, args):
            parts: list[Expr] = []
            for arg in args:
                parts.append(settled(arg, known))
                known = {**known, **told(parts[-1], True)}
            return both(*parts)
    return map_children(lambda part: settled(part, known), expr) if isinstance(expr, SCALARS) else expr


def _is_start(then: Expr, other: Expr, value: Var, start: Expr) -> bool:
    return alpha_equal(evaluate(then, {value: start}, plain), evaluate(other, {value: start}, plain))


def _changes_with(step: Step, flag: Step) -> bool:
    """Whether a value changes only where the flag becomes true, or is so already."""
    changes = evaluate(changed(step.following, step.arg), {flag.arg: FALSE}, plain)
    becomes = evaluate(flag.following, {flag.arg: FALSE}, plain)
    cases = _cases(changes, becomes)
    return cases is not None and all(is_after or not is_changed for is_changed, is_after in cases)


def changed(expr: Expr, value: Var) -> Expr:
    """Where the next value is another than the value."""
    match expr:
        case Ite(cond, then, other):
            return Ite(cond, changed(then, value), changed(other, value))
        case Apply(Operator.MIN | Operator.MAX) if (extreme := better(value, expr)) is not None:
            return extreme.taken
    return FALSE if expr == value else TRUE


def _is_connective(expr: Expr) -> bool:
    match expr:
        case Apply(Operator.AND | Operator.OR | Operator.NOT, _) | Ite():
            return True
    return isinstance(expr, Const)


def _atoms(expr: Expr) -> Iterator[Expr]:
    """The conditions that others are made of."""
    if not _is_connective(expr):
        yield expr
    elif not isinstance(expr, Const):
        parts = expr.args if isinstance(expr, Apply) else (expr.cond, expr.then, expr.other) if isinstance(expr, Ite) else ()
        for part in parts:
            yield from _atoms(part)


def alike(one: Expr, other: Expr) -> bool:
    """Whether two conditions hold for the same values of the conditions that they are made of."""
    cases = _cases(one, other)
    return cases is not None and all(first == second for first, second in cases)


def _cases(one: Expr, other: Expr) -> Iterator[tuple[bool, bool]] | None:
    """Whether each of two conditions holds, for all values of the conditions that they are made of; None where these are many."""
    parts = list(dict.fromkeys((*_atoms(one), *_atoms(other))))
    if len(parts) > ATOMS:
        return None
    known = (dict(zip(parts, each, strict=True)) for each in itertools.product((False, True), repeat=len(parts)))
    return ((_is_true(one, each), _is_true(other, each)) for each in known)


def _is_true(expr: Expr, known: Mapping[Expr, bool]) -> bool:
    match expr:
        case Const(value=value):
            return bool(value)
        case Apply(Operator.AND, args):
            return all(_is_true(arg, known) for arg in args)
        case Apply(Operator.OR, args):
            return any(_is_true(arg, known) for arg in args)
        case Apply(Operator.NOT, (arg,)):
            return not _is_true(arg, known)
        case Ite(cond, then, other):
            return _is_true(then if _is_true(cond, known) else other, known)
    return known[expr]
