"""Whether Spark can be run here, and what is lifted for it."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from metalift import lift
from metalift.result import FunctionResult
from metalift.verdict import Agreement, FunctionVerdict

TARGETS = ("rdd", "dataframe")


def missing() -> str:
    """What is missing, for a skip; empty where Spark can be run."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed (the extra `spark`)"
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        return "there is no Java, which Spark runs on"
    return ""


needs_spark = pytest.mark.skipif(bool(missing()), reason=missing() or "Spark is there")


def lifted_functions(text: str, folder: Path, suffix: str = ".py") -> dict[str, FunctionResult]:
    """Every function of a source, lifted to both targets, by name."""
    source = folder / f"kernels{suffix}"
    source.write_text(text, encoding="utf-8")
    return {each.name: each for each in lift(source, to=TARGETS, out=folder / "out").functions}


def check_written(function: FunctionResult, lines: Mapping[str, Sequence[str]]) -> None:
    """The function is proved, agrees on Spark, and its code for each target has these lines."""
    assert function.verdict is FunctionVerdict.PROVED, (function.diagnostics, function.attempt)
    for target, wanted in lines.items():
        found = function.targets[target]
        assert found.checked is Agreement.AGREES and found.engine.startswith("Spark"), found.engine
        assert found.inputs >= 4 and found.file is not None
        code = Path(found.file).read_text(encoding="utf-8")
        assert [line for line in wanted if line not in code] == [], code
