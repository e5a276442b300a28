"""Pairs, tuples and structs as values of the maps of C++ sources become several values of a group."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SUFFIX = ".cc"
SOURCE = """
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

struct Sale { std::string region; int item; double amount; };
struct Totals {
    double sum = 0;
    int count = 0;
    void add(double value) { sum += value; count++; }
    double mean() const { return sum / count; }
};
typedef std::vector<Sale> Sales;

std::map<std::string, double> averages(const std::vector<std::string> &keys, const std::vector<double> &values) {
    std::map<std::string, std::pair<double, int>> totals;
    for (size_t i = 0; i < keys.size(); i++) {
        totals[keys[i]].first += values[i];
        totals[keys[i]].second += 1;
    }
    std::map<std::string, double> found;
    for (const auto &[key, total] : totals)
        if (total.second > 1)
            found[key] = total.first / total.second;
    return found;
}
std::unordered_map<int, double> means(const Sales &sales, double least) {
    std::unordered_map<int, Totals> totals;
    for (const Sale &sale : sales)
        if (sale.amount > least)
            totals[sale.item].add(sale.amount);
    std::unordered_map<int, double> found;
    for (const auto &entry : totals)
        found[entry.first] = entry.second.mean();
    return found;
}
std::map<std::pair<std::string, int>, std::tuple<double, double, int>> sums(const Sales &sales) {
    std::map<std::pair<std::string, int>, std::tuple<double, double, int>> groups;
    for (const Sale &sale : sales) {
        auto &group = groups[{sale.region, sale.item}];
        std::get<0>(group) += sale.amount;
        std::get<1>(group) += sale.amount * sale.amount;
        std::get<2>(group)++;
    }
    return groups;
}
std::map<int, std::pair<int, int>> ranges(const std::vector<std::pair<int, int>> &rows) {
    std::map<int, std::pair<int, int>> found;
    for (const auto &row : rows) {
        auto place = found.find(row.first);
        if (place == found.end()) {
            found[row.first] = {row.second, row.second};
        } else {
            place->second.first = std::min(place->second.first, row.second);
            place->second.second = std::max(place->second.second, row.second);
        }
    }
    return found;
}
"""
WRITTEN = {
    "rdd": {
        "averages": ["groups.filter(lambda pair: pair[1][0] > 1).mapValues(lambda v: v[1] / v[0])"],
        "means": ["sales.filter(lambda v:", "groups.mapValues(lambda v: v[0] / v[1])"],
        "sums": ["sales.keyBy(lambda v: (v.region, v.item))", "(acc[0] + v.amount, acc[1] + v.amount * v.amount, acc[2] + 1)"],
        "ranges": ["(math.inf, -math.inf)", "(min(acc[0], v[1]), max(acc[1], v[1]))"],
    },
    "dataframe": {
        "averages": ['groups.filter(F.col("count") > 1)', '(F.col("total") / F.col("count")).alias("value")'],
        "means": ["sales.filter(least < F.col(", '(F.col("total") / F.col("count")).alias("value")'],
        "sums": ['F.struct(F.col("total").alias("_1"), step, F.col("count").alias("_3")).alias("value")'],
        "ranges": ['F.struct(F.col("smallest").alias("_1"), F.col("largest").alias("_2")).alias("value")'],
    },
}
CHANGES = [
    ("averages", "total.first / total.second", "total.second / total.first"),
    ("averages", "total.first / total.second", "total.first"),
    ("averages", "second += 1", "second += 2"),
    ("averages", "total.second > 1", "total.second > 0"),
    ("averages", "totals[keys[i]].second += 1", "totals[keys[0]].second += 1"),
    ("means", "totals[sale.item].add(sale.amount)", "(totals[sale.item] = Totals()).add(sale.amount)"),
    ("means", "int count = 0;", "int count = 1;"),
    ("means", "double sum = 0;", "double sum = 0.5;"),
    ("sums", "std::get<1>(group) += sale.amount * sale.amount", "std::get<1>(group) += sale.amount"),
    ("sums", "std::get<2>(group)++", "std::get<2>(group) += 2"),
    ("sums", "{sale.region, sale.item}", "{sale.region, 0}"),
    ("ranges", "place->second.second = std::max", "place->second.first = std::max"),
    ("ranges", "{row.second, row.second}", "{row.second, 0}"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["sums"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, SOURCE, old, new)
