"""What a function does, in one line for people."""

from __future__ import annotations

import re

from metalift.ir.arith.polynomial import widens
from metalift.ir.expr.nodes import TRUE, Apply, Build, Cast, Const, Expr, Fold, MakeTuple, Operator, Update, Var, type_of
from metalift.ir.expr.types import RealType, is_integer
from metalift.ir.expr.walk import transform
from metalift.ir.program.summary import Summary
from metalift.ir.text import show

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\d+)?")


def effect(summary: Summary) -> str:
    """The assignments of a summary that is one expression for each output; empty where it is not."""
    versions = {binding.var: binding.value for binding in summary.bindings}
    outputs = [(called, versions.get(term, term) if isinstance(term, Var) else term) for called, term in summary.outputs]
    if not outputs or len(summary.bindings) > len(outputs):
        return ""
    parts = [_assignment(called, term) for called, term in outputs]
    return "" if not all(parts) else _short_names("; ".join(parts) + ".")


def _short_names(line: str) -> str:
    """The line with i for i.1, where that is no other name in it."""
    names = set(_NAME.findall(line))
    numbered = {name: name.partition(".")[0] for name in names if "." in name}
    plain = {name: short for name, short in numbered.items() if short not in names}
    if len(set(plain.values())) < len(plain):
        return line
    return _NAME.sub(lambda found: plain.get(found[0], found[0]), line)


def _assignment(called: str, term: Expr) -> str:
    match term:
        case Update(Var(), binders, extents, indices, value, guard) if guard == TRUE:
            cell = ", ".join(show(_plain(index)) for index in indices)
            pairs = zip(binders, extents, strict=True)
            ranges = ", ".join(f"{binder.name} < {show(_plain(extent))}" for binder, extent in pairs)
            return f"{called}[{cell}] = {show(_plain(value))}" + (f" for {ranges}" if ranges else "")
        case Fold(extent, Const(0, _), acc, index, Apply(Operator.ADD, (Var() as left, value))) if left == acc:
            total = f"the sum of {show(_plain(value))} for {index.name} < {show(_plain(extent))}"
            return f"Returns {total}" if called == "return" else ""
        case Update() | Fold():
            return ""
        case MakeTuple(items) if any(isinstance(item, Fold | Build | Update) for item in items):
            return ""
        case _:
            return f"Returns {show(_plain(term))}" if called == "return" else ""


def _plain(expr: Expr) -> Expr:
    """The expression without conversions that keep the value."""
    return transform(_without_conversion, expr)


def _without_conversion(expr: Expr) -> Expr:
    match expr:
        case Cast(arg, RealType()) if not isinstance(arg, Cast):
            return arg
        case Cast(arg, type_) if is_integer(type_) and widens(type_of(arg), type_):
            return arg
        case _:
            return expr
