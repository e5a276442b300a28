"""Functions of reals, element by element."""

from __future__ import annotations

import math

from metalift.driver import Bool, Elem, Real, round_half_away

from .base import driver, spelled

SILU = spelled(pytorch="F.silu({a})", jax="jax.nn.silu({a})", tensorflow="tf.nn.silu({a})")


@driver.elementwise(emit=spelled("lib.sqrt({a})"), scalars="math.sqrt({a})")
def sqrt(a: Real) -> Real:
    return math.sqrt(a)


@driver.elementwise(
    emit=spelled("lib.rsqrt({a})", numpy=None, jax="jax.lax.rsqrt({a})", tensorflow="tf.math.rsqrt({a})"),
    cost=1.5,
)
def rsqrt(a: Real) -> Real:
    return 1 / math.sqrt(a)


@driver.elementwise(emit=spelled("lib.exp({a})", mlx=None), scalars="math.exp({a})")
def exp(a: Real) -> Real:
    return math.exp(a)


@driver.elementwise(emit=spelled("lib.log({a})", tensorflow="tf.math.log({a})"), scalars="math.log({a})")
def log(a: Real) -> Real:
    return math.log(a)


@driver.elementwise(emit="{a} ** {b}")
def power(a: Real, b: Real) -> Real:
    return math.pow(a, b)


@driver.elementwise(emit=spelled("lib.sin({a})", mlx=None), scalars="math.sin({a})")
def sin(a: Real) -> Real:
    return math.sin(a)


@driver.elementwise(emit=spelled("lib.cos({a})", mlx=None), scalars="math.cos({a})")
def cos(a: Real) -> Real:
    return math.cos(a)


@driver.elementwise(emit=spelled("lib.tan({a})"), scalars="math.tan({a})")
def tan(a: Real) -> Real:
    return math.tan(a)


@driver.elementwise(emit=spelled("lib.tanh({a})"), scalars="math.tanh({a})")
def tanh(a: Real) -> Real:
    return math.tanh(a)


@driver.elementwise(emit=spelled("lib.floor({a})"), scalars="math.floor({a})")
def floor(a: Real) -> Real:
    return math.floor(a)


@driver.elementwise(emit=spelled("lib.ceil({a})", tensorflow="tf.math.ceil({a})"), scalars="math.ceil({a})")
def ceil(a: Real) -> Real:
    return math.ceil(a)


@driver.elementwise(emit=spelled(pytorch="torch.sigmoid({a})", jax="jax.nn.sigmoid({a})", tensorflow="tf.sigmoid({a})"), cost=1.5)
def sigmoid(a: Real) -> Real:
    return 1 / (1 + math.exp(-a))


@driver.elementwise(emit=SILU, cost=1.5)
def silu(a: Real) -> Real:
    return a / (1 + math.exp(-a))


@driver.elementwise(emit=SILU, cost=1.5)
def sigmoid_linear_unit(a: Real) -> Real:
    return a * (1 / (1 + math.exp(-a)))


@driver.elementwise(emit=spelled(pytorch="torch.lerp({a}, {b}, {t})"), numbers=("t",), cost=2.0)
def lerp(a: Real, b: Real, t: Real) -> Real:
    return a + t * (b - a)


@driver.elementwise(
    emit=spelled("lib.arcsin({a})", pytorch="torch.asin({a})", tensorflow="tf.math.asin({a})"),
    scalars="math.asin({a})",
)
def asin(a: Real) -> Real:
    return math.asin(a)


@driver.elementwise(
    emit=spelled("lib.arccos({a})", pytorch="torch.acos({a})", tensorflow="tf.math.acos({a})"),
    scalars="math.acos({a})",
)
def acos(a: Real) -> Real:
    return math.acos(a)


@driver.elementwise(
    emit=spelled("lib.arctan({a})", pytorch="torch.atan({a})", tensorflow="tf.math.atan({a})"),
    scalars="math.atan({a})",
)
def atan(a: Real) -> Real:
    return math.atan(a)


@driver.elementwise(
    emit=spelled("lib.arctan2({y}, {x})", pytorch="torch.atan2({y}, {x})", tensorflow="tf.math.atan2({y}, {x})"),
    scalars="math.atan2({y}, {x})",
)
def atan2(y: Real, x: Real) -> Real:
    return math.atan2(y, x)


@driver.elementwise(emit=spelled("lib.sinh({a})", tensorflow="tf.math.sinh({a})"), scalars="math.sinh({a})")
def sinh(a: Real) -> Real:
    return math.sinh(a)


@driver.elementwise(emit=spelled("lib.cosh({a})", tensorflow="tf.math.cosh({a})"), scalars="math.cosh({a})")
def cosh(a: Real) -> Real:
    return math.cosh(a)


@driver.elementwise(
    emit=spelled("lib.arcsinh({a})", pytorch="torch.asinh({a})", tensorflow="tf.math.asinh({a})"),
    scalars="math.asinh({a})",
)
def asinh(a: Real) -> Real:
    return math.asinh(a)


@driver.elementwise(
    emit=spelled("lib.arccosh({a})", pytorch="torch.acosh({a})", tensorflow="tf.math.acosh({a})"),
    scalars="math.acosh({a})",
)
def acosh(a: Real) -> Real:
    return math.acosh(a)


@driver.elementwise(
    emit=spelled("lib.arctanh({a})", pytorch="torch.atanh({a})", tensorflow="tf.math.atanh({a})"),
    scalars="math.atanh({a})",
)
def atanh(a: Real) -> Real:
    return math.atanh(a)


@driver.elementwise(emit=spelled("lib.exp2({a})", tensorflow=None, mlx=None), scalars="math.exp2({a})")
def exp2(a: Real) -> Real:
    return math.exp2(a)


@driver.elementwise(emit=spelled("lib.expm1({a})", tensorflow="tf.math.expm1({a})"), scalars="math.expm1({a})")
def expm1(a: Real) -> Real:
    return math.expm1(a)


@driver.elementwise(emit=spelled("lib.log1p({a})", tensorflow="tf.math.log1p({a})"), scalars="math.log1p({a})")
def log1p(a: Real) -> Real:
    return math.log1p(a)


@driver.elementwise(emit=spelled("lib.log2({a})", tensorflow=None), scalars="math.log2({a})")
def log2(a: Real) -> Real:
    return math.log2(a)


@driver.elementwise(emit=spelled("lib.log10({a})", tensorflow=None), scalars="math.log10({a})")
def log10(a: Real) -> Real:
    return math.log10(a)


@driver.elementwise(emit=spelled("lib.hypot({a}, {b})", tensorflow=None, mlx=None), scalars="math.hypot({a}, {b})")
def hypot(a: Real, b: Real) -> Real:
    return math.hypot(a, b)


@driver.elementwise(emit=spelled("lib.trunc({a})", tensorflow=None), scalars="math.trunc({a})")
def trunc(a: Real) -> Real:
    return math.trunc(a)


@driver.elementwise(
    emit=spelled("lib.rint({a})", pytorch="torch.round({a})", tensorflow="tf.math.rint({a})", mlx="mx.round({a})"),
    scalars="round({a})",
)
def rint(a: Real) -> Real:
    return round(a)


@driver.elementwise(
    emit=spelled("_rounded({a})", tensorflow=None, mlx="mx.trunc(2 * {a}) - mx.trunc({a})"),
    scalars="math.trunc(2 * {a}) - math.trunc({a})",
    cost=2.0,
)
def nearest(a: Real) -> Real:
    return round_half_away(a)


@driver.elementwise(
    emit=spelled("lib.fmod({a}, {b})", tensorflow=None, mlx=None),
    scalars="math.fmod({a}, {b})",
    numbers=("b",),
)
def fmod(a: Real, b: Real) -> Real:
    return math.fmod(a, b)


@driver.elementwise(emit=spelled("lib.isnan({a})", tensorflow="tf.math.is_nan({a})"), scalars="math.isnan({a})")
def isnan(a: Real) -> Bool:
    return math.isnan(a)


@driver.elementwise(emit=spelled("lib.isinf({a})", tensorflow="tf.math.is_inf({a})"), scalars="math.isinf({a})")
def isinf(a: Real) -> Bool:
    return math.isinf(a)


@driver.elementwise(emit=spelled("lib.isfinite({a})", tensorflow="tf.math.is_finite({a})"), scalars="math.isfinite({a})")
def isfinite(a: Real) -> Bool:
    return math.isfinite(a)


@driver.elementwise(
    emit=spelled(pytorch="torch.erf({a})", jax="jax.scipy.special.erf({a})", tensorflow="tf.math.erf({a})"),
    scalars="math.erf({a})",
)
def erf(a: Real) -> Real:
    return math.erf(a)


@driver.elementwise(emit=spelled(pytorch='F.gelu({a}, approximate="tanh")', jax="jax.nn.gelu({a})"), cost=1.5)
def gelu(a: Real) -> Real:
    return 0.5 * a * (1 + math.tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))


@driver.elementwise(emit=spelled(pytorch="F.gelu({a})", jax="jax.nn.gelu({a}, approximate=False)"), cost=1.5)
def exact_gelu(a: Real) -> Real:
    return 0.5 * a * (1 + math.erf(a * 0.7071067811865476))


@driver.elementwise(emit=spelled(pytorch="F.leaky_relu({a}, {slope})"), plain=("slope",), cost=1.1)
def leaky_relu(a: Real, slope: Real) -> Real:
    return a if a > 0 else slope * a


@driver.elementwise(emit=spelled("lib.sign({a})"))
def sign(a: Elem) -> Elem:
    return 1 if a > 0 else -1 if a < 0 else 0
