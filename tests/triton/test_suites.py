"""The C sources of two suites as kernels: all are proved and agree, but for what Triton has no function for."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.suites import Kernel, read_suite
from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.triton import TARGET, needs_triton

KERNELS = [kernel for suite in ("blend", "llama") for kernel in read_suite(suite) if kernel.path.suffix == ".c"]
WITHOUT = {"rotary.c": "pow"}  # what its interpreter cannot run


@pytest.mark.quick("blend-color_burn_u8.c", "blend-overlay_rows.c", "llama-softmax.c", "llama-rmsnorm.c")
@needs_triton
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: f"{kernel.suite}-{kernel.path.name}")
def test_kernel_gets_its_verdict(kernel: Kernel, tmp_path: Path) -> None:
    (found,) = lift(kernel.path, functions=[kernel.function], to=[TARGET], out=tmp_path).functions
    if kernel.path.name in WITHOUT:
        assert found.verdict is FunctionVerdict.NOT_LIFTED
        assert any(WITHOUT[kernel.path.name] in one.message for one in found.diagnostics)
        return
    assert found.verdict is FunctionVerdict.PROVED, [f"{one.name}: {one.reason}" for one in found.obligations if one.reason]
    assert found.targets[TARGET].checked is Agreement.AGREES
