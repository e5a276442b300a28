"""Generated code as forms to time: as it is, and compiled by its library."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from metalift.app.batch.speed.measured_arguments import NotMeasurable, Values
from metalift.driver import Target
from metalift.driver.templates import fill_template, name
from metalift.ir.expr.types import TensorType
from metalift.ir.program.fragment import Fragment
from metalift.run.workers.jobs import dtype, engine_entry
from metalift.run.workers.worker import Engine


class Form(Protocol):
    """One way to compute the function."""

    @property
    def name(self) -> str:
        """As it is reported."""

    def prepare(self) -> None:
        """Arguments as they are to be found."""

    def call(self) -> float:
        """Seconds of one call."""

    def outputs(self) -> list[Any]:
        """Results, and the arrays that are written, of one more call."""


class Library:
    """A target's library, loaded once in a process, and what it makes of NumPy's arrays."""

    def __init__(self, target: Target) -> None:
        """Raises NotMeasurable where it is not there, or has no arrays of its own."""
        if target.language != "python" or target.layout is None or target.lists:
            raise NotMeasurable(f"{target.name} has no arrays that could be timed")
        self.target = target
        try:
            self.engine = Engine({**engine_entry(target)})
        except ImportError as problem:
            raise NotMeasurable(f"{target.name} cannot be imported: {problem}") from problem
        self._wait = eval(f"lambda x: {_made(target.engine.wait, ('x',))}", self.engine.space) if target.engine.wait else None

    def array(self, values: Any, code: str) -> Any:  # noqa: ANN401
        """An array of the library."""
        return self.engine.of(values, values.shape, code)

    def wait(self, answer: object) -> None:
        """Until everything in it is computed."""
        if self._wait is not None:
            for part in answer if isinstance(answer, tuple) else (answer,):
                if hasattr(part, "shape"):
                    self._wait(part)

    def compiled(self, function: Callable[..., object], numbers: Sequence[str]) -> Callable[..., object]:
        """The function compiled by the library."""
        text = _made(self.target.engine.compiled, ("f", "numbers"))
        made: Callable[..., object] = eval(f"lambda f, numbers: {text}", self.engine.space)(function, tuple(numbers))
        return made


def _made(template: str, names: Sequence[str]) -> str:
    return ast.unparse(fill_template(template, {each: name(each) for each in names}))


class Emitted:
    """A generated function in a library."""

    def __init__(self, library: Library, file: Path, fragment: Fragment, values: Values, *, compiled: bool = False) -> None:
        self.name = f"{library.target.name} compiled" if compiled else library.target.name
        self._library = library
        self._values = values
        self._params = fragment.params
        function = _function(_module(file))
        numbers = [param.var.name for param in fragment.params if not isinstance(param.var.type, TensorType)]
        spelled = list(inspect.signature(function).parameters)
        indices = [i for i, param in enumerate(fragment.params) if param.var.name in numbers]
        self._function = library.compiled(function, [spelled[i] for i in indices]) if compiled else function
        codes = {param.var.name: dtype(param.var.type) for param in fragment.params}
        changed = values.written if library.engine.in_place else ()
        self._pristine = {key: library.array(values.arrays[key], codes[key]) for key in changed}
        self._codes = codes
        self._arrays = {key: library.array(array, codes[key]) for key, array in values.arrays.items()}

    def prepare(self) -> None:
        """Arrays that it changes in place as they were."""
        for key, array in self._pristine.items():
            self._arrays[key][...] = array

    def call(self) -> float:
        """Seconds with arrays of the library."""
        began = time.perf_counter()
        self._library.wait(self._function(*self._arguments(self._arrays)))
        return time.perf_counter() - began

    def call_converting(self) -> float:
        """Seconds from NumPy's arrays to NumPy's arrays."""
        began = time.perf_counter()
        arrays = {key: self._library.array(array, self._codes[key]) for key, array in self._values.arrays.items()}
        answer = self._function(*self._arguments(arrays))
        self._library.wait(answer)
        self._plain(answer)
        return time.perf_counter() - began

    def outputs(self) -> list[Any]:
        """What it returns: results, then the arrays that it writes."""
        self.prepare()
        return self._plain(self._function(*self._arguments(self._arrays)))

    def _plain(self, answer: object) -> list[Any]:
        parts = answer if isinstance(answer, tuple) else () if answer is None else (answer,)
        return [np.asarray(part) for part in parts]

    def _arguments(self, arrays: dict[str, Any]) -> Iterator[Any]:
        for param in self._params:
            key = param.var.name
            yield arrays[key] if key in arrays else self._values.scalars[key]


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"measured_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _function(module: ModuleType) -> Callable[..., object]:
    """The generated function, the last of the module."""
    own = [each for each in vars(module).values() if inspect.isfunction(each) and each.__module__ == module.__name__]
    return [each for each in own if not each.__name__.startswith("_")][-1]
