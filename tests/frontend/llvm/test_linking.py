"""Other files of a program: what is linked, what is left out and why, and that what is read is what a linker would make of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from metalift.frontend import Module, functions_of, import_function, open_source
from metalift.frontend.files import Program, program_of, units_in
from metalift.frontend.llvm.compile.clang import Unit
from metalift.frontend.llvm.linking import defined_in, missing_in, visible_in
from metalift.frontend.llvm.nests import find_nests
from metalift.frontend.llvm.source import text_of_function
from metalift.ir.program.fragment import Unsupported
from metalift.ir.text import show_fragment

MAIN = """\
float scale(float x);
extern const float weights[4];
static float bias(float x) { return x + 1; }
void f(float *y, const float *x, int n) {
    for (int i = 0; i < n; i++) y[i] = scale(bias(x[i])) * weights[1];
}
"""
LIB = """\
const float weights[4] = {1, 2, 3, 4};
static float bias(float x) { return x * 3; }
float scale(float x) { return bias(x) - 5; }
"""
Project = Callable[..., Path]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Writes files, by their names without the suffix; the folder."""

    def written(**texts: str) -> Path:
        for name, text in texts.items():
            (tmp_path / f"{name}.c").write_text(text)
        return tmp_path

    return written


def opened(folder: Path, program: Program) -> Module:
    module = open_source(folder / "main.c", program.clang_args, named=program.named, offered=program.offered)
    assert isinstance(module, Module)
    return module


def linked(folder: Path, *names: str) -> Module:
    return opened(folder, Program(named=tuple(Unit(folder / f"{name}.c") for name in names)))


def names_of(units: Sequence[Unit]) -> list[str]:
    return [unit.path.name for unit in units]


def database(folder: Path, *entries: object) -> None:
    (folder / "compile_commands.json").write_text(json.dumps(entries))


def test_a_body_is_read_wherever_it_is_and_static_functions_stay_apart(project: Project) -> None:
    module = linked(project(main=MAIN, lib=LIB), "lib")
    assert functions_of(module) == [("bias", 3), ("f", 4)]  # those of the file that is lifted
    text = show_fragment(import_function(module, "f"))
    assert "x.1 + 1" in text and "(x.2 * 3 - 5) * 2" in text
    assert "return x + 1" in show_fragment(import_function(module, "bias"))


def test_the_file_that_is_lifted_is_known_where_only_another_has_variables(project: Project) -> None:
    lib = "const int k = 2;\nint two(void) { return k; }\n"
    module = linked(project(main="int two(void);\nint f(void) { return two(); }\n", lib=lib), "lib")
    assert module.llvm.metadata.main_file == str(module.path) and functions_of(module) == [("f", 2)]


def test_clashes_are_left_out_and_named_and_the_rest_is_linked(project: Project) -> None:
    main = MAIN + "int main(void) { return 0; }\n"
    other, tool = "float scale(float x) { return x; }\n", "int main(void) { return 1; }\n"
    folder = project(main=main, other=other, lib=LIB, tool=tool, bad="int f(")
    module = linked(folder, "lib", "other", "tool", "bad", "none", "lib")
    assert names_of(module.others) == ["lib.c"]
    told = [(each.path.name, each.why.split(",")[0].split(":")[0], each.broken) for each in module.left_out]
    assert told == [
        ("other.c", "it defines scale", False),
        ("tool.c", "it has a second main", False),
        ("bad.c", "does not compile", True),
        ("none.c", "cannot be read", True),
    ]


@pytest.mark.parametrize("head", ["unsigned char g(int x)", "int g(float x)", "int g(int x, int y)"])
def test_a_call_that_its_definition_does_not_fit_is_refused(project: Project, head: str) -> None:
    main, body = "int g(int x);\nint f(int x) { return g(x) & 1; }\n", f"{head} {{ return x; }}\n"
    module = linked(project(main=main, lib=body), "lib")
    with pytest.raises(Unsupported, match="the call of g has other types than its definition"):
        import_function(module, "f")


def test_what_another_file_changes_is_no_constant(project: Project) -> None:
    main = "static int t[2] = {1, 2};\nint *given(void) { return t; }\nint f(int i) { return t[i & 1]; }\n"
    folder = project(main=main, lib="int *given(void);\nvoid g(void) { given()[1] = 7; }\n")
    assert "t: i32[] pointer" in show_fragment(import_function(linked(folder, "lib"), "f"))


@pytest.mark.parametrize("lib", ["static int n; int g(int x) { return n += x; }", "int g(int x) { static int n; return ++n; }"])
def test_a_static_variable_of_another_file_is_not_one_of_the_file(project: Project, lib: str) -> None:
    set_n, f = "static int n;\nvoid set(int x) { n = x; }\n", "int g(int x);\nint f(int x) { return g(x) + n; }\n"
    main = f"{set_n}{f}int h(int x) {{ return x + n; }}\n"
    module = linked(project(main=main, lib=lib), "lib")
    with pytest.raises(Unsupported, match="the static variable n of .*lib.c, which only that file can name"):
        import_function(module, "f")
    assert "x + n" in show_fragment(import_function(module, "h"))


def test_a_strong_definition_takes_the_place_of_a_weak_one(project: Project) -> None:
    main = "__attribute__((weak)) int g(int x) { return x; }\nint f(int x) { return g(x); }\n"
    text = show_fragment(import_function(linked(project(main=main, lib="int g(int x) { return x - 9; }\n"), "lib"), "f"))
    assert "x - 9" in text


def test_handlers_in_other_files_are_seen(tmp_path: Path) -> None:
    (tmp_path / "main.cc").write_text("int g(int x);\nint f(int x) { return g(x); }\n")
    (tmp_path / "lib.cc").write_text("int g(int x) { try { if (x) throw 1; return 2; } catch (int e) { return e; } }\n")
    module = open_source(tmp_path / "main.cc", named=(Unit(tmp_path / "lib.cc"),))
    with pytest.raises(Unsupported, match="a handler of exceptions"):
        import_function(module, "f")


def test_of_a_build_only_what_is_needed_is_linked(project: Project) -> None:
    lib, aside = "#if !defined GAIN\n#error\n#endif\n" + LIB, "int aside(void) { return 1; }\n"
    folder = project(main=MAIN, lib=lib, aside=aside, bad="int(")
    command = "cc -DGAIN=2 -funsigned-char -c"
    names = ("bad.c", "aside.c", "lib.c", "main.c")
    entries = [{"directory": ".", "file": name, "command": f"{command} {name}"} for name in names]
    database(folder, *entries, {"file": "aside.c"}, {"directory": "/etc", "file": "passwd.c", "command": "cc"})
    program = program_of(folder / "main.c", (), ("-DX",))
    assert program.clang_args == ("-DGAIN=2", "-DX") and program.build == folder
    assert len(program.notes) == 2 and "entry 5" in program.notes[0] and "-funsigned-char is not used" in program.notes[1]
    assert names_of(program.offered) == list(names)
    module = opened(folder, program)
    assert names_of(module.others) == ["lib.c"] and module.left_out == ()


def test_a_build_that_does_not_name_the_file_is_not_its_own(project: Project) -> None:
    folder = project(main=MAIN, lib=LIB)
    database(folder, {"directory": ".", "file": "lib.c", "command": "cc -c lib.c"})
    assert program_of(folder / "main.c", (), ()) == Program()
    assert names_of(opened(folder, program_of(folder / "main.c", (folder,), ())).others) == ["lib.c"]  # where it is asked for


def test_a_file_that_others_include_is_no_unit_of_its_own(project: Project) -> None:
    body = "T NAME(const T *x, int n) {\n    T s = 0;\n    for (int i = 0; i < n; i++) s += x[i];\n    return s;\n}\n"
    once = "#define T {0}\n#define NAME sum_{0}\n#include \"body.c\"\n#undef T\n#undef NAME\n"
    folder = project(main=once.format("float") + once.format("int"), body=body)
    assert names_of(units_in(folder, ())[0]) == ["main.c"]
    module = linked(folder)
    assert functions_of(module) == [("sum_float", 3), ("sum_int", 8)]
    fragment = import_function(module, "sum_int")
    assert fragment.source.startswith("T NAME(") and fragment.location.line == 1
    database(folder, {"directory": ".", "file": "body.c", "arguments": ["cc", "-DT=int", "-DNAME=one"]})
    assert names_of(units_in(folder, ())[0]) == ["body.c", "main.c"]


def test_a_name_that_a_macro_pastes_together_is_found(project: Project) -> None:
    body = "T\nNAME (scale, half) (T x)\n{\n    return x - 5;\n}\n"
    lib = "#define T float\n#define NAME(a, b) a##_##b\n#include \"body.c\"\n"
    main = "float scale_half(float x);\nvoid f(float *y, int n) {\n    for (int i = 0; i < n; i++) y[i] = scale_half(y[i]);\n}\n"
    folder = project(main=main, lib=lib, body=body, other="int other(int x) { return x; }\n")
    module = opened(folder, program_of(folder / "main.c", (folder,), ()))
    assert names_of(module.others) == ["lib.c"] and "y[int(i.1)] - 5" in show_fragment(import_function(module, "f"))
    alone = open_source(folder / "lib.c")
    assert isinstance(alone, Module) and text_of_function(alone, "scale_half").endswith("{\n    return x - 5;\n}")


def test_a_function_of_a_macro_is_one_of_the_file(project: Project) -> None:
    text = "#define ADD(T) T add_##T(T x) { return x + 1; }\nADD(int)\nint other(int n) { return n; }\n"
    module = linked(project(main=text))
    assert functions_of(module) == [("add_int", 2), ("other", 3)] and import_function(module, "add_int").source == "ADD(int)"


@pytest.mark.plugin
def test_nests_of_a_program_are_those_of_the_file(project: Project) -> None:
    never = "void never(void) { __builtin_unreachable(); }\n"  # a block that nothing leads to
    loop = "float sum(const float *x, int n) {\n    float s = 0;\n    for (int i = 0; i < n; i++) s += x[i];\n    return s;\n}\n"
    module = linked(project(main=MAIN + never, lib=LIB + loop), "lib")
    assert [nest.name for nest in find_nests(module).found] == ["f_line5"]


def test_what_the_file_does_not_reach_is_left_out_but_for_what_changes_what_it_reads(project: Project) -> None:
    lib = "static float gain = 2;\nvoid set_gain(float g) { gain = g; }\nfloat scale(float x) { return gain * x; }\n"
    main = "float scale(float x);\nvoid f(float *y, int n) {\n    for (int i = 0; i < n; i++) y[i] = scale(y[i]);\n}\n"
    half = "float half(float x) { return x / 2; }\n"
    module = linked(project(main=main, lib=lib + half), "lib")
    assert set(module.llvm.bodies) == {"f", "scale", "set_gain"}
    with pytest.raises(Unsupported, match="the static variable gain"):
        import_function(module, "f")
    never_set = lib.replace("void set_gain(float g) { gain = g; }", half)
    assert "2 * x.1" in show_fragment(import_function(linked(project(main=main, lib=never_set), "lib"), "f"))


def test_of_some_functions_only_what_these_need_is_read(project: Project) -> None:
    other = "float far(float);\nfloat other(float x) { return far(x); }\n"
    own = "static float gain = 2;\nvoid set_gain(float g) { gain = g; }\nfloat scaled(float x) { return gain * x; }\n"
    folder = project(main=MAIN + other + own, lib=LIB, far="float far(float x) { return x; }\n")
    offered = tuple(Unit(folder / f"{name}.c") for name in ("lib", "far"))
    of_f = open_source(folder / "main.c", offered=offered, of=["f"])
    assert isinstance(of_f, Module) and names_of(of_f.others) == ["lib.c"]
    assert {body.partition(".")[0] for body in of_f.llvm.bodies} == {"f", "scale", "bias"}
    of_scaled = open_source(folder / "main.c", offered=offered, of=["scaled"])
    assert isinstance(of_scaled, Module) and not of_scaled.others and set(of_scaled.llvm.bodies) == {"scaled", "set_gain"}
    assert "gain" in [param.var.name for param in import_function(of_scaled, "scaled").params], "set_gain may have changed it"
    of_all = open_source(folder / "main.c", offered=offered, of=["f", "none"])
    assert isinstance(of_all, Module) and names_of(of_all.others) == ["lib.c", "far.c"]


@pytest.mark.parametrize("of", [(), ("w",)])
def test_a_strong_definition_of_a_folder_takes_the_place_of_a_weak_one(project: Project, of: Sequence[str]) -> None:
    weak = "__attribute__((weak)) int k(int x) { return x + 1; }\n__attribute__((weak)) extern const int c;\n"
    main = weak + "__attribute__((weak)) const int c = 3;\nint w(int x) { return k(x) * c; }\n"
    folder = project(main=main, lib="int k(int x) { return x + 2; }\n", number="const int c = 5;\n")
    module = open_source(folder / "main.c", offered=units_in(folder, ())[0], of=of)
    assert isinstance(module, Module) and names_of(module.others) == ["lib.c", "number.c"]
    assert "(x + 2) * 5" in show_fragment(import_function(module, "w"))


def test_copies_in_a_certificate_are_no_files_of_the_program(project: Project) -> None:
    folder = project(main=MAIN, lib=LIB)
    made = folder / "a" / "certificates" / "f"
    (made / "others").mkdir(parents=True)
    (made / "certificate.json").write_text("{}")
    (made / "others" / "lib.c").write_text(LIB)
    assert names_of(units_in(folder, ())[0]) == ["lib.c", "main.c"]


HOOKED = """\
int hook(int x) { return x + 1; }
int g(int x);
void f(int *y, int n) {
    for (int i = 0; i < n; i++) y[i] = g(i);
}
"""


@pytest.mark.parametrize("weak", ["__attribute__((weak)) int hook(int x) { return x + 2; }\n", ""])
def test_a_body_that_another_file_needs_is_that_of_the_file(project: Project, weak: str) -> None:
    """A function that the one that is lifted reaches only by way of another file."""
    called = "int hook(int x);\nint g(int x) { return hook(x); }\n"
    other = "int hook(int x) { return x + 3; }\nint main(void) { return 0; }\n"
    folder = project(main=HOOKED, lib=weak + called, other=other)
    module = open_source(folder / "main.c", offered=units_in(folder, ())[0], of=["f"])
    assert isinstance(module, Module) and names_of(module.others) == ["lib.c"]
    assert "+ 1" in show_fragment(import_function(module, "f"))


def test_functions_are_chosen_by_their_names_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "main.cpp").write_text(
        "void g(float *x, int n) { x[n] = 1; }\nvoid g(float *x, unsigned n) { x[n] = 2; }\nint print_all(int x) { return x; }\n"
        "template <class T> T add(T x) { return x + 3; }\ntemplate int add<int>(int);\n"
    )
    for name, body in (("_Z1gPfi", "= 1"), ("_Z1gPfj", "= 2"), ("add<int>", "+ 3")):
        module = open_source(tmp_path / "main.cpp", of=[name])
        assert body in show_fragment(import_function(module, name))
        assert name in dict(functions_of(module)) and "print_all" in dict(functions_of(module))


def test_a_file_that_cannot_be_linked_leaves_the_program_as_it_was(project: Project) -> None:
    folder = project(main=MAIN, wide="int wide(void) { return 1; }\n", lib=LIB)
    units = Unit(folder / "wide.c", ("-fshort-wchar",)), Unit(folder / "lib.c")
    module = opened(folder, Program(named=units))
    assert names_of(module.others) == ["lib.c"] and "wchar_size" in module.left_out[0].why
    assert "(x.2 * 3 - 5) * 2" in show_fragment(import_function(module, "f"))


def test_what_a_module_defines_and_misses() -> None:
    text = (
        '@table = dso_local constant [2 x i32] zeroinitializer\n@own = internal global i32 0\n@"far away" = external global i32\n'
        "@llvm.used = appending global [0 x ptr] []\ndefine dso_local i32 @f(i32 %x) {\n}\ndefine internal void @g() {\n}\n"
        "define linkonce_odr void @h() {\n}\ndeclare i32 @k(i32)\ndeclare void @llvm.trap()\n"
    )
    assert list(defined_in(text)) == ["table", "f"]
    assert list(missing_in(text)) == ["far away", "k"]
    assert list(visible_in(text)) == ["table", "llvm.used", "f", "h"]


OUTER = """\
struct outer;
float of(const struct outer *o, int i);
void kept(struct outer *o);
float last(const struct outer *o) { return of(o, 1); }
void f(const struct outer *o, float *y, int n) { for (int i = 0; i < n; i++) y[i] = of(o, i); }
void g(struct outer *o) { kept(o); }
struct inner;
float inside(struct inner *i);
float h(struct inner *i) { return inside(i); }
"""
INNER = """\
struct inner;
float inside(struct inner *i);
struct outer { int kind; struct inner *owned; float scale; };
float of(const struct outer *o, int i) { return o->scale * i; }
void kept(struct outer *o) { o->scale = inside(o->owned); }
"""


def test_definitions_of_structs_of_other_files_do_not_depend_on_what_was_read_before(project: Project) -> None:
    """One that leads to another one, which no function looks at."""
    third = "struct inner { float x; };\nfloat inside(struct inner *i) { return i->x; }\n"
    folder = project(main=OUTER, other=INNER, third=third)
    after, alone = (linked(folder, "other", "third") for _ in range(2))
    assert [text.split()[1] for text in import_function(after, "f").definitions] == ["outer", "inner"]
    assert import_function(after, "h").definitions == import_function(alone, "h").definitions != ()
