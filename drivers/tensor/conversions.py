"""Conversions between element types, and constants: the numbers from a start, numbers as arrays."""

from __future__ import annotations

from metalift.driver import Bool, Matrix, Real, Scalar, Size, To, Vec, convert

from .base import driver, spelled


@driver.elementwise(emit=spelled("{a}.astype({dtype})", tensorflow="tf.cast({a}, {dtype})"), cost=0.5)
def cast(a: Scalar) -> To:
    return convert(a)


@driver.elementwise(emit=spelled("{c}.astype({dtype})", tensorflow="tf.cast({c}, {dtype})"), cost=0.5)
def indicator(c: Bool) -> To:
    return 1 if c else 0


@driver.elementwise(
    emit=spelled(
        "{dtype}({a})",
        pytorch="torch.tensor({a}, dtype={dtype})",
        tensorflow="tf.constant({a}, dtype={dtype})",
        mlx="mx.array({a}, dtype={dtype})",
    ),
    plain=("a",),
    cost=0.3,
)
def scalar(a: Scalar) -> Scalar:
    return a


@driver.define(
    emit=spelled(
        "lib.arange({n}, dtype={dtype})",
        pytorch="torch.arange({n}, dtype={dtype}, device={near}.device)",
        tensorflow="tf.cast(tf.range({n}), {dtype})",
    ),
    requires=lambda n: n >= 0,
)
def arange(n: Size) -> Vec[To]:
    return [convert(i) for i in range(n)]


@driver.define(
    emit=spelled(
        numpy="np.arange({start}, {start} + {n}).astype({dtype})",  # counted in other types, steps are rounded, or it raises
        pytorch="torch.arange({start}, {start} + {n}, device={near}.device).to({dtype})",
        jax="jnp.arange({start}, {start} + {n}, dtype={dtype})",
        tensorflow="tf.cast(tf.range({start}, {start} + {n}), {dtype})",
        mlx="mx.arange({start}, {start} + {n}, dtype=mx.int64).astype({dtype})",
    ),
    requires=lambda start, n: n >= 0 and start + n < 2**63,
    cost=1.1,
)
def arange_from(start: Size, n: Size) -> Vec[To]:
    return [convert(start + i) for i in range(n)]


@driver.define(
    emit=spelled(numpy="np.linspace({start}, {stop}, {n}, dtype={dtype})"),  # in float64; elsewhere its rounding shows near 0
    requires=lambda n: n > 1,
    plain=("start", "stop"),
)
def linspace(start: Real, stop: Real, n: Size) -> Vec[Real]:
    return [start + (stop - start) * convert(i) / convert(n - 1) for i in range(n)]


@driver.define(emit=spelled("lib.eye({n}, dtype={dtype})"), requires=lambda n: n >= 0)
def identity(n: Size) -> Matrix[To]:
    return [[1 if i == j else 0 for j in range(n)] for i in range(n)]
