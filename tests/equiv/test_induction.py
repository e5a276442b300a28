"""Results that two folds compute, proved equal by induction on both; what is wrong differs, with or without a closed form."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from metalift.ir.expr.nodes import Apply, Call, Const, Expr, Operator, Var
from metalift.ir.expr.types import DOUBLE
from metalift.ir.interp.interpret import evaluate
from metalift.pipeline.equivalence import EquivVerdict, equiv
from metalift.vcgen.by_definition import by_definition

KERNELS = """
#include <math.h>
int contains(const int *x, int n, int key) {
  int found = 0; for (int i = 0; i < n; i++) if (x[i] == key) found = 1; return found; }
int contains_exit(const int *x, int n, int key) {
  for (int i = 0; i < n; i++) if (x[i] == key) return 1; return 0; }
int contains_not_last(const int *x, int n, int key) {
  for (int i = 0; i < n - 1; i++) if (x[i] == key) return 1; return 0; }
int contains_not_first(const int *x, int n, int key) {
  for (int i = 1; i < n; i++) if (x[i] == key) return 1; return 0; }
int largest(const double *x, int n) {
  int best = 0; for (int i = 1; i < n; i++) if (x[i] > x[best]) best = i; return best; }
int largest_later(const double *x, int n) {
  int best = 0; for (int i = 0; i < n; i++) if (x[i] >= x[best]) best = i; return best; }
double distance(const double *x, const double *y, int n) {
  double s = 0; for (int i = 0; i < n; i++) s += pow(x[i] - y[i], 2); return sqrt(s); }
double distance_product(const double *x, const double *y, int n) {
  double s = 0; for (int i = 0; i < n; i++) s += (x[i] - y[i]) * (x[i] - y[i]); return sqrt(s); }
void growth(double *y, const double *x, int n) { for (int i = 0; i < n; i++) y[i] = expm1(x[i]); }
void growth_exp(double *y, const double *x, int n) { for (int i = 0; i < n; i++) y[i] = exp(x[i]) - 1; }
void by_first(double *x, int n) { double a = n > 0 ? x[0] : 1; for (int i = 0; i < n; i++) x[i] = x[i] * a; }
void by_first_reread(double *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * x[0]; }
double dot(const double *a, const double *b, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
double lanes(const double *a, const double *b, int n) {
  double s = 0, t = 0; int i = 0;
  for (; i + 2 <= n; i += 2) { s += a[i] * b[i]; t += a[i + 1] * b[i + 1]; }
  for (; i < n; i++) t += a[i] * b[i];
  return s + t; }
double lanes_rest_late(const double *a, const double *b, int n) {
  double s = 0, t = 0; int i = 0;
  for (; i + 2 <= n; i += 2) { s += a[i] * b[i]; t += a[i + 1] * b[i + 1]; }
  for (i++; i < n; i++) t += a[i] * b[i];
  return s + t; }
double lanes_negative(const double *a, const double *b, int n) {
  double s = 0, t = 0; int i = 0;
  for (; i + 2 <= n; i += 2) { s += a[i] * b[i]; t += a[i + 1] * b[i + 1]; }
  for (; i < n; i++) t += a[i] * b[i];
  return n < -2 ? s + t + 1 : s + t; }
int digits(const int *d, int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 2 + d[i]; return s; }
int digits_backwards(const int *d, int n) { int s = 0; for (int i = n - 1; i >= 0; i--) s = s * 2 + d[i]; return s; }
double poly(const double *c, int n, double x) {
  double s = 0, p = 1; for (int i = 0; i < n; i++) { s += c[i] * p; p *= x; } return s; }
double horner(const double *c, int n, double x) { double s = 0; for (int i = n - 1; i >= 0; i--) s = s * x + c[i]; return s; }
int first(const double *x, int n, double l) { for (int i = 0; i < n; i++) if (x[i] > l) return i; return -1; }
int first_backwards(const double *x, int n, double l) {
  int at = -1; for (int i = n - 1; i >= 0; i--) if (x[i] > l) at = i; return at; }
int first_not_zero(const double *x, int n, double l) {
  int at = -1; for (int i = n - 1; i > 0; i--) if (x[i] > l) at = i; return at; }
double spread(const double *x, int n) {
  double m = 0, q = 0; for (int i = 0; i < n; i++) m += x[i]; m /= n;
  for (int i = 0; i < n; i++) q += (x[i] - m) * (x[i] - m); return q / n; }
double spread_moments(const double *x, int n) {
  double s = 0, q = 0; for (int i = 0; i < n; i++) { s += x[i]; q += x[i] * x[i]; } return (q - s * s / n) / n; }
double spread_sum(const double *x, int n) {
  double s = 0, q = 0; for (int i = 0; i < n; i++) { s += x[i]; q += x[i] * x[i]; } return q / n - s * s / n; }
void mixed(const unsigned char *a, const unsigned char *b, unsigned char *o, int n, unsigned char t) {
  for (int i = 0; i < n; i++) o[i] = (t * a[i] + (255 - t) * b[i]) / 255; }
void mixed_from(const unsigned char *a, const unsigned char *b, unsigned char *o, int n, unsigned char t) {
  for (int i = 0; i < n; i++) { int v = t * (a[i] - b[i]); o[i] = b[i] + (v >= 0 ? v / 255 : -((254 - v) / 255)); } }
void mixed_to_zero(const unsigned char *a, const unsigned char *b, unsigned char *o, int n, unsigned char t) {
  for (int i = 0; i < n; i++) o[i] = b[i] + t * (a[i] - b[i]) / 255; }
"""
SCRIPT = """
def largest(x: list[float]) -> int:
    best = 0
    for i in range(1, len(x)):
        if x[i] > x[best]:
            best = i
    return best

def largest_from_zero(x: list[float]) -> int:
    best = 0
    for i in range(len(x)):
        if x[best] < x[i]:
            best = i
    return best
"""
EQUAL, WHERE, DIFFERENT = EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE, EquivVerdict.DIFFERENT
CASES = [
    ("contains", "contains_exit", (EQUAL,)),
    ("contains", "contains_not_last", (DIFFERENT,)),
    ("contains", "contains_not_first", (DIFFERENT,)),
    ("largest", "largest_later", (DIFFERENT,)),
    ("distance", "distance_product", (EQUAL,)),
    ("growth", "growth_exp", (EQUAL,)),
    ("by_first", "by_first_reread", (DIFFERENT,)),
    ("dot", "lanes", (EQUAL,)),
    ("dot", "lanes_rest_late", (DIFFERENT,)),
    ("dot", "lanes_negative", (DIFFERENT,)),
    ("digits", "digits_backwards", (DIFFERENT,)),
    ("poly", "horner", (EQUAL, WHERE)),
    ("first", "first_backwards", (EQUAL,)),
    ("first", "first_not_zero", (DIFFERENT,)),
    ("spread", "spread_moments", (EQUAL,)),
    ("spread", "spread_sum", (DIFFERENT,)),
    ("mixed", "mixed_from", (EQUAL,)),
    ("mixed", "mixed_to_zero", (DIFFERENT,)),
]


@pytest.mark.parametrize("name, other, verdicts", CASES, ids=[other for _, other, _ in CASES])
def test_verdict(tmp_path: Path, name: str, other: str, verdicts: tuple[EquivVerdict, ...]) -> None:
    (tmp_path / "kernels.c").write_text(KERNELS)
    result = equiv(tmp_path / "kernels.c", tmp_path / "kernels.c", functions=(name, other), timeout=60.0)
    assert result.verdict in verdicts, result


def test_one_fold_may_have_a_step_more(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    files = tmp_path / "script.py", tmp_path / "script.py"
    assert equiv(*files, functions=("largest", "largest_from_zero"), timeout=60.0).verdict in (EQUAL, WHERE)


def test_what_a_port_without_closed_form_returns_is_compared_with_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text("void doubled(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 2 * x[i]; }\n")
    head = "import numpy as np\n\ndef doubled(x):\n    y, i, step = x.copy(), 0, 1\n    while i < len(y):\n"
    for factor, verdict in ((2, EquivVerdict.UNKNOWN), (3, DIFFERENT)):
        body = f"        y[i] *= {factor}\n        i += step\n        step *= step\n    return y\n"
        (tmp_path / "port.py").write_text(head + body)
        assert equiv(tmp_path / "kernel.c", tmp_path / "port.py").verdict is verdict


@pytest.mark.parametrize(
    "expr",
    [
        Call("expm1", (Var("x", DOUBLE),), DOUBLE),
        Call("log1p", (Var("x", DOUBLE),), DOUBLE),
        Call("pow", (Var("x", DOUBLE), Const(3, DOUBLE)), DOUBLE),
        Apply(Operator.ADD, (Call("expm1", (Call("log1p", (Var("x", DOUBLE),), DOUBLE),), DOUBLE), Const(1, DOUBLE))),
    ],
)
def test_what_is_written_by_definition_has_the_same_value(expr: Expr) -> None:
    written = by_definition(expr)
    assert written != expr
    for value in (Fraction(-1, 2), Fraction(0), Fraction(1, 3), Fraction(7)):
        one, other = (evaluate(each, {"x": value}) for each in (expr, written))
        assert abs(float(one) - float(other)) < 1e-12  # type: ignore[arg-type]
