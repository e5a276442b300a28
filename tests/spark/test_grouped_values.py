"""Dictionaries of tuples and of lists become groups with several values; what is proved of one value is not proved of another."""

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
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Sale:
    region: str
    item: int
    amount: float


def ranges(keys: list[int], values: list[int]) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for key, value in zip(keys, values):
        if key in found:
            low, high = found[key]
            found[key] = (min(low, value), max(high, value))
        else:
            found[key] = (value, value)
    return found


def averages(sales: list[Sale]) -> dict[str, float]:
    sums = {}
    for sale in sales:
        if sale.region not in sums:
            sums[sale.region] = [0.0, 0]
        entry = sums[sale.region]
        entry[0] += sale.amount
        entry[1] += 1
    return {region: total / count for region, (total, count) in sums.items()}


def spreads(sales: list[Sale], least: int) -> dict[str, tuple[int, float, float]]:
    amounts = defaultdict(list)
    for sale in sales:
        if sale.item >= least:
            amounts[sale.region].append(sale.amount)
    return {region: (len(found), sum(x * x for x in found), max(found)) for region, found in amounts.items()}


def frequent(words: list[str], least: int) -> set[str]:
    places = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    return {word for word, found in places.items() if len(found) >= least}


def shares(sales: list[Sale]) -> dict[str, float]:
    sums: dict[str, float] = {}
    overall = 0.0
    for sale in sales:
        sums[sale.region] = sums.get(sale.region, 0.0) + sale.amount
        overall += sale.amount
    return {region: total / overall for region, total in sums.items() if total * len(sales) > overall}


def dearest(sales: list[Sale]) -> dict[str, int]:
    found: dict[str, Sale] = {}
    for sale in sales:
        if sale.region not in found or sale.amount >= found[sale.region].amount:
            found[sale.region] = sale
    return {region: sale.item for region, sale in found.items()}


def numbers(sales: list[Sale]) -> dict[str, float]:
    found = {}
    for sale in sales:
        if sale.region not in found:
            found[sale.region] = {"total": 0.0, "count": 0}
        found[sale.region]["total"] += sale.amount
        found[sale.region]["count"] += 1
    return {region: entry["total"] / entry["count"] for region, entry in found.items()}
"""
WRITTEN = {
    "rdd": {
        "ranges": ["(math.inf, -math.inf)", "lambda a, b: (min(a[0], b[0]), max(a[1], b[1]))"],
        "averages": ["groups.mapValues(lambda v: v[0] / v[1])"],
        "spreads": ["sales.filter(lambda v: v.item >= least).keyBy(lambda v: v.region)", "(0, 0, -math.inf)"],
        "frequent": ["groups.filter(lambda pair: least <= pair[1]).keys()"],
        "shares": ["total = sales.map(lambda v: v.amount).sum()", "groups.filter("],
        "dearest": ["groups.mapValues("],
        "numbers": ["groups.mapValues(lambda v: v[0] / v[1])"],
    },
    "dataframe": {
        "ranges": ['F.struct(F.col("smallest").alias("_1"), F.col("largest").alias("_2")).alias("value")'],
        "averages": ['(F.col("total") / F.col("count")).alias("value")'],
        "spreads": ['sales.filter(F.col("value")["item"] >= least).groupBy(', '.alias("_3")'],
        "frequent": ['groups.filter(least <= F.col("count")).select("key")'],
        "shares": ['F.lit(total)).alias("value")'],
        "dearest": ["F.max_by("],
        "numbers": ['(F.col("total") / F.col("count")).alias("value")'],
    },
}
CHANGES = [
    ("ranges", "min(low, value)", "max(low, value)"),
    ("ranges", "max(high, value)", "max(high, key)"),
    ("ranges", "= (value, value)", "= (key, value)"),
    ("ranges", "= (value, value)", "= (value, 0)"),
    ("ranges", "key in found", "key not in found"),
    ("averages", "entry[1] += 1", "entry[1] += 2"),
    ("averages", "entry[0] += sale.amount", "entry[0] = sale.amount"),
    ("averages", "[0.0, 0]", "[0.0, 1]"),
    ("averages", "total / count", "count / total"),
    ("averages", "entry = sums[sale.region]", "entry = sums[sale.region]\n        entry[0] += 1"),
    ("spreads", "(len(found), sum(x * x for x in found), max(found))", "(len(found), sum(x * x for x in found), min(found))"),
    ("spreads", "x * x", "x"),
    ("spreads", "len(found), sum(x * x for x in found)", "len(found) - 1, sum(x * x for x in found)"),
    ("spreads", "append(sale.amount)", "append(sale.item)"),
    ("spreads", "sale.item >= least", "sale.item > least"),
    ("frequent", "len(found) >= least", "len(found) > least"),
    ("frequent", "len(found) >= least", "len(found) + 1 >= least"),
    ("shares", "overall += sale.amount", "overall += 2 * sale.amount"),
    ("shares", "> overall}", "< overall}"),
    ("dearest", ">= found", "> found"),
    ("dearest", "sale.item for", "sale.item + 1 for"),
    ("numbers", '["total"] += sale.amount', '["total"] = sale.amount'),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["ranges"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


def test_each_part_of_a_value_is_compared(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE, encoding="utf-8")
    fragment = import_function(open_source(source), "ranges")
    args = ([1], [2], 1)

    def answer(*items: list[int]) -> dict[str, object]:
        return at_key(fragment, args, {"results": [], "items": [list(each) for each in items], "arrays": [None, None]})

    native = answer([1, 2, 5])
    assert native["results"] == [True, 2, 5] and answer()["results"] == [False, 0, 0]
    assert unlike(native, answer([1, 2, 5])) is None
    for other in ([1, 2, 4], [1, 5, 2], [2, 2, 5]):
        assert unlike(native, answer(other)) is not None, other


@pytest.mark.parametrize(
    ("line", "end", "reason"),
    [
        ("m[k].append(v)", "return m", "the lists of the dictionary m"),
        ("m[k].append(v)", "return {k: v[0] for k, v in m.items()}", "the lists of the dictionary m"),
        ("if len(m[k]) < 3: m[k].append(v)", "return {k: sum(v) for k, v in m.items()}", "the lists of the dictionary m"),
    ],
)
def test_what_depends_on_the_order_in_a_group_is_refused(line: str, end: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    head = "from collections import defaultdict\n\n\ndef f(keys: list[int], values: list[int]):\n    m = defaultdict(list)\n"
    source.write_text(f"{head}    for k, v in zip(keys, values):\n        {line}\n    {end}\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED
    assert any(reason in each.message for each in function.diagnostics), function.diagnostics


def test_what_may_fail_of_all_elements_is_not_computed_beside_groups(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    head = "def f(keys: list[str]) -> dict[str, float]:\n    m: dict[str, int] = {}\n    for k in keys: m[k] = m.get(k, 0) + 1\n"
    source.write_text(f"{head}    return {{k: v - 1.0 / len(keys) for k, v in m.items()}}\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert any("what may fail of values of whole collections" in each.message for each in function.diagnostics)
