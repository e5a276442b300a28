"""Functions that compute something of all keys of a dictionary do what CPython does, as folds over places; others are refused."""

from __future__ import annotations

import ast
import itertools
import random
from pathlib import Path

import pytest

from metalift.frontend.python.keys.all_keys import of_all_keys
from metalift.frontend.python.keys.keyed import at_one_key
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.program.fragment import Unsupported
from tests.frontend.python.test_keyed import LOOP, STARTS, STEPS, at_key, function

FILLED = f"    m = {{}}\n{LOOP}        m[k] = x\n"
HEAD = "from collections import Counter, defaultdict\n\n\ndef f(keys: list[int], xs: list[int], t: int):\n"
ENDS = (
    "return len(m)",
    "return sum(m.values())",
    "return max(m.values())",
    "return max(m.values(), default=0) - min(m.values(), default=t)",
    "return sum(1 for v in m.values() if v > t)",
    "return sum([v * k for k, v in m.items()])",
    "return any(v > t for v in m.values())",
    "return all(m[k] > t for k in m)",
    "return max(m), min(m.keys()), sum(m)",
    "return sum(m.values()) // len(m) if m else t",
    "if not m:\n        return 0\n    return max(v * v for v in m.values())",
    "r = t\n    for v in m.values():\n        if v > r: r = v\n    return r",
    "r, n = 0, 1\n    for k, v in m.items():\n        d = v - k\n        if d > t:\n"
    "            r -= d\n        else:\n            n *= 2\n    return r, n",
    "r = False\n    for k in m:\n        if m[k] == t: r = True\n    return r, len(m)",
    "n = len(m)\n    r = n\n    for v in m.values(): r = max(v, r)\n    return r - n",
    "s = {v for v in xs if v > t}\n    return len(s) + len(m) + len(set(keys) & set(xs)) - len({x % 2 for x in xs})",
    "c = Counter(xs)\n    return sum(c.values()) - sum(v for v in Counter(keys).values() if v > 1)",
    "r = {k: v + 1 for k, v in m.items() if v > t}\n    return sum(r.values()) + len(r)",
    "n = sum(m.values())\n    return {k: v + n for k, v in m.items()}",
    "n = max(m.values(), default=0)\n    return {k for k in m if m[k] == n}",
    "return m, len(m)",
    "r = {}\n    for k, v in m.items():\n        r[k] = v - min(m.values())\n    return r",
)
CHANGED = {
    "again": f"{FILLED}    n = len(m)\n{LOOP}        m[k] = n + x\n    return sum(m.values())",
    "between": f"{FILLED}    n = len(m)\n{LOOP}        m[k] += n\n    return n, sum(m.values()), m",
    "two": f"    m, n = {{}}, Counter()\n{LOOP}        m[k] = m.get(k, 0) + x\n        n[k] += 1\n"
    "    r = 0\n    for k in m:\n        r += m[k] * n[k]\n    return r",
    "beside": f"    m, n = {{}}, 0\n{LOOP}        m[k] = x\n        n += x\n    return n * len(m)",
    "of a mean": f"    m = {{}}\n    mean = sum(xs) // (len(xs) + 1)\n"
    f"{LOOP}        if x > mean: m[k] = x\n    return len(m), mean",
    "indices": "    m = {}\n    for i in range(len(keys)):\n        m[keys[i] // 2] = i\n    return sum(m.values())",
    "places": "    m = {}\n    for i, k in enumerate(keys):\n        if k > t: m[k * 2 + 1] = i\n    return sum(m.values())",
    "of numbers": "    m = {}\n    for i in range(abs(t)):\n        m[i % 3] = i\n    return sum(m.values())",
    "both": f"    m = {{}}\n{LOOP}        m[(k, x)] = 1\n    return len(m)",
    "lists": f"    m = defaultdict(list)\n{LOOP}        m[k].append(x)\n    return max(len(v) for v in m.values())",
    "pairs": f"    m = {{}}\n{LOOP}        n, s = m.get(k, (0, 0))\n        m[k] = (n + 1, s + x)\n"
    "    r = 0\n    for k, (n, s) in m.items():\n        r += s // n\n    return r",
    "a name": f"    m = {{}}\n{LOOP}        c = k * k\n        if x > t:\n"
    "            m[c] = m.get(c, 0) + 1\n    return max(m.values(), default=0)",
    "left": f"    m = {{}}\n{LOOP}        if x == t: continue\n        m[k] = x\n    return len(m)",
    "ended": "    m = {}\n    for k in keys:\n        if k == t: break\n        m[k] = 1\n    return len(m)",
    "difference": "    s = set(keys)\n    return len(s - set(xs))",
}
REFUSED = {
    "the last value": f"{FILLED}    r = 0\n    for v in m.values(): r = v\n    return r",
    "the last key": f"{FILLED}    for k in m: pass\n    return k",
    "a running value": f"{FILLED}    r = 0\n    for v in m.values(): r = v - r\n    return r",
    "a product that goes on": f"{FILLED}    r = 0\n    for v in m.values(): r = r * 2 + v\n    return r",
    "one of another": f"{FILLED}    r, s = 0, 0\n    for v in m.values():\n        r += v\n        s += r\n    return s",
    "a condition of what is before": f"{FILLED}    r = 0\n    for v in m.values():\n        if r < 3: r += v\n    return r",
    "the key of the greatest": f"{FILLED}    r, b = 0, 0\n    for k, v in m.items():\n"
    "        if v > b:\n            r = k\n            b = v\n    return r",
    "two ways": f"{FILLED}    r = 0\n    for v in m.values():\n        r = max(r, v)\n        r += v\n    return r",
    "two constants": f"{FILLED}    r = 0\n    for v in m.values():\n        if v > t: r = 1\n"
    "        else: r = 2\n    return r",
    "an end": f"{FILLED}    r = 0\n    for v in m.values():\n        r += v\n        if v > t: break\n    return r",
    "a result inside": f"{FILLED}    for v in m.values():\n        if v > t: return v\n    return 0",
    "as it is made": f"    m, n = {{}}, 0\n{LOOP}        m[k] = x\n        n += len(m)\n    return n",
    "several computations": f"    m = {{}}\n{LOOP}        m[k] = 1\n        m[x] = 1\n    return len(m)",
    "several lists": "    m = Counter(keys)\n    for x in xs: m[x] += 1\n    return len(m)",
    "either": "    return len(set(keys) | set(xs))",
    "a list that changes": "    m = {}\n    for i in range(len(keys)):\n        m[keys[i]] = i\n"
    "        keys[i] = 0\n    return len(m)",
    "a list with another name": "    m = {}\n    other = keys\n    for k in keys: m[k] = 1\n    other[0] = 7\n    return len(m)",
    "a key that is counted": "    m, c = {}, 0\n    for k in keys:\n        m[c] = k\n        c += k\n    return len(m)",
    "a value at a key": f"    m, y = {{}}, 0\n{LOOP}        m[k] = x\n    n = len(m)\n    y = m.get(3, 0)\n    return n + y",
    "a division": f"    m = {{}}\n{LOOP}        if x != 0: m[k // x] = 1\n    return len(m)",
    "the first": f"{FILLED}    return next(iter(m.values()))",
    "in order": f"{FILLED}    return sorted(m.values())[0]",
    "the greatest key": f"{FILLED}    return max(m, key=m.get)",
    "strings": f"{FILLED}    r = ''\n    for v in m.values(): r += str(v)\n    return r",
}


def agrees(text: str) -> bool:
    """Whether the function as a fold does what it does, on all inputs tried; False where it is refused."""
    module = parse_source(Path("kernel.py"), text)
    try:
        split = of_all_keys(module, module.functions["f"])
        if split is None:
            return False
        keyed = at_one_key(module, split)
    except Unsupported:
        return False
    made = split.function if keyed is None else keyed.function
    whole, part = function(text), function(f"from collections import Counter, defaultdict\n{ast.unparse(made)}")
    rng = random.Random(text)
    for _ in range(25):
        size = rng.randrange(7)
        keys, xs = ([rng.randint(-2, 3) for _ in range(size)] for _ in range(2))
        t = rng.randint(-2, 3)
        try:
            wanted = whole(list(keys), list(xs), t)
        except (KeyError, ValueError, ZeroDivisionError):
            continue
        for key in range(-4, 5) if keyed else (0,):
            found = part(keys, xs, t, key) if keyed else part(keys, xs, t)
            assert found == (at_key(wanted, key, found) if keyed else wanted), (text, ast.unparse(made), keys, xs, t, key)
    return True


@pytest.mark.quick(every=5)
@pytest.mark.parametrize("end", ENDS)
def test_what_is_computed_of_all_keys(end: str) -> None:
    starts = random.Random(end).sample(list(itertools.product(STARTS, STEPS)), 25)
    found = [agrees(f"{HEAD}    {start}\n{LOOP}        {step}\n    {end}\n") for start, step in starts]
    assert sum(found) >= 0.6 * len(found)


@pytest.mark.parametrize("name", CHANGED)
def test_several_loops_and_dictionaries(name: str) -> None:
    assert agrees(f"{HEAD}{CHANGED[name]}\n")


@pytest.mark.parametrize("name", REFUSED)
def test_what_depends_on_the_order_of_keys_or_on_more_is_refused(name: str) -> None:
    assert not agrees(f"{HEAD}{REFUSED[name]}\n")
