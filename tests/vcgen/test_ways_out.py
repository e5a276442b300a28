"""Loops that are left from several places, with other values on each way: what is known behind them holds on all ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result.verdict import FunctionVerdict

SOURCES = {
    "another_value": """\
int another_value(const int *a, int n) {
  int i = 0, k = 0;
  while (i < n) { if (a[i] == 7) { k = -3; break; } k += 2; i++; }
  return k;
}
""",
    "three_ways": """\
int three_ways(const int *a, int n) {
  int i = 0, k = 0;
  while (i < n) { k = i; if (a[i] < 0) break; if (a[i] > 100) { k = i + 1; break; } i++; }
  return k * 2 + i;
}
""",
    "stores_on_one": """\
int stores_on_one(const int *a, int n, int *out) {
  int i = 0, k = 0;
  while (i < n && a[i] != 0) { if (a[i] > 9) { out[0] = i; i += 5; break; } k++; i++; }
  out[1] = k;
  out[2] = i;
  return i - k;
}
""",
    "jumps": """\
int jumps(const int *a, int n) {
  int i = n;
  while (i > 0) { i--; if (a[i] == 1) goto out; if (a[i] == 2) { i = i - 1; goto out; } }
  i = 99;
out:
  return i;
}
""",
    "returns_behind": """\
int returns_behind(int *a, int n) {
  int i = n - 2;
  while (i >= 0 && a[i] >= a[i + 1]) i--;
  if (i < 0) return 0;
  a[i] = 3;
  return 1;
}
""",
    "remainders": """\
int remainders(int a, int b) {
  while (b != 0) { int r = a % b; a = b; b = r; }
  return a;
}
""",
}


@pytest.mark.quick(every=3)
@pytest.mark.parametrize("name", SOURCES)
def test_it_is_proved_and_its_certificate_checked(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.c"
    path.write_text(SOURCES[name])
    (function,) = lift(path, to=("numpy",), out=tmp_path, timeout=20.0).functions
    assert function.verdict is FunctionVerdict.PROVED, function.diagnostics
    assert function.certificate is not None and pipeline.check(Path(function.certificate)).ok
