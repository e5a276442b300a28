"""Values of expressions: reals, functions, laziness, tensors, limits."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from metalift.ir.expr.build import plus
from metalift.ir.expr.nodes import Apply, Build, Call, Cast, Const, Expr, Fold, Operator, Select, Var, integer
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, INT32, INT64, REAL, UINT8, TensorType, TupleType, Type
from metalift.ir.interp.functions import MP, QUESTIONS, to_mpf
from metalift.ir.interp.interpret import EXACT, FLOATS, FUNCTIONS, LimitExceeded, SourceUndefined, Tensor, Value, evaluate
from metalift.ir.text import parse

NAMES: dict[str, Type] = {
    "a": INT32,
    "b": INT32,
    "i": INT,
    "n": INT,
    "c": BOOL,
    "u": UINT8,
    "f": FLOAT,
    "d": DOUBLE,
    "x": TensorType(FLOAT),
    "m": TensorType(DOUBLE, 2),
    "y": TensorType(INT32),
    "t": TupleType((INT, DOUBLE)),
}
floats32 = st.floats(allow_nan=False, allow_infinity=False, width=32)
floats64 = st.floats(allow_nan=False, allow_infinity=False)


def value(text: str, **env: Value) -> Value:
    return evaluate(parse(text, NAMES), env)


def float32(number: float) -> float:
    """The nearest float; the only rounding that the standard library offers."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


def test_reals_are_exact_while_they_are_rational() -> None:
    assert value("d / 3.0 * 3.0", d=1) == 1
    assert value("0.1 + 0.2 == 0.3") is True
    assert value("sqrt(d) * sqrt(d)", d=Fraction(9, 4)) == Fraction(9, 4)
    assert isinstance(value("pow(d, -3)", d=3), Fraction)
    assert value("d", d=0.1) == Fraction(0.1)
    assert value("d", d=0.1) != Fraction(1, 10)


def test_irrational_values_have_120_bits() -> None:
    root = value("sqrt(d)", d=2)
    assert abs(root - MP.sqrt(2)) < MP.mpf(2) ** -115
    assert value("abs(exp(log(d)) - d) < 1e-30", d=3) is True
    assert value("exp(log(d)) == d", d=3) is False
    assert value("d < sqrt(d + 1.0)", d=1) is True


def test_long_fractions_become_numbers_of_bounded_length() -> None:
    step = parse("fold(n, d, acc, k: acc * acc + 1 / d)", NAMES)
    result = evaluate(step, {"n": 25, "d": Fraction(1, 3)})
    assert not isinstance(result, Fraction)
    assert evaluate(step, {"n": 3, "d": Fraction(1, 3)}) == Fraction(((Fraction(1, 9) + 3) ** 2 + 3) ** 2 + 3)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_infinities_and_nan_are_no_values(number: float) -> None:
    with pytest.raises(SourceUndefined):
        value("d + 1", d=number)


def test_numbers_of_the_wrong_type_are_refused() -> None:
    with pytest.raises(ValueError):
        value("u + u", u=256)
    with pytest.raises(KeyError):
        value("u + u")


SAMPLES = [Fraction(number, 8) for number in (-40, -12, -8, -5, -4, 0, 1, 4, 5, 8, 11, 12, 20, 28, 100)]


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - set(QUESTIONS)))
def test_functions_agree_with_the_c_library_and_know_their_domain(name: str) -> None:
    """The domain is where the C library gives a number; at the edges C gives an infinity or raises."""
    function = FUNCTIONS[name]
    assert function.native is not None
    inside = 0
    for first in SAMPLES:
        for second in SAMPLES[:: 1 if function.arity == 2 else len(SAMPLES)]:
            args = (first, second)[: function.arity]
            call = Call(name, tuple(Const(arg, DOUBLE) for arg in args), DOUBLE)
            try:
                exact = evaluate(call, {})
            except SourceUndefined:
                assert function.within is not None and not function.within(*args)
                with pytest.raises(SourceUndefined):
                    evaluate(call, {}, reals=FLOATS)
                continue
            inside += 1
            native = function.native(*(float(arg) for arg in args))
            assert isinstance(exact, Fraction | MP.mpf)
            assert float(exact) == pytest.approx(native, rel=1e-14, abs=1e-300), (name, args)
            assert evaluate(call, {}, reals=FLOATS) == native
    assert inside >= 3


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_for_nan_and_infinities_are_false_of_numbers(name: str) -> None:
    for reals in (EXACT, FLOATS):
        assert [evaluate(Call(name, (Const(each, DOUBLE),), BOOL), {}, reals=reals) for each in SAMPLES] == [False] * len(SAMPLES)


def test_halves_are_rounded_as_in_c() -> None:
    halves = [Fraction(number, 2) for number in (-5, -3, -1, 1, 3, 5)]
    assert [value("round(d)", d=half) for half in halves] == [-3, -2, -1, 1, 2, 3]
    assert [value("rint(d)", d=half) for half in halves] == [-2, -2, 0, 0, 2, 2]
    assert [value("trunc(d)", d=half) for half in halves] == [-2, -1, 0, 0, 1, 2]
    assert [value("int(d)", d=half) for half in halves] == [-2, -1, 0, 0, 1, 2]
    assert [value("floor(d)", d=half) for half in halves] == [-3, -2, -1, 0, 1, 2]
    assert value("fmod(d, 3.0)", d=-7) == -1


def test_huge_arguments_neither_hang_nor_fill_the_memory() -> None:
    for text in ("exp(exp(exp(d)))", "pow(d, pow(d, pow(d, d)))", "sinh(d * d * d * d * d * d * d)", "sin(pow(d, 1000000000))"):
        with pytest.raises(SourceUndefined):
            value(text, d=10**5)
    with pytest.raises(SourceUndefined):
        value("n << n", n=10**9)
    with pytest.raises(LimitExceeded):
        value("fold(n, 3, acc, i: acc * acc)", n=60)


@given(floats32, floats32)
@example(1.0, 2.0**-24)
@example(2.0**-126, 0.5)
@example(2.0**-149, 0.5)
def test_float_arithmetic_is_rounded_once_to_the_width(left: float, right: float) -> None:
    a, b = Const(Fraction(left), FLOAT), Const(Fraction(right), FLOAT)
    exact = {
        Operator.ADD: Fraction(left) + Fraction(right),
        Operator.SUB: Fraction(left) - Fraction(right),
        Operator.MUL: Fraction(left) * Fraction(right),
        Operator.DIV: Fraction(left) / Fraction(right) if right else Fraction(0),
    }
    for op, expected in exact.items():
        if op is Operator.DIV and not right:
            continue
        try:
            found = evaluate(Apply(op, (a, b)), {}, reals=FLOATS)
        except SourceUndefined:
            assert abs(expected) > Fraction(2**24 - 1) * 2**104
            continue
        assert isinstance(found, float) and float32(found) == found
        assert is_nearest(expected, found)


def is_nearest(exact: Fraction, found: float) -> bool:
    """Whether no float is closer; of two that are as close, the one whose last bit is 0."""
    (bits,) = struct.unpack("<i", struct.pack("<f", abs(found)))
    below, above = (struct.unpack("<f", struct.pack("<i", max(bits + step, 0)))[0] for step in (-1, 1))
    distance = abs(abs(exact) - Fraction(abs(found)))
    others = [abs(abs(exact) - Fraction(other)) for other in (below, above) if math.isfinite(other) and other != abs(found)]
    return all(distance < other or (distance == other and bits % 2 == 0) for other in others)


@given(floats64)
def test_literals_and_conversions_round_once(number: float) -> None:
    exact = Fraction(number)
    assert evaluate(Const(exact, DOUBLE), {}, reals=FLOATS) == number
    assume(abs(number) < 2.0**127)
    narrow = evaluate(Cast(Const(exact, DOUBLE), FLOAT), {}, reals=FLOATS)
    assert isinstance(narrow, float) and narrow == float32(number)


def test_integers_become_floats_with_one_rounding() -> None:
    number = 2**60 + 2**36 + 1  # by way of a double it would be rounded down to 2**60
    converted = evaluate(Cast(Const(number, INT64), FLOAT), {}, reals=FLOATS)
    assert converted == 2.0**60 + 2.0**37


def test_an_overflowing_float_is_no_value() -> None:
    with pytest.raises(SourceUndefined):
        evaluate(parse("f * f", NAMES), {"f": 1e30}, reals=FLOATS)
    assert evaluate(parse("d * d", NAMES), {"d": 1e30}, reals=FLOATS) == 1e30 * 1e30


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a + b", "fit i32"),
        ("tdiv(a, 0)", "zero"),
        ("a // 0", "zero"),
        ("a << 32", "shift"),
        ("a >> -1", "shift"),
        ("i32(d)", "fit i32"),
        ("1 / (d - d)", "zero"),
        ("x[3]", "outside"),
        ("x[-1]", "outside"),
        ("sqrt(-d)", "x >= 0"),
        ("update(x, [3] = 0)", "outside"),
    ],
)
def test_undefined_results_say_why(text: str, reason: str) -> None:
    with pytest.raises(SourceUndefined, match=reason):
        value(text, a=2**31 - 1, b=1, d=2.0**40, x=[1, 2, 3])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[5] if c else 1", 1),
        ("c and x[5] < 0", False),
        ("not c or x[5] < 0", True),
        ("(x[5], 2.0)[1]", 2),
        ("fold(3, x[5], acc, k: x[0])", 7),
        ("len([x[5] for k < 4])", 4),
        ("update(x, [k] = x[5] for k < 3 where 5 < k)[0]", 7),
    ],
)
def test_what_is_not_used_may_be_undefined(text: str, expected: Value) -> None:
    assert value(text, c=False, x=[7, 8, 9]) == expected


def test_tensors() -> None:
    assert value("[m[j, i] for i < len(m, 1), j < len(m)]", m=[[1, 2, 3], [4, 5, 6]]) == [[1, 4], [2, 5], [3, 6]]
    assert value("[x[i] for i < -3]", x=[1]) == []
    assert value("len([0.0 for i < 0, j < 5], 1)") == 5
    assert value("len(m, 1)", m=Tensor((0, 7), [])) == 7
    assert value("update(x, [i] = x[2 - i] for i < 3)", x=[1, 2, 3]) == [3, 2, 1]
    assert value("update(x, [i - j] = f32(j) for i < 3, j < i + 1)", x=[9, 9, 9]) == [2, 1, 0]
    assert value("fold(len(y), 0, acc, k: max(acc, int(y[k])))", y=[3, 8, 5]) == 8
    assert value("fold(len(x), (0, 0.0), acc, k: (acc[0] + 1, acc[1] + 2))", x=[1, 1]) == (2, 4)
    with pytest.raises(ValueError):
        value("m[0, 0]", m=[[1], [2, 3]])


def test_quantifiers_run_through_the_domain_that_is_given() -> None:
    formula = parse("forall(i: i < 0 or 3 <= i or x[i] < f)", NAMES)
    env: dict[str, Value] = {"x": [1, 2, 3], "f": 4}
    assert evaluate(formula, env, domain=lambda _: range(-5, 9)) is True
    assert evaluate(formula, {**env, "f": 3}, domain=lambda _: range(-5, 9)) is False
    assert evaluate(parse("exists(i: i * i == 49)", NAMES), {}, domain=lambda _: range(9)) is True
    with pytest.raises(ValueError):
        evaluate(formula, env)
    empty = parse("forall(i: forall(k: x[k] < f))", NAMES)
    with pytest.raises(LimitExceeded):
        evaluate(empty, env, domain=lambda binder: range(2**40 if binder.name == "i" else 0), limit=1000)


def test_functions_of_a_driver_are_given_by_the_caller() -> None:
    call = parse("twice:f64[](x)", NAMES)
    assert evaluate(call, {"x": [1, 2]}, functions={"twice": lambda x: [2 * cell for cell in x]}) == [2, 4]
    with pytest.raises(KeyError):
        evaluate(call, {"x": []})


def test_steps_are_limited() -> None:
    counting = Fold(Var("n", INT), integer(0), Var("acc", INT), Var("k", INT), Var("acc", INT))
    with pytest.raises(LimitExceeded):
        evaluate(counting, {"n": 10**9})
    assert evaluate(counting, {"n": 10**4}, limit=10**4) == 0


def test_a_loop_in_a_loop_is_run_once_for_the_same_values() -> None:
    x, n, k, acc = Var("x", TensorType(INT)), Var("n", INT), Var("k", INT), Var("acc", INT)
    i, limit = Var("i", INT), 1000
    total = Fold(n, integer(0), acc, k, Apply(Operator.ADD, (acc, Select(x, (k,)))))  # of all elements, wherever it stands
    each = Build((n,), (i,), Apply(Operator.SUB, (total, Select(x, (i,)))))
    numbers: list[Value] = list(range(100))
    assert evaluate(each, {"x": numbers, "n": 100}, limit=limit) == [4950 - number for number in range(100)]
    again = Fold(n, integer(0), acc, i, Apply(Operator.ADD, (Fold(i, acc, Var("b", INT), k, plus(Var("b", INT), k)), i)))
    with pytest.raises(LimitExceeded):  # it reads what changes
        evaluate(again, {"n": 100}, limit=limit)
    assert evaluate(again, {"n": 5}) == 20
    shadowed = Build((n,), (k,), Apply(Operator.ADD, (Fold(n, k, acc, k, plus(acc, k)), k)))
    assert evaluate(shadowed, {"n": 3}) == [3, 5, 7]


@given(st.fractions(), st.fractions())
def test_mixed_comparisons(left: Fraction, right: Fraction) -> None:
    names: dict[str, Type] = {"p": REAL, "q": REAL}
    less: Expr = parse("p < q", names)
    assert evaluate(less, {"p": left, "q": right}) == (left < right)
    assert EXACT.less(to_mpf(left), right) == (left < right) or abs(left - right) * 2**100 < 1 + abs(left)


def test_nothing_is_run_through_along_an_axis_of_an_empty_tensor() -> None:
    rows, columns = Var("n", INT), Var("m", INT)
    whole = Build((rows, columns), (Var("i", INT), Var("j", INT)), integer(0))
    found = evaluate(whole, {"n": 0, "m": 10**12})
    assert found == []
