"""Rows in the source: dictionaries with constant keys. A new one that is changed is a name for each of its keys up to where it is
used as a whole: before that nothing else has it.

    new = dict(row)                         new_price = row["price"]
    new["total"] = row["price"]             new_total = row["price"]
    if row["late"]:                         if row["late"]:
        new["price"] += 1                       new_price += 1
    out.append(new)                         out.append({**row, "price": new_price, "total": new_total})
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metalift.frontend.python.keys.containers import has_other_meaning
from metalift.frontend.python.keys.rewriting import assign, at, fresh, is_name, read_name, stored, uses, uses_in
from metalift.frontend.python.naming.module import PythonModule


def key_of(node: ast.expr | None) -> str | None:
    """The key that an expression names; None where it is computed, or no text."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def with_new_rows(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without rows that it makes and changes; those that something else may have stay as they are."""
    if has_other_meaning(module, function):
        return function
    function = copy.deepcopy(function)
    nodes = list(ast.walk(function))
    taken = {node.id for node in nodes if isinstance(node, ast.Name)} | {node.arg for node in nodes if isinstance(node, ast.arg)}
    for block in list(_blocks(function)):
        for place in reversed(range(len(block))):
            _rewrite(function, block, place, taken)
    return ast.fix_missing_locations(function)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of statements below a node."""
    for part in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            found = getattr(part, name, None)
            if isinstance(found, list) and found and isinstance(found[0], ast.stmt):
                yield found


def _rewrite(function: ast.FunctionDef, block: list[ast.stmt], place: int, taken: set[str]) -> None:
    """Rewrite what a block does with the row that it makes at a place, if that is one and can be done."""
    stmt, rest = block[place], block[place + 1 :]
    match stmt:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            pass
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            pass
        case _:
            return
    new = _new(value, inside=block is not function.body)
    if new is None or not any(_entries(each, name) for each in rest) or not _is_own(function, rest, name):
        return
    row = _apart(name, new, rest, taken)
    if row is not None:
        lines = [assign(row.parts[key], value) for key, value in row.start.items()]
        block[place:] = [*(at(line, stmt) for line in lines), *(row.visit(each) for each in rest)]


def _new(value: ast.expr, *, inside: bool) -> ast.Dict | None:
    """The row that an expression makes; what may be filled at keys that are computed is none at the level of a function."""
    match value:
        case ast.Dict(keys=keys) if inside or keys:
            return copy.copy(value) if all(each is None or key_of(each) is not None for each in keys) else None
        case ast.Call(func=ast.Name(id="dict"), args=[] | [ast.Name()], keywords=keywords) if inside:
            named = [ast.Constant(value=each.arg) if each.arg else None for each in keywords]
            return ast.Dict(keys=[*(None for _ in value.args), *named], values=[*value.args, *(each.value for each in keywords)])
        case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="copy"), args=[], keywords=[]) if inside:
            return ast.Dict(keys=[None], values=[owner])
    return None


def _is_own(function: ast.FunctionDef, rest: Sequence[ast.stmt], name: str) -> bool:
    """Whether a name is bound once, used only in the statements behind that, and stands for a row that these change before they
    use it as a whole.
    """
    args = function.args
    params = (arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs))
    if uses(function.body, name) != uses(rest, name) + 1 or name in params or name in stored(rest):
        return False
    whole = False
    for stmt in rest:
        entries = _entries(stmt, name)
        changes = [node for node in entries if not isinstance(node.ctx, ast.Load)]
        if any(isinstance(node.ctx, ast.Del) or key_of(node.slice) is None for node in changes):
            return False
        whole = whole or uses_in(stmt, name) > len(entries)
        if whole and changes:
            return False
    return True


def _entries(node: ast.AST, name: str) -> list[ast.Subscript]:
    """Where an entry of a row is read or changed."""
    return [part for part in ast.walk(node) if isinstance(part, ast.Subscript) and is_name(part.value, name)]


def _is_set_first(rest: Sequence[ast.stmt], name: str, key: str) -> bool:
    """Whether the first statement that is about an entry gives it a value, whatever happens."""
    for stmt in rest:
        match stmt:
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=place)], value=value) if is_name(owner, name):
                if key_of(place) == key:
                    return all(key_of(node.slice) != key for node in _entries(value, name))
        if any(key_of(node.slice) == key for node in _entries(stmt, name)):
            return False
    return False


@dataclass
class _Apart(ast.NodeTransformer):
    """Names for the entries of a row: `parts` by the keys, which begin as `start`; `base` is the row that has the others."""

    name: str
    parts: dict[str, str]
    base: ast.expr | None
    start: dict[str, ast.expr]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An entry."""
        key = key_of(node.slice) if is_name(node.value, self.name) else None
        if key in self.parts:
            return ast.copy_location(ast.Name(id=self.parts[key], ctx=node.ctx), node)
        if key is not None and self.base is not None:
            return ast.copy_location(ast.Subscript(value=copy.deepcopy(self.base), slice=node.slice, ctx=node.ctx), node)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The whole row."""
        if node.id != self.name:
            return node
        keys: list[ast.expr | None] = [ast.Constant(value=key) for key in self.parts]
        values: list[ast.expr] = [read_name(part) for part in self.parts.values()]
        base = [] if self.base is None else [copy.deepcopy(self.base)]
        return ast.copy_location(ast.Dict(keys=[*(None for _ in base), *keys], values=[*base, *values]), node)


def _apart(name: str, new: ast.Dict, rest: Sequence[ast.stmt], taken: set[str]) -> _Apart | None:
    """The names for the entries of a new row; None where it may lack one, or get some of a row that may be another one later."""
    base = new.values[0] if new.keys and new.keys[0] is None else None
    entries = list(zip(new.keys, new.values, strict=True))[0 if base is None else 1 :]
    start = {key: value for place, value in entries if (key := key_of(place)) is not None}
    if len(start) < len(entries) or (base is not None and not _is_kept(base, rest)):
        return None
    changes = [node for each in rest for node in _entries(each, name) if not isinstance(node.ctx, ast.Load)]
    changed = [key for node in changes if (key := key_of(node.slice)) is not None]
    for key in dict.fromkeys(changed):
        if key not in start and not _is_set_first(rest, name, key):
            if base is None:
                return None
            start[key] = ast.Subscript(value=copy.deepcopy(base), slice=ast.Constant(value=key), ctx=ast.Load())
    names = {key: fresh(f"{name}_{key}" if key.isidentifier() else name, taken) for key in dict.fromkeys([*start, *changed])}
    return _Apart(name, names, base, start)


def _is_kept(base: ast.expr, rest: Sequence[ast.stmt]) -> bool:
    """Whether a name stands for the same row in all of these statements, which do not change it."""
    if not isinstance(base, ast.Name) or base.id in stored(rest):
        return False
    return all(isinstance(node.ctx, ast.Load) for stmt in rest for node in _entries(stmt, base.id))
