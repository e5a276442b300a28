"""Every kernel of the benchmark suites gets the verdict that its manifest asks for; a second solver proves it again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.suites import ROOT, TENSORS, Kernel, read_suite, suite_names
from metalift import lift, pipeline
from metalift.frontend import functions_of, open_source
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.result.verdict import Agreement, FunctionVerdict, ObligationVerdict
from tests.support import spark
from tests.support.tensor_code import forbidden

DEFAULT = 10.0  # seconds for each obligation
LIMIT = 60.0  # where a proof is expected: a machine may have other things to do
KERNELS = [kernel for suite in suite_names(()) for kernel in read_suite(suite)]
SHARE = {  # of each suite what always runs: a kernel for each mechanism that no other area shows
    "array": (
        "dot-bumped weighted_sum-python transpose-python histogram-u8 prefix_sum-in_place mean_variance-python search-vector "
        "argmin_value-int tiled_sum-float"
    ),
    "blend": "linear_dodge-nested_vector,_in_place screen-numpy color_dodge-nested_vector,_rows_by_reference dissolve-u8",
    "llama": "softmax-in_place rotary-pairs,_tables matmul_q8-int8,_groups_counted",
    "tutorial": "conv_activation-scalars",
    "int8": "average-pointers",
    "mapreduce": "last_price-python",
    "packet": "conga-struct",
    "simd": "threshold-pointers",
    "hard": "bubble_sort-integers",
    "sparse": "csr_matrix_vector-CSR csr_csr_add-CSR",
}
QUICK = [f"{suite}/{kernel}" for suite, kernels in SHARE.items() for kernel in kernels.split()]


def name_of(kernel: Kernel) -> str:
    """What a kernel is called among the cases."""
    return f"{kernel.label}-{kernel.style}".replace(" ", "_")


@pytest.mark.quick(*QUICK)
@pytest.mark.parametrize("kernel", KERNELS, ids=name_of)
def test_kernel_gets_its_verdict(kernel: Kernel, tmp_path: Path) -> None:
    if not set(spark.TARGETS).isdisjoint(kernel.targets) and spark.missing():
        pytest.skip(spark.missing())
    if "tensora" in kernel.targets:
        pytest.importorskip("tensora", reason="the extra taco is not installed")
    if not {"gemmini", "gaudi"}.isdisjoint(kernel.targets) and find_clang().zig:
        pytest.skip("zig does not compile within the limits of generated code")
    limit = LIMIT if kernel.expected == FunctionVerdict.PROVED.value else DEFAULT
    (function,) = lift(kernel.path, functions=[kernel.function], to=kernel.targets, out=tmp_path, timeout=limit).functions
    reasons = [item.message for item in function.diagnostics]
    reasons += [f"{o.name}: {o.reason}" for o in function.obligations if o.verdict is not ObligationVerdict.PROVED]
    assert function.verdict.value == kernel.expected, reasons
    if function.verdict is not FunctionVerdict.PROVED:
        return
    assert set(function.targets) == set(kernel.targets)
    for name, target in function.targets.items():
        assert target.checked is Agreement.AGREES, (name, target.engine)
        assert target.file is not None
        if name in TENSORS and "repeat " not in function.summary:  # where no loop of the source stays one
            assert forbidden(Path(target.file).read_text(encoding="utf-8")) == []
    assert function.certificate is not None
    second = pipeline.check(Path(function.certificate), solver="z3")
    unproved = [(o.name, o.reason) for o in second.obligations if o.verdict is not ObligationVerdict.PROVED]
    assert second.ok, (second.differences, unproved)


@pytest.mark.quick("tutorial", "llama", "int8", "packet", "simd", "sparse", "mapreduce")
@pytest.mark.parametrize("suite", suite_names(()))
def test_manifest_names_every_function_once(suite: str) -> None:
    """Every source, and in each of C every function but those that others of the source call."""
    kernels = read_suite(suite)
    named = [(kernel.path.name, kernel.function) for kernel in kernels]
    assert len(named) == len(set(named))
    sources = sorted(path for path in (ROOT / suite).iterdir() if path.suffix in (".c", ".cc", ".py"))
    assert {file for file, _ in named} == {path.name for path in sources}
    for path in (source for source in sources if source.suffix == ".c"):  # the headers of C++ take long to compile
        text = path.read_text(encoding="utf-8")
        functions = {name for name, _ in functions_of(open_source(path))}
        called = {name for name in functions if len(re.findall(rf"\b{name}\s*\(", text)) > 1}
        mine = {function for file, function in named if file == path.name}
        assert functions - called <= mine <= functions, path.name
    assert all(kernel.suite == suite for kernel in kernels)
    assert all(kernel.expected in FunctionVerdict.__members__ for kernel in kernels)


def test_one_style_of_a_kernel_appears_once() -> None:
    labels = [(kernel.label, kernel.style) for kernel in KERNELS]
    assert len(labels) == len(set(labels))
