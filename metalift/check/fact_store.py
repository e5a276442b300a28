"""Facts about operators, proved once: what became of each is kept in the user's cache, by the content of the statement.

An entry is used only if it holds the whole statement, made by these sources of metalift and for this solver; anything else in
its place counts as no entry. Whoever can write to the folder can still put a lie there. So nothing but `metalift drivers check`,
which tells people what was found, reads it: no verdict on a lift or on a certificate does, each proves what it rests on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from metalift.check.facts import Fact, prove_facts
from metalift.ir.expr.nodes import Expr
from metalift.prove.batch import Settled
from metalift.prove.solver import SolverPool
from metalift.result.verdict import ObligationVerdict
from metalift.system.files import digest, user_cache, write_text_atomic
from metalift.version import __version__

SOURCES = ("ir", "driver/meaning", "prove", "check/facts.py", "check/fact_store.py", "result/verdict.py")  # that a proof needs


@dataclass(frozen=True, slots=True)
class Known:
    """What became of a fact, and whether the cache said so."""

    fact: Fact
    proved: bool
    cached: bool


def known_facts(wanted: Sequence[Fact], pool: SolverPool, timeout: float) -> list[Known]:
    """Each from the cache, or proved anew; `timeout` in seconds bounds one proof.

    What was not proved in less time than that is tried again.
    """
    kept = {fact: _read(fact, timeout) for fact in wanted}
    missing = [fact for fact in wanted if kept[fact] is None]
    for fact, made in zip(missing, prove_facts(missing, pool, timeout), strict=True):
        _write(fact, made, timeout)
        kept[fact] = made.verdict is ObligationVerdict.PROVED
    return [Known(fact, kept[fact] is True, fact not in missing) for fact in wanted]


def _identity(fact: Fact) -> list[str]:
    """All that the outcome of a proof depends on: who states and proves it, and the statement itself, with all types."""
    return [*_makers(), *_lines((*fact.hypotheses, fact.goal))]


def _lines(formulas: Sequence[Expr]) -> list[str]:
    """The formulas, exactly, one node a line; what occurs in several places is written once."""
    numbers: dict[int, int] = {}
    lines: list[str] = []

    def number(value: object) -> str:
        if isinstance(value, tuple):
            return f"({' '.join(map(number, value))})"
        if not is_dataclass(value) or isinstance(value, type):
            return repr(value)
        if id(value) not in numbers:
            parts = [number(getattr(value, name)) for name in value.__dataclass_fields__]
            lines.append(f"{type(value).__name__} {' '.join(parts)}")
            numbers[id(value)] = len(lines)
        return f"#{numbers[id(value)]}"

    lines.append(number(tuple(formulas)))
    return lines


@cache
def _makers() -> tuple[str, ...]:
    """The versions of metalift and of the solver, and a digest of the part of metalift that states and proves facts."""
    root = Path(__file__).parents[1]
    files = [file for name in SOURCES for file in ((root / name).rglob("*.py") if (root / name).is_dir() else [root / name])]
    return f"metalift {__version__}", digest(root, files), f"cvc5 {version('cvc5')}"


def _place(identity: Sequence[str]) -> Path:
    name = hashlib.sha256("\n".join(identity).encode()).hexdigest()
    return user_cache() / "facts" / f"{name}.json"


def _read(fact: Fact, timeout: float) -> bool | None:
    """What an entry says of the fact: proved, not proved in that time; None where there is none."""
    identity = _identity(fact)
    try:
        found = json.loads(_place(identity).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    match found:
        case {"identity": same, "verdict": "proved", "scripts": [str(), *_]} if same == identity:
            return True
        case {"identity": same, "verdict": "not proved", "seconds": int() | float() as spent} if same == identity:
            return False if spent >= timeout else None
        case _:
            return None


def _write(fact: Fact, made: Settled, timeout: float) -> None:
    """Keep the outcome, with the scripts that the solver was asked; a cache that cannot be written is none."""
    identity = _identity(fact)
    proved = made.verdict is ObligationVerdict.PROVED
    entry = {
        "name": fact.name,
        "identity": identity,
        "verdict": "proved" if proved else "not proved",
        "seconds": timeout,
        "scripts": [proof.script for proof in made.proofs],
        "lemmas": sorted({lemma for proof in made.proofs for lemma in proof.lemmas}),
    }
    try:
        write_text_atomic(_place(identity), json.dumps(entry, indent=1))
    except OSError:
        return
