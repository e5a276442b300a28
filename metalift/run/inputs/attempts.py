"""What is tried on a fragment: sizes, other scalars, and what arrays hold; whether it is a valid input is not asked here."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product
from math import prod

from metalift.ir.expr.nodes import Apply, Operator, Select, Var
from metalift.ir.expr.types import IntType, MachineInt, RealType, ScalarType, TensorType, is_identity, is_integer
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.arithmetic import fits
from metalift.ir.interp.identities import content, of_parts
from metalift.ir.interp.values import Cell, all_indices
from metalift.ir.program.fragment import Assign, Fragment, Param, ParamKind, Store
from metalift.run.inputs.concrete import Contents, Grid, Scalar, Values, cells_of, rounded, shape_of
from metalift.run.inputs.ordered import Segments
from metalift.run.inputs.roles import Roles

LONGEST = 4096  # elements of an array
LONGEST_VECTOR = 80  # elements of a vector, all of which have to be made
MOST_CELLS = 1600  # elements of a vector of vectors
_ROW = 7  # patterns of arrays of several axes are those of rows of so many elements
_SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20, 31, 32, 33)
_LARGE = (16, 17, 18, 20, 31, 33, 40)
_EQUAL = 0.75  # how often those are equal that conditions ask to be
_HOSTILE = (-1, -2, -7, -(2**31), 2**31 - 1, 2**16, 70)


@dataclass(slots=True)
class Cells:
    """The initial contents of an array, made up when asked for."""

    draw: Callable[[int], Scalar]
    drawn: dict[Cell, Scalar] = field(default_factory=dict)

    def __call__(self, cell: Cell) -> Scalar:
        drawn = self.drawn.get(cell)
        if drawn is None:
            drawn = self.drawn[cell] = self.draw(_number(cell))
        return drawn

    def at(self, index: tuple[int, ...]) -> Scalar:
        """The element at these indices."""
        return self(index[0] if len(index) == 1 else index)


def _number(cell: Cell) -> int:
    """A cell as a number, for patterns."""
    if isinstance(cell, int):
        return cell
    return sum(index * _ROW**axis for axis, index in enumerate(reversed(cell)))


@dataclass(frozen=True, slots=True)
class Attempt:
    """Scalars, and for each array its shape (None for a pointer) and its cells; `more`: elements that are not needed."""

    scalars: Mapping[str, Scalar]
    arrays: Mapping[str, tuple[tuple[int, ...] | None, Cells]]
    more: int = 0


def attempt_of(fragment: Fragment, values: Mapping[str, Scalar | Contents]) -> Attempt:
    """An attempt that gives these values; further elements of its arrays are those that they have, again and again."""
    scalars: dict[str, Scalar] = {}
    arrays: dict[str, tuple[tuple[int, ...] | None, Cells]] = {}
    for param in fragment.params:
        value = values.get(param.var.name)
        if isinstance(value, tuple | Grid):
            shape = shape_of(value)
            numbered = zip(all_indices(shape), cells_of(value), strict=True)
            drawn: dict[Cell, Scalar] = {index[0] if len(index) == 1 else index: cell for index, cell in numbered}
            draw = partial(_repeated, cells_of(value) or Values.small(element_type(param)))
            arrays[param.var.name] = (shape if _is_vector(param) else None, Cells(draw, drawn))
        elif value is not None:
            scalars[param.var.name] = value
    return Attempt(scalars, arrays)


def _repeated(cells: Sequence[Scalar], index: int) -> Scalar:
    return cells[index % len(cells)]


@dataclass(frozen=True, slots=True)
class Attempts:
    """Draws attempts for a fragment; arrays in `shared` have the buffer of another one and no cells of their own."""

    fragment: Fragment
    roles: Roles
    rng: random.Random
    shared: Collection[str]
    pivoted: frozenset[str] = field(init=False)  # arrays that are divided by their own elements

    def __post_init__(self) -> None:
        object.__setattr__(self, "pivoted", pivoted(self.fragment))

    def all(self) -> Iterator[Attempt]:
        """Small and random attempts in turn, then random ones without end."""
        others = self.random()
        for attempt in self.small():
            yield attempt
            yield next(others)
        yield from others

    def small(self) -> Iterator[Attempt]:
        """All small sizes with all combinations of a few values for what is read, as far as they are not too many."""
        slots = self._size_slots()
        wide = 4 if len(slots) <= 3 else 2
        tuples = sorted(product(range(wide), repeat=len(slots)), key=lambda sizes: (max(sizes, default=0), sum(sizes), sizes))
        for sizes in tuples[:64]:
            cells = max(sizes, default=1)
            ways = range(16) if cells <= 1 else [0, *(self.rng.randrange(4**12) for _ in range(5))]
            for way in ways:
                yield self._enumerated(dict(zip(slots, sizes, strict=True)), way)

    def _enumerated(self, sizes: Mapping[str, int], way: int) -> Attempt:
        """The `way`-th choice among few values for each scalar and each cell, in the order in which they are asked for."""
        left = way

        def choose(type_: ScalarType) -> Scalar:
            nonlocal left
            options = Values.small(type_)
            left, digit = divmod(left, len(options))
            return options[digit]

        def cells(type_: ScalarType) -> Cells:
            return Cells(lambda index: choose(type_))

        scalars: dict[str, Scalar] = {}
        for param in self._scalars():
            name, type_ = param.var.name, element_type(param)
            scalars[name] = _sized(sizes[name], type_) if name in sizes else choose(type_)
        arrays = {param.var.name: (self._shape(param, sizes), cells(element_type(param))) for param in self._owned_arrays()}
        return Attempt(scalars, arrays)

    def random(self) -> Iterator[Attempt]:
        """Random and hostile attempts, without end."""
        values = Values(self.rng, tuple(self.roles.constants), self.roles.functions)
        while True:
            sizes = self._random_sizes()
            scalars: dict[str, Scalar] = {}
            for param in self._scalars():
                name, type_ = param.var.name, element_type(param)
                scalars[name] = _sized(sizes[name], type_) if name in sizes else values.scalar(type_)
            for group in self.roles.alike:
                if self.rng.random() < _EQUAL:
                    shared = scalars[self.rng.choice(group).name]
                    scalars |= {var.name: shared for var in group if isinstance(shared, int) and fits(shared, var.type)}
            arrays = {}
            segments = Segments(self.rng, self.rng.choice((1, 2, 3, 5)))
            for param in self._owned_arrays():
                type_ = element_type(param)
                draw = values.cells(type_)
                order = self.roles.orders.get(param.var)
                if order is not None and self.rng.random() < 0.9:
                    draw = segments.cells(order, type_)
                elif param.var in self.roles.pointing and is_integer(type_) and self.rng.random() < 0.7:
                    draw = values.index_cells(max(sizes.values(), default=4), type_)
                arrays[param.var.name] = (self._shape(param, sizes), Cells(draw))
            self._occurring(scalars, arrays)
            more = self.rng.choice((0, 0, 0, 1, 2))
            for param in self._owned_arrays():
                if param.var.name in self.pivoted:
                    shape, cells = arrays[param.var.name]
                    arrays[param.var.name] = (shape, Cells(self._dominant(cells.draw, element_type(param), sizes)))
            yield Attempt(scalars, arrays, more)

    def _dominant(
        self, draw: Callable[[int], Scalar], type_: ScalarType, sizes: Mapping[str, int]
    ) -> Callable[[int], Scalar]:
        """Mostly a matrix with a large diagonal, by rows: others may lose all digits where they are divided by what is left."""
        literals = (int(c) for c in sorted(self.roles.constants) if c.denominator == 1 and 2 < c <= 64)
        steps = [size + 1 for size in (*literals, *sizes.values()) if size > 0]
        if not steps or not isinstance(type_, RealType) or self.rng.random() < 0.3:
            return draw
        step, bits = self.rng.choice(steps), type_.bits
        return lambda index: rounded(float(draw(index)) / 64 + (8 if index % step == 0 else 0), bits)

    def _occurring(self, scalars: dict[str, Scalar], arrays: Mapping[str, tuple[tuple[int, ...] | None, Cells]]) -> None:
        """Make a key one that occurs in arrays, mostly, and some scalars parts of records."""
        key = self.fragment.key
        if any(is_identity(element_type(param)) for param in self.fragment.params):
            self._alike(scalars, arrays)
            return
        if key is None or not is_integer(element_type(key)):
            return
        alike = [param.var.name for param in self._owned_arrays() if is_integer(element_type(param))]
        if alike and self.rng.random() < 0.8:
            found = arrays[self.rng.choice(alike)][1](self.rng.randrange(4))
            if isinstance(found, int) and fits(found, element_type(key)):
                scalars[key.var.name] = found

    def _alike(self, scalars: dict[str, Scalar], arrays: Mapping[str, tuple[tuple[int, ...] | None, Cells]]) -> None:
        """Let scalars be what is in arrays at one index, or a part of it."""
        index, found = self.rng.randrange(4), list[tuple[ScalarType, Scalar]]()
        for param in self._owned_arrays():
            found += _with_parts(element_type(param), arrays[param.var.name][1](index))
        for param in self._scalars():
            if param.var not in self.roles.sizes and self.rng.random() < (0.8 if param == self.fragment.key else 0.4):
                made = self._of(found, element_type(param))
                scalars[param.var.name] = scalars[param.var.name] if made is None else made

    def _of(self, found: Sequence[tuple[ScalarType, Scalar]], wanted: ScalarType) -> Scalar | None:
        """One of the values, as one of a type, or a tuple of some; None where there is none."""
        options = [value for type_, value in found if type_ == wanted or (is_integer(type_) and _is_value(value, wanted))]
        if options:
            return self.rng.choice(options)
        if not isinstance(wanted, IntType) or wanted.of != "tuple":
            return None
        parts = [self._of(found, type_) for _, type_ in wanted.fields]
        return of_parts([part for part in parts if part is not None]) if None not in parts else None

    def _random_sizes(self) -> dict[str, int]:
        """Equal, related, independent, small, lopsided or hostile sizes."""
        rng, slots = self.rng, self._size_slots()
        literals = [int(c) for c in sorted(self.roles.constants) if c.denominator == 1 and 2 < c <= 64]
        pool = (*_SIZES, *(size for c in literals for size in (c - 1, c, c + 1, 2 * c, 3 * c)))
        base = rng.choice(pool[: rng.choice((6, 9, len(pool)))])  # more often small: large ones take long and tell little more
        match rng.randrange(8):
            case 0 | 1:
                return dict.fromkeys(slots, base)
            case 2:
                return {slot: max(0, base + rng.choice((-1, 0, 0, 1, 2))) for slot in slots}
            case 3:
                return {slot: rng.choice(pool) for slot in slots}
            case 4:
                return {slot: rng.randrange(6) for slot in slots}
            case 5:
                sizes = {slot: rng.randint(0, 5) for slot in slots}
                factors = rng.choices(slots, k=2) if slots else []
                return {
                    **sizes,
                    **{slot: prod(sizes[factor] for factor in factors) for slot in rng.sample(slots, min(1, len(slots)))},
                }
            case 6:
                sizes = {slot: rng.randint(1, 3) for slot in slots}
                return {**sizes, **{slot: rng.choice(_LARGE) for slot in rng.sample(slots, min(1, len(slots)))}}
            case _:
                sizes = {slot: rng.randint(0, 4) for slot in slots}
                return {**sizes, **{slot: rng.choice(_HOSTILE) for slot in rng.sample(slots, min(1, len(slots)))}}

    def _size_slots(self) -> list[str]:
        """The parameters that have a size: scalars that decide trip counts or indices, and the axes of vectors."""
        slots: list[str] = []
        for param in self.fragment.params:
            if param.var in self.roles.sizes:
                slots.append(param.var.name)
            elif _is_vector(param):
                slots += [_axis_slot(param, axis) for axis in range(param.rank)]
        return slots

    def _scalars(self) -> list[Param]:
        return [param for param in self.fragment.params if not isinstance(param.var.type, TensorType)]

    def _owned_arrays(self) -> list[Param]:
        params = [param for param in self.fragment.params if isinstance(param.var.type, TensorType)]
        return [param for param in params if param.var.name not in self.shared]

    @staticmethod
    def _shape(param: Param, sizes: Mapping[str, int]) -> tuple[int, ...] | None:
        if not _is_vector(param):
            return None
        shape = tuple(min(max(0, sizes[_axis_slot(param, axis)]), LONGEST_VECTOR) for axis in range(param.rank))
        return shape if prod(shape) <= MOST_CELLS else tuple(min(extent, 3) for extent in shape)


def pivoted(fragment: Fragment) -> frozenset[str]:
    """The arrays of real numbers with elements that are divided by, and that are written."""
    statements = [statement for block in fragment.blocks for statement in block.body]
    read = {s.target: s.value.tensor for s in statements if isinstance(s, Assign) and isinstance(s.value, Select)}
    parts = (part for s in statements if isinstance(s, Assign | Store) for part in subexpressions(s.value))
    divisors = [part.args[1] for part in parts if isinstance(part, Apply) and part.op is Operator.DIV]
    arrays = {by.tensor if isinstance(by, Select) else read.get(by) for by in divisors if isinstance(by, Select | Var)}
    return frozenset(s.array.name for s in statements if isinstance(s, Store) and s.array in arrays)


def _axis_slot(param: Param, axis: int) -> str:
    """The name of a size of an array; it is no name of a parameter where there are several."""
    return param.var.name if axis == 0 else f"{param.var.name}[{axis}]"


def _is_vector(param: Param) -> bool:
    return param.kind in (ParamKind.VECTOR, ParamKind.VECTOR_REF)


def element_type(param: Param) -> ScalarType:
    """The type of a scalar, or of an array's elements."""
    type_ = param.var.type.element if isinstance(param.var.type, TensorType) else param.var.type
    assert isinstance(type_, ScalarType)
    return type_


def _sized(size: int, type_: ScalarType) -> Scalar:
    """A size as a value of the parameter's type, clipped to its range."""
    match type_:
        case MachineInt():
            return min(max(size, type_.low), type_.high)
        case RealType():
            return Fraction(size)
        case _:
            return size


def _is_value(value: Scalar, type_: ScalarType) -> bool:
    return is_integer(type_) and isinstance(value, int) and fits(value, type_)


def _with_parts(type_: ScalarType, value: Scalar) -> Iterator[tuple[ScalarType, Scalar]]:
    """A value with its type, and if it is a tuple or record its parts with theirs."""
    yield type_, value
    parts = content(value) if isinstance(type_, IntType) and isinstance(value, int) else None
    if isinstance(type_, IntType) and isinstance(parts, tuple):
        for (_, each), part in zip(type_.fields, parts, strict=False):
            yield from _with_parts(each, part)
