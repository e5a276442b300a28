"""Arrays that are written in parts side by side, as both halves of each head are: one new array of all parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metalift.codegen.updates import uses_binders
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Build, Select
from metalift.ir.program.summary import Write

Size = Polynomial


@dataclass(frozen=True, slots=True)
class Stack:
    """The positions of the writes of an array's parts, in the order of the parts, and the axis, one more than a part has, along
    which these lie."""

    order: tuple[int, ...]
    axis: int


def stacked(writes: Sequence[Write], length: Size) -> Stack | None:
    """The parts that together are all elements of an array of a length, one after the other; None where they are not."""
    found = [_place(write) for write in writes]
    places = [each for each in found if each is not None]
    if len(writes) < 2 or len(places) < len(writes) or any(each[1:] != places[0][1:] for each in places):
        return None
    _, strides, sizes = places[0]
    for axis in range(len(sizes) + 1):
        inner = _product(sizes[axis:])
        numbers = {_times(each[0], inner): at for at, each in enumerate(places)}
        if set(numbers) != set(range(len(writes))):
            continue
        wanted = [*sizes[:axis], Polynomial.constant(len(writes)), *sizes[axis:]]
        laid = [_product(wanted[at + 1 :]) for at in range(len(wanted))]
        if [each for at, each in enumerate(laid) if at != axis] == list(strides) and _product(wanted) == length:
            return Stack(tuple(numbers[at] for at in range(len(writes))), axis)
    return None


def _place(write: Write) -> tuple[Size, tuple[Size, ...], tuple[Size, ...]] | None:
    """Where a part begins, and its strides and sizes, slowest first; None where it is none, or one number for all of it."""
    window = write.window
    if write.guard != TRUE or (isinstance(write.value, Build) and not uses_binders(write.value)):
        return None
    if not isinstance(window, Build) or not isinstance(window.body, Select) or len(window.body.indices) != 1:
        return None
    affine = Polynomial.of(window.body.indices[0]).affine_in(window.binders)
    if affine is None:
        return None
    return affine[1], tuple(affine[0][binder] for binder in window.binders), tuple(map(Polynomial.of, window.extents))


def _product(sizes: Sequence[Size]) -> Size:
    found = Polynomial.constant(1)
    for size in sizes:
        found = found * size
    return found


def _times(whole: Size, part: Size) -> int:
    """How many times the part the whole is; -1 where it is no such number."""
    times, rest = whole.divide(part)
    known = times.constant_value
    return known if rest == Polynomial() and known is not None else -1
