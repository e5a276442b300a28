"""Statements that read and write dictionaries and sets at one key, as statements on what these have there."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from metalift.frontend.python.infinities import infinite
from metalift.frontend.python.keys.containers import Access, Made, accesses, is_pure
from metalift.frontend.python.keys.rewriting import assign, assigned, at, is_zero, loaded, same, stored, uses
from metalift.frontend.python.naming.module import PythonModule

FORM = "supported are statements that read and write dictionaries and sets at one key, and write nothing else"



@dataclass(slots=True)
class Map:
    """A dictionary or set at the key: the names of whether it has it, and of what it has there."""

    made: Made
    there: str
    value: str
    zero: ast.Constant


@dataclass(slots=True)
class AtKey:
    """Rewrites statements at the key, and refuses those that do more.

    `maps` are the dictionaries and sets by their names in the source; `several` are the dictionaries that one of tuples is, which
    have the same keys.
    """

    module: PythonModule
    function: ast.FunctionDef
    maps: dict[str, Map] = field(default_factory=dict)
    several: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own: frozenset[str] = frozenset()  # the names of the source

    def group(self, stmts: Sequence[ast.stmt], absent: str = "") -> list[ast.stmt]:
        """The statements; `absent` is a dictionary that lacks the key before them."""
        done: list[ast.stmt] = []
        for stmt in stmts:
            lines = self._at_key(stmt, absent)
            absent = ""
            done += [*self._inserted(stmt), *(at(line, stmt) for line in lines)]
        return done

    def _at_key(self, stmt: ast.stmt, absent: str) -> list[ast.stmt]:
        reads = Reads(self, check=True)
        stmt = self._added(self._apart(stmt))
        match stmt:
            case ast.If() if (given := self._given(stmt)) is not None:
                return given
            case ast.If(test=test, body=body, orelse=orelse):
                name, there_is = self._asked(test)
                then = self.group(body, "" if there_is else name)
                other = self.group(orelse, name if there_is else "")
                return [ast.If(test=reads.visit(copy.deepcopy(test)), body=then, orelse=other)]
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value) if name in self.maps:
                found = self.maps[name]
                there = assign(found.there, ast.Constant(value=True))
                if absent == name and is_zero(value, found.zero):
                    return [there]
                return [assign(found.value, reads.visit(copy.deepcopy(value))), there]
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)), op=op, value=value) if name in self.maps:
                found = self.maps[name]
                target = ast.Name(id=found.value, ctx=ast.Store())
                changed = ast.AugAssign(target=target, op=op, value=reads.visit(copy.deepcopy(value)))
                return [changed, assign(found.there, ast.Constant(value=True))]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="add"))) if name in self.maps:
                return [assign(self.maps[name].there, ast.Constant(value=True))]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="setdefault"), args=[_, value])) if (
                name in self.maps
            ):
                found = self.maps[name]
                there = assign(found.there, ast.Constant(value=True))
                if is_zero(value, found.zero):
                    return [there]
                lines = [assign(found.value, reads.visit(copy.deepcopy(value))), there]
                test = ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=found.there, ctx=ast.Load()))
                return [ast.If(test=test, body=list(lines), orelse=[])]
            case _:
                changed_ = reads.visit(copy.deepcopy(stmt))
                assert isinstance(changed_, ast.stmt)
                return [changed_]

    def _asked(self, test: ast.expr) -> tuple[str, bool]:
        """The dictionary of which a test asks whether it has the key, and whether it asks for that or for the opposite."""
        match test:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=name)]) if name in self.maps:
                return name, isinstance(op, ast.In)
            case _:
                return "", True

    def _apart(self, stmt: ast.stmt) -> ast.stmt:
        """`if k not in m or c: s` as `if k not in m: s` and, where k is there, `if c: s`; `if c and k not in m` as two, too."""
        match stmt:
            case ast.If(test=ast.BoolOp(op=ast.Or(), values=[first, *rest]), body=body, orelse=orelse) if self._asked(first)[0]:
                test = rest[0] if len(rest) == 1 else ast.BoolOp(op=ast.Or(), values=rest)
                inner = ast.copy_location(ast.If(test=test, body=body, orelse=orelse), stmt)
                return ast.copy_location(ast.If(test=first, body=body, orelse=[inner]), stmt)
            case ast.If(test=ast.BoolOp(op=ast.And(), values=[*rest, last]), body=body, orelse=[]) if self._asked(last)[0]:
                test = rest[0] if len(rest) == 1 else ast.BoolOp(op=ast.And(), values=rest)
                inner = ast.copy_location(ast.If(test=last, body=body, orelse=[]), stmt)
                return ast.copy_location(ast.If(test=test, body=[inner], orelse=[]), stmt)
            case _:
                return stmt

    def _added(self, stmt: ast.stmt) -> ast.stmt:
        """`m[k] += e` for the choice between that, where m has k, and `m[k] = e`: what is not there counts as 0."""
        if not isinstance(stmt, ast.If):
            return stmt
        name, there_is = self._asked(stmt.test)
        match (stmt.body, stmt.orelse) if there_is else (stmt.orelse, stmt.body):
            case [ast.AugAssign(target=ast.Subscript(value=ast.Name(id=one)), op=ast.Add(), value=more) as changed], [
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=two))], value=first)
            ] if one == two == name and same(more, first) and not self.maps[name].zero.value:
                return changed
            case _:
                return stmt

    def _given(self, stmt: ast.If) -> list[ast.stmt] | None:
        """The statements `v = m[k]` for the choice between that, where m has k, and `v = 0`: what is not there is 0."""
        name, there_is = self._asked(stmt.test)
        there, absent = (_names_given(block) for block in ((stmt.body, stmt.orelse) if there_is else (stmt.orelse, stmt.body)))
        if not name or not there or not absent or there.keys() != absent.keys():
            return None
        lines: list[ast.stmt] = []
        for target, value in there.items():
            match value:
                case ast.Subscript(value=ast.Name(id=owner)) if owner in self.maps and self.alike(owner, name):
                    found = self.maps[owner]
                    if not is_zero(absent[target], found.zero):
                        return None
                    lines.append(assign(target, ast.Name(id=found.value, ctx=ast.Load())))
                case _:
                    return None
        return lines

    def alike(self, one: str, other: str) -> bool:
        """Whether two dictionaries have the same keys."""
        return one == other or any(one in parts and other in parts for parts in self.several.values())

    def _inserted(self, stmt: ast.stmt) -> list[ast.stmt]:
        """What reading a missing key puts there, before the statement that reads it."""
        read = stmt.test if isinstance(stmt, ast.If) else stmt
        own = stmt.targets[0] if isinstance(stmt, ast.Assign) else stmt.target if isinstance(stmt, ast.AugAssign) else None
        lines: list[ast.stmt] = []
        for each in accesses(read, self.maps):
            found = self.maps[each.name]
            written = isinstance(own, ast.Subscript) and isinstance(own.value, ast.Name) and own.value.id == each.name
            if not found.made.inserts or written or not isinstance(each.node, ast.Subscript):
                continue
            if any(isinstance(part, ast.BoolOp | ast.IfExp | ast.comprehension) for part in ast.walk(read)):
                self.refuse(each.node, f"reading {each.name} at a key, which puts the key there, only under a condition")
            lines.append(at(assign(found.there, ast.Constant(value=True)), stmt))
        return lines

    # What may be done at a key

    def key_of(self, stmts: Sequence[ast.stmt]) -> ast.expr:
        """The first key at which statements read or write."""
        for each in self._accesses(stmts):
            if each.key is not None:
                return each.key
        self.refuse(stmts[0], f"a use of a dictionary or set that is not at a key; {FORM}")

    def _accesses(self, stmts: Sequence[ast.stmt]) -> Iterator[Access]:
        for stmt in stmts:
            yield from accesses(stmt, self.maps)

    def check(self, group: Sequence[ast.stmt], key: ast.expr, bound: Sequence[str], kept: Collection[str] = ()) -> None:
        """Refuse statements that do more than read and write at the key; `bound` are the names of a loop over keys.

        Names that are `kept` may have values of several keys.
        """
        inner = [each for stmt in group for each in (stmt.body if bound and isinstance(stmt, ast.For) else [stmt])]
        for stmt in inner:
            self._check_statement(stmt)
        for access in self._accesses(inner):
            if access.key is None:
                self.refuse(access.node, f"a use of the dictionary or set {access.name} that is not at a key; {FORM}")
            if not same(access.key, key):
                self.refuse(access.node, f"the keys {ast.unparse(access.key)} and {ast.unparse(key)} in one statement; {FORM}")
        if self.mentions(key) or not is_pure(key, self.module) or isinstance(key, ast.Starred):
            self.refuse(key, "a key that is not computed of numbers, strings and tuples")
        written = stored(inner)
        for name in sorted(written & loaded([ast.Expr(value=key)])):
            self.refuse(group[0], f"{name} is changed by the statements at the key {ast.unparse(key)}")
        known = assigned(inner, set(bound), written)
        for name in sorted((written | set(bound)).difference(kept)):
            if name not in known:
                self.refuse(group[0], f"{name} may have the value that it got at another key; set it before it is used")
            if name in self.own and uses([self.function], name) != uses(group, name):
                beyond = f"{name}, which depends on what is at a key, is used beyond the statements at that key"
                self.refuse(group[0], f"{beyond}; {FORM}")

    def _check_statement(self, stmt: ast.stmt) -> None:
        match stmt:
            case ast.If():
                for each in (*stmt.body, *stmt.orelse):
                    self._check_statement(each)
                self._check_pure(stmt.test)
            case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
                self._check_target(target)
                self._check_pure(value)
            case ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
                self._check_pure(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="add" | "setdefault"), args=args)) if (
                name in self.maps
            ):
                for arg in args:
                    self._check_pure(arg)
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                self.refuse(stmt, f"a statement that uses a dictionary or set in a way that is not modelled; {FORM}")

    def _check_target(self, target: ast.expr) -> None:
        match target:
            case ast.Name(id=name) if name not in self.maps:
                pass
            case ast.Subscript(value=ast.Name(id=name)) if name in self.maps and not self.maps[name].made.is_set:
                pass
            case _:
                self.refuse(target, f"something that is written together with what depends on a key; {FORM}")

    def _check_pure(self, node: ast.expr) -> None:
        """Refuse what calls anything but functions of numbers; reads at a key are no calls here."""
        plain = Reads(self, check=False).visit(copy.deepcopy(node))
        if not is_pure(plain, self.module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "dict", "list"):
                self.refuse(node, f"a set, list or dictionary for a key; {FORM}")
            self.refuse(node, f"a call whose effects are not known, beside what depends on a key; {FORM}")

    def mentions(self, node: ast.AST) -> bool:
        """Whether a dictionary or set has a name in it."""
        return any(isinstance(part, ast.Name) and part.id in self.maps for part in ast.walk(node))

    def refuse(self, node: ast.AST, message: str) -> NoReturn:
        """Refuse what stands at a node."""
        self.module.place.refuse(node, message)


def _names_given(stmts: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """The names that statements give to values, where they do nothing else, and to each name once."""
    found: dict[str, ast.expr] = {}
    for stmt in stmts:
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in found:
                found[name] = value
            case _:
                return {}
    return found


class Reads(ast.NodeTransformer):
    """Reads of dictionaries and sets at the key as the names that stand for them."""

    def __init__(self, rewriter: AtKey, *, check: bool) -> None:
        self.rewriter = rewriter
        self.check = check

    def _map(self, node: ast.expr) -> Map | None:
        return self.rewriter.maps.get(node.id) if isinstance(node, ast.Name) else None

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        found = self._map(node.value)
        if found is None:
            self.generic_visit(node)
            return node
        return ast.copy_location(ast.Name(id=found.value, ctx=ast.Load()), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        found = self._map(node.comparators[0])
        if found is None:
            return self._bounded(node)
        there: ast.expr = ast.Name(id=found.there, ctx=ast.Load())
        return ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=there) if isinstance(node.ops[0], ast.NotIn) else there, node)

    def _got(self, node: ast.expr) -> tuple[Map | None, ast.expr]:
        """The dictionary that an expression asks by `m.get(k, default)`, and the default."""
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[_, default], keywords=[]):
                return self._map(owner), default
            case _:
                return None, node

    def _bounded(self, node: ast.Compare) -> ast.expr:
        """`v < m.get(k, inf)`, which is so where there is nothing."""
        sides = [node.left, *node.comparators]
        upward = isinstance(node.ops[0], ast.Lt | ast.LtE)
        for place, (side, sign) in enumerate(zip(sides, (-1, 1) if upward else (1, -1), strict=False)):
            found, default = self._got(side)
            ordered = upward or isinstance(node.ops[0], ast.Gt | ast.GtE)
            if found is not None and len(sides) == 2 and ordered and infinite(self.rewriter.module, default) == sign:
                sides[place] = ast.Name(id=found.value, ctx=ast.Load())
                absent = ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=found.there, ctx=ast.Load()))
                compared = ast.Compare(left=sides[0], ops=node.ops, comparators=sides[1:])
                self.generic_visit(compared)
                return ast.copy_location(ast.BoolOp(op=ast.Or(), values=[absent, compared]), node)
        self.generic_visit(node)
        return node

    def _first(self, node: ast.Call) -> ast.expr | None:
        """`max(m.get(k, v), v)`, and `min(m.get(k, inf), v)`, which are v where there is nothing."""
        match node:
            case ast.Call(func=ast.Name(id="max" | "min" as called), args=[_, _], keywords=[]):
                unbounded = 1 if called == "min" else -1
                for place, other in enumerate(reversed(node.args)):
                    found, default = self._got(node.args[place])
                    absent = (place == 0 and same(default, other)) or infinite(self.rewriter.module, default) == unbounded
                    if found is not None and absent:
                        args = [ast.Name(id=found.value, ctx=ast.Load()), other]
                        given = ast.Call(func=node.func, args=args if place == 0 else args[::-1], keywords=[])
                        self.generic_visit(given)
                        there = ast.Name(id=found.there, ctx=ast.Load())
                        return ast.IfExp(test=there, body=given, orelse=self.visit(copy.deepcopy(other)))
        return None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if (chosen := self._first(node)) is not None:
            return ast.copy_location(chosen, node)
        found = self._map(node.func.value) if isinstance(node.func, ast.Attribute) else None
        match node:
            case ast.Call(func=ast.Attribute(attr="get"), args=[_, default]) if found is not None:
                if isinstance(default, ast.Constant) and default.value == found.zero.value:
                    return ast.copy_location(ast.Name(id=found.value, ctx=ast.Load()), node)
                there, value = ast.Name(id=found.there, ctx=ast.Load()), ast.Name(id=found.value, ctx=ast.Load())
                return ast.copy_location(ast.IfExp(test=there, body=value, orelse=self.visit(default)), node)
            case _ if found is not None and self.check:
                self.rewriter.refuse(node, f"a use of a dictionary or set within an expression that is not modelled; {FORM}")
            case _:
                self.generic_visit(node)
                return node
