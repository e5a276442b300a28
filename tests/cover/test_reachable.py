"""Operators are found in loops that nobody wrote for them: proved, and the code agrees with the source in both libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

import metalift
from metalift.result import FunctionResult

# What stands in the code for NumPy and for PyTorch.
IN_C = {
    "correlate": ("np.correlate(", "F.conv1d("),
    "convolve": ("np.convolve(", "torch.mv("),
    "correlate_3x3": ("np.tensordot(", "F.conv2d("),
    "moving_average": ("np.mean(", "torch.mean("),
    "prefix_maxima": ("np.maximum.accumulate(", "torch.cummax("),
    "row_prefix_sums": ("axis=1)", "torch.cumsum("),
    "inner": ("np.tensordot(", "torch.tensordot("),
    "row_inner": ("np.vecdot(", "torch.linalg.vecdot("),
    "sum_outer_and_inner": ("axis=(0, 2))", "dim=(0, 2))"),
    "row_mean": ("np.mean(", "torch.mean("),
    "row_norm": ("np.linalg.norm(", "torch.linalg.vector_norm("),
    "column_max": ("axis=0)", "dim=0)"),
    "row_argmax": ("np.argmax(", "torch.argmax("),
    "identity": ("np.eye(", "torch.eye("),
    "gelu": ("np.tanh(", "F.gelu("),
    "to_even": ("np.rint(", "torch.round("),
    "pad": ("o[:p] = 0.0", "o[:p] = 0.0"),
    "last_peak": ("np.argmax(np.flip(", "torch.argmax(torch.flip("),
    "last_dip": ("np.argmin(np.flip(", "torch.argmin(torch.flip("),
}
IN_PYTHON = {
    "concatenated": ("np.concatenate(", "torch.cat("),
    "joined": ("np.concatenate(", "torch.cat("),
    "padded": ("np.pad(", "F.pad("),
    "stacked": ("np.stack(", "torch.stack("),
    "ramp": ("np.linspace(", "torch.arange("),
    "lower": ("np.tril(", "torch.tril("),
}
ONLY_IN_NUMPY = {
    "flags": (
        "unsigned flags(const unsigned *x, int n) { unsigned f = 3; while (n-- > 0) f |= *x++; return f; }",
        "np.bitwise_or",
    ),
    "common": (
        "unsigned common(const unsigned *x, int n) { unsigned m = ~0u; for (int i = 0; i < n; i++) m &= x[i]; return m; }",
        "np.bitwise_and",
    ),
    "checksum": (
        "unsigned checksum(const unsigned *x, int n) { unsigned c = 0; for (int i = n - 1; i >= 0; i--) c ^= x[i]; return c; }",
        "np.bitwise_xor",
    ),
    "cycle": ("void cycle(float *y, const float *w, int n, int p) { for (int i = 0; i < n; i++) y[i] *= w[i % p]; }", "np.fmod("),
    "stretch": (
        "void stretch(double *o, const double *x, int n, int k) { for (int i = n - 1; i >= 0; i--) o[i] = 2 * x[i / k]; }",
        "np.arange(",
    ),
    "horner": (
        "double horner(double x, const double *c, int n) { double y = 0; for (; n > 0; n--) y = *c++ + x * y; return y; }",
        "np.polyval(",
    ),
}
PYTHON = """\
import numpy as np


def concatenated(x: list[float], y: list[float]) -> list[float]:
    out = []
    for v in x:
        out.append(v)
    for v in y:
        out.append(v)
    return out


def joined(x: list[float], y: list[float]) -> list[float]:
    return x + y


def padded(x: list[float], p: int, q: int) -> list[float]:
    return [x[i - p] if p <= i < p + len(x) else 0.0 for i in range(p + len(x) + q)]


def stacked(x: list[float], y: list[float]) -> list[list[float]]:
    return [[x[j] if i == 0 else y[j] for j in range(len(x))] for i in range(2)]


def ramp(a: float, b: float, n: int) -> list[float]:
    return [a + (b - a) * i / (n - 1) for i in range(n)]


def lower(x: np.ndarray) -> np.ndarray:
    n = x.shape[0]
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            out[i, j] = x[i, j]
    return out
"""


def lifted(source: Path, name: str, folder: Path) -> tuple[FunctionResult, str, str]:
    """The function of the source: the result, and its code in NumPy and in PyTorch."""
    (function,) = metalift.lift(source, functions=[name], to=["numpy", "pytorch"], out=folder, timeout=30).functions
    numpy, pytorch = ((folder / target / f"{name}.py") for target in ("numpy", "pytorch"))
    texts = [file.read_text(encoding="utf-8") if file.exists() else "" for file in (numpy, pytorch)]
    return function, texts[0], texts[1]


@pytest.mark.quick("prefix_maxima", "gelu", "last_peak")
@pytest.mark.parametrize("name", IN_C)
def test_in_c(name: str, tmp_path: Path) -> None:
    result, numpy, pytorch = lifted(Path(__file__).with_name("operators.c"), name, tmp_path)
    assert result.ok, f"{result.verdict}: {result.diagnostics} {result.attempt}"
    assert IN_C[name][0] in numpy and IN_C[name][1] in pytorch, numpy + pytorch


@pytest.mark.quick("joined", "padded", "lower")
@pytest.mark.parametrize("name", IN_PYTHON)
def test_in_python(name: str, tmp_path: Path) -> None:
    source = tmp_path / "operators.py"
    source.write_text(PYTHON, encoding="utf-8")
    result, numpy, pytorch = lifted(source, name, tmp_path)
    assert result.ok, f"{result.verdict}: {result.diagnostics} {result.attempt}"
    assert IN_PYTHON[name][0] in numpy and IN_PYTHON[name][1] in pytorch, numpy + pytorch


@pytest.mark.quick("flags", "stretch", "horner")
@pytest.mark.parametrize("name", ONLY_IN_NUMPY)
def test_in_numpy(name: str, tmp_path: Path) -> None:
    text, call = ONLY_IN_NUMPY[name]
    (tmp_path / "source.c").write_text(text)
    (result,) = metalift.lift(tmp_path / "source.c", out=tmp_path, timeout=30).functions
    assert result.ok, f"{result.verdict}: {result.diagnostics} {result.attempt}"
    assert call in (tmp_path / "numpy" / f"{name}.py").read_text(encoding="utf-8")
