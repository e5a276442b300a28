"""Running summaries and programs on small random inputs by the interpreter."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

from metalift.driver import Driver
from metalift.driver.expansion import expand
from metalift.ir.expr.nodes import TRUE, Build, Call, Expr, Select, Update, Var, type_of
from metalift.ir.expr.types import BoolType, FunctionType, IntType, MachineInt, RealType, TensorType, TupleType, Type
from metalift.ir.expr.walk import subexpressions
from metalift.ir.interp.interpret import Value, evaluate
from metalift.ir.program.fragment import Fragment
from metalift.ir.program.summary import Summary, TargetProgram

CELLS = 260  # in every array: more than any index of the kernels
SIZES = 5  # of scalars that serve as sizes


def inputs(fragment: Fragment, seed: int) -> dict[str, Value]:
    """Arrays of CELLS elements, scalars that serve as sizes as well."""
    chosen = random.Random(seed)
    found: dict[str, Value] = {}
    for param in fragment.params:
        kind = param.var.type
        if isinstance(kind, TensorType):
            found[param.var.name] = [scalar(kind.element, chosen) for _ in range(CELLS)]
        else:
            found[param.var.name] = chosen.randrange(1, SIZES) if isinstance(kind, MachineInt) else scalar(kind, chosen)
    return found


def scalar(kind: Type, chosen: random.Random) -> Value:
    """A value of the type, small where it can be."""
    match kind:
        case MachineInt(_, True):
            return chosen.choice([-300, -7, -2, -1, 0, 1, 2, 3, 100, 255, 256, 4000])
        case MachineInt(8, False):
            return chosen.choice([0, 1, 2, 127, 128, 254, 255])
        case MachineInt() | IntType():
            return chosen.randrange(0, 9)
        case RealType():
            return Fraction(chosen.randrange(-12, 13), 4)
        case BoolType():
            return chosen.random() < 0.5
        case TensorType() | TupleType() | FunctionType():
            raise AssertionError("not a scalar")


def summarised(summary: Summary, env: Mapping[str, Value]) -> dict[str, Value]:
    """The outputs that a summary states."""
    known = dict(env)
    for binding in summary.bindings:
        known[binding.var.name] = evaluate(binding.value, known)
    return {name: plain(evaluate(value, known)) for name, value in summary.outputs}


def computed(program: TargetProgram, driver: Driver, env: Mapping[str, Value]) -> dict[str, Value]:
    """The outputs of a program: all values first, then the writes in order."""
    known = dict(env)
    for let in program.lets:
        known[let.var.name] = evaluate(expand(let.value, driver), known)
    values = [evaluate(expand(write.value, driver), known) for write in program.writes]
    outputs: dict[str, Value] = {}
    if program.result is not None:
        outputs["return"] = plain(evaluate(expand(program.result, driver), known))
    for write, value in zip(program.writes, values, strict=True):
        window, tensor = write.window, Var("%value", type_of(write.value))
        assert isinstance(window, Build)
        cell = window.body
        assert isinstance(cell, Select)
        update = Update(write.array, window.binders, window.extents, cell.indices, Select(tensor, window.binders), TRUE)
        name = write.array.name
        outputs[name] = plain(evaluate(update, {**known, name: outputs.get(name, known[name]), tensor.name: value}))
    return outputs


def plain(value: Value) -> Value:
    """Tensors as lists."""
    nested = getattr(value, "nested", None)
    return nested() if nested is not None else value


def close(left: Value, right: Value) -> bool:
    """Equal, or equal reals but for the last digits of what is irrational."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(close(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, bool | int) or isinstance(right, bool | int) or left == right:
        return left == right
    one, other = number(left), number(right)
    return abs(one - other) <= 1e-12 * max(1.0, abs(one))


def number(value: Value) -> float:
    """A real value as a float."""
    assert not isinstance(value, list | tuple) and hasattr(value, "__float__")
    return float(value)


def operators(program: TargetProgram) -> list[str]:
    """The names of the operators of a program, outer ones first."""
    parts: list[Expr] = [let.value for let in program.lets] + [write.value for write in program.writes]
    parts += [] if program.result is None else [program.result]
    return [sub.function for part in parts for sub in subexpressions(part) if isinstance(sub, Call)]
