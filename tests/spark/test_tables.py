"""Tables as people have them, read from CSV files: the functions of docs/spark.md run on them as they are."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from metalift import lift
from metalift.app.style import NO_NAMES
from metalift.system.argument_types import named_columns
from tests.support.spark import needs_spark

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```python (\S+)\n(.*?)```", (ROOT / "docs" / "spark.md").read_text(encoding="utf-8"), re.DOTALL)
SALES = """from dataclasses import dataclass

@dataclass
class Sale:
    i: int
    amount: float

def totals(sales: list[Sale]) -> dict[int, float]:
    found: dict[int, float] = {}
    for sale in sales:
        found[sale.i] = found.get(sale.i, 0.0) + sale.amount
    return found

def large(sales: list[Sale]) -> list[Sale]:
    return [sale for sale in sales if sale.amount > 2.5]

def first(sales: list[Sale]) -> float:
    return sales[0].amount if len(sales) > 0 else 0.0
"""


def run_of(name: str, text: str, folder: Path, columns: Mapping[str, str] = NO_NAMES) -> dict[str, Any]:
    """What is run of a source: the code of each function for data frames, on tables with columns of such names."""
    source = folder / name
    source.write_text(text, encoding="utf-8")
    code = {each.name: each.code for each in lift(source, to=("dataframe",), columns=columns).functions}
    return {"source": str(source), "code": code, "columns": dict(columns), "drop": None}


@needs_spark
@pytest.mark.quick()
@pytest.mark.timeout(900)
def test_the_examples_of_the_documentation_take_tables_from_csv(tmp_path: Path) -> None:
    asked = [run_of(name, text, tmp_path) for name, text in EXAMPLES]
    assert answers(asked) == [dict.fromkeys(each["code"], []) for each in asked]


@needs_spark
def test_columns_have_the_names_of_fields_or_others(tmp_path: Path) -> None:
    columns = named_columns("amount=Amount of the sale, i=Number")
    plain, named = run_of("plain.py", SALES, tmp_path), run_of("named.py", SALES, tmp_path, columns)
    assert 'withColumnsRenamed({"Number": "i", "Amount of the sale": "amount"})' in named["code"]["totals"]
    without = [{**plain, "drop": ["amount"]}, {**plain, "drop": ["_i"]}, {**plain, "drop": [], "text": ["amount"]}]
    *both, no_amount, no_order, of_text = answers([plain, named, *without])
    assert both == [dict.fromkeys(plain["code"], [])] * 2
    assert no_amount["totals"] == no_amount["first"] == ["sales must have the columns amount; it has _i, i"]
    assert no_order["first"] == ["sales must have the columns _i; it has i, amount"]
    assert of_text["large"] == ["sales must have a column amount of the type double, not string"]


@pytest.mark.parametrize("text", ["amount", "=Amount", "amount=", "a=b,"])
def test_columns_that_are_not_named_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a list of fields with their columns"):
        named_columns(text)


def answers(asked: list[dict[str, Any]]) -> list[dict[str, list[str]]]:
    """Of each function where its code gives another result than the source, or refuses; columns that no code asks for are left
    out, or, where it says so, those to `drop`.
    """
    run = subprocess.run(
        [sys.executable, "-c", _RUN], input=json.dumps(asked), capture_output=True, text=True, timeout=800, check=False
    )
    assert run.returncode == 0, run.stderr
    found: list[dict[str, list[str]]] = json.loads(run.stdout.splitlines()[-1])
    return found


_RUN = """
import csv, dataclasses, inspect, json, os, sys, tempfile, types, typing
from metalift_drivers.spark.targets import DATAFRAME
exec(DATAFRAME.engine.setup)
SAMPLES = {
    str: ["east", "test", "west", "east", "a"],
    int: [3, 1, 2, 3, 1],
    float: [12, 2.5, 700.25, 3, 5],
    bool: [True, False, False, True, False],
}
FIELDS = {"shop": ["east", "west", "east", "east", "a"], "amount": [12, 2, 7, 7, 5]}

def fields(type_):
    if type_ is dict:
        type_ = next(each for each in vars(source).values() if typing.is_typeddict(each))
    return {"value": type_} if type_ in SAMPLES else typing.get_type_hints(type_)

def records(type_, count=5):
    named = fields(type_)
    rows = [{field: kind(FIELDS.get(field, SAMPLES[kind])[at]) for field, kind in named.items()} for at in range(count)]
    return rows

def table(rows, order, names, drop, text):
    path = os.path.join(tempfile.mkdtemp(), "table.csv")
    rows = [{**({order: at} if order else {}), **row} for at, row in enumerate(rows)]
    rows = [{key: "x" if key in text else value for key, value in row.items() if key not in (drop or ())} for row in rows]
    rows = [{names.get(key, key): value for key, value in row.items()} for row in rows]
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({key: f"{value:g}" if isinstance(value, float) else value for key, value in row.items()} for row in rows)
    return session.read.csv(path, header=True, inferSchema=True)

def plain(value):
    if isinstance(value, dict):
        return {"dict": sorted((repr(plain(key)), plain(each)) for key, each in value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(list(each.values()) if isinstance(each, dict) else each) for each in value]
    if dataclasses.is_dataclass(value):
        return [plain(each) for each in dataclasses.astuple(value)]
    return round(float(value), 9) if isinstance(value, (int, float)) else value

def shown(value):
    if type(value).__name__ == "DataFrame":
        if value.columns == ["key", "value"]:
            return plain({row.key: row.value for row in value.collect()})
        return plain(listed(value))
    return plain(value)

def ran(asked, name, text):
    module = {}
    exec(text, module)
    function = getattr(source, name)
    given, passed = [], []
    hints = typing.get_type_hints(function)
    for called in inspect.signature(function).parameters:
        type_ = hints[called]
        if typing.get_origin(type_) is not list:
            given.append(type_(2))
            passed.append(type_(2))
            continue
        (element,) = typing.get_args(type_)
        rows = records(element)
        named = fields(element)
        order = "_i" if "i" in named else "i"
        needed = asked["drop"] is not None or "ordered=True" in text
        given.append([row["value"] if element in SAMPLES else element(**row) for row in rows])
        passed.append(table(rows, order if needed else "", asked["columns"], asked["drop"], asked.get("text", ())))
    try:
        wanted, made = plain(function(*given)), shown(module[name](*passed))
        return [] if made == wanted else [f"{made}, not {wanted}"]
    except ValueError as problem:
        return [str(problem)]

found = []
for asked in json.load(sys.stdin):
    source = types.ModuleType("source")
    sys.modules["source"] = source
    exec(open(asked["source"]).read(), vars(source))
    found.append({name: ran(asked, name, text) for name, text in asked["code"].items()})
print(json.dumps(found))
"""
