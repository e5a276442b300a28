"""Every snippet of docs/writing-a-driver.md: files are written, commands are run, and what they print is what the text shows."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from metalift.driver import Driver, Engine, Layout, Target

GUIDE = Path(__file__).parents[2] / "docs" / "writing-a-driver.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def sections() -> Iterator[tuple[str, str]]:
    """The sections by their titles; each brings along all the files that it uses."""
    text = GUIDE.read_text(encoding="utf-8")
    starts = [*SECTION.finditer(text)]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        yield start[1], text[start.end() : end.start() if end else len(text)]


def run(command: str, folder: Path) -> str:
    """What a command prints, both streams together."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return process.communicate(timeout=120)[0]


def shown(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that follows it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def matches(wanted: str, found: str) -> bool:
    """Whether they are equal, where `...` stands for anything."""
    pattern = ".*".join(re.escape(piece) for piece in wanted.strip().split("..."))
    return re.fullmatch(pattern, found.strip(), re.DOTALL) is not None


@pytest.mark.quick("From nothing to a proved kernel", "Limits of a machine", "When something is wrong")
@pytest.mark.parametrize(("title", "text"), [pytest.param(*each, id=each[0]) for each in sections()])
def test_what_the_guide_shows_is_what_happens(title: str, text: str, tmp_path: Path) -> None:
    for language, name, body in BLOCK.findall(text):
        if language == "console":
            for command, output in shown(body):
                found = run(command, tmp_path)
                assert matches(output, found), f"{title}: $ {command}\n{found}"
        else:
            assert name, f"{title}: a block of {language} names its file"
            (tmp_path / name).write_text(body, encoding="utf-8")


def test_the_guide_has_snippets_to_run() -> None:
    blocks = [language for _, text in sections() for language, _, _ in BLOCK.findall(text)]
    assert blocks.count("console") >= 6 and blocks.count("python") >= 6


def test_every_field_is_in_the_guide() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    options = inspect.signature(Driver.define).parameters.keys() - {"self", "function", "elementwise"}
    names = {field.name for described in (Driver, Target, Layout, Engine) for field in fields(described)}
    assert sorted(name for name in names | options if f"`{name}`" not in text) == []
