"""Elements that satisfy several conditions at once are proved about, and are among those that Spark is run on.

Random records hardly ever are of one department, above one age and below one salary: such inputs are made for the conditions.
"""

from __future__ import annotations

import pytest

from metalift.result import FunctionResult
from tests.support.spark import check_written, lifted_functions, needs_spark

pytestmark = pytest.mark.quick()

CPLUSPLUS = """#include <map>
#include <string>
#include <vector>
struct E { std::string dept; int age; int salary; };
struct L { double discount; double price; int date; int qty; };

int count_big(const std::vector<E>& es) {
  int n = 0;
  for (const E& e : es) if (e.dept == "eng" && e.age > 40 && e.salary > 100000) n++;
  return n;
}
double revenue(const std::vector<L>& ls) {
  double s = 0;
  for (const L& l : ls)
    if (l.date >= 19940101 && l.date < 19950101 && l.discount >= 0.05 && l.discount <= 0.07 && l.qty < 24)
      s += l.price * l.discount;
  return s;
}
int points(const std::vector<E>& es) {
  int n = 0;
  for (const E& e : es) {
    if (e.dept == "eng" && e.age > 40) n += 1;
    else if ((e.dept == "ops" && e.salary > 90000) || !(e.age != 1234 || e.salary == 0)) n += 2;
    else n += 3;
  }
  return n;
}
std::map<std::string, int> seniors(const std::vector<E>& es, int from) {
  std::map<std::string, int> m;
  for (const E& e : es) if (e.age >= from && e.age < from + 10 && e.salary % 1000 == 999) m[e.dept] += e.salary;
  return m;
}
"""
PYTHON = """
from dataclasses import dataclass


@dataclass
class E:
    dept: str
    age: int
    salary: int


def count_big(es: list[E]) -> int:
    return sum(1 for e in es if e.dept == "eng" and e.age > 40 and e.salary > 100000)


def some(es: list[E], allowed: list[str]) -> int:
    known = set(allowed)
    n = 0
    for e in es:
        if e.dept in known and e.salary in (70707, 90909) and not e.age < 300:
            n += e.age
    return n


def adjusted(es: list[E]) -> dict[str, int]:
    m: dict[str, int] = {}
    for e in es:
        if e.dept == "eng" and 1000 <= e.age < 1010:
            m[e.dept] = m.get(e.dept, 0) + e.salary
        elif e.salary > 123456:
            m[e.dept] = m.get(e.dept, 0) - 1
    return m
"""
IN_CPLUSPLUS = {
    "count_big": '(v.dept == "eng" and v.age > 40) and v.salary > 100000',
    "revenue": "v.discount <= 0.07) and v.qty < 24",
    "points": "1234",
    "seniors": "999",
}
IN_PYTHON = {"count_big": '(v.dept == "eng" and v.age > 40) and v.salary > 100000', "some": "70707", "adjusted": "123456"}


@pytest.fixture(scope="module")
def cplusplus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    """The functions of the C++ source, lifted."""
    return lifted_functions(CPLUSPLUS, tmp_path_factory.mktemp("conditions"), ".cpp")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FunctionResult]:
    """The functions of the Python source, lifted."""
    return lifted_functions(PYTHON, tmp_path_factory.mktemp("conditions"))


@needs_spark
@pytest.mark.parametrize("name", IN_CPLUSPLUS)
def test_conjunctions_of_vectors_of_structs_are_proved(name: str, cplusplus: dict[str, FunctionResult]) -> None:
    check_written(cplusplus[name], {"rdd": [IN_CPLUSPLUS[name]], "dataframe": []})


@needs_spark
@pytest.mark.parametrize("name", IN_PYTHON)
def test_conjunctions_of_lists_of_records_are_proved(name: str, python: dict[str, FunctionResult]) -> None:
    check_written(python[name], {"rdd": [IN_PYTHON[name]], "dataframe": []})
