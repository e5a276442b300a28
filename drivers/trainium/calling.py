"""The function that calls a kernel, read from a text: what it passes, and that it puts the results where the source does."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from metalift.driver import Request

from .._tiles.python_numbers import refused
from .writer import Writer

IMPORTS = frozenset({
    "import math", "import nki", "import nki.isa as nisa", "import nki.language as nl", "import numpy as np",
})  # fmt: skip
RESERVED = frozenset({"nl", "nki", "nisa", "np", "math", "range", "min", "max", "abs", "float", "int"})
HINTS = frozenset({"int", "float", "bool"})


@dataclass(frozen=True, slots=True)
class Called:
    """A function that calls a kernel: names of the results, the kernel, and which parameters of the source it is given."""

    host: ast.FunctionDef
    results: tuple[str, ...]
    kernel: ast.FunctionDef
    passed: tuple[str, ...]
    several: bool  # whether the results are a tuple

    def puts(self, request: Request) -> None:
        """Raises CannotWrite unless the function puts the results where the source does."""
        writer = Writer(request)
        lines = "\n".join(writer.host(", ".join(self.passed)))
        wanted = without_docstring(ast.parse(lines).body[0])[1:]  # type: ignore[arg-type]
        own = dict(zip(self.results, writer.outputs, strict=True))
        if set(writer.outputs) & ({each.id for each in ast.walk(self.host) if isinstance(each, ast.Name)} - set(self.results)):
            raise refused(self.host, "uses the name of a result for something else")
        found = [renamed(each, own) for each in without_docstring(self.host)[1:]]
        for mine, other in zip(found, wanted, strict=False):
            if ast.dump(mine) != ast.dump(other):
                raise refused(mine, f"puts results elsewhere than the source; this is read: {ast.unparse(other).splitlines()[0]}")
        if len(found) != len(wanted):
            raise refused(self.host, "does not put the results where the source does")


def called(functions: Mapping[str, ast.FunctionDef], name: str, params: tuple[str, ...]) -> Called:
    """What a function of a file calls; `params` are the source's parameters. Raises CannotWrite."""
    host = functions[name]
    if tuple(each.arg for each in host.args.args) != params or host.decorator_list:
        raise refused(host, f"does not take the source's parameters: ({', '.join(params)})")
    first = without_docstring(host)[0]
    match first:
        case ast.Assign([target], ast.Call(ast.Name(other), args, [])) if other in functions:
            results = target.elts if isinstance(target, ast.Tuple) else [target]
            kernel = functions[other]
            if not kernel.decorator_list:
                raise refused(kernel, "is no kernel: it is not decorated with nki.jit")
            if any(each.arg in RESERVED or each.arg in functions for each in kernel.args.args):
                raise refused(kernel, "has a parameter whose name has a meaning already")
            passed = tuple(each.id for each in args if isinstance(each, ast.Name) and each.id in params)
            if len(passed) != len(args) or len(args) != len(kernel.args.args):
                raise refused(first, "passes other things than parameters, or not as many as the kernel has")
            shown = tuple(each.id for each in results if isinstance(each, ast.Name))
            if len(shown) == len(results) == len(set(shown)) and not set(shown) & {*params, *functions, *RESERVED}:
                return Called(host, shown, kernel, passed, isinstance(target, ast.Tuple))
        case _:
            pass
    raise refused(first, "the function first calls a kernel: results = kernel(parameters)")


def definitions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The functions of a file, which has nothing else but imports."""
    found: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef(name) if name not in found and name not in RESERVED and is_plain(node):
                found[name] = node
            case ast.Import() if ast.unparse(node) in IMPORTS:
                pass
            case ast.Expr(ast.Constant(str())):
                pass
            case _:
                raise refused(node, "is neither a plain function nor an import that a kernel's file has")
    return found


def is_plain(function: ast.FunctionDef) -> bool:
    """Whether all parameters are given by their places, and defining the function runs nothing."""
    args = function.args
    hints = [function.returns, *(each.annotation for each in args.args)]
    known = (isinstance(hint, ast.Constant) or isinstance(hint, ast.Name) and hint.id in HINTS for hint in hints if hint)
    made = [ast.unparse(each) for each in function.decorator_list] in ([], ["nki.jit"])
    return made and all(known) and not (args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults)


def without_docstring(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function."""
    first = function.body[0]
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    found = function.body[1:] if text else function.body
    if not found:
        raise refused(function, "does nothing")
    return found


def renamed(node: ast.stmt, names: Mapping[str, str]) -> ast.stmt:
    """A statement with other names for some things."""
    made = ast.parse(ast.unparse(node)).body[0]
    for each in ast.walk(made):
        if isinstance(each, ast.Name):
            each.id = names.get(each.id, each.id)
    return ast.copy_location(made, node)
