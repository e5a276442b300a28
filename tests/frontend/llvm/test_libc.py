"""Functions of the C library on strings: what their bodies here compute is what the library's own compute."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.frontend.llvm.libc import GLIBC
from metalift.ir.interp.interpret import run

SOURCE = Path(__file__).parent / "sources" / "libc.c"
KINDS = "isupper islower isalpha isdigit isxdigit isspace isalnum".split()


@pytest.mark.quick("starts", "lower", "equal_bytes")
@pytest.mark.parametrize("name", ["matching", "same", "len", "count", "equal_bytes", "digits", "lower", "order", "starts"])
def test_calls_are_lifted_and_agree_with_the_library(name: str, tmp_path: Path) -> None:
    (function,) = lift(SOURCE, functions=[name], to=("numpy",), out=tmp_path).functions
    assert function.ok, function.diagnostics
    assert any(each.text == GLIBC.text for each in function.assumptions) == (name not in ("len", "count"))


def test_each_character_is_of_the_kinds_that_it_is_for_the_library() -> None:
    library = ctypes.CDLL(None)
    kinds, cases = (import_function(open_source(SOURCE), name) for name in ("kinds", "cases"))
    for code in range(-1, 256):
        assert run(kinds, {"c": code}).result == sum(getattr(library, kind)(code) for kind in KINDS), code
        assert run(cases, {"c": code}).result == 1000 * library.toupper(code) + library.tolower(code), code
