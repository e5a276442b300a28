"""Names in statements of Python sources, and small changes of these."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence


class Put(ast.NodeTransformer):
    """Expressions for names."""

    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.parts[node.id]) if node.id in self.parts else node


class Renamed(ast.NodeTransformer):
    """Names for names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.copy_location(ast.Name(id=self.names.get(node.id, node.id), ctx=node.ctx), node)


class Valued(ast.NodeTransformer):
    """Expressions for nodes, which are known by their ids."""

    def __init__(self, values: dict[int, ast.expr]) -> None:
        self.values = values

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) in self.values:
            return ast.copy_location(self.values[id(node)], node)
        return self.generic_visit(node)


def with_plain_parameters(function: ast.FunctionDef) -> ast.FunctionDef:
    """The function, in which all parameters are ones that may be given by place and by name: only callers tell them apart."""
    old = function.args
    if not old.posonlyargs and not old.kwonlyargs:
        return function
    plain = [*old.posonlyargs, *old.args]
    none = [None] * (len(plain) - len(old.defaults))
    defaults = [value or ast.Constant(value=None) for value in (*none, *old.defaults, *old.kw_defaults)]
    changed = copy.copy(function)
    changed.args = copy.copy(old)
    changed.args.posonlyargs, changed.args.kwonlyargs, changed.args.kw_defaults = [], [], []
    changed.args.args, changed.args.defaults = [*plain, *old.kwonlyargs], defaults
    return ast.fix_missing_locations(changed)


def assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)


def at(stmt: ast.stmt, place: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(stmt, place))


def same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


def is_zero(value: ast.expr, zero_: ast.Constant) -> bool:
    return isinstance(value, ast.Constant) and value.value == zero_.value and not isinstance(value.value, str)


def read_name(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def stored(stmts: Sequence[ast.stmt]) -> set[str]:
    nodes = [node for stmt in stmts for node in ast.walk(stmt)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del)}


def bound(node: ast.AST) -> set[str]:
    """The names that a node gives values to, those of its comprehensions and of its lambdas' parameters among them."""
    args = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return args | {part.id for part in names if isinstance(part.ctx, ast.Store | ast.Del)}


def loaded(stmts: Sequence[ast.stmt]) -> set[str]:
    nodes = [node for stmt in stmts for node in ast.walk(stmt)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def assigned(stmts: Sequence[ast.stmt], known: set[str], watched: set[str]) -> set[str]:
    """The watched names that are nowhere read before they are set: those that the statements set for sure, or never read."""
    late: set[str] = set()

    def follow(block: Sequence[ast.stmt], given: set[str]) -> set[str]:
        now = set(given)
        for stmt in block:
            late.update(loaded([ast.Expr(value=each) for each in _evaluated(stmt)]) & watched - now)
            match stmt:
                case ast.If(body=body, orelse=orelse):
                    now = follow(body, now) & follow(orelse, now)
                case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                    now.add(name)
                case ast.AugAssign(target=ast.Name(id=name)) if name not in now:
                    late.add(name)
        return now

    follow(stmts, known)
    return (watched | known) - late


def only_in_loops(function: ast.FunctionDef, name: str) -> bool:
    """Whether every use of a name is within a loop or comprehension that binds it."""

    def inside(node: ast.AST) -> int:
        match node:
            case ast.For(target=target) | ast.comprehension(target=target) if uses_in(target, name):
                return uses_in(node, name)
            case ast.DictComp() | ast.SetComp() | ast.GeneratorExp():
                if any(uses_in(each.target, name) for each in node.generators):
                    return uses_in(node, name)
        return sum(inside(child) for child in ast.iter_child_nodes(node))

    return inside(function) == uses_in(function, name)


def _evaluated(stmt: ast.stmt) -> list[ast.expr]:
    """The expressions of a statement itself."""
    return [child for child in ast.iter_child_nodes(stmt) if isinstance(child, ast.expr)]


def uses(stmts: Sequence[ast.stmt], name: str) -> int:
    return sum(uses_in(stmt, name) for stmt in stmts)


def uses_in(node: ast.AST, name: str) -> int:
    return sum(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def fresh(wanted: str, taken: set[str]) -> str:
    """A name that the source does not have, which is taken from now on."""
    name, number = wanted, 1
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    taken.add(name)
    return name
