"""Pointers that stand for one array or another: what is read, run by the interpreter, does what the compiled source does."""

from __future__ import annotations

import ctypes
from pathlib import Path
from random import Random

import pytest

from metalift.frontend import Module, compile_source, functions, import_function
from metalift.ir.interp.interpret import run
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.ir.wellformed.check_fragment import check_fragment
from tests.support.compiled import shared_library

SOURCE = Path(__file__).parent / "sources" / "swapped.c"
LENGTH = 8
NAMES = ("a", "b", "c")
SIGNATURE = "(unsigned *a, unsigned *b, unsigned *c, int n, int steps)"


def compare(fragment: Fragment, native: ctypes.CDLL, seed: int) -> None:
    """Run a function both ways, for 0 steps and more."""
    check_fragment(fragment)
    compiled = getattr(native, fragment.name)
    random = Random(seed)
    for steps in (0, 1, 2, 3, 4, 5, 7):
        cells = [[random.randrange(2**32) for _ in range(LENGTH)] for _ in NAMES]
        arrays = [(ctypes.c_uint32 * LENGTH)(*each) for each in cells]
        outcome = run(fragment, {**dict(zip(NAMES, cells, strict=True)), "n": LENGTH, "steps": steps})
        result = compiled(*arrays, LENGTH, steps) % 2**32
        assert [outcome.result, *(outcome.arrays[name] for name in NAMES)] == [result, *map(list, arrays)], (fragment.name, steps)


def test_each_does_what_the_source_does(tmp_path: Path) -> None:
    module = compile_source(SOURCE)
    native = shared_library(SOURCE, tmp_path)
    for name, _, _ in functions(module):
        compare(import_function(module, name), native, 1)


REFUSED = {
    "a swap with an offset": ("for (int t = 0; t < steps; t++) { a[0] += b[0]; s = a; a = b + t; b = s; }", "any of a, b"),
    "a loop entered either way": (
        "if (n > 3) { s = a; a = b; b = s; } for (int t = 0; t < steps; t++) { a[0] += b[1]; s = a; a = b; b = s; }",
        "entered at more than one place",
    ),
    "a comparison inside of two arrays": ("for (int t = 0; t < steps; t++) if (a + t == b) c[0] = 1;", "into a and b"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str, tmp_path: Path) -> None:
    body, message = REFUSED[name]
    with pytest.raises(Unsupported, match=message):
        import_function(written(tmp_path, [f"unsigned f{SIGNATURE} {{ unsigned *s; {body} return 0; }}"]), "f")


def written(folder: Path, texts: list[str]) -> Module:
    """A module of these functions."""
    (folder / "k.c").write_text("\n".join(texts), encoding="utf-8")
    return compile_source(folder / "k.c", ("-w",))


class Writer:
    """Functions that assign three pointers at random, with what reads and writes through them in between."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def function(self, name: str) -> str:
        start = [self.random.choice(NAMES) for _ in NAMES]
        variables = "s = 0, y = 1, z = 2, *x" + "".join(f", *{to} = {array}" for to, array in zip("pqr", start, strict=True))
        body = f"{self.statements(1)} for (int t = 0; t < steps; t++) {{ {self.statements(3)} }} {self.statements(1)}"
        return f"unsigned {name}{SIGNATURE} {{ unsigned {variables}; {body} return s + y + p[1] - 3u * q[2]; }}"

    def statements(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.random.randint(1, 3)))

    def statement(self, depth: int) -> str:
        p, q, r = self.random.sample("pqr", 3)
        at = self.random.randrange(LENGTH)
        match self.random.randrange(9 if depth > 0 else 6):
            case 0 | 1:
                return f"x = {p}; {p} = {q}; {q} = x;"
            case 2:
                return f"x = {p}; {p} = {q}; {q} = {r}; {r} = x;"
            case 3:
                return f"{p}[{at}] += {q}[{self.random.randrange(LENGTH)}] * 5u + s;"
            case 4:
                return f"s = s * 3u + {r}[{at}];" if self.random.randrange(3) else f"{p} = {q};"
            case 5:
                return "{ unsigned w = y; y = z; z = w + s; }"
            case 6:
                return f"for (int i = 1; i < n; i++) {p}[i] = {q}[i - 1] * 3u + {r}[i];"
            case 7:
                return f"if ({p}[{at}] & {self.random.choice((1, 2))}) {{ {self.statements(depth - 1)} }}"
            case _:
                return f"if ({p} == {q}) {{ {self.statements(depth - 1)} }} else s ^= {r}[{at}];"


@pytest.mark.quick("1")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_functions(seed: int, tmp_path: Path) -> None:
    writer = Writer(seed)
    module = written(tmp_path, [writer.function(f"g{number}") for number in range(40)])
    native = shared_library(tmp_path / "k.c", tmp_path)
    compared = 0
    for name, _, _ in functions(module):
        try:
            fragment = import_function(module, name)
        except Unsupported as refused:
            assert any(each in refused.diagnostic.message for each in ("more than one place", "may point into", "comparison"))
            continue
        compare(fragment, native, seed)
        compared += 1
    assert compared > 20
