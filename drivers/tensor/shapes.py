"""Arrays joined, padded, and cut along a diagonal. Transposes, slices, flips, reshapes and broadcasts are views, no operators."""

from __future__ import annotations

from metalift.driver import Elem, Matrix, Scalar, Size, Vec, size

from .base import called, driver, spelled

CONCATENATED = spelled(
    numpy="np.concatenate(({x}, {y}))",
    pytorch="torch.cat(({x}, {y}))",
    jax="jnp.concatenate(({x}, {y}))",
    tensorflow="tf.concat(({x}, {y}), 0)",
    mlx="mx.concatenate(({x}, {y}))",
)


@driver.define(emit=CONCATENATED)
def concatenate(x: Vec[Scalar], y: Vec[Scalar]) -> Vec[Scalar]:
    return [x[i] if i < len(x) else y[i - len(x)] for i in range(len(x) + len(y))]


@driver.define(
    emit=CONCATENATED,
    requires=lambda x, y: size(x, 1) == size(y, 1),
)
def concatenate_rows(x: Matrix[Scalar], y: Matrix[Scalar]) -> Matrix[Scalar]:
    return [[x[i][j] if i < len(x) else y[i - len(x)][j] for j in range(size(x, 1))] for i in range(len(x) + len(y))]


@driver.define(
    emit=spelled(
        numpy="np.concatenate(({x}, {y}), axis=1)",
        pytorch="torch.cat(({x}, {y}), dim=1)",
        jax="jnp.concatenate(({x}, {y}), axis=1)",
        tensorflow="tf.concat(({x}, {y}), 1)",
        mlx="mx.concatenate(({x}, {y}), axis=1)",
    ),
    requires=lambda x, y: len(x) == len(y),
)
def concatenate_columns(x: Matrix[Scalar], y: Matrix[Scalar]) -> Matrix[Scalar]:
    return [[x[i][j] if j < size(x, 1) else y[i][j - size(x, 1)] for j in range(size(x, 1) + size(y, 1))] for i in range(len(x))]


@driver.define(
    emit=spelled(
        numpy="np.pad({x}, ({before}, {after}))",
        pytorch="F.pad({x}, ({before}, {after}))",
        jax="jnp.pad({x}, ({before}, {after}))",
        tensorflow="tf.pad({x}, [[{before}, {after}]])",
        mlx="mx.pad({x}, ({before}, {after}))",
    ),
    requires=lambda before, after: before >= 0 and after >= 0,
)
def pad(x: Vec[Elem], before: Size, after: Size) -> Vec[Elem]:
    return [x[i - before] if before <= i and i < before + len(x) else 0 for i in range(before + len(x) + after)]


@driver.define(emit=called("stack", "({x}, {y})"), requires=lambda x, y: len(x) == len(y))
def stack(x: Vec[Scalar], y: Vec[Scalar]) -> Matrix[Scalar]:
    return [[x[j] if i == 0 else y[j] for j in range(len(x))] for i in range(2)]


@driver.define(
    emit=spelled(
        numpy="np.tril({x})",
        pytorch="torch.tril({x})",
        jax="jnp.tril({x})",
        tensorflow="tf.linalg.band_part({x}, -1, 0)",
        mlx="mx.tril({x})",
    )
)
def lower_triangle(x: Matrix[Elem]) -> Matrix[Elem]:
    return [[x[i][j] if j <= i else 0 for j in range(size(x, 1))] for i in range(len(x))]


@driver.define(
    emit=spelled(
        numpy="np.triu({x})",
        pytorch="torch.triu({x})",
        jax="jnp.triu({x})",
        tensorflow="tf.linalg.band_part({x}, 0, -1)",
        mlx="mx.triu({x})",
    )
)
def upper_triangle(x: Matrix[Elem]) -> Matrix[Elem]:
    return [[x[i][j] if i <= j else 0 for j in range(size(x, 1))] for i in range(len(x))]
