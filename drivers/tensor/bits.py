"""Integers as rows of bits, all elements of a vector together."""

from __future__ import annotations

from metalift.driver import Int, Vec

from .base import driver, spelled


@driver.axiswise(emit=spelled(numpy="np.bitwise_or.reduce({x}, axis={axis}, initial={start}).astype({dtype})"))
def bits_in_any(x: Vec[Int], start: Int) -> Int:
    for v in x:
        start = start | v
    return start


@driver.axiswise(emit=spelled(numpy="np.bitwise_and.reduce({x}, axis={axis}, initial={start}).astype({dtype})"))
def bits_in_all(x: Vec[Int], start: Int) -> Int:
    for v in x:
        start = start & v
    return start


@driver.axiswise(emit=spelled(numpy="np.bitwise_xor.reduce({x}, axis={axis}, initial={start}).astype({dtype})"))
def bits_in_an_odd_number(x: Vec[Int], start: Int) -> Int:
    for v in x:
        start = start ^ v
    return start
