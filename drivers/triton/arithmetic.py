"""Arithmetic, choice and conversions, lane by lane."""

from __future__ import annotations

from metalift.driver import Bool, Elem, Int, Real, Scalar, Size, To, Vec, convert, trunc_div, trunc_rem

from .base import driver, lanes


@lanes("{a} + {b}")
def add(a: Elem, b: Elem) -> Elem:
    return a + b


@lanes("{a} - {b}")
def sub(a: Elem, b: Elem) -> Elem:
    return a - b


@lanes("{a} * {b}")
def mul(a: Elem, b: Elem) -> Elem:
    return a * b


@lanes("{a} / {b}")
def div(a: Real, b: Real) -> Real:
    return a / b


@lanes("-{a}")
def neg(a: Elem) -> Elem:
    return -a


@lanes("{a} // {b}", requires=lambda a, b: b != 0)  # as in C, not as in Python
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@lanes("{a} % {b}", requires=lambda a, b: b != 0)
def remainder(a: Int, b: Int) -> Int:
    return trunc_rem(a, b)


@lanes("tl.abs({a})")
def absolute(a: Elem) -> Elem:
    return abs(a)


@lanes("tl.minimum({a}, {b})")
def minimum(a: Elem, b: Elem) -> Elem:
    return min(a, b)


@lanes("tl.maximum({a}, {b})")
def maximum(a: Elem, b: Elem) -> Elem:
    return max(a, b)


@lanes("{a} & {b}")
def bit_and(a: Int, b: Int) -> Int:
    return a & b


@lanes("{a} | {b}")
def bit_or(a: Int, b: Int) -> Int:
    return a | b


@lanes("{a} ^ {b}")
def bit_xor(a: Int, b: Int) -> Int:
    return a ^ b


@lanes("tl.where({c}, {a}, {b})")
def where(c: Bool, a: Scalar, b: Scalar) -> Scalar:
    return a if c else b


@lanes("{a} < {b}")
def less(a: Elem, b: Elem) -> Bool:
    return a < b


@lanes("{a} <= {b}")
def at_most(a: Elem, b: Elem) -> Bool:
    return a <= b


@lanes("{a} == {b}")
def equal(a: Elem, b: Elem) -> Bool:
    return a == b


@lanes("{a} != {b}")
def differs(a: Elem, b: Elem) -> Bool:
    return a != b


@lanes("{a} & {b}")
def both_hold(a: Bool, b: Bool) -> Bool:
    return a and b


@lanes("{a} | {b}")
def either_holds(a: Bool, b: Bool) -> Bool:
    return a or b


@lanes("~{a}")
def negation(a: Bool) -> Bool:
    return not a


@lanes("{a}.to({dtype})", cost=0.5)
def cast(a: Scalar) -> To:
    return convert(a)


@driver.define(requires=lambda n: n >= 0)
def arange(n: Size) -> Vec[To]:
    return [convert(i) for i in range(n)]
