"""The bindings of a summary: which values deserve a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Fold, Ite, Length, Select, Var, type_of
from metalift.ir.expr.types import BoolType, TensorType, is_integer
from metalift.ir.expr.walk import binders_of, free_vars, scoped_children, subexpressions, substitute
from metalift.ir.program.summary import Binding

Outputs = list[tuple[str, Expr]]


def is_simple(expr: Expr) -> bool:
    """Whether a value is no more than a literal, a variable or an element at an index made of those."""
    match expr:
        case Const() | Var() | Length(Var(), _):
            return True
        case Cast(arg, _):
            return is_simple(arg)
        case Select(Var(), cell):
            return all(map(is_cheap, cell))
        case _:
            return False


def is_cheap(expr: Expr) -> bool:
    """Whether it is simple or arithmetic on sizes: nothing that is worth computing once."""
    match expr:
        case Apply(_, args) if is_integer(type_of(expr)) or isinstance(type_of(expr), BoolType):
            return all(is_cheap(arg) for arg in args)
        case Cast(arg, _):
            return is_cheap(arg)
        case Select():
            return False
        case _:
            return is_simple(expr)


def has_fold(expr: Expr) -> bool:
    """Whether a loop is needed to compute it."""
    return any(isinstance(sub, Fold) for sub in subexpressions(expr))


def tidied(bindings: list[Binding], outputs: Outputs) -> tuple[list[Binding], Outputs]:
    """Without bindings that nothing needs; a scalar that is used once, outside of loops, is put in where it is used.

    The result of a loop keeps its name, unless it is used on one side of a choice only.
    """
    bindings = list(bindings)
    for place in range(len(bindings) - 1, -1, -1):
        binding = bindings[place]
        later = [b.value for b in bindings[place + 1 :]] + [value for _, value in outputs]
        uses = [use for value in later for use in _uses(value, binding.var, False, False)]
        if not uses:
            del bindings[place]
        elif len(uses) == 1 and _may_move(binding, *uses[0]):
            put_in: dict[Var, Expr] = {binding.var: binding.value}
            rest = [Binding(b.var, substitute(b.value, put_in)) for b in bindings[place + 1 :]]
            bindings[place:] = rest
            outputs = [(name, substitute(value, put_in)) for name, value in outputs]
    return bindings, outputs


def renumbered(bindings: list[Binding], outputs: Outputs, taken: Iterable[str]) -> tuple[list[Binding], Outputs]:
    """With names numbered without gaps: ss_1, ss_2."""
    used = set(taken)
    names: dict[Var, Expr] = {}
    result: list[Binding] = []
    for binding in bindings:
        var = Var(numbered(re.sub(r"_\d+$", "", binding.var.name), used), binding.var.type)
        used.add(var.name)
        value = substitute(binding.value, names)
        names[binding.var] = var
        result.append(Binding(var, value))
    return result, [(name, substitute(value, names)) for name, value in outputs]


def numbered(name: str, taken: set[str]) -> str:
    """The first of name_1, name_2, ... that is free."""
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _may_move(binding: Binding, repeated: bool, chosen: bool) -> bool:
    return not isinstance(binding.var.type, TensorType) and not repeated and (chosen or not has_fold(binding.value))


def _uses(expr: Expr, var: Var, repeated: bool, chosen: bool) -> Iterator[tuple[bool, bool]]:
    """For each use of the variable: whether it is inside a binder, and whether it is on one side of a choice."""
    if var not in free_vars(expr):
        return
    if expr == var:
        yield repeated, chosen
        return
    inside = bool(binders_of(expr))
    for place, (child, bound) in enumerate(scoped_children(expr)):
        side = chosen or (isinstance(expr, Ite) and place > 0)
        yield from _uses(child, var, repeated or (inside and bool(bound)), side)
