"""Drivers with one fault at an edge: a clamp, a wrap, a shift, a limit of lanes. `drivers check` finds every one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.app.conformance import check_driver, table
from metalift.driver.files import load
from metalift.prove.solver import SolverPool

UNIT = """\
from dataclasses import replace

from metalift.driver import Driver, Float, Int, Int8, Int16, Int32, LISTS, Matrix, Size, UInt8, Vec, convert, exact, size

CHIP = '''
def wrap(v):
    return (v + 128) % 256 - 128

def clamp(v, low=-128, high=127):
    return min(max(v, low), high)

def lanes(x, most=256):
    if len(x) > most:
        raise ValueError(f"{len(x)} lanes")
    return x
'''
driver = Driver("unit", targets=(replace(LISTS, name="chip", preamble=CHIP),))


"""
ADDS = """\
@driver.define(emit="{spelling}", requires=lambda a, b: len(a) == len(b){limit})
def adds(a: Vec[Int8], b: Vec[Int8]) -> Vec[Int8]:
    return [convert({meaning}) for x, y in zip(a, b)]
"""
SATURATED = "min(max(exact(x) + exact(y), -128), 127)"


def adds(spelling: str, meaning: str = SATURATED, limit: str = "") -> str:
    return ADDS.format(spelling=f"[{spelling} for x, y in zip({{a}}, {{b}})]", meaning=meaning, limit=limit)


def unary(spelling: str, meaning: str, requires: str = "", taken: str = "Vec[Int8]", given: str = "Vec[Int8]") -> str:
    needs = f", requires=lambda {requires}" if requires else ""
    return (
        f'@driver.define(emit="{spelling}"{needs})\ndef f(a: {taken}, k: Size) -> {given}:\n'
        f"    return [convert({meaning}) for x in a]\n"
    )


BITS = "k: 0 <= k and k < 8"
LANES = 'emit="[clamp(x + y) for x, y in zip(lanes({a}), {b})]"'
WRONG = {
    "wraps where it saturates": adds("wrap(x + y)"),
    "saturates where it wraps": adds("clamp(x + y)", "exact(x) + exact(y)"),
    "no clamp above": adds("wrap(max(x + y, -128))"),
    "no clamp below": adds("wrap(min(x + y, 127))"),
    "a clamp at -127": adds("clamp(x + y, -127)"),
    "a clamp at 126": adds("clamp(x + y, -128, 126)"),
    "a clamp at 128 that wraps": adds("wrap(clamp(x + y, -128, 128))"),
    "the meaning clamps at -127": adds("clamp(x + y)", "min(max(exact(x) + exact(y), -127), 127)"),
    "a shift without a clamp": unary("[wrap(x << {k}) for x in {a}]", "min(max(exact(x) << k, -128), 127)", BITS),
    "a shift that rounds": unary("[(x + (1 << {k} >> 1)) >> {k} for x in {a}]", "exact(x) >> k", BITS),
    "a shift by at most 6": unary("[x >> min({k}, 6) for x in {a}]", "exact(x) >> k", BITS),
    "a lane limit removed": adds("clamp(x + y)").replace('emit="[clamp(x + y) for x, y in zip({a}, {b})]"', LANES),
    "a lane limit of 256 for one of 255": adds("clamp(x + y)", limit=" and len(a) <= 256").replace(
        'emit="[clamp(x + y) for x, y in zip({a}, {b})]"', LANES.replace("lanes({a})", "lanes({a}, 255)")
    ),
    "a threshold that counts": unary("[int(x >= 7) for x in {a}]", "1 if x > 7 else 0"),
    "a threshold far away": unary("[int(x > 9999) for x in {a}]", "1 if x > 10000 else 0", taken="Vec[Int32]"),
    "a product that is clamped late": unary(
        "[max(wrap(x * 3 >> 1), -128) for x in {a}]", "min(max((exact(x) * 3) >> 1, -128), 127)"
    ),
    "one end of the lanes left": unary("[*{a}[:255], *[0 for _ in {a}[255:]]]", "exact(x)"),
    "a dot product that wraps": (
        '@driver.define(emit="wrap(sum(x * y for x, y in zip({a}, {b})))", requires=lambda a, b: len(a) == len(b))\n'
        "def dot(a: Vec[Int8], b: Vec[Int8]) -> Int8:\n"
        "    return convert(min(max(sum(exact(x) * exact(y) for x, y in zip(a, b)), -128), 127))\n"
    ),
    "a real clamp at 5.875": (
        '@driver.define(emit="[min(max(x, 0.0), 5.875) for x in {a}]")\n'
        "def relu6(a: Vec[Float]) -> Vec[Float]:\n    return [min(max(x, 0.0), 6.0) for x in a]\n"
    ),
    "a tile of 17 rows": (
        '@driver.define(emit="[[x + 1.0 for x in row] for row in lanes({a}, 16)]", requires=lambda a: size(a, 1) <= 16)\n'
        "def tile(a: Matrix[Float]) -> Matrix[Float]:\n"
        "    return [[a[i][j] + 1.0 for j in range(size(a, 1))] for i in range(size(a, 0))]\n"
    ),
}
RIGHT = {
    "saturates": adds("clamp(x + y)"),
    "wraps": adds("wrap(x + y)", "exact(x) + exact(y)"),
    "shifts": unary("[clamp(x << {k}) for x in {a}]", "min(max(exact(x) << k, -128), 127)", BITS),
    "has lanes": adds("clamp(x + y)", limit=" and len(a) <= 256").replace(
        'emit="[clamp(x + y) for x, y in zip({a}, {b})]"', LANES
    ),
}


def checked(text: str, folder: Path, pool: SolverPool) -> tuple[bool, str]:
    path = folder / "unit.py"
    path.write_text(UNIT + text, encoding="utf-8")
    driver = load(str(path)).driver
    checks = check_driver(driver, pool)
    return all(check.ok for check in checks), table(checks, driver)


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_conforms(text: str, tmp_path: Path, pool: SolverPool) -> None:
    ok, shown = checked(text, tmp_path, pool)
    assert ok, shown


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_fault_at_an_edge_is_found(text: str, tmp_path: Path, pool: SolverPool) -> None:
    ok, shown = checked(text, tmp_path, pool)
    assert not ok, shown
    assert f"{tmp_path / 'unit.py'}:" in shown
