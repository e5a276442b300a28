"""C++ sources: their fragments beside what they are compiled to, and what is refused of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.driver.files import load
from metalift.frontend import compile_source, import_function
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.result.verdict import Agreement
from metalift.run.compare.cases import references
from metalift.run.compare.differential import compare
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker

FLAGS = ("-std=c++17",)


def check_against_native(fragment: Fragment, source: Path) -> None:
    """The fragment does what the compiled source does."""
    found = references(fragment, wanted=60)
    with NativeBuild(fragment, source, FLAGS) as build, Worker(load("tensor").driver.target("numpy")) as worker:
        compared = compare(fragment, found, None, build, worker)
    assert compared.status is Agreement.AGREES and compared.inputs >= 20, compared


def refusal(head: str, signature: str, body: str, folder: Path) -> Unsupported:
    """Why a function `f` is not read, which stands in the line behind the head."""
    source = folder / "kernel.cc"
    source.write_text(f"{head}{signature} {{ {body} }}\n", encoding="utf-8")
    with pytest.raises(Unsupported) as found:
        import_function(compile_source(source, FLAGS), "f")
    assert found.value.diagnostic.location.line == head.count("\n") + 1
    return found.value
