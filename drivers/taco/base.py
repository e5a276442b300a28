"""Tensors in the formats of TACO, and sums: what index notation is made of.

A tensor is all of its cells; those that are not stored are 0. `requires` is what the format promises of its arrays.
"""

from __future__ import annotations

from metalift.driver import Driver, Elem, Int, Matrix, Size, Tensor3, Vec

driver: Driver = Driver("taco", targets=())


@driver.define
def total(x: Vec[Elem]) -> Elem:
    return sum(x)


@driver.define(
    requires=lambda rows, cols, pos, crd, vals: (
        0 <= rows
        and rows < len(pos)
        and pos[rows] <= len(crd)
        and pos[rows] <= len(vals)
        and pos[0] == 0
        and all(pos[i] <= pos[i + 1] for i in range(rows))
        and all(all(0 <= crd[p] and crd[p] < cols for p in range(pos[i], pos[i + 1])) for i in range(rows))
        and all(all(crd[p] < crd[p + 1] for p in range(pos[i], pos[i + 1] - 1)) for i in range(rows))
    )
)
def csr(rows: Size, cols: Size, pos: Vec[Int], crd: Vec[Int], vals: Vec[Elem]) -> Matrix[Elem]:
    return [[sum(vals[p] if crd[p] == j else 0 for p in range(pos[i], pos[i + 1])) for j in range(cols)] for i in range(rows)]


@driver.define(
    requires=lambda rows, cols, pos, crd, vals: (
        0 <= cols
        and cols < len(pos)
        and pos[cols] <= len(crd)
        and pos[cols] <= len(vals)
        and pos[0] == 0
        and all(pos[j] <= pos[j + 1] for j in range(cols))
        and all(all(0 <= crd[p] and crd[p] < rows for p in range(pos[j], pos[j + 1])) for j in range(cols))
        and all(all(crd[p] < crd[p + 1] for p in range(pos[j], pos[j + 1] - 1)) for j in range(cols))
    )
)
def csc(rows: Size, cols: Size, pos: Vec[Int], crd: Vec[Int], vals: Vec[Elem]) -> Matrix[Elem]:
    return [[sum(vals[p] if crd[p] == i else 0 for p in range(pos[j], pos[j + 1])) for j in range(cols)] for i in range(rows)]


@driver.define(
    requires=lambda rows, cols, count, row, col, vals: (
        count <= len(row)
        and count <= len(col)
        and count <= len(vals)
        and all(0 <= row[p] and row[p] < rows for p in range(count))
        and all(0 <= col[p] and col[p] < cols for p in range(count))
        and all(row[p] < row[p + 1] or row[p] == row[p + 1] and col[p] < col[p + 1] for p in range(count - 1))
    )
)
def coo(rows: Size, cols: Size, count: Size, row: Vec[Int], col: Vec[Int], vals: Vec[Elem]) -> Matrix[Elem]:
    return [[sum(vals[p] if row[p] == i and col[p] == j else 0 for p in range(count)) for j in range(cols)] for i in range(rows)]


@driver.define(
    requires=lambda rows, cols, depth, count, row, col, deep, vals: (
        count <= len(row)
        and count <= len(col)
        and count <= len(deep)
        and count <= len(vals)
        and all(0 <= row[p] and row[p] < rows for p in range(count))
        and all(0 <= col[p] and col[p] < cols for p in range(count))
        and all(0 <= deep[p] and deep[p] < depth for p in range(count))
        and all(
            row[p] < row[p + 1]
            or row[p] == row[p + 1]
            and (col[p] < col[p + 1] or col[p] == col[p + 1] and deep[p] < deep[p + 1])
            for p in range(count - 1)
        )
    )
)
def coo3(
    rows: Size, cols: Size, depth: Size, count: Size, row: Vec[Int], col: Vec[Int], deep: Vec[Int], vals: Vec[Elem]
) -> Tensor3[Elem]:
    return [
        [
            [sum(vals[p] if row[p] == i and col[p] == j and deep[p] == k else 0 for p in range(count)) for k in range(depth)]
            for j in range(cols)
        ]
        for i in range(rows)
    ]


@driver.define(
    requires=lambda rows, cols, depth, pos, crd, pos_2, crd_2, vals: (
        0 <= rows
        and rows < len(pos)
        and pos[rows] <= len(crd)
        and 0 <= pos[rows]
        and pos[rows] < len(pos_2)
        and pos_2[pos[rows]] <= len(crd_2)
        and pos_2[pos[rows]] <= len(vals)
        and pos[0] == 0
        and pos_2[0] == 0
        and all(pos[i] <= pos[i + 1] for i in range(rows))
        and all(all(0 <= crd[p] and crd[p] < cols for p in range(pos[i], pos[i + 1])) for i in range(rows))
        and all(all(crd[p] < crd[p + 1] for p in range(pos[i], pos[i + 1] - 1)) for i in range(rows))
        and all(all(pos_2[p] <= pos_2[p + 1] for p in range(pos[i], pos[i + 1])) for i in range(rows))
        and all(
            all(all(0 <= crd_2[q] and crd_2[q] < depth for q in range(pos_2[p], pos_2[p + 1])) for p in range(pos[i], pos[i + 1]))
            for i in range(rows)
        )
        and all(
            all(all(crd_2[q] < crd_2[q + 1] for q in range(pos_2[p], pos_2[p + 1] - 1)) for p in range(pos[i], pos[i + 1]))
            for i in range(rows)
        )
    )
)
def csf(
    rows: Size, cols: Size, depth: Size, pos: Vec[Int], crd: Vec[Int], pos_2: Vec[Int], crd_2: Vec[Int], vals: Vec[Elem]
) -> Tensor3[Elem]:
    return [
        [
            [
                sum(
                    sum(vals[q] if crd_2[q] == k else 0 for q in range(pos_2[p], pos_2[p + 1])) if crd[p] == j else 0
                    for p in range(pos[i], pos[i + 1])
                )
                for k in range(depth)
            ]
            for j in range(cols)
        ]
        for i in range(rows)
    ]
