"""Parts of arrays that are blocks of it: a reshaped array has in them what is at the indices that were asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metalift.codegen.blocks import blocks
from metalift.ir.arith.bounds import Facts
from metalift.ir.arith.polynomial import Polynomial

ONE = Polynomial.constant
AXES = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=3)


def _shape(sizes: list[int], found: list[tuple[int, int, int]]) -> list[int]:
    return [length for at, into, _ in found for length in ([sizes[at]] if into == 1 else [sizes[at], into])]


@given(AXES, st.integers(0, 3))
def test_blocks_are_found(axes: list[tuple[int, int, int]], more: int) -> None:
    """Each axis goes over every `into`-th block of the ones inside of it, from the block `taken` on."""
    strides: list[int] = []
    start, step = 0, 1
    for size, into, taken in reversed(axes):
        start += step * (taken % into)
        strides.insert(0, step * into)
        step *= into * size
    sizes = [size for size, _, _ in axes]
    found = blocks(ONE(step + more), [ONE(size) for size in sizes], ONE(start), list(enumerate(map(ONE, strides))), Facts([]))
    if found is None:  # one stride is another axis' as well where a size is 1
        assert 1 in sizes
        return
    view: Any = np.arange(step + more)[:step].reshape(_shape(sizes, found))
    for axis, (_, into, taken) in reversed(list(enumerate(found))):
        view = view.take(taken, axis + 1 + sum(other > 1 for _, other, _ in found[:axis])) if into > 1 else view
    view = view.transpose(np.argsort([at for at, _, _ in found]))
    wanted = np.full(sizes, start)
    for stride, index in zip(strides, np.indices(sizes), strict=True):
        wanted += stride * index
    assert (view == wanted).all()


def test_no_blocks() -> None:
    assert blocks(ONE(12), [ONE(2), ONE(3)], ONE(0), [(0, ONE(5)), (1, ONE(1))], Facts([])) is None  # rows of 3, 5 apart
    assert blocks(ONE(11), [ONE(2), ONE(3)], ONE(3), [(0, ONE(6)), (1, ONE(1))], Facts([])) is None  # the last is cut off
    assert blocks(ONE(12), [ONE(2), ONE(3)], ONE(1), [(0, ONE(6)), (1, ONE(1))], Facts([])) is None  # across two blocks
