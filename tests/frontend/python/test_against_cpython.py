"""Fragments of Python functions do what CPython does, wherever it raises nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import functions_of
from metalift.frontend.python import parse_source
from tests.frontend.python.cpython import against_cpython

SOURCES = Path(__file__).parent / "sources"
FILES = [SOURCES / f"{name}.py" for name in ("functions", "rebound", "arrays", "values", "constants", "objects")]
NAMES = [(path, name) for path in FILES for name, _ in functions_of(parse_source(path)) if not name.startswith("_")]
NAMES = [(path, name) for path, name in NAMES if name not in ("lengths", "against")]  # of lists of records: see test_lifted


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("path, name", NAMES, ids=[name for _, name in NAMES])
def test_function_does_what_cpython_does(path: Path, name: str) -> None:
    runs = against_cpython(path, name)
    assert runs.compared >= 8, runs
