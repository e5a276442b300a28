"""Two lists that are looked through by keys become joins, semi-joins and anti-joins."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.frontend.python.keys.membership import without_membership
from metalift.ir.interp.interpret import run
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

HEAD = """
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


"""
SOURCE = (
    HEAD
    + """
def revenue(orders: list[Order], items: list[Item], kind: str) -> float:
    total = 0.0
    for order in orders:
        for item in items:
            if order.item == item.id and item.kind == kind:
                total += order.amount * item.price
    return total


def in_shops(orders: list[Order], shops: list[str]) -> float:
    known = set(shops)
    total = 0.0
    for order in orders:
        if order.shop in known:
            total += order.amount
    return total


def known_items(orders: list[Order], items: list[Item]) -> list[Order]:
    known = {item.id for item in items}
    return [order for order in orders if order.item in known]


def unsold(items: list[Item], orders: list[Order]) -> list[str]:
    sold = {order.item for order in orders}
    return [item.kind for item in items if item.id not in sold]


def others(words: list[str], stop: list[str]) -> list[str]:
    out = []
    for word in words:
        if word not in stop:
            out.append(word)
    return out
"""
)
WRITTEN = {
    "rdd": {
        "revenue": ["orders.keyBy(lambda v: v.item).join(items.keyBy(lambda v: v.id)).values().filter("],
        "in_shops": ["among(orders, lambda v: v.shop, shops).map(lambda v: v.amount).sum()"],
        "known_items": ["return among(orders, lambda v: v.item, items.map(lambda v: v.id))"],
        "unsold": ["return beyond(items, lambda v: v.id, orders.map(lambda v: v.item)).map(lambda v: v.kind)"],
        "others": ["return beyond(words, lambda v: v, stop)"],
    },
    "dataframe": {
        "revenue": ['matching(orders, items, F.col("value")["item"] == F.col("other")["id"])', ".filter("],
        "in_shops": ['among(orders, shops, F.col("value")["shop"] == F.col("other"))'],
        "known_items": ['with_fields(among(orders, items, F.col("value")["item"] == F.col("other")["id"]))'],
        "unsold": ['beyond(items, orders, F.col("value")["id"] == F.col("other")["item"])', 'F.col("value")["kind"]'],
        "others": ['return beyond(words, stop, F.col("value") == F.col("other"))'],
    },
}
ASKED = {  # what f asks, for two lists of integers
    "list": "return sum(1 for v in a if v in b)",
    "not": "n = 0\n    for v in a:\n        if v not in b:\n            n += v\n    return n",
    "set": "s = frozenset(b)\n    n = 0\n    for v in a:\n        n += 1 if v in s else 0\n    return n",
    "some": "s = {2 * each for each in b if each > 0}\n    n = 0\n    for each in a:\n        if each in s:\n            n += 1\n"
            "    return n",
    "twice": "s = set(b)\n    n = 0\n    for v in a:\n        if v in s and n not in s:\n            n += 1\n    return n",
    "empty": "return 1 if 0 in a else 2",
    "written out": "n = 0\n    for v in a:\n        if v in (1, 2, 5) and v not in [4, 5]:\n            n += 1\n    return n",
}  # fmt: skip
KEPT = {  # what is no such question
    "a list that grows": "for v in a:\n        if v in b:\n            b.append(v)\n    return len(b)",
    "a set that grows": "s = set(b)\n    for v in a:\n        if v in s:\n            s.add(v + 1)\n    return len(s)",
    "another name": "c = b\n    c.append(1)\n    return 1 if 1 in b else 0",
    "a call": "return 1 if abs(a[0]) in b else 0",
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@pytest.mark.parametrize("name", ASKED)
def test_membership_is_what_python_computes(name: str, tmp_path: Path) -> None:
    text = f"def f(a: list[int], b: list[int]) -> int:\n    {ASKED[name]}\n"
    fragment = import_python(parse_source(tmp_path / "kernel.py", text), "f")
    space: dict[str, object] = {}
    exec(text, space)
    for a, b in (([], []), ([1, 2, 2, 4], [2, 1]), ([0, 3, 6], [3, -3, 3]), ([5], []), ([], [1])):
        assert run(fragment, {"a": list(a), "b": list(b)}).result == space["f"](a, b), (a, b)  # type: ignore[operator]


@pytest.mark.parametrize("name", KEPT)
def test_lists_and_sets_that_change_are_not_asked(name: str) -> None:
    text = f"def f(a: list[int], b: list[int]) -> int:\n    {KEPT[name]}\n"
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef) and without_membership(function) is None


def test_a_list_is_not_reached_from_a_function_of_elements(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    body = "n = 0\n    for x in a:\n        for y in b:\n            if x < y:\n                n += 1\n    return n"
    source.write_text(f"def f(a: list[int], b: list[int]) -> int:\n    {body}\n", encoding="utf-8")
    (function,) = lift(source, to=TARGETS, out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert any("something that is computed from others" in each.message for each in function.diagnostics)
