"""What generated tensor code may not hold, read off its syntax tree."""

from __future__ import annotations

import ast

LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
PER_ELEMENT_CALLS = frozenset(
    {"vectorize", "frompyfunc", "fromiter", "apply_along_axis", "item", "tolist", "map", "filter", "vmap"}
)


def forbidden(code: str) -> list[str]:
    """Each loop, comprehension, recursion or per-element call of a module, as `line: what`."""
    tree = ast.parse(code)
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    found = []
    for node in ast.walk(tree):
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
            if name in PER_ELEMENT_CALLS or (isinstance(node.func, ast.Name) and name in functions):
                found.append(f"{node.lineno}: call of {name}")
    return found
