"""A unit that saturates: bounds that another makes redundant, around each other, one by one, and what is something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result import FunctionResult

DRIVER = '''
from dataclasses import replace
from metalift.driver import LISTS, Driver, Int8, Int32, Size, Vec, convert, exact

UNIT = """
def sat(v): return min(max(v, -128), 127)
def adds(x, y): return [sat(a + b) for a, b in zip(x, y)]
def subs(x, y): return [sat(a - b) for a, b in zip(x, y)]
def kept(x, low, high): return [min(max(a, low), high) for a in x]
def negs(x): return [sat(-a) for a in x]
def most(x, y): return [max(a, b) for a, b in zip(x, y)]
def above(x, k): return [max(a, k) for a in x]
def below(x, k): return [min(a, k) for a in x]
def shifted(x, s): return [sat((a + (1 << s - 1)) >> s) for a in x]
def total(x): return sum(x)
def dot(x, y): return sum(a * b for a, b in zip(x, y))
def top(x): return max([0, *map(abs, x)])
"""
driver = Driver("unit", (replace(LISTS, name="unit", preamble=UNIT),))


@driver.define(requires=lambda x, y: len(x) == len(y))
def adds(x: Vec[Int8], y: Vec[Int8]) -> Vec[Int8]:
    return [convert(min(max(exact(a) + exact(b), -128), 127)) for a, b in zip(x, y)]


@driver.define(requires=lambda x, y: len(x) == len(y))
def subs(x: Vec[Int8], y: Vec[Int8]) -> Vec[Int8]:
    return [convert(min(max(exact(a) - exact(b), -128), 127)) for a, b in zip(x, y)]


@driver.define(requires=lambda low, high: low <= high)
def kept(x: Vec[Int8], low: Int8, high: Int8) -> Vec[Int8]:
    return [min(max(a, low), high) for a in x]


@driver.define
def negs(x: Vec[Int8]) -> Vec[Int8]:
    return [convert(min(-exact(a), 127)) for a in x]


@driver.define(requires=lambda x, y: len(x) == len(y))
def most(x: Vec[Int8], y: Vec[Int8]) -> Vec[Int8]:
    return [max(a, b) for a, b in zip(x, y)]


@driver.define
def above(x: Vec[Int8], k: Int8) -> Vec[Int8]:
    return [max(a, k) for a in x]


@driver.define
def below(x: Vec[Int8], k: Int8) -> Vec[Int8]:
    return [min(a, k) for a in x]


@driver.define(requires=lambda s: 1 <= s and s < 31)
def shifted(x: Vec[Int32], s: Size) -> Vec[Int8]:
    return [convert(min(max(exact(a) + (1 << s - 1) >> s, -128), 127)) for a in x]


@driver.define
def total(x: Vec[Int8]) -> Int32:
    return sum(convert(a) for a in x)


@driver.define(requires=lambda x, y: len(x) == len(y))
def dot(x: Vec[Int8], y: Vec[Int8]) -> Int32:
    return convert(sum(exact(a) * exact(b) for a, b in zip(x, y)))


@driver.define
def top(x: Vec[Int8]) -> Int32:
    most = 0
    for a in x:
        most = max(most, abs(exact(a)))
    return convert(most)
'''
LOOP = "void {name}(i8 *o, const i8 *a, const i8 *b, const int *w, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
SUM = "int {name}(const i8 *a, const i8 *b, int n) {{ int s = 0; for (int i = 0; i < n; i++) {{ {body} }} return s; }}"
RIGHT = {
    "sum_then_relu": LOOP.format(name="sum_then_relu", body="int s = a[i] + b[i]; s = s > 0 ? s : 0; o[i] = s < 127 ? s : 127;"),
    "between": LOOP.format(name="between", body="int v = a[i]; v = v < -100 ? -100 : v; v = v > 100 ? 100 : v; o[i] = v;"),
    "window": LOOP.format(name="window", body="int s = a[i] + b[i]; s = s < 4 ? 4 : s; o[i] = s > 96 ? 96 : s;"),
    "apart": LOOP.format(name="apart", body="int d = a[i] - b[i]; d = d < 0 ? -d : d; o[i] = d > 127 ? 127 : d;"),
    "magnitude": LOOP.format(name="magnitude", body="int v = a[i] < 0 ? -a[i] : a[i]; o[i] = v > 127 ? 127 : v;"),
    "negated": LOOP.format(name="negated", body="o[i] = a[i] == -128 ? 127 : -a[i];"),
    "scaled": LOOP.format(name="scaled", body="int s = (w[i] + 8) >> 4; o[i] = s > 127 ? 127 : s < 0 ? 0 : s;"),
    "added": SUM.format(name="added", body="s += a[i];"),
    "product": SUM.format(name="product", body="s += a[i] * b[i];"),
    "largest": SUM.format(name="largest", body="int v = a[i] < 0 ? -a[i] : a[i]; if (v > s) s = v;"),
}
WRONG = {
    "wraps": LOOP.format(name="wraps", body="i8 s = (i8)(a[i] + b[i]); o[i] = s > 0 ? s : 0;"),
    "wider": LOOP.format(name="wider", body="int s = a[i] + b[i]; s = s > 0 ? s : 0; o[i] = (i8)(s < 128 ? s : 128);"),
    "beyond": LOOP.format(name="beyond", body="int s = a[i] + b[i]; s = s < -200 ? -200 : s; o[i] = (i8)(s > 96 ? 96 : s);"),
    "too_far": LOOP.format(name="too_far", body="int d = a[i] - b[i]; d = d < 0 ? -d : d; o[i] = (i8)(d > 200 ? 200 : d);"),
    "least_stays": LOOP.format(name="least_stays", body="o[i] = a[i] == -128 ? -128 : -a[i];"),
    "not_the_end": LOOP.format(name="not_the_end", body="o[i] = a[i] == -127 ? 127 : -a[i] > 127 ? 0 : -a[i];"),
    "rounds_down": LOOP.format(name="rounds_down", body="int s = (w[i] + 7) >> 4; o[i] = s > 127 ? 127 : s < 0 ? 0 : s;"),
    "short": SUM.format(name="short_", body="s = (int16_t)(s + a[i] * b[i]);"),
    "less_each": "unsigned less_each(const i8 *a, int n) { unsigned s = 0; for (int i = 0; i < n; i++) s -= a[i]; return s; }",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    folder = tmp_path_factory.mktemp("bounds")
    (folder / "unit.py").write_text(DRIVER, encoding="utf-8")
    source: Path = folder / "kernels.c"
    text = "\n".join(["#include <stdint.h>\ntypedef int8_t i8;", *RIGHT.values(), *WRONG.values(), ""])
    source.write_text(text, encoding="utf-8")
    result = lift(source, to=["unit"], driver=str(folder / "unit.py"), out=folder / "out")
    return {each.name: each for each in result.functions}


@pytest.mark.parametrize("name", RIGHT)
def test_a_bound_by_itself_around_another_is_found(name: str, found: dict[str, FunctionResult]) -> None:
    each = found[name]
    assert each.verdict.value == "PROVED" and each.targets["unit"].checked.value == "agrees", each


def test_what_is_not_computed_so_is_not_proved(found: dict[str, FunctionResult]) -> None:
    assert {name for name, each in found.items() if each.verdict.value == "PROVED"} == set(RIGHT)
