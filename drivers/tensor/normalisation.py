"""What libraries have as one function: softmax, normalisation of vectors and rows, the variance."""

from __future__ import annotations

import math

from metalift.driver import Matrix, Real, Vec, size

from .base import driver, spelled


@driver.define(
    emit=spelled(pytorch="torch.softmax({x}, dim=0)", jax="jax.nn.softmax({x})", tensorflow="tf.nn.softmax({x})"),
    cost=2.0,
)
def softmax(x: Vec[Real]) -> Vec[Real]:
    return [math.exp(v - max(x)) / sum(math.exp(w - max(x)) for w in x) for v in x]


@driver.define(
    emit=spelled(pytorch="torch.softmax({x}, dim=1)", jax="jax.nn.softmax({x}, axis=1)", tensorflow="tf.nn.softmax({x}, axis=1)"),
    cost=2.0,
)
def softmax_of_rows(x: Matrix[Real]) -> Matrix[Real]:
    return [[math.exp(v - max(row)) / sum(math.exp(w - max(row)) for w in row) for v in row] for row in x]


@driver.define(
    emit=spelled(pytorch="torch.softmax({x}, dim=0)", jax="jax.nn.softmax({x})", tensorflow="tf.nn.softmax({x})"),
    cost=2.5,
)
def shifted_softmax(x: Vec[Real], shift: Real) -> Vec[Real]:
    """It is the same for all numbers that are taken off, so that the library may take off another one."""
    return [math.exp(v - shift) / sum(math.exp(w - shift) for w in x) for v in x]


@driver.define(
    emit=spelled(pytorch="torch.softmax({x}, dim=1)", jax="jax.nn.softmax({x}, axis=1)", tensorflow="tf.nn.softmax({x}, axis=1)"),
    requires=lambda x, shift: len(shift) == len(x),
    cost=2.5,
)
def shifted_softmax_of_rows(x: Matrix[Real], shift: Vec[Real]) -> Matrix[Real]:
    return [[math.exp(v - s) / sum(math.exp(w - s) for w in row) for v in row] for row, s in zip(x, shift, strict=True)]


@driver.define(
    emit=spelled(pytorch="torch.log_softmax({x}, dim=0)", jax="jax.nn.log_softmax({x})", tensorflow="tf.nn.log_softmax({x})"),
    cost=2.0,
)
def log_softmax(x: Vec[Real]) -> Vec[Real]:
    return [v - max(x) - math.log(sum(math.exp(w - max(x)) for w in x)) for v in x]


@driver.define(
    emit=spelled(pytorch="F.rms_norm({x}, {weight}.shape, {weight}, {epsilon})"),
    requires=lambda x, weight, epsilon: len(weight) == len(x),
    plain=("epsilon",),
    cost=2.0,
)
def rms_norm(x: Vec[Real], weight: Vec[Real], epsilon: Real) -> Vec[Real]:
    return [v / math.sqrt(sum(w * w for w in x) / len(x) + epsilon) * factor for v, factor in zip(x, weight, strict=True)]


@driver.define(
    emit=spelled(pytorch="F.rms_norm({x}, {weight}.shape, {weight}, {epsilon})"),
    requires=lambda x, weight, epsilon: len(weight) == size(x, 1),
    plain=("epsilon",),
    cost=2.0,
)
def rms_norm_of_rows(x: Matrix[Real], weight: Vec[Real], epsilon: Real) -> Matrix[Real]:
    return [
        [v / math.sqrt(sum(w * w for w in row) / len(row) + epsilon) * factor for v, factor in zip(row, weight, strict=True)]
        for row in x
    ]


@driver.define(
    emit=spelled(pytorch="F.layer_norm({x}, {weight}.shape, {weight}, {bias}, {epsilon})"),
    requires=lambda x, weight, bias, epsilon: len(weight) == len(x) and len(bias) == len(x),
    plain=("epsilon",),
    cost=2.0,
)
def layer_norm(x: Vec[Real], weight: Vec[Real], bias: Vec[Real], epsilon: Real) -> Vec[Real]:
    return [
        (v - sum(x) / len(x))
        / math.sqrt(sum((w - sum(x) / len(x)) * (w - sum(x) / len(x)) for w in x) / len(x) + epsilon)
        * factor
        + added
        for v, factor, added in zip(x, weight, bias, strict=True)
    ]


@driver.define(
    emit=spelled(pytorch="F.layer_norm({x}, {weight}.shape, {weight}, {bias}, {epsilon})"),
    requires=lambda x, weight, bias, epsilon: len(weight) == size(x, 1) and len(bias) == size(x, 1),
    plain=("epsilon",),
    cost=2.0,
)
def layer_norm_of_rows(x: Matrix[Real], weight: Vec[Real], bias: Vec[Real], epsilon: Real) -> Matrix[Real]:
    return [
        [
            (v - sum(row) / len(row))
            / math.sqrt(sum((w - sum(row) / len(row)) * (w - sum(row) / len(row)) for w in row) / len(row) + epsilon)
            * factor
            + added
            for v, factor, added in zip(row, weight, bias, strict=True)
        ]
        for row in x
    ]
