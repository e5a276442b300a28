"""Dictionaries that have records as values do at each key what CPython does; what lets a record change there is refused."""

from __future__ import annotations

import ast
import itertools
import random
from pathlib import Path

import pytest

from metalift.frontend.python.function import import_python
from metalift.frontend.python.keys.keyed import at_one_key, prepared
from metalift.frontend.python.naming.module import parse_source
from metalift.ir.program.fragment import Unsupported
from tests.frontend.python.test_keyed import at_key, function

HEAD = "from collections import defaultdict\n\n\ndef f(rows):\n"
ROW = "from typing import TypedDict\n\n\nclass Row(TypedDict):\n    k: int\n    x: int\n    y: int\n"
TYPED = f"{ROW}\n\ndef f(rows: list[Row]):\n"
LOOP = "    for v in rows:\n"
STEPS = (
    "m[v['k']] = v",
    "if v['k'] not in m: m[v['k']] = v",
    "if v['k'] not in m or v['x'] >= m[v['k']]['x']: m[v['k']] = v",
    "if v['k'] in m:\n            if m[v['k']]['x'] < v['x']: m[v['k']] = v\n        else: m[v['k']] = v",
    "if v['x'] > 0: m[v['k']] = v",
    "m[v['k']] = {'x': v['x'] + 1, 'y': 2, 'z': 5}",
    "m.setdefault(v['k'], v)",
)
ENDS = (
    "return {k: v['x'] for k, v in m.items()}",
    "return {k: v['x'] - v['y'] for k, v in m.items()}",
    "return {k: (v['y'], v['x']) for k, v in m.items()}",
    "return {k: m[k]['y'] for k in m if m[k]['x'] > 0}",
    "r = {}\n    for k, e in m.items():\n        if e['x'] != 0: r[k] = e['y']\n    return r",
    "r = {}\n    for k in m:\n        t = m[k]\n        r[k] = t['x'] * t['y']\n    return r",
)
CHANGED = (
    "if v['k'] not in m: m[v['k']] = {'x': 0, 'y': 1}\n        m[v['k']]['x'] += v['x']\n        m[v['k']]['y'] += 1",
    "m.setdefault(v['k'], {'y': 0, 'x': v['x']})\n        m[v['k']]['y'] += v['x']",
    "g = m.setdefault(v['k'], {'x': 0, 'y': 0})\n        g['x'] += v['x']\n        g['y'] = max(g['y'], v['x'])",
    "if v['k'] in m: m[v['k']]['x'] += 1\n        else: m[v['k']] = {'x': 1, 'y': v['y']}",
)
WHOLE = {
    "a comprehension": "    m = {v['k']: v for v in rows}\n    return {k: v['x'] for k, v in m.items()}",
    "one part that changes": f"    m = defaultdict(lambda: {{'n': 0}})\n{LOOP}        m[v['k']]['n'] += v['x']\n"
    "    return {k: e['n'] for k, e in m.items()}",
    "parts that change": f"    m = defaultdict(lambda: {{'n': 0, 't': 1}})\n{LOOP}        m[v['k']]['n'] += 1\n"
    "        m[v['k']]['t'] += v['x']\n    return {k: e['t'] * e['n'] for k, e in m.items()}",
    "places": "    m = {}\n    for i, v in enumerate(rows):\n        m[v['k']] = v\n    return {k: v['y'] for k, v in m.items()}",
}
REFUSED = {
    "the records": f"    m = {{}}\n{LOOP}        m[v['k']] = v\n    return m",
    "another name": f"    m = {{}}\n{LOOP}        m[v['k']] = v\n    n = m\n    return {{k: v['x'] for k, v in n.items()}}",
    "a record that changes": f"    m = {{}}\n{LOOP}        m[v['k']] = v\n        v['x'] = 0\n"
    "    return {k: e['x'] for k, e in m.items()}",
    "a record that changes there": f"    m = {{}}\n{LOOP}        m[v['k']] = v\n        m[v['k']]['x'] += 1\n"
    "    return {k: e['x'] for k, e in m.items()}",
    "a row with another name": f"    m = {{}}\n    e = {{'x': 0}}\n{LOOP}        m[v['k']] = e\n        e['x'] += 1\n"
    "    return {k: e['x'] for k, e in m.items()}",
    "a row that computed keys change": f"    m = {{}}\n    e = {{}}\n{LOOP}        e[v['y']] = 1\n        m[v['k']] = e\n"
    "    return {k: e['x'] for k, e in m.items()}",
    "one for all keys": f"    m = {{}}\n    e = {{'x': 0, 'y': 0}}\n{LOOP}        m[v['k']] = e\n        m[v['k']]['x'] += 1\n"
    "    return {k: e['x'] for k, e in m.items()}",
    "a whole record": f"    m = {{}}\n{LOOP}        m[v['k']] = v\n    return {{k: (e, e['x']) for k, e in m.items()}}",
    "more keys": f"    m = {{}}\n{LOOP}        m[v['k']] = {{'x': 1}}\n    return {{k: len(e) + e['x'] for k, e in m.items()}}",
    "a name that is left": f"    m = {{}}\n{LOOP}        m[v['k']] = v\n    r = {{}}\n    for k, e in m.items(): r[k] = e['x']\n"
    "    r[0] = e['x']\n    return r",
}


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
        rows = [{"k": rng.randint(-2, 2), "x": rng.randint(-2, 3), "y": rng.randint(0, 2)} for _ in range(rng.randrange(7))]
        wanted = whole([dict(row) for row in rows])
        for key in range(-3, 4):
            found = part([dict(row) for row in rows], key)
            assert found == at_key(wanted, key, found), (text, rows, key)
    return True


@pytest.mark.parametrize(("step", "end"), [*itertools.product(STEPS, ENDS)])
def test_the_parts_of_records_are_what_they_were(step: str, end: str) -> None:
    assert agrees(f"{HEAD}    m = {{}}\n{LOOP}        {step}\n    {end}\n")


@pytest.mark.parametrize(("step", "end"), [*itertools.product(CHANGED, ENDS)])
def test_rows_that_are_written_out_and_change(step: str, end: str) -> None:
    assert agrees(f"{HEAD}    m = {{}}\n{LOOP}        {step}\n    {end}\n")


@pytest.mark.parametrize("name", WHOLE)
def test_other_ways(name: str) -> None:
    assert agrees(f"{HEAD}{WHOLE[name]}\n")


@pytest.mark.parametrize("name", REFUSED)
def test_what_else_may_happen_to_records_is_refused(name: str) -> None:
    with pytest.raises(Unsupported):
        import_python(parse_source(Path("kernel.py"), f"{TYPED}{REFUSED[name]}\n"), "f")
