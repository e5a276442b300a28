"""Spelling templates of Python targets: parsed once, arguments put in as syntax trees, so that precedence is never wrong."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Mapping
from functools import lru_cache

PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MARK = "_metalift_argument_"


@lru_cache(maxsize=1 << 10)
def parse_template(template: str) -> ast.expr:
    """The syntax tree of a template; a placeholder {x} is a name with a prefix that nobody uses."""
    return ast.parse(PLACEHOLDER.sub(_MARK + r"\1", template).strip(), mode="eval").body


@lru_cache(maxsize=1 << 10)
def placeholder_counts(template: str) -> Mapping[str, int]:
    """How often each placeholder occurs."""
    found: dict[str, int] = {}
    for name in PLACEHOLDER.findall(template):
        found[name] = found.get(name, 0) + 1
    return found


def fill_template(template: str, arguments: Mapping[str, ast.expr]) -> ast.expr:
    """The template with its placeholders replaced; `*{shape}` in a call spreads a tuple that is written out, and x[0:] is x."""
    filled = _Fill(arguments).visit(copy.deepcopy(parse_template(template)))
    assert isinstance(filled, ast.expr)
    return filled


def used_names(tree: ast.AST) -> frozenset[str]:
    """Every name that occurs in the tree."""
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


class _Fill(ast.NodeTransformer):
    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self.arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not node.id.startswith(_MARK):
            return node
        return self.arguments[node.id.removeprefix(_MARK)]

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """x[0:] is x."""
        self.generic_visit(node)
        match node.slice:
            case ast.Slice(lower=ast.Constant(value=0), upper=None, step=None):
                return node.value
            case _:
                return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        args: list[ast.expr] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred) and isinstance(arg.value, ast.Tuple):
                args.extend(arg.value.elts)
            else:
                args.append(arg)
        node.args = args
        return node


def name(identifier: str) -> ast.Name:
    """A variable."""
    return ast.Name(id=identifier, ctx=ast.Load())


def dotted(module: str, attribute: str) -> ast.Attribute:
    """A member of a module."""
    return ast.Attribute(value=name(module), attr=attribute, ctx=ast.Load())


def constant(value: bool | int | float | str) -> ast.Constant:
    """A literal."""
    return ast.Constant(value=value)


def call(function: str, *args: ast.expr) -> ast.Call:
    """A call of a function by its name."""
    return ast.Call(func=name(function), args=list(args), keywords=[])


def tuple_of(items: list[ast.expr]) -> ast.Tuple:
    """A tuple display."""
    return ast.Tuple(elts=items, ctx=ast.Load())


def subscript(value: ast.expr, indices: list[ast.expr]) -> ast.Subscript:
    """An index or slice for each axis."""
    index = indices[0] if len(indices) == 1 else tuple_of(indices)
    return ast.Subscript(value=value, slice=index, ctx=ast.Load())
