"""Options of clang from a stranger's file: a real plugin leaves a mark where its code runs, and it leaves none.

Clang loads a plugin that a response file (`@file`) names. It replaces such words in the driver, and in the compiler that the
driver starts, where an option and its value are two words again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from metalift import lift
from metalift.app.batch.suite import Kernel, read
from metalift.app.scan.run import Options, scan
from metalift.frontend.llvm.compile.clang import compile_source
from metalift.frontend.llvm.compile.compilers import Compiler, find_clang
from metalift.frontend.llvm.compile.options import ALLOWED, Kind, Option, kept_options, own_options, strict_options
from metalift.pipeline import check
from metalift.result.errors import MetaliftError, UsageError
from tests.certificate.test_forged import forged, honest, rewrite

__all__ = ["forged", "honest"]  # fixtures
PLUGIN = """#include <cstdio>
__attribute__((constructor)) static void loaded() {
  if (FILE *file = std::fopen(MARK, "w")) std::fclose(file);
}
"""
COMPILE = "metalift.frontend.llvm.compile"
SUM = "float sum(float *x, int n) {\n  float s = 0;\n  for (int i = 0; i < n; i++) s += x[i];\n  return s;\n}\n"


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plugin whose constructor writes `ran` to the folder that it is run in."""
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "plugin.cc").write_text(PLUGIN)
    command = ["g++", "-shared", "-fPIC", '-DMARK="ran"', str(folder / "plugin.cc"), "-o", str(folder / "plugin.so")]
    subprocess.run(command, check=True)
    return folder / "plugin.so"


@pytest.fixture
def evil(plugin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the plugin and response files for the driver and for the compiler; programs run there, and may write there.

    That compilers may write there stands for a mistake in their limits: what is loaded has to be told from what is refused.
    """
    folder = tmp_path / "evil"
    folder.mkdir()
    shutil.copy(plugin, folder / "plugin.so")
    (folder / "driver.rsp").write_text(f"-DX -fplugin={folder}/plugin.so")
    (folder / "compiler.rsp").write_text(f"x -load {folder}/plugin.so")
    (folder / "kernel.c").write_text(SUM)
    (folder / "@kernel.c").write_text(f"x -load {folder}/plugin.so")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(f"{COMPILE}.confined.CACHES", ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR", "MARKED"))
    monkeypatch.setattr(f"{COMPILE}.compilers.UNCONFIGURED", {"CLANG_NO_DEFAULT_CONFIG": "1", "MARKED": str(folder)})
    return folder


ATTACKS = {
    "the driver's, by itself": ["@driver.rsp"],
    "the driver's, as a value": ["-I", "@driver.rsp"],
    "the compiler's": ["-I@compiler.rsp"],
    "the compiler's, of system headers": ["-isystem@compiler.rsp"],
    "the compiler's, as a macro": ["-D@compiler.rsp"],
    "a plugin": ["-fplugin=./plugin.so"],
    "a library": ["-Xclang", "-load", "-Xclang", "./plugin.so"],
    "a pass": ["-fpass-plugin=./plugin.so"],
}


@pytest.mark.parametrize("name", ATTACKS)
def test_the_attack_works_where_nothing_is_parsed(name: str, evil: Path) -> None:
    if find_clang().zig:
        pytest.skip("zig loads no plugins of its clang")
    subprocess.run(
        [find_clang().program, *ATTACKS[name], "-O1", "-S", "-emit-llvm", "kernel.c", "-o", "kernel.ll"], capture_output=True
    )
    assert (evil / "ran").exists()


@pytest.mark.parametrize("name", ATTACKS)
def test_a_certificate_runs_nothing(name: str, evil: Path, forged: Path) -> None:
    for file in evil.iterdir():
        shutil.copy(file, forged)
    rewrite(forged, lambda data: data.update(clang_args=ATTACKS[name]))
    try:
        accepted = check(forged).ok
    except UsageError as problem:
        accepted = "clang" not in str(problem)
    assert not accepted
    assert not (evil / "ran").exists() and not (forged / "ran").exists()


def test_a_scan_runs_nothing(evil: Path) -> None:
    for number in range(len(ATTACKS)):
        (evil / f"k{number}.c").write_text(SUM)
        (evil / f"@k{number}.cc").write_text(f"x -load {evil}/plugin.so")
    entries = [
        {"directory": str(evil), "file": f"k{number}.c", "arguments": ["cc", *arguments, "-c", f"k{number}.c"]}
        for number, arguments in enumerate(ATTACKS.values())
    ]
    (evil / "compile_commands.json").write_text(json.dumps(entries))
    rows = scan(evil, Options(jobs=2)).rows
    assert not (evil / "ran").exists()
    assert {row.name for row in rows if row.file.endswith("k3.c")} >= {"sum"}
    assert any("rename the source" in row.reason for row in rows if "@k3.cc" in row.file)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_manifest_is_refused_or_harmless(name: str, evil: Path) -> None:
    words = json.dumps(ATTACKS[name])
    (evil / "manifest.toml").write_text(f'[[kernel]]\nfile = "kernel.c"\nfunction = "sum"\nclang_args = {words}\n')
    try:
        (kernel,) = read([evil / "manifest.toml"])
    except UsageError as problem:
        assert "clang is asked for" in str(problem)
        return
    assert isinstance(kernel, Kernel)
    compile_source(kernel.path, kernel.clang_args)
    assert not (evil / "ran").exists()


@pytest.mark.parametrize("arguments", [["-I", "@driver.rsp"], ["-I@compiler.rsp"], ["-isystem@compiler.rsp"]])
def test_a_lift_takes_such_a_value_for_a_folder(arguments: list[str], evil: Path) -> None:
    (function,) = lift(evil / "kernel.c", to=["numpy"], clang_args=arguments).functions
    assert function.verdict.value == "PROVED"
    assert not (evil / "ran").exists()


def test_a_lift_of_such_a_source_is_refused(evil: Path) -> None:
    for name in ("@kernel.c", "./@kernel.c", str(evil / "@kernel.c")):
        with pytest.raises(MetaliftError, match="rename the source"):
            lift(Path(name), to=["numpy"])
    assert not (evil / "ran").exists()


def test_a_folder_of_such_a_name_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "@inc").mkdir()
    (tmp_path / "@inc" / "n.h").write_text("#define N 7\n")
    (tmp_path / "k.c").write_text('#include "n.h"\nint f(void) { return N; }\n')
    monkeypatch.chdir(tmp_path)
    for arguments in (("-I@inc",), ("-I", "@inc"), ("-isystem", "@inc"), ("-include", "@inc/n.h", "-I@inc")):
        assert "ret i32 7" in compile_source(tmp_path / "k.c", arguments).compiled


@pytest.mark.parametrize(
    "words",
    [
        *(["-Xclang", "-load"], ["-fplugin=x.so"], ["-fpass-plugin=x.so"], ["-B."], ["--config", "x"], ["--config=x"]),
        *(["-specs=x"], ["-wrapper", "x"], ["-mllvm", "-load=x.so"], ["-cc1"], ["-fmodules"], ["-fmodule-file=x"]),
        *(["-ivfsoverlay", "x"], ["-o", "x"], ["-ox"], ["-MF", "x"], ["-MD"], ["-dependency-file", "x"], ["-save-temps"]),
        *(["-index-store-path", "x"], ["-include-pch", "x"], ["-emit-pch"], ["-resource-dir", "x"], ["-isysroot", "x"]),
        *(["-Wp,-MD,x"], ["-Wl,x"], ["-Wa,x"], ["-ftime-trace=x"], ["-fprofile-use=x"], ["-serialize-diagnostics", "x"]),
        *(["@x"], ["--"], ["-"], [""], ["x.c"], ["-I"], ["-I", "-fplugin=x"], ["-D"], ["-D", "-load"], ["-I-"], ["-D1"]),
        *(["-DX=1\n#include </etc/passwd>"], ["-DX\0"], ["-UX=1"], ["-U@x"], ["-std=@x"], ["-std="], ["-std", "c99"]),
        *(
            ["-xcuda"],
            ["-x", "ir"],
            ["-x", "assembler"],
            ["-x@x"],
            ["-include", "-x"],
            ["-I\n"],
            ["-iquote\x1b[2J"],
            ["-U", "@x"],
        ),
    ],
    ids=repr,
)
def test_what_a_stranger_may_not_ask_for(words: list[str]) -> None:
    with pytest.raises(UsageError, match="the file asks for"):
        strict_options(words, "the file asks for")
    assert all(option.kind is not Kind.OTHER for option in kept_options(words))


def test_what_a_stranger_may_ask_for() -> None:
    words = ["-Ia", "-I", "b", "-isystem", "c", "-iquoted", "-idirafter", "e", "-include", "f.h", "-DN=3", "-D", "F(x)=-x", "-UM"]
    words += ["-x", "c++", "-xc", "-std=gnu++17", "-std=iso9899:1999"[:8], "-I", "@at"]
    options = strict_options(words, "the file asks for")
    assert [option.word for option in options] == [
        *("-Ia", "-Ib", "-isystemc", "-iquoted", "-idiraftere", "-includef.h", "-DN=3", "-DF(x)=-x", "-UM"),
        *("-xc++", "-xc", "-std=gnu++17", "-std=iso", "-I./@at"),
    ]
    assert own_options([option.word for option in options])[:-1] == options[:-1]
    assert all(kind.value in ALLOWED for kind in Kind)


def test_the_users_own_options_are_passed_on() -> None:
    words = ["-O3", "-Xclang", "-include", "-Xclang", "x", "-fopenmp", "-march=native", "-D", "X=\t1", "-MF", "x"]
    assert [option.word for option in own_options(words)] == words
    assert own_options(["-I", "@x"]) == (Option(Kind.INCLUDE, "@x"),)
    with pytest.raises(UsageError, match="code 0"):
        own_options(["-DX=\0"])


@pytest.mark.parametrize(
    "name",
    [
        "CCC_OVERRIDE_OPTIONS",
        "COMPILER_PATH",
        "CLANG_CONFIG_FILE_USER_DIR",
        "DEPENDENCIES_OUTPUT",
        "LD_PRELOAD",
        "CC_PRINT_OPTIONS",
    ],
)
def test_clang_does_not_see_what_would_give_it_other_options(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "x")
    for compiler in (Compiler("clang"), Compiler("zig", zig=True)):
        environment = compiler.environment(tmp_path)
        assert name not in environment and environment["PATH"] == os.environ["PATH"]
        assert environment["CLANG_NO_DEFAULT_CONFIG"] == "1"


def test_options_from_the_environment_load_nothing(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCC_OVERRIDE_OPTIONS", f"# +-fplugin={evil}/plugin.so")
    if not find_clang().zig:
        subprocess.run([find_clang().program, "-S", "-emit-llvm", "kernel.c", "-o", "kernel.ll"], capture_output=True, check=True)
        assert (evil / "ran").exists()
        (evil / "ran").unlink()
    assert compile_source(evil / "kernel.c").compiled
    assert not (evil / "ran").exists()
