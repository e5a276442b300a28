"""Arithmetic on numbers, element by element: sums and products, quotients, extremes, bits."""

from __future__ import annotations

from metalift.driver import Elem, Int, Real, Size, exact, trunc_div, trunc_rem, word

from .base import driver, spelled


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
    emit=spelled(
        "({a} - lib.fmod({a}, {b})) // {b}",
        pytorch='torch.div({a}, {b}, rounding_mode="trunc")',
        tensorflow="tf.truncatediv({a}, {b})",
        mlx=None,
    ),
    requires=lambda a, b: b != 0,
    numbers=("b",),
)
def truncated_quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@driver.elementwise(emit="{a} % {b}", requires=lambda a, b: a >= 0 and b > 0, cost=0.9)
def remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@driver.elementwise(
    emit=spelled("lib.fmod({a}, {b})", tensorflow="tf.truncatemod({a}, {b})", mlx=None),
    requires=lambda a, b: b != 0,
    numbers=("b",),
)
def truncated_remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@driver.elementwise(emit="{a} // {b}", requires=lambda a, b: b != 0)
def floor_quotient(a: Int, b: Int) -> Int:
    return a // b


@driver.elementwise(  # not in MLX: there the least number % -1 ends the process
    emit=spelled(numpy="{a} % {b}", pytorch="{a} % {b}", jax="{a} % {b}", tensorflow="{a} % {b}"), requires=lambda a, b: b != 0
)
def floor_remainder(a: Int, b: Int) -> Int:
    return a % b


@driver.elementwise(emit=spelled("lib.abs({a})"), scalars="abs({a})")
def absolute(a: Elem) -> Elem:
    return abs(a)


@driver.elementwise(emit=spelled("lib.minimum({a}, {b})"), scalars="min({a}, {b})")
def minimum(a: Elem, b: Elem) -> Elem:
    return min(a, b)


@driver.elementwise(emit=spelled("lib.maximum({a}, {b})"), scalars="max({a}, {b})")
def maximum(a: Elem, b: Elem) -> Elem:
    return max(a, b)


@driver.elementwise(emit=spelled(pytorch="torch.clamp({a}, max={high})"), numbers=("high",), cost=1.1)
def clamp_max(a: Elem, high: Elem) -> Elem:
    return min(a, high)


@driver.elementwise(emit=spelled(pytorch="torch.clamp({a}, min={low})"), numbers=("low",), cost=1.1)
def clamp_min(a: Elem, low: Elem) -> Elem:
    return max(a, low)


@driver.elementwise(
    emit=spelled("lib.clip({a}, {low}, {high})", pytorch="torch.clamp({a}, {low}, {high})", tensorflow=None),
    plain=("low", "high"),
)
def clamp(a: Elem, low: Elem, high: Elem) -> Elem:
    return min(max(a, low), high)


@driver.elementwise(
    emit=spelled(tensorflow="tf.clip_by_value({a}, {low}, {high})"),
    requires=lambda low, high: low <= high,
    plain=("low", "high"),
)
def clamp_within(a: Elem, low: Elem, high: Elem) -> Elem:
    return min(max(a, low), high)


@driver.elementwise(
    emit=spelled(pytorch="torch.relu({a})", jax="jax.nn.relu({a})", tensorflow="tf.nn.relu({a})", mlx="nn.relu({a})")
)
def relu(a: Real) -> Real:
    return max(a, 0)


@driver.elementwise(emit=spelled("{a} & {b}", mlx="mx.bitwise_and({a}, {b})"), scalars="{a} & {b}")
def bit_and(a: Int, b: Int) -> Int:
    return a & b


@driver.elementwise(emit=spelled("{a} | {b}", mlx="mx.bitwise_or({a}, {b})"), scalars="{a} | {b}")
def bit_or(a: Int, b: Int) -> Int:
    return a | b


@driver.elementwise(emit=spelled("{a} ^ {b}", mlx="mx.bitwise_xor({a}, {b})"), scalars="{a} ^ {b}")
def bit_xor(a: Int, b: Int) -> Int:
    return a ^ b


@driver.elementwise(
    emit=spelled("{a} << {b}", tensorflow="tf.bitwise.left_shift({a}, {b})", mlx="mx.left_shift({a}, {b})"),
    scalars="{a} << {b}",
    requires=lambda a, b: b >= 0,
)
def shift_left(a: Int, b: Int) -> Int:
    return a << b


@driver.elementwise(
    emit={  # of integers of NumPy, which a caller may have, the wider type would be the result's
        "numpy": "np.left_shift({a}, int({n}))",
        "pytorch": "torch.bitwise_left_shift({a}, {n})",
        "jax": "jnp.left_shift({a}, int({n}))",
    },
    requires=lambda n: 0 <= n and n < 32,
    numbers=("n",),
)
def shift_left_by(a: Int, n: Size) -> Int:
    """Bits beyond the word are lost, in arrays as in C, where a narrow word is shifted as a wider one and converted."""
    return word(exact(a) << n)


@driver.elementwise(
    emit=spelled("{a} >> {b}", tensorflow="tf.bitwise.right_shift({a}, {b})", mlx="mx.right_shift({a}, {b})"),
    scalars="{a} >> {b}",
    requires=lambda a, b: b >= 0,
)
def shift_right(a: Int, b: Int) -> Int:
    return a >> b
