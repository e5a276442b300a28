"""Calls that have a meaning of their own: LLVM's intrinsics and the C mathematics library."""

from __future__ import annotations

import re

from metalift.frontend import scalars
from metalift.frontend.llvm_ir import Instr, int_bits
from metalift.frontend.scalars import cast
from metalift.frontend.scope import Scope, Value
from metalift.ir.fragment import Assume
from metalift.ir.nodes import TRUE, Apply, Call, Expr, Operator, type_of
from metalift.ir.types import DOUBLE, FLOAT, MachineInt

UNARY_MATH = frozenset(
    "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt erf erfc "
    "floor ceil trunc round rint".split()
)
BINARY_MATH = frozenset("pow atan2 hypot fmod".split())
RENAMED = {"nearbyint": "rint", "roundeven": "rint"}
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
OTHER_MATH = frozenset({"fma", *RENAMED, *REAL_OPERATORS})
INTEGER_ABS = frozenset({"abs", "labs", "llabs"})
INTEGER_OPERATORS = {"smin": Operator.MIN, "umin": Operator.MIN, "smax": Operator.MAX, "umax": Operator.MAX}
IGNORED = re.compile(r"llvm\.(lifetime|dbg|invariant|experimental\.noalias|donothing|var\.annotation)")
SUPPORTED = (
    "supported are functions defined in the same file and those of <math.h>, assert, std::min, std::max and std::vector"
)
REFUSED = dict.fromkeys(("__cxa_allocate_exception", "__cxa_throw", "__cxa_rethrow", "__cxa_begin_catch"), "an exception")
REFUSED |= dict.fromkeys(("malloc", "calloc", "realloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv"), "dynamic memory")
KEYWORDS = dict.fromkeys(("_Znwm", "_Znam"), "new") | dict.fromkeys(("_ZdlPv", "_ZdaPv"), "delete")
KEYWORDS |= {"__cxa_throw": "throw"}
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
}


def call(scope: Scope, instr: Instr) -> Value | None:
    """The value of a call that is left after inlining."""
    name = instr.detail[0][1:]
    if name.startswith("llvm."):
        return _intrinsic(scope, instr, name.split(".")[1], name)
    found_unknown = unknown_call(instr)
    if found_unknown is not None:
        scope.fail(found_unknown, SUPPORTED)
    if instr.type in ("float", "double"):
        plain = name.removesuffix("f") if instr.type == "float" else name
        found = _real_function(scope, instr, plain)
        if found is not None:
            return found
    if name in INTEGER_ABS:
        type_ = MachineInt(int_bits(instr.type) or 0, True)
        return Apply(Operator.ABS, (cast(scope.integer(instr.args[0], instr.type), type_),))
    scope.fail(f"a call of {readable(name)} with arguments of other types", SUPPORTED)


def unknown_call(instr: Instr) -> str | None:
    """What to tell a person about a call that has no meaning here; None where it may have one."""
    callee, name = instr.detail[0], instr.detail[0][1:]
    if callee.startswith("%"):
        return "a call through a function pointer"
    if not callee.startswith("@"):
        return "inline assembly"
    if name.startswith("llvm.") or name in INTEGER_ABS:
        return None
    plain = name.removesuffix("f") if instr.type == "float" else name
    if instr.type in ("float", "double") and (plain in UNARY_MATH or plain in BINARY_MATH or plain in OTHER_MATH):
        return None
    if name in REFUSED:
        return f"{REFUSED[name]} ({KEYWORDS.get(name, readable(name))})"
    return f"a call of {readable(name)}, which is not defined in this file"


def readable(symbol: str) -> str:
    """A linker name for people: the last identifier of a mangled C++ name."""
    parts = re.findall(r"\d+", symbol) if symbol.startswith("_Z") else []
    at, names = 0, []
    for part in parts:
        start = symbol.find(part, at)
        length = int(part)
        names.append(symbol[start + len(part) : start + len(part) + length])
        at = start + len(part) + length
    return "::".join(name for name in names if re.fullmatch(r"[A-Za-z_]\w*", name)) or symbol


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
    if not known or len(instr.args) != arity or any(type_ != instr.type for type_ in instr.types):
        return None
    args = tuple(scope.scalar(arg, instr.type) for arg in instr.args)
    operator = REAL_OPERATORS.get(name)
    if operator is not None:
        return Apply(operator, args)
    return Call(name, args, type_of(args[0]))


def _intrinsic(scope: Scope, instr: Instr, base: str, name: str) -> Value | None:
    """The value of an LLVM intrinsic."""
    if IGNORED.match(name):
        return None
    if base == "assume":
        _assume(scope, instr)
        return None
    if base in ("expect", "annotation", "ssa", "launder", "strip"):
        return scope.value(instr.args[0], instr.types[0])
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
    if base in INTEGER_OPERATORS and bits:
        type_ = MachineInt(bits, base[0] == "s")
        return Apply(INTEGER_OPERATORS[base], tuple(cast(scope.integer(arg, instr.type), type_) for arg in instr.args))
    if base == "abs" and bits and instr.args[1] == "true":
        return Apply(Operator.ABS, (cast(scope.integer(instr.args[0], instr.type), scalars.signed(bits)),))
    return None


def _assume(scope: Scope, instr: Instr) -> None:
    cond = scope.truth(instr.args[0])
    if cond != TRUE:
        scope.statements.append(Assume(cond, "__builtin_assume", scope.location))
