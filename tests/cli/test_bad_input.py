"""What users hand in by mistake: one clear message, the right exit status, no traceback, and nothing half-written.

The same inputs for C, C++ and Python. "One clear message" is one line, but for the messages of compilers, which are passed on.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from metalift.frontend.llvm.compile.compilers import find_clang
from tests.support.commands import Finished, metalift, metalift_process

SUFFIXES = (".c", ".cc", ".py")
GOOD = {
    ".c": "int twice(int x) { return x + x; }\n",
    ".cc": "template <class T> T plus(T a, T b) { return a + b; }\nint twice(int x) { return plus(x, x); }\n",
    ".py": "def twice(x: int) -> int:\n    return x + x\n",
}
BROKEN = {
    ".c": "int f(int x) {\n    return x +;\n}\n",
    ".cc": "int f(int x) {\n    return std::y(x);\n}\n",
    ".py": "def f(x):\n    return x +\n",
}
NAMES = ("with space", "it's $HOME; 100%", 'say "hi"', "back\\slash ünïcode")


def source(folder: Path, suffix: str, text: str | bytes, name: str = "kernel") -> Path:
    """A source file."""
    path = folder / f"{name}{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_refused(done: Finished, out: Path, *fragments: str, lines: int = 1) -> None:
    """Status 2, these words in a message of at most so many lines, and nothing written."""
    assert done.status == 2, done.output + done.errors
    assert done.output == "" and not out.exists()
    assert "Traceback" not in done.errors and "internal error" not in done.errors
    assert done.errors.startswith("metalift: ") and len(done.errors.splitlines()) <= lines, done.errors
    for fragment in fragments:
        assert fragment in done.errors


@pytest.mark.quick(".c", ".py")
@pytest.mark.parametrize("suffix", SUFFIXES)
class TestFile:
    """Files that are not what was meant."""

    def test_missing(self, suffix: str, tmp_path: Path) -> None:
        source(tmp_path, suffix, GOOD[suffix])
        done = metalift_process("lift", tmp_path / f"kernal{suffix}", "--out", tmp_path / "out")
        assert_refused(done, tmp_path / "out", "no such file", f"kernel{suffix}")

    def test_folder(self, suffix: str, tmp_path: Path) -> None:
        path = tmp_path / f"kernel{suffix}"
        path.mkdir()
        assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "has no C, C++ or Python files")

    def test_empty(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, b" \n\t\n")
        assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "is empty")

    def test_binary(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, b"\x7fELF\x02\x01\x01\0\0\0" + bytes(range(256)) * 8)
        assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "is not a text file")

    def test_utf_16(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, GOOD[suffix].encode("utf-16"))
        assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "is not a text file")

    def test_huge(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, GOOD[suffix] + "\n" * 20_000_000)
        assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "characters, more than")

    def test_not_a_regular_file(self, suffix: str, tmp_path: Path) -> None:
        path = tmp_path / f"pipe{suffix}"
        os.mkfifo(path)
        assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "not a regular file")

    def test_syntax_error_is_shown_with_its_place(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, BROKEN[suffix])
        done = metalift("lift", path, "--out", tmp_path / "out")
        assert_refused(done, tmp_path / "out", f"kernel{suffix}:2:", lines=4)

    def test_unreadable(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, GOOD[suffix])
        path.chmod(0)
        if os.access(path, os.R_OK):  # root reads everything: a link that leads nowhere is what it cannot read
            path.unlink()
            path.symlink_to(path)
        done = metalift("lift", path, "--out", tmp_path / "out")
        assert_refused(done, tmp_path / "out", f"kernel{suffix}")


class TestArguments:
    """Names that are not there."""

    @pytest.mark.quick(".py")
    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_unknown_function(self, suffix: str, tmp_path: Path) -> None:
        path = source(tmp_path, suffix, GOOD[suffix])
        done = metalift("lift", path, "--function", "twise", "--out", tmp_path / "out")
        assert_refused(done, tmp_path / "out", "'twise'", "did you mean twice")

    @pytest.mark.parametrize(
        ("arguments", "fragments"),
        [
            (("--to", "numpi"), ("'numpi'", "did you mean numpy", "pytorch")),
            (("--driver", "tensr"), ("'tensr'", "did you mean tensor")),
            (("--driver", "./no_such.py"), ("no_such.py",)),
        ],
    )
    def test_unknown_target_or_driver(self, arguments: tuple[str, ...], fragments: tuple[str, ...], tmp_path: Path) -> None:
        path = source(tmp_path, ".c", GOOD[".c"])
        done = metalift("lift", path, *arguments, "--out", tmp_path / "out", cwd=tmp_path)
        assert_refused(done, tmp_path / "out", *fragments)

    def test_driver_that_is_no_driver(self, tmp_path: Path) -> None:
        path = source(tmp_path, ".c", GOOD[".c"])
        driver = source(tmp_path, ".py", "raise RuntimeError('broken')\n", "my_dsl")
        done = metalift("lift", path, "--driver", driver, "--out", tmp_path / "out")
        assert_refused(done, tmp_path / "out", "RuntimeError: broken")


@pytest.mark.quick(".cc")
@pytest.mark.parametrize("suffix", SUFFIXES[:2])
def test_bytes_that_are_not_utf_8_do_not_matter_in_a_comment(suffix: str, tmp_path: Path) -> None:
    path = source(tmp_path, suffix, b"/* caf\xe9 */\n" + GOOD[suffix].encode())
    done = metalift("lift", path, "--function", "twice", "--out", tmp_path / "out")
    assert done.status == 0, done.output + done.errors
    assert metalift("check", tmp_path / "out" / "certificates" / "twice").status == 0


def test_python_has_to_be_utf_8(tmp_path: Path) -> None:
    path = source(tmp_path, ".py", b"# caf\xe9\n" + GOOD[".py"].encode())
    assert_refused(metalift("lift", path, "--out", tmp_path / "out"), tmp_path / "out", "not UTF-8")


@pytest.mark.quick("it's $HOME; 100%")
@pytest.mark.parametrize("name", NAMES)
def test_names_with_special_characters_are_names(name: str, tmp_path: Path) -> None:
    if find_clang().zig and set(name) & set("\"\\"):
        pytest.skip("zig takes no such names")
    path = source(tmp_path, ".c", GOOD[".c"], name)
    done = metalift("lift", path, "--out", tmp_path / "out", "-v")
    assert done.status == 0, done.output + done.errors
    assert "PROVED" in done.output and f"{name}.c" in done.output


def test_name_with_a_dash_in_front_in_the_current_folder(tmp_path: Path) -> None:
    source(tmp_path, ".c", GOOD[".c"], "-dash")
    assert metalift("lift", "./-dash.c", cwd=tmp_path).status == 0
    done = metalift("lift", "-dash.c", cwd=tmp_path)
    assert done.status == 2 and "usage" in done.errors and "Traceback" not in done.errors


@pytest.mark.quick("kernel")
@pytest.mark.parametrize("name", ["kernel.rs", "kernel"])
def test_unknown_suffix_is_named_and_the_language_can_be_said(name: str, tmp_path: Path) -> None:
    path = source(tmp_path, "", GOOD[".c"], name)
    done = metalift("lift", path, "--out", tmp_path / "out")
    assert_refused(done, tmp_path / "out", "which language", "-x c++")
    said = metalift("lift", path, "--out", tmp_path / "out", "--", "-x", "c")
    assert said.status == 0, said.output + said.errors


@pytest.mark.quick(".hpp")
@pytest.mark.parametrize("suffix", [".h", ".hpp"])
def test_functions_of_a_header_are_lifted(suffix: str, tmp_path: Path) -> None:
    path = source(tmp_path, suffix, "static inline int twice(int x) { return x + x; }\n")
    done = metalift("lift", path, "--out", tmp_path / "out")
    assert done.status == 0, done.output + done.errors


def test_clang_that_crashes_is_not_a_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crash = tmp_path / "clang"
    crash.write_text("#!/bin/sh\nkill -SEGV $$\n", encoding="utf-8")
    crash.chmod(0o755)
    monkeypatch.setenv("METALIFT_CLANG", str(crash))
    done = metalift("lift", source(tmp_path, ".c", GOOD[".c"]), "--out", tmp_path / "out")
    assert_refused(done, tmp_path / "out", "does not compile", "no message", lines=2)


PYTHON = '''\
def ambiguous(a, b):
    return a[0] if b else a  # UNSUPPORTED

def generator(xs: list[int]):
    for x in xs:
        yield x  # UNSUPPORTED: generator

class Vector:
    def __init__(self, x: int) -> None:
        self.x = x
    def __getattr__(self, name: str) -> int:
        return 0

def class_magic(n: int) -> int:
    return Vector(n).length  # UNSUPPORTED

def dynamic(n: int) -> int:
    return eval("n + 1")  # UNSUPPORTED: eval

def shared_rows(n: int, m: int) -> list[list[int]]:
    rows = [[0] * n] * m  # UNSUPPORTED: rows
    rows[0][0] = 1
    return rows

def attempt(n: int) -> int:
    try:  # UNSUPPORTED: try
        return 1 // n
    except ZeroDivisionError:
        return 0

def manager(n: int) -> int:
    with open("file"):  # UNSUPPORTED: with
        return n

def recursion(n: int) -> int:
    return 0 if n == 0 else recursion(n - 1)  # UNSUPPORTED: recursion

def prints(n: int) -> int:
    print(n, file=open("log"))  # UNSUPPORTED: print
    return n

def outside(n: int) -> int:
    global counter  # UNSUPPORTED: global
    counter = n
    return n
'''


def test_python_that_is_not_modelled_is_refused_in_one_line_with_its_place(tmp_path: Path) -> None:
    path = source(tmp_path, ".py", PYTHON)
    done = metalift("lift", path, "--json", "--out", tmp_path / "out")
    assert done.status == 1 and "Traceback" not in done.errors, done.errors
    lines = enumerate(PYTHON.splitlines(), 1)
    marks = {number: text.partition("# UNSUPPORTED")[2] for number, text in lines if "# UNSUPPORTED" in text}
    assert len(done.functions) == len(marks)
    for function in done.functions:
        assert function["verdict"] == "UNSUPPORTED", function["name"]
        (diagnostic,) = function["diagnostics"]
        assert diagnostic["line"] in marks and diagnostic["column"] >= 1, diagnostic
        assert marks[diagnostic["line"]].removeprefix(": ") in diagnostic["message"], diagnostic
        assert len(diagnostic["message"].splitlines()) == 1
    assert not list(tmp_path.rglob("numpy"))


@pytest.mark.quick(".cc")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_not_proved_leaves_no_code(suffix: str, tmp_path: Path) -> None:
    text = {
        ".c": "int f(int n) { return n <= 0 ? 0 : f(n - 1); }\n",
        ".cc": "struct S { virtual int g() { return 1; } };\nint f(S *s) { return s->g(); }\n",
        ".py": "def f(n: int) -> int:\n    return 0 if n <= 0 else f(n - 1)\n",
    }
    done = metalift("lift", source(tmp_path, suffix, text[suffix]), "--function", "f", "--out", tmp_path / "out")
    assert done.status == 1 and "UNSUPPORTED" in done.output and "Traceback" not in done.errors
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [tmp_path / f"kernel{suffix}"]
