"""Dictionaries and sets become groups of a collection, with the values that they have at every key."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from collections import Counter, defaultdict


def averages(keys: list[int], values: list[float]) -> dict[int, float]:
    totals = defaultdict(float)
    counts = defaultdict(int)
    for key, value in zip(keys, values):
        totals[key] += value
        counts[key] += 1
    return {key: totals[key] / counts[key] for key in totals}


def frequent(words: list[int], least: int) -> dict[int, int]:
    counts = Counter(words)
    return {word: count for word, count in counts.items() if count >= least}


def positive(values: list[int]) -> set[int]:
    return {value for value in values if value > 0}


def best(v: list[int], keys: list[int]) -> dict[int, int]:
    found = {}
    for key, value in zip(keys, v):
        if key not in found or value > found[key]:
            found[key] = value
    return found
"""
WRITTEN = {
    "rdd": {
        "averages": [".values().keyBy(lambda v: v[0]).aggregateByKey(", "groups.mapValues(lambda v: v[0] / v[1])"],
        "frequent": ["words.keyBy(lambda v: v).aggregateByKey(0, ", ".filter(lambda pair: least <= pair[1])"],
        "positive": ["return values.filter(lambda v: v > 0).distinct()"],
        "best": ["aggregateByKey(-math.inf, lambda acc, v_: max(acc, v_[1]), max)"],
    },
    "dataframe": {
        "averages": ['groupBy(F.col("value").alias("key")).agg(', '(F.col("total") / F.col("count")).alias("value")'],
        "frequent": ['.filter(least <= F.col("value"))'],
        "positive": ['values.filter(F.col("value") > 0).select(F.col("value").alias("key")).distinct()'],
        "best": ['F.max(F.col("other"))'],
    },
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["averages"].certificate or "")).ok


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("m[k] = len(m)", "m changes in a statement that computes something of all keys; do that after it"),
        ("n += m.get(k, 0)", "got at another key"),
        ("m[k] = m.get(v, 0)", "the keys"),
        ("m[k, v * 0.5] = 1", "a tuple where a number is needed"),
        ("m[v * 0.5] = 1", "keys that are floats"),
    ],
)
def test_what_reaches_beyond_one_key_is_refused_with_the_reason(line: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    loop = f"    for k, v in zip(keys, values):\n        {line}\n"
    text = f"def f(keys: list[int], values: list[int]):\n    m = {{}}\n    n = 0\n{loop}    return m\n"
    source.write_text(text, encoding="utf-8")
    (function,) = lift(source, to=TARGETS, out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED
    assert any(reason in each.message for each in function.diagnostics), function.diagnostics
