"""Reductions of all elements or along axes: sums, products, means, norms, extremes and their places, whether any or all hold."""

from __future__ import annotations

import math

from metalift.driver import Bool, Elem, Int, Integer, Matrix, Real, To, Vec, convert, exact, size

from .base import called, driver, spelled, typed

INTEGER_SUM = spelled(
    numpy="np.sum({x}, axis={axis}, dtype={dtype})",
    pytorch="torch.sum({x}, dim={axis}, dtype={dtype})",
    jax="jnp.sum({x}, axis={axis}, dtype={dtype})",
    tensorflow="tf.reduce_sum(tf.cast({x}, {dtype}), axis={axis})",
    mlx="mx.sum({x}, axis={axis}).astype({dtype})",
)
INTEGER_SUM_OF_ALL = spelled(
    numpy="np.sum({x}, dtype={dtype})",
    pytorch="torch.sum({x}, dtype={dtype})",
    jax="jnp.sum({x}, dtype={dtype})",
    tensorflow="tf.reduce_sum(tf.cast({x}, {dtype}))",
    mlx="mx.sum({x}).astype({dtype})",
)
PRODUCT = called("prod", "{x}", tensorflow="tf.reduce_prod")
MEAN = called("mean", "{x}", tensorflow="tf.reduce_mean")


@driver.axiswise(
    emit=called("sum", "{x}, axis={axis}", tensorflow="tf.reduce_sum"),
    whole=called("sum", "{x}", tensorflow="tf.reduce_sum"),
    several=True,
)
def total(x: Vec[Real]) -> Real:
    return sum(x)


@driver.axiswise(
    emit=INTEGER_SUM,
    whole=INTEGER_SUM_OF_ALL,
    several=True,
)
def integer_total(x: Vec[Int]) -> Int:
    return sum(x)


@driver.axiswise(
    emit=INTEGER_SUM,
    whole=INTEGER_SUM_OF_ALL,
)
def count(x: Vec[Bool]) -> To:
    return sum(1 if v else 0 for v in x)


@driver.define(
    emit=spelled(
        numpy="np.sum({x}, dtype={dtype})",
        pytorch="torch.sum({x}, dtype=torch.int64).to({dtype})",
        jax="jnp.sum({x}, dtype={dtype})",
        tensorflow="tf.reduce_sum(tf.cast({x}, {dtype}))",
        mlx="mx.sum({x}.astype({dtype})).astype({dtype})",
    ),
)
def wrapping_total(x: Vec[Integer]) -> Int:
    s = 0
    for v in x:
        s = convert(exact(s) + exact(v))
    return s


@driver.axiswise(emit=called("prod", "{x}, axis={axis}", tensorflow="tf.reduce_prod"), whole=PRODUCT)
def product(x: Vec[Real]) -> Real:
    return math.prod(x)


@driver.axiswise(
    emit=spelled(
        numpy="np.prod({x}, axis={axis}, dtype={dtype})",
        pytorch="torch.prod({x}, dim={axis}, dtype={dtype})",
        jax="jnp.prod({x}, axis={axis}, dtype={dtype})",
        tensorflow="tf.reduce_prod({x}, axis={axis})",
        mlx="mx.prod({x}, axis={axis}).astype({dtype})",
    ),
    whole=spelled(
        numpy="np.prod({x}, dtype={dtype})",
        pytorch="torch.prod({x}, dtype={dtype})",
        jax="jnp.prod({x}, dtype={dtype})",
        tensorflow="tf.reduce_prod({x})",
        mlx="mx.prod({x}).astype({dtype})",
    ),
)
def integer_product(x: Vec[Int]) -> Int:
    return math.prod(x)


@driver.define(emit=PRODUCT)
def matrix_product(x: Matrix[Real]) -> Real:
    return math.prod(v for row in x for v in row)


@driver.axiswise(emit=called("mean", "{x}, axis={axis}", tensorflow="tf.reduce_mean"), whole=MEAN, requires=lambda x: len(x) > 0)
def mean(x: Vec[Real]) -> Real:
    return sum(x) / len(x)


@driver.define(
    emit=MEAN,
    requires=lambda x: len(x) > 0 and size(x, 1) > 0,
)
def matrix_mean(x: Matrix[Real]) -> Real:
    return sum(v for row in x for v in row) / (len(x) * size(x, 1))


@driver.axiswise(
    emit=called("linalg.norm", "{x}, axis={axis}", pytorch="torch.linalg.vector_norm", tensorflow="tf.norm"),
    whole=called("linalg.norm", "{x}", pytorch="torch.linalg.vector_norm", tensorflow="tf.norm"),
)
def norm(x: Vec[Real]) -> Real:
    return math.sqrt(sum(v * v for v in x))


@driver.define(emit=called("linalg.norm", "{x}", pytorch="torch.linalg.matrix_norm", tensorflow="tf.norm"))
def matrix_norm(x: Matrix[Real]) -> Real:
    return math.sqrt(sum(v * v for row in x for v in row))


@driver.axiswise(
    emit=called("max", "{x}, axis={axis}", pytorch="torch.amax", tensorflow="tf.reduce_max"),
    whole=called("max", "{x}", tensorflow="tf.reduce_max"),
    requires=lambda x: len(x) > 0,
    several=True,
)
def greatest(x: Vec[Elem]) -> Elem:
    return max(x)


@driver.axiswise(
    emit=called("min", "{x}, axis={axis}", pytorch="torch.amin", tensorflow="tf.reduce_min"),
    whole=called("min", "{x}", tensorflow="tf.reduce_min"),
    requires=lambda x: len(x) > 0,
    several=True,
)
def least(x: Vec[Elem]) -> Elem:
    return min(x)


@driver.axiswise(
    emit=called("max", "{x}, axis={axis}, initial={start}", pytorch="", tensorflow="", mlx=""),
    whole=called("max", "{x}, initial={start}", pytorch="", tensorflow="", mlx=""),
)
def greatest_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = max(start, v)
    return start


@driver.axiswise(
    emit=called("min", "{x}, axis={axis}, initial={start}", pytorch="", tensorflow="", mlx=""),
    whole=called("min", "{x}, initial={start}", pytorch="", tensorflow="", mlx=""),
)
def least_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = min(start, v)
    return start


@driver.axiswise(
    emit=typed(called("argmax", "{x}, axis={axis}", mlx="")),  # that of MLX does not take matrices without elements
    whole=typed(called("argmax", "{x}")),
    requires=lambda x: len(x) > 0 and exact(convert(len(x))) == len(x),  # places are numbers of the result's type
)
def argmax(x: Vec[Elem]) -> Integer:
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] > x[best] else best
    return best


@driver.axiswise(
    emit=typed(called("argmin", "{x}, axis={axis}", mlx="")),
    whole=typed(called("argmin", "{x}")),
    requires=lambda x: len(x) > 0 and exact(convert(len(x))) == len(x),  # places are numbers of the result's type
)
def argmin(x: Vec[Elem]) -> Integer:
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] < x[best] else best
    return best


@driver.define(
    emit=spelled(
        numpy="(np.size({x}) - 1 - np.argmax(np.flip({x}))).astype({dtype})",
        pytorch="(torch.numel({x}) - 1 - torch.argmax(torch.flip({x}, (0,)))).to({dtype})",
        jax="(jnp.size({x}) - 1 - jnp.argmax(jnp.flip({x}))).astype({dtype})",
        tensorflow="tf.cast(tf.size({x}, tf.int64) - 1 - tf.argmax(tf.reverse({x}, [0])), {dtype})",
    ),
    requires=lambda x: len(x) > 0 and exact(convert(len(x))) == len(x),  # places are numbers of the result's type
)
def last_argmax(x: Vec[Elem]) -> Integer:
    """The last of the places of the greatest element."""
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] >= x[best] else best
    return best


@driver.define(
    emit=spelled(
        numpy="(np.size({x}) - 1 - np.argmin(np.flip({x}))).astype({dtype})",
        pytorch="(torch.numel({x}) - 1 - torch.argmin(torch.flip({x}, (0,)))).to({dtype})",
        jax="(jnp.size({x}) - 1 - jnp.argmin(jnp.flip({x}))).astype({dtype})",
        tensorflow="tf.cast(tf.size({x}, tf.int64) - 1 - tf.argmin(tf.reverse({x}, [0])), {dtype})",
    ),
    requires=lambda x: len(x) > 0 and exact(convert(len(x))) == len(x),  # places are numbers of the result's type
)
def last_argmin(x: Vec[Elem]) -> Integer:
    """The last of the places of the least element."""
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] <= x[best] else best
    return best


@driver.axiswise(
    emit=called("any", "{x}, axis={axis}", tensorflow="tf.reduce_any"),
    whole=called("any", "{x}", tensorflow="tf.reduce_any"),
    several=True,
)
def any_holds(x: Vec[Bool]) -> Bool:
    return any(x)


@driver.axiswise(
    emit=called("all", "{x}, axis={axis}", tensorflow="tf.reduce_all"),
    whole=called("all", "{x}", tensorflow="tf.reduce_all"),
    several=True,
)
def all_hold(x: Vec[Bool]) -> Bool:
    return all(x)


@driver.axiswise(
    emit=typed(called("any", "{x}, axis={axis}", tensorflow="tf.reduce_any")),
    whole=typed(called("any", "{x}", tensorflow="tf.reduce_any")),
)
def any_flag(x: Vec[Bool]) -> To:
    flag = 0
    for v in x:
        flag = 1 if v else flag
    return flag


@driver.axiswise(
    emit=spelled(
        numpy="(~np.any({x}, axis={axis})).astype({dtype})",
        pytorch="(~torch.any({x}, dim={axis})).to({dtype})",
        jax="(~jnp.any({x}, axis={axis})).astype({dtype})",
        tensorflow="tf.cast(~tf.reduce_any({x}, axis={axis}), {dtype})",
        mlx="mx.logical_not(mx.any({x}, axis={axis})).astype({dtype})",
    ),
    whole=spelled(
        numpy="(~np.any({x})).astype({dtype})",
        pytorch="(~torch.any({x})).to({dtype})",
        jax="(~jnp.any({x})).astype({dtype})",
        tensorflow="tf.cast(~tf.reduce_any({x}), {dtype})",
        mlx="mx.logical_not(mx.any({x})).astype({dtype})",
    ),
)
def none_flag(x: Vec[Bool]) -> To:
    flag = 1
    for v in x:
        flag = 0 if v else flag
    return flag


@driver.axiswise(
    emit=spelled(
        numpy="np.cumprod({x}, axis={axis}, dtype={dtype}).sum(axis={axis}, dtype={dtype})",
        pytorch="torch.cumprod({x}, dim={axis}).sum(dim={axis}, dtype={dtype})",
        jax="jnp.cumprod({x}, axis={axis}, dtype={dtype}).sum(axis={axis}, dtype={dtype})",
        tensorflow="tf.reduce_sum(tf.math.cumprod(tf.cast({x}, {dtype}), axis={axis}), axis={axis})",
    ),
    whole=spelled(
        numpy="np.argmin(np.append({x}, False)).astype({dtype})",
        pytorch="torch.cumprod({x}, dim=0).sum(dtype={dtype})",
        jax="jnp.argmin(jnp.append({x}, False)).astype({dtype})",
        tensorflow="tf.reduce_sum(tf.math.cumprod(tf.cast({x}, {dtype})))",
        mlx="mx.sum(mx.cumprod({x}.astype({dtype}))).astype({dtype})",
    ),
)
def leading(x: Vec[Bool]) -> Integer:
    """How many elements hold before the first that does not."""
    number = 0
    for i in range(len(x)):
        number += 1 if number == i and x[i] else 0
    return number


@driver.axiswise(
    emit=spelled(
        numpy="np.cumprod(np.logical_not({x}), axis={axis}, dtype={dtype}).sum(axis={axis}, dtype={dtype})",
        pytorch="torch.cumprod(torch.logical_not({x}), dim={axis}).sum(dim={axis}, dtype={dtype})",
        jax="jnp.cumprod(jnp.logical_not({x}), axis={axis}, dtype={dtype}).sum(axis={axis}, dtype={dtype})",
        tensorflow="tf.reduce_sum(tf.math.cumprod(tf.cast(tf.logical_not({x}), {dtype}), axis={axis}), axis={axis})",
    ),
    whole=spelled(
        numpy="np.argmax(np.append({x}, True)).astype({dtype})",
        pytorch="torch.cumprod(torch.logical_not({x}), dim=0).sum(dtype={dtype})",
        jax="jnp.argmax(jnp.append({x}, True)).astype({dtype})",
        tensorflow="tf.reduce_sum(tf.math.cumprod(tf.cast(tf.logical_not({x}), {dtype})))",
        mlx="mx.sum(mx.cumprod(mx.logical_not({x}).astype({dtype}))).astype({dtype})",
    ),
)
def first_index(x: Vec[Bool]) -> Integer:
    """Where the first element is that holds; the number of elements where there is none."""
    number = 0
    for i in range(len(x)):
        number += 1 if number == i and not x[i] else 0
    return number
