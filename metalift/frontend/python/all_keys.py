"""One value of all keys of a dictionary or set, as a fold over the places at which the keys come first.

    best = max(count.values())      best, found = 0, False
                                    for place in range(len(words)):
                                        if not any(words[before] == words[place] for before in range(place)):
                                            key = words[place]
                                            ...  # what the function does at that key: whether there is one, and the value
                                            if count_there:
                                                best = max(best, count_value) if found else count_value
                                                found = True

So each key counts once. The order of the places is not that of the dictionary: what depends on an order is refused.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from metalift.frontend.python.containers import made
from metalift.frontend.python.key_places import PLACE, KeysOf, inserting
from metalift.frontend.python.keyed import Rewriter, makes, operands, prepared
from metalift.frontend.python.module import PythonModule
from metalift.frontend.python.order_free import accumulators
from metalift.frontend.python.reduced import by_items, is_new, looped, reduced
from metalift.frontend.python.rewriting import Put, Renamed, assign, at, fresh, loaded, stored
from metalift.frontend.python.several import Split

_READING = frozenset("len zip enumerate range sum max min any all set frozenset sorted reversed list tuple dict Counter".split())


def of_all_keys(module: PythonModule, function: ast.FunctionDef) -> Split | None:
    """The function without values of all keys; None where it computes none. Raises Unsupported."""
    if not any(isinstance(node, ast.expr) and is_new(module, node) for node in ast.walk(function)):
        return None
    function = by_items(module, function)
    found = _AllKeys(module, prepared(module, function))
    return found.split if found.run() else None


@dataclass(slots=True)
class _AllKeys:
    """Rewrites one function; `done` are its statements so far."""

    module: PythonModule
    split: Split
    taken: set[str] = field(default_factory=set)
    maps: dict[str, bool] = field(default_factory=dict)  # whether reading one at a key that it lacks puts the key there
    done: list[ast.stmt] = field(default_factory=list)
    rest: Sequence[ast.stmt] = ()
    found: bool = False

    def run(self) -> bool:
        """Rewrite the function; whether there was something to rewrite."""
        function = self.split.function
        self.taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        self.taken |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        todo = [line for stmt in function.body for line in self._plain(stmt)]
        for place, stmt in enumerate(todo):
            self.rest = todo[place:]
            self.done += self._block([stmt])
        if not self.found:
            return False
        changed = copy.copy(function)
        changed.body = self.done if self._needs_maps() else self._without_maps(self.done)
        self.split = Split(ast.fix_missing_locations(changed), self.split.parts)
        return True

    def _refuse(self, node: ast.AST, message: str) -> None:
        self.module.place.refuse(node, message)

    # New dictionaries and sets, which loops fill

    def _plain(self, stmt: ast.stmt) -> Iterator[ast.stmt]:
        """A statement; one that makes a dictionary or set makes an empty one, and a loop that fills it follows."""
        match stmt:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.AnnAssign(target=ast.Name(id=name), value=value) if (
                value is not None and makes(self.module, value)
            ):
                new = made(self.module, value)
                self.maps[name] = new is not None and new.inserts
                if new is None:
                    yield from self._operation(name, value, stmt)
                    return
                if new.items is None:
                    yield stmt
                    return
                called = "set" if new.is_set else "dict"
                empty = value.func if isinstance(value, ast.Call) else ast.Name(id=called, ctx=ast.Load())
                line = copy.copy(stmt)
                line.value = ast.Call(func=empty, args=[], keywords=[])
                yield at(line, stmt)
                filler = Rewriter(self.module, self.split.function, taken=self.taken)
                yield from (at(each, stmt) for each in filler.filled(name, new, stmt))
            case _:
                yield stmt

    def _operation(self, name: str, value: ast.expr, stmt: ast.stmt) -> Iterator[ast.stmt]:
        """What an operation makes of sets, all of which have names."""
        names: dict[int, ast.expr] = {}
        for each in operands(value):
            if not isinstance(each, ast.Name):
                part = fresh("part", self.taken)
                names[id(each)] = ast.Name(id=part, ctx=ast.Load())
                yield from self._plain(at(assign(part, each), stmt))
        changed = _Valued(names).visit(value)
        assert isinstance(changed, ast.expr)
        yield at(assign(name, changed), stmt)

    # Values of all keys

    def _block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements without values of all keys."""
        lines: list[ast.stmt] = []
        for stmt in stmts:
            if isinstance(stmt, ast.For) and self._is_whole(stmt):
                lines += self._over(stmt, accumulators(self.module, stmt, self.split.function))
                continue
            before, changed = self._without_reductions(stmt)
            lines += before
            if isinstance(changed, ast.If):
                changed.body, changed.orelse = self._block(changed.body), self._block(changed.orelse)
            lines.append(changed)
        return lines

    def _is_whole(self, stmt: ast.For) -> bool:
        """Whether it is a loop over all keys that changes no dictionary."""
        loop = looped(stmt.iter, stmt.target, self.maps)
        return loop is not None and not any(self._changes(stmt, name) for name in self.maps)

    def _changes(self, stmt: ast.stmt, name: str) -> bool:
        """Whether a statement may change a dictionary or set; reading what a loop over it goes through does not."""
        own = ""
        if isinstance(stmt, ast.For) and looped(stmt.iter, stmt.target, self.maps) == name:
            own = next(part.id for part in ast.walk(stmt.target) if isinstance(part, ast.Name))
        for each in inserting(stmt, name, self.maps):
            is_read = isinstance(each.node, ast.Subscript) and isinstance(each.node.ctx, ast.Load)
            if not (is_read and isinstance(each.key, ast.Name) and each.key.id == own):
                return True
        return False

    def _without_reductions(self, stmt: ast.stmt) -> tuple[list[ast.stmt], ast.stmt]:
        """Statements that compute the values of all keys in a statement, and the statement with their names."""
        head = copy.deepcopy(stmt)
        if isinstance(head, ast.If):
            head.body, head.orelse = [], []
        lines: list[ast.stmt] = []
        values: dict[int, ast.expr] = {}
        for node, each in reduced(head, self.maps, self.taken):
            bound = stored([stmt]) if isinstance(stmt, ast.For | ast.While) else _bound_by_comprehensions(stmt)
            own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
            for name in sorted(loaded([ast.Expr(value=node)]) & (bound - own)):
                self._refuse(node, f"a value of all keys that depends on {name}, which changes; compute it before")
            lines += [at(line, stmt) for line in each.start]
            lines += self._over(at(each.loop, stmt), each.names)
            values[id(node)] = each.value
        changed = _Valued(values).visit(head)
        assert isinstance(changed, ast.stmt)
        if isinstance(stmt, ast.If):
            assert isinstance(changed, ast.If)
            changed.body, changed.orelse = list(stmt.body), list(stmt.orelse)
        return lines, ast.fix_missing_locations(changed)

    def _over(self, loop: ast.stmt, names: Collection[str]) -> list[ast.stmt]:
        """A loop over all keys of a dictionary as one over places; it changes the names."""
        assert isinstance(loop, ast.For)
        over = looped(loop.iter, loop.target, self.maps)
        assert over is not None
        self.found = True
        for name in sorted({node.id for node in ast.walk(loop) if isinstance(node, ast.Name)} & self.maps.keys()):
            if self._changes(self.rest[0], name):
                self._refuse(loop, f"{name} changes in a statement that computes something of all keys; do that after it")
        before = [stmt for stmt in self.done if not _leaves(stmt)]
        places = KeysOf(self.module, self.split.function, before, self.maps).find(over, loop)
        whole = copy.copy(self.split.function)
        whole.body = [*self.done, *self.rest]
        at_key = Rewriter(self.module, whole, several=self.split.parts, taken=self.taken)
        at_key.begin()
        lines = [line for stmt in before for line in at_key.statement(copy.deepcopy(stmt))]
        last = at_key.over(copy.deepcopy(loop), names)
        if places.always:
            last = self._chosen(last[0], names)
        lines = _needed(lines, loaded(last), self._fixed(before))
        own = {name: fresh(name, self.taken) for name in sorted(stored([*lines, *last]).difference(names))}
        inner = [Renamed(own).visit(line) for line in (*lines, *last)]
        for name in sorted((changed_in_place(self.split.function) | _shared(self.split.function)) & loaded(inner)):
            self._refuse(loop, f"a value of all keys after {name} was changed")
        place, earlier = (fresh(each, self.taken) for each in ("place", "before"))
        here, there = (
            Put({PLACE: ast.Name(id=each, ctx=ast.Load())}).visit(copy.deepcopy(places.key)) for each in (place, earlier)
        )
        known = f"any({ast.unparse(there)} == {ast.unparse(here)} for {earlier} in range({place}))"
        test = ast.UnaryOp(op=ast.Not(), operand=ast.parse(known, mode="eval").body)
        key = ast.Assign(targets=[ast.Name(id=at_key.key, ctx=ast.Store())], value=here)
        body = ast.If(test=test, body=[key, *inner], orelse=[])
        target = ast.Name(id=place, ctx=ast.Store())
        count = ast.Call(func=ast.Name(id="range", ctx=ast.Load()), args=[places.count], keywords=[])
        done = ast.For(target=target, iter=count, body=[body], orelse=[])
        for part in ast.walk(done):
            ast.copy_location(part, loop)
        return [done]

    def _chosen(self, stmt: ast.stmt, names: Collection[str]) -> list[ast.stmt]:
        """What a loop does at a key that is always there, without a path on which it is not."""
        assert isinstance(stmt, ast.If)
        new = {name: fresh(name, self.taken) for name in sorted(names)}
        done = [Renamed(new).visit(line) for line in stmt.body]
        lines = [assign(other, ast.Name(id=name, ctx=ast.Load())) for name, other in new.items()] + done
        for name, other in new.items():
            value, old = (ast.Name(id=each, ctx=ast.Load()) for each in (other, name))
            lines.append(assign(name, ast.IfExp(test=copy.deepcopy(stmt.test), body=value, orelse=old)))
        return [at(line, stmt) for line in lines]

    def _fixed(self, stmts: Sequence[ast.stmt]) -> set[str]:
        """Names that have their values before anything is done with dictionaries: these need not be computed again."""
        late: set[str] = set()
        used: set[str] = set()
        for stmt in stmts:
            if self._mentions(stmt):
                used |= loaded([stmt])
                late |= stored([stmt])
            else:
                late |= stored([stmt]) & used
        return stored(stmts) - late

    def _mentions(self, node: ast.AST) -> bool:
        return any(isinstance(part, ast.Name) and part.id in self.maps for part in ast.walk(node))

    # What is left

    def _needs_maps(self) -> bool:
        """Whether a dictionary or set is a result, too."""
        results = [node for stmt in self.done for node in ast.walk(stmt) if isinstance(node, ast.Return)]
        return any(self._mentions(node) or makes(self.module, node.value) for node in results)

    def _without_maps(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements that are about no dictionaries; the others must give no value to these."""
        dropped: list[ast.stmt] = []
        kept = self._dropped(stmts, dropped)
        for stmt in dropped:
            for name in sorted(stored([stmt]) & loaded(kept)):
                self._refuse(stmt, f"{name}, which depends on what is at a key, is used beyond the statements at that key")
        return kept

    def _dropped(self, stmts: Sequence[ast.stmt], dropped: list[ast.stmt]) -> list[ast.stmt]:
        kept: list[ast.stmt] = []
        for stmt in stmts:
            if not self._mentions(stmt):
                kept.append(stmt)
            elif isinstance(stmt, ast.For | ast.While | ast.If) and not self._mentions(_head(stmt)):
                changed = copy.copy(stmt)
                changed.body, changed.orelse = self._dropped(stmt.body, dropped), self._dropped(stmt.orelse, dropped)
                if changed.body or changed.orelse:
                    changed.body = changed.body or [at(ast.Pass(), stmt)]
                    kept.append(changed)
            else:
                dropped.append(stmt)
        return kept


class _Valued(ast.NodeTransformer):
    """Values for expressions."""

    def __init__(self, values: dict[int, ast.expr]) -> None:
        self.values = values

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) in self.values:
            return ast.copy_location(self.values[id(node)], node)
        return self.generic_visit(node)


def _bound_by_comprehensions(stmt: ast.stmt) -> set[str]:
    """The names of comprehensions in a statement."""
    generators = (part for part in ast.walk(stmt) if isinstance(part, ast.comprehension))
    return {part.id for each in generators for part in ast.walk(each.target) if isinstance(part, ast.Name)}


def _head(stmt: ast.For | ast.While | ast.If) -> ast.expr:
    return stmt.iter if isinstance(stmt, ast.For) else stmt.test


def _leaves(stmt: ast.stmt) -> bool:
    """Whether the function may end in it: where what follows is done, it has not."""
    return any(isinstance(part, ast.Return) for part in ast.walk(stmt))


def _needed(stmts: Sequence[ast.stmt], wanted: set[str], fixed: set[str]) -> list[ast.stmt]:
    """The statements that have to do with the names that are wanted, or with those that these depend on."""
    wanted = set(wanted)
    while True:
        kept = _sliced(stmts, wanted, fixed)
        more = loaded(kept) - wanted
        if not more:
            return kept
        wanted |= more


def _sliced(stmts: Sequence[ast.stmt], wanted: set[str], fixed: set[str]) -> list[ast.stmt]:
    kept: list[ast.stmt] = []
    for stmt in stmts:
        own = stored([stmt]) | changed_in_place(stmt)
        if isinstance(stmt, ast.For | ast.While | ast.If):
            changed = copy.copy(stmt)
            changed.body, changed.orelse = _sliced(stmt.body, wanted, fixed), _sliced(stmt.orelse, wanted, fixed)
            inner = [*changed.body, *changed.orelse]
            if stored(inner) or any(map(changed_in_place, inner)) or (inner and isinstance(stmt, ast.If)):
                changed.body = changed.body or [at(ast.Pass(), stmt)]
                kept.append(changed)
        elif isinstance(stmt, ast.Break | ast.Continue) or own & wanted - fixed:
            kept.append(stmt)
    return kept


def changed_in_place(node: ast.AST) -> set[str]:
    """The names whose values something changes."""
    found: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
                found.add(name)
    return found


def _shared(function: ast.FunctionDef) -> set[str]:
    """The names of lists that have second names, or are given to functions that may change them."""
    lists: set[str] = set()
    shared: set[str] = set()
    for part in ast.walk(function):
        match part:
            case ast.For(iter=ast.Name(id=name)) | ast.comprehension(iter=ast.Name(id=name)):
                lists.add(name)
            case ast.Subscript(value=ast.Name(id=name)):
                lists.add(name)
            case ast.Assign(value=ast.Name(id=name)):
                shared.add(name)
            case ast.Call(func=func, args=args) if not (isinstance(func, ast.Name) and func.id in _READING):
                shared |= {arg.id for arg in args if isinstance(arg, ast.Name)}
    return shared & lists
