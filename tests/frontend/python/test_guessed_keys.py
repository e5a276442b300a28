"""What is a key of a dictionary, and what nothing else says more of, is taken as a text; the guess is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend.python.function import import_python
from metalift.frontend.python.naming.module import parse_source

GUESSED = {
    "for w in x: c[w] = c.get(w, 0) + 1": "list[str]",
    "for i, w in enumerate(x):\n        if w not in c: c[w] = i": "list[str]",
    "for w in x:\n        if w > 0: c[w] = c.get(w, 0) + w": "list[int]",
    "for w in x:\n        if w == 'a': c[w] = 1": "list[str]",
    "for k, v in x: c[k] = v": "list[tuple[str, float]]",
    "for k, v in x: c[k] = v\n    for k in c: c[k] = c[k] + 1": "list[tuple[str, float]]",
    "for k, v in x:\n        c[k] = c.get(k, 0) + k * v": "list[tuple[int, float]]",
}


@pytest.mark.parametrize("body", GUESSED)
def test_the_types_of_keys(body: str) -> None:
    text = f"def f(x):\n    c = {{}}\n    {body}\n    return c\n"
    fragment = import_python(parse_source(Path("kernel.py"), text), "f")
    assert [each.text for each in fragment.premises] == [f"x is taken as {GUESSED[body]}: annotate it to change that"]


def test_places_of_lists_are_no_keys() -> None:
    text = "def f(x):\n    c = [0] * 9\n    for w in x: c[w] += 1\n    return c\n"
    fragment = import_python(parse_source(Path("kernel.py"), text), "f")
    assert "x is taken as list[int]" in fragment.premises[0].text
