"""A few kernels of the suites in the libraries that come as extras; `python -m benchmarks.run --targets jax` runs them all."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.suites import ROOT
from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.tensor_code import forbidden

MODULES = {"jax": "jax", "tensorflow": "tensorflow", "mlx": "mlx.core"}
SAMPLE = [
    *(("mlx", path) for path in ("llama/softmax.c", "blend/color_burn_u8.c", "blend/overlay_rows.c", "array/dot_int.c")),
    ("jax", "llama/rmsnorm.c"),
    ("tensorflow", "blend/color_burn_u8.c"),
]


@pytest.mark.quick("mlx-llama/softmax.c", "mlx-array/dot_int.c", "jax-llama/rmsnorm.c", "tensorflow-blend/color_burn_u8.c")
@pytest.mark.parametrize(("target", "path"), SAMPLE)
def test_kernel_is_proved_and_agrees(target: str, path: str, tmp_path: Path) -> None:
    pytest.importorskip(MODULES[target], reason=f"{target} is not installed")
    (function,) = lift(ROOT / path, to=[target], out=tmp_path).functions
    found = function.targets[target]
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
    assert found.checked is Agreement.AGREES and found.file is not None, found.engine
    assert forbidden(Path(found.file).read_text(encoding="utf-8")) == []


def test_mlx_has_no_exponential_of_doubles(tmp_path: Path) -> None:
    """It computes one in 32 bits: a kernel of doubles that needs it is not lifted, rather than wrong."""
    source = tmp_path / "grow.c"
    source.write_text("#include <math.h>\nvoid grow(double *x, int n) { for (int i = 0; i < n; i++) x[i] = exp(x[i]); }\n")
    (function,) = lift(source, to=["mlx"]).functions
    assert function.verdict is FunctionVerdict.NOT_LIFTED
