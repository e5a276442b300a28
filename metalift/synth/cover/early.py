"""What a program needs of sizes where the source asks for these first, and returns."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from metalift.driver import Driver
from metalift.early import possible, single_reads
from metalift.ir.build import at_most
from metalift.ir.nodes import Build, Expr, Forall, Length, Select, Var
from metalift.ir.polynomial import Polynomial
from metalift.ir.summary import TargetProgram
from metalift.ir.walk import subexpressions


def with_early_returns(program: TargetProgram, driver: Driver, vectors: Collection[Var]) -> TargetProgram:
    """The program with what it requires only where nothing is returned early.

    That views of vectors end inside of them is required, too: where the source asks for lengths, these need not be equal.
    """
    needed = dict.fromkeys((*program.requires, *_longer_views(program, vectors)))
    early = possible(program, driver)
    if early.early:
        needed.update(dict.fromkeys(each for each in single_reads(program) if early.ensures(early.unless(each))))
    return replace(program, requires=tuple(each if isinstance(each, Forall) else early.unless(each) for each in needed))


def _longer_views(program: TargetProgram, vectors: Collection[Var]) -> Iterator[Expr]:
    """That vectors are as long as others with which they are read side by side."""
    values = [let.value for let in program.lets] + ([] if program.result is None else [program.result])
    for part in (sub for value in values for sub in subexpressions(value)):
        match part:
            case Build((extent,), (binder,), Select(Var() as array, (index,))) if array in vectors and index == binder:
                size = Polynomial.of(extent)
                if extent != Length(array) and all(isinstance(atom, Length | Var) for atom in size.atoms):
                    yield at_most(extent, Length(array))
