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

from metalift.frontend.python.keys.aliases import may_change
from metalift.frontend.python.keys.containers import made
from metalift.frontend.python.keys.key_places import PLACE, KeyPlaces, KeysOf, inserting
from metalift.frontend.python.keys.keyed import Rewriter, makes, operands, prepared
from metalift.frontend.python.keys.order_free import accumulators
from metalift.frontend.python.keys.reduced import by_items, evaluated_sometimes, is_new, looped, may_fail, reduced
from metalift.frontend.python.keys.rewriting import Put, Renamed, Valued, assign, at, bound, fresh, loaded, stored
from metalift.frontend.python.keys.several import Split
from metalift.frontend.python.naming.module import PythonModule


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
    passed: list[ast.stmt] = field(default_factory=list)  # of the statement at which the function is, what it has done
    found: bool = False

    def run(self) -> bool:
        """Rewrite the function; whether there was something to rewrite."""
        function = self.split.function
        self.taken = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        self.taken |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        todo = [line for stmt in function.body for line in self._plain(stmt)]
        for place, stmt in enumerate(todo):
            self.rest, self.passed = todo[place:], []
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
        changed = Valued(names).visit(value)
        assert isinstance(changed, ast.expr)
        yield at(assign(name, changed), stmt)

    # Values of all keys

    def _block(self, stmts: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements without values of all keys."""
        lines: list[ast.stmt] = []
        for stmt in stmts:
            if isinstance(stmt, ast.For) and self._is_whole(stmt):
                lines += self._over(stmt, accumulators(self.module, stmt, self.split.function))
                self.passed.append(stmt)
                continue
            before, changed = self._without_reductions(stmt)
            lines += before
            self.passed.append(ast.Expr(value=changed.test) if isinstance(changed, ast.If) else changed)
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
        sometimes = evaluated_sometimes(head)
        for node, each in reduced(head, self.maps, self.taken):
            for name in sorted(loaded([ast.Expr(value=node)]) & (_bound_beside(head) - bound(node))):
                self._refuse(node, f"a value of all keys that depends on {name}, which changes; compute it before")
            if id(node) in sometimes and may_fail(node, self.maps):
                self._refuse(node, "a value of all keys under a condition, without which it may fail; compute it within an if")
            lines += [at(line, stmt) for line in each.start]
            lines += self._over(at(each.loop, stmt), each.names)
            values[id(node)] = each.value
        changed = Valued(values).visit(head)
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
        at_key = self._at_key([*self.done, *self.rest])
        lines = [line for stmt in before for line in at_key.statement(copy.deepcopy(stmt))]
        last = at_key.over(copy.deepcopy(loop), names)
        if places.always:
            last = self._chosen(last[0], names)
        lines = _needed(lines, loaded(last).difference(names), self._fixed(self.done))
        self._check_again(lines, last, places, names, loop)
        apart = {name: fresh(name, self.taken) for name in sorted(stored(lines).intersection(names))}
        lines = [Renamed(apart).visit(line) for line in lines]  # the loop goes on with the values that the function has
        own = {name: fresh(name, self.taken) for name in sorted(stored([*lines, *last]).difference(names))}
        inner = [Renamed(own).visit(line) for line in (*lines, *last)]
        return self._over_places(places, at_key.key, inner, loop)

    def _at_key(self, stmts: Sequence[ast.stmt]) -> Rewriter:
        """What reads statements of the function, which has these, at one key."""
        whole = copy.copy(self.split.function)
        whole.body = [*stmts]
        at_key = Rewriter(self.module, whole, several=self.split.parts, taken=self.taken)
        at_key.begin()
        return at_key

    def _check_again(
        self,
        lines: Sequence[ast.stmt],
        last: Sequence[ast.stmt],
        places: KeyPlaces,
        names: Collection[str],
        loop: ast.stmt,
    ) -> None:
        """Refuse to compute again, with the values that names have now, what may have been computed with other ones."""
        function, left = self.split.function, [stmt for stmt in self.done if _leaves(stmt)]
        made_again, count = stored(lines), loaded([ast.Expr(value=places.count)])
        read = loaded(lines) | made_again | count
        lists = may_change(function, self.maps)
        changed = stored(self.passed) & read  # within the statement in which the loop is
        changed |= (stored(left) & read | stored(self.done) & count) - self._fixed(self.done)
        changed |= made_again & {arg.arg for arg in function.args.args}
        changed |= (loaded(lines) - made_again).intersection(names)
        changed |= (loaded(last) | read) & lists - (made_again & changed_in_place(function))
        changed |= {name for name in self.maps for stmt in left if self._changes(stmt, name)}
        for name in sorted(changed):
            self._refuse(loop, f"a value of all keys after {name} was changed, or may have been; compute it before")

    def _over_places(self, places: KeyPlaces, own_key: str, inner: list[ast.stmt], loop: ast.stmt) -> list[ast.stmt]:
        """A loop over the places that does something once for each key."""
        place, earlier = (fresh(each, self.taken) for each in ("place", "before"))
        here, there = (
            Put({PLACE: ast.Name(id=each, ctx=ast.Load())}).visit(copy.deepcopy(places.key)) for each in (place, earlier)
        )
        known = f"any({ast.unparse(there)} == {ast.unparse(here)} for {earlier} in range({place}))"
        test = ast.UnaryOp(op=ast.Not(), operand=ast.parse(known, mode="eval").body)
        key = ast.Assign(targets=[ast.Name(id=own_key, ctx=ast.Store())], value=here)
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
        """Names that have their values before they, or dictionaries, are used: these need not be computed again."""
        late: set[str] = set()
        used: set[str] = set()
        for stmt in stmts:
            late |= stored([stmt]) if self._mentions(stmt) else stored([stmt]) & used
            used |= loaded([stmt])
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
        at_key = self._at_key(stmts)
        for stmt in stmts:
            at_key.statement(copy.deepcopy(stmt))  # which refuses what does more with them
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


def _bound_beside(stmt: ast.stmt) -> set[str]:
    """The names that a statement may give values to before it has evaluated all of its expressions."""
    targets = stmt.targets if isinstance(stmt, ast.Assign) else [getattr(stmt, "target", None)]
    if isinstance(stmt, ast.For | ast.While):
        targets = []
    last = {id(part) for each in targets for part in (*getattr(each, "elts", ()), each) if isinstance(part, ast.Name)}
    parts = [part for part in ast.walk(stmt) if id(part) not in last and isinstance(part, ast.Name | ast.arg)]
    return {name for part in parts for name in bound(part)}


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
