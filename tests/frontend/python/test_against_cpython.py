"""Fragments of Python functions do what CPython does, wherever it raises nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.python import parse_source
from tests.frontend.python.cpython import against_cpython

SOURCES = Path(__file__).parent / "sources"
FILES = [SOURCES / f"{name}.py" for name in ("functions", "rebound", "arrays", "values", "constants")]
NAMES = [(path, name) for path in FILES for name in parse_source(path).functions if not name.startswith("_")]


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("path, name", NAMES, ids=[name for _, name in NAMES])
def test_function_does_what_cpython_does(path: Path, name: str) -> None:
    runs = against_cpython(path, name)
    assert runs.compared >= 8, runs
