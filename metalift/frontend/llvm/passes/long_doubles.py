"""Long doubles that only live in registers: each stands for a real number, as every other float does.

Where one is in memory that others see, it stays what it is, and the access is refused.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from fractions import Fraction

from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction
from metalift.ir.program.fragment import Diagnostic, Unsupported

TYPES = ("x86_fp80", "fp128")  # of x86-64 and of AArch64
BIAS = 16383


def read_as_doubles(function: LlvmFunction) -> None:
    """Give them the type double, in place. Raises Unsupported for a constant that no double is near."""
    allocated = [instr for instr in function.instructions() if instr.op == "alloca" and not instr.args]
    own = {instr.result for instr in allocated if instr.detail[0] in TYPES}
    for block in function.blocks:
        block.instrs[:] = [_read(instr, own) for instr in block.instrs]


def _read(instr: Instr, own: set[str]) -> Instr:
    if instr.result in own:
        return replace(instr, detail=("double", *instr.detail[1:]))
    if not {instr.type, *instr.types}.intersection(TYPES) or (instr.op in ("load", "store") and instr.args[-1] not in own):
        return instr
    args = tuple(_literal(instr, arg) if type_ in TYPES else arg for arg, type_ in zip(instr.args, instr.types, strict=True))
    types = tuple(_double(type_) for type_ in instr.types)
    detail = (_plain(instr.detail[0]), *instr.detail[1:]) if instr.op == "call" else instr.detail
    return replace(instr, type=_double(instr.type), types=types, args=args, detail=detail)


def _double(type_: str) -> str:
    return "double" if type_ in TYPES else type_


def _plain(callee: str) -> str:
    """The function of <math.h> on doubles: sqrtl is sqrt. Intrinsics have the type behind a dot."""
    return callee if "." in callee else callee.removesuffix("l")


def _literal(instr: Instr, token: str) -> str:
    """The nearest double, as LLVM writes it."""
    if not token.startswith(("0xK", "0xL")):
        return token
    digits = token[3:]
    if token.startswith("0xK"):
        top, fraction, point = int(digits[:4], 16), int(digits[4:], 16), 63  # the bit before the point is among them
    else:
        bits = int(digits[16:] + digits[:16], 16)  # the low word stands first
        top, point = bits >> 112, 112
        fraction = bits & ((1 << point) - 1) | ((1 << point) if top & 0x7FFF else 0)
    exponent = max(top & 0x7FFF, 1) - BIAS - point
    value = Fraction(fraction) * Fraction(2) ** exponent
    try:
        number = float(-value if top >> 15 else value)
    except OverflowError as error:
        found = "a constant that no double is near; supported are long doubles that hold numbers in the range of double"
        raise Unsupported(Diagnostic(instr.location, found)) from error
    return "0x" + struct.pack(">d", number).hex().upper()
