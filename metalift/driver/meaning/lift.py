"""Meanings on scalars and on vectors, applied to tensors of any rank: element by element, and along axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from metalift.driver.meaning.reader import Instance
from metalift.driver.meaning.reduce import apply_meaning, reduce_head
from metalift.ir.expr.build import conj, equal, forall, implies, in_range
from metalift.ir.expr.nodes import Build, Expr, Length, Select, Var, type_of
from metalift.ir.expr.types import INT, TensorType, Type
from metalift.ir.expr.walk import free_vars, substitute


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes of a tensor of that rank, in ascending order."""

    rank: int
    along: tuple[int, ...]

    @property
    def suffix(self) -> str:
        """Tells operators apart that differ in their axes: all of a matrix, one of three."""
        every = len(self.along) == self.rank and self.rank > 1
        return f"_{self.rank}d" if every else f"_{self.rank}d_axis{''.join(map(str, self.along))}"


def axes_of(rank: int, *, several: bool) -> Iterator[Axes]:
    """The choices of one axis of up to three, `several`: of one and more, and of two among four or five, as in pooling."""
    most = rank if several else 1
    for count in range(1, most + 1) if rank < 4 else (2,) if several else ():
        yield from (Axes(rank, along) for along in combinations(range(rank), count))


def pointwise(scalar: Instance, arg_types: tuple[Type, ...]) -> Instance:
    """A meaning on scalars on tensors of equal shape and scalars. Raises ValueError where their ranks differ."""
    params = tuple(Var(param.name, type_) for param, type_ in zip(scalar.params, arg_types, strict=True))
    tensors = [param for param in params if isinstance(param.type, TensorType)]
    if not tensors:
        return scalar
    first = tensors[0].type
    assert isinstance(first, TensorType)
    if any(isinstance(param.type, TensorType) and param.type.rank != first.rank for param in tensors):
        raise ValueError("the tensors of an elementwise operator have one rank")
    binders, extents = _places(tensors[0], first.rank)
    elements: dict[Var, Expr] = {
        old: Select(new, binders) if isinstance(new.type, TensorType) else new
        for old, new in zip(scalar.params, params, strict=True)
    }
    shapes = [equal(Length(tensor, axis), extents[axis]) for tensor in tensors[1:] for axis in range(first.rank)]
    inside = conj(*(in_range(binder, extent) for binder, extent in zip(binders, extents, strict=True)))
    each = [forall(binders, implies(inside, substitute(condition, elements))) for condition in scalar.requires]
    return Instance(params, Build(extents, binders, substitute(scalar.body, elements)), (*shapes, *each))


def along_axes(vector: Instance, axes: Axes) -> Instance:
    """A meaning on a vector, its first parameter, at each place of the other axes of a tensor.

    Along several axes it is the meaning of the meanings along the last, and so on: the sum of sums. A meaning that gives a vector
    gives a tensor of the same rank.
    """
    first, *scalars = vector.params
    assert isinstance(first.type, TensorType)
    tensor = Var(first.name, TensorType(first.type.element, axes.rank))
    binders, extents = _places(tensor, axes.rank)
    value: Expr = Select(tensor, binders)
    requires: list[Expr] = []
    for axis in reversed(axes.along):
        args: tuple[Expr, ...] = (Build((extents[axis],), (binders[axis],), value), *scalars)
        value = apply_meaning(vector.params, vector.body, args)
        requires += [_everywhere(apply_meaning(vector.params, each, args), binders, extents) for each in vector.requires]
    kept = [axis for axis in range(axes.rank) if axis not in axes.along]
    if isinstance(type_of(value), TensorType):
        (axis,) = axes.along
        extents = (*extents[:axis], reduce_head(Length(value, 0)), *extents[axis + 1 :])
        value, kept = reduce_head(Select(value, (binders[axis],))), list(range(axes.rank))
    body = Build(tuple(extents[axis] for axis in kept), tuple(binders[axis] for axis in kept), value) if kept else value
    return Instance((tensor, *scalars), body, tuple(dict.fromkeys(requires)))


def _everywhere(condition: Expr, binders: tuple[Var, ...], extents: tuple[Expr, ...]) -> Expr:
    """The condition at all places that it speaks of."""
    used = [(binder, extent) for binder, extent in zip(binders, extents, strict=True) if binder in free_vars(condition)]
    if not used:
        return condition
    inside = conj(*(in_range(binder, extent) for binder, extent in used))
    return forall(tuple(binder for binder, _ in used), implies(inside, condition))


def _places(tensor: Var, rank: int) -> tuple[tuple[Var, ...], tuple[Expr, ...]]:
    """Binders for the indices of a tensor, and their extents."""
    binders = tuple(Var(f"i{axis}", INT) for axis in range(rank))
    return binders, tuple(Length(tensor, axis) for axis in range(rank))
