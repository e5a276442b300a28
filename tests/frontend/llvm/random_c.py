"""Random C functions on scalars, for comparing what the front end reads with what the compiled source does."""

from __future__ import annotations

import random
from dataclasses import dataclass

INTEGERS = ("uint8_t", "int8_t", "uint16_t", "int16_t", "int", "unsigned", "int64_t", "uint64_t", "_Bool")
WIDTHS = {"uint8_t": 8, "int8_t": 8, "uint16_t": 16, "int16_t": 16, "int": 32, "unsigned": 32, "int64_t": 64, "uint64_t": 64}
LITERALS = (
    "0",
    "1",
    "2",
    "3",
    "7",
    "127",
    "128",
    "255",
    "256",
    "-1",
    "-128",
    "32767",
    "65535",
    "65536",
    "2147483647",
    "255u",
    "-1ll",
)


@dataclass(frozen=True)
class Function:
    """A function's name, parameter types, result type and text."""

    name: str
    params: tuple[str, ...]
    result: str
    text: str


class Generator:
    """Makes functions from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def functions(self, count: int) -> list[Function]:
        """So many functions, f0, f1, ..."""
        return [self.function(f"f{number}") for number in range(count)]

    def function(self, name: str) -> Function:
        """A function with locals, conditionals and a loop of few rounds."""
        params = tuple(self.random.choice(INTEGERS) for _ in range(self.random.randint(1, 3)))
        names = [f"p{number}" for number in range(len(params))]
        result = self.random.choice(INTEGERS)
        lines = [f"{result} {name}({', '.join(f'{type_} {var}' for type_, var in zip(params, names, strict=True))}) {{"]
        for number in range(self.random.randint(0, 2)):
            lines.append(f"    {self.random.choice(INTEGERS)} v{number} = {self.expression(names, 2)};")
            names.append(f"v{number}")
        locals_ = [var for var in names if var.startswith("v")]
        if locals_:
            lines += self.statements(locals_, names)
        lines.append(f"    return {self.expression(names, 3)};\n}}")
        return Function(name, params, result, "\n".join(lines))

    def array_function(self, name: str) -> Function:
        """A function on three arrays of at least 32 cells, with loops over them, by index and by bumped pointers."""
        cells = ("int", "uint8_t", "int16_t")
        lines = [f"int {name}(int *a, uint8_t *b, const int16_t *c, int n) {{", "    int s = 0;", "    n &= 15;"]
        for _ in range(self.random.randint(1, 3)):
            lines.append(f"    {self.loop(['s', 'n'])}")
        lines.append("    return s;\n}")
        return Function(name, cells, "int", "\n".join(lines))

    def loop(self, names: list[str]) -> str:
        """A loop that reads and writes the arrays."""
        reads = [*names, "i", "a[i]", "b[i]", "c[i]", "a[i + 1]", "c[b[i] & 15]", "a[15 - i]"]
        value, cond = self.expression(reads, 2), self.expression(reads, 2)
        body = self.random.choice(
            [
                f"a[i] = {value};",
                f"b[i] = {value};",
                f"s += {value};",
                f"if ({cond}) b[i + 2] += {value}; else s ^= a[i];",
                f"if ({cond}) continue; a[i] -= {value};",
                f"a[i] = {value}; if ({cond}) break; s++;",
                f"for (int j = 0; j < i; j++) {{ if (b[j] == {value}) break; s += a[j] & 7; }}",
                f"int t = a[i]; a[i] = a[i + 3]; a[i + 3] = t; s += {cond};",
                f"switch (b[i] & 3) {{ case 0: s = {value}; case 1: a[i]++; break; case 2: continue; default: b[i]--; }}",
            ]
        )
        heads = ["for (int i = 0; i < n; i++)", "for (unsigned i = n; i-- > 0;)", "for (uint8_t i = 0; i != 12; i += 3)"]
        bumped = "{ const int16_t *p = c; uint8_t *q = b; int m = n; while (m--) { *q++ += *p; s += *p++; } }"
        backwards = "{ int *p = a + n; while (p > a) { --p; s += *p & 15; if (*p < 0) return p - a; } }"
        return self.random.choice([f"{head} {{ {body} }}" for head in heads * 2] + [bumped, backwards])

    def statements(self, targets: list[str], names: list[str]) -> list[str]:
        """An if, a switch or a loop that assigns locals."""
        target = self.random.choice(targets)
        assign = f"{target} {self.random.choice(['=', '+=', '-=', '^=', '|='])} {self.expression(names, 2)};"
        match self.random.randint(0, 5):
            case 0:
                return [f"    if ({self.expression(names, 2)}) {assign} else {target}++;"]
            case 1:
                return [
                    f"    for (uint8_t i = 250; i > 240 || i < 2; i++) {{ {assign} if ({self.expression(names, 1)}) break; }}"
                ]
            case 2:
                cases = f"case 0: {assign} break; case 1: {target}--; case 255: {target} ^= 1; break; default: {target} = 3;"
                return [f"    switch ({self.expression(names, 1)}) {{ {cases} }}"]
            case 3:
                body = f"{assign} if ({self.expression(names, 1)}) continue; {target}++;"
                return [f"    int n{target} = 3; while (n{target}--) {{ {body} }}"]
            case 4:
                return [f"    do {{ {assign} }} while (0 && {self.expression(names, 1)});"]
            case _:
                return [f"    if ({self.expression(names, 1)} && {self.expression(names, 1)}) {assign}"]

    def expression(self, names: list[str], depth: int) -> str:
        """An expression of integer type."""
        if depth == 0 or self.random.random() < 0.15:
            return self.random.choice(names) if self.random.random() < 0.75 else self.random.choice(LITERALS)
        left, right = self.expression(names, depth - 1), self.expression(names, depth - 1)
        match self.random.randint(0, 9):
            case 0 | 1 | 2:
                return f"({left} {self.random.choice('+-*')} {right})"
            case 3:
                # An unused division is dropped, so native code must not trap where the fragment is defined.
                divisor = self.random.choice([f"(({right} & 7) + 1)", "-3", "7", "255", "10u", "-300ll"])
                return f"({left} {self.random.choice('/%')} {divisor})"
            case 4:
                return f"({left} {self.random.choice('&|^')} {right})"
            case 5:
                return f"({left} {self.random.choice(['<<', '>>'])} ({right} & {self.random.choice([3, 7, 15, 31])}))"
            case 6:
                return f"({left} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {right})"
            case 7:
                return f"({self.expression(names, depth - 1)} ? {left} : {right})"
            case 8:
                return f"({left} {self.random.choice(['&&', '||'])} {right})"
            case _:
                return f"{self.random.choice(['!', '~', '-'])}(({self.random.choice(INTEGERS)}){left})"

    def argument(self, type_: str) -> int:
        """A value of a type: small, at the ends of its range, or any."""
        if type_ == "_Bool":
            return self.random.randint(0, 1)
        bits = WIDTHS[type_]
        low = 0 if type_.startswith("u") else -(1 << (bits - 1))
        high = low + (1 << bits) - 1
        corner = self.random.choice([low, high, 0, 1, 2, high // 2, max(low, -1)])
        return self.random.choice([corner, self.random.randint(max(low, -9), 9), self.random.randint(low, high)])
