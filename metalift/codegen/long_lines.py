"""Statements that are too long for a line are taken apart into named steps."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from metalift.codegen.python_text import LINE_LENGTH, statement, text

Keep = Callable[[str, ast.expr], ast.expr]
_MOST_STEPS = 8


def say(prefix: str, tree: ast.expr, keep: Keep) -> list[str]:
    """The lines of `prefix` and the expression; `keep` writes a step before them and gives its name."""
    for _ in range(_MOST_STEPS):
        lines = statement(prefix, tree)
        step = None if any(isinstance(node, ast.IfExp) for node in ast.walk(tree)) else _step(tree, lines)
        if step is None:
            return lines
        rest = _Replace(step, keep("step", step)).visit(tree)
        assert isinstance(rest, ast.expr)
        tree = rest
    return statement(prefix, tree)


def _step(tree: ast.expr, lines: list[str]) -> ast.expr | None:
    """The part that should be evaluated first; None where the lines are fine."""
    if len(lines) == 1:
        return None
    match tree:
        case ast.Call(func=ast.Attribute(value=ast.Call() | ast.BinOp() as receiver)):
            return receiver  # value.to(dtype) after a long value
    if all(len(line) <= LINE_LENGTH for line in lines):
        return None
    parts = [node for node in _outside(tree) if node is not tree and isinstance(node, ast.Call | ast.BinOp)]
    fitting = [part for part in parts if len(text(part)) <= LINE_LENGTH - 20]
    return max(fitting, key=lambda part: len(text(part)), default=None)


def _outside(tree: ast.AST) -> Iterator[ast.AST]:
    """The parts of the tree that speak of no name which a comprehension or a lambda binds."""
    yield tree
    if isinstance(tree, ast.ListComp | ast.GeneratorExp):
        yield from _outside(tree.generators[0].iter)
    elif not isinstance(tree, ast.Lambda):
        for child in ast.iter_child_nodes(tree):
            yield from _outside(child)


class _Replace(ast.NodeTransformer):
    """Puts a tree in the place of another, which is found by identity."""

    def __init__(self, old: ast.expr, new: ast.expr) -> None:
        self.old = old
        self.new = new

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or the new tree in its place."""
        return self.new if node is self.old else self.generic_visit(node)
