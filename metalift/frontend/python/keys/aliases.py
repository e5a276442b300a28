"""Which names of lists may stand for other elements later: their lists are changed, or may be by another name."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

_READING = frozenset("len zip enumerate range sum max min any all set frozenset sorted reversed list tuple dict Counter".split())
_NUMBERS = frozenset("int float bool str".split())


def may_change(function: ast.FunctionDef, maps: Collection[str]) -> set[str]:
    """Names of lists that the function changes, gives other names, or gives to functions that may change them.

    `maps` are dictionaries and sets, which are followed elsewhere.
    """
    uses = _Uses(function)
    changed = {name for name, _ in uses.changed()} - set(maps)
    inside = any(depth > 1 for name, depth in uses.changed() if name not in maps)
    if inside or any(not uses.is_own(name) for name in changed):
        return uses.names  # a list in a list, or one that may have another name
    return changed | {name for name in uses.lists() - set(maps) if not uses.is_only_read(name)}


class _Uses:
    """The names of a function, and what stands around each of their uses."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.function = function
        self.nodes = list(ast.walk(function))
        self.parents = {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self.params = {node.arg: node.annotation for node in self.nodes if isinstance(node, ast.arg)}
        self.names = {node.id for node in self.nodes if isinstance(node, ast.Name)}

    def changed(self) -> Iterator[tuple[str, int]]:
        """The names of lists that are changed, and how deep in them that happens."""
        for node in self.nodes:
            place: ast.expr | None = None
            match node:
                case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                    place = node
                case ast.Call(func=ast.Attribute() as place):
                    pass
                case ast.AugAssign(target=ast.Name(id=name)) if name in self.lists():
                    yield name, 1
            depth = 0
            while isinstance(place, ast.Subscript | ast.Attribute):
                place, depth = place.value, depth + 1
            if isinstance(place, ast.Name):
                yield place.id, depth

    def lists(self) -> set[str]:
        """The names that are used as lists, or that have annotations of others than numbers."""
        notes = self.params.items()
        found = {name for name, note in notes if note is not None and not (isinstance(note, ast.Name) and note.id in _NUMBERS)}
        for node in self.nodes:
            match node:
                case (
                    ast.For(iter=ast.Name(id=name))
                    | ast.comprehension(iter=ast.Name(id=name))
                    | ast.Subscript(value=ast.Name(id=name))
                ):
                    found.add(name)
                case ast.Call(func=ast.Name(id="max" | "min" | "range"), args=[_, _, *_]) | ast.Call(func=ast.Name(id="range")):
                    pass
                case ast.Call(func=ast.Name(id=called), args=args) if called in _READING:
                    found |= {arg.id for arg in args if isinstance(arg, ast.Name)}
        return found

    def is_own(self, name: str) -> bool:
        """Whether a list has one name from the start: a parameter, or a new list."""
        stores = [
            node for node in self.nodes if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        ]
        return all(_is_new(self.parents[node]) for node in stores)

    def is_only_read(self, name: str) -> bool:
        """Whether no use of a list gives it another name, nor to what may change it."""
        loads = (node for node in self.nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load))
        return all(self._reads(node) for node in loads)

    def _reads(self, node: ast.Name) -> bool:
        match self.parents[node]:
            case ast.For(iter=used) | ast.comprehension(iter=used):
                return used is node
            case ast.Subscript():  # a place in it, or it is itself one
                return True
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=args) if node in args:
                return called in _READING
            case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.BoolOp(op=ast.And() | ast.Or()):
                return not isinstance(self.parents[node], ast.BoolOp)
            case ast.If() | ast.While() | ast.Return():
                return True
        return False


def _is_new(stmt: ast.AST) -> bool:
    """Whether a statement gives a name to a new list, as far as its expression shows."""
    match stmt:
        case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(value=value):
            called = value.func if isinstance(value, ast.Call) else None
            copies = isinstance(called, ast.Name) and called.id in _READING
            return copies or value is None or isinstance(value, ast.List | ast.ListComp | ast.BinOp)
        case ast.AugAssign(target=ast.Name()):
            return True
    return False
