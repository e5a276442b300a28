"""The values that the interpreter computes with, and the ways in which a run can end badly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeAlias

from metalift.ir.fragment import Location

Mpf: TypeAlias = Any  # an mpmath number of the context in `metalift.ir.reals`; mpmath has no types
Real: TypeAlias = "Fraction | float | Mpf"
Value: TypeAlias = "bool | int | Real | tuple[Value, ...] | list[Value] | Tensor | Array | Undef"


class SourceUndefined(Exception):
    """The result has no meaning in the source: an overflow, a division by zero, a read outside an array, ...

    `immediate` says that the operation itself is undefined behaviour, whether or not its result is used.
    """

    def __init__(self, reason: str, location: Location | None = None, immediate: bool = False) -> None:
        where = f"{location.file}:{location.line}: " if location else ""
        super().__init__(where + reason)
        self.reason = reason
        self.location = location
        self.immediate = immediate


class AssumeViolated(Exception):
    """An assertion of the source does not hold for this input."""

    def __init__(self, origin: str, location: Location) -> None:
        super().__init__(f"{location.file}:{location.line}: {origin}")
        self.origin = origin
        self.location = location


class LimitExceeded(Exception):
    """The run took more steps than it was allowed."""


@dataclass(frozen=True, slots=True)
class Undef:
    """A value that has no meaning but may be there as long as nothing uses it."""

    reason: str
    location: Location | None = None

    def error(self) -> SourceUndefined:
        """What a use of the value raises."""
        return SourceUndefined(self.reason, self.location)


def defined(value: Value) -> Value:
    """The value, which is used here: raises SourceUndefined for an Undef."""
    if type(value) is Undef:
        raise value.error()
    return value


class Tensor:
    """An array value: cells in row-major order. Never changed once it is visible."""

    __slots__ = ("cells", "shape")

    def __init__(self, shape: tuple[int, ...], cells: list[Value]) -> None:
        self.shape = shape
        self.cells = cells

    def size(self, axis: int) -> int:
        """The number of elements along the axis."""
        return self.shape[axis]

    def _offset(self, indices: tuple[int, ...]) -> int:
        offset = 0
        for index, extent in zip(indices, self.shape, strict=True):
            if not 0 <= index < extent:
                raise SourceUndefined(f"index {index} is outside 0 .. {extent - 1}", immediate=True)
            offset = offset * extent + index
        return offset

    def at(self, indices: tuple[int, ...]) -> Value:
        """The element; raises SourceUndefined outside the shape and where the element has no meaning."""
        offset = indices[0] if len(indices) == 1 and 0 <= indices[0] < len(self.cells) else self._offset(indices)
        return defined(self.cells[offset])

    def copy(self) -> Tensor:
        """A tensor that the caller may change."""
        return Tensor(self.shape, list(self.cells))

    def put(self, indices: tuple[int, ...], value: Value) -> None:
        """Changes an element of a copy."""
        self.cells[self._offset(indices)] = value

    def nested(self) -> list[Value]:
        """Nested lists; raises SourceUndefined where an element has no meaning."""
        cells = iter(self.cells)
        return _nest(self.shape, cells)


def _nest(shape: tuple[int, ...], cells: Iterator[Value]) -> list[Value]:
    if len(shape) == 1:
        return [defined(next(cells)) for _ in range(shape[0])]
    return [_nest(shape[1:], cells) for _ in range(shape[0])]


def tensor_of(nested: list[Value], rank: int) -> Tensor:
    """The tensor of nested lists; an axis below an empty one has extent 0. Rows of unequal length raise ValueError."""
    if rank == 1:
        return Tensor((len(nested),), list(nested))
    rows: list[Tensor] = []
    for row in nested:
        assert isinstance(row, list), "a tensor of this rank is a list of lists"
        rows.append(tensor_of(row, rank - 1))
    inner = rows[0].shape if rows else (0,) * (rank - 1)
    if any(row.shape != inner for row in rows):
        raise ValueError("the rows of a tensor have different lengths")
    return Tensor((len(rows), *inner), [cell for row in rows for cell in row.cells])


def all_indices(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every index tuple of a shape, in row-major order."""
    return product(*(range(extent) for extent in shape))


def count(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape."""
    return prod(shape)


@dataclass(slots=True)
class Touched:
    """The least and greatest index that was read and written; None where there was none."""

    read: tuple[int, int] | None = None
    written: tuple[int, int] | None = None


@dataclass(slots=True)
class Memory:
    """The cells of one object. Without `length` it has no ends; `fill` gives the cells that nobody has set yet.

    Without `fill` such a cell is uninitialised. `recording` is off while somebody only looks.
    """

    cells: dict[int, Value]
    length: int | None = None
    fill: Callable[[int], Value] | None = None
    recording: bool = True


@dataclass(slots=True)
class Array:
    """An array of a run: a name for an object, whose element 0 is the object's cell `origin`."""

    name: str
    memory: Memory
    origin: int = 0
    touched: Touched = field(default_factory=Touched)

    def size(self, axis: int) -> int:
        """The number of elements, for arrays that have a length."""
        assert axis == 0 and self.memory.length is not None, "only arrays with a length have one"
        return self.memory.length - self.origin

    def at(self, indices: tuple[int, ...]) -> Value:
        """The element; raises SourceUndefined outside the object and for a cell without meaning."""
        (index,) = indices
        memory = self.memory
        cell = index + self.origin
        if memory.length is not None and not 0 <= cell < memory.length:
            raise SourceUndefined(f"read of {self.name}[{index}] is outside the array", immediate=True)
        if memory.recording:
            self.touched.read = _widen(self.touched.read, index)
        if cell not in memory.cells:
            if memory.fill is None:
                raise SourceUndefined(f"{self.name}[{index}] is not initialised", immediate=cell < 0)
            memory.cells[cell] = memory.fill(cell)
        return defined(memory.cells[cell])

    def store(self, indices: tuple[int, ...], value: Value) -> None:
        """Changes an element."""
        (index,) = indices
        cell = index + self.origin
        if (self.memory.length is not None and not 0 <= cell < self.memory.length) or (self.memory.fill is None and cell < 0):
            raise SourceUndefined(f"write of {self.name}[{index}] is outside the array", immediate=True)
        if self.memory.recording:
            self.touched.written = _widen(self.touched.written, index)
        self.memory.cells[cell] = value

    put = store

    def copy(self) -> Array:
        """The contents as they are now, in an object of its own."""
        memory = Memory(dict(self.memory.cells), self.memory.length, self.memory.fill, recording=False)
        return Array(self.name, memory, self.origin)


def _widen(seen: tuple[int, int] | None, index: int) -> tuple[int, int]:
    return (index, index) if seen is None else (min(seen[0], index), max(seen[1], index))
