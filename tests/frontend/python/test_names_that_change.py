"""What dictionaries are filled with stays what it was: functions in which it may not are refused, the others read as they are."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from metalift.frontend.python import parse_source
from metalift.frontend.python.function import import_python
from metalift.ir.interp.interpret import run
from metalift.ir.program.fragment import ParamKind, Unsupported

HEAD = "from collections import Counter, defaultdict\nLEAST = 3\n\n\n"
PARAMS = "a: list[int], b: list[int], t: int"
COUNTED = "    m = {}\n    for x in a:\n        m[x] = m.get(x, 0) + 1\n"
FILLED = "    m = {}\n    for x in a:\n        if x != t:\n            m[x] = x\n"
DOUBLE = "    m = {}\n    for k in b:\n        m[k] = k * 2\n"
READ = {
    "a parameter by name": ("a: list[int], b: list[int], *, LEAST: int", "    m = {}\n    for k in b:\n        if k > LEAST:\n"
        "            m[k] = k * 2\n    return sum(m.get(v, 0) for v in a)"),
    "a parameter by place": ("LEAST: int, /, a: list[int], b: list[int]", "    m = {}\n    for k in b:\n        if k > LEAST:\n"
        "            m[k] = k * 2\n    n = 0\n    for v in a:\n        n += m.get(v, 7)\n    return n"),
    "a total that goes on": (PARAMS, "    m = {}\n    total = 0\n    for x in a:\n        m[x] = m.get(x, 0) + 1\n"
        "        total += 1\n    for v in m.values():\n        total += v\n    return total"),
    "a best that goes on": (PARAMS, "    m = {}\n    best = 0\n    for x in a:\n        m[x] = m.get(x, 0) + 1\n"
        "        best = 2\n    for v in m.values():\n        best = max(best, v)\n    return best"),
    "a flag that is set before": (PARAMS, "    m = {}\n    found = False\n    for x in a:\n        m[x] = m.get(x, 0) + 1\n"
        "        found = False\n    for v in m.values():\n        if v > 1:\n            found = True\n    return found"),
    "what another name was made of": (PARAMS, "    s = t + 1\n    u = s + 1\n    m = {}\n    for x in a:\n        if x != u:\n"
        "            m[x] = x\n    s = 9\n    return sum(m.values()) + s"),
    "a name of the condition": (PARAMS, f"{COUNTED}    y = 1\n    if (y := t) > 1:\n"
        "        return sum(v * y for v in m.values())\n    return y"),
    "a set in a choice": (PARAMS, "    return len({x // t for x in a}) if t != 0 else 0"),
    "a division in a choice": (PARAMS, f"{COUNTED}    if t != 0:\n        return sum(v // t for v in m.values())\n    return 0"),
    "its own value": (PARAMS, f"{COUNTED}    n = 3\n    n += sum(v * n for v in m.values())\n    return n"),
    "a name of Python's that is not called": (PARAMS, f"{COUNTED}    max = 0\n    max += sum(m.values())\n    return max"),
}  # fmt: skip
KEYED = {
    "the key beside one by name": ("a: list[int], b: list[int], *, t: int", "    m: dict[int, int] = {}\n"
        "    for x, y in zip(a, b):\n        if y == t:\n            m[x] = m.get(x, 0) + 1\n    return m"),
    "the key beside one by place": ("t: int, /, a: list[int], b: list[int]", "    m: dict[int, int] = {}\n"
        "    for x, y in zip(a, b):\n        if y == t:\n            m[x] = m.get(x, 0) + 1\n    return m"),
}  # fmt: skip
CHANGED = "was changed"
REFUSED = {
    "a default that counts": (f"{DOUBLE}    n, s = 0, 0\n    for v in a:\n        s += m.get(v, (n := n + 1))\n"
        "    return s + n", ""),
    "a key that counts": (f"{DOUBLE}    n, s = 0, 0\n    for v in a:\n        s += m.get((n := n + 1), 7)\n    return s + n", ""),
    "a default that takes away": (f"{DOUBLE}    c = [v for v in a]\n    s = 0\n    for v in a:\n        s += m.get(v, c.pop())\n"
        "    return s + len(c)", ""),
    "a key in a lambda": ("    m = {}\n    for k in b:\n        if k > t:\n            m[k] = -k\n"
        "    return sorted(a, key=lambda t: m.get(t, 0))", ""),
    "a loop that may return": (f"{COUNTED}    for x in a:\n        if x == -2:\n            return -1\n        if x == t:\n"
        "            m[x] = 2\n    return sum(m.values())", f"m {CHANGED}"),
    "a choice that may return": (f"{COUNTED}    if t == 3:\n        return 0\n    else:\n        for x in a:\n"
        "            if x == t:\n                m[x] = 2\n    return sum(m.values())", f"m {CHANGED}"),
    "a return at a key": (f"{COUNTED}    n = len(m)\n    if t in m:\n        return 5\n    return n", ""),
    "a name bound before a return": (f"    u = 1\n{COUNTED.replace('+ 1', '+ u')}    if t == 3:\n        return 0\n    else:\n"
        "        u = 5\n    return sum(m.values())", f"u {CHANGED}"),
    "a name bound in a choice": (f"    s = 1\n{COUNTED.replace('+ 1', '+ s')}    if t == 2:\n        s = 5\n"
        "        return sum(m.values())\n    return s", f"s {CHANGED}"),
    "a parameter bound in a choice": (f"{FILLED}    if len(a) > 3:\n        t = 0\n        return sum(m.values()) + t\n"
        "    return 0", f"t {CHANGED}"),
    "a parameter bound after all": (f"    u = t + 1\n{FILLED.replace('!= t', '!= u')}    t = 9\n    u = 0\n"
        "    return sum(m.values())", f"t {CHANGED}"),
    "a value of the last key": ("    m = {}\n    n, s = 0, 0\n    for x in a:\n        m[x] = x\n        s = 1\n    if t > 0:\n"
        "        s = 5\n        n = sum(v * s for v in m.values())\n    return n + s", f"s {CHANGED}"),
    "a number of places": ("    n = 3\n    m = {}\n    for i in range(n):\n        m[i] = i\n    n = t\n"
        "    return sum(m.values())", f"n {CHANGED}"),
    "the name of the number of places": ("    m = {}\n    for t in range(abs(t)):\n        m[t] = 1\n"
        "    return sum(m.values())", ""),
    "what is written goes on": ("    m = {}\n    n = 5\n    for x in a:\n        m[x] = n\n    for v in m.values():\n"
        "        n += v\n    return n", f"n {CHANGED}"),
    "bound beside": (f"{COUNTED}    y = 1\n    return (y := 3) + sum(v * y for v in m.values())", "depends on y, which changes"),
    "bound in a condition": (f"{COUNTED}    y = 1\n    if (y := t) > 1 and sum(v * y for v in m.values()) > 4:\n"
        "        return 1\n    return y", "depends on y, which changes"),
    "of a lambda": (f"    y = 1\n{COUNTED}    return sorted(a, key=lambda y: sum(v for v in m.values() if v == y))",
        "depends on y, which changes"),
    "numbers that are chosen": (f"{COUNTED}    r = 1\n    for v in m.values():\n        r = r and v\n    return r",
        "the order of keys"),
    "a list with a noted name": (f"{COUNTED}    z: list[int] = a\n    for i in range(len(z)):\n        z[i] = 5\n"
        "    return sum(m.values())", f"a {CHANGED}"),
    "a list given by name": (f"{COUNTED}    n = _zero(x=a) if len(a) > 0 else 0\n    return len(m) + n", f"a {CHANGED}"),
    "a list named on the way": (f"{COUNTED}    n = len(z := a)\n    for i in range(n):\n        z[i] = 5\n    return len(m)", ""),
    "lists one after the other": (f"{COUNTED}    for z in (a, b):\n        for i in range(len(z)):\n            z[i] = t\n"
        "    return len(m)", f"a {CHANGED}"),
    "a truth value instead of a set": ("    s = set(a)\n    if t > 0:\n        return False\n    return s", "before the end"),
    "a pair instead of a dictionary": (f"{COUNTED}    if t > 0:\n        return (False, 0)\n    return m", "before the end"),
    "what may fail": (f"{COUNTED}    return sum(v // t for v in m.values()) if t != 0 else 0", "under a condition"),
    "what is done with it later": (f"{COUNTED}    n = len(m)\n    _change(m, b)\n    return n + b[0]", ""),
    "the name of its length": (f"    len = t\n{COUNTED}    return sum(m.values()) + len", "another name"),
}  # fmt: skip
REDEFINED = "def {name}(x: list[int]) -> int:\n    n = 0\n    for v in x:\n        n += 2\n    return n\n\n\n"


def agrees(params: str, body: str) -> None:
    """The function is read as what CPython computes of random inputs."""
    text = f"{HEAD}def f({params}):\n{body}\n"
    fragment = import_python(parse_source(Path("kernel.py"), text), "f")
    space: dict[str, object] = {}
    exec(text, space)
    names = [arg.arg for arg in ast.walk(ast.parse(text)) if isinstance(arg, ast.arg)]
    positional = [name for name in names if "/" in params and name == names[0]]
    key = next((param.var.name for param in fragment.params if param.kind is ParamKind.KEY), None)
    rng = random.Random(body)
    for _ in range(40):
        lists = {name: [rng.randint(-2, 3) for _ in range(rng.randrange(6))] for name in ("a", "b")}
        given = {name: lists.get(name, rng.randint(-2, 3)) for name in names}
        rest = {name: value for name, value in given.items() if name not in positional}
        wanted = space["f"](*(given[name] for name in positional), **rest)  # type: ignore[operator]
        if key is None:
            assert run(fragment, given).result == wanted, given
            continue
        for at in range(-3, 5):
            there, value = run(fragment, {**given, key: at}).result  # type: ignore[misc]
            assert there == (at in wanted) and (not there or value == wanted[at]), (given, at)


@pytest.mark.parametrize("name", [*READ, *KEYED])
def test_it_is_read_as_it_is(name: str) -> None:
    agrees(*(READ | KEYED)[name])


@pytest.mark.parametrize("name", REFUSED)
def test_what_may_have_changed_is_refused(name: str) -> None:
    body, message = REFUSED[name]
    helper = "\n\ndef _zero(x: list[int]) -> int:\n    x[0] = 5\n    return 3\n"
    helper += "\n\ndef _change(x, y):\n    y[0] = 7\n"
    module = parse_source(Path("kernel.py"), f"{HEAD}def f({PARAMS}):\n{body}\n{helper}")
    with pytest.raises(Unsupported) as refusal:
        import_python(module, "f")
    assert message in refusal.value.diagnostic.message


@pytest.mark.parametrize(
    "name, body",
    [("len", "    m = {x: 1 for x in a if x > 0}\n    return len(m)"), ("len", f"{COUNTED}    return sum(m.values())"),
     ("set", "    s = set(a)\n    n = 0\n    for y in b:\n        if y in s:\n            n += 1\n    return n"),
     ("max", f"{COUNTED}    return max(m.values())")],
)  # fmt: skip
def test_names_of_pythons_own_that_mean_something_else_are_not_taken_for_these(name: str, body: str) -> None:
    module = parse_source(Path("kernel.py"), REDEFINED.format(name=name) + f"{HEAD}def f({PARAMS}):\n{body}\n")
    with pytest.raises(Unsupported):
        import_python(module, "f")


def test_a_function_that_is_called_like_one_of_python_is_that_function() -> None:
    text = REDEFINED.format(name="set") + f"def f({PARAMS}):\n    return set(a) + t\n"
    fragment = import_python(parse_source(Path("kernel.py"), text), "f")
    assert run(fragment, {"a": [1, 1], "b": [], "t": 1}).result == 5
