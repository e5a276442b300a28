"""What a program needs of sizes where the source asks for these first, and returns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from metalift.driver import Driver
from metalift.driver.early_returns import possible
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.build import at_most, less
from metalift.ir.expr.nodes import Build, Expr, Forall, Length, Select, Var
from metalift.ir.expr.types import TensorType
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.program.summary import TargetProgram


def with_early_returns(program: TargetProgram, driver: Driver, vectors: Collection[Var]) -> TargetProgram:
    """The program with what it requires only where nothing is returned early.

    That views of vectors end inside of them is required, too: where the source asks for lengths, these need not be equal.
    Of what is computed on the way nothing can be required: what the program needs of it has to be proved.
    """
    computed = {let.var for let in program.lets}
    required = (*program.requires, *_longer_views(program, vectors))
    needed = dict.fromkeys(each for each in required if computed.isdisjoint(free_vars(each)))
    early = possible(program, driver)
    if early.early:
        needed.update(dict.fromkeys(each for each in _single_reads(program) if early.ensures(early.unless(each))))
    return replace(program, requires=tuple(each if isinstance(each, Forall) else early.unless(each) for each in needed))


def _longer_views(program: TargetProgram, vectors: Collection[Var]) -> Iterator[Expr]:
    """That vectors are as long as others with which they are read side by side."""
    for part in _parts(program):
        match part:
            case Build((extent,), (binder,), Select(Var() as array, (index,))) if array in vectors and index == binder:
                size = Polynomial.of(extent)
                if extent != Length(array) and all(isinstance(atom, Length | Var) for atom in size.atoms):
                    yield at_most(extent, Length(array))


def _single_reads(program: TargetProgram) -> Iterator[Expr]:
    """That single elements which a program reads, by their distance from an end, are there."""
    for part in _parts(program):
        match part:
            case Select(Var(_, TensorType()) as tensor, (index,)):
                length = Length(tensor)
                first, last = Polynomial.of(index), Polynomial.of(length) - Polynomial.of(index)
                if first.is_constant:
                    yield less(index, length)
                elif last.is_constant:
                    yield less((last - 1).to_expr(), length)


def _parts(program: TargetProgram) -> Iterator[Expr]:
    """Everything that is computed, with all that it is made of."""
    for value in (*(let.value for let in program.lets), program.result):
        if value is not None:
            yield from subexpressions(value)
