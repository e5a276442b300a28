"""Reading meanings: each accepted form against CPython, and errors with their place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from metalift.driver import (
    Bool,
    Driver,
    DriverError,
    Elem,
    Int,
    Matrix,
    Real,
    Scalar,
    Size,
    Target,
    To,
    UInt8,
    Vec,
    convert,
    exact,
    size,
    trunc_div,
    trunc_rem,
)
from metalift.driver.expansion import expand, side_conditions
from metalift.ir.expr.nodes import Build, Call, Expr, Fold, Select, Var
from metalift.ir.expr.types import BOOL, FLOAT, INT, INT32, INT64, UINT8, TensorType, Type
from metalift.ir.interp.interpret import Tensor, Value, evaluate
from metalift.ir.text import parse, show

HALF = 0.5
VEC = TensorType(INT32)
MATRIX = TensorType(INT32, 2)

dsl = Driver("forms", targets=(Target("toy"),))


@dsl.define
def fma(x: Int, y: Int, z: Int) -> Int:
    return x + y * z


@dsl.define
def total(x: Vec[Elem]) -> Elem:
    return sum(x)


@dsl.define
def squares(x: Vec[Elem]) -> Elem:
    """With a docstring, a loop and a local name."""
    s: Elem = 0
    for v in x:
        square = v * v
        s += square
    return s


@dsl.define
def dot(x: Vec[Elem], y: Vec[Elem]) -> Elem:
    return sum(a * b for a, b in zip(x, y, strict=False))


@dsl.define
def positives(x: Vec[Elem]) -> To:
    return sum(1 if v > 0 else 0 for v in x)


@dsl.define
def sum_of_positives(x: Vec[Elem]) -> Elem:
    return sum(v for v in x if v > 0)


@dsl.define
def greatest(x: Vec[Elem]) -> Elem:
    return max(x)


@dsl.define
def last(x: Vec[Elem]) -> Elem:
    return x[-1]


@dsl.define
def tail_total(x: Vec[Elem]) -> Elem:
    return sum(x[1:])


@dsl.define
def sliding(x: Vec[Elem]) -> Vec[Elem]:
    return [x[i] + x[i + 1] for i in range(len(x) - 1)]


@dsl.define
def every_other(x: Vec[Elem]) -> Elem:
    return sum(x[i] for i in range(0, len(x), 2))


@dsl.define
def weighted(x: Vec[Int]) -> To:
    return convert(sum(i * exact(v) for i, v in enumerate(x)))


@dsl.define
def mv(a: Matrix[Elem], x: Vec[Elem]) -> Vec[Elem]:
    return [sum(a[i][j] * x[j] for j in range(size(a, 1))) for i in range(len(a))]


@dsl.define
def transpose(a: Matrix[Elem]) -> Matrix[Elem]:
    return [[a[i][j] for i in range(len(a))] for j in range(size(a, 1))]


@dsl.define
def row_greatest(a: Matrix[Elem]) -> Vec[Elem]:
    return [max(row) for row in a]


@dsl.define
def spread(x: Vec[Elem]) -> Elem:
    low = x[0]
    high = x[0]
    for v in x:
        if v < low:
            low = v
        elif v > high:
            high = v
    return high - low


@dsl.define
def sign(x: Int) -> Int:
    if x > 0:
        return 1
    if x < 0:
        return -1
    return 0


@dsl.define
def division(x: Int, y: Int) -> Int:
    return trunc_div(x, y) * 100 + trunc_rem(x, y) + (x // y) * 7 - x % y


@dsl.define
def bits(x: Int, y: Int) -> Int:
    return ((x & y) | (x ^ 5)) + (x << 2) - (y >> 1)


@dsl.define
def between(x: Int, y: Int, z: Int) -> Bool:
    return x <= y < z and not y == 0 or x != z


def helper(x: int, y: int) -> int:
    return x * y + 1


@dsl.define
def with_helper(x: Int, y: Int) -> Int:
    return helper(y, x) - helper(x, x)


@dsl.define
def all_small(x: Vec[Elem]) -> Bool:
    return all(v < 50 for v in x)


@dsl.define
def repeat(n: Size, v: Scalar) -> Vec[Scalar]:
    return [v for i in range(n)]


@dsl.define
def doubled_positives(x: Vec[Elem], low: Elem) -> Vec[Elem]:
    return [2 * v for v in x if v > 0 if v > low]


@dsl.define
def at_flags(mask: Vec[Bool], x: Vec[Elem]) -> Vec[Elem]:
    return [x[i] for i in range(len(x)) if mask[i]]


@dsl.define
def bins(b: Vec[Elem], n: Size) -> Vec[Elem]:
    return [sum(1 for v in b if v == p) for p in range(n)]


@dsl.define
def kept_first(x: Vec[Elem]) -> Vec[Elem]:
    return [] if not x else [x[0], *kept_first(x[1:])] if x[0] > 1 else kept_first(x[1:])


@dsl.define
def kept_last(x: Vec[Elem]) -> Vec[Elem]:
    return [] if not x else [*kept_last(x[1:]), 2 * x[0]] if x[0] > 1 else kept_last(x[1:])


@dsl.elementwise(requires=lambda a, b: b != 0)
def quotient(a: Int, b: Int) -> Int:
    return trunc_div(a, b)


@dsl.elementwise()
def wrapped(a: Int) -> To:
    return convert(exact(a) * 3)


CASES: list[tuple[Callable[..., Any], tuple[Type, ...], Sequence[Any]]] = [
    (fma, (INT32, INT32, INT32), (2, 3, 4)),
    (total, (VEC,), ([3, -4, 9],)),
    (total, (VEC,), ([],)),
    (squares, (VEC,), ([3, -4, 9],)),
    (dot, (VEC, VEC), ([1, 2, 3], [4, 5, 6])),
    (sum_of_positives, (VEC,), ([1, -2, 3],)),
    (greatest, (VEC,), ([1, 7, 3],)),
    (greatest, (VEC,), ([-5],)),
    (last, (VEC,), ([1, 7, 3],)),
    (tail_total, (VEC,), ([1, 7, 3],)),
    (sliding, (VEC,), ([1, 7, 3],)),
    (every_other, (VEC,), ([1, 7, 3, 9, 20],)),
    (mv, (MATRIX, VEC), ([[1, 2, 3], [4, 5, 6]], [1, 10, 100])),
    (transpose, (MATRIX,), ([[1, 2, 3], [4, 5, 6]],)),
    (row_greatest, (MATRIX,), ([[1, 2, 3], [9, 5, 6]],)),
    (spread, (VEC,), ([4, 7, 3, 9, 20],)),
    (sign, (INT32,), (-4,)),
    (sign, (INT32,), (0,)),
    (sign, (INT32,), (8,)),
    (division, (INT32, INT32), (-7, 2)),
    (division, (INT32, INT32), (7, -2)),
    (bits, (INT32, INT32), (-13, 6)),
    (between, (INT32, INT32, INT32), (1, 2, 3)),
    (between, (INT32, INT32, INT32), (3, 0, 3)),
    (with_helper, (INT32, INT32), (3, 5)),
    (all_small, (VEC,), ([1, 49],)),
    (all_small, (VEC,), ([1, 50],)),
    (repeat, (INT, INT32), (3, 8)),
    (quotient, (INT32, INT32), (-7, 2)),
    (doubled_positives, (VEC, INT32), ([3, -4, 9, 1, 5], 2)),
    (at_flags, (TensorType(BOOL, 1), VEC), ([True, False, True], [3, -4, 9])),
    (bins, (VEC, INT), ([2, 0, 2, 3], 4)),
    (kept_first, (VEC,), ([3, -2, 5, 1, 2],)),
    (kept_last, (VEC,), ([3, -2, 5, 1, 2],)),
]


def plain(value: Value) -> Value:
    return value.nested() if isinstance(value, Tensor) else value


@pytest.mark.parametrize(("function", "types", "args"), CASES, ids=lambda item: getattr(item, "__name__", ""))
def test_a_meaning_is_what_cpython_computes(function: Callable[..., Any], types: tuple[Type, ...], args: Sequence[Any]) -> None:
    instance = dsl.operators[function.__name__].instantiate(types)
    env = {param.name: arg for param, arg in zip(instance.params, args, strict=True)}
    assert plain(evaluate(instance.body, env)) == function(*args)


def test_a_result_type_may_come_from_the_use() -> None:
    body = dsl.operators["positives"].instantiate((VEC,), INT64).body
    assert plain(evaluate(body, {"x": [3, -1, 4]})) == 2
    wrapped_body = dsl.operators["wrapped"].instantiate((INT32,), UINT8).body
    assert evaluate(wrapped_body, {"a": 100}) == 300 % 256


def test_elementwise_operators_take_tensors_and_scalars() -> None:
    operator = dsl.operators["quotient"]
    instance = operator.instantiate((MATRIX, INT32))
    assert isinstance(instance.body, Build) and len(instance.body.binders) == 2
    assert plain(evaluate(instance.body, {"a": [[7, -7]], "b": 2})) == [[3, -3]]
    both = operator.instantiate((VEC, VEC))
    assert [show(each) for each in both.requires][0] == "len(b) == len(a)"
    assert len(both.requires) == 2
    with pytest.raises(ValueError, match="one rank"):
        operator.instantiate((VEC, MATRIX))


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("fma", (INT32, INT64, INT32)),
        ("fma", (FLOAT, FLOAT, FLOAT)),
        ("total", (TensorType(BOOL),)),
        ("total", (INT32,)),
        ("fma", ()),
    ],
)
def test_types_that_do_not_fit_are_refused(name: str, types: tuple[Type, ...]) -> None:
    with pytest.raises(ValueError):
        dsl.operators[name].instantiate(types)


def test_programs_expand_to_terms_without_operators() -> None:
    x = Var("x", VEC)
    window = parse("[x[i + 1] for i < n]", {"x": VEC, "n": INT})
    tree = Call("total", (Call("quotient", (window, parse("3:i32", {})), VEC),), INT32)
    expanded = expand(tree, dsl)
    assert isinstance(expanded, Fold)
    assert show(expanded) == "fold(n, 0:i32, acc, item: acc + tdiv(x[item + 1], 3))"
    assert plain(evaluate(expanded, {"x": [9, 10, -7, 6], "n": 3})) == 3 - 2 + 2
    assert [show(each) for each in side_conditions(tree, dsl)] == ["forall(i0: not (0 <= i0 and i0 < n) or 3:i32 != 0)"]
    assert expand(Select(x, (parse("2", {}),)), dsl) == Select(x, (parse("2", {}),))


def written(tmp_path: Path, body: str) -> str:
    """The path of a driver file."""
    path = tmp_path / "written.py"
    path.write_text(
        "import math\nfrom metalift.driver import *\n"
        "from metalift.driver import Driver, Elem, Int, Real, Size, Target, Vec, convert, size\n"
        "driver = Driver('written', targets=(Target('toy'),))\n" + body
    )
    return str(path)


def load(path: str) -> Driver:
    space: dict[str, Any] = {"__name__": "written"}
    exec(compile(Path(path).read_text(), path, "exec"), space)
    found = space["driver"]
    assert isinstance(found, Driver)
    return found


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("@driver.define\ndef f(x): return x\n", 6, "has no type"),
        ("@driver.define\ndef f(x: Int): return x\n", 6, "no result type"),
        ("@driver.define\ndef f(x: str) -> Int: return 1\n", 6, "not a type of the driver language"),
        ("@driver.define\ndef f(x: Int, *y: Int) -> Int: return x\n", 6, "plain names"),
        ("@driver.define\ndef f(x: Unknown) -> Int: return x\n", 6, "Unknown"),
        ("@driver.define(emit='g({y})')\ndef f(x: Int) -> Int: return x\n", 6, "unknown placeholder {y}"),
        ("@driver.define(emit='g({x}')\ndef f(x: Int) -> Int: return x\n", 6, "is not a Python expression"),
        ("@driver.define(emit={'cuda': 'g({x})'})\ndef f(x: Int) -> Int: return x\n", 6, "unknown target 'cuda'"),
        ("@driver.define(numbers=('y',))\ndef f(x: Int) -> Int: return x\n", 6, "no parameter 'y'"),
        ("@driver.elementwise()\ndef f(x: Vec[Int]) -> Int: return x[0]\n", 6, "is on scalars"),
        ("@driver.define\ndef f(x: Int) -> Int: return x\n@driver.define\ndef f(x: Int) -> Int: return x\n", 8, "defined twice"),
    ],
)
def test_declarations_that_are_refused(tmp_path: Path, body: str, line: int, message: str) -> None:
    path = written(tmp_path, body)
    with pytest.raises(DriverError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("    return x / 2\n", 7, "/ is for reals"),
        ("    return x + y\n", 7, "unknown name 'y'"),
        ("    return x + 0.5\n", 7, "is not a i32"),
        ("    return f(x)\n", 7, "calls itself"),
        ("    return open(x)\n", 7, "unknown function 'open'"),
        ("    return math.sqrt(x)\n", 7, "takes reals"),
        ("    return x.real\n", 7, "is not accepted"),
        ("    return x if x else 1\n", 7, "a condition is"),
        ("    while x > 0:\n        x = x - 1\n    return x\n", 7, "is not accepted"),
        ("    for i in x:\n        x = x + i\n    return x\n", 7, "a loop goes over"),
        ("    if x > 0:\n        return 1\n", 6, "does not return a value on every path"),
        ("    return len(x)\n", 7, "take a tensor"),
        ("    return x[0]\n", 7, "only tensors are indexed"),
        ("    import os\n    return x\n", 7, "is not accepted"),
        ("    return x == 1\n", 6, "found bool where i32 is wanted"),
    ],
)
def test_bodies_that_are_refused(tmp_path: Path, body: str, line: int, message: str) -> None:
    path = written(tmp_path, "@driver.define\ndef f(x: Int) -> Int:\n" + body)
    operator = load(path).operators["f"]
    with pytest.raises(DriverError) as caught:
        operator.instantiate((INT32,))
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_meanings_are_not_executed(tmp_path: Path) -> None:
    path = written(tmp_path, "@driver.define\ndef f(x: Int) -> Int:\n    print('run')\n    return x\n")
    with pytest.raises(DriverError, match="print"):
        load(path).operators["f"].instantiate((INT32,))


def test_operators_named_like_functions_are_kept_apart() -> None:
    named = Driver("named", targets=(Target("toy"),))

    @named.elementwise(emit="lib.exp({a})")
    def exp(a: Real) -> Real:
        return math.exp(a)

    (operator,) = named.operators.values()
    assert operator.name == "named.exp"
    expanded: Expr = expand(Call("named.exp", (Var("v", FLOAT),), FLOAT), named)
    assert expanded == Call("exp", (Var("v", FLOAT),), FLOAT)


def test_spellings_for_plain_numbers() -> None:
    named = Driver("spelled", targets=(Target("numbers", numbers=True), Target("arrays")))

    @named.elementwise(emit="{a} + {b}")
    def add(a: Elem, b: Elem) -> Elem:
        return a + b

    @named.elementwise(emit="lib.low({a}, {b})", scalars="min({a}, {b})", numbers=("b",))
    def low(a: Elem, b: Elem) -> Elem:
        return min(a, b)

    @named.elementwise(emit="lib.root({a})")
    def root(a: Real) -> Real:
        return math.sqrt(a)

    numbers, arrays = named.targets
    takes = {
        (operator.name, target.name, flags): operator.takes(target, flags)
        for operator in (named.operators["add"], named.operators["low"])
        for target in (numbers, arrays)
        for flags in [(True, True), (True, False), (False, True), (False, False)]
    }
    assert [key for key, value in takes.items() if not value] == [("low", "arrays", (True, False))]
    assert not named.operators["root"].takes(arrays, (True,)) and not named.operators["root"].takes(numbers, (True,))
    assert named.operators["low"].spelling("arrays", on_numbers=True) == "min({a}, {b})"
    assert named.operators["root"].spelling("arrays", on_numbers=True) is None


def test_fixed_element_types() -> None:
    fixed = Driver("fixed", targets=(Target("toy"),))

    @fixed.define
    def brighten(x: Vec[UInt8]) -> Vec[UInt8]:
        return [convert(min(exact(v) + 10, 255)) for v in x]

    operator = fixed.operators["brighten"]
    body = operator.instantiate((TensorType(UINT8),)).body
    assert plain(evaluate(body, {"x": [0, 250]})) == [10, 255]
    with pytest.raises(ValueError, match="does not fit"):
        operator.instantiate((VEC,))


def test_numbers_of_the_module_are_known() -> None:
    named = Driver("constants", targets=(Target("toy"),))

    @named.define
    def halved(x: Real) -> Real:
        return HALF * x

    assert show(named.operators["halved"].instantiate((FLOAT,)).body) == "0.5 * x"
