"""`map` and `filter` as the generator expressions that do the same."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import replace

from metalift.frontend.python.naming.module import PythonModule

_EACH = " each"  # no name of a source begins with a space


def with_generators(module: PythonModule) -> PythonModule:
    """The file with generator expressions for what is written with map and filter, as far as these names are Python's own."""
    own = {name for name in ("map", "filter") if not module.bound[name]}
    changed = {name: _changed(function, own) for name, function in module.functions.items()}
    units = {name: _changed(function, own) for name, function in module.units.items()}
    return replace(module, functions=changed, units=units)


def _changed(function: ast.FunctionDef, own: set[str]) -> ast.FunctionDef:
    own = own - {name for part in ast.walk(function) for name in _bound(part)}
    calls = (part for part in ast.walk(function) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name))
    if not any(isinstance(call.func, ast.Name) and call.func.id in own for call in calls):
        return function
    made: ast.FunctionDef = _Generators(own).visit(copy.deepcopy(function))
    return made


def _bound(part: ast.AST) -> Iterator[str]:
    match part:
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.FunctionDef(name=name):
            yield name


class _Generators(ast.NodeTransformer):
    def __init__(self, own: set[str]) -> None:
        self.own = own

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A generator expression where it is a call of map or filter."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="map"), args=[function, first, *others], keywords=[]) if "map" in self.own:
                names = [f"{_EACH}{at}" for at in range(1 + len(others))] if others else [_EACH]
                element: ast.expr = ast.Call(function, [ast.Name(name, ast.Load()) for name in names], [])
                stored: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
                target = ast.Tuple(stored, ast.Store()) if others else stored[0]
                source = ast.Call(ast.Name("zip", ast.Load()), [first, *others], []) if others else first
                generator = ast.comprehension(target, source, [], 0)
            case ast.Call(func=ast.Name(id="filter"), args=[function, source], keywords=[]) if "filter" in self.own:
                element, target = ast.Name(_EACH, ast.Load()), ast.Name(_EACH, ast.Store())
                always = isinstance(function, ast.Constant) and function.value is None
                test = element if always else ast.Call(function, [element], [])
                generator = ast.comprehension(target, source, [test], 0)
            case _:
                return node
        made = ast.GeneratorExp(element, [generator])
        for part in ast.walk(made):
            if not hasattr(part, "lineno"):
                ast.copy_location(part, node)
        return made
