"""How a function uses its parameters: with how many indices, and whether what is found there counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass, field

from metalift.frontend.python.annotations import Hint, read_annotation
from metalift.frontend.python.naming.module import PythonModule
from metalift.frontend.python.rows import key_of
from metalift.ir.expr.types import INT

_COUNTING = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "arange", "eye", "identity"))
_WHOLE = ("len", "sum", "enumerate", "zip", "reversed", "sorted", "list", "tuple", "any", "all")
_DEPTH = 6


@dataclass(slots=True)
class Use:
    """How a name is used: with how many indices, and whether what is found there counts or is an index."""

    rank: int = 0
    counts: bool = False
    array: bool = False  # x[i, j] or x.shape, which only NumPy's arrays know
    truth: bool = False


@dataclass(slots=True)
class Uses:
    """Collects the uses of names in one function; `views` are names that stand for parts of others."""

    module: PythonModule
    function: ast.FunctionDef
    depth: int = 0
    found: dict[str, Use] = field(default_factory=dict)
    views: dict[str, tuple[str, int]] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)  # names of the function's own that count

    def run(self) -> dict[str, Use]:
        """The uses of the function's parameters."""
        names = [arg.arg for arg in arguments_of(self.function)]
        self.views = {name: (name, 0) for name in names}
        self.found = {name: Use() for name in names}
        for _ in range(3):  # a view of a view is known when what it is a view of is
            for node in ast.walk(self.function):
                self._bind(node)
        for node in ast.walk(self.function):
            self._note(node)
        known = set[str]()
        while self.counted - known:  # what such a name is computed from counts, too
            known |= self.counted
            for node in ast.walk(self.function):
                for value in _given(node, self.counted):
                    self._counts(value)
        return self.found

    def part(self, node: ast.expr) -> tuple[str, int] | None:
        """The parameter of which an expression is a part, and how many indices lead to it."""
        match node:
            case ast.Name(id=name):
                return self.views.get(name)
            case ast.Subscript(value=owner, slice=ast.Slice()):
                return self.part(owner)
            case ast.Subscript(slice=where) if key_of(where) is not None:
                return None  # of a row
            case ast.Call(func=ast.Name(id="sorted" | "reversed" | "list"), args=[inner, *_]):
                return self.part(inner)
            case ast.Subscript(value=owner, slice=where):
                part = self.part(owner)
                given = where.elts if isinstance(where, ast.Tuple) else [where]
                return part and (part[0], part[1] + sum(not isinstance(each, ast.Slice) for each in given))
            case _:
                return None

    def _bind(self, node: ast.AST) -> None:
        """Names that become views."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                part = self.part(value)
                if part is not None and name not in self.found:
                    self.views[name] = part
            case ast.Call(args=[inner, *_], keywords=[ast.keyword(value=ast.Lambda(args=ast.arguments(args=[arg]))), *_]):
                part = self.part(inner)
                if part is not None and arg.arg not in self.found:
                    self.views[arg.arg] = (part[0], part[1] + 1)
            case ast.For(target=target, iter=iterated) | ast.comprehension(target=target, iter=iterated):
                for name, part in self._items(target, iterated):
                    if name not in self.found:
                        self.views[name] = part
            case _:
                pass

    def _items(self, target: ast.expr, iterated: ast.expr) -> Iterator[tuple[str, tuple[str, int]]]:
        match target, iterated:
            case ast.Name(id=name), _:
                part = self.part(iterated)
                if part is not None:
                    yield name, (part[0], part[1] + 1)
            case ast.Tuple(elts=[_, inner]), ast.Call(func=ast.Name(id="enumerate"), args=[inside, *_]):
                yield from self._items(inner, inside)
            case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=sources):
                for each, source in zip(targets, sources, strict=False):
                    yield from self._items(each, source)
            case _:
                pass

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Attribute(attr="shape") | ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Assign():
                self._shape(node)
            case ast.Subscript(value=owner, slice=where) if key_of(where) is None:
                self._rank(self.part(owner), sum(map(_is_index, where.elts)) if isinstance(where, ast.Tuple) else 1)
                if isinstance(where, ast.Tuple):
                    part = self.part(node)
                    if part is not None:
                        self.found[part[0]].array = True
                self._index(where)
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                self._rank(self.part(iterated), 1)
            case ast.BinOp(op=ast.LShift() | ast.RShift() | ast.BitAnd() | ast.BitXor(), left=left, right=right):
                self._counts(left)
                self._counts(right)
            case ast.BinOp(op=ast.Mult(), left=ast.List(), right=times):
                self._counts(times)
            case ast.Call():
                self._call(node)
            case _:
                pass

    def _shape(self, node: ast.AST) -> None:
        """How many axes an array has at least of whose shape something is read, or of which a row is taken apart."""
        match node:
            case ast.Attribute(value=owner) if (part := self.part(owner)) is not None:
                self._rank(part, 1)
                self.found[part[0]].array = True
            case ast.Subscript(value=ast.Attribute(value=owner), slice=where):
                self._rank(self.part(owner), _axes(where))
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=owner, attr="shape")):
                self._rank(self.part(owner), len(names))
            case ast.Assign(targets=[ast.Tuple()], value=ast.Subscript(slice=where) as row) if not isinstance(where, ast.Slice):
                self._rank(self.part(row), 1)

    def _rank(self, part: tuple[str, int] | None, more: int) -> None:
        if part is not None:
            use = self.found[part[0]]
            use.rank = max(use.rank, part[1] + more)

    def _index(self, where: ast.expr) -> None:
        match where:
            case ast.Tuple(elts=parts):
                for each in parts:
                    self._index(each)
            case ast.Slice(lower=low, upper=high, step=step):
                for bound in (low, high, step):
                    if bound is not None:
                        self._counts(bound)
            case _:
                self._counts(where)

    def _counts(self, node: ast.expr) -> None:
        """What is added up here is an int."""
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right=right):
                self._counts(left)
                self._counts(right)
            case ast.UnaryOp(operand=operand):
                self._counts(operand)
            case ast.Call(func=ast.Name(id="min" | "max" | "abs"), args=args):
                for arg in args:
                    self._counts(arg)
            case _:
                part = self.part(node)
                if part is not None:
                    self.found[part[0]].counts = True
                elif isinstance(node, ast.Name):
                    self.counted.add(node.id)

    def _call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id="range"):
                for arg in node.args:
                    self._counts(arg)
            case _ if self.module.full_name(node.func) in _COUNTING:
                for arg in (part for each in node.args for part in _written_out(each)):
                    self._counts(arg)
            case ast.Name(id=name) if name in _WHOLE:
                for arg in node.args:
                    self._rank(self.part(arg), 1)
            case ast.Name(id=name) if name in ("max", "min") and len(node.args) == 1:
                self._rank(self.part(node.args[0]), 1)
            case ast.Name(id=name) if name in self.module.functions and self.depth < _DEPTH:
                self._helper(node, self.module.functions[name])
            case ast.Attribute(value=owner, attr="append" | "extend" | "pop" | "copy" | "count" | "index"):
                self._rank(self.part(owner), 1)
            case _:
                pass

    def _helper(self, node: ast.Call, helper: ast.FunctionDef) -> None:
        """What a called function does with its parameters, this one does with the arguments."""
        uses = Uses(self.module, helper, self.depth + 1).run()
        for arg, given in zip(arguments_of(helper), node.args, strict=False):
            part = self.part(given)
            use = uses.get(arg.arg)
            if part is None or use is None:
                continue
            hint = annotation_of(self.module, arg)
            self._rank(part, max(use.rank, hint.rank or 0))
            if use.counts or (hint.element == INT and not hint.numpy):
                self.found[part[0]].counts = True


def _written_out(node: ast.expr) -> list[ast.expr]:
    """The items of a tuple or list, or else the expression."""
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def _given(node: ast.AST, names: Set[str]) -> Iterator[ast.expr]:
    """What an assignment gives to these names."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in names:
            yield value
        case ast.AugAssign(target=ast.Name(id=name), value=value) if name in names:
            yield value
        case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Tuple(elts=values)) if len(parts) == len(values):
            for part, value in zip(parts, values, strict=True):
                if isinstance(part, ast.Name) and part.id in names:
                    yield value


def _axes(where: ast.expr) -> int:
    """How many axes an array has at least of whose shape this is read."""
    match where:
        case ast.Constant(value=int(place)):
            return place + 1
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(place))):
            return place
        case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.Constant(value=int(length))):
            return length
        case _:
            return 1


def _is_index(node: ast.expr) -> bool:
    """Whether an index is one of an axis: a new axis is none, `...` any number."""
    new = isinstance(node, ast.Constant) and (node.value is None or node.value is Ellipsis)
    return not (new or (isinstance(node, ast.Attribute) and node.attr == "newaxis"))


def arguments_of(function: ast.FunctionDef) -> list[ast.arg]:
    """All parameters that have a name of their own."""
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


def annotation_of(module: PythonModule, arg: ast.arg) -> Hint:
    """What its annotation says of a parameter."""
    return read_annotation(module, arg.annotation) if arg.annotation is not None else Hint()
