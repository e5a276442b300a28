"""Python sources from the file to proved code that agrees with what CPython computes, and back from the certificate."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift import lift, pipeline
from metalift.result import FunctionResult
from metalift.result.errors import UsageError
from metalift.result.verdict import Agreement, FunctionVerdict

SOURCE = '''
import math
import numpy as np
import numpy.typing as npt


def scaled(x, factor):
    out = []
    for v in x:
        out.append(factor * v)
    return out


def energy(x: list[float]) -> float:
    return math.sqrt(sum(v * v for v in x))


def add(a: list[list[int]], b: list[list[int]]) -> None:
    for i in range(len(a)):
        for j in range(len(a[i])):
            a[i][j] += b[i][j]


def extremes(x: list[float]) -> tuple[float, float]:
    return min(x), max(x)


def single(x: npt.NDArray[np.float32], s: float) -> npt.NDArray[np.float32]:
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] * s
    return y


def window(x: list[float], first: int, n: int) -> float:
    total = 0.0
    for i in range(n):
        total += x[first + i]
    return total


def turned(m: list[list[int]]) -> list[list[int]]:
    return [list(c) for c in zip(*m[::-1])]


def smoothed(x: list[float], alpha: float) -> list[float]:
    out = [x[0]]
    for v in x[1:]:
        out.append(alpha * v + (1 - alpha) * out[-1])
    return out


def fibonacci(n: int) -> list[int]:
    f = [0, 1]
    for i in range(2, n):
        f.append(f[i - 1] + f[i - 2])
    return f


def delayed(x: list[float], k: int) -> list[float]:
    return [0.0] * k + x


def text(x: str) -> int:
    return len(x.split())
'''


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("python") / "kernels.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def lifted(source: Path, name: str, out: Path) -> FunctionResult:
    (function,) = lift(source, functions=[name], to=("numpy",), out=out).functions
    return function


NAMES = ["scaled", "energy", "add", "extremes", "single", "window", "turned", "smoothed", "fibonacci", "delayed"]


@pytest.mark.parametrize("name", NAMES)
def test_proved_and_agrees(name: str, source: Path, tmp_path: Path) -> None:
    function = lifted(source, name, tmp_path)
    assert function.verdict is FunctionVerdict.PROVED, (function.diagnostics, function.obligations)
    assert function.targets["numpy"].checked is Agreement.AGREES
    assert "the source raises no exception" in {each.text for each in function.assumptions}
    assert function.certificate is not None
    assert pipeline.check(Path(function.certificate)).ok


def test_what_is_no_number_is_not_modelled(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import math\ndef geometric(x: list[float]) -> float:\n    p = 0.0\n    for v in x:\n        if v <= 0:\n"
        "            return float('nan')\n        p += math.log(v)\n    return math.exp(p / len(x))\n"
    )
    function = lifted(tmp_path / "a.py", "geometric", tmp_path)
    assert function.verdict is FunctionVerdict.PROVED
    assert any(each.text.startswith("not return float('nan')") for each in function.assumptions)


def test_guesses_of_types_are_listed(source: Path, tmp_path: Path) -> None:
    stated = {each.text for each in lifted(source, "scaled", tmp_path).assumptions}
    assert "x is taken as list[float]: annotate it to change that" in stated
    assert "factor is taken as float: annotate it to change that" in stated


def test_an_index_that_could_count_from_the_end_is_an_assumption_with_a_guard(source: Path, tmp_path: Path) -> None:
    function = lifted(source, "window", tmp_path)
    assert any(each.text.startswith("first is not negative") for each in function.assumptions)
    file = function.targets["numpy"].file
    assert file is not None and "first" in Path(file).read_text(encoding="utf-8")


def test_what_is_not_modelled_is_unsupported(source: Path, tmp_path: Path) -> None:
    function = lifted(source, "text", tmp_path)
    assert function.verdict is FunctionVerdict.UNSUPPORTED
    (found,) = function.diagnostics
    assert found.file == str(source) and found.line > 1 and found.column > 1 and "the method 'split'" in found.message


def test_the_certificate_is_of_the_source(source: Path, tmp_path: Path) -> None:
    function = lifted(source, "energy", tmp_path)
    assert function.certificate is not None
    recorded = Path(function.certificate) / source.name
    recorded.write_text(SOURCE.replace("v * v", "v + v"), encoding="utf-8")
    assert not pipeline.check(Path(function.certificate)).ok


def test_clang_arguments_are_not_for_python(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="clang does not read"):
        lift(source, to=("numpy",), clang_args=("-O2",), out=tmp_path)


def test_methods_of_the_records_of_a_list(tmp_path: Path) -> None:
    objects = Path(__file__).parent / "sources" / "objects.py"
    results = lift(objects, to=("dataframe",), functions=["lengths", "against"], out=tmp_path).functions
    assert all(each.ok for each in results) and len(results) == 2
