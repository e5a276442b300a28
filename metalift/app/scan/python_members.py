"""The functions of a Python file that are no functions of its module, with why they are not read."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from metalift.app.scan.rows import Row, Status
from metalift.frontend import PythonModule, functions_of

LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)


def other_functions(module: PythonModule) -> Iterator[Row]:
    """Methods, functions inside of functions, and coroutines, in the file's order."""
    read = {name for name, _ in functions_of(module)}
    for name, node, why in _defined(ast.parse(module.source), "", ""):
        if name not in read:
            yield Row(str(module.path), node.lineno, name, Status.UNSUPPORTED, loops_of(node), why)


def loops_of(node: ast.AST) -> int:
    """How many loops the text of a function has."""
    return sum(isinstance(inner, LOOPS) for inner in ast.walk(node))


def _defined(node: ast.AST, prefix: str, why: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for inner in ast.iter_child_nodes(node):
        match inner:
            case ast.ClassDef(name=name):
                what = f"a method of the class {name} that Python calls by itself, or of a class that is more than its fields"
                yield from _defined(inner, f"{prefix}{name}.", what)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                waits = isinstance(inner, ast.AsyncFunctionDef)
                reason = "a coroutine; supported are functions that run from beginning to end" if waits else why
                yield prefix + name, inner, reason or "its module defines it more than once, or under a condition"
                inside = f"a function inside of {prefix}{name}; functions of the module are read"
                yield from _defined(inner, f"{prefix}{name}.", inside)
            case _:
                yield from _defined(inner, prefix, why)
