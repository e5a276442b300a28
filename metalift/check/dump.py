"""One numbered file per stage: a user's failing run and a regression test look alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from metalift.ir.text import show
from metalift.system.files import write_text_atomic
from metalift.vcgen.obligation import Obligation


@dataclass(slots=True)
class Dump:
    """Writes stage files into a folder; without one it does nothing."""

    folder: Path | None
    count: int = 0

    def below(self, name: str) -> Dump:
        """The same for the steps of a stage, in a folder of that name."""
        return Dump(None if self.folder is None else self.folder / name)

    def write(self, stage: str, text: str) -> None:
        """The next file, `NN-stage.txt`."""
        if self.folder is not None:
            self.count += 1
            write_text_atomic(self.folder / f"{self.count:02d}-{stage.replace(' ', '-')}.txt", text.rstrip("\n") + "\n")


def obligations_text(obligations: list[Obligation]) -> str:
    """Obligations for people: hypotheses above the line, goals below it."""
    parts = []
    for obligation in obligations:
        lines = [f"{obligation.name}  (path {' '.join(obligation.trail) or 'whole function'})"]
        lines += [f"    {show(formula)}" for formula in obligation.hypotheses]
        lines += [f"    by a lemma: {show(formula)}" for formula in obligation.instances]
        lines += [f"    assumed: {show(formula)}" for formula in obligation.assumed]
        lines.append("  |-")
        lines += [f"    {goal.subject}: {show(goal.formula)}" for goal in obligation.goals]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
