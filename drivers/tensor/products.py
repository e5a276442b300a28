"""Products of vectors and matrices."""

from __future__ import annotations

from metalift.driver import Elem, Int, Matrix, Real, Tensor3, Tensor4, Vec, size

from .base import driver, spelled

TENSORDOT = spelled("lib.tensordot({a}, {b}, 2)")


@driver.define(
    emit=spelled("lib.dot({x}, {y})", tensorflow="tf.tensordot({x}, {y}, 1)", mlx=None),
    requires=lambda x, y: len(x) == len(y),
)
def dot(x: Vec[Elem], y: Vec[Elem]) -> Elem:
    return sum(x[i] * y[i] for i in range(len(x)))


@driver.define(emit=spelled(mlx="mx.vecdot({x}, {y})"), requires=lambda x, y: len(x) == len(y))
def real_dot(x: Vec[Real], y: Vec[Real]) -> Real:
    return sum(x[i] * y[i] for i in range(len(x)))


@driver.define(emit=spelled(mlx="mx.vecdot({x}, {y}).astype({dtype})"), requires=lambda x, y: len(x) == len(y))
def integer_dot(x: Vec[Int], y: Vec[Int]) -> Int:
    return sum(x[i] * y[i] for i in range(len(x)))


@driver.define(
    emit=spelled("{a} @ {x}", pytorch="torch.mv({a}, {x})", tensorflow="tf.linalg.matvec({a}, {x})", mlx=None),
    requires=lambda a, x: size(a, 1) == len(x),
)
def mv(a: Matrix[Real], x: Vec[Real]) -> Vec[Real]:
    return [sum(a[i][j] * x[j] for j in range(len(x))) for i in range(len(a))]


@driver.define(
    emit=spelled(
        "{a} @ {x}",
        pytorch="torch.sum({a} * {x}, dim=1, dtype={dtype})",  # its products of integers are for processors only
        tensorflow="tf.linalg.matvec({a}, {x})",
        mlx=None,
    ),
    requires=lambda a, x: size(a, 1) == len(x),
)
def integer_mv(a: Matrix[Int], x: Vec[Int]) -> Vec[Int]:
    return [sum(a[i][j] * x[j] for j in range(len(x))) for i in range(len(a))]


@driver.define(emit=spelled("{a} @ {b}", pytorch="torch.mm({a}, {b})", mlx=None), requires=lambda a, b: size(a, 1) == len(b))
def mm(a: Matrix[Elem], b: Matrix[Elem]) -> Matrix[Elem]:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(emit=spelled("lib.outer({x}, {y})", tensorflow="tf.tensordot({x}, {y}, 0)"))
def outer(x: Vec[Elem], y: Vec[Elem]) -> Matrix[Elem]:
    return [[x[i] * y[j] for j in range(len(y))] for i in range(len(x))]


@driver.define(
    emit=spelled("{x} @ {a}", tensorflow="tf.linalg.matvec({a}, {x}, transpose_a=True)"),
    requires=lambda x, a: len(x) == len(a),
    cost=1.005,
)
def vm(x: Vec[Real], a: Matrix[Real]) -> Vec[Real]:
    return [sum(x[i] * a[i][j] for i in range(len(x))) for j in range(size(a, 1))]


@driver.define(
    emit=spelled("{x} @ {a}", pytorch="torch.sum({x}[:, None] * {a}, dim=0, dtype={dtype})", tensorflow=None, mlx=None),
    requires=lambda x, a: len(x) == len(a),
)
def integer_vm(x: Vec[Int], a: Matrix[Int]) -> Vec[Int]:
    return [sum(x[i] * a[i][j] for i in range(len(x))) for j in range(size(a, 1))]


@driver.define(
    emit=spelled("{a} @ {b}", pytorch="torch.bmm({a}, {b})", tensorflow="tf.linalg.matmul({a}, {b})"),
    requires=lambda a, b: len(a) == len(b) and size(a, 2) == size(b, 1),
)
def bmm(a: Tensor3[Real], b: Tensor3[Real]) -> Tensor3[Real]:
    return [
        [[sum(a[t][i][k] * b[t][k][j] for k in range(size(b, 1))) for j in range(size(b, 2))] for i in range(size(a, 1))]
        for t in range(len(a))
    ]


@driver.define(
    emit=spelled(numpy="{a} @ {b}", pytorch="torch.bmm({a}, {b})", jax="{a} @ {b}"),
    requires=lambda a, b: len(a) == len(b) and size(a, 2) == size(b, 1),
)
def integer_bmm(a: Tensor3[Int], b: Tensor3[Int]) -> Tensor3[Int]:
    return [
        [[sum(a[t][i][k] * b[t][k][j] for k in range(size(b, 1))) for j in range(size(b, 2))] for i in range(size(a, 1))]
        for t in range(len(a))
    ]


@driver.define(
    emit=spelled("{a} @ {b}", pytorch="torch.matmul({a}, {b})", tensorflow="tf.tensordot({a}, {b}, 1)"),
    requires=lambda a, b: size(a, 2) == len(b),
)
def mm_each(a: Tensor3[Real], b: Matrix[Real]) -> Tensor3[Real]:
    return [
        [[sum(a[t][i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(size(a, 1))]
        for t in range(len(a))
    ]


@driver.define(
    emit=spelled("lib.vecdot({a}, {b})", pytorch="torch.linalg.vecdot({a}, {b})", tensorflow=None),
    requires=lambda a, b: len(a) == len(b) and size(a, 1) == size(b, 1),
    cost=1.2,
)
def row_dots(a: Matrix[Real], b: Matrix[Real]) -> Vec[Real]:
    return [sum(a[i][j] * b[i][j] for j in range(size(a, 1))) for i in range(len(a))]


@driver.define(emit=TENSORDOT, requires=lambda a, b: len(a) == len(b) and size(a, 1) == size(b, 1))
def tensordot_2d_2d(a: Matrix[Real], b: Matrix[Real]) -> Real:
    return sum(a[i][j] * b[i][j] for i in range(len(a)) for j in range(size(a, 1)))


@driver.define(emit=TENSORDOT, requires=lambda a, b: size(a, 1) == len(b) and size(a, 2) == size(b, 1))
def tensordot_3d_2d(a: Tensor3[Real], b: Matrix[Real]) -> Vec[Real]:
    return [sum(a[i][k][q] * b[k][q] for k in range(len(b)) for q in range(size(b, 1))) for i in range(len(a))]


@driver.define(emit=TENSORDOT, requires=lambda a, b: size(a, 1) == len(b) and size(a, 2) == size(b, 1))
def tensordot_3d_3d(a: Tensor3[Real], b: Tensor3[Real]) -> Matrix[Real]:
    return [
        [sum(a[i][k][q] * b[k][q][j] for k in range(len(b)) for q in range(size(b, 1))) for j in range(size(b, 2))]
        for i in range(len(a))
    ]


@driver.define(emit=TENSORDOT, requires=lambda a, b: size(a, 2) == len(b) and size(a, 3) == size(b, 1))
def tensordot_4d_2d(a: Tensor4[Real], b: Matrix[Real]) -> Matrix[Real]:
    return [
        [sum(a[i][j][k][q] * b[k][q] for k in range(len(b)) for q in range(size(b, 1))) for j in range(size(a, 1))]
        for i in range(len(a))
    ]


@driver.define(emit=spelled(numpy="np.polyval({c}, {x}).astype({dtype})", jax="jnp.polyval({c}, {x}).astype({dtype})"))
def polynomial_at(c: Vec[Real], x: Real) -> Real:
    """The polynomial at a number; the coefficient of the highest power comes first."""
    value = 0.0
    for v in c:
        value = value * x + v
    return value
