"""The process in which compiled and emitted code runs: `python worker.py` (it imports nothing of metalift).

The first line of standard input is a JSON object that sets limits and the library to import (`numpy` or `pytorch`), the
second the path of a JSON file with the job. Answers are JSON objects, one a line: the library's version; whether the job
could be loaded; then one for each case, in order, so that a crash tells which case it was. Generated modules and the compiled
source are all that is ever executed here.

A case gives for each parameter a number, a list, or {"same": position} for the same array as an earlier parameter, for generated
code also {"same": position, "offset": number} for the part of it that begins there. The answer
holds `native` and `emitted`, each either {"error": text} or {"result": ..., "arrays": [... or null for scalars]}; both are
None where not asked for.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import mmap
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

Number = bool | int | float
Argument = Number | list[Number] | dict[str, int]
Answer = dict[str, Any]
Pointers = ctypes.Array[ctypes.c_void_p]
Lengths = ctypes.Array[ctypes.c_int64]

_PAGE = mmap.PAGESIZE
_CTYPES: dict[str, Any] = {
    "bool": ctypes.c_uint8,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}
_NAMES = {"f32": "float32", "f64": "float64", "bool": "bool"}


class Arena:
    """Memory for one array, between two protected pages: a read or write past the array's end, or before it, is a crash."""

    def __init__(self, libc: ctypes.CDLL) -> None:
        self._libc = libc
        self._size = 0
        self._map: mmap.mmap | None = None
        self._base = 0

    def place(self, size: int, *, at_end: bool) -> int:
        """The address of `size` bytes that end at the upper protected page, or begin at the lower one."""
        if self._map is None or size > self._size:
            self._allocate(max(_PAGE, -(-size // _PAGE) * _PAGE))
        return self._base + (self._size - size if at_end else 0)

    def _allocate(self, size: int) -> None:
        self._map = mmap.mmap(-1, size + 2 * _PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._size, self._base = size, start + _PAGE
        for address in (start, self._base + size):
            if self._libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(_PAGE), 0) != 0:
                raise OSError(ctypes.get_errno(), "mprotect")


class Native:
    """The compiled source."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._params: list[dict[str, str]] = job["params"]
        self._result: dict[str, str] = job["result"]
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.free.argtypes = [ctypes.c_void_p]
        self._arenas = [Arena(self._libc) for _ in self._params]
        self._values = self._load(job["values"])
        self._checked = self._load(job["checked"])
        self._count = 0

    @staticmethod
    def _load(path: str) -> ctypes.CDLL:
        library = ctypes.CDLL(path)
        library.metalift_call.restype = ctypes.c_int
        return library

    def run(self, args: Sequence[Argument]) -> Answer:
        """Run the checked build, then, where it saw nothing undefined, the optimised one."""
        self._count += 1
        if self._call(self._checked, args) is None:
            problem = ctypes.c_char_p.in_dll(self._checked, "metalift_problem").value or b"?"
            return {"undefined": problem.decode().replace("_", " ")}
        answer = self._call(self._values, args)
        assert answer is not None
        return answer

    def _call(self, library: ctypes.CDLL, args: Sequence[Argument]) -> Answer | None:
        count = len(self._params)
        data = (ctypes.c_void_p * (count + 1))()
        lengths = (ctypes.c_int64 * (count + 1))()
        for position, (param, arg) in enumerate(zip(self._params, args, strict=True)):
            data[position], lengths[position] = self._pass(position, param, arg, data, lengths)
        scalar = (_CTYPES[self._result.get("dtype", "i32")] * 1)()
        data[count] = ctypes.addressof(scalar)
        if library.metalift_call(data, lengths) != 0:
            return None
        result: Number | list[Number] | None = None
        if self._result["kind"] == "scalar":
            result = _plain(scalar[0], self._result["dtype"])
        elif self._result["kind"] == "vector":
            result = self._take(data[count] or 0, lengths[count], self._result["dtype"])
        return {"result": result, "arrays": [self._array(i, p, data, lengths) for i, p in enumerate(self._params)]}

    def _pass(self, position: int, param: dict[str, str], arg: Argument, data: Pointers, lengths: Lengths) -> tuple[int, int]:
        if isinstance(arg, dict):
            return data[arg["same"]] or 0, lengths[arg["same"]]
        items = arg if isinstance(arg, list) else [arg]
        content = (_CTYPES[param["dtype"]] * len(items))(*items)
        size = ctypes.sizeof(content)
        address = self._arenas[position].place(size, at_end=self._count % 2 == 0)
        ctypes.memmove(address, content, size)
        return address, len(items)

    def _array(self, position: int, param: dict[str, str], data: Pointers, lengths: Lengths) -> list[Number] | None:
        if param["kind"] == "value":
            return None
        if param["kind"] == "vector reference":
            return self._take(data[position] or 0, lengths[position], param["dtype"])
        return self._read(data[position] or 0, lengths[position], param["dtype"])

    def _take(self, address: int, length: int, dtype: str) -> list[Number]:
        items = self._read(address, length, dtype)
        self._libc.free(address)
        return items

    @staticmethod
    def _read(address: int, length: int, dtype: str) -> list[Number]:
        if length == 0:
            return []
        return [_plain(item, dtype) for item in (_CTYPES[dtype] * length).from_address(address)]


class Emitted:
    """A generated module's function."""

    def __init__(self, job: dict[str, Any], library: str, module: ModuleType) -> None:
        self._params: list[dict[str, str]] = job["params"]
        self._result: dict[str, str] = job["result"]
        self._returned = [i for i, param in enumerate(self._params) if param["name"] in job["written"]]
        self._make, self._list = _numpy_arrays(module) if library == "numpy" else _torch_arrays(module)
        self._function = _function_of(job["emitted"], job["function"])

    def run(self, args: Sequence[Argument]) -> Answer:
        """Run the function; an exception is an error, with its type in front."""
        passed: list[object] = []
        for param, arg in zip(self._params, args, strict=True):
            if isinstance(arg, dict):
                owner: Any = passed[arg["same"]]
                passed.append(owner[arg["offset"] :] if "offset" in arg else owner)
            elif isinstance(arg, list):
                passed.append(self._make(arg, param["dtype"]))
            else:
                passed.append(arg)
        try:
            answer = self._function(*passed)
            return self._answer(answer, passed)
        except Exception as error:  # noqa: BLE001 - whatever generated code raises is what is asked for
            return {"error": f"{type(error).__name__}: {error}"}

    def _answer(self, answer: object, passed: Sequence[object]) -> Answer:
        """The result and the arrays after the call; an array must be changed in place and be what is returned."""
        wanted = (self._result["kind"] != "none") + len(self._returned)
        parts = list(answer) if isinstance(answer, tuple) else [] if answer is None and wanted == 0 else [answer]
        if len(parts) != wanted:
            return {"error": f"returned {len(parts)} values, not {wanted}"}
        result: object = None
        if self._result["kind"] != "none":
            result = self._plain_result(parts.pop(0))
        arrays = [None if param["kind"] == "value" else self._list(arg) for param, arg in zip(self._params, passed, strict=True)]
        for position, part in zip(self._returned, parts, strict=True):
            if self._params[position]["kind"] != "pointer":
                arrays[position] = self._list(part)
            elif part is not passed[position]:
                return {"error": f"it returns another array than the one passed as {self._params[position]['name']}"}
        return {"result": result, "arrays": arrays}

    def _plain_result(self, value: object) -> object:
        if self._result["kind"] == "vector":
            return self._list(value)
        return value.item() if hasattr(value, "item") else value


def _plain(item: Number, dtype: str) -> Number:
    return bool(item) if dtype == "bool" else item


def _long_name(dtype: str) -> str:
    return _NAMES.get(dtype) or f"{'uint' if dtype[0] == 'u' else 'int'}{dtype[1:]}"


def _numpy_arrays(numpy: ModuleType) -> tuple[Callable[[list[Number], str], object], Callable[[object], list[Number]]]:
    return (lambda items, dtype: numpy.array(items, dtype=_long_name(dtype))), lambda array: numpy.asarray(array).tolist()


def _torch_arrays(torch: ModuleType) -> tuple[Callable[[list[Number], str], object], Callable[[object], list[Number]]]:
    def make(items: list[Number], dtype: str) -> object:
        return torch.tensor(items, dtype=getattr(torch, _long_name(dtype)))

    return make, lambda array: torch.as_tensor(array).tolist()


def _function_of(path: str, name: str) -> Callable[..., object]:
    spec = importlib.util.spec_from_file_location("emitted", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[..., object] = getattr(module, name)
    return function


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
        native = Native(job) if job["values"] else None
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
