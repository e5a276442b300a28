"""Ports to PyTorch: C against tensors, references against optimised versions, and ports that are wrong in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.pipeline.equivalence import EquivVerdict, equiv

KERNELS = """
#include <math.h>
#include <stdint.h>
void silu(int n, float *y, const float *x) { for (int i = 0; i < n; i++) y[i] = x[i] / (1 + expf(-x[i])); }
void softmax(float *o, const float *x, int n) {
  float m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i];
  float s = 0; for (int i = 0; i < n; i++) { o[i] = expf(x[i] - m); s += o[i]; }
  for (int i = 0; i < n; i++) o[i] /= s; }
float variance(int n, const float *x) {
  float m = 0; for (int i = 0; i < n; i++) m += x[i]; m /= n;
  float s = 0; for (int i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m); return s / n; }
void row_max(float *y, const float *a, int rows, int cols) {
  for (int i = 0; i < rows; i++) {
    float s = a[i * cols]; for (int j = 1; j < cols; j++) if (a[i * cols + j] > s) s = a[i * cols + j];
    y[i] = s; } }
void halves(int n, int *o, const int *a) { for (int i = 0; i < n; i++) o[i] = a[i] / 2; }
int products(int n, const int8_t *a, const int8_t *b) {
  int s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
void row_totals(float *y, const float *x, const float *w, int n, int d, int m) {
  for (int i = 0; i < n; i++) {
    float s = 0; for (int j = 0; j < m; j++) for (int k = 0; k < d; k++) s += x[i * d + k] * w[k * m + j];
    y[i] = s; } }
void smoothed(float *y, const float *x, int n, const float *w, int k) {
  for (int i = 0; i < n - k + 1; i++) {
    float s = 0; for (int j = 0; j < k; j++) s += x[i + j] * w[j];
    y[i] = s; } }
void scaled_rows(int m, int n, float a, float *c, int ldc) {
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) c[i * ldc + j] = a * c[i * ldc + j]; }
void sums_of_pairs(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[2 * i] + x[2 * i + 1]; }
float size(const float *x, int n) { float s = 0; for (int i = 0; i < n; i++) s += fabsf(x[i]); return s; }
void gelu(int n, float *y, const float *x) {
  for (int i = 0; i < n; i++)
    y[i] = 0.5f * x[i] * (1 + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i]))); }
void waves(int n, float *y, const float *x) { for (int i = 0; i < n; i++) y[i] = cosf(x[i] * 3000.f * 7000.f); }
int first_largest(int n, const float *x) {
  int best = 0; for (int i = 1; i < n; i++) if (x[i] > x[best]) best = i; return best; }
int last_largest(int n, const float *x) {
  int best = 0; for (int i = 1; i < n; i++) if (x[i] >= x[best]) best = i; return best; }
"""
PORTS = """
import torch
import torch.nn.functional as F

def silu(x): return F.silu(x)
def softmax(x): return torch.softmax(x, dim=0)
def variance(x): return x.var(unbiased=False)
def variance_slip(x): return x.var()
def row_max(a): return a.max(dim=1).values
def row_max_strided(a: torch.Tensor, rows: int, cols: int): return a.as_strided((rows, cols), (cols, 1)).amax(dim=1)
def row_max_slip(a): return a.max(dim=0).values
def halves_slip(a): return a // 2
def products(a, b): return (a.int() * b).sum()
def products_slip(a, b): return (a * b).sum()
def row_totals(x, w): return x @ w.sum(dim=1)
def row_totals_slip(x, w): return x @ w.sum(dim=0)
def smoothed(x, w): return F.conv1d(x.view(1, 1, -1), w.view(1, 1, -1)).view(-1)
def smoothed_slip(x, w): return F.conv1d(x.view(1, 1, -1), w.flip(0).view(1, 1, -1)).view(-1)
def scaled_rows(m: int, n: int, a: float, c: torch.Tensor, ldc: int):
    rows = torch.as_strided(c, (m, n), (ldc, 1))
    rows[...] = a * rows
def scaled_rows_slip(m: int, n: int, a: float, c: torch.Tensor, ldc: int):
    rows = torch.as_strided(c, (m, n), (ldc, 1))
    rows[...] = a * torch.as_strided(c, (m, n), (n, 1))
def sums_of_pairs(x: torch.Tensor, n: int): return x[: 2 * n : 2] + x[1 : 2 * n + 1 : 2]
def sums_of_pairs_slip(x: torch.Tensor, n: int): return x[: 2 * n : 2] + x[: 2 * n : 2]
def gelu_slip(x): return F.gelu(x)
def waves(x): return torch.cos(x * 21e6)
def waves_slip(x): return torch.cos(x * 21e5)
def size(x): return x.norm(p=1)
def first_largest(x): return x.argmax()
def last_largest_slip(x): return x.argmax()
"""
GELU = """
import torch
import torch.nn.functional as F

def by_erf(x: torch.Tensor): return F.gelu(x)
def by_tanh(x: torch.Tensor): return F.gelu(x, approximate="tanh")
"""
EQUAL, WHERE, DIFFERENT = EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE, EquivVerdict.DIFFERENT
CASES = [
    ("silu", EQUAL, ""),
    ("softmax", WHERE, "1"),
    ("variance", WHERE, "gives infinities or NaN"),
    ("variance_slip", DIFFERENT, "n="),
    ("row_max", WHERE, "cols"),
    ("row_max_strided", WHERE, "cols"),
    ("row_max_slip", DIFFERENT, ""),
    ("halves_slip", DIFFERENT, "-"),
    ("products", EQUAL, ""),
    ("products_slip", DIFFERENT, "a="),
    ("row_totals", EQUAL, ""),
    ("row_totals_slip", DIFFERENT, ""),
    ("smoothed", WHERE, "does not raise"),
    ("smoothed_slip", DIFFERENT, "w="),
    ("scaled_rows", WHERE, "ldc"),
    ("scaled_rows_slip", DIFFERENT, ""),
    ("sums_of_pairs", WHERE, "int(n)"),
    ("sums_of_pairs_slip", DIFFERENT, ""),
    ("gelu_slip", DIFFERENT, "x="),  # by less than a thousandth of 1, where both are small
    ("waves", EQUAL, ""),  # what rounding makes of large angles is no difference
    ("waves_slip", DIFFERENT, "x="),
    ("size", EQUAL, ""),
    ("first_largest", WHERE, "n"),
    ("last_largest_slip", DIFFERENT, "x="),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    made = tmp_path_factory.mktemp("tensors")
    (made / "kernels.c").write_text(KERNELS)
    (made / "ports.py").write_text(PORTS)
    return made


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("name, verdict, told", CASES, ids=[name for name, _, _ in CASES])
def test_verdict(folder: Path, name: str, verdict: EquivVerdict, told: str) -> None:
    kernel = name.removesuffix("_slip").removesuffix("_strided")
    result = equiv(folder / "kernels.c", folder / "ports.py", functions=(kernel, name), timeout=60.0)
    assert result.verdict is verdict, result
    assert told in " ".join([*result.where, result.reason]), result


def test_small_numbers_that_both_runs_give_are_told_apart(folder: Path) -> None:
    port = folder / "gelu.py"
    port.write_text(GELU)
    result = equiv(port, port, functions=("by_tanh", "by_erf"), timeout=60.0)
    assert result.verdict is DIFFERENT, result
