"""Views of arrays as tensors with coordinates: the first axis is the one along which vectors lie."""

from __future__ import annotations

from dataclasses import dataclass

from metalift.driver import CannotWrite, Request
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import Build, Expr, Select, Var, integer
from metalift.ir.expr.types import ScalarType, TensorType
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import COLUMN, Load

from .text import base, name

SIDE_BY_SIDE = Polynomial.constant(1)


@dataclass(frozen=True, slots=True)
class View:
    """Elements of an array: how many there are along each axis, and how far apart. Of pointers to rows there are no strides."""

    array: Var
    start: Polynomial
    sizes: tuple[Polynomial, ...]
    strides: tuple[Polynomial, ...]

    @property
    def kind(self) -> str:
        """What intrinsics call its elements."""
        assert isinstance(self.array.type, TensorType) and isinstance(self.array.type.element, ScalarType)
        return base(self.array.type.element)


class Tensors:
    """The tensors that a kernel reads."""

    def __init__(self, request: Request) -> None:
        self.shapes = request.summary.shapes
        self.views: dict[View, str] = {}

    def names(self) -> list[str]:
        """In the order in which the kernel has them."""
        return list(self.views.values())

    def load(self, statement: Load) -> tuple[str, tuple[Expr, ...]]:
        """The tensor that is loaded from, and the coordinates there."""
        source = statement.source
        if not isinstance(source, Build) or not isinstance(source.body, Select) or not isinstance(source.body.tensor, Var):
            raise CannotWrite("a load of what is no view of an array")
        array, indices = source.body.tensor, source.body.indices
        if len(indices) == 2:
            view, index = self.rows(array), tuple(reversed(indices))
            index = tuple(substitute(each, dict(zip(source.binders, statement.index, strict=True))) for each in index)
        elif len(indices) == 1:
            view, index = flat(array, source, indices[0], statement.index)
        else:
            raise CannotWrite("arrays of more than two axes")
        if view not in self.views:
            number = sum(each.array == array for each in self.views)
            self.views[view] = f"in_{name(array.name)}" + (f"_{number + 1}" if number else "")
        return self.views[view], index

    def rows(self, array: Var) -> View:
        """A whole array of pointers to rows."""
        shape = self.shapes.get(array.name)
        if shape is None:
            raise CannotWrite(f"the rows of {array.name}: how many there are is not known")
        return View(array, Polynomial.constant(0), tuple(Polynomial.of(each) for each in reversed(shape)), ())


def flat(array: Var, source: Build, at: Expr, index: tuple[Expr, ...]) -> tuple[View, tuple[Expr, ...]]:
    """A view of a flat array, without axes along which all elements are the same."""
    affine = Polynomial.of(at).affine_in(source.binders)
    if affine is None:
        raise CannotWrite(f"the elements of {array.name} are not at regular distances")
    steps, start = affine
    axes = [
        (steps[binder], Polynomial.of(extent), place)
        for binder, extent, place in zip(source.binders, source.extents, index, strict=True)
        if binder in steps and steps[binder].terms
    ]
    axes.sort(key=lambda axis: (COLUMN not in free_vars(axis[2]), axis[0] != SIDE_BY_SIDE))
    if any(COLUMN in free_vars(place) for _, _, place in axes) and axes[0][0] != SIDE_BY_SIDE:
        raise CannotWrite(f"elements of {array.name} that do not lie side by side in memory make no vector")
    if not axes or axes[0][0] != SIDE_BY_SIDE:
        axes.insert(0, (SIDE_BY_SIDE, Polynomial.constant(1), integer(0)))
    view = View(array, start, tuple(extent for _, extent, _ in axes), tuple(step for step, _, _ in axes))
    return view, tuple(place for _, _, place in axes)


def coordinates(index: tuple[Expr, ...]) -> bool:
    """Whether the columns of a tile are neighbours along the first axis, and only there."""
    affine = Polynomial.of(index[0]).affine_in((COLUMN,))
    alone = all(COLUMN not in free_vars(each) for each in index[1:])
    return alone and affine is not None and affine[0].get(COLUMN) == SIDE_BY_SIDE
