"""Certificates: a folder from which everything that was claimed of a function can be derived and proved again.

    certificate.json   what was claimed, from which inputs, by which tools; summary and programs as data
    SOURCE             the source file as it was
    others/NNN/FILE    the files that were linked with it, as they were
    fragment.txt, summary.txt, programs/TARGET.txt    for people
    kernels/TARGET.txt      the kernel on tiles, where the target's machine has any; this text is what is checked
    obligations/NNN.smt2    one self-contained SMT-LIB file for each proof; unsat means proved
    lemmas/NAME.N.smt2      the proofs of the lemmas that they use

`certificate.json` is data from outside when it is checked: it is parsed into the IR's classes and nothing else. Its text is made
again from what was read, so nothing can stand in it that is not understood; only the versions of tools are taken as they are.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import NoReturn

from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import StagedProgram, StagedSummary, Summary, TargetProgram
from metalift.ir.text import show_fragment, show_program, show_staged, show_summary
from metalift.ir.text.serial import NotReadable, from_data, to_data
from metalift.prove.lemmas import LEMMAS
from metalift.result.errors import UsageError
from metalift.system.files import read_text_of
from metalift.version import __version__

CLAIM = "certificate.json"
FORMAT = 4  # of certificates: what another version of metalift has to know to read them
VERSION = re.compile(r"[\w.+-]{1,60}", re.ASCII)
LARGEST = 1 << 26  # bytes of a file of a certificate
COMMANDS = frozenset({"set-logic", "declare-sort", "declare-fun", "declare-const", "define-fun", "assert", "check-sat"})
TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|]*\||[()]|[^\s()";|]+|\S')


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a certificate says. `kernels` are texts. `nest`: it is about a loop nest, which has a name of its own.

    `metalift` and `tools` are the versions that made it, which are told and never relied on.
    """

    function: str
    source: str
    clang_args: tuple[str, ...]
    driver: str
    assume: tuple[str, ...]
    identical: Mapping[str, tuple[str, ...]]
    summary: Summary | StagedSummary
    programs: Mapping[str, TargetProgram | StagedProgram]
    obligations: tuple[RecordedObligation, ...]
    kernels: Mapping[str, str] = field(default_factory=dict)
    nest: bool = False
    verdict: str = ""
    metalift: str = __version__
    tools: Mapping[str, str] = field(default_factory=dict)
    others: tuple[RecordedFile, ...] = ()
    pure: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file that is linked with the source: its name in the certificate, and the arguments that clang needs for it."""

    file: str
    clang_args: tuple[str, ...]


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


def proof_name(number: int) -> str:
    """The name of a proof file; they are numbered in the order of the obligations and their goals."""
    return f"obligations/{number:03d}.smt2"


def other_name(number: int, name: str) -> str:
    """The name in the certificate of a file that is linked; several may have the same name of their own."""
    return f"others/{number:03d}/{name}"


def texts_for_people(
    fragment: Fragment, summary: Summary | StagedSummary, programs: Mapping[str, TargetProgram | StagedProgram]
) -> dict[str, str]:
    """The files that say in words what is claimed."""
    shown = show_staged(summary) if isinstance(summary, StagedSummary) else show_summary(summary)
    texts = {f"programs/{target}.txt": show_program(program) + "\n" for target, program in programs.items()}
    return {"fragment.txt": show_fragment(fragment) + "\n", "summary.txt": shown + "\n", **texts}


def kernel_name(target: str) -> str:
    """The name of the file of a target's kernel."""
    return plain_name(f"kernels/{target}.txt")


def lemma_texts(recorded: Recorded) -> dict[str, str]:
    """The files of the lemmas that the proofs use; a lemma that this version has not got has none."""
    names = sorted({name for o in recorded.obligations for proof in o.proofs for name in proof.lemmas if name in LEMMAS})
    return {
        f"lemmas/{name.replace(' ', '_')}.{number}.smt2": f"; {LEMMAS[name].statement}\n{script}"
        for name in names
        for number, script in enumerate(LEMMAS[name].scripts, 1)
    }


def claim_text(recorded: Recorded) -> str:
    """The text of `certificate.json`."""
    data: dict[str, object] = {
        "format": FORMAT,
        "metalift": recorded.metalift,
        "verdict": recorded.verdict,
        "function": recorded.function,
        "nest": recorded.nest,
        "source": recorded.source,
        "clang_args": list(recorded.clang_args),
        "others": [{"file": other.file, "clang_args": list(other.clang_args)} for other in recorded.others],
        "pure": list(recorded.pure),
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
        "tools": dict(recorded.tools),
        "summary": to_data(recorded.summary),
        "programs": {name: to_data(program) for name, program in recorded.programs.items()},
        "kernels": list(recorded.kernels),
    }
    return json.dumps(data, indent=1) + "\n"


def read(folder: Path) -> Recorded:
    """Read a certificate. Raises UsageError where it is not one."""
    path = folder / CLAIM if folder.is_dir() else folder
    try:
        data = json.loads(read_text_of(path.parent, path.name, LARGEST))
        refuse_other_formats(path, data)
        summary = from_data(data["summary"])
        programs = {str(name): from_data(program) for name, program in data["programs"].items()}
        recorded = Recorded(
            plain_text(data["function"]),
            plain_name(data["source"]),
            texts_in(data["clang_args"]),
            plain_text(data["driver"]),
            texts_in(data["assume"]),
            {str(name): texts_in(others) for name, others in data["identical"].items()},
            summary if isinstance(summary, Summary | StagedSummary) else refuse("its summary is not one"),
            {name: program_of(summary, program) for name, program in programs.items()},
            tuple(read_obligation(item) for item in data["obligations"]),
            {name: lines_in(read_text_of(path.parent, kernel_name(name), LARGEST)) for name in texts_in(data["kernels"])},
            nest=data["nest"] is True,
            verdict=plain_text(data["verdict"]),
            metalift=version(data["metalift"]),
            tools={version(name): version(text) for name, text in data["tools"].items()},
            others=tuple(RecordedFile(plain_name(other["file"]), texts_in(other["clang_args"])) for other in data["others"]),
            pure=texts_in(data["pure"]),
        )
    except OSError as problem:
        raise UsageError(f"no certificate at {folder}: {problem.strerror}") from None
    except RecursionError:
        raise UsageError(f"{path} is not a certificate of this version: it is nested too deeply") from None
    except (ArithmeticError, ValueError, LookupError, TypeError, AttributeError, NotReadable) as problem:
        raise UsageError(f"{path} is not a certificate of this version: {type(problem).__name__}: {problem}") from None
    return recorded


def program_of(summary: object, program: object) -> TargetProgram | StagedProgram:
    """A program that is of the kind of the summary that it computes."""
    if isinstance(summary, StagedSummary) and isinstance(program, StagedProgram):
        return program
    if isinstance(summary, Summary) and isinstance(program, TargetProgram):
        return program
    return refuse("a program is not one")


def refuse_other_formats(path: Path, data: object) -> None:
    """Raises UsageError where it was written by a metalift whose certificates have another form."""
    written = data.get("format") if isinstance(data, dict) else None
    if isinstance(data, dict) and "metalift" in data and (type(written) is not int or written != FORMAT):
        raise UsageError(
            f"{path} was made by metalift {version(data['metalift'])}, whose certificates have another format than those of "
            f"{__version__}: lift the source again"
        )


def read_obligation(item: Mapping[str, object]) -> RecordedObligation:
    """One obligation of the JSON text."""
    proofs = item["proofs"]
    if not isinstance(proofs, list):
        raise NotReadable("proofs are a list")
    records = (RecordedProof(plain_name(p["file"]), str(p["effort"]), texts_in(p["lemmas"])) for p in proofs)
    return RecordedObligation(plain_text(item["name"]), int(str(item["line"])), tuple(records))


def texts_in(data: object) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(data, list) or not all(isinstance(each, str) for each in data):
        raise NotReadable(f"{data!r:.60} is not a list of texts")
    return tuple(data)


def lines_in(text: str) -> str:
    """A text of lines that can be shown on a terminal."""
    return text if all(map(str.isprintable, text.split("\n"))) else refuse("a kernel has characters that cannot be shown")


def plain_text(data: object) -> str:
    """A text that can be shown on a terminal."""
    if not isinstance(data, str) or not data.isprintable():
        raise NotReadable(f"{data!r:.60} is not a text of one line")
    return data


def version(data: object) -> str:
    """The name or the version of a tool."""
    text = plain_text(data)
    return text if VERSION.fullmatch(text) else refuse(f"{text!r:.60} is not a version")


def plain_name(name: object) -> str:
    """A file of the certificate's own folder."""
    path = Path(plain_text(name))
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
