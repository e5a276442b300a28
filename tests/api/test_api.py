"""What `metalift.lift`, `metalift.lifted` and the magic of notebooks give, and what they refuse."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import metalift
from metalift.app.api.given import text_of_function

C = """\
void scale(float *x, int n, float by) {
    for (int i = 0; i < n; i++) x[i] *= by;
}
"""
MODULE = """\
import math
from collections.abc import Sequence
import metalift

FACTOR = 3.0


def helper(a: float) -> float:
    return FACTOR * a


@metalift.lifted(to="numpy")
def total(values: list[float]) -> float:
    found = 0.0
    for value in values:
        found += helper(value)
    return found


@metalift.lifted(to="numpy")
def odd(values: list[float]) -> object:
    return eval("values")


@metalift.lifted(to="numpy", strict=True)
def strictly(values: list[float]) -> object:
    return eval("values")


def plain(values: list[float]) -> float:
    found = 0.0
    for value in values:
        found += math.sqrt(value)
    return found
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module of Python functions."""
    (tmp_path / "decorated_functions.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with monkeypatch.context() as patched:
        patched.delitem(importlib.import_module("sys").modules, "decorated_functions", raising=False)
        yield importlib.import_module("decorated_functions")


def test_a_text_gives_code_a_function_and_a_report() -> None:
    result = metalift.lift(C, to="numpy,pytorch", language="c")
    assert repr(result) == "<<source>: scale PROVED>" and result.ok and len(result) == 1
    scale = result["scale"]
    assert "import numpy" in scale.code and "import torch" in result["scale", "pytorch"].code
    x = np.array([1, 2], np.float32)
    assert scale.function(x, 2, 3.0).tolist() == [3, 6]
    assert scale.function is result["scale"].function
    assert "PROVED" in scale.report() and "1 of 1 function" in result.report()
    page = result._repr_html_()
    assert "<pre>" in page and "&quot;&quot;&quot;" in page and "<source>" not in page


def test_a_target_that_is_not_python_has_a_text_alone() -> None:
    found = metalift.lift(C.replace("*=", "="), to="taco-cpp")["scale"]
    assert found.code
    with pytest.raises(metalift.UsageError, match="not Python"):
        _ = found.function


def test_what_is_not_there_is_said() -> None:
    result = metalift.lift(C, to="numpy")
    with pytest.raises(metalift.UsageError, match="scael"):
        result["scael"]
    with pytest.raises(metalift.UsageError, match="jax"):
        result["scale", "jax"]
    stuck = metalift.lift(f"int poke(void);\n{C.replace('by;', 'by * poke();')}")["scale"]
    with pytest.raises(metalift.NotProved, match="no code for numpy"):
        _ = stuck.code
    with pytest.raises(metalift.UsageError, match="no language"):
        metalift.lift(C, language="fortran")


def test_a_decorated_function_runs_proved_code(module: ModuleType) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert module.total(np.array([1.0, 2.0])) == 9
        vars(module)["FACTOR"] = 4.0
        assert module.total(np.array([1.0, 2.0])) == 12
    with pytest.raises(ValueError, match=r"np\.ndarray"):
        module.total([1.0])


def test_the_original_runs_with_one_warning(module: ModuleType) -> None:
    with pytest.warns(RuntimeWarning, match="odd is not proved, the original runs: .*eval") as told:
        assert [module.odd([1.0]), module.odd([2.0])] == [[1.0], [2.0]]
    assert len(told) == 1 and told[0].filename == __file__
    with pytest.raises(metalift.NotProved, match="eval"):
        module.strictly([1.0])


def test_lines_of_a_function_are_those_of_its_file(module: ModuleType) -> None:
    text = text_of_function(module.plain)
    head = "def plain(values: list[float]) -> float:"
    assert text.text.splitlines().index(head) == MODULE.splitlines().index(head)
    assert "import math" in text.text and "FACTOR" not in text.text
    assert metalift.lift(module.plain)["plain"].ok


def test_functions_that_are_not_their_source_are_refused(module: ModuleType, tmp_path: Path) -> None:
    def inner() -> int:
        return len(MODULE) + captured

    captured = 3
    wrapped = functools.lru_cache(module.plain)
    refused: Callable[..., Any]
    for refused in (inner, wrapped, len, lambda: 0):
        with pytest.raises(metalift.UsageError):
            metalift.lift(refused)
    (tmp_path / "decorated_functions.py").write_text(MODULE.replace("math.sqrt(value)", "value"), encoding="utf-8")
    with pytest.raises(metalift.UsageError, match="what its file now says"):
        metalift.lift(module.plain)


class Shell:
    """What of IPython the magic uses."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}
        self.errors: list[BaseException] = []

    def register_magic_function(self, function: Callable[[str, str], Any], kind: str, name: str) -> None:
        assert (kind, name) == ("cell", "metalift")
        self.run = function

    def push(self, values: dict[str, Any]) -> None:
        self.space.update(values)

    def showtraceback(self, told: tuple[type[BaseException], BaseException, None]) -> None:
        self.errors.append(told[1])


def test_the_magic_defines_what_is_proved() -> None:
    shell = Shell()
    metalift.load_ipython_extension(shell)
    result = shell.run("--to numpy --language c", C)
    assert result["scale"].ok
    assert shell.space["scale"](np.array([2], np.float32), 1, 2.0).tolist() == [4]
    assert shell.run("--to numpi", C) is None and shell.run("--nonsense", C) is None
    assert [type(each) for each in shell.errors] == [metalift.UsageError]
