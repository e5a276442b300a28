"""Arrays joined, padded, and cut along a diagonal. Transposes, slices, flips, reshapes and broadcasts are views, no operators."""

from __future__ import annotations

from metalift.driver import Elem, Matrix, Scalar, Size, Vec, size

from .base import driver, spelled

CONCATENATED = spelled("lib.concatenate(({x}, {y}))", pytorch="torch.cat(({x}, {y}))", tensorflow="tf.concat(({x}, {y}), 0)")


@driver.define(emit=CONCATENATED)
def concatenate(x: Vec[Scalar], y: Vec[Scalar]) -> Vec[Scalar]:
    return [x[i] if i < len(x) else y[i - len(x)] for i in range(len(x) + len(y))]


@driver.define(emit=CONCATENATED, requires=lambda x, y: size(x, 1) == size(y, 1))
def concatenate_rows(x: Matrix[Scalar], y: Matrix[Scalar]) -> Matrix[Scalar]:
    return [[x[i][j] if i < len(x) else y[i - len(x)][j] for j in range(size(x, 1))] for i in range(len(x) + len(y))]


@driver.define(
    emit=spelled(
        "lib.concatenate(({x}, {y}), axis=1)",
        pytorch="torch.cat(({x}, {y}), dim=1)",
        tensorflow="tf.concat(({x}, {y}), 1)",
    ),
    requires=lambda x, y: len(x) == len(y),
)
def concatenate_columns(x: Matrix[Scalar], y: Matrix[Scalar]) -> Matrix[Scalar]:
    return [[x[i][j] if j < size(x, 1) else y[i][j - size(x, 1)] for j in range(size(x, 1) + size(y, 1))] for i in range(len(x))]


@driver.define(
    emit=spelled(
        "lib.pad({x}, ({before}, {after}))",
        pytorch="F.pad({x}, ({before}, {after}))",
        tensorflow="tf.pad({x}, [[{before}, {after}]])",
    ),
    requires=lambda before, after: before >= 0 and after >= 0,
)
def pad(x: Vec[Elem], before: Size, after: Size) -> Vec[Elem]:
    return [x[i - before] if before <= i and i < before + len(x) else 0 for i in range(before + len(x) + after)]


@driver.define(emit=spelled("lib.stack(({x}, {y}))"), requires=lambda x, y: len(x) == len(y))
def stack(x: Vec[Scalar], y: Vec[Scalar]) -> Matrix[Scalar]:
    return [[x[j] if i == 0 else y[j] for j in range(len(x))] for i in range(2)]


@driver.define(emit=spelled("lib.tril({x})", tensorflow="tf.linalg.band_part({x}, -1, 0)"))
def lower_triangle(x: Matrix[Elem]) -> Matrix[Elem]:
    return [[x[i][j] if j <= i else 0 for j in range(size(x, 1))] for i in range(len(x))]


@driver.define(emit=spelled("lib.triu({x})", tensorflow="tf.linalg.band_part({x}, 0, -1)"))
def upper_triangle(x: Matrix[Elem]) -> Matrix[Elem]:
    return [[x[i][j] if i <= j else 0 for j in range(size(x, 1))] for i in range(len(x))]
