"""Our reader of LLVM IR text beside LLVM's own: the same functions, blocks, operations, and predicates, in the same order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from metalift.frontend.llvm.compile.clang import llvm_text
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.read.llvm_text import LlvmModule

ROOT = Path(__file__).parents[3]
SUITES = (path for path in (ROOT / "benchmarks").glob("*/*.c*") if path.suffix in (".c", ".cc"))
SOURCES = sorted([*(ROOT / "examples").glob("*.c"), *SUITES])
COUNTED = ("load", "store", "icmp", "fcmp", "phi", "alloca", "fmul", "fadd", "fsub", "fdiv", "sext", "zext", "trunc", "select")


@pytest.mark.quick(every=9)
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_reads_what_llvm_reads(source: Path) -> None:
    text = llvm_text(find_clang(), source)
    ours = LlvmModule(text, Path.cwd())
    theirs = llvm.parse_assembly(text)
    theirs.verify()
    defined = [function for function in theirs.functions if not function.is_declaration]
    assert sorted(ours.bodies) == sorted(function.name for function in defined)
    for function in defined:
        mine = ours.function(function.name)
        assert len(mine.args) == len(list(function.arguments))
        for block, other in zip(mine.blocks, function.blocks, strict=True):
            wanted = Counter(instruction.opcode for instruction in other.instructions if instruction.opcode in COUNTED)
            assert Counter(instr.op for instr in block.instrs if instr.op in COUNTED) == wanted
