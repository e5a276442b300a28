"""Types, numbers and sizes as CUDA C spells them."""

from __future__ import annotations

import re
from fractions import Fraction

from metalift.driver import CannotWrite
from metalift.ir.expr.nodes import Apply, Cast, Const, Expr, Operator, Var
from metalift.ir.expr.types import BOOL, DOUBLE, FLOAT, INT, INT64, MachineInt, RealType, TensorType, Type, is_integer, show_type

RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false "
    "class new delete this template operator private public protected virtual friend namespace using try catch throw and or "
    "not xor asm typename main NULL blocks returned result_on_device REFUSE CHECK apart blocks_of copied dim3 blockIdx "
    "threadIdx blockDim gridDim warpSize y0 y1 yn j0 j1 jn".split()
)
SIGNS = {Operator.ADD: "+", Operator.SUB: "-", Operator.MUL: "*"}
TYPEDEFS = """\
#ifdef __CUDACC_RTC__ /* NVRTC has no headers */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
"""


def word(type_: Type) -> str:
    """A type of C's."""
    if type_ == BOOL:
        return "bool"
    if type_ in (INT, INT64):
        return "int64_t"
    if type_ in (FLOAT, DOUBLE):
        return "float" if type_ == FLOAT else "double"
    if isinstance(type_, MachineInt) and ((type_.signed and type_.bits in (8, 16, 32)) or type_.bits == 8):
        return f"{'' if type_.signed else 'u'}int{type_.bits}_t"
    raise CannotWrite(f"kernels have no numbers of type {show_type(type_)}")


def declared(type_: Type, called: str, *, constant: bool) -> str:
    """A parameter."""
    if not isinstance(type_, TensorType):
        return f"{word(type_)} {called}"
    return f"{pointer(type_, constant=constant)}{called}"


def pointer(type_: TensorType, *, constant: bool) -> str:
    """The type of an array: of two axes, an array of pointers to rows."""
    if type_.rank > 2:
        raise CannotWrite(f"an array of {type_.rank} axes; kernels take pointers to elements and to rows")
    return f"{'const ' if constant else ''}{word(type_.element)} *{'const *' if type_.rank == 2 else ''}"


def name(text: str) -> str:
    """A name that C takes, from that of a parameter or an intermediate."""
    plain = re.sub(r"\W", "_", text)
    return f"{plain}_" if plain in RESERVED or plain[:1].isdigit() else plain


def literal(const: Const) -> str:
    """A number."""
    value, type_ = const.value, const.type
    if type_ == BOOL:
        return "true" if value else "false"
    if isinstance(type_, RealType):
        number = float(Fraction(value))
        if Fraction(repr(number)) != Fraction(value):
            raise CannotWrite(f"the number {value} has no short decimal")
        text = repr(number) if any(each in repr(number) for each in ".e") else f"{number!r}.0"
        return bracketed(f"{text}f" if type_ == FLOAT else text)
    whole = int(value)
    if whole == -(1 << 63):
        return "INT64_MIN"
    if not -(1 << 63) < whole < 1 << 63:
        raise CannotWrite(f"the number {whole} has more than 64 bits")
    text = str(whole) if abs(whole) < 1 << 31 else f"{whole}ll"
    return bracketed(text)


def bracketed(text: str) -> str:
    """In parentheses where it is made of parts."""
    return text if re.fullmatch(r"[\d.]+(e-?\d+)?f?|[\w.]+(\[[^][]*\])?|[\w.]+\([^()]*\)|\([^()]*\)", text) else f"({text})"


def host(expr: Expr) -> str:
    """A size, in 64 bits, as it is computed before a launch."""
    match expr:
        case Const():
            return literal(expr)
        case Var(text, type_) if is_integer(type_) and not isinstance(type_, TensorType):
            return f"(int64_t){name(text)}"
        case Cast(Var(text, MachineInt()), _):
            return f"(int64_t){name(text)}"
        case Apply(op, args) if op in SIGNS:
            return f" {SIGNS[op]} ".join(bracketed(host(arg)) for arg in args)
        case Apply(Operator.NEG, (arg,)):
            return f"-{bracketed(host(arg))}"
        case Apply(Operator.FDIV | Operator.FMOD as op, (left, Const(by) as right)) if isinstance(by, int) and by > 0:
            return f"floor_{'quotient' if op is Operator.FDIV else 'remainder'}({host(left)}, {literal(right)})"
        case Apply(Operator.MIN | Operator.MAX as op, (left, right)):
            return f"{'least' if op is Operator.MIN else 'greatest'}_of({host(left)}, {host(right)})"
        case _:
            raise CannotWrite(f"a size that has no text: {type(expr).__name__.lower()}")
