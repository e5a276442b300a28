"""Dictionaries and sets that are filled first and then only asked for what they have at keys, as functions of these keys.

    prices = {}                                     for order in orders:
    for item in items:                                  if prices_has(items, order.item):
        prices[item.id] = item.price                        total += order.amount * prices_at(items, order.item)
    for order in orders:
        if order.item in prices:
            total += order.amount * prices[order.item]

Each function is what fills the dictionary, seen at the one key that it is called with (`metalift.frontend.python.keys.keyed`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from metalift.frontend.python.keys.collected import without_lists
from metalift.frontend.python.keys.containers import Access, Made, accesses, is_pure, made
from metalift.frontend.python.keys.keyed import at_one_key, prepared
from metalift.frontend.python.keys.rewriting import at, bound, fresh, is_name, loaded, only_in_loops, read_name, stored
from metalift.frontend.python.keys.several import without_tuples
from metalift.frontend.python.keys.tidied import tidied
from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.program.fragment import Unsupported

_READING = frozenset("len zip enumerate range sum max min abs int float bool round set frozenset sorted reversed".split())
_NUMBERS = frozenset("int float bool str".split())
_NOTED = ast.Name | ast.Subscript | ast.Tuple | ast.expr_context


def without_lookups(module: PythonModule, function: ast.FunctionDef) -> tuple[PythonModule, ast.FunctionDef] | None:
    """The function without such dictionaries, and a module with the functions that it calls; None where it has none.

    Raises Unsupported where a dictionary that is only asked at keys is filled in a way that is not modelled.
    """
    rewriter = _Lookups(module, _in_parts(module, tidied(module, function)))
    found = False
    while rewriter.one():
        found = True
    return (rewriter.module, rewriter.function) if found else None


def _in_parts(module: PythonModule, function: ast.FunctionDef) -> ast.FunctionDef:
    """The function without dictionaries of tuples and lists, where it returns none of these."""
    try:
        split = without_tuples(module, without_lists(module, function))
    except Unsupported:
        return function
    return function if loaded(split.function.body[-1:]) & split.parts.keys() else split.function


@dataclass(frozen=True, slots=True)
class Filled:
    """A dictionary: the statement of the function that makes it, and the last one that changes it, by their places."""

    name: str
    made: Made
    first: int
    last: int


@dataclass(slots=True)
class _Lookups:
    module: PythonModule
    function: ast.FunctionDef
    taken: set[str] = field(default_factory=set)

    def one(self) -> bool:
        """Rewrite the first such dictionary; whether there was one."""
        for place, stmt in enumerate(self.function.body):
            found = self._filled(place, stmt)
            if found is not None and self._is_only_asked(found):
                given = self._given(found)
                if given is not None:
                    self._rewrite(found, given)
                    return True
        return False

    # Which

    def _filled(self, place: int, stmt: ast.stmt) -> Filled | None:
        """The dictionary that a statement makes, where nothing else has its name."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                new = made(self.module, value)
            case _:
                return None
        if new is None or _stores(self.function, name) != 1:
            return None
        changes = [at_ for at_, each in enumerate(self.function.body) if at_ > place and self._changes(each, name)]
        return Filled(name, new, place, max(changes, default=place))

    def _changes(self, stmt: ast.stmt, name: str) -> bool:
        """Whether a statement writes to a dictionary or set, in the ways in which these are filled."""
        for node in ast.walk(stmt):
            match node:
                case ast.Subscript(value=ast.Name(id=owner), ctx=ast.Store()) if owner == name:
                    return True
                case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="add" | "setdefault")) if owner == name:
                    return True
        return False

    def _is_only_asked(self, found: Filled) -> bool:
        """Whether all that comes behind what fills it asks what it has at keys."""
        asked = [each for stmt in self.function.body[found.last + 1 :] for each in accesses(stmt, [found.name])]
        return bool(asked) and can_be_asked(self.module, found.made, asked)

    def _given(self, found: Filled) -> list[str] | None:
        """The names that fill it, which are the same wherever it is asked; None where one may be another then."""
        filling = self._filling(found)
        before = [stmt for stmt in self.function.body[: found.last] if stmt not in filling]
        alone = self._alone(filling, [])
        for name in stored(filling) & loaded(filling) & (stored(before) | self._notes().keys()):
            if not only_in_loops(alone, name):
                return None  # it may have a value before
        names: list[str] = []
        for name in sorted(loaded(filling) - stored(filling)):
            places = [place for place, stmt in enumerate(self.function.body) if name in bound(stmt)]
            if name not in self._notes() and not places:
                continue  # of the module
            used = min(place for place in range(found.first, found.last + 1) if name in loaded([self.function.body[place]]))
            if any(place >= used for place in places) or not self._is_kept(name, places):
                return None
            names.append(name)
        return names

    def _notes(self) -> dict[str, ast.expr | None]:
        return {arg.arg: arg.annotation for arg in self.function.args.args}

    def _is_kept(self, name: str, places: Sequence[int]) -> bool:
        """Whether nothing changes what a name stands for, be it by another name: numbers, and flat lists that are only read."""
        notes = self._notes()
        if name in notes and not places:
            note = notes[name]
            if isinstance(note, ast.Name) and note.id in _NUMBERS:
                return True
            if note is None or not is_flat(note):
                return False
        else:
            made_ = (node for node in ast.walk(self.function) if isinstance(node, ast.Assign))
            values = [node.value for node in made_ if is_name(node.targets[0], name)]
            flat = all(note is not None and is_flat(note) for note in notes.values())
            if name in notes or len(values) != _stores(self.function, name) or not flat or not all(map(_is_new, values)):
                return False
        parents = {child: node for node in ast.walk(self.function) for child in ast.iter_child_nodes(node)}
        return all(reads(self.module, node, parents) for node in parents if isinstance(node, ast.Name) and node.id == name)

    # How

    def _filling(self, found: Filled) -> list[ast.stmt]:
        """The statements that make and fill it, without those that fill others beside it."""
        between = self.function.body[found.first : found.last + 1]
        filling = [stmt for stmt in between if _mentions(stmt, found.name)]
        for other in self._others(found.name):
            removed: list[ast.stmt] = []
            rest = self._without(filling, other, removed)
            if all(self._is_apart(stmt, found.name, rest) for stmt in removed):
                filling = rest
        return filling

    def _is_apart(self, removed: ast.stmt, name: str, rest: Sequence[ast.stmt]) -> bool:
        """Whether a statement has nothing to do with what fills a dictionary."""
        alone = self._alone(rest, [])
        needed = [each for each in stored([removed]) & loaded(rest) if not only_in_loops(alone, each)]
        leaves = any(isinstance(node, ast.Break | ast.Continue | ast.Return | ast.Raise) for node in ast.walk(removed))
        return not needed and not leaves and not _mentions(removed, name)

    def _others(self, name: str) -> list[str]:
        """The names of the other dictionaries and sets of the function."""
        stmts = [stmt for stmt in self.function.body if isinstance(stmt, ast.Assign | ast.AnnAssign)]
        new = [stmt for stmt in stmts if made(self.module, stmt.value) is not None]
        targets = [target for stmt in new for target in (stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target])]
        return [target.id for target in targets if isinstance(target, ast.Name) and target.id != name]

    def _rewrite(self, found: Filled, given: Sequence[str]) -> None:
        """Calls for what it is asked, and the functions that they call."""
        self.taken |= {node.id for node in ast.walk(self.function) if isinstance(node, ast.Name)} | set(self.module.bound)
        has, value = (fresh(f"{found.name}_{each}", self.taken) for each in ("has", "at"))
        functions, nothing = self._functions(found, given, has, value)
        known = {**self.module.functions, **functions}
        self.module = replace(self.module, functions=known, pure=self.module.pure | functions.keys())
        body: list[ast.stmt] = []
        removed: list[ast.stmt] = []
        calls = Calls(found, [read_name(each) for each in given], has, value, nothing)
        for place, stmt in enumerate(self.function.body):
            if place > found.last:
                changed = calls.visit(copy.deepcopy(stmt))
                assert isinstance(changed, ast.stmt)
                body.append(changed)
            else:
                body += [stmt] if place < found.first else self._without([stmt], found.name, removed)
        self.function = copy.copy(self.function)
        self.function.body = body
        ast.fix_missing_locations(self.function)
        self._check_apart(removed)

    def _functions(
        self, found: Filled, given: Sequence[str], has: str, value: str
    ) -> tuple[dict[str, ast.FunctionDef], object]:
        """The functions that say whether it has a key, and what it has there; and what that one gives where there is nothing."""
        filling = self._filling(found)
        end = at(ast.Return(value=ast.Name(id=found.name, ctx=ast.Load())), filling[-1])
        return functions_at(self.module, self._alone([*filling, end], given), has, value)

    def _alone(self, stmts: Sequence[ast.stmt], given: Sequence[str]) -> ast.FunctionDef:
        """A function of its own with these statements."""
        function = copy.copy(self.function)
        args = [ast.arg(arg=name, annotation=self._notes().get(name)) for name in given]
        function.args = ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])
        function.body, function.returns, function.decorator_list = copy.deepcopy([*stmts]), None, []
        return function

    def _without(self, stmts: Sequence[ast.stmt], name: str, removed: list[ast.stmt]) -> list[ast.stmt]:
        """Statements without those that fill it, which are collected."""
        done: list[ast.stmt] = []
        for stmt in stmts:
            if not _mentions(stmt, name):
                done.append(stmt)
                continue
            match stmt:
                case ast.For(iter=head) | ast.While(test=head) | ast.If(test=head) if not _mentions(head, name):
                    changed = copy.copy(stmt)
                    changed.body = self._without(stmt.body, name, removed)
                    changed.orelse = self._without(stmt.orelse, name, removed)
                    ends = isinstance(stmt, ast.While) and not changed.body
                    if changed.body or changed.orelse or ends:
                        changed.body = changed.body or [at(ast.Pass(), stmt)]
                        done.append(changed)
                    else:
                        removed.append(changed)
                case _:
                    removed.append(stmt)
        return done

    def _check_apart(self, removed: Sequence[ast.stmt]) -> None:
        """Refuse to leave out what other statements need."""
        for stmt in removed:
            for name in sorted(stored([stmt]) & loaded(self.function.body)):
                if not only_in_loops(self.function, name):
                    found = f"{name}, which depends on what is at a key"
                    self.module.place.refuse(stmt, f"{found}, is used beyond the statements at that key")


def can_be_asked(module: PythonModule, new: Made, asked: Sequence[Access]) -> bool:
    """Whether what comes behind what fills a dictionary or set may be functions of its keys."""
    kinds = {_kind(module, new, each) for each in asked}
    return "" not in kinds and not (new.inserts and kinds == {"at", "other"})


def _kind(module: PythonModule, new: Made, access: Access) -> str:
    """How it is asked: for its value `at` a key, which may put one there, in an `other` way, or not as is modelled.

    Beside a default the key is asked for twice, and the default evaluated only where it is needed: both may do nothing else.
    """
    if access.key is None:
        return ""
    match access.node:
        case ast.Subscript(ctx=ast.Load()) if not new.is_set:
            return "at" if new.default is None or is_pure(access.key, module) else ""
        case ast.Compare():
            return "other"
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, default]):
            return "other" if is_pure(key, module) and is_pure(default, module) else ""
    return ""


def reads(module: PythonModule, node: ast.Name, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether a use of what may be a list does not change it, nor gives it another name."""
    if not isinstance(node.ctx, ast.Load):
        return True
    match parents[node]:
        case ast.For(iter=used) | ast.comprehension(iter=used):
            return used is node
        case ast.Subscript(value=used, slice=place, ctx=ctx):
            return place is node or (used is node and isinstance(ctx, ast.Load))
        case ast.Call(args=[used]) as whole if used is node and made(module, whole) is not None:
            return True
        case ast.Call(func=ast.Name(id=called), args=args) if node in args:
            return called in module.pure or (called in _READING and not module.bound[called])
        case ast.BinOp() | ast.Compare() | ast.UnaryOp() | ast.BoolOp():
            return True
    return False


def functions_at(
    module: PythonModule, function: ast.FunctionDef, has: str, value: str
) -> tuple[dict[str, ast.FunctionDef], object]:
    """The functions that say whether the dictionary or set that a function returns has a key, and what it has there; and what
    that one gives where there is nothing.
    """
    keyed = at_one_key(module, prepared(module, ast.fix_missing_locations(function)))
    assert keyed is not None
    last = keyed.function.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    results = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    made_: dict[str, ast.FunctionDef] = {}
    for name, result in zip((has, value), results, strict=False):
        one = copy.copy(keyed.function)
        one.name = name
        one.body = [*copy.deepcopy(keyed.function.body[:-1]), at(ast.Return(value=result), last)]
        made_[name] = one
    named = results[-1].id if isinstance(results[-1], ast.Name) else ""
    starts = [stmt.value for stmt in keyed.function.body if isinstance(stmt, ast.Assign) and is_name(stmt.targets[0], named)]
    return made_, starts[0].value if starts and isinstance(starts[0], ast.Constant) else None


class Calls(ast.NodeTransformer):
    """Calls for what a dictionary is asked."""

    def __init__(self, found: Filled, given: Sequence[ast.expr], has: str, value: str, nothing: object) -> None:
        self.found = found
        self.nothing = nothing  # what `value` gives at a key that is not there
        self.given = given
        self.has = has
        self.value = value

    def _call(self, function: str, key: ast.expr) -> ast.Call:
        return ast.Call(func=read_name(function), args=[*copy.deepcopy([*self.given]), key], keywords=[])

    def _or(self, key: ast.expr, default: ast.expr | None) -> ast.expr:
        """What it has at a key, or the default."""
        match default:
            case None:
                return self._call(self.value, key)
            case ast.Constant(value=value) if value == self.nothing and isinstance(value, str) == isinstance(self.nothing, str):
                return self._call(self.value, key)
        return ast.IfExp(test=self._call(self.has, key), body=self._call(self.value, copy.deepcopy(key)), orelse=default)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        asked = is_name(node.value, self.found.name)
        return ast.copy_location(self._or(node.slice, self.found.made.default), node) if asked else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Compare(left=key, ops=[op], comparators=[owner]) if is_name(owner, self.found.name):
                call: ast.expr = self._call(self.has, key)
                found = ast.UnaryOp(op=ast.Not(), operand=call) if isinstance(op, ast.NotIn) else call
                return ast.copy_location(found, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="get"), args=[key, default]) if is_name(owner, self.found.name):
                return ast.copy_location(self._or(key, default), node)
        return node


def _mentions(node: ast.AST, name: str) -> bool:
    return any(is_name(part, name) for part in ast.walk(node))


def _stores(function: ast.FunctionDef, name: str) -> int:
    nodes = (node for stmt in function.body for node in ast.walk(stmt))
    return sum(isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load) for node in nodes)


def is_flat(note: ast.expr) -> bool:
    """Whether an annotation is that of a number, or of a list whose elements are no lists."""
    if isinstance(note, ast.Constant) and isinstance(note.value, str):
        try:
            return is_flat(ast.parse(note.value, mode="eval").body)
        except SyntaxError:
            return False
    parts = list(ast.walk(note))
    lists = [part for part in parts if isinstance(part, ast.Name) and part.id in ("list", "List", "Sequence")]
    return len(lists) < 2 and all(isinstance(part, _NOTED) for part in parts)


def _is_new(value: ast.expr) -> bool:
    """Whether an expression gives a number or a new list."""
    match value:
        case ast.Constant() | ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp():
            return True
        case ast.ListComp(elt=elt):
            return not isinstance(elt, ast.List | ast.ListComp)
        case ast.Call(func=ast.Name(id="len" | "sum" | "max" | "min" | "abs" | "int" | "float")):
            return True
    return False
