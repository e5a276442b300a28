"""A function's parameters: what debug information says of each LLVM argument."""

from __future__ import annotations

from metalift.frontend.llvm_ir import LlvmFunction, Parameter
from metalift.frontend.metadata import SourceType
from metalift.frontend.parameters import SUPPORTED, find_parameters
from metalift.frontend.scope import POINTER_SIZE, VECTOR_SIZE, Opaque, Pointer, Scope
from metalift.ir.fragment import Diagnostic, Param, ParamKind
from metalift.ir.nodes import Var, integer
from metalift.ir.types import INT, TensorType, TupleType, Type


def bind_params(scope: Scope) -> tuple[Param, ...]:
    """The parameters in order; their values are entered into the scope."""
    function = scope.function
    start = scope.location
    if not function.parameters:
        function.parameters = find_parameters(function, scope.module.metadata, start)
    bound = []
    for parameter in function.parameters:
        scope.location = parameter.place
        bound.append(_bind(scope, parameter))
    scope.location = start
    for register, name in function.records.items():
        scope.values[register] = Opaque(f"the struct {name} as a whole", name)
    return tuple(bound)


def _bind(scope: Scope, parameter: Parameter) -> Param:
    type_, register = parameter.type, parameter.register
    if type_.scalar is None or type_.volatile or type_.kind not in ("scalar", "pointer", "reference", "array", "vector"):
        what = f"the parameter {parameter.name} of type {type_.spelling}"
        scope.refused.append(Diagnostic(scope.location, f"{what}; {SUPPORTED}"))
        scope.values[register] = Opaque(what)
        return Param(Var(parameter.name, INT), ParamKind.VALUE, type_.spelling)
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
        scope.values[f"{register}.data"] = Pointer(var, integer(0), row=VECTOR_SIZE)
    return Param(var, kind, type_.spelling, parameter.noalias, parameter.field)


def _kind(type_: SourceType) -> ParamKind:
    if type_.kind == "scalar":
        return ParamKind.VALUE
    vector = type_ if type_.kind == "vector" else type_.target if type_.kind == "reference" else None
    if vector is None or vector.kind != "vector":
        return ParamKind.POINTER
    by_reference = type_.kind == "reference" and not vector.const
    return ParamKind.VECTOR_REF if by_reference else ParamKind.VECTOR


def result_type(function: LlvmFunction, scope: Scope) -> Type | None:
    """The type that the function returns; a vector is an array."""
    metadata = scope.module.metadata
    signature = metadata.signature(function.subprogram)
    several = metadata.items(signature[0]) if signature else []
    if several:  # of an outlined loop nest
        return TupleType(tuple(scalar for ref in several if (scalar := metadata.type(ref).scalar) is not None))
    type_ = metadata.type(signature[0]) if signature else SourceType("void", "void")
    if type_.kind == "void":
        return None
    struct = _struct_result(type_, scope) if type_.kind == "struct" else None
    if struct is not None:
        return struct
    if type_.kind == "vector" and type_.scalar is not None:
        return TensorType(type_.scalar, type_.rank)
    if type_.kind != "scalar" or type_.scalar is None:
        supported = "supported are no result, a scalar, a struct of scalars, or a std::vector of numbers or of such vectors"
        scope.fail(f"a result of type {type_.spelling}", supported)
    return type_.scalar


def _struct_result(type_: SourceType, scope: Scope) -> TupleType | None:
    """The values of the fields of a struct that the function returns; None where one is no scalar."""
    items: list[Type] = []
    for member in scope.module.metadata.members(type_.ref):
        inner = _struct_result(member.type, scope) if member.type.kind == "struct" else None
        if inner is not None:
            items += inner.items
        elif member.type.kind != "scalar" or member.type.scalar is None or member.bit_field:
            return None
        else:
            items.append(member.type.scalar)
    return TupleType(tuple(items)) if items else None
