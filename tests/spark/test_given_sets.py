"""Sets that are given, and None as a result, on Spark."""

from __future__ import annotations

import pytest

from metalift.result import FunctionResult
from tests.support.spark import check_written, needs_spark

pytestmark = pytest.mark.quick()

SOURCE = """
from typing import List, Optional, Set


def both(a: Set[int], b: Set[int]) -> Set[int]:
    return a.union(b)


def doubled_known(xs: List[int], a: set[int]) -> Set[int]:
    return {2 * x for x in xs if x in a} - {x for x in a}


def mean(xs: List[float]) -> Optional[float]:
    if not xs:
        return None
    return sum(xs) / len(xs)
"""
WRITTEN = {
    "rdd": {"both": [".union(", ".distinct()"], "doubled_known": [".subtract("], "mean": ["return None if "]},
    "dataframe": {"both": [".union(", ".distinct()"], "doubled_known": [".subtract("], "mean": ["return None if "]},
}


@needs_spark
@pytest.mark.parametrize("name", WRITTEN["rdd"])
def test_proved_and_agrees_on_spark(name: str, lifted: dict[str, FunctionResult]) -> None:
    check_written(lifted[name], {target: lines[name] for target, lines in WRITTEN.items()})
