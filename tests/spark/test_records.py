"""Strings, tuples and records as elements and keys: what is told apart, and taken apart, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.frontend.dispatch import open_source
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.expr.types import BOOL, DOUBLE, INT, STRING, IntType
from metalift.ir.interp.identities import content, number_of, of_parts, of_text, readable, tuple_type
from metalift.ir.program.fragment import Unsupported
from metalift.ir.wellformed.check_fragment import check_fragment
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from metalift.run.inputs.inputs import runs
from metalift.synth.derive import derive
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

HEAD = """
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple


@dataclass
class Sale:
    region: str
    product: int
    amount: float


class Point(NamedTuple):
    x: float
    y: float


"""
SOURCE = (
    HEAD
    + '''
def totals(sales: list[Sale], least: float):
    found = defaultdict(float)
    for sale in sales:
        if sale.amount > least and sale.region != "":
            found[sale.region, sale.product] += sale.amount
    return found


def big(sales: list[Sale], product: int) -> list[Sale]:
    return [sale for sale in sales if sale.product == product and sale.amount > 0.5]


def moments(points: list[Point], pairs: list[tuple[int, float]]) -> tuple[float, float]:
    area = 0.0
    for point in points:
        area += point.x * point.y
    weighted = 0.0
    for count, value in pairs:
        weighted += count * value
    return area, weighted


def pages(visits: list[tuple[str, str]], visitor: str) -> set[str]:
    return {visit[0] for visit in visits if visit[1] == visitor}
'''
)
WRITTEN = {
    "rdd": {
        "totals": [".keyBy(", "lambda v: (v.region, v.product)", 'not v.region == ""'],
        "big": ["sales.filter(lambda v: "],
        "moments": ["points.map(lambda v: v.x * v.y).sum()", "v[0] * v[1]"],
        "pages": ["filter(lambda v: v[1] == visitor).map(lambda v: v[0]).distinct()"],
    },
    "dataframe": {
        "totals": ["F.struct(", 'F.col("value")["region"].alias("_1")'],
        "big": ["sales.filter("],
        "moments": ['F.col("value")["x"] * F.col("value")["y"]'],
        "pages": ['filter(F.col("value")["_2"] == visitor)', 'F.col("value")["_1"].alias("key")'],
    },
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["totals"].certificate or "")).ok


def test_a_target_without_records_says_so(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE, encoding="utf-8")
    (function,) = lift(source, functions=["pages"], to=["numpy"]).functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
    assert "the source has strings and tuples, which the target has not" in function.diagnostics[0].message


@pytest.mark.parametrize(
    ("signature", "body", "reason"),
    [
        ("words: list[str]", 'return [w + "!" for w in words]', "a string where a number is needed"),
        ("words: list[str], w: str", "return [1 if v < w else 0 for v in words]", "a string where a number is needed"),
        ("w: str", "return 1 if w else 0", "a string where a number is needed"),
        ("w: str", "return int(w)", "a string where a number is needed"),
        ("w: str", "return float(w)", "a string where a number is needed"),
        ("w: str, n: int", "return 1 if w == n else 0", "a string where a number is needed"),
        ("words: list[str], w: str", "return words[w]", "a string where a number is needed"),
        ("w: str", "return w[0]", "a part of a string"),
        ("w: str", "return len(w)", "len of a string"),
        ("w: str", "return w.upper()", "the method 'upper'"),
        ("sales: list[Sale]", "return 1 if sales[0] == sales[1] else 0", "a record (Sale) where a number is needed"),
        ("sales: list[Sale]", "sales[0].amount = 1.0\n    return 0", "an assignment to 'sales[0].amount'"),
        ("sales: list[Sale]", "return sales[0].price", "'price', which is no field of Sale"),
        ("sales: list[Sale]", "return sales[0][1]", "is subscripted but is no list"),
        ("points: list[tuple[float, float]]", "return points[0][2]", "an item of a tuple at a place that is not known"),
        ("points: list[tuple[float, float]]", "a, b, c = points[0]\n    return a", "3 names for a value"),
        ("points: list[tuple[float, float]]", "return max(points)", "a tuple where a number is needed"),
        ("points: list[tuple[float, float]]", "return Counter(points)", "a tuple where a number is needed"),
        ("pairs: list[tuple[int, int]], x: float", "return 1 if pairs[0] == (x, 1) else 0", "a tuple where a number is needed"),
        ("keys: list[int]", "m: dict[tuple[int, int], int] = {}\n    for k in keys:\n        m[k / 2, k] = 1\n    return m",
         "a tuple where a number is needed"),
        ("sales: list[Sale]", "return Counter(sales)", "a record (Sale) where a number is needed"),
        ("words: list[str], ws: list[int]", "m = {}\n    for w in words:\n        m[w] = 1\n    for i in ws:\n        m[i] = 1\n"
         "    return m", "a string where a number is needed"),
    ],
)  # fmt: skip
def test_what_is_computed_of_strings_and_records_is_refused(signature: str, body: str, reason: str, tmp_path: Path) -> None:
    module = parse_source(tmp_path / "kernel.py", HEAD + f"def kernel({signature}):\n    {body}\n")
    with pytest.raises(Unsupported) as found:
        import_python(module, "kernel")
    assert reason in str(found.value) and found.value.diagnostic.location.line > 15


@pytest.mark.parametrize(
    "text",
    [
        "class Sale:\n    amount: float\n",
        "@dataclass\nclass Sale:\n    amount: float\n    def __getattribute__(self, name): return 1.0\n",
        "@dataclass\nclass Sale:\n    amount: float\n    @property\n    def twice(self): return 2 * self.amount\n",
        "@dataclass\nclass Sale(Base):\n    amount: float\n",
        "@dataclass\nclass Sale:\n    amount: list[float]\n",
        "@dataclass\nclass Sale:\n    amount: float\nSale = other(Sale)\n",
        "@other\n@dataclass\nclass Sale:\n    amount: float\n",
    ],
)
def test_classes_that_may_do_more_than_hold_fields_are_refused(text: str, tmp_path: Path) -> None:
    text = f"from dataclasses import dataclass\n{text}\ndef kernel(sales: list[Sale]):\n    return len(sales)\n"
    with pytest.raises(Unsupported, match="the type 'list\\[Sale\\]'"):
        import_python(parse_source(tmp_path / "kernel.py", text), "kernel")


def test_well_formed_and_run(tmp_path: Path) -> None:
    """The fragments compute nothing of identities, and their inputs take both sides of every comparison."""
    source = tmp_path / "kernels.py"
    source.write_text(SOURCE, encoding="utf-8")
    module = open_source(source)
    for name in WRITTEN["rdd"]:
        fragment = import_python(module, name)  # type: ignore[arg-type]
        check_fragment(fragment)
        results = {str(run.outcome.result) for run in runs(fragment)}
        assert len(results) > 1 and derive(fragment).outputs is not None


def test_numbers_stand_for_what_they_were_made_of() -> None:
    sale = IntType("Sale", (("region", STRING), ("amount", DOUBLE), ("paid", BOOL), ("where", tuple_type([INT, STRING]))))
    for value in ({"region": "", "amount": -0.125, "paid": True, "where": [-7, "ä\ud800\n"]},):
        number = number_of(value, sale)
        assert isinstance(number, int) and readable(number, sale) == value
    assert of_text("1") != of_text("1 ") and of_parts([1, 2]) != of_parts([2, 1]) != of_parts([True, 1]) != of_parts([12])
    assert content(of_text("")) == "" and content(7) is None and content(-1) is None
