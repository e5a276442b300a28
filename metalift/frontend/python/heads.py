"""Defaults of parameters; what a function that is lifted may not have: those that are None, and functions in it where names are
taken apart.
"""

from __future__ import annotations

import ast
from fractions import Fraction
from math import isfinite

from metalift.frontend.python.naming.module import PythonModule


def check_defaults(module: PythonModule, function: ast.FunctionDef) -> None:
    """Refuse parameters that are None where a call does not give them."""
    for value in (*function.args.defaults, *function.args.kw_defaults):
        if isinstance(value, ast.Constant) and value.value is None:
            known = "supported is None in names and results; leave the default out, and write a function for where it is given"
            module.place.refuse(value, f"a parameter that is None by default; {known}")


def check_functions(module: PythonModule, function: ast.FunctionDef) -> None:
    """Refuse functions inside of one in which dictionaries and sets are taken apart, which is done by its names."""
    for part in ast.walk(function):
        match part:
            case ast.FunctionDef() | ast.Assign(value=ast.Lambda()) if part is not function:
                module.place.refuse(part, "a function inside of one with dictionaries, sets or `in`; define it at the top level")


def defaults_of(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """What parameters are where a call does not give them."""
    positional = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
    found = list(zip(reversed(positional), reversed(function.args.defaults), strict=False))
    found += [(arg.arg, value) for arg, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True) if value]
    return dict(found)


def is_literal(node: ast.expr | None) -> bool:
    """Whether it is a literal, maybe with a sign."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def is_none(node: ast.expr) -> bool:
    """Whether it is written as None."""
    return isinstance(node, ast.Constant) and node.value is None


def number(node: ast.expr | None) -> bool | int | Fraction | None:
    """The number that is written out, of a float the shortest decimal; None of anything else."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            found = number(operand)
            return None if found is None or isinstance(found, bool) else -found
        case ast.Constant(value=bool() | int() as value):
            return value
        case ast.Constant(value=float() as value) if isfinite(value):
            return Fraction(repr(value))
        case _:
            return None
