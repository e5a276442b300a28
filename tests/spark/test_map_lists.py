"""Vectors that the maps of C++ sources collect become what is computed of them, as values of a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SUFFIX = ".cc"
SOURCE = """
#include <map>
#include <numeric>
#include <string>
#include <vector>

struct Visit { std::string page; int rank; double seconds; };
typedef std::vector<Visit> Visits;

std::map<std::string, double> mean_rank(const Visits &visits) {
    std::map<std::string, std::vector<int>> found;
    for (const Visit &visit : visits)
        found[visit.page].push_back(visit.rank);
    std::map<std::string, double> out;
    for (const auto &[page, ranks] : found) {
        double total = 0;
        for (int rank : ranks)
            total += rank;
        out[page] = total / ranks.size();
    }
    return out;
}
std::map<int, double> long_visits(const Visits &visits, double least) {
    std::map<int, std::vector<double>> found;
    for (const Visit &visit : visits)
        if (visit.rank != 0)
            found[visit.rank].push_back(visit.seconds);
    std::map<int, double> out;
    for (const auto &entry : found) {
        double squares = 0;
        for (double each : entry.second)
            if (each > least)
                squares += each * each;
        if (entry.second.size() > 1)
            out[entry.first] = squares / std::accumulate(entry.second.begin(), entry.second.end(), 0.0);
    }
    return out;
}
"""
CHANGES = [
    ("mean_rank", "total / ranks.size()", "total / (ranks.size() + 1)"),
    ("mean_rank", "double total = 0;", "double total = 1;"),
    ("mean_rank", "total += rank;", "total += 1;"),
    ("mean_rank", "push_back(visit.rank)", "push_back(1)"),
    ("mean_rank", "found[visit.page]", "found[visits[0].page]"),
    ("long_visits", "each > least", "each >= least"),
    ("long_visits", "each * each", "each"),
    ("long_visits", "size() > 1", "size() > 0"),
    ("long_visits", "visit.rank != 0", "visit.rank > 0"),
    ("long_visits", "found[visit.rank].push_back", "if (found[visit.rank].size() < 1) found[visit.rank].push_back"),
    ("long_visits", "end(), 0.0", "end(), 2.0"),
]


@needs_spark
@pytest.mark.parametrize("name", ["mean_rank", "long_visits"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    lines = {"rdd": [".aggregateByKey(", ".mapValues(lambda v: v["], "dataframe": [".groupBy(", '/ F.col("']}
    check_written(lifted[name], lines)


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, SOURCE, old, new)
