"""Lists that grow by several elements in each iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import TARGETS, check_written, needs_spark

pytestmark = pytest.mark.quick()

HEAD = """
from dataclasses import dataclass

@dataclass
class Edge:
    src: int
    dst: int
    weight: float
"""
SOURCE = f"""{HEAD}
def ends(edges: list[Edge]) -> list[int]:
    found = []
    for e in edges:
        found.append(e.src)
        found.append(e.dst)
    return found

def both_ways(edges: list[Edge]) -> list[tuple[int, int]]:
    pairs = []
    for e in edges:
        pairs.append((e.src, e.dst))
        pairs.append((e.dst, e.src))
    return pairs

def three(x: list[int]) -> list[int]:
    found = []
    for v in x:
        found.extend([v, v + 1, 2 * v])
    return found

def four(x: list[int]) -> list[int]:
    found = []
    for v in x:
        found += [v, -v, 3, v * v]
    return found

def words(rows: list[tuple[str, str, str]]) -> list[str]:
    return [word for row in rows for word in row]

def placed(x: list[int]) -> list[int]:
    found = [0] * (2 * len(x))
    for i in range(len(x)):
        found[2 * i + 1] = x[i] + 1
        found[2 * i] = x[i]
    return found
"""
WRITTEN = {
    "rdd": {
        "ends": ["return edges.flatMap(lambda v: [v.src, v.dst])"],
        "both_ways": ["return edges.flatMap(lambda v: [(v.src, v.dst), (v.dst, v.src)])"],
        "three": ["return x.flatMap(lambda v: [v, v + 1, 2 * v])"],
        "four": ["return x.flatMap(lambda v: [v, -v, 3, v * v])"],
        "words": ["return rows.flatMap(lambda v: [v[0], v[1], v[2]])"],
        "placed": ["return x.flatMap(lambda v: [v, v + 1])"],
    },
    "dataframe": {
        "ends": ['return flat(edges, F.col("value")["src"], F.col("value")["dst"])'],
        "both_ways": ['F.struct(F.col("value")["dst"].alias("_1"), F.col("value")["src"].alias("_2"))'],
        "three": ['return flat(x, F.col("value"), F.col("value") + 1, 2 * F.col("value"))'],
        "four": ['return flat(x, F.col("value"), -F.col("value"), F.lit(3), F.col("value") * F.col("value"))'],
        "words": ['return flat(rows, F.col("value")["_1"], F.col("value")["_2"], F.col("value")["_3"])'],
        "placed": ['return flat(x, F.col("value"), F.col("value") + 1)'],
    },
}
CHANGES = [
    ("ends", "found.append(e.src)\n        found.append(e.dst)", "found.append(e.dst)\n        found.append(e.src)"),
    ("ends", "found.append(e.src)\n        found.append(e.dst)", "found.append(e.src)\n        found.append(e.src)"),
    ("both_ways", "pairs.append((e.dst, e.src))", "pairs.append((e.dst, e.dst))"),
    ("three", "v + 1, 2 * v", "2 * v, v + 1"),
    ("four", "-v, 3", "3, -v"),
    ("words", "for word in row]", "for word in (row[0], row[2], row[1])]"),
    ("placed", "found[2 * i] = x[i]", "found[2 * i] = x[0]"),
]
KEPT = {  # what is no list of so many functions of each element
    "limited": "found.append(v)\n        if len(found) < 10:\n            found.append(v + 1)",
    "later": "found.append(v)\n        found.append(len(found))",
    "earlier": "found.append(v)\n        found.append(found[0])",
    "some": "found.append(v)\n        if v > 0:\n            found.append(-v)",
    "five": "found.extend([v, v + 1, 2 * v, v, 1])",
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["ends"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@pytest.mark.parametrize("name", KEPT)
def test_other_lists_are_not_lifted(name: str, tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    body = f"def f(x: list[int]) -> list[int]:\n    found = []\n    for v in x:\n        {KEPT[name]}\n    return found\n"
    source.write_text(body, encoding="utf-8")
    (function,) = lift(source, to=TARGETS, out=tmp_path / "out").functions
    assert function.verdict in (FunctionVerdict.NOT_LIFTED, FunctionVerdict.UNSUPPORTED), function.verdict
