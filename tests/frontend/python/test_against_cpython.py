"""Fragments of Python functions do what CPython does, wherever it raises nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.python import parse_source
from tests.frontend.python.cpython import against_cpython

FUNCTIONS = Path(__file__).parent / "sources" / "functions.py"
NAMES = [name for name in parse_source(FUNCTIONS).functions if not name.startswith("_")]


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", NAMES)
def test_function_does_what_cpython_does(name: str) -> None:
    runs = against_cpython(FUNCTIONS, name)
    assert runs.compared >= 8, runs
