"""An emitted file in the simulator of its target, and what it took, by the simulator's model.

A simulator is the `runner` of a target with a function `costs(run, *args)` beside `load`. Arrays that are not given are random,
of the shapes that the generated function's annotations tell ("float32[m, n]").
"""

from __future__ import annotations

import importlib.util
import inspect
import math
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from metalift.driver import files as driver_files
from metalift.result.errors import UsageError

LARGEST = 1 << 26  # elements of an array that is made here


@dataclass(frozen=True, slots=True)
class Simulated:
    """What a run did. `refused` names what the machine does not do, with the line that asked for it; no results then."""

    file: str
    function: str
    target: str
    arguments: Mapping[str, str]
    results: tuple[str, ...] = ()
    refused: str = ""
    cost: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """One JSON object; the cost is by a model of the machine."""
        return {
            "file": self.file, "function": self.function, "target": self.target, "arguments": dict(self.arguments),
            "results": list(self.results), "refused": self.refused or None,
            "modelled": dict(self.cost) if self.cost is not None else None,
        }  # fmt: skip

    def show(self) -> str:
        """For people."""
        given = ", ".join(f"{name} {text}" for name, text in self.arguments.items())
        lines = [f"{self.function} ({self.file}) in the simulator of {self.target}, which is a model of the machine"]
        lines.append(f"  given    {given}")
        if self.refused:
            return "\n".join([*lines, f"  REFUSED  {self.refused}"])
        lines += [f"  results  {', '.join(self.results) or 'none'}", "  legal    nothing that the machine does not do"]
        for name, value in (self.cost or {}).items():
            parts = ", ".join(f"{key} {number:,}" for key, number in value.items()) if isinstance(value, dict) else f"{value:,}"
            lines.append(f"  modelled {name}: {parts}")
        return "\n".join(lines)


def simulate(
    file: Path, given: Mapping[str, str], *, arrays: Path | None = None, function: str = "", to: str = "",
    seed: int = 0, save: Path | None = None,
) -> Simulated:  # fmt: skip
    """Run one function of an emitted file. Raises UsageError where something is missing, or is not what the function takes."""
    if not file.is_file():
        raise UsageError(f"{file}: no such file; name one that `metalift lift` wrote, such as metalift_out/TARGET/NAME.py")
    target = to or file.resolve().parent.name
    simulator = simulator_of(target, named=bool(to))
    called = function or file.stem
    try:
        run: Callable[..., object] = simulator.load(str(file), called)
    except KeyError:
        raise UsageError(f"{file}: there is no function {called!r} in it; name one by --function") from None
    except Exception as problem:  # the file is anybody's
        raise UsageError(f"{place(problem, file)}the file cannot be loaded: {type(problem).__name__}: {problem}") from problem
    args = arguments(run, file, given, arrays, np.random.default_rng(seed))
    told = {name: shown(value) for name, value in args.items()}
    try:
        results, cost = simulator.costs(run, *args.values())
    except Exception as problem:  # noqa: BLE001  # whatever it is, the kernel did not run to its end
        refused = f"{place(problem, file)}{type(problem).__name__}: {problem}"
        return Simulated(str(file), called, target, told, refused=refused)
    found = results if isinstance(results, tuple) else () if results is None else (results,)
    if save is not None:
        np.savez(save, *found)
    return Simulated(str(file), called, target, told, tuple(map(shown, found)), cost=cost)


def simulator_of(target: str, *, named: bool) -> ModuleType:
    """The simulator of a target. Raises UsageError where there is none."""
    targets = (one for name in driver_files.own() for one in driver_files.load(name).driver.targets)
    runners = {one.name: one.runner for one in targets if one.runner}
    loaded = {name: _module(path) for name, path in runners.items() if name == target or not target}
    if target in loaded and hasattr(loaded[target], "costs"):
        return loaded[target]
    with_costs = ", ".join(name for name, path in runners.items() if hasattr(_module(path), "costs"))
    why = f"there is no simulator of {target!r}" + ("" if named else ", as the folder of the file is called")
    raise UsageError(f"{why}; there are those of {with_costs}: name one by --to")


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"simulator_{path.parent.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments(
    run: Callable[..., object], file: Path, given: Mapping[str, str], arrays: Path | None, random: np.random.Generator
) -> dict[str, object]:
    """The arguments by name: numbers and arrays that are given, random arrays for the others. Raises UsageError."""
    annotations = {name: param.annotation for name, param in inspect.signature(run).parameters.items()}
    loaded = dict(_loaded(arrays, ".npz")) if arrays is not None else {}
    if unknown := [name for name in (*given, *loaded) if name not in annotations]:
        raise UsageError(f"{file}: there is no parameter {unknown[0]!r}; there are {', '.join(annotations) or 'none'}")
    values: dict[str, object] = {}
    for name in annotations:
        if name in given:
            values[name] = _loaded(Path(given[name]), ".npy") if given[name].endswith(".npy") else _number(name, given[name])
        elif name in loaded:
            values[name] = loaded[name] if loaded[name].ndim else loaded[name].item()
    for name, annotation in annotations.items():
        if name not in values and not (isinstance(annotation, str) and annotation.endswith("]")):
            wanted = f"give it by --set {name}=NUMBER, or {name}=FILE.npy for an array"
            raise UsageError(f"{file}: a value of {name} is missing; {wanted}")
    sizes = {name: value for name, value in values.items() if isinstance(value, int)}
    missing = {name: made(annotation, sizes, name, random) for name, annotation in annotations.items() if name not in values}
    return {name: (values | missing)[name] for name in annotations}


def _loaded(path: Path, suffix: str) -> Any:  # noqa: ANN401 (an array, or a file of several)
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as problem:
        raise UsageError(f"{path}: it cannot be read as a file of NumPy arrays ({suffix}): {problem}") from problem


def _number(name: str, text: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise UsageError(f"{name}={text}: it is neither a number nor a file that ends in .npy")


def made(annotation: str, sizes: Mapping[str, int], name: str, random: np.random.Generator) -> np.ndarray[Any, Any]:
    """A random array: floats from 0.5 to 1.5, small integers. Raises UsageError where its shape is not known, or too large."""
    dtype, _, extents = annotation.removesuffix("]").partition("[")
    space = {"__builtins__": {}, "min": min, "max": max, **sizes}
    try:
        shape = tuple(int(each) for each in eval(f"({extents},)", space))  # the file is run anyway
    except Exception as problem:  # noqa: BLE001  # the text is anybody's
        wanted = f"it is {annotation}: give the numbers in it, or the array by --set {name}=FILE.npy"
        raise UsageError(f"the shape of {name} is not known ({problem}); {wanted}") from None
    if min(shape) < 0 or math.prod(shape) > LARGEST:
        raise UsageError(f"{name} would have the shape {shape}, which is negative, or of more than {LARGEST} elements")
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return random.uniform(0.5, 1.5, shape).astype(kind)
    if kind.kind == "b":
        return random.integers(0, 2, shape).astype(kind)
    limits = np.iinfo(kind)
    return random.integers(max(limits.min, -100), min(limits.max, 255), shape, endpoint=True).astype(kind)


def shown(value: object) -> str:
    """A number, or an array's type and shape."""
    if isinstance(value, np.ndarray) and value.ndim:
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return f"{value}"


def place(problem: Exception, file: Path) -> str:
    """The line of the file that an error came through last."""
    if isinstance(problem, SyntaxError) and problem.lineno:
        return f"{file}:{problem.lineno}: "
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if Path(each.filename) == file]
    return f"{file}:{frames[-1].lineno}: " if frames else ""
