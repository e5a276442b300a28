"""Functions that make dictionaries and sets do at each key what CPython does; what reaches beyond a key is refused."""

from __future__ import annotations

import ast
import itertools
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from metalift.frontend.python.keys.keyed import at_one_key, prepared
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.program.fragment import Unsupported

HEAD = "from collections import Counter, defaultdict\n\n\ndef f(keys, xs):\n"
LOOP = "    for k, x in zip(keys, xs):\n"
STARTS = ("m = {}", "m = dict()", "m = defaultdict(int)", "m = Counter()", "m = defaultdict(lambda: 3)")
STEPS = (
    "m[k] = m.get(k, 0) + 1",
    "m[k] = m.get(k, 5) + x",
    "m[k] = x",
    "m[k] += x",
    "m[k % 2] = m.get(k % 2, 0) + x",
    "m[x] = m.get(x, 0) + k",
    "m.setdefault(k, x)",
    "m.setdefault(k, 0)",
    "m[k] = max(m.get(k, x), x)",
    "m[k] = max(m.get(k, 0), x)",
    "m[k] = min(x, m.get(k, x))",
    "if k not in m or x > m[k]: m[k] = x",
    "if k not in m or x > m[k]: m[k] = 1\n        else: m[k] += 1",
    "if k in m and m[k] > x: m[k] = x",
    "if k in m: m[k] += x\n        else: m[k] = x",
    "if k in m: m[k] += x\n        else: m[k] = 0",
    "if k not in m: m[k] = 0\n        m[k] += x",
    "if k not in m: m[k] = 1\n        m[k] += x",
    "if x > 0: m[k] = m.get(k, 0) + x",
    "if x > 0 and k not in m: m[k] = x",
    "if x > 0 and k > 0 and k in m: m[k] += x",
    "if x > 0:\n            c = m.get(k, 0)\n            m[k] = c * 2 + 1",
    "c = x + 1\n        m[k] = m.get(k, 0) + c",
    "if m[k] > 2: m[k] = x",
    "c, d = m.get(k, 0), x * x\n        c += d\n        d = x - 1\n        m[k] = c + d",
    "c = m.get(k, 0)\n        d = x * x\n        e = d + 1\n        m[k] = c + e",
)
TRIED = (
    "try: m[k] += x\n        except KeyError: m[k] = x",
    "try:\n            m[k] += 1\n        except KeyError:\n            m[k] = x\n        else:\n            m[k] *= 2",
    "try: c = m[k]\n        except KeyError: c = 0\n        m[k] = c + x",
    "try: c = m[k]\n        except KeyError: c = 1\n        m[k] = c + x",
)
CAUGHT = {  # what is tried, and what is done where it fails
    "another key that is tried": ("m[k] += m[x]", "except KeyError: m[k] = x"),
    "another exception": ("m[k] += 1 // x", "except Exception: m[k] = x"),
    "an exception with a name": ("m[k] += 1", "except KeyError as error: m[k] = x"),
    "tried in the end": ("m[k] += 1", "except KeyError: m[k] = x\n        finally: m[k] = 2"),
    "what is kept of another key": ("c = m[k]", "except KeyError: pass\n        m[k] = c + x"),
}
ENDS = (
    "return m",
    "return dict(m)",
    "return {k: v + 1 for k, v in m.items()}",
    "return {k: m[k] for k in m if m[k] > 1}",
    "return {k for k in m if k > 0}",
    "return {x: c + 1 for x, c in m.items()}",
    "r = {}\n    for k in m:\n        t = m[k]\n        r[k] = t * t\n    return r",
    "s = {k for k in keys if k > 0}\n    t = set(xs)\n    return s - t",
)
WHOLE = {
    "counter": "    return Counter(xs)",
    "counter of computed": "    return Counter(x // 2 for x in xs if x > 0)",
    "set": "    return set(keys)",
    "either": "    one = set(keys)\n    two = set(xs)\n    return one | two",
    "both": "    one = set(keys)\n    two = set(xs)\n    return one & two",
    "two": f"    m = Counter()\n    n = defaultdict(int)\n{LOOP}        m[k] += 1\n        n[k] += x\n"
    "    return {k: n[k] - m[k] for k in n}",
    "several": f"    m = Counter()\n    n = {{}}\n{LOOP}        m[k] += 1\n        n[x] = n.get(x, 0) + k\n    return m, n",
    "several in different loops": f"    m = {{}}\n{LOOP}        m[k] = 1\n    n = Counter(xs)\n    return n, m, set(keys)",
    "sums beside them": f"    m, n = {{}}, 0\n{LOOP}        m[k] = m.get(k, 0) + x\n        n += x\n    return n, m, len(xs)",
    "made where they are returned": "    return Counter(keys), {x for x in xs if x > 0}, {k: 1 for k in keys}",
    "sets at once": "    return set(keys) & set(xs)",
    "three": "    s = (set(keys) | set(xs)) - {x for x in xs if x}\n    return {x for x in keys if x in s}, s.union(set(xs))",
    "methods": "    s, t = set(keys), set(xs)\n    u = s.difference(t)\n    return u, s.intersection(t)",
    "done later": f"    s, t = set(), set()\n{LOOP}        s.add(k)\n    u = s | t\n{LOOP}        t.add(x)\n    return u, t",
    "pairs": "    return dict(zip(keys, xs))",
    "pairs that are computed": "    return dict((k, x * x) for k, x in zip(keys, xs) if x > 0)",
    "pairs beside others": "    m = dict(zip(xs, keys))\n    return m, {k: x + 1 for k, x in m.items()}",
    "added": f"    s = set()\n{LOOP}        if x not in s: s.add(x)\n    return s",
}
REFUSED = {
    "a value reaches another key": f"    m = {{}}\n    c = 0\n{LOOP}        m[k] = m.get(k, c)\n        c = m[k]\n    return m",
    "a value reaches a number": f"    m = {{}}\n    n = 0\n{LOOP}        if k not in m: n += 1\n        m[k] = n\n    return m",
    "left over from another key": f"    m = {{}}\n{LOOP}        if k in m: c = m[k]\n        m[k] = c + 1\n    return m",
    "two keys": f"    m = {{}}\n{LOOP}        m[k] = m.get(x, 0) + 1\n    return m",
    "all keys": f"    m = {{}}\n{LOOP}        m[k] = len(m)\n    return m",
    "order of keys": f"    m = {{}}\n{LOOP}        m[k] = x\n    n = 0\n    for k in m: n = 2 * n + m[k]\n    return m",
    "another name": f"    m = {{}}\n    n = m\n{LOOP}        n[k] = x\n    return m",
    "a loop that ends": f"    m = {{}}\n{LOOP}        if k in m: break\n        m[k] = x\n    return m",
    "a key that changes": f"    m = {{}}\n    c = 0\n{LOOP}        m[c] = m.get(c, 0)\n        c = m[c]\n    return m",
    "a list that is changed": f"    m = {{}}\n{LOOP}        xs.append(m.get(k, 0))\n        m[k] = x\n    return m",
    "read where it may not be": f"    m = defaultdict(int)\n{LOOP}        if x > 0 and m[k] > 1: m[k] = x\n    return m",
    "taken away": f"    m = {{}}\n{LOOP}        m[k] = x\n        del m[x]\n    return m",
    "bound again": f"    m = {{}}\n{LOOP}        m[k] = x\n    m = {{}}\n    return m",
    "a number of keys beside it": f"    m, n = {{}}, 0\n{LOOP}        if k not in m: n += 1\n        m[k] = x\n    return m, n",
    "a value beside it": f"    m = {{}}\n    n = 0\n{LOOP}        m[k] = x\n        n = m[k]\n    return m, n",
    "a value of all keys beside it": f"    m = {{}}\n{LOOP}        m[k] = x\n    return m, m[0]",
    "a number that goes on": f"    m, d = {{}}, 0\n{LOOP}        c = m.get(k, 0)\n        d += c\n        m[k] = d\n    return m",
    "the counts of a set": "    return Counter({x % 3 for x in xs})",
    "the counts of a dictionary": f"    m = {{}}\n{LOOP}        m[k] = x\n    return Counter(m)",
    "the counts of others": "    m = Counter(xs)\n    return Counter(m)",
    "a sum of all": f"    m = {{}}\n{LOOP}        m[k] = x\n    return sum(m.values())",
}


def function(text: str, name: str = "f") -> Callable[..., Any]:
    space: dict[str, Any] = {}
    exec(text, space)
    found: Callable[..., Any] = space[name]
    return found


def several_at_key(wanted: tuple[Any, ...], key: int, found: object) -> object:
    """The same of several results: whatever is no dictionary or set is the same for every key."""
    parts: list[object] = []
    for each in wanted:
        part = at_key(each, key, (False, 0)) if isinstance(each, dict | set) else each
        parts += part if isinstance(part, tuple) else [part]
    return tuple(parts)


def at_key(wanted: dict[int, Any] | set[int], key: int, found: object) -> object:
    """Whether a dictionary or set has the key, and the parts of what it has there: zeros where there is nothing."""
    if isinstance(wanted, tuple):
        return several_at_key(wanted, key, found)
    if isinstance(wanted, set):
        return key in wanted
    if key not in wanted:
        return (False, *(0 for _ in found[1:])) if isinstance(found, tuple) else None
    return (True, *(wanted[key] if isinstance(wanted[key], tuple) else (wanted[key],)))


def agrees(text: str) -> bool:
    """Whether the function at each key does what it does; False where it is refused."""
    module = parse_source(Path("kernel.py"), text)
    try:
        keyed = at_one_key(module, prepared(module, module.functions["f"]))
    except Unsupported:
        return False
    assert keyed is not None
    whole, part = function(text), function(ast.unparse(keyed.function))
    rng = random.Random(text)
    for _ in range(30):
        size = rng.randrange(7)
        keys, xs = ([rng.randint(-2, 3) for _ in range(size)] for _ in range(2))
        try:
            wanted = whole(list(keys), list(xs))
        except KeyError:
            continue
        for key in range(-4, 5):
            found = part(keys, xs, key)
            assert found == at_key(wanted, key, found), (text, keys, xs, key)
    return True


@pytest.mark.parametrize("start", STARTS)
def test_a_function_at_a_key_does_what_it_does_for_all_keys(start: str) -> None:
    found = [agrees(f"{HEAD}    {start}\n{LOOP}        {step}\n    {end}\n") for step, end in itertools.product(STEPS, ENDS)]
    assert sum(found) >= 0.8 * len(found)


@pytest.mark.parametrize("step", TRIED)
def test_what_is_tried_where_a_key_may_be_missing(step: str) -> None:
    assert all(agrees(f"{HEAD}    m = {{}}\n{LOOP}        {step}\n    {end}\n") for end in ENDS)
    assert not agrees(f"{HEAD}    m = defaultdict(int)\n{LOOP}        {step}\n    return m\n")  # which does not fail


@pytest.mark.parametrize("name", CAUGHT)
def test_what_else_may_fail_is_refused(name: str) -> None:
    tried, caught = CAUGHT[name]
    assert not agrees(f"{HEAD}    m, c = {{}}, 0\n{LOOP}        try: {tried}\n        {caught}\n    return m\n")


@pytest.mark.parametrize("name", WHOLE)
def test_comprehensions_counters_and_sets(name: str) -> None:
    assert agrees(f"{HEAD}{WHOLE[name]}\n")


@pytest.mark.parametrize("name", REFUSED)
def test_what_reaches_beyond_a_key_is_refused(name: str) -> None:
    assert not agrees(f"{HEAD}{REFUSED[name]}\n")
