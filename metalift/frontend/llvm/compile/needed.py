"""What of a module some of its functions need: by name, over the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from metalift.frontend.llvm.read.llvm_text import GLOBAL, MENTIONED, NAME, mentions

HEAD = re.compile(rf"(?:define|declare) .*?@({NAME})\(|@({NAME}) = ")
UNSEEN = r"hidden|internal|private|linkonce\w*|external|available_externally"
HIDDEN = re.compile(rf"declare|(?:define|@(?:{NAME}) =) (?:\w+ )*?(?:{UNSEEN})\b")


class Uses:
    """What each definition of some modules names, what is `changing`, and what is named where types are `described`. Definitions
    of one name are taken together, though statics may be several."""

    def __init__(self, text: str) -> None:
        self.named: dict[str, set[str]] = {}
        self.changing: set[str] = set()
        self.described: set[str] = set()
        self.add(text)

    def add(self, text: str) -> None:
        """The definitions of one more module."""
        for name, names in mentions(text).items():
            self.named.setdefault(name, set()).update(names)
        self.changing |= {name for line in text.splitlines() if (name := _changing(line))}
        described = (line for line in text.splitlines() if line.startswith("!"))
        self.described |= {name.strip('"') for line in described for name in MENTIONED.findall(line)}

    def reached(self, roots: frozenset[str]) -> set[str]:
        """The names that the roots lead to.

        All that names a variable that can change comes with it: what is read of it may rest on nothing changing it.
        """
        users: dict[str, set[str]] = {}
        for user, names in self.named.items():
            for name in names & self.changing:
                users.setdefault(name, set()).add(user)
        kept, pending = set[str](), [*roots, *self.described, *(name for name in self.named if name.startswith("llvm."))]
        while pending:
            name = pending.pop()
            if name not in kept:
                kept.add(name)
                pending += self.named.get(name, set()) | users.get(name, set())
        return kept


def exported(text: str) -> Iterator[str]:
    """The definitions of a module that others see or that take the place of what others define: the rest is hidden or weak."""
    for line in text.splitlines():
        head = HEAD.match(line)
        name = (head[1] or head[2]).strip('"') if head else ""
        if name and (not HIDDEN.match(line) or name.startswith("__wrap_")):
            yield name


def reached(text: str, roots: frozenset[str]) -> str:
    """The text of a module without the definitions that none of the roots leads to; all of one with assembly in it."""
    if "\nmodule asm " in text:
        return text
    kept = Uses(text).reached(roots)
    lines, keeping, inside = [], True, False
    for line in text.splitlines():
        if head := HEAD.match(line):
            keeping = (head[1] or head[2]).strip('"') in kept
        elif not inside:
            keeping = True
        inside = line.startswith("define ") or (inside and line != "}")
        if keeping:
            lines.append(line)
    return "\n".join(lines)


def _changing(line: str) -> str:
    """The name of the variable that a line defines, where it can change."""
    found = GLOBAL.match(line) if line.startswith("@") else None
    return found[1].strip('"') if found and re.match(r"(?:[\w()]+ )*?global ", found[2]) else ""
