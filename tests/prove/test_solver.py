"""Solver processes: nothing but a solver's own `unsat` is success, and none outlives its pool."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from subprocess import PIPE, Popen

import pytest

from metalift.ir.expr.nodes import FALSE, TRUE, Apply, Cast, Operator, Select, Var, integer
from metalift.ir.expr.types import INT, UINT8, TensorType
from metalift.prove import prover
from metalift.prove.lemmas import LEMMAS
from metalift.prove.prover import lemma_holds, prove
from metalift.prove.solver import SolverPool, SolverProcess
from metalift.prove.solver_worker import verdict
from metalift.result.verdict import ObligationVerdict
from metalift.vcgen.erasure import erased

TRIVIAL = "(set-logic ALL)\n(assert false)\n(check-sat)\n"
HARD = """(set-logic ALL)
(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (and (> x 1) (> y 1) (> z 1) (= (+ (* x x x) (* y y y)) (* z z z))))
(check-sat)
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[SolverPool]:
    with SolverPool(1) as made:
        yield made


class Scripted(SolverProcess):
    """A worker that runs a Python text instead of a solver."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def start(self) -> Popen[bytes]:
        if self.process is None or self.process.poll() is not None:
            self.process = Popen([sys.executable, "-c", self.text], stdin=PIPE, stdout=PIPE, start_new_session=True)
        return self.process


def gone(pid: int) -> bool:
    """Whether the process has ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_an_answer_is_the_solvers(pool: SolverPool, solver: str) -> None:
    assert pool.ask(TRIVIAL, 10, solver).answer == "unsat"
    assert pool.ask(TRIVIAL.replace("false", "true"), 10, solver).answer == "sat"


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_a_hard_script_ends_within_its_limit(pool: SolverPool, solver: str) -> None:
    pool.ask(TRIVIAL, 10, solver)
    answer = pool.ask(HARD, 0.5, solver)
    assert answer.seconds < 1.5
    assert answer.answer == "unknown"
    assert answer.reason
    assert pool.ask(TRIVIAL, 10, solver).answer == "unsat"


@pytest.mark.parametrize(
    "script",
    [
        "garbage",
        "",
        "(check-sat",
        '(echo "unsat")',
        "(set-logic ALL)(check-sat)(check-sat)",
        "(set-logic ALL)(assert false)(check-sat)(check-sat)",
        "(set-logic ALL)(declare-fun |div| (Int Int) Int)(assert (not (= (div 4 2) 2)))(check-sat)",
        "(set-option :filename unsat)(get-option :filename)",
        "(set-info :status unsat)(get-info :status)",
        "(assert nonsense)(check-sat)",
    ],
)
def test_what_is_no_script_with_one_question_is_no_proof(pool: SolverPool, script: str) -> None:
    assert pool.ask(script, 2).answer != "unsat"


def test_only_one_answer_counts() -> None:
    assert verdict(["unsat"])["answer"] == "unsat"
    for said in ([], ["unsat", "unsat"], ["sat", "unsat"], ["(error)"], ["unknown"]):
        assert verdict(said)["answer"] == "unknown"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import time; time.sleep(60)", "timeout"),
        ("import sys; sys.stdin.readline(); sys.exit(3)", "died (status 3)"),
        ("import os, signal, sys; sys.stdin.readline(); os.kill(os.getpid(), signal.SIGKILL)", "died (status -9)"),
        ("import sys; sys.stdin.readline(); print('unsat', flush=True); sys.stdin.readline()", "no answer"),
        ("import sys; sys.stdin.readline(); print('{}', flush=True); sys.stdin.readline()", "no answer"),
        ("import sys; sys.stdin.readline(); print('[\"unsat\"]', flush=True); sys.stdin.readline()", "no answer"),
        ('import sys; sys.stdin.readline(); print(\'{"answer": "yes", "reason": ""}\', flush=True)', "no answer"),
        ("import sys; sys.stdin.readline(); print('x' * 10, end='', flush=True); sys.stdin.readline()", "timeout"),
        ("x = [0] * 10**15", "died"),
    ],
)
def test_a_worker_that_fails_says_nothing(text: str, reason: str) -> None:
    worker = Scripted(text)
    pid = worker.start().pid
    began = time.monotonic()
    answer = worker.ask(TRIVIAL, 0.2, "cvc5")
    assert time.monotonic() - began < 30  # and not the 60 that it would sleep, or for ever
    assert answer.answer == "unknown"
    assert reason in answer.reason or "failed" in answer.reason
    assert gone(pid)


def test_a_late_answer_is_not_taken_for_the_next_scripts() -> None:
    said = '{"answer": "unsat", "reason": ""}'
    worker = Scripted(
        f"import sys, time\nsys.stdin.readline()\nprint('noise', flush=True)\nprint('{said}', flush=True)\ntime.sleep(60)"
    )
    try:
        assert worker.ask(TRIVIAL, 0.2, "cvc5").answer == "unknown"
        assert worker.process is None
    finally:
        worker.kill()


def test_a_stopped_worker_does_not_block_a_long_script() -> None:
    worker = SolverProcess()
    process = worker.start()
    os.kill(process.pid, signal.SIGSTOP)
    began = time.monotonic()
    answer = worker.ask(TRIVIAL + "; " + "x" * 1_000_000, 0.2, "cvc5")
    assert time.monotonic() - began < 30  # and not the 60 that it would sleep, or for ever
    assert answer.answer == "unknown"
    assert gone(process.pid)


def test_a_pool_leaves_no_process() -> None:
    with SolverPool(2) as pool:
        pool.warm_up()
        processes = [worker.process for worker in pool.workers]
        pids = [process.pid for process in processes if process is not None]
        assert pool.ask(TRIVIAL, 10).answer == "unsat"
    assert len(pids) == 2
    assert all(map(gone, pids))


def test_a_worker_waits_for_the_next_pool_only_between_two_requests() -> None:
    with SolverPool(1, keep=True) as pool:
        assert pool.ask(TRIVIAL, 10).answer == "unsat"
        first = pool.workers[0].start().pid
    with SolverPool(1, keep=True) as pool:
        assert pool.workers[0].start().pid == first
        assert pool.ask("(set-logic ALL)(check-sat)", 10).answer == "sat"
        pool.workers[0].asking = True  # as where an exception left the answer unread
    assert gone(first)


def test_the_answer_to_another_request_is_none() -> None:
    said = "dict(json.loads(sys.stdin.readline()), answer='unsat', reason='', seconds=0)"
    for change, answer in (("", "unsat"), ("reply['number'] -= 1", "unknown")):
        script = f"import json, sys\nreply = {said}\n{change}\nprint(json.dumps(reply), flush=True)\nsys.stdin.readline()"
        worker = Scripted(script)
        try:
            assert worker.ask(TRIVIAL, 5, "cvc5").answer == answer
        finally:
            worker.kill()


def test_a_solver_that_had_to_share_its_processor_is_asked_again() -> None:
    say = """import json, sys, time
def say(answer, seconds):
    number = json.loads(sys.stdin.readline())["number"]
    time.sleep(1 if answer == "unknown" else 0)
    print(json.dumps(dict(number=number, answer=answer, reason="", seconds=seconds)), flush=True)
"""
    for computed, answer in ((0.4, "unsat"), (0.95, "unknown")):
        worker = Scripted(f"{say}say('unknown', {computed})\nsay('unsat', 0.5)\nsys.stdin.readline()")
        try:
            assert worker.ask(TRIVIAL, 1, "cvc5").answer == answer
        finally:
            worker.kill()


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
@pytest.mark.parametrize("name", sorted(LEMMAS))
def test_every_lemma_is_proved(pool: SolverPool, name: str, solver: str) -> None:
    assert [pool.ask(script, 20, solver).answer for script in LEMMAS[name].scripts] == ["unsat"] * len(LEMMAS[name].scripts)


@pytest.mark.quick(
    *("delinearisation", "fold extensionality", "fold holds", "fold peeling", "fold shift", "product inside", "rows")
)
@pytest.mark.parametrize("name", sorted(LEMMAS))
def test_the_hypotheses_of_a_lemma_do_not_contradict_each_other(pool: SolverPool, name: str) -> None:
    for script in LEMMAS[name].scripts:
        lines = script.splitlines()
        goal = max(place for place, line in enumerate(lines) if line.startswith("(assert (not"))
        assert pool.ask("\n".join([*lines[:goal], *lines[goal + 1 :]]), 1).answer != "unsat"


def test_a_lemma_that_had_no_time_is_asked_again(pool: SolverPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "_proved_lemmas", set())
    with monkeypatch.context() as broken:
        broken.setitem(LEMMAS, "delinearisation", LEMMAS["delinearisation"].__class__("d", "", (HARD,)))
        assert not lemma_holds("delinearisation", pool, 0.2)
    assert lemma_holds("delinearisation", pool, 10)


@pytest.mark.parametrize("make", [lambda x: Apply(Operator.LT, (x, integer(0))), lambda x: FALSE])
def test_what_does_not_follow_is_unknown_with_a_reason(pool: SolverPool, make: Callable[[Var], Apply]) -> None:
    proof = prove((), make(Var("x", INT)), pool, 2)
    assert proof.verdict is ObligationVerdict.UNKNOWN
    assert proof.reason
    assert prove((FALSE,), make(Var("x", INT)), pool, 2).verdict is ObligationVerdict.PROVED
    assert prove((), TRUE, pool, 2).verdict is ObligationVerdict.PROVED


def test_no_time_is_unknown(pool: SolverPool) -> None:
    for seconds in (0.0, -1.0):
        proof = prove((), TRUE, pool, seconds)
        assert proof.verdict is ObligationVerdict.UNKNOWN
        assert "timeout" in proof.reason


@pytest.mark.parametrize(("name", "known"), [("c", True), ("c!out", False)])
def test_elements_of_the_sources_own_arrays_are_in_their_range(name: str, known: bool, pool: SolverPool) -> None:
    # what a program writes is defined by its value as a number, which may be too large for the array
    element = Select(Var(name, TensorType(UINT8, 1)), (integer(0),))
    claim = erased(Apply(Operator.LE, (Cast(element, INT), integer(255))), {})
    assert (prove((), claim, pool, 1).verdict is ObligationVerdict.PROVED) == known
