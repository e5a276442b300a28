"""The nearest of the elements of another list, its place and its distance."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

POINTS = """
from dataclasses import dataclass


@dataclass
class Point:
    x: float
    y: float

"""
SOURCE = (
    POINTS
    + """
def assign(points: list[Point], centres: list[Point]) -> list[int]:
    found = []
    for p in points:
        best = 0
        least = 1e300
        for j in range(len(centres)):
            c = centres[j]
            d = (p.x - c.x) ** 2 + (p.y - c.y) ** 2
            if d < least:
                least = d
                best = j
        found.append(best)
    return found


def closest(levels: list[int], marks: list[int]) -> list[int]:
    found = []
    for level in levels:
        best = 0
        least = abs(level - marks[0])
        for j in range(1, len(marks)):
            if abs(level - marks[j]) < least:
                least = abs(level - marks[j])
                best = j
        found.append(best)
    return found


def gaps(levels: list[int], marks: list[int]) -> list[int]:
    return [min(abs(level - mark) for mark in marks) for level in levels]


def within(levels: list[int], marks: list[int], most: int) -> list[int]:
    found = []
    for level in levels:
        least = most
        for mark in marks:
            least = min(least, abs(level - mark))
        found.append(least)
    return found
"""
)
WRITTEN = {
    "rdd": {
        "assign": ["return nearest(", "1e+300,\n        0,\n    )"],
        "closest": ["return nearest_of(levels, marks, lambda v, w: abs(v - w))"],
        "gaps": ["return least_among(levels, marks, lambda v, w: abs("],
        "within": ["return lowest_among(levels, marks, lambda v, w: abs(v - w), most)"],
    },
    "dataframe": {
        "assign": ["return nearest(", "1e+300,\n        0,\n    )"],
        "closest": ['return nearest_of(levels, marks, F.abs(F.col("value") - F.col("other")))'],
        "gaps": ["return least_among(levels, marks, F.abs("],
        "within": ['return lowest_among(levels, marks, F.abs(F.col("value") - F.col("other")), most)'],
    },
}
CHANGES = [
    ("assign", "if d < least", "if d <= least"),
    ("assign", "best = 0", "best = 1"),
    ("assign", "best = j", "best = j + 1"),
    ("assign", "1e300", "3.0"),
    ("closest", "range(1,", "range(2,"),
    ("closest", "abs(level - marks[0])", "abs(level - marks[0]) + 1"),
    ("within", "min(least,", "max(least,"),
    ("within", "abs(level - mark))", "abs(level - mark) + 1)"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@pytest.mark.parametrize(("old", "new"), [("if d < least", "if d <= least"), ("best = j", "best = j * 2")])
def test_the_last_of_several_and_other_places_are_not_lifted(old: str, new: str, tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE.partition("def closest")[0].replace(old, new), encoding="utf-8")
    (function,) = lift(source, to=("rdd", "dataframe"), out=tmp_path / "out").functions
    assert function.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.UNSUPPORTED)
