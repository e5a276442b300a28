"""How many elements the source gives the arrays of a function itself, where its parameters say it.

Only ever too many: where a number of bytes wraps there are fewer, and where it is negative there is no memory, as nothing has so
many bytes as the machine takes it for. An access to an element that is not there is undefined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from metalift.frontend.llvm.importer.scope import Pointer, Scope
from metalift.frontend.llvm.read.llvm_ir import Instr, int_bits
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import clamped
from metalift.ir.expr.nodes import Expr, Var
from metalift.ir.expr.types import MachineInt
from metalift.ir.program.fragment import Param

WORD = 64
NO_MEMORY = -(1 << (WORD - 1))  # numbers of bytes from here to below 0 are taken for ones that nothing has


@dataclass(frozen=True, slots=True)
class Number:
    """The exact number that a register stands for, up to multiples of the machine's range of words, and between what it lies."""

    value: Polynomial
    low: int
    high: int

    def combined(self, op: str, other: Number) -> Number:
        """Their sum, difference or product."""
        if op == "mul":
            ends = [one * two for one, two in product((self.low, self.high), (other.low, other.high))]
            return Number(self.value * other.value, min(ends), max(ends))
        if op == "sub":
            return Number(self.value - other.value, self.low - other.high, self.high - other.low)
        return Number(self.value + other.value, self.low + other.low, self.high + other.high)


def rooms_of(scope: Scope, defined: Mapping[str, Instr], params: Iterable[Param]) -> Iterator[tuple[str, Expr]]:
    """The arrays of which it is known, with their number of elements: an expression over scalar parameters."""
    reader = Reader(scope, defined, frozenset(param.var for param in params))
    for instr in defined.values():
        array = scope.values.get(instr.result)
        if instr.op == "array.new" and len(instr.detail) > 2 and isinstance(array, Pointer):
            room = reader.room(instr)
            if room is not None:
                yield array.root.name, room


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads numbers of one function as what its parameters say."""

    scope: Scope
    defined: Mapping[str, Instr]
    given: frozenset[Var]

    def room(self, instr: Instr) -> Expr | None:
        """How many elements an array gets, None where it is not known."""
        _, _, times, size, fails = instr.detail
        factors = [self.number(token, type_) for token, type_ in zip(instr.args, instr.types, strict=True)]
        found = literal(int(times))
        for factor in factors:
            if factor is None:
                return None
            found = found.combined("mul", factor)
        count, rest = found.value.divide(Polynomial.constant(int(size)))
        if rest.terms or (fails and found.low < NO_MEMORY):
            return None
        return clamped(count.to_expr()) if fails and found.low < 0 else count.to_expr()

    def number(self, token: str, llvm_type: str, signed: bool | None = None) -> Number | None:
        """The number in a register, None where it is not known. `signed`: how a narrow one is widened."""
        if not token.startswith("%"):
            return literal(int(token)) if token.lstrip("-").isdigit() else None
        value, instr, bits = self.scope.values.get(token), self.defined.get(token), int_bits(llvm_type)
        if isinstance(value, Var) and isinstance(value.type, MachineInt) and value in self.given:
            same = value.type.bits == bits and signed in (None, value.type.signed)
            return Number(Polynomial.of(value), value.type.low, value.type.high) if same else None
        if instr is None:
            return None
        if instr.op in ("sext", "zext") and signed is None:
            return self.number(instr.args[0], instr.types[0], instr.op == "sext" or "nneg" in instr.flags)
        exact = bits == WORD or (signed is True and "nsw" in instr.flags)
        if not exact or instr.op not in ("add", "sub", "mul"):
            return None
        left, right = (self.number(arg, llvm_type, signed) for arg in instr.args)
        return None if left is None or right is None else left.combined(instr.op, right)


def literal(value: int) -> Number:
    """A number of the source's text."""
    return Number(Polynomial.constant(value), value, value)
