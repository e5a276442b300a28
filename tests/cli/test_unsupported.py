"""Verdict UNSUPPORTED, exit status 1: what is not modelled is said with its place, and never guessed at.

The files under unsupported/ each have a function f; the comment `// UNSUPPORTED: word` stands on the line that the diagnostic
must name, `word` in its message. After `UNSUPPORTED near` another line of the function will do.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metalift import lift
from metalift.result.verdict import FunctionVerdict
from tests.support.commands import lift_text

SOURCES = sorted((Path(__file__).parent / "unsupported").iterdir())
MARK = re.compile(r"// UNSUPPORTED( near)?: (.+)")


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_is_unsupported_at_its_place(source: Path, tmp_path: Path) -> None:
    (function,) = lift(source, functions=["f"], out=tmp_path / "out").functions
    assert function.verdict is FunctionVerdict.UNSUPPORTED
    diagnostic = function.diagnostics[0]
    line, near, word = expectation(source)
    assert diagnostic.file.endswith(source.name)
    assert word in diagnostic.message.lower()
    assert diagnostic.line == line or (near and diagnostic.line >= function.line)
    assert diagnostic.column >= 1
    assert not list(tmp_path.rglob("*.py"))


def expectation(source: Path) -> tuple[int, bool, str]:
    """The line of the mark, whether another line will do, and the word."""
    for number, text in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
        mark = MARK.search(text)
        if mark:
            return number, mark[1] is not None, mark[2]
    raise AssertionError(f"{source} has no mark")


def test_other_functions_of_the_file_are_lifted(tmp_path: Path) -> None:
    text = "int twice(int x) {\n    return x + x;\n}\nint down(int n) {\n    return n <= 0 ? 0 : down(n - 1);\n}\n"
    done = lift_text(text, tmp_path)
    assert done.status == 1
    assert {function["name"]: function["verdict"] for function in done.functions} == {"twice": "PROVED", "down": "UNSUPPORTED"}


def test_jumps_that_make_an_ordinary_loop_are_supported(tmp_path: Path) -> None:
    text = "int f(int n) {\n    int s = 0;\nagain:\n    if (n <= 0) return s;\n    s += 3;\n    n--;\n    goto again;\n}\n"
    assert lift_text(text, tmp_path).function["verdict"] != "UNSUPPORTED"
