"""Nothing in the framework or in a driver speaks of a suite or of a kernel: what is proved is proved by general means.

Looked for are the names of the suites, of their kernels, functions and files. Left out are names that say nothing: those of
operators that a library or a driver has (a kernel `matmul` and `torch.matmul`), and plain words of English that texts need.
"""

from __future__ import annotations

import builtins
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.suites import ROOT, long_suites, read_long, read_suite, suite_names
from metalift.driver.files import load, own
from metalift.frontend.python.reader.tensors.names import prelude

PROJECT = ROOT.parent
PLACES = ("metalift", "drivers", "llvm-pass")
SUFFIXES = (".py", ".toml", ".cpp", ".h", ".txt", ".html", ".css", ".js")
ENGLISH = frozenset(
    "array clamp contains copy count equal fill forward gemm hard heat increment length maximum mean negate nests offset outer "
    "overlay packet scale screen search steps subtract sum transpose".split()
)


def telling() -> frozenset[str]:
    """The names that only somebody who knows the suites would write."""
    return frozenset(named()) - ENGLISH - libraries()


def named() -> Iterator[str]:
    """Every name of the suites."""
    for suite in suite_names(()):
        yield suite
        for kernel in read_suite(suite):
            yield from (kernel.name, kernel.function, kernel.path.stem)
    for suite in long_suites():
        yield suite
        for long in read_long(suite):
            yield from (long.name, long.function, long.path.stem)


def libraries() -> frozenset[str]:
    """What Python, NumPy, PyTorch (as it is read) and the drivers call their functions, and PyTorch's arguments."""
    torch = [word for name, node in prelude().items() for word in (name, *(each.arg for each in node.args.args))]
    operators = [name for driver in own() for name in load(driver).driver.operators]
    return frozenset([*dir(builtins), *dir(math), *dir(np), *torch, *operators])


def texts() -> Iterator[Path]:
    """What the project ships as its own; the playground's editor is another project's, with names of two letters."""
    for place in PLACES:
        files = sorted((PROJECT / place).rglob("*"))
        own = (path for path in files if path.suffix in SUFFIXES and path.name != "editor.js")
        yield from (path for path in own if not {"build", "node_modules"} & set(path.parts))


def test_the_names_that_are_looked_for_tell_something() -> None:
    names = telling()
    assert {"darken", "color_burn", "rmsnorm", "attention_score", "lms_update", "gemm_ikj"} <= names
    assert len(names) > len(frozenset(named())) / 2


@pytest.mark.parametrize("place", PLACES)
def test_nothing_speaks_of_a_suite_or_of_a_kernel(place: str) -> None:
    name = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, telling())))})\b(?!\.cpp)")  # llama.cpp is a server
    found = [
        f"{path.relative_to(PROJECT)}:{number}: {match[0]}"
        for path in texts()
        if path.is_relative_to(PROJECT / place)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in name.finditer(line)
    ]
    assert not found, "\n".join(found)
