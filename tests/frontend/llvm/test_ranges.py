"""Pointers into the array of a parameter: ranges that are given by where they begin and where they end, and results."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.result.verdict import FunctionVerdict

C = """
int sum(const int *first, const int *last) { int s = 0; for (; first != last; ++first) s += *first; return s; }
int negative(const float *b, const float *e) { int c = 0; while (b < e) { if (*b < 0) c++; b++; } return c; }
float dot(const float *a, const float *a_end, const float *b) { float s = 0; while (a != a_end) s += *a++ * *b++; return s; }
void reverse(int *b, int *e) { while (b < e) { --e; int t = *b; *b = *e; *e = t; ++b; } }
double mean(const double *begin, const double *end) {
  long n = end - begin; double s = 0; for (const double *p = begin; p != end; ++p) s += *p; return s / n; }
int differ(const int *a, const int *b, int n) {
  if (a == b) return 0; int d = 0; for (int i = 0; i < n; i++) d += a[i] != b[i]; return d; }
void copy(int n, int *to, const int *from) { for (int i = 0; i < n; i++) to[i] = from[i]; }
int backward(const int *last, const int *first) { int s = 0; while (first != last) s += *first++; return s; }
void reversed(const int *b, const int *e, int *o) { while (e != b) *o++ = *--e; }
int meets(const int *a, const int *b, int n) {
  int s = 0; for (int i = 0; i < n; i++) { if (a + i == b) s++; s += a[i] * b[i]; } return s; }
int either(const int *a, const int *b, const int *e, int which) {
  const int *p = which ? a : b; int s = 0; while (p != e) s += *p++; return s; }
"""
CPP = """
template <class It, class T> T folded(It first, It last, T init) {
  for (; first != last; ++first) init = init + *first; return init; }
float total(const float *x, const float *x_end) { return folded(x, x_end, 0.0f); }
void fill(float *b, float *e, float v) { while (b != e) *b++ = v; }
"""


@pytest.mark.parametrize("text, suffix, names", [(C, "c", "sum negative dot reverse mean"), (CPP, "cc", "total fill")])
def test_ranges_are_proved(tmp_path: Path, text: str, suffix: str, names: str) -> None:
    path = tmp_path / f"ranges.{suffix}"
    path.write_text(text)
    for made in lift(path, functions=names.split(), to=["numpy"]).functions:
        assert made.verdict is FunctionVerdict.PROVED, (made.name, made.diagnostics)
        assert any("leads into the array of" in each.text for each in made.assumptions), made.assumptions


OF_FIRST = {"last": "first"}
ENDS = [("sum", OF_FIRST), ("dot", {"a_end": "a"}), ("differ", {}), ("backward", OF_FIRST), ("reversed", {"e": "b"})]


@pytest.mark.parametrize("name, ends", ENDS)
def test_which_pointers_are_ends(tmp_path: Path, name: str, ends: dict[str, str]) -> None:
    """A comparison of two parameters as they are may ask whether they are the same: no end of a range."""
    path = tmp_path / "ranges.c"
    path.write_text(C)
    fragment = import_function(open_source(path), name)
    assert {each.var.name: each.into for each in fragment.params if each.into} == ends


@pytest.mark.parametrize("name", ["either", "meets"])
def test_two_arrays_are_no_range(tmp_path: Path, name: str) -> None:
    path = tmp_path / "ranges.c"
    path.write_text(C)
    (made,) = lift(path, functions=[name], to=["numpy"]).functions
    assert made.verdict is FunctionVerdict.UNSUPPORTED


RESULTS = """
#include <stddef.h>
const int *find(const int *b, const int *e, int v) { for (; b != e; ++b) if (*b == v) return b; return e; }
const int *first(const int *a, size_t n, int v) { for (size_t i = 0; i < n; i++) if (a[i] == v) return &a[i]; return NULL; }
const float *largest(const float *b, const float *e) { const float *m = b; for (; b != e; ++b) if (*b > *m) m = b; return m; }
float *relu(float *x, int n) { for (int i = 0; i < n; i++) if (x[i] < 0) x[i] = 0; return x; }
const int *pick(const int *a, const int *b, int c) { return c ? a : b; }
const int *last(const int *a, int n) {
  const int *p = NULL; for (int i = 0; i < n; i++) if (a[i] < 0) p = a + i;
  if (p == NULL) return a; return p; }
"""
PLACES = [("find", "b", ""), ("first", "a", ""), ("largest", "b", ""), ("relu", "", "x")]


@pytest.mark.parametrize("suffix", ["c", "cc"])
def test_pointers_that_are_returned(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"results.{suffix}"
    path.write_text(RESULTS)
    found = lift(path, functions=[name for name, _, _ in PLACES], to=["numpy"]).functions
    for made, (name, place, gives) in zip(found, PLACES, strict=True):
        assert made.verdict is FunctionVerdict.PROVED, (name, made.diagnostics)
        fragment = import_function(open_source(path), made.name)
        assert (fragment.place, fragment.gives) == (place, gives)


@pytest.mark.parametrize("name", ["pick", "last"])
def test_pointers_that_may_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    """Of two arrays, and one that is compared with null: -1 is no place that a comparison may ask for."""
    path = tmp_path / "results.c"
    path.write_text(RESULTS)
    (made,) = lift(path, functions=[name], to=["numpy"]).functions
    assert made.verdict is FunctionVerdict.UNSUPPORTED
