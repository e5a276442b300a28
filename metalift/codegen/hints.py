"""How a function begins and ends: the types of what it takes and returns, and what it returns as the source does."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from metalift.codegen.python_text import INDENT, LINE_LENGTH, statement, text
from metalift.driver import Layout
from metalift.driver.templates import constant, tuple_of
from metalift.ir.expr.types import RealType, TensorType, Type, is_integer
from metalift.ir.program.fragment import Form


def head(function: str, taken: Sequence[tuple[str, str]], more: Sequence[str], returned: str) -> list[str]:
    """The `def`, on one line where that is short enough; `more` are parameters with defaults."""
    given = [f"{shown}: {hint}" if hint else shown for shown, hint in taken] + list(more)
    ending = f") -> {returned}:" if returned else "):"
    flat = f"def {function}({', '.join(given)}{ending}"
    if len(flat) <= LINE_LENGTH:
        return [flat]
    joined = f"{INDENT}{', '.join(given)}"
    return [f"def {function}(", *([joined] if len(joined) <= LINE_LENGTH else [f"{INDENT}{each}," for each in given]), ending]


def type_hint(type_: Type, layout: Layout | None) -> str:
    """The type of a tensor or number in a library of tensors; empty elsewhere."""
    if layout is None:
        return ""
    if isinstance(type_, TensorType):
        return layout.array_type
    return "float" if isinstance(type_, RealType) else "int" if is_integer(type_) else "bool"


def number_hint(type_: Type, layout: Layout, dtype: str, *, plain: bool) -> str:
    """The type of a number that is returned: Python's, an array without axes, or the library's number of that type."""
    if plain:
        return type_hint(type_, layout)
    return dtype if layout.scalar.startswith("{dtype}(") and not layout.update else layout.array_type


def returned_hint(types: Sequence[Type], numbers: Sequence[str], layout: Layout | None) -> str:
    """The type of what is returned; `numbers` are those of numbers, in their order. Empty where they are not known."""
    arrays = [isinstance(type_, TensorType) for type_ in types]
    if layout is None or arrays.count(False) != len(numbers):
        return ""
    left = iter(numbers)
    made = [layout.array_type if array else next(left) for array in arrays]
    return "None" if not made else made[0] if len(made) == 1 else f"tuple[{', '.join(made)}]"


def in_form(form: Form, values: Iterator[ast.expr]) -> ast.expr:
    """Values in a row as a result of the form."""
    test = next(values) if form.optional else None
    made = next(values) if form.parts is None else tuple_of([in_form(part, values) for part in form.parts])
    if isinstance(test, ast.Constant):
        return made if test.value else constant(None)
    if test is None:
        return made
    refused = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
    if isinstance(made, ast.IfExp) and text(made.test) == text(test):
        made = made.body  # what it is elsewhere is not asked for
    if isinstance(made, ast.IfExp) and refused is not None and text(made.test) == text(refused):
        made = made.orelse
    none = constant(None)
    return ast.IfExp(test, made, none) if refused is None else ast.IfExp(refused, none, made)


def return_many(values: Sequence[ast.expr]) -> list[str]:
    """The lines that return several values."""
    flat = f"{INDENT}return {', '.join(text(value) for value in values)}"
    return [flat] if len(flat) <= LINE_LENGTH else statement("return ", tuple_of(list(values)), apart=True)
