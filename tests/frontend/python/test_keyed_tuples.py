"""Dictionaries of tuples, and of lists of a fixed length, do at each key what CPython does; what has no such form is refused."""

from __future__ import annotations

import itertools

import pytest

from tests.frontend.python.test_keyed import HEAD, LOOP, agrees

TUPLES = ("m = {}", "m = dict()", "m = defaultdict(lambda: (0, 1))")
LISTS = ("m = {}", "m = defaultdict(lambda: [0, 1])")
TUPLE_STEPS = (
    "a, b = m.get(k, (0, 0))\n        m[k] = (a + x, b + 1)",
    "a, b = m.get(k, (x, 2))\n        m[k] = (min(a, x), b + 1)",
    "m[k] = (x, 1)",
    "if k not in m: m[k] = (0, 0)\n        a, b = m[k]\n        m[k] = (a + x, b + 1)",
    "if k not in m: m[k] = (x, 0)\n        m[k] = (m[k][0] + x, m[k][1] - 1)",
    "if k in m:\n            a, b = m[k]\n            m[k] = (a + x, max(b, x))\n        else: m[k] = (x, x)",
    "if k in m:\n            a, b = m[k]\n            m[k] = (a + b, b + x)\n        else: m[k] = (x, 1)",
    "if k in m: m[k] = (m[k][0] + x, m[k][-1] + 1)\n        else: m[k] = (x, 1)",
    "if k not in m: m[k] = (x, 1)\n        else: m[k] = (m[k][0], m[k][1] + 1)",
    "if k not in m or x > m[k][1]: m[k] = (x * x, x)",
    "t = m.get(k, (0, 0))\n        m[k] = (t[0] + x, t[1] + 1)",
    "t = m[k] if k in m else (5, x)\n        m[k] = (t[0] + 1, t[1] + x)",
    "a, b = m[k] if k in m else (0, 0)\n        m[k] = (a + 1, b + x)",
    "m.setdefault(k, (x, 0))\n        m[k] = (m[k][0], m[k][1] + 1)",
    "m.setdefault(k, (x, x + 1))",
    "if k in m:\n            t = m[k]\n            c = t[1] + 1\n            m[k] = (t[0], c)\n        else: m[k] = (x, 0)",
    "if m[k][1] > 2: m[k] = (x, 1)",
    "if k not in m: m[k] = (0, 0)\n        a, b = m[k]\n        c = x * x\n        m[k] = (a + c, b + 1)",
)
TRIED = (
    "try: a, b = m[k]\n        except KeyError: a, b = 0, 0\n        a += x\n        m[k] = (a, b + 1)",
    "try: a, b = m[k]\n        except KeyError: a, b = x, 0\n        b += 1\n        m[k] = (a, b)",
    "if x > 0:\n            a, b = m[k]\n            m[k] = (b, b + x)",
)
LIST_STEPS = (
    "if k not in m: m[k] = [0, 0]\n        m[k][0] += x\n        m[k][1] += 1",
    "m.setdefault(k, [0, x])\n        m[k][0] += x",
    "e = m.setdefault(k, [0, 0])\n        e[0] += x\n        e[1] = max(e[1], x)",
    "if k not in m: m[k] = [x, 0]\n        e = m[k]\n        e[1] = e[0] + e[1]\n        e[0] += 1",
    "m[k][0] += x",
    "if k in m: m[k][1] += x\n        else: m[k] = [0, x]",
    "if k in m:\n            m[k][0] = x\n            m[k][1] -= x\n        else: m[k] = [0, x]",
    "e = m[k]\n        if x > 0: e[0] += 1",
)
ENDS = (
    "return {k: v[0] + v[1] for k, v in m.items()}",
    "return {k: a * b for k, (a, b) in m.items() if a > 0}",
    "return {k: m[k][1] for k in m}",
    "return {k: (b, a + b, 1) for k, (a, b) in m.items()}",
    "return {x: (k, b) for x, (k, b) in m.items()}",
    "r = {}\n    for k, (a, b) in m.items():\n        r[k] = (a, b - a)\n    return r",
    "r = {}\n    for k, v in m.items():\n        if v[1] != 0: r[k] = v[0]\n    return r",
    "return {k for k in m if m[k][0] > 0}",
)
WHOLE = {
    "of two": f"    m = Counter()\n    n = defaultdict(int)\n{LOOP}        m[k] += 1\n        n[k] += x\n"
    "    return {k: (m[k], n[k]) for k in m}",
    "copied": f"    m = defaultdict(lambda: (0, 0))\n{LOOP}        m[k] = (m[k][0] + x, m[k][1] + 1)\n    return dict(m)",
    "choice": f"    m = {{}}\n{LOOP}        m[k] = (x, 1) if x > 0 else (0, 2)\n    return m",
}
BEGUN = "if k not in m: m[k] = [0, 0]"
FIRST = "return {k: v[0] for k, v in m.items()}"
REFUSED = {  # what is made, what is done for each element, and what is returned
    "two names for a list": ("m = {}", f"{BEGUN}\n        e = m[k]\n        m[k] = [x, x]\n        e[0] += 1", FIRST),
    "one list at two keys": ("m = {}\n    e = [0, 0]", "m[k] = e\n        m[k][0] += 1", FIRST),
    "a list beyond its key": ("m = {}\n    e = [0, 0]", f"{BEGUN}\n        e[0] += x\n        e = m[k]", FIRST),
    "other lengths": ("m = {}", "m[k] = (x, 1) if x > 0 else (x, 1, 2)", "return m"),
    "lists beside tuples": ("m = {}", "m[k] = m.get(k, (1, 2))\n        m[k] = [x, x]", FIRST),
    "numbers beside tuples": ("m = {}", "m[k] = (x, 1)\n        m[k] = x", "return m"),
    "a part of a tuple that is changed": ("m = {}", "m[k] = (x, 1)\n        m[k][0] += 1", "return m"),
    "a part that another is computed of": (
        "m = {}",
        "if k not in m: m[k] = (0, 1)\n        m[k] = (m[k][1], m[k][0])",
        "return m",
    ),
    "a place that is computed": ("m = {}", "m[k] = (x, 1)", "return {k: m[k][k % 2] for k in m}"),
    "lists that are returned": ("m = {}", "m[k] = [x, 1]", "return m"),
    "a key that reading puts there": (
        "m = defaultdict(lambda: (0, 0))",
        "m[k] = (x, 1)",
        "r = {x: m[x][0] for x in xs}\n    return m",
    ),
    "what reaches another key": ("m = {}\n    a = 0", "m[k] = (a, x)\n        a, b = m[k]", "return m"),
    "compared": ("m = {}", "if k not in m or m[k] < (x, k): m[k] = (x, k)", "return m"),
}


@pytest.mark.quick("m = defaultdict(lambda: (0, 1))")
@pytest.mark.parametrize("start", TUPLES)
def test_tuples_at_a_key_are_what_they_are_for_all_keys(start: str) -> None:
    ends = (*ENDS, "return m")
    texts = [f"{HEAD}    {start}\n{LOOP}        {step}\n    {end}\n" for step, end in itertools.product(TUPLE_STEPS, ends)]
    found = [agrees(text) for text in texts]
    assert sum(found) >= 0.75 * len(found), [text for text, each in zip(texts, found, strict=True) if not each]


@pytest.mark.parametrize("step", TRIED)
def test_tuples_that_are_tried_where_a_key_may_be_missing(step: str) -> None:
    assert all(agrees(f"{HEAD}    m = {{}}\n{LOOP}        {step}\n    {end}\n") for end in (*ENDS, "return m"))


@pytest.mark.parametrize("start", LISTS)
def test_lists_of_a_fixed_length_at_a_key_are_what_they_are_for_all_keys(start: str) -> None:
    texts = [f"{HEAD}    {start}\n{LOOP}        {step}\n    {end}\n" for step, end in itertools.product(LIST_STEPS, ENDS)]
    found = [agrees(text) for text in texts]
    assert sum(found) >= 0.7 * len(found), [text for text, each in zip(texts, found, strict=True) if not each]


@pytest.mark.parametrize("name", WHOLE)
def test_tuples_are_made_of_other_dictionaries(name: str) -> None:
    assert agrees(f"{HEAD}{WHOLE[name]}\n")


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_for_each_part_is_refused(name: str) -> None:
    start, step, end = REFUSED[name]
    assert not agrees(f"{HEAD}    {start}\n{LOOP}        {step}\n    {end}\n")
