"""The first and the last value with a key, or of a whole list, are those of the elements with the least and greatest place."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from dataclasses import dataclass


@dataclass
class Sale:
    region: str
    item: int
    amount: float


def prices(sales: list[Sale], least: float) -> dict[int, float]:
    table = {}
    for sale in sales:
        if sale.amount > least:
            table[sale.item] = sale.amount
    return table


def first(keys: list[int], values: list[int]) -> dict[int, int]:
    found = {}
    for key, value in zip(keys, values):
        if value > 3 and key not in found:
            found[key] = value
    return found


def regions(sales: list[Sale]) -> dict[int, tuple[str, str, int]]:
    found: dict[int, tuple[str, str, int]] = {}
    for sale in sales:
        if sale.item not in found:
            found[sale.item] = (sale.region, sale.region, 0)
        one, last, count = found[sale.item]
        found[sale.item] = (one, sale.region, count + 1)
    return found


def latest(sales: list[Sale], region: str, start: float) -> float:
    amount = start
    for sale in sales:
        if sale.region == region:
            amount = sale.amount
    return amount
"""
WRITTEN = {
    "rdd": {
        "prices": ["sales.zipWithIndex().keyBy(lambda v: v[0].item)", "max(acc[1], (v[1], v[0].amount)) if"],
        "first": ["matched(keys, values).keyBy(lambda v: v[1][0])", "min(acc[1], (v[0], v[1][1])) if"],
        "regions": ["(v[1], v[0].region)", "acc[2] + 1"],
        "latest": ["return latest(", ", start)"],
    },
    "dataframe": {
        "prices": ["F.max_by("],
        "first": ["F.min_by("],
        "regions": ['F.max_by(F.col("value")["region"], F.col("i"))', 'F.min_by(F.col("value")["region"], F.col("i"))'],
        "latest": ["F.max_by(", "F.lit(start)"],
    },
}
CHANGES = [
    ("prices", "table[sale.item] = sale.amount", "table.setdefault(sale.item, sale.amount)"),
    ("prices", "sale.amount > least", "sale.amount >= least"),
    ("prices", "sale.amount > least", "sale.amount > least or sale.item in table"),
    ("prices", "    return table", "    return {item: price for item, price in table.items() if price > 2.0 * least}"),
    ("prices", "table[sale.item] = sale.amount", "table[sale.item] = max(table.get(sale.item, 0.0), sale.amount)"),
    ("first", "value > 3 and key not in found", "value > 3"),
    ("first", "value > 3 and key not in found", "key not in found"),
    ("first", "value > 3 and key not in found", "value > 3 or key not in found"),
    ("first", "found[key] = value", "found[key] = key"),
    ("regions", "(one, sale.region, count + 1)", "(sale.region, one, count + 1)"),
    ("regions", "(one, sale.region, count + 1)", "(one, last, count + 1)"),
    ("regions", "(one, sale.region, count + 1)", "(one, sale.region, count + 2)"),
    ("latest", "sale.region == region", "sale.region == region and amount == start"),
    ("latest", "amount = start", "amount = 0.0"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["regions"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)
