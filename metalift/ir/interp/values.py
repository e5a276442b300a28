"""The values that the interpreter computes with, and the ways in which a run can end badly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, TypeAlias

from metalift.ir.program.fragment import Location

Mpf: TypeAlias = Any  # an mpmath number of the context in `metalift.ir.interp.reals`; mpmath has no types
Real: TypeAlias = "Fraction | float | Mpf"
Value: TypeAlias = "bool | int | Real | tuple[Value, ...] | list[Value] | Tensor | Array | Undef"


class SourceUndefined(Exception):
    """The result has no meaning in the source: an overflow, a division by zero, a read outside an array, ...

    `immediate` says that the operation itself is undefined behaviour, whether or not its result is used; `steps` how many a run
    took until then. `too_large`: it has one, which is a number that is too large to be computed here.
    """

    def __init__(
        self, reason: str, location: Location | None = None, immediate: bool = False, *, too_large: bool = False
    ) -> None:
        where = f"{location.file}:{location.line}: " if location else ""
        super().__init__(where + reason)
        self.reason = reason
        self.location = location
        self.immediate = immediate
        self.too_large = too_large
        self.steps = 0


class AssumeViolated(Exception):
    """An assertion of the source does not hold for this input."""

    def __init__(self, origin: str, location: Location) -> None:
        super().__init__(f"{location.file}:{location.line}: {origin}")
        self.origin = origin
        self.location = location


class CheckViolated(Exception):
    """What the front end relied on and did not show does not hold for this input: the fragment is not the source there."""

    def __init__(self, message: str, location: Location) -> None:
        super().__init__(f"{location.file}:{location.line}: {message}")
        self.message = message
        self.location = location


class LimitExceeded(Exception):
    """The run took more steps, or made longer numbers, than it was allowed."""


@dataclass(frozen=True, slots=True)
class Undef:
    """A value that has no meaning but may be there as long as nothing uses it."""

    reason: str
    location: Location | None = None
    too_large: bool = False

    def error(self) -> SourceUndefined:
        """What a use of the value raises."""
        return SourceUndefined(self.reason, self.location, too_large=self.too_large)


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
    """Every index tuple of a shape, in row-major order; an axis is run through only where there are elements along the others."""
    return product(*(range(extent) for extent in shape)) if all(shape) else iter(())


def count(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape."""
    return prod(shape)


Span: TypeAlias = tuple[int, int]
Cell: TypeAlias = int | tuple[int, ...]  # where a value is in an object: an index, or one for each axis


@dataclass(slots=True)
class Touched:
    """The least and greatest index that was read and written; None where there was none. `inner`: along further axes."""

    read: Span | None = None
    written: Span | None = None
    inner: tuple[Touched, ...] = ()

    def note_read(self, indices: tuple[int, ...]) -> None:
        """Takes a read into account."""
        self.read = _widen(self.read, indices[0])
        if self.inner:
            for axis, index in zip(self.inner, indices[1:], strict=True):
                axis.read = _widen(axis.read, index)

    def note_written(self, indices: tuple[int, ...]) -> None:
        """Takes a write into account."""
        self.written = _widen(self.written, indices[0])
        if self.inner:
            for axis, index in zip(self.inner, indices[1:], strict=True):
                axis.written = _widen(axis.written, index)

    @property
    def axes(self) -> tuple[Touched, ...]:
        """One for each axis."""
        return (self, *self.inner)


def touched_of(rank: int) -> Touched:
    """Nothing yet, of an array with so many axes."""
    return Touched(inner=tuple(Touched() for _ in range(rank - 1)))


@dataclass(slots=True)
class Memory:
    """The cells of one object. Without `length` it has no ends; `fill` gives the cells that nobody has set yet.

    Without `fill` such a cell is uninitialised. `recording` is off while somebody only looks. `inner` are the lengths along
    further axes, for an object that has them and has ends. `most`: there are at most so many cells in an object without them.
    """

    cells: dict[Cell, Value]
    length: int | None = None
    fill: Callable[[Cell], Value] | None = None
    recording: bool = True
    inner: tuple[int, ...] = ()
    most: int | None = None

    def has(self, indices: tuple[int, ...]) -> bool:
        """Whether an object with ends has that cell."""
        assert self.length is not None
        if not self.inner:
            return 0 <= indices[0] < self.length
        lengths = (self.length, *self.inner)
        return all(0 <= index < length for index, length in zip(indices, lengths, strict=True))


@dataclass(slots=True)
class Array:
    """An array of a run: a name for an object, whose element 0 (along the first axis) is the object's cell `origin`."""

    name: str
    memory: Memory
    origin: int = 0
    touched: Touched = field(default_factory=Touched)

    def size(self, axis: int) -> int:
        """The number of elements; raises SourceUndefined of arrays of which nothing says how long they are."""
        if self.memory.length is None:
            raise SourceUndefined(f"how long {self.name} is, is not known")
        return self.memory.inner[axis - 1] if axis else self.memory.length - self.origin

    def at(self, indices: tuple[int, ...]) -> Value:
        """The element; raises SourceUndefined outside the object and for a cell without meaning."""
        memory = self.memory
        place = (indices[0] + self.origin, *indices[1:]) if self.origin else indices
        if memory.length is not None and not memory.has(place):
            raise SourceUndefined(f"read of {self._shown(indices)} is outside the array", immediate=True)
        if memory.recording:
            self.touched.note_read(indices)
        cell = place[0] if len(place) == 1 else place
        cells = memory.cells
        if cell not in cells:
            if memory.fill is None:
                raise SourceUndefined(f"{self._shown(indices)} is not initialised", immediate=min(place) < 0)
            cells[cell] = memory.fill(cell)
        return defined(cells[cell])

    def store(self, indices: tuple[int, ...], value: Value) -> None:
        """Changes an element."""
        memory = self.memory
        place = (indices[0] + self.origin, *indices[1:]) if self.origin else indices
        outside = (memory.length is not None and not memory.has(place)) or (memory.fill is None and min(place) < 0)
        if outside or (memory.most is not None and place[0] >= memory.most):
            raise SourceUndefined(f"write of {self._shown(indices)} is outside the array", immediate=True)
        if memory.recording:
            self.touched.note_written(indices)
        memory.cells[place[0] if len(place) == 1 else place] = value

    put = store

    def _shown(self, indices: tuple[int, ...]) -> str:
        return f"{self.name}[{', '.join(map(str, indices))}]"

    def copy(self) -> Array:
        """The contents as they are now, in an object of its own."""
        own = self.memory
        memory = Memory(dict(own.cells), own.length, own.fill, recording=False, inner=own.inner, most=own.most)
        return Array(self.name, memory, self.origin)


def _widen(seen: Span | None, index: int) -> Span:
    if seen is None:
        return (index, index)
    low, high = seen
    return seen if low <= index <= high else (min(low, index), max(high, index))
