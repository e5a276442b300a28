"""The first of equal elements, running values by key, and the previous value of the same key, of elements and of rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = '''
from collections import defaultdict
from typing import TypedDict


class Sale(TypedDict):
    shop: str
    amount: float
    paid: bool


def distinct(words: list[str]) -> list[str]:
    seen = set()
    out = []
    for word in words:
        if word not in seen:
            seen.add(word)
            out.append(word)
    return out


def unlike(numbers: list[int]) -> list[int]:
    out = []
    for number in numbers:
        if number not in out:
            out.append(number)
    return out


def first_paid(rows: list[Sale]):
    seen = set()
    out = []
    for row in rows:
        if not row["paid"] or row["shop"] in seen:
            continue
        seen.add(row["shop"])
        out.append({"shop": row["shop"], "first": row["amount"]})
    return out


def running(rows: list[Sale]):
    totals = defaultdict(float)
    out = []
    for row in rows:
        totals[row["shop"]] += row["amount"]
        out.append({**row, "total": totals[row["shop"]]})
    return out


def numbered(rows: list[Sale]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    out = []
    for row in rows:
        counts[row["shop"]] = counts.get(row["shop"], 0) + 1
        out.append((row["shop"], counts[row["shop"]]))
    return out


def before(keys: list[str], values: list[float]) -> list[float]:
    last: dict[str, float] = {}
    out = []
    for key, value in zip(keys, values):
        out.append(value - last.get(key, 0.0))
        last[key] = value
    return out


def changes(rows: list[Sale]) -> list[float]:
    last = {}
    out = []
    for row in rows:
        shop = row["shop"]
        if shop in last:
            out.append(row["amount"] - last[shop])
        last[shop] = row["amount"]
    return out


def best(rows: list[Sale]) -> list[float]:
    found = {}
    out = []
    for row in rows:
        found[row["shop"]] = max(found.get(row["shop"], 0.0), row["amount"])
        out.append(found[row["shop"]])
    return out


def deltas(rows: list[Sale]) -> list[tuple[str, float]]:
    last = {}
    out = []
    for row in rows:
        if row["shop"] in last:
            out.append((row["shop"], row["amount"] - last[row["shop"]]))
        else:
            out.append((row["shop"], 1.0))
        last[row["shop"]] = row["amount"]
    return out
'''
WRITTEN = {
    "rdd": {
        "distinct": ["return first_of_each(words, lambda v: v)"],
        "unlike": ["return first_of_each(numbers, lambda v: v)"],
        "first_paid": ['first_of_each(rows.filter(lambda v: v["paid"]), lambda v: v["shop"])'],
        "running": ['"total": t', 'accumulate(v["amount"] for v in vs)'],
        "numbered": ['(v["shop"], t) for v, t in zip(vs, accumulate(1 for v in vs))'],
        "before": ["along(", "[0.0, *(v[0] for v in vs)]"],
        "changes": ['True, v["amount"] - t'],
        "deltas": ['(vs[0]["shop"], 1.0)'],
        "best": ['accumulate((v["amount"] for v in vs), max)'],
    },
    "dataframe": {
        "distinct": ['return first_of_each(words, F.col("value"))'],
        "unlike": ['return first_of_each(numbers, F.col("value"))'],
        "first_paid": ['first_of_each(rows.filter(F.col("value")["paid"]), F.col("value")["shop"])'],
        "running": ['partitionBy(F.col("value")["shop"]).orderBy("i")', '.alias("total")'],
        "numbered": ["F.sum(F.lit(1)).over("],
        "before": ['F.lag(F.col("value")).over(Window.partitionBy(F.col("other")).orderBy("i"))'],
        "changes": ['F.col("before").isNotNull()'],
        "deltas": ['F.when(F.col("before").isNotNull()'],
        "best": ['F.max(F.col("value")["amount"]).over('],
    },
}
CHANGES = [
    ("distinct", "if word not in seen", "if word in seen"),
    ("first_paid", 'not row["paid"] or', 'row["paid"] or'),
    ("running", 'totals[row["shop"]] += row["amount"]', 'totals[row["shop"]] += 2 * row["amount"]'),
    ("numbered", "0) + 1", "1) + 1"),
    ("before", "value - last", "value + last"),
    ("before", "last[key] = value", "last[key] = last.get(key, 0.0) + value"),
    ("changes", "- last[shop]", "+ last[shop]"),
    ("deltas", '- last[row["shop"]]', '+ last[row["shop"]]'),
    ("deltas", '"shop"], 1.0', '"shop"], 0.0'),
    ("best", "0.0), row", "1.0), row"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["running"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_changed_sources_are_refuted(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)
