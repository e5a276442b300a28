"""The driver NAME: a machine with vectors of at most 256 lanes, written as assembly and run by NAME_runner.py."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from metalift.driver import LISTS, CannotWrite, Driver, Int8, Prices, Request, Vec, convert, exact
from metalift.ir.expr.nodes import Build, Call, Cast, Const, Expr, Select, Var


def write(request: Request) -> str:
    """The text of a program. Raises CannotWrite for what the machine has not got."""
    lines = [" ".join(["function", *(param.var.name for param in request.fragment.params)])]
    lets = {let.var: let.value for let in request.program.lets}

    def length(extent: Expr) -> str:
        match extent:
            case Cast(Var(name), _) | Var(name):
                return name
        raise CannotWrite("the number of lanes has to be a parameter")

    def operand(expr: Expr) -> str:
        match expr:
            case Var() if expr in lets:
                return operand(lets[expr])
            case Build((extent,), binders, Select(Var(name), indices)) if binders == indices:  # x[:n]
                text = f"load {name} {length(extent)}"
            case Var(name):
                return name
            case Const(value):
                return str(value)
            case Call(called, args):
                text = " ".join([called, *map(operand, args)])
            case _:
                raise CannotWrite("the machine loads whole vectors only")
        lines.append(f"r{len(lines)} {text}")
        return f"r{len(lines) - 1}"

    stores = []
    for each in request.program.writes:
        match each.window:
            case Build((extent,), binders, Select(_, indices)) if binders == indices:
                stores.append(f"store {each.array.name} {operand(each.value)} {length(extent)}")
            case _:
                raise CannotWrite("the machine stores vectors from their start only")
    last = [] if request.program.result is None else [f"return {operand(request.program.result)}"]
    return "\n".join([*lines, *stores, *last, ""])


driver = Driver(
    "NAME",
    targets=(
        replace(
            LISTS, name="NAME", language="assembly", suffix=".asm", write=write,
            runner=Path(__file__).with_name("NAME_runner.py"), literals={Int8: range(-128, 128)},
            prices=Prices(view=None, fill=None),  # it loads vectors from their start only, and fills none
        ),
    ),
)  # fmt: skip


@driver.define(requires=lambda x, y: len(x) == len(y) and len(x) <= 256)
def adds(x: Vec[Int8], y: Vec[Int8]) -> Vec[Int8]:
    return [convert(min(max(exact(a) + exact(b), -128), 127)) for a, b in zip(x, y)]


@driver.define(requires=lambda x: len(x) <= 256, plain=("k",))
def maxk(x: Vec[Int8], k: Int8) -> Vec[Int8]:
    return [max(a, k) for a in x]
