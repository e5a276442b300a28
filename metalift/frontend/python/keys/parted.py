"""Dictionaries whose values are tuples, or lists of a fixed length: which these are, and what is read of them.

See `metalift.frontend.python.keys.several`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from metalift.frontend.python.keys.rewriting import Put, Renamed, at, fresh, read_name
from metalift.frontend.python.naming.module import PythonModule

FORM = "supported are such values that are written out, taken apart, and read at a place that is a number"


@dataclass(frozen=True, slots=True)
class Parted:
    """Such a dictionary: `parts` are the names of those that stand for it, `inserts` whether reading puts a missing key there."""

    name: str
    parts: tuple[str, ...]
    is_list: bool
    inserts: bool


@dataclass(slots=True)
class Parts:
    """Reads expressions; `locals` are names of tuples that were read, with those of their parts, `origin` these by the latter."""

    module: PythonModule
    function: ast.FunctionDef
    maps: dict[str, Parted] = field(default_factory=dict)
    locals: dict[str, tuple[str, ...]] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def name_result(self) -> None:
        """Write comprehensions of such values out as loops, and give the one that is returned a name."""
        self.taken = {node.id for node in ast.walk(self.function) if isinstance(node, ast.Name)}
        self.taken |= {arg.arg for arg in self.function.args.args}
        body: list[ast.stmt] = []
        for stmt in self.function.body:
            match stmt:
                case ast.Return(value=ast.DictComp(value=ast.Tuple() | ast.List()) as made):
                    name = fresh("result", self.taken)
                    body += self._loop(name, made, self.function.returns, stmt)
                    body.append(at(ast.Return(value=read_name(name)), stmt))
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.DictComp(value=ast.Tuple() | ast.List()) as made):
                    body += self._loop(name, made, None, stmt)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.DictComp(value=ast.Tuple() | ast.List()) as made):
                    body += self._loop(name, made, stmt.annotation, stmt)
                case _:
                    body.append(stmt)
        self.function.body = body
        for number, node in enumerate(ast.walk(self.function)):
            node.spot = number  # type: ignore[attr-defined]  # which copies of the node have, too

    def _loop(self, name: str, made: ast.DictComp, annotation: ast.expr | None, stmt: ast.stmt) -> list[ast.stmt]:
        """The statements that make what a comprehension makes."""
        bound = {node.id for each in made.generators for node in ast.walk(each.target) if isinstance(node, ast.Name)}
        place = ast.Subscript(value=read_name(name), slice=made.key, ctx=ast.Store())
        line: ast.stmt = ast.Assign(targets=[place], value=made.value)
        for each in reversed(made.generators):
            if each.is_async:
                self.refuse(stmt, "an asynchronous comprehension")
            for test in reversed(each.ifs):
                line = ast.If(test=test, body=[line], orelse=[])
            line = ast.For(target=each.target, iter=each.iter, body=[line], orelse=[])
        line = Renamed({each: fresh(each, self.taken) for each in bound}).visit(line)
        target, empty = ast.Name(id=name, ctx=ast.Store()), ast.Dict(keys=[], values=[])
        start: ast.stmt = ast.Assign(targets=[target], value=empty)
        if annotation is not None:
            start = ast.AnnAssign(target=target, annotation=annotation, value=empty, simple=1)
        return [at(start, stmt), at(line, stmt)]

    def find(self) -> None:
        """The dictionaries whose values are written out."""
        for stmt in self.function.body:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                    pass
                case _:
                    continue
            default = self.default(value)
            if value is None or (default is None and not _is_empty(value)):
                continue
            shown = [each for whole in (default, *self._written(name)) if whole for each in _written_out(whole)]
            if any(isinstance(node, ast.Call) and _appended(node) == name for node in ast.walk(self.function)) or not shown:
                continue
            if default is not None and not isinstance(default, ast.Tuple | ast.List):
                self.refuse(stmt, f"values of {name} that are no tuples, beside tuples; {FORM}")
            self._check_shown(name, shown)
            parts = tuple(fresh(f"{name}_{number}", self.taken) for number in range(len(shown[0].elts)))
            self.maps[name] = Parted(name, parts, isinstance(shown[0], ast.List), default is not None)
        self._find_locals()

    def _find_locals(self) -> None:
        """The names of tuples that are read."""
        for node in ast.walk(self.function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in self.maps and self._count(value):
                    self._learn(name, self._count(value))
                case ast.For(target=target, iter=over) if (found := looped(over, target, self.maps)) and not found[0].is_list:
                    if isinstance(found[2], ast.Name):
                        self._learn(found[2].id, len(found[0].parts))

    def _learn(self, name: str, count: int) -> None:
        """Note that a name stands for a tuple."""
        if name not in self.locals:
            self.locals[name] = tuple(fresh(f"{name}_{number}", self.taken) for number in range(count))
            self.origin |= dict.fromkeys(self.locals[name], name)

    def _count(self, value: ast.expr) -> int:
        """Of how many parts a tuple is that is read; 0 for other expressions."""
        match value:
            case ast.Subscript(value=ast.Name(id=name)) | ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[_, _]
            ) if name in self.maps and not self.maps[name].is_list:
                return len(self.maps[name].parts)
            case ast.IfExp(body=body, orelse=orelse):
                return self._count(body) or self._count(orelse)
        return 0

    def default(self, value: ast.expr | None) -> ast.expr | None:
        """The value that a dictionary puts at keys that it lacks."""
        match value:
            case ast.Call(func=func, args=[ast.Lambda(body=body)], keywords=[]):
                return body if self.module.full_name(func) == "collections.defaultdict" else None
        return None

    def _written(self, name: str) -> Iterator[ast.expr]:
        """What is written to a dictionary, or given where it lacks a key."""
        for node in ast.walk(self.function):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner))], value=value) if owner == name:
                    yield value
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get" | "setdefault"), args=[_, default]) if (
                    owner == name
                ):
                    yield default

    def _check_shown(self, name: str, shown: Sequence[ast.Tuple | ast.List]) -> None:
        first = shown[0]
        for each in shown:
            if type(each) is not type(first) or len(each.elts) != len(first.elts):
                self.refuse(each, f"values of {name} with other numbers of parts, or lists beside tuples; {FORM}")
            if len(each.elts) < 2 or any(isinstance(part, ast.Starred | ast.Tuple | ast.List) for part in each.elts):
                self.refuse(each, f"values of {name} that are no tuples of two or more numbers or strings; {FORM}")

    def parts_of(self, value: ast.expr) -> list[ast.expr] | None:
        """The parts of a tuple that is read; None for other expressions."""
        match value:
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name in self.maps:
                place = self.read(key)
                return [entry(part, place) for part in self.maps[name].parts]
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[key, ast.Tuple(elts) | ast.List(elts)]
            ) if name in self.maps:
                place, found = self.read(key), []
                for part, default in zip(self.maps[name].parts, elts, strict=True):
                    owner = ast.Attribute(value=read_name(part), attr="get", ctx=ast.Load())
                    found.append(ast.Call(func=owner, args=[copy.deepcopy(place), self.read(default)], keywords=[]))
                return list(found)
            case ast.Name(id=name) if name in self.locals:
                return [read_name(part) for part in self.locals[name]]
            case ast.IfExp(test=test, body=body, orelse=orelse):
                one, other = (_items(each) or self.parts_of(each) for each in (body, orelse))
                if one is not None and other is not None and len(one) == len(other):
                    pairs = zip(one, other, strict=True)
                    return [ast.IfExp(test=self.read(test), body=self.read(a), orelse=self.read(b)) for a, b in pairs]
        return None

    def check_present(self, node: ast.expr) -> None:
        """Refuse that an expression of several keys reads what may put a key there."""
        present = {
            (each.iter.id, each.target.id)
            for each in _generators(node)
            if isinstance(each.iter, ast.Name) and isinstance(each.target, ast.Name)
        }
        for part in ast.walk(node):
            match part:
                case ast.Subscript(value=ast.Name(id=name), slice=key) if name in self.maps and self.maps[name].inserts:
                    if not isinstance(key, ast.Name) or (self.maps[name].parts[0], key.id) not in present:
                        self.refuse(part, f"{name} is read at a key, which puts the key there, in a comprehension; {FORM}")

    def is_beyond(self, name: str, stmts: Sequence[ast.stmt]) -> bool:
        """Whether a name of the source is used elsewhere than in these statements, or in what they were before."""
        inside = {getattr(node, "spot", None) for stmt in stmts for node in ast.walk(stmt)}
        uses = (node for node in ast.walk(self.function) if isinstance(node, ast.Name) and node.id == name)
        return any(node.spot not in inside for node in uses)  # type: ignore[attr-defined]

    def read(self, node: ast.expr) -> ast.expr:
        """An expression without such dictionaries."""
        found = _Reads(self).visit(copy.deepcopy(node))
        assert isinstance(found, ast.expr)
        return found

    def read_all(self, stmt: ast.stmt) -> ast.stmt:
        """A statement without such dictionaries."""
        found = _Reads(self).visit(copy.deepcopy(stmt))
        assert isinstance(found, ast.stmt)
        return found

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        """Refuse what stands at a node."""
        self.module.place.refuse(node, message)


class _Reads(ast.NodeTransformer):
    """Parts that are read at a key, and what is asked of keys."""

    def __init__(self, owner: Parts) -> None:
        self.owner = owner

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node.value:
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name in self.owner.maps:
                found = self.owner.maps[name]
                if not isinstance(node.ctx, ast.Load) and not found.is_list:
                    self.owner.refuse(node, "a part of a tuple that is changed")
                return ast.copy_location(entry(self._part(node, found.parts), self.visit(key), node.ctx), node)
            case ast.Name(id=name) if name in self.owner.locals and isinstance(node.ctx, ast.Load):
                return ast.copy_location(read_name(self._part(node, self.owner.locals[name])), node)
        self.generic_visit(node)
        return node

    def _part(self, node: ast.Subscript, parts: Sequence[str]) -> str:
        match node.slice:
            case ast.Constant(value=int() as place) if not isinstance(place, bool) and place < len(parts):
                return parts[place]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as place)) if 0 < place <= len(parts):
                return parts[-place]
        self.owner.refuse(node, f"a place in a tuple or list of a dictionary; {FORM}")

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]) if name in self.owner.maps:
                first = read_name(self.owner.maps[name].parts[0])
                return ast.copy_location(ast.Compare(left=self.visit(node.left), ops=node.ops, comparators=[first]), node)
        self.generic_visit(node)
        return node

    def _comprehension(self, node: ast.expr) -> ast.expr:
        for each in _generators(node):
            found = looped(each.iter, each.target, self.owner.maps)
            if found is not None:
                owner, key, values = found
                self._put_values(node, owner, key, values)
                each.target, each.iter = ast.Name(id=key, ctx=ast.Store()), read_name(owner.parts[0])
        self.owner.check_present(node)
        self.generic_visit(node)
        return ast.fix_missing_locations(node)

    def _put_values(self, node: ast.expr, owner: Parted, key: str, values: ast.expr | None) -> None:
        """Write what a comprehension has names for as what the dictionary has at the key."""
        whole = entry(owner.name, read_name(key))
        put: dict[str, ast.expr] = {}
        match values:
            case None:
                pass
            case ast.Name(id=name):
                put = {name: whole}
            case ast.Tuple(elts) if len(elts) == len(owner.parts):
                for number, part in enumerate(elts):
                    if isinstance(part, ast.Name):
                        put[part.id] = ast.Subscript(value=whole, slice=ast.Constant(value=number), ctx=ast.Load())
        bound = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        wanted = 0 if values is None else len(values.elts) if isinstance(values, ast.Tuple) else 1
        if len(put) != wanted or any(bound.count(name) > 1 for name in (*put, key)):
            self.owner.refuse(values or node, f"values of {owner.name} that are taken apart in another way; {FORM}")
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, Put(put).visit(value))
        for other in _generators(node):
            other.ifs = [Put(put).visit(test) for test in other.ifs]

    visit_DictComp = visit_SetComp = visit_GeneratorExp = visit_ListComp = _comprehension

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.owner.maps or node.id in self.owner.locals:
            self.owner.refuse(node, f"a use of {node.id}, which is a dictionary of tuples or lists, or one of these; {FORM}")
        return node


def looped(over: ast.expr, target: ast.expr, maps: Mapping[str, Parted]) -> tuple[Parted, str, ast.expr | None] | None:
    """The dictionary that is run over, the name of the key, and the target of the value."""
    match over, target:
        case ast.Name(id=name), ast.Name(id=key) if name in maps:
            return maps[name], key, None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="keys"), args=[]), ast.Name(id=key) if name in maps:
            return maps[name], key, None
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items"), args=[]),
            ast.Tuple(elts=[ast.Name(id=key), values]),
        ) if name in maps:
            return maps[name], key, values
    return None


def entry(part: str, key: ast.expr, ctx: ast.expr_context | None = None) -> ast.Subscript:
    """What a dictionary has at a key."""
    return ast.Subscript(value=read_name(part), slice=copy.deepcopy(key), ctx=ctx or ast.Load())


def _appended(call: ast.Call) -> str:
    """The dictionary to whose list at a key a call appends."""
    match call.func:
        case ast.Attribute(value=ast.Subscript(value=ast.Name(id=name)), attr="append"):
            return name
        case ast.Attribute(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="setdefault")), attr="append"):
            return name
    return ""


def _items(value: ast.expr) -> list[ast.expr] | None:
    return value.elts if isinstance(value, ast.Tuple | ast.List) else None


def _generators(node: ast.expr) -> list[ast.comprehension]:
    return node.generators if isinstance(node, ast.DictComp | ast.SetComp | ast.GeneratorExp | ast.ListComp) else []


def evaluated_once(node: ast.AST) -> Iterator[ast.AST]:
    """What is under a node, but for comprehensions."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.DictComp | ast.SetComp | ast.GeneratorExp | ast.ListComp):
            yield from evaluated_once(child)


def _written_out(value: ast.expr) -> Iterator[ast.Tuple | ast.List]:
    """The tuples and lists that are the values of an expression."""
    match value:
        case ast.Tuple() | ast.List():
            yield value
        case ast.IfExp(body=body, orelse=orelse):
            yield from _written_out(body)
            yield from _written_out(orelse)


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
            return True
    return False
