"""Memory that is declared as bytes or void: where all accesses are to values of one other type, it is an array of these.

Only the type of the parameter changes: that every access fits it is seen to where accesses are read.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import LlvmFunction, Parameter, int_bits
from metalift.frontend.llvm.read.metadata import Metadata, SourceType
from metalift.frontend.llvm.read.parameters import element_size, fits
from metalift.ir.expr.types import DOUBLE, FLOAT, MachineInt, ScalarType

UNSIGNED = ("udiv", "urem", "lshr", "zext", "uitofp")
MOVES = ("getelementptr", "phi", "select", "freeze")


def settle_types(function: LlvmFunction, metadata: Metadata) -> None:
    """Give parameters of this kind the type of their elements, in place."""
    function.parameters = [_settled(function, metadata, each) if _is_untyped(each) else each for each in function.parameters]


def _is_untyped(parameter: Parameter) -> bool:
    """Whether it points to void, or to bytes."""
    target = parameter.type.target
    if parameter.type.kind != "pointer" or target is None or parameter.type.rank != 1:
        return False
    return target.kind == "void" or isinstance(target.scalar, MachineInt) and element_size(target.scalar) == 1


def _settled(function: LlvmFunction, metadata: Metadata, parameter: Parameter) -> Parameter:
    element, scalar = accessed(function, metadata, parameter.register)
    if scalar is None or (element == "i8" and parameter.type.scalar is not None):
        return parameter
    return replace(parameter, type=replace(parameter.type, scalar=scalar, target=SourceType("scalar", element, scalar)))


def accessed(function: LlvmFunction, metadata: Metadata, register: str) -> tuple[str, ScalarType | None]:
    """What all accesses that come of a pointer are to: LLVM's type and the source's; "" and None where that is not one type."""
    reached = _reached(function, register)
    places = [(instr.args[-1], instr.type) for instr in function.instructions() if instr.op in ("load", "store")]
    found = {type_ for place, type_ in places if place in reached}
    if len(found) != 1:
        return "", None
    element = found.pop()
    return element, _declared(function, metadata, reached, element) or _plain(element, _is_unsigned(function, reached))


def _reached(function: LlvmFunction, register: str) -> dict[str, None]:
    """The registers of pointers that come of a parameter, in the order in which they were found."""
    reached, before = {register: None}, 0
    while before < len(reached):
        before = len(reached)
        for instr in function.instructions():
            if instr.op in MOVES and instr.type == "ptr" and not reached.keys().isdisjoint(instr.args):
                reached[instr.result] = None
    return reached


def _declared(function: LlvmFunction, metadata: Metadata, reached: dict[str, None], element: str) -> ScalarType | None:
    """The type that the source's pointers to the elements have, which says whether integers are signed."""
    hints = (function.hints[register] for register in reached if register in function.hints)
    pointed: list[SourceType | None] = [metadata.type(hint.type_ref).target for hint in hints]
    scalars = (type_.scalar for type_ in pointed if type_ is not None and type_.kind == "scalar")
    return next((scalar for scalar in scalars if scalar is not None and fits(scalar, element)), None)


def _is_unsigned(function: LlvmFunction, reached: dict[str, None]) -> bool:
    """Whether something is done with an element that only has a meaning for integers without a sign."""
    loads = {instr.result for instr in function.instructions() if instr.op == "load" and instr.args[-1] in reached}
    uses = [instr for instr in function.instructions() if not loads.isdisjoint(instr.args)]
    return any(instr.op in UNSIGNED or (instr.op == "icmp" and instr.detail[0].startswith("u")) for instr in uses)


def _plain(element: str, unsigned: bool) -> ScalarType | None:
    """The type of the elements where the source does not name it."""
    bits = int_bits(element)
    if bits is not None:
        return MachineInt(bits, not unsigned) if bits in (8, 16, 32, 64) else None
    return {"float": FLOAT, "double": DOUBLE}.get(element)
