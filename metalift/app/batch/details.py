"""What a report shows of one kernel: its source and code, the proof, and the times, as plain data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from metalift.app.batch.engine import folder_of
from metalift.app.batch.speed.shown import tables
from metalift.app.batch.store import Row, Wanted
from metalift.check.certificate import CLAIM

Found: TypeAlias = tuple[Wanted, Row | None]
Plain: TypeAlias = dict[str, Any]
LINES, BEFORE = 400, 10  # of a source that are shown, and of these so many before the function
BYTES = 64 << 10  # of a file that are shown
NOTHING: Plain = {"text": "", "first": 1, "line": 0, "cut": ""}


def details(out: Path, found: Sequence[Found]) -> Plain | None:
    """The details of a kernel, given what is known for each target; None where nothing is."""
    rows = [row for _, row in found if row is not None]
    if not rows:
        return None
    lifts: list[_Lift] = []
    for row in (row for row in rows if row.result):
        common = _common(out, row)
        lift = next((one for one in lifts if one.common == common), None)
        if lift is None:
            lift = _Lift(common, {_assumption(one): [] for one in row.result["assumptions"]})
            lifts.append(lift)
        lift.add(row)
    line = next((int(row.result["line"]) for row in rows if row.result), 0)
    return {
        "source": _source(found[0][0], line),
        "targets": [_target(out, row) for row in rows],
        "lifts": [lift.plain() for lift in lifts],
        "speed": tables(rows),
    }


@dataclass(slots=True)
class _Lift:
    """What targets that were lifted together have in common, and the targets that only some assumptions are for."""

    common: Plain
    assumptions: dict[tuple[str, str, str], list[str]]
    targets: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """A target, with its own assumptions."""
        self.targets.append(row.target)
        for one in row.result["targets"].get(row.target, {}).get("assumptions", ()):
            known = self.assumptions.setdefault(_assumption(one), [row.target])
            if known and row.target not in known:
                known.append(row.target)

    def plain(self) -> Plain:
        """As data."""
        assumptions = [[*one, ", ".join(targets)] for one, targets in self.assumptions.items()]
        return {**self.common, "targets": self.targets, "assumptions": assumptions}


def _assumption(one: Mapping[str, str]) -> tuple[str, str, str]:
    return one["text"], one["origin"], one["checked"]


def _common(out: Path, row: Row) -> Plain:
    """What is the same for all targets of one lift."""
    result = row.result
    folder = _below(out, row, result.get("certificate"), CLAIM)
    return {
        "summary": result["summary"],
        "invariants": result["invariants"],
        "obligations": [[o["name"], o["line"], o["verdict"], o["reason"], o["seconds"]] for o in result["obligations"]],
        "seconds": result["seconds"],
        "diagnostics": [[_place(one), one["message"]] for one in result["diagnostics"]],
        "attempt": result["attempt"],
        "certificate": folder,
        "claim": f"{folder}/{CLAIM}" if folder else None,
    }


def _place(one: Mapping[str, Any]) -> str:
    return ":".join(str(part) for part in (Path(one["file"]).name, one["line"], one["column"]) if part)


def _target(out: Path, row: Row) -> Plain:
    """The code of a target, and what running it showed."""
    own = row.result.get("targets", {}).get(row.target, {})
    file = _below(out, row, own.get("file"))
    text = _read(out / file)[0] if file else ""
    return {
        "name": row.target,
        "engine": own.get("engine", ""),
        "checked": own.get("checked", ""),
        "inputs": own.get("inputs", 0),
        "error": own.get("exact_error"),
        "source_error": own.get("source_error"),
        "decided": own.get("decided", 0),
        "undecided": own.get("undecided", 0),
        "same": own.get("max_rel_error") == 0,
        "file": file,
        "text": text,
        "line": _line_of(str(row.result.get("name")), text),
    }


def _line_of(name: str, text: str) -> int:
    """The line where a function begins in generated code; what comes before it are helpers. 0 where it is not found."""
    begins = re.compile(rf"^\S.*\b{re.escape(name)}\(", re.MULTILINE)
    found = begins.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def _below(out: Path, row: Row, path: str | None, member: str = "") -> str | None:
    """Where something that was written for a kernel lies in the output folder, also if that was moved; None if it is gone."""
    folder = _folder(row.label)
    _, found, rest = (path or "").rpartition(f"{folder}/")
    return f"{folder}/{rest}" if found and (out / f"{folder}/{rest}/{member}").is_file() else None


@lru_cache(maxsize=8)  # one kernel asks for its own several times
def _folder(label: str) -> str:
    return folder_of(Path(), label).as_posix()


def _source(wanted: Wanted, line: int) -> Plain:
    """The source around a function's line, with its name in the suite's folder."""
    text, cut = _read(Path(wanted.path)) if wanted.path else ("", "")
    shown = {**NOTHING, "path": Path(wanted.path).name, "line": line, "text": text, "cut": cut}
    lines = text.split("\n")
    if len(lines) <= LINES:
        return shown
    first = max(1, min(line, len(lines)) - BEFORE)
    part = lines[first - 1 : first - 1 + LINES]
    last = first + len(part) - 1
    return {**shown, "text": "\n".join(part), "first": first, "cut": f"lines {first} to {last} of {len(lines)}"}


def _read(path: Path) -> tuple[str, str]:
    """The beginning of a text, and what there is to say of it: that it was cut, or cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(BYTES + 1)
    except OSError as problem:
        return "", f"{path.name} cannot be read any more: {problem.strerror}"
    cut = f"the first {BYTES >> 10} KiB" if len(data) > BYTES else ""
    return data[:BYTES].decode(errors="replace").replace("\r\n", "\n"), cut


def blocks(found: Iterable[Found], size: int) -> Iterator[list[list[Found]]]:
    """Kernels, each with what is known for its targets, in groups of `size`."""
    kernels = _kernels(found)
    while block := list(islice(kernels, size)):
        yield block


def _kernels(found: Iterable[Found]) -> Iterator[list[Found]]:
    """What belongs to one kernel is in one piece."""
    own: list[Found] = []
    for one in found:
        if own and own[0][0].label != one[0].label:
            yield own
            own = []
        own.append(one)
    if own:
        yield own
