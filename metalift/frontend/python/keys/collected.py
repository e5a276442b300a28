"""Lists that a dictionary collects by keys, and that are only summed, counted or asked for an extreme, as these values.

    for x in xs:                                      for x in xs:
        lists[x.k].append(x.v)                            if x.k in lists:
                                                              lists[x.k][0] += x.v
                                                              lists[x.k][1] += 1
                                                          else:
                                                              lists[x.k] = [x.v, 1]
    {k: sum(v) / len(v) for k, v in lists.items()}    {k: lists[k][0] / lists[k][1] for k in lists}

No such list is ever empty: one begins where its first element is appended. What else is done with lists by keys is refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from metalift.frontend.python.keys.containers import is_pure
from metalift.frontend.python.keys.rewriting import Put, at, only_in_loops, read_name, same
from metalift.frontend.python.naming.module import PythonModule

FORM = (
    "supported are lists to which elements are appended, one at a time, and of which nothing but len, sum, max and min is asked, "
    "by the names or keys of a loop over the dictionary"
)
_LIST = " list"  # which no name of a source is
_TOTAL = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Compare, ast.BoolOp, ast.IfExp, ast.BinOp, ast.UnaryOp),
    *(ast.Add, ast.Sub, ast.Mult, ast.unaryop, ast.cmpop, ast.boolop, ast.expr_context),
)  # what has a value for all numbers


def without_lists(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, in which such dictionaries have the values that are computed of their lists. Raises Unsupported."""
    for stmt in function.body:
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                inserts = _begins_lists(module, value)
                if inserts is not None:
                    collected = _Collected(module, function, name, inserts)
                    if inserts or collected.appends():
                        function = collected.run() or module.place.refuse(stmt, f"the lists of the dictionary {name}; {FORM}")
    return function


def _begins_lists(module: PythonModule, value: ast.expr | None) -> bool | None:
    """Whether reading a new dictionary at a key that it lacks begins a list there; None where it may have other values."""
    match value:
        case ast.Dict(keys=[]) | ast.Call(func=ast.Name(id="dict"), args=[], keywords=[]):
            return False
        case ast.Call(func=func, args=[ast.Name(id="list") | ast.Lambda(body=ast.List(elts=[]))], keywords=[]):
            return True if module.full_name(func) == "collections.defaultdict" else None
    return None


@dataclass(slots=True)
class _Collected:
    """Rewrites one dictionary; `values` are the calls that compute something of a list, which they name `_LIST`."""

    module: PythonModule
    function: ast.FunctionDef
    name: str
    inserts: bool
    values: list[ast.Call] = field(default_factory=list)

    def appends(self) -> bool:
        """Whether something is appended to one of its lists."""
        return any(isinstance(node, ast.Call) and self._appended(ast.Expr(value=node)) for node in ast.walk(self.function))

    def run(self) -> ast.FunctionDef | None:
        """The function; None where the dictionary, or a list in it, is used in another way."""
        counting, reads = _Reads(self), _Reads(self)
        counting.visit(copy.deepcopy(self.function))  # how many values there are decides how one is written
        whole = copy.deepcopy(self.function)
        whole.body = [reads.visit(stmt) for stmt in whole.body]
        if reads.failed or not self.values:
            return None
        whole.body = self._block(whole.body)
        named = (node for node in ast.walk(whole) if isinstance(node, ast.Name) and node.id == self.name)
        return ast.fix_missing_locations(whole) if all(hasattr(node, "known") for node in named) else None

    # What is computed of a list

    def place(self, call: ast.Call) -> int:
        """Where what a call computes is among the values at a key."""
        found = next((number for number, other in enumerate(self.values) if same(call, other)), len(self.values))
        if found == len(self.values):
            self.values.append(call)
        return found

    def is_value(self, call: ast.Call) -> bool:
        """Whether a call computes a value of the list that can be computed as elements come."""
        match call:
            case ast.Call(func=ast.Name(id="len" | "sum" | "max" | "min"), args=[ast.Name()], keywords=[]):
                return True
            case ast.Call(func=ast.Name(id=called), args=[ast.GeneratorExp(elt, [generator]) | ast.ListComp(elt, [generator])]):
                parts = [part for each in (elt, *generator.ifs) for part in ast.walk(each)]
                bound = {part.id for part in ast.walk(generator.target) if isinstance(part, ast.Name)}
                free = {part.id for part in parts if isinstance(part, ast.Name)} - bound
                total = isinstance(generator.target, ast.Name) and all(isinstance(part, _TOTAL) for part in parts)
                wanted = ("sum",) if generator.ifs else ("sum", "max", "min")
                return total and free <= self._constant() and called in wanted and not call.keywords
        return False

    def _constant(self) -> set[str]:
        """The parameters that the function does not change."""
        names = (node for node in ast.walk(self.function) if isinstance(node, ast.Name))
        stored = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
        return {arg.arg for arg in self.function.args.args} - stored

    # Statements

    def _block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        place = 0
        while place < len(stmts):
            stmt, after = stmts[place], stmts[place + 1] if place + 1 < len(stmts) else ast.Pass()
            place += 1
            begun, appended = self._begun(stmt), self._appended(after)
            if begun is not None and appended is not None and same(begun, appended[0]):
                done.append(self._collect(begun, appended[1], appended[1], stmt))
                place += 1
            else:
                done.append(self._statement(stmt))
        return done

    def _statement(self, stmt: ast.stmt) -> ast.stmt:
        appended = self._appended(stmt)
        if appended is not None and appended[2]:
            return self._collect(appended[0], appended[1], appended[1], stmt)
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if name == self.name:
                return at(ast.Assign(targets=[self._name(ast.Store())], value=ast.Dict(keys=[], values=[])), stmt)
            case ast.If() if (both := self._either(stmt)) is not None:
                return self._collect(*both, stmt)
            case ast.If() | ast.For() | ast.While():
                changed = copy.copy(stmt)
                changed.body, changed.orelse = self._block(stmt.body), self._block(stmt.orelse)
                return changed
        return stmt

    def _begun(self, stmt: ast.stmt) -> ast.expr | None:
        """The key at which an empty list begins where there is none."""
        match stmt:
            case ast.If(
                test=ast.Compare(left=key, ops=[ast.NotIn()], comparators=[ast.Name(id=asked)]),
                body=[ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)], value=ast.List(elts=[]))],
                orelse=[],
            ) if asked == name == self.name and same(key, place):
                return key
        return None

    def _appended(self, stmt: ast.stmt) -> tuple[ast.expr, ast.expr, bool] | None:
        """The key, the element, and whether a list begins there where there is none."""
        match stmt:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=place, attr="append"), args=[element], keywords=[])):
                pass
            case _:
                return None
        match place:
            case ast.Subscript(value=ast.Name(id=name), slice=key):
                begins = self.inserts
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="setdefault"), args=[key, ast.List(elts=[])]):
                begins = True
            case _:
                return None
        return (key, element, begins) if name == self.name and self._is_plain(key) and self._is_plain(element) else None

    def _either(self, stmt: ast.If) -> tuple[ast.expr, ast.expr, ast.expr] | None:
        """The key, what is appended where there is a list, and what one begins with where there is none."""
        match stmt:
            case ast.If(
                test=ast.Compare(left=key, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=name)]),
                body=[one],
                orelse=[other],
            ) if name == self.name:
                there, absent = (one, other) if isinstance(op, ast.In) else (other, one)
            case _:
                return None
        appended = self._appended(there)
        match absent:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)], value=ast.List(elts=[first])) if (
                name == self.name and same(place, key) and self._is_plain(first)
            ):
                return (key, appended[1], first) if appended is not None and same(appended[0], key) else None
        return None

    def _is_plain(self, node: ast.expr) -> bool:
        """Whether an expression can be evaluated more than once, and does not name the dictionary."""
        named = any(isinstance(part, ast.Name) and part.id == self.name for part in ast.walk(node))
        return not named and not isinstance(node, ast.Starred) and is_pure(node, self.module)

    def _collect(self, key: ast.expr, element: ast.expr, first: ast.expr, stmt: ast.stmt) -> ast.stmt:
        """What appending does to the values at the key."""
        body: list[ast.stmt] = []
        for number, call in enumerate(self.values):
            value, target = _of(call, element), self.entry(key, number, ast.Store())
            if isinstance(call.func, ast.Name) and call.func.id in ("max", "min"):
                extreme = ast.Call(func=read_name(call.func.id), args=[self.entry(key, number), value], keywords=[])
                body.append(ast.Assign(targets=[target], value=extreme))
            else:
                body.append(ast.AugAssign(target=target, op=ast.Add(), value=value))
        values = [_of(call, first) for call in self.values]
        start = ast.List(elts=values, ctx=ast.Load()) if len(values) > 1 else values[0]
        place = ast.Subscript(value=self._name(), slice=copy.deepcopy(key), ctx=ast.Store())
        test = ast.Compare(left=copy.deepcopy(key), ops=[ast.In()], comparators=[self._name()])
        return at(ast.If(test=test, body=body, orelse=[ast.Assign(targets=[place], value=start)]), stmt)

    def entry(self, key: ast.expr, number: int, ctx: ast.expr_context | None = None) -> ast.Subscript:
        """One of the values at a key."""
        whole = ast.Subscript(value=self._name(), slice=copy.deepcopy(key), ctx=ctx or ast.Load())
        if len(self.values) == 1:
            return whole
        whole.ctx = ast.Load()
        return ast.Subscript(value=whole, slice=ast.Constant(value=number), ctx=ctx or ast.Load())

    def _name(self, ctx: ast.expr_context | None = None) -> ast.Name:
        found = ast.Name(id=self.name, ctx=ctx or ast.Load())
        return self.known(found)

    @staticmethod
    def known(node: ast.Name) -> ast.Name:
        """Note that this use of the dictionary is one that is understood."""
        node.known = True  # type: ignore[attr-defined]
        return node


class _Reads(ast.NodeTransformer):
    """What is computed of lists, wherever they have a name or a key."""

    def __init__(self, whole: _Collected) -> None:
        self.whole = whole
        self.keys: dict[str, str] = {}  # names of lists, and of their keys
        self.present: set[str] = set()  # names of keys that the dictionary has
        self.failed = False

    def visit_For(self, node: ast.For) -> ast.AST:
        bound = self._looped(node)
        self.generic_visit(node)
        self._leave(node, bound)
        return node

    def _comprehension(self, node: ast.AST) -> ast.AST:
        bound = [each for part in getattr(node, "generators", []) for each in self._looped(part)]
        self.generic_visit(node)
        self._leave(node, bound)
        return node

    visit_DictComp = visit_SetComp = visit_GeneratorExp = visit_ListComp = _comprehension

    def _looped(self, loop: ast.For | ast.comprehension) -> list[str]:
        """Note the names of a loop over the dictionary, and let it be one over keys."""
        match loop.iter, loop.target:
            case ast.Name(id=name) as owner, ast.Name(id=key):
                value = ""
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as owner, attr="keys"), args=[]), ast.Name(id=key):
                value = ""
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=name) as owner, attr="items"), args=[]),
                ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]),
            ):
                pass
            case _:
                return []
        if name != self.whole.name:
            return []
        loop.target, loop.iter = ast.copy_location(ast.Name(id=key, ctx=ast.Store()), loop.target), self.whole.known(owner)
        self.present.add(key)
        if value:
            self.keys[value] = key
            self.failed |= not only_in_loops(self.whole.function, value)
        return [key, value]

    def _leave(self, node: ast.AST, bound: Sequence[str]) -> None:
        """Forget the names of a loop: a list's may not be left, and the key's may not have changed."""
        for name in filter(None, bound):
            uses = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]
            stored = sum(not isinstance(part.ctx, ast.Load) for part in uses)
            self.failed |= bool(uses) if name in self.keys else stored > 1
            self.keys.pop(name, None)
            self.present.discard(name)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        place = self._list(node)
        if place is not None:
            key = self._key(place)
            renamed = _Named(place).visit(copy.deepcopy(node))
            if key is not None and isinstance(renamed, ast.Call) and self.whole.is_value(renamed):
                return ast.copy_location(self.whole.entry(key, self.whole.place(renamed)), node)
        self.generic_visit(node)
        return node

    @staticmethod
    def _list(node: ast.Call) -> ast.expr | None:
        """The list of which a call computes something."""
        match node.args:
            case [ast.GeneratorExp(generators=[only]) | ast.ListComp(generators=[only])]:
                return only.iter
            case [ast.Name() | ast.Subscript() as only]:
                return only
        return None

    def _key(self, place: ast.expr) -> ast.expr | None:
        match place:
            case ast.Name(id=name) if name in self.keys:
                return ast.Name(id=self.keys[name], ctx=ast.Load())
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=key) as found) if name == self.whole.name:
                return found if key in self.present or not self.whole.inserts else None
        return None

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name) as owner]) if name == self.whole.name:
                self.whole.known(owner)
        self.generic_visit(node)
        return node


class _Named(ast.NodeTransformer):
    """A call with the list under one name."""

    def __init__(self, place: ast.expr) -> None:
        self.place = place

    def visit(self, node: ast.AST) -> ast.AST:
        """The node."""
        if isinstance(node, ast.expr) and same(node, self.place):
            return read_name(_LIST)
        self.generic_visit(node)
        return node


def _of(call: ast.Call, element: ast.expr) -> ast.expr:
    """What one element is to a value."""
    match call:
        case ast.Call(func=ast.Name(id="len")):
            return ast.Constant(value=1)
        case ast.Call(args=[ast.GeneratorExp(elt, [generator]) | ast.ListComp(elt, [generator])]):
            assert isinstance(generator.target, ast.Name)
            tests = [*generator.ifs, *([elt] if isinstance(elt, ast.Compare | ast.BoolOp) else [])]
            value: ast.expr = ast.Constant(value=1) if isinstance(elt, ast.Compare | ast.BoolOp) else elt
            if tests:
                test = tests[0] if len(tests) == 1 else ast.BoolOp(op=ast.And(), values=tests)
                value = ast.IfExp(test=test, body=value, orelse=ast.Constant(value=0))
            found = Put({generator.target.id: element}).visit(copy.deepcopy(value))
            assert isinstance(found, ast.expr)
            return found
    return copy.deepcopy(element)
