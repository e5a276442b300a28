"""Printing is left out where nothing depends on it, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.llvm.source import load
from metalift.ir.program.fragment import PremiseKind, Unsupported

HEAD = "#include <stdio.h>\n#include <stdarg.h>\n"


def printed(tmp_path: Path, body: str, head: str = HEAD, suffix: str = ".c") -> bool:
    """Whether the function f is read, and told to print."""
    path = tmp_path / f"printing{suffix}"
    path.write_text(f"{head}{body}\n")
    return any(premise.kind is PremiseKind.OUTPUT for premise in load(path, "f").premises)


@pytest.mark.parametrize(
    "text",
    [
        'printf("%d %f %%n\\n", n, *x);',
        'puts("a"); putchar(n); fputs("b", stdout); fputc(n, stderr); fflush(NULL); fflush(stdout);',
        'for (int i = 0; i < n; i++) fprintf(stderr, "%d", i);',
    ],
)
def test_what_prints_is_left_out(tmp_path: Path, text: str) -> None:
    assert printed(tmp_path, f"int f(const float *x, int n) {{ {text} return n; }}")


@pytest.mark.parametrize(
    "body",
    [
        'int f(int n) { int k = 1; printf("a%n", &k); return n + k; }',
        'int f(int n) { int k = 1; printf("%%%-3hhn", (signed char *)&k); return n + k; }',
        "int f(int n, const char *text) { int k = 1; printf(text, &k); return n + k; }",
        'int f(int n) { return n + printf("a"); }',
        'int f(int n) { if (puts("a") < 0) return 1; return n; }',
        'int f(int n, FILE *to) { fprintf(to, "a"); return n; }',
        'int f(int n) { char b[8]; sprintf(b, "%d", n); puts(b); return b[0]; }',
        'void f(int n) { for (int i = 0; i < n; i++) printf("%d", i); }',
    ],
)
def test_what_does_more_than_print_is_refused(tmp_path: Path, body: str) -> None:
    with pytest.raises(Unsupported):
        printed(tmp_path, body)


def test_a_function_of_the_file_is_no_librarys(tmp_path: Path) -> None:
    own = "static int count;\nstatic int puts(int *k) { *k = 5; return 0; }\nint f(int n) { int k = 1; puts(&k); return n + k; }"
    assert not printed(tmp_path, own, head="")


def test_streams_of_cplusplus(tmp_path: Path) -> None:
    head = "#include <iostream>\n#include <iomanip>\n#include <sstream>\n"
    said = 'std::cout << "n " << n << std::setw(3) << 2.5 << std::endl; std::cerr << n << \'\\n\';'
    assert printed(tmp_path, f"int f(int n) {{ {said} return n; }}", head, ".cc")
    for text in ("if (std::cout << n) return 1;", "std::stringstream s; s << n;"):
        with pytest.raises(Unsupported):
            printed(tmp_path, f"int f(int n) {{ {text} return n; }}", head, ".cc")
