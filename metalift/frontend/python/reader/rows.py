"""Rows: dictionaries whose keys are constants, each with a value of one type.

    row["amount"]    row.get("amount", 0.0)    "amount" in row    {"shop": shop, "amount": amount}    {**row, "amount": amount}

A row is a value that nobody changes: what the source changes is another row (`metalift.frontend.python.rows`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.rows import key_of
from metalift.frontend.python.stands_for import Value
from metalift.ir.expr.nodes import TRUE, Expr, type_of
from metalift.ir.expr.types import INT, IntType, ScalarType
from metalift.ir.interp.identities import is_row, part_of, row_type, whole_of

FORM = 'supported are rows with constant keys: row["amount"], {"shop": shop, "amount": 1}, {**row, "amount": 1}'


@dataclass(slots=True)
class Rows:
    """Reads rows."""

    context: Context
    expressions: Expressions

    # Making

    def made(self, node: ast.Dict) -> Value:
        """`{"shop": shop, **row}`: of values with the same key the last one counts."""
        values = self.expressions.operands(node.values)
        parts: dict[str, Expr] = {}
        for key, value, given in zip(node.keys, values, node.values, strict=True):
            if key is None:
                parts |= self._parts(value, given)
            else:
                parts[self._name(key)] = self.expressions.as_whole(value, given, INT)
        return self._row(parts, node)

    def called(self, node: ast.Call) -> Value:
        """`dict(row, amount=1)`."""
        if len(node.args) > 1:
            self.context.refuse(node, f"{ast.unparse(node)}; {FORM}")
        given: list[tuple[ast.expr | None, ast.expr]] = [(None, arg) for arg in node.args]
        given += [(ast.copy_location(ast.Constant(value=each.arg), node), each.value) for each in node.keywords]
        keys, values = [key for key, _ in given], [value for _, value in given]
        return self.made(ast.copy_location(ast.Dict(keys=keys, values=values), node))

    def _row(self, parts: dict[str, Expr], node: ast.AST) -> Expr:
        if not parts:
            self.context.refuse(node, f"a dict without keys here; {FORM}")
        types = [(name, type_) for name, part in parts.items() if isinstance(type_ := type_of(part), ScalarType)]
        return whole_of(list(parts.values()), row_type(types))

    def _parts(self, value: Value, node: ast.expr) -> Iterator[tuple[str, Expr]]:
        """The entries of a row that becomes part of another."""
        row = self._whole(value, node)
        for at, (name, _) in enumerate(_fields(row)):
            yield name, part_of(row, at)

    def _whole(self, value: Value, node: ast.expr) -> Expr:
        """A row of which all keys are known."""
        if not isinstance(value, Expr) or not is_row(type_of(value)):
            self.context.refuse(node, f"{ast.unparse(node)!r}, which is no row that is known here; {FORM}")
        if any(hint.open is not None and hint.element == type_of(value) for hint in self.context.hints.values()):
            message = f"all keys of {ast.unparse(node)!r}, or one that it may lack: which it has is only known from its use"
            self.context.refuse(node, f"{message}; annotate the rows with a TypedDict")
        return value

    def _name(self, node: ast.expr) -> str:
        """A key as the name of a field."""
        key = key_of(node)
        if key is None or not key.isidentifier():
            odd = f"the key {key!r}, which is not made of letters, digits and _"
            self.context.refuse(node, f"{'a key that is no constant text' if key is None else odd}; {FORM}")
        return key

    # Reading

    def entry(self, owner: Expr, node: ast.Subscript) -> Expr:
        """`row["amount"]`."""
        return self._at(owner, self._name(node.slice), node)

    def _at(self, owner: Expr, key: str, node: ast.AST) -> Expr:
        names = [name for name, _ in _fields(owner)]
        if key not in names:
            self.context.refuse(node, f"the key {key!r}, which the row has not; it has {', '.join(names)}")
        return part_of(owner, names.index(key))

    def method(self, owner: Expr, node: ast.Call, place: ast.expr, name: str) -> Value:
        """`row.get("amount", 0.0)`, `row.copy()`."""
        if name == "copy" and not node.args and not node.keywords:
            return self._whole(owner, place)
        if name != "get" or not 1 <= len(node.args) <= 2 or node.keywords:
            self.context.refuse(node, f"{ast.unparse(node)}; {FORM}, and get, copy and `in`")
        self.expressions.operands(node.args[1:])
        return self._at(self._whole(owner, place), self._name(node.args[0]), node)

    def has(self, owner: Expr, node: ast.Compare) -> Expr:
        """`"amount" in row`, which may have more keys than those of its type."""
        if len(node.ops) > 1:
            self.context.refuse(node, f"{ast.unparse(node)}; write `and`")
        self._at(self._whole(owner, node.comparators[0]), self._name(node.left), node)
        return TRUE


def _fields(row: Expr) -> tuple[tuple[str, ScalarType], ...]:
    type_ = type_of(row)
    assert isinstance(type_, IntType)
    return type_.fields
