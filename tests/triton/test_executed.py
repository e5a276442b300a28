"""Kernels, run by Triton's interpreter beside the compiled sources, at sizes that are no multiple of a block; compiled to PTX."""

from __future__ import annotations

import ast
import ctypes
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.compiled import shared_library
from tests.support.triton import TARGET, needs_triton
from tests.triton.executing import executed

pytestmark = needs_triton
SIZES = (1, 127, 128, 129, 513)
SUITES = Path("benchmarks")


def lifted(source: Path, function: str, folder: Path) -> Path:
    """The generated file of a function that is proved."""
    (found,) = lift(source, functions=[function], to=[TARGET], out=folder).functions
    assert found.verdict is FunctionVerdict.PROVED, [one for one in found.obligations if one.reason] or found.diagnostics
    target = found.targets[TARGET]
    assert target.checked is Agreement.AGREES and target.file is not None
    return Path(target.file)


def floats(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-2, 2, count).astype(np.float32)


def integers(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, count).astype(np.int32)


def passed(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


Call = Callable[[int], tuple[list[np.ndarray], list[int | float]]]  # arrays, the first written, and numbers, for a size
CASES: dict[str, tuple[str, str, Call]] = {
    "blend": ("blend/color_burn_int.c", "color_burn", lambda n: ([integers(n, seed) for seed in (0, 1, 2)], [n])),
    "blend of floats": ("blend/normal_f.c", "normal_f", lambda n: ([floats(n, seed) for seed in (0, 1, 2)], [n, 0.25])),
    "rmsnorm": ("llama/rmsnorm.c", "rmsnorm", lambda n: ([floats(n, seed) for seed in (0, 1, 2)], [n])),
    "softmax": ("llama/softmax.c", "softmax", lambda n: ([floats(n, 0)], [n])),
    "swiglu": ("llama/swiglu.c", "swiglu", lambda n: ([floats(n, 0), floats(n, 1)], [n])),
}


@pytest.mark.parametrize("case", CASES)
def test_sizes_that_are_no_multiple_of_a_block(case: str, tmp_path: Path) -> None:
    name, function, made = CASES[case]
    path = lifted(SUITES / name, function, tmp_path)
    native = getattr(shared_library(SUITES / name, tmp_path), function)
    native.restype = None
    cases = [made(size) for size in SIZES]
    results = executed(path, function, [((*arrays, *numbers), {"BLOCK": 128}) for arrays, numbers in cases])
    for size, (arrays, numbers), found in zip(SIZES, cases, results, strict=True):
        given = [ctypes.c_float(each) if isinstance(each, float) else ctypes.c_int(each) for each in numbers]
        native(*map(passed, arrays), *given)
        for result, array in zip(found, arrays, strict=True):
            np.testing.assert_allclose(result, array, rtol=3e-5, atol=1e-6, err_msg=f"size {size}")


def test_a_product_of_matrices_by_tiles(tmp_path: Path) -> None:
    path = lifted(SUITES / "array" / "matmul_ijk.c", "matmul", tmp_path)
    assert "tl.dot(" in path.read_text(encoding="utf-8")
    native = shared_library(SUITES / "array" / "matmul_ijk.c", tmp_path).matmul
    native.restype = None
    sizes = ((1, 1, 1), (127, 128, 129), (128, 129, 127), (129, 1, 513), (513, 127, 1))
    cases = [((floats(m * k, 0), floats(k * n, 1), floats(m * n, 2)), (m, n, k)) for m, n, k in sizes]
    blocks = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32}
    results = executed(path, "matmul", [((*arrays, *numbers), blocks) for arrays, numbers in cases])
    for (arrays, numbers), found in zip(cases, results, strict=True):
        native(*map(passed, arrays), *map(ctypes.c_int, numbers))
        np.testing.assert_allclose(found[2], arrays[2], rtol=3e-5, atol=3e-5, err_msg=f"m, n, k = {numbers}")


def test_one_array_for_two_parameters(tmp_path: Path) -> None:
    """Kernels that reduce what they write are given a copy."""
    path = lifted(SUITES / "llama" / "rmsnorm.c", "rmsnorm", tmp_path)
    x, weight = floats(300, 0), floats(300, 1)
    calls: list[tuple[tuple[np.ndarray | int, ...], dict[str, int]]] = [
        ((x, x, weight, 300), {"BLOCK": 64}),
        ((np.empty_like(x), x, weight, 300), {"BLOCK": 64}),
    ]
    same, apart = executed(path, "rmsnorm", calls)
    np.testing.assert_array_equal(same[0], apart[0])


COMPILE = """
import importlib.util, sys
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile

path, called = sys.argv[1:]
spec = importlib.util.spec_from_file_location("emitted", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
kernel = getattr(module, called)
constants = {param.name: 32 for param in kernel.params if param.is_constexpr}
kinds = {param.name: param.annotation_type or "*fp32" for param in kernel.params}
signature = {name: "constexpr" if name in constants else kind for name, kind in kinds.items()}
made = compile(ASTSource(fn=kernel, signature=signature, constexprs=constants), target=GPUTarget("cuda", 80, 32))
print(".visible .entry" in made.asm["ptx"])
"""


@pytest.mark.parametrize(
    ("name", "function"), [("llama/rmsnorm.c", "rmsnorm"), ("llama/softmax.c", "softmax"), ("array/matmul_ijk.c", "matmul")]
)
def test_kernels_compile_to_ptx(name: str, function: str, tmp_path: Path) -> None:
    """For a GPU that nothing here has: the text is what Triton's compiler takes."""
    if importlib.util.find_spec("triton.backends.nvidia") is None:
        pytest.skip("this Triton has no compiler for NVIDIA's GPUs")
    path = lifted(SUITES / name, function, tmp_path)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kernels = [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    for called in kernels:
        command = [sys.executable, "-c", COMPILE, str(path), called]
        ran = subprocess.run(command, capture_output=True, text=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
        assert ran.stdout.strip() == "True", ran.stderr


EVERYTHING = """
#include <math.h>
void functions(float *out, const float *x, int n) {
    for (int i = 0; i < n; i++) {
        float a = fabsf(x[i]) + 1.0f;
        out[i] = sinf(x[i]) + cosf(x[i]) * floorf(x[i]) - ceilf(x[i]) / a + erff(x[i]) + exp2f(-a) + logf(a) * log2f(a)
            + sqrtf(a) + expf(-a) + (x[i] < 0.5f ? -x[i] : x[i]);
    }
}
void integers(int *out, const int *x, const int *y, int n) {
    for (int i = 0; i < n; i++) {
        int a = x[i] % 7 + x[i] / 3;
        out[i] = y[i] != 2 && (a <= y[i] || y[i] == 5) ? (a & 12) | (y[i] ^ 3) : -(a & 255);
    }
}
"""


@pytest.mark.parametrize("function", ["functions", "integers"])
def test_every_operator_runs(function: str, tmp_path: Path) -> None:
    source = tmp_path / "everything.c"
    source.write_text(EVERYTHING, encoding="utf-8")
    lifted(source, function, tmp_path)


def test_one_of_two_numbers_for_each_element(tmp_path: Path) -> None:
    source = tmp_path / "threshold.c"
    loop = "for (int i = 0; i < n; i++) o[i] = x[i] > t ? 255 : 0;"
    source.write_text(f"void threshold(const float *x, unsigned char *o, int n, float t) {{ {loop} }}", encoding="utf-8")
    lifted(source, "threshold", tmp_path)


def test_what_has_no_kernel_says_why(tmp_path: Path) -> None:
    source = tmp_path / "doubles.c"
    source.write_text("void scale(double *x, double k, int n) { for (int i = 0; i < n; i++) x[i] *= k; }", encoding="utf-8")
    (found,) = lift(source, to=[TARGET], out=tmp_path).functions
    assert found.verdict is FunctionVerdict.NOT_LIFTED
    assert any("such as k" in one.message for one in found.diagnostics)
