"""Variables, untyped memory, sizes behind pointers and long doubles, run by the interpreter against the compiled source."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

from metalift.frontend import Module, compile_source, functions_of, import_function
from metalift.ir.interp.interpret import AssumeViolated, LimitExceeded, SourceUndefined, run
from metalift.ir.program.fragment import Field, ParamKind, Variable
from metalift.run.workers.wrapper import wrapper_text
from tests.frontend.llvm.test_c_data import argument, call, flat
from tests.frontend.llvm.test_kernels import agrees
from tests.support.commands import metalift
from tests.support.compiled import shared_library

SOURCE = Path(__file__).parent / "sources" / "variables.c"
ONLY_REACHED = ("-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")


@cache
def compiled(plugin: str) -> Module:
    """The kernels; `plugin` is the fixture's."""
    return compile_source(SOURCE)


KERNELS = [name for name, _ in functions_of(compile_source(SOURCE)) if name != "count"]


@pytest.mark.parametrize("name", KERNELS)
def test_does_what_native_code_does(name: str, plugin: str, tmp_path: Path) -> None:
    fragment = import_function(compiled(plugin), name)
    text = wrapper_text(fragment, cplusplus=False).replace("metalift_call", f"call_{name}")
    (tmp_path / "wrapped.c").write_text(f'#include "{SOURCE}"\n{text}', encoding="utf-8")
    library = shared_library(tmp_path / "wrapped.c", tmp_path, *ONLY_REACHED)
    source = random.Random(name)
    compared = 0
    for _ in range(60):
        args = {param.var.name: argument(source, param) for param in fragment.params}
        try:
            outcome = run(fragment, args, max_steps=20000)
        except (SourceUndefined, AssumeViolated, LimitExceeded):
            continue
        results, arrays = call(library, fragment, args)
        assert all(map(agrees, [] if outcome.result is None else [outcome.result], results)), (args, outcome.result, results)
        for array, cells in arrays.items():
            assert all(map(agrees, flat(outcome.arrays[array]), flat(cells))), (args, array)
        compared += 1
    assert compared >= 6


def test_variables_are_parameters_behind_the_others(plugin: str) -> None:
    params = import_function(compiled(plugin), "scaled").params
    assert [(param.var.name, param.kind, param.field) for param in params] == [
        ("y", ParamKind.POINTER, None),
        ("x", ParamKind.POINTER, None),
        ("n", ParamKind.VALUE, None),
        ("gain", ParamKind.VALUE, Field("gain", "float", "", Variable("gain", "gain"))),
        ("group", ParamKind.VALUE, Field("group", "int", "", Variable("group", "group"))),
        ("calls", ParamKind.POINTER, Field("calls", "int", "", Variable("calls", "calls"))),
    ]


@pytest.mark.parametrize(
    ("name", "premises"),
    [
        ("scaled", ("no pointer or reference leads to the memory of gain, group, calls",)),
        ("cleared", ()),
        ("named_alike", ()),
        ("through_pointers", ("no pointer or reference leads to the memory of current, shared.samples, buffer",)),
        ("weighted", ("no pointer or reference leads to the memory of weights.dimensions, weights.vals",)),
    ],
)
def test_what_is_relied_on(name: str, premises: tuple[str, ...], plugin: str) -> None:
    assert tuple(premise.text for premise in import_function(compiled(plugin), name).premises) == premises


def test_the_names_of_elements_and_bytes(plugin: str) -> None:
    params = import_function(compiled(plugin), "blob_axpy").params
    assert [(str(param.var.name), param.field and param.field.access) for param in params] == [
        ("y_shape_0", "->shape[0]"),
        ("y_bytes", "->bytes"),
        ("x_bytes", "->bytes"),
        ("a", None),
    ]


def test_a_static_local_and_a_variable_of_another_file_are_compared(tmp_path: Path) -> None:
    source = tmp_path / "state.cc"
    source.write_text(
        "namespace ns { extern double rate; }\n"
        "double next(const double *x, int n) {\n"
        "    static double last = 3;\n"
        "    double before = last;\n"
        "    for (int i = 0; i < n; i++)\n"
        "        last += x[i];\n"
        "    return before * ns::rate;\n"
        "}\n"
    )
    done = metalift("lift", source, "--to", "numpy", "--out", tmp_path / "out", "--json")
    assert done.function["verdict"] == "PROVED"
    assert done.status == 0, done.output
