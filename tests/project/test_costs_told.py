"""Emitted files for accelerators say what was modelled, what simulated them and what never ran them; the costs are right."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from metalift import lift
from metalift.driver.files import load
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.result.verdict import FunctionVerdict
from tests.support.generated import load_function
from tests.support.tiles import made, requested

ROOT = Path(__file__).parents[2]
FLOATS = "void f(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i] + x[i]; }"
BYTES = """#include <stdint.h>
void f(int32_t *c, const int8_t *a, const int8_t *b, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            int32_t s = 0;
            for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j];
            c[i * n + j] = s;
        }
}
"""
ROWS = """void f(float *y, const float *a, int m, int n) {
    for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += a[i * n + j]; y[i] = s; } }"""
NARROW = """#include <stdint.h>
void f(uint8_t *o, const uint8_t *a, const uint8_t *b, int n) { for (int i = 0; i < n; i++) o[i] = a[i] < b[i] ? a[i] : b[i]; }"""
TOLD = {
    "nki": (FLOATS, ("in the model of the machine", "own simulator", "never run on the chip", "Modelled, not measured")),
    "gaudi": (FLOATS, ("in the model of the machine", "run with a C model", "never run on the chip", "Modelled, not measured")),
    "gemmini": (BYTES, ("in the model of the library", "run with a C model", "never run on the chip", "Modelled, not measured")),
    "gemmini_isa": (BYTES, ("model of the machine", "run with a C model", "never run on the chip", "Modelled, not measured")),
    "triton": (FLOATS, ("interpreter, on the CPU", "no GPU", "neither modelled nor measured")),
    "cuda": (FLOATS, ("Modelled:", "run with a C model", "not run on a GPU", "neither modelled nor measured")),
}  # fmt: skip


@pytest.mark.quick("nki", "triton")
@pytest.mark.parametrize("target", TOLD)
def test_files_say_what_was_not_run(target: str, tmp_path: Path) -> None:
    source, wanted = TOLD[target]
    path = tmp_path / "f.c"
    path.write_text(source, encoding="utf-8")
    (found,) = lift(path, to=[target], out=tmp_path).functions
    assert found.verdict is FunctionVerdict.PROVED, found.diagnostics
    file = found.targets[target].file
    assert file is not None
    text = re.sub(r"\s*\n( \*|#)? *", " ", Path(file).read_text(encoding="utf-8"))
    assert [each for each in wanted if each not in text] == []


native = pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")


@native
@pytest.mark.parametrize(("source", "shapes"), [(FLOATS, ((513,), (513,), 513)), (ROWS, ((5,), (5 * 130,), 5, 130))])
def test_vectors_are_counted_as_the_model_counts_them(source: str, shapes: tuple[object, ...], tmp_path: Path) -> None:
    moved("gaudi", "gaudi", source, np.float32, shapes, tmp_path)


@native
def test_vectors_of_bytes_are_counted(tmp_path: Path) -> None:
    moved("gaudi", "gaudi", NARROW, np.uint8, ((300,), (300,), (300,), 300), tmp_path)


def moved(driver: str, target: str, source: str, kind: type, shapes: tuple[object, ...], folder: Path) -> None:
    """Loads, stores and bytes of a kernel, counted and run."""
    from metalift_drivers._tiles.cost import Moves
    from metalift_drivers.gaudi.spelled import pieces

    assert load(driver).driver.targets
    kernel = made(source, folder, driver, target)
    path = folder / "f.c"
    path.write_text(kernel.text, encoding="utf-8")
    runner = ROOT / "drivers" / driver / "runner.py"
    args = [np.ones(shape, kind) if isinstance(shape, tuple) else shape for shape in shapes]
    _, told = load_function(runner, "costs")(load_function(runner, "load")(str(path), "f"), *args)
    numbers = [param.var.name for param in kernel.fragment.params][-sum(isinstance(each, int) for each in shapes) :]
    sizes = dict(zip(numbers, [each for each in shapes if isinstance(each, int)], strict=True))
    found = Moves(sizes, pieces).of(kernel.kernel.body)
    issued = told["instructions"]
    assert (found.loads, found.stores) == (issued["load"], issued["store"])
    assert (found.read, found.written) == (told["bytes"]["read"], told["bytes"]["written"])


@native
def test_blocks_are_counted_as_the_model_counts_them(tmp_path: Path) -> None:
    from metalift_drivers._tiles.cost import Moves

    kernel = made(BYTES, tmp_path, "gemmini", "gemmini_isa")
    path = tmp_path / "f.c"
    path.write_text(kernel.text, encoding="utf-8")
    runner = ROOT / "drivers" / "gemmini" / "runner.py"
    m, n, k = 33, 17, 129
    args = (np.zeros(m * n, np.int32), np.ones(m * k, np.int8), np.ones(k * n, np.int8), m, n, k)
    _, told = load_function(runner, "costs")(load_function(runner, "load")(str(path), "f"), *args)
    found = Moves({"m": m, "n": n, "k": k}, lambda tile, columns: 1).of(kernel.kernel.body)
    assert (found.multiplications, found.passed) == (told["multiplications"], told["cycles at least"])
    assert (found.read, found.written) == (told["bytes"]["read"], told["bytes"]["written"])


@native
def test_calls_are_counted_as_the_model_counts_them(tmp_path: Path) -> None:
    from metalift_drivers.gemmini.writer import counted

    (tmp_path / "f.c").write_text(BYTES, encoding="utf-8")
    wanted = requested(tmp_path / "f.c", "gemmini", "gemmini")
    write = load("gemmini").driver.target("gemmini").write
    assert write is not None
    written = write(wanted)
    path = tmp_path / "text.c"
    path.write_text(written if isinstance(written, str) else written.text, encoding="utf-8")
    runner = ROOT / "drivers" / "gemmini" / "runner.py"
    m, n, k = 33, 17, 129
    args = (np.zeros(m * n, np.int32), np.ones(m * k, np.int8), np.ones(k * n, np.int8), m, n, k)
    _, told = load_function(runner, "costs")(load_function(runner, "load")(str(path), "f"), *args)
    assert counted(wanted, {"m": m, "n": n, "k": k}) == (
        told["multiplications"], told["cycles at least"], sum(told["bytes at least"].values())
    )  # fmt: skip
