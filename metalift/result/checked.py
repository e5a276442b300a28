"""What a check found: obligations with their verdicts, and what in a certificate differs."""

from __future__ import annotations

from dataclasses import dataclass

from metalift.result.verdict import ObligationVerdict


@dataclass(frozen=True, slots=True)
class ObligationResult:
    """One obligation; `line` is the source line that it speaks of, `seconds` the solver's time."""

    name: str
    line: int
    verdict: ObligationVerdict = ObligationVerdict.UNKNOWN
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A certificate proved again. `rederived`: the obligations were also generated anew from the recorded source and summary.

    `differences` names the files of the certificate that are not what was generated; `disagreements` are folders with files of
    which one solver says `unsat` and another one `sat`; `proof` says what became of the proof objects, where they were asked for;
    `notes` is what else a reader should know.
    """

    certificate: str
    solver: str
    rederived: bool
    obligations: tuple[ObligationResult, ...] = ()
    differences: tuple[str, ...] = ()
    disagreements: tuple[str, ...] = ()
    proof: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Every obligation proved, every file as generated, and no solver says otherwise."""
        proved = all(obligation.verdict is ObligationVerdict.PROVED for obligation in self.obligations)
        return bool(self.obligations) and proved and not self.differences and not self.disagreements
