"""Random programs on NumPy's arrays, of a few statements with names for parts of others, against NumPy itself.

Usage, from the root of the project: python -m benchmarks.array_programs [--count N] [--seed S]

As `array_statements`, with names that share elements, helper functions that change or return what they get, loops over rows,
branches and exchanges: what changes when, and who sees it.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.array_statements import INPUTS, arguments, campaign, declared, fate, worst
from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.program.fragment import Unsupported

DTYPES = ("float64", "float64", "float64", "int64", "int32", "uint8", "int8", "float32", "bool")
HELPERS = """
def first_zero(x):
    x[0] = 0


def rest(x):
    return x[1:]


def itself(x):
    return x


def grown(x, y):
    x += y
    return x


def moved(x, y):
    x[1:] = y[:-1]


def doubled(x):
    return x + x


def last(x):
    y = x[::-1]
    return y[0]


def rebound(x):
    x = x + x
    x[0] = 0
    return x
"""
# of an array of one kind of shape: n, less than n by one or two, every second, n * n in one axis, square, and parts of these
VIEWS: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("{}", "n"), ("{}[:]", "n"), ("{}[::-1]", "n"), ("np.flip({})", "n"), ("{}[1:]", "n1"), ("{}[:-1]", "n1"),
        ("{}[::-1][1:]", "n1"), ("{}[1:][::-1]", "n1"), ("{}[::2]", "h"), ("{}[2:]", "n2"), ("{}[1:-1]", "n2"),
        ("{}[::-1][::2]", "h"), ("rest({})", "n1"), ("itself({})", "n"), ("{}[None][0]", "n"), ("{}.reshape(-1)", "n"),
        ("{}[...]", "n"), ("{}.T", "n"), ("{}.ravel()", "n"), ("np.asarray({})", "n"), ("np.expand_dims({}, 0)[0]", "n"),
        ("np.squeeze({}[:, None], axis=1)", "n"), ("np.array({})", "n"), ("np.sort({})", "n"), ("np.roll({}, 1)", "n"),
        ("{0}[np.arange(len({0}))[::-1]]", "n"), ("{0}[{0} > 1]", "?"),
    ),
    "n1": (("{}", "n1"), ("{}[::-1]", "n1"), ("{}[1:]", "n2"), ("{}[:-1]", "n2"), ("rest({})", "n2")),
    "n2": (("{}", "n2"), ("{}[::-1]", "n2")),
    "h": (("{}", "h"), ("{}[::-1]", "h")),
    "?": (("{}", "?"), ("{}[::-1]", "?"), ("{}[1:]", "?")),
    "nn1": (("{}", "nn1"), ("{}[::-1]", "nn1")),
    "nn": (("{}", "nn"), ("{}[::-1]", "nn")),
    "sq": (
        ("{}", "sq"), ("{}.T", "sq"), ("{}[::-1]", "sq"), ("{}[:, ::-1]", "sq"), ("{}[0]", "n"), ("{}[:, 0]", "n"),
        ("{}[-1]", "n"), ("{}.T[1]", "n"), ("{}[1:]", "r1"), ("{}[:-1]", "r1"), ("{}[:, 1:].T", "r1"), ("{}.reshape(-1)", "nn"),
        ("{}.ravel()", "nn"), ("rest({})", "r1"), ("itself({})", "sq"), ("np.diagonal({})", "n"), ("{}[0][::-1]", "n"),
        ("{}[1:][0]", "n"), ("{}[..., 0]", "n"), ("{}[None][0]", "sq"),
        ("np.asarray({})", "sq"), ("{}.reshape(len(v), len(v))", "sq"), ("{0}[{0} > 1]", "?"), ("{}.reshape(-1)[1:]", "nn1"),
        ("np.stack(({0}[0], {0}[1]))[1]", "n"), ("np.transpose({})", "sq"), ("np.fliplr({})", "sq"), ("{}[1, 1:]", "n1"),
    ),
    "r1": (("{}", "r1"), ("{}[::-1]", "r1"), ("{}[0]", "n"), ("{}[:, 0]", "n1"), ("{}[:, -1]", "n1")),
}  # fmt: skip
WHERE: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (("1:", "n1"), (":-1", "n1"), ("::2", "h"), ("::-1", "n"), (":", "n"), ("...", "n"), ("0", ""), ("-1", ""), ("k", "")),
    "n1": ((":", "n1"), ("::-1", "n1"), ("0", ""), ("1:", "n2")),
    "?": ((":", "?"), ("0", ""), ("::-1", "?")),
    "nn1": ((":", "nn1"), ("0", "")),
    "n2": ((":", "n2"),),
    "h": ((":", "h"), ("0", "")),
    "nn": ((":", "nn"), ("0", ""), ("::-1", "nn")),
    "sq": (
        ("0", "n"), (":, 0", "n"), ("-1", "n"), ("1:", "r1"), (":-1", "r1"), ("::-1", "sq"), (":, ::-1", "sq"), ("0, 1", ""),
        ("...", "sq"), ("0, 1:", "n1"),
    ),
    "r1": (("0", "n"), (":", "r1"), ("::-1", "r1"), (":, 0", "n1")),
}  # fmt: skip


@dataclass(slots=True)
class Programs:
    """Writes programs on square `a` and `b`, `v` and `w` of the same length, and `k`."""

    rng: random.Random
    kinds: dict[str, str] = field(default_factory=dict)  # of the names so far
    numbers: list[str] = field(default_factory=lambda: ["k", "2", "3", "1"])
    made: int = 0

    def name(self) -> str:
        """A new name, or now and then one that is taken."""
        if self.rng.random() < 0.25:
            return self.rng.choice([each for each in self.kinds])
        self.made += 1
        return f"c{self.made}"

    def of(self, kind: str, depth: int = 1) -> str:
        """An array of a kind of shape; empty where none is there."""
        ways = [
            form.format(name)
            for name, own in self.kinds.items()
            for form, to in VIEWS[own]
            if to == kind
        ]
        if not ways:
            return ""
        text = self.rng.choice(ways)
        kinds = self.rng.randrange(7)
        if depth == 0 or kinds < 2:
            return text
        if kinds < 5:
            other = self.of(kind, depth - 1) if self.rng.random() < 0.7 else self.rng.choice(self.numbers)
            return f"({text} {self.rng.choice('+-*')} {other})"
        if kinds == 5:
            return f"np.where({text} > {self.rng.choice(self.numbers)}, {text}, {self.of(kind, depth - 1)})"
        return f"{text}.copy()"

    def statement(self) -> list[str]:  # noqa: C901 (one case for each kind)
        """One statement, of one or more lines."""
        rng = self.rng
        source = rng.choice(list(self.kinds))
        kind = self.kinds[source]
        match rng.randrange(21):
            case 19:
                test = f"{self.of(kind, 0)} {rng.choice(('>', '<=', '=='))} {rng.choice(self.numbers)}"
                value = rng.choice((*self.numbers, f"{source}[{test}]", f"{self.of(kind, 0)}[{test}]"))
                return [f"{source}[{test}] {rng.choice(('=', '+=', '*='))} {value}"]
            case 20:
                where = rng.choice(("np.array([0, 1, 0])", "np.arange(len({}))[::-1]", "np.arange(len({})) // 2")).format(source)
                value = rng.choice((*self.numbers, f"{source}[{where}]", f"{self.of(kind, 0)}[{where}]"))
                if rng.random() < 0.3 and kind not in ("sq", "r1"):
                    return [f"np.add.at({source}, {where}, {rng.choice(self.numbers)})"]
                return [f"{source}[{where}] {rng.choice(('=', '+=', '*='))} {value}"]
            case 0 | 1 | 2:
                form, to = rng.choice(VIEWS[kind])
                text = form.format(source)
                name = self.name()
                self.kinds[name] = to
                return [f"{name} = {text}"]
            case 3:
                text, name = self.of(kind), self.name()
                self.kinds[name] = kind
                return [f"{name} = {text}"]
            case 4 | 5 | 6:
                where, to = rng.choice(WHERE[kind])
                value = (self.of(to) if to and rng.random() < 0.8 else "") or rng.choice(self.numbers)
                return [f"{source}[{where}] {rng.choice(('=', '=', '+=', '-=', '*='))} {value}"]
            case 7:
                return [f"{source} {rng.choice('+-*')}= {self.of(kind) or 1}"]
            case 8:
                name = f"t{len(self.numbers)}"
                form = {"sq": "{}[0, 1]", "r1": "{}[0, 0]"}.get(kind, "{}[0]")
                line = f"{name} = {rng.choice((form, '{}.sum()', '{}.max()')).format(source)}"
                self.numbers.append(name)
                return [line]
            case 9:
                others = [name for name, own in self.kinds.items() if own == kind and name != source]
                if not others:  # Python 3.11.2 gives `a, a = b, c` the first value
                    return self.statement()
                other = rng.choice(others)
                return [f"{source}, {other} = {rng.choice((f'{other}, {source}', f'{other}, {self.of(kind)}'))}"]
            case 10:
                if kind in ("n2", "h"):
                    return [f"{source}[:] = {source}[::-1]"]
                return [f"{source}[0], {source}[1] = {source}[1], {source}[0]"]
            case 11:
                if kind not in ("sq", "r1"):
                    return [f"for i in range(1, len({source})):", f"    {source}[i] {rng.choice(('=', '+='))} {source}[i - 1]"]
                value = rng.choice((self.of("n", 0), "row[::-1]", "row + row", self.of("n", 1), "k"))
                target = rng.choice(("row[...]", "row[:]", "row", "row[0]"))
                if target == "row[0]":
                    value = rng.choice(("row[1]", "k", "row.sum()"))
                return [f"for row in {source}:", f"    {target} {rng.choice(('=', '+='))} {value}"]
            case 12:
                forms = [form for form, to in VIEWS[kind] if to == kind]
                one, two = (rng.choice(forms).format(source) for _ in range(2))
                name = self.name()
                self.kinds[name] = kind
                if rng.random() < 0.5:
                    return [f"{name} = {one} if k > 1 else {two}"]
                return ["if k > 1:", f"    {name} = {one}", "else:", f"    {name} = {two}"]
            case 13:
                value = self.of(kind, 0)
                return [f"np.{rng.choice(('add', 'multiply', 'maximum'))}({source}, {value}, out={self.of(kind, 0)})"]
            case 14:
                calls = f"first_zero({source})", f"grown({source}, {self.of(kind, 0)})", f"moved({source}, {self.of(kind)})"
                return [rng.choice(calls)]
            case 15:
                calls = f"grown({source}, {self.of(kind, 0)})", f"doubled({source})", f"rebound({source})"
                text, name = rng.choice(calls), self.name()
                self.kinds[name] = kind
                return [f"{name} = {text}"]
            case 16:
                name, second = self.name(), self.name()
                text = self.of(kind)
                self.kinds[name] = self.kinds[second] = kind
                return [f"{name} = {second} = {text}"]
            case 17:
                one, two = self.name(), self.name()
                texts = self.of(kind), self.of(kind)
                self.kinds[one] = self.kinds[two] = kind
                return [f"pair = ({texts[0]}, {texts[1]})", *self.statement(), f"{one}, {two} = pair"]
            case _:
                body = [f"    {line}" for line in self.statement()]
                if not body[0].lstrip().startswith(("c", "pair", "t")):
                    return [rng.choice(("for _ in range(2):", "if k > 0:", "for i in range(k):")), *body]
                return [line.removeprefix("    ") for line in body]

    def result(self) -> str:
        """What is returned."""
        source = self.rng.choice(list(self.kinds))
        form, to = self.rng.choice(VIEWS[self.kinds[source]])
        return self.rng.choice((form.format(source), self.of(to) or source, f"{source}.sum()", source))


def written(rng: random.Random) -> tuple[str, tuple[str, ...], int]:
    """A module with a function `f`, the dtypes of its arrays, and the rank of the first two."""
    rank = rng.choice((1, 1, 2))
    one = rng.choice(DTYPES)
    dtypes = (one, one if rng.random() < 0.8 else rng.choice(DTYPES), one if rng.random() < 0.8 else rng.choice(DTYPES))
    programs = Programs(rng, {"a": "sq" if rank == 2 else "n", "b": "sq" if rank == 2 else "n", "v": "n"})
    lines = [line for _ in range(rng.choice((1, 2, 2, 3, 3, 4))) for line in programs.statement()]
    lines.append(f"return {programs.result()}")
    body = "\n".join(f"    {line}" for line in lines)
    return f"import numpy as np\n\n{HELPERS}\n\ndef f({', '.join(declared(dtypes, rank))}, k: int):\n{body}\n", dtypes, rank


def one(rng: random.Random) -> tuple[str, str]:
    """What becomes of a random program, and its text with why it is refused."""
    text, dtypes, rank = written(rng)
    shown = text.partition("def f(")[2]
    try:
        fragment = import_python(parse_source(Path("statement.py"), text), "f")
    except Unsupported as problem:
        return "refused", f"{shown}{problem}"
    except Exception as problem:  # noqa: BLE001 (the reader ought to refuse, whatever it is given)
        return "DIFFER", f"{shown}{type(problem).__name__}: {problem}"
    fates = Counter(fate(text, fragment, arguments(rng, dtypes, rank, True, square=True)) for _ in range(INPUTS))
    return worst(fates), shown


if __name__ == "__main__":
    raise SystemExit(campaign(one, "programs", None))
