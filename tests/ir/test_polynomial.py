"""Polynomials: the same value as the expression, equal exactly if they are the same polynomial, taken apart and put together."""

from __future__ import annotations

from functools import reduce
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from metalift.ir.arith.factored import factored
from metalift.ir.arith.polynomial import Polynomial, strip_casts, widens
from metalift.ir.expr.nodes import Apply, Expr, Operator, Var
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, INT64, UINT8, MachineInt, TensorType, Type
from metalift.ir.interp.interpret import SourceUndefined, Value, evaluate
from metalift.ir.text import parse, show
from tests.ir.generate_terms import domain, environment, term

NAMES: dict[str, Type] = {"i": INT, "j": INT, "n": INT32, "ld": INT32, "x": TensorType(INT32), "f": FLOAT, "b": BOOL}
ROW, COLUMN, N = Var("i", INT), Var("j", INT), Var("n", INT32)
seeds = st.integers(0, 2**64)


def poly(text: str) -> Polynomial:
    return Polynomial.of(parse(text, NAMES))


def meaning(expr: Expr, env: dict[str, Value]) -> Value:
    return evaluate(expr, env, functions={"op": lambda arg: arg}, domain=domain, limit=20_000)


def same_values(left: Expr, right: Expr, env: dict[str, Value]) -> bool:
    """Whether both have one value, where the left one has one."""
    try:
        value = meaning(left, env)
    except SourceUndefined:
        return True
    return value == meaning(right, env)


@given(seeds)
def test_a_polynomial_has_the_value_of_its_expression(seed: int) -> None:
    random = Random(seed)
    for type_ in (INT, INT32):
        expr, env = term(random, type_, 2), environment(random)
        assert same_values(expr, Polynomial.of(expr).to_expr(), env), show(expr)


@given(seeds)
def test_a_sum_with_its_factors_before_brackets_is_the_same_sum(seed: int) -> None:
    random = Random(seed)
    expr = reduce(lambda one, other: Apply(Operator.MUL, (one, other)), [term(random, INT, 2) for _ in range(3)])
    assert Polynomial.of(factored(expr)) == Polynomial.of(expr)


def test_factors_stand_once() -> None:
    c, i, j, h, w, k, y, x = (Var(name, INT) for name in "cijhwkyx")
    rows, cols = Polynomial.of(h) - Polynomial.of(k) + 1, Polynomial.of(w) - Polynomial.of(k) + 1
    kernel = (Polynomial.of(c) * Polynomial.of(k) + Polynomial.of(i)) * Polynomial.of(k) + Polynomial.of(j)
    index = kernel * rows * cols + Polynomial.of(y) * cols + Polynomial.of(x)
    wanted = "(w - k + 1) * (h - k + 1) * (k * (c * k + i) + j) + y * (w - k + 1) + x"
    assert show(factored(index.to_expr())) == wanted
    short = (Polynomial.of(y) * Polynomial.of(w) + Polynomial.of(x)).to_expr()
    assert factored(short) == short


@given(seeds)
def test_arithmetic_of_polynomials_is_that_of_their_values(seed: int) -> None:
    random = Random(seed)
    env = environment(random)
    left, right = (term(random, INT, 1) for _ in range(2))
    a, b = Polynomial.of(left), Polynomial.of(right)
    for op, result in ((Operator.ADD, a + b), (Operator.SUB, a - b), (Operator.MUL, a * b)):
        assert same_values(Apply(op, (left, right)), result.to_expr(), env)
    assert (a + b) * (a - b) == a * a - b * b
    assert Polynomial.of(a.to_expr()) == a


@given(st.lists(st.integers(-3, 3), min_size=12, max_size=12))
def test_division_gives_quotient_and_remainder(factors: list[int]) -> None:
    i, j, n = Polynomial.of(ROW), Polynomial.of(COLUMN), Polynomial.of(N)
    parts = [Polynomial.constant(1), i, j, n, i * n, j * j]
    left = sum((part * factor for part, factor in zip(parts, factors[:6], strict=True)), Polynomial())
    right = sum((part * factor for part, factor in zip(parts, factors[6:], strict=True)), Polynomial())
    if right.terms:
        quotient, remainder = left.divide(right)
        assert quotient * right + remainder == left
        assert (left * right).divide(right)[1] == Polynomial()
        if left.terms:
            assert (left * right).divide(right)[0] == left


def test_equal_polynomials_are_equal_and_print_alike() -> None:
    assert poly("(i + int(n)) * (i - int(n))") == poly("i * i - int(n * n)")
    assert show(poly("j + int(n) * i - 3").to_expr()) == "i * int(n) + j - 3"
    assert show(poly("-i").to_expr()) == "-i"
    assert show(poly("2 - i - 2").to_expr()) == "-i"
    assert show(poly("i - i").to_expr()) == "0"
    assert poly("i << 3") == poly("8 * i")


def test_affine_form() -> None:
    found = poly("i * int(n) + 2 * j + int(ld) - 1").affine_in([ROW, COLUMN])
    assert found is not None
    coefficients, rest = found
    assert coefficients == {ROW: poly("int(n)"), COLUMN: poly("2")}
    assert rest == poly("int(ld) - 1")
    assert poly("i * j").affine_in([ROW, COLUMN]) is None
    assert poly("i * i").affine_in([ROW]) is None
    assert poly("int(x[i])").affine_in([ROW]) is None
    assert poly("int(x[i])").affine_in([COLUMN]) == ({COLUMN: Polynomial()}, poly("int(x[i])"))


def test_parts() -> None:
    assert poly("3 * i + 5").constant_term == 5
    assert poly("7").constant_value == 7 and poly("i").constant_value is None and Polynomial().constant_value == 0
    assert poly("i * i * j + i * 4").coefficient(ROW) == poly("4")
    assert poly("i * i * j").degree(ROW) == 2
    assert poly("6 * i + 9").content == 3
    assert poly("i + 1").substitute({ROW: poly("j - 1")}) == poly("j")
    assert poly("int(x[i])").free_vars == {ROW, Var("x", TensorType(INT32))}


def test_casts_that_may_change_a_value_are_atoms() -> None:
    assert widens(UINT8, INT32) and widens(INT32, INT64) and widens(INT32, INT)
    assert (
        not widens(INT32, MachineInt(32, False))
        and not widens(INT64, INT32)
        and not widens(INT, INT64)
        and not widens(FLOAT, INT)
    )
    narrowing = parse("u8(n + 1)", NAMES)
    assert strip_casts(narrowing) == narrowing
    assert Polynomial.of(narrowing).atoms == {narrowing}
