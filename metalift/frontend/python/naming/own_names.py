"""Names of Python's own that mean something else where a function uses them: refused, for readers know them by their names."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.naming.namespaces import Scope, Used

_LIBRARIES = ("builtins", "math", "numpy")
_NUMBERS = ("bool", "float", "int")


def check_own_names(module: PythonModule, used: Used) -> None:
    """Refuse what is called by a name of Python's own, or of a library, that a function or the module gives to something else."""
    for node in used.definitions.values():
        local = Scope(module).inside(node, False).local if isinstance(node, ast.FunctionDef) else frozenset[str]()
        for name in (each for part in ast.walk(node) for each in _acting(part)):
            if name.id in local and (hasattr(builtins, name.id) or name.id in module.imported):
                module.place.refuse(
                    name, f"'{name.id}' is used like what Python or a library calls so, and is a local name; give it another name"
                )
        for name in _loads(node):
            if name.id not in local:
                _check_of_module(module, name)


def _check_of_module(module: PythonModule, node: ast.Name) -> None:
    """Refuse a name of Python's own that the module gives to what is no function, no number and of no modelled library."""
    name = node.id
    if name in module.imported:
        module.check_bound_once(name, node)
    if not hasattr(builtins, name) or not module.bound[name] or name in module.functions:
        return
    if module.imported.get(name, "").split(".")[0] in _LIBRARIES:
        return
    value = module.constants.get(name)
    if not isinstance(value, ast.Constant) or isinstance(value.value, str):
        module.place.refuse(node, f"'{name}' is a name of Python's own, which the module gives to something else; choose another")


def _acting(node: ast.AST) -> Iterator[ast.Name]:
    """The names below a node that do something there, rather than being values: of functions, types and modules."""
    acting: list[ast.expr | None] = []
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            acting = [func, *(each.value for each in keywords)]
            acting += (arg for arg in args if isinstance(arg, ast.Name) and arg.id in _NUMBERS)
        case ast.Attribute(value=owner):
            acting = [owner]
        case ast.ExceptHandler(type=caught):
            acting = [*caught.elts] if isinstance(caught, ast.Tuple) else [caught]
    yield from (each for each in acting if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))


def _loads(node: ast.AST) -> Iterator[ast.Name]:
    return (part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load))
