"""Dictionaries that are made of one list and looked up for the elements of another become joins with groups."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.interp.interpret import run
from metalift.ir.program.fragment import Unsupported
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from collections import Counter, defaultdict
from dataclasses import dataclass


@dataclass
class Order:
    item: int
    shop: str
    amount: float


@dataclass
class Item:
    id: int
    kind: str
    price: float


def revenue(orders: list[Order], items: list[Item]) -> float:
    prices = {item.id: item.price for item in items}
    total = 0.0
    for order in orders:
        if order.item in prices:
            total += order.amount * prices[order.item]
    return total


def line_prices(orders: list[Order], items: list[Item], kind: str) -> list[float]:
    prices = {}
    for item in items:
        if item.kind != kind:
            prices[item.id] = item.price
    return [order.amount * prices.get(order.item, 0.0) for order in orders]


def kinds_of(orders: list[Order], items: list[Item]) -> list[tuple[str, str]]:
    kinds: dict[int, str] = {item.id: item.kind for item in items}
    return [(order.shop, kinds[order.item]) for order in orders if order.item in kinds]


def weighted(orders: list[Order], keys: list[int], weights: list[float]) -> float:
    weight_of = dict(zip(keys, weights))
    return sum(order.amount * weight_of.get(order.item, 1.0) for order in orders)


def shares(items: list[Item]) -> list[float]:
    totals = defaultdict(float)
    for item in items:
        totals[item.kind] += item.price
    return [item.price - totals[item.kind] for item in items]


def by_kind(orders: list[Order], items: list[Item]) -> dict[str, float]:
    kinds: dict[int, str] = {item.id: item.kind for item in items}
    found = defaultdict(float)
    for order in orders:
        if order.item in kinds:
            found[kinds[order.item]] += order.amount
    return found


def by_shop(orders: list[Order], items: list[Item]) -> dict[str, float]:
    prices = {item.id: item.price for item in items}
    found: dict[str, float] = defaultdict(float)
    for order in orders:
        found[order.shop] += order.amount * prices.get(order.item, 0.0)
    return found


def neighbours(a: list[int], b: list[int]) -> int:
    counts: dict[int, int] = {}
    for k in b:
        counts[k] = counts.get(k, 0) + 1
    return sum(counts.get(v, 0) * 3 + counts.get(v + 1, 0) for v in a)


def unique(words: list[str]) -> set[str]:
    counts = Counter(words)
    return {word for word in words if counts[word] == 1}
"""
WRITTEN = {
    "rdd": {
        "revenue": [
            "items.zipWithIndex().keyBy(lambda v: v[0].id).aggregateByKey(",
            "joined = looked_up(orders, lambda v: v.item, groups, (False, 0.0))",
            "return joined.map(lambda v: v[0].amount * v[1][1] if v[1][0] else 0.0).sum()",
        ],
        "line_prices": [".filter(lambda v: not v[0].kind == kind)", "looked_up(orders, lambda v: v.item, groups, 0.0)"],
        "kinds_of": ["return joined.filter(lambda v: v[1][1]).map(lambda v: (v[0].shop, v[1][0]))"],
        "weighted": ["joined = looked_up(joined, lambda v: v[0].item, groups, 0.0)"],
        "shares": ["looked_up(items, lambda v: v.kind, groups, 0.0)", "return joined.map(lambda v: v[0].price - v[1])"],
        "by_kind": ['looked_up(orders, lambda v: v.item, groups, (False, ""))', "joined.filter(lambda v: v[1][0]).keyBy("],
        "by_shop": ["joined.keyBy(lambda v: v[0].shop)", "lambda acc, v: acc + v[0].amount * v[1]"],
        "neighbours": ["looked_up(a, lambda v: v + 1, groups, 0)", "looked_up(joined, lambda v: v[0], groups, 0)"],
        "unique": ["return joined.filter(lambda v: v[1] == 1).map(lambda v: v[0]).distinct()"],
    },
    "dataframe": {
        "revenue": ['F.max_by(F.col("value")["price"], F.col("i")).alias("last")', 'step.withColumn("some", F.lit(True))'],
        "line_prices": ['joined = looked_up(orders, F.col("value")["item"], groups)', 'F.coalesce(F.col("last"), F.lit(0.0))'],
        "kinds_of": ['joined.filter(F.coalesce(F.col("some"), F.lit(False)))'],
        "weighted": ['joined = looked_up(joined, F.col("value")["item"], groups)'],
        "shares": ['F.col("value")["price"] - F.coalesce(F.col("total"), F.lit(0.0))'],
        "by_shop": ['joined.groupBy(F.col("value")["shop"].alias("key"))'],
        "neighbours": ['.alias("count")', '.alias("count_1")', '3 * F.coalesce(F.col("count_1"), F.lit(0))'],
        "unique": ['joined.filter(F.coalesce(F.col("count"), F.lit(0)) == 1)'],
        "by_kind": ['joined.filter(F.coalesce(F.col("some"), F.lit(False)))', 'F.col("last"), F.lit("")).alias("key")'],
    },
}
ASKED = """
from collections import Counter, defaultdict


def last(a: list[int], b: list[int], c: list[int]) -> int:
    m = dict(zip(b, c))
    return sum(m[v] for v in a if v in m)


def first(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    for k, v in zip(b, c):
        if k not in m:
            m[k] = v
    return sum(m.get(v, 0) for v in a)


def first_of_all(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    for k, v in zip(b, c):
        m.setdefault(k, v)
    return sum(m.get(v, 7) for v in a)


def conditions(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    for k, v in zip(b, c):
        if v > 1:
            m[k] = v
    n = 0
    for v in a:
        if v not in m:
            n += 1
        elif m[v] != 3:
            n += m[v]
    return n


def default(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: v for k, v in zip(b, c) if v > 1}
    return sum(m.get(v, v + 1) for v in a)


def another_default(a: list[int], b: list[int], c: list[int]) -> int:
    m = defaultdict(lambda: 5)
    for k, v in zip(b, c):
        m[k] += v
    return sum(m[v] for v in a)


def beside(a: list[int], b: list[int], c: list[int]) -> int:
    n = {}
    m = {}
    for k, v in zip(b, c):
        if v > 1:
            n[v] = k
        m[k] = v
    return sum(m.get(v, 0) - n.get(v, 0) for v in a)


def counts(a: list[int], b: list[int], c: list[int]) -> int:
    m = Counter(b)
    return sum(v for v in a if m[v] > 1)


def of_itself(a: list[int], b: list[int], c: list[int]) -> int:
    m = Counter(a)
    return sum(1 for v in a if m[v] == 1)


def a_set(a: list[int], b: list[int], c: list[int]) -> int:
    m = set()
    for k, v in zip(b, c):
        if v > 1:
            m.add(k)
    return sum(1 for v in a if v not in m)


def a_number(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: v for k, v in zip(b, c)}
    return m.get(len(a), 4) + m.get(0, 2)


def two(a: list[int], b: list[int], c: list[int]) -> int:
    m = dict(zip(b, c))
    n = {k: 2 * k for k in c}
    return sum(n.get(m.get(v, 0), 9) for v in a)


def of_one_another(a: list[int], b: list[int], c: list[int]) -> int:
    m = dict(zip(b, c))
    n = {}
    for k in c:
        n[k] = m.get(k, 3)
    return sum(n.get(v, 1) for v in a)


def tuples(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    for k, v in zip(b, c):
        m[k] = (v, k + v)
    t = 0
    for v in a:
        if v in m:
            x, y = m[v]
            t += x * y
    return t


def something_else(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    n = 0
    for k, v in zip(b, c):
        m[k] = v
        n += v
    for v in a:
        n += m.get(v, 0)
    return n
"""
REFUSED = """
from collections import Counter, defaultdict


def changed_where_it_is_asked(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: 1 for k in b}
    n = 0
    for v in a:
        if v in m:
            n += 1
            m[v + 1] = 1
    return n


def asked_before_it_is_filled(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    n = 0
    for v in a:
        n += m.get(v, 1)
    for k in b:
        m[k] = 2
    return n


def asked_while_it_is_filled(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    n = 0
    for v in a:
        n += m.get(v + 1, 1)
        m[v] = 2
    return n


def keys_that_are_put_there(a: list[int], b: list[int], c: list[int]) -> int:
    m = defaultdict(int)
    for k in b:
        m[k] += 1
    n = 0
    for v in a:
        n += m[v]
    for v in c:
        if v in m:
            n += 1
    return n


def its_length(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: 1 for k in b}
    n = 0
    for v in a:
        n += m.get(v, 0)
    return n + len(m)


def taken_out(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: 1 for k in b}
    n = 0
    for v in a:
        n += m.pop(v, 0)
    return n


def a_list_that_changes(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: 1 for k in b}
    b.append(1)
    n = 0
    for v in a:
        n += m.get(v, 0)
    return n


def a_list_that_changes_by_another_name(a: list[int], b: list[int], c: list[int]) -> int:
    d = b
    m = {k: 1 for k in b}
    d.append(1)
    n = 0
    for v in a:
        n += m.get(v, 0)
    return n


def a_list_that_the_caller_changes(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: 1 for k in b}
    n = 0
    for v in a:
        n += m.get(v, 0)
        b[0] = v
    return n


def another_name(a: list[int], b: list[int], c: list[int]) -> int:
    m = {k: 1 for k in b}
    o = m
    n = 0
    for v in a:
        n += m.get(v, 0)
        o[v] = 2
    return n


def a_number_that_changes(a: list[int], b: list[int], c: list[int]) -> int:
    s = 2
    m = {}
    for k in b:
        m[k] = s
        s += 1
    n = 0
    for v in a:
        n += m.get(v, 0)
    return n


def made_for_each(a: list[int], b: list[int], c: list[int]) -> int:
    n = 0
    for v in a:
        m = {k: v for k in b}
        n += m.get(v, 0)
    return n


def what_is_at_other_keys(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    for k in b:
        m[k] = m.get(k - 1, 0) + 1
    return sum(m.get(v, 0) for v in a)


def changed_names(a: list[int], b: list[int], c: list[int]) -> int:
    s = 2
    m = {}
    for k, v in zip(b, c):
        m[k] = v * s
    s = 0
    for v in a:
        s += m.get(v, 0)
    return s


def skipped(a: list[int], b: list[int], c: list[int]) -> int:
    seen = set()
    m = {}
    for k, v in zip(b, c):
        if k in seen:
            continue
        seen.add(k)
        m[k] = v
    return sum(m.get(v, 0) for v in a)


def of_another(a: list[int], b: list[int], c: list[int]) -> int:
    x = 0
    n = {}
    m = {}
    for k, v in zip(b, c):
        n[k] = v
        x = n.get(k, 0) + 1
        m[k] = x
    return sum(m.get(v, 0) for v in a)


def counted(a: list[int], b: list[int], c: list[int]) -> int:
    n = 0
    m = {}
    for k in b:
        if k in m:
            continue
        m[k] = 1
        n += 1
    return n + sum(m.get(v, 0) for v in a)


def what_is_left_behind(a: list[int], b: list[int], c: list[int]) -> int:
    m = {}
    x = 0
    for k in b:
        x = m.get(k, 0) + 1
        m[k] = x
    return x + sum(m.get(v, 0) for v in a)
"""
BEFORE = """
def f(a: list[int], b: list[int]) -> int:
    n = 0
    for x in a:
        last = 0
        for y in b:
            if y < x:
                last = y
        n += last
    return n
"""
LISTS: list[tuple[list[int], list[int], list[int]]] = [
    ([], [], []), ([1], [], []), ([], [1], [2]), ([1, 2, 1, 4], [1, 1, 2, 3], [4, 1, 5, 0]),
    ([0, 3, 3], [3, 3, 0, 3], [2, 3, 2, 1]), ([2, 2, 5], [1, 2, 2], [9, 8, 1]), ([4, 1, 2, 3], [2, 1, 2, 2], [3, 3, 1, 2]),
]  # fmt: skip


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


def functions(text: str) -> list[str]:
    """The names of the functions in a text."""
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("name", functions(ASKED))
def test_a_lookup_is_what_python_computes(name: str, tmp_path: Path) -> None:
    fragment = import_python(parse_source(tmp_path / "kernel.py", ASKED), name)
    space: dict[str, object] = {}
    exec(ASKED, space)
    for a, b, c in LISTS:
        expected = space[name](list(a), list(b), list(c))  # type: ignore[operator]
        assert run(fragment, {"a": list(a), "b": list(b), "c": list(c)}).result == expected, (a, b, c)


@pytest.mark.parametrize("name", functions(REFUSED))
def test_what_is_not_filled_before_it_is_asked_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Unsupported):
        import_python(parse_source(tmp_path / "kernel.py", REFUSED), name)


def test_what_is_not_told_by_equal_keys_is_not_looked_up(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text(BEFORE, encoding="utf-8")
    (function,) = lift(source, to=TARGETS, out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert any("of those of its elements that have a key of theirs" in each.message for each in function.diagnostics)
