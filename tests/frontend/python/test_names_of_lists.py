"""Random functions that give lists other names, swap them and change them: those that are read do what CPython does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from metalift.frontend.python.sharing import Sharing
from metalift.ir.program.fragment import Unsupported
from tests.frontend.python.cpython import against_cpython

HEAD = """def f(p: list[int], q: list[int], n: int):
    s = 0
    a = [v for v in p]
    b = [2, 1]
    c = {first}
"""
PROGRAMS = 15  # of each test


class Written:
    """Statements at random."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.loops = 0

    def text(self) -> str:
        """A function."""
        result = self.rng.choice(["s", "a", "(s, b)", "(a, b, c)", "(s, p, q)", "(p, a)"])
        return HEAD.format(first=self.rng.choice(["p", "a", "b", "[7] * len(q)"])) + self.block(1, 6) + f"    return {result}\n"

    def block(self, depth: int, most: int = 3) -> str:
        """Some statements."""
        return "".join(self.statement(depth) for _ in range(self.rng.randint(1, most)))

    def name(self) -> str:
        """A name of a list."""
        return self.rng.choice("abcpq")

    def statement(self, depth: int) -> str:
        """One statement, or a loop or branch with what is in it."""
        pad, own, one, other = "    " * depth, self.rng.choice("abc"), self.name(), self.name()
        made = [f"[v + 1 for v in {one}]", f"[3] * len({one})", f"{one}[:]", f"{one} + [1]", "[4, 5]"]
        plain = [
            *[f"{one} = {other}", f"{self.name()} = {self.rng.choice(made)}"] * 3,
            f"a, b = {one}, {other}",
            f"{one}, c = {other}, {self.name()}",
            *[f"{one}[{self.rng.choice(['0', '-1'])}] = {self.rng.choice(['s', f'{other}[0] + 1'])}"] * 2,
            f"{own}.append(s)",
            f"{one}.sort()" if depth == 1 else f"s += {one}[-1]",
            f"s = (s * 3 + {one}[0] + len({other})) % 1009",
        ]
        if depth > 2 or self.rng.random() < 0.6:
            return f"{pad}{self.rng.choice(plain)}\n"
        self.loops += 1
        around = [
            f"if s % 2 == {self.loops % 2}:",
            f"if {one}[0] > 2:",
            f"for i{self.loops} in range(n % 3):",
            f"for v{self.loops} in {one}:",
            f"for v{self.loops} in {one}[1:]:",
        ]
        leaving = [f"{pad}    if s > 100:\n{pad}        break\n"] if self.loops % 3 == 0 else [""]
        head = self.rng.choice(around)
        return f"{pad}{head}\n{self.block(depth + 1)}{leaving[0] if head.startswith('for') else ''}"


class Exchanging:
    """Loops that exchange their lists, at random."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)

    def text(self) -> str:
        """A function."""
        rng = self.rng
        local = rng.choice(["c = [v for v in p]", "c = p[:]", "c = q"])
        head = rng.choice(["for i in range(n % 5):", "for i in range(n % 5, 0, -1):", "for i in p[:]:", "while i < n % 6:"])
        body = [self.step() for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.4:
            body.insert(0, f"if {rng.choice('pqc')}[0] > {rng.randint(0, 9)}:\n            {self.leaving()}")
        exchange = rng.choice(["p, q = q, p", "t = p\n        p = q\n        q = t", "p, q, c = q, c, p", "p, c = c, p", "q = p"])
        if rng.random() < 0.2:
            exchange = f"if s % 2 == 0:\n            {exchange.splitlines()[0]}"
        body += [*(["i += 1"] if head.startswith("while") else []), exchange, *([self.step()] if rng.random() < 0.3 else [])]
        result = rng.choice(["s", "s", "p", "(s, c)", "i"])
        lines = ["s = i = 0", local, head, *(f"    {line}" for line in body), f"return {result}"]
        return "def f(p: list[int], q: list[int], n: int):\n" + "".join(f"    {line}\n" for line in lines)

    def leaving(self) -> str:
        """Where a round of the loop, or all of it, ends early."""
        return self.rng.choice(["break", "s += 1\n            p, q = q, p\n            continue", "return s"])

    def step(self) -> str:
        """Something that a round does."""
        one, other = self.rng.choice("pqc"), self.rng.choice("pqc")
        return self.rng.choice(
            [f"{one}[0] = ({other}[-1] * 3 + s) % 11", f"{one}[-1] += {other}[0] % 7", f"s = (s * 5 + {one}[0] + i) % 1009"]
        )


@pytest.mark.quick(every=4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("written", [Exchanging, Written])
def test_what_is_read_does_what_cpython_does(written: type[Exchanging | Written], seed: int, tmp_path: Path) -> None:
    compared = 0
    for number in range(PROGRAMS):
        path = tmp_path / f"kernel{number}.py"
        path.write_text(written(f"{seed} {number}").text(), encoding="utf-8")
        try:
            compared += against_cpython(path, "f", 15).compared
        except Unsupported:
            continue
    assert compared > 30


def test_what_lists_share_moves_with_them() -> None:
    shared = Sharing(frozenset({frozenset({"a", "b"})}))
    swapped = shared.moved({"b": "c", "c": "b"})
    assert swapped.of("a") == {"c"} and swapped.of("b") == frozenset()
    assert swapped.changed("c").stale == {"a"}
    assert shared.moved({"b": "c"}).pairs == {frozenset({"b", "c"})}
    assert shared.changed("a").moved({"c": "b"}).stale == {"b", "c"}
    assert shared.changed("a").without("b") == Sharing()
