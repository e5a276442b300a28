"""The types of names from the values that a function gives them, where these tell them by themselves: zeros(n), 0.0, [1] * n."""

from __future__ import annotations

import ast
from dataclasses import replace

from metalift.frontend.python.annotations import Hint, numpy_type
from metalift.frontend.python.naming import lifetimes
from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.expr.types import BOOL, DOUBLE, INT, ScalarType

_CALLS: dict[str, ScalarType] = {"bool": BOOL, "float": DOUBLE, "int": INT, "len": INT}
_MAKERS = {"zeros": DOUBLE, "ones": DOUBLE, "empty": DOUBLE, "array": None, "asarray": None, "full": None, "arange": None}
_CONSTANTS: dict[type, ScalarType] = {bool: BOOL, int: INT, float: DOUBLE}


def evident_types(module: PythonModule, function: ast.FunctionDef) -> dict[str, Hint]:
    """What is known of the names that a function sets by plain assignments only, of values of one type."""
    found: dict[str, list[Hint | None]] = {}
    assigned: set[int] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                found.setdefault(name, []).append(_hint(module, value))
                assigned.add(id(target))
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                assigned.add(id(target))
    others = {name for node in ast.walk(function) if id(node) not in assigned for name in lifetimes.sets_itself(node)}
    known = {name: hints[0] for name, hints in found.items() if name not in others and all(each == hints[0] for each in hints)}
    return {name: hint for name, hint in known.items() if hint is not None}


def _hint(module: PythonModule, value: ast.expr) -> Hint | None:
    match value:
        case ast.Constant(value=number) if type(number) in _CONSTANTS:
            return Hint(_CONSTANTS[type(number)], 0)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _hint(module, operand)
        case ast.List(elts=[first, *_] as items):
            inner = _hint(module, first)
            return _in_list(inner) if all(_hint(module, each) == inner for each in items) else None
        case ast.ListComp(elt=item):
            return _in_list(_hint(module, item))
        case ast.BinOp(left=ast.List() as one, op=ast.Mult()):
            return _hint(module, one)
        case ast.Call(func=ast.Name(id=name)) if name in _CALLS and not module.bound[name]:
            return Hint(_CALLS[name], 0)
        case ast.Call(func=func, args=args, keywords=keywords):
            library, _, name = module.full_name(func).rpartition(".")
            if library != "numpy" or name not in _MAKERS or len(args) > 1 + (name == "full"):
                return None
            given = next((each.value for each in keywords if each.arg == "dtype"), None)
            return Hint(_MAKERS[name] if given is None else numpy_type(module, given), None, numpy=True)
        case _:
            return None


def _in_list(inner: Hint | None) -> Hint | None:
    return None if inner is None or inner.rank is None or inner.numpy else replace(inner, rank=inner.rank + 1)
