"""Lists are sorted as Python sorts them: of elements with equal keys the first one comes first, in either direction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.sources import tells_apart
from drivers.spark.preambles import RDD_PREAMBLE
from metalift import pipeline
from metalift.frontend import import_function, open_source
from metalift.ir.program.fragment import Unsupported
from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved, summary_of
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from dataclasses import dataclass
from operator import itemgetter


@dataclass
class Sale:
    region: str
    item: int
    amount: float


def numbers(x: list[int]) -> list[int]:
    return sorted(x)


def largest(x: list[float], k: int) -> list[float]:
    return sorted(x, reverse=True)[:k]


def by_item(sales: list[Sale]) -> list[Sale]:
    return sorted(sales, key=lambda sale: sale.item, reverse=True)


def best(sales: list[Sale]) -> list[Sale]:
    return sorted(sales, key=lambda sale: (-sale.amount, sale.item))[:3]


def seconds(pairs: list[tuple[int, float]]) -> None:
    pairs.sort(key=itemgetter(1))


def prices(sales: list[Sale]) -> list[float]:
    found = []
    for sale in sorted(sales, key=lambda sale: sale.amount):
        found.append(sale.amount * sale.item)
    return found
"""
WRITTEN = {
    "rdd": {
        "numbers": ["return x.sortBy(lambda v: v)"],
        "largest": ["return foremost(x, k, lambda v: v, ascending=False)"],
        "by_item": ["return ordered(sales, lambda v: v.item, ascending=False)"],
        "best": ["return foremost(sales, 3, lambda v: (-v.amount, v.item))"],
        "seconds": ["ordered(pairs, lambda v: v[1])"],
        "prices": ["ordered(sales, lambda v: v.amount)", ".map(lambda v: v.amount * v.item)"],
    },
    "dataframe": {
        "numbers": ['renumbered(x.orderBy(F.col("value"), "i"))'],
        "largest": ['renumbered(x.orderBy(F.desc(F.col("value")), "i").limit(k))'],
        "by_item": ['sales.orderBy(F.desc(F.col("value")["item"]), "i")'],
        "best": ['F.desc(F.col("value")["amount"])', 'F.asc(F.col("value")["item"])', ".limit(3)"],
        "seconds": ['orderBy(F.asc(F.col("value")["_2"]), "i")'],
        "prices": ['F.asc(F.col("value")["amount"])'],
    },
}
CHANGES = [
    ("numbers", "sorted(x)", "sorted(x, reverse=True)"),
    ("numbers", "sorted(x)", "sorted(x, key=lambda v: -v)"),
    ("numbers", "sorted(x)", "sorted(x, key=lambda v: abs(v))"),
    ("by_item", "sale.item, reverse=True", "sale.item"),
    ("by_item", "sale.item, reverse=True", "-sale.item, reverse=True"),
    ("by_item", "sale.item, reverse=True", "(sale.item, sale.amount), reverse=True"),
    ("best", "(-sale.amount, sale.item)", "(sale.item, -sale.amount)"),
    ("best", "(-sale.amount, sale.item)", "-sale.amount"),
    ("best", "(-sale.amount, sale.item)", "(sale.amount, sale.item)"),
    ("seconds", "itemgetter(1)", "itemgetter(0)"),
    ("seconds", "itemgetter(1)", "itemgetter(1), reverse=True"),
]
OTHER_LISTS = {  # sources that compute something else than `numbers`, in other steps
    "changed afterwards": "def f(x: list[int]) -> list[int]:\n    y = sorted(x)\n    y[0] = x[0]\n    return y\n",
    "backwards": "def f(x: list[int]) -> list[int]:\n    return sorted(x)[::-1]\n",
    "redefined": "def sorted(x: list[int]) -> list[int]:\n    return x[:]\n\n\n"
    "def f(x: list[int]) -> list[int]:\n    return sorted(x)\n",
    "last of equals first": "def f(x: list[int]) -> list[int]:\n    return sorted(x[::-1], key=lambda v: abs(v))\n",
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["best"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@pytest.mark.parametrize("text", OTHER_LISTS.values(), ids=OTHER_LISTS)
def test_another_list_is_told_apart(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(text, encoding="utf-8")
    key = "sorted(x, key=lambda v: abs(v))" if "abs" in text else "sorted(x)"
    summary = summary_of("kernels.py", "numbers", SOURCE.replace("sorted(x)", key))
    assert tells_apart(import_function(open_source(path), "f"), summary)


def test_what_the_module_binds_itself_does_not_sort(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text("sorted = reversed\n\n\ndef f(x: list[int]) -> list[int]:\n    return list(sorted(x))\n", encoding="utf-8")
    with pytest.raises(Unsupported, match="which the module binds itself"):
        import_function(open_source(path), "f")


class _NoPartitions:
    """An RDD of which Spark refuses to take elements."""

    def getNumPartitions(self) -> int:  # noqa: N802 (Spark's name)
        return 0


def test_the_first_of_nothing_are_none() -> None:
    space: dict[str, Any] = {}
    exec(RDD_PREAMBLE, space)
    nothing = _NoPartitions()
    assert space["foremost"](nothing, 3, lambda v: v) is nothing
