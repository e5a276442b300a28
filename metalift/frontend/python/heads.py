"""What a function that is lifted may not have: defaults that are None, and functions in it where names are taken apart."""

from __future__ import annotations

import ast

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
