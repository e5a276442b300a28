"""Sums that wrap around in C++ are exact sums on Spark, brought back to their type once; sizes are asked for first."""

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
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct Sale { std::string region; int amount; uint32_t units; };

size_t total(const std::vector<int> &a) {
    size_t total = 0;
    for (int x : a) total += x;
    return total;
}
double mean(const std::vector<Sale> &sales) {
    size_t total = 0, count = 0;
    for (const Sale &sale : sales) { total += sale.units; count++; }
    return count ? (double)total / count : 0.0;
}
std::vector<size_t> histogram(const std::vector<unsigned char> &a) {
    std::vector<size_t> counts(256);
    for (unsigned char x : a) counts[x]++;
    return counts;
}
std::map<std::string, unsigned> balances(const std::vector<Sale> &sales) {
    std::map<std::string, unsigned> found;
    for (const Sale &sale : sales) found[sale.region] += sale.amount;
    return found;
}
int mismatches(const std::vector<int> &a, const std::vector<int> &b) {
    if (a.size() != b.size()) return -1;
    int count = 0;
    for (size_t i = 0; i < a.size(); i++)
        if (a[i] != b[i]) count++;
    return count;
}
double mixed(const std::vector<double> &x, const std::vector<double> &w) {
    if (x.size() < 2) return -1;
    if (w.size() < x.size()) return -2;
    double sum = 0;
    for (size_t i = 0; i < x.size(); i++) sum += x[i] * w[i];
    return sum;
}
int largest(const std::vector<int> &v, int none) {
    if (v.empty()) return none;
    int best = v[0];
    for (size_t i = 1; i < v.size(); i++)
        if (v[i] > best) best = v[i];
    return best;
}
bool is_in(const Sale &sale, const std::string &region) { return sale.region == region; }
"""
WRITTEN = {
    "rdd": {
        "total": ["return a.sum() % 2**64"],
        "mean": ["total % 2**64 / length"],
        "histogram": ["by_place(a.map(lambda v: (v, 1)), 256)"],
        "balances": ["groups.mapValues(lambda v: v % 2**32)"],
        "mismatches": ["    if a.count() != b.count():\n        return -1\n"],
        "mixed": ["    if x.count() < 2:\n        return -1.0\n    if w.count() < x.count():\n        return -2.0\n"],
        "largest": ["    if v.count() == 0:\n        return none\n"],
        "is_in": ["return sale_region == region"],
    },
    "dataframe": {
        "total": ['F.sum(F.col("value"))', "% 2**64"],
        "balances": ['F.pmod(F.col("total"), F.lit(2**32)).alias("value")'],
        "largest": ['return v.agg(F.max(F.col("value"))).first()[0]'],
    },
}
CHANGES = [
    ("total", "total += x;", "total -= x;"),
    ("total", "size_t total = 0", "size_t total = 1"),
    ("balances", "found[sale.region] += sale.amount", "found[sale.region] -= sale.amount"),
    ("mismatches", "return -1", "return 1"),
    ("mixed", "x.size() < 2", "x.size() < 3"),
    ("mixed", "w.size() < x.size()", "w.size() <= x.size()"),
    ("largest", "v[i] > best", "v[i] < best"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines.get(name, []) for target, lines in WRITTEN.items()})


@needs_spark
@pytest.mark.parametrize("name", ["mismatches", "mixed", "largest"])
def test_nothing_is_required_of_sizes_for_which_the_source_returns(name: str, lifted: dict[str, FunctionResult]) -> None:
    for target in lifted[name].targets.values():
        assert target.file is not None and " is required" not in Path(target.file).read_text(encoding="utf-8")


@needs_spark
@pytest.mark.parametrize("name", ["total", "balances", "mixed"])
def test_the_certificate_is_proved_again(name: str, lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted[name].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, SOURCE, old, new)
