"""Values that may be None: whether they are, whether they are equal to others, and whether they count as true."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from metalift.frontend.lower.c_scalars import connect
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.maybe import narrowed
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.stands_for import Items, Maybe, NoneValue, Section, Value, View, Whole
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, TRUE, Expr
from metalift.ir.program.fragment import Assume, Ground


@dataclass(slots=True)
class Nones:
    """Reads what is asked of them."""

    context: Context

    def there(self, value: Value, node: ast.AST) -> Value:
        """The value, where Python would raise for None: a run that does so does not count."""
        value = narrowed(value, self.context.point.facts)
        if not isinstance(value, Maybe):
            return value
        text = f"{ast.unparse(node)} is not None" if isinstance(node, ast.expr) else "a value is not None"
        self.context.emit(Assume(value.present, text, self.context.here(node), Ground.DEFINED))
        self.context.learn(*self.context.learned(value.present, True))
        return value.value

    def truth(self, value: Maybe | NoneValue) -> Expr:
        """Whether it counts as true: None does not, nor does 0."""
        if isinstance(value, NoneValue):
            return FALSE
        if isinstance(value.value, Items):
            return value.present if value.value.items else FALSE
        assert isinstance(value.value, Expr)
        return connect("and", value.present, scalars.truth(value.value))

    def compared(self, node: ast.Compare, given: Sequence[Value]) -> Expr | None:
        """A comparison with what is or may be None; None for others."""
        if len(node.ops) > 1 or not any(isinstance(each, NoneValue | Maybe) for each in given):
            return None
        left, right = (narrowed(each, self.context.point.facts) for each in given)
        match node.ops[0]:
            case ast.Is() | ast.IsNot() if not isinstance(left, NoneValue) and not isinstance(right, NoneValue):
                return None
            case ast.Is() | ast.Eq():
                return self._equal(left, right, node)
            case ast.IsNot() | ast.NotEq():
                return neg(self._equal(left, right, node))
            case _:
                return None

    def _equal(self, left: Value, right: Value, node: ast.Compare) -> Expr:
        arrays = (isinstance(each, Section | Whole) or (isinstance(each, View) and each.object.numpy) for each in (left, right))
        if any(arrays) and not isinstance(node.ops[0], ast.Is | ast.IsNot):
            self.context.refuse(node, "an array compared with None; supported are numbers, strings and tuples")
        if isinstance(left, NoneValue) or isinstance(right, NoneValue):
            other = right if isinstance(left, NoneValue) else left
            return neg(other.present) if isinstance(other, Maybe) else TRUE if isinstance(other, NoneValue) else FALSE
        values = [each.value if isinstance(each, Maybe) else each for each in (left, right)]
        if not all(isinstance(each, Expr) for each in values):
            self.context.refuse(node, "tuples that may be None and are compared; test that they are not None, and compare items")
        same = scalars.compare("eq", *(each for each in values if isinstance(each, Expr)))
        if isinstance(left, Maybe) and isinstance(right, Maybe):
            return connect("and", scalars.compare("eq", left.present, right.present), same)
        (present,) = (each.present for each in (left, right) if isinstance(each, Maybe))
        return connect("and", present, same)
