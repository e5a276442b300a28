"""The passes of the front end for C and C++: after each one the function is well formed, and `--dump-dir` shows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend import compile_source, functions_of
from metalift.frontend.llvm.pipeline import PASSES, verify
from metalift.frontend.llvm.read.llvm_ir import LlvmFunction
from metalift.frontend.llvm.source import import_function
from metalift.ir.program.fragment import Unsupported

SOURCES = Path(__file__).parent / "sources"
NAMES = ("algorithms.cc", "classes.cc", "data.c", "kernels.c", "nested.cc", "nests.c", "strings.cc", "vectors.cc")
SUM = "int f(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) if (a[i] > 0) s += a[i] & 7; return s; }\n"


@pytest.mark.quick("kernels.c", "vectors.cc")
@pytest.mark.parametrize("name", NAMES)
def test_what_holds_between_passes(name: str) -> None:
    module = compile_source(SOURCES / name)
    seen = 0

    def watch(stage: str, function: LlvmFunction) -> None:
        nonlocal seen
        if stage not in ("inlined", "handlers"):
            assert verify(function) == [], f"{function.symbol} after {stage}"
            seen += 1

    for called, _ in functions_of(module):
        try:
            import_function(module, called, watch)
        except Unsupported:
            continue
    assert seen >= len(PASSES)


def functions(folder: Path) -> LlvmFunction:
    """The function as the last pass leaves it."""
    path = folder / "k.c"
    path.write_text(SUM)
    found: list[LlvmFunction] = []
    import_function(compile_source(path), "f", lambda _, function: found.append(function))
    return found[-1]


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    function = functions(tmp_path)
    assert verify(function) == []
    first, *others = function.blocks
    assert verify(replace(function, blocks=[replace(first, instrs=first.instrs[:-1]), *others]))
    assert verify(replace(function, blocks=[first, *others[:-1]]))
    assert verify(replace(function, blocks=[first, first, *others]))
    assert verify(replace(function, args=(), parameters=[]))


def test_the_function_after_each_pass_is_dumped(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(SUM)
    lift(path, to=["numpy"], dump_dir=tmp_path / "dump")
    files = sorted((tmp_path / "dump" / "passes").iterdir())
    assert [file.name[3:] for file in files] == ["inlined.txt", *(f"{each.name.replace(' ', '-')}.txt" for each in PASSES)]
    assert "phi" in files[-1].read_text(encoding="utf-8")
