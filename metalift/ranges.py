"""Whether the integers that a target computes stay in the range of their types.

A target's sums and products wrap, which a result that fits does not notice; what reads more than the low bits of an operand
(a quotient, a comparison, a wider type) needs the operand itself to fit. Where intervals do not show that, it is an
assumption.
"""

from __future__ import annotations

from collections.abc import Iterator

from metalift.driver import Driver, expand
from metalift.ir.build import at_most
from metalift.ir.intervals import interval, type_range
from metalift.ir.nodes import Apply, Call, Cast, Const, Expr, Operator, Select, Var, integer, type_of
from metalift.ir.polynomial import widens
from metalift.ir.summary import TargetProgram
from metalift.ir.text import show
from metalift.ir.types import MachineInt, RealType, TensorType, show_type
from metalift.ir.walk import free_vars, subexpressions
from metalift.vcgen.erasure import erased

MODULAR = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG, Operator.BITAND, Operator.BITOR, Operator.BITXOR})


def unproved_ranges(program: TargetProgram, driver: Driver) -> tuple[str, ...]:
    """One sentence for each operand that has to fit its type and is not shown to."""
    found: dict[str, None] = {}
    for value in values_of(program):
        for operand in operands(expand(value, driver)):
            type_ = type_of(operand)
            if not interval(erased(operand, {})).within(type_range(type_)):
                found[f"{show(operand)} fits {show_type(type_)}"] = None
    return tuple(found)


def number_conditions(program: TargetProgram, driver: Driver) -> tuple[Expr, ...]:
    """That plain numbers which operators combine with tensors fit the tensors' integer type; a library may refuse others."""
    found: dict[Expr, None] = {}
    for value in values_of(program):
        for part in subexpressions(value):
            if not (isinstance(part, Call) and any(isinstance(type_of(arg), TensorType) for arg in part.args)):
                continue
            for arg in part.args:
                type_ = type_of(arg)
                if not isinstance(type_, MachineInt) or isinstance(arg, Var | Const | Select):
                    continue
                number = erased(expand(arg, driver), {})
                plain = all(not isinstance(var.type, TensorType) for var in free_vars(number))
                if plain and not interval(number).within(type_range(type_)):
                    found.setdefault(at_most(integer(type_.low), number))
                    found.setdefault(at_most(number, integer(type_.high)))
    return tuple(found)


def values_of(program: TargetProgram) -> list[Expr]:
    """Everything that the program computes."""
    values = [let.value for let in program.lets] + [write.value for write in program.writes]
    return values if program.result is None else [*values, program.result]


def operands(expr: Expr) -> Iterator[Expr]:
    """The computed machine integers of which more than the low bits matter."""
    for part in subexpressions(expr):
        match part:
            case Apply(op, args) if op not in MODULAR:
                used: tuple[Expr, ...] = args
            case Cast(arg, target) if isinstance(target, RealType) or not narrows(arg, target):
                used = (arg,)
            case _:
                continue
        yield from (arg for arg in used if isinstance(type_of(arg), MachineInt) and not isinstance(arg, Var | Const | Select))


def narrows(arg: Expr, target: object) -> bool:
    """Whether a conversion keeps low bits only."""
    source = type_of(arg)
    return isinstance(source, MachineInt) and isinstance(target, MachineInt) and not (widens(source, target) and source != target)
