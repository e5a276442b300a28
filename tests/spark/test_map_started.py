"""C++ maps with the greatest and the least values, from a start and beside counts, become groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SUFFIX = ".cc"
SOURCE = """
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

struct Employee {
    std::string dept;
    int id;
    int salary;
    double rate;
};

std::map<std::string, int> best(const std::vector<Employee> &employees) {
    std::map<std::string, int> found;
    for (const Employee &e : employees) {
        if (e.salary > found[e.dept]) found[e.dept] = e.salary;
    }
    return found;
}

std::map<std::string, int> above(const std::vector<Employee> &employees, int least) {
    std::map<std::string, int> found;
    for (const Employee &e : employees) {
        auto place = found.find(e.dept);
        int so_far = place == found.end() ? least : place->second;
        if (e.salary > so_far) found[e.dept] = e.salary;
    }
    return found;
}

struct Stat {
    int n = 0;
    double low = 0, high = 0;
    double capped = 100;
};

std::map<std::string, Stat> statistics(const std::vector<Employee> &employees) {
    std::map<std::string, Stat> found;
    for (const Employee &e : employees) {
        Stat &stat = found[e.dept];
        if (stat.n == 0 || e.rate < stat.low) stat.low = e.rate;
        if (stat.n == 0 || e.rate > stat.high) stat.high = e.rate;
        stat.capped = std::min(stat.capped, e.rate);
        stat.n++;
    }
    return found;
}

std::map<std::string, std::pair<int, int>> leaders(const std::vector<Employee> &employees) {
    std::map<std::string, std::pair<int, int>> found;
    for (const Employee &e : employees) {
        auto place = found.find(e.dept);
        if (place == found.end() || e.salary > place->second.second) found[e.dept] = {e.id, e.salary};
    }
    return found;
}
"""
WRITTEN = {
    "rdd": {
        "best": ["aggregateByKey(0, lambda acc, v: max(acc, v.salary), max)"],
        "above": ["least, lambda acc, v: max(acc, v.salary), max", "groups.filter(lambda pair: least < pair[1])"],
        "statistics": ["(0, math.inf, -math.inf, 100.0)"],
        "leaders": ["(v[0].salary, -v[1], v[0].id)"],
    },
    "dataframe": {
        "best": ['F.greatest(F.max(F.col("value")["salary"]), F.lit(0)).alias("value")'],
        "above": ["F.lit(least))", "groups.filter("],
        "statistics": ['F.min(F.col("value")["rate"])', "F.lit(100.0))"],
        "leaders": ['F.max_by(F.col("value")["id"], F.struct(F.col("value")["salary"], -F.col("i")))'],
    },
}
CHANGES = [
    ("best", "e.salary > found[e.dept]", "e.salary > found[e.dept] + 1"),
    ("best", "e.salary > found[e.dept]", "e.id > found[e.dept]"),
    ("above", "e.salary > so_far", "e.salary >= so_far"),
    ("above", "? least :", "? e.id :"),
    ("statistics", "stat.n == 0 || e.rate < stat.low", "e.rate < stat.low"),
    ("statistics", "stat.n == 0 || e.rate < stat.low", "stat.n == 1 || e.rate < stat.low"),
    ("statistics", "stat.n++", "stat.n += 2"),
    ("statistics", "double capped = 100", "double capped = 0"),
    ("leaders", "e.salary > place", "e.salary >= place"),
    ("leaders", "{e.id, e.salary}", "{e.id, e.id}"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, SOURCE, old, new)
