"""Functions of reals, element by element."""

from __future__ import annotations

import math

from metalift.driver import Elem, Real, round_half_away

from .base import called, driver, spelled

SILU = called("nn.silu", numpy="", pytorch="F.silu", jax="jax.nn.silu", mlx="")


@driver.elementwise(emit=called("sqrt"), scalars="math.sqrt({a})")
def sqrt(a: Real) -> Real:
    return math.sqrt(a)


@driver.elementwise(emit=called("rsqrt", numpy="", jax="jax.lax.rsqrt", tensorflow="tf.math.rsqrt"), cost=1.5)
def rsqrt(a: Real) -> Real:
    return 1 / math.sqrt(a)


@driver.elementwise(emit=called("exp", mlx=""), scalars="math.exp({a})")
def exp(a: Real) -> Real:
    return math.exp(a)


@driver.elementwise(emit=called("log", tensorflow="tf.math.log"), scalars="math.log({a})")
def log(a: Real) -> Real:
    return math.log(a)


@driver.elementwise(emit="{a} ** {b}")
def power(a: Real, b: Real) -> Real:
    return math.pow(a, b)


@driver.elementwise(emit=called("sin", mlx=""), scalars="math.sin({a})")
def sin(a: Real) -> Real:
    return math.sin(a)


@driver.elementwise(emit=called("cos", mlx=""), scalars="math.cos({a})")
def cos(a: Real) -> Real:
    return math.cos(a)


@driver.elementwise(emit=called("tan"), scalars="math.tan({a})")
def tan(a: Real) -> Real:
    return math.tan(a)


@driver.elementwise(emit=called("tanh"), scalars="math.tanh({a})")
def tanh(a: Real) -> Real:
    return math.tanh(a)


@driver.elementwise(emit=called("floor"), scalars="math.floor({a})")
def floor(a: Real) -> Real:
    return math.floor(a)


@driver.elementwise(emit=called("ceil", tensorflow="tf.math.ceil"), scalars="math.ceil({a})")
def ceil(a: Real) -> Real:
    return math.ceil(a)


@driver.elementwise(emit=called("sigmoid", numpy="", jax="jax.nn.sigmoid", mlx=""), cost=1.5)
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


@driver.elementwise(emit=called("arcsin", pytorch="torch.asin", tensorflow="tf.math.asin"), scalars="math.asin({a})")
def asin(a: Real) -> Real:
    return math.asin(a)


@driver.elementwise(emit=called("arccos", pytorch="torch.acos", tensorflow="tf.math.acos"), scalars="math.acos({a})")
def acos(a: Real) -> Real:
    return math.acos(a)


@driver.elementwise(emit=called("arctan", pytorch="torch.atan", tensorflow="tf.math.atan"), scalars="math.atan({a})")
def atan(a: Real) -> Real:
    return math.atan(a)


@driver.elementwise(
    emit=called("arctan2", "{y}, {x}", pytorch="torch.atan2", tensorflow="tf.math.atan2"),
    scalars="math.atan2({y}, {x})",
)
def atan2(y: Real, x: Real) -> Real:
    return math.atan2(y, x)


@driver.elementwise(emit=called("sinh", tensorflow="tf.math.sinh"), scalars="math.sinh({a})")
def sinh(a: Real) -> Real:
    return math.sinh(a)


@driver.elementwise(emit=called("cosh", tensorflow="tf.math.cosh"), scalars="math.cosh({a})")
def cosh(a: Real) -> Real:
    return math.cosh(a)


@driver.elementwise(emit=called("arcsinh", pytorch="torch.asinh", tensorflow="tf.math.asinh"), scalars="math.asinh({a})")
def asinh(a: Real) -> Real:
    return math.asinh(a)


@driver.elementwise(emit=called("arccosh", pytorch="torch.acosh", tensorflow="tf.math.acosh"), scalars="math.acosh({a})")
def acosh(a: Real) -> Real:
    return math.acosh(a)


@driver.elementwise(emit=called("arctanh", pytorch="torch.atanh", tensorflow="tf.math.atanh"), scalars="math.atanh({a})")
def atanh(a: Real) -> Real:
    return math.atanh(a)


@driver.elementwise(emit=called("exp2", tensorflow="", mlx=""), scalars="math.exp2({a})")
def exp2(a: Real) -> Real:
    return math.exp2(a)


@driver.elementwise(emit=called("expm1", tensorflow="tf.math.expm1"), scalars="math.expm1({a})")
def expm1(a: Real) -> Real:
    return math.expm1(a)


@driver.elementwise(emit=called("log1p", tensorflow="tf.math.log1p"), scalars="math.log1p({a})")
def log1p(a: Real) -> Real:
    return math.log1p(a)


@driver.elementwise(emit=called("log2", tensorflow=""), scalars="math.log2({a})")
def log2(a: Real) -> Real:
    return math.log2(a)


@driver.elementwise(emit=called("log10", tensorflow=""), scalars="math.log10({a})")
def log10(a: Real) -> Real:
    return math.log10(a)


@driver.elementwise(emit=called("hypot", "{a}, {b}", tensorflow="", mlx=""), scalars="math.hypot({a}, {b})")
def hypot(a: Real, b: Real) -> Real:
    return math.hypot(a, b)


@driver.elementwise(emit=called("trunc", tensorflow=""), scalars="math.trunc({a})")
def trunc(a: Real) -> Real:
    return math.trunc(a)


@driver.elementwise(emit=called("rint", pytorch="torch.round", tensorflow="tf.math.rint", mlx="mx.round"), scalars="round({a})")
def rint(a: Real) -> Real:
    return round(a)


@driver.elementwise(
    emit=spelled(
        numpy="np.trunc(2 * {a}) - np.trunc({a})",
        pytorch="torch.trunc(2 * {a}) - torch.trunc({a})",
        jax="jnp.trunc(2 * {a}) - jnp.trunc({a})",
        mlx="mx.trunc(2 * {a}) - mx.trunc({a})",
    ),
    scalars="math.trunc(2 * {a}) - math.trunc({a})",
    cost=2.0,
)
def nearest(a: Real) -> Real:
    return round_half_away(a)


@driver.elementwise(
    emit=called("fmod", "{a}, {b}", tensorflow="", mlx=""),
    requires=lambda a, b: b != 0,
    scalars="math.fmod({a}, {b})",
)
def fmod(a: Real, b: Real) -> Real:
    return math.fmod(a, b)


@driver.elementwise(
    emit=called("erf", numpy="", jax="jax.scipy.special.erf", tensorflow="tf.math.erf", mlx=""),
    scalars="math.erf({a})",
)
def erf(a: Real) -> Real:
    return math.erf(a)


@driver.elementwise(
    emit=spelled(
        pytorch='F.gelu({a}, approximate="tanh")',
        jax="jax.nn.gelu({a})",
    ),
    cost=1.5,
)
def gelu(a: Real) -> Real:
    return 0.5 * a * (1 + math.tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))


@driver.elementwise(
    emit=spelled(
        pytorch="F.gelu({a})",
        jax="jax.nn.gelu({a}, approximate=False)",
    ),
    cost=1.5,
)
def exact_gelu(a: Real) -> Real:
    return 0.5 * a * (1 + math.erf(a * 0.7071067811865476))


@driver.elementwise(emit=spelled(pytorch="F.leaky_relu({a}, {slope})"), plain=("slope",), cost=1.1)
def leaky_relu(a: Real, slope: Real) -> Real:
    return a if a > 0 else slope * a


@driver.elementwise(emit=called("sign"))
def sign(a: Elem) -> Elem:
    return 1 if a > 0 else -1 if a < 0 else 0
