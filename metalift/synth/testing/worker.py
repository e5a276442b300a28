"""The process in which source and emitted code run: `python worker.py` (it imports nothing of metalift).

The first line of standard input is a JSON object that sets limits and the library to import (`numpy` or `pytorch`), the
second the path of a JSON file with the job. Answers are JSON objects, one a line: the library's version; whether the job
could be loaded; then one for each case, in order, so that a crash tells which case it was. Generated modules and the
source are all that is ever executed here; the source by the module that the job names as its `runner`.

A case gives for each parameter a number, a list, {"shape": [...], "cells": [...]} for an array of several axes (row by row), or
{"same": position} for the same array as an earlier parameter, for generated code also {"same": position, "offset": number} for
the part of it that begins there. The answer holds `native` and `emitted`, each either {"error": text}, {"undefined": text}
where the source has no meaning, or {"results": [...], "arrays": [... or null for scalars]}; both are None where not asked for.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol, TypeAlias

Number = bool | int | float
Answer = dict[str, Any]
Argument: TypeAlias = Any  # of JSON: a number, a list, or an object
Tensor: TypeAlias = Any  # of the library
Make = Callable[[list[Number], Sequence[int], str], object]

_NAMES = {"f32": "float32", "f64": "float64", "bool": "bool"}


class Source(Protocol):
    """The source, ready to run."""

    def run(self, args: Sequence[Argument]) -> Answer: ...


class Emitted:
    """A generated module's function."""

    def __init__(self, job: dict[str, Any], library: str, module: ModuleType) -> None:
        self._params: list[dict[str, Any]] = job["params"]
        self._items: list[dict[str, Any]] = job["result"]["items"]
        self._returned = [i for i, param in enumerate(self._params) if param["name"] in job["written"]]
        self._make, self._list = _numpy_arrays(module) if library == "numpy" else _torch_arrays(module)
        self._function: Callable[..., object] = getattr(_module(job["emitted"], "emitted"), job["function"])

    def run(self, args: Sequence[Argument]) -> Answer:
        """Run the function; an exception is an error, with its type in front."""
        passed: list[object] = []
        for param, arg in zip(self._params, args, strict=True):
            passed.append(self._argument(arg, param["dtype"], passed))
        try:
            answer = self._function(*passed)
            return self._answer(answer, passed)
        except Exception as error:  # noqa: BLE001 - whatever generated code raises is what is asked for
            return {"error": f"{type(error).__name__}: {error}"}

    def _argument(self, arg: Argument, dtype: str, passed: Sequence[object]) -> object:
        if isinstance(arg, list):
            return self._make(arg, (len(arg),), dtype)
        if not isinstance(arg, dict):
            return arg
        if "shape" in arg:
            return self._make(arg["cells"], arg["shape"], dtype)
        owner: Any = passed[arg["same"]]
        return owner[arg["offset"] :] if "offset" in arg else owner

    def _answer(self, answer: object, passed: Sequence[object]) -> Answer:
        """The results and the arrays after the call; an array must be changed in place and be what is returned."""
        wanted = len(self._items) + len(self._returned)
        parts = list(answer) if isinstance(answer, tuple) else [] if answer is None and wanted == 0 else [answer]
        if len(parts) != wanted:
            return {"error": f"returned {len(parts)} values, not {wanted}"}
        results = [self._plain(part, item["rank"]) for part, item in zip(parts, self._items, strict=False)]
        arrays = [self._array(arg, p["rank"]) if p["rank"] else None for p, arg in zip(self._params, passed, strict=True)]
        for position, part in zip(self._returned, parts[len(self._items) :], strict=True):
            param = self._params[position]
            if param["kind"] != "pointer":
                arrays[position] = self._array(part, param["rank"])
            elif part is not passed[position]:
                return {"error": f"it returns another array than the one passed as {param['name']}"}
        return {"results": results, "arrays": arrays}

    def _plain(self, value: Tensor, rank: int) -> object:
        if rank:
            return self._array(value, rank)
        return value.item() if hasattr(value, "item") else value

    def _array(self, value: Tensor, rank: int) -> object:
        """An array as it is sent."""
        shape = list(value.shape)
        if len(shape) != rank:
            raise TypeError(f"an array of {len(shape)} axes where {rank} are expected")
        return self._list(value) if rank == 1 else {"shape": shape, "cells": self._list(value.reshape(-1))}


def _long_name(dtype: str) -> str:
    if dtype == "int":
        return "int64"
    return _NAMES.get(dtype) or f"{'uint' if dtype[0] == 'u' else 'int'}{dtype[1:]}"


def _numpy_arrays(numpy: ModuleType) -> tuple[Make, Callable[[Tensor], list[Number]]]:
    def make(cells: list[Number], shape: Sequence[int], dtype: str) -> object:
        return numpy.array(cells, dtype=_long_name(dtype)).reshape(shape)

    return make, lambda array: numpy.asarray(array).tolist()


def _torch_arrays(torch: ModuleType) -> tuple[Make, Callable[[Tensor], list[Number]]]:
    def make(cells: list[Number], shape: Sequence[int], dtype: str) -> object:
        return torch.tensor(cells, dtype=getattr(torch, _long_name(dtype))).reshape(tuple(shape))

    return make, lambda array: torch.as_tensor(array).tolist()


def _module(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _source(job: dict[str, Any]) -> Source | None:
    """The source as its runner makes it."""
    if job["source"] is None:
        return None
    runner = _module(job["source"]["runner"], "runner")
    source: Source = runner.load(job["source"], job["params"], job["result"])
    return source


def _limit(setup: Mapping[str, int]) -> None:
    """Limits of CPU time and memory, and no outliving of the process that asked."""
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CPU, (setup["cpu_seconds"], setup["cpu_seconds"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (setup["memory"], setup["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _die_with(parent: int) -> None:
    """End this process when its parent has ended: Linux could do it, but when the parent's *thread* ends."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)


def _library(name: str) -> tuple[ModuleType, str]:
    if name == "numpy":
        import numpy

        numpy.seterr(all="ignore")
        return numpy, f"numpy {numpy.__version__}"
    import torch

    torch.set_num_threads(1)
    return torch, f"torch {torch.__version__}"


def main() -> None:
    """Serve one job."""
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != os.path.dirname(os.path.realpath(__file__))]
    source = sys.stdin
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)  # what the source prints must not reach the answers

    def answer(value: Answer) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    setup = json.loads(source.readline())
    _limit(setup)
    try:
        module, engine = _library(setup["library"])
    except ImportError as error:
        answer({"missing": str(error)})
        return
    answer({"engine": engine})
    path = source.readline().rstrip("\n")
    if not path:
        return
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    try:
        native = _source(job)
        emitted = Emitted(job, setup["library"], module) if job["emitted"] else None
    except Exception as error:  # noqa: BLE001 - a module that cannot be loaded is an answer
        answer({"failed": f"{type(error).__name__}: {error}"})
        return
    answer({"ready": True})
    for case in job["cases"]:
        answer(
            {
                "native": native.run(case["args"]) if native and case["native"] else None,
                "emitted": emitted.run(case["args"]) if emitted and case["emitted"] else None,
            }
        )


if __name__ == "__main__":
    main()
