"""The tensor driver: what tensor libraries compute, and how NumPy and PyTorch spell it.

Elementwise operators take tensors, scalars, and any mix; in PyTorch the functions among them take tensors, plain numbers only
where `numbers` says so. Casts are explicit, so no spelling relies on promotion between dtypes; plain numbers take the dtype of
the tensor that they meet, in both libraries.
"""

from __future__ import annotations

import math

from metalift.driver import (
    Bool,
    Driver,
    Elem,
    Int,
    Int64,
    Integer,
    Layout,
    Matrix,
    Real,
    Scalar,
    Size,
    Target,
    To,
    Vec,
    convert,
    exact,
    size,
    trunc_div,
    trunc_rem,
)
from metalift.ir.types import BOOL, DOUBLE, FLOAT, INT, MachineInt, ScalarType

_NAMES: dict[ScalarType, str] = {
    **{MachineInt(bits, True): f"int{bits}" for bits in (8, 16, 32, 64)},
    **{MachineInt(bits, False): f"uint{bits}" for bits in (8, 16, 32, 64)},
    FLOAT: "float32",
    DOUBLE: "float64",
    INT: "int64",  # integers without bound are held in 64 bits; that they fit is shown or assumed
}

NUMPY = Target(
    "numpy",
    imports={"np": "import numpy as np", "math": "import math"},
    dtypes={BOOL: "np.bool_", **{type_: f"np.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="np.ndarray",
        array="np.array({value}, dtype={dtype})",
        reshape="{x}.reshape(*{shape})",
        permute="{x}.transpose(*{axes})",
        flip="np.flip({x}, {axis})",
        expand="np.broadcast_to({x}, {shape})",
        strided="np.lib.stride_tricks.as_strided({x}[{offset}:], {shape}, np.multiply({strides}, {x}.itemsize))",
        clone="{x}.copy()",
        full="np.full({shape}, {value}, dtype={dtype})",
        arange="np.arange({value})",
        scalar="{dtype}({value})",
        cast="{x}.astype({dtype})",
        contiguous="{x}.flags.c_contiguous",
        bounds="np.lib.array_utils.byte_bounds({x})",
        strides="{x}.strides",
    ),
    numbers=True,
)
PYTORCH = Target(
    "pytorch",
    imports={"torch": "import torch", "F": "import torch.nn.functional as F", "math": "import math"},
    dtypes={BOOL: "torch.bool", **{type_: f"torch.{name}" for type_, name in _NAMES.items()}},
    layout=Layout(
        array_type="torch.Tensor",
        array="torch.tensor({value}, dtype={dtype})",
        reshape="{x}.view(*{shape})",
        permute="{x}.permute(*{axes})",
        flip="torch.flip({x}, ({axis},))",
        expand="{x}.expand(*{shape})",
        strided="torch.as_strided({x}[{offset}:], {shape}, {strides})",
        clone="{x}.clone()",
        full="torch.full({shape}, {value}, dtype={dtype}, device={x}.device)",
        arange="torch.arange({value}, device={x}.device)",
        scalar="torch.tensor({value}, dtype={dtype})",
        cast="{x}.to({dtype})",
        contiguous="{x}.is_contiguous()",
        bounds="({x}.data_ptr(), {x}.data_ptr() + {x}.stride(0) * {x}.nbytes)",
        bounds_of_axes=(
            "({x}.data_ptr(), {x}.data_ptr() + {x}.element_size() * "
            "(1 + sum((n - 1) * stride for n, stride in zip({x}.shape, {x}.stride())) if {x}.numel() else 0))"
        ),
        strides="{x}.stride()",
        tracing="torch.compiler.is_compiling()",
    ),
    stored=frozenset(MachineInt(bits, False) for bits in (16, 32, 64)),
)

driver = Driver("tensor", targets=(NUMPY, PYTORCH))


def both(numpy: str, pytorch: str) -> dict[str, str]:
    """The spellings side by side."""
    return {"numpy": numpy, "pytorch": pytorch}


# Arithmetic


@driver.elementwise(emit="{a} + {b}")
def add(a: Elem, b: Elem) -> Elem:
    return a + b


@driver.elementwise(emit="{a} - {b}")
def sub(a: Elem, b: Elem) -> Elem:
    return a - b


@driver.elementwise(emit="{a} * {b}")
def mul(a: Elem, b: Elem) -> Elem:
    return a * b


@driver.elementwise(emit="{a} / {b}")
def div(a: Real, b: Real) -> Real:
    return a / b


@driver.elementwise(emit="-{a}")
def neg(a: Elem) -> Elem:
    return -a


@driver.elementwise(emit="{a} // {b}", requires=lambda a, b: a >= 0 and b > 0, cost=0.9)
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@driver.elementwise(
    emit=both("({a} - np.fmod({a}, {b})) // {b}", 'torch.div({a}, {b}, rounding_mode="trunc")'),
    requires=lambda a, b: b != 0,
    numbers=("b",),
)
def truncated_quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@driver.elementwise(emit="{a} % {b}", requires=lambda a, b: a >= 0 and b > 0, cost=0.9)
def remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@driver.elementwise(emit=both("np.fmod({a}, {b})", "torch.fmod({a}, {b})"), requires=lambda a, b: b != 0, numbers=("b",))
def truncated_remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@driver.elementwise(emit="{a} // {b}", requires=lambda a, b: b != 0)
def floor_quotient(a: Int, b: Int) -> Int:
    return a // b


@driver.elementwise(emit="{a} % {b}", requires=lambda a, b: b != 0)
def floor_remainder(a: Int, b: Int) -> Int:
    return a % b


@driver.elementwise(emit=both("np.abs({a})", "torch.abs({a})"), scalars="abs({a})")
def absolute(a: Elem) -> Elem:
    return abs(a)


@driver.elementwise(emit=both("np.minimum({a}, {b})", "torch.minimum({a}, {b})"), scalars="min({a}, {b})")
def minimum(a: Elem, b: Elem) -> Elem:
    return min(a, b)


@driver.elementwise(emit=both("np.maximum({a}, {b})", "torch.maximum({a}, {b})"), scalars="max({a}, {b})")
def maximum(a: Elem, b: Elem) -> Elem:
    return max(a, b)


@driver.elementwise(emit={"pytorch": "torch.clamp({a}, max={high})"}, numbers=("high",), cost=1.1)
def clamp_max(a: Elem, high: Elem) -> Elem:
    return min(a, high)


@driver.elementwise(emit={"pytorch": "torch.clamp({a}, min={low})"}, numbers=("low",), cost=1.1)
def clamp_min(a: Elem, low: Elem) -> Elem:
    return max(a, low)


@driver.elementwise(emit=both("np.clip({a}, {low}, {high})", "torch.clamp({a}, {low}, {high})"), plain=("low", "high"))
def clamp(a: Elem, low: Elem, high: Elem) -> Elem:
    return min(max(a, low), high)


@driver.elementwise(emit={"pytorch": "torch.relu({a})"})
def relu(a: Real) -> Real:
    return max(a, 0)


# Choice, comparison, logic, bits


@driver.elementwise(
    emit=both("np.where({c}, {a}, {b})", "torch.where({c}, {a}, {b})"), scalars="{a} if {c} else {b}", numbers=("a", "b")
)
def where(c: Bool, a: Scalar, b: Scalar) -> Scalar:
    return a if c else b


@driver.elementwise(emit="{a} < {b}")
def less(a: Elem, b: Elem) -> Bool:
    return a < b


@driver.elementwise(emit="{a} > {b}")
def greater(a: Elem, b: Elem) -> Bool:
    return a > b


@driver.elementwise(emit="{a} <= {b}")
def at_most(a: Elem, b: Elem) -> Bool:
    return a <= b


@driver.elementwise(emit="{a} >= {b}")
def at_least(a: Elem, b: Elem) -> Bool:
    return a >= b


@driver.elementwise(emit="{a} == {b}")
def equal(a: Scalar, b: Scalar) -> Bool:
    return a == b


@driver.elementwise(emit="{a} != {b}")
def differs(a: Scalar, b: Scalar) -> Bool:
    return a != b


@driver.elementwise(emit="{a} & {b}", scalars="{a} and {b}")
def both_hold(a: Bool, b: Bool) -> Bool:
    return a and b


@driver.elementwise(emit="{a} | {b}", scalars="{a} or {b}")
def either_holds(a: Bool, b: Bool) -> Bool:
    return a or b


@driver.elementwise(emit="~{a}", scalars="not {a}")
def negation(a: Bool) -> Bool:
    return not a


@driver.elementwise(emit="{a} & {b}")
def bit_and(a: Int, b: Int) -> Int:
    return a & b


@driver.elementwise(emit="{a} | {b}")
def bit_or(a: Int, b: Int) -> Int:
    return a | b


@driver.elementwise(emit="{a} ^ {b}")
def bit_xor(a: Int, b: Int) -> Int:
    return a ^ b


@driver.elementwise(emit="{a} << {b}", requires=lambda a, b: b >= 0)
def shift_left(a: Int, b: Int) -> Int:
    return a << b


@driver.elementwise(emit="{a} >> {b}", requires=lambda a, b: b >= 0)
def shift_right(a: Int, b: Int) -> Int:
    return a >> b


# Conversions and constants


@driver.elementwise(emit=both("{a}.astype({dtype})", "{a}.to({dtype})"), cost=0.5)
def cast(a: Scalar) -> To:
    return convert(a)


@driver.elementwise(emit=both("{c}.astype({dtype})", "{c}.to({dtype})"), cost=0.5)
def indicator(c: Bool) -> To:
    return 1 if c else 0


@driver.elementwise(emit=both("{dtype}({a})", "torch.tensor({a}, dtype={dtype})"), plain=("a",), cost=0.3)
def scalar(a: Scalar) -> Scalar:
    return a


@driver.define(emit=both("np.arange({n}, dtype={dtype})", "torch.arange({n}, dtype={dtype})"), requires=lambda n: n >= 0)
def arange(n: Size) -> Vec[To]:
    return [convert(i) for i in range(n)]


@driver.define(
    emit=both("np.arange({start}, {start} + {n}, dtype={dtype})", "torch.arange({start}, {start} + {n}, dtype={dtype})"),
    requires=lambda start, n: n >= 0,
    cost=1.1,
)
def arange_from(start: Size, n: Size) -> Vec[To]:
    return [convert(start + i) for i in range(n)]


@driver.define(emit="{x}[{index}]", requires=lambda x, index: all(0 <= i < len(x) for i in index), cost=1.5)
def take(x: Vec[Scalar], index: Vec[Int64]) -> Vec[Scalar]:
    return [x[i] for i in index]


# Functions of reals


@driver.elementwise(emit=both("np.sqrt({a})", "torch.sqrt({a})"), scalars="math.sqrt({a})")
def sqrt(a: Real) -> Real:
    return math.sqrt(a)


@driver.elementwise(emit={"pytorch": "torch.rsqrt({a})"}, cost=1.5)
def rsqrt(a: Real) -> Real:
    return 1 / math.sqrt(a)


@driver.elementwise(emit=both("np.exp({a})", "torch.exp({a})"), scalars="math.exp({a})")
def exp(a: Real) -> Real:
    return math.exp(a)


@driver.elementwise(emit=both("np.log({a})", "torch.log({a})"), scalars="math.log({a})")
def log(a: Real) -> Real:
    return math.log(a)


@driver.elementwise(emit="{a} ** {b}")
def power(a: Real, b: Real) -> Real:
    return math.pow(a, b)


@driver.elementwise(emit=both("np.sin({a})", "torch.sin({a})"), scalars="math.sin({a})")
def sin(a: Real) -> Real:
    return math.sin(a)


@driver.elementwise(emit=both("np.cos({a})", "torch.cos({a})"), scalars="math.cos({a})")
def cos(a: Real) -> Real:
    return math.cos(a)


@driver.elementwise(emit=both("np.tan({a})", "torch.tan({a})"), scalars="math.tan({a})")
def tan(a: Real) -> Real:
    return math.tan(a)


@driver.elementwise(emit=both("np.tanh({a})", "torch.tanh({a})"), scalars="math.tanh({a})")
def tanh(a: Real) -> Real:
    return math.tanh(a)


@driver.elementwise(emit=both("np.floor({a})", "torch.floor({a})"), scalars="math.floor({a})")
def floor(a: Real) -> Real:
    return math.floor(a)


@driver.elementwise(emit=both("np.ceil({a})", "torch.ceil({a})"), scalars="math.ceil({a})")
def ceil(a: Real) -> Real:
    return math.ceil(a)


@driver.elementwise(emit={"pytorch": "torch.sigmoid({a})"}, cost=1.5)
def sigmoid(a: Real) -> Real:
    return 1 / (1 + math.exp(-a))


@driver.elementwise(emit={"pytorch": "F.silu({a})"}, cost=1.5)
def silu(a: Real) -> Real:
    return a / (1 + math.exp(-a))


@driver.elementwise(emit={"pytorch": "F.silu({a})"}, cost=1.5)
def sigmoid_linear_unit(a: Real) -> Real:
    return a * (1 / (1 + math.exp(-a)))


@driver.elementwise(emit={"pytorch": "torch.lerp({a}, {b}, {t})"}, numbers=("t",), cost=2.0)
def lerp(a: Real, b: Real, t: Real) -> Real:
    return a + t * (b - a)


# Reductions


@driver.define(emit=both("np.sum({x})", "torch.sum({x})"))
def total(x: Vec[Real]) -> Real:
    return sum(x)


@driver.define(emit=both("np.sum({x}, dtype={dtype})", "torch.sum({x}, dtype={dtype})"))
def integer_total(x: Vec[Int]) -> Int:
    return sum(x)


@driver.define(emit=both("np.sum({x}, dtype={dtype})", "torch.sum({x}, dtype={dtype})"))
def count(x: Vec[Bool]) -> To:
    return sum(1 if v else 0 for v in x)


@driver.define(emit=both("np.any({x}).astype({dtype})", "torch.any({x}).to({dtype})"))
def any_flag(x: Vec[Bool]) -> To:
    flag = 0
    for v in x:
        flag = 1 if v else flag
    return flag


@driver.define(emit=both("(~np.any({x})).astype({dtype})", "(~torch.any({x})).to({dtype})"))
def none_flag(x: Vec[Bool]) -> To:
    flag = 1
    for v in x:
        flag = 0 if v else flag
    return flag


@driver.define(emit=both("np.argmax({x}).astype({dtype})", "torch.argmax({x}).to({dtype})"), requires=lambda x: len(x) > 0)
def argmax(x: Vec[Elem]) -> Integer:
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] > x[best] else best
    return best


@driver.define(emit=both("np.argmin({x}).astype({dtype})", "torch.argmin({x}).to({dtype})"), requires=lambda x: len(x) > 0)
def argmin(x: Vec[Elem]) -> Integer:
    best = 0
    for i in range(1, len(x)):
        best = convert(i) if x[i] < x[best] else best
    return best


@driver.define(emit=both("np.cumsum({x})", "torch.cumsum({x}, 0)"))
def running_totals(x: Vec[Real]) -> Vec[Real]:
    return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.define(emit=both("np.cumsum({x}, dtype={dtype})", "torch.cumsum({x}, 0, dtype={dtype})"))
def integer_running_totals(x: Vec[Int]) -> Vec[Int]:
    return [sum(x[j] for j in range(i + 1)) for i in range(len(x))]


@driver.define(emit=both("np.sum({x}, dtype={dtype})", "torch.sum({x}, dtype=torch.int64).to({dtype})"))
def wrapping_total(x: Vec[Integer]) -> Int:
    s = 0
    for v in x:
        s = convert(exact(s) + exact(v))
    return s


@driver.define(emit=both("np.prod({x})", "torch.prod({x})"))
def product(x: Vec[Real]) -> Real:
    return math.prod(x)


@driver.define(emit=both("np.prod({x}, dtype={dtype})", "torch.prod({x}, dtype={dtype})"))
def integer_product(x: Vec[Int]) -> Int:
    return math.prod(x)


@driver.define(emit=both("np.mean({x})", "torch.mean({x})"), requires=lambda x: len(x) > 0)
def mean(x: Vec[Real]) -> Real:
    return sum(x) / len(x)


@driver.define(emit=both("np.max({x})", "torch.max({x})"), requires=lambda x: len(x) > 0)
def greatest(x: Vec[Elem]) -> Elem:
    return max(x)


@driver.define(emit=both("np.min({x})", "torch.min({x})"), requires=lambda x: len(x) > 0)
def least(x: Vec[Elem]) -> Elem:
    return min(x)


@driver.define(emit={"numpy": "np.max({x}, initial={start})"})
def greatest_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = max(start, v)
    return start


@driver.define(emit={"numpy": "np.min({x}, initial={start})"})
def least_from(x: Vec[Elem], start: Elem) -> Elem:
    for v in x:
        start = min(start, v)
    return start


@driver.define(emit=both("np.any({x})", "torch.any({x})"))
def any_holds(x: Vec[Bool]) -> Bool:
    return any(x)


@driver.define(emit=both("np.all({x})", "torch.all({x})"))
def all_hold(x: Vec[Bool]) -> Bool:
    return all(x)


@driver.define(emit=both("np.linalg.norm({x})", "torch.linalg.vector_norm({x})"))
def norm(x: Vec[Real]) -> Real:
    return math.sqrt(sum(v * v for v in x))


@driver.define(emit=both("np.sum({x}, axis=1)", "torch.sum({x}, dim=1)"))
def row_totals(x: Matrix[Real]) -> Vec[Real]:
    return [sum(row) for row in x]


@driver.define(emit=both("np.sum({x}, axis=1, dtype={dtype})", "torch.sum({x}, dim=1, dtype={dtype})"))
def integer_row_totals(x: Matrix[Int]) -> Vec[Int]:
    return [sum(row) for row in x]


@driver.define(emit=both("np.sum({x}, axis=0)", "torch.sum({x}, dim=0)"))
def column_totals(x: Matrix[Real]) -> Vec[Real]:
    return [sum(x[i][j] for i in range(len(x))) for j in range(size(x, 1))]


@driver.define(emit=both("np.sum({x}, axis=0, dtype={dtype})", "torch.sum({x}, dim=0, dtype={dtype})"))
def integer_column_totals(x: Matrix[Int]) -> Vec[Int]:
    return [sum(x[i][j] for i in range(len(x))) for j in range(size(x, 1))]


@driver.define(emit=both("np.max({x}, axis=1)", "torch.amax({x}, dim=1)"), requires=lambda x: size(x, 1) > 0)
def row_maxima(x: Matrix[Elem]) -> Vec[Elem]:
    return [max(row) for row in x]


@driver.define(emit=both("np.min({x}, axis=1)", "torch.amin({x}, dim=1)"), requires=lambda x: size(x, 1) > 0)
def row_minima(x: Matrix[Elem]) -> Vec[Elem]:
    return [min(row) for row in x]


@driver.define(emit=both("np.sum({x})", "torch.sum({x})"))
def matrix_total(x: Matrix[Real]) -> Real:
    return sum(v for row in x for v in row)


# Products


@driver.define(emit=both("np.dot({x}, {y})", "torch.dot({x}, {y})"), requires=lambda x, y: len(x) == len(y))
def dot(x: Vec[Elem], y: Vec[Elem]) -> Elem:
    return sum(x[i] * y[i] for i in range(len(x)))


@driver.define(emit=both("{a} @ {x}", "torch.mv({a}, {x})"), requires=lambda a, x: size(a, 1) == len(x))
def mv(a: Matrix[Elem], x: Vec[Elem]) -> Vec[Elem]:
    return [sum(a[i][j] * x[j] for j in range(len(x))) for i in range(len(a))]


@driver.define(emit=both("{a} @ {b}", "torch.mm({a}, {b})"), requires=lambda a, b: size(a, 1) == len(b))
def mm(a: Matrix[Elem], b: Matrix[Elem]) -> Matrix[Elem]:
    return [[sum(a[i][k] * b[k][j] for k in range(len(b))) for j in range(size(b, 1))] for i in range(len(a))]


@driver.define(emit=both("np.outer({x}, {y})", "torch.outer({x}, {y})"))
def outer(x: Vec[Elem], y: Vec[Elem]) -> Matrix[Elem]:
    return [[x[i] * y[j] for j in range(len(y))] for i in range(len(x))]
