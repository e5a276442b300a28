"""`metalift simulate`: emitted kernels in the simulator of their machine, and what it says of those that are not legal."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from metalift.cli import main
from metalift.frontend.llvm.compile.compilers import find_clang

KERNEL = '''import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def scale_kernel(x, n):
    result = nl.ndarray((n,), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((1, n), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.ap([[0, 1], [1, n]], offset=0))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2)
    nisa.dma_copy(dst=result.ap([[0, 1], [1, n]], offset=0), src=tile)
    return result


def scale(x: "float32[n]", n: int):
    x[:n] = scale_kernel(x, n)
    return x
'''
MATMUL = '''import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def matmul_kernel(a, b, n):
    result = nl.ndarray((n, n), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(n // 128):
        sums = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.psum)
        for k in nl.sequential_range(n // 128):
            left = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=left, src=a.ap([[1, 128], [n, 128]], offset=128 * n * i + 128 * k))
            right = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=right, src=b.ap([[n, 128], [1, n]], offset=128 * n * k))
            nisa.nc_matmul(dst=sums, stationary=left, moving=right)
        block = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=block, src=sums)
        nisa.dma_copy(dst=result.ap([[n, 128], [1, n]], offset=128 * n * i), src=block)
    return result


def matmul(a: "float32[n, n]", b: "float32[n, n]", n: int):
    return matmul_kernel(a, b, n)
'''


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "nki" / "scale.py"
    path.parent.mkdir()
    path.write_text(KERNEL)
    return path


def test_shapes_and_a_modelled_cost(kernel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "in.npz", x=np.arange(5, dtype=np.float32), n=5)
    saved = tmp_path / "out.npz"
    assert main(["simulate", str(kernel), "--inputs", str(tmp_path / "in.npz"), "--save", str(saved)]) == 0
    text = capsys.readouterr().out
    assert "results  float32[5]" in text and "modelled bytes: 40" in text and "vector 64" in text
    assert np.load(saved)["arr_0"].tolist() == [0, 2, 4, 6, 8]


def test_random_arrays_of_given_sizes(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(kernel), "--set", "n=513", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["results"] == ["float32[513]"] and found["modelled"]["cycles"]["vector"] == 513 and found["refused"] is None


def test_what_is_not_legal_has_a_name_and_a_line(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel.write_text(KERNEL.replace("    nisa.dma_copy(dst=tile, src=x.ap([[0, 1], [1, n]], offset=0))\n", ""))
    assert main(["simulate", str(kernel), "--set", "n=5"]) == 1
    assert f"REFUSED  {kernel}:10: NotWritten: a tile is read before it is written" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "n"], "not NAME=VALUE"),
        ([], "a value of n is missing"),
        (["--to", "triton", "--set", "n=3"], "there are those of cuda, gaudi, gemmini, gemmini_isa, nki"),
        (["--set", "m=3", "n=3"], "no parameter 'm'"),
        (["--set", "n=three"], "neither a number nor a file"),
        (["--set", "n=3", "x=none.npy"], "none.npy: it cannot be read"),
        (["--set", "n=3", "--to", "numpy"], "no simulator of 'numpy'; there are those of cuda"),
        (["--set", "n=3", "--function", "other"], "no function 'other'"),
        (["--set", "n=-3"], "the shape (-3,)"),
    ],
)
def test_bad_use(arguments: list[str], message: str, kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(kernel), *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_product_of_matrices_of_512(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "matmul.py"
    path.write_text(MATMUL)
    assert main(["simulate", str(path), "--to", "nki", "--set", "n=512"]) == 0
    assert "tensor 32,768" in capsys.readouterr().out


SOURCES = {
    "gaudi": """void scale(float *y, const float *x, float s, int n) {
        for (int i = 0; i < n; i++) y[i] = s * x[i]; }""",
    "gemmini": """#include <stdint.h>
        void scale(int32_t *c, const int8_t *a, const int8_t *b, int m, int n, int k) {
            for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { int32_t s = 0;
                for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j]; c[i * n + j] = s; } }""",
}
RUNS = [
    ("gaudi", ["n=513", "s=2"], "float32[513]", ["load 9, store 9", "read 2,052, written 2,052", "cycles at least"]),
    ("gemmini", ["m=3", "n=33", "k=17"], "int32[99]", ["multiplications: 1,683", "cycles at least: 18"]),
]


@pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")
@pytest.mark.parametrize(("target", "given", "result", "told"), RUNS, ids=[each[0] for each in RUNS])
def test_machines_whose_models_are_in_c(
    target: str, given: list[str], result: str, told: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "scale.c"
    source.write_text(SOURCES[target])
    assert main(["lift", str(source), "--to", target, "--out", str(tmp_path)]) == 0
    file = tmp_path / target / "scale.c"
    capsys.readouterr()
    assert main(["simulate", str(file), "--set", *given]) == 0
    text = capsys.readouterr().out
    assert f"results  {result}" in text and all(each in text for each in told), text
    first = given[0].partition("=")[0]
    np.save(tmp_path / "short.npy", np.zeros(1, np.float32 if target == "gaudi" else np.int8))
    array = "x" if target == "gaudi" else "a"
    assert main(["simulate", str(file), "--set", *given, f"{array}={tmp_path / 'short.npy'}"]) == 1
    assert "REFUSED  ValueError: the model" in capsys.readouterr().out
    assert main(["simulate", str(file), "--set", *given, f"{first}=half.npy"]) == 2
