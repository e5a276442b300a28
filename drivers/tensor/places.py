"""Elements by their places."""

from __future__ import annotations

from metalift.driver import Int64, Matrix, Scalar, Tensor3, Tensor4, Vec, size

from .base import driver, spelled

INDEXED = spelled("{x}[{index}]", tensorflow="tf.gather({x}, {index})")


@driver.define(emit=INDEXED, requires=lambda x, index: all(0 <= i < len(x) for i in index), cost=1.5)
def take(x: Vec[Scalar], index: Vec[Int64]) -> Vec[Scalar]:
    return [x[i] for i in index]


@driver.define(emit=INDEXED, requires=lambda x, index: all(0 <= i < len(x) for i in index), cost=1.4)
def take_rows(x: Matrix[Scalar], index: Vec[Int64]) -> Matrix[Scalar]:
    return [[x[i][j] for j in range(size(x, 1))] for i in index]


@driver.define(emit=INDEXED, requires=lambda x, index: all(0 <= i < len(x) for row in index for i in row), cost=1.5)
def take_2d(x: Vec[Scalar], index: Matrix[Int64]) -> Matrix[Scalar]:
    return [[x[i] for i in row] for row in index]


@driver.define(
    emit=INDEXED,
    requires=lambda x, index: all(0 <= i < len(x) for plane in index for row in plane for i in row),
    cost=1.5,
)
def take_3d(x: Vec[Scalar], index: Tensor3[Int64]) -> Tensor3[Scalar]:
    return [[[x[i] for i in row] for row in plane] for plane in index]


@driver.define(
    emit=INDEXED,
    requires=lambda x, index: all(0 <= i < len(x) for block in index for plane in block for row in plane for i in row),
    cost=1.5,
)
def take_4d(x: Vec[Scalar], index: Tensor4[Int64]) -> Tensor4[Scalar]:
    return [[[[x[i] for i in row] for row in plane] for plane in block] for block in index]


@driver.define(
    emit=spelled("{x}[{rows}, {columns}]", tensorflow="tf.gather_nd({x}, tf.stack([{rows}, {columns}], axis=-1))"),
    requires=lambda x, rows, columns: (
        len(rows) == len(columns)
        and size(rows, 1) == size(columns, 1)
        and all(0 <= i < len(x) for row in rows for i in row)
        and all(0 <= j < size(x, 1) for row in columns for j in row)
    ),
    cost=1.6,
)
def take_cells(x: Matrix[Scalar], rows: Matrix[Int64], columns: Matrix[Int64]) -> Matrix[Scalar]:
    return [[x[rows[p][q]][columns[p][q]] for q in range(size(rows, 1))] for p in range(len(rows))]


@driver.define(
    emit=spelled(numpy="{x}[{index}]", pytorch="torch.take({x}, {index})", jax="{x}[{index}]"),  # x[i] of PyTorch is a view
    requires=lambda x, index: 0 <= index < len(x),
    cost=1.5,
)
def element(x: Vec[Scalar], index: Int64) -> Scalar:
    return x[index]
