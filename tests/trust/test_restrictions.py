"""What the source promises, what it is undefined or throws without, and what only metalift needs are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift
from metalift.check.assumptions import Origin
from metalift.result.verdict import FunctionVerdict

PYTHON = """
def stepped(n: int, k: int) -> int:
    s = 0
    for i in range(0, n, k):
        s += i
    return s

def sliced(x: list[int], n: int) -> int:
    s = 0
    for v in x[:n]:
        s += v
    return s

def asserted(n: int) -> int:
    assert n % 4 == 0
    return n + 1

def refused(n: int) -> int:
    if n < 3:
        raise ValueError("too small")
    return n + 1
"""
CPP = """#include <cstddef>
#include <cstring>
#include <vector>
int at(const std::vector<int>& x, int i) { return x.at(i); }
int absent(const int *x, int n) { if (x == nullptr) return -1; int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
void copied(int *o, const int *x, size_t n) { std::memcpy(o, x, n * sizeof(int)); }
std::vector<int> made(int n) { std::vector<int> r(n); for (int i = 0; i < n; i++) r[i] = i; return r; }
int hinted(int n) { __builtin_assume(n > 2); return n + 1; }
"""
EXPECTED = {
    "stepped": (Origin.RESTRICTION, "the step of a range is positive"),
    "sliced": (Origin.RESTRICTION, "the bound n of a slice is from 0 to the length of the list"),
    "absent": (Origin.RESTRICTION, "x is not a null pointer"),
    "copied": (Origin.RESTRICTION, "the size of a block copy in bytes does not wrap around"),
    "asserted": (Origin.ASSERT, "assert n % 4 == 0"),
    "refused": (Origin.ASSERT, "not raise ValueError('too small')"),
    "hinted": (Origin.ASSERT, "__builtin_assume"),
    "at": (Origin.SOURCE, "at() does not throw"),
    "made": (Origin.SOURCE, "the length of a std::vector is not negative"),
}


@pytest.fixture(scope="module")
def origins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    folder = tmp_path_factory.mktemp("restrictions")
    (folder / "p.py").write_text(PYTHON)
    (folder / "k.cc").write_text(CPP)
    files: list[Path] = [folder / "p.py", folder / "k.cc"]
    found = [one for file in files for one in lift(file, to=["numpy"], out=folder / "out").functions]
    return {one.name: {each.text.partition(" (line")[0]: each.origin for each in one.assumptions} for one in found}


@pytest.mark.parametrize("name", EXPECTED)
def test_where_a_condition_comes_from(name: str, origins: dict[str, dict[str, str]]) -> None:
    origin, text = EXPECTED[name]
    assert origins[name][text] == origin.value


def test_what_a_target_requires_may_leave_no_input_that_the_source_asserts(tmp_path: Path) -> None:
    """The source takes a negative n only, code for arrays none."""
    source = tmp_path / "k.c"
    asserted = "assert(n == m); assert(n == m + 1 || n < 0);"
    loop = "for (int i = 0; i < n; i++) r[i] = a[i] + m;"
    source.write_text(f"#include <assert.h>\nvoid f(const int *a, int *r, int n, int m) {{ {asserted} {loop} }}\n")
    (found,) = lift(source, to=("numpy",), out=tmp_path / "out").functions
    assert found.verdict is FunctionVerdict.VACUOUS
