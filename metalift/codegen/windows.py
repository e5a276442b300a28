"""Parts of a source's arrays that a function of tensors takes as tensors of their own.

`base[stride * i + j]` of an image with padded rows is a tensor of rows and columns for who has tensors: its strides are a matter
of the caller, as are the places of a head in a buffer of heads. Where all that a program does with an array is in one such
window, and numbers such as `stride` say nothing but where it is, the function takes the windows, and not these numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from metalift.codegen.request import GenerateRequest
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Expr, Fold, Select, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_names, free_vars, map_children, rebuild, subexpressions
from metalift.ir.program.fragment import ParamKind
from metalift.ir.program.summary import TargetProgram

Bound: TypeAlias = Mapping[Var, Expr]
"""Indices that are in scope, and below which extents they are."""


@dataclass(frozen=True, slots=True)
class Window:
    """The elements at `start` + the sum of index * stride for each axis; `sizes` are extents. `least` is how many elements the
    source's array has at least, where that is known.
    """

    start: Polynomial
    strides: tuple[Polynomial, ...]
    sizes: tuple[Expr, ...]
    least: Expr | None = None

    @property
    def names(self) -> frozenset[str]:
        """The variables that say where the window is."""
        atoms = (atom for part in (self.start, *self.strides) for atom in part.atoms)
        return frozenset(name for atom in atoms for name in free_names(atom))


def with_windows(request: GenerateRequest) -> tuple[GenerateRequest, Mapping[str, Window], frozenset[str]]:
    """The request with tensors in the place of windows, which windows these are by the names of their arrays, and the numbers
    that nothing else speaks of.
    """
    pointers = [param for param in request.fragment.params if param.kind is ParamKind.POINTER and param.rank == 1]
    found = {param.var: window for param in pointers if (window := _window(request.program, param.var)) is not None}
    while found:
        changed = _changed(request, found)
        places = frozenset(name for window in found.values() for name in window.names)
        dropped = places - _spoken_of(changed.program) - frozenset(param.var.name for param in pointers)
        kept = {var: window for var, window in found.items() if not window.names.isdisjoint(dropped)}
        if len(kept) == len(found):
            least = {called: shape[0] for called, shape in request.summary.shapes.items() if shape}
            return changed, {var.name: replace(each, least=least.get(var.name)) for var, each in found.items()}, dropped
        found = kept
    return request, {}, frozenset()


def _spoken_of(program: TargetProgram) -> frozenset[str]:
    """The variables of what is computed, and of where it goes."""
    return frozenset(name for value in _values(program) for name in free_names(value))


def _values(program: TargetProgram) -> list[Expr]:
    return [*program.values, *(part for write in program.writes for part in (write.window, write.guard))]


def _window(program: TargetProgram, array: Var) -> Window | None:
    """The window in which all of an array's elements lie that a program reads or writes; None where it is no single one."""
    found: list[Window | None] = []

    def noted(cell: Select, bound: Bound) -> Expr:
        if cell.tensor == array:
            found.append(_of(cell, bound))
        return cell

    values = _values(program)
    for value in values:
        _at_cells(value, {}, noted)
    mentioned = sum(part == array for value in values for part in subexpressions(value))
    if not found or len(found) != mentioned or found[0] is None:
        return None
    first = _by_memory(found[0])
    return first if all(each is not None and _axes_in(first, each) is not None for each in found) else None


def _by_memory(window: Window) -> Window:
    """The window with the axis along which elements lie side by side last, as tensors usually have it."""
    order = sorted(range(len(window.sizes)), key=lambda at: window.strides[at] == Polynomial.constant(1))
    return replace(window, strides=tuple(window.strides[at] for at in order), sizes=tuple(window.sizes[at] for at in order))


def _at_cells(expr: Expr, bound: Bound, change: Callable[[Select, Bound], Expr]) -> Expr:
    """The expression with each element of a named array changed, which is told the indices in scope and their extents."""
    match expr:
        case Select(Var() as array, indices):
            return change(Select(array, tuple(_at_cells(index, bound, change) for index in indices)), bound)
        case Build(extents, binders, body):
            parts = [_at_cells(extent, bound, change) for extent in extents]
            inner = {**bound, **dict(zip(binders, extents, strict=True))}
            return rebuild(expr, (*parts, _at_cells(body, inner, change)))
        case Fold(extent, init, _, index, body):
            parts = [_at_cells(part, bound, change) for part in (extent, init)]
            return rebuild(expr, (*parts, _at_cells(body, {**bound, index: extent}, change)))
        case _:
            return map_children(lambda part: _at_cells(part, bound, change), expr)


def _of(cell: Select, bound: Bound) -> Window | None:
    """The window through which the indices in scope go; None where that is none."""
    if len(cell.indices) != 1:
        return None
    affine = Polynomial.of(cell.indices[0]).affine_in(bound)
    if affine is None:
        return None
    strides, start = affine
    used = _used(cell, bound)
    own = all(strides[var] != Polynomial() and free_vars(bound[var]).isdisjoint(bound) for var in used)
    return Window(start, tuple(strides[var] for var in used), tuple(bound[var] for var in used)) if used and own else None


def _used(cell: Select, bound: Bound) -> list[Var]:
    """The indices in scope of which the element depends, in their order."""
    return [var for var in bound if var in free_vars(cell.indices[0])]


def _axes_in(one: Window, other: Window) -> list[int] | None:
    """For each axis of a window which axis of the other one it is; None where they are not the same up to the order of axes."""
    axes, others = ([*zip(each.strides, map(Polynomial.of, each.sizes), strict=True)] for each in (one, other))
    same = one.start == other.start and len(set(axes)) == len(axes) and set(axes) == set(others) and len(axes) == len(others)
    return [others.index(axis) for axis in axes] if same else None


def _changed(request: GenerateRequest, found: Mapping[Var, Window]) -> GenerateRequest:
    """The request with a tensor in the place of each window."""
    tensors = {var: Var(var.name, _tensor(var, len(window.sizes))) for var, window in found.items()}

    def taken(cell: Select, bound: Bound) -> Expr:
        if not isinstance(cell.tensor, Var) or cell.tensor not in tensors:
            return cell
        here = _of(cell, bound)
        order = None if here is None else _axes_in(found[cell.tensor], here)
        assert order is not None
        used = _used(cell, bound)
        return Select(tensors[cell.tensor], tuple(used[at] for at in order))

    def settled(expr: Expr) -> Expr:
        return _at_cells(expr, {}, taken)

    program = request.program.map(settled)
    writes = [replace(each, array=tensors.get(each.array, each.array), window=settled(each.window)) for each in program.writes]
    params = [replace(param, var=tensors.get(param.var, param.var)) for param in request.fragment.params]
    shapes = {**request.summary.shapes, **{var.name: window.sizes for var, window in found.items()}}
    return replace(
        request,
        program=replace(program, writes=tuple(writes)),
        fragment=replace(request.fragment, params=tuple(params)),
        summary=replace(request.summary, extents=tuple(shapes.items())),
    )


def _tensor(array: Var, rank: int) -> TensorType:
    assert isinstance(array.type, TensorType)
    return TensorType(array.type.element, rank)
