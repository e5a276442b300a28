"""What a search for faster kernels has found so far, on disk: lines of JSON that are only appended, and the text of each kernel.

    search.jsonl       one line for the search itself, for each candidate, for each round that has ended, for each proof
    kernels/KEY.txt    the kernel of a candidate
    tree.html          the candidates with what they came from, for people

A line that a killed process left half written is not read; what the line was about is done again.
"""

from __future__ import annotations

import hashlib
import html
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from metalift.result.errors import UsageError
from metalift.system.files import write_text_atomic


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel by the key of its text; the move that made it of its parent; what it takes by the model, less being better."""

    key: str
    parent: str
    move: str
    site: tuple[str, ...]
    guard: str
    round: int
    score: float
    label: str = "modelled"


@dataclass
class SearchLog:
    """The candidates by their keys, the best ones of the rounds that have ended, and what was proved of candidates."""

    folder: Path
    candidates: dict[str, Candidate] = field(default_factory=dict)
    beams: list[tuple[str, ...]] = field(default_factory=list)
    proofs: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, about: str) -> SearchLog:
        """The log in a folder, as far as it is of the same search; `about` says what is searched for, and by what."""
        (folder / "kernels").mkdir(parents=True, exist_ok=True)
        log, path = cls(folder), folder / "search.jsonl"
        lines = list(_lines(path))
        if not lines or lines[0] != {"search": about}:
            write_text_atomic(path, json.dumps({"search": about}) + "\n")
            return log
        try:
            for line in lines[1:]:
                log.read(line)
        except (TypeError, KeyError, ValueError) as problem:
            raise UsageError(f"{path} is no log of a search: {problem}; remove it, or name another folder by --out") from None
        write_text_atomic(path, "".join(json.dumps(line) + "\n" for line in lines))  # without a line that is torn
        return log

    def read(self, line: dict[str, Any]) -> None:
        """Take what one line says."""
        match line:
            case {"candidate": dict(fields)}:
                made = Candidate(**{**fields, "site": tuple(fields["site"])})
                self.candidates[made.key] = made
            case {"beam": list(keys)}:
                self.beams.append(tuple(keys))
            case {"proof": str(key), **rest}:
                self.proofs[key] = rest

    def write(self, line: dict[str, Any]) -> None:
        """Append a line, and take what it says."""
        with (self.folder / "search.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.read(line)

    def add(self, candidate: Candidate, text: str) -> None:
        """A new candidate, with its kernel's text."""
        write_text_atomic(self.folder / "kernels" / f"{candidate.key}.txt", text)
        self.write({"candidate": asdict(candidate)})

    def text(self, key: str) -> str:
        """The text of a candidate's kernel."""
        return (self.folder / "kernels" / f"{key}.txt").read_text(encoding="utf-8")

    def best(self) -> list[Candidate]:
        """All candidates, the best one first."""
        return sorted(self.candidates.values(), key=lambda each: (each.score, each.round, each.key))

    def page(self) -> str:
        """The tree of candidates as a page: those that a round kept, and what was proved."""
        kept = {key for beam in self.beams for key in beam}
        below: dict[str, list[Candidate]] = {}
        for each in self.best():
            if each.key in kept or each.key in self.proofs:
                below.setdefault(each.parent, []).append(each)
        parts = ["<!doctype html><meta charset='utf-8'><title>search</title>", "<h1>Candidates</h1>"]
        parts.append("<p>Scores are means of logarithms of modelled cycles: less is better. Nothing is measured.</p>")
        return "\n".join((*parts, *self._branch(below, ""))) + "\n"

    def _branch(self, below: dict[str, list[Candidate]], parent: str) -> Iterator[str]:
        if parent not in below:
            return
        yield "<ul>"
        for each in below[parent]:
            move = f"{each.move} at {', '.join(each.site)}" if each.site else each.move
            proof = self.proofs.get(each.key)
            verdict = f" <b>{html.escape(proof['verdict'])}</b>" if proof else ""
            yield f"<li>{each.score:.4f} {html.escape(move)} (<code>{each.key}</code>){verdict}"
            yield from self._branch(below, each.key)
            yield "</li>"
        yield "</ul>"


def key_of(text: str) -> str:
    """What a kernel is known by."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are whole."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return
