"""Functions that return several dictionaries and sets, and numbers beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.frontend import import_function, open_source
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from metalift.run.compare.keyed_results import at_key, unlike
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from collections import Counter, defaultdict
from dataclasses import dataclass


@dataclass
class Pixel:
    r: int
    g: int
    b: int


@dataclass
class Sale:
    region: str
    product: str
    amount: float


def channels(image: list[Pixel]) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    hr, hg = defaultdict(int), defaultdict(int)
    for p in image:
        hr[p.r] += 1
        hg[p.g] += 1
    return hr, hg, Counter(p.b for p in image)


def summary(sales: list[Sale], least: float) -> tuple[float, dict[str, tuple[float, int]], set[str], int]:
    groups = {}
    products = set()
    total = 0.0
    count = 0
    for sale in sales:
        if sale.amount > least:
            amount, n = groups.get(sale.region, (0.0, 0))
            groups[sale.region] = (amount + sale.amount, n + 1)
            products.add(sale.product)
            total += sale.amount
        count += 1
    return total, groups, products, count
"""
WRITTEN = {
    "rdd": {
        "channels": ["image.keyBy(lambda v: v.r)", "image.keyBy(lambda v: v.g)", "image.keyBy(lambda v: v.b)"],
        "summary": ["total, n = sales.aggregate(", ".map(lambda v: v.product).distinct()"],
    },
    "dataframe": {
        "channels": ['groupBy(F.col("value")["r"].alias("key"))', 'groupBy(F.col("value")["b"].alias("key"))'],
        "summary": ["total, n = sales.agg(", "count_if(", ".distinct()"],
    },
}
CHANGES = [
    ("channels", "hr[p.r] += 1", "hr[p.g] += 1"),
    ("channels", "return hr, hg,", "return hg, hr,"),
    ("channels", "(p.b for p in image)", "(p.b for p in image if p.b > 0)"),
    ("summary", "        count += 1", "            count += 1"),
    ("summary", "            total += sale.amount", "        total += sale.amount"),
    ("summary", "products.add(sale.product)", "products.add(sale.region)"),
    ("summary", "(amount + sale.amount, n + 1)", "(amount + sale.amount, n + 2)"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["summary"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


def test_each_result_is_compared(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE, encoding="utf-8")
    fragment = import_function(open_source(source), "channels")
    args: tuple[list[int], int] = ([], 7)

    def answer(*parts: list[list[int]]) -> dict[str, object]:
        return at_key(fragment, args, {"results": [], "parts": list(parts), "arrays": [None]})

    native = answer([[7, 1]], [], [[7, 2], [8, 1]])
    assert native["results"] == [True, 1, False, 0, True, 2]
    assert unlike(native, answer([[7, 1]], [], [[8, 1], [7, 2]])) is None
    for other in (([[7, 1]], [], [[7, 2], [8, 2]]), ([], [[7, 1]], [[7, 2], [8, 1]]), ([[7, 1]], [[8, 1]], [[7, 2], [8, 1]])):
        assert unlike(native, answer(*other)) is not None, other
    assert "error" in answer([[7, 1], [7, 1]], [], [])


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("m, m[0]", "not"),
        ("len(keys), len(values)", "no dictionary or set"),
    ],
)
def test_results_that_depend_on_other_keys_are_refused(result: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    loop = "    m = {}\n    for k, v in zip(keys, values):\n        m[k] = m.get(k, 0) + v\n"
    source.write_text(f"def f(keys: list[int], values: list[int]):\n{loop}    return {result}\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED
    assert any(reason in each.message for each in function.diagnostics), function.diagnostics


def test_a_dictionary_beside_a_value_of_all_its_keys_is_not_lifted(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    loop = "    m = {}\n    for k, v in zip(keys, values):\n        m[k] = m.get(k, 0) + v\n"
    source.write_text(f"def f(keys: list[int], values: list[int]):\n{loop}    return m, len(m)\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED


def test_keys_of_different_types_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    text = "def f(a: list[int], b: list[str]) -> tuple[set[int], set[str]]:\n    return set(a), set(b)\n"
    source.write_text(text, encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED
    assert any("keys of different types, int and str" in each.message for each in function.diagnostics)
