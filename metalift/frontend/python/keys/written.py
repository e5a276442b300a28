"""Whether what a source writes into a dictionary without an annotation are strings, as far as its lists are annotated."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from metalift.frontend.python.annotations import Hint, read_annotation
from metalift.frontend.python.naming.module import PythonModule
from metalift.ir.expr.types import BOOL, DOUBLE, INT, STRING, IntType, ScalarType
from metalift.ir.program.fragment import Unsupported


def writes_strings(module: PythonModule, function: ast.FunctionDef, stmts: Iterable[ast.stmt], name: str) -> bool:
    """Whether the statements put strings into the dictionary of that name; `function` has the annotations."""
    body = [*stmts]
    reader = _Reader(module, function, body)
    return any(reader.type_of(value) == STRING for stmt in body for value in _written(stmt, name))


def type_name(module: PythonModule, function: ast.FunctionDef, value: ast.expr) -> str:
    """The name of the type of an expression, as far as the function's lists are annotated; "object" where they are not."""
    found = _Reader(module, function, function.body).type_of(value)
    return {STRING: "str", INT: "int", DOUBLE: "float", BOOL: "bool"}.get(found, "object") if found is not None else "object"


def _written(stmt: ast.stmt, name: str) -> Iterator[ast.expr]:
    """The values that a statement writes, and what stands for those that are missing."""
    for node in ast.walk(stmt):
        match node:
            case (
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner))], value=value)
                | ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get" | "setdefault"), args=[_, value])
            ) if owner == name:
                yield value


class _Reader:
    """The types of expressions that are parts of a function's arguments."""

    def __init__(self, module: PythonModule, function: ast.FunctionDef, stmts: Sequence[ast.stmt]) -> None:
        self.module = module
        self.hints: dict[str, Hint] = {}
        self.bound: dict[str, ScalarType | None] = {}  # by loops; None where it is not known
        for arg in function.args.args:
            if arg.annotation is not None:
                try:
                    self.hints[arg.arg] = read_annotation(module, arg.annotation)
                except Unsupported:
                    continue  # it is refused where it is read
        for stmt in stmts:
            for node in ast.walk(stmt):
                if isinstance(node, ast.For | ast.comprehension):
                    self._bind(node.target, self._elements(node.iter))

    def type_of(self, value: ast.expr) -> ScalarType | None:
        """The type of an expression, None where it is not known."""
        match value:
            case ast.Constant(value=str()):
                return STRING
            case ast.Name(id=name) if name in self.bound:
                return self.bound[name]
            case ast.Name(id=name) if name in self.hints and self.hints[name].rank == 0:
                return self.hints[name].element
            case ast.Attribute(value=owner, attr=field) | ast.Subscript(value=owner, slice=ast.Constant(value=str() as field)):
                return dict(self._parts(owner)).get(field)
            case ast.Subscript(value=ast.Name(id=name)) if name in self.hints and self.hints[name].rank == 1:
                return self.hints[name].element
            case ast.Subscript(value=owner, slice=ast.Constant(value=int() as place)):
                parts = self._parts(owner)
                return parts[place][1] if 0 <= place < len(parts) else None
            case _:
                return None

    def _parts(self, owner: ast.expr) -> tuple[tuple[str, ScalarType], ...]:
        type_ = self.type_of(owner)
        return type_.fields if isinstance(type_, IntType) else ()

    def _elements(self, source: ast.expr) -> list[ScalarType | None]:
        """The types of what a loop goes through, of which tuples have several."""
        match source:
            case ast.Name(id=name) if name in self.hints and self.hints[name].rank == 1:
                return [self.hints[name].element]
            case ast.Call(func=ast.Name(id="zip"), args=args):
                return [self._one(arg) for arg in args]
            case ast.Call(func=ast.Name(id="enumerate"), args=[arg]):
                return [INT, self._one(arg)]
            case _:
                return [None]

    def _one(self, source: ast.expr) -> ScalarType | None:
        found = self._elements(source)
        return found[0] if len(found) == 1 else None

    def _bind(self, target: ast.expr, types: Sequence[ScalarType | None]) -> None:
        """Note what the names of a loop are; one that is bound anew with another type is not known."""
        if len(types) == 1 and isinstance(target, ast.Tuple) and isinstance(types[0], IntType):
            types = [type_ for _, type_ in types[0].fields]
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        known: Sequence[ScalarType | None] = types if len(types) == len(names) else [None] * len(names)
        for each, type_ in zip(names, known, strict=True):
            if isinstance(each, ast.Name):
                self.bound[each.id] = type_ if self.bound.get(each.id, type_) == type_ else None
