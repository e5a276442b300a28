"""Whether the integers that a target computes stay in the range of their types.

A target's sums and products wrap, which a result that fits does not notice; what reads more than the low bits of an operand
(a quotient, a comparison, a wider type) needs the operand itself to fit. Where intervals do not show that, it is an
assumption.
"""

from __future__ import annotations

from collections.abc import Iterator

from metalift.driver import Driver, expand
from metalift.ir.build import at_most
from metalift.ir.intervals import Interval, interval, type_range
from metalift.ir.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.polynomial import widens
from metalift.ir.summary import TargetProgram
from metalift.ir.text import show
from metalift.ir.types import INT, INT64, MachineInt, RealType, TensorType, show_type
from metalift.ir.walk import free_vars, subexpressions
from metalift.vcgen.erasure import erased

HELD_BITS = 64  # of the type that holds integers without bound
HELD = type_range(INT64)
MODULAR = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG, Operator.BITAND, Operator.BITOR, Operator.BITXOR})


def unproved_ranges(program: TargetProgram, driver: Driver) -> tuple[str, ...]:
    """One sentence for each operand that has to fit its type and is not shown to."""
    found: dict[str, None] = {}
    for value in values_of(program):
        meaning = expand(value, driver)
        for operand in operands(meaning):
            type_ = type_of(operand)
            if not interval(erased(operand, {})).within(type_range(type_)):
                found[f"{show(operand)} fits {show_type(type_)}"] = None
        for computed in exact_values(meaning):
            if not interval(computed, held(computed)).within(HELD):
                found[f"{show(computed)} fits {HELD_BITS} bits"] = None
    return tuple(found)


def number_conditions(program: TargetProgram, driver: Driver) -> tuple[Expr, ...]:
    """That plain numbers which operators combine with tensors fit the tensors' integer type; a library may refuse others."""
    found: dict[Expr, None] = {}
    for value in values_of(program):
        for part in subexpressions(value):
            if not (isinstance(part, Call) and any(isinstance(type_of(arg), TensorType) for arg in part.args)):
                continue
            for arg in part.args:
                low, high = held_range(arg, driver, part)
                if low is None or high is None:
                    continue
                number = erased(expand(arg, driver), {})
                plain = all(not isinstance(var.type, TensorType) for var in free_vars(number))
                if plain and not interval(number).within(Interval(low, high)):
                    found.setdefault(at_most(integer(low), number))
                    found.setdefault(at_most(number, integer(high)))
    return tuple(found)


def held_range(arg: Expr, driver: Driver, part: Call) -> tuple[int | None, int | None]:
    """The integers that an operator takes beside tensors, for an argument that may be another one."""
    type_ = type_of(arg)
    if isinstance(type_, MachineInt) and not isinstance(arg, Var | Const | Select):
        return type_.low, type_.high
    if type_ == INT and not isinstance(arg, Select) and driver.operators[part.function].elementwise:
        return HELD.low, HELD.high
    return None, None


def values_of(program: TargetProgram) -> list[Expr]:
    """Everything that the program computes."""
    values = [let.value for let in program.lets] + [write.value for write in program.writes]
    if isinstance(program.result, MakeTuple):
        return [*values, *program.result.items]
    return values if program.result is None else [*values, program.result]


def exact_values(meaning: Expr) -> Iterator[Expr]:
    """The integers without bound that are computed from arrays: the result, and those of which more than the low bits matter."""
    for part in (meaning, *used_parts(meaning)):
        while isinstance(part, Build):
            part = part.body
        computed = any(isinstance(sub, Select | Fold) for sub in subexpressions(part))
        if computed and type_of(part) == INT and not isinstance(part, Select):
            yield part


def held(expr: Expr) -> dict[Expr, Interval]:
    """The ranges of what is read: elements of arrays of integers without bound have 64 bits in the target."""
    reads = (sub for sub in subexpressions(expr) if isinstance(sub, Select) and type_of(sub) == INT)
    return dict.fromkeys(reads, HELD)


def operands(expr: Expr) -> Iterator[Expr]:
    """The computed machine integers of which more than the low bits matter."""
    for part in used_parts(expr):
        if isinstance(type_of(part), MachineInt) and not isinstance(part, Var | Const | Select):
            yield part


def used_parts(expr: Expr) -> Iterator[Expr]:
    """Everything of which more than the low bits matter."""
    for part in subexpressions(expr):
        match part:
            case Apply(op, args) if op not in MODULAR:
                yield from args
            case Cast(arg, target) if isinstance(target, RealType) or not narrows(arg, target):
                yield arg
            case _:
                continue


def narrows(arg: Expr, target: object) -> bool:
    """Whether a conversion keeps low bits only."""
    source = type_of(arg)
    return isinstance(source, MachineInt) and isinstance(target, MachineInt) and not (widens(source, target) and source != target)
