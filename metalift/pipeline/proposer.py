"""Who proposes programs, what one is wanted for, and what comes of it; what it takes to ask a model is in `proposing`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from metalift.check.proving import Evidence
from metalift.driver import Driver
from metalift.ir.expr.nodes import Expr
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Aids, Summary, TargetProgram
from metalift.run.inputs.inputs import Run
from metalift.vcgen.obligation import Obligation

if TYPE_CHECKING:
    from metalift.frontend import PythonModule
    from metalift.llm.ask import Asker
    from metalift.pipeline.staged import Stayed
    from metalift.synth.propose.conversation import Progress

Hints: TypeAlias = Mapping[str, tuple[Expr, ...]]
"""What may hold at the headers of loops: of each only what is proved counts."""


@dataclass(frozen=True, slots=True)
class Proposer:
    """Who proposes programs: the search, a model (`asker`), or a model where the search fails. `show` is told how it goes on."""

    search: bool = True
    asker: Asker | None = None
    show: Callable[[Progress], None] | None = None


SEARCH = Proposer()


@dataclass(frozen=True, slots=True)
class Proposed:
    """A program with what became of its obligations; `proposer` and `candidates` say who made it, and how many there were."""

    program: TargetProgram
    evidence: tuple[Evidence, ...]
    proposer: str = "search"
    candidates: int = 1

    @property
    def proved(self) -> bool:
        """Whether every obligation is."""
        return all(one.proved for one in self.evidence)


class LoopsStay(Exception):
    """An answer was accepted whose loops stay loops: what was proved of the source with its own."""

    def __init__(self, stayed: Stayed) -> None:
        super().__init__("the loops of the source stay loops")
        self.stayed = stayed


class NotProposed(Exception):
    """No answer could be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a program is wanted for.

    `given`: conditions on inputs; `sample`: runs of the source; `prove` settles obligations, with so many times the usual time;
    `unwritten` says why there is no code for a program, empty where there is; `source`: what a prompt shows of it;
    `stay` proves the source with its loops as they are, where the targets have loops: it raises NotDerived, ObligationError;
    `around`: the file of a source in Python, whose records an answer may make; `settle` proves obligations that
    rest on nothing of the source.
    """

    fragment: Fragment
    summary: Summary
    driver: Driver
    target: str
    given: tuple[Expr, ...]
    sample: tuple[Run, ...]
    prove: Callable[[TargetProgram, float], list[Evidence]]
    unwritten: Callable[[TargetProgram], str] = lambda program: ""
    source: str = ""
    language: str = "c"
    stay: Callable[[Hints, Aids], Stayed] | None = None
    around: PythonModule | None = None
    settle: Callable[[Sequence[Obligation]], Sequence[Evidence]] = lambda obligations: ()
