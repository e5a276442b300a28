"""Writes to arrays: what is assigned, and where they cannot be changed a new array with the value in the written cells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from metalift.codegen.request import CannotSpell
from metalift.codegen.spread import Collections
from metalift.codegen.views import Access, Size, Views
from metalift.driver.templates import fill_template
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Expr, Select
from metalift.ir.expr.walk import subexpressions
from metalift.result.errors import UsageError


def updated(
    views: Views,
    base: ast.expr,
    lengths: Sequence[Size | None],
    sizes: Sequence[Size],
    window: Sequence[Access],
    value: ast.expr,
    fill: Callable[[ast.expr], ast.expr] | None,
) -> ast.expr:
    """The array with the value, which has an axis for each binder, in the window's cells.

    `fill` is there where the value is one for all cells, and makes it a tensor of the window's shape.
    """
    layout = views.layout
    if isinstance(views, Collections):
        if len(sizes) != 1 or fill is not None:
            raise CannotSpell("single elements of a collection, and equal ones, are not written")
        return views.replaced(base, lengths[0], sizes[0], window[0], value)
    if not layout.by_tensors:
        target, adapt = views.target(base, lengths, sizes, window, uniform=fill is not None)
        assert isinstance(target, ast.Subscript)
        if "[{index}]" not in layout.update:
            wanted = "{index} stands in brackets of its own, as in {x}.at[{index}].set({value})"
            raise UsageError(f"the template {layout.update!r} of the driver has to be one in which {wanted}")
        adapted = adapt(value) if fill is None else value
        return fill_template(layout.update, {"x": target.value, "index": target.slice, "value": adapted})
    whole = value if fill is None else fill(value)
    if layout.update_front and _is_front(window):
        (size,) = sizes
        if size == lengths[0]:
            return whole
        return fill_template(layout.update_front, {"x": base, "size": views.number(size), "value": whole})
    places = views.places(views.index_tensors(base, sizes, window), sizes)
    return fill_template(layout.update, {"x": base, "index": places, "value": whole})


def _is_front(window: Sequence[Access]) -> bool:
    """Whether it is the first elements of a vector."""
    return len(window) == 1 and window[0] == Access(Polynomial(), ((0, Polynomial.constant(1)),))


def has_slice(target: ast.expr) -> bool:
    """Whether what is assigned is a part of an array, not one element."""
    index = target.slice if isinstance(target, ast.Subscript) else None
    return any(isinstance(part, ast.Slice) for part in (index.elts if isinstance(index, ast.Tuple) else (index,)))


def reads(expr: Expr) -> bool:
    """Whether it has elements of arrays in it."""
    return any(isinstance(part, Select) for part in subexpressions(expr))


def uses_binders(build: Build) -> bool:
    """Whether the value is not the same everywhere."""
    return any(sub in build.binders for sub in subexpressions(build.body))
