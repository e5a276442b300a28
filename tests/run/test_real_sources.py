"""Sources as they stand, through the front end: the compiled source does what its model does, and mutants are refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.mutants import mutants
from metalift.driver.files import load
from metalift.frontend import compile_source, functions, import_function
from metalift.ir.program.fragment import Fragment
from metalift.result.verdict import Agreement
from metalift.run.compare.cases import Refusals, references
from metalift.run.compare.differential import Emitted, compare
from metalift.run.compare.falsify import falsify
from metalift.run.inputs.inputs import runs
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker
from metalift.synth.derive import derive

SUITES = Path(__file__).parents[2] / "benchmarks"
SOURCES = (
    "blend/color_burn_u8.c",
    "blend/normal_8_vector.cc",
    "llama/softmax.c",
    "llama/matmul_bump.c",
    "llama/attention_score.c",
    "array/dot_bump.c",
    "array/strided_copy.c",
    "array/sum_u8.c",
    "array/dot_vector.cc",
    "array/gemm_ijk_nested.cc",
    "array/transpose_pointers.c",
    "array/gemv_struct.c",
    "tutorial/fma.c",
)
QUICK = ("llama/softmax.c", "array/strided_copy.c", "array/dot_vector.cc", "array/transpose_pointers.c", "tutorial/fma.c")


def imported(path: Path) -> Fragment:
    """The file's only function."""
    module = compile_source(path)
    [(_, _, symbol)] = functions(module)
    return import_function(module, symbol)


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("source", SOURCES)
def test_the_compiled_source_does_what_its_model_does(source: str) -> None:
    fragment = imported(SUITES / source)
    summary = derive(fragment)
    with NativeBuild(fragment, SUITES / source) as build, Worker(load("tensor").driver.target("numpy")) as worker:
        found = references(fragment, summary.requires, extents=summary.shapes, wanted=100)
        compared = compare(fragment, found, None, build, worker)
    assert (compared.status, compared.difference, compared.reason) == (Agreement.AGREES, None, "")
    assert compared.inputs >= (80 if "nested" in source else 95)  # a row 0 that is not there is undefined in the source


@pytest.mark.quick(*QUICK[:-1])
@pytest.mark.parametrize("source", [source for source in SOURCES if source != "tutorial/fma.c"])
def test_witnesses_have_sizes_0_1_2_and_many(source: str) -> None:
    fragment = imported(SUITES / source)
    summary = derive(fragment)
    found = runs(fragment, summary.requires)
    assert len(found) <= 40
    trips = [{each.outcome.blocks[loop.header] - 1 for each in found} for loop in summary.loops]
    assert any({0, 1, 2} <= counts and max(counts) >= 17 for counts in trips)


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("source", SOURCES)
def test_mutants_are_refuted(source: str) -> None:
    """Of the others, all are equal to the right summary: commuted operands, and a maximum that softmax could do without."""
    fragment = imported(SUITES / source)
    summary = derive(fragment)
    assert falsify(fragment, summary, tried=100) is None
    drawn = mutants(fragment, summary, 20)
    refuted = [mutant for mutant in drawn if falsify(fragment, mutant, tried=100) is not None]
    assert len(drawn) >= 15 and len(refuted) >= 0.75 * len(drawn)


def test_pytorch_code_runs_in_pytorch(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    source = SUITES / "llama/softmax.c"
    fragment = imported(source)
    summary = derive(fragment)
    file = tmp_path / "softmax.py"
    file.write_text("import torch\n\n\ndef softmax(x, size):\n    x[:size] = torch.softmax(x[:size], dim=0)\n    return x\n")
    with NativeBuild(fragment, source) as build, Worker(load("tensor").driver.target("pytorch")) as worker:
        found = references(fragment, summary.requires, extents=summary.shapes)
        right = compare(fragment, found, Emitted(file, "softmax", ("x",), Refusals()), build, worker)
    assert (right.status, right.difference, right.reason) == (Agreement.AGREES, None, "")
    assert right.engine.startswith("torch 2.")


def test_a_missing_library_is_a_reason_not_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('No module named torch')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    source = SUITES / "tutorial/fma.c"
    fragment = imported(source)
    with NativeBuild(fragment, source) as build, Worker(load("tensor").driver.target("pytorch")) as worker:
        compared = compare(fragment, references(fragment, wanted=5), None, build, worker)
    assert compared.status is Agreement.NOT_RUN
    assert compared.reason == "pytorch cannot be imported: No module named torch"
