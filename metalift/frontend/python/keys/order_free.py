"""What a loop over all keys computes in whatever order they come: sums, products, extremes, and whether something is so."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

from metalift.frontend.python.keys.rewriting import loaded, same, stored, uses
from metalift.frontend.python.naming.module import PythonModule

FORM = "supported are sums, products, the greatest and the least, and constants that a condition sets, computed of each key alone"


def accumulators(module: PythonModule, loop: ast.For, function: ast.FunctionDef) -> set[str]:
    """The names of what a loop over all keys computes. Refuses what depends on the order of the keys."""
    bound = stored([ast.Assign(targets=[loop.target], value=ast.Constant(value=0))])
    written = stored(loop.body)
    names = {name for name in written if uses(function.body, name) > uses([loop], name)}
    if loop.orelse:
        module.place.refuse(loop, "an else after a loop over a dictionary or set")
    for name in sorted(names & bound):
        module.place.refuse(loop, f"{name}, of the last key of a loop over a dictionary or set, is used after it")
    found = _Accumulated(module, names)
    found.block(loop.body)
    return names


@dataclass(slots=True)
class _Accumulated:
    """Checks the statements of a loop: each of the names has one way in which all of them change it."""

    module: PythonModule
    names: set[str]
    ways: dict[str, str] = field(default_factory=dict)

    def block(self, stmts: Sequence[ast.stmt]) -> None:
        for stmt in stmts:
            self.statement(stmt)

    def statement(self, stmt: ast.stmt) -> None:
        match stmt:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=value) if name in self.names:
                self.changed(name, "sum", value, stmt)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Mult(), value=value) if name in self.names:
                self.changed(name, "product", value, stmt)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in self.names:
                way, part = self.assigned(name, value, stmt)
                self.changed(name, way, part, stmt)
            case ast.If(test=test, body=[ast.Assign(targets=[ast.Name(id=name)], value=value)], orelse=[]) if (
                name in self.names and self.extreme(name, test, value)
            ):
                self.changed(name, self.extreme(name, test, value), value, stmt)
            case ast.If(test=test, body=body, orelse=orelse):
                self.free(test, stmt)
                self.block(body)
                self.block(orelse)
            case ast.Assign(targets=[ast.Name()], value=value) | ast.AnnAssign(target=ast.Name(), value=ast.expr() as value):
                self.free(value, stmt)
            case ast.AugAssign(target=ast.Name(), value=value):
                self.free(value, stmt)
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                pass
            case _:
                self.module.place.refuse(stmt, f"a statement in a loop over all keys; {FORM}")

    def assigned(self, name: str, value: ast.expr, stmt: ast.stmt) -> tuple[str, ast.expr]:
        """In which way a value changes a name, and of what it is computed beside it."""
        match value:
            case ast.Call(func=ast.Name(id="max" | "min" as called), args=[one, other], keywords=[]):
                for left, right in ((one, other), (other, one)):
                    if isinstance(left, ast.Name) and left.id == name:
                        return called, right
            case ast.BinOp(left=ast.Name(id=left_name), op=ast.Add() | ast.Sub(), right=right) if left_name == name:
                return "sum", right
            case ast.BinOp(left=left, op=ast.Add(), right=ast.Name(id=right_name)) if right_name == name:
                return "sum", left
            case ast.BoolOp(op=op, values=[ast.Name(id=first), second]) if first == name and _is_truth(second):
                return type(op).__name__, second
            case ast.Constant():
                return f"is {value.value!r}", value
        self.module.place.refuse(stmt, f"{name}, which depends on the order of keys; {FORM}")

    @staticmethod
    def extreme(name: str, test: ast.expr, value: ast.expr) -> str:
        """Whether a condition says that the value is greater, or less, than what the name has."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                pass
            case _:
                return ""
        for one, other, less in ((left, right, (ast.Gt, ast.GtE)), (right, left, (ast.Lt, ast.LtE))):
            if isinstance(other, ast.Name) and other.id == name and same(one, value):
                if isinstance(op, less):
                    return "max"
                if isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
                    return "min"
        return ""

    def changed(self, name: str, way: str, value: ast.expr, stmt: ast.stmt) -> None:
        self.free(value, stmt)
        if self.ways.setdefault(name, way) != way:
            self.module.place.refuse(stmt, f"{name}, which a loop over all keys changes in several ways; {FORM}")

    def free(self, value: ast.expr, stmt: ast.stmt) -> None:
        """Refuse what is computed of values of several keys."""
        for name in sorted(loaded([ast.Expr(value=value)]) & self.names):
            self.module.place.refuse(stmt, f"{name}, which depends on the order of keys; {FORM}")


def _is_truth(value: ast.expr) -> bool:
    """Whether an expression is true or false; of other values, `and` and `or` give the last or the first one."""
    match value:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.Constant(value=bool()):
            return True
        case ast.BoolOp(values=values):
            return all(map(_is_truth, values))
        case ast.Call(func=ast.Name(id="any" | "all" | "bool")):
            return True
    return False
