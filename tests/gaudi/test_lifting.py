"""From C to TPC-C that is proved and agrees in the model, also at sizes that are no multiple of a vector's lanes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metalift import lift
from metalift.driver.files import load
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.gaudi.running import model

ROOT = Path(__file__).parents[2] / "benchmarks"
SIZES = (1, 63, 64, 65, 255, 256, 257, 513)
pytestmark = pytest.mark.skipif(find_clang().zig, reason="zig does not compile within the limits of generated code")


def lifted(source: Path, out: Path, function: str = "") -> Callable[..., Any]:
    """The kernel of the only function of a source, or of one of them, in the model."""
    (made,) = lift(source, functions=[function] if function else [], to=("gaudi",), out=out).functions
    assert made.verdict is FunctionVerdict.PROVED, made
    assert made.targets["gaudi"].checked is Agreement.AGREES
    path = out / "gaudi" / f"{made.name}.c"
    assert "never run on the chip" in " ".join(path.read_text(encoding="utf-8").replace("*", "").split())
    return model(path, made.name)


def test_products_of_bytes_divided_by_255(tmp_path: Path) -> None:
    """All pairs of bytes: the reciprocal is exact for every product."""
    fade = lifted(ROOT / "simd" / "fade_by_mask.c", tmp_path)
    text = (tmp_path / "gaudi" / "fade_by_mask.c").read_text(encoding="utf-8")
    assert "v_u8_mul_b(" in text and "v_i32_shr_b(" in text
    one, two = (each.astype(np.uint8) for each in np.divmod(np.arange(1 << 16), 256))
    wanted = one.astype(np.int32) * two // 255
    assert (fade(one.copy(), two, 1 << 16) == wanted).all()
    for size in SIZES:
        assert (fade(one[-size:].copy(), two[-size:].copy(), size) == wanted[-size:]).all()


def test_floats_in_place(tmp_path: Path) -> None:
    axpy = lifted(ROOT / "simd" / "axpy.c", tmp_path)
    for size in SIZES:
        x, y = np.random.default_rng(size).normal(size=(2, size)).astype(np.float32)
        assert np.allclose(axpy(y.copy(), x, 1.5, size), y + np.float32(1.5) * x, rtol=1e-6)


def test_words_of_narrow_integers(tmp_path: Path) -> None:
    gain = lifted(ROOT / "simd" / "sample_gains.c", tmp_path)
    for size in SIZES:
        x, y = np.random.default_rng(size).integers(-(1 << 15), 1 << 15, (2, size)).astype(np.int16)
        assert (gain(np.zeros(size, np.int32), x, y, size) == x.astype(np.int32) * y).all()


def test_sums_of_squares_of_bytes(tmp_path: Path) -> None:
    energy = lifted(ROOT / "simd" / "byte_energy.c", tmp_path)
    for size in SIZES:
        x = np.random.default_rng(size).integers(-128, 128, size).astype(np.int8)
        assert energy(x, size) == (x.astype(np.int32) ** 2).sum()


def test_a_row_in_two_passes(tmp_path: Path) -> None:
    softmax = lifted(ROOT / "llama" / "softmax.c", tmp_path)
    for size in SIZES:
        x = np.random.default_rng(size).normal(size=size).astype(np.float32)
        wanted = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
        assert np.allclose(softmax(x.copy(), size), wanted, rtol=1e-4)


def test_a_mean_is_subtracted(tmp_path: Path) -> None:
    """The quotient is a product with a reciprocal, and what is left after the subtraction is all its rounding."""
    source = tmp_path / "center.c"
    loops = "for (int i = 0; i < n; i++) s += x[i]; for (int i = 0; i < n; i++) y[i] = x[i] - s / n;"
    source.write_text(f"void center(float *y, const float *x, int n) {{ float s = 0; {loops} }}")
    center = lifted(source, tmp_path)
    for size in SIZES:
        x = np.random.default_rng(size).normal(size=size).astype(np.float32)
        assert np.allclose(center(np.zeros_like(x), x, size), x - x.mean(), atol=1e-5)


@pytest.mark.quick("row_sums-sum")
@pytest.mark.parametrize(("function", "wanted"), [("row_sums", np.sum), ("row_maxima", np.max)])
def test_rows_of_a_matrix(function: str, wanted: Callable[..., Any], tmp_path: Path) -> None:
    kernel = lifted(ROOT / "simd" / "row_reductions.c", tmp_path, function)
    for rows, columns in ((1, 513), (3, 1), (2, 64), (65, 63), (5, 257)):
        x = np.random.default_rng(rows).normal(size=(rows, columns)).astype(np.float32)
        found = kernel(np.zeros(rows, np.float32), x.reshape(-1).copy(), rows, columns)
        assert np.allclose(found, wanted(x, axis=1), rtol=1e-4, atol=1e-5)


def test_what_the_chip_does_not_have_is_refused(tmp_path: Path) -> None:
    sources = {
        "fp32 at most": "void f(double *y, int n) { for (int i = 0; i < n; i++) y[i] = y[i] + 1; }",
        "side by side": "void f(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[2 * i]; }",
        "signed type that may wrap": "void f(signed char *y, const int *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }",
        "floats to integers": "void f(int *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]; }",
    }
    for message, text in sources.items():
        (tmp_path / "f.c").write_text(text)
        (function,) = lift(tmp_path / "f.c", to=("gaudi",)).functions
        assert function.verdict is FunctionVerdict.NOT_LIFTED
        assert any(message in each.message for each in function.diagnostics), (message, function.diagnostics)


def test_the_driver_has_one_target() -> None:
    (target,) = load("gaudi").driver.targets
    assert (target.name, target.suffix, target.language) == ("gaudi", ".c", "TPC-C")
