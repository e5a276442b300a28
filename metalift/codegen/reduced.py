"""Python's expressions without what a literal decides, and without functions that change nothing."""

from __future__ import annotations

import ast


class _Decide(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return (node.body if node.test.value else node.orelse) if isinstance(node.test, ast.Constant) else node


def decided(tree: ast.expr) -> ast.expr:
    """The expression without choices that a literal decides."""
    found = _Decide().visit(tree)
    assert isinstance(found, ast.expr)
    return found


def without_identity(tree: ast.expr) -> ast.expr:
    """The call without a map of each element to itself."""
    match tree:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=base, attr="map"), args=[given]), attr=at)) if (
            isinstance(given, ast.Lambda) and isinstance(given.body, ast.Name) and given.body.id == given.args.args[0].arg
        ):
            return ast.Call(func=ast.Attribute(value=base, attr=at, ctx=ast.Load()), args=tree.args, keywords=tree.keywords)
        case _:
            return tree
