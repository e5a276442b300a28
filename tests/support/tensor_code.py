"""What generated tensor code may not hold, read off its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Mapping

LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
PER_ELEMENT_CALLS = frozenset(
    {"vectorize", "frompyfunc", "fromiter", "apply_along_axis", "item", "tolist", "map", "filter", "vmap"}
)


def _recursive(functions: Mapping[str, ast.FunctionDef]) -> frozenset[str]:
    """The functions that call themselves, directly or through others of the file; guards may call helpers."""
    called = {
        name: {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and node.id in functions}
        for name, function in functions.items()
    }
    for _ in functions:
        called = {name: found.union(*(called[other] for other in found)) for name, found in called.items()}
    return frozenset(name for name, found in called.items() if name in found)


def forbidden(code: str) -> list[str]:
    """Each loop, comprehension, recursion or per-element call of a module, as `line: what`."""
    tree = ast.parse(code)
    recursive = _recursive({node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)})
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.GeneratorExp | ast.For):
            source = node.iter if isinstance(node, ast.For) else node.generators[0].iter
            if ".shape" in ast.unparse(source):
                continue  # over axes
        if isinstance(node, LOOPS):
            found.append(f"{node.lineno}: {type(node).__name__}")
        elif isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else node.func.id
                if isinstance(node.func, ast.Name)
                else ""
            )
            if name in PER_ELEMENT_CALLS or (isinstance(node.func, ast.Name) and name in recursive):
                found.append(f"{node.lineno}: call of {name}")
    return found
