"""Rows: dictionaries with constant keys, whose types a TypedDict says or their use shows, and named tuples without types."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from metalift import pipeline
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.expr.types import BOOL, DOUBLE, INT, STRING, IntType, TensorType
from metalift.ir.interp.identities import number_of, readable, row_type
from metalift.ir.program.fragment import Unsupported
from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

HEAD = """
from collections import Counter, defaultdict, namedtuple
from typing import Any, NotRequired, TypedDict


class Sale(TypedDict):
    shop: str
    amount: float
    count: int
    paid: bool


class Place(TypedDict):
    city: str
    zone: int


class Order(TypedDict):
    id: int
    place: Place


class Part(TypedDict, total=False):
    shop: str


class Loose(TypedDict):
    shop: NotRequired[str]


Price = TypedDict("Price", {"item": str, "price": float})
Point = namedtuple("Point", "x y")


"""
SOURCE = (
    HEAD
    + '''
def turnover(rows: list[Sale]) -> dict[str, float]:
    totals: dict[str, float] = {}
    for row in rows:
        if row["paid"]:
            totals[row["shop"]] = totals.get(row["shop"], 0.0) + row["amount"]
    return totals


def doubled(rows: list[Sale]) -> list[dict]:
    out = []
    for row in rows:
        if not row.get("paid", False):
            out.append({"shop": row["shop"], "amount": 2 * row["amount"]})
    return out


def with_fees(rows: list[Sale], fee: float):
    out = []
    for row in rows:
        new = dict(row)
        new["total"] = row["amount"] * row["count"]
        if row["paid"]:
            new["amount"] += fee
            new["count"] = 0
        out.append(new)
    return out


def either(rows: list[Sale]):
    out = []
    for row in rows:
        if row["paid"]:
            out.append({"shop": row["shop"], "amount": 0})
        else:
            out.append({"amount": row["amount"], "shop": ""})
    return out


def sums(rows: list[Sale]):
    found = {"count": 0, "amount": 0.0}
    for row in rows:
        found["count"] += row["count"]
        found["amount"] += row["amount"]
    return found["count"], found["amount"]


def overwritten(rows: list[Sale]):
    return [{"count": 1, **row} for row in rows if "shop" in row]


def in_zone(orders: list[Order], zone: int):
    return [order for order in orders if order["place"]["zone"] == zone and "id" in order]


def raised(prices: list[Price], config: dict[str, float]) -> list[Price]:
    return [Price(item=each["item"], price=each["price"] * config["factor"]) for each in prices]


def by_year(rows: list[dict[str, Any]]) -> dict[int, float]:
    totals = defaultdict(float)
    for row in rows:
        if row["kind"] in ("sale", "gift") and not row["returned"]:
            totals[row["year"]] += row["amount"]
    return totals


def moved(points: list[Point], dx: float):
    return [Point(p.x + dx, p.y) for p in points]


def per_shop(pairs):
    counts = Counter()
    for shop, amount in pairs:
        if amount > 0:
            counts[shop] += 1
    return counts
'''
)
WRITTEN = {
    "rdd": {
        "turnover": ['keyBy(lambda v: v["shop"])', 'v["paid"]', 'v["amount"]'],
        "doubled": ['filter(lambda v: not v["paid"])', '.map(lambda v: {"shop": v["shop"], "amount": 2.0 * v["amount"]})'],
        "with_fees": ['"total": v["amount"] * v["count"]', '"count": 0 if v["paid"] else v["count"]'],
        "either": ['{"shop": v["shop"], "amount": 0.0} if v["paid"] else {"shop": "", "amount": v["amount"]}'],
        "sums": ['acc[0] + v["count"]', 'acc[1] + v["amount"]'],
        "overwritten": ["rows.map(", '{"count": v["count"], "shop": v["shop"], '],
        "in_zone": ['orders.filter(lambda v: v["place"]["zone"] == zone)'],
        "raised": ['{"item": v["item"], "price": v["price"] * config["factor"]}'],
        "by_year": ['keyBy(lambda v: v["year"])', 'v["kind"] == "gift"'],
        "moved": ["Row(x=v.x + dx, y=v.y)"],
        "per_shop": ["keyBy(lambda v: v[0])", "v[1] > 0.0"],
    },
    "dataframe": {
        "turnover": ['{"shop": "string", "amount": "double", "paid": "boolean"}'],
        "doubled": ['.alias("amount")', 'F.col("value")["shop"].alias("shop")'],
        "with_fees": ['.alias("total")'],
        "either": ['F.lit("").alias("shop")'],
        "sums": ['F.sum(F.col("value")["count"])'],
        "overwritten": ['F.col("value")["count"].alias("count")'],
        "in_zone": ['F.col("value")["place"]["zone"] == zone'],
        "raised": ['config["factor"]', '.alias("item")'],
        "by_year": ['groupBy(F.col("value")["year"].alias("key"))'],
        "moved": ['.alias("x")', '.alias("y")'],
        "per_shop": ['groupBy(F.col("value")["_1"].alias("key"))'],
    },
}
CHANGES = [
    ("turnover", 'if row["paid"]:\n            totals', 'if not row["paid"]:\n            totals'),
    ("turnover", '0.0) + row["amount"]', '0.0) + row["count"]'),
    ("doubled", 'if not row.get("paid", False)', 'if row.get("paid", False)'),
    ("doubled", '2 * row["amount"]', '3 * row["amount"]'),
    ("with_fees", 'new["amount"] += fee', 'new["total"] += fee'),
    ("with_fees", 'new["count"] = 0', 'new["count"] = 1'),
    ("either", '"shop": ""', '"shop": row["shop"]'),
    ("sums", 'found["amount"] += row["amount"]', 'found["amount"] += row["count"]'),
    ("in_zone", '["zone"] == zone', '["zone"] != zone'),
    ("raised", 'each["price"] *', 'each["price"] +'),
    ("overwritten", '{"count": 1, **row}', '{**row, "count": 1}'),
    ("moved", "p.y)", "p.x)"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["with_fees"].certificate or "")).ok


@needs_spark
def test_what_is_taken_from_use_is_listed(lifted: dict[str, FunctionResult]) -> None:
    found = [each.text for each in lifted["by_year"].assumptions]
    taken = "rows is taken as list[dict[kind: str, returned: bool, year: int, amount: float]]: annotate it to change that"
    assert taken in found


@needs_spark
def test_rows_are_dictionaries_on_both_sides(lifted: dict[str, FunctionResult], tmp_path: Path) -> None:
    """Rows with more keys than those that the function names, in any order, go through the code for RDDs as well."""
    rows = [
        {"note": "x", "amount": 1.5, "paid": False, "shop": "a", "count": 2},
        {"paid": True, "shop": "b", "count": 1, "amount": -2.0},
    ]
    files = {name: lifted[name].targets["rdd"].file for name in ("doubled", "either", "turnover")}
    source = Path(files["doubled"] or "").parents[2] / "kernels.py"
    command = [sys.executable, "-c", _RUN, str(source), json.dumps(files), json.dumps(rows)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout.splitlines()[-1]) == []


_RUN = """
import importlib.util, json, sys
from metalift_drivers.spark.targets import RDD
exec(RDD.engine.setup)

def module(path):
    spec = importlib.util.spec_from_file_location("m" + str(abs(hash(path))), path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found

source, files, rows = module(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
wrong = []
for name, path in files.items():
    wanted = getattr(source, name)(rows)
    made = getattr(module(path), name)(session.sparkContext.parallelize(rows, 2)).collect()
    found = dict(made) if isinstance(wanted, dict) else made
    if found != wanted:
        wrong.append(f"{name}: {found}, not {wanted}")
print(json.dumps(wrong))
"""


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_changed_sources_are_refuted(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


SALES = "rows: list[Sale]"
USED = "rows: list[dict]"


@pytest.mark.parametrize(
    ("signature", "body", "reason"),
    [
        ("rows: list[Part]", "return [r['shop'] for r in rows]", "keys that a Part may lack"),
        ("rows: list[Loose]", "return [r['shop'] for r in rows]", "keys that a Loose may lack"),
        (SALES, "return [r['price'] for r in rows]", "the key 'price', which the row has not; it has shop, amount, count, paid"),
        (SALES, "return [r.get('price', 1.0) for r in rows]", "the key 'price', which the row has not"),
        (SALES, "return [1 if 'note' in r else 0 for r in rows]", "the key 'note', which the row has not"),
        (SALES, "return [r.amount for r in rows]", "write r['amount']"),
        (SALES, "return [r[0] for r in rows]", "a key that is no constant text"),
        (SALES + ", k: str", "return [r[k] for r in rows]", "a key that is no constant text"),
        (SALES, "return [len(r) for r in rows]", "len of 'r'"),
        (SALES, "t = 0\n    for r in rows:\n        for k in r:\n            t += 1\n    return t", "a loop over 'r'"),
        (SALES, "t = 0\n    for a, b, c, d in rows:\n        t += c\n    return t", "4 names for a value"),
        (SALES, "return [sum(r.values()) for r in rows]", "r.values()"),
        (SALES, "return [r.pop('amount') for r in rows]", "r.pop('amount')"),
        (SALES, "return [1 if r else 0 for r in rows]", "a row where a number is needed"),
        (SALES, "return [1 if r == rows[0] else 0 for r in rows]", "a row where a number is needed"),
        (SALES, "return Counter(rows)", "a row where a number is needed"),
        (SALES, "return [r['shop'] + r['amount'] for r in rows]", "a string where a number is needed"),
        (SALES, "return [rows[r['amount']]['count'] for r in rows]", "is a float where Python needs an int"),
        (SALES, "return [{'the shop': r['shop']} for r in rows]", "the key 'the shop'"),
        (SALES, "return [{1: r['shop']} for r in rows]", "a key that is no constant text"),
        (SALES, "return [{'a': [r['shop']]} for r in rows]", "a list where a number is needed"),
        (SALES, "return [{} for r in rows]", "a dict"),
        (SALES, "return [Sale(shop=r['shop']) for r in rows]", "does not make a record of its fields"),
        (SALES, "return [Sale(r) for r in rows]", "name the keys, as in Sale(shop=...)"),
        (SALES, "return {'n': len(rows)}", "a row as a result"),
        (USED, "return [{**r, 'x': r['amount']} for r in rows]", "annotate the rows with a TypedDict"),
        (USED, "return [r.get('amount', 1.0) for r in rows]", "annotate the rows with a TypedDict"),
        (USED, "return [r['a'] for r in rows if 'a' in r]", "annotate the rows with a TypedDict"),
        (USED, "return len(rows)", "of whose elements it is not seen which keys they have"),
        ("m: dict[str, float], ks: list[str]", "return [m[k] for k in ks]", "it is not seen which keys they have"),
        ("m: dict[str, float]", "t = m['a']\n    for k in m:\n        t += 1\n    return t", "a loop over 'm'"),
    ],
)  # fmt: skip
def test_what_rows_may_lack_or_do_besides_is_refused(signature: str, body: str, reason: str, tmp_path: Path) -> None:
    module = parse_source(tmp_path / "kernel.py", HEAD + f"def kernel({signature}):\n    {body}\n")
    with pytest.raises(Unsupported) as found:
        import_python(module, "kernel")
    assert reason in str(found.value) and found.value.diagnostic.location.line > 18


@pytest.mark.parametrize(
    "lines",
    [
        ["for r in rows:", "    r['amount'] *= 2", "return rows"],
        ["out.append({'n': 1})", "out[0]['n'] = 2", "return out"],
        ["row = {'n': 0}", "for r in rows:", "    row['n'] += 1", "    out.append(row)", "return out"],
        ["for r in rows:", "    row = dict(r)", "    out.append(row)", "    row['count'] = 1", "return out"],
        ["for r in rows:", "    row = dict(r)", "    other = row", "    other['count'] = 1", "    out.append(row)", "return out"],
        ["for r in rows:", "    row = dict(r)", "    row['count'] = 1", "    r = rows[0]", "    out.append(row)", "return out"],
        ["for r in rows:", "    row = {'n': 1}", "    if r['paid']:", "        row['m'] = 2", "    out.append(row)"],
        ["for r in rows:", "    row = {'n': 1}", "    row[r['shop']] = 2", "    out.append(row)", "return out"],
        ["for r in rows:", "    r.update(amount=1.0)", "return rows"],
        ["t = 0", "for r in rows:", "    r.setdefault('n', 1)", "    t += 1", "return t"],
    ],
)
def test_changes_of_rows_that_others_may_have_are_refused(lines: list[str], tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in ["out = []", *lines])
    module = parse_source(tmp_path / "kernel.py", f"{HEAD}def kernel({SALES}):\n{body}")
    with pytest.raises(Unsupported) as found:
        import_python(module, "kernel")
    assert found.value.diagnostic.location.line > 34


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (["if r['a'] == 'x' and r['b']:", "    t += r['c']"], [("a", STRING), ("b", BOOL), ("c", DOUBLE)]),
        (["m[r['a']] = r['b'] % 2"], [("b", INT), ("a", STRING)]),
        (["m[r['a'] + 1] = 1"], [("a", INT)]),
        (["key = (r['a'], r['b'])", "m[key] = 1"], [("a", STRING), ("b", STRING)]),
        (["if r['a'] not in ('x', 'y') and r['b'] == 3:", "    t += 1"], [("a", STRING), ("b", INT)]),
        (["kind = r['a']", "if kind != 'x':", "    t += 1"], [("a", STRING)]),
        (["if r['a'] > 3:", "    t += 1"], [("a", DOUBLE)]),
        (["t += xs[r['a']]"], [("a", INT)]),
    ],
)
def test_types_from_use(lines: list[str], fields: list[tuple[str, object]], tmp_path: Path) -> None:
    inner = "".join(f"        {line}\n" for line in lines)
    end = "m" if any("m[" in line for line in lines) else "t"
    made = "    m = {}\n" if end == "m" else "    t = 0\n"
    text = f"def kernel(rows, xs: list[int]):\n{made}    for r in rows:\n{inner}    return {end}\n"
    (rows, *_) = import_python(parse_source(tmp_path / "kernel.py", text), "kernel").params
    assert isinstance(rows.var.type, TensorType) and isinstance(rows.var.type.element, IntType)
    assert dict(rows.var.type.element.fields) == dict(fields)


def test_numbers_stand_for_rows_by_their_keys() -> None:
    row = row_type([("a", INT), ("b", STRING)])
    assert number_of({"b": "x", "a": 1}, row) == number_of({"a": 1, "b": "x"}, row) != number_of({"a": 1, "b": "y"}, row)
    assert readable(number_of({"b": "x", "a": 1}, row), row) == {"a": 1, "b": "x"}  # type: ignore[arg-type]
    for wrong in ({"a": 1}, {"a": 1, "c": "x"}, {"a": 1, "b": "x", "c": "x"}):
        assert number_of(wrong, row) == wrong
