"""Comparisons, of whatever is compared."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from metalift.frontend.lower.c_scalars import connect
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.characters import text_of
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.stands_for import Again, Char, Items, Iteration, Value, View
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, Expr, Var, type_of
from metalift.ir.expr.types import INT, IntType, is_identity
from metalift.ir.interp.identities import is_row

_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


@dataclass(slots=True)
class Comparisons:
    """Reads comparisons."""

    context: Context
    expressions: Expressions

    def compare(self, node: ast.Compare) -> Value:
        """Of numbers, strings, characters, tuples, lists, and of what may be None."""
        if not all(self.expressions.is_simple(part) for part in node.comparators[1:]):
            message = "a comparison in a chain that is not always reached and does more than to compare; write `and`"
            self.context.refuse(node, message)
        nodes = [node.left, *node.comparators]
        if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(nodes[1], ast.List | ast.Set):
            nodes[1] = ast.copy_location(ast.Tuple(nodes[1].elts, ast.Load()), nodes[1])
        given = self.expressions.operands(nodes)
        if isinstance(node.ops[0], ast.In | ast.NotIn) and len(given) == 2:
            return self._inside(node, *given)
        about_none = isinstance(node.ops[0], ast.Is | ast.IsNot)
        if len(given) == 2 and not about_none and any(map(self.context.above.arrays.is_operand, given)):
            return self.context.above.arrays.operator(node, node.ops[0], *given)
        if len(given) == 2 and all(isinstance(each, View | Iteration) for each in given):
            return self.expressions.as_scalar(self.context.above.same(node, given), node)
        if (asked := self.expressions.nones.compared(node, given)) is not None:
            return asked
        operands = self._operands(node, nodes, given)
        parts = [self._pair(node, *each) for each in zip(node.ops, operands, operands[1:], strict=False)]
        result = parts[0]
        for part in parts[1:]:
            result = connect("and", result, part)
        return result

    def _operands(self, node: ast.Compare, nodes: Sequence[ast.expr], given: Sequence[Value]) -> list[Value]:
        """What is compared: characters, and numbers, strings and tuples as one value each."""
        if len(given) == 2 and any(isinstance(each, Items) for each in given):
            types = [type_of(each) if isinstance(each, Expr) else INT for each in reversed(given)]
            pairs = zip(given, nodes, types, strict=True)
            return [self.expressions.as_whole(value, each, type_) for value, each, type_ in pairs]
        every = zip(given, nodes, strict=True)
        return [value if isinstance(value, Char) else self.expressions.as_scalar(value, each) for value, each in every]

    def _pair(self, node: ast.Compare, op: ast.cmpop, left: Value, right: Value) -> Expr:
        relation = _RELATIONS.get(type(op))
        if relation is None:
            message = f"the comparison {ast.unparse(node)!r}; supported are <, <=, >, >=, == and != of numbers"
            self.context.refuse(node, message)
        if isinstance(left, Char) or isinstance(right, Char):
            return self.expressions.characters.compared(relation, left, right, node)
        one, other = self.expressions.as_scalar(left, node), self.expressions.as_scalar(right, node)
        self._typed_key(one, other)
        return scalars.compare(relation, one, other)

    def _inside(self, node: ast.Compare, value: Value, whole: Value) -> Expr:
        """`x in y` of a character and a literal, or of a tuple or list that is written out."""
        text = text_of(whole)
        if isinstance(value, Char) and text is not None:
            found = self.expressions.characters.inside(value, text)
        elif isinstance(whole, Items):
            found = FALSE
            for item in whole.items:
                if isinstance(value, Char) or isinstance(item, Char):
                    equal = self.expressions.characters.compared("eq", value, item, node)
                else:
                    equal = scalars.compare("eq", self.expressions.as_scalar(value, node), self.expressions.as_scalar(item, node))
                found = connect("or", found, equal)
        elif isinstance(whole, View):
            found = self.expressions.as_scalar(self.context.above.inside(node, value, whole), node)
        elif isinstance(whole, Expr) and is_row(type_of(whole)):
            found = self.context.above.has(whole, node)
        else:
            self.context.refuse(node, f"{ast.unparse(node)!r}; supported are `in` of lists, tuples, sets and literals")
        return neg(found) if isinstance(node.ops[0], ast.NotIn) else found

    def _typed_key(self, one: Expr, other: Expr) -> None:
        """Find out the type of the key that dictionaries have, where no annotation says it: that of what it is compared with."""
        keys = self.context.known.keys
        for key, value in ((one, other), (other, one)):
            if isinstance(key, Var) and key.name in keys and is_identity(type_of(value)) and type_of(key) == INT:
                found = type_of(value)
                assert isinstance(found, IntType)
                keys[key.name] = found
                raise Again
