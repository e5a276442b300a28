"""A program with another function in it than the source computes is not proved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.lists import lists
from metalift.ir.expr.nodes import Call, Const, Expr, Lambda, Var
from metalift.ir.expr.types import INT32
from metalift.ir.expr.walk import rebuild, scoped_children, subexpressions
from metalift.ir.program.summary import TargetProgram
from metalift.ir.text import show
from metalift.prove.solver import SolverPool
from metalift.synth.cover import cover
from tests.support.proofs import kernel, program_proved

KERNELS = {
    "shifted": "void f(int *o, int *x, int v, int n) { for (int i = 0; i < n; i++) o[i] = v * x[i] - 3; }",
    "difference": "void f(int *o, int *x, int *y, int n) { for (int i = 0; i < n; i++) o[i] = x[i] - y[i]; }",
    "count": "int f(int *x, int v, int n) { int m = 0; for (int i = 0; i < n; i++) if (x[i] < v) m++; return m; }",
}
OTHER = {
    "add": "subtract",
    "subtract": "add",
    "multiply": "add",
    "less": "at_most",
    "at_most": "less",
    "greater_than": "at_least",
    "at_least": "greater_than",
}


def changed(expr: Expr, inside: bool = False) -> Iterator[Expr]:
    """The expression with one change in the body of a function: an operator, a literal, a parameter for another one."""
    if inside and isinstance(expr, Call) and expr.function in OTHER:
        yield replace(expr, function=OTHER[expr.function])
    if inside and isinstance(expr, Const) and not isinstance(expr.value, bool):
        yield replace(expr, value=expr.value + 1)
    if isinstance(expr, Lambda) and len(expr.params) == 2 and expr.params[0].type == expr.params[1].type:
        yield Lambda((expr.params[1], expr.params[0]), expr.body)
    parts = scoped_children(expr)
    for position, (child, binders) in enumerate(parts):
        for other in changed(child, inside or isinstance(expr, Lambda)):
            rest = tuple(other if at == position else part for at, (part, _) in enumerate(parts))
            yield rebuild(expr, rest)
        if isinstance(child, Var) and isinstance(expr, Call) and inside:
            for var in {sub for sub in subexpressions(expr) if isinstance(sub, Var) and sub.type == child.type} - {child}:
                yield rebuild(expr, tuple(var if at == position else part for at, (part, _) in enumerate(parts)))
        assert not binders or not isinstance(expr, Call)


def mutants(program: TargetProgram) -> Iterator[TargetProgram]:
    """The program with one of its functions changed."""
    for position, let in enumerate(program.lets):
        for value in changed(let.value):
            lets = (*program.lets[:position], replace(let, value=value), *program.lets[position + 1 :])
            yield replace(program, lets=lets)
    for position, write in enumerate(program.writes):
        for value in changed(write.value):
            writes = (*program.writes[:position], replace(write, value=value), *program.writes[position + 1 :])
            yield replace(program, writes=writes)


def test_what_a_function_reads_has_to_be_in_the_array(tmp_path: Path, pool: SolverPool) -> None:
    """The product with zero changes no value, but its factor is not always there."""
    made = kernel("void f(int *o, int *x, int n) { for (int i = 0; i < n; i++) o[i] = i * x[i]; }", tmp_path)
    program = cover(made.summary, made.fragment, lists, "python")
    (write,) = program.writes
    assert isinstance(write.value, Call) and write.value.function == "tabulate"
    for offset, proved in ((0, True), (1, False), (-1, False)):
        function = write.value.args[0]
        assert isinstance(function, Lambda)
        (i,) = function.params
        read = made.term(f"multiply:i32(0:i32, x[{i.name} + {offset}])", **{i.name: i.type})
        other = Lambda(function.params, Call("add", (function.body, read), INT32))
        value = replace(write.value, args=(other, *write.value.args[1:]))
        changed_program = replace(program, writes=(replace(write, value=value),))
        assert program_proved(made.fragment, made.summary, changed_program, lists, pool) == proved, offset


@pytest.mark.parametrize("name", KERNELS)
def test_no_other_function_is_proved(name: str, tmp_path: Path, pool: SolverPool) -> None:
    made = kernel(KERNELS[name], tmp_path)
    program = cover(made.summary, made.fragment, lists, "python")
    assert program_proved(made.fragment, made.summary, program, lists, pool)
    wrong = [mutant for mutant in mutants(program) if mutant != program]
    assert wrong
    for mutant in wrong:
        texts = [show(let.value) for let in mutant.lets] + [show(write.value) for write in mutant.writes]
        assert not program_proved(made.fragment, made.summary, mutant, lists, pool), texts
