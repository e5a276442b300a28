"""What binds the names of a module: imports, assignments, definitions, and whatever else gives a name to something."""

from __future__ import annotations

import ast
import importlib
from collections import Counter
from collections.abc import Iterator

_LISTED = frozenset("cmath collections functools itertools math numpy operator random statistics typing".split())
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def imports(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names that an import statement binds, with what they refer to; of a relative import nothing is known."""
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        case ast.ImportFrom(module=module, names=names, level=level):
            for alias in names:
                if alias.name != "*":
                    yield alias.asname or alias.name, "" if level or module is None else f"{module}.{alias.name}"
                elif not level and module in _LISTED:
                    yield from ((name, f"{module}.{name}") for name in public_names(module))
        case _:
            pass


def public_names(library: str) -> list[str]:
    """What `from library import *` binds. Only for libraries whose import does nothing but define these."""
    module = importlib.import_module(library)
    return list(getattr(module, "__all__", None) or (name for name in dir(module) if not name.startswith("_")))


def unlisted_stars(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Imports of whatever a module has, where it is not known what that is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.names[0].name == "*" and (node.level or node.module not in _LISTED):
            yield node


def bound_names(tree: ast.Module) -> Counter[str]:
    """How often the module binds each of its names; imports of one thing count once, `global` in a function twice."""
    found: Counter[str] = Counter()
    imported: set[tuple[str, str]] = set()
    stack: list[tuple[ast.AST, bool]] = [(tree, True)]
    while stack:
        node, outside = stack.pop()
        if isinstance(node, ast.Global):
            found.update(node.names * 2)
        elif outside:
            imported.update(imports(node) if isinstance(node, ast.stmt) else ())
            found.update(_binds(node))
        stack += _parts(node, outside)
    found.update(name for name, _ in imported)
    return found


def constants(tree: ast.Module, bound: Counter[str]) -> dict[str, ast.expr]:
    """Names that one statement at the top level sets, and nothing else changes."""
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if bound[name] == 1:
                found[name] = value
            case _:
                pass
    return found


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds, but for imports."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case (
            ast.ExceptHandler(name=str() as name)
            | ast.MatchAs(name=str() as name)
            | ast.MatchStar(name=str() as name)
            | ast.MatchMapping(rest=str() as name)
        ):
            yield name
        case _:
            pass


def _parts(node: ast.AST, outside: bool) -> Iterator[tuple[ast.AST, bool]]:
    """The parts of a node, and whether what they bind are names of the scope that it stands in."""
    body: list[ast.AST] = []
    if isinstance(node, _SCOPES):  # decorators, default values and base classes are evaluated outside of it
        body = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    elif isinstance(node, _COMPREHENSIONS):
        for generator in node.generators:
            yield from ((part, False) for part in ast.walk(generator.target))
            yield from ((part, outside) for part in (generator.iter, *generator.ifs))
        shown = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        yield from ((part, outside) for part in shown)
        return
    for child in ast.iter_child_nodes(node):
        yield child, outside and child not in body
