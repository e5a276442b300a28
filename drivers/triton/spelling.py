"""The operators that stand in kernels, as trees of Python: how they are written, and which one a tree is."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from metalift.driver import CannotWrite, Driver, Operator
from metalift.ir.expr.nodes import Call, Const, Expr, type_of
from metalift.ir.expr.types import INT, ScalarType, show_type

from .base import IN_KERNELS, NAME

MARK = "_argument_"
DTYPES = {spelled: type_ for type_, spelled in IN_KERNELS.items()}


@lru_cache(maxsize=1 << 8)
def template(text: str) -> ast.expr:
    """The tree of a spelling; placeholders are names with a mark."""
    return ast.parse(re.sub(r"\{(\w+)\}", MARK + r"\1", text), mode="eval").body


def filled(text: str, arguments: Mapping[str, ast.expr]) -> ast.expr:
    """The spelling with arguments."""

    class Fill(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return arguments[node.id.removeprefix(MARK)] if node.id.startswith(MARK) else node

    made = Fill().visit(copy.deepcopy(template(text)))
    assert isinstance(made, ast.expr)
    return made


def dtype(type_: object) -> ast.expr:
    """The name of an element type in kernels."""
    if type_ not in IN_KERNELS:
        if type_ == INT:
            raise CannotWrite("an integer without bound; an annotation such as np.int64 gives it one")
        raise CannotWrite(f"kernels have no elements of the type {show_type(type_) if isinstance(type_, ScalarType) else type_}")
    return ast.parse(IN_KERNELS[type_], mode="eval").body


def literal(const: Const) -> ast.expr:
    """A number as it stands in the text."""
    if isinstance(const.value, Fraction):
        value = float(const.value)
        if Fraction(repr(value)) != const.value:
            raise CannotWrite(f"the number {const.value} has no short decimal")
        return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
    number = const.value
    return ast.UnaryOp(ast.USub(), ast.Constant(-number)) if not isinstance(number, bool) and number < 0 else ast.Constant(number)


def typed_by_others(operator: Operator, args: tuple[Expr, ...], position: int) -> bool:
    """Whether a literal has its type from another argument of the operator."""
    mine = operator.params[position].pattern.element
    return any(
        param.pattern.element == mine and not isinstance(arg, Const) for param, arg in zip(operator.params, args, strict=True)
    )


def matching(driver: Driver, tree: ast.expr) -> Iterator[tuple[Operator, dict[str, ast.expr]]]:
    """The operators that a tree may be, each with its arguments."""
    for operator in driver.operators.values():
        if operator.elementwise:
            found: dict[str, ast.expr] = {}
            if _match(template(operator.spellings[NAME]), tree, found):
                yield operator, found


def _match(pattern: ast.AST, tree: ast.AST, found: dict[str, ast.expr]) -> bool:
    if isinstance(pattern, ast.Name) and pattern.id.startswith(MARK):
        assert isinstance(tree, ast.expr)
        found[pattern.id.removeprefix(MARK)] = tree
        return True
    if type(pattern) is not type(tree):
        return False
    for name, value in ast.iter_fields(pattern):
        other = getattr(tree, name)
        if isinstance(value, list):
            if len(value) != len(other) or not all(_match(one, two, found) for one, two in zip(value, other, strict=True)):
                return False
        elif isinstance(value, ast.AST):
            if not (isinstance(other, ast.AST) and _match(value, other, found)):
                return False
        elif name != "kind" and value != other:
            return False
    return True


def applied(operator: Operator, args: tuple[Expr, ...], result: ScalarType | None) -> Expr | None:
    """The operator on scalars, or None where it does not take them."""
    try:
        instance = operator.instantiate(tuple(type_of(arg) for arg in args), result)
    except ValueError:
        return None
    return Call(operator.name, args, type_of(instance.body))
