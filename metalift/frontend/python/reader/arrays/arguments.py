"""The arguments of a call of NumPy's functions, by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from metalift.frontend.python.annotations import numpy_type
from metalift.frontend.python.reader.arrays import dtypes
from metalift.frontend.python.reader.arrays.core import Arrays
from metalift.frontend.python.reader.arrays.reducing import constant
from metalift.frontend.python.stands_for import Array, Items, Section, Value, View, Whole
from metalift.ir.expr.nodes import Expr
from metalift.ir.expr.types import ScalarType


@dataclass(slots=True)
class Call:
    """A call with the arguments that were given, by name; `values` are those that are evaluated already."""

    arrays: Arrays
    node: ast.Call
    name: str
    given: dict[str, ast.expr]
    values: dict[str, Value]

    def value(self, name: str) -> Value:
        """An argument as a value; it has to be there."""
        if name in self.values:
            return self.values[name]
        if name not in self.given:
            self.arrays.context.refuse(self.node, f"{self.name} without its argument {name}")
        return self.arrays.expressions.value(self.given[name])

    def array(self, name: str = "a") -> Array:
        """An argument that is an array."""
        value = self.value(name)
        if not isinstance(value, View | Section | Whole | Items):
            self.arrays.context.refuse(self.node, f"{self.name} of a number; give it an array")
        return value if not isinstance(value, Items) else self.arrays.whole(value, self.node)

    def integer(self, name: str, default: Expr | None = None) -> Expr:
        """An argument that is an int."""
        if name not in self.given and default is not None:
            return default
        value = self.value(name)
        return self.arrays.expressions.as_integer(self.arrays.expressions.as_scalar(value, self.node), self.node)

    def flag(self, name: str, default: bool) -> bool:
        """An argument that is True or False."""
        given = self.given.get(name)
        if given is None:
            return default
        if not isinstance(given, ast.Constant) or not isinstance(given.value, bool):
            self.arrays.context.refuse(given, f"{name} that is not True or False")
        return given.value

    def axes(self, rank: int) -> list[int] | None:
        """The axes that `axis` names; None for all."""
        given = self.given.get("axis")
        if given is None or (isinstance(given, ast.Constant) and given.value is None):
            return None
        value = self.arrays.expressions.value(given)
        items = value.items if isinstance(value, Items) else (value,)
        numbers = [constant(item) if isinstance(item, Expr) else None for item in items]
        known = [number for number in numbers if number is not None and -rank <= number < rank]
        if len(known) != len(numbers):
            message = f"axis={ast.unparse(given)} of an array of {rank} axes; annotate the array with its axes"
            self.arrays.context.refuse(given, message)
        return [number % rank for number in known]

    def axis(self, rank: int, default: int | None) -> int | None:
        """The one axis that `axis` names."""
        found = self.axes(rank)
        if found is not None and len(found) != 1:
            self.arrays.context.refuse(self.node, f"{self.name} along several axes; supported is one axis")
        return default if found is None else found[0]

    def dtype(self, node: ast.expr | None) -> ScalarType | None:
        """The dtype that an argument names."""
        if node is None:
            return None
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            value = self.arrays.expressions.value(node.value)
            if isinstance(value, View | Section):
                return dtypes.dtype_of(value.object.element)
            if isinstance(value, Whole):
                return value.element
        found = numpy_type(self.arrays.context.module, node)
        if found is None:
            message = f"the dtype {ast.unparse(node)!r}; supported are float32, float64, bool and the integers"
            self.arrays.context.refuse(node, message)
        return found

    def shape(self, node: ast.expr) -> list[Expr]:
        """The lengths that an argument gives: one number, or a tuple."""
        value = self.arrays.expressions.value(node)
        items = value.items if isinstance(value, Items) else (value,)
        return [self.arrays.expressions.as_integer(self.arrays.expressions.as_scalar(item, node), node) for item in items]

    def several(self) -> list[Value]:
        """The arrays that are put together."""
        node = self.given.get("arrays")
        parts = node.elts if isinstance(node, ast.Tuple | ast.List) else None
        if parts is None:
            self.arrays.context.refuse(self.node, f"{self.name} of what is not written out as (a, b, ...)")
        return self.arrays.expressions.operands(parts)
