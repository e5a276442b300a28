"""What is kept beside a dictionary that says which keys there are is a value of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import import_function, open_source
from metalift.result import FunctionResult
from metalift.run.compare.falsify import falsify
from metalift.synth.derive import derive
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
def averages(keys: list[str], values: list[float]) -> dict[str, float]:
    total = {}
    num = {}
    for k, v in zip(keys, values):
        if k not in total:
            total[k] = 0.0
            num[k] = 0
        total[k] += v
        num[k] += 1
    return {k: total[k] / num[k] for k in total}


def averages_of_some(keys: list[int], values: list[float], least: float) -> dict[int, float]:
    total = {}
    num = {}
    for i in range(len(keys)):
        if values[i] < least:
            continue
        if keys[i] in total:
            total[keys[i]] += values[i]
            num[keys[i]] += 1
        else:
            total[keys[i]] = values[i]
            num[keys[i]] = 1
    result = {}
    for k in total:
        result[k] = total[k] / num[k]
    return result


def latest(keys: list[int], values: list[float]) -> dict[int, float]:
    return dict(zip(keys, values))
"""
WRITTEN = {
    "rdd": {
        "averages": ["groups.mapValues(lambda v: v[0] / v[1])"],
        "averages_of_some": ["v[1] / v[2]"],
        "latest": ["matched(keys, values).keyBy(lambda v: v[1][0])"],
    },
    "dataframe": {
        "averages": ['(F.col("total") / F.col("count")).alias("value")'],
        "averages_of_some": ['(F.col("total") / '],
        "latest": ['F.max_by(F.col("other"), F.col("i")).alias("value")'],
    },
}
CHANGES = [
    ("averages", "num[k] += 1", "num[k] += 2"),
    ("averages", "num[k] = 0", "num[k] = 1"),
    ("averages", "total[k] = 0.0", "total[k] = 0.5"),
    ("averages_of_some", "num[keys[i]] = 1", "num[keys[i]] = 2"),
    ("averages_of_some", "total[keys[i]] = values[i]", "total[keys[i]] = 0.0"),
    ("averages_of_some", "values[i] < least", "values[i] <= least"),
]
NOT_ALONE = """
def first(keys: list[int], values: list[int]) -> dict[int, int]:
    found = {}
    for k, v in zip(keys, values):
        if k not in found:
            found[k] = v
    return found


def from_one(keys: list[int], values: list[int]) -> dict[int, int]:
    found = {}
    for k, v in zip(keys, values):
        found[k] = found[k] * 2 + v if k in found else 1
    return found


def once_more(keys: list[int], values: list[int]) -> dict[int, int]:
    total = {}
    num = {}
    for k, v in zip(keys, values):
        num[k] = num.get(k, 0) + v
        if k in total:
            num[k] += 5
        if v > 1:
            total[k] = v
    return num
"""


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@pytest.mark.parametrize("name", ["first", "from_one", "once_more"])
def test_what_a_truth_value_decides_stays(name: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(NOT_ALONE, encoding="utf-8")
    fragment = import_function(open_source(path), name)
    assert falsify(fragment, derive(fragment), tried=60) is None
