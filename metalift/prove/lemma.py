"""What a lemma is: a statement and its proof by the solver."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lemma:
    """A statement and its proof: all scripts have to be unsatisfiable. An induction has two, base and step."""

    name: str
    statement: str
    scripts: tuple[str, ...]
