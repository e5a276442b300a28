"""What the element with the greatest or the least value has, for each key and for a whole list."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark, on_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from dataclasses import dataclass


@dataclass
class Employee:
    name: str
    dept: str
    salary: int
    rate: float


def best(employees: list[Employee]) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for e in employees:
        if e.dept not in found or e.salary > found[e.dept][1]:
            found[e.dept] = (e.name, e.salary)
    return found


def cheapest(employees: list[Employee]) -> dict[str, str]:
    rates: dict[str, float] = {}
    names: dict[str, str] = {}
    for e in employees:
        if e.salary > 3:
            if e.dept not in rates or e.rate <= rates[e.dept]:
                rates[e.dept] = e.rate
                names[e.dept] = e.name
    return names


def above(employees: list[Employee]) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for e in employees:
        name, salary = found.get(e.dept, ("", -1))
        if e.salary > salary:
            found[e.dept] = (e.name, e.salary)
    return found


def leader(employees: list[Employee]) -> str:
    name = "nobody"
    salary = 0
    for e in employees:
        if e.rate > 0 and e.salary >= salary:
            name = e.name
            salary = e.salary
    return name
"""
WRITTEN = {
    "rdd": {
        "best": ["max(acc[0], (v[0].salary, -v[1], v[0].name))", "groups.mapValues(lambda v: (v[0][2], v[1]))"],
        "cheapest": ["min(acc[1], (v[0].rate, -v[1], v[0].name)) if v[0].salary > 3 else acc[1]"],
        "above": ['(-1, 1, "")'],
        "leader": ["with_max(", '"nobody"'],
    },
    "dataframe": {
        "best": ['F.max_by(F.col("value")["name"], F.struct(F.col("value")["salary"], -F.col("i")))'],
        "cheapest": ["F.min_by("],
        "above": ["F.max_by(", 'F.lit(""))'],
        "leader": ["F.max_by("],
    },
}
CHANGES = [
    ("best", "e.salary > found", "e.salary >= found"),
    ("best", "e.salary > found", "e.salary < found"),
    ("best", "(e.name, e.salary)", "(e.dept, e.salary)"),
    ("best", "(e.name, e.salary)", "(e.name, e.salary + 1)"),
    ("cheapest", "e.rate <= rates", "e.rate < rates"),
    ("cheapest", "e.salary > 3", "e.salary > 2"),
    ("cheapest", "rates[e.dept] = e.rate", "rates[e.dept] = 0.0"),
    ("above", "e.salary > salary", "e.salary >= salary"),
    ("above", '("", -1)', '("", 2)'),
    ("leader", "e.salary >= salary", "e.salary > salary"),
    ("leader", "e.rate > 0 and ", ""),
]
ROWS = (
    ("ann", "a", 5, 2.0), ("bob", "a", 7, 1.0), ("cid", "a", 7, 1.0), ("dan", "b", -4, -1.0), ("eve", "b", -1, 0.5),
    ("fay", "c", 4, 0.0),
)  # fmt: skip
EMPLOYEES = [{"name": name, "dept": dept, "salary": salary, "rate": rate} for name, dept, salary, rate in ROWS]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_empty_lists_equal_values_and_none_above(lifted: dict[str, FunctionResult]) -> None:
    data = [[], EMPLOYEES, EMPLOYEES[::-1], EMPLOYEES[3:5]]
    assert on_spark(lifted, data, {"best": [], "cheapest": [], "above": []}) == []


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)
