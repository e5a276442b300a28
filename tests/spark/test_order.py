"""What depends on the order of the elements is never made parallel: it is not lifted, and the report says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict, ObligationVerdict
from tests.support.spark import TARGETS, needs_spark

LOOP = "def f(x: list[int]) -> int:\n    s = {start}\n    for v in x:\n        {step}\n    return s\n"
FOLDS = {  # what s becomes, what it starts from, and the law that it breaks
    "horner": ("s = 2 * s + v", 0, "not commutative"),
    "alternating": ("s = v - s", 0, "not commutative"),
    "hashed": ("s = s * 31 + v", 7, "not commutative"),
    "distance": ("s = abs(s - v)", 0, "not associative"),
    "halved": ("s = (s + v) // 2", 0, "not associative"),
    "limited": ("s = min(s + v, 100)", 0, "not associative"),
}
ORDERED = {
    "running": """
def f(x: list[int]) -> list[int]:
    out = []
    s = 0
    for v in x:
        s += v
        out.append(s)
    return out
""",
    "where": """
def f(x: list[int], key: int) -> int:
    for i in range(len(x)):
        if x[i] == key:
            return i
    return -1
""",
    "until_negative": """
def f(x: list[int]) -> int:
    s = 0
    for v in x:
        if v < 0:
            break
        s += v
    return s
""",
    "changes": """
def f(x: list[int]) -> int:
    n = 0
    before = 0
    for v in x:
        if v != before:
            n += 1
        before = v
    return n
""",
}
KEYED = {  # of the values with one key
    "horner": "m[k] = 2 * m.get(k, 0) + v",
    "alternating": "m[k] = v - m.get(k, 0)",
    "limited": "m[k] = min(m.get(k, 0) + v, 100)",
    "halved": "m[k] = (m.get(k, 0) + v) // 2",
    "runs": "m[k] = m.get(k, 0) + 1 if m.get(k, 0) < v else 0",
}


def lifted(text: str, folder: Path, targets: tuple[str, ...]) -> FunctionResult:
    source = folder / "kernel.py"
    source.write_text(text, encoding="utf-8")
    (function,) = lift(source, to=targets, out=folder / "out").functions
    return function


@pytest.mark.parametrize("name", FOLDS)
def test_a_function_that_is_no_reducer_is_refused_by_the_law_that_it_breaks(name: str, tmp_path: Path) -> None:
    step, start, law = FOLDS[name]
    function = lifted(LOOP.format(start=start, step=step), tmp_path, ("rdd",))
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert any(law in each.message and "in any order" in each.message for each in function.diagnostics), function.diagnostics
    assert not list((tmp_path / "out").rglob("kernel*.py"))


@pytest.mark.parametrize("name", ORDERED)
def test_what_depends_on_the_order_is_not_lifted(name: str, tmp_path: Path) -> None:
    function = lifted(ORDERED[name], tmp_path, TARGETS)
    assert function.verdict is FunctionVerdict.NOT_LIFTED and function.diagnostics
    assert all(target.file is None for target in function.targets.values())


@pytest.mark.parametrize("name", KEYED)
def test_what_depends_on_the_order_of_the_values_with_one_key_is_not_lifted(name: str, tmp_path: Path) -> None:
    loop = f"    for k, v in zip(keys, values):\n        {KEYED[name]}\n"
    text = f"def f(keys: list[int], values: list[int]):\n    m = {{}}\n{loop}    return m\n"
    function = lifted(text, tmp_path, TARGETS)
    assert function.verdict is FunctionVerdict.NOT_LIFTED and function.diagnostics
    assert all(target.file is None for target in function.targets.values())


@needs_spark
def test_a_reducer_is_proved_commutative_and_associative_where_it_is_used(tmp_path: Path) -> None:
    function = lifted(LOOP.format(start=0, step="s = s + v + s * v"), tmp_path, ("rdd",))
    assert function.verdict is FunctionVerdict.PROVED, (function.diagnostics, function.attempt)
    (laws,) = [each for each in function.obligations if "any order" in each.name]
    assert laws.verdict is ObligationVerdict.PROVED
    assert function.targets["rdd"].file is not None
    assert "x.fold(0, lambda acc, v: acc * v + acc + v)" in Path(function.targets["rdd"].file).read_text(encoding="utf-8")
