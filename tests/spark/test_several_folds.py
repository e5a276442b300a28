"""Folds of several values, of two lists, and of neighbours, in Spark."""

from __future__ import annotations

import pytest

from metalift.result import FunctionResult
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()
SOURCE = """
def delta(x: list[float]) -> float:
    low = x[0]
    high = x[0]
    for v in x:
        if v > high:
            high = v
        if v < low:
            low = v
    return high - low


def sums(acc: list[float], v: list[float]) -> tuple[float, float]:
    s = 0.0
    t = 0.0
    for i in range(len(acc)):
        s += acc[i]
        t += acc[i] * v[i]
    return s, t


def steps(x: list[int]) -> list[int]:
    return [x[i + 1] - x[i] for i in range(len(x) - 1)]
"""
WRITTEN = {
    "rdd": {
        "delta": ["x.aggregate(", "lambda acc, v: (max(acc[0], v), min(acc[1], v)),"],
        "sums": ["matched(acc, v).values().aggregate(", "lambda acc_, v_: (acc_[0] + v_[0] * v_[1], acc_[1] + v_[0])"],
        "steps": ["paired(part(x, 1, max(x.count() - 1, 0) + 1), part(x, 0, max(x.count() - 1, 0)))"],
    },
    "dataframe": {
        "delta": ['x.agg(F.max(F.col("value")), F.min(F.col("value"))).first()'],
        "sums": ["= paired(acc, v).agg(", 'F.sum(F.col("value") * F.col("other"))'],
        "steps": ['.select("i", (F.col("value") - F.col("other")).alias("value"))'],
    },
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})
