"""Running reductions: what there is up to each element, of vectors and along axes."""

from __future__ import annotations

import math

from metalift.driver import Elem, Int, Real, Vec

from .base import driver, spelled


@driver.axiswise(emit=spelled("lib.cumsum({x}, axis={axis})", pytorch="torch.cumsum({x}, {axis})"))
def running_totals(x: Vec[Real]) -> Vec[Real]:
    return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        "lib.cumsum({x}, axis={axis}, dtype={dtype})",
        pytorch="torch.cumsum({x}, {axis}, dtype={dtype})",
        tensorflow="tf.cumsum({x}, axis={axis})",
        mlx="mx.cumsum({x}, axis={axis}).astype({dtype})",
    )
)
def integer_running_totals(x: Vec[Int]) -> Vec[Int]:
    return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        "lib.cumprod({x}, axis={axis})",
        pytorch="torch.cumprod({x}, {axis})",
        tensorflow="tf.math.cumprod({x}, axis={axis})",
    )
)
def running_products(x: Vec[Real]) -> Vec[Real]:
    return [math.prod(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        "lib.cumprod({x}, axis={axis}, dtype={dtype})",
        pytorch="torch.cumprod({x}, {axis}, dtype={dtype})",
        tensorflow="tf.math.cumprod({x}, axis={axis})",
        mlx="mx.cumprod({x}, axis={axis}).astype({dtype})",
    )
)
def integer_running_products(x: Vec[Int]) -> Vec[Int]:
    return [math.prod(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.maximum.accumulate({x}, axis={axis})",
        pytorch="torch.cummax({x}, {axis}).values",
        jax="jax.lax.cummax({x}, axis={axis})",
        mlx="mx.cummax({x}, axis={axis})",
    )
)
def running_maxima(x: Vec[Elem]) -> Vec[Elem]:
    return [max(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.minimum.accumulate({x}, axis={axis})",
        pytorch="torch.cummin({x}, {axis}).values",
        jax="jax.lax.cummin({x}, axis={axis})",
        mlx="mx.cummin({x}, axis={axis})",
    )
)
def running_minima(x: Vec[Elem]) -> Vec[Elem]:
    return [min(x[j] for j in range(i + 1)) for i in range(len(x))]
