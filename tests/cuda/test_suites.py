"""The C sources of two suites in CUDA C: all are proved and agree, and so do products of matrices."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.suites import Kernel, read_suite
from metalift import lift
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.cuda.running import TARGET

pytestmark = pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")
PRODUCTS = ("gemm_ijk.c", "gemm_nt.c", "matmul_ijk.c")
KERNELS = [kernel for suite in ("blend", "llama") for kernel in read_suite(suite) if kernel.path.suffix == ".c"]
KERNELS += [kernel for kernel in read_suite("array") if kernel.path.name in PRODUCTS]


@pytest.mark.quick("blend-overlay_u8.c", "llama-softmax.c", "array-gemm_nt.c")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.suite}-{kernel.path.name}")
def test_kernel_gets_its_verdict(kernel: Kernel, tmp_path: Path) -> None:
    (found,) = lift(kernel.path, functions=[kernel.function], to=[TARGET], out=tmp_path).functions
    assert found.verdict is FunctionVerdict.PROVED, found.diagnostics or [one.name for one in found.obligations if one.reason]
    assert found.targets[TARGET].checked is Agreement.AGREES
