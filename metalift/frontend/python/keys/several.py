"""Dictionaries whose values are tuples, or lists of a fixed length that are written out, as one dictionary for each part.

    n, t = seen.get(k, (0, 0.0))          n = seen_0.get(k, 0)
    seen[k] = (n + 1, t + x)              t = seen_1.get(k, 0.0)
                                          seen_0[k] = n + 1
                                          seen_1[k] = t + x

All have the same keys after each statement of the source. What else is done with such a dictionary is refused, above all what
lets two names stand for one list.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metalift.frontend.python.keys.containers import annotated, is_pure, items_of
from metalift.frontend.python.keys.parted import FORM, Parted, Parts, entry, evaluated_once, looped
from metalift.frontend.python.keys.returned import note_of
from metalift.frontend.python.keys.rewriting import Put, Renamed, at, fresh, loaded, only_in_loops, read_name, same, stored, uses
from metalift.frontend.python.naming.module import PythonModule

Blocks = Sequence[ast.stmt]


@dataclass(frozen=True, slots=True)
class Split:
    """A function without such dictionaries; `parts` are the names of those that stand for each of them."""

    function: ast.FunctionDef
    parts: Mapping[str, tuple[str, ...]]


def without_tuples(module: PythonModule, function: ast.FunctionDef) -> Split:
    """The function, in which such dictionaries are several. Raises Unsupported."""
    function = copy.deepcopy(function)
    splitter = _Splitter(module, function)
    splitter.name_result()
    splitter.find()
    if not splitter.maps:
        return Split(function, {})
    function.body = splitter.block(function.body)
    ast.fix_missing_locations(function)
    return Split(function, {each.name: each.parts for each in splitter.maps.values()})


@dataclass(slots=True)
class _Splitter(Parts):
    """Rewrites statements."""

    def block(self, stmts: Blocks) -> list[ast.stmt]:
        """Statements without such dictionaries."""
        done: list[ast.stmt] = []
        for place, stmt in enumerate(stmts):
            alias = self._alias(stmt)
            if alias is not None:
                name, owner, key, before = alias
                rest = self._inlined(name, owner, key, stmt, stmts[place + 1 :])
                before = before or self._inserted(entry(owner, key), stmt)
                return [*done, *(line for each in before for line in self._statement(each)), *self.block(rest)]
            done += self._statement(stmt)
        return done

    def _alias(self, stmt: ast.stmt) -> tuple[str, str, ast.expr, list[ast.stmt]] | None:
        """A name for the list that a dictionary has at a key, and what is to be done first."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript(value=ast.Name(id=owner), slice=key)):
                before: list[ast.stmt] = []
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="setdefault"), args=[key, _]) as call,
            ):
                before = [at(ast.Expr(value=call), stmt)]
            case _:
                return None
        return (name, owner, key, before) if owner in self.maps and self.maps[owner].is_list else None

    def _inlined(self, name: str, owner: str, key: ast.expr, stmt: ast.stmt, rest: Blocks) -> list[ast.stmt]:
        """The statements after it, with what the name stands for in its place."""
        changed = stored(rest)
        places = (node for each in rest for node in ast.walk(each) if isinstance(node, ast.Subscript))
        owners = (node.value for node in places if not isinstance(node.ctx, ast.Load))
        again = any(isinstance(each, ast.Name) and each.id == owner for each in owners)
        moved = name in changed or changed & loaded([ast.Expr(value=key)]) or not is_pure(key, self.module)
        if again or moved or self.is_beyond(name, [stmt, *rest]):
            self.refuse(stmt, f"the name {name} for a list in the dictionary {owner}, beside other names for it; {FORM}")
        return [at(Put({name: entry(owner, key)}).visit(copy.deepcopy(each)), each) for each in rest]

    def _statement(self, stmt: ast.stmt) -> list[ast.stmt]:
        if not any(isinstance(node, ast.Name) and (node.id in self.maps or node.id in self.locals) for node in ast.walk(stmt)):
            return [stmt]
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if name in self.maps:
                return self._started(self.maps[name], stmt)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=key)], value=value) if name in self.maps:
                return self._put(self.maps[name], self.read(key), value, stmt)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="setdefault"), args=[key, shown])) if (
                name in self.maps
            ):
                return self._set(self.maps[name], self.read(key), shown, stmt)
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Tuple(elts)) if name in self.locals:
                return self._taken_apart(target, [self.read(part) for part in elts], stmt)
            case ast.Assign(targets=[target], value=value) if (parts := self.parts_of(value)) is not None:
                return self._taken_apart(target, parts, stmt)
            case _:
                return self._compound(stmt)

    def _compound(self, stmt: ast.stmt) -> list[ast.stmt]:
        match stmt:
            case ast.If():
                body, orelse = self.block(stmt.body), self.block(stmt.orelse)
                changed = at(ast.If(test=self.read(stmt.test), body=body, orelse=orelse), stmt)
                assert isinstance(changed, ast.If)
                return [*self._inserted(stmt.test, stmt), *(self._by_part(changed, stmt) or [changed])]
            case ast.For(orelse=[]):
                return [self._for(stmt)]
            case ast.While(orelse=[]):
                return [at(ast.While(test=self.read(stmt.test), body=self.block(stmt.body), orelse=[]), stmt)]
            case ast.Return(value=ast.Tuple(elts)):
                return [at(ast.Return(value=ast.Tuple(elts=[self._result(each) for each in elts], ctx=ast.Load())), stmt)]
            case ast.Return(value=ast.expr() as value) if self._returned(value):
                return [at(ast.Return(value=self._result(value)), stmt)]
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Return() | ast.Expr():
                return [*self._inserted(stmt, stmt), self.read_all(stmt)]
            case _:
                self.refuse(stmt, f"a statement with a dictionary of tuples or lists; {FORM}")

    def _returned(self, value: ast.expr) -> str:
        """The name of the dictionary that is returned; empty where it is another value."""
        match value:
            case ast.Name(id=name) | ast.Call(func=ast.Name(id="dict"), args=[ast.Name(id=name)], keywords=[]) if (
                name in self.maps and not self.maps[name].is_list
            ):
                return name
        return ""

    def _result(self, value: ast.expr) -> ast.expr:
        return read_name(self._returned(value)) if self._returned(value) else self.read(value)

    def _started(self, found: Parted, stmt: ast.stmt) -> list[ast.stmt]:
        """New dictionaries for the parts."""
        value = stmt.value if isinstance(stmt, ast.Assign | ast.AnnAssign) else None
        default = self.default(value)
        note = stmt.annotation if isinstance(stmt, ast.AnnAssign) else note_of(self.function, found.name)
        key, whole = annotated(note)
        types = items_of(whole) if whole else []
        lines = []
        for number, part in enumerate(found.parts):
            made: ast.expr = ast.Dict(keys=[], values=[])
            if isinstance(default, ast.Tuple | ast.List) and isinstance(value, ast.Call):
                made = copy.deepcopy(value)
                assert isinstance(made, ast.Call) and isinstance(made.args[0], ast.Lambda)
                made.args[0].body = default.elts[number]
            target = ast.Name(id=part, ctx=ast.Store())
            line: ast.stmt = ast.Assign(targets=[target], value=made)
            if key and len(types) == len(found.parts):
                note = ast.parse(f"dict[{key}, {types[number]}]", mode="eval").body
                line = ast.AnnAssign(target=target, annotation=note, value=made, simple=1)
            lines.append(at(line, stmt))
        return lines

    def _put(self, found: Parted, key: ast.expr, value: ast.expr, stmt: ast.stmt) -> list[ast.stmt]:
        """A tuple or list that is written at a key."""
        parts = value.elts if isinstance(value, ast.Tuple | ast.List) else self.parts_of(value)
        if parts is None or len(parts) != len(found.parts) or found.is_list and not isinstance(value, ast.List):
            self.refuse(value, f"a value for the dictionary {found.name}; {FORM}")
        read = [self.read(part) for part in parts] if isinstance(value, ast.Tuple | ast.List) else list(parts)
        for number, part in enumerate(read):
            if any(isinstance(node, ast.Name) and node.id in found.parts[:number] for node in ast.walk(part)):
                self.refuse(value, f"a part of a value of {found.name} that is computed of another part; give that a name before")
        return [_write(part, key, value, stmt) for part, value in zip(found.parts, read, strict=True)]

    def _set(self, found: Parted, key: ast.expr, shown: ast.expr, stmt: ast.stmt) -> list[ast.stmt]:
        lines: list[ast.stmt] = []
        assert isinstance(shown, ast.Tuple | ast.List)
        for part, value in zip(found.parts, shown.elts, strict=True):
            owner = ast.Attribute(value=read_name(part), attr="setdefault", ctx=ast.Load())
            call = ast.Call(func=owner, args=[copy.deepcopy(key), self.read(value)], keywords=[])
            lines.append(at(ast.Expr(value=call), stmt))
        return lines

    def _taken_apart(self, target: ast.expr, parts: Sequence[ast.expr], stmt: ast.stmt) -> list[ast.stmt]:
        match target:
            case ast.Tuple(elts) | ast.List(elts) if len(elts) == len(parts) and all(isinstance(each, ast.Name) for each in elts):
                names = [each.id for each in elts if isinstance(each, ast.Name)]
                if set(names) & {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}:
                    self.refuse(stmt, f"names that are taken from what they are part of; {FORM}")
            case ast.Name(id=name):
                names = list(self.locals.get(name, ()))
                if len(names) != len(parts):
                    self.refuse(stmt, f"{name} is bound to tuples of several lengths; {FORM}")
            case _:
                self.refuse(stmt, f"a tuple that is written to something else than names; {FORM}")
        pairs = zip(names, parts, strict=True)
        return [at(ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=part), stmt) for name, part in pairs]

    def _for(self, stmt: ast.For) -> ast.stmt:
        found = looped(stmt.iter, stmt.target, self.maps)
        if found is None:
            return at(ast.For(target=stmt.target, iter=self.read(stmt.iter), body=self.block(stmt.body), orelse=[]), stmt)
        owner, key, values = found
        bound = {node.id for node in ast.walk(stmt.target) if isinstance(node, ast.Name)} - self.locals.keys()
        again = [each for each in bound if self.is_beyond(each, [stmt])]
        if again and all(only_in_loops(self.function, each) or self._is_last(each, stmt) for each in again):
            return self._for(Renamed({each: fresh(each, self.taken) for each in again}).visit(copy.deepcopy(stmt)))
        head: list[ast.stmt] = []
        if values is not None:
            head = [at(ast.Assign(targets=[values], value=entry(owner.name, read_name(key))), stmt)]
        target = ast.Name(id=key, ctx=ast.Store())
        return at(ast.For(target=target, iter=read_name(owner.parts[0]), body=self.block([*head, *stmt.body]), orelse=[]), stmt)

    def _inserted(self, read: ast.AST, stmt: ast.stmt) -> list[ast.stmt]:
        """What reading one part of a missing key puts there of the others."""
        lines: list[ast.stmt] = []
        for node in evaluated_once(read):
            match node:
                case ast.Subscript(value=ast.Name(id=name), slice=key) if name in self.maps and self.maps[name].inserts:
                    places = [entry(part, self.read(key), ast.Store()) for part in self.maps[name].parts]
                    nothing = (ast.AugAssign(target=place, op=ast.Add(), value=ast.Constant(value=0)) for place in places)
                    lines += [at(line, stmt) for line in nothing]
        return lines

    def _by_part(self, stmt: ast.If, source: ast.If) -> list[ast.stmt] | None:
        """A choice by whether a key is there, for each part by itself, where these do not depend on one another."""
        match stmt.test:
            case ast.Compare(left=key, ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]):
                pass
            case _:
                return None
        found = next((each for each in self.maps.values() if each.parts[0] == name), None)
        branches = [self._writes(branch, key, found, source) for branch in (stmt.body, stmt.orelse)] if found else [None]
        if found is None or any(each is None for each in branches):
            return None
        lines: list[ast.stmt] = []
        for part in found.parts:
            test = Renamed({name: part}).visit(copy.deepcopy(stmt.test))
            body, orelse = ([each[part]] if each and part in each else [] for each in branches)
            if not body:
                test, body, orelse = _opposite(test), orelse, []
            if body:
                lines.append(at(ast.If(test=test, body=body, orelse=orelse), source))
        return lines

    def _writes(self, stmts: Blocks, key: ast.expr, found: Parted, source: ast.If) -> dict[str, ast.stmt] | None:
        """What statements write to each part, None where they do other things or parts depend on one another."""
        values: dict[str, ast.expr] = {}
        writes: dict[str, ast.stmt] = {}
        for stmt in stmts:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if not writes and name not in values:
                    if self.is_beyond(self.origin.get(name, name), [source]):
                        return None
                    values[name] = Put(values).visit(copy.deepcopy(value))
                    continue
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=part), slice=place) as target], value=value):
                    new: ast.stmt = _added(part, place, target, Put(values).visit(copy.deepcopy(value)))
                case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=part), slice=place)):
                    new = Put(values).visit(copy.deepcopy(stmt))
                case _:
                    return None
            others = {each for each in found.parts if each != part}
            named = {node.id for node in ast.walk(new) if isinstance(node, ast.Name)}
            if part not in found.parts or part in writes or not same(place, key) or named & others:
                return None
            writes[part] = at(new, stmt)
        return writes

    def _is_last(self, name: str, stmt: ast.For) -> bool:
        """Whether a statement is one of the function's own, and none after it has the name."""
        body = self.function.body
        place = next((number for number, each in enumerate(body) if getattr(each, "spot", 0) == getattr(stmt, "spot", -1)), None)
        return place is not None and not uses(body[place + 1 :], name)


def _opposite(test: ast.expr) -> ast.expr:
    assert isinstance(test, ast.Compare)
    op = ast.NotIn() if isinstance(test.ops[0], ast.In) else ast.In()
    return ast.Compare(left=test.left, ops=[op], comparators=test.comparators)


def _added(part: str, key: ast.expr, target: ast.Subscript, value: ast.expr) -> ast.stmt:
    """`m[k] = m[k] + e` as `m[k] += e`."""
    match value:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            own = entry(part, key)
            for one, other in ((left, right), (right, left)):
                if same(one, own):
                    return ast.AugAssign(target=target, op=ast.Add(), value=other)
    return ast.Assign(targets=[target], value=value)


def _write(part: str, key: ast.expr, value: ast.expr, stmt: ast.stmt) -> ast.stmt:
    return at(ast.Assign(targets=[entry(part, key, ast.Store())], value=value), stmt)
