"""Dictionaries and sets that a loop asks while it fills them are what CPython has in each round; other forms are refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from metalift.ir.program.fragment import Unsupported
from tests.frontend.python.cpython import against_cpython

HEAD = "from collections import Counter, defaultdict\n\n\n"
PLAIN = ("m = {}", "m: dict[int, int] = dict()", "m = Counter()")
WITH_DEFAULT = ("m = defaultdict(int)", "m = Counter()", "m = defaultdict(lambda: 3)")
LOOPS = ("for k, x in zip(keys, xs):", "for i, k in enumerate(keys):", "for k in keys:")
# What a loop does with what `m` has; each is read with dictionaries that have no default
ASKED = (
    "m[k] = m.get(k, 0) + {x}\n        out.append(m[k])",
    "out.append(m.get(k, 0))\n        m[k] = {x}",
    "out.append(m.get(k, {x}) - {x})\n        m[k] = {x}",
    "if k in m: out.append(m[k] - {x})\n        m[k] = {x}",
    "if k not in m: m[k] = 0\n        m[k] += 1\n        out.append(m[k] * {x})",
    "if k not in m:\n            m[k] = {x}\n            out.append({x})",
    "if k not in m:\n            out.append(1)\n            m[k] = {x}\n        else:\n            out.append(m[k])\n"
    "            m[k] += 1",
    "if k in m: continue\n        m[k] = 1\n        out.append({x})",
    "j = k // 2\n        m[j] = max(m.get(j, 0), {x})\n        out.append(m[j])",
    "before = m.get(k, 5)\n        m[k] = before + {x}\n        out.append(before)",
    "m[k] = {x}\n        out.append(m.get(k + 1, 7))",
    "m[k] = {x}\n        out.append(1 if k - 1 in m else 0)",
    "if {x} > 0: m[k] = {x}\n        out.append(m.get(k, 0))",
    "m[k] = m.get(k, 0) + n\n        out.append(m[k])",
    "m.setdefault(k, {x})\n        out.append(m[k])",
    "if {x} > 0 and k not in m:\n            m[k] = 1\n            out.append(k)",
    "if {x} < 1 or k in m: continue\n        m[k] = 1\n        out.append(k)",
)
COUNTED = (
    "m[k] += {x}\n        out.append(m[k])",
    "out.append(m[k])\n        m[k] += 1",
    "if {x} > 0: m[k] += {x}\n        out.append(m[k] + m[k + 1])",
)
# Where a reading by rounds alone would be another: each is refused, or read as it is
OTHERS = (
    "k += 1\n        m[k] = {x}\n        out.append(m[k])",
    "k = keys[0]\n        m[k] = m.get(k, 0) + {x}\n        out.append(m[k])",
    "t += {x}\n        m[k] = t\n        out.append(m[k])",
    "m[k] = len(out)\n        out.append(m[k])",
    "out.append(m.get(k, 0))\n        m[k] = t\n        t += 1",
    "m[k] = {x}\n        if {x} > 2: break\n        out.append(m[k])",
    "m[k] = {x}\n        out.append(len(m))",
    "m[k] = {x}\n        out.append(m[k])\n        m[k] = 0",
    "m[k] = {x}\n        out.append(m[k])\n        m[k + 1] = 0",
    "other = m\n        other[k] = {x}\n        out.append(m[k])",
    "m[k] = {x}\n        m.pop(k + 1, None)\n        out.append(m[k])",
    "for j in keys: m[j] = {x}\n        out.append(m[k])",
    "m[k] = {x}\n        m[k + 1] = 1\n        out.append(m[k])",
    "out.append(m.setdefault(k, {x}))",
    "if k in m:\n            del m[k]\n        else: m[k] = 1\n        out.append(1 if k in m else 0)",
    "m[k] = {x}\n        keys = keys[1:]\n        out.append(m[k])",
    "out.append(m.get(m.get(k, 0), 0))\n        m[k] = {x}",
    "m[m.get(k, 0)] = {x}\n        out.append(m.get(k, 0))",
    "while t < 3:\n            m[k] = t\n            t += 1\n        out.append(m.get(k, 9))",
)
INSERTING = (
    "out.append(m[k])\n        if k not in m: m[k] = {x}",
    "out.append(m[k + 1])\n        m[k] += 1\n        out.append(1 if k + 1 in m else 0)",
    "if m[k] == 0: m[k] = {x}\n        out.append(m.get(k, 8))",
)
SETS = (
    "if k not in m:\n            m.add(k)\n            out.append(k)",
    "out.append(1 if k in m else 0)\n        m.add(k)",
    "if k in m: continue\n        m.add(k)\n        out.append(k)",
    "m.add(k)\n        out.append(1 if k in m else 0)",
    "if k + 1 in m: out.append(k)\n        m.add(k)",
)
LISTS = (
    "if k not in out: out.append(k)",
    "if k in out: continue\n        out.append(k)",
    "if k // 2 not in out: out.append(k // 2)",
)
THROUGH = (  # names that have the new value before it is written
    "c = m.get(k, 0)\n        c += {x}\n        m[k] = c\n        out.append(c)",
    "c = m.get(k, 2)\n        if {x} > 1: c += {x}\n        else: c -= 1\n        m[k] = c\n        out.append(c * k)",
    "c = m.get(k, 0)\n        if {x} > 1: c += 1\n        m[k] = c\n        if c > 1: out.append(c)\n        else: out.append(k)",
    "c = m[k] if k in m else 1\n        c -= {x}\n        m[k] = c\n        out.append(c)",
)
NOT_THROUGH = (
    "c = m.get(k, 0)\n        c += {x}\n        m[k] = c\n        c += 1\n        out.append(c)",
    "c = m.get(k, 0)\n        c += m.get(k, 1)\n        m[k] = c\n        out.append(c)",
    "c = m.get(k, 0)\n        c += c\n        m[k] = c\n        out.append(c)",
    "c = m.get(k, 0)\n        c += {x}\n        m[c] = c\n        out.append(c)",
    "c = m.get(k, 0)\n        c += {x}\n        m[k] = c\n        m[1] = 7\n        out.append(c)",
    "out.append(c)\n        c = m.get(k, 0)\n        c += {x}\n        m[k] = c",
    "c = m.get(k, 0)\n        c += {x}\n        m[k] = c\n        k = k + 1\n        out.append(c)",
)
OTHER_LISTS = (
    "if k not in out: out.append(k + 1)",
    "if k in out: out.append(k)\n        else: out.append(0)",
    "if k not in out: out.append(k)\n        out[0] = 2",
    "if k not in out: out.insert(0, k)",
)


def _function(made: str, loop: str, step: str, end: str = "return out") -> str:
    step = step.replace("{x}", {LOOPS[0]: "x", LOOPS[1]: "i", LOOPS[2]: "k"}[loop])
    head = f"def kernel(keys: list[int], xs: list[int], n: int):\n    {made}\n    out = []\n    t = 0\n"
    return f"{head}    {loop}\n        {step}\n    {end}\n"


def _compared(text: str, folder: Path) -> int:
    path = folder / "kernel.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return against_cpython(path, "kernel", tries=30).compared


@pytest.mark.parametrize(
    ("made", "loop", "step"), [*itertools.product(PLAIN, LOOPS, ASKED), *itertools.product(WITH_DEFAULT, LOOPS, COUNTED)]
)
def test_read_as_in_each_round(made: str, loop: str, step: str, tmp_path: Path) -> None:
    assert _compared(_function(made, loop, step), tmp_path) > 5


@pytest.mark.parametrize("step", THROUGH)
def test_names_that_have_the_new_value(step: str, tmp_path: Path) -> None:
    assert _compared(_function("m = {}", LOOPS[0], step), tmp_path) > 5


@pytest.mark.parametrize("step", NOT_THROUGH)
def test_names_that_go_on_are_refused_or_the_same(step: str, tmp_path: Path) -> None:
    try:
        assert _compared(_function("m, c = {}, 0", LOOPS[0], step), tmp_path) > 0
    except Unsupported as problem:
        assert problem.diagnostic.location.line > 3


@pytest.mark.parametrize(("loop", "step"), [*itertools.product(LOOPS, SETS)])
def test_sets(loop: str, step: str, tmp_path: Path) -> None:
    assert _compared(_function("m = set()", loop, step), tmp_path) > 5


@pytest.mark.parametrize("step", LISTS)
def test_lists_that_are_asked(step: str, tmp_path: Path) -> None:
    assert _compared(_function("m = 0", LOOPS[0], step), tmp_path) > 5


@pytest.mark.parametrize("step", OTHER_LISTS)
def test_lists_that_are_asked_for_something_else(step: str, tmp_path: Path) -> None:
    try:
        assert _compared(_function("m = 0", LOOPS[0], step), tmp_path) > 0
    except Unsupported as problem:
        assert problem.diagnostic.location.line > 3


@pytest.mark.parametrize(
    ("made", "step"), [*itertools.product((*PLAIN[:2], WITH_DEFAULT[0]), OTHERS), *itertools.product(WITH_DEFAULT, INSERTING)]
)
def test_others_are_refused_or_the_same(made: str, step: str, tmp_path: Path) -> None:
    try:
        assert _compared(_function(made, LOOPS[0], step), tmp_path) > 0
    except Unsupported as problem:
        assert problem.diagnostic.location.line > 3


@pytest.mark.parametrize("end", ["return out, len(m)", "return out, m", "m[0] = 1\n    return out", "return [m[o] for o in out]"])
def test_dictionaries_that_are_used_later(end: str, tmp_path: Path) -> None:
    try:
        _compared(_function("m = {}", LOOPS[0], "m[k] = x\n        out.append(m[k])", end), tmp_path)
    except Unsupported as problem:
        assert problem.diagnostic.location.line > 3


def test_elements_without_those_before(tmp_path: Path) -> None:
    assert _compared("def kernel(keys: list[int]):\n    return list(dict.fromkeys(keys))\n", tmp_path) > 5
    text = "def dict(x):\n    return x\n\n\ndef kernel(keys: list[int]):\n    return list(dict.fromkeys(keys))\n"
    with pytest.raises(Unsupported):
        _compared(text, tmp_path)
