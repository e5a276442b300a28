"""One claim a file: a C function, what is said of its result, and whether that is PROVED or REFUTED.

`// claim: NAME = TERM` replaces that output of the derived summary; the loops' summaries stay as derived.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from metalift.ir.expr.nodes import type_of
from metalift.prove.solver import SolverPool
from metalift.run.compare.falsify import falsify
from tests.support.proofs import kernel, summary_proved

FILES = sorted((Path(__file__).parent / "claims").glob("*.c"))


def header(text: str, word: str) -> str:
    """What a comment of the file says."""
    return next(line.removeprefix(f"// {word}: ") for line in text.splitlines() if line.startswith(f"// {word}: "))


@pytest.mark.quick(every=2)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_claim(file: Path, tmp_path: Path, pool: SolverPool) -> None:
    text = file.read_text(encoding="utf-8")
    made = kernel(text, tmp_path)
    name, _, term = header(text, "claim").partition(" = ")
    claimed = made.term(term)
    assert type_of(claimed) == type_of(dict(made.summary.outputs)[name])
    outputs = tuple((output, claimed if output == name else value) for output, value in made.summary.outputs)
    summary = replace(made.summary, outputs=outputs)
    proved = summary_proved(made.fragment, summary, pool, 0.5 if header(text, "expect") == "REFUTED" else 20.0)
    refuted = falsify(made.fragment, summary, summary.requires, tried=300) is not None
    assert {"PROVED": (True, False), "REFUTED": (False, True)}[header(text, "expect")] == (proved, refuted)


def test_many_claims_are_wrong() -> None:
    wrong = [file for file in FILES if header(file.read_text(encoding="utf-8"), "expect") == "REFUTED"]
    assert len(wrong) >= len(FILES) // 2
