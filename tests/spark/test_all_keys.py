"""One value of all keys of a dictionary or set: groups, and an aggregate of what they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from collections import Counter, defaultdict
from dataclasses import dataclass


@dataclass
class Sale:
    region: str
    product: int
    amount: int


def spread(words: list[str]) -> int:
    counts = Counter(words)
    return max(counts.values()) - min(counts.values())


def squares(sales: list[Sale], least: int) -> int:
    totals = defaultdict(int)
    for sale in sales:
        if sale.amount > least:
            totals[sale.region] += sale.amount
    return sum(v * v for v in totals.values())


def repeated(xs: list[int], least: int) -> tuple[int, bool]:
    counts: dict[int, int] = {}
    for x in xs:
        counts[x] = counts.get(x, 0) + 1
    n = 0
    for x, count in counts.items():
        if count > 1:
            n += 1
    return n, any(count > least for count in counts.values())


def best(sales: list[Sale]) -> int:
    totals: dict[tuple[str, int], int] = {}
    for sale in sales:
        key = (sale.region, sale.product)
        totals[key] = totals.get(key, 0) + sale.amount
    best = 0
    for total in totals.values():
        if total > best:
            best = total
    return best


def places(sales: list[Sale], a: list[int], b: list[int], t: int) -> tuple[int, int]:
    found = {sale.region for sale in sales if sale.amount > t}
    return len(found), len(set(a) & set(b))
"""
WRITTEN = {
    "rdd": {
        "spread": ["values = words.keyBy(lambda v: v).aggregateByKey(", "largest(values)", "smallest(values)"],
        "squares": ["sales.filter(lambda v: least < v.amount).keyBy(", "lambda v: v * v", ".sum()"],
        "repeated": [".filter(lambda pair: pair[1] > 1).keys()", ".count()", ".isEmpty()"],
        "best": ["keyBy(lambda v: (v.region, v.product))", ".fold(0, max)"],
        "places": [".map(lambda v: v.region).distinct()", "a.distinct().intersection(b.distinct())"],
    },
    "dataframe": {
        "spread": ['values = words.groupBy(F.col("value").alias("key"))', 'F.max("value")', 'F.min("value")'],
        "squares": ['F.sum("value")'],
        "repeated": ['groups.filter(F.col("count") > 1)', ".count()", ".isEmpty()"],
        "best": ['F.greatest(F.max("value"), F.lit(0))'],
        "places": [".distinct()", ".intersect("],
    },
}
CHANGES = [
    ("spread", "max(counts.values()) - min", "max(counts.values()) + min"),
    ("spread", "- min(counts.values())", "- max(counts.values())"),
    ("squares", "v * v for", "v for"),
    ("squares", "sale.amount > least", "sale.amount >= least"),
    ("squares", "v * v for v in totals.values()", "v * v for v in totals.values() if v > 0"),
    ("repeated", "if count > 1", "if count > 2"),
    ("repeated", "n += 1", "n += count"),
    ("repeated", "any(count > least", "all(count > least"),
    ("repeated", "counts.get(x, 0) + 1", "counts.get(x, 1) + 1"),
    ("best", "best = 0", "best = 1"),
    ("best", "(sale.region, sale.product)", "(sale.region, 0)"),
    ("best", "if total > best", "if total < best"),
    ("places", "set(a) & set(b)", "set(a) - set(b)"),
    ("places", "sale.amount > t", "sale.amount > t + 1"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["squares"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@pytest.mark.parametrize(
    "result",
    [
        "list(counts.values())",
        "next(iter(counts.values()))",
        "max(counts, key=counts.get)",
        "[count for count in counts.values() if count > 1]",
        "sorted(counts.values())[0]",
    ],
)
def test_what_has_the_order_of_keys_is_refused(result: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    text = "    counts: dict[int, int] = {}\n    for x in xs:\n        counts[x] = counts.get(x, 0) + 1\n"
    source.write_text(f"def f(xs: list[int]):\n{text}    return {result}\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED


OTHERS = {  # what is computed at the keys that come first, and why that is no value of groups
    "more than the key": ("x // 2 == xs[i] // 2 and x > 0 for x in xs", "xs[i]", "first element"),
    "elements with other keys": ("x // 3 == xs[i] // 2 for x in xs", "1", "groups of keys"),
    "elements of another list": ("y == xs[i] // 2 for y in ys", "1", "groups of keys"),
    "whatever the key is": ("x > xs[i] // 2 for x in xs", "1", ""),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_value_of_groups_has_no_code(name: str, tmp_path: Path) -> None:
    there, value, message = OTHERS[name]
    source = tmp_path / "kernel.py"
    text = "    n = 0\n    for i in range(len(xs)):\n        if not any(xs[j] // 2 == xs[i] // 2 for j in range(i)):\n"
    text += f"            if any({there}):\n                n += {value}\n    return n\n"
    source.write_text(f"def f(xs: list[int], ys: list[int]) -> int:\n{text}", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert message in str(function.diagnostics)
