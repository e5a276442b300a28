"""Array code is read as what NumPy computes: random statements, and functions from the file to proved code."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import array_programs
from benchmarks.array_statements import exact, one, same
from metalift import lift
from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, MachineInt, ScalarType
from metalift.ir.interp.interpret import run
from metalift.ir.program.fragment import Unsupported
from metalift.result.verdict import Agreement, FunctionVerdict

SOURCE = '''
import numpy as np
from numpy.typing import NDArray


def standardise(a: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    for i in range(a.shape[0]):
        row = a[i, :]
        out[i] = (row.dot(x) - np.mean(row)) / np.max(np.abs(row))


def relax(u: np.ndarray, steps: int, k: float) -> np.ndarray:
    for t in range(steps):
        u[1:-1] = u[1:-1] + k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def without_annotations(x):
    return x / np.sqrt(np.sum(x**2, axis=1, keepdims=True))


def wrapping(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return a + b


def column_seen_later(q: np.ndarray) -> np.ndarray:
    first = q[:, 0]
    q[:, 0] = 0.0
    return first + 1
'''
LISTED = {
    "standardise": "a is taken as NDArray[np.float64] of 2 axes",
    "without_annotations": "x is taken as NDArray[np.float64] of 2 axes",
    "relax": "u is taken as NDArray[np.float64]",
}


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_statements_do_what_numpy_does(start: int) -> None:
    found = [one(random.Random(f"test {number}")) for number in range(start, start + 100)]
    assert [text for fate, text in found if fate == "DIFFER"] == []
    assert sum(fate == "agree" for fate, _ in found) >= 50


@pytest.mark.parametrize(
    "dtype, element, code, expected",
    [
        ("uint8", 200, "a.max() ** 2", MachineInt(8, False)),  # 64, and no warning
        ("int8", 50, "a[0] ** 2", MachineInt(8, True)),
        ("uint8", 139, "a[0] << 3", MachineInt(8, False)),
        ("uint8", 1, "a[0] - 2", MachineInt(8, False)),  # 255, and a warning
        ("uint8", 1, "int(a.max() - np.uint8(2)) < 0", BOOL),
        ("int8", -128, "abs(a[0])", MachineInt(8, True)),
        ("int8", -128, "-a[0]", MachineInt(8, True)),
        ("int16", -32768, "a[0] // -1", MachineInt(16, True)),
        ("uint32", 2531232561, "a[0] ^ (a[0] << np.uint32(13))", MachineInt(32, False)),
        ("uint64", 2**64 - 1, "a[0] * a[0] + 7", MachineInt(64, False)),
        ("uint8", 36, "a[0] / 300", DOUBLE),
        ("uint16", 12, "np.sqrt(a.max() + 200)", FLOAT),
        ("bool", True, "max(a)", BOOL),
        ("float32", 0.5, "(np.float64(2) * a)[0]", DOUBLE),
        ("float32", 0.5, "2.0 * a.max()", FLOAT),
    ],
)
def test_single_numbers_of_numpy_keep_their_dtype(dtype: str, element: object, code: str, expected: ScalarType) -> None:
    text = f'import numpy as np\n\ndef f(a: "np.ndarray[tuple[int], np.dtype[np.{dtype}]]"):\n    return {code}\n'
    fragment = import_python(parse_source(Path("one.py"), text), "f")
    assert fragment.result == expected
    array = np.array([element], dtype=dtype)
    with np.errstate(all="ignore"):
        wanted = eval(code, {"np": np, "a": array})  # noqa: S307 (the code is written above)
    assert same(run(fragment, {"a": exact(array)}).result, wanted, expected)


OF_EITHER_KIND = """
import numpy as np
from numpy.typing import NDArray

def total(x: NDArray[np.uint8]):
    s = 0
    for v in x:
        s += v
    return s

def largest(x: NDArray[np.int8], low: int):
    best = low
    for v in x:
        best = max(best, int(v))
    return best

def clamped(x: NDArray[np.int16], low: int):
    return min(max(x[0], low), 300)

def last_above(x: NDArray[np.uint8]):
    last = 0
    for v in x:
        if v > last:
            last = v
    return int(last) - 10

def stored(x: NDArray[np.uint8]):
    out = [0] * len(x)
    for i in range(len(x)):
        if x[i] > 4:
            out[i] = x[i]
    return out
"""


@pytest.mark.parametrize("name", ["total", "largest", "clamped", "last_above", "stored"])
def test_numbers_of_either_kind_are_taken_where_it_does_not_matter(name: str) -> None:
    fragment = import_python(parse_source(Path("kinds.py"), OF_EITHER_KIND), name)
    names: dict[str, Any] = {}
    exec(OF_EITHER_KIND, names)
    for cells in ([200, 100, 7], [3], [5, 4, 255]):
        dtype = {"largest": np.int8, "clamped": np.int16}.get(name, np.uint8)
        x = np.array(cells).astype(dtype)
        for low in (-400, 0, 1000):
            rest = [low] if "low" in {param.var.name for param in fragment.params} else []
            with np.errstate(all="ignore"):
                wanted = names[name](x, *rest)
            found = run(fragment, {"x": exact(x), **({"low": low} if rest else {})}).result
            assert found == wanted


def test_random_programs_do_what_numpy_does() -> None:
    found = [array_programs.one(random.Random(f"test {number}")) for number in range(100)]
    assert [text for fate, text in found if fate == "DIFFER"] == []
    assert sum(fate == "agree" for fate, _ in found) >= 50


def test_array_code_is_proved(tmp_path: Path) -> None:
    (path := tmp_path / "arrays.py").write_text(SOURCE)
    results = lift(path, to=["numpy"], out=tmp_path / "out").functions
    for result in results:
        assert result.verdict is FunctionVerdict.PROVED, result.name
        assert result.targets["numpy"].checked is Agreement.AGREES, result.name
        assert any(LISTED.get(result.name, "") in each.text for each in result.assumptions), result.assumptions


@pytest.mark.parametrize("result", ["a.max() - b.min()", "(a & a).any() + b.max()"])
def test_a_truth_value_and_an_integer_that_may_wrap_around_are_not_added(tmp_path: Path, result: str) -> None:
    types = 'a: "np.ndarray[tuple[int], np.dtype[np.bool]]", b: "np.ndarray[tuple[int], np.dtype[np.uint8]]"'
    (tmp_path / "script.py").write_text(f"import numpy as np\n\n\ndef f({types}):\n    return {result}\n")
    with pytest.raises(Unsupported, match="may wrap around"):
        import_python(parse_source(tmp_path / "script.py"), "f")
