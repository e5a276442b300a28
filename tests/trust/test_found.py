"""Programs that a campaign found: each was lifted, compared or refused wrongly once."""

from __future__ import annotations

from pathlib import Path

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict

DIFFERENT_TYPES = """#include <stdint.h>
int f(int n, const uint8_t *a, int *o) {
  int s = 0;
  for (int i = 0; i < n; i++) { uint8_t t = a[i] + 7; o[i] += t << 2; s += a[i]; }
  return s;
}
"""
DIVIDED_BY_ITSELF = """
int f(unsigned n, const int *a) {
  int s = 0;
  for (unsigned i = 0; i < 7; i += 1) { if ((a[i] / a[i]) < -1) { s = i; break; } s += a[i]; }
  return s;
}
"""

NEGATIVE_DIVISORS = """#include <stdint.h>
uint8_t f(int n) { return (uint8_t)((n & -2) % -1); }
void g(int n, uint16_t *o, uint16_t *a) { for (int k = 0; k < n; k++) o[k] = a[2 * k] / -3 / -1; }
"""

LISTS = """
def until(a: list[float]) -> float:
    s = 0.0
    for x in a:
        if x >= 2.0:
            break
        s += x + 1.0
    return s


def bins(b: list[float], x: float) -> list[float]:
    if x == 0.0:
        return []
    return [v // x for v in b]
"""


def test_arrays_of_different_types_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(DIFFERENT_TYPES)
    (function,) = lift(path, to=["numpy"]).functions
    assert function.verdict is FunctionVerdict.PROVED
    assert function.targets["numpy"].checked is Agreement.AGREES


def test_a_quotient_of_an_unknown_by_itself_is_no_defect(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(DIVIDED_BY_ITSELF)
    (function,) = lift(path, to=["numpy"], timeout=1.0).functions
    assert function.verdict is not FunctionVerdict.ERROR


def test_no_operator_is_used_whose_requirement_nothing_satisfies(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text(NEGATIVE_DIVISORS)
    for function in lift(path, to=["numpy"]).functions:
        assert function.verdict is FunctionVerdict.PROVED, function.name
        assert function.targets["numpy"].checked is Agreement.AGREES


def test_conditions_on_floats_about_how_many_elements_there_are_are_no_defect(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(LISTS)
    until, bins = lift(path, to=["numpy"]).functions
    assert until.verdict is FunctionVerdict.PROVED
    assert until.targets["numpy"].checked is Agreement.AGREES
    assert bins.verdict is FunctionVerdict.PROVED
    assert bins.targets["numpy"].checked is Agreement.AGREES
