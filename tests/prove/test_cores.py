"""Scripts of what a proof rests on: less is asserted, nothing else is said."""

from __future__ import annotations

import pytest

from metalift.prove.cores import is_part, named, numbers_in, only
from metalift.prove.solver import SolverPool

SCRIPT = """(set-logic ALL)
(declare-fun |$x| () Int)
(declare-fun |$y| () Int)
(declare-fun |$z| () Int)
(define-fun e1 () Int (+ |$x| 1))
(define-fun e10 () Int (+ |$y| e1))
(define-fun e2 () Int (* e10 |$z|))
(assert (< |$z| 7))
(assert (< e1 0))
(assert (= e2 3))
(assert (< 0 |$x|))
(check-sat)
"""
CORE = """(set-logic ALL)
(declare-fun |$x| () Int)
(define-fun e1 () Int (+ |$x| 1))
(assert (< e1 0))
(assert (< 0 |$x|))
(check-sat)
"""


def test_what_a_proof_rests_on_proves_by_itself() -> None:
    with SolverPool(1) as pool:
        answer = pool.ask(SCRIPT, 10.0, "cvc5 with core")
        assert (answer.answer, answer.core) == ("unsat", (1, 3))
        assert only(SCRIPT, answer.core) == CORE
        assert is_part(CORE, SCRIPT)
        assert [pool.ask(CORE, 10.0, solver).answer for solver in ("cvc5", "z3")] == ["unsat", "unsat"]


def test_what_is_satisfiable_has_no_core() -> None:
    with SolverPool(1) as pool:
        answer = pool.ask(SCRIPT.replace("(assert (< e1 0))\n", ""), 10.0, "cvc5 with core")
    assert (answer.answer, answer.core) == ("sat", ())


def test_assertions_are_named_in_their_order() -> None:
    told = named(SCRIPT)
    assert numbers_in(told) == [0, 1, 2, 3]
    assert "(assert (! (= e2 3) :named |core 2|))" in told


@pytest.mark.parametrize(
    "made",
    [
        CORE.replace("(< e1 0)", "(< e1 1)"),
        CORE.replace("(+ |$x| 1)", "(- |$x| 1)"),
        CORE.replace("(check-sat)\n", "(assert false)\n(check-sat)\n"),
        CORE.replace("(check-sat)\n", "(check-sat)\n(check-sat)\n"),
        CORE.replace("(check-sat)\n", ""),
        CORE.replace("(set-logic ALL)\n", ""),
        CORE.replace("(declare-fun |$x| () Int)\n", "(declare-fun |$x| () Int)\n" * 2),
        CORE.replace("(assert (< e1 0))\n(assert (< 0 |$x|))", "(assert (< 0 |$x|))\n(assert (< e1 0))"),
        CORE + "(assert false)\n",
        CORE.replace("\n", "\r\n"),
        CORE.removesuffix("\n"),
        "",
    ],
)
def test_a_text_that_says_something_else_is_no_part(made: str) -> None:
    assert not is_part(made, SCRIPT)


def test_what_a_part_does_not_declare_it_does_not_prove() -> None:
    part = CORE.replace("(define-fun e1 () Int (+ |$x| 1))\n", "")
    assert is_part(part, SCRIPT)
    with SolverPool(1) as pool:
        assert "unsat" not in [pool.ask(part, 10.0, solver).answer for solver in ("cvc5", "z3")]
