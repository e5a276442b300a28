"""Runs CUDA C on the CPU with a C model of threads, and compiles the kernels by NVRTC where that is there.

It imports nothing of the driver. Kernels run block by block, the last one first, and thread by thread, between barriers in any
order; shared memory holds NaN before it is written. The model refuses threads that wait for others which have ended or wait
elsewhere, blocks that are too large, and reads and writes behind the end of an array.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import inspect
import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from metalift.run.compiling import Compiled, Model, load_c

MODEL = Path(__file__).with_name("model")
ARGUMENTS = ("-Wno-unused", "-Wno-unused-parameter", "-Wno-sign-compare", "-Wl,--no-as-needed", "-lm")
ARCHITECTURE = "compute_80"
HEAD = re.compile(r"^__global__ void (\w+)\((.*)\) \{$", re.MULTILINE)
LAUNCH = re.compile(r"(\w+)<<<(.*?), (dim3\(.*?\)|\w+)>>>\((.*)\);")
HOST = "#ifdef __cplusplus\n"


def load(path: str, function: str) -> OnDevice:
    """The function of the file, on NumPy arrays and numbers; it returns its result and what it writes. Raises ValueError."""
    text = Path(path).read_text(encoding="utf-8")
    if nvrtc() is not None:
        compiled(text, Path(path).name)
    with tempfile.TemporaryDirectory(prefix="metalift-cuda-") as folder:
        file = Path(folder, "kernel.c")
        file.write_text(as_c(text), encoding="utf-8")
        return OnDevice(load_c(str(file), function, Model("cuda", MODEL / "cuda_model.c", ARGUMENTS)))


def costs(run: OnDevice, *args: Any) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401 - arrays and numbers
    """The function's results, and what it took, as the model counts."""
    return run(*args), run.run.costs()


def as_c(text: str) -> str:
    """The text with launches that C has: the arguments of a kernel are kept where each of its threads finds them."""
    kept = []
    fields: dict[str, list[str]] = {}
    for called, params in HEAD.findall(text):
        declared = [each.strip() for each in params.split(",")]
        fields[called] = [re.findall(r"\w+", each)[-1] for each in declared]
        members = " ".join(f"{each};" for each in declared)
        given = ", ".join(f"{called}_given.{each}" for each in fields[called])
        kept += [f"static struct {{ {members} }} {called}_given;", f"static void {called}_thread(void) {{ {called}({given}); }}"]

    def launched(found: re.Match[str]) -> str:
        called, blocks, threads, args = found.groups()
        passed = [each.strip() for each in args.split(",")] if "(" not in args else outermost(args)
        pairs = zip(fields[called], passed, strict=True)
        stores = " ".join(f"{called}_given.{each} = {arg};" for each, arg in pairs)
        shape = threads if threads.startswith("dim3") else f"dim3({threads}, 1)"
        return f"{{ {stores} cuda_model_launch({blocks}, {shape}, {called}_thread, {int('__syncthreads' in text)}); }}"

    head, host, rest = text.partition(HOST)
    return head + "\n".join(kept) + "\n" + host + LAUNCH.sub(launched, rest)


def outermost(text: str) -> list[str]:
    """The arguments of a call; commas inside of parentheses part none."""
    found, depth = [""], 0
    for each in text:
        depth += (each == "(") - (each == ")")
        if each == "," and not depth:
            found.append("")
        else:
            found[-1] += each
    return [each.strip() for each in found]


class OnDevice:
    """A compiled function whose arrays are copied to memory of the model, which ends where they end, and back."""

    def __init__(self, run: Compiled) -> None:
        self.run = run
        self.__signature__ = inspect.signature(run)
        self.library = run.library
        self.library.cuda_model_array.restype = ctypes.c_void_p

    def __call__(self, *args: Any) -> Any:  # noqa: ANN401 - arrays and numbers
        arrays = {id(arg): arg for arg in args if isinstance(arg, np.ndarray)}
        self.library.cuda_model_forget()
        regions: list[list[int]] = []  # memory that arrays share: where it starts and stops
        for start, stop in sorted((each.ctypes.data, each.ctypes.data + each.nbytes) for each in arrays.values()):
            if regions and start < regions[-1][1]:
                regions[-1][1] = max(regions[-1][1], stop)
            else:
                regions.append([start, stop])
        there = [self.library.cuda_model_array(ctypes.c_size_t(stop - start)) for start, stop in regions]
        for (start, stop), device in zip(regions, there, strict=True):
            ctypes.memmove(device, start, stop - start)
        views = {key: self.view(array, regions, there) for key, array in arrays.items()}
        found = self.run(*(views.get(id(arg), arg) for arg in args))
        for (start, stop), device in zip(regions, there, strict=True):
            ctypes.memmove(start, device, stop - start)
        own = {id(view): arrays[key] for key, view in views.items()}
        if isinstance(found, tuple):
            return tuple(own.get(id(each), each) for each in found)
        return own.get(id(found), found)

    def view(self, array: Any, regions: list[list[int]], there: list[int]) -> Any:  # noqa: ANN401 - an array
        """An array where the model has it."""
        for (start, stop), device in zip(regions, there, strict=True):
            if start <= array.ctypes.data and array.ctypes.data + array.nbytes <= stop:
                place = (ctypes.c_char * array.nbytes).from_address(device + array.ctypes.data - start)
                return np.frombuffer(place, array.dtype).reshape(array.shape)
        raise ValueError("an array that lies nowhere")


# NVRTC


@lru_cache(maxsize=1)
def nvrtc() -> ctypes.CDLL | None:
    """NVIDIA's compiler for kernels as a library, which needs no GPU; None where it is not installed."""
    found = importlib.util.find_spec("nvidia")
    folders = [] if found is None else [Path(each) for each in found.submodule_search_locations or ()]
    paths = [str(path) for folder in folders for path in sorted(folder.glob("*/lib/libnvrtc.so.*"))]
    paths += [path for path in [ctypes.util.find_library("nvrtc")] if path]
    for path in paths:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


def version() -> str:
    """The version of NVRTC, "13.5"; empty where there is none."""
    library = nvrtc()
    if library is None:
        return ""
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def compiled(text: str, called: str, options: tuple[str, ...] = ()) -> str:
    """The kernels of a text in PTX. Raises ValueError with what NVRTC says; RuntimeError where there is none."""
    library = nvrtc()
    if library is None:
        raise RuntimeError("NVRTC is not installed (the extra `cuda`)")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), called.encode(), 0, None, None)
    given = [f"--gpu-architecture={ARCHITECTURE}", *options]
    failed = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*(each.encode() for each in given)))
    part = "ProgramLog" if failed else "PTX"
    getattr(library, f"nvrtcGet{part}Size")(program, ctypes.byref(size))
    told = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{part}")(program, told)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        raise ValueError(f"NVRTC: {told.value.decode(errors='replace').strip()}")
    return told.value.decode()
