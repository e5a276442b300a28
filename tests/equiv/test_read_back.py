"""Code as our own generators write it, read back: guards, flat arrays in another shape, windows by strides; and slips in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.pipeline.equivalence import EquivVerdict, equiv

KERNELS = """
void products(const int *a, const int *b, int *c, int n) { for (int i = 0; i < n; i++) c[i] = a[i] * b[i] / 255; }
void shifted(const float *a, float *b, int n, int m) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i * m + j] = a[i * m + j] + 1; }
void windows(const float *x, float *y, int n, int k) {
  for (int i = 0; i < n - k + 1; i++) { float s = 0; for (int j = 0; j < k; j++) s += x[i + j]; y[i] = s; } }
int first_largest(const float *x, int n, float *value) {
  float best = x[0]; int at = 0;
  for (int i = 1; i < n; i++) if (x[i] > best) { best = x[i]; at = i; }
  *value = best; return at; }
void rows_off(const double *a, double *b, int n, int m) {
  for (int j = 0; j < m; j++) {
    double mean = 0; for (int i = 0; i < n; i++) mean += a[i * m + j]; mean /= n;
    for (int i = 0; i < n; i++) b[i * m + j] = a[i * m + j] - mean; } }
float sum(const float *input, int n) { float s = 0; for (int i = 0; i < n; i++) s += input[i]; return s; }
"""
PORTS = """
import numpy as np

def _check(name, array, dtype, at_least=0):
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        raise ValueError(f"{name} must be a 1-D np.ndarray")
    if len(array) < at_least:
        raise ValueError(f"{name} is too short")

def _check_distinct(name, array):
    reach = array.itemsize
    for stride, size in sorted((abs(step), size) for step, size in zip(array.strides, array.shape) if size > 1):
        if stride < reach:
            raise ValueError(name)
        reach += stride * (size - 1)

def products(a: np.ndarray, b: np.ndarray, c: np.ndarray, n: int) -> np.ndarray:
    p = a[:n] * b[:n]
    c[:n] = (p - np.fmod(p, 255)) // 255
    return c

def products_slip(a: np.ndarray, b: np.ndarray, c: np.ndarray, n: int) -> np.ndarray:
    c[:n] = a[:n] * b[:n] // 255
    return c

def shifted(a: np.ndarray, b: np.ndarray, n: int, m: int) -> np.ndarray:
    _check("a", a, np.float32, n * m)
    _check("b", b, np.float32, n * m)
    _check_distinct("b", b)
    b[: n * m] = (a[: n * m].reshape(n, m) + 1).reshape(-1)
    return b

def shifted_flat(a: np.ndarray, b: np.ndarray, n: int, m: int) -> np.ndarray:
    if n < 0 or m < 0:
        raise ValueError("n >= 0 and m >= 0 are required")
    _check("a", a, np.float32, n * m)
    _check("b", b, np.float32, n * m)
    b[: n * m] = a[: n * m] + 1
    return b

def shifted_slip(a: np.ndarray, b: np.ndarray, n: int, m: int) -> np.ndarray:
    _check("a", a, np.float32, n * m)
    _check("b", b, np.float32, n * m)
    b[: n * m] = (a[: n * m].reshape(n, m).T + 1).reshape(-1)
    return b

def windows(x: np.ndarray, y: np.ndarray, n: int, k: int) -> np.ndarray:
    rows = np.lib.stride_tricks.as_strided(x, (n - k + 1, k), np.multiply((1, 1), x.itemsize))
    y[: n - k + 1] = rows.sum(axis=1)
    return y

def windows_slip(x, k):
    return np.lib.stride_tricks.sliding_window_view(x, k).mean(axis=-1)

def first_largest(x: np.ndarray, n: int, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value[0] = np.max(x[:n])
    return np.argmax(x[:n]).astype(np.int32), value

def first_largest_slip(x: np.ndarray, n: int, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value[0] = np.min(x[:n])
    return np.argmax(x[:n]).astype(np.int32), value

def rows_off_slip(a: np.ndarray) -> np.ndarray:
    return a - a.mean()

def sum_(input_):
    return input_.sum()
"""
EQUAL, WHERE, DIFFERENT = EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE, EquivVerdict.DIFFERENT
CASES = [
    ("products", WHERE, "fits i32"),
    ("products_slip", DIFFERENT, "-"),
    ("shifted", WHERE, ""),
    ("shifted_flat", WHERE, ""),
    ("shifted_slip", DIFFERENT, "m="),
    ("windows", WHERE, "k"),
    ("windows_slip", DIFFERENT, "k="),
    ("first_largest", WHERE, "n"),
    ("first_largest_slip", DIFFERENT, "n="),
    ("rows_off_slip", DIFFERENT, "a="),
    ("sum_", EQUAL, ""),
]


@pytest.mark.parametrize(("name", "verdict", "text"), CASES)
def test_read_back(name: str, verdict: EquivVerdict, text: str, tmp_path: Path) -> None:
    (tmp_path / "kernels.c").write_text(KERNELS, encoding="utf-8")
    (tmp_path / "ports.py").write_text(PORTS, encoding="utf-8")
    kernel = name.removesuffix("_").removesuffix("_flat").removesuffix("_slip")
    result = equiv(tmp_path / "kernels.c", tmp_path / "ports.py", functions=(kernel, None if name == "sum_" else name))
    assert result.verdict is verdict, result
    assert text in "; ".join((result.reason, *result.where))
