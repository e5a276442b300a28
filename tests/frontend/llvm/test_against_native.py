"""What the front end reads, run by the interpreter, does what the compiled source does."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

from metalift.frontend import compile_source, import_function
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, run
from metalift.ir.wellformed.check_fragment import check_fragment
from tests.frontend.llvm.random_c import Generator
from tests.support.compiled import shared_library

CTYPES: dict[str, Any] = {
    "uint8_t": ctypes.c_uint8,
    "int8_t": ctypes.c_int8,
    "uint16_t": ctypes.c_uint16,
    "int16_t": ctypes.c_int16,
    "int": ctypes.c_int32,
    "unsigned": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "_Bool": ctypes.c_bool,
}


@pytest.mark.quick("1-plugin", "2-no plugin")
@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
@pytest.mark.parametrize("seed", [1, 2])
def test_random_functions_on_arrays(seed: int, plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    generator = Generator(seed)
    functions = [generator.array_function(f"g{number}") for number in range(60)]
    source = tmp_path / "arrays.c"
    source.write_text("#include <stdint.h>\n" + "\n".join(function.text for function in functions), encoding="utf-8")
    module = compile_source(source, ("-w",))
    native = shared_library(source, tmp_path)
    compared = 0
    for function in functions:
        fragment = import_function(module, function.name)
        check_fragment(fragment)
        compiled = getattr(native, function.name)
        for _ in range(8):
            cells = [[generator.argument(type_) for _ in range(32)] for type_ in function.params]
            count = generator.random.randint(0, 15)
            try:
                outcome = run(fragment, dict(zip("abcn", [*map(list, cells), count], strict=True)), max_steps=5000)
            except (SourceUndefined, AssumeViolated, LimitExceeded):
                continue
            arrays = [(CTYPES[type_] * 32)(*cells[at]) for at, type_ in enumerate(function.params)]
            assert outcome.result == compiled(*arrays, count), (function.text, cells, count)
            for name, array in zip("abc", arrays, strict=True):
                assert outcome.arrays[name] == list(array), (function.text, cells, count)
            compared += 1
    assert compared > 150


@pytest.mark.quick("1-plugin", "2-no plugin")
@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
@pytest.mark.parametrize("seed", [1, 2])
def test_random_functions(seed: int, plugin: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    generator = Generator(seed)
    functions = generator.functions(150)
    source = tmp_path / "random.c"
    source.write_text("#include <stdint.h>\n" + "\n".join(function.text for function in functions), encoding="utf-8")
    module = compile_source(source, ("-w",))
    native = shared_library(source, tmp_path)
    compared = 0
    for function in functions:
        fragment = import_function(module, function.name)
        check_fragment(fragment)
        compiled = getattr(native, function.name)
        compiled.argtypes = [CTYPES[type_] for type_ in function.params]
        compiled.restype = CTYPES[function.result]
        for _ in range(12):
            values = [generator.argument(type_) for type_ in function.params]
            args = {
                param.var.name: bool(value) if type_ == "_Bool" else value
                for param, value, type_ in zip(fragment.params, values, function.params, strict=True)
            }
            try:
                outcome = run(fragment, args, max_steps=2000)
            except (SourceUndefined, AssumeViolated, LimitExceeded):
                continue
            assert outcome.result == compiled(*values), (function.text, values)
            compared += 1
    assert compared > 800
