"""Python's expressions without what a literal decides, and without functions that change nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence


class _Decide(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return (node.body if node.test.value else node.orelse) if isinstance(node.test, ast.Constant) else node


def decided(tree: ast.expr) -> ast.expr:
    """The expression without choices that a literal decides."""
    found = _Decide().visit(tree)
    assert isinstance(found, ast.expr)
    return found


class _Plain(ast.NodeTransformer):
    def __init__(self, literal: str) -> None:
        self.literal = ast.parse(literal.format(value="0"), mode="eval").body if literal else None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr="map"), args=[ast.Lambda(body=ast.Name(id=name)) as given]):
                return base if [param.arg for param in given.args.args] == [name] else node
            case ast.Call(args=[given]) if isinstance(self.literal, ast.Call):
                literal = ast.dump(node.func) == ast.dump(self.literal.func)
                return given if literal and _is_column(given, _root(self.literal)) else node
        return node


def _is_column(tree: ast.expr, library: str) -> bool:
    """Whether an expression is made by functions of the library, or of what these make."""
    match tree:
        case ast.Call():
            return _root(tree) == library
        case ast.Compare(left=left, comparators=others):
            return any(_is_column(each, library) for each in (left, *others))
        case ast.BinOp(left=left, right=right):
            return _is_column(left, library) or _is_column(right, library)
        case ast.UnaryOp(operand=operand):
            return _is_column(operand, library)
    return isinstance(tree, ast.Subscript) and _is_column(tree.value, library)


def _root(tree: ast.expr) -> str:
    """The name that a chain of calls and attributes begins with; empty for other expressions."""
    while isinstance(tree, ast.Call | ast.Attribute):
        tree = tree.func if isinstance(tree, ast.Call) else tree.value
    return tree.id if isinstance(tree, ast.Name) else ""


def plain(tree: ast.expr, literal: str) -> ast.expr:
    """The expression without maps of each element to itself, and with no call for a literal around what is a column."""
    found = _Plain(literal).visit(tree)
    assert isinstance(found, ast.expr)
    return found


def without_unused(lines: Sequence[str]) -> list[str]:
    """The lines of a function's body without numbers that get a name which nothing uses."""
    kept = "\n".join(lines).split("\n")
    while True:
        (function,) = ast.parse("\n".join(["def f():", *kept])).body
        nodes = list(ast.walk(function))
        used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        used |= {node.target.id for node in nodes if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)}
        assert isinstance(function, ast.FunctionDef)
        unused = [each for each in function.body if isinstance(each, ast.Assign) and _is_unused(each, used)]
        if not unused:
            return kept
        for each in reversed(unused):
            assert each.end_lineno is not None
            del kept[each.lineno - 2 : each.end_lineno - 1]  # the first line of the body is the second of the text


def _is_unused(assigned: ast.Assign, used: set[str]) -> bool:
    """Whether a sum or product of names and numbers, which computing cannot fail, gets a name that is not used."""
    parts = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.USub, ast.Load)
    plain = all(isinstance(node, parts) for node in ast.walk(assigned.value))
    return plain and all(isinstance(target, ast.Name) and target.id not in used for target in assigned.targets)


def without_identity(tree: ast.expr) -> ast.expr:
    """The call without a map of each element to itself."""
    match tree:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=base, attr="map"), args=[given]), attr=at)) if (
            isinstance(given, ast.Lambda) and isinstance(given.body, ast.Name) and given.body.id == given.args.args[0].arg
        ):
            return ast.Call(func=ast.Attribute(value=base, attr=at, ctx=ast.Load()), args=tree.args, keywords=tree.keywords)
        case _:
            return tree
