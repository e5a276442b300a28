"""Paths that only rare elements take have witnesses; what no element satisfies still has none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from tests.support.proofs import Kernel, by_name, evidence, kernel, path_obligations, summary_proved

RECORDS = """#include <string>
#include <vector>
struct E { std::string dept; int age; int salary; };
struct P { int key; int amount; };
"""
PROVED = {
    "a string and two numbers": """int f(const std::vector<E>& es) {
  int n = 0;
  for (const E& e : es) if (e.dept == "eng" && e.age > 40 && e.salary > 100000) n++;
  return n;
}""",
    "else branches": """int f(const std::vector<E>& es) {
  int n = 0;
  for (const E& e : es) {
    if (e.dept == "eng" && e.age > 4000) n += 1;
    else if (e.dept == "ops" && e.salary == -31337) n += 2;
    else n += 3;
  }
  return n;
}""",
    "two fields and a parameter": """int f(const std::vector<P>& ps, int lo) {
  int n = 0;
  for (const P& p : ps) if (p.key > lo && p.key < lo + 3 && p.amount == lo + 5000) n++;
  return n;
}""",
    "two loops": """int f(const std::vector<P>& as, const std::vector<P>& bs) {
  int n = 0;
  for (const P& a : as) for (const P& b : bs) if (a.key == b.key && a.amount > 5000 && b.amount < -300) n++;
  return n;
}""",
    "remainders": """int f(const std::vector<int>& xs) {
  int n = 0;
  for (int x : xs) if (x % 1000 == 7 && x > 123456) n++;
  return n;
}""",
}


def of(text: str, folder: Path) -> Kernel:
    """The function, which may use records."""
    return kernel(RECORDS + text, folder, ".cpp")


@pytest.mark.quick(*(name for name in PROVED if name != "else branches"))
@pytest.mark.parametrize("name", PROVED)
def test_paths_of_rare_elements_are_proved(name: str, tmp_path: Path, pool: SolverPool) -> None:
    made = of(PROVED[name], tmp_path)
    assert summary_proved(made.fragment, made.summary, pool)


def test_a_wrong_summary_is_not_proved_for_want_of_witnesses(tmp_path: Path, pool: SolverPool) -> None:
    made = of(PROVED["remainders"], tmp_path)
    ((name, right),) = made.summary.outputs
    wrong = replace(made.summary, outputs=((name, made.term("0:i32")),))
    assert right != made.term("0:i32")
    assert not summary_proved(made.fragment, wrong, pool)


def test_what_is_assumed_of_all_elements_is_respected(tmp_path: Path, pool: SolverPool) -> None:
    # no element of the parameter is large: nothing may witness the path on which one is
    text = """void f(int *o, const int *x, int n, int big) {
  for (int i = 0; i < n; i++) if (x[i] > 5000 && big > 7000) o[i] = x[i];
}"""
    made = kernel(text, tmp_path)
    small = replace(made.summary, requires=(*made.summary.requires, made.term("int(big) < 10")))
    found = evidence(made.fragment, small, path_obligations(made.fragment, small), pool)
    assert all(one.witness is None or int(str(one.witness["big"])) < 10 for one in found)
    kept = [one for one in found if one.obligation.name.endswith("kept by the body")]
    assert any(one.witness is None and one.settled.reason == "the assumptions rule this path out" for one in kept)


def test_assumptions_that_contradict_each_other_have_no_witness(tmp_path: Path, pool: SolverPool) -> None:
    made = of(PROVED["two fields and a parameter"], tmp_path)
    nothing = (made.term("int(lo) < 0"), made.term("0 < int(lo)"))
    none = replace(made.summary, requires=(*made.summary.requires, *nothing))
    found = evidence(made.fragment, none, path_obligations(made.fragment, none), pool)
    assert all(one.witness is None for one in found)
    assert ObligationVerdict.UNKNOWN in by_name(found).values()
