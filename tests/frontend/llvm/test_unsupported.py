"""What is not modelled is refused with its place: file, line, column, what was found."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from metalift.frontend import Module, compile_source, functions, import_function
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.ir.program.fragment import Unsupported

FOLDER = Path(__file__).parent / "sources"
START = re.compile(r"(\w+)\([^;]*\) (?:const )?\{")
MARK = re.compile(r"// (?:(mutual): )?(near: )?(.+)")
Mark = tuple[str, str, int, bool, str]


def marks(path: Path) -> list[Mark]:
    """File, function, line, whether a line nearby will do, and a part of the message: for each marked function of a file."""
    found = []
    function = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        start = START.search(line.split("//")[0])
        if start and start[1] not in ("for", "if", "while", "switch"):
            function = start[1]
        mark = MARK.search(line)
        if mark and number > 1:
            found.append((path.name, mark[1] or function, number, mark[2] is not None, mark[3]))
    return found


MARKS = marks(FOLDER / "unsupported.c") + marks(FOLDER / "unsupported.cc")


@cache
def compiled(name: str, plugin: str) -> Module:
    """A source of this folder; `plugin` tells apart what is compiled with other settings."""
    return compile_source(FOLDER / name, ("-Wno-implicit-function-declaration",) if name.endswith(".c") else ())


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
@pytest.mark.parametrize("mark", MARKS, ids=lambda mark: mark[1])
def test_is_refused_at_its_place(mark: Mark, plugin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file, function, line, near, part = mark
    if function == "ordered" and find_clang().zig:
        pytest.skip("zig's standard library sorts by a function of its own, outside of the headers")
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    with pytest.raises(Unsupported) as refused:
        import_function(compiled(file, plugin), function)
    diagnostic = refused.value.diagnostic
    assert part in diagnostic.message
    assert "supported" in diagnostic.message
    assert Path(diagnostic.location.file) == FOLDER / file
    assert abs(diagnostic.location.line - line) <= (2 if near else 0), diagnostic
    assert diagnostic.location.column >= 1


@pytest.mark.parametrize("file", ["unsupported.c", "unsupported.cc"])
def test_all_functions_are_marked(file: str) -> None:
    names = {name.split("::")[-1] for name, _, _ in functions(compiled(file, "plugin"))}
    assert names - {mark[1] for mark in MARKS} <= {"other"}
