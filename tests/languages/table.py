"""The table of constructs by language. `python -m tests.languages.table` writes docs/languages.md."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "languages.md"
FILES = {"C": HERE / "constructs.c", "C++": HERE / "constructs.cpp", "Python": HERE / "constructs.py"}
LIFTED, REFUSED, NOT_YET, NONE = "lifted", "refused", "not yet", "-"
HEAD = """\
# What is lifted of each language

Each cell is a small function that the tests lift: [C](../tests/languages/constructs.c), [C++](../tests/languages/constructs.cpp),
[Python](../tests/languages/constructs.py). *lifted*: it is PROVED, and its code agrees with the source. *refused*: it is named,
with its line and what to do, and that is not meant to change. *not yet*: refused in the same way. *-*: there is no such thing.
This page is written by `python -m tests.languages.table`, from `tests/languages/rows.toml`.
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is said of a construct in a language, with the target that it is tried for."""

    section: str
    name: str
    about: str
    language: str
    to: str
    state: str
    why: str


def cells() -> Iterator[Cell]:
    """All cells, row by row."""
    table = tomllib.loads((HERE / "rows.toml").read_text(encoding="utf-8"))
    said = {language: table.get("not", {}).get(language, {}) for language in FILES}
    texts = {language: file.read_text(encoding="utf-8") for language, file in FILES.items()}
    for section in table["section"]:
        for name, about, *to in section["rows"]:
            for language in FILES:
                target = table["to"].get(language, {}).get(name) or (to[0] if to else section.get("to", "numpy"))
                state, _, why = said[language].get(name, LIFTED).partition(": ")
                there = re.search(rf"\b{name}\(", texts[language]) is not None
                yield Cell(section["title"], name, about, language, target, state if there else NONE, why)


def page() -> str:
    """The page."""
    lines = [HEAD]
    notes: list[str] = []
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    for cell in cells():
        rows.setdefault((cell.section, cell.name), {})[cell.language] = cell
    last = ""
    for (section, _), row in rows.items():
        if section != last:
            lines += [f"\n## {section}\n", f"| | {' | '.join(FILES)} |", "| --- | --- | --- | --- |"]
            last = section
        shown = []
        for cell in row.values():
            note = ""
            if cell.why:
                if cell.why not in notes:
                    notes.append(cell.why)
                note = f" [{notes.index(cell.why) + 1}]"
            shown.append(f"{cell.state}{note}")
        lines.append(f"| {next(iter(row.values())).about} | {' | '.join(shown)} |")
    open_ = sum(any(cell.state == NOT_YET for cell in row.values()) for row in rows.values())
    lines += [f"\n{len(rows)} rows, {open_} of them with a cell that is not yet lifted.\n"]
    lines += [f"{number}. {why}" for number, why in enumerate(notes, start=1)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
