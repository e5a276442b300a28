"""Asks cvc5 about the value of expressions for concrete inputs, many of them in one process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction

from metalift.ir.expr.build import neg
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, Var, type_of
from metalift.ir.expr.types import RealType, Type
from metalift.ir.expr.walk import free_vars
from metalift.ir.interp.values import Value
from metalift.prove.encode import Encoder, sort, symbol

_SERVER = """
import sys, cvc5
terms = cvc5.TermManager()
solver = cvc5.Solver(terms)
solver.setOption("incremental", "true")
solver.setOption("tlimit-per", "2000")
symbols = cvc5.SymbolManager(terms)
parser = cvc5.InputParser(solver, symbols)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "queries")
while not (command := parser.nextCommand()).isNull():
    sys.stdout.write(command.invoke(solver, symbols))
"""


def literal(value: Value, type_: Type) -> Const:
    """The value as a literal."""
    if isinstance(type_, RealType):
        assert isinstance(value, Fraction)
        return Const(value, type_)
    assert isinstance(value, bool | int)
    return Const(value, type_)


def query(expr: Expr, env: dict[str, Value], expected: Value) -> str:
    """A script that is unsatisfiable exactly if the expression has the expected value for these inputs."""
    lines = Encoder().script([neg(Apply(Operator.EQ, (expr, literal(expected, type_of(expr)))))]).splitlines()
    defined = {f"(declare-fun {symbol(var.name)} ": _definition(var, env[var.name]) for var in free_vars(expr)}
    body = [next((text for start, text in defined.items() if line.startswith(start)), line) for line in lines]
    return "\n".join(["(push 1)", *(line for line in body if not line.startswith("(set-logic")), "(pop 1)"])


def _definition(var: Var, value: Value) -> str:
    """The variable as a name for its value, in place of a declaration."""
    number = Encoder().encode(literal(value, var.type))
    return f"(define-fun {symbol(var.name)} () {sort(var.type)} {number})"


def answers(queries: Sequence[str], timeout: float) -> list[str]:
    """What cvc5 says to each query."""
    script = "\n".join(["(set-logic ALL)", *queries])
    done = subprocess.run([sys.executable, "-c", _SERVER], input=script, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()
