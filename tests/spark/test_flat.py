"""Elements that count for several keys are rows with one key each."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.result import FunctionResult
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from collections import Counter, defaultdict
from dataclasses import dataclass

@dataclass
class Edge:
    src: int
    dst: int
    weight: float

def degrees(edges: list[Edge]) -> dict[int, int]:
    degree = defaultdict(int)
    for e in edges:
        degree[e.src] += 1
        degree[e.dst] += 1
    return degree

def net(edges: list[Edge]) -> dict[int, float]:
    flow = defaultdict(float)
    for e in edges:
        if e.weight > 1:
            flow[e.src] -= e.weight
        flow[e.dst] += e.weight
    return flow

def distinct(edges: list[Edge]) -> dict[int, int]:
    degree = defaultdict(int)
    for e in edges:
        degree[e.src] += 1
        if e.dst != e.src:
            degree[e.dst] += 1
    return degree

def nodes(edges: list[Edge]) -> set[int]:
    found = set()
    for e in edges:
        found.add(e.src)
        found.add(e.dst)
    return found

def heavy(edges: list[Edge], least: float) -> set[int]:
    return {node for e in edges if e.weight > least for node in (e.src, e.dst)}

def words(rows: list[tuple[str, str, str]]) -> dict[str, int]:
    counts = Counter()
    for row in rows:
        for word in row:
            counts[word] += 1
    return counts

def latest(edges: list[Edge]) -> dict[int, float]:
    seen = {}
    for e in edges:
        seen[e.src] = e.weight
        seen[e.dst] = e.weight
    return seen

def averages(edges: list[Edge]) -> dict[int, float]:
    weights = defaultdict(list)
    for e in edges:
        weights[e.src].append(e.weight)
        weights[e.dst].append(e.weight)
    return {node: sum(found) / len(found) for node, found in weights.items()}

def crossed(xs: list[int], ys: list[int]) -> dict[int, int]:
    sums = defaultdict(int)
    for x, y in zip(xs, ys):
        sums[x] += y
        sums[y] += x
    return sums
"""
WRITTEN = {
    "rdd": {
        "degrees": ["edges.flatMap(lambda v: [(v.src, 1), (v.dst, 1)])", "rows.aggregateByKey(0, lambda acc, v: acc + v,"],
        "net": ["(v.src, (v.weight > 1.0, -v.weight if v.weight > 1.0 else 0.0))", "groups.filter(lambda pair: pair[1][0])"],
        "distinct": ["(v.dst, (not v.dst == v.src, 0 if v.dst == v.src else 1))"],
        "nodes": ["edges.flatMap(lambda v: [v.src, v.dst]).distinct()"],
        "heavy": ["[(v.src, least < v.weight), (v.dst, least < v.weight)]", "rows.filter(lambda v: v[1]).map(lambda v: v[0])"],
        "words": ["rows.flatMap(lambda v: [(v[0], 1), (v[1], 1), (v[2], 1)])"],
        "latest": ["edges.zipWithIndex().flatMap(", "(v[0].src, (v[0].weight, v[1]))", "max(acc, (v[1], v[0]))"],
        "averages": ["[(v.src, (v.weight, 1)), (v.dst, (v.weight, 1))]", "groups.mapValues(lambda v: v[0] / v[1])"],
        "crossed": ["values().flatMap(lambda v: [(v[1], v[0]), (v[0], v[1])])"],
    },
    "dataframe": {
        "degrees": ["F.inline(", 'F.struct(F.col("value")["src"].alias("key"))', 'rows.groupBy("key").agg('],
        "net": ['(F.col("value")["weight"] > 1.0).alias("some")', 'groups.filter(F.col("some"))'],
        "distinct": ['F.lit(True).alias("some")'],
        "nodes": ['F.struct(F.col("value")["dst"].alias("key"))', ".distinct()"],
        "heavy": ['rows.filter(F.col("some")).select(F.col("key").alias("key"))'],
        "words": ['F.struct(F.col("value")["_3"].alias("key"))'],
        "latest": ['F.col("i").alias("place")', 'F.max_by(F.col("last"), F.col("place"))'],
        "averages": ['F.coalesce(F.sum(F.col("total")), F.lit(0))'],
        "crossed": ["paired(", 'F.struct(F.col("value").alias("key"), F.col("other").alias("total"))'],
    },
}
CHANGES = [
    ("degrees", "degree[e.src] += 1\n        degree[e.dst]", "degree[e.src] += 1\n        degree[e.src]"),
    ("degrees", "degree[e.dst] += 1\n    return", "degree[e.dst] += 2\n    return"),
    ("degrees", "degree[e.dst] += 1\n    return", "degree[e.dst] = 1\n    return"),
    ("net", "if e.weight > 1:\n            flow[e.src]", "if e.weight > 1:\n            flow[e.dst]"),
    ("distinct", "if e.dst != e.src", "if e.dst == e.src"),
    ("nodes", "found.add(e.dst)", "if e.src in found:\n            found.add(e.src)"),
    ("words", "for word in row", "for word in (row[0], row[1], row[1])"),
    ("latest", "seen[e.src] = e.weight\n        seen[e.dst] = e.weight", "seen[e.src] = e.weight\n        seen[e.dst] = 0.0"),
    ("averages", "weights[e.dst].append(e.weight)", "weights[e.dst].append(0.0)"),
    ("crossed", "sums[y] += x", "sums[x] += x"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["degrees"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_a_changed_source_is_not_proved_to_be_the_same(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)
