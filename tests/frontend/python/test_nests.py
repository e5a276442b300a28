"""Loops of Python functions as units: what they take and leave, which are refused, and the file with calls in their places."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import inspect
import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from metalift import pipeline
from metalift.frontend.python import parse_source
from metalift.frontend.python.nests import PythonNest, find_nests, import_nest
from metalift.ir.program.fragment import Unsupported
from metalift.result.errors import UsageError
from metalift.result.verdict import FunctionVerdict

SOURCE = '''\
import contextlib
import math

import numpy as np

LIMIT = 4.0


def report(a: list[float], n: int):
    out = []
    total = 0.0
    print("begin", len(a))
    for i in range(n):
        out.append(a[i] * 2.0)
        total += a[i]
    with contextlib.redirect_stdout(None):
        print("nothing")
    peak = -1.0
    for value in out:  # over what was made
        if value > peak: peak = value
    for step in range(2):
        print("step", step)
        for i in range(len(out)):
            note = """
    of more than one line"""
            out[i] = out[i] + total
    return out, total, peak


def aliases(a: list[float], n: int):
    b = a
    print("x", file=None)
    for i in range(n):
        b[i] = a[i] + 1.0
    return a


def row(grid: list[list[float]], n: int):
    print("x", file=None)
    first = grid[0]
    for i in range(n):
        first[i] = grid[1][i] + first[i]
    return grid


def one_row(grid: list[list[float]], n: int):
    print("x", file=None)
    out = [[0.0] * 2] * 2
    for i in range(2):
        for j in range(2):
            out[i][j] = grid[i][j]
    return out


def caught(a: list[float], n: int):
    total = 0.0
    try:
        for i in range(n + 3):
            total += a[i]
    except IndexError:
        return total
    return -1.0


def later(a: list[float], n: int):
    k = 1.0
    made = (x * k for x in a)
    for i in range(n):
        k = k + 1.0
    return list(made)


def array(a: list[float], n: int):
    print("x", file=None)
    x = np.array(a)
    y = np.ones(len(a))
    for i in range(len(a)):
        y[i] = x[i] * 2.0 + y[i]
    part = y[1:]
    for i in range(len(part)):
        part[i] = y[i] + 1.0
    return y


def large(n: int):
    values = [10**30, 2]
    s = 0
    print("x", file=None)
    for v in values:
        s += v
    return s


def names(a: list[float], n: int):
    print("x", file=None)
    lifted, problem, np, a_array = 2.0, 3.0, 1.0, [0.0] * 5
    for i in range(n):
        a_array[i] = a[i] * lifted + problem * np
    return a_array


def round_and_round(a: list[float], n: int):
    print("x", file=None)
    i = -1
    for i in range(n):
        if a[i] > LIMIT:
            a[i] = math.sqrt(LIMIT)
    else:
        n = n + 1
    return i, n, a
'''
NUMBERS = [1.5, 2.0, -3.0, 4.25, 5.0]
PROVED = {
    "report": (13, 19, 23),
    "aliases": (33,),
    "row": (41,),
    "one_row": (49,),
    "caught": (58,),
    "later": (68,),
    "array": (77, 80),
    "large": (89,),
    "names": (97,),
    "round_and_round": (105,),
}


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, FunctionVerdict], Path]:
    """The source, what became of its functions and loops, and the file with calls in their places."""
    folder = tmp_path_factory.mktemp("nests")
    path = folder / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    result = pipeline.lift(path, to=("numpy",), nests=True, out=folder / "out")
    assert result.ok
    return path, {each.name: each.verdict for each in result.functions}, Path(result.hosts["numpy"])


def test_loops_of_functions_that_cannot_be_read_are_proved(lifted: tuple[Path, Mapping[str, FunctionVerdict], Path]) -> None:
    wanted = {f"{name}_line{line}" for name, lines in PROVED.items() for line in lines}
    assert {name for name, verdict in lifted[1].items() if verdict is FunctionVerdict.PROVED} == wanted
    assert {name for name, verdict in lifted[1].items() if verdict is FunctionVerdict.UNSUPPORTED} == {*PROVED, "report_line21"}


def run(function: Callable[..., object], n: int) -> tuple[str, str, str]:
    """What it returns or raises, prints, and makes of its arguments."""
    given = {"a": NUMBERS, "n": n, "grid": [[1.0, 2.0], [3.0, 4.0]]}
    args = [copy.deepcopy(given[name]) for name in inspect.signature(function).parameters]
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            answer = repr(function(*args))
        except Exception as problem:  # noqa: BLE001 - the same one has to come
            answer = repr(problem)
    return answer, said.getvalue(), repr(args)


def module(path: Path) -> ModuleType:
    """A file, imported."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("name", PROVED)
def test_the_file_with_calls_does_what_the_source_does(
    name: str, lifted: tuple[Path, Mapping[str, FunctionVerdict], Path]
) -> None:
    source, host = module(lifted[0]), module(lifted[2])
    for n in (-1, 0, 1, 2, 3, 5, 6):
        with warnings.catch_warnings(action="ignore"):
            assert run(getattr(host, name), n) == run(getattr(source, name), n), n


def test_a_call_that_is_refused_is_told(lifted: tuple[Path, Mapping[str, FunctionVerdict], Path]) -> None:
    host = module(lifted[2])
    with pytest.warns(RuntimeWarning, match="line 33 runs as it was written: a and b must be lists that share nothing"):
        run(host.aliases, 2)
    with pytest.warns(RuntimeWarning, match="line 89 runs as it was written"):
        run(host.large, 2)
    with warnings.catch_warnings(action="error"):
        assert run(host.report, 3)[0] == repr(([4.0, 5.0, -5.0], 0.5, 4.0))


def test_a_certificate_of_a_loop_is_checked_again(lifted: tuple[Path, Mapping[str, FunctionVerdict], Path]) -> None:
    folder = lifted[2].parent.parent / "certificates" / "report_line13"
    assert pipeline.check(folder).ok
    recorded = folder / "kernels.py"
    recorded.write_text(recorded.read_text(encoding="utf-8").replace("total += a[i]", "total -= a[i]"), encoding="utf-8")
    assert not pipeline.check(folder).ok


def nest(body: str, *, given: str = "a: list[float], n: int") -> tuple[PythonNest, Callable[[], object]]:
    """The first loop of a function with that body, and how it is read."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    found = find_nests(parse_source(Path("kernels.py"), f"def f({given}):\n{lines}\n"))
    return found.found[0], lambda: import_nest(found, found.found[0])


REFUSED = {
    "for i in range(n):\n    if a[i] > 0.0:\n        return i": "two places",
    "for i in range(n):\n    yield a[i]": "gives control to others",
    "global k\nfor i in range(n):\n    k = i": "declared global",
    "t = 0.0\nfor i in range(n):\n    t += a[i]\nreturn locals()": "uses locals",
    "if n:\n    t = 1.0\nfor i in range(n):\n    a[i] = t": "uses t, which may have no value",
    "for i in range(n):\n    t = a[i]\nreturn t": "sets t, which has no value if",
    "for i in range(n):\n    a[i] = g(a[i])\nif n:\n    g = None": "uses g, which may have no value",
    "t = 1.0\nif n:\n    del t\nfor i in range(n):\n    a[i] = t": "uses t, which may have no value",
    "try:\n    n = n + 1\nexcept ValueError as t:\n    pass\nfor i in range(n):\n    a[i] = t": "uses t, which may have no value",
    "b = [0.0]\nfor i in range(n):\n    b = a\nb[0] = 1.0": "the list b has a second name",
    "p = []\nq = []\nfor i in range(n):\n    p = [a[i]]\n    q = p\nreturn p, q": "has a second name",
    "rows = []\nfor i in range(n):\n    rows.append(a)\nreturn rows": "a list that is put into another",
    "t = 0.0\nfor i in range(n):\n    t += help(a[i])\nreturn t": "the call of help()",
}


@pytest.mark.parametrize("body", REFUSED)
def test_a_loop_that_would_not_be_the_same_is_refused(body: str) -> None:
    found, read = nest(body)
    with pytest.raises(Unsupported) as problem:
        read()
    assert REFUSED[body] in problem.value.diagnostic.message
    assert problem.value.diagnostic.location.line >= found.first


def test_a_loop_does_not_leave_the_one_around_it() -> None:
    text = "def f(n: int):\n while n:\n  for i in range(n):\n   pass\n  else:\n   break\n"
    around, inner = find_nests(parse_source(Path("kernels.py"), text)).found
    assert not around.problem
    assert inner.problem == "leaves the loop around it from its else"


def test_what_is_used_after_a_loop_is_returned() -> None:
    def left(body: str) -> tuple[str, ...]:
        return nest(body)[0].left

    assert left("t = 0.0\nfor i in range(n):\n    t += a[i]\nfor i in range(n):\n    a[i] = t") == ("t",)
    assert left("s = t = 0.0\nfor i in range(n):\n    s, t = t, a[i]\nreturn s") == ("s",)
    assert left("t = 0.0\nfor i in range(n):\n    t += a[i]\nt = 1.0\nreturn t") == ()
    assert left("t = 0.0\ntry:\n    for i in range(n):\n        t += a[i]\n    t = 1.0\nfinally:\n    print(t)") == ("t",)
    assert left("t = 0.0\nwhile n:\n    t += 1.0\n    n -= 1\nelse:\n    print(n)\ndel n, t") == ()
    assert left("t = 0.0\nfor i in range(n):\n    t += a[i]\ndef g():\n    return t\nreturn g") == ("t",)
    assert left("t = 0.0\nfor i in range(n):\n    t += a[i]\nreturn [t for t in a]") == ()


def test_a_line_means_the_loop_that_begins_there(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    found = pipeline.lift(path, to=("numpy",), line=24, out=tmp_path / "out").functions
    assert [(each.name, each.verdict.value, each.split) for each in found] == [
        ("report_line21", "UNSUPPORTED", True),
        ("report_line23", "PROVED", False),
    ]
    with pytest.raises(UsageError, match="no loop at line 12; loop nests begin at the lines 13, 19, 21, 33, 41"):
        pipeline.lift(path, to=("numpy",), line=12, out=tmp_path / "out")
