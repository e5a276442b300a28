"""Certificates: a folder from which everything that was claimed of a function can be derived and proved again.

    certificate.json   what was claimed, from which inputs, by which tools; summary and programs as data
    SOURCE             the source file as it was
    fragment.txt, summary.txt, programs/TARGET.txt    for people
    obligations/NNN.smt2    one self-contained SMT-LIB file for each proof; unsat means proved
    lemmas/NAME.N.smt2      the proofs of the lemmas that they use

`certificate.json` is data from outside when it is checked: it is parsed into the IR's classes and nothing else.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import NoReturn

from metalift.errors import UsageError
from metalift.files import read_text_of, write_text_atomic
from metalift.ir.serial import NotReadable, from_data, to_data
from metalift.ir.summary import Summary, TargetProgram
from metalift.prove.batch import Settled
from metalift.prove.lemmas import LEMMAS
from metalift.version import __version__

CLAIM = "certificate.json"
LARGEST = 1 << 26  # bytes of a file of a certificate
COMMANDS = frozenset({"set-logic", "declare-sort", "declare-fun", "declare-const", "define-fun", "assert", "check-sat"})
TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|]*\||[()]|[^\s()";|]+|\S')


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a certificate says. `nest`: it is about a loop nest, which has a name of its own."""

    function: str
    source: str
    clang_args: tuple[str, ...]
    driver: str
    assume: tuple[str, ...]
    identical: Mapping[str, tuple[str, ...]]
    summary: Summary
    programs: Mapping[str, TargetProgram]
    obligations: tuple[RecordedObligation, ...]
    nest: bool = False


@dataclass(frozen=True, slots=True)
class RecordedObligation:
    """One obligation: its name and place; one proof file for all of its goals, or one for each."""

    name: str
    line: int
    proofs: tuple[RecordedProof, ...]


@dataclass(frozen=True, slots=True)
class RecordedProof:
    """One SMT-LIB file."""

    file: str
    effort: str
    lemmas: tuple[str, ...]


def proof_records(settled: Sequence[tuple[Settled, int]]) -> tuple[tuple[RecordedObligation, ...], dict[str, str]]:
    """Obligations as they are recorded, and the texts of their files. Pairs are of what was proved and the source line."""
    records: list[RecordedObligation] = []
    files: dict[str, str] = {}
    for one, line in settled:
        proofs = []
        for proof in one.proofs:
            name = f"obligations/{len(files):03d}.smt2"
            files[name] = f"; {one.claim.name}\n{proof.script}"
            proofs.append(RecordedProof(name, proof.effort, proof.lemmas))
        records.append(RecordedObligation(one.claim.name, line, tuple(proofs)))
    return tuple(records), files


def write(folder: Path, recorded: Recorded, texts: Mapping[str, str], tools: Mapping[str, str], verdict: str) -> None:
    """Write the folder; `certificate.json` comes last, so a folder with it is whole."""
    for stale in sorted(folder.glob("obligations/*.smt2")):
        stale.unlink()
    lemmas = sorted({name for o in recorded.obligations for proof in o.proofs for name in proof.lemmas})
    for name in lemmas:
        for number, script in enumerate(LEMMAS[name].scripts, 1):
            file = f"lemmas/{name.replace(' ', '_')}.{number}.smt2"
            write_text_atomic(folder / file, f"; {LEMMAS[name].statement}\n{script}")
    for name, text in texts.items():
        write_text_atomic(folder / name, text)
    data: dict[str, object] = {
        "metalift": __version__,
        "verdict": verdict,
        "function": recorded.function,
        "nest": recorded.nest,
        "source": recorded.source,
        "clang_args": list(recorded.clang_args),
        "driver": recorded.driver,
        "assume": list(recorded.assume),
        "identical": {name: list(others) for name, others in recorded.identical.items()},
        "obligations": [
            {
                "name": o.name,
                "line": o.line,
                "proofs": [{"file": p.file, "effort": p.effort, "lemmas": list(p.lemmas)} for p in o.proofs],
            }
            for o in recorded.obligations
        ],
        "tools": dict(tools),
        "summary": to_data(recorded.summary),
        "programs": {name: to_data(program) for name, program in recorded.programs.items()},
    }
    write_text_atomic(folder / CLAIM, json.dumps(data, indent=1) + "\n")


def read(folder: Path) -> Recorded:
    """Read a certificate. Raises UsageError where it is not one."""
    path = folder / CLAIM if folder.is_dir() else folder
    try:
        data = json.loads(read_text_of(path.parent, path.name, LARGEST))
        summary = from_data(data["summary"])
        programs = {str(name): from_data(program) for name, program in data["programs"].items()}
        recorded = Recorded(
            str(data["function"]),
            plain_name(data["source"]),
            tuple(map(str, data["clang_args"])),
            str(data["driver"]),
            tuple(map(str, data["assume"])),
            {str(name): tuple(map(str, others)) for name, others in data["identical"].items()},
            summary if isinstance(summary, Summary) else refuse("its summary is not one"),
            {name: p if isinstance(p, TargetProgram) else refuse("a program is not one") for name, p in programs.items()},
            tuple(read_obligation(item) for item in data["obligations"]),
            nest=data.get("nest", False) is True,
        )
    except OSError as problem:
        raise UsageError(f"no certificate at {folder}: {problem.strerror}") from None
    except RecursionError:
        raise UsageError(f"{path} is not a certificate of this version: it is nested too deeply") from None
    except (ArithmeticError, ValueError, LookupError, TypeError, AttributeError, NotReadable) as problem:
        raise UsageError(f"{path} is not a certificate of this version: {type(problem).__name__}: {problem}") from None
    return recorded


def read_obligation(item: Mapping[str, object]) -> RecordedObligation:
    """One obligation of the JSON text."""
    proofs = item["proofs"]
    if not isinstance(proofs, list):
        raise NotReadable("proofs are a list")
    records = (RecordedProof(plain_name(p["file"]), str(p["effort"]), tuple(map(str, p["lemmas"]))) for p in proofs)
    return RecordedObligation(str(item["name"]), int(str(item["line"])), tuple(records))


def plain_name(name: object) -> str:
    """A file of the certificate's own folder."""
    path = Path(str(name))
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise NotReadable(f"{name!r} is not a file of the certificate")
    return str(path)


def forbidden_command(script: str) -> str | None:
    """The first command of an SMT-LIB script that is not of those that proofs are made of, None where all are.

    Solvers obey scripts: `set-option` alone can name files that they open to write.
    """
    depth, first = 0, False
    for token in TOKEN.findall(script):
        if token.startswith(";"):
            continue
        if depth == 0 and token != "(" or first and token not in COMMANDS:
            return str(token)
        first = depth == 0
        depth += {"(": 1, ")": -1}.get(token, 0)
    return None if depth == 0 else "(at its end) a command that is not closed"


def refuse(why: str) -> NoReturn:
    """The certificate cannot be read."""
    raise NotReadable(why)


def tools() -> dict[str, str]:
    """Versions of what a proof depends on."""
    names = ("cvc5", "mpmath")
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in names}}
