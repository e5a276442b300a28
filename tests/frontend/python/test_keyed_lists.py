"""Lists that a dictionary collects by keys become what is computed of them; other uses of such lists are refused."""

from __future__ import annotations

import pytest

from tests.frontend.python.test_keyed import HEAD, LOOP, agrees

STEPS = (
    "    m = defaultdict(list)\n{loop}        m[k].append(x)",
    "    m = defaultdict(lambda: [])\n{loop}        if x > 0: m[k].append(x * x - k)",
    "    m = {{}}\n{loop}        m.setdefault(k, []).append(x)",
    "    m = {{}}\n{loop}        if k not in m: m[k] = []\n        m[k].append(x + 1)",
    "    m = {{}}\n{loop}        if k in m: m[k].append(x)\n        else: m[k] = [x]",
    "    m = {{}}\n{loop}        if k not in m: m[k] = [x + 1]\n        else: m[k].append(x)",
    "    m = dict()\n    for i, k in enumerate(keys):\n        m.setdefault(k % 2, []).append(xs[i] if i < len(xs) else 0)",
)
ENDS = (
    "return {k: len(v) for k, v in m.items()}",
    "return {k: sum(v) - len(v) for k, v in m.items()}",
    "return {k: (min(v), max(v), sum(v)) for k, v in m.items()}",
    "return {k: max(v) for k, v in m.items() if len(v) > 1}",
    "return {k: sum(m[k]) for k in m}",
    "return {k: sum(x * x for x in v) - sum(v) * sum(v) for k, v in m.items()}",
    "return {k: sum(1 for x in v if x > 0) for k, v in m.items()}",
    "return {k: sum(x > 1 for x in v) + max(-x for x in v) for k, v in m.items()}",
    "r = {}\n    for k, v in m.items():\n        r[k] = sum([x + 1 for x in v])\n    return r",
    "r = {}\n    for k in m.keys():\n        if max(m[k]) > 1: r[k] = min(m[k])\n    return r",
    "return {k for k, v in m.items() if len(v) == 1}",
)
APPEND = f"    m = defaultdict(list)\n{LOOP}        m[k].append(x)\n"
REFUSED = {
    "the lists": f"{APPEND}    return m",
    "the first": f"{APPEND}    return {{k: v[0] for k, v in m.items()}}",
    "the order": f"{APPEND}    return {{k: sum(v[i] * i for i in range(len(v))) for k, v in m.items()}}",
    "another name": f"{APPEND}    n = m\n    return {{k: len(v) for k, v in n.items()}}",
    "another name of a list": (
        f"    m = {{}}\n    e = []\n{LOOP}        m[k] = e\n        m[k].append(x)\n"
        f"    return {{k: len(v) for k, v in m.items()}}"
    ),
    "a list that may be empty": f"    m = {{}}\n{LOOP}        if k not in m: m[k] = []\n        if x > 0: m[k].append(x)\n"
    "    return {k: max(v) for k, v in m.items()}",
    "what reading puts there": f"{APPEND}    r = {{x: len(m[x]) for x in xs}}\n    return {{k: len(v) for k, v in m.items()}}",
    "used beyond the loop": (
        f"{APPEND}    r = {{}}\n    for k, v in m.items():\n        r[k] = len(v)\n    r[0] = len(v)\n"
        f"    return r"
    ),
    "a name that changes": (
        f"{APPEND}    s = 0\n    for x in xs: s += x\n"
        f"    return {{k: sum(x - s for x in v) for k, v in m.items()}}"
    ),
    "what may fail": f"{APPEND}    return {{k: sum(1 // x for x in v) for k, v in m.items()}}",
    "added twice": f"{APPEND}    for k in xs: m[k] += [k, k]\n    return {{k: len(v) for k, v in m.items()}}",
    "taken away": f"{APPEND}    for k in xs: m[k].pop()\n    return {{k: len(v) for k, v in m.items()}}",
}


@pytest.mark.parametrize("step", STEPS)
def test_what_is_computed_of_lists_is_what_it_is_for_all_keys(step: str) -> None:
    assert all(agrees(f"{HEAD}{step.format(loop=LOOP)}\n    {end}\n") for end in ENDS)


@pytest.mark.parametrize("name", REFUSED)
def test_other_uses_of_lists_are_refused(name: str) -> None:
    assert not agrees(f"{HEAD}{REFUSED[name]}\n")


