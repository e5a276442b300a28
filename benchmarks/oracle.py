"""Runs programs as they are compiled, or interpreted, beside generated NumPy code, on inputs of its own: a process of its own.

Usage: python oracle.py JOB.json. It imports nothing of metalift: signatures come from who wrote the programs, and what is defined
is told by a build with checks, by protected pages around each array, by a limit of time, and by compilers that agree. Each
program is answered by one line of JSON: how many inputs agree, were undefined in the source, refused by the generated code, and
those that differ.

Whether floats were rounded is told by the processor. A program that does not say that it rests on real arithmetic has to agree to
the last bit, whatever its inputs. One that says so may differ where the source rounds: within a bound, or, where the numbers are
large or an integer or a branch is decided by a float, in a few of the runs.
"""

from __future__ import annotations

import copy
import ctypes
import importlib.util
import json
import math
import mmap
import platform
import random
import re
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
DTYPES = {
    "u8": np.uint8,
    "i8": np.int8,
    "u16": np.uint16,
    "i16": np.int16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
    "f32": np.float32,
    "f64": np.float64,
}
SIZES = (0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 11, 17, 18)
WRITTEN = re.compile(r"written in place|returned anew")
FLOATS = (0.0, -0.0, 0.1, 0.5, 1.5, 2.5, -2.5, 0.7, 3.3, 255.5, 16777216.0, -1e9, 4e9, 1e-7, 1e10, 12345.678)
MEMORY = 6 << 30
ROUNDED, SPECIAL = 1, 2  # what a run tells of its floats
RAISED = {"x86_64": (0x20, 0x0D), "aarch64": (0x10, 0x07)}  # fenv.h: inexact; invalid, divided by zero or overflow
DECIDED = 0.1  # of the runs on small numbers: as many may be decided by rounding
UNFINISHED = 12  # runs that do not end in time, after which a program is left alone
Value = Any  # a number, or a list of them
Shared = dict[str, tuple[str, int]]  # arrays that begin in another one, at which element


class Arena:
    """Memory between two protected pages."""

    def __init__(self, libc: ctypes.CDLL, size: int = 16 * PAGE) -> None:
        self.size = size
        self.map = mmap.mmap(-1, size + 2 * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        self.base = start + PAGE
        for address in (start, self.base + size):
            if libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), 0) != 0:
                raise OSError("mprotect")

    def put(self, data: bytes, at_end: bool) -> int:
        """The address of a copy that touches the upper protected page, or the lower one."""
        address = self.base + (self.size - len(data) if at_end else 0)
        ctypes.memmove(address, data, len(data))
        return address


class Native:
    """Compiled programs: each is `call_NAME(void **slots, int64_t *lengths)`, which tells why it did not come back."""

    def __init__(self, checked: str, values: Sequence[str]) -> None:
        self.libc = ctypes.CDLL(None)
        self.checked = ctypes.CDLL(checked)
        self.values = [ctypes.CDLL(path) for path in values]
        self.arenas = [Arena(self.libc) for _ in range(8)]

    def run(self, program: dict[str, Any], inputs: dict[str, Value], shared: Shared) -> dict[str, Any]:
        """The answer of all builds where the one with checks has nothing to say, with arrays at both ends of pages."""
        answers = []
        for build, at_end in ((self.checked, True), (self.checked, False), *((build, True) for build in self.values)):
            status, answer = self.call(build, program, inputs, shared, at_end)
            if status == 3:
                return {"unfinished": True}
            if status != 0:
                return {"undefined": True}
            answers.append(answer)
        first, *others = answers[2:]
        same = all(other[part] == first[part] for other in others for part in ("result", "arrays"))
        return first if same or first["floats"] & SPECIAL else {"undefined": True}

    def call(
        self, library: ctypes.CDLL, program: dict[str, Any], inputs: dict[str, Value], shared: Shared, at_end: bool
    ) -> tuple[int, dict[str, Any]]:
        """Why it did not come back (0: it did), and the answer."""
        params = program["params"]
        slots = (ctypes.c_void_p * (len(params) + 1))()
        lengths = (ctypes.c_int64 * (len(params) + 1))()
        result = np.zeros(1, DTYPES[program["result"]]) if program["result"] else np.zeros(1, np.int64)
        slots[0] = result.ctypes.data
        scalars: list[np.ndarray[Any, Any]] = []
        places: dict[str, int] = {}
        for position, param in enumerate(params, 1):
            name, dtype, value = param["name"], DTYPES[param["type"]], inputs[param["name"]]
            if param["form"] == "value":
                scalars.append(np.array([value], dtype))
                slots[position] = scalars[-1].ctypes.data
            elif name in shared:
                other, offset = shared[name]
                places[name] = places[other] + offset * np.dtype(dtype).itemsize
                slots[position], lengths[position] = places[name], len(value)
            else:
                places[name] = self.arenas[position].put(np.array(value, dtype).tobytes(), at_end)
                slots[position], lengths[position] = places[name], len(value)
        same = {name: other for name, (other, offset) in shared.items()}
        slots_shared = (ctypes.c_int64 * (len(params) + 1))(
            -1, *(next((i for i, p in enumerate(params, 1) if p["name"] == same.get(param["name"])), -1) for param in params)
        )
        status = getattr(library, f"call_{program['name']}")(slots, lengths, slots_shared)
        arrays = {}
        for position, param in enumerate(params, 1):
            if param["form"] != "value":
                size = lengths[position] * np.dtype(DTYPES[param["type"]]).itemsize
                raw = ctypes.string_at(slots[position] or 0, size) if size else b""
                arrays[param["name"]] = np.frombuffer(raw, DTYPES[param["type"]]).tolist()
        value = result[0].item() if program["result"] else None
        return status, {"result": value, "arrays": arrays, "floats": int(lengths[0])}


class Interpreted:
    """Python programs."""

    def __init__(self, path: str) -> None:
        self.module = load(path, "programs")
        self.libm = ctypes.CDLL("libm.so.6")
        self.raised = RAISED[platform.machine()]

    def run(self, program: dict[str, Any], inputs: dict[str, Value], shared: Shared) -> dict[str, Any]:
        """What CPython computes; an exception is what has no meaning."""
        passed = copy.deepcopy(inputs)
        for name, (other, _) in shared.items():
            passed[name] = passed[other]
        self.libm.feclearexcept(sum(self.raised))
        try:
            result = getattr(self.module, program["name"])(*passed.values())
        except Exception:  # noqa: BLE001 - whatever the source raises
            return {"undefined": True}
        inexact, special = (self.libm.fetestexcept(flags) != 0 for flags in self.raised)
        arrays = {param["name"]: passed[param["name"]] for param in program["params"] if param["form"] != "value"}
        return {"result": result, "arrays": arrays, "floats": ROUNDED * inexact + SPECIAL * special}


class Generated:
    """A generated NumPy module."""

    def __init__(self, program: dict[str, Any]) -> None:
        self.program = program
        self.path = program["module"]
        module = load(self.path, f"generated_{program['name']}")
        self.function: Callable[..., Any] = getattr(module, program["function"])
        with open(self.path, encoding="utf-8") as file:
            self.lines = file.read().splitlines()
        told = re.sub(r"\n {12,}", " ", self.function.__doc__ or "")
        names = [param["name"] for param in program["params"]]
        lines = [line.strip() for line in told.splitlines()]
        self.written = [name for name in names if any(line.startswith(f"{name}:") and WRITTEN.search(line) for line in lines)]

    def run(self, inputs: dict[str, Value], shared: Shared) -> dict[str, Any]:
        """The answer, that a guard raised, or the error that it ends with."""
        made: dict[str, Any] = {}
        for param in self.program["params"]:
            name, value = param["name"], inputs[param["name"]]
            if param["form"] == "value":
                made[name] = value
            elif name in shared:
                other, offset = shared[name]
                made[name] = made[other][offset : offset + len(value)]
                if not offset and len(value) == len(made[other]):
                    made[name] = made[other]
            else:
                made[name] = np.array(value, DTYPES[param["type"]]).reshape(shape(value, param["form"]))
        try:
            answer = self.function(*made.values())
        except Exception as error:  # noqa: BLE001 - whatever generated code raises
            return {"refused": str(error)} if self.by_guard(error) else {"error": f"{type(error).__name__}: {error}"}
        parts = list(answer) if isinstance(answer, tuple) else [answer]
        result = parts.pop(0) if self.program["result"] else None
        arrays = {param["name"]: made[param["name"]] for param in self.program["params"] if param["form"] != "value"}
        for name, part in zip(self.written, parts, strict=False):
            arrays[name] = part
        return {"result": plain(result), "arrays": {name: plain(array) for name, array in arrays.items()}}

    def by_guard(self, error: Exception) -> bool:
        """Whether the module itself raised it, rather than the library that it calls."""
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if trace is None or trace.tb_frame.f_code.co_filename != self.path:
            return False
        return any("raise ValueError" in line for line in self.lines[max(0, trace.tb_lineno - 4) : trace.tb_lineno])


def shape(value: Value, form: str) -> tuple[int, ...]:
    """The extents of an array; rows that there are none of have no columns."""
    return (len(value), len(value[0]) if value else 0) if form == "rows" else (len(value),)


def plain(value: Value) -> Value:
    """Python's numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def load(path: str, name: str) -> ModuleType:
    """A module from its file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Inputs:
    """Makes inputs for one program."""

    def __init__(self, chosen: random.Random, program: dict[str, Any], python: bool) -> None:
        self.random = chosen
        self.params = program["params"]
        self.python = python
        self.reals = program["real"]
        self.texts = program["text"]
        self.tame = True

    def next(self) -> tuple[dict[str, Value], Shared]:
        """Arguments, and which arrays begin in another one at which element. `tame`: they are small numbers."""
        chosen = self.random
        sizes = {name: self.size(name) for name in "nm"}
        tame = self.tame = chosen.random() < (0.75 if self.reals else 0.5)
        shared: Shared = {}
        found: dict[str, Value] = {}
        n, m = max(0, sizes["n"]), max(0, sizes["m"])
        exact = chosen.choice((n, n + 1, n + 3, n * max(1, m), 2 * n + n * m + 8, 2 * n + n * m + 8, 2 * n + n * m + 8))
        if n < 30 and "[a[i]" in self.texts or "[b[i]" in self.texts:
            exact = chosen.choice((exact, 300, 300))
        for param in self.params:
            name, type_ = param["name"], param["type"]
            if param["form"] == "value":
                found[name] = sizes[name] if name in sizes else self.number(type_, tame)
                continue
            length = exact if chosen.random() < 0.8 else max(0, exact + chosen.choice((-1, 1, 2)))
            length = min(length, 3000)
            others = [p["name"] for p in self.params if p["form"] != "value" and p["type"] == type_ and p["name"] in found]
            if others and not shared and param["form"] != "list" and chosen.random() < 0.12:
                other = chosen.choice(others)
                offset = 0 if param["form"] != "pointer" or chosen.random() < 0.6 else chosen.choice((1, 1, 2))
                if len(found[other]) >= offset:
                    shared[name] = (other, offset)
                    found[name] = found[other][offset:]
                    continue
            if param["form"] == "rows":
                columns = chosen.choice(SIZES)
                found[name] = [[self.number(type_, tame) for _ in range(columns)] for _ in range(chosen.choice(SIZES))]
                continue
            found[name] = [self.number(type_, tame) for _ in range(length)]
        return found, shared

    def size(self, name: str) -> int:
        type_ = next((param["type"] for param in self.params if param["name"] == name), "i32")
        if self.random.random() < 0.06:
            size = self.random.choice((-1, -2, -7, 255, 256, 257, 130, 300))
        else:
            size = self.random.choice(SIZES if name == "n" else SIZES[:11])
        low, high = limits(type_)
        return size if low <= size <= high else abs(size) % 100

    def number(self, type_: str, tame: bool) -> int | float:
        """A number, a small one where `tame`: of these floats are halves, so that most that is made of them is exact."""
        chosen = self.random
        if type_.startswith("f"):
            return chosen.randint(-16, 16) / 2 if tame else rounded(chosen.choice(FLOATS), type_)
        low, high = limits(type_)
        if tame:
            return chosen.randint(max(low, -9), 9)
        if self.python:
            low, high = -(1 << 20), 1 << 20
        corner = chosen.choice((low, low, high, high, 0, 1, 2, 127, 128, 255, -1, high // 2, low + 1, 16777217, 12582913))
        near, wide = chosen.randint(max(low, -300), min(high, 300)), chosen.randint(low, high)
        return chosen.choice((min(max(corner, low), high), near, wide))


def rounded(number: float, type_: str) -> float:
    """The float of that type."""
    return float(np.array(number, DTYPES[type_]))


def limits(type_: str) -> tuple[int, int]:
    """The range of an integer type."""
    bits = int(type_[1:])
    return (0, (1 << bits) - 1) if type_.startswith("u") else (-(1 << bits - 1), (1 << bits - 1) - 1)


def numbers(answer: dict[str, Any]) -> list[int | float]:
    """All numbers of an answer."""
    return list(flat([answer["result"] or 0, *answer["arrays"].values()]))


def flat(value: Value) -> Iterator[int | float]:
    """The numbers of lists in lists."""
    for each in value:
        yield from flat(each) if isinstance(each, list) else [each]


def outside(answer: dict[str, Any]) -> bool:
    """Whether it holds numbers for which nothing is claimed: infinities, very large floats, integers of more than 63 bits."""
    return any(
        not math.isfinite(number) or abs(number) > 1e15 if isinstance(number, float) else abs(number) >= 1 << 63
        for number in numbers(answer)
    )


def agree(one: dict[str, Any], two: dict[str, Any], program: dict[str, Any]) -> bool:
    """Whether two answers are the same; where the program rests on real arithmetic and floats are rounded, nearly."""
    if "error" in two or one["arrays"].keys() != two["arrays"].keys():
        return False
    if program["real"] and outside(two) and any(isinstance(number, float) for number in numbers(one)):
        return True  # floats that overflow in the generated code only: listed as assumed
    pairs = [(one["result"], two["result"]), *((one["arrays"][name], two["arrays"][name]) for name in one["arrays"])]
    scale = max((abs(number) for number in numbers(one)), default=0)
    exact = not program["real"] or (program["exact"] and scale < 1 << 20)
    slack = 0.0 if exact else 1e-4 * max(scale, 1)
    return all(close(left, right, slack) for left, right in pairs)


def close(left: Value, right: Value, slack: float) -> bool:
    """Whether numbers or lists are the same up to the slack."""
    if left is None or right is None:
        return left is right
    if isinstance(left, list) or isinstance(right, list):
        same = isinstance(left, list) and isinstance(right, list) and len(left) == len(right)
        return same and all(close(a, b, slack) for a, b in zip(left, right, strict=True))
    if isinstance(left, float) or isinstance(right, float):
        return bool(abs(left - right) <= slack)
    return bool(left == right)


def judged(program: dict[str, Any], source: Native | Interpreted, count: int, seed: str) -> dict[str, Any]:
    """What becomes of a program on so many inputs."""
    generated = Generated(program)
    inputs = Inputs(random.Random(seed), program, isinstance(source, Interpreted))
    found: dict[str, Any] = dict.fromkeys(("agree", "undefined", "refused", "unfinished", "outside", "rounding", "tame"), 0)
    found |= {"wrong": [], "answered": 0}  # answered: of those that the source does not finish in time
    decided = []  # small numbers for which rounding may be why the answers differ
    for _ in range(count):
        made, shared = inputs.next()
        native = source.run(program, made, shared)
        if "undefined" in native:
            found["undefined"] += 1
            continue
        if "unfinished" in native:
            found["unfinished"] += 1
            found["answered"] += "refused" not in generated.run(copy.deepcopy(made), shared)
            if found["unfinished"] == UNFINISHED:
                break
            continue
        if outside(native) or (program["real"] and native["floats"] & SPECIAL):
            found["outside"] += 1
            continue
        emitted = generated.run(copy.deepcopy(made), shared)
        case = {"inputs": made, "shared": shared, "source": native, "generated": emitted}
        if count_answer(found, program, case, inputs.tame) and inputs.tame:
            decided.append(case)
    if len(decided) > DECIDED * (len(decided) + found["tame"]):
        found["wrong"] += decided[:1]
    return found


def count_answer(found: dict[str, Any], program: dict[str, Any], case: dict[str, Any], tame: bool) -> bool:
    """Count an answer of the generated code; whether it differs, and rounding may be why."""
    native, emitted = case["source"], case["generated"]
    if "refused" in emitted:
        found["refused"] += 1
        found["why"] = emitted["refused"]
    elif agree(native, emitted, program):
        found["agree"] += 1
        found["tame"] += tame
    elif program["real"] and native["floats"] & ROUNDED and "error" not in emitted:
        found["rounding"] += 1
        return True
    elif len(found["wrong"]) < 3:
        found["wrong"].append(case)
    return False


def main(argv: Sequence[str]) -> None:
    """Serve one job."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    np.seterr(all="ignore")
    with open(argv[0], encoding="utf-8") as file:
        job = json.load(file)
    source = Native(job["checked"], job["values"]) if job["checked"] else Interpreted(job["source"])
    for program in job["programs"]:
        try:
            found = judged(program, source, job["count"], f"{job['seed']}:{program['name']}")
        except Exception as error:  # noqa: BLE001 - a module that does not load, or an answer without form
            found = {"broken": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps({"name": program["name"], **found}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
