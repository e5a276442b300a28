"""Which keys a dictionary or set may have: those of the places of a list, or of a range, at which the function computes them.

    for sale in sales:                      the keys of m are among sales[place].region
        if sale.amount > least:             for the places from 0 to before len(sales)
            m[sale.region] = sale.amount
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from metalift.frontend.python.keys.containers import Access, accesses
from metalift.frontend.python.keys.rewriting import Put, is_name, loaded, same, stored
from metalift.frontend.python.naming.module import PythonModule

PLACE = " place"  # which no name of a source is
FORM = "supported are keys that loops over one list or range compute of its elements or numbers, in one way for each dictionary"


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """The key at the place that is called `PLACE`, and how many places there are. `always`: the dictionary has each of these."""

    key: ast.expr
    count: ast.expr
    always: bool


@dataclass(frozen=True, slots=True)
class _Known:
    """What names of loops and of values computed in them are at a place, and how many places there are.

    `over`: the dictionary that the loop runs over, and the name of its key. `always`: what comes next is done at every place.
    """

    names: dict[str, ast.expr] = field(default_factory=dict)
    count: ast.expr | None = None
    over: tuple[str, str] = ("", "")
    always: bool = True


@dataclass(slots=True)
class KeysOf:
    """Finds the keys of dictionaries in statements; `maps` says of each whether reading at a key that it lacks puts it there."""

    module: PythonModule
    function: ast.FunctionDef
    stmts: Sequence[ast.stmt]
    maps: Mapping[str, bool]
    asked: tuple[str, ...] = ()  # the dictionaries whose keys are being found

    def find(self, name: str, use: ast.AST) -> KeyPlaces:
        """Where the keys of a dictionary come from; they may be more than those that it gets. Refuses others, at `use`."""
        self.asked += (name,)
        found: KeyPlaces | None = None
        for each in self._sites(name, self.stmts, _Known(), use):
            if found is not None and not (same(found.key, each.key) and same(found.count, each.count)):
                self._refuse(use, f"all keys of {name}, which come from several computations; {FORM}")
            found = replace(each, always=each.always or (found is not None and found.always))
        if found is None:
            self._refuse(use, f"all keys of {name}, which gets none in a loop; {FORM}")
        self.asked = self.asked[:-1]
        return found

    def _refuse(self, node: ast.AST, message: str) -> NoReturn:
        self.module.place.refuse(node, message)

    # Where keys come in

    def _sites(self, name: str, stmts: Sequence[ast.stmt], known: _Known, use: ast.AST) -> Iterator[KeyPlaces]:
        """The places of the keys that statements may put into a dictionary."""
        for stmt in stmts:
            if (combined := self._combined(name, stmt)) is not None:
                yield replace(self.find(combined, use), always=False)
            elif isinstance(stmt, ast.For | ast.While | ast.If):
                yield from self._inside(name, stmt, known, use)
                known = self._after(stmt, known)
            else:
                yield from self._places(name, stmt, known, use)
                known = self._after(stmt, known)

    def _combined(self, name: str, stmt: ast.stmt) -> str | None:
        """The set of which one that an operation makes has elements."""
        match stmt:
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.BinOp(left=left, op=ast.BitAnd() | ast.Sub())
            ) if target == name:
                pass
            case ast.Assign(
                targets=[ast.Name(id=target)],
                value=ast.Call(func=ast.Attribute(value=left, attr="intersection" | "difference")),
            ) if target == name:
                pass
            case _:
                return None
        return left.id if isinstance(left, ast.Name) and left.id in self.maps else None

    def _inside(self, name: str, stmt: ast.For | ast.While | ast.If, known: _Known, use: ast.AST) -> Iterator[KeyPlaces]:
        head = stmt.iter if isinstance(stmt, ast.For) else stmt.test
        yield from self._places(name, ast.Expr(value=head), known, use)
        match stmt:
            case ast.For():
                yield from self._sites(name, stmt.body, self._entered(stmt, known), use)
                yield from self._sites(name, stmt.orelse, replace(known, always=False), use)
            case ast.While(body=body, orelse=orelse) | ast.If(body=body, orelse=orelse):
                inner = self._forget(known, stored([stmt])) if isinstance(stmt, ast.While) else known
                always = known.always and self._surely(name, [stmt])
                for block in (body, orelse):
                    for each in self._sites(name, block, replace(inner, always=False), use):
                        yield replace(each, always=always)

    def _surely(self, name: str, stmts: Sequence[ast.stmt]) -> bool:
        """Whether a dictionary has a key after statements that may put it there."""
        for stmt in stmts:
            match stmt:
                case ast.If(test=test, body=body, orelse=orelse):
                    asks = isinstance(test, ast.Compare) and is_name(test.comparators[0], name)
                    there = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.In)
                    if (self._surely(name, body) or (asks and there)) and (self._surely(name, orelse) or (asks and not there)):
                        return True
                case ast.For() | ast.While():
                    pass
                case _ if any(True for _ in inserting(stmt, name, self.maps)):
                    return True
        return False

    def _places(self, name: str, stmt: ast.stmt, known: _Known, use: ast.AST) -> Iterator[KeyPlaces]:
        """The places of the keys that a statement may put into a dictionary; those of a loop over it are there."""
        for each in inserting(stmt, name, self.maps):
            assert each.key is not None
            is_there = known.over[0] == name and isinstance(each.key, ast.Name) and each.key.id == known.over[1]
            if not is_there:
                yield self._place(name, each.key, known, use)

    def _place(self, name: str, key: ast.expr, known: _Known, use: ast.AST) -> KeyPlaces:
        """The places of one of these keys."""
        if known.over[0] and isinstance(key, ast.Name) and key.id == known.over[1]:
            if known.over[0] in self.asked:
                self._refuse(use, f"all keys of {name}, which come from those of {known.over[0]} and the other way round")
            found = self.find(known.over[0], use)
            return replace(found, always=found.always and known.always)
        whole = Put(known.names).visit(copy.deepcopy(key))
        free = loaded([ast.Expr(value=whole)]) - {PLACE}
        if known.count is None or not free <= self._constant() or not (known.always or _is_total(whole, known.count)):
            self._refuse(key, f"the key {ast.unparse(key)} of {name}, of which a value of all keys is computed; {FORM}")
        assert known.count is not None
        lists = _lists(whole)
        alone = len(lists) == 1 and _is_total(whole, _length(lists[0]))  # whatever it is beside
        count = _length(lists[0]) if alone else known.count
        return KeyPlaces(whole, count, known.always and same(count, known.count))

    def _constant(self) -> set[str]:
        """The parameters that the function does not bind anew."""
        return {arg.arg for arg in self.function.args.args} - stored(self.function.body)

    # What is known on the way

    def _entered(self, stmt: ast.For, known: _Known) -> _Known:
        """What is known in the body of a loop."""
        before = self._forget(known, stored([stmt]))
        leaves = any(isinstance(part, ast.Break | ast.Continue | ast.Return) for part in ast.walk(stmt))
        always = known.always and known.count is None and not known.over[0] and not leaves
        match stmt.iter, stmt.target:
            case (ast.Name(id=owner), ast.Name(id=key)) if owner in self.maps:
                return replace(before, over=(owner, key), always=always)
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="items"), args=[]),
                ast.Tuple(elts=[ast.Name(id=key), *_]),
            ) if owner in self.maps:
                return replace(before, over=(owner, key), always=always)
            case (ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="keys"), args=[]), ast.Name(id=key)) if (
                owner in self.maps
            ):
                return replace(before, over=(owner, key), always=always)
        found = _elements(stmt.iter, stmt.target)
        if found is None or known.count is not None:  # of loops in loops, the outer one's places are known
            return replace(before, always=False)
        return _Known({**before.names, **found[0]}, found[1], always=always)

    def _after(self, stmt: ast.stmt, known: _Known) -> _Known:
        """What is known after a statement."""
        kept = self._forget(known, stored([stmt]))
        match stmt:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                whole = Put(known.names).visit(copy.deepcopy(value))
                if loaded([ast.Expr(value=whole)]) - {PLACE} <= self._constant():
                    return replace(kept, names={**kept.names, name: whole})
        return kept

    @staticmethod
    def _forget(known: _Known, names: Collection[str]) -> _Known:
        over = ("", "") if known.over[1] in names else known.over
        return replace(known, names={name: value for name, value in known.names.items() if name not in names}, over=over)


def inserting(stmt: ast.stmt, name: str, maps: Mapping[str, bool]) -> Iterator[Access]:
    """Where a statement may put something into a dictionary or set at a key."""
    for each in accesses(stmt, maps):
        if each.name != name or each.key is None:
            continue
        match each.node:
            case ast.Subscript(ctx=ctx):
                inserts = not isinstance(ctx, ast.Load) or maps[name]
            case ast.Call(func=ast.Attribute(attr=method)):
                inserts = method != "get"
            case _:
                inserts = False
        if inserts:
            yield each


def _elements(iterated: ast.expr, target: ast.expr) -> tuple[dict[str, ast.expr], ast.expr] | None:
    """What the names of a loop are at a place, and how many places there are; None where that is not known."""
    place = ast.Name(id=PLACE, ctx=ast.Load())
    match iterated, target:
        case ast.Name(id=owner), _:
            return _parts(target, _element(owner)), _length(owner)
        case (
            ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=owner)], keywords=[]),
            ast.Tuple(elts=[ast.Name(id=index), each]),
        ):
            return {index: place, **_parts(each, _element(owner))}, _length(owner)
        case ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]), ast.Name(id=index):
            return {index: place}, count
        case ast.Call(func=ast.Name(id="zip"), args=args, keywords=[]), ast.Tuple(elts=targets) if len(args) == len(targets):
            lists = [arg.id for arg in args if isinstance(arg, ast.Name)]
            if len(lists) < len(args):
                return None
            names: dict[str, ast.expr] = {}
            for each, owner in zip(targets, lists, strict=True):
                names |= _parts(each, _element(owner))
            lengths = [_length(owner) for owner in dict.fromkeys(lists)]
            least = ast.Call(func=ast.Name(id="min", ctx=ast.Load()), args=list(lengths), keywords=[])
            return names, lengths[0] if len(lengths) == 1 else least
    return None


def _parts(target: ast.expr, value: ast.expr) -> dict[str, ast.expr]:
    """What names are that a value is taken apart into."""
    match target:
        case ast.Name(id=name):
            return {name: value}
        case ast.Tuple(elts=elts) if all(isinstance(each, ast.Name) for each in elts):
            names = [each.id for each in elts if isinstance(each, ast.Name)]
            return {
                name: ast.Subscript(value=copy.deepcopy(value), slice=ast.Constant(value=number), ctx=ast.Load())
                for number, name in enumerate(names)
            }
    return {}


def _element(owner: str) -> ast.expr:
    place = ast.Name(id=PLACE, ctx=ast.Load())
    return ast.Subscript(value=ast.Name(id=owner, ctx=ast.Load()), slice=place, ctx=ast.Load())


def _length(owner: str) -> ast.expr:
    return ast.Call(func=ast.Name(id="len", ctx=ast.Load()), args=[ast.Name(id=owner, ctx=ast.Load())], keywords=[])


def _lists(key: ast.expr) -> list[str]:
    """The lists of whose elements a key is computed."""
    read = (node.value for node in ast.walk(key) if isinstance(node, ast.Subscript))
    return list(dict.fromkeys(owner.id for owner in read if isinstance(owner, ast.Name)))


def _is_total(key: ast.expr, count: ast.expr) -> bool:
    """Whether the key is computed without failing at all of so many places."""
    for part in ast.walk(key):
        match part:
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=ast.Constant(value=int() as number)) if number:
                pass
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                pass
            case ast.Subscript(value=ast.Name(id=owner), slice=ast.Name(id=index)) if index == PLACE:
                if not any(same(each, _length(owner)) for each in (count, *getattr(count, "args", ()))):
                    return False
            case ast.Subscript(value=ast.Subscript(), slice=ast.Constant()):  # a part of a tuple
                pass
            case ast.BinOp() | ast.Subscript() | ast.Call():
                return False
    return True
