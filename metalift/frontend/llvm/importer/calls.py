"""Calls that have a meaning of their own: LLVM's intrinsics and the C mathematics library."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

from metalift.frontend.llvm.importer.scope import Scope, Value
from metalift.frontend.llvm.read.llvm_ir import Instr, int_bits
from metalift.frontend.llvm.read.mangled import demangle
from metalift.frontend.lower import c_scalars as scalars
from metalift.frontend.lower.c_scalars import cast, represent
from metalift.ir.expr.build import conj, disj, neg
from metalift.ir.expr.nodes import TRUE, Apply, Call, Cast, Const, Expr, Operator, type_of
from metalift.ir.expr.types import DOUBLE, FLOAT, BoolType, IntType, MachineInt, RealType, ScalarType
from metalift.ir.interp.functions import EXTERNAL
from metalift.ir.program.fragment import Assume, External

UNARY_MATH = frozenset(
    "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc "
    "floor ceil trunc round rint tgamma lgamma".split()
)
BINARY_MATH = frozenset("pow atan2 hypot fmod".split())
RENAMED = {"nearbyint": "rint", "roundeven": "rint"}
ROUNDED = {"lrint": "rint", "llrint": "rint", "lround": "round", "llround": "round"}  # to an integer type
REAL_OPERATORS = {
    "fabs": Operator.ABS,
    "minnum": Operator.MIN,
    "maxnum": Operator.MAX,
    "minimum": Operator.MIN,
    "maximum": Operator.MAX,
    "minimumnum": Operator.MIN,
    "maximumnum": Operator.MAX,
    "fmin": Operator.MIN,
    "fmax": Operator.MAX,
}
OTHER_MATH = frozenset({"fma", "fdim", *RENAMED, *REAL_OPERATORS})
INTEGER_ABS = frozenset({"abs", "labs", "llabs"})
INTEGER_OPERATORS = {"smin": Operator.MIN, "umin": Operator.MIN, "smax": Operator.MAX, "umax": Operator.MAX}
IGNORED = re.compile(r"llvm\.(lifetime|dbg|invariant|experimental\.noalias|donothing|var\.annotation)")
SUPPORTED = (
    "supported are functions of the file and of those that are linked (--with FILE), and those of <math.h>, assert, std::min, "
    "std::max and std::vector"
)
NEW, DELETE = ("_Znwm", "_Znam"), ("_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm")
REFUSED = dict.fromkeys(("__cxa_allocate_exception", "__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch"), "an exception")
REFUSED |= dict.fromkeys(("malloc", "calloc", "realloc", "free", *NEW, *DELETE), "dynamic memory")
KEYWORDS = dict.fromkeys(NEW, "new") | dict.fromkeys(DELETE, "delete")
KEYWORDS |= {"__cxa_throw": "throw"}
MACROS = {  # what the C library's macros call
    "__errno_location": "errno",
}
NOT_MODELLED = {
    "threadlocal": "a thread_local variable",
    "memcpy": "a block copy (memcpy or a struct assignment)",
    "memmove": "a block copy (memmove)",
    "memset": "a block fill (memset)",
    "stacksave": "a variable-length local array",
    "va_start": "variable arguments",
    "umul": "arithmetic with an overflow flag",
    "smul": "arithmetic with an overflow flag",
    "sadd": "arithmetic with an overflow flag",
    "uadd": "arithmetic with an overflow flag",
    "is": "a question for the kind of a float (isnormal, the sign of an infinity)",
}


def call(scope: Scope, instr: Instr) -> Value | None:
    """The value of a call that is left after inlining."""
    name = instr.detail[0][1:]
    if name.startswith("llvm."):
        return _intrinsic(scope, instr, name.split(".")[1], name)
    known = external(name, scope.externals)
    if known is not None:
        return _external_call(scope, instr, known)
    found_unknown = unknown_call(instr)
    if found_unknown is not None:
        scope.fail(found_unknown, SUPPORTED)
    if instr.type in ("float", "double"):
        plain = _of_double(name, instr.type)
        found = _real_function(scope, instr, plain)
        if found is not None:
            return found
    whole = _rounded(scope, instr, _of_double(name, *instr.types[:1]))
    if whole is not None:
        return whole
    if name in INTEGER_ABS:
        type_ = MachineInt(int_bits(instr.type) or 0, True)
        return Apply(Operator.ABS, (cast(scope.integer(instr.args[0], instr.type), type_),))
    scope.fail(f"a call of {readable(name)} with arguments of other types", SUPPORTED)


def external(symbol: str, externals: Sequence[External]) -> External | None:
    """The one of the functions whose calls stay calls that has this linker name."""
    return next((each for each in externals if is_called(symbol, each.name)), None)


def is_called(symbol: str, name: str) -> bool:
    """Whether a linker name is that of a function which the source calls so.

    Members, functions of namespaces and instances of templates are other functions, even where their names are the same.
    """
    return symbol == name or re.match(rf"_ZL?{len(name)}{name}(?!I)", symbol) is not None


def _external_call(scope: Scope, instr: Instr, called: External) -> Expr:
    """A call that stays one; its arguments have the types that the driver's operator says."""
    spelled = [_llvm_type(type_) for type_ in (*called.params, called.result)]
    if [*instr.types, instr.type] != spelled:
        scope.fail(f"a call of {called.name} with arguments of other types", f"the driver's operator is {called.signature}")
    args = [scope.scalar(arg, type_) for arg, type_ in zip(instr.args, instr.types, strict=True)]
    taken = tuple(represent(arg, type_) for arg, type_ in zip(args, called.params, strict=True))
    return Call(EXTERNAL + called.name, taken, called.result)


def _llvm_type(type_: ScalarType) -> str:
    match type_:
        case BoolType():
            return "i1"
        case MachineInt(bits, _):
            return f"i{bits}"
        case RealType(bits):
            return "float" if bits == 32 else "double"
        case IntType():
            return "i64"
        case _:
            assert_never(type_)


def _of_double(name: str, type_: str = "") -> str:
    """The name of the same function of <math.h> on doubles: roundf is round."""
    return name.removesuffix("f") if type_ == "float" else name


def unknown_call(instr: Instr) -> str | None:
    """What to tell a person about a call that has no meaning here; None where it may have one."""
    callee, name = instr.detail[0], instr.detail[0][1:]
    if callee.startswith("%"):
        return "a call through a function pointer"
    if not callee.startswith("@"):
        return "inline assembly"
    if name.startswith("llvm.") or name in INTEGER_ABS:
        return None
    if _of_double(name, *instr.types[:1]) in ROUNDED:
        return None
    plain = _of_double(name, instr.type)
    if instr.type in ("float", "double") and (plain in UNARY_MATH or plain in BINARY_MATH or plain in OTHER_MATH):
        return None
    if name in REFUSED:
        return f"{REFUSED[name]} ({KEYWORDS.get(name, readable(name))})"
    return f"a call of {readable(name)}, which is not defined in this file"


def readable(symbol: str) -> str:
    """A linker name for people: that of a C++ function with the class or namespace that it is in."""
    if symbol in MACROS:
        return MACROS[symbol]
    found = demangle(symbol)
    if found is not None:
        scope = re.sub(r"<.*>", "", found.scope)
        return "::".join(filter(None, (scope, re.sub(r"^operator(?=[a-z])", "operator ", found.name))))
    return symbol


def _real_function(scope: Scope, instr: Instr, name: str) -> Expr | None:
    """A function of <math.h> on floats of one width, None if it is none."""
    name = RENAMED.get(name, name)
    arity = 1 if name in UNARY_MATH or name == "fabs" else 2
    known = name in UNARY_MATH or name in BINARY_MATH or name in REAL_OPERATORS
    if name == "powi":
        power = cast(scope.integer(instr.args[1], instr.types[1]), FLOAT if instr.type == "float" else DOUBLE)
        return Call("pow", (scope.scalar(instr.args[0], instr.type), power), type_of(power))
    if name == "fma" and len(instr.args) == 3:
        left, right, addend = (scope.scalar(arg, instr.type) for arg in instr.args)
        return Apply(Operator.ADD, (Apply(Operator.MUL, (left, right)), addend))
    if name == "fdim" and instr.types == (instr.type, instr.type):
        left, right = (scope.scalar(arg, instr.type) for arg in instr.args)
        return Apply(Operator.MAX, (Apply(Operator.SUB, (left, right)), Const(Fraction(0), type_of(left))))
    if not known or len(instr.args) != arity or any(type_ != instr.type for type_ in instr.types):
        return None
    args = tuple(scope.scalar(arg, instr.type) for arg in instr.args)
    operator = REAL_OPERATORS.get(name)
    if operator is not None:
        return Apply(operator, args)
    return Call(name, args, type_of(args[0]))


def _rounded(scope: Scope, instr: Instr, name: str) -> Expr | None:
    """A float rounded to an integer of a type, None if it is none; outside of the type it has no meaning."""
    bits = int_bits(instr.type)
    if name not in ROUNDED or bits is None or instr.types not in (("float",), ("double",)):
        return None
    argument = scope.scalar(instr.args[0], instr.types[0])
    return Cast(Call(ROUNDED[name], (argument,), type_of(argument)), MachineInt(bits, True))


def _intrinsic(scope: Scope, instr: Instr, base: str, name: str) -> Value | None:
    """The value of an LLVM intrinsic."""
    if IGNORED.match(name):
        return None
    if base == "assume":
        _assume(scope, instr)
        return None
    if base in ("expect", "annotation", "ssa", "launder", "strip"):
        return scope.value(instr.args[0], instr.types[0])
    whole = _rounded(scope, instr, base)
    if whole is not None:
        return whole
    if base == "fmuladd":
        base = "fma"
    real = instr.type in ("float", "double")
    found = _real_function(scope, instr, base) if real else _integer_function(scope, instr, base)
    if found is None:
        scope.fail(NOT_MODELLED.get(base, f"the LLVM intrinsic {name}"), SUPPORTED)
    return found


def _integer_function(scope: Scope, instr: Instr, base: str) -> Expr | None:
    """An intrinsic on integers, None if it is not modelled."""
    bits = int_bits(instr.type)
    if base == "is" and instr.types[0] in ("float", "double"):
        return _class_of_float(scope.scalar(instr.args[0], instr.types[0]), int(instr.args[1]))
    if base in INTEGER_OPERATORS and bits:
        type_ = MachineInt(bits, base[0] == "s")
        return Apply(INTEGER_OPERATORS[base], tuple(cast(scope.integer(arg, instr.type), type_) for arg in instr.args))
    if base == "abs" and bits and instr.args[1] == "true":
        return Apply(Operator.ABS, (cast(scope.integer(instr.args[0], instr.type), scalars.signed(bits)),))
    return None


def _class_of_float(value: Expr, classes: int) -> Expr | None:
    """llvm.is.fpclass: whether the value is in one of the classes, a bit for each; None where others than these are asked for."""
    of_bits = {"isnan": 3, "isinf": 516, "isfinite": 504}
    asked = [name for name, bits in of_bits.items() if classes & bits == bits]
    if sum(of_bits[name] for name in asked) != classes:
        return None
    if "isfinite" in asked:
        return conj(*(neg(scalars.question(name, value)) for name in of_bits if name not in asked and name != "isfinite"))
    return disj(*(scalars.question(name, value) for name in asked))


def _assume(scope: Scope, instr: Instr) -> None:
    cond = scope.truth(instr.args[0])
    if cond != TRUE:
        scope.statements.append(Assume(cond, "__builtin_assume", scope.location))
