"""What solvers say of one file: another one is asked where the first contradicts the claim, and proof objects are kept."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from metalift.check.certificate import forbidden_command
from metalift.prove.solver import Answer, SolverPool
from metalift.system.files import write_text_atomic

LIMIT = 60.0  # seconds for one file; a second solver may be slower than the first
OTHER = {"cvc5": "z3", "z3": "cvc5", "cvc5 with proof": "z3"}
STEP = re.compile(r"^\((?:step|step-pop) ", re.MULTILINE)
TRUSTED = re.compile(r":rule trust\b")


@dataclass
class Opinions:
    """Asks about files, and keeps what is found. `proofs`: the folder for proof objects, None where none are wanted."""

    pool: SolverPool
    solver: str
    proofs: Path | None = None
    disagreements: list[str] = field(default_factory=list)
    made: int = 0
    steps: int = 0
    trusted: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)

    def ask(self, name: str, text: str) -> Answer:
        """The answer about a file; one that commands what no proof needs is not given to a solver. It is asked once."""
        if text not in self.answers:
            self.answers[text] = self.asked(name, text)
            return self.answers[text]
        return replace(self.answers[text], seconds=0.0)

    def asked(self, name: str, text: str) -> Answer:
        """The answer of the solver."""
        command = forbidden_command(text)
        if command is not None:
            return Answer("unknown", f"it is no script of a proof: it has the command {command[:40]!r}", 0.0)
        if self.proofs is None:
            answer = self.pool.ask(text, LIMIT, self.solver)
        else:
            answer = self.pool.ask(text, LIMIT, f"{self.solver} with proof")
            self.keep(name, text, answer, self.proofs)
        if answer.answer == "sat":
            self.compare(name, text, answer)
        return answer

    def compare(self, name: str, text: str, answer: Answer) -> None:
        """Ask the other solver about what this one refutes; keep the file and both answers where they contradict each other."""
        other = self.pool.ask(text, LIMIT, OTHER[self.solver])
        if other.answer == "unsat":
            folder = Path(tempfile.mkdtemp(prefix="metalift-disagreement-"))
            write_text_atomic(folder / "obligation.smt2", text)
            said = f"{name}\n{self.solver}: {answer.answer} {answer.reason}\n{OTHER[self.solver]}: {other.answer}\n"
            write_text_atomic(folder / "answers.txt", said)
            self.disagreements.append(str(folder))

    def keep(self, name: str, text: str, answer: Answer, folder: Path) -> None:
        """Write the proof beside the script that it proves."""
        if not answer.proof:
            return
        self.made += 1
        self.steps += len(STEP.findall(answer.proof))
        self.trusted += len(TRUSTED.findall(answer.proof))
        stem = f"{self.made:03d}-{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[:60]}"
        write_text_atomic(folder / f"{stem}.smt2", text)
        write_text_atomic(folder / f"{stem}.cpc", answer.proof)

    def told(self, asked: int) -> str:
        """What became of the proof objects, in a sentence."""
        if self.proofs is None:
            return ""
        return (
            f"{self.made} proofs of {asked} files in {self.proofs}, checked by cvc5 itself: {self.steps} steps, "
            f"{self.trusted} of them taken on trust; they are in the format CPC, which the checker ethos reads"
        )
