"""What rounding alone decides is no difference, and is told; what is wrong differs all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from metalift import lift
from metalift.driver.files import load
from metalift.frontend import import_function, open_source
from metalift.ir.expr.build import at_most
from metalift.ir.expr.nodes import Cast, integer
from metalift.ir.expr.types import INT
from metalift.result import FunctionResult
from metalift.result.verdict import Agreement, FunctionVerdict
from metalift.run.compare.cases import references
from metalift.run.compare.differential import Comparison, Emitted, compare
from metalift.run.compare.undecided import Undecided, span_of, undecided
from metalift.run.workers.native import NativeBuild
from metalift.run.workers.process import Worker

C = """
#include <stdint.h>
void grey(const uint8_t *rgb, uint8_t *o, int n) {
    for (int i = 0; i < n; i++) o[i] = (uint8_t)(0.3 * rgb[3 * i] + 0.59 * rgb[3 * i + 1] + 0.11 * rgb[3 * i + 2]);
}
int tenths(const int *a, int n) { float s = 0; for (int i = 0; i < n; i++) s += a[i] * 0.1f; return (int)s; }
void below(const int *a, const int *b, int *o, int n) { for (int i = 0; i < n; i++) o[i] = a[i] * 0.1f < b[i] * 0.3f; }
int close(const int *a, const int *b, int n) {
    int c = 0;
    for (int i = 0; i < n; i++)
        if (a[i] * 0.1f < b[i] * 0.3f) c++;
    return c;
}
"""
PYTHON = """
def rounded(xs: list[int]) -> list[int]:
    return [int(x * 0.7 + 0.5) for x in xs]


def tenths(xs: list[int]) -> int:
    s = 0.0
    for x in xs:
        s += x * 0.1
    return int(s)


def share(a: int, b: int) -> int:
    return int(100.0 * a / b)


def flags(xs: list[int], t: int) -> list[bool]:
    return [x * 0.1 >= t * 0.3 for x in xs]
"""


@pytest.mark.parametrize(("name", "text"), [("k.c", C), ("k.py", PYTHON)])
def test_what_rounding_decides_is_no_difference(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    found = {each.name: each for each in lift(tmp_path / name).functions}
    assert found
    for each in found.values():
        assert (each.verdict, each.targets["numpy"].checked) == (FunctionVerdict.PROVED, Agreement.AGREES), each.diagnostics
        assert each.targets["numpy"].decided + each.targets["numpy"].undecided > 0, each.name
        assert told(each) == many(each), each.name
    if name == "k.c":
        assert told(found["grey"]) and found["close"].targets["numpy"].undecided > 0


def told(function: FunctionResult) -> bool:
    return any("rounding alone decides" in each.message for each in function.diagnostics)


def many(function: FunctionResult) -> bool:
    target = function.targets["numpy"]
    return target.decided + target.undecided > 0.05 * (target.inputs + target.undecided)


GREY = """def grey(rgb, o, n):
    rgb = rgb[: 3 * n].astype(np.float64)
    o[:n] = (0.3 * rgb[::3] + 0.59 * rgb[1::3] + 0.11 * rgb[2::3]).astype(np.uint8)
    return o
"""
TENTHS = """def tenths(a, n):
    return int(np.sum(a[:n] * np.float32(0.1), dtype=np.float32))
"""
BELOW = """def below(a, b, o, n):
    o[:n] = a[:n] * np.float32(0.1) < b[:n] * np.float32(0.3)
    return o
"""
CLOSE = """def close(a, b, n):
    return int(np.sum(a[:n] * np.float32(0.1) < b[:n] * np.float32(0.3)))
"""


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Comparison]:
    """Runs a function in NumPy beside the function of the same name in C."""
    folder = tmp_path_factory.mktemp("rounding")
    path = folder / "k.c"
    path.write_text(C)
    module = open_source(path)

    def run(code: str) -> Comparison:
        name = code.split("(")[0].removeprefix("def ")
        fragment = import_function(module, name)
        n = next(param.var for param in fragment.params if param.var.name == "n")
        written = tuple(param.var.name for param in fragment.params if param.var.name == "o")
        file = folder / "generated.py"
        file.write_text(f"import numpy as np\n\n\n{code}")
        with NativeBuild(fragment, path) as build, Worker(load("tensor").driver.target("numpy")) as worker:
            found = references(fragment, (at_most(integer(0), Cast(n, INT)),), wanted=150)
            return compare(fragment, found, Emitted(file, name, written), build, worker)

    return run


@pytest.mark.parametrize("code", [GREY, TENTHS, BELOW, CLOSE])
def test_right_code_agrees(code: str, compared: Callable[[str], Comparison]) -> None:
    found = compared(code)
    assert (found.status, found.difference, found.reason) == (Agreement.AGREES, None, "")
    assert found.decided + found.undecided > 0 and found.example


@pytest.mark.quick(every=2)
@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        (GREY, ").astype", " + 1).astype"),
        (GREY, ").astype", " + 0.5).astype"),
        (GREY, ").astype(np.uint8)", ").round().astype(np.uint8)"),
        (GREY, ").astype(np.uint8)", ").astype(np.uint8) + 1"),
        (GREY, ").astype(np.uint8)", " + 5 * ((rgb[::3] == rgb[1::3]) & (rgb[::3] == rgb[2::3]))).astype(np.uint8)"),
        (GREY, "0.59", "0.58"),
        (GREY, "0.11", "0.12"),
        (GREY, "rgb[2::3]", "rgb[1::3]"),
        (TENTHS, "int(np.sum", "round(np.sum"),
        (TENTHS, "32(0.1)", "32(0.101)"),
        (TENTHS, "a[:n]", "a[: n - 1]"),
        (TENTHS, "return int", "return 1 + int"),
        (TENTHS, "return int", "return float"),
        (BELOW, "<", "<="),
        (BELOW, "<", ">"),
        (BELOW, "0.3", "0.4"),
        (CLOSE, "0.1", "0.2"),
        (CLOSE, "<", ">="),
        (CLOSE, "int(", "1 + int("),
    ],
)
def test_wrong_code_differs(code: str, old: str, new: str, compared: Callable[[str], Comparison]) -> None:
    assert code.count(old) == 1
    found = compared(code.replace(old, new))
    assert found.status is Agreement.DIFFERS, found


class Notes:
    """Whether anything was asked that has more than one answer."""

    ambiguous = False


TWO_OR_THREE: dict[str, tuple[Callable[[int], object], object]] = {
    "sum": (lambda u: span_of(u + 1), (3, 4)),
    "difference": (lambda u: span_of(10 - u), (7, 8)),
    "product": (lambda u: span_of(u * -2), (-6, -4)),
    "quotient": (lambda u: u // 2, 1),
    "shift": (lambda u: u >> 1, 1),
    "large": (lambda u: 0 <= u <= 255, True),
    "other": (lambda u: u == 7, False),
    "absent": (lambda u: abs(-u) - u < 4, True),
}
ASKED: dict[str, Callable[[int], object]] = {
    "order": lambda u: u < 3,
    "equality": lambda u: u == 3,
    "place": lambda u: {2: "two", 3: "three"}[u],
    "bits": lambda u: u & 1,
    "remainder": lambda u: 7 % u,
    "divisor": lambda u: 7 // u,
    "branch": lambda u: "yes" if u - 3 else "no",
    "number": lambda u: int(u),
}


@pytest.mark.parametrize("name", TWO_OR_THREE)
def test_two_or_three_is_followed(name: str) -> None:
    notes = Notes()
    number = undecided(3, 2, 3, notes)
    assert isinstance(number, Undecided)
    follow, wanted = TWO_OR_THREE[name]
    assert follow(number) == wanted and not notes.ambiguous


@pytest.mark.parametrize("name", ASKED)
def test_a_question_with_two_answers_is_noticed(name: str) -> None:
    notes = Notes()
    ASKED[name](undecided(3, 2, 3, notes))
    assert notes.ambiguous
