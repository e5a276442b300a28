"""Texts in CUDA C, in the model of threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from metalift import lift
from metalift.verdict import Agreement, FunctionVerdict
from tests.support.generated import load_function

TARGET = "cuda"
RUNNER = Path(__file__).parents[2] / "drivers" / "cuda" / "runner.py"
SOURCE = """
void scale(float *out, const float *x, float k, int n) {
    for (int i = 0; i < n; i++) out[i] = k * x[i];
}
void shifted(float *x, int n) {
    for (int i = 0; i < n; i++) x[i] = x[i + 1];
}
float total(const float *x, int n) {
    float s = 0.0f;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}
int whole(const int *x, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}
float greatest(const float *x, int n) {
    float best = x[0];
    for (int i = 1; i < n; i++) best = x[i] > best ? x[i] : best;
    return best;
}
void row_means(float *out, const float *a, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        float s = 0.0f;
        for (int c = 0; c < cols; c++) s += a[r * cols + c];
        for (int c = 0; c < cols; c++) out[r * cols + c] = a[r * cols + c] / s;
    }
}
void products(float *c, const float *a, const float *b, int m, int n, int k) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0.0f;
            for (int l = 0; l < k; l++) s += a[i * k + l] * b[l * n + j];
            c[i * n + j] = s;
        }
}
"""
FUNCTIONS = ("scale", "shifted", "total", "whole", "greatest", "row_means", "products")


def lifted(folder: Path) -> dict[str, str]:
    """The texts of the functions above, which are proved and agree."""
    source = folder / "source.c"
    source.write_text(SOURCE, encoding="utf-8")
    found = lift(source, to=[TARGET], out=folder).functions
    assert [one.name for one in found] == list(FUNCTIONS)
    texts = {}
    for one in found:
        assert one.verdict is FunctionVerdict.PROVED, [each for each in one.obligations if each.reason] or one.diagnostics
        target = one.targets[TARGET]
        assert target.checked is Agreement.AGREES and target.file is not None
        texts[one.name] = Path(target.file).read_text(encoding="utf-8")
    return texts


def model(path: Path, function: str) -> Callable[..., Any]:
    """A function of a file, as the runner makes it."""
    return load_function(RUNNER, "load")(str(path), function)  # type: ignore[no-any-return]
