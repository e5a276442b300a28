"""The greatest and the least value with each key, of these and of one that all keys start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import TARGETS, check_written, needs_spark, on_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from collections import defaultdict
from dataclasses import dataclass


@dataclass
class Employee:
    name: str
    dept: str
    salary: int
    age: int
    rate: float


def best(employees: list[Employee]) -> dict[str, int]:
    found = defaultdict(int)
    for e in employees:
        found[e.dept] = max(found[e.dept], e.salary)
    return found


def above(employees: list[Employee]) -> dict[str, int]:
    found = {}
    for e in employees:
        if e.salary > found.get(e.dept, -1):
            found[e.dept] = e.salary
    return found


def least(employees: list[Employee], start: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for e in employees:
        if e.age > 30 and e.salary <= found.get(e.dept, start):
            found[e.dept] = e.salary
    return found


def ranges(employees: list[Employee]) -> dict[str, tuple[int, float, float, float]]:
    found: dict[str, tuple[int, float, float, float]] = {}
    for e in employees:
        count, total, low, high = found.get(e.dept, (0, 0.0, 100.0, -1.5))
        found[e.dept] = (count + 1, total + e.rate, min(low, e.rate), max(high, e.rate))
    return found


def lowest(employees: list[Employee]) -> dict[str, float]:
    found: dict[str, float] = {}
    for e in employees:
        found[e.dept] = min(found.get(e.dept, float("inf")), e.rate)
    return found


def ends(employees: list[Employee]) -> dict[str, int]:
    found: dict[str, int] = {}
    for e in employees:
        found[e.dept] = max(found.get(e.dept, 0), e.salary)
        found[e.name] = max(found.get(e.name, 0), e.salary)
    return found
"""
WRITTEN = {
    "rdd": {
        "best": ["aggregateByKey(0, lambda acc, v: max(acc, v.salary), max)"],
        "above": ["-1, lambda acc, v: max(acc, v.salary), max", "groups.filter(lambda pair: pair[1] > -1)"],
        "least": ["(False, start)", "min(acc[1], v.salary) if v.age > 30 else acc[1]"],
        "ranges": ["(0, 0, 100.0, -1.5)"],
        "lowest": ["aggregateByKey(math.inf, lambda acc, v: min(acc, v.rate), min)"],
        "ends": ["aggregateByKey(0, max, max)"],
    },
    "dataframe": {
        "best": ['F.greatest(F.max(F.col("value")["salary"]), F.lit(0)).alias("value")'],
        "above": ['F.greatest(F.max(F.col("value")["salary"]), F.lit(-1))', 'groups.filter(F.col("greatest") > -1)'],
        "least": ["F.least(F.min(F.when(", "F.lit(start))", 'groups.filter(F.col("some"))'],
        "ranges": ['F.least(F.min(F.col("value")["rate"]), F.lit(100.0))'],
        "lowest": ['F.min(F.col("value")["rate"])'],
        "ends": ["F.inline(", "F.greatest(F.max("],
    },
}
CHANGES = [
    ("best", "max(", "min("),
    ("best", "defaultdict(int)", "defaultdict(lambda: 1)"),
    ("above", "e.salary > found", "e.salary >= found"),
    ("above", "found.get(e.dept, -1)", "found.get(e.dept, 0)"),
    ("above", "found.get(e.dept, -1)", "found.get(e.dept, e.age)"),
    ("above", "found[e.dept] = e.salary", "found[e.dept] = e.age"),
    ("above", "    return found", "    return {k: v for k, v in found.items() if v > 0}"),
    ("least", "e.salary <= found", "e.salary < found"),
    ("least", "e.age > 30 and ", ""),
    ("least", "found.get(e.dept, start)", "found.get(e.dept, 0)"),
    ("ranges", "min(low, e.rate)", "min(low, total)"),
    ("ranges", "100.0, -1.5", "100.0, 1.5"),
    ("lowest", "min(found.get(e.dept, float(\"inf\")), e.rate)", "min(found.get(e.dept, 0.0), e.rate)"),
    ("ends", "found[e.name] = max(found.get(e.name, 0), e.salary)", "found[e.name] = e.salary"),
]
NOT_LIFTED = {
    "starts that differ by the element": "found[e.dept] = max(found.get(e.dept, e.age), e.salary)",
    "starts that differ by the key": "found[e.dept] = max(found.get(e.dept, len(employees) - e.age), e.salary)",
    "values that replace the greatest": "found[e.dept] = max(found.get(e.dept, 0), e.salary) if e.age > 30 else e.salary",
    "a greatest value that grows": "found[e.dept] = max(found.get(e.dept, 0), e.salary) + 1",
}
EMPLOYEES = [
    {"name": name, "dept": dept, "salary": salary, "age": age, "rate": float(rate)}
    for name, dept, salary, age, rate in (
        ("ann", "a", 3, 40, 2), ("bob", "a", 5, 20, 7), ("cid", "a", 5, 50, 7), ("dan", "a", 4, 60, -9),
        ("eve", "b", -4, 40, -1), ("fay", "b", -2, 35, -1), ("c", "c", -1, 31, 3), ("gus", "d", 0, 30, 0), ("a", "a", 1, 99, 5),
    )
]  # fmt: skip
DATA = [[], EMPLOYEES, EMPLOYEES[::-1], EMPLOYEES[4:6], EMPLOYEES[6:]]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_empty_lists_and_keys_without_greater_values(lifted: dict[str, FunctionResult]) -> None:
    given = {name: [4] if name == "least" else [] for name in lifted}
    assert on_spark(lifted, DATA, given) == []


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["above"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


def test_what_is_no_start_of_all_keys_is_not_lifted(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    head = SOURCE.partition("def best")[0]
    lines = list(NOT_LIFTED.values())
    kernels = (
        f"def kernel_{at}(employees: list[Employee]) -> dict[str, int]:\n    found = {{}}\n    for e in employees:\n"
        f"        {line}\n    return found\n"
        for at, line in enumerate(lines)
    )
    source.write_text(head + "\n".join(kernels), encoding="utf-8")
    found = lift(source, to=TARGETS, out=tmp_path / "out").functions
    assert len(found) == len(lines)
    assert [each.verdict for each in found] == [FunctionVerdict.NOT_LIFTED] * len(lines)


def test_an_infinity_on_the_wrong_side_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE.replace("min(found.get(e.dept", "max(found.get(e.dept"), encoding="utf-8")
    (found,) = lift(source, to=TARGETS, out=tmp_path / "out", functions=["lowest"]).functions
    assert found.verdict is FunctionVerdict.UNSUPPORTED
    assert "floats are finite here" in found.diagnostics[0].message
