"""What a stranger's source includes or asks for lies in its own folder, or is a header of the compiler's, in any spelling."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from metalift import lift
from metalift.app.scan.run import Options, scan
from metalift.app.scan.sources import find_sources
from metalift.check.recheck import refuse_includes
from metalift.frontend.llvm.compile.clang import compile_source
from metalift.frontend.llvm.compile.compilers import find_clang
from metalift.frontend.llvm.compile.confined import Reach, opened_files
from metalift.pipeline import check
from metalift.result.errors import MetaliftError, SourceError, UsageError
from metalift.system import confinement
from tests.certificate.test_forged import SOURCE, forged, honest

__all__ = ["forged", "honest"]  # fixtures
SUM = "float sum(float *x, int n) {\n  float s = 0;\n  for (int i = 0; i < n; i++) s += x[i];\n  return s;\n}\n"
# Spellings of the file ABS, which lies outside and compiles wherever it is included.
SPELLINGS = {
    "by its whole name": '#include "ABS"',
    "by its whole name, as a system's header": "#include <ABS>",
    "by the way to it": '#include "../outside/secret.h"',
    "after a comment": '#/**/include "ABS"',
    "after a form feed": '#\finclude\v"ABS"',
    "after a comment of two lines": '/*\n*/#include/*\n*/"ABS"',
    "by a digraph": '%:include "ABS"',
    "over two lines": '#inc\\\nlude "ABS"',
    "over two lines, with a space between": '#inc\\  \nlude "ABS"',
    "over lines that end as on Windows": '#inc\\\r\nlude "ABS"',
    "by a macro": '#define HERE "ABS"\n#include HERE',
    "by a macro in angles": "#define HERE <ABS>\n#include HERE",
    "by a macro with arguments": "#define TEXT(x) #x\n#define QUOTED(x) TEXT(x)\n#include QUOTED(ABS)",
    "as the next one": '#include_next "ABS"',
    "once": '#import "ABS"',
    "through a link": '#include "link.h"',
    "through a folder that is a link": '#include "links/secret.h"',
    "in a header of its own": '#include "includes.h"',
    "by a condition": '#if __has_include("ABS")\n#endif',
    "by a condition on the way to it": '#if defined(__has_include) && __has_include("../outside/secret.h")\n#endif',
    "by a condition with a macro": '#define HERE "ABS"\n#if __has_include(HERE)\n#endif',
    "by a condition on the next one": '#if __has_include_next("ABS")\n#endif',
    "as data": 'const char data[] = {\n#embed "ABS"\n};',
    "as data over two lines": 'const char data[] = {\n#em\\\nbed "ABS"\n};',
    "by a condition on data": '#if __has_embed("ABS")\n#endif',
    "from a raw text": '#define f(x) x\nconst char *q = "\\\n#include";\n#include "ABS"',
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with links that lead out of it, beside another one with a header."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.h").write_text("/* nobody's */\n")
    (inside / "link.h").symlink_to(outside / "secret.h")
    (inside / "links").symlink_to(outside)
    (inside / "includes.h").write_text(f'#include "{outside}/secret.h"\n')
    return inside


def source(tree: Path, name: str) -> Path:
    path = tree / "k.c"
    path.write_text(SPELLINGS[name].replace("ABS", str(tree.parent / "outside" / "secret.h")) + "\n" + SUM)
    return path


def newer_than(name: str) -> bool:
    """Whether clang knows the spelling at all; what it does not know does not compile, or is another condition."""
    return "data" not in name or not find_clang().program.endswith(("-14", "-15", "-16", "-17", "-18"))


@pytest.mark.parametrize("limited", [True, False], ids=["by the kernel", "by what was opened"])
@pytest.mark.parametrize("name", SPELLINGS)
def test_nothing_outside_is_included_or_asked_for(name: str, limited: bool, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = source(tree, name)
    if not limited:
        monkeypatch.setattr(confinement, "can_limit_files", lambda: False)
        if newer_than(name):
            assert compile_source(path, ("-std=c2x", "-w"), Reach((tree.parent,))).compiled  # where it may, it is
    with pytest.raises(SourceError, match=r"includes or asks for|does not compile|which files it opened") as raised:
        compile_source(path, ("-std=c2x", "-w"), Reach((tree,)))
    assert "nobody" not in str(raised.value)


def test_what_lies_inside_is_included(tree: Path) -> None:
    (tree / "a b#c.h").write_text("#define N 7\n")
    (tree / "sub").mkdir()
    (tree / "sub" / "up.h").write_text('#include "../a b#c.h"\n')
    (tree / "k.cc").write_text(
        '#include <stdint.h>\n#include <vector>\n#include "sub/up.h"\n#if __has_include("none.h")\n'
        '#error found\n#endif\nextern "C" int f() { return N; }\n'
    )
    assert "ret i32 7" in compile_source(tree / "k.cc", (), Reach((tree,))).compiled


def test_the_rule_that_clang_writes_is_read() -> None:
    assert list(opened_files("k.o: a.c \\\n  b\\ c.h d$$e.h f\\#g.h \\\n /x/y.h\n")) == [
        "a.c",
        "b c.h",
        "d$e.h",
        "f#g.h",
        "/x/y.h",
    ]


@pytest.mark.parametrize(
    "name", ["by its whole name", "by a macro", "over two lines, with a space between", "by a condition", "as data"]
)
def test_a_certificate_of_such_a_source_is_refused(name: str, forged: Path, tree: Path) -> None:
    text = source(tree, name).read_text().replace(SUM, SOURCE)
    (forged / "kernel.c").write_text(text)
    differences = check(forged).differences
    assert any("includes" in difference or "does not compile" in difference for difference in differences)


def test_a_certificate_includes_from_folders_that_the_caller_names(tree: Path, tmp_path: Path) -> None:
    refuse_includes(tree, source(tree, "by a condition").name)  # which the text alone does not tell
    (tree / "kernel.c").write_text(f'#include "secret.h"\n{SOURCE}')
    folder = tree.parent / "outside"
    (function,) = lift(tree / "kernel.c", functions=["dot"], to=["numpy"], clang_args=["-I", str(folder)], out=tmp_path).functions
    assert function.certificate is not None
    with pytest.raises(UsageError, match=f"-- -I {folder}"):
        check(Path(function.certificate))
    assert check(Path(function.certificate), clang_args=["-I", str(folder)]).ok


def test_a_scan_reads_nothing_outside(tree: Path) -> None:
    chosen = list(SPELLINGS)[::5]
    for number, name in enumerate(chosen):
        (tree / f"k{number}.c").write_text(source(tree, name).read_text())
    (tree / "k.c").unlink()
    (tree / "passwd.py").symlink_to("/etc/passwd")
    (tree / "passwd.c").symlink_to("/etc/passwd")
    (tree / "zero.c").symlink_to("/dev/zero")
    os.mkfifo(tree / "pipe.c")
    found = scan(tree, Options(jobs=2))
    assert found.files == len(chosen)
    assert any("4 of the files are left out" in note for note in found.notes)
    assert not any("root:" in row.reason or "nobody" in row.reason for row in found.rows)


@pytest.mark.parametrize("named", ["/dev/zero", "/etc/passwd", "../outside/secret.h", "pipe.h"])
def test_a_line_that_says_that_it_is_another_files_makes_a_scan_read_nothing(named: str, tree: Path) -> None:
    os.mkfifo(tree / "pipe.h")
    (tree / "k.c").write_text(f'{SUM}#line 1 "{named}"\nint broken(void) {{ return nothing; }}\n')
    found = scan(tree, Options(seconds=60))
    assert not any("longer than" in row.reason or "root:" in row.reason for row in found.rows)


@pytest.mark.parametrize(
    "entries",
    [
        [{"directory": "/etc", "file": "k.c", "arguments": ["cc", "-I.", "-include", "passwd"]}],
        [{"directory": ".", "file": "k.c", "arguments": ["cc", "-include", "/etc/passwd", "-I/etc", "-isystem", "../outside"]}],
        [{"directory": ".", "file": "k.c", "arguments": ["cc", "-Ilinks", "-includelink.h"]}],
        [{"directory": ".", "file": "k.c", "arguments": ["cc", "--", "-fplugin=x.so", "@x", "-o", "written"]}],
        [{"directory": ".", "file": "k.c", "command": "cc $(touch ran) `touch ran` ; touch ran | touch ran && touch ran > ran"}],
        [{"directory": ".", "file": "k.c", "arguments": ["cc", "-DX=1\n#include </etc/passwd>", "-D", "Y\0Z"]}],
        [{"directory": ".", "file": "k.c", "arguments": ["cc", 7, None, {"-I": "/etc"}, ["-I/etc"]]}],
        [{"directory": ["."], "file": {"k.c": 1}, "command": 7}],
        [{"directory": "\0", "file": "k.c", "command": "cc"}],
        [{"directory": ".", "file": "k.c", "command": "cc 'unclosed"}],
        {"directory": ".", "file": "k.c"},
        "k.c",
        None,
    ],
    ids=range(13),
)
def test_a_build_of_a_stranger_names_nothing_outside(entries: object, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    (tree / "k.c").write_text(SUM)
    (tree / "compile_commands.json").write_text(json.dumps(entries))
    (found,), _ = find_sources(tree, ())
    outside = (str(tree.parent / "outside"), "/etc", "links", "link.h", "-fplugin", "@")
    assert not any(word in argument for argument in found.clang_args for word in outside)
    if isinstance(entries, list) and len(found.clang_args) > 1 or "touch" in str(entries):
        assert [row.status.value for row in scan(tree, Options()).rows] == ["candidate"]
    assert not (tree / "ran").exists() and not (tree / "written").exists()


def test_a_build_that_is_a_link_or_too_deep_is_not_read(tree: Path) -> None:
    (tree / "k.c").write_text(SUM)
    (tree.parent / "outside" / "build.json").write_text('[{"directory": ".", "file": "k.c", "arguments": ["-DX"]}]')
    (tree / "compile_commands.json").symlink_to(tree.parent / "outside" / "build.json")
    (found,), (note,) = find_sources(tree, ())
    assert found.clang_args == () and "outside of its folder" in note
    (tree / "compile_commands.json").unlink()
    (tree / "compile_commands.json").write_text("[" * 100_000)
    (found,), (note,) = find_sources(tree, ())
    assert found.clang_args == () and "RecursionError" in note


def test_names_that_look_like_options_are_files(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    for name in ("-o.c", "-fplugin=x.c", "--.c", "a b.c", "$(touch ran).c", "a;b.c"):
        (tree / name).write_text(SUM)
    rows = scan(Path("."), Options(jobs=2)).rows
    assert len(rows) == 6 and all(row.status.value == "candidate" for row in rows)
    assert not (tree / "ran").exists()


def test_sources_that_are_no_files_end_with_a_message(tree: Path) -> None:
    os.mkfifo(tree / "pipe.c")
    for name in ("pipe.c", "/dev/zero", "/dev/null"):
        with pytest.raises(MetaliftError, match="plain file"):
            compile_source(tree / name, ("-x", "c"))
