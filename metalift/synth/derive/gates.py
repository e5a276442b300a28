"""Decision trees over the ways through a region: how values that meet at a block depend on the branches taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from metalift.ir.expr.nodes import FALSE, TRUE, Expr
from metalift.synth.derive.normal_terms import ite

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Way:
    """Control goes along this edge; edges of a region are numbered."""

    edge: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One of two ways on, by a condition in terms of the state at the region's entry."""

    cond: Expr
    then: Gate
    other: Gate


Gate: TypeAlias = Way | Choice | None
"""None: control does not come here."""


def choice(cond: Expr, then: Gate, other: Gate) -> Gate:
    """The tree, collapsed where both sides agree or one is impossible."""
    if then == other or other is None or cond == TRUE:
        return then
    if then is None or cond == FALSE:
        return other
    return Choice(cond, then, other)


def graft(gate: Gate, follow: Callable[[int], Gate]) -> Gate:
    """The tree with each way replaced by what follows it."""
    match gate:
        case None:
            return None
        case Way(edge):
            return follow(edge)
        case Choice(cond, then, other):
            return choice(cond, graft(then, follow), graft(other, follow))


def with_conditions(gate: Gate, changed: Callable[[Expr], Expr]) -> Gate:
    """The tree with other conditions."""
    match gate:
        case Choice(cond, then, other):
            return choice(changed(cond), with_conditions(then, changed), with_conditions(other, changed))
        case _:
            return gate


def settle(gate: Gate, value: Callable[[int], Value], choose: Callable[[Expr, Value, Value], Value]) -> Value:
    """One value from those that the edges bring."""
    match gate:
        case Way(edge):
            return value(edge)
        case Choice(cond, then, other):
            return choose(cond, settle(then, value, choose), settle(other, value, choose))
        case None:
            raise AssertionError("control does not come here")


def condition(gate: Gate, chosen: Callable[[int], bool]) -> Expr:
    """When control goes along one of the chosen edges."""
    if gate is None:
        return FALSE
    return settle(gate, lambda edge: TRUE if chosen(edge) else FALSE, ite)


def ways(gate: Gate) -> frozenset[int]:
    """The edges at the leaves."""
    match gate:
        case None:
            return frozenset()
        case Way(edge):
            return frozenset((edge,))
        case Choice(_, then, other):
            return ways(then) | ways(other)
