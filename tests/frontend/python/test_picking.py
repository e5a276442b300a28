"""Functions that pick elements of arrays are read as the libraries compute them."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from numbers import Real
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from metalift.frontend import import_function, open_source
from metalift.ir.expr.types import DOUBLE, MachineInt, TensorType
from metalift.ir.interp.interpret import run

SOURCES = Path(__file__).parent / "sources"
INTEGER = MachineInt(64, True)
TRIALS = 4


def loaded(path: Path) -> ModuleType:
    """A source as a module of its own."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arrays(names: list[str], rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Arguments by their names: a is a matrix, b has three axes, c numbers its rows, i and j index it, the others are vectors."""
    rows, columns = (int(each) for each in rng.integers(3, 6, 2))
    integers = rng.integers(1, 9, (2, rows)) * rng.choice([-1, 1], (2, rows))
    made = {
        "a": rng.integers(-9, 9, (3, 3) if "j" in names else (rows, columns)).astype(float),
        "b": rng.integers(-9, 9, (2, rows, columns)).astype(float),
        "c": rng.integers(0, 3, rows),
        "i": rng.integers(0, 3, 3),
        "j": rng.integers(0, 3, (3, 3)),
        "v": rng.integers(-9, 9, rows).astype(float),
        "w": integers[0].astype(float),
        "k": integers[0],
        "m": integers[1],
    }
    return {name: made[name] for name in names}


def flat(value: object) -> list[float]:
    """The cells of a result of the interpreter, in order."""
    if isinstance(value, list | tuple):
        return [cell for part in value for cell in flat(part)]
    assert isinstance(value, Real)
    return [float(value)]


def agree(path: Path, tensor: Callable[[np.ndarray], object]) -> None:
    """That each function of a source gives what the library gives; `tensor` makes an argument."""
    module, library = open_source(path), loaded(path)
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        names, rng = [each.arg for each in node.args.args], np.random.default_rng(3)
        for _ in range(TRIALS):
            given = arrays(names, rng)
            types = {n: TensorType(DOUBLE if x.dtype == float else INTEGER, x.ndim) for n, x in given.items()}
            fragment = import_function(module, node.name, like=types)
            found = flat(run(fragment, {name: each.tolist() for name, each in given.items()}).result)
            wanted = np.asarray(getattr(library, node.name)(*(tensor(each) for each in given.values())))
            assert found == pytest.approx(wanted.ravel().tolist()), (node.name, given)


def test_of_numpy() -> None:
    agree(SOURCES / "picking_numpy.py", np.asarray)


def test_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    agree(SOURCES / "picking_torch.py", torch.tensor)
