"""The compiled source, called through its wrapper in the worker process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metalift.driver.files import load
from metalift.frontend.llvm.compile.compilers import is_cplusplus
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT32, INT64, UINT8, MachineInt, TensorType
from metalift.ir.program.fragment import Fragment, ParamKind
from metalift.run.workers.jobs import param_entry, result_entry
from metalift.run.workers.native import NativeBuild, NativeFailed, compiler_arguments
from metalift.run.workers.process import Worker
from metalift.run.workers.wrapper import wrapper_text
from tests.run.signatures import pointer, scalar, signature, vector, vector_reference


def run(
    tmp_path: Path, file: str, source: str, fragment: Fragment, *cases: list[Any], args: tuple[str, ...] = (), large: bool = False
) -> list[Any]:
    """What the compiled source answers to the cases."""
    path = tmp_path / file
    path.write_text(source)
    with NativeBuild(fragment, path, args, large=large) as build, Worker(load("tensor").driver.target("numpy")) as worker:
        job = {
            "source": build.wait(),
            "emitted": None,
            "function": "",
            "params": [param_entry(param) for param in fragment.params],
            "result": result_entry(fragment.result),
            "written": [],
            "cases": [{"args": case, "native": True, "emitted": False} for case in cases],
        }
        return [answer["native"] for answer in worker.run(job, len(cases))]


def test_static_function_in_c(tmp_path: Path) -> None:
    source = (
        "static float scale(float *o, const float *restrict x, unsigned char k, int n)"
        "{ for (int i = 0; i < n; i++) o[i] = k * x[i]; return k; }"
    )
    fragment = signature(
        "scale",
        (
            pointer("o", FLOAT, "float *"),
            pointer("x", FLOAT, "const float *"),
            scalar("k", UINT8, "unsigned char"),
            scalar("n", INT32, "int"),
        ),
        FLOAT,
    )
    assert run(
        tmp_path, "k.c", source, fragment, [[7.0, 7.0, 7.0], [1.5, -2.0], 3, 2], [[2.0], {"same": 0}, 255, 1], [[], [], 1, 0]
    ) == [
        {"results": [3.0], "arrays": [[4.5, -6.0, 7.0], [1.5, -2.0], None, None]},
        {"results": [255.0], "arrays": [[510.0], [510.0], None, None]},
        {"results": [1.0], "arrays": [[], [], None, None]},
    ]


def test_macros_and_includes_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "part.h").write_text("#define STEP 2\n")
    (tmp_path / "near.h").write_text("typedef long long wide;\n")
    source = (
        '#include "near.h"\n#include <part.h>\nint missing(int);\nint other(int x) { return missing(x); }\n'
        "wide twice(wide x) { return x * STEP + K; }\nint main(void) { return 0; }"
    )
    fragment = signature("twice", (scalar("x", INT64, "wide"),), INT64)
    args = (f"-I{tmp_path}/sub", "-DK=5", "-Wall", "-Werror", "-c", "-o", "x.o")
    assert run(tmp_path, "k.c", source, fragment, [2**40], args=args) == [{"results": [2**41 + 5], "arrays": [None]}]


def test_vectors_references_and_namespaces(tmp_path: Path) -> None:
    source = """
#include <vector>
namespace deep { namespace er {
static inline std::vector<double> f(const std::vector<float> &a, std::vector<bool> mask, std::vector<int> &out,
                                    const long &n, double *p) {
    std::vector<double> r;
    for (unsigned i = 0; i < a.size(); i++) if (mask[i]) { r.push_back(a[i] * n); out.push_back(i); }
    p[0] = r.size();
    return r;
}
} }
"""
    fragment = signature(
        "deep::er::f",
        (
            vector("a", FLOAT, "const std::vector<float> &"),
            vector("mask", BOOL, "std::vector<bool>"),
            vector_reference("out", INT32, "std::vector<int> &"),
            scalar("n", INT64, "const long &"),
            pointer("p", DOUBLE, "double *"),
        ),
        TensorType(DOUBLE),
    )
    assert run(
        tmp_path, "k.cpp", source, fragment, [[1.0, 2.5, 3.0], [True, True, False], [9], -2, [0.0]], [[], [], [], 1, [5.0]]
    ) == [
        {"results": [[-2.0, -5.0]], "arrays": [[1.0, 2.5, 3.0], [True, True, False], [9, 0, 1], None, [2.0]]},
        {"results": [[]], "arrays": [[], [], [], None, [0.0]]},
    ]


def test_overloads_are_told_apart_by_their_types(tmp_path: Path) -> None:
    source = "int f(int x) { return x + 1; }\ndouble f(double x, const float *) noexcept { return x * 2; }\n"
    fragment = signature("f", (scalar("x", DOUBLE, "double"), pointer("p", FLOAT, "const float *")), DOUBLE)
    assert run(tmp_path, "k.cc", source, fragment, [1.5, [0.0]]) == [{"results": [3.0], "arrays": [None, [0.0]]}]


def test_anonymous_namespaces_and_one_compilation(tmp_path: Path) -> None:
    source = "namespace a { namespace { float f(float *__restrict x, unsigned n) { return n ? x[n - 1] : 0; } } }"
    params = (pointer("x", FLOAT, "float * restrict"), scalar("n", MachineInt(32, False), "unsigned int"))
    fragment = signature("a::(anonymous)::f", params, FLOAT)
    assert run(tmp_path, "k.cpp", source, fragment, [[1.0, 2.5], 2]) == [{"results": [2.5], "arrays": [[1.0, 2.5], None]}]
    assert "typename" in wrapper_text(fragment, cplusplus=True, checked=False)  # or each C++ source is compiled twice


@pytest.mark.parametrize(
    ("body", "args", "problem"),
    [
        ("return x + 1;", 2**31 - 1, "add overflow"),
        ("return 10 / x;", 0, "divrem overflow"),
        ("return 1 << x;", 40, "shift out of bounds"),
        ("int t[4] = {0}; return t[x];", 4, "out of bounds"),
        ("return (int)(x * 1e9);", 5, "float cast overflow"),
        ("if (x) __builtin_unreachable(); return 0;", 1, "builtin unreachable"),
    ],
)
def test_undefined_behaviour_is_named(tmp_path: Path, body: str, args: int, problem: str) -> None:
    fragment = signature("f", (scalar("x", INT32, "int"),), INT32)
    [answer] = run(tmp_path, "k.c", f"int f(int x) {{ {body} }}", fragment, [args])
    assert answer == {"undefined": problem}


@pytest.mark.parametrize("index", [-1, 3])
@pytest.mark.parametrize("warmup", [0, 1])  # buffers are placed against the upper and the lower page in turn
def test_a_read_outside_the_buffer_is_a_crash(tmp_path: Path, index: int, warmup: int) -> None:
    from metalift.run.workers.process import WorkerFailed

    fragment = signature("f", (pointer("p", DOUBLE, "double *"), scalar("i", INT32, "int")), DOUBLE)
    cases = [[[1.0, 2.0, 3.0], 0]] * warmup + [[[1.0, 2.0, 3.0], index]] * 2
    with pytest.raises(WorkerFailed) as failure:
        run(tmp_path, "k.c", "double f(double *p, int i) { return p[i]; }", fragment, *cases)
    assert failure.value.crashed
    assert failure.value.answered in (warmup, warmup + 1)


def test_all_widths(tmp_path: Path) -> None:
    for bits in (8, 16, 32, 64):
        for signed in (True, False):
            type_ = MachineInt(bits, signed)
            name = f"{'' if signed else 'u'}int{bits}_t"
            fragment = signature("f", (pointer("p", type_, f"{name} *"), scalar("x", type_, name)), type_)
            source = f"#include <stdint.h>\n{name} f({name} *p, {name} x) {{ p[1] = x; return p[0]; }}"
            [answer] = run(tmp_path, f"k{type_.bits}{signed}.c", source, fragment, [[type_.low, 0], type_.high])
            assert answer == {"results": [type_.low], "arrays": [[type_.low, type_.high], None]}


def test_of_a_large_file_what_the_function_needs_is_compiled(tmp_path: Path) -> None:
    text = """#include <stdlib.h>
    static int table[2] = {3, 4};
    int nowhere(int x);
    int unused(int x) { return nowhere(x) + 1; }
    static int twice(int x) { return 2 * x; }
    int f(int *p, int n) { table[0]++; p[0] = twice(p[1]) / n; return table[0]; }"""
    fragment = signature("f", (pointer("p", INT32, "int *"), scalar("n", INT32, "int")), INT32)
    found = [run(tmp_path, "k.c", text, fragment, [[0, 7], 2], [[0, 7], 0], large=large) for large in (False, True)]
    assert found[0] == found[1] and found[0][0] == {"results": [4], "arrays": [[7, 7], None]}


def test_what_does_not_compile_is_said(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("int f(int x) { return y; }")
    with (
        NativeBuild(signature("f", (scalar("x", INT32, "int"),), INT32), path) as build,
        pytest.raises(NativeFailed, match="undeclared"),
    ):
        build.wait()


def test_no_temporary_files_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    fragment = signature("f", (scalar("x", INT32, "int"),), INT32)
    assert run(tmp_path, "k.c", "int f(int x) { return x; }", fragment, [4]) == [{"results": [4], "arrays": [None]}]
    path = tmp_path / "k.c"
    with NativeBuild(fragment, path):
        pass  # left while the compiler runs
    assert list((tmp_path / "tmp").iterdir()) == []


def test_arguments_and_languages() -> None:
    assert compiler_arguments(["-c", "-I", "a", "-o", "x", "-O3", "-xc++", "-x", "c", "-ox.o"]) == ["-Ia", "-O3"]
    assert is_cplusplus(Path("a.C"), ()) and is_cplusplus(Path("a.c"), ("-x", "c++")) and is_cplusplus(Path("a.c"), ("-xc++",))
    assert not is_cplusplus(Path("a.c"), ()) and not is_cplusplus(Path("a.cpp"), ("-xc",))
    assert [kind.value for kind in ParamKind] == ["value", "pointer", "vector", "vector reference", "key"]  # the worker's words
