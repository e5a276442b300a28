"""Functions with loops that stay loops, made to mislead: what is proved of them agrees with the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict

SOURCES = {
    "a counter that wraps": (
        ".c",
        "void f(int n, double *a, double k) { for (unsigned char i = 1; i < n; i++) a[i] = a[i] + k * a[i - 1] * a[i - 1]; }",
    ),
    "a bound that the loop writes": (
        ".c",
        "void f(int *n, int *a, int k) { for (int i = 1; i < n[0]; i++) { a[i] += k * a[i - 1]; n[0] -= a[i] & 1; } }",
    ),
    "sums that wrap": (
        ".c",
        "unsigned f(int n, unsigned *o, unsigned s) { for (int i = 0; i < n; i++) { s = s * 69069u + 1u; o[i] = s; } return s; }",
    ),
    "left by a break": (
        ".c",
        """int f(int n, double *a, double k) { double s = 0; int i;
        for (i = 0; i < n; i++) { s = s * k + a[i] * s + 1; if (s > 10) break; a[i] = s; } return i; }""",
    ),
    "buffers that change places": (
        ".c",
        """float f(float *u, float *v, int n, int steps) { float *w = u;
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n - 1; i++) v[i] = u[i] + 0.5f * (w[i - 1] + u[i + 1]);
            float *s = u; u = v; v = s; }
        return u[0]; }""",
    ),
    "buffers that change places, then one is copied": (
        ".c",
        """void f(float *a, float *b, float *c, int n, int steps) { float *p = b, *q = a, *r = c;
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n; i++) r[i] = 2.0f * q[i] - p[i - 1];
            float *s = p; p = q; q = r; r = s; }
        if (q != a) for (int i = 0; i < n; i++) a[i] = q[i]; }""",
    ),
    "buffers that change places, at least once": (
        ".c",
        """void f(float *u, float *v, int n, int steps) {
        do { for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1]; float *s = u; u = v; v = s; } while (--steps > 0); }""",
    ),
    "buffers that change places where data say so": (
        ".c",
        """void f(float *u, float *v, int n, int steps) {
        for (int t = 0; t < steps; t++) {
            for (int i = 1; i < n - 1; i++) v[i] = u[i - 1] + u[i + 1];
            if (v[1] > 3.0f) { float *s = u; u = v; v = s; } } }""",
    ),
    "one of several values that are known, and made of each other": (
        ".c",
        """void f(float *o, int w, int h, int count, int classes) {
        for (int i = 0; i < w / 2; i++) for (int n = 0; n < count; n++) for (int z = 0; z < classes + 5; z++) {
            int l = z * w * h * count + n * w * h + i, r = z * w * h * count + n * w * h + (w - i - 1);
            float t = o[l]; o[l] = o[r]; o[r] = t;
            if (z == 0) { o[l] = -o[l]; o[r] = -o[r]; } } }""",
    ),
    "an index that does not wrap below 0": (
        ".c",
        """void f(float *d, unsigned n, unsigned at) { for (unsigned j = 0; j < n; j++) {
            float t = d[j + at - 1]; d[j + at - 1] = d[j + at]; d[j + at] = t; } }""",
    ),
    "rows that are not read": (
        ".py",
        """def f(xs: list[list[float]], ys: list[float], w: list[float], rate: float) -> None:
    for i in range(len(ys)):
        predicted = 0.0
        for j in range(len(w)):
            predicted += w[j] * xs[i][j]
        for j in range(len(w)):
            w[j] -= rate * (predicted - ys[i]) * xs[i][j]
""",
    ),
    "rows found with lengths": (
        ".cc",
        """#include <vector>
void f(const std::vector<double> &a, std::vector<double> &x, std::vector<double> &y, int rounds) {
    const std::size_t n = x.size();
    for (int r = 0; r < rounds; r++) {
        for (std::size_t i = 0; i < n; i++) {
            double s = 0;
            for (std::size_t j = 0; j < n; j++) s += a[i * n + j] * x[j];
            y[i] = s; }
        for (std::size_t i = 0; i < n; i++) x[i] = y[i];
    } }""",
    ),
    "a table at data, a counter beside another": (
        ".c",
        """#include <stdint.h>
uint32_t f(const uint8_t *p, unsigned n, const uint32_t t[256], uint32_t c) {
    while (n--) c = t[(c ^ *p++) & 0xff] ^ (c >> 8);
    return c; }""",
    ),
    "places that are data, under a condition": (
        ".py",
        """def f(k: list[int], h: list[int]) -> list[int]:
    out = [0] * len(k)
    for i in range(len(k)):
        if k[i] > 0:
            out[i] = h[k[i]]
            h[k[i]] += 1
    return out
""",
    ),
    "numbers that overflow where they are not used": (
        ".c",
        "int f(const int *x, int n) { int i = 0, s = 0; while (i < n) if (x[i] & 1) { s = s * 2 + x[i]; i += 1; } "
        "else { s = s - x[i] * s; i += 2; } return s; }",
    ),
    "integers without a range": (
        ".py",
        """def f(x: list[int], m: int) -> int:
    s = 5
    for v in x:
        if v > 9:
            return s
        s = 2 * s + 2 * v
    return s % m
""",
    ),
    "a value that is known at first only": (
        ".c",
        """int f(int n, int *a) { int w = n + 1;
        for (int i = 1; i < n; i++) { a[i] = a[i] * 3 + a[i - 1] * w; w = w + (a[i] & 1); } return w; }""",
    ),
    "what one side of a branch makes": (
        ".c",
        """int f(int n, int k, int *a) { int i = 0, j = 0;
        if (k > 3) { i = k; } else { i = 1; j = 2; }
        for (; i < n; i++) { a[i] = a[i - 1] * k + j; j += 3; } return i * 100 + j; }""",
    ),
    "a list that grows as it is read": (
        ".py",
        """def f(adj: list[list[int]], start: int) -> list[int]:
    dist = [-1] * len(adj)
    dist[start] = 0
    queue = [start]
    head = 0
    while head < len(queue):
        u = queue[head]
        head += 1
        for v in range(len(adj)):
            if adj[u][v] and dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return dist
""",
    ),
    "a list of what two lists have": (
        ".py",
        """def f(a: list[float], b: list[float]) -> list[float]:
    i = j = 0
    out = []
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    out.extend(a[i:])
    out.extend(b[j:])
    return out
""",
    ),
    "places where a loop found the greatest": (
        ".c",
        """void f(double *a, int n) { for (int k = 0; k < n; k++) { int p = k;
        for (int i = k + 1; i < n; i++) if (a[i * n + k] > a[p * n + k]) p = i;
        for (int j = 0; j < n; j++) { double t = a[k * n + j]; a[k * n + j] = a[p * n + j]; a[p * n + j] = t * 2 - a[j]; } } }""",
    ),
    "remainders of numbers of both signs": (
        ".c",
        "int f(int v) { int s = 0; do { s = s * 3 + v % 10; v /= 10; } while (v != 0); return s; }",
    ),
    "places that are computed in steps": (
        ".c",
        """void f(int *a, int n, int i) { for (;;) { int l = 2 * i + 1, r = l + 1, m = i;
        if (l < n && a[l] > a[m]) m = l; if (r < n && a[r] > a[m]) m = r;
        if (m == i) break; int t = a[i]; a[i] = a[m]; a[m] = t; i = m; } }""",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_proved_agrees(name: str, tmp_path: Path) -> None:
    suffix, text = SOURCES[name]
    path = tmp_path / f"k{suffix}"
    path.write_text(text, encoding="utf-8")
    (function,) = lift(path, to=["numpy"]).functions
    assert function.verdict is not FunctionVerdict.ERROR, function.diagnostics
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
    assert function.targets["numpy"].checked is Agreement.AGREES
