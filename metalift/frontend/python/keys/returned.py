"""What a function with dictionaries and sets returns, one or several of these, and what its annotation says of each."""

from __future__ import annotations

import ast
import copy

from metalift.frontend.python.keys.containers import made
from metalift.frontend.python.keys.rewriting import at, fresh
from metalift.frontend.python.naming.module import PythonModule


def with_names(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, in which dictionaries and sets that are made where several results are returned have names."""
    match function.body[-1]:
        case ast.Return(value=ast.Tuple(elts)) as last if any(made(module, each) for each in elts):
            pass
        case _:
            return function
    function = copy.deepcopy(function)
    taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)} | {arg.arg for arg in function.args.args}
    notes = _notes(function, len(elts))
    lines: list[ast.stmt] = []
    results: list[ast.expr] = []
    for value, note in zip(elts, notes, strict=True):
        if made(module, value) is None:
            results.append(copy.deepcopy(value))
            continue
        name = fresh("result", taken)
        target, own = ast.Name(id=name, ctx=ast.Store()), copy.deepcopy(value)
        line: ast.stmt = ast.Assign(targets=[target], value=own)
        if note is not None:
            line = ast.AnnAssign(target=target, annotation=copy.deepcopy(note), value=own, simple=1)
        lines.append(at(line, last))
        results.append(ast.Name(id=name, ctx=ast.Load()))
    end = at(ast.Return(value=ast.Tuple(elts=results, ctx=ast.Load())), last)
    function.body[-1:] = [*lines, end]
    return function


def returned(function: ast.FunctionDef) -> list[tuple[ast.expr, ast.expr | None]]:
    """The values that the last statement returns, each with its annotation."""
    match function.body[-1]:
        case ast.Return(value=ast.Tuple(elts)) if len(elts) > 1:
            return list(zip(elts, _notes(function, len(elts)), strict=True))
        case ast.Return(value=ast.expr() as value):
            return [(value, function.returns)]
    return []


def note_of(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """The annotation of the result that a name is."""
    for value, note in returned(function):
        match value:
            case ast.Name(id=one) | ast.Call(func=ast.Name(id="dict" | "set"), args=[ast.Name(id=one)]) if one == name:
                return note
    return None


def _notes(function: ast.FunctionDef, count: int) -> list[ast.expr | None]:
    """The annotation of each of several results, as far as there is one."""
    note = function.returns
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        try:
            note = ast.parse(note.value, mode="eval").body
        except SyntaxError:
            note = None
    match note:
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple") | ast.Attribute(attr="Tuple"), slice=ast.Tuple(elts)) if (
            len(elts) == count
        ):
            return list(elts)
    return [None] * count
