"""Dictionaries of strings are known by what is written into them, where no annotation says what they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from metalift.frontend import import_function, open_source
from metalift.ir.expr.types import STRING

HEAD = """
from dataclasses import dataclass


@dataclass
class User:
    name: str
    age: int
    country: str


def kernel(users: list[User], pairs: list[tuple[int, str]], keys: list[int], names: list[str], asked: list[int]) -> list[str]:
"""
BODIES = {
    "zip": """
    found = dict(zip(keys, names))
    return [found.get(key, "?") for key in asked]
""",
    "a field": """
    found = {user.age: user.country for user in users}
    return [found[key] for key in asked if key in found]
""",
    "an element": """
    found = {}
    for i in range(len(keys)):
        found[keys[i]] = names[i]
    return [found.get(key, "") for key in asked]
""",
    "a part": """
    found = {}
    for pair in pairs:
        found[pair[0]] = pair[1]
    return [found[key] for key in asked if key in found]
""",
    "parts with names": """
    found = {}
    for key, name in pairs:
        found.setdefault(key, name)
    return [found.get(key, "none") for key in asked]
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_strings(name: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text(HEAD + BODIES[name].lstrip("\n"), encoding="utf-8")
    blocks = import_function(open_source(source), "kernel").blocks
    assert any(arg.type == STRING for block in blocks for arg in block.args)
