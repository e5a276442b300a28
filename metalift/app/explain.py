"""What the words of a report mean: verdicts and origins (explanations.toml), codes of reasons (result/reasons.toml)."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from pathlib import Path

from metalift.check.assumptions import Origin
from metalift.result.errors import UsageError
from metalift.result.reasons import Page, pages
from metalift.result.verdict import Agreement, Checked, FunctionVerdict, ObligationVerdict, Word

TEXTS = Path(__file__).with_name("explanations.toml")
WIDTH = 100
KINDS: Mapping[type[Enum], str] = {
    FunctionVerdict: "verdict of a function or of one of its targets",
    ObligationVerdict: "verdict of an obligation",
    Agreement: "what running the generated code beside the compiled source showed",
    Checked: "whether the generated code checks an assumption",
    Origin: "origin of an assumption",
}


@dataclass(frozen=True, slots=True)
class Topic:
    """A word: what it means, and an example."""

    member: Enum
    text: str
    example: str

    @property
    def word(self) -> str:
        """As it stands in reports."""
        return str(self.member.value)

    @property
    def names(self) -> tuple[str, str]:
        """The names by which it can be asked for, as they are compared."""
        return _plain(self.word), _plain(self.member.name)

    @property
    def gist(self) -> str:
        """One sentence."""
        return self.member.sentence if isinstance(self.member, Word) else self.text.partition(". ")[0].rstrip(".") + "."

    def show(self) -> str:
        """The topic for people."""
        text = f"{self.gist} {self.text}" if isinstance(self.member, Word) else self.text
        head = f"{self.word} ({KINDS[type(self.member)]})"
        return "\n".join([head, textwrap.fill(text, WIDTH), "Example:", textwrap.indent(self.example, "    ")])


def topics() -> tuple[Topic, ...]:
    """Every word that can be asked for."""
    tables = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    return tuple(_topic(member, tables[kind.__name__][member.name]) for kind in KINDS for member in kind)


def explain(asked: str) -> str:
    """The text on a word, on all its meanings if it has several. Raises UsageError with the nearest words where it is unknown."""
    if page := next((page for page in pages() if page.code.casefold() == asked.strip().casefold()), None):
        return show_page(page)
    wanted, known = _plain(asked), topics()
    found = [topic for topic in known if wanted in topic.names]
    if not found and wanted:
        found = [topic for topic in known if any(wanted in name.split() or name.startswith(wanted) for name in topic.names)]
    if not found:
        codes = [page.code.lower() for page in pages()]
        names = list(dict.fromkeys([*(name for topic in known for name in topic.names), *codes]))
        near = get_close_matches(wanted, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"nothing to explain is called {asked!r}; {hint}`metalift explain` lists all words")
    return "\n\n".join(topic.show() for topic in found)


def show_page(page: Page) -> str:
    """What a code means, an example before and after, and what would help; what a message names is left open."""
    helps = [re.sub(r"\{(\w+)\}", r"<\1>", text) for text in page.help if text not in ("{rewrite}", "{assumption}")]
    lines = [f"{page.code}: {page.title}", textwrap.fill(page.text, WIDTH)]
    for title, text in (("Before:", page.before), ("After:", page.after)):
        lines += [title, textwrap.indent(text, "    ")]
    if helps:
        lines += ["What helps:", *(f"    {text}" for text in helps)]
    return "\n".join(lines)


def listing() -> str:
    """All words, by kind, and all codes, each with a sentence."""
    known = topics()
    width = max(len(topic.word) for topic in known)
    lines: list[str] = []
    for kind, name in KINDS.items():
        lines.append(f"{name}:")
        lines += [f"  {topic.word:<{width}}  {topic.gist}" for topic in known if type(topic.member) is kind]
    lines.append("code of a reason:")
    lines += [f"  {page.code:<{width}}  {page.title}" for page in pages()]
    return "\n".join(lines)


def _topic(member: Enum, table: Mapping[str, str]) -> Topic:
    return Topic(member, " ".join(table["text"].split()), table["example"].rstrip("\n"))


def _plain(word: str) -> str:
    """A word as it is compared: case, underscores and dashes do not matter."""
    return " ".join(word.casefold().replace("_", " ").replace("-", " ").split())
