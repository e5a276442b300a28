"""Single elements, neighbours, every nth element, lists that are written, and lists with a value at each place, on Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

SUFFIX = ".cc"
SOURCE = """
#include <cstddef>
#include <vector>

struct Color { int red, green, blue; };

bool alike(const std::vector<int> &x) {
    for (std::size_t i = 1; i < x.size(); i++)
        if (x[i] != x[0]) return false;
    return true;
}

bool rising(const std::vector<int> &x) {
    for (std::size_t i = 1; i < x.size(); i++)
        if (x[i] <= x[i - 1]) return false;
    return true;
}

double mean(const std::vector<int> &x) {
    long total = 0;
    for (int v : x) total += v;
    return static_cast<double>(total) / x.size();
}

double squares(const std::vector<double> &xy, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += xy[2 * i] * xy[2 * i + 1];
    return s;
}

void twice(const std::vector<int> &x, std::vector<int> &out) {
    for (std::size_t i = 0; i < x.size(); i++) out[i] = 2 * x[i];
}

void brighter(int *x, int first, int last) {
    for (int i = first; i < last; i++) x[i] += 1;
}

std::vector<int> reds(const std::vector<Color> &image) {
    std::vector<int> counts(256);
    for (const Color &color : image) counts[color.red]++;
    return counts;
}

void add_reds(const std::vector<Color> &image, std::vector<int> &counts) {
    for (const Color &color : image) counts[color.red]++;
}

std::vector<double> weights(const std::vector<int> &places, const std::vector<double> &given, int n) {
    std::vector<double> sums(n);
    for (std::size_t i = 0; i < places.size(); i++) sums[places[i]] += given[i];
    return sums;
}

std::vector<int> tens(const std::vector<int> &x, int n) {
    std::vector<int> counts(n);
    for (int v : x)
        if (v > 0) counts[v / 10]++;
    return counts;
}

std::vector<int> last_of_each(const std::vector<int> &places, const std::vector<int> &x, int n) {
    std::vector<int> found(n);
    for (std::size_t i = 0; i < places.size(); i++) found[places[i]] = x[i];
    return found;
}

std::vector<int> running(const std::vector<int> &x) {
    std::vector<int> counts(4);
    for (int v : x)
        if (counts[v] < 3) counts[v]++;
    return counts;
}

int kept(const int *x, int *out, int n) {
    int m = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0) out[m++] = x[i];
    return m;
}
"""
WRITTEN = {
    "alike": (["found = at(x, 0)", "filter(lambda v: not v == found)"], ["found = at(x, 0)", 'F.col("value") == found']),
    "rising": (["filter(lambda pair: pair[1] >= pair[0]).isEmpty()"], ["F.coalesce(F.bool_or("]),
    "mean": (["x.aggregate("], ['F.sum(F.col("value"))']),
    "squares": (["matched(spaced(xy, 0, 2 * n, 2), spaced(xy, 1, 2 * n + 1, 2))"], ["paired(spaced("]),
    "twice": (["replaced(out, 0, x.count(), x.map(lambda v: 2 * v))"], ["replaced(out, 0, x.count(), x.select("]),
    "brighter": (["replaced(x, first, last, part(x, first, last).map(lambda v: v + 1))"], ["x, first, last, part(x,"]),
    "reds": (["by_place(image.map(lambda v: (v.red, 1)), 256)"], ['F.col("value")["red"], F.count(F.lit(1)), 256)']),
    "add_reds": (["added_by_place(counts, image.map(lambda v: (v.red, 1)))"], ["added_by_place(counts, image,"]),
    "weights": (["by_place(matched(given, places)"], ['paired(given, places), F.col("other"), F.sum(F.col("value")), n)']),
    "tens": (["x.filter(lambda v: v > 0).map("], ['x.filter(F.col("value") > 0),', "F.sum(F.lit(1))"]),
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN)
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], dict(zip(TARGETS, WRITTEN[name], strict=True)))


@needs_spark
@pytest.mark.parametrize("name", ["last_of_each", "running", "kept"])
def test_what_depends_on_the_order_of_elements_is_not_lifted(name: str, lifted: dict[str, FunctionResult]) -> None:
    assert lifted[name].verdict is FunctionVerdict.NOT_LIFTED
    assert all(target.file is None for target in lifted[name].targets.values())


@needs_spark
def test_that_the_list_is_new_is_said(lifted: dict[str, FunctionResult], tmp_path: Path) -> None:
    for target in lifted["twice"].targets.values():
        assert target.file is not None
        assert "returned anew" in Path(target.file).read_text(encoding="utf-8")
