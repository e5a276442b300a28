"""Ranges that are given by where they begin and where they end: pointers into the array of another parameter."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.frontend import import_function, open_source
from metalift.result import FunctionVerdict

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


@pytest.mark.parametrize("name, ends", [("sum", {"last": "first"}), ("dot", {"a_end": "a"}), ("differ", {}), ("copy", {})])
def test_which_pointers_are_ends(tmp_path: Path, name: str, ends: dict[str, str]) -> None:
    """A comparison of two parameters as they are may ask whether they are the same: no end of a range."""
    path = tmp_path / "ranges.c"
    path.write_text(C)
    fragment = import_function(open_source(path), name)
    assert {each.var.name: each.into for each in fragment.params if each.into} == ends


def test_a_pointer_that_may_come_from_two_arrays_has_no_end(tmp_path: Path) -> None:
    path = tmp_path / "ranges.c"
    path.write_text(C)
    (made,) = lift(path, functions=["either"], to=["numpy"]).functions
    assert made.verdict is FunctionVerdict.UNSUPPORTED
