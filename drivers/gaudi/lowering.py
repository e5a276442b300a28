"""From a program on tensors of any size to a kernel on vectors: a tile is one row of elements, as many as vectors have lanes.

A vector is taken 64 elements at a time, 128 or 256 where elements have 16 or 8 bits, a matrix row by row; the last ones of a
row are fewer. Sums and maxima go along a row, vector by vector.
Nothing here is trusted: the kernel is proved to compute the program.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.driver import CannotWrite, Driver, Request
from metalift.driver.expansion import expand
from metalift.ir.expr.build import at_most, plus
from metalift.ir.expr.nodes import Apply, Build, Call, Expr, Operator, Var, integer, type_of
from metalift.ir.expr.types import MachineInt, ScalarType, TensorType
from metalift.ir.expr.walk import free_vars, subexpressions, substitute
from metalift.ir.program.kernel import COLUMN, ROW, Loop, Output

from .._tiles.conditions import Site
from .._tiles.lowering import Lowering
from .._tiles.sizes import ONE, ceiling, div, mod, sub, times
from .operators import machine


class Kernels(Lowering):
    """Lowers one program."""

    def __init__(self, request: Request, driver: Driver) -> None:
        limits = machine(request.fragment)
        super().__init__(request, driver, limits, limits.columns)

    def fresh(self, stem: str, rows: Expr, columns: Expr, type_: ScalarType, *rest: object) -> str:
        if isinstance(type_, MachineInt) and type_.bits == 32 and not type_.signed:
            raise CannotWrite("unsigned integers of 32 bits: sums and products that wrap are not lifted")
        return super().fresh(stem, rows, columns, type_)

    def spread(self, row: str, site: Site) -> str:
        return row  # there is one row

    def narrow_domain(self, op: str, args: tuple[Expr, ...], site: Site) -> None:
        """All arguments are computed."""

    def on_host(self, value: Expr) -> bool:
        """Functions of numbers are for vectors: scalars have none."""
        if not super().on_host(value):
            return False
        found = expand(substitute(value, self.tensors), self.driver)
        return not any(isinstance(part, Call) for part in subexpressions(found))

    def computed(self, expr: Expr, site: Site) -> str | Expr:
        """The tile that holds the elements at a site; of a number it has one column."""
        alone = Site(ONE, ONE, (), ())
        number = not isinstance(type_of(expr), TensorType) and free_vars(expr).isdisjoint({ROW, COLUMN})
        return self.value(expr, alone) if number and site != alone else super().computed(expr, site)

    def load(self, view: Expr, site: Site) -> str:
        """Elements side by side, or one for all lanes."""
        assert isinstance(view, Build)
        if len(view.extents) == len(site.index):
            at = substitute(view.body, dict(zip(view.binders, site.index, strict=True)))
            if COLUMN not in free_vars(at) and site.columns != ONE:
                index = tuple(substitute(each, {COLUMN: integer(0)}) for each in site.index)
                return super().load(view, replace(site, columns=ONE, index=index))
        return super().load(view, site)

    def whole(self, op: str, arg: Expr, expr: Expr) -> str:
        kind = Operator.MAX if op == "greatest" else Operator.ADD
        spec = expand(substitute(expr, self.tensors), self.driver)
        return self.along(kind, arg, expr, Site(ONE, ONE, (), self.names(arg)), spec)

    def rows_of_vector(self, number: int, output: Output, value: Expr) -> None:
        """A vector, so many elements at a time."""
        (n,), (i,) = output.extents, output.places
        t, width = self.counter("t"), self.columns
        start = times(width, t)
        with self.block() as inner:
            columns = Apply(Operator.MIN, (integer(width), sub(n, start)))
            places: tuple[tuple[Var, Expr], ...] = tuple(zip(output.places, output.extents, strict=True))
            site = Site(ONE, columns, (plus(start, COLUMN),), places)
            inverse = {t: div(i, width), ROW: integer(0), COLUMN: mod(i, width)}
            self.stored(number, value, site, inverse, at_most(integer(0), i))
        self.emit(Loop(t, ceiling(n, width), tuple(inner.body)))
