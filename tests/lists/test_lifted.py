"""Loops become operators on Python's lists that take functions: from sources to proved code that agrees with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict
from tests.support.lazily import Each

C = """
int squares(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
float dot(const float *x, const float *y, int n) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
int maximum(const int *x, int n) { int m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }
int positives(int *out, const int *x, int n) {
    int m = 0;
    for (int i = 0; i < n; i++) if (x[i] > 0) out[m++] = 2 * x[i];
    return m;
}
void prefix(int *out, const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) { s += x[i]; out[i] = s; } }
void shifted(float *out, const float *x, float v, int n) { for (int i = 0; i < n; i++) out[i] = v * x[i] + v; }
void shares(int *out, const int *x, int i, int n) { for (int k = 0; k < n; k++) out[k] = x[k] == 0 ? 0 : i / x[k]; }
void reversed(int *out, const int *x, int n) { for (int i = 0; i < n; i++) out[i] = -x[n - 1 - i]; }
void ones(int *out, int n) { for (int i = 0; i < n; i++) out[i] = 1; }
int parity(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s = 3 * s + (x[i] & 1); return s; }
"""
CPLUSPLUS = """
#include <algorithm>
#include <vector>
int squares(const std::vector<int>& x) { int s = 0; for (int v : x) s += v * v; return s; }
int maximum(const std::vector<int>& x) {
    int best = x[0];
    for (std::size_t i = 1; i < x.size(); i++) best = std::max(best, x[i]);
    return best;
}
std::vector<int> positives(const std::vector<int>& x) {
    std::vector<int> out;
    for (int v : x) if (v > 0) out.push_back(2 * v);
    return out;
}
"""
PYTHON = """
def squares(x: list[int]) -> int:
    s = 0
    for v in x:
        s += v * v
    return s


def positives(x: list[int]) -> list[int]:
    out = []
    for v in x:
        if v > 0:
            out.append(2 * v)
    return out


def maximum(x: list[int]) -> int:
    best = x[0]
    for v in x[1:]:
        if v > best:
            best = v
    return best


def above(x: list[float], v: float) -> int:
    n = 0
    for each in x:
        if each > v:
            n += 1
    return n


def horner(c: list[float], acc: float) -> float:
    r = 0.0
    for a in c:
        r = r * acc + a
    return r


def running(x: list[float], a: float) -> list[float]:
    out = []
    s = 1.0
    for v in x:
        s = s * a + v
        out.append(s)
    return out


def differences(x: list[float]) -> list[float]:
    return [x[i + 1] - x[i] for i in range(len(x) - 1)]


def weighted(x: list[float]) -> list[float]:
    return [i * x[i] for i in range(len(x))]


def row(a: list[list[float]]) -> list[float]:
    return [2 * v for v in a[0]]
"""
WRITTEN = {  # the line with the value, as a person would write it
    ("c", "squares"): "sum([v * v for v in x])",
    ("c", "dot"): "sum([a * b for a, b in zip(x, y)])",
    ("c", "maximum"): "return max(x[:n])",
    ("c", "positives"): "out_new = [2 * v for v in x if v > 0]",
    ("c", "prefix"): "out[:n] = list(itertools.accumulate(x))",
    ("c", "shifted"): "out[:n] = [v * v_1 + v for v_1 in x]",
    ("c", "shares"): "out[:n] = [0 if v == 0 else truncated(i, 1 if v == 0 else v) for v in x]",
    ("c", "reversed"): "out[:n] = [-v for v in x[:n][::-1]]",
    ("c", "ones"): "out[:n] = [1] * n",
    ("c", "parity"): "functools.reduce(lambda acc, v: 3 * acc + (v & 1), x, 0)",
    ("cpp", "squares"): "return sum([v * v for v in x])",
    ("cpp", "maximum"): "return max(x)",
    ("cpp", "positives"): "return [2 * v for v in x if v > 0]",
    ("py", "squares"): "return sum([v * v for v in x])",
    ("py", "positives"): "return [2 * v for v in x if v > 0]",
    ("py", "maximum"): "return max(x)",
    ("py", "above"): "return sum(v < v_1 for v_1 in x)",
    ("py", "horner"): "return functools.reduce(lambda acc_, v: acc_ * acc + v, c, 0.0)",
    ("py", "running"): "return list(itertools.accumulate(x, lambda acc, v: acc * a + v, initial=1.0))[1:]",
    ("py", "differences"): "return [a - b for a, b in zip(x[1:], x[: max(len(x) - 1, 0)])]",
    ("py", "weighted"): "return [i * x[i] for i in range(len(x))]",
    ("py", "row"): "return [2.0 * v for v in a[0]]",
}


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], FunctionResult]:
    """Each function of the sources."""
    folder = tmp_path_factory.mktemp("lists")

    def one(key: tuple[str, str]) -> FunctionResult:
        suffix, name = key
        path = folder / f"kernels.{suffix}"
        path.write_text({"c": C, "cpp": CPLUSPLUS, "py": PYTHON}[suffix], encoding="utf-8")
        return lift(path, functions=[name], to=("python",), driver="lists", out=folder / suffix).functions[0]

    return Each(one)


@pytest.mark.quick("c-maximum", "c-shares", "c-parity", "cpp-positives", "py-horner", "py-running", "py-differences")
@pytest.mark.parametrize(("language", "name"), WRITTEN)
def test_proved_and_agrees(language: str, name: str, lifted: dict[tuple[str, str], FunctionResult]) -> None:
    function = lifted[language, name]
    assert function.verdict is FunctionVerdict.PROVED, (function.diagnostics, function.attempt)
    target = function.targets["python"]
    assert target.checked is Agreement.AGREES
    assert target.file is not None
    assert WRITTEN[language, name] in Path(target.file).read_text(encoding="utf-8")


def test_what_the_divisor_of_a_function_needs_is_asked_where_it_is_called(
    lifted: dict[tuple[str, str], FunctionResult], tmp_path: Path
) -> None:
    path = tmp_path / "kernels.c"
    path.write_text("void f(int *o, int *x, int i, int n) { for (int k = 0; k < n; k++) o[k] = x[k] / i; }", encoding="utf-8")
    (function,) = lift(path, to=("python",), driver="lists").functions
    assert function.verdict is FunctionVerdict.PROVED
    assert "i != 0" in {each.text for each in function.targets["python"].assumptions}
    stated = {each.text for each in lifted["c", "shares"].targets["python"].assumptions}
    assert stated == {"0 <= int(n)"}  # there the divisor is an element that is not zero


def test_the_certificate_is_proved_again(lifted: dict[tuple[str, str], FunctionResult]) -> None:
    certificate = lifted["c", "parity"].certificate
    assert certificate is not None
    assert pipeline.check(Path(certificate)).ok
