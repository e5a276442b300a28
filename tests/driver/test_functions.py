"""Operators that take functions: how their meanings are read, what is refused, beta reduction, and what bodies require."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metalift.driver import LISTS, Driver, DriverError, Elem, Fn, Int, Other, Scalar, Size, TypeVariable, Vec, trunc_div
from metalift.driver.expansion import expand, side_conditions
from metalift.driver.files import load
from metalift.driver.meaning.reduce import reduce
from metalift.driver.templates import fill_template
from metalift.ir.expr.nodes import Call, Expr, Invoke, Lambda, Var
from metalift.ir.expr.types import BOOL, INT, INT32, FunctionType, TensorType, Type
from metalift.ir.expr.walk import alpha_equal, subexpressions
from metalift.ir.interp.interpret import evaluate
from metalift.ir.text import parse, show
from metalift.ir.wellformed.check import check
from tests.ir.generate_terms import any_term, environment
from tests.ir.test_terms import agrees

dsl = Driver("functions", targets=(LISTS,))


@dsl.define(emit="[{f(v)} for v in {x}]")
def mapped(f: Fn[[Elem], Other], x: Vec[Elem]) -> Vec[Other]:
    return [] if not x else [f(x[0]), *mapped(f, x[1:])]


@dsl.define(emit="[{f(v)} for v in {x}]")
def built(f: Fn[[Elem], Other], x: Vec[Elem]) -> Vec[Other]:
    return [f(v) for v in x]


@dsl.define
def looped(f: Fn[[Other, Elem], Other], x: Vec[Elem], init: Other) -> Other:
    state = init
    for v in x:
        state = f(state, v)
    return state


@dsl.define
def folded(f: Fn[[Other, Elem], Other], x: Vec[Elem], init: Other) -> Other:
    return init if not x else folded(f, x[1:], f(init, x[0]))


@dsl.define
def from_the_end(f: Fn[[Elem, Other], Other], x: Vec[Elem], init: Other) -> Other:
    return init if not x else f(x[0], from_the_end(f, x[1:], init))


@dsl.define
def scanned(f: Fn[[Other, Elem], Other], x: Vec[Elem], init: Other) -> Vec[Other]:
    return [] if not x else [f(init, x[0]), *scanned(f, x[1:], f(init, x[0]))]


@dsl.define
def zipped(f: Fn[[Elem, Other], Scalar], x: Vec[Elem], y: Vec[Other]) -> Vec[Scalar]:
    return [f(a, b) for a, b in zip(x, y, strict=True)]


@dsl.define
def selected(p: Fn[[Elem], bool], x: Vec[Elem]) -> Vec[Elem]:
    return [v for v in x if p(v)]


def _twice(f: Fn[[Elem], Elem], v: Elem) -> Elem:
    return f(f(v))


@dsl.define
def repeated(f: Fn[[Elem], Elem], x: Vec[Elem]) -> Vec[Elem]:
    return [_twice(f, v) for v in x]


@dsl.define
def grouped(f: Fn[[Other, Elem], Other], keys: Vec[Size], x: Vec[Elem], groups: Size, init: Other) -> Vec[Other]:
    return [_of_group(f, keys, x, key, init) for key in range(groups)]


def _of_group(f: Fn[[Other, Elem], Other], keys: Vec[Size], x: Vec[Elem], key: Size, init: Other) -> Other:
    state = init
    for i in range(len(x)):
        state = f(state, x[i]) if keys[i] == key else state
    return state


@dsl.define(requires=lambda b: b != 0)
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


VECTOR = TensorType(INT)
STEP, UNARY = FunctionType((INT, INT), INT), FunctionType((INT,), INT)
X, Y = [3, -1, 4, 1], [2, 7, 1, 8]
CASES: dict[str, tuple[tuple[Type, ...], tuple[object, ...]]] = {
    "mapped": ((UNARY, VECTOR), (lambda v: 3 * v - 1, X)),
    "built": ((UNARY, VECTOR), (lambda v: 3 * v - 1, X)),
    "looped": ((STEP, VECTOR, INT), (lambda acc, v: 2 * acc + v, X, 5)),
    "folded": ((STEP, VECTOR, INT), (lambda acc, v: 2 * acc + v, X, 5)),
    "from_the_end": ((STEP, VECTOR, INT), (lambda v, acc: 2 * acc + v, X, 5)),
    "scanned": ((STEP, VECTOR, INT), (lambda acc, v: 2 * acc + v, X, 5)),
    "zipped": ((STEP, VECTOR, VECTOR), (lambda a, b: a * b + a, X, Y)),
    "selected": ((FunctionType((INT,), BOOL), VECTOR), (lambda v: v > 1, X)),
    "repeated": ((UNARY, VECTOR), (lambda v: 3 * v - 1, X)),
    "grouped": ((STEP, VECTOR, VECTOR, INT, INT), (lambda acc, v: 2 * acc + v, [1, 0, 1, 2], X, 4, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_meaning_that_calls_a_function_is_what_cpython_computes(name: str) -> None:
    types, values = CASES[name]
    operator = dsl.operators[name]
    instance = operator.instantiate(types)
    check(instance.body)
    found = evaluate(instance.body, dict(zip((param.name for param in instance.params), values, strict=True)))
    assert found == operator.meaning.source.function(*values)


WRONG = {
    "def f(g: Fn[[Vec[Elem]], Elem], x: Vec[Elem]) -> Elem:\n    return g(x)": "4: .*a function takes one or more scalars",
    "def f(g: Fn[..., Elem], x: Vec[Elem]) -> Elem:\n    return g(x[0])": "4: .*a function takes one or more scalars",
    "def f(x: Vec[Elem]) -> Fn[[Elem], Elem]:\n    return x": "4: .*returns a function",
    "def f(g: Fn[[Elem], Elem], x: Vec[Elem]) -> Elem:\n    return g + x[0]": "5: 'g' is a function",
    "def f(g: Fn[[Elem], Elem], x: Vec[Elem]) -> Elem:\n    return g(x[0], x[1])": r"5: 'g\(x\[0\], x\[1\]\)': g takes 1 arg",
    "def f(g: Fn[[Elem], Elem], x: Vec[Elem]) -> Elem:\n    return x(0)": "5: 'x.0.': x is no function",
    "def f(g: Fn[[Elem], bool], x: Vec[Elem]) -> Elem:\n    return g(x[0])": "4: found bool where i32 is wanted",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_function_of_scalars_is_refused_with_its_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    head = "from metalift.driver import Driver, Elem, Fn, Vec\nd = Driver('mine')\n@d.define\n"
    path.write_text(f"{head}{text}\n", encoding="utf-8")
    with pytest.raises(DriverError, match=WRONG[text]):
        for operator in load(str(path)).driver.operators.values():
            types: list[Type] = []
            for param in operator.params:
                element = param.pattern.element
                result = INT32 if isinstance(element, TypeVariable) else element
                types.append(FunctionType((INT32,), result) if param.pattern.takes else TensorType(INT32))
            operator.instantiate(tuple(types))


@pytest.mark.parametrize(
    ("spelling", "message"),
    [("[{f(v, w)} for v in {x}]", "f takes 1 argument"), ("[{x(v)} for v in {f}]", "x is no function"), ("{g(v)}", "unknown")],
)
def test_placeholders_of_functions_fit_the_signature(spelling: str, message: str) -> None:
    driver = Driver("mine", targets=(LISTS,))

    def mine(f: Fn[[Elem], Elem], x: Vec[Elem]) -> Vec[Elem]:
        return [f(v) for v in x]

    with pytest.raises(DriverError, match=message):
        driver.define(emit=spelling)(mine)


# Beta reduction


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**64))
def test_beta_reduction_keeps_every_value_and_leaves_no_written_function_applied(seed: int) -> None:
    random = Random(seed)
    for _ in range(8):
        expr, env = any_term(random), environment(random)
        reduced = reduce(expr)
        check(reduced)
        assert agrees(expr, reduced, env), f"{show(expr)}\n{show(reduced)}"
        assert not any(isinstance(sub, Invoke) and isinstance(sub.function, Lambda) for sub in subexpressions(reduced))


NAMES: dict[str, Type] = {"x": TensorType(INT32), "i": INT, "v": INT32, "k": INT32}


def applied(operator: str, function: str, *more: str) -> Expr:
    args = (parse(function, NAMES), *(parse(each, NAMES) for each in more))
    assert isinstance(args[0], Lambda)
    return Call(operator, args, TensorType(INT32))


def test_a_function_that_speaks_of_a_name_of_a_binder_is_not_captured() -> None:
    """The meaning's own binder is called i or v as well."""
    for operator in ("mapped", "built"):
        found = expand(applied(operator, "lambda(i32 w: w * i32(i) + v)", "x"), dsl)
        assert alpha_equal(found, parse("[x[j] * i32(i) + v for j < len(x)]", NAMES)) or "i_1" in show(found), show(found)
        env = {"x": [1, 2, 3], "i": 10, "v": 100}
        assert evaluate(found, env) == [110, 120, 130]


def conditions(expr: Expr) -> list[str]:
    return [show(each) for each in side_conditions(expr, dsl)]


def test_what_a_body_requires_is_asked_for_all_that_it_is_called_with() -> None:
    by_each = "lambda(i32 w: quotient:i32(v, w))"
    assert conditions(applied("built", by_each, "x")) == ["forall(v: not (0 <= v and v < len(x)) or x[v] != 0)"]
    by_scalar = side_conditions(applied("built", "lambda(i32 w: quotient:i32(w, v))", "x"), dsl)
    (condition,) = by_scalar  # the binder of the meaning, v, is another variable than the scalar v
    assert not evaluate(condition, {"x": [1], "v": 0}) and evaluate(condition, {"x": [1], "v": 2})
    assert evaluate(condition, {"x": [], "v": 0})


def test_an_accumulator_is_what_the_steps_before_gave() -> None:
    call = Call(
        "folded", (parse("lambda(i32 a, i32 w: quotient:i32(w, a))", NAMES), Var("x", TensorType(INT32)), Var("v", INT32)), INT32
    )
    (condition,) = side_conditions(call, dsl)
    assert evaluate(condition, {"x": [6, 12], "v": 3})  # 6 / 3, then 12 / 2
    assert not evaluate(condition, {"x": [2, 12], "v": 3})  # 2 / 3 is 0


# Spellings


def spelled(template: str, **arguments: str) -> str:
    trees = {name: ast.parse(text, mode="eval").body for name, text in arguments.items()}
    return ast.unparse(fill_template(template, trees))


@pytest.mark.parametrize(
    ("template", "arguments", "wanted"),
    [
        ("[{f(v)} for v in {x}]", {"f": "lambda a: a * a", "x": "y"}, "[v * v for v in y]"),
        ("[{f(v)} for v in {x}]", {"f": "lambda a: a * v", "x": "y"}, "[v_1 * v for v_1 in y]"),
        ("[{f(v)} for v in {x}]", {"f": "lambda v: v + 1", "x": "v"}, "[v_1 + 1 for v_1 in v]"),
        ("[{f(v)} for v in {x}]", {"f": "lambda a: a + 1", "x": "[v * 2 for v in y]"}, "[v + 1 for v in [v * 2 for v in y]]"),
        ("apply({f}, {x})", {"f": "lambda a: g(a)", "x": "y"}, "apply(g, y)"),
        ("apply({f}, {x})", {"f": "lambda a, b: g(b, a)", "x": "y"}, "apply(lambda a, b: g(b, a), y)"),
        ("[{f(a, b)} for a, b in {x}]", {"f": "lambda b, a: b - a", "x": "y"}, "[a - b for a, b in y]"),
    ],
)
def test_functions_are_written_out_without_capture(template: str, arguments: dict[str, str], wanted: str) -> None:
    assert spelled(template, **arguments) == wanted
