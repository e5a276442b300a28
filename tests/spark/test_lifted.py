"""Loops over lists become Spark code that a person would write, and that computes the same however the data are partitioned.

The session has two cores; the collections it is run on have one, two and seven partitions, some of which are empty.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.result import FunctionResult
from tests.support.spark import TARGETS, check_written, needs_spark

SOURCE = """
def squares(x: list[int]) -> int:
    s = 0
    for v in x:
        s += v * v
    return s


def delta(x: list[float]) -> float:
    low = x[0]
    high = x[0]
    for v in x:
        if v > high:
            high = v
        if v < low:
            low = v
    return high - low


def deviation(x: list[float]) -> float:
    total = 0.0
    for v in x:
        total += v
    mean = total / len(x)
    squares = 0.0
    for v in x:
        squares += (v - mean) * (v - mean)
    return squares / len(x)


def sums(acc: list[float], v: list[float]) -> tuple[float, float]:
    s = 0.0
    t = 0.0
    for i in range(len(acc)):
        s += acc[i]
        t += acc[i] * v[i]
    return s, t


def steps(x: list[int]) -> list[int]:
    return [x[i + 1] - x[i] for i in range(len(x) - 1)]


def cheap(x: list[float], limit: float) -> list[float]:
    out = []
    for price in x:
        if price < limit:
            out.append(price * 0.5)
    return out
"""
WRITTEN = {
    "rdd": {
        "squares": ["return x.map(lambda v: v * v).sum()"],
        "delta": ["x.aggregate(", "lambda acc, v: (max(acc[0], v), min(acc[1], v)),"],
        "deviation": ["= x.aggregate(", "x.map(lambda v: (v - mean) * (v - mean)).sum()"],
        "sums": ["matched(acc, v).values().aggregate(", "lambda acc_, v_: (acc_[0] + v_[0] * v_[1], acc_[1] + v_[0])"],
        "steps": ["paired(part(x, 1, max(x.count() - 1, 0) + 1), part(x, 0, max(x.count() - 1, 0)))"],
        "cheap": ["return x.filter(lambda v: v < limit).map(lambda v: v * 0.5)"],
    },
    "dataframe": {
        "squares": ['x.agg(F.coalesce(F.sum(F.col("value") * F.col("value")), F.lit(0))).first()[0]'],
        "delta": ['x.agg(F.max(F.col("value")), F.min(F.col("value"))).first()'],
        "deviation": ["F.count(F.lit(1))", 'F.sum((F.col("value") - mean) * (F.col("value") - mean))'],
        "sums": ["= paired(acc, v).agg(", 'F.sum(F.col("value") * F.col("other"))'],
        "steps": ['.select("i", (F.col("value") - F.col("other")).alias("value"))'],
        "cheap": ['x.filter(F.col("value") < limit)', '.select("i", (F.col("value") * 0.5).alias("value"))'],
    },
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_that_integers_have_64_bits_in_columns_is_said(lifted: dict[str, FunctionResult]) -> None:
    stated = {target: [each.text for each in lifted["squares"].targets[target].assumptions] for target in TARGETS}
    assert stated["rdd"] == []
    assert any("integers fit 64 bits" in text for text in stated["dataframe"])


@needs_spark
def test_that_floats_are_added_in_another_order_is_said(lifted: dict[str, FunctionResult]) -> None:
    assert any("reductions may be reordered" in each.text for each in lifted["deviation"].assumptions)


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["delta"].certificate or "")).ok
