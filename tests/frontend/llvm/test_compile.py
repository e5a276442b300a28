"""Running clang and the plugin: what is found, what is reported, what happens where something is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from metalift.frontend import compile_source, find_function, functions, functions_of, import_function
from metalift.frontend.llvm.compile import compilers
from metalift.frontend.llvm.compile.clang import llvm_text
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.compile.plugin import FOLDER, Plugin, find_plugin, run_plugin
from metalift.frontend.llvm.source import function_text
from metalift.ir.program.fragment import Assume, Location, ParamKind, Undefined
from metalift.ir.text import show_fragment
from metalift.result.errors import SourceError

C_TEXT = """#include <math.h>
static float
square(float x)
{
    return x * x; // { in a comment }
}

float twice(float x) { return 2 * square(x); }
"""
CPP_TEXT = """namespace ns {
template <class T>
T total(const T *p, int n) {
    T s{};
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
struct Shape {
    int side = 0;
    int area() const { return side * side; }
};
} // namespace ns
int total(const int *p, int n) { return ns::total(p, n); }
int total(const int *p) { return p[0]; }
inline int unused(int x) { return x + 1; }
"""


def write(folder: Path, name: str, text: str) -> Path:
    """A source file in the folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_functions_of_a_c_file(tmp_path: Path) -> None:
    module = compile_source(write(tmp_path, "a.c", C_TEXT))
    assert functions(module) == [("square", 3, "square"), ("twice", 8, "twice")]


def test_functions_of_a_cplusplus_file(tmp_path: Path) -> None:
    module = compile_source(write(tmp_path, "a.cc", CPP_TEXT))
    names = [name for name, _, _ in functions(module)]
    assert names == ["ns::total<int>", "ns::Shape::area", "total", "total", "unused"]
    assert [name for name, _ in functions_of(module)][2:4] == ["_Z5totalPKii", "_Z5totalPKi"]


def test_overloads_are_told_apart(tmp_path: Path) -> None:
    module = compile_source(write(tmp_path, "a.cc", CPP_TEXT))
    with pytest.raises(SourceError, match=r"several functions total: .*_Z5totalPKii \(line 14\)"):
        find_function(module, "total")
    assert import_function(module, "_Z5totalPKi").symbol == "_Z5totalPKi"


def test_source_and_location_of_a_function(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", C_TEXT)
    fragment = import_function(compile_source(path), "square")
    assert fragment.source == "static float\nsquare(float x)\n{\n    return x * x; // { in a comment }\n}"
    assert fragment.location == Location(str(path), 3)


def test_text_of_a_function_ends_with_its_brace() -> None:
    text = "int a;\nint f(int x) { if (x) { return '}'; } return \"}\"[0]; }\nint b;\n"
    assert function_text(text, 2) == "int f(int x) { if (x) { return '}'; } return \"}\"[0]; }"


def test_parameters(tmp_path: Path) -> None:
    text = (
        "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n"
        "void f(const uint8_t *restrict a, float *b, bool c, size_t n, int64_t k, const bool *d, unsigned e, signed char g, "
        "int m[][3][4]) {}\n"
    )
    params = import_function(compile_source(write(tmp_path, "a.c", text)), "f").params
    assert [(param.var.name, param.c_type, param.noalias) for param in params] == [
        ("a", "const uint8_t * restrict", True),
        ("b", "float *", False),
        ("c", "_Bool", False),
        ("n", "size_t", False),
        ("k", "int64_t", False),
        ("d", "const _Bool *", False),
        ("e", "unsigned int", False),
        ("g", "signed char", False),
        ("m", "int (*)[3][4]", False),
    ]
    assert [param.kind for param in params[:3]] == [ParamKind.POINTER, ParamKind.POINTER, ParamKind.VALUE]


@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
def test_assertions_are_assumptions_with_their_text(tmp_path: Path, plugin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    text = (
        '#include <assert.h>\nint f(int n, int *p) {\n    assert(n > 3 && "big");\n    if (!p) return 0;\n    return 7 / n;\n}\n'
    )
    fragment = import_function(compile_source(write(tmp_path, "a.c", text)), "f")
    origins = [item.origin for block in fragment.blocks for item in block.body if isinstance(item, Assume)]
    assert origins == ['assert(n > 3 && "big")', "p is not a null pointer"]
    assert len(fragment.blocks) == 1


@pytest.mark.parametrize("plugin", ["plugin", "no plugin"])
def test_a_local_without_a_value_is_undefined_where_it_is_declared(
    tmp_path: Path, plugin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if plugin == "no plugin":
        monkeypatch.setenv("METALIFT_PLUGIN", "none")
    loop = "for (int i = 0; i < n; i++) {\n        int x;\n        if (i) x = i;\n        s += x;\n    }"
    text = f"int f(int n) {{\n    int s = 0;\n    {loop}\n    return s;\n}}\n"
    path = write(tmp_path, "a.c", text)
    fragment = import_function(compile_source(path), "f")
    (undefined,) = [item for block in fragment.blocks for item in block.body if isinstance(item, Undefined)]
    assert undefined.variable == "x"
    assert undefined.location == Location(str(path), 4, 13)


def test_clang_arguments_are_passed_on(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", "int f(int x) { return x * SCALE; }\n")
    assert functions(compile_source(path, ("-DSCALE=3",)))
    with pytest.raises(SourceError, match=r"a\.c:1:27: error: use of undeclared identifier 'SCALE'"):
        compile_source(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), (" \n", "is empty"), ("int f(int x) {\n    return x +;\n}\n", r"a\.c:2:15: error: expected")],
)
def test_what_does_not_compile(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        compile_source(write(tmp_path, "a.c", text))


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="No such file"):
        compile_source(tmp_path / "nothing.c")
    with pytest.raises(SourceError, match="is a directory"):
        compile_source(tmp_path)


def test_no_such_function_names_those_there_are(tmp_path: Path) -> None:
    module = compile_source(write(tmp_path, "a.c", C_TEXT))
    with pytest.raises(SourceError, match="has no function twise; it has square, twice; did you mean twice"):
        import_function(module, "twise")
    empty = compile_source(write(tmp_path, "b.c", "int f(int x);\n"))
    with pytest.raises(SourceError, match="no function with a body"):
        import_function(empty, "f")


def test_clang_is_chosen_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METALIFT_CLANG", str(tmp_path / "no-clang"))
    with pytest.raises(SourceError, match="METALIFT_CLANG names"):
        find_clang()
    monkeypatch.delenv("METALIFT_CLANG")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers, "_zig", lambda: None)
    with pytest.raises(SourceError, match=r"clang was not found.*apt install clang.*metalift\[clang\]"):
        find_clang()
    monkeypatch.setenv("METALIFT_CLANG", "zig")
    with pytest.raises(SourceError, match="METALIFT_CLANG is zig, which was not found"):
        find_clang()


def test_zig_is_taken_where_no_clang_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("METALIFT_CLANG", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compilers, "_zig", lambda: "/wheel/zig")
    found = find_clang()
    assert (found.program, found.zig) == ("/wheel/zig", True)
    assert found.command(cplusplus=True)[:2] == ["/wheel/zig", "c++"]
    (tmp_path / "clang-16").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "clang-16").chmod(0o755)
    assert find_clang() == compilers.Compiler("clang-16")


@pytest.mark.parametrize("name", [name for version in compilers.VERSIONS if shutil.which(name := f"clang-{version}")])
@pytest.mark.parametrize("text", ["int f(int x) { return -x; }\n", C_TEXT])
def test_versions_of_clang_give_the_same_fragments(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METALIFT_PLUGIN", "none")
    source = write(tmp_path, "a.c", text)
    wanted = [show_fragment(import_function(compile_source(source), name)) for name, _ in functions_of(compile_source(source))]
    monkeypatch.setenv("METALIFT_CLANG", name)
    module = compile_source(source)
    assert [show_fragment(import_function(module, function)) for function, _ in functions_of(module)] == wanted


def test_flags_that_change_what_a_source_means_are_switched_off(tmp_path: Path) -> None:
    text = """#include <assert.h>
    #if defined NDEBUG || defined _FORTIFY_SOURCE || __FMA__
    #error not neutral
    #endif
    int f(int a, int b) { assert(b > 0); return a + b; }
    """
    module = compile_source(write(tmp_path, "a.c", text))
    assert any(isinstance(item, Assume) for block in import_function(module, "f").blocks for item in block.body)
    assert "ubsan" not in llvm_text(find_clang(), tmp_path / "a.c")
    with pytest.raises(SourceError, match="not neutral"):
        compile_source(tmp_path / "a.c", ("-DNDEBUG",))


def built_plugin() -> Plugin:
    """The plugin of this working tree."""
    plugin = find_plugin()
    assert isinstance(plugin, Plugin), f"{plugin} (in {FOLDER})"
    return plugin


@pytest.mark.plugin
def test_plugin_marks_inlines_and_promotes(tmp_path: Path) -> None:
    path = write(tmp_path, "a.c", "static int g(int c) { int x; if (c) x = 7; return x; }\nint f(int c) { return g(c + 1); }\n")
    text = llvm_text(find_clang(), path)
    after, problem = run_plugin(built_plugin(), text)
    body = after[after.index("@f(") :].split("\n}")[0]
    assert problem == ""
    assert "@metalift.undef.i32.x()" in body
    assert "call i32 @g" not in body
    assert "alloca" not in body


def test_plugin_that_does_not_load_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "libmetalift-22.so"
    broken.write_bytes(b"not a library")
    monkeypatch.setenv("METALIFT_PLUGIN", str(broken))
    module = compile_source(write(tmp_path, "a.c", C_TEXT))
    assert "libmetalift-22.so" in module.without_plugin
    assert import_function(module, "twice").blocks


def test_plugin_that_is_not_there_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("METALIFT_PLUGIN", str(tmp_path / "libmetalift-22.so"))
    module = compile_source(write(tmp_path, "a.c", C_TEXT))
    assert "METALIFT_PLUGIN names no libmetalift-*.so" in module.without_plugin
