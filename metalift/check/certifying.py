"""Certificates as they are written: what a lift has proved, and the files that say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from metalift.check.certificate import (
    CLAIM,
    Recorded,
    RecordedObligation,
    RecordedProof,
    claim_text,
    kernel_name,
    lemma_texts,
    proof_name,
    read,
)
from metalift.prove.batch import Settled
from metalift.result.errors import UsageError
from metalift.system.files import write_text_atomic

WRITTEN = ("obligations/*.smt2", "lemmas/*.smt2", "programs/*.txt", "kernels/*.txt")


def proof_records(settled: Sequence[tuple[Settled, int]]) -> tuple[tuple[RecordedObligation, ...], dict[str, str]]:
    """Obligations as they are recorded, and the texts of their files. Pairs are of what was proved and the source line."""
    records: list[RecordedObligation] = []
    files: dict[str, str] = {}
    for one, line in settled:
        proofs = []
        for proof in one.proofs:
            name = proof_name(len(files))
            files[name] = f"; {one.claim.name}\n{proof.script}"
            proofs.append(RecordedProof(name, proof.effort, proof.lemmas))
        records.append(RecordedObligation(one.claim.name, line, tuple(proofs)))
    return tuple(records), files


def write(folder: Path, recorded: Recorded, texts: Mapping[str, str]) -> None:
    """Write the folder; `certificate.json` comes last, so a folder with it is whole."""
    for stale in set(_written_before(folder)):
        stale.unlink(missing_ok=True)
        with suppress(OSError):  # not empty yet, or not there
            stale.parent.rmdir()
    kernels = {kernel_name(target): text for target, text in recorded.kernels.items()}
    for name, text in {**lemma_texts(recorded), **kernels, **texts}.items():
        write_text_atomic(folder / name, text)
    write_text_atomic(folder / CLAIM, claim_text(recorded))


def _written_before(folder: Path) -> Iterator[Path]:
    """The files of a certificate that another lift has left there."""
    yield from (path for kind in WRITTEN for path in folder.glob(kind))
    with suppress(UsageError):
        recorded = read(folder)
        yield from (folder / name for name in (recorded.source, *(other.file for other in recorded.others)))
