"""Dictionaries and sets that a loop asks while it fills them, as functions of a key and of how many elements were there before.

    for sale in sales:                                  for place, sale in enumerate(sales):
        total[sale.shop] += sale.amount                     out.append(total_at(sales, place + 1, sale.shop))
        out.append(total[sale.shop])

What each has at a key after so many elements is what fills it, on these alone, seen at the one key
(`metalift.frontend.python.keys.keyed`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from metalift.frontend.python.keys.containers import accesses, is_pure, made
from metalift.frontend.python.keys.firsts import without_continue
from metalift.frontend.python.keys.lookups import Calls, Filled, can_be_asked, functions_at, is_flat, reads
from metalift.frontend.python.keys.rewriting import at, fresh, is_name, loaded, read_name, stored, uses_in
from metalift.frontend.python.keys.through import without_names
from metalift.frontend.python.keys.tidied import tidied
from metalift.frontend.python.naming.module import PythonModule


def without_running(module: PythonModule, function: ast.FunctionDef) -> tuple[PythonModule, ast.FunctionDef] | None:
    """The function without such dictionaries, and a module with the functions that it calls; None where it has none.

    Raises Unsupported where one is filled in a way that is not modelled.
    """
    found = _Running(module, without_names(module, without_continue(tidied(module, function))))
    while found.one():
        pass
    return (found.module, found.function) if found.module is not module else None


@dataclass(slots=True)
class _Split:
    """Statements of a loop's body: those before a dictionary changes, those that change it, and those behind that."""

    before: list[ast.stmt] = field(default_factory=list)
    changes: list[ast.stmt] = field(default_factory=list)
    behind: list[ast.stmt] = field(default_factory=list)


class _Mixed(Exception):
    """The statements are not of such a form."""


@dataclass(slots=True)
class _Running:
    module: PythonModule
    function: ast.FunctionDef
    taken: set[str] = field(default_factory=set)

    def one(self) -> bool:
        """Rewrite the first such dictionary; whether there was one."""
        names = (node for node in ast.walk(self.function) if isinstance(node, ast.Name))
        self.taken |= {node.id for node in names} | {arg.arg for arg in self.function.args.args} | set(self.module.bound)
        for stmt in self.function.body:
            match stmt:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value):
                    new = made(self.module, value)
                case _:
                    continue
            loop = self._loop(stmt, name)
            if new is None or new.items is not None or loop is None:
                continue
            try:
                self._rewrite(stmt, Filled(name, new, 0, 0), loop)
            except _Mixed:
                continue
            return True
        return False

    def _loop(self, made_at: ast.stmt, name: str) -> ast.For | None:
        """The one statement behind that which makes a dictionary that names it, where that is a loop that runs to its end."""
        match [stmt for stmt in self.function.body if stmt is not made_at and uses_in(stmt, name)]:
            case [ast.For(orelse=[]) as loop] if uses_in(loop.iter, name) + uses_in(loop.target, name) == 0:
                leaves = any(isinstance(node, ast.Break | ast.Continue | ast.Return | ast.NamedExpr) for node in ast.walk(loop))
                late = self.function.body.index(loop) > self.function.body.index(made_at)
                return loop if late and not leaves and name not in stored([loop]) else None
        return None

    # What a loop goes over

    def _elements(self, loop: ast.For, place: str) -> list[tuple[ast.expr, ast.expr]]:
        """The targets of a loop, and what they are at a place."""
        match loop.iter, loop.target:
            case ast.Name() as owner, target:
                pairs: list[tuple[ast.expr, ast.expr]] = [(target, owner)]
                counters: list[tuple[ast.expr, ast.expr]] = []
            case ast.Call(func=ast.Name(id="enumerate"), args=[owner], keywords=[]), ast.Tuple(elts=[counter, target]):
                pairs, counters = [(target, owner)], [(counter, read_name(place))]
            case ast.Call(func=ast.Name(id="zip"), args=args, keywords=[]), ast.Tuple(elts=targets) if len(args) == len(targets):
                pairs, counters = list(zip(targets, args, strict=True)), []
            case _:
                raise _Mixed
        if not all(isinstance(owner, ast.Name) and self._is_kept(owner.id) for _, owner in pairs):
            raise _Mixed
        items = [(target, ast.Subscript(value=owner, slice=read_name(place), ctx=ast.Load())) for target, owner in pairs]
        return [*counters, *items]

    def _is_kept(self, name: str) -> bool:
        """Whether a parameter stands for a number, or a list without lists, that nothing changes."""
        notes = {arg.arg: arg.annotation for arg in self.function.args.args}
        if name not in notes or name in stored(self.function.body):
            return False
        note = notes[name]
        parents = {child: node for node in ast.walk(self.function) for child in ast.iter_child_nodes(node)}
        named = [node for node in parents if isinstance(node, ast.Name) and node.id == name]
        return (note is None or is_flat(note)) and all(reads(self.module, node, parents) for node in named)

    # Rewriting

    def _rewrite(self, stmt: ast.stmt, found: Filled, loop: ast.For) -> None:
        split = self._split(loop.body, found.name)
        others = [*split.before, *split.behind]
        asked = [each for other in others for each in accesses(other, [found.name])]
        if not split.changes or not asked or not can_be_asked(self.module, found.made, asked):
            raise _Mixed
        if stored(split.changes) & (loaded(others) | stored(others)):
            raise _Mixed
        changes = [each.node for change in split.changes for each in accesses(change, [found.name])]
        if found.made.inserts and not all(isinstance(node, ast.Subscript) for node in changes):
            raise _Mixed  # it may have a key because it was asked for it
        wanted = ("count", "place", f"{found.name}_has", f"{found.name}_at")
        count, place, has, value = (fresh(each, self.taken) for each in wanted)
        function, given = self._filling(stmt, found.name, loop, split, count)
        functions, nothing = functions_at(self.module, function, has, value)
        known = {**self.module.functions, **functions}
        self.module = replace(self.module, functions=known, pure=self.module.pure | functions.keys())
        here: ast.expr = read_name(place)
        body: list[ast.stmt] = []
        for part, so_far in (
            (split.before, here),
            (split.behind, ast.BinOp(left=here, op=ast.Add(), right=ast.Constant(value=1))),
        ):
            calls = Calls(found, [*(read_name(each) for each in given), so_far], has, value, nothing)
            body += [calls.visit(copy.deepcopy(each)) for each in part]
        target = ast.Tuple(elts=[ast.Name(id=place, ctx=ast.Store()), loop.target], ctx=ast.Store())
        counted = ast.Call(func=read_name("enumerate"), args=[loop.iter], keywords=[])
        changed = at(ast.For(target=target, iter=counted, body=body, orelse=[]), loop)
        self.function = copy.copy(self.function)
        self.function.body = [changed if each is loop else each for each in self.function.body if each is not stmt]
        ast.fix_missing_locations(self.function)

    def _filling(
        self, stmt: ast.stmt, name: str, loop: ast.For, split: _Split, count: str
    ) -> tuple[ast.FunctionDef, list[str]]:
        """A function that returns what the dictionary is after so many elements, and the parameters that it has beside these."""
        place = fresh("place", self.taken)
        elements = copy.deepcopy(self._elements(loop, place))
        bound = {node.id for target, _ in elements for node in ast.walk(target) if isinstance(node, ast.Name)}
        lines: list[ast.stmt] = [ast.Assign(targets=[target], value=element) for target, element in elements]
        lines += [*self._needed(split, bound | {name}), *split.changes]
        rounds = ast.Call(func=read_name("range"), args=[read_name(count)], keywords=[])
        filling = ast.For(target=ast.Name(id=place, ctx=ast.Store()), iter=rounds, body=lines, orelse=[])
        whole = [stmt, at(filling, loop), at(ast.Return(value=read_name(name)), loop)]
        given = [arg for arg in self.function.args.args if arg.arg in loaded(whole)]
        if not all(self._is_kept(arg.arg) for arg in given):
            raise _Mixed
        function = copy.copy(self.function)
        args = [*given, ast.arg(arg=count, annotation=read_name("int"))]
        function.args = ast.arguments(posonlyargs=[], args=args, kwonlyargs=[], kw_defaults=[], defaults=[])
        function.body, function.returns, function.decorator_list = copy.deepcopy(whole), None, []
        return function, [arg.arg for arg in given]

    def _needed(self, split: _Split, bound: set[str]) -> list[ast.stmt]:
        """The statements before the changes that name what these are computed of, which may be nothing of other rounds."""
        wanted = loaded(split.changes)
        lines: list[ast.stmt] = []
        for stmt in reversed(split.before):
            match stmt:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in wanted:
                    if not is_pure(value, self.module):
                        raise _Mixed
                    lines.insert(0, stmt)
                    wanted |= loaded([stmt])
        known = stored(lines) | bound
        names = [node for node in ast.walk(self.function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        again = any(sum(node.id == each for node in names) > 1 for each in wanted & known)
        if again or wanted & stored(self.function.body) - stored(split.changes) - known:
            raise _Mixed
        return lines

    # Statements

    def _split(self, stmts: Sequence[ast.stmt], name: str) -> _Split:
        """The statements of a block by what they do with a dictionary, whose changes come one behind the other."""
        parts = [self._parted(stmt, name) for stmt in stmts]
        changing = [place for place, part in enumerate(parts) if part.changes]
        if not changing:
            return _Split(before=list(stmts))
        first, last = changing[0], changing[-1]
        inner = parts[first : last + 1]
        if any(part.before for part in inner[1:]) or any(part.behind for part in inner[:-1]):
            raise _Mixed
        before, behind = [*stmts[:first], *inner[0].before], [*inner[-1].behind, *stmts[last + 1 :]]
        return _Split(before, [stmt for part in inner for stmt in part.changes], behind)

    def _parted(self, stmt: ast.stmt, name: str) -> _Split:
        """A statement by what it does with it."""
        if not any(_changes(node, name) for node in ast.walk(stmt)):
            return _Split(before=[stmt])
        match stmt:
            case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value) if _changes(target, name):
                if not any(_changes(node, name) for node in ast.walk(value)):
                    return _Split(changes=[stmt])
            case ast.Expr(value=ast.Call(args=args) as call) if _changes(call, name):
                if not any(_changes(node, name) for arg in args for node in ast.walk(arg)):
                    return _Split(changes=[stmt])
            case ast.If(test=test) if not any(_changes(node, name) for node in ast.walk(test)):
                return self._branches(stmt, self._split(stmt.body, name), self._split(stmt.orelse, name))
        raise _Mixed

    def _branches(self, stmt: ast.If, body: _Split, orelse: _Split) -> _Split:
        """A choice as two, or three: the test is evaluated before the first, and as it was in the others."""
        body, orelse = (each if each.changes else _Split(behind=each.before) for each in (body, orelse))
        if not (body.before or body.behind or orelse.before or orelse.behind):
            return _Split(changes=[stmt])
        if not is_pure(stmt.test, self.module):
            raise _Mixed
        flag = fresh("chosen", self.taken)
        found = _Split(before=[at(ast.Assign(targets=[ast.Name(id=flag, ctx=ast.Store())], value=stmt.test), stmt)])
        for lines, test, then, other in (
            (found.before, read_name(flag), body.before, orelse.before),
            (found.changes, stmt.test, body.changes, orelse.changes),
            (found.behind, read_name(flag), body.behind, orelse.behind),
        ):
            if then or other:
                lines.append(at(ast.If(test=test, body=list(then) or [ast.Pass()], orelse=list(other)), stmt))
        return found


def _changes(node: ast.AST, name: str) -> bool:
    """Whether a node by itself may change a dictionary or set, other than by asking for what it lacks."""
    match node:
        case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
            return is_name(owner, name)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)):
            return is_name(owner, name) and method != "get"
    return False
