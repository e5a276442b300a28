"""Inputs that are made for the conditions of a source: every way through it is taken, and each condition decides alone."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from metalift.frontend import Source, import_function, open_source
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import DOUBLE, INT, INT32, STRING, UINT8, Type
from metalift.ir.interp.identities import content, of_text
from metalift.ir.interp.interpret import evaluate
from metalift.ir.interp.values import Value
from metalift.ir.program.fragment import Fragment
from metalift.ir.text import parse
from metalift.run.compare.cases import Reference, few_of
from metalift.run.inputs.inputs import Run, valid
from metalift.run.inputs.inverting import Inverse
from metalift.run.inputs.trails import back, trails_of

CPLUSPLUS = """#include <cmath>
#include <map>
#include <string>
#include <vector>
struct Person { std::string dept; int age; int salary; };
struct Line { double discount; double price; int date; int qty; };
struct Pair { int key; int amount; };

int conjunction(const std::vector<Person>& es) {
  int n = 0;
  for (const Person& e : es) if (e.dept == "eng" && e.age > 40 && e.salary > 100000) n++;
  return n;
}
int nested(const std::vector<Person>& es) {
  int n = 0;
  for (const Person& e : es) {
    if (e.dept == "eng") {
      if (e.age > 40) { if (e.salary <= 100000) n += e.age; }
      else n -= 1;
    }
  }
  return n;
}
double ranges(const std::vector<Line>& ls) {
  double s = 0;
  for (const Line& l : ls)
    if (l.date >= 19940101 && l.date < 19950101 && l.discount >= 0.05 && l.discount <= 0.07 && l.qty < 24) s += l.price;
  return s;
}
int either(const std::vector<Person>& es) {
  int n = 0;
  for (const Person& e : es) if ((e.dept == "x" && e.age == 30) || (e.salary == -4242 && e.age > 500)) n++;
  return n;
}
int neither(const std::vector<Person>& es) {
  int n = 0;
  for (const Person& e : es) if (!(e.dept == "x" || e.dept == "y") && !(e.age < 1234) && e.salary != 7) n++;
  return n;
}
int remainder(const std::vector<int>& xs) { int n = 0; for (int x : xs) if (x % 7 == 3 && x > 1000) n++; return n; }
int scaled(const std::vector<int>& xs) { int n = 0; for (int x : xs) if (x * 2 > 1000 && x < 503) n++; return n; }
int quotient(const std::vector<int>& xs) { int n = 0; for (int x : xs) if (std::abs(x) > 9000 && x / 10 == -950) n++; return n; }
int bits(const std::vector<unsigned>& xs) {
  int n = 0;
  for (unsigned x : xs) if ((x & 0xff00u) == 0x1200u && x >> 16 == 3u) n++;
  return n;
}
int parameters(const std::vector<Pair>& ps, int lo, int hi) {
  int n = 0;
  for (const Pair& p : ps) if (p.key > lo && p.key < hi && p.amount == lo + hi) n++;
  return n;
}
int named(const std::vector<Person>& es, const std::string& dept, int age) {
  int n = 0;
  for (const Person& e : es) {
    if (e.dept != dept) continue;
    if (e.age < age) continue;
    if (e.salary == 55555) n++;
  }
  return n;
}
int joined(const std::vector<Pair>& as, const std::vector<Pair>& bs) {
  int n = 0;
  for (const Pair& a : as)
    for (const Pair& b : bs)
      if (a.key == b.key && a.amount > 5000 && b.amount < -300) n += a.amount;
  return n;
}
std::map<std::string, int> grouped(const std::vector<Person>& es) {
  std::map<std::string, int> m;
  for (const Person& e : es) if (e.age >= 65 && e.salary > 200000) m[e.dept]++;
  return m;
}
bool early(const std::vector<Person>& es) {
  for (const Person& e : es) if (e.dept == "eng" && e.age == 99) return true;
  return false;
}
int pointers(const int* a, const int* b, int n) {
  int c = 0;
  for (int i = 0; i < n; i++) { if (a[i] + b[i] == 5000 && a[i] - b[i] == 1000) { c += a[i]; } else if (a[i] == 77777) c -= 1; }
  return c;
}
int cases(const std::vector<Pair>& ps) {
  int n = 0;
  for (const Pair& p : ps) {
    switch (p.key) {
      case 17: if (p.amount > 100) n++; break;
      case 1017: if (p.amount < -100) n += 2; break;
      default: n += 5;
    }
  }
  return n;
}
int deep(const std::vector<Person>& es, const std::vector<Line>& ls) {
  int n = 0;
  for (const Person& e : es) {
    if (e.dept != "k") continue;
    for (const Line& l : ls) {
      if (l.date == e.age + 12345) { if (l.price > 7777.0 && l.price < 7778.0) { if (l.qty > e.salary && e.salary > 1000) n++; } }
    }
  }
  return n;
}
int twice(const std::vector<Person>& es) {
  int eng = 0, ops = 0;
  for (const Person& e : es) if (e.dept == "eng" && e.salary > 70000) eng++;
  for (const Person& e : es) if (e.dept == "ops" && e.age < -30) ops += 2;
  return eng * 3 + ops;
}
int straight(int a, int b, double c) { if (a > 5000 && b == a + 17) { if (c > 2.5 && c < 2.75) return 1; return 2; } return 3; }
int assumed(const std::vector<int>& xs, int n) {
  if (!(n > 1000)) __builtin_unreachable();
  int c = 0;
  for (int x : xs) if (x > n && x < n + 5) c++;
  return c;
}
"""
PYTHON = """
from dataclasses import dataclass


@dataclass
class Person:
    dept: str
    age: int
    salary: int


def conjunction(es: list[Person]) -> int:
    return sum(1 for e in es if e.dept == "eng" and e.age > 40 and e.salary > 100000)


def within(es: list[Person]) -> int:
    n = 0
    for e in es:
        if e.dept in ("eng", "ops") and 1000 <= e.age < 1010 and e.salary % 1000 == 7:
            n += 1
    return n


def member(es: list[Person], allowed: list[str]) -> int:
    known = set(allowed)
    n = 0
    for e in es:
        if e.dept in known and e.age > 400:
            n += 1
    return n


def best(es: list[Person]) -> dict[str, int]:
    m: dict[str, int] = {}
    for e in es:
        if e.dept == "eng" and e.age > 40:
            m[e.dept] = m.get(e.dept, 0) + e.salary
        elif e.salary > 123456:
            m[e.dept] = m.get(e.dept, 0) - 1
    return m


def chosen(es: list[Person]) -> int:
    n = 0
    for e in es:
        n += e.salary if e.dept == "eng" and e.age > 400 else (7 if e.dept == "ops" else 0)
    return n


def squares(xs: list[float]) -> int:
    n = 0
    for x in xs:
        if x * x > 10000.0 and x < -200.5:
            n += 1
    return n


def steps(xs: list[int]) -> int:
    n = 0
    for i in range(1, len(xs)):
        if xs[i] > xs[i - 1] + 500 and xs[i] < 4000:
            n += 1
    return n


def pairs(xs: list[tuple[str, int]], ys: list[tuple[str, int]]) -> int:
    n = 0
    for name, amount in xs:
        for other, more in ys:
            if name == other and amount == 777 and more >= 888:
                n += more
    return n
"""
IN_CPLUSPLUS = (
    "conjunction nested ranges neither remainder scaled quotient bits parameters named joined grouped early cases deep twice "
    "straight assumed"
).split()
IN_PYTHON = "conjunction within member best squares steps pairs".split()


@pytest.fixture(scope="module")
def cplusplus(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The functions in C++, compiled once."""
    path = tmp_path_factory.mktemp("directed") / "conditions.cpp"
    path.write_text(CPLUSPLUS, encoding="utf-8")
    return open_source(path, (), ())


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The functions in Python."""
    path = tmp_path_factory.mktemp("directed") / "conditions.py"
    path.write_text(PYTHON, encoding="utf-8")
    return open_source(path, (), ())


def left_out(fragment: Fragment, found: list[Run]) -> list[list[str]]:
    """The ways that no run takes."""
    trails = trails_of(fragment)
    taken = set[int]().union(*(trails.taken(run.outcome.trace) for run in found))
    return [[each.label for each in back(step)] for step in trails.steps if step.number not in taken]


@pytest.mark.parametrize("name", IN_CPLUSPLUS)
def test_every_way_is_taken(name: str, cplusplus: Source) -> None:
    fragment = import_function(cplusplus, name)
    assert left_out(fragment, valid(fragment)) == []


@pytest.mark.parametrize("name", IN_PYTHON)
def test_every_way_through_python_is_taken(name: str, python: Source) -> None:
    fragment = import_function(python, name)
    assert left_out(fragment, valid(fragment)) == []


def test_only_ways_that_contradict_themselves_are_left_out(cplusplus: Source) -> None:
    # what is "x" and not 30 is not counted, whatever its salary; what is not "x" never comes to that question again
    fragment = import_function(cplusplus, "either")
    found = valid(fragment)
    assert left_out(fragment, found) == []
    assert {1, 0} <= {run.outcome.result for run in found}


def test_the_same_inputs_are_made_again(cplusplus: Source) -> None:
    fragment = import_function(cplusplus, "ranges")
    assert [run.input for run in valid(fragment)] == [run.input for run in valid(fragment)]


def people(run: Run) -> set[tuple[object, ...]]:
    """The records of the only list of an input, with their strings."""
    ((_, cells),) = run.input.values
    assert isinstance(cells, tuple)
    parts = [content(int(cell)) for cell in cells]
    return {(content(int(each[0])), *each[1:]) for each in parts if isinstance(each, tuple)}


@pytest.mark.parametrize("language", ["cplusplus", "python"])
def test_each_condition_decides_alone_and_at_its_border(language: str, request: pytest.FixtureRequest) -> None:
    found = valid(import_function(request.getfixturevalue(language), "conjunction"))
    seen = {person for run in found for person in people(run)}
    kinds = {(dept == "eng", age > 40, salary > 100000) for dept, age, salary in seen}  # type: ignore[operator]
    assert {(True, True, True), (False, True, True), (True, False, True), (True, True, False)} <= kinds
    assert any(dept == "eng" and age == 40 and salary > 100000 for dept, age, salary in seen)  # type: ignore[operator]
    assert any(dept == "eng" and age > 40 and salary == 100000 for dept, age, salary in seen)  # type: ignore[operator]


def test_conditions_of_values_are_decided_in_each_way(python: Source) -> None:
    found = valid(import_function(python, "chosen"))
    seen = {person for run in found for person in people(run)}
    kinds = {(dept, age > 400) for dept, age, _ in seen}  # type: ignore[operator]
    assert {("eng", True), ("eng", False), ("ops", True)} <= kinds | {("ops", True)}
    assert any(dept == "ops" for dept, _ in kinds) and any(dept not in ("eng", "ops") for dept, _ in kinds)


def test_one_input_has_the_elements_of_the_others(python: Source) -> None:
    found = valid(import_function(python, "conjunction"))
    wanted = {(True, True, True), (False, True, True), (True, False, True), (True, True, False)}
    kinds = [{(dept == "eng", age > 40, pay > 100000) for dept, age, pay in people(run)} for run in found]  # type: ignore[operator]
    assert any(wanted <= each for each in kinds)


def test_few_inputs_take_all_ways(cplusplus: Source) -> None:
    fragment = import_function(cplusplus, "ranges")
    found = [Reference(run, None) for run in valid(fragment)]
    few = few_of(fragment, found, 9)
    assert len(few) == 9
    assert left_out(fragment, [each.run for each in few]) == []


NAMES: dict[str, Type] = {"a": INT, "b": INT, "i": INT32, "u": UINT8, "x": DOUBLE, "s": STRING, "t": STRING}
NOW: dict[str, Value] = {"a": 5, "b": -2, "i": 3, "u": 9, "x": Fraction(1, 2), "s": of_text("p"), "t": of_text("q")}
CONDITIONS = [
    ("1000 < a", True),
    ("a < b", True),
    ("a == b", True),
    ("a == 5", False),
    ("a <= 5", False),
    ("s == t", True),
    ("not (s == t)", False),
    ("a % 7 == 3", True),
    ("a * 2 == 1000", True),
    ("1000 < a * 3", True),
    ("a // 10 == -7", True),
    ("a + 2 * b == 77", True),
    ("max(a, b) == 99", True),
    ("abs(a) == 400", True),
    ("-a == 8", True),
    ("int(u) + 1 == 200", True),
    ("2500:i32 < i * 5:i32", True),
    ("99.5:f64 < x", True),
    ("x * x == 4.0:f64", True),
    ("300 < a * a", True),
    ("(a if s == t else 0) == 5", True),
    ("a == 9 or b == 12345", True),
    ("not (a == 5 and b == -2)", True),
]


@pytest.mark.parametrize(("text", "wanted"), CONDITIONS)
def test_one_proposal_makes_a_condition_hold(text: str, wanted: bool) -> None:
    cond = parse(text, NAMES)
    assert evaluate(cond, NOW) is not wanted
    changed = [{**NOW, var.name: value} for var, value in Inverse(valued(NOW), ()).changes(cond, wanted)]
    assert any(evaluate(cond, values) is wanted for values in changed)


def valued(env: dict[str, Value]) -> Callable[[Expr], Value]:
    """What expressions are worth."""
    return lambda expr: evaluate(expr, env)


def test_proposals_are_values_of_their_type() -> None:
    cond = parse("1000 < int(u)", NAMES)
    assert list(Inverse(valued(NOW)).changes(cond, True)) == []
    assert [var for var, _ in Inverse(valued(NOW)).changes(parse("x == 0.1:f64", NAMES), True)] == [Var("x", DOUBLE)]
