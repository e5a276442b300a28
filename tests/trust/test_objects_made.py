"""Constructors and destructors have no address: they are compared with the compiled source as it calls them."""

from __future__ import annotations

from pathlib import Path

from metalift import lift
from metalift.result.verdict import Agreement, FunctionVerdict

SOURCE = """
class Hidden { int total; int k; explicit Hidden(int start) : total(start), k(2) {} };
struct Filled { int k; float w[4];
  Filled(int a) { k = a; for (int i = 0; i < 4; i++) w[i] = a; }
  Filled(int a, const int *x) { k = a; for (int i = 0; i < 4; i++) w[i] = x[i]; }
  ~Filled() { k = 0; } };
namespace inner { template <class T> struct Box { T v; Box(T a) : v(a + 1) {} ~Box() { v = 0; } }; template struct Box<int>; }
struct Half { int a; int b; Half() { a = 1; } };
"""


def test_constructors_and_destructors_are_compared(tmp_path: Path) -> None:
    (tmp_path / "k.cc").write_text(SOURCE)
    found = lift(tmp_path / "k.cc", to=["numpy"], out=tmp_path / "out").functions
    assert len(found) == 7
    for one in found:
        assert (one.verdict, one.targets["numpy"].checked) == (FunctionVerdict.PROVED, Agreement.AGREES), one
