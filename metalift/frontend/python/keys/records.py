"""Dictionaries whose values are records or rows, of which only parts are used, as dictionaries of these parts.

    latest = {}                                         latest = {}
    for v in visits:                                    for v in visits:
        if v.user not in latest:                            if v.user not in latest:
            latest[v.user] = v                                  latest[v.user] = (v.page, v.time)
    {k: v.page + v.time for k, v in latest.items()}     {k: v[0] + v[1] for k, v in latest.items()}

Rows that are written out (`m[k] = {"n": 0, "total": 0.0}`) and then changed (`m[k]["n"] += 1`) are lists of a fixed length. What
has one part is that part. The records of a list are not changed, as the reader of functions sees to: their parts are the same
where they are put into a dictionary and where they are read. What else is done with such a dictionary stays as it is.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from metalift.frontend.python.keys.containers import annotated, is_pure
from metalift.frontend.python.keys.rewriting import is_name, loaded, stored, uses_in
from metalift.frontend.python.keys.written import type_name
from metalift.frontend.python.naming.module import PythonModule

_Part = ast.Attribute | ast.Subscript


def without_records(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, which is changed, without such dictionaries."""
    for stmt in function.body:
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                found = _Records(module, function, name)
                if found.is_made(value) and found.understood():
                    _Parts(found).visit(function)
    return ast.fix_missing_locations(function)


@dataclass(slots=True)
class _Records:
    """One dictionary: `entries` are the names of what it has at a key, `parts` those that are used, in their order."""

    module: PythonModule
    function: ast.FunctionDef
    name: str
    entries: set[str] = field(default_factory=set)
    values: list[ast.expr] = field(default_factory=list)
    parts: dict[str, type[_Part]] = field(default_factory=dict)
    changed: bool = False

    def is_made(self, value: ast.expr | None) -> bool:
        """Whether an expression makes a dictionary that may have records as values, which are noted."""
        match value:
            case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
                return True
            case ast.DictComp(value=ast.Name() | ast.Dict() as made):
                self.values.append(made)
                return True
            case ast.Call(func=func, args=[ast.Lambda(body=ast.Dict() as made)], keywords=[]):
                self.values.append(made)
                return self.module.full_name(func) == "collections.defaultdict"
        return False

    def understood(self) -> bool:
        """Whether all uses of the dictionary, and of what it has, are those that are modelled."""
        nodes = list(ast.walk(self.function))
        parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        bindings = [target for node in nodes for target in self._bound(node)]
        self.entries = {target.id for target in bindings}
        known = {id(target) for target in bindings}
        for node in nodes:
            match node:
                case ast.Name(id=name) if name in self.entries and id(node) not in known and not self._part(node, parents):
                    return False
                case ast.Name(id=name) if name == self.name and not self._use(node, parents):
                    return False
                case ast.Assign(targets=[ast.Subscript(value=owner)], value=value) if is_name(owner, self.name):
                    self.values.append(value)
        return bool(self.parts and self.values) and all(map(self._is_record, self.values)) and not self._is_scattered(nodes)

    def _bound(self, node: ast.AST) -> Iterator[ast.Name]:
        """The names that a node gives to what the dictionary has at a key."""
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=value) if self.is_entry(value):
                yield target
            case (ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over)) if self._is_items(over):
                match target:
                    case ast.Tuple(elts=[_, ast.Name() as value]):
                        yield value

    def _is_items(self, over: ast.expr) -> bool:
        match over:
            case ast.Call(func=ast.Attribute(value=owner, attr="items"), args=[]):
                return is_name(owner, self.name)
        return False

    def is_entry(self, node: ast.AST) -> bool:
        """Whether an expression is what the dictionary has at a key."""
        match node:
            case ast.Subscript(value=owner):
                return is_name(owner, self.name)
            case ast.Call(func=ast.Attribute(value=owner, attr="setdefault"), args=[_, _]):
                return is_name(owner, self.name)
            case ast.Name(id=name):
                return name in self.entries
        return False

    def _use(self, node: ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
        """Whether a use of the dictionary is modelled."""
        if not isinstance(node.ctx, ast.Load):
            return isinstance(parents[node], ast.Assign | ast.AnnAssign) and parents[parents[node]] is self.function
        above = parents[node]
        match above:
            case ast.Subscript(value=owner, ctx=ast.Store()) if owner is node:
                return isinstance(parents[above], ast.Assign) and len(getattr(parents[above], "targets", ())) == 1
            case ast.Subscript(value=owner, ctx=ast.Load()) if owner is node:
                return self._read(above, parents)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[owner]):
                return owner is node
            case ast.For(iter=over) | ast.comprehension(iter=over):
                return over is node
            case ast.Attribute(attr="keys"):
                return True
            case ast.Attribute(attr="items"):
                return any(self._is_items(each) for each in self._looped(parents.get(parents[above])))
            case ast.Attribute(attr="setdefault"):
                call = parents[above]
                if not isinstance(call, ast.Call) or len(call.args) < 2:
                    return False
                self.values.append(call.args[1])
                return isinstance(parents[call], ast.Expr) or self._read(call, parents)
        return False

    @staticmethod
    def _looped(node: ast.AST | None) -> Iterator[ast.expr]:
        match node:
            case ast.For(target=ast.Tuple(elts=[_, ast.Name()]), iter=over):
                yield over
            case ast.comprehension(target=ast.Tuple(elts=[_, ast.Name()]), iter=over):
                yield over

    def _read(self, node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
        """Whether what the dictionary has at a key gets a name, or is asked for a part."""
        match parents[node]:
            case ast.Assign(targets=[ast.Name()], value=value) if value is node:
                return True
        return self._part(node, parents)

    def _part(self, node: ast.expr, parents: dict[ast.AST, ast.AST]) -> bool:
        """Whether something is asked for a part, or has one changed, which is noted."""
        above = parents[node]
        name = part_name(above)
        if name is None or not isinstance(above, ast.Attribute | ast.Subscript) or above.value is not node:
            return False
        if isinstance(parents.get(above), ast.Call) and isinstance(above, ast.Attribute):
            call = parents[above]
            if isinstance(call, ast.Call) and call.func is above:
                return False  # a method
        self.changed = self.changed or not isinstance(above.ctx, ast.Load)
        return not isinstance(above.ctx, ast.Del) and self.parts.setdefault(name, type(above)) is type(above)

    def _is_record(self, value: ast.expr) -> bool:
        """Whether what is put into the dictionary has these parts, and may be put there as these."""
        match value:
            case ast.Name(id=name):
                return not self.changed and self._is_element(name)
            case ast.Dict(keys=keys, values=values):
                names = [each.value if isinstance(each, ast.Constant) else None for each in keys]
                by_key = set(self.parts.values()) == {ast.Subscript}
                return by_key and self.parts.keys() <= set(names) and all(is_pure(each, self.module) for each in values)
        return False

    def _is_element(self, name: str) -> bool:
        """Whether a name is one of the elements of a parameter, wherever it gets a value: nothing else changes what it has."""
        params = {arg.arg for arg in self.function.args.args} - stored(self.function.body)
        elements = 0
        for node in ast.walk(self.function):
            match node:
                case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                    if loaded([ast.Expr(value=over)]) <= params | {"enumerate", "zip", "reversed", "sorted"}:
                        elements += uses_in(target, name)
        return elements > 0 and elements == len([node for node in ast.walk(self.function) if _stores(node, name)])

    def _is_scattered(self, nodes: list[ast.AST]) -> bool:
        """Whether parts of other records are changed, or what has one part that changes has a name in a statement."""
        own = [node for node in nodes if isinstance(node, _Part) and self.is_entry(node.value)]
        others = (node for node in nodes if isinstance(node, _Part) and not isinstance(node.ctx, ast.Load) and node not in own)
        named = any(isinstance(node, ast.Assign | ast.For) and [*self._bound(node)] for node in nodes)
        return (named and self.changed and len(self.parts) == 1) or any(part_name(node) in self.parts for node in others)

    # What there is instead

    def of(self, value: ast.expr) -> ast.expr:
        """The parts of what is put into the dictionary."""
        found: list[ast.expr] = []
        for name, kind in self.parts.items():
            match value:
                case ast.Dict(keys=keys, values=values):
                    found.append(next(each for key, each in reversed([*zip(keys, values, strict=True)]) if _is_key(key, name)))
                case _ if kind is ast.Attribute:
                    found.append(ast.Attribute(value=copy.deepcopy(value), attr=name, ctx=ast.Load()))
                case _:
                    place = ast.Constant(value=name)
                    found.append(ast.Subscript(value=copy.deepcopy(value), slice=place, ctx=ast.Load()))
        if len(found) == 1:
            return found[0]
        return ast.List(elts=found, ctx=ast.Load()) if self.changed else ast.Tuple(elts=found, ctx=ast.Load())

    def note(self, old: ast.expr) -> ast.expr:
        """The annotation of the dictionary: its keys are what they were."""
        key, _ = annotated(old)
        parts = [self.of(value) for value in self.values if isinstance(value, ast.Name)]
        shown = next((getattr(each, "elts", [each]) for each in parts), [])
        types = [type_name(self.module, self.function, each) for each in shown] or ["object"]
        whole = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
        return ast.parse(f"dict[{key or 'object'}, {whole}]", mode="eval").body


def part_name(node: ast.AST) -> str | None:
    """The field or key that an expression names; None where it names none."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str() as name)):
            return name
    return None


def _stores(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()) | ast.arg():
            return name in (getattr(node, "id", ""), getattr(node, "arg", ""))
    return False


def _is_key(key: ast.expr | None, name: str) -> bool:
    return isinstance(key, ast.Constant) and key.value == name


class _Parts(ast.NodeTransformer):
    """The parts in the places of records."""

    def __init__(self, found: _Records) -> None:
        self.found = found
        self.values = {id(value) for value in found.values}
        self.names = list(found.parts)

    def visit(self, node: ast.AST) -> ast.AST:
        """The node with them."""
        found = self.found
        if isinstance(node, _Part) and found.is_entry(node.value) and part_name(node) in found.parts:
            whole = self.generic_visit(node.value) if not isinstance(node.value, ast.Name) else node.value
            assert isinstance(whole, ast.expr)
            if len(self.names) > 1:
                place = ast.Constant(value=self.names.index(part_name(node) or ""))
                return ast.copy_location(ast.Subscript(value=whole, slice=place, ctx=node.ctx), node)
            if isinstance(whole, ast.Subscript):
                whole.ctx = node.ctx
            return whole
        if isinstance(node, ast.AnnAssign) and is_name(node.target, found.name):
            node.annotation = ast.copy_location(found.note(node.annotation), node.annotation)
        self.generic_visit(node)
        return ast.copy_location(found.of(node), node) if id(node) in self.values and isinstance(node, ast.expr) else node
