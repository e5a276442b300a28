"""Two functions from their files to a verdict: ports in NumPy, optimised C, and ports that are wrong in one place."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.cli import main
from metalift.pipeline.equivalence import EquivResult, EquivVerdict, equiv
from metalift.result.errors import UsageError

KERNELS = """
#include <math.h>
#include <stdint.h>
float dot(int n, const float *x, const float *y) {
  float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
float lanes(int n, const float *x, const float *y) {
  float s = 0; int i = 0;
  for (; i + 3 < n; i += 4) s += x[i] * y[i] + x[i + 1] * y[i + 1] + x[i + 2] * y[i + 2] + x[i + 3] * y[i + 3];
  for (; i < n; i++) s += x[i] * y[i];
  return s; }
float from_one(int n, const float *x, const float *y) {
  float s = 0; for (int i = 1; i < n; i++) s += x[i] * y[i]; return s; }
void matvec(float *y, const float *a, const float *x, int rows, int cols) {
  for (int i = 0; i < rows; i++) { float s = 0; for (int j = 0; j < cols; j++) s += a[i * cols + j] * x[j]; y[i] = s; } }
void softmax(float *o, const float *x, int n) {
  float m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i];
  float s = 0; for (int i = 0; i < n; i++) { o[i] = expf(x[i] - m); s += o[i]; }
  for (int i = 0; i < n; i++) o[i] /= s; }
float variance(int n, const float *x) {
  float m = 0; for (int i = 0; i < n; i++) m += x[i]; m /= n;
  float s = 0; for (int i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m); return s / n; }
void brighter(uint8_t *o, const uint8_t *a, int n) {
  for (int i = 0; i < n; i++) { int v = a[i] + 10; o[i] = v > 255 ? 255 : v; } }
void halves(int n, int *o, const int *a) { for (int i = 0; i < n; i++) o[i] = a[i] / 2; }
int products(int n, const int8_t *a, const int8_t *b) {
  int s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }
void shift(int n, float *x) { for (int i = n - 1; i > 0; i--) x[i] = x[i - 1]; }
void scaled(int n, int m, float *y, const float *x) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = 2 * x[i * m + j]; }
int last(int n, const int *x) { int at = 0; for (int i = 1; i < n; i++) if (x[i] >= x[at]) at = i; return at; }
void rescale(int n, double *x) {
  double lo = x[0], hi = x[0]; for (int i = 1; i < n; i++) { if (x[i] < lo) lo = x[i]; if (x[i] > hi) hi = x[i]; }
  for (int i = 0; i < n; i++) x[i] = (x[i] - lo) / (hi - lo); }
void centre(int n, int m, double *a) {
  for (int j = 0; j < m; j++) {
    double s = 0; for (int i = 0; i < n; i++) s += a[i * m + j];
    s /= n; for (int i = 0; i < n; i++) a[i * m + j] -= s; } }
void logs(int n, double *y, const double *x) { for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? log(x[i]) : 0; }
double share(int n, const double *x, double y) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return y == 0 ? 0 : s / y; }
void remainders(int n, int *y, const int *x) { for (int i = 0; i < n; i++) y[i] = ((x[i] % 4) + 4) % 4; }
int apart(int n, const uint8_t *a, const uint8_t *b) {
  int s = 0; for (int i = 0; i < n; i++) { int d = a[i] - b[i]; s += d < 0 ? -d : d; } return s; }
float total(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
"""
PORTS = """
import numpy as np

def dot(x, y): return np.dot(x, y)
def matvec(a, x): return a @ x
def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()
def variance(x): return x.var()
def sample_variance(x): return x.var(ddof=1)
def brighter(a): return np.minimum(a.astype(np.int32) + 10, 255).astype(np.uint8)
def brighter_wrapping(a): return np.minimum(a + 10, 255)
def halves(a): return a // 2
def products(a, b): return (a.astype(np.int32) * b).sum()
def products_wrapping(a, b): return (a * b).astype(np.int32).sum()
def shift(x): x[1:] = x[:-1]
def unchanged(x): pass
def apart(a, b):
    s = 0
    for i in range(len(a)):
        s += abs(int(a[i] - b[i]))
    return s
def shift_through(x):
    for i in range(1, len(x)):
        x[i] = x[i - 1]
def longer(x): return np.concatenate((x, x[:1]))
def total_of_some(x):
    assert len(x) > 3
    return x.sum()
def total_or_raise(x):
    for v in x:
        if v < 0:
            raise ValueError
    return x.sum()
def total_or_raise_seldom(x):
    for v in x:
        if v == 12345.625:
            raise ValueError
    return x.sum()
def gives_x(x: np.ndarray, y: np.ndarray):
    x += 1
    y *= 2
    return x
def gives_y(x: np.ndarray, y: np.ndarray):
    x += 1
    y *= 2
    return y
def gives_none(x: np.ndarray, y: np.ndarray):
    x += 1
    y *= 2
def gives_new(x: np.ndarray, y: np.ndarray):
    y *= 2
    return x + 1
def scaled(x): return 2 * x
def last(x): return len(x) - 1 - np.argmax(x[::-1])
def last_first(x): return np.argmax(x)
def last_behind(x): return len(x) - np.argmax(x[::-1])
def rescale(x):
    x -= x.min()
    x /= x.max() - x.min()
def rescale_stale(x):
    high = x.max()
    x -= x.min()
    x /= high - x.min()
def centre(a): a -= a.mean(axis=0)
def centre_rows(a): a -= a.mean(axis=1, keepdims=True)
def logs(x): return np.where(x > 0, np.log(x), 0)
def logs_from_0(x): return np.where(x >= 0, np.log(x), 0)
def share(x, y): return x.sum() / y
def remainders(x): return x % 4
def remainders_c(x): return np.fmod(x, 4)
def found(a: list[int], value: int) -> int:
    for at, each in enumerate(a):
        if each == value:
            return at
    return -1
def found_in_array(a, value):
    at = np.argmin(np.append(a != value, False))
    return np.where(at < len(a), at, -1)
def found_or_length(a, value): return np.argmin(np.append(a != value, False))
def set_of(a: list[int]): return set(a)
def one_of_two(a: int, b: int): return (a,)
def two_of_two(a: int, b: int): return a, b
def total_and_change(x):
    x[1:] = 0
    return x.sum()
def cubes(a: list[int]): return [v * v * v for v in a]
def cubes_of(a: np.ndarray): return a ** 3
def cubes_narrow(a: np.ndarray): return a.astype(np.int32) ** 3
def above(x: list[int], y: list[int]): return [w + 1 if (v << 1) > v else 1 for v, w in zip(x, y)]
def above_of(x: np.ndarray, y: np.ndarray): return np.where((x << 1) > x, y + 1, 1)
def cubes_of_some(a: np.ndarray): return np.where(a < 1000, a, 0) ** 3
def mean(x: list[float]):
    if not x:
        return float("nan")
    return sum(x) / len(x)
def mean_of(x: np.ndarray): return x.mean() if x.size else np.nan
"""
EQUAL, WHERE, DIFFERENT = EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE, EquivVerdict.DIFFERENT
CASES = [
    ("dot", "c:lanes", EQUAL, ""),
    ("dot", "c:from_one", DIFFERENT, "n=1"),
    ("dot", "dot", EQUAL, ""),
    ("matvec", "matvec", EQUAL, ""),
    ("softmax", "softmax", WHERE, "1"),
    ("variance", "variance", EQUAL, ""),
    ("variance", "sample_variance", DIFFERENT, "n="),
    ("brighter", "brighter", EQUAL, ""),
    ("brighter", "brighter_wrapping", DIFFERENT, "[255]"),
    ("halves", "halves", DIFFERENT, "-"),
    ("products", "products", EQUAL, ""),
    ("products", "products_wrapping", DIFFERENT, "a="),
    ("shift", "shift", EQUAL, ""),
    ("shift", "shift_through", DIFFERENT, "n=3"),
    ("shift", "longer", DIFFERENT, ""),
    ("shift", "unchanged", DIFFERENT, "n=2"),
    ("apart", "apart", DIFFERENT, "255"),
    ("last", "last", WHERE, "1 <= int(n)"),
    ("last", "last_first", DIFFERENT, ""),
    ("last", "last_behind", DIFFERENT, ""),
    ("rescale", "rescale", WHERE, "1 <= int(n)"),
    ("rescale", "rescale_stale", DIFFERENT, ""),
    ("centre", "centre", EQUAL, ""),
    ("centre", "centre_rows", DIFFERENT, ""),
    ("logs", "logs", EQUAL, ""),
    ("logs", "logs_from_0", EquivVerdict.UNKNOWN, ""),
    ("share", "share", EquivVerdict.UNKNOWN, ""),
    ("remainders", "remainders", EQUAL, ""),
    ("remainders", "remainders_c", DIFFERENT, ""),
    ("total", "total_of_some", WHERE, ""),
    ("total", "total_or_raise", WHERE, "ValueError"),
    ("total", "total_or_raise_seldom", WHERE, "ValueError"),
    ("total", "total_and_change", DIFFERENT, ""),
]


BETWEEN_PORTS = [
    ("gives_x", "gives_x", EQUAL, ""),
    ("gives_x", "gives_none", EQUAL, ""),
    ("gives_x", "gives_new", EQUAL, ""),
    ("gives_x", "gives_y", EquivVerdict.UNKNOWN, "returns y"),
    ("gives_y", "gives_new", EquivVerdict.UNKNOWN, "y is written and returned"),
    ("set_of", "set_of", EquivVerdict.UNKNOWN, "sets"),
    ("two_of_two", "one_of_two", DIFFERENT, "2 and 1 results"),
    ("cubes", "cubes_of", WHERE, "fits i64"),
    ("cubes", "cubes_narrow", DIFFERENT, "a="),
    ("above", "above_of", WHERE, "x[i.1] << 1 fits i64"),
    ("cubes", "cubes_of_some", DIFFERENT, "a="),
    ("mean", "mean_of", WHERE, "len(x) != 0"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("equiv")
    (made / "kernels.c").write_text(KERNELS)
    (made / "ports.py").write_text(PORTS)
    return made


def compare(folder: Path, name: str, port: str) -> EquivResult:
    """The verdict on a kernel and a port, or another kernel."""
    in_c = port.startswith("c:")
    second = folder / ("kernels.c" if in_c else "ports.py")
    return equiv(folder / "kernels.c", second, functions=(name, port.removeprefix("c:")), timeout=60.0)


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name, port, verdict, told", CASES, ids=[f"{name}-{port}" for name, port, _, _ in CASES])
def test_verdict(folder: Path, name: str, port: str, verdict: EquivVerdict, told: str) -> None:
    result = compare(folder, name, port)
    assert result.verdict is verdict, result
    assert told in " ".join([*result.where, result.reason]), result


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name, port, verdict, told", BETWEEN_PORTS, ids=[f"{name}-{port}" for name, port, _, _ in BETWEEN_PORTS])
def test_what_python_functions_return(folder: Path, name: str, port: str, verdict: EquivVerdict, told: str) -> None:
    result = equiv(folder / "ports.py", folder / "ports.py", functions=(name, port))
    assert result.verdict is verdict, result
    assert told in " ".join([*result.where, result.reason]), result


def test_integers_of_lists_fit_the_arrays_of_a_port(folder: Path) -> None:
    files = folder / "ports.py"
    result = equiv(files, files, functions=("found", "found_in_array"))
    assert result.verdict is EQUAL, result
    assert any("elements of a fit i64" in text for text, _ in result.assumptions)
    assert equiv(files, files, functions=("found", "found_or_length")).verdict is DIFFERENT


def test_conditions_are_told_once(folder: Path) -> None:
    result = compare(folder, "rescale", "rescale")
    assert result.where == ("1 <= int(n)",)
    assert ("0 <= int(n): lengths of the arrays of rescale", "extents of the arrays") in result.assumptions


def test_what_is_not_returned_is_told(folder: Path) -> None:
    result = equiv(folder / "ports.py", folder / "ports.py", functions=("gives_x", "gives_none"))
    assert any("gives_none returns nothing" in text for text, _ in result.assumptions)


def test_what_the_user_assumes_is_no_condition_of_the_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [f"{folder / 'kernels.c'}:total", f"{folder / 'ports.py'}:total_of_some"]
    assert main(["equiv", *files, "--assume", "n > 3"]) == 0
    out = capsys.readouterr().out
    assert "EQUAL\n" in out
    assert "n > 3 [--assume]" in out
    assert main(["equiv", *files, "--assume", "n > 2"]) == 1


def test_a_result_has_the_shape_that_is_said(folder: Path) -> None:
    for shapes, verdict in (("x:n,m -> y:n,m", EQUAL), ("x:n,m -> y:m,n", EquivVerdict.UNKNOWN)):
        result = equiv(folder / "kernels.c", folder / "ports.py", functions=("scaled", "scaled"), shapes=shapes)
        assert result.verdict is verdict, result


def test_shapes_are_told_and_can_be_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = f"{folder / 'kernels.c'}:matvec", f"{folder / 'ports.py'}:matvec"
    assert main(["equiv", first, second, "--shapes", "a:rows,cols x:cols -> y:rows"]) == 0
    assert "with the shapes a:rows,cols x:cols -> y:rows" in capsys.readouterr().out
    assert main(["equiv", first, second, "--shapes", "a:cols,rows x:rows -> y:rows"]) == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"functions": ("dot", "halves")}, "halves has a parameter a, and dot has none of that name"),
        ({"functions": ("dot", "dott")}, "did you mean dot"),
        ({"functions": ("dot", "dot"), "names": ["x"]}, "--map 'x'"),
        ({"functions": ("dot", "dot"), "shapes": "x"}, "--shapes 'x'"),
        ({"functions": ("dot", "dot"), "shapes": "x:m"}, "m is no number of the source"),
        ({"functions": ("dot", "dot"), "shapes": "z:n"}, "neither function has an array z"),
        ({"functions": ("dot", "dot"), "names": ["z=x"]}, "dot has no parameter z"),
        ({}, "name one, as in FILE:FUNCTION"),
    ],
)
def test_bad_use(folder: Path, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=".") as raised:
        equiv(folder / "kernels.c", folder / "ports.py", **arguments)  # type: ignore[arg-type]
    assert message in str(raised.value)
