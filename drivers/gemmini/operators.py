"""What the calls of Gemmini's library compute: 8-bit operands, 32-bit accumulators, rounding and saturation.

A scale is `n / 2**bits`. The library multiplies by it in floats; for up to 16 bits that is exact. A product of an 8-bit number
needs at most 24 bits. That of an accumulator does too, or is at least 2**(24 - bits), which is saturated, and so is the float
next to it. Rounding is to the nearest, ties to even. That relu comes before or after the scale makes no difference, because the
scale is positive.
"""

from __future__ import annotations

from metalift.driver import Driver, Int8, Int32, Matrix, Size, convert, exact, size
from metalift.ir.program.kernel import Machine

DIM = 16
SCRATCHPAD = 256 << 10
ACCUMULATOR = 64 << 10
MACHINE = Machine(
    rows=DIM, work=SCRATCHPAD // DIM, sums=ACCUMULATOR // DIM, bank=DIM, exact=1 << 31, columns=DIM, stores_sums=True
)
driver: Driver = Driver("gemmini", targets=())
LARGEST = 65536  # numerator
MOST_BITS = 16


def nearest(x: int, bits: int) -> int:
    """x / 2**bits, ties to even."""
    if bits == 0:
        return x
    down = x >> bits
    rest = x - (down << bits)
    up = 2 * rest > 1 << bits or (2 * rest == 1 << bits and down % 2 == 1)
    return down + 1 if up else down


def saturated(x: int) -> int:
    """As 8 bits keep it."""
    return min(max(x, -128), 127)


def activated(x: int, relu: int) -> int:
    """NO_ACTIVATION, or RELU."""
    return max(x, 0) if relu == 1 else x


def moved(x: int, n: int, bits: int) -> int:
    """An element on its way in."""
    return saturated(nearest(n * exact(x), bits))


def finished(accumulator: int, relu: int, n: int, bits: int) -> int:
    """An accumulator on its way out."""
    return saturated(nearest(n * activated(exact(accumulator), relu), bits))


def product(a: Matrix[Int8], b: Matrix[Int8], i: int, j: int) -> Int32:
    """What the array accumulates for an element."""
    return sum(convert(a[i][k]) * convert(b[k][j]) for k in range(len(b)))


@driver.define(requires=lambda a, b: 1 <= len(b) and size(a, 1) == len(b))
def matmul_full(a: Matrix[Int8], b: Matrix[Int8]) -> Matrix[Int32]:
    return [[product(a, b, i, j) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(requires=lambda a, b, c: 1 <= len(b) and size(a, 1) == len(b) and len(c) == len(a) and size(c, 1) == size(b, 1))
def matmul_full_bias(a: Matrix[Int8], b: Matrix[Int8], c: Matrix[Int32]) -> Matrix[Int32]:
    return [[c[i][j] + product(a, b, i, j) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(
    requires=lambda a, b, relu, n, bits: (
        1 <= len(b) and size(a, 1) == len(b) and 0 <= relu and relu <= 1 and 1 <= n and n <= 65536 and 0 <= bits and bits <= 16
    )
)
def matmul(a: Matrix[Int8], b: Matrix[Int8], relu: Size, n: Size, bits: Size) -> Matrix[Int8]:
    return [[convert(finished(product(a, b, i, j), relu, n, bits)) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(
    requires=lambda a, b, c, relu, n, bits: (
        1 <= len(b) and size(a, 1) == len(b) and len(c) == len(a) and size(c, 1) == size(b, 1)
        and 0 <= relu and relu <= 1 and 1 <= n and n <= 65536 and 0 <= bits and bits <= 16
    )
)  # fmt: skip
def matmul_bias(a: Matrix[Int8], b: Matrix[Int8], c: Matrix[Int32], relu: Size, n: Size, bits: Size) -> Matrix[Int8]:
    return [[convert(finished(c[i][j] + product(a, b, i, j), relu, n, bits)) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(
    requires=lambda a, b, n_a, bits_a, n_b, bits_b, relu, n, bits: (
        len(a) == len(b) and size(a, 1) == size(b, 1) and 0 <= relu and relu <= 1
        and -65536 <= n_a and n_a <= 65536 and 0 <= bits_a and bits_a <= 16
        and -65536 <= n_b and n_b <= 65536 and 0 <= bits_b and bits_b <= 16
        and 1 <= n and n <= 65536 and 0 <= bits and bits <= 16
    )
)  # fmt: skip
def resadd(
    a: Matrix[Int8], b: Matrix[Int8], n_a: Size, bits_a: Size, n_b: Size, bits_b: Size, relu: Size, n: Size, bits: Size
) -> Matrix[Int8]:
    return [
        [
            convert(finished(moved(a[i][j], n_a, bits_a) + moved(b[i][j], n_b, bits_b), relu, n, bits))
            for j in range(size(a, 1))
        ]
        for i in range(len(a))
    ]


@driver.elementwise()
def move_in(x: Int8, n: Size, bits: Size) -> Int32:
    return convert(moved(x, n, bits))


@driver.elementwise()
def accumulate(x: Int32, y: Int32) -> Int32:
    return x + y


@driver.elementwise()
def move_out(x: Int32, relu: Size, n: Size, bits: Size) -> Int8:
    return convert(finished(x, relu, n, bits))
