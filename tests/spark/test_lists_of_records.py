"""Lists of tuples and records as results: parts of the same element, in its place, under one condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import pipeline
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.program.fragment import Unsupported
from metalift.result import FunctionResult
from metalift.result.verdict import FunctionVerdict
from tests.support.changes import refuted_and_not_proved
from tests.support.spark import check_written, lifted_functions, needs_spark

pytestmark = pytest.mark.quick()

HEAD = """
import math
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class View:
    url: str
    rank: int
    seconds: float


class Page(NamedTuple):
    url: str
    score: float
    seen: int = 1


"""
SOURCE = (
    HEAD
    + '''
def ranked(views: list[View], least: int) -> list[tuple[str, int]]:
    out = []
    for view in views:
        if view.rank > least:
            out.append((view.url, view.rank + 1))
    return out


def pages(views: list[View], scale: float) -> list[Page]:
    return [Page(view.url, score=math.sqrt(view.seconds * view.seconds + scale) / 3) for view in views if view.rank != 0]


def side_by_side(names: list[str], counts: list[int]) -> list[tuple[str, int]]:
    return list(zip(names, counts))


def numbered(values: list[float]) -> list[tuple[int, float]]:
    return [(place, value * place) for place, value in enumerate(values)]


def even_places(values: list[int]) -> list[tuple[int, int]]:
    return [(place, value) for place, value in enumerate(values) if value % 2 == 0]


def labelled(values: list[float]) -> list[tuple[float, int]]:
    out = []
    for value in values:
        if value > 0:
            out.append((value, 1))
        else:
            out.append((0, 0))
    return out


def cheaper(views: list[View], limit: float) -> list[tuple[str, float]]:
    return [(view.url, view.seconds) if view.seconds < limit else ("", limit) for view in views]
'''
)
WRITTEN = {
    "rdd": {
        "ranked": [".map(lambda v: (v.url, v.rank + 1))"],
        "pages": ["lambda v: Row(url=v.url, score=math.sqrt(", "from pyspark.sql import Row"],
        "side_by_side": ["paired(counts, names)", "(pair[1], pair[0])"],
        "numbered": ["zipWithIndex().map(lambda pair: (pair[1], pair[0] * pair[1]))"],
        "even_places": ["zipWithIndex().filter(lambda pair: pair[0] % 2 == 0)", ".map(lambda pair: (pair[1], pair[0]))"],
        "labelled": ["(v, 1) if v > 0.0 else (0.0, 0)"],
        "cheaper": ['(v.url if v.seconds < limit else "", min(v.seconds, limit))'],
    },
    "dataframe": {
        "ranked": ["F.struct(", '.alias("_1")', '.alias("_2")'],
        "pages": ["F.struct(", '.alias("score")', 'F.lit(1).alias("seen")'],
        "side_by_side": ["paired(counts, names)", 'F.col("other").alias("_1")'],
        "numbered": ['F.col("i").alias("_1")'],
        "even_places": ['F.col("i").alias("_1")'],
        "labelled": ['F.struct(F.col("value").alias("_1"), F.lit(1).alias("_2"))'],
        "cheaper": ["F.struct(", "F.least("],
    },
}
CHANGES = [
    ("ranked", "(view.url, view.rank + 1)", "(view.url, view.rank)"),
    ("ranked", "view.rank > least", "view.rank >= least"),
    ("pages", "view.rank != 0", "view.rank != 1"),
    ("pages", "score=", "seen=2, score="),
    ("side_by_side", "names, counts))", "names[1:], counts))"),
    ("numbered", "(place, value * place)", "(place + 1, value * place)"),
    ("even_places", "(place, value) for", "(value, place) for"),
    ("even_places", "value % 2 == 0", "place % 2 == 0"),
    ("labelled", "(0, 0)", "(0, 1)"),
    ("labelled", "(value, 1)", "(value, 2)"),
    ("cheaper", '("", limit)', '("", view.seconds)'),
    ("cheaper", "view.seconds < limit", "view.seconds <= 2 * limit"),
]


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})


@needs_spark
def test_the_certificate_is_proved_again(lifted: dict[str, FunctionResult]) -> None:
    assert pipeline.check(Path(lifted["ranked"].certificate or "")).ok


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_other_parts_conditions_and_places_are_refuted(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, SOURCE, old, new)


@needs_spark
def test_places_are_those_of_arguments_alone(tmp_path: Path) -> None:
    """What a filter leaves has the numbers that it had: they do not count it."""
    text = """
def kept_places(xs: list[int]) -> list[int]:
    kept = [x for x in xs if x > 0]
    return [x - place for place, x in enumerate(kept)]
"""
    assert lifted_functions(text, tmp_path)["kept_places"].verdict is FunctionVerdict.NOT_LIFTED


@pytest.mark.parametrize(
    ("signature", "body", "reason"),
    [
        ("views: list[View]", "return [(v.url, 1) if v.rank else (1, v.url) for v in views]", "a string together with a number"),
        ("views: list[View]", "out = []\n    for v in views:\n        out.append((v.url, 1))\n        out.append((1, 1))\n"
         "    return out", "a tuple in a list of others"),
        ("views: list[View]", "out = []\n    for v in views:\n        out.append((1, 1))\n        out.append((1, 1, 1))\n"
         "    return out", "a tuple in a list of others"),
        ("views: list[View]", "out = []\n    for v in views:\n        out.append(v)\n        out.append((1, 1, 1))\n"
         "    return out", "in a list of others"),
        ("xs: list[int]", "out = []\n    for x in xs:\n        out.append((1, 1))\n        out.append(x)\n    return out",
         "a number in a list of others"),
        ("xs: list[int]", "return [() for x in xs]", "an empty tuple"),
        ("views: list[View]", "return [Page(v.rank, 1.0) for v in views]", "a field url that is a number"),
        ("views: list[View]", "return [Page(v.url, 1.0, 0.5) for v in views]", "a field seen that is a number of another type"),
        ("views: list[View]", "return [Page(v.url) for v in views]", "does not make a record of its fields url, score, seen"),
        ("views: list[View]", "return [Page(v.url, 1.0, url=v.url) for v in views]", "does not make a record"),
        ("views: list[View]", "return [Page(v.url, 1.0, rank=1) for v in views]", "does not make a record"),
        ("views: list[View]", "return [Page(v.url, 1.0, 1, 1) for v in views]", "does not make a record"),
        ("views: list[View]", "out = []\n    for v in views:\n        p = Page(v.url, 1.0)\n        out.append(p)\n"
         "        p.seen = 2\n    return out", "an assignment to 'p.seen'"),
        ("url: str", "return Page(url, 1.0)", "a record (Page) as a result"),
    ],
)  # fmt: skip
def test_lists_of_several_types_and_other_records_are_refused(signature: str, body: str, reason: str, tmp_path: Path) -> None:
    module = parse_source(tmp_path / "kernel.py", HEAD + f"def kernel({signature}):\n    {body}\n")
    with pytest.raises(Unsupported) as found:
        import_python(module, "kernel")
    assert reason in str(found.value) and found.value.diagnostic.location.line > 15


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass(init=False)\nclass Row:\n    a: int\n    b: int = 0\n",
        "@dataclass\nclass Row:\n    a: int\n    b: int = 0\n    def b(self): return 1\n",
        "@dataclass\nclass Row:\n    a: int\n    b: int = 0\n    def __post_init__(self): self.b = 1\n",
        "@dataclass\nclass Row:\n    a: int\n    b: int = 0\n    b: str = ''\n",
        "@dataclass\nclass Row:\n    a: int\n    b: int = field(default=0)\n",
        "class Row:\n    a: int\n    b: int = 0\n",
    ],
)
def test_classes_that_are_not_made_of_their_fields_are_refused(text: str, tmp_path: Path) -> None:
    text = f"{HEAD}{text}\ndef kernel(xs: list[int]):\n    return [Row(x) for x in xs]\n"
    with pytest.raises(Unsupported):
        import_python(parse_source(tmp_path / "kernel.py", text), "kernel")
