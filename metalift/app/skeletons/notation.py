"""The driver NAME: index notation, such as `out(i) = x(i) * y(i)`, run by NAME_runner.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import LISTS, CannotWrite, Driver, Real, Request, Vec
from metalift.ir.expr.nodes import Build, Call, Cast, Const, Expr, Select, Var
from metalift.ir.expr.walk import subexpressions

INFIX = {"add": "+", "mul": "*"}


def write(request: Request) -> str:
    """One statement for the array that is written, or the result. Raises CannotWrite for what the notation has not got."""
    lets = {let.var: let.value for let in request.program.lets}

    def size(extent: Expr) -> str:
        match extent:
            case Cast(Var(name), _) | Var(name):
                return name
        raise CannotWrite("the range of an index has to be a parameter")

    def term(expr: Expr) -> str:
        match expr:
            case Var() if expr in lets:
                return term(lets[expr])
            case Build(_, binders, Select(Var(name), indices)) if binders == indices:
                return f"{name}(i)"
            case Var(name):
                return name
            case Const(value):
                return repr(float(value))
            case Call("total", (vector,)):
                (extent,) = next(part.extents for part in subexpressions(vector) if isinstance(part, Build))
                return f"sum(i < {size(extent)}, {term(vector)})"
            case Call(called, (left, right)) if called in INFIX:
                return f"({term(left)} {INFIX[called]} {term(right)})"
        raise CannotWrite("the notation has whole vectors, sums, products and totals only")

    head = " ".join(param.var.name for param in request.fragment.params)
    program = request.program
    if program.result is not None and not program.writes:
        return f"{head}\nresult = {term(program.result)}\n"
    if program.result is None and len(program.writes) == 1:
        (write,) = program.writes
        if isinstance(write.window, Build) and len(write.window.extents) == 1:
            return f"{head}\n{write.array.name}(i) = {term(write.value)}, i < {size(write.window.extents[0])}\n"
    raise CannotWrite("the notation has one statement")


driver = Driver(
    "NAME",
    targets=(
        replace(
            LISTS, name="NAME", language="index notation", suffix=".txt", write=write,
            runner=Path(__file__).with_name("NAME_runner.py"),
        ),
    ),
)  # fmt: skip


@driver.elementwise()
def add(a: Real, b: Real) -> Real:
    return a + b


@driver.elementwise()
def mul(a: Real, b: Real) -> Real:
    return a * b


@driver.define
def total(x: Vec[Real]) -> Real:
    return sum(x)
