"""Each function of the sources here has the summary written above it; the interpreter finds no input on which it is wrong."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from pathlib import Path

import pytest

from metalift.frontend.llvm.compile.clang import Module, compile_source
from metalift.frontend.llvm.source import functions, import_function
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary
from metalift.ir.text import show_summary
from metalift.ir.wellformed.check_summary import check_summary
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import inputs
from metalift.synth.derive import NotDerived, derive
from tests.derive.loop_states import differences

C = ("straight.c", "unrolled.c", "conditions.c", "extremes.c")
SOURCES = (*C, "vectors.cpp", "styles.cpp", "unsigned.cpp", "nested.cpp", "tuples.cpp", "lengths.cpp")
HERE = Path(__file__).parent


@lru_cache
def module(source: str) -> Module:
    """The compiled source."""
    return compile_source(HERE / source)


def expected(source: str, line: int) -> str:
    """The comment above a line."""
    above = (HERE / source).read_text(encoding="utf-8").splitlines()[: line - 1]
    comment: list[str] = []
    while above and above[-1].startswith("// "):
        comment.insert(0, above.pop().removeprefix("// "))
    return "\n".join(comment)


@lru_cache
def derived(source: str) -> tuple[tuple[Fragment, Summary], ...]:
    """The functions of a source with their summaries, which are those above them."""
    found = []
    for _, line, symbol in functions(module(source)):
        fragment = import_function(module(source), symbol)
        try:
            summary = derive(fragment)
        except NotDerived as problem:
            assert f"not derived: {problem.diagnostic.message}" == expected(source, line)
            assert problem.diagnostic.location.line >= line
            continue
        assert show_summary(summary) == expected(source, line)
        found.append((fragment, summary))
    return tuple(found)


@pytest.mark.parametrize("source", SOURCES)
def test_functions_have_the_summaries_above_them(source: str) -> None:
    for fragment, summary in derived(source):
        check_summary(summary, fragment)


@pytest.mark.quick("conditions.c", "extremes.c", "vectors.cpp", "unsigned.cpp", "nested.cpp", "tuples.cpp", "lengths.cpp")
@pytest.mark.parametrize("source", SOURCES)
def test_no_input_contradicts_them(source: str) -> None:
    for fragment, summary in derived(source):
        assert falsify(fragment, summary, tried=20) is None
        tried = islice(inputs(fragment, summary.requires, seed=1, extents=summary.shapes), 40)
        for found in sorted(tried, key=lambda found: found.input.cells)[:6]:
            assert differences(fragment, summary, found.input.env()) == []
