"""Instructions that make an idiom together, found again in a kernel that was read from a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var, type_of
from metalift.ir.expr.types import is_integer
from metalift.ir.program.kernel import Allocate, Cut, Expand, Fused, Idiom, Loop, Map, Statement, When

Operand = str | Expr


def with_idioms(body: tuple[Statement, ...], idioms: Sequence[Idiom]) -> tuple[Statement, ...]:
    """The statements, with those that make one of the idioms in its place. Whether they do is proved of the idiom."""
    made: list[Statement] = []
    at = 0
    while at < len(body):
        found = next((each for each in (_found(body[at:], idiom) for idiom in idioms) if each is not None), None)
        if found is not None:
            some, count = found
            made += some
            at += count
            continue
        each = body[at]
        made.append(replace(each, body=with_idioms(each.body, idioms)) if isinstance(each, Loop | When) else each)
        at += 1
    return tuple(made)


def _found(body: tuple[Statement, ...], idiom: Idiom) -> tuple[list[Statement], int] | None:
    """The idiom, if the first statements are its steps, and how many they are."""
    values: dict[Var, Operand] = {}
    tiles: list[Statement] = []
    at = 0
    if not isinstance(body[0], Map | Allocate):
        return None
    for step in idiom.steps:
        if isinstance(step, Cut):
            continue
        known = [values.get(each, each) if isinstance(each, Var) else each for each in step.args]
        if step.op == "multiply" and all(isinstance(each, Expr) and not isinstance(each, Var) for each in known):
            values[step.var] = Apply(Operator.MUL, tuple(each for each in known if isinstance(each, Expr)))
            continue
        while at < len(body) and isinstance(body[at], Allocate):
            tiles.append(body[at])
            at += 1
        each = body[at] if at < len(body) else None
        if not isinstance(each, Map) or each.op != step.op or not _bound(step.args, each.operands, idiom, values):
            return None
        values[step.var] = each.tile
        at += 1
    given = {each.args[0]: each.args[1] for each in idiom.given if isinstance(each, Apply) and each.op is Operator.EQ}
    operands = tuple(values.get(param) or given.get(param) for param in idiom.params)
    result = values[idiom.result]
    inner = {value for var, value in values.items() if var not in idiom.params and isinstance(value, str) and value != result}
    if None in operands or not isinstance(result, str) or inner & _used(body[at:]):
        return None
    kept = [each for each in tiles if isinstance(each, Allocate) and each.tile.name not in inner]
    return [*kept, Expand(result, idiom, tuple(each for each in operands if each is not None))], at


def _bound(args: tuple[Expr, ...], operands: tuple[Operand, ...], idiom: Idiom, values: dict[Var, Operand]) -> bool:
    """Whether the operands are a step's arguments; parameters of the idiom become what they first stand for."""
    if len(args) != len(operands):
        return False
    for arg, operand in zip(args, operands, strict=True):
        if isinstance(arg, Var) and arg not in values and arg in idiom.params:
            values[arg] = operand
        wanted = values.get(arg, arg) if isinstance(arg, Var) else arg
        if not _same(wanted, operand):
            return False
    return True


def _same(one: Operand, other: Operand) -> bool:
    """Whether two operands are one tile, or one number."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    if is_integer(type_of(one)) and is_integer(type_of(other)) and not isinstance(one, Var):
        return Polynomial.of(one) == Polynomial.of(other)
    return one == other or isinstance(one, Const) and isinstance(other, Const) and one.value == other.value


def _used(body: tuple[Statement, ...]) -> set[str]:
    """The tiles that statements mention."""
    found: set[str] = set()
    for each in body:
        match each:
            case Loop() | When() | Fused():
                found |= _used(each.body)
            case Map(_, _, operands) | Expand(_, _, operands):
                found |= {one for one in operands if isinstance(one, str)}
            case Allocate():
                pass
            case _:
                found |= {value for value in (getattr(each, name) for name in each.__slots__) if isinstance(value, str)}
    return found
