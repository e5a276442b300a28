"""A function's parameters: what debug information says of each LLVM argument."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from metalift.frontend.llvm.importer.ends import ends
from metalift.frontend.llvm.importer.scope import POINTER_SIZE, Opaque, Pointer, Scope
from metalift.frontend.llvm.names import vector_names
from metalift.frontend.llvm.read.llvm_ir import LlvmFunction, Parameter
from metalift.frontend.llvm.read.metadata import SourceType, parts_of
from metalift.frontend.llvm.read.parameters import SUPPORTED, element_size, of_characters
from metalift.frontend.llvm.read.tables import keeper_of_address
from metalift.ir.expr.nodes import Cast, Var, integer
from metalift.ir.expr.types import BOOL, INT, STRING, MachineInt, ScalarType, TensorType, TupleType, Type
from metalift.ir.program.fragment import ELEMENT, Block, Diagnostic, Param, ParamKind, Premise, PremiseKind, Store

FIXED = re.compile(r"\[\d+\]\Z")
BEHIND = re.compile(rf"->|{re.escape(ELEMENT)}")  # in an access to a field, what stands before lies elsewhere


def bind_params(scope: Scope) -> tuple[Param, ...]:
    """The parameters in order; their values are entered into the scope."""
    function = scope.function
    start = scope.location
    bound: dict[int, Param] = {}
    into = ends(function)
    for at, parameter in sorted(enumerate(function.parameters), key=lambda pair: pair[1].register in into):
        scope.location = parameter.place
        first = scope.values.get(into.get(parameter.register, ""))
        bound[at] = _bind_end(scope, parameter, first) if isinstance(first, Pointer) else _bind(scope, parameter)
    scope.location = start
    for register, name in function.records.items():
        scope.values[register] = Opaque(f"the struct {name} as a whole", name)
    return tuple(bound[at] for at in range(len(bound)))


def _bind_end(scope: Scope, parameter: Parameter, first: Pointer) -> Param:
    """A pointer into the array of an earlier one, as how many elements it is behind that one."""
    var = Var(scope.name(parameter.name, exact=True), MachineInt(64, True))
    scope.values[parameter.register] = replace(first, index=Cast(var, INT))
    scope.ends.add(var)
    return Param(var, ParamKind.VALUE, parameter.type.spelling, into=first.root.name)


def _bind(scope: Scope, parameter: Parameter) -> Param:
    type_, register = parameter.type, parameter.register
    if type_.scalar is None or type_.volatile or type_.kind not in ("scalar", "pointer", "reference", "array", "vector"):
        what = f"the {'parameter' if parameter.variable is None else 'variable'} {parameter.name} of type {type_.spelling}"
        scope.refused.append(Diagnostic(scope.location, f"{what}; {SUPPORTED}"))
        scope.values[register] = Opaque(what)
        return Param(Var(parameter.name, INT), ParamKind.VALUE, type_.spelling)
    if type_.scalar == STRING and _kind(type_) is ParamKind.POINTER:
        supported = "supported are std::string by value and by reference to const, and std::vector of them"
        scope.fail(f"the parameter {parameter.name} of type {type_.spelling}", supported)
    name = scope.name(parameter.name, exact=True)
    kind = ParamKind.POINTER if parameter.cell else _kind(type_)
    if kind is ParamKind.VALUE:
        var = Var(name, type_.scalar)
        scope.values[register] = var
    elif kind is ParamKind.POINTER:
        var = Var(name, TensorType(type_.scalar, type_.rank))
        scope.values[register] = Pointer(var, integer(0), row=POINTER_SIZE)
    else:
        var = Var(name, TensorType(type_.scalar, type_.rank))
        scope.values[register] = Opaque(f"the std::vector {name}, used as something else")
        scope.values[f"{register}.data"] = Pointer(var, integer(0), row=vector_names.SIZE)
    vector = type_.target if type_.kind == "reference" and type_.target else type_
    if vector.record is None:
        return Param(var, kind, type_.spelling, parameter.noalias, parameter.field)
    scope.records[vector.record.type] = vector.record
    layout = (*vector.record.offsets, vector.record.size)
    return Param(var, kind, type_.spelling, parameter.noalias, parameter.field, layout)


def premises(scope: Scope, params: Sequence[Param], blocks: Sequence[Block]) -> tuple[Premise, ...]:
    """What is relied on where memory is written: that it is not that of structs whose fields are passed as values.

    A store can only change a field of its own type, or any field where it is one of a character type.
    """
    pointers = {param.var: param for param in params if param.kind is ParamKind.POINTER}
    written = {s.array for block in blocks for s in block.body if isinstance(s, Store) and s.array in pointers}
    changed = {var.type.element for var in written if isinstance(var.type, TensorType)}
    found: dict[str, list[str]] = {}
    for parameter in scope.function.parameters:
        if parameter.field is None or not parameter.shared:
            continue
        types = [parameter.type.scalar] if parameter.type.kind == "scalar" else []
        if any(element_size(type_) == 1 or _same_memory(type_, types) for type_ in changed):
            found.setdefault(parameter.field.parameter, []).append(parameter.field.access)
    whole = {name: ", ".join(f"{name}{access}" for access in parts) for name, parts in found.items()}
    made = tuple(Premise(f"nothing that is written overlaps {parts}", PremiseKind.MEMORY) for parts in whole.values())
    return (*(_out_of_reach(scope) if written else ()), *made, *_left(scope.function.parameters), *_ends(params))


def _ends(params: Sequence[Param]) -> Iterator[Premise]:
    """What is agreed on of pointers into the array of another one."""
    for each in params:
        if each.into:
            name = each.var.name
            text = f"{name} leads into the array of {each.into}, or just behind it: it is given as {name} - {each.into}"
            yield Premise(text, PremiseKind.MEMORY)


def _left(parameters: Sequence[Parameter]) -> Iterator[Premise]:
    """What is agreed on of structs by value that are changed."""
    changed = [each.field for each in parameters if each.cell and each.field is not None and each.field.left]
    for name in dict.fromkeys(each.parameter for each in changed):
        listed = ", ".join(f"{each.parameter}{each.access}" for each in changed if each.parameter == name)
        text = f"{name} is a packet that goes on as the function leaves it: the last values of {listed} are results"
        yield Premise(text, PremiseKind.RESULTS)


def _out_of_reach(scope: Scope) -> tuple[Premise, ...]:
    """What is relied on of global variables: the caller may know their addresses, and other variables may point to them.

    Raises Unsupported where the file says that one does.
    """
    parameters = scope.function.parameters
    fields = [(each, each.field) for each in parameters if each.field is not None and each.field.variable is not None]
    variables = [replace(place, access=FIXED.sub("", place.access)) if each.shared else place for each, place in fields]
    reaching = [each for each in parameters if each.llvm_type == "ptr" or each.shared]
    given = [each for each in reaching if each.field is None or each.field.variable is None or not _lies_in_variable(each)]
    if not variables or not given:
        return ()
    for each in variables:
        keeper = keeper_of_address(scope.module, f"@{each.variable.symbol}") if each.variable else ""
        if keeper:
            found = f"{keeper} has the address of {each.parameter}, so that a pointer may lead to it"
            scope.fail(found, "where a function writes memory, supported are global variables that no other one points to")
    own = (f"{each.parameter}{BEHIND.split(each.access)[0]}" for each in variables)
    listed = ", ".join(dict.fromkeys(own))
    return (Premise(f"no pointer or reference leads to the memory of {listed}", PremiseKind.MEMORY),)


def _lies_in_variable(parameter: Parameter) -> bool:
    """Whether it is the memory of a variable itself, not what a pointer in it leads to."""
    away = parameter.shared or parameter.type.kind == "pointer"
    return parameter.field is not None and not away and "->" not in parameter.field.access


def values_that_occur(scope: Scope) -> tuple[Premise, ...]:
    """What is relied on of numbers that the fragment may not show any more: a comparison that was decided is gone."""
    return (Premise("no float is NaN", PremiseKind.VALUES),) if scope.without_nan else ()


def _same_memory(type_: ScalarType, types: Sequence[ScalarType | None]) -> bool:
    """Whether C allows that memory of the one type is read as one of the others: signed and unsigned are alike."""
    if isinstance(type_, MachineInt):
        return any(isinstance(other, MachineInt) and other.bits == type_.bits for other in types)
    return type_ in types


def _kind(type_: SourceType) -> ParamKind:
    if type_.kind == "scalar":
        return ParamKind.VALUE
    vector = type_ if type_.kind == "vector" else type_.target if type_.kind == "reference" else None
    if vector is None or vector.kind != "vector":
        return ParamKind.POINTER
    by_reference = type_.kind == "reference" and not vector.const
    return ParamKind.VECTOR_REF if by_reference else ParamKind.VECTOR


def result_type(function: LlvmFunction, scope: Scope) -> Type | None:
    """The type that the function returns; a vector is an array, and a map or set what it has at a key."""
    metadata = scope.module.metadata
    if function.keyed is not None:
        return TupleType((BOOL, *function.keyed.values)) if function.keyed.values else BOOL
    signature = metadata.signature(function.subprogram)
    several = metadata.items(signature[0]) if signature else []
    if several:  # of an outlined loop nest
        return TupleType(tuple(scalar for ref in several if (scalar := metadata.type(ref).scalar) is not None))
    type_ = metadata.result(function.subprogram)
    if function.characters & {arg.name for arg in function.args if "sret" in arg.attributes}:
        type_ = of_characters(type_)
    if type_.kind == "void":
        return None
    fields = parts_of(type_, metadata)
    arrays = [isinstance(part, TensorType) for _, part in fields]
    made = not any(arrays) or (_gives_arrays(function, arrays) and not metadata.ends_itself(type_.ref))
    if fields and made and all(part != STRING for _, part in fields):
        return TupleType(tuple(part for _, part in fields))
    if type_.kind == "vector" and type_.scalar is not None:
        return TensorType(type_.scalar, type_.rank)
    if type_.kind == "pointer" and type_.rank == 1 and type_.scalar is not None and _gives_array(function):
        return TensorType(type_.scalar)
    if type_.kind != "scalar" or type_.scalar is None:
        results = "no result, a scalar, a std::vector of numbers or of such vectors, an array that the function allocates"
        supported = f"supported are {results}, or a struct of numbers and of such arrays"
        scope.fail(f"a result of type {type_.spelling}", supported)
    return type_.scalar


def _gives_array(function: LlvmFunction) -> bool:
    """Whether what it returns is memory that it allocates."""
    return any(block.end.op == "ret" and block.end.type == "vector" for block in function.blocks)


def _gives_arrays(function: LlvmFunction, arrays: Sequence[bool]) -> bool:
    """Whether the pointers in the struct that it returns lead to memory that it allocates: behind each stands how much."""
    ends = [block.end for block in function.blocks if block.end.op == "ret"]
    return all([int(count) > 0 for count in end.detail] == list(arrays) for end in ends)


def result_layout(function: LlvmFunction, scope: Scope) -> tuple[int, ...]:
    """Where the fields of a struct begin that is returned, in bytes, and how many it has in all; empty for other results."""
    metadata = scope.module.metadata
    type_ = metadata.result(function.subprogram)
    offsets = [offset for offset, _ in parts_of(type_, metadata)] if function.keyed is None else []
    return (*offsets, int(metadata.fields(type_.ref).get("size", 0)) // 8) if offsets else ()
