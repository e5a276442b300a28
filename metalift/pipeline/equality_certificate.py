"""Certificates of equality: what was claimed of two functions, and of which files; a check derives all of it anew.

    equivalence.json   the two files by their paths from this folder and by what is in them, what the command was told, the claim

Nothing in it is relied on: the files have to be the recorded ones, and the verdict, its conditions, the shapes and the
assumptions have to come out again. Arguments of clang are not recorded, for they can make it run anything; whoever checks gives
them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path

from metalift.pipeline.equivalence import EquivResult, EquivVerdict
from metalift.pipeline.hand_tuned import compared
from metalift.result.errors import UsageError
from metalift.system.files import read_text_of, write_text_atomic

FILE = "equivalence.json"
FORMAT = 1
_LARGEST = 1 << 20  # bytes
_LONGEST = 600.0  # seconds for an obligation


@dataclass(frozen=True, slots=True)
class Claim:
    """What was claimed: files by path and contents, functions, what the command was told, and the verdict."""

    first: str
    second: str
    first_sha256: str
    second_sha256: str
    first_function: str
    second_function: str
    map: tuple[str, ...]
    shapes: str
    assume: tuple[str, ...]
    timeout: float
    verdict: str
    where: tuple[str, ...]
    with_shapes: str
    assumptions: tuple[str, ...]


def write(
    folder: Path,
    files: tuple[Path, Path],
    result: EquivResult,
    *,
    names: Sequence[str],
    shapes: str,
    assume: Sequence[str],
    timeout: float,
) -> None:
    """Write the certificate of a result that is EQUAL or EQUAL WHERE. Raises UsageError."""
    if result.verdict not in (EquivVerdict.EQUAL, EquivVerdict.EQUAL_WHERE):
        raise UsageError(f"no certificate is written of what is {result.verdict.value}")
    first, second = (os.path.relpath(path.resolve(), folder.resolve()) for path in files)
    claim = Claim(
        first=first,
        second=second,
        first_sha256=digest(files[0]),
        second_sha256=digest(files[1]),
        first_function=result.first.rpartition(": ")[2],
        second_function=result.second.rpartition(": ")[2],
        map=tuple(names),
        shapes=shapes,
        assume=tuple(assume),
        timeout=timeout,
        verdict=result.verdict.value,
        where=result.where,
        with_shapes=result.shapes,
        assumptions=tuple(f"{text} [{origin}]" for text, origin in result.assumptions),
    )
    text = json.dumps({"format": FORMAT, **{each.name: getattr(claim, each.name) for each in fields(claim)}}, indent=2)
    try:
        write_text_atomic(folder / FILE, text + "\n")
    except OSError as error:
        raise UsageError(f"cannot write to the folder {folder}: {error.strerror}") from error


def digest(path: Path) -> str:
    """What is in a file, as a number that tells it from others. Raises UsageError."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def read(folder: Path) -> Claim:
    """The claim of a certificate. Raises UsageError where the file is none."""
    try:
        data = json.loads(read_text_of(folder, FILE, _LARGEST))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{folder / FILE} cannot be read: {error}") from error
    known = {each.name: each.type for each in fields(Claim)}
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.keys() - {"format"} != known.keys():
        raise UsageError(f"{folder / FILE} is no certificate of equality of this version")
    values = {}
    for name, type_ in known.items():
        value = data[name]
        if type_ == "tuple[str, ...]":
            right = isinstance(value, list) and all(isinstance(each, str) for each in value)
            value = tuple(value) if right else value
        else:
            right = type(value) is (float if type_ == "float" else str)
        if not right:
            raise UsageError(f"{folder / FILE}: {name} is of another type than it has to be")
        values[name] = value
    claim = Claim(**values)
    if not 0 < claim.timeout <= _LONGEST or Path(claim.first).is_absolute() or Path(claim.second).is_absolute():
        raise UsageError(f"{folder / FILE}: a timeout or a path that no certificate has")
    return claim


def check(folder: Path, clang_args: Sequence[str] = ()) -> tuple[EquivResult, list[str]]:
    """What is derived anew, and in what it is not what was claimed. Raises UsageError."""
    claim = read(folder)
    files = [folder / claim.first, folder / claim.second]
    changed = [
        f"{path} is not the file that it was made of"
        for path, known in zip(files, (claim.first_sha256, claim.second_sha256), strict=True)
        if digest(path) != known
    ]
    result = compared(
        *files,
        functions=(claim.first_function, claim.second_function),
        names=claim.map,
        shapes=claim.shapes,
        assume=claim.assume,
        clang_args=clang_args,
        timeout=claim.timeout,
    )
    told = tuple(f"{text} [{origin}]" for text, origin in result.assumptions)
    pairs = (
        ("verdict", claim.verdict, result.verdict.value),
        ("conditions", claim.where, result.where),
        ("shapes", claim.with_shapes, result.shapes),
        ("assumptions", sorted(claim.assumptions), sorted(told)),
    )
    return result, changed + [f"{what}: {now}, where the certificate has {then}" for what, then, now in pairs if then != now]
