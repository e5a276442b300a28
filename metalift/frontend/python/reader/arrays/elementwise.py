"""Operators and functions that compute each element of the result from those at the same indices."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

from metalift.frontend.lower.c_scalars import cast, choose, question
from metalift.frontend.python import numbers as scalars
from metalift.frontend.python.reader.arrays import dtypes
from metalift.frontend.python.reader.arrays.core import Arrays, elsewhere
from metalift.frontend.python.reader.context import Context
from metalift.frontend.python.reader.expressions import Expressions
from metalift.frontend.python.stands_for import Indices, Section, Value, View, Whole
from metalift.ir.expr.nodes import Call, Const, Expr, type_of
from metalift.ir.expr.types import BOOL, INT, MachineInt, RealType, ScalarType, is_integer
from metalift.ir.interp.functions import QUESTIONS
from metalift.ir.program.fragment import Assume

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "true_divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.USub: "negative",
    ast.UAdd: "positive",
    ast.Invert: "invert",
}


@dataclass(slots=True)
class Elementwise:
    """Reads operators and functions on elements."""

    context: Context
    expressions: Expressions
    arrays: Arrays

    def operator(self, node: ast.BinOp | ast.Compare | ast.AugAssign, op: ast.AST, left: Value, right: Value) -> Whole:
        """An operator of two operands, of which one is an array."""
        name = OPERATORS.get(type(op))
        if name is None:
            self.context.refuse(node, f"the operator of {ast.unparse(node)!r} on arrays")
        return self.binary(name, left, right, node)

    def binary(self, name: str, left: Value, right: Value, node: ast.AST) -> Whole:
        """A function of two operands."""
        type_ = self.arrays.rules.meeting([self.typed(left, node), self.typed(right, node)])
        element, step = dtypes.binary(self.arrays.rules, name, type_)
        if name == "power":
            if self.typed(left, node)[0] == BOOL:
                self.context.refuse(node, "a power of truth values, which NumPy gives as int8; convert them with astype(int)")
            self.expressions.powers |= not (isinstance(right, Const) and is_integer(type_of(right)))
        self._check_number(left, type_, name, node)
        self._check_number(right, type_, name, node)
        enter = self.arrays.rules.entering(type_ if element in (type_, BOOL) else element)
        return self.mapped([left, right], element, lambda a, b: step(enter(a), enter(b)), node)

    def unary(self, name: str, value: Value, node: ast.AST) -> Whole:
        """A function of one operand."""
        whole = self.arrays.operand(value, node)
        found = dtypes.unary(name, whole.element)
        if found is None:
            found = self._of_floats(name, whole.element, node)
        element, step = found
        return self.mapped([whole], element, step, node)

    def _of_floats(self, name: str, element: ScalarType, node: ast.AST) -> tuple[ScalarType, Callable[[Expr], Expr]]:
        function = dtypes.function_of(name)
        if not function:
            self.context.refuse(node, f"{name} of an array of {'truth values' if element == BOOL else 'such numbers'}")
        if function in ("rint", "floor", "ceil", "trunc") and not isinstance(element, RealType):
            self.context.refuse(node, f"{name} of integers, which are whole; leave it out")
        real = self.arrays.rules.as_float(element)
        if function in QUESTIONS:
            return BOOL, lambda a: question(function, scalars.convert(a, real))
        return real, lambda a: Call(function, (scalars.convert(a, real),), real)

    def astype(self, value: Value, dtype: ScalarType, node: ast.AST) -> Whole:
        """The elements in another dtype."""
        whole = self.arrays.operand(value, node)
        return self.mapped([whole], dtype, lambda a: self.arrays.converted(a, dtype), node)

    def where(self, cond: Value, then: Value, other: Value, node: ast.AST) -> Whole:
        """`np.where(cond, then, other)`."""
        type_ = self.arrays.rules.meeting([self.typed(then, node), self.typed(other, node)])

        def step(test: Expr, a: Expr, b: Expr) -> Expr:
            return choose(scalars.truth(test), cast(a, type_), cast(b, type_))

        return self.mapped([cond, then, other], type_, step, node)

    def mapped(self, values: Sequence[Value], element: ScalarType, step: Callable[..., Expr], node: ast.AST) -> Whole:
        """A function of the elements at the same indices, once the operands are broadcast to one shape."""
        chosen = [value for value in values if isinstance(value, Whole) and value.chosen is not None]
        if len(chosen) == 1 and not any(self.arrays.is_array(value) for value in values if value is not chosen[0]):
            wholes = [value if value is chosen[0] else self.arrays.whole(value, node) for value in values]
            shape: tuple[Expr, ...] = chosen[0].extents
            test = chosen[0].chosen
        else:
            wholes, test = [self.arrays.whole(value, node) for value in values], None
            shape = self.arrays.meet([each.extents for each in wholes], node)
        parts = [self.arrays.spread(each, shape) for each in wholes]

        def at(indices: Indices) -> Expr:
            return step(*(part(indices) for part in parts))

        reads = [each.reads if self._keeps(each, shape) else elsewhere(each.reads) for each in wholes]
        return Whole(shape, element, at, tuple(dict.fromkeys(chain(*reads))), test)

    @staticmethod
    def _keeps(whole: Whole, shape: Sequence[Expr]) -> bool:
        pairs = zip(whole.extents, shape, strict=False)
        return whole.rank == len(shape) and all(one == to or one != Const(1, INT) for one, to in pairs)

    def typed(self, value: Value, node: ast.AST) -> tuple[ScalarType, dtypes.Weight]:
        """The dtype of an operand, and what it counts for."""
        match value:
            case View() | Section():
                return dtypes.dtype_of(value.object.element), self.arrays.weight(value)
            case Whole():
                return value.element, self.arrays.weight(value)
            case _:
                return self.arrays.whole(value, node).element, self.arrays.weight(value)

    def _check_number(self, value: Value, dtype: ScalarType, name: str, node: ast.AST) -> None:
        """An int of Python has to fit the integers that it meets; NumPy raises an exception where it does not."""
        if not isinstance(value, Expr) or not isinstance(dtype, MachineInt) or not self.arrays.is_weak(value):
            return
        if not is_integer(type_of(value)) or name in dtypes.RELATIONS or self.arrays.rules.wraps_numbers:
            return
        if isinstance(value, Const):
            if not dtype.low <= value.value <= dtype.high:
                self.context.refuse(node, f"{value.value}, which the integers of the array cannot be; NumPy raises here")
        elif dtype.bits < 64:
            low, high = Const(dtype.low, INT), Const(dtype.high, INT)
            holds = scalars.compare("le", low, value), scalars.compare("le", value, high)
            text = f"{ast.unparse(node) if isinstance(node, ast.expr) else 'a number'}: the int fits the integers of the array"
            for cond in holds:
                self.context.emit(Assume(cond, text, self.context.here(node)))
        else:
            self.arrays.narrowed = True

