"""Numbers of which a condition decides how they are computed: the code chooses first, so that it reads what the source reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from drivers.tensor import driver
from metalift import lift
from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Call, Expr, Ite, type_of
from metalift.prove.solver import SolverPool
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.synth.cover import cover
from tests.support.proofs import kernel, program_proved

CHOICES = {  # the last line of the code for NumPy
    "int f(const int *a, int n, int k) { return 0 <= k && k < n ? a[k] : -1; }": "return a[k].item() if 0 <= k and k < n else -1",
    "int f(const int *a, const int *b, int n, int m, int k) { return k < n ? a[k] : k < n + m ? b[k - n] : 0; }": (
        "return a[k].item() if k < n else b[k - n].item() if k < n + m else 0"
    ),
    "float f(const float *a, int n) { if (n < 2) return 0; float m = a[0]; for (int i = 1; i < n; i++) if (a[i] > m) m = a[i]; "
    "return m; }": "return np.max(a)",
    "int f(const int *a, int n) { return n > 0 && a[0] >= 0 && a[0] < n ? a[a[0]] : 0; }": (
        "return a[a[0].astype(np.int64)].item() if 0 < n and ((a[0] >= 0) & (a[0] < n)).item() else 0"
    ),
    "void f(float *o, const float *a, int n, int k) { o[0] = k >= 0 && k < n ? a[k] * 2 : 0; }": (
        "o[0] = (a[k] * 2.0).item() if 0 <= k and k < n else 0.0"
    ),
    "int f(const int *a, int n, int i, int j, int w) { return i >= 0 && j >= 0 && i < n && j < w ? a[i * w + j] : 0; }": (
        "return a[i * w + j].item() if ((0 <= i and 0 <= j) and i < n) and j < w else 0"
    ),
    "int f(const int *a, int n, int x) { int k = 0; while (k < n && a[k] < x) k++; return k < n ? a[k] : 0; }": (
        "return a[k.astype(np.int64)].item() if k < n else 0"
    ),
    "int f(const int *a, int n, int x) { int lo = 0, hi = n; while (lo < hi) { int m = lo + (hi - lo) / 2; "
    "if (a[m] < x) lo = m + 1; else hi = m; } return lo < n && a[lo] == x ? lo : -1; }": (
        "return lo if lo < n and a[lo].item() == x else -1"
    ),
}
EXTENTS = ("n", "n", "n", "n", "n", "n * w", "n", "")  # the elements that `a` needs


@pytest.mark.parametrize(("source", "extent"), list(zip(CHOICES, EXTENTS, strict=True)))
def test_the_code_chooses_before_it_reads(source: str, extent: str, tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(source)
    (found,) = lift(tmp_path / "k.c", to="numpy").functions
    assert found.verdict is FunctionVerdict.PROVED
    assert found.targets["numpy"].checked is Agreement.AGREES
    lines = [line.strip() for line in found.targets["numpy"].code.splitlines()]
    assert CHOICES[source] in lines
    assert any(line.startswith('_check("a"') and line.endswith(f", {extent})" if extent else "32)") for line in lines)


def test_nothing_of_an_array_is_required_where_it_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "k.cc").write_text(
        "#include <vector>\n"
        "double f(const std::vector<double> &v) {"
        " if (v.empty()) return 0; double s = 0; for (double x : v) s += x; return s / v.size(); }\n"
    )
    (found,) = lift(tmp_path / "k.cc").functions
    assert found.verdict is FunctionVerdict.PROVED
    assert "len(v) >=" not in found.targets["numpy"].code
    assert "    if len(v) == 0:\n        return 0.0\n    return np.mean(v)\n" in found.targets["numpy"].code


@pytest.mark.parametrize("wrong", ["eager", "negated", "swapped", "then", "other"])
def test_wrong_choices_are_not_proved(wrong: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel("int f(const int *a, int n, int k) { return 0 <= k && k < n ? a[k] : 0; }", tmp_path)
    program = cover(made.summary, made.fragment, driver, "numpy")
    assert isinstance(program.result, Ite)
    cond, then, other = program.result.cond, program.result.then, program.result.other
    results: dict[str, Expr] = {
        "eager": Call("where", (cond, then, other), type_of(then)),
        "negated": Ite(neg(cond), then, other),
        "swapped": Ite(cond, other, then),
        "then": then,
        "other": other,
    }
    assert program_proved(made.fragment, made.summary, program, driver, pool)
    assert not program_proved(made.fragment, made.summary, replace(program, result=results[wrong]), driver, pool)


def test_steps_of_a_loop_choose_as_a_person_would_write_it(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(
        "def f(xs: list[int], v: int) -> int:\n    lo, hi = 0, len(xs)\n    while lo < hi:\n        mid = (lo + hi) // 2\n"
        "        if xs[mid] < v:\n            lo = mid + 1\n        else:\n            hi = mid\n    return lo\n"
    )
    (found,) = lift(tmp_path / "k.py").functions
    assert (found.verdict, found.targets["numpy"].checked) == (FunctionVerdict.PROVED, Agreement.AGREES)
    assert "hi if xs[(hi + lo) // 2].item() < v else (hi + lo) // 2" in found.targets["numpy"].code
