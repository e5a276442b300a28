"""Changes texts that come from outside at random and hands them to what reads them: each is read or refused, nothing else.

Usage, from the root of the project: python -m benchmarks.fuzz [--count N] [--seconds S] [--seed S] [READER ...]

The readers are those of LLVM IR, of Python sources, of the textual IR, of conditions that a user assumes, of answers, of
certificates, of manifests and of the data of certificates. Texts grow from examples by characters, lines and pieces that are
exchanged, repeated or lost; benchmarks/guided.py does the same, guided by the branches that a text reaches. Exit status 1 where a
reader ends with anything but its own errors, or takes longer than ten seconds: the text is printed, and belongs in
tests/trust/test_fuzz.py.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType

from metalift.app.batch.suite import read as read_suites
from metalift.check import certificate
from metalift.check.user_assumptions import parse_assumptions
from metalift.frontend import compile_source
from metalift.frontend.llvm.compile.clang import Module
from metalift.frontend.llvm.read.llvm_text import LlvmModule
from metalift.frontend.llvm.source import functions, import_function
from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.expr.types import DOUBLE, INT, INT32, UINT8, TensorType, Type
from metalift.ir.program.fragment import Fragment, Unsupported
from metalift.ir.program.summary import Summary
from metalift.ir.text import parse, show_summary
from metalift.ir.text.serial import NotReadable, from_data, to_data
from metalift.ir.text.tokens import ParseError
from metalift.ir.wellformed.check import IllTyped
from metalift.ir.wellformed.check_summary import check_summary
from metalift.result.errors import UsageError
from metalift.synth.derive import derive
from metalift.synth.propose.answer import Rejected, read_code

HEADER = "#include <stdint.h>\n#include <string.h>\n"
SUITES = Path(__file__).resolve().parent
KERNEL = HEADER + """struct image { int width, height; uint8_t *pixels; };
float dot(int n, const float *x, const float *y) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; return s; }
void burn(int n, uint8_t *o, const uint8_t *a) { for (int i = 0; i < n; i++) o[i] = a[i] > 9 ? 255 - a[i] / 3 : a[i] << 1; }
int rows(const struct image *m) { int s = 0; for (int y = 0; y < m->height; y++) for (int x = 0; x < m->width; x++)
  s += m->pixels[y * m->width + x]; return s; }
"""
KERNELS = (
    KERNEL,
    "int find(int n, const int *a, int v) { for (int i = 0; i < n; i++) if (a[i] == v) return i; return -1; }\n",
    """struct point { double x, y; };
void shift(struct point *p, int n, double d) { while (n--) { p->x += d; p++->y -= d; } }
""",
    """static int limit(int v) { switch (v) { case 0: return 7; case 1: return 9; default: return v % 5; } }
void both(long n, short *o, const unsigned char *t) { int k[4] = {1, 2, 3, 4}; o[0] = 0;
  for (long i = 1; i < n; i++) { int s = o[i - 1]; for (int j = 0; j < 4; j++) s += k[j] * limit(t[4 * i + j]); o[i] = s; } }
""",
    HEADER + "void move(unsigned n, float *o, const float *a) { memcpy(o, a, n * sizeof *o); memset(o, 0, 8); }\n",
)
TERMS = (
    "fold(int(n), 0:i32, s, k: s + x[k])",
    "update(x, [i] = 2 * x[i] for i < int(n))",
    "(u8(int(b) + 1) if 0 <= int(n) else 3:u8)",
    "forall(i: not (0 <= i and i < int(n)) or x[i] < 7)",
    "[d * sqrt(d) for i < int(n), j < 3]",
)
ANSWERS = (
    "Here it is:\n```python\ndef f(n, x):\n    s = total(mul(x[:n], 2.0))\n    return s\n```\n",
    "def f(n, x):\n    x[:n] = [a if a > 0 else -a for a in x[:n]]\n    return x\n",
)
MANIFEST = """suite = "made"
[[kernel]]
name = "dot"
style = "pointers"
file = "k.c"
function = "dot"
assume = ["n < 5"]
clang_args = ["-I", "include"]
"""
CONDITIONS = ("n % 4 == 0 and x[i] < 7", "0 <= int(x[i]) <= 64 or n < len(x)", "forall(i: not (0 <= i and i < n) or x[i] < y[i])")
NAMES: dict[str, Type] = {"n": INT32, "b": UINT8, "x": TensorType(INT32, 1), "d": DOUBLE, "k": INT}
PIECES = re.compile(r"\w+|\s+|.", re.DOTALL)
ODD = ("", "0", "-1", "9" * 20, "9" * 5000, "1e999999", "\x00", "\udcff", "(" * 300, "[" * 300, "..", "/etc/passwd", "%", '"')
LONGEST = 10  # seconds of CPU time
DEFECTS = (LookupError, ValueError, ArithmeticError, TypeError, AttributeError, AssertionError, IllTyped)


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, the texts that it is given changed, and the errors that are its own."""

    read: Callable[[str], object]
    examples: Callable[[], Sequence[str]]
    refused: tuple[type[Exception], ...]


def compiled(text: str) -> Module:
    """A C source, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.c"
        path.write_text(text)
        return compile_source(path)


@cache
def llvm_texts() -> tuple[str, ...]:
    """The modules of the examples, as clang writes them, without the folders that they were compiled in."""
    folders = re.compile(r"""/[^"']*(?=/k\.c["'])|(?<=directory: ")/[^"]*""")
    return tuple(folders.sub("/source", compiled(text).compiled) for text in KERNELS)


def read_llvm(text: str) -> object:
    """All functions of a module."""
    module = Module(Path("k.c"), KERNEL, LlvmModule(text, Path.cwd()))
    made: list[object] = []
    for _, _, symbol in functions(module):
        try:
            made.append(import_function(module, symbol))
        except (Unsupported, UsageError):
            continue
    return made


@cache
def python_texts() -> tuple[str, ...]:
    """The Python sources of the suites."""
    return tuple(path.read_text(encoding="utf-8") for path in sorted(SUITES.glob("*/*.py")))


def read_python(text: str) -> object:
    """All functions of a module."""
    module = parse_source(Path("k.py"), text)
    made: list[object] = []
    for name in module.functions:
        try:
            made.append(import_python(module, name))
        except (Unsupported, UsageError):
            continue
    return made


@cache
def data_texts() -> tuple[str, ...]:
    """Summaries as data."""
    module = compiled(KERNEL)
    return tuple(json.dumps(to_data(derive(import_function(module, name)))) for name in ("dot", "burn"))


def read_data(text: str) -> object:
    """A summary out of data, checked and shown."""
    summary = from_data(json.loads(text))
    if isinstance(summary, Summary):
        check_summary(summary, dot_fragment())
        return show_summary(summary)
    return None


@cache
def dot_fragment() -> Fragment:
    """The function that summaries are checked against, and conditions are about."""
    return import_function(compiled(KERNEL), "dot")


def read_certificate(text: str) -> object:
    """A claim."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / certificate.CLAIM).write_text(text, encoding="utf-8", errors="surrogateescape")
        return certificate.read(Path(folder))


def certificate_texts() -> tuple[str, ...]:
    """A claim around each summary."""
    proof = {"file": "obligations/000.smt2", "effort": "ground", "lemmas": []}
    rest: dict[str, object] = {"function": "dot", "source": "k.c", "driver": "tensor", "identical": {}, "programs": {}}
    rest |= {"clang_args": [], "assume": []}
    obligations = [{"name": "return at 3", "line": 3, "proofs": [proof]}]
    return tuple(json.dumps({**rest, "obligations": obligations, "summary": json.loads(text)}) for text in data_texts())


def read_manifest(text: str) -> object:
    """A manifest in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "k.c").write_text(KERNEL)
        (Path(folder) / "manifest.toml").write_text(text, encoding="utf-8", errors="surrogateescape")
        return read_suites([Path(folder)])


TARGETS = {
    # clang wrote it: that it ends is what counts, also where a value is made of itself
    "llvm": Target(read_llvm, llvm_texts, (Unsupported, UsageError, RecursionError, *DEFECTS)),
    "python": Target(read_python, python_texts, (Unsupported, UsageError)),
    "assumptions": Target(lambda text: parse_assumptions([text], dot_fragment()), lambda: CONDITIONS, (UsageError,)),
    "terms": Target(lambda text: parse(text, NAMES), lambda: TERMS, (ParseError, IllTyped)),
    "answers": Target(lambda text: read_code(text, ["f"]), lambda: ANSWERS, (Rejected,)),
    "data": Target(read_data, data_texts, (NotReadable, *DEFECTS)),  # made-up data, which `check` says of all of these
    "certificates": Target(read_certificate, certificate_texts, (UsageError,)),
    "manifests": Target(read_manifest, lambda: (MANIFEST,), (UsageError,)),
}


class TooLong(BaseException):
    """A reader did not come back in time."""


@contextmanager
def watched() -> Iterator[None]:
    """Raises TooLong when it takes longer than it may."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def changed(text: str, chosen: random.Random) -> str:
    """The text with one change, or a few."""
    pieces = PIECES.findall(text)
    for _ in range(chosen.choice((1, 1, 1, 2, 3, 8))):
        if not pieces:
            return chosen.choice(ODD)
        at, other = chosen.randrange(len(pieces)), chosen.randrange(len(pieces))
        match chosen.randrange(7):
            case 0:
                del pieces[at]
            case 1:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 2:
                pieces.insert(at, pieces[other])
            case 3:
                pieces[at] = chosen.choice(ODD)
            case 4:
                pieces[at] = pieces[other]
            case 5:
                low, high = sorted((at, min(other, at + 40)))
                del pieces[low:high]
            case _:
                pieces[at] = chr(chosen.randrange(1, 256)) + pieces[at][1:]
    return "".join(pieces)


def problem(target: Target, text: str) -> str:
    """What is wrong with how a text is read; empty where it is read or refused."""
    try:
        with watched():
            target.read(text)
    except target.refused:
        return ""
    except TooLong:
        return f"it takes longer than {LONGEST} s"
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
        return f"{type(error).__name__}: {error}"
    return ""


def way(said: str) -> str:
    """What two texts that fail alike have in common."""
    return re.sub(r"[0-9]+|'.*'", "..", said)[:80]


def campaign(name: str, count: int, seconds: float, seed: int) -> dict[str, str]:
    """Texts that make a reader fail, one for each way in which it does; prints how many were tried."""
    target, found = TARGETS[name], dict[str, str]()
    chosen = random.Random(f"{seed}:{name}")
    began, tried = time.monotonic(), 0
    while tried < count and time.monotonic() - began < seconds:
        text = changed(chosen.choice(target.examples()), chosen)
        tried += 1
        said = problem(target, text)
        if said:
            found.setdefault(way(said), text)
    sys.stdout.write(f"{name:<14}{tried:>8} texts, {len(found)} ways to fail, {time.monotonic() - began:.0f} s\n")
    return found


def reported(readers: Sequence[str], found: Callable[[str], Iterable[tuple[str, str]]]) -> int:
    """Print what makes the readers fail (all, where none is named), with the texts; the exit status."""
    failed = False
    for name in readers or TARGETS:
        for said, text in found(name):
            failed = True
            sys.stdout.write(f"  {said}\n    {text[:2000]!r}\n")
        sys.stdout.flush()
    return 1 if failed else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Try the readers and print what fails."""
    parser = argparse.ArgumentParser(description="Random changes of texts; each is read or refused.")
    parser.add_argument("readers", nargs="*", metavar="READER", choices=[[], *TARGETS])
    parser.add_argument("--count", type=int, default=2000, help="texts for each reader")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for each reader")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    return reported(options.readers, lambda name: campaign(name, options.count, options.seconds, options.seed).items())


if __name__ == "__main__":
    raise SystemExit(main())
