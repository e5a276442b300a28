"""The parameters of a function as its source declares them, one for each LLVM argument."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import Argument, LlvmFunction, Parameter, int_bits
from metalift.frontend.llvm.read.metadata import CODES, ELEMENTS, Metadata, SourceType
from metalift.ir.expr.types import BoolType, IntType, MachineInt, RealType, ScalarType
from metalift.ir.program.fragment import Diagnostic, Location, Unsupported

SUPPORTED = (
    "supported are parameters of type bool, integers of up to 64 bits, float, double, pointers and references to them, "
    "pointers to rows of them, structs of them, and std::vector of numbers or of such vectors"
)
CHARACTER = ELEMENTS[CODES["char"]][1]


def find_parameters(function: LlvmFunction, metadata: Metadata, start: Location) -> list[Parameter]:
    """The parameters in order; raises Unsupported where the arguments are not those of the source's signature."""
    types = [metadata.type(ref) for ref in metadata.signature(function.subprogram)[1:]]
    args = [arg for arg in function.args if "sret" not in arg.attributes]
    strings = [arg.type == "string" for arg in args]
    if any(strings):  # such a parameter is a value, also where it is passed by reference
        types = [_held(type_) if is_text else type_ for type_, is_text in zip(types, strings, strict=False)]
    if function.characters:
        held = [arg.name in function.characters for arg in args]
        types = [of_characters(type_) if is_string else type_ for type_, is_string in zip(types, held, strict=False)]
    if function.variadic or (metadata.signature(function.subprogram)[-1:] == ["null"] and len(types) == len(args) + 1 and args):
        raise Unsupported(Diagnostic(start, f"a variable number of arguments; {SUPPORTED}"))
    if types and len(args) == 0 and types[-1].kind == "void":
        types = types[:-1]
    if len(types) != len(args) or not all(matches(type_, arg) for type_, arg in zip(types, args, strict=True)):
        odd = next((type_ for type_ in types if type_.kind in ("other", "struct")), None)
        found = f"a parameter of type {odd.spelling}" if odd else "parameters passed in parts"
        raise Unsupported(Diagnostic(start, f"{found}; {SUPPORTED}"))
    found_here = []
    for number, (arg, type_) in enumerate(zip(args, types, strict=True), start=1):
        name = arg.name[1:].strip('"').removesuffix(".value")
        name = "unnamed" if name.isdigit() else name
        place = function.arg_places.get(number, start)
        found_here.append(Parameter(arg.name, name, type_, place, "noalias" in arg.attributes))
    return found_here


def of_characters(type_: SourceType) -> SourceType:
    """The type of a string, or of a reference to one, as that of a vector of its characters, whatever name it has."""
    if type_.target is not None:
        target = of_characters(type_.target)
        mark = type_.spelling.removeprefix(type_.target.spelling)
        return replace(type_, spelling=f"{target.spelling}{mark}", target=target, scalar=CHARACTER)
    return replace(type_, kind="vector", spelling=f"{'const ' if type_.const else ''}std::string", scalar=CHARACTER)


def _held(type_: SourceType) -> SourceType:
    """The type of the value that a reference leads to, spelled as that."""
    return replace(type_.target, spelling=type_.spelling) if type_.target is not None else type_


def matches(type_: SourceType, arg: Argument) -> bool:
    """Whether the argument is passed as the source's type is where it is not split up."""
    if type_.kind == "scalar":
        return type_.scalar is None or fits(type_.scalar, arg.type)
    return arg.type == "ptr"


def fits(scalar: ScalarType, llvm_type: str) -> bool:
    """Whether a value of the source type is held in the LLVM type."""
    match scalar:
        case BoolType():
            return llvm_type in ("i1", "i8")
        case MachineInt(bits, _):
            return int_bits(llvm_type) == bits
        case RealType(bits):
            return llvm_type == {32: "float", 64: "double"}.get(bits)
        case IntType(of, fields) if of:
            return llvm_type == ("identity" if fields else "string")
        case _:
            return False


def field_name(owner: str, path: Sequence[str], taken: Collection[str]) -> str:
    """A name, not one of those taken, for the parameter that a field of a struct becomes."""
    name = re.sub(r"\W+", "_", "_".join((owner, *path))).strip("_")
    while name in taken:
        name += "_"
    return name


def element_size(type_: ScalarType) -> int:
    """The bytes of an array element in memory."""
    match type_:
        case BoolType():
            return 1
        case MachineInt(bits, _) | RealType(bits):
            return bits // 8
        case _:
            return 0
