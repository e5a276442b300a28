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


def deviation(x: list[float]) -> float:
    total = 0.0
    for v in x:
        total += v
    mean = total / len(x)
    squares = 0.0
    for v in x:
        squares += (v - mean) * (v - mean)
    return squares / len(x)


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
        "deviation": ["= x.aggregate(", "x.map(lambda v: (v - mean) * (v - mean)).sum()"],
        "cheap": ["return x.filter(lambda v: v < limit).map(lambda v: v * 0.5)"],
    },
    "dataframe": {
        "squares": ['x.agg(F.coalesce(F.sum(F.col("value") * F.col("value")), F.lit(0))).first()[0]'],
        "deviation": ["F.count(F.lit(1))", 'F.sum((F.col("value") - mean) * (F.col("value") - mean))'],
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
    assert pipeline.check(Path(lifted["deviation"].certificate or "")).ok
