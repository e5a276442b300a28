"""Elementwise work on whole blocks of memory is done on one axis: images and matrices need no reshape for it."""

from __future__ import annotations

from dataclasses import replace

from metalift.codegen.views import Access, Size, Views, accesses, product
from metalift.driver import Driver
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Call, Cast, Const, Expr, Select, Var, type_of
from metalift.ir.expr.types import INT, TensorType
from metalift.ir.expr.walk import free_vars, fresh_var, names
from metalift.ir.program.summary import TargetProgram, Write

_FLAT = Var("p", INT)


def flatten(program: TargetProgram, driver: Driver, views: Views) -> TargetProgram:
    """The program with writes on one axis where the window and all views in the value run through memory in the same order."""
    return replace(program, writes=tuple(_flat_write(write, driver, views) for write in program.writes))


def _flat_write(write: Write, driver: Driver, views: Views) -> Write:
    window = write.window
    if not isinstance(window, Build) or len(window.extents) < 2 or not isinstance(window.body, Select):
        return write
    found = accesses(window.body.indices, window.binders)
    if found is None or len(found) != 1 or len(found[0].terms) != len(window.binders):
        return write
    sizes = [views.size(extent) for extent in window.extents]
    tight = views.tight(sizes, found[0])
    if tight is None:
        return write
    order = tight[0]
    binder = fresh_var(_FLAT, names(window) | names(write.value))
    flattener = _Flattener(driver, views, [sizes[at] for at in order], order, binder)
    target = flattener.view(write.array, found[0])
    value = flattener.tensor(write.value)
    return write if target is None or value is None else Write(write.array, target, value)


class _Flattener:
    """Rewrites tensors over axes of the given sizes (slowest first; `order` has their binders' positions) to one axis."""

    def __init__(self, driver: Driver, views: Views, sizes: list[Size], order: list[int], binder: Var) -> None:
        self.driver = driver
        self.views = views
        self.sizes = sizes
        self.order = order
        self.binder = binder
        self.count = product(sizes).to_expr()

    def view(self, array: Expr, access: Access) -> Build | None:
        """The cells on one axis where the strides are those of contiguous storage in the given order, times a constant."""
        strides = dict(access.terms)
        if set(strides) != set(self.order):
            return None
        spacing = strides[self.order[-1]]
        for axis, position in enumerate(self.order):
            if strides[position] != product(self.sizes[axis + 1 :]) * spacing:
                return None
        index = (Polynomial.atom(self.binder) * spacing + access.start).to_expr()
        return Build((self.count,), (self.binder,), Select(array, (index,)))

    def tensor(self, expr: Expr) -> Expr | None:
        """An elementwise computation on one axis; None where it is not one."""
        match expr:
            case Const() | Var() if not isinstance(type_of(expr), TensorType):
                return expr
            case Build(extents, binders, body):
                return self._build(extents, binders, body)
            case Call(function, args, type_):
                operator = self.driver.operators.get(function)
                if not isinstance(type_, TensorType):
                    return expr
                if operator is None or not operator.elementwise:
                    return None
                parts = [self.tensor(arg) for arg in args]
                known = tuple(part for part in parts if part is not None)
                return Call(function, known, TensorType(type_.element)) if len(known) == len(parts) else None
            case _:
                return None if isinstance(type_of(expr), TensorType) else expr

    def _build(self, extents: tuple[Expr, ...], binders: tuple[Var, ...], body: Expr) -> Expr | None:
        sizes = [self.views.size(extent) for extent in extents]
        if len(sizes) != len(self.order) or [sizes[at] for at in self.order] != self.sizes:
            return None
        if not free_vars(body).intersection(binders):
            return Build((self.count,), (self.binder,), body)
        match body:
            case Cast(arg, type_):
                inner = self._build(extents, binders, arg)
                return Build(inner.extents, inner.binders, Cast(inner.body, type_)) if isinstance(inner, Build) else None
            case Select(array, indices) if not free_vars(array).intersection(binders):
                found = accesses(indices, binders)
                return self.view(array, found[0]) if found is not None and len(found) == 1 else None
            case _:
                return None

