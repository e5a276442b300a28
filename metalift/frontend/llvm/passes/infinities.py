"""INFINITY and -INFINITY as the value that a search for an extremum starts from.

Floats are real numbers here, so an infinity is the largest finite number in its place. That is exact where all that it is
compared with is less, and where it is in no result: both are premises. It must not be computed with: a loop that does so
while the value may still be the first one is refused, and so is a question for infinities beside it, as `best == INFINITY`.
"""

from __future__ import annotations

from dataclasses import replace

from metalift.frontend.llvm.read.llvm_ir import Instr, LlvmFunction, is_literal
from metalift.frontend.lower.c_scalars import float_literal
from metalift.frontend.lower.infinities import PREMISE, loop_of
from metalift.ir.expr.floats import LARGEST_FLOAT32
from metalift.ir.program.fragment import Diagnostic, Unsupported

FINITE = {
    ("float", "0x7FF0000000000000"): "0x47EFFFFFE0000000",
    ("float", "0xFFF0000000000000"): "0xC7EFFFFFE0000000",
    ("double", "0x7FF0000000000000"): "0x7FEFFFFFFFFFFFFF",
    ("double", "0xFFF0000000000000"): "0xFFEFFFFFFFFFFFFF",
}
OPPOSITE = {(type_, one): other for type_, one in FINITE for other_type, other in FINITE if other_type == type_ and other != one}
NAN = (3, 1020)  # the classes of llvm.is.fpclass that are NaN, and those that are not
COMPARING = ("@llvm.maxnum", "@llvm.minnum", "@llvm.maximum", "@llvm.minimum", "@fmax", "@fmin")


def bound_infinities(function: LlvmFunction) -> tuple[str, ...]:
    """Replace the infinities that loops start from, in place; what is relied on."""
    found = False
    _negate(function)
    following = {block.label: list(block.end.targets()) for block in function.blocks}
    for block in function.blocks:
        for at, instr in enumerate(block.instrs):
            finite = tuple(FINITE.get(_constant(instr.type, arg), arg) for arg in instr.args)
            if instr.op == "phi" and finite != instr.args:
                body = loop_of(block.label, following)
                if body:
                    _refuse_arithmetic(function, instr.result, body)
                    block.instrs[at] = replace(instr, args=finite)
                    found = True
    if found:
        _refuse_questions(function)
    return (PREMISE,) if found else ()


def sign_of_infinity(type_: str, token: str) -> int:
    """1 and -1 for the infinities of a type, 0 for anything else."""
    return 0 if _constant(type_, token) not in FINITE else -1 if token[2] in "fF" else 1


def _constant(type_: str, token: str) -> tuple[str, str]:
    return type_, token.upper().replace("0X", "0x")


def _is_large(type_: str, token: str) -> bool:
    """Whether it is a constant that the number in the place of an infinity is not above, as the infinity is."""
    if sign_of_infinity(type_, token):
        return True
    number = float_literal(token, 32 if type_ == "float" else 64) if is_literal(token) and type_ in ("float", "double") else None
    return number is not None and abs(number) >= LARGEST_FLOAT32


def _refuse_questions(function: LlvmFunction) -> None:
    """A finite number in the place of an infinity is none."""
    for block in function.blocks:
        for instr in block.instrs:
            compared = instr.op == "fcmp" and any(_is_large(instr.types[0], arg) for arg in instr.args)
            asked = instr.op == "call" and instr.detail[0].startswith("@llvm.is.fpclass")
            if compared or (asked and int(instr.args[1]) not in NAN):
                found = "a question for infinities where a loop starts from one; supported are finite first values beside it"
                raise Unsupported(Diagnostic(instr.location, found))


def _negate(function: LlvmFunction) -> None:
    """Infinities in place of those that are negated, as what a function of the library returned."""
    negated: dict[str, str] = {}
    for block in function.blocks:
        for instr in block.instrs:
            if instr.op == "fneg" and (instr.type, instr.args[0]) in OPPOSITE:
                negated[instr.result] = OPPOSITE[instr.type, instr.args[0]]
    if negated:
        for block in function.blocks:
            kept = (instr for instr in block.instrs if instr.result not in negated)
            block.instrs[:] = [instr.map_values(lambda value: negated.get(value, value)) for instr in kept]


def _refuse_arithmetic(function: LlvmFunction, value: str, body: set[str]) -> None:
    for block in function.blocks:
        for instr in block.instrs if block.label in body else ():
            if value in instr.args and not _compares(instr):
                found = "arithmetic on a value that is INFINITY at first"
                raise Unsupported(Diagnostic(instr.location, f"{found}; supported are comparisons, and finite first values"))


def _compares(instr: Instr) -> bool:
    """Whether an instruction compares or chooses values, and computes nothing with them."""
    return instr.op in ("fcmp", "phi", "select", "extremum") or (instr.op == "call" and instr.detail[0].startswith(COMPARING))
