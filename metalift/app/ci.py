"""What a scan or a batch found in the forms that CI reads: SARIF 2.1.0 for code review, JUnit's XML for lists of tests."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from metalift.result.errors import UsageError
from metalift.result.reasons import pages
from metalift.system.files import write_text_atomic
from metalift.version import __version__

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One function or kernel. `wrong`: something failed, where others are merely not lifted; `line` is 0 where none is known."""

    name: str
    file: str
    line: int
    good: bool
    wrong: bool
    verdict: str
    code: str
    message: str
    seconds: float = 0.0


def write(options: argparse.Namespace, suite: str, outcomes: Sequence[Outcome]) -> None:
    """Write the files that were asked for, each whole or not at all."""
    for path, text in ((options.sarif, sarif), (options.junit, lambda found: junit(suite, found))):
        if path is not None:
            try:
                write_text_atomic(path, text(outcomes))
            except OSError as problem:
                raise UsageError(f"cannot write {path}: {problem.strerror}") from problem


def sarif(outcomes: Sequence[Outcome]) -> str:
    """A run with a result for each outcome that is not good; the rules are the codes of reasons."""
    rules = [
        {
            "id": page.code,
            "shortDescription": {"text": page.title},
            "fullDescription": {"text": page.text},
            "help": {"text": f"Before: {page.before}\nAfter: {page.after}"},
        }
        for page in pages()
    ]
    numbers = {page.code: number for number, page in enumerate(pages())}
    results = [_result(one, numbers) for one in outcomes if not one.good]
    driver = {"name": "metalift", "version": __version__, "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }
    return json.dumps(log, indent=2) + "\n"


def _result(one: Outcome, numbers: dict[str, int]) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": Path(one.file).as_posix()}}
    if one.line > 0:
        place["region"] = {"startLine": one.line}
    found: dict[str, Any] = {
        "level": "error" if one.wrong else "note",
        "message": {"text": f"{one.name}: {one.verdict}: {one.message or 'no reason is known'}"},
        "locations": [{"physicalLocation": place}],
    }
    return {"ruleId": one.code, "ruleIndex": numbers[one.code], **found} if one.code in numbers else found


def junit(suite: str, outcomes: Sequence[Outcome]) -> str:
    """A suite with a case for each outcome: what is not lifted is skipped, what went wrong has failed."""
    skipped = sum(not one.good and not one.wrong for one in outcomes)
    failed = sum(one.wrong for one in outcomes)
    counts = f'tests="{len(outcomes)}" failures="{failed}" skipped="{skipped}"'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {counts}>"]
    lines.append(f"  <testsuite name={_attribute(suite)} {counts}>")
    for one in outcomes:
        named = f"classname={_attribute(one.file)} name={_attribute(one.name)} line={_attribute(str(one.line))}"
        head = f'    <testcase {named} time="{one.seconds:.3f}"'
        if one.good:
            lines.append(f"{head}/>")
            continue
        tag = "failure" if one.wrong else "skipped"
        message = f"{one.code} {one.message}".strip()
        lines += [f"{head}>", f"      <{tag} message={_attribute(f'{one.verdict}: {message}')}/>", "    </testcase>"]
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


def _attribute(text: str) -> str:
    """A quoted attribute without what XML cannot hold."""
    return quoteattr(NO_XML.sub("?", text))
