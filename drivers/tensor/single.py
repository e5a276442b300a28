"""Functions that MLX computes with the precision of 32 bits, whatever the type of their argument."""

from __future__ import annotations

import math

from metalift.driver import Float

from .base import driver, spelled

SILU = spelled(mlx="nn.silu({a})")


@driver.elementwise(emit=spelled(mlx="mx.exp({a})"))
def exp_single(a: Float) -> Float:
    return math.exp(a)


@driver.elementwise(emit=spelled(mlx="mx.sin({a})"))
def sin_single(a: Float) -> Float:
    return math.sin(a)


@driver.elementwise(emit=spelled(mlx="mx.cos({a})"))
def cos_single(a: Float) -> Float:
    return math.cos(a)


@driver.elementwise(emit=spelled(mlx="mx.sigmoid({a})"), cost=1.5)
def sigmoid_single(a: Float) -> Float:
    return 1 / (1 + math.exp(-a))


@driver.elementwise(emit=SILU, cost=1.5)
def silu_single(a: Float) -> Float:
    return a / (1 + math.exp(-a))


@driver.elementwise(emit=SILU, cost=1.5)
def sigmoid_linear_unit_single(a: Float) -> Float:
    return a * (1 / (1 + math.exp(-a)))


@driver.elementwise(emit=spelled(mlx="nn.gelu_approx({a})"), cost=1.5)
def gelu_single(a: Float) -> Float:
    return 0.5 * a * (1 + math.tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))
