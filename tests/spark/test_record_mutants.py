"""What is proved of strings, tuples and records is not proved of sources that tell apart, or take apart, something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.changes import refuted_and_not_proved

pytestmark = pytest.mark.quick()

PYTHON = '''
from dataclasses import dataclass


@dataclass
class Trip:
    start: str
    end: str
    seats: int
    legs: int
    fare: float


def kernel(trips: list[Trip], place: str) -> dict[tuple[str, str], float]:
    fares = {}
    for trip in trips:
        if trip.end != place and trip.start != "":
            key = (trip.start, trip.end)
            fares[key] = fares.get(key, 0.0) + trip.seats * trip.fare
    return fares


def sums(pairs: list[tuple[int, int]], words: list[str], word: str) -> tuple[int, int, int]:
    first = 0
    second = 0
    for a, b in pairs:
        first += a
        second += a * b
    count = 0
    for each in words:
        if each == word or each == "a":
            count += 1
    return first, second, count
'''
CPP = """
#include <map>
#include <string>
#include <utility>
#include <vector>
struct Trip { int start; int end; short seats; short legs; double fare; };
std::map<int, double> kernel(const std::vector<Trip> &trips, int place) {
    std::map<int, double> fares;
    for (const Trip &trip : trips)
        if (trip.end != place)
            fares[trip.start] += trip.seats * trip.fare;
    return fares;
}
int sums(const std::vector<std::pair<int, int>> &pairs) {
    int found = 0;
    for (const auto &[a, b] : pairs)
        if (a > b)
            found += a;
    return found;
}
struct Call { std::string from; std::string to; int minutes; };
std::map<std::pair<std::string, std::string>, int> talk(const std::vector<Call> &calls, const std::string &place) {
    std::map<std::pair<std::string, std::string>, int> found;
    for (const Call &call : calls)
        if (call.from != place && call.to != "")
            found[{call.from, call.to}] += call.minutes;
    return found;
}
"""
CHANGES = [
    ("kernel", "(trip.start, trip.end)", "(trip.end, trip.start)"),
    ("kernel", "(trip.start, trip.end)", "(trip.start, trip.start)"),
    ("kernel", "(trip.start, trip.end)", '(trip.start, "b")'),
    ("kernel", "trip.end != place", "trip.start != place"),
    ("kernel", "trip.end != place", "trip.end == place"),
    ("kernel", 'trip.start != ""', 'trip.start != "a"'),
    ("kernel", 'trip.start != ""', "trip.start != place"),
    ("kernel", ' and trip.start != ""', ""),
    ("kernel", "trip.seats * trip.fare", "trip.legs * trip.fare"),
    ("kernel", "trip.seats * trip.fare", "trip.fare"),
    ("sums", "first += a", "first += b"),
    ("sums", "a * b", "b * b"),
    ("sums", "first, second, count", "second, first, count"),
    ("sums", "for a, b in", "for b, a in"),
    ("sums", "each == word", "each != word"),
    ("sums", 'each == "a"', 'each == "b"'),
    ("sums", 'each == word or each == "a"', "each == word"),
]
CPP_CHANGES = [
    ("kernel", "fares[trip.start]", "fares[trip.end]"),
    ("kernel", "fares[trip.start]", "fares[trip.seats]"),
    ("kernel", "trip.end != place", "trip.start != place"),
    ("kernel", "trip.seats *", "trip.legs *"),
    ("kernel", "int start; int end;", "int end; int start;"),
    ("sums", "a > b", "b > a"),
    ("sums", "a > b", "a >= b"),
    ("sums", "found += a", "found += b"),
    ("sums", "[a, b]", "[b, a]"),
    ("talk", "{call.from, call.to}", "{call.to, call.from}"),
    ("talk", "{call.from, call.to}", "{call.from, call.from}"),
    ("talk", "call.from != place", "call.to != place"),
    ("talk", "call.from != place", "call.from == place"),
    ("talk", 'call.to != ""', 'call.to != "a"'),
    ("talk", "std::string from; std::string to;", "std::string to; std::string from;"),
]


@pytest.mark.parametrize(("name", "old", "new"), CHANGES)
def test_python(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.py", name, PYTHON, old, new)


@pytest.mark.parametrize(("name", "old", "new"), CPP_CHANGES)
def test_cplusplus(name: str, old: str, new: str, tmp_path: Path) -> None:
    refuted_and_not_proved(tmp_path / "kernels.cc", name, CPP, old, new)
