"""What is not modelled is refused with one line that points at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import import_function, open_source
from metalift.frontend.python import parse_source
from metalift.ir.program.fragment import Unsupported
from metalift.result.errors import SourceError

SOURCES = [Path(__file__).parent / "sources" / name for name in ("refused.py", "order.py", "kinds.py")]
MARK = "  # "  # before what the message begins with or has in it
NAMES = [(path, name) for path in SOURCES for name in parse_source(path).functions if not name.startswith("_")]


@pytest.mark.parametrize("path, name", NAMES, ids=[name for _, name in NAMES])
def test_it_is_refused_where_the_comment_says(path: Path, name: str) -> None:
    module = open_source(path)
    with pytest.raises(Unsupported) as refusal:
        import_function(module, name)
    found = refusal.value.diagnostic
    text = path.read_text(encoding="utf-8").splitlines()[found.location.line - 1]
    assert MARK in text, found
    assert text.split(MARK)[1] in found.message
    assert found.location.column > 0 and "\n" not in found.message


@pytest.mark.parametrize(
    "text, message",
    [
        ("def f(x:\n    return x\n", r"source.py:1:\d+: this is not Python: "),
        ("def f(x):\n  return x\n return 1\n", r"source.py:3:\d+: this is not Python: "),
        ("class A:\n    def f(self): return 1\n", "has no function at its top level"),
        ("def first(x): return x\n", "has no function frist; it has first; did you mean first"),
    ],
)
def test_a_file_that_cannot_be_used(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        import_function(open_source(path), "frist")


def test_the_file_is_not_executed(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text("import sys\nsys.exit(7)\n\ndef f(x: int) -> int:\n    return x + 1\n", encoding="utf-8")
    assert import_function(open_source(path), "f").name == "f"
