"""A function's parameters: what debug information says of each LLVM argument."""

from __future__ import annotations

from metalift.frontend.llvm_ir import Argument, LlvmFunction
from metalift.frontend.metadata import SourceType
from metalift.frontend.scope import Opaque, Pointer, Scope, fits
from metalift.ir.fragment import Diagnostic, Param, ParamKind
from metalift.ir.nodes import Var, integer
from metalift.ir.types import INT, TensorType, TupleType, Type

SUPPORTED = (
    "supported are parameters of type bool, integers of up to 64 bits, float, double, pointers and references to them, "
    "and 1-D std::vector of them"
)


def bind_params(scope: Scope) -> tuple[Param, ...]:
    """The parameters in order; their values are entered into the scope."""
    function, metadata = scope.function, scope.module.metadata
    types = [metadata.type(ref) for ref in metadata.signature(function.subprogram)[1:]]
    args = [arg for arg in function.args if "sret" not in arg.attributes]
    if function.variadic or (metadata.signature(function.subprogram)[-1:] == ["null"] and len(types) == len(args) + 1 and args):
        scope.fail("a variable number of arguments", SUPPORTED)
    if types and len(args) == 0 and types[-1].kind == "void":
        types = types[:-1]
    if len(types) != len(args) or not all(matches(type_, arg) for type_, arg in zip(types, args, strict=True)):
        odd = next((type_ for type_ in types if type_.kind == "other"), None)
        scope.fail(f"a parameter of type {odd.spelling}" if odd else "parameters passed in parts", SUPPORTED)
    start = scope.location
    bound = []
    for number, (arg, type_) in enumerate(zip(args, types, strict=True), start=1):
        scope.location = function.arg_places.get(number, start)
        bound.append(_bind(scope, arg, type_))
    scope.location = start
    return tuple(bound)


def matches(type_: SourceType, arg: Argument) -> bool:
    """Whether the argument is passed as the source's type is where it is not split up."""
    if type_.kind == "scalar":
        return type_.scalar is None or fits(type_.scalar, arg.type)
    return arg.type == "ptr"


def _bind(scope: Scope, arg: Argument, type_: SourceType) -> Param:
    if type_.scalar is None or type_.volatile or type_.kind not in ("scalar", "pointer", "reference", "vector"):
        what = f"the parameter {arg.name[1:]} of type {type_.spelling}"
        scope.refused.append(Diagnostic(scope.location, f"{what}; {SUPPORTED}"))
        scope.values[arg.name] = Opaque(what)
        return Param(Var(arg.name[1:], INT), ParamKind.VALUE, type_.spelling)
    name = scope.name(arg.name[1:].strip('"') if not arg.name[1:].isdigit() else "unnamed", exact=True)
    spelling = type_.spelling
    if type_.kind == "scalar":
        var = Var(name, type_.scalar)
        scope.values[arg.name] = var
        return Param(var, ParamKind.VALUE, spelling)
    var = Var(name, TensorType(type_.scalar))
    kind = _kind(type_)
    if kind is ParamKind.POINTER:
        scope.values[arg.name] = Pointer(var, integer(0))
    else:
        scope.values[arg.name] = Opaque(f"the std::vector {name}, used as something else")
        scope.values[f"{arg.name}.data"] = Pointer(var, integer(0))
    return Param(var, kind, spelling, "noalias" in arg.attributes)


def _kind(type_: SourceType) -> ParamKind:
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
    if type_.kind == "vector" and type_.scalar is not None:
        return TensorType(type_.scalar)
    if type_.kind != "scalar" or type_.scalar is None:
        scope.fail(f"a result of type {type_.spelling}", "supported are no result, a scalar, or a 1-D std::vector")
    return type_.scalar
