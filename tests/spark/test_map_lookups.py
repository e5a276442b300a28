"""Maps and sets of C++ sources that are made of one list and asked for the elements of another become joins with groups."""

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
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Order { int item; std::string shop; double amount; };
struct Item { int id; double price; };
struct Totals { double sum = 0; int count = 0; };

int known(const std::vector<Order> &orders, const std::vector<std::string> &shops) {
    std::unordered_set<std::string> open(shops.begin(), shops.end());
    int n = 0;
    for (const Order &order : orders)
        if (open.count(order.shop))
            n++;
    return n;
}
std::vector<int> missing(const std::vector<int> &a, const std::vector<int> &b) {
    std::set<int> found;
    for (size_t i = 0; i < b.size(); ++i)
        found.insert(b[i]);
    std::vector<int> result;
    for (size_t i = 0; i < a.size(); ++i)
        if (found.find(a[i]) == found.end())
            result.push_back(a[i]);
    return result;
}
std::vector<double> line_prices(const std::vector<Order> &orders, const std::vector<Item> &items) {
    std::map<int, double> prices;
    for (size_t i = 0; i < items.size(); i++)
        if (prices.count(items[i].id) == 0)
            prices[items[i].id] = items[i].price;
    std::vector<double> result;
    for (const auto &order : orders) {
        if (prices.count(order.item) > 0)
            result.push_back(order.amount * prices[order.item]);
        else
            result.push_back(0.0);
    }
    return result;
}
std::map<std::string, double> by_shop(const std::vector<Order> &orders, const std::vector<Item> &items) {
    std::unordered_map<int, double> prices;
    for (const Item &item : items)
        prices[item.id] = item.price;
    std::map<std::string, double> result;
    for (const Order &order : orders) {
        auto found = prices.find(order.item);
        if (found == prices.end())
            continue;
        result[order.shop] += order.amount * found->second;
    }
    return result;
}
std::vector<double> above(const std::vector<Order> &orders) {
    std::map<std::string, Totals> totals;
    for (const Order &order : orders) {
        auto &total = totals[order.shop];
        total.sum += order.amount;
        total.count++;
    }
    std::vector<double> result;
    for (const Order &order : orders) {
        const Totals &total = totals.at(order.shop);
        if (order.amount > total.sum / total.count)
            result.push_back(order.amount);
    }
    return result;
}
double allowed(const std::vector<Order> &orders, const std::vector<Item> &items, const std::vector<int> &banned) {
    if (items.empty())
        return -1;
    std::unordered_set<int> bad(banned.begin(), banned.end());
    std::unordered_map<int, double> prices;
    for (const Item &item : items)
        if (!bad.count(item.id))
            prices[item.id] = item.price;
    double total = 0;
    for (const Order &order : orders) {
        auto found = prices.find(order.item);
        total += found == prices.end() ? 0.0 : found->second * order.amount;
    }
    return total;
}
"""
WRITTEN = {
    "rdd": {
        "known": ["return among(orders, lambda v: v.shop, shops).count()"],
        "missing": ["return beyond(a, lambda v: v, b)"],
        "line_prices": ["looked_up(orders, lambda v: v.item, groups, (False, 0.0))", "v[0].amount * v[1][1] if v[1][0] else 0.0"],
        "by_shop": ["looked_up(orders, lambda v: v.item, groups, (False, 0.0))", "joined.keyBy(lambda v: v[0].shop)"],
        "above": ["groups, (0.0, 0))"],
        "allowed": [
            "looked_up(items, lambda v: v.id, groups, False)",
            "looked_up(orders, lambda v: v.item, groups, (False, 0.0))",
        ],
    },
    "dataframe": {
        "known": ['return among(orders, shops, F.col("value")["shop"] == F.col("other")).count()'],
        "missing": ['return beyond(a, b, F.col("value") == F.col("other"))'],
        "line_prices": ["F.min_by(", 'F.when(F.coalesce(F.col("some"), F.lit(False)), step_1).otherwise(0.0)'],
        "by_shop": ["F.max_by(", 'looked_up(orders, F.col("value")["item"], groups)'],
        "above": ['F.coalesce(F.sum(F.col("value")["amount"]), F.lit(0)).alias("total")'],
        "allowed": ['looked_up(items, F.col("value")["id"], groups)'],
    },
}
CHANGES = [
    ("known", "if (open.count(order.shop))", "if (!open.count(order.shop))"),
    ("known", "n++;", "n += 2;"),
    ("missing", "found.find(a[i]) == found.end()", "found.find(a[i]) == found.end() || i == 1"),
    ("missing", "found.insert(b[i])", "found.insert(b[0])"),
    ("line_prices", "prices.count(items[i].id) == 0", "prices.count(items[i].id) != 0"),
    ("line_prices", "order.amount * prices", "2 * prices"),
    ("line_prices", "result.push_back(0.0)", "result.push_back(1.0)"),
    ("by_shop", "prices[item.id] = item.price", "prices[item.id] += item.price"),
    ("by_shop", "result[order.shop] +=", "result[order.shop] -="),
    ("above", "total.sum / total.count", "total.sum / (total.count + 1)"),
    ("above", "total.sum += order.amount", "total.sum -= order.amount"),
    ("allowed", "!bad.count(item.id)", "bad.count(item.id)"),
    ("allowed", "? 0.0 : found->second", "? 1.0 : found->second"),
    ("allowed", "return -1", "return 0"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["allowed"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, SOURCE, old, new)
