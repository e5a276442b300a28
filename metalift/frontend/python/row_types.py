"""The keys of rows, the parts of tuples and the fields of records whose types nothing says, from how a function uses them.

What is compared with a text is one, and so is what is a key of a dictionary unless it is computed with; what is an index, a
remainder's operand or compared for equality with an int is an int; what is a condition is a truth value; what is only put into
rows and tuples is a text, too; all else is a float.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from metalift.frontend.python.annotations import Hint, Open, read_annotation
from metalift.frontend.python.keys.containers import annotated
from metalift.frontend.python.keys.returned import note_of
from metalift.frontend.python.keys.rewriting import is_name
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.rows import key_of
from metalift.ir.expr.types import BOOL, DOUBLE, INT, STRING, IntType, ScalarType
from metalift.ir.interp.identities import tuple_type

Part: TypeAlias = "tuple[str, int]"  # a parameter, and how many indices lead to a part of it
Parts: TypeAlias = Callable[[ast.expr], "Part | None"]  # what an expression is a part of
_DEPTH = 6


class Sign(Enum):
    """What one use shows of a value."""

    TEXT = auto()
    WHOLE = auto()
    NUMBER = auto()
    TRUTH = auto()
    KEY = auto()
    COPIED = auto()


@dataclass(slots=True)
class Records:
    """The records that a parameter has after so many indices: the signs of each part, in the order of the source."""

    rank: int
    parts: dict[str, set[Sign]] = field(default_factory=dict)
    arity: int = 0  # of tuples


def record_uses(
    module: PythonModule,
    function: ast.FunctionDef,
    parts: Callable[[ast.FunctionDef], Parts],
    names: Mapping[str, tuple[str, ...]],
    depth: int = 0,
) -> dict[str, Records]:
    """The records in each parameter that has any; `parts` says of what expressions of a function are parts, `names` which fields
    records may have.
    """
    return _RecordUses(module, function, parts, parts(function), names, depth).run()


def key_types(module: PythonModule, function: ast.FunctionDef, part: Parts) -> dict[str, ScalarType]:
    """The types of the elements of parameters that are keys of dictionaries, by the parameters' names."""
    uses = _RecordUses(module, function, lambda _: part, part, {}, 0)
    uses.run()
    signs: dict[str, set[Sign]] = {}
    for node in uses.parents:
        if isinstance(node, ast.Name | ast.Subscript) and isinstance(node.ctx, ast.Load) and (found := part(node)):
            if found[1] == 1 and found[0] not in uses.found:
                signs.setdefault(found[0], set()).update(uses.signs(node))
    return {name: _type(each) for name, each in signs.items() if Sign.KEY in each}


def record_of(open_: Open, found: Records | None) -> IntType | None:
    """The type of records whose parts have these signs; None where nothing is used of them."""
    parts = {} if found is None else {key: open_.type or _type(signs) for key, signs in found.parts.items()}
    match open_:
        case Open("tuple"):
            count = 0 if found is None else found.arity
            return tuple_type([parts.get(str(at), DOUBLE) for at in range(count)]) if count else None
        case Open(of, names):
            fields = [(name, parts.get(name, DOUBLE)) for name in names or parts]
            return IntType(of, tuple(fields)) if fields else None


def _type(signs: set[Sign]) -> ScalarType:
    if Sign.TEXT in signs:
        return STRING
    if Sign.WHOLE in signs or signs >= {Sign.KEY, Sign.NUMBER}:
        return INT
    if Sign.KEY in signs or signs == {Sign.COPIED}:
        return STRING
    return BOOL if signs == {Sign.TRUTH} else DOUBLE


def _operand(above: ast.AST | None) -> set[Sign]:
    """What an operation shows of its operand."""
    match above:
        case ast.BinOp(op=ast.Mod() | ast.FloorDiv() | ast.BitAnd() | ast.BitXor() | ast.LShift() | ast.RShift()):
            return {Sign.WHOLE}
        case ast.UnaryOp(op=ast.Not()) | ast.BoolOp() | ast.If() | ast.IfExp() | ast.comprehension():
            return {Sign.TRUTH}
        case ast.BinOp() | ast.UnaryOp() | ast.AugAssign():
            return {Sign.NUMBER}
        case ast.Attribute():
            return {Sign.TEXT}
        case ast.DictComp() | ast.SetComp():
            return {Sign.KEY}
        case ast.Dict() | ast.keyword():
            return {Sign.COPIED}
    return set()


@dataclass(slots=True)
class _RecordUses:
    module: PythonModule
    function: ast.FunctionDef
    parts_in: Callable[[ast.FunctionDef], Parts]
    part: Parts
    names: Mapping[str, tuple[str, ...]]
    depth: int
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    found: dict[str, Records] = field(default_factory=dict)

    def run(self) -> dict[str, Records]:
        """The records."""
        nodes = list(ast.walk(self.function))
        self.parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        nodes.sort(key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))
        for node in nodes:
            for owner, key, use in self._uses(node):
                self._note(owner, key, use)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.module.functions:
                self._called(node, self.module.functions[node.func.id])
        return self.found

    def _uses(self, node: ast.AST) -> Iterator[tuple[Part, str, ast.expr]]:
        """The parts that a node takes of records."""
        match node:
            case ast.Subscript(value=value, slice=place) if (key := self._place(value, place)) is not None:
                yield from self._used(value, key, node)
            case ast.Call(func=ast.Attribute(value=value, attr="get"), args=[place, *_]) if (key := key_of(place)) is not None:
                yield from self._used(value, key, node)
            case ast.Attribute(value=value, attr=key) if (owner := self.part(value)) and key in self.names.get(owner[0], ()):
                yield owner, key, node
            case ast.For(target=ast.Tuple(elts), iter=iterated) | ast.comprehension(target=ast.Tuple(elts), iter=iterated):
                if (owner := self.part(iterated)) is not None:
                    yield from self._taken_apart((owner[0], owner[1] + 1), elts)
            case ast.Assign(targets=[ast.Tuple(elts)], value=value) if (owner := self.part(value)) is not None:
                if self.found.get(owner[0], Records(-1)).rank == owner[1]:
                    yield from self._taken_apart(owner, elts)

    def _used(self, value: ast.expr, key: str, node: ast.expr) -> Iterator[tuple[Part, str, ast.expr]]:
        owner = self.part(value)
        if owner is not None:
            yield owner, key, node

    def _place(self, value: ast.expr, place: ast.expr) -> str | None:
        """The key of a row, or the place in a tuple, that is known to be one."""
        owner = self.part(value)
        known = self.found.get(owner[0]) if owner is not None else None
        if isinstance(place, ast.Constant) and isinstance(place.value, int) and known is not None and known.arity:
            return str(place.value % known.arity)
        return key_of(place)

    def _taken_apart(self, owner: Part, elts: list[ast.expr]) -> Iterator[tuple[Part, str, ast.expr]]:
        """The parts of a tuple, which get names."""
        self.found.setdefault(owner[0], Records(owner[1])).arity = len(elts)
        fields = self.names.get(owner[0]) or [str(at) for at in range(len(elts))]
        for key, name in zip(fields, elts, strict=False):
            yield owner, key, name

    def _note(self, owner: Part, key: str, use: ast.expr) -> None:
        name, rank = owner
        records = self.found.setdefault(name, Records(rank))
        if records.rank == rank:
            named = isinstance(use, ast.Name) and isinstance(use.ctx, ast.Store)
            signs = self._signs_of_name(use.id, 0, self._loop(use)) if isinstance(use, ast.Name) and named else self.signs(use)
            records.parts.setdefault(key, set()).update(signs)

    def _called(self, node: ast.Call, function: ast.FunctionDef) -> None:
        """What a called function does with the records that it is given."""
        if self.depth > _DEPTH:
            return
        given = {arg.arg: owner for arg, value in zip(function.args.args, node.args, strict=False) if (owner := self.part(value))}
        names = {arg: self.names[owner[0]] for arg, owner in given.items() if owner[0] in self.names}
        inner = record_uses(self.module, function, self.parts_in, names, self.depth + 1)
        for arg, records in inner.items():
            if arg not in given:
                continue
            name, rank = given[arg][0], given[arg][1] + records.rank
            known = self.found.setdefault(name, Records(rank, arity=records.arity))
            for key, signs in records.parts.items() if known.rank == rank else ():
                known.parts.setdefault(key, set()).update(signs)

    # What a use shows

    def signs(self, node: ast.expr, depth: int = 0) -> set[Sign]:
        """What what is done with a value shows of it."""
        above = self.parents.get(node)
        match above:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(op, right if left is node else left, asked=left is node)
            case ast.Subscript(value=value, slice=place) if place is node:
                return self._key(value) if self.part(value) is None else {Sign.WHOLE}
            case ast.Call():
                return self._argument(above, node)
            case ast.Tuple(ctx=ast.Load()):
                return self.signs(above, depth) & {Sign.KEY} or {Sign.COPIED}
            case ast.Assign(targets=[ast.Name(id=name)]) if depth < _DEPTH:
                return self._signs_of_name(name, depth + 1)
            case ast.DictComp(key=key) if key is not node:
                return set()
            case ast.IfExp(test=test) if test is not node:
                return set()
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                if {key_of(above.left), key_of(above.right)} != {None}:
                    return {Sign.TEXT}
                return {Sign.WHOLE if self.signs(above, depth) & {Sign.KEY, Sign.WHOLE} else Sign.NUMBER}
        return _operand(above)

    def _loop(self, node: ast.AST) -> ast.AST:
        """The loop or comprehension whose target a name is in."""
        while not isinstance(node, ast.For | ast.comprehension | ast.FunctionDef):
            node = self.parents[node]
        return self.parents[node] if isinstance(node, ast.comprehension) else node

    def _signs_of_name(self, name: str, depth: int, scope: ast.AST | None = None) -> set[Sign]:
        """What the uses of a name show that gets a value once, in a part of the function."""
        named = [node for node in ast.walk(scope or self.function) if isinstance(node, ast.Name) and node.id == name]
        if sum(not isinstance(node.ctx, ast.Load) for node in named) != 1:
            return set()
        return {sign for node in named if isinstance(node.ctx, ast.Load) for sign in self.signs(node, depth)}

    def _compared(self, op: ast.cmpop, other: ast.expr, *, asked: bool) -> set[Sign]:
        """What a comparison with something shows."""
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(other, ast.Tuple | ast.List | ast.Set) and other.elts:
                return self._compared(ast.Eq(), other.elts[0], asked=True)
            return self._key(other) if asked else set()
        equal = isinstance(op, ast.Eq | ast.NotEq)
        match other:
            case ast.Constant(value=str()):
                return {Sign.TEXT}
            case ast.Constant(value=bool()):
                return {Sign.TRUTH}
            case ast.Constant(value=int()) if equal:
                return {Sign.WHOLE}
            case ast.Name(id=name):
                return self._like(name, equal=equal)
        return {Sign.NUMBER} if not equal else set()

    def _like(self, name: str, *, equal: bool) -> set[Sign]:
        """What a comparison with a parameter shows."""
        notes = {arg.arg: arg.annotation for arg in self.function.args.args}
        note = notes.get(name)
        match note and read_annotation(self.module, note):
            case Hint(element=element, rank=0) if element == STRING:
                return {Sign.TEXT}
            case Hint(element=element, rank=0) if element == INT and equal:
                return {Sign.WHOLE}
        return set() if equal else {Sign.NUMBER}

    def _argument(self, call: ast.Call, node: ast.expr) -> set[Sign]:
        """What it shows to be an argument."""
        match call.func:
            case ast.Name(id="range"):
                return {Sign.WHOLE}
            case ast.Name(id="bool"):
                return {Sign.TRUTH}
            case ast.Name():
                return {Sign.NUMBER}
            case ast.Attribute(value=value, attr="get" | "setdefault" | "add") if call.args[0] is node:
                return self._key(value)
        return set()

    def _key(self, owner: ast.expr) -> set[Sign]:
        """What it shows to be a key of a dictionary or set: its annotation, or that of the result, may say it."""
        if not isinstance(owner, ast.Name):
            return {Sign.KEY}
        notes = [node.annotation for node in self.parents if isinstance(node, ast.AnnAssign) and is_name(node.target, owner.id)]
        known = {annotated(note)[0] for note in (*notes, note_of(self.function, owner.id))}
        return {Sign.KEY, *(sign for note, sign in (("str", Sign.TEXT), ("int", Sign.WHOLE)) if note in known)}
