"""Reductions of all elements or along axes: sums, products, means, norms, extremes and their places, whether any or all hold."""

from __future__ import annotations

import math

from metalift.driver import Bool, Elem, Int, Integer, Matrix, Real, To, Vec, convert, exact, size

from .base import driver, spelled

INTEGER_SUM = spelled(
    "lib.sum({x}, axis={axis}, dtype={dtype})",
    tensorflow="tf.reduce_sum(tf.cast({x}, {dtype}), axis={axis})",
    mlx="mx.sum({x}, axis={axis}).astype({dtype})",
)
INTEGER_SUM_OF_ALL = spelled(
    "lib.sum({x}, dtype={dtype})",
    tensorflow="tf.reduce_sum(tf.cast({x}, {dtype}))",
    mlx="mx.sum({x}).astype({dtype})",
)
PRODUCT = spelled("lib.prod({x})", tensorflow="tf.reduce_prod({x})")
MEAN = spelled("lib.mean({x})", tensorflow="tf.reduce_mean({x})")


@driver.axiswise(emit=spelled("lib.sum({x}, axis={axis})", tensorflow="tf.reduce_sum({x}, axis={axis})"), several=True)
def total(x: Vec[Real]) -> Real:
    return sum(x)


@driver.axiswise(emit=INTEGER_SUM, several=True)
def integer_total(x: Vec[Int]) -> Int:
    return sum(x)


@driver.axiswise(emit=INTEGER_SUM)
def count(x: Vec[Bool]) -> To:
    return sum(1 if v else 0 for v in x)


@driver.define(
    emit=spelled(
        "lib.sum({x}, dtype={dtype})",
        pytorch="torch.sum({x}, dtype=torch.int64).to({dtype})",
        tensorflow="tf.reduce_sum(tf.cast({x}, {dtype}))",
        mlx="mx.sum({x}.astype({dtype})).astype({dtype})",
    )
)
def wrapping_total(x: Vec[Integer]) -> Int:
    s = 0
    for v in x:
        s = convert(exact(s) + exact(v))
    return s


@driver.axiswise(emit=spelled("lib.prod({x}, axis={axis})", tensorflow="tf.reduce_prod({x}, axis={axis})"))
def product(x: Vec[Real]) -> Real:
    return math.prod(x)


@driver.axiswise(
    emit=spelled(
        "lib.prod({x}, axis={axis}, dtype={dtype})",
        tensorflow="tf.reduce_prod({x}, axis={axis})",
        mlx="mx.prod({x}, axis={axis}).astype({dtype})",
    )
)
def integer_product(x: Vec[Int]) -> Int:
    return math.prod(x)


@driver.define(emit=PRODUCT)
def matrix_product(x: Matrix[Real]) -> Real:
    return math.prod(v for row in x for v in row)


@driver.axiswise(
    emit=spelled("lib.mean({x}, axis={axis})", tensorflow="tf.reduce_mean({x}, axis={axis})"),
    requires=lambda x: len(x) > 0,
)
def mean(x: Vec[Real]) -> Real:
    return sum(x) / len(x)


@driver.axiswise(
    emit=spelled(
        "lib.var({x}, axis={axis})",
        pytorch="torch.var({x}, dim={axis}, correction=0)",
        tensorflow="tf.math.reduce_variance({x}, axis={axis})",
    ),
    requires=lambda x: len(x) > 0,
)
def variance(x: Vec[Real]) -> Real:
    return sum((v - sum(x) / len(x)) * (v - sum(x) / len(x)) for v in x) / len(x)


@driver.axiswise(
    emit=spelled(
        "lib.std({x}, axis={axis})",
        pytorch="torch.std({x}, dim={axis}, correction=0)",
        tensorflow="tf.math.reduce_std({x}, axis={axis})",
    ),
    requires=lambda x: len(x) > 0,
)
def standard_deviation(x: Vec[Real]) -> Real:
    return math.sqrt(sum((v - sum(x) / len(x)) * (v - sum(x) / len(x)) for v in x) / len(x))


@driver.axiswise(
    emit=spelled(
        pytorch="torch.logsumexp({x}, dim={axis})",
        jax="jax.nn.logsumexp({x}, axis={axis})",
        tensorflow="tf.reduce_logsumexp({x}, axis={axis})",
        mlx="mx.logsumexp({x}, axis={axis})",
    ),
    whole=spelled(pytorch="torch.logsumexp({x}, dim=0)"),
    requires=lambda x: len(x) > 0,
    cost=2.0,
)
def log_sum_exp(x: Vec[Real]) -> Real:
    return max(x) + math.log(sum(math.exp(v - max(x)) for v in x))


@driver.define(emit=MEAN, requires=lambda x: len(x) > 0 and size(x, 1) > 0)
def matrix_mean(x: Matrix[Real]) -> Real:
    return sum(v for row in x for v in row) / (len(x) * size(x, 1))


@driver.axiswise(
    emit=spelled(
        "lib.linalg.norm({x}, axis={axis})",
        pytorch="torch.linalg.vector_norm({x}, dim={axis})",
        tensorflow="tf.norm({x}, axis={axis})",
    )
)
def norm(x: Vec[Real]) -> Real:
    return math.sqrt(sum(v * v for v in x))


@driver.define(emit=spelled("lib.linalg.norm({x})", pytorch="torch.linalg.matrix_norm({x})", tensorflow="tf.norm({x})"))
def matrix_norm(x: Matrix[Real]) -> Real:
    return math.sqrt(sum(v * v for row in x for v in row))


@driver.axiswise(
    emit=spelled(
        "lib.max({x}, axis={axis})",
        pytorch="torch.amax({x}, dim={axis})",
        tensorflow="tf.reduce_max({x}, axis={axis})",
    ),
    whole=spelled(pytorch="torch.max({x})"),
    requires=lambda x: len(x) > 0,
    several=True,
)
def greatest(x: Vec[Elem]) -> Elem:
    return max(x)


@driver.axiswise(
    emit=spelled(
        "lib.min({x}, axis={axis})",
        pytorch="torch.amin({x}, dim={axis})",
        tensorflow="tf.reduce_min({x}, axis={axis})",
    ),
    whole=spelled(pytorch="torch.min({x})"),
    requires=lambda x: len(x) > 0,
    several=True,
)
def least(x: Vec[Elem]) -> Elem:
    return min(x)


@driver.axiswise(
    emit=spelled(numpy="np.max({x}, axis={axis}, initial={start})", jax="jnp.max({x}, axis={axis}, initial={start})")
)
def greatest_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = max(start, v)
    return start


@driver.axiswise(
    emit=spelled(numpy="np.min({x}, axis={axis}, initial={start})", jax="jnp.min({x}, axis={axis}, initial={start})")
)
def least_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = min(start, v)
    return start


@driver.axiswise(
    emit=spelled(
        numpy="np.argmax({x}, axis={axis}).astype({dtype})",
        pytorch="torch.argmax({x}, dim={axis}).to({dtype})",
        jax="jnp.argmax({x}, axis={axis}).astype({dtype})",
        tensorflow="tf.cast(tf.argmax({x}, axis={axis}), {dtype})",
    ),  # that of MLX does not take matrices without elements
    whole=spelled(mlx="mx.argmax({x}).astype({dtype})"),
    requires=lambda x: len(x) > 0 and exact(convert(len(x))) == len(x),  # places are numbers of the result's type
)
def argmax(x: Vec[Elem]) -> Integer:
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] > x[best] else best
    return best


@driver.axiswise(
    emit=spelled(
        numpy="np.argmin({x}, axis={axis}).astype({dtype})",
        pytorch="torch.argmin({x}, dim={axis}).to({dtype})",
        jax="jnp.argmin({x}, axis={axis}).astype({dtype})",
        tensorflow="tf.cast(tf.argmin({x}, axis={axis}), {dtype})",
    ),
    whole=spelled(mlx="mx.argmin({x}).astype({dtype})"),
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


@driver.axiswise(emit=spelled("lib.any({x}, axis={axis})", tensorflow="tf.reduce_any({x}, axis={axis})"), several=True)
def any_holds(x: Vec[Bool]) -> Bool:
    return any(x)


@driver.axiswise(emit=spelled("lib.all({x}, axis={axis})", tensorflow="tf.reduce_all({x}, axis={axis})"), several=True)
def all_hold(x: Vec[Bool]) -> Bool:
    return all(x)


@driver.axiswise(
    emit=spelled("lib.any({x}, axis={axis}).astype({dtype})", tensorflow="tf.cast(tf.reduce_any({x}, axis={axis}), {dtype})")
)
def any_flag(x: Vec[Bool]) -> To:
    flag = 0
    for v in x:
        flag = 1 if v else flag
    return flag


@driver.axiswise(
    emit=spelled(
        "(~lib.any({x}, axis={axis})).astype({dtype})",
        tensorflow="tf.cast(~tf.reduce_any({x}, axis={axis}), {dtype})",
        mlx="mx.logical_not(mx.any({x}, axis={axis})).astype({dtype})",
    )
)
def none_flag(x: Vec[Bool]) -> To:
    flag = 1
    for v in x:
        flag = 0 if v else flag
    return flag


@driver.axiswise(
    emit=spelled(
        "lib.cumprod({x}, axis={axis}, dtype={dtype}).sum(axis={axis}, dtype={dtype})",
        pytorch="torch.cumprod({x}, dim={axis}).sum(dim={axis}, dtype={dtype})",
        tensorflow="tf.reduce_sum(tf.math.cumprod(tf.cast({x}, {dtype}), axis={axis}), axis={axis})",
        mlx=None,
    ),
    whole=spelled(
        "lib.argmin(lib.append({x}, False)).astype({dtype})",
        pytorch="torch.cumprod({x}, dim=0).sum(dtype={dtype})",
        tensorflow=None,
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
        "lib.cumprod(lib.logical_not({x}), axis={axis}, dtype={dtype}).sum(axis={axis}, dtype={dtype})",
        pytorch="torch.cumprod(torch.logical_not({x}), dim={axis}).sum(dim={axis}, dtype={dtype})",
        tensorflow="tf.reduce_sum(tf.math.cumprod(tf.cast(tf.logical_not({x}), {dtype}), axis={axis}), axis={axis})",
        mlx=None,
    ),
    whole=spelled(
        "lib.argmax(lib.append({x}, True)).astype({dtype})",
        pytorch="torch.cumprod(torch.logical_not({x}), dim=0).sum(dtype={dtype})",
        tensorflow=None,
        mlx="mx.sum(mx.cumprod(mx.logical_not({x}).astype({dtype}))).astype({dtype})",
    ),
)
def first_index(x: Vec[Bool]) -> Integer:
    """Where the first element is that holds; the number of elements where there is none."""
    number = 0
    for i in range(len(x)):
        number += 1 if number == i and not x[i] else 0
    return number
