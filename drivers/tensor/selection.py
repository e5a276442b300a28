"""Elements chosen by a condition, and elements that go where indices say: masks, histograms, scatters."""

from __future__ import annotations

from metalift.driver import Bool, Elem, Int64, Real, Scalar, Size, To, Vec, convert

from .base import driver, spelled


@driver.define(
    emit=spelled("{x}[{mask}]", tensorflow="tf.boolean_mask({x}, {mask})", mlx=None),
    requires=lambda mask, x: len(mask) == len(x),
)
def compress(mask: Vec[Bool], x: Vec[Scalar]) -> Vec[Scalar]:
    return [x[i] for i in range(len(x)) if mask[i]]


@driver.define(
    emit=spelled(
        "lib.bincount({index}, minlength={n}).astype({dtype})",
        jax="jnp.bincount({index}, length={n}).astype({dtype})",
        tensorflow="tf.cast(tf.math.bincount({index}, minlength={n}, maxlength={n}), {dtype})",
        mlx=None,
    ),
    requires=lambda index, n: n >= 0 and all(0 <= i < n for i in index),
)
def bincount(index: Vec[Int64], n: Size) -> Vec[To]:
    return [convert(sum(1 if i == p else 0 for i in index)) for p in range(n)]


@driver.define(
    emit=spelled(
        numpy="np.bincount({index}, weights={w}, minlength={n}).astype({dtype})",
        pytorch="torch.zeros({n}, dtype={dtype}, device={near}.device).index_add(0, {index}, {w})",
        jax="jnp.bincount({index}, weights={w}, length={n})",
        tensorflow="tf.math.unsorted_segment_sum({w}, {index}, {n})",
        mlx="mx.zeros({n}, dtype={dtype}).at[{index}].add({w})",
    ),
    requires=lambda index, w, n: n >= 0 and len(index) == len(w) and all(0 <= i < n for i in index),
)
def weighted_bincount(index: Vec[Int64], w: Vec[Real], n: Size) -> Vec[Real]:
    return [sum(w[i] for i in range(len(w)) if index[i] == p) for p in range(n)]


@driver.define(
    emit=spelled(
        pytorch="{x}.index_add(0, {index}, {w})",
        jax="{x}.at[{index}].add({w})",
        tensorflow="tf.tensor_scatter_nd_add({x}, {index}[:, None], {w})",
    ),  # that of MLX does not take an x without elements
    requires=lambda x, index, w: len(index) == len(w) and all(0 <= i < len(x) for i in index),
    cost=1.5,
)
def scatter_add(x: Vec[Elem], index: Vec[Int64], w: Vec[Elem]) -> Vec[Elem]:
    return [x[p] + sum(w[i] for i in range(len(w)) if index[i] == p) for p in range(len(x))]
