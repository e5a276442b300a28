"""Proving one obligation: ground instances, a solver's answer, and more effort where that was not enough.

PROVED is said for the answer `unsat` only. `sat` and `unknown` say nothing about the obligation, because instances of
universal facts were left out; refuting is the interpreter's job.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import FALSE, Expr
from metalift.prove.choices import decided_once, for_all
from metalift.prove.cores import only
from metalift.prove.efforts import EFFORTS, Effort
from metalift.prove.encode import Encoder, NotEncodable
from metalift.prove.ended_counts import with_ended_counts
from metalift.prove.floors import with_floors
from metalift.prove.instances import Instantiation, TooLong
from metalift.prove.lemmas import LEMMAS
from metalift.prove.named_lengths import with_named_lengths
from metalift.prove.quantifiers import Clausifier
from metalift.prove.relevance import about_arrays_of, without_known
from metalift.prove.short_folds import with_steps
from metalift.prove.solver import Answer, SolverPool
from metalift.prove.wraps import without_wraps
from metalift.result.verdict import ObligationVerdict
from metalift.system.collecting import computed

REFUTED = "not proved: it does not hold in a run of the source"


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of one obligation. `seconds` are those of the solver; `script` is the SMT-LIB file of the last attempt, of a
    proof what is needed of it; `lemmas` are those that the whole uses.
    """

    verdict: ObligationVerdict
    reason: str
    seconds: float
    script: str
    effort: str
    lemmas: tuple[str, ...] = ()


def script_for(
    hypotheses: Sequence[Expr], goal: Expr, effort: Effort, seconds: float = math.inf
) -> tuple[str, tuple[str, ...]]:
    """The SMT-LIB file whose unsatisfiability proves that the hypotheses imply the goal, and the lemmas in it.

    Raises NotEncodable, and TooLong where making it takes longer than `seconds`.
    """
    if effort.written_out:
        hypotheses, goal = with_steps(hypotheses, goal)
    hypotheses, goal = with_named_lengths(*with_ended_counts(*with_floors(*without_wraps(hypotheses, goal))))
    hypotheses = tuple(map(decided_once, hypotheses))
    goal, over_all = for_all(without_known(hypotheses, decided_once(goal)))
    clauses = Clausifier()
    known = hypotheses if effort.all_bounds else about_arrays_of(hypotheses, goal)
    for formula in (*known, neg(goal)):
        clauses.add(formula)
    growth = Instantiation(effort, clauses, computed() + seconds)
    encoder = Encoder(opaque=effort.opaque, by_constants=effort.by_constants)
    script = encoder.script(growth.each_in_time(growth.run()))
    return script, tuple(sorted(growth.lemmas | ({"fold holds"} if over_all else set())))


def prove(
    hypotheses: Sequence[Expr],
    goal: Expr,
    pool: SolverPool,
    timeout: float,
    efforts: Sequence[Effort] = EFFORTS,
    hopeless: Callable[[], bool] | None = None,
) -> Proof:
    """Try with growing effort; `timeout` bounds the whole, in seconds of computing here and in the solver. Where the first effort
    does not prove it and it is `hopeless`, no other one is tried.
    """
    began = computed()
    timeout = max(0.0, timeout)
    spent, reason, script, effort_name = 0.0, "no attempt was made", "", ""
    tried: set[str] = set()
    for position, effort in enumerate(efforts):
        refuted, running = _answered(hopeless if position == 1 else None)
        if refuted:
            return Proof(ObligationVerdict.UNKNOWN, REFUTED, spent, script, effort_name)
        began += running
        left = timeout - (computed() - began + spent)
        if left <= 0:
            reason = f"timeout after {timeout:g} s; {reason}"
            break
        if effort.written_out and with_steps(hypotheses, goal) == (list(hypotheses), goal):
            continue
        try:
            script, lemmas = script_for(hypotheses, goal, effort, left / 2)  # the solver needs as long for it, at least
        except TooLong:
            reason = f"timeout after {timeout:g} s while instances were made; {reason}"
            break
        except NotEncodable as problem:
            return Proof(ObligationVerdict.UNKNOWN, f"no ground form: {problem}", spent, "", effort.name)
        if script in tried or (effort.opposite and "fold reversal" not in lemmas):
            continue
        tried.add(script)
        effort_name = effort.name
        left = max(0.1, timeout - (computed() - began + spent))
        limit = left if position == len(efforts) - 1 else min(left, max(0.3, timeout / 4))
        answer = pool.ask(script, limit, "cvc5 with core" if position else "cvc5")  # the first makes few instances
        spent += answer.seconds
        if answer.answer == "unsat":
            script = needed(script, answer, pool)
            unproved = [name for name in lemmas if not lemma_holds(name, pool, timeout)]
            if not unproved:
                return Proof(ObligationVerdict.PROVED, "", spent, script, effort.name, lemmas)
            reason = f"it rests on lemmas that did not prove: {', '.join(unproved)}"
            continue
        reason = "not proved: the facts used leave a counterexample" if answer.answer == "sat" else f"solver: {answer.reason}"
    return Proof(ObligationVerdict.UNKNOWN, reason, spent, script, effort_name)


def _answered(hopeless: Callable[[], bool] | None) -> tuple[bool, float]:
    """Whether runs of the source refute it, and the seconds that this took: the runs serve other obligations, too."""
    asked = computed()
    return hopeless is not None and hopeless(), computed() - asked


def needed(script: str, answer: Answer, pool: SolverPool) -> str:
    """What the answer rests on, where that proves by itself; else the script."""
    part = only(script, answer.core) if answer.core else script
    return part if part == script or pool.ask(part, max(1.0, answer.seconds)).answer == "unsat" else script


_proved_lemmas: set[str] = set()


def lemma_holds(name: str, pool: SolverPool, timeout: float) -> bool:
    """Whether all scripts of the lemma's proof are unsatisfiable; not asked again in a process once they are."""
    if name not in _proved_lemmas and all(pool.ask(script, timeout).answer == "unsat" for script in LEMMAS[name].scripts):
        _proved_lemmas.add(name)
    return name in _proved_lemmas


def impossible(formulas: Sequence[Expr], pool: SolverPool, timeout: float) -> bool:
    """Whether the formulas contradict each other."""
    return prove(formulas, FALSE, pool, timeout).verdict is ObligationVerdict.PROVED
