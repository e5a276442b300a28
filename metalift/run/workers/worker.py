"""The process in which source and emitted code run: `python worker.py` (it imports nothing of metalift).

The first line of standard input is a JSON object with limits and with what the target's driver says of its library: import
statements, and expressions that give its version, make arrays and read them. The second line is the path of a JSON file with
the job. Answers are JSON objects, one a line: the library's version; whether the job could be loaded; then one for each case,
in order, so that a crash tells which case it was. Beside the driver's statements, generated modules and the source are all that
is ever executed here; the source by the module that the job names as its `runner`, and generated text that is not Python by the
module that the target names. A library that one process keeps for all functions is in that process (`served.py`), to which the
cases are passed on.

A case gives for each parameter a number, a list, {"shape": [...], "cells": [...]} for an array of several axes (row by row), or
{"same": position} for the same array as an earlier parameter, for generated code also {"same": position, "offset": number} for
the part of it that begins there. The answer holds `native` and `emitted`, each either {"error": text}, {"undefined": text}
where the source has no meaning, or {"results": [...], "arrays": [... or null for scalars]}; both are None where not asked for. A
dictionary or set that is the result is {"items": [[key, value], ...]} in addition, the values of a set 0, those that are tuples
one after another. Several results of which some are such are {"parts": [...]}, of which each is such pairs or {"value": ...}.

`python worker.py DESCRIPTOR` imports the library once, and from then on forks a worker for each job. The descriptor is that of a
local socket which keeps messages apart. The first message is what the driver says of its library. Then come {"start": number},
with the descriptors of the worker's standard streams, and {"end": number, "patience": seconds, "answer": true}, after which the
worker is killed if it still runs; the answer, where one is wanted, is {"status": ...}, negative for a signal.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any, NoReturn, Protocol, TextIO, TypeAlias

Number: TypeAlias = "bool | int | float | str | tuple[Any, ...]"
Answer = dict[str, Any]
Argument: TypeAlias = Any  # of JSON: a number, a list, or an object
Tensor: TypeAlias = Any  # of the library
Nested: TypeAlias = Any  # a number, or lists of lists of them


FILE_SIZE = 1 << 28  # bytes
MESSAGE_SIZE = 1 << 17  # bytes
TASKS = "/proc/self/task"


class Source(Protocol):
    """The source, ready to run."""

    def run(self, args: Sequence[Argument]) -> Answer: ...


class Engine:
    """A target's library, by what its driver says: how arrays are made and read, and what element types are called."""

    def __init__(self, setup: Mapping[str, Any]) -> None:
        """Raises ImportError where the library is not there."""
        space: dict[str, Any] = {"sys": sys}
        self.space = space
        for statement in (*setup["imports"], setup["setup"]):
            exec(statement, space)
        self.version = str(eval(setup["version"], space))
        self.in_place: bool = setup["in_place"]
        self._runner: str | None = setup["runner"]
        self.immutable: bool = setup["immutable"]
        self._dtypes = {name: eval(spelled, space) for name, spelled in setup["dtypes"].items()}
        self._record: Callable[[str, list[Any]], Any] = eval(f"lambda of, fields: {setup['record'] or None}", space)
        self._array: Callable[[Nested, Any], Tensor] = eval(f"lambda value, dtype: {setup['array']}", space)
        self._plain: Callable[[Tensor], Nested] = eval(f"lambda x: {setup['plain']}", space)
        self.items: Callable[[object], list[list[Any]]] = eval(f"lambda x: {setup['items']}", space)
        self.members: Callable[[object], list[Any]] = eval(f"lambda x: {setup['members']}", space)
        self._reshape: Callable[[Tensor, Sequence[int]], Tensor] = eval(f"lambda x, shape: {setup['reshape'] or 'x'}", space)

    def function(self, path: str, called: str) -> Callable[..., object]:
        """A function of a generated file, which is Python, or is run by the module that the target names."""
        if self._runner is None:
            function: Callable[..., object] = getattr(_module(path, "emitted"), called)
            return function
        loaded: Callable[..., object] = _module(self._runner, "target_runner").load(path, called)
        return loaded

    def make(self, cells: list[Number], shape: Sequence[int], dtype: str, fields: Sequence[Any] = ()) -> Tensor:
        """An array with these elements, row by row."""
        return self.of(_nested(cells, shape), shape, dtype, fields)

    def type(self, dtype: str, fields: Sequence[Any]) -> Any:  # noqa: ANN401 - what the library calls it
        """The library's name of an element type."""
        parts = [(name, self.type(part, inner)) for name, part, inner in fields]
        return self._record(dtype, parts) if parts else self._dtypes.get(dtype)

    def of(self, nested: Nested, shape: Sequence[int], dtype: str, fields: Sequence[Any] = ()) -> Tensor:
        """An array of nested lists, which do not tell the shape of one without elements."""
        made = self._array(nested, self.type(dtype, fields))
        return self._reshape(made, tuple(shape)) if 0 in shape else made

    def value(self, given: Any, dtype: str, fields: Sequence[Any]) -> object:  # noqa: ANN401 - of JSON
        """A scalar, or the record that an object or list of JSON is."""
        made = self.type(dtype, fields) if fields else None
        return made(given) if callable(made) else given

    def plain(self, value: Tensor) -> Nested:
        """A number or an array in Python's numbers and lists."""
        return value if isinstance(value, bool | int | float | str | tuple) else self._plain(value)

    def number(self, value: Tensor) -> Number:
        """A Python number, of one or of an array without axes."""
        plain = self.plain(value)
        if not isinstance(plain, bool | int | float | str | tuple):
            raise TypeError(f"{type(value).__name__} where a number is expected")
        return plain

    def array(self, value: Tensor, rank: int) -> Answer | list[Number]:
        """An array as it is sent."""
        nested = self._plain(value)
        shape = list(value.shape) if hasattr(value, "shape") else _shape(nested)
        if len(shape) != rank:
            raise TypeError(f"an array of {len(shape)} axes where {rank} are expected")
        return nested if rank == 1 else {"shape": shape, "cells": _cells(nested, rank)}


def _nested(cells: list[Number], shape: Sequence[int]) -> Nested:
    if len(shape) == 1:
        return cells
    step = len(cells) // shape[0] if shape[0] else 0
    return [_nested(cells[row * step : (row + 1) * step], shape[1:]) for row in range(shape[0])]


def _shape(nested: Nested) -> list[int]:
    if not isinstance(nested, list):
        return []
    return [len(nested), *(_shape(nested[0]) if nested else [])]


def _cells(nested: Nested, rank: int) -> list[Number]:
    return nested if rank == 1 else [cell for row in nested for cell in _cells(row, rank - 1)]


class Emitted:
    """A generated module's function."""

    def __init__(self, job: dict[str, Any], engine: Engine) -> None:
        self._params: list[dict[str, Any]] = job["params"]
        self._result: dict[str, Any] = job["result"]
        self._kind: str = self._result["kind"]
        self._items: list[dict[str, Any]] = job["result"]["items"]
        self._form: list[Any] | None = self._result.get("form")
        self._returned = [i for i, param in enumerate(self._params) if param["name"] in job["written"]]
        self._engine = engine
        self._function: Callable[..., object] = engine.function(job["emitted"], job["function"])

    def run(self, args: Sequence[Argument]) -> Answer:
        """Run the function; an exception is an error, with its type in front."""
        passed: list[object] = []
        for param, arg in zip(self._params, args, strict=True):
            passed.append(self._argument(arg, param, passed))
        try:
            answer = self._function(*passed)
            if self._kind in ("dict", "set", "several"):
                return self._keyed(answer, args)
            return self._answer(answer, passed, args)
        except Exception as error:  # noqa: BLE001 - whatever generated code raises is what is asked for
            return {"error": f"{type(error).__name__}: {error}"}

    def _keyed(self, answer: object, args: Sequence[Argument]) -> Answer:
        """A dictionary or set, or several results with such ones, of a library that changes no arrays."""
        arrays = [arg if param["rank"] else None for param, arg in zip(self._params, args, strict=True)]
        if self._kind != "several":
            return {"results": [], "items": self._entries(answer, self._result), "arrays": arrays}
        results = self._result["parts"]
        if not isinstance(answer, tuple) or len(answer) != len(results):
            return {"error": f"it does not return {len(results)} values"}
        parts = [
            {"value": self._sent(part, each["items"][0]["rank"])} if each["kind"] == "value" else self._entries(part, each)
            for part, each in zip(answer, results, strict=True)
        ]
        return {"results": [], "parts": parts, "arrays": arrays}

    def _entries(self, answer: object, result: Mapping[str, Any]) -> list[list[Any]]:
        engine = self._engine
        given = engine.items(answer) if result["kind"] == "dict" else [[key, 0] for key in engine.members(answer)]
        if len(result["items"]) > 2:  # the key, and parts of a value
            given = [[key, *value] for key, value in given]
        return [[engine.number(part) for part in pair] for pair in given]

    def _argument(self, arg: Argument, param: Mapping[str, Any], passed: Sequence[object]) -> object:
        if not param["rank"]:
            return self._engine.value(arg, param["dtype"], param.get("fields", ()))
        if isinstance(arg, list):
            return self._engine.make(arg, (len(arg),), param["dtype"], param.get("fields", ()))
        if "shape" in arg:
            return self._engine.make(arg["cells"], arg["shape"], param["dtype"])
        owner: Any = passed[arg["same"]]
        return owner[arg["offset"] :] if "offset" in arg else owner

    def _answer(self, answer: object, passed: Sequence[object], args: Sequence[Argument]) -> Answer:
        """The results and the arrays after the call; an array must be what is returned, and changed in place if it can be."""
        wanted = len(self._items) + len(self._returned)
        if self._form is not None:  # what is written is behind it
            given = answer if isinstance(answer, tuple) and (self._returned or not self._form[0]) else (answer,)
            count = len(given) - len(self._returned)
            result = given[:count] if self._form[1] is not None and not self._form[0] else given[0]
            answer = (*_beside("python_run").in_a_row(result, self._form, iter(self._items)), *given[count:])
        parts = list(answer) if isinstance(answer, tuple) else [] if answer is None and wanted == 0 else [answer]
        if len(parts) != wanted:
            return {"error": f"returned {len(parts)} values, not {wanted}"}
        results = [self._sent(part, item["rank"]) for part, item in zip(parts, self._items, strict=False)]
        arrays = [self._left(*each) for each in zip(self._params, args, passed, strict=True)]
        for position, part in zip(self._returned, parts[len(self._items) :], strict=True):
            param = self._params[position]
            if param["kind"] != "pointer" or not self._engine.in_place:
                arrays[position] = self._engine.array(part, param["rank"])
            elif part is not passed[position]:
                return {"error": f"it returns another array than the one passed as {param['name']}"}
        if not self._engine.in_place:  # the source's one array, which was passed twice, is the one that came back
            for position, arg in enumerate(passed):
                owner = next((at for at in self._returned if passed[at] is arg), position)
                arrays[position] = arrays[position if position in self._returned else owner]
        return {"results": results, "arrays": arrays}

    def _left(self, param: Mapping[str, Any], given: Argument, passed: object) -> object:
        """What an array holds after the call; what cannot be changed holds what it did."""
        if not param["rank"]:
            return None
        return given if self._engine.immutable else self._engine.array(passed, param["rank"])

    def _sent(self, value: Tensor, rank: int) -> object:
        if self._form is not None and isinstance(value, list) and not value:
            return value  # the list that there is not where the function returns None
        return self._engine.array(value, rank) if rank else self._engine.number(value)


def _module(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _beside(name: str) -> ModuleType:
    """Another file of this folder."""
    return _module(os.path.join(os.path.dirname(os.path.realpath(__file__)), f"{name}.py"), name)


def _library(setup: Mapping[str, Any]) -> Any:  # noqa: ANN401 (an Engine, or one in another process)
    """What the driver says of the library, imported. Raises ImportError where it is not there."""
    return _beside("served").Remote(setup) if setup["server"] else Engine(setup)


def _emitted(job: dict[str, Any], engine: Any, path: str) -> Source:  # noqa: ANN401 (an Engine, or one in another process)
    """What runs the generated function."""
    if isinstance(engine, Engine):
        return Emitted(job, engine)
    engine.load(path)
    remote: Source = engine
    return remote


def _source(job: dict[str, Any]) -> Source | None:
    """The source as its runner makes it."""
    if job["source"] is None:
        return None
    runner = _module(job["source"]["runner"], "runner")
    source: Source = runner.load(job["source"], job["params"], job["result"])
    return source


def _limit(setup: Mapping[str, Any]) -> None:
    """Limits of CPU time, memory and files, what sources have no need of, and no outliving of the process that asked."""
    tempfile.tempdir = os.environ["TMPDIR"] = setup["scratch"]
    _module(setup["confinement"], "confinement").confine(setup["scratch"])
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CPU, (setup["cpu_seconds"], setup["cpu_seconds"] + 1))
    resource.setrlimit(resource.RLIMIT_AS, (setup["memory"], setup["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))


def _die_with(parent: int) -> None:
    """End this process when its parent has ended: Linux could do it, but when the parent's *thread* ends."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGKILL)


def serve(source: TextIO, answers: TextIO, engine: Engine | ImportError | None = None) -> None:
    """Serve one job. The library is imported under the job's limits, unless it is there already, or is known to be missing."""

    def answer(value: Answer) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    setup = json.loads(source.readline())
    _limit(setup)
    try:
        engine = engine or _library(setup)
    except ImportError as error:
        engine = error
    if isinstance(engine, ImportError):
        answer({"missing": str(engine)})
        return
    answer({"engine": engine.version})
    path = source.readline().rstrip("\n")
    if not path:
        return
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    try:
        native = _source(job)
        emitted = _emitted(job, engine, path) if job["emitted"] else None
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


class Forks:
    """Workers that are forked from this process, by number."""

    def __init__(self, engine: Engine | ImportError | None, connection: socket.socket) -> None:
        self._engine = engine
        self._connection = connection
        self._pids: dict[int, int] = {}
        gc.freeze()  # what is there now is shared with the workers as long as none of them writes to it

    def start(self, number: int, streams: Sequence[int]) -> None:
        """Start a worker with these standard streams.

        A process with several threads cannot be forked safely: where the library has started some, it is imported anew.
        """
        if os.path.isdir(TASKS) and len(os.listdir(TASKS)) == 1:
            self._pids[number] = os.fork() or self._serve(streams)
        else:
            source, answers, errors = streams
            command = [sys.executable, os.path.realpath(__file__)]
            new = subprocess.Popen(command, stdin=source, stdout=answers, stderr=errors, start_new_session=True)
            new.returncode = 0  # it is `end` that waits for it
            self._pids[number] = new.pid
        for stream in streams:
            os.close(stream)

    def _serve(self, streams: Sequence[int]) -> NoReturn:
        """Be the worker."""
        status = 1
        try:
            os.setsid()
            self._connection.close()
            source, answers, errors = streams
            os.dup2(errors, 2)
            with os.fdopen(source, encoding="utf-8") as given, os.fdopen(answers, "w", encoding="utf-8") as told:
                serve(given, told, self._engine)
            status = 0
        except BaseException:  # noqa: BLE001 - what a process that is not forked would do
            traceback.print_exc()
        finally:
            os._exit(status)

    def end(self, number: int, patience: float) -> int:
        """The exit status of a worker, negative for a signal; it is killed if it goes on for longer than so many seconds."""
        pid = self._pids.pop(number)
        deadline = time.monotonic() + patience
        while True:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            if time.monotonic() >= deadline:
                break
            time.sleep(0.001)
        try:
            os.killpg(pid, signal.SIGKILL)
        except ProcessLookupError:  # it has not come to its own session yet
            os.kill(pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def fork_workers(connection: socket.socket) -> None:
    """Serve until the connection ends."""
    setup = json.loads(connection.recv(MESSAGE_SIZE))
    try:
        engine: Engine | ImportError | None = None if setup["server"] else Engine(setup)
    except ImportError as error:
        engine = error
    forks = Forks(engine, connection)
    while True:
        message, streams, _, _ = socket.recv_fds(connection, MESSAGE_SIZE, 3)
        if not message:
            return
        request = json.loads(message)
        if "start" in request:
            forks.start(request["start"], streams)
        else:
            status = forks.end(request["end"], request["patience"])
            if request["answer"]:
                connection.send(json.dumps({"status": status}).encode())


def main() -> None:
    """Serve one job from standard input, or fork the processes that do."""
    own = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != own]
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the source prints must not reach the answers
    if len(sys.argv) > 1:
        fork_workers(socket.socket(fileno=int(sys.argv[1])))
    else:
        serve(sys.stdin, os.fdopen(answers, "w", encoding="utf-8"))


if __name__ == "__main__":
    main()
