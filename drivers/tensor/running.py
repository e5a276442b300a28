"""Running reductions: what there is up to each element, of vectors and along axes."""

from __future__ import annotations

import math

from metalift.driver import Elem, Int, Real, Vec

from .base import called, driver, spelled


@driver.axiswise(
    emit=spelled(
        numpy="np.cumsum({x}, axis={axis})",
        pytorch="torch.cumsum({x}, {axis})",
        jax="jnp.cumsum({x}, axis={axis})",
        tensorflow="tf.cumsum({x}, axis={axis})",
        mlx="mx.cumsum({x}, axis={axis})",
    ),
    whole=called("cumsum", "{x}", pytorch=""),
)
def running_totals(x: Vec[Real]) -> Vec[Real]:
    return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.cumsum({x}, axis={axis}, dtype={dtype})",
        pytorch="torch.cumsum({x}, {axis}, dtype={dtype})",
        jax="jnp.cumsum({x}, axis={axis}, dtype={dtype})",
        tensorflow="tf.cumsum({x}, axis={axis})",
        mlx="mx.cumsum({x}, axis={axis}).astype({dtype})",
    ),
    whole=spelled(
        numpy="np.cumsum({x}, dtype={dtype})",
        jax="jnp.cumsum({x}, dtype={dtype})",
        tensorflow="tf.cumsum({x})",
        mlx="mx.cumsum({x}).astype({dtype})",
    ),
)
def integer_running_totals(x: Vec[Int]) -> Vec[Int]:
    return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.cumprod({x}, axis={axis})",
        pytorch="torch.cumprod({x}, {axis})",
        jax="jnp.cumprod({x}, axis={axis})",
        tensorflow="tf.math.cumprod({x}, axis={axis})",
        mlx="mx.cumprod({x}, axis={axis})",
    ),
    whole=called("cumprod", "{x}", pytorch="", tensorflow="tf.math.cumprod"),
)
def running_products(x: Vec[Real]) -> Vec[Real]:
    return [math.prod(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.cumprod({x}, axis={axis}, dtype={dtype})",
        pytorch="torch.cumprod({x}, {axis}, dtype={dtype})",
        jax="jnp.cumprod({x}, axis={axis}, dtype={dtype})",
        tensorflow="tf.math.cumprod({x}, axis={axis})",
        mlx="mx.cumprod({x}, axis={axis}).astype({dtype})",
    ),
    whole=spelled(
        numpy="np.cumprod({x}, dtype={dtype})",
        jax="jnp.cumprod({x}, dtype={dtype})",
        tensorflow="tf.math.cumprod({x})",
        mlx="mx.cumprod({x}).astype({dtype})",
    ),
)
def integer_running_products(x: Vec[Int]) -> Vec[Int]:
    return [math.prod(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.maximum.accumulate({x}, axis={axis})",
        pytorch="torch.cummax({x}, {axis}).values",
        jax="jax.lax.cummax({x}, axis={axis})",
        mlx="mx.cummax({x}, axis={axis})",
    ),
    whole=spelled(numpy="np.maximum.accumulate({x})", mlx="mx.cummax({x})"),
)
def running_maxima(x: Vec[Elem]) -> Vec[Elem]:
    return [max(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.axiswise(
    emit=spelled(
        numpy="np.minimum.accumulate({x}, axis={axis})",
        pytorch="torch.cummin({x}, {axis}).values",
        jax="jax.lax.cummin({x}, axis={axis})",
        mlx="mx.cummin({x}, axis={axis})",
    ),
    whole=spelled(numpy="np.minimum.accumulate({x})", mlx="mx.cummin({x})"),
)
def running_minima(x: Vec[Elem]) -> Vec[Elem]:
    return [min(x[j] for j in range(i + 1)) for i in range(len(x))]
