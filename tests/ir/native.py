"""Scalar expressions as C functions, compiled and run: what the compiler says an expression means.

Each operator is written with the C operator that people use for it where there is one; an expression of type int is computed in
128 bits, in which it has to fit.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import assert_never

from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.nodes import Apply, Call, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import BoolType, FunctionType, IntType, MachineInt, RealType, TensorType, TupleType, Type
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.reals import FLOATS
from metalift.ir.interp.values import Value
from tests.support.compiled import shared_library

WORD = Interval(-(2**126), 2**126)

PRELUDE = """
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
typedef __int128 wide;
static wide floor_div(wide a, wide b) { wide q = a / b; return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q; }
static wide floor_mod(wide a, wide b) { return a - b * floor_div(a, b); }
static wide least(wide a, wide b) { return a < b ? a : b; }
static wide greatest(wide a, wide b) { return a > b ? a : b; }
static wide magnitude(wide a) { return a < 0 ? -a : a; }
static wide shift_left(wide a, wide b) { return a * ((wide)1 << b); }
static wide shift_right(wide a, wide b) { return b > 126 ? (a < 0 ? -1 : 0) : a >> b; }
"""

_C_OPERATORS = {
    Operator.ADD: "+",
    Operator.SUB: "-",
    Operator.MUL: "*",
    Operator.DIV: "/",
    Operator.TDIV: "/",
    Operator.TREM: "%",
    Operator.SHL: "<<",
    Operator.SHR: ">>",
    Operator.BITAND: "&",
    Operator.BITOR: "|",
    Operator.BITXOR: "^",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.EQ: "==",
    Operator.AND: "&&",
    Operator.OR: "||",
}
_C_FUNCTIONS = {
    Operator.FDIV: "floor_div",
    Operator.FMOD: "floor_mod",
    Operator.MIN: "least",
    Operator.MAX: "greatest",
    Operator.ABS: "magnitude",
}
_WIDE_FUNCTIONS = {**_C_FUNCTIONS, Operator.SHL: "shift_left", Operator.SHR: "shift_right"}
_REAL_FUNCTIONS = {Operator.MIN: "fmin", Operator.MAX: "fmax", Operator.ABS: "fabs"}


def expressible(expr: Expr) -> bool:
    """Whether the expression can be written in C without leaving 128 bits."""
    for part in subexpressions(expr):
        if isinstance(part, Cast) and part.type == IntType() and isinstance(type_of(part.arg), RealType):
            return False
        if type_of(part) == IntType() and not interval(part).within(WORD):
            return False
    return True


def c_type(type_: Type) -> str:
    """The C type whose values are those of the type."""
    match type_:
        case BoolType():
            return "bool"
        case IntType():
            return "wide"
        case MachineInt(bits, signed):
            return f"{'' if signed else 'u'}int{bits}_t"
        case RealType(bits):
            return "float" if bits == 32 else "double"
        case TupleType() | TensorType() | FunctionType():
            raise TypeError("only scalars are written in C here")
        case _:
            assert_never(type_)


def c_text(expr: Expr) -> str:
    """The expression in C, always in parentheses or an atom, and of the C type of its type."""
    match expr:
        case Var(name, _):
            return name
        case Const(value, type_):
            return _literal(value, type_)
        case Ite(cond, then, other):
            return f"({c_text(cond)} ? {c_text(then)} : {c_text(other)})"
        case Cast():
            return _cast(expr)
        case Call(function, args, type_):
            suffix = "f" if type_ == RealType(32) else ""
            return f"{function}{suffix}({', '.join(c_text(arg) for arg in args)})"
        case Apply():
            return _apply(expr)
        case _:
            raise TypeError(f"{type(expr).__name__} is not written in C here")


def _literal(value: bool | int | Fraction, type_: Type) -> str:
    match type_:
        case BoolType():
            return "true" if value else "false"
        case RealType(bits):
            return f"(({c_type(type_)}){float.hex(float(FLOATS.enter(Fraction(value), bits)))})"
        case _:
            number = int(value)
            magnitude = abs(number)
            text = f"((wide){magnitude >> 64}u << 64 | {magnitude & (2**64 - 1)}ull)"
            return f"(({c_type(type_)}){'-' if number < 0 else ''}{text})"


def _cast(cast: Cast) -> str:
    """C's conversion; wrapping arithmetic is what the unsigned operators of C do."""
    match cast:
        case Cast(Apply(Operator.ADD | Operator.SUB | Operator.MUL as op, (Cast(a, IntType()), Cast(b, IntType()))), target) if (
            type_of(a) == type_of(b) == target and isinstance(target, MachineInt)
        ):
            unsigned = c_type(MachineInt(max(target.bits, 32), False))
            return f"(({c_type(target)})(({unsigned}){c_text(a)} {_C_OPERATORS[op]} ({unsigned}){c_text(b)}))"
        case _:
            return f"(({c_type(cast.type)}){c_text(cast.arg)})"


def _apply(expr: Apply) -> str:
    op, texts = expr.op, [c_text(arg) for arg in expr.args]
    type_ = type_of(expr.args[0])
    if op is Operator.NOT:
        return f"(!{texts[0]})"
    if op is Operator.NEG:
        return f"(({c_type(type_)})(-{texts[0]}))"
    if isinstance(type_, RealType):
        function = _REAL_FUNCTIONS.get(op)
    else:
        function = (_WIDE_FUNCTIONS if isinstance(type_, IntType) else _C_FUNCTIONS).get(op)
    if function is not None:
        return f"(({c_type(type_)}){function}({', '.join(texts)}))"
    joined = f" {_C_OPERATORS[op]} ".join(texts)
    return f"({joined})" if isinstance(type_of(expr), BoolType) else f"(({c_type(type_)})({joined}))"


def _slot(value: Value, type_: Type) -> bytes:
    """An input in eight bytes."""
    if isinstance(type_, RealType):
        assert isinstance(value, Fraction | float)
        return struct.pack("<d", float(value))
    assert isinstance(value, int)
    return struct.pack("<q", value if value < 2**63 else value - 2**64)


def _result(raw: bytes, type_: Type) -> bool | int | float:
    """The number in sixteen bytes."""
    if isinstance(type_, RealType):
        return float(struct.unpack("<d", raw[:8])[0])
    if isinstance(type_, BoolType):
        return raw[0] != 0
    return int.from_bytes(raw, "little", signed=True)


def _function(number: int, expr: Expr) -> str:
    lines = [f"static void f{number}(const char *in, char *out) {{"]
    for place, var in enumerate(_inputs(expr)):
        holder = "double" if isinstance(var.type, RealType) else "int64_t"
        lines.append(f"  {holder} in{place}; memcpy(&in{place}, in + {8 * place}, 8);")
        lines.append(f"  {c_type(var.type)} {var.name} = ({c_type(var.type)})in{place};")
    holder = "double" if isinstance(type_of(expr), RealType) else "wide"
    lines.append(f"  {holder} result = {c_text(expr)};")
    lines.append("  memcpy(out, &result, sizeof result);\n}")
    return "\n".join(lines)


def _inputs(expr: Expr) -> list[Var]:
    return sorted(free_vars(expr), key=lambda var: var.name)


SLOTS = 64  # bytes for inputs of one run: eight variables


def c_source(exprs: Sequence[Expr]) -> str:
    """A translation unit with a function for each expression, and `run`, which calls any of them any number of times."""
    table = ", ".join(f"f{number}" for number in range(len(exprs)))
    driver = f"""
typedef void (*function)(const char *, char *);
static const function table[] = {{{table}}};
void run(long count, const int32_t *which, const char *in, char *out) {{
  for (long i = 0; i < count; i++) table[which[i]](in + i * {SLOTS}, out + i * 16);
}}
"""
    return PRELUDE + "\n".join(_function(number, expr) for number, expr in enumerate(exprs)) + driver


def few_inputs(expr: Expr) -> bool:
    """Whether its inputs fit into the slots of a run."""
    return len(free_vars(expr)) * 8 <= SLOTS


def run_natively(exprs: Sequence[Expr], runs: Sequence[tuple[int, dict[str, Value]]], folder: Path) -> list[bool | int | float]:
    """Compiles the expressions; gives the value of each run: an expression by number, and inputs where it is defined."""
    source = folder / "expressions.c"
    source.write_text(c_source(exprs))
    loaded = shared_library(source, folder, "-O2", "-std=c17")
    inputs = bytearray(len(runs) * SLOTS)
    for place, (number, env) in enumerate(runs):
        for slot, var in enumerate(_inputs(exprs[number])):
            start = place * SLOTS + 8 * slot
            inputs[start : start + 8] = _slot(env[var.name], var.type)
    which = (ctypes.c_int32 * len(runs))(*(number for number, _ in runs))
    out = ctypes.create_string_buffer(16 * len(runs))
    loaded.run(ctypes.c_long(len(runs)), which, (ctypes.c_char * len(inputs)).from_buffer(inputs), out)
    return [_result(out.raw[16 * i : 16 * i + 16], type_of(exprs[number])) for i, (number, _) in enumerate(runs)]
