"""Sets that operations make of the elements of several lists."""

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
def common(a: list[int], b: list[int]) -> set[int]:
    return set(a) & set(b)


def either(a: list[str], b: list[str]) -> set[str]:
    found = set(a)
    return found.union({word for word in b if word != "x"})


def left(a: list[int], b: list[int], c: list[int], least: int) -> set[int]:
    known = set(b)
    large = {x for x in a if x >= least}
    rest = (large & known) - set(c)
    return rest


def distinct(a: list[int], b: list[str]) -> tuple[int, int, bool]:
    words = {word for word in b}
    return len({x // 2 for x in a}), len(words), len(set(b)) == len(b)
"""
WRITTEN = {
    "rdd": {
        "common": ["return a.distinct().intersection(b.distinct())"],
        "either": [".union(", ".distinct()"],
        "left": [".intersection(b.distinct())", ".subtract(c.distinct())"],
        "distinct": [".distinct().count()"],
    },
    "dataframe": {
        "common": [".intersect("],
        "either": [".union(", ".distinct()"],
        "left": [".intersect(", ".subtract("],
        "distinct": [".distinct().count()"],
    },
}
CHANGES = [
    ("common", "set(a) & set(b)", "set(a) | set(b)"),
    ("common", "set(a) & set(b)", "set(a) - set(b)"),
    ("common", "set(a) & set(b)", "set(a) & set(a)"),
    ("either", "found.union(", "found.intersection("),
    ("either", 'word != "x"', 'word == "x"'),
    ("left", "(large & known) - set(c)", "large & (known | set(c))"),
    ("left", "(large & known) - set(c)", "(large | known) - set(c)"),
    ("left", "(large & known) - set(c)", "set(c) - (large & known)"),
    ("left", "x >= least", "x > least"),
    ("distinct", "x // 2", "x // 3"),
    ("distinct", "len(set(b)) == len(b)", "len(set(b)) != len(b)"),
    ("distinct", "len(words),", "len(words) + 1,"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["left"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@pytest.mark.parametrize(
    "result",
    [
        "set(a) ^ set(b)",
        "set(a) & len(b)",
        "set(a).union(b, b)",
        "len({(x for y in a) for x in a})",
    ],
)
def test_other_operations_are_refused(result: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text(f"def f(a: list[int], b: list[int]) -> set[int]:\n    return {result}\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS).functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED
