"""Every block of docs/python-api.md: files are written, and what is typed at the prompt gives what the text shows."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python-api.md"
FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def test_what_the_page_shows_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, body in FILE.findall(text):
        (tmp_path / name).write_text(body, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    examples = "\n".join(PROMPT.findall(text))
    assert examples.count(">>>") > 15
    told: list[str] = []
    test = doctest.DocTestParser().get_doctest(examples, {}, "python_api", str(PAGE), 0)
    try:
        outcome = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append)
    finally:
        for name in ("sales", "prices"):
            sys.modules.pop(name, None)
    assert outcome.failed == 0, "".join(told)
