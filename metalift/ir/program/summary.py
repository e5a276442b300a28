"""What a fragment computes: summaries of loops and of the whole, and the program in a target's operators.

Whoever proposes a summary (search, model, user), these are the forms it takes; `metalift.vcgen` turns them into obligations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from metalift.ir.expr.nodes import TRUE, Call, Expr, Ite, MakeTuple, Var
from metalift.ir.expr.walk import subexpressions


@dataclass(frozen=True, slots=True)
class LoopSummary:
    """The state at a loop's header after `index` complete iterations, for 0 <= index <= trip.

    `state` has a term for each block argument of the header and each array written in the loop. In the terms, such a name
    stands for its value (contents) at loop entry; every other name is a value that dominates the loop. `trip` speaks of the
    state at entry. Of written arrays in `unknown` nothing is said. `holds` are further formulas about `index`, in the same
    names, that hold there: what has to be known of the iterations so far where data decide how many there are.
    """

    header: str
    index: Var
    trip: Expr
    state: tuple[tuple[Var, Expr], ...]
    unknown: tuple[Var, ...] = ()
    holds: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class LoopInvariant:
    """What holds at a loop's header after `index` complete iterations, where these are not counted beforehand.

    In `holds` and `decreases` the names of block arguments and arrays stand for their values there, `entry_name` of an array for
    what it held when the function was entered; every other name is a value that dominates the loop. `decreases` is an integer
    that is at least 0 wherever the body runs, and that each run of the body makes smaller.
    """

    header: str
    index: Var
    holds: tuple[Expr, ...]
    decreases: Expr


def entry_name(array: str) -> str:
    """By which name an invariant speaks of an array's contents when the function was entered."""
    return f"{array}.old"


@dataclass(frozen=True, slots=True)
class StatedLemma:
    """A formula that is to hold for all values of `free`; it speaks of nothing else.

    It is proved by induction on `count`, one of these, or at once where that is None.
    """

    free: tuple[Var, ...]
    formula: Expr
    count: Var | None


@dataclass(frozen=True, slots=True)
class Aids:
    """What obligations are proved with, whoever gave it: `lemmas`, which are proved first, and for each goal the cases that each
    of `splits` holds and that it does not. Neither is believed, and neither changes what is claimed.
    """

    lemmas: tuple[StatedLemma, ...] = ()
    splits: tuple[Expr, ...] = ()


NO_AIDS = Aids()


@dataclass(frozen=True, slots=True)
class Binding:
    """A named intermediate of a summary: a scalar, or a new version of an array (an Update)."""

    var: Var
    value: Expr


@dataclass(frozen=True, slots=True)
class Summary:
    """A function's effect in terms of its parameters (an array parameter stands for its contents at entry).

    `bindings` are in order, each may use earlier ones. `outputs` pairs each written array parameter with its final contents,
    and the name "return" with the result. `requires` are derived side conditions (distinct written cells); `extents` gives
    the number of elements that the source reads or writes at most, along each axis, for each array parameter for which closed
    terms were found. `facts` hold in every run of the source that is defined: elements that it reads are there, divisors are
    not 0.
    """

    loops: tuple[LoopSummary | LoopInvariant, ...]
    bindings: tuple[Binding, ...]
    outputs: tuple[tuple[str, Expr], ...]
    requires: tuple[Expr, ...] = ()
    extents: tuple[tuple[str, tuple[Expr, ...]], ...] = ()
    facts: tuple[Expr, ...] = ()
    aids: Aids = NO_AIDS

    @property
    def shapes(self) -> dict[str, tuple[Expr, ...]]:
        """The extents by array, one for each axis."""
        return dict(self.extents)


@dataclass(frozen=True, slots=True)
class Let:
    """Evaluate an expression in the target and name it. A name that is also a binding of the summary means the same value."""

    var: Var
    value: Expr


@dataclass(frozen=True, slots=True)
class Write:
    """Overwrite part of an array parameter.

    `window` is a Build whose body selects from the array at affine indices: the cells that are written. `value` is a tensor
    of the same shape. `guard` speaks of the window's binders: where it does not hold, the cell is left alone.
    """

    array: Var
    window: Expr
    value: Expr
    guard: Expr = TRUE


@dataclass(frozen=True, slots=True)
class TargetProgram:
    """The summary in a target's operators.

    Expressions are trees of: operators of the driver (Call), affine or gathered views of arrays and named tensors (Build of
    Select), constants, scalar arithmetic on scalar parameters and Lets, and around numbers Ite, of which one side is computed.
    All values are computed from the arrays' contents at entry and earlier Lets; the writes happen last, in order. `requires` is
    what the target's evaluation needs beyond the source (non-negative sizes, ...). `parameters` are sizes of the target's own
    that its caller chooses, each 1 or more: what is claimed holds for all of them.

    A target with tiles adds: bodies of Builds and Folds may hold operators on scalars, which are evaluated for every index, and
    Ite, which there is a masked read: its array is read only where the condition holds, what takes its place everywhere.
    """

    lets: tuple[Let, ...]
    writes: tuple[Write, ...]
    result: Expr | None
    requires: tuple[Expr, ...] = ()
    parameters: tuple[Var, ...] = ()
    aids: Aids = NO_AIDS

    @property
    def values(self) -> list[Expr]:
        """All that it computes."""
        values = [*(let.value for let in self.lets), *(write.value for write in self.writes)]
        return values if self.result is None else [*values, self.result]

    @property
    def called(self) -> list[str]:
        """The operators that are called, each once."""
        parts = (part for value in self.values for part in subexpressions(value))
        return list(dict.fromkeys(part.function for part in parts if isinstance(part, Call)))

    def map(self, change: Callable[[Expr], Expr]) -> TargetProgram:
        """The program with each of these changed."""
        lets = tuple(replace(let, value=change(let.value)) for let in self.lets)
        writes = tuple(replace(write, value=change(write.value)) for write in self.writes)
        return replace(self, lets=lets, writes=writes, result=None if self.result is None else change(self.result))


Held: TypeAlias = tuple[tuple[Expr, bool], ...]
"""The conditions of choices, each with whether it holds."""


def sides(value: Expr, held: Held = ()) -> Iterator[tuple[Expr, Held]]:
    """What is computed for a value of a program, and on which conditions: of a choice its condition, and each of its sides."""
    match value:
        case MakeTuple(items):
            for item in items:
                yield from sides(item, held)
        case Ite(cond, then, other):
            yield from sides(cond, held)
            yield from sides(then, (*held, (cond, True)))
            yield from sides(other, (*held, (cond, False)))
        case _:
            yield value, held


@dataclass(frozen=True, slots=True)
class Stretch:
    """What runs from the start of a block until control comes to the block `stop`, or returns where that is None.

    `way` is empty, or the side of a block that branches: of a header of a loop that stays "in" or "out" of it, of another one
    "then" or "other". The summary is of `metalift.vcgen.parts.Cutter`'s fragment for it.
    """

    start: str
    way: str
    stop: str | None
    summary: Summary


@dataclass(frozen=True, slots=True)
class Choice:
    """A block that branches: where `test` holds the stages of `then` run, elsewhere those of `other`.

    Each side ends where the next stage begins, or where the stages around it end, or leaves: by a return, or for the block after
    the loop that it is in.
    """

    block: str
    test: Summary
    then: tuple[Stage, ...]
    other: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A loop that stays a loop: while `test` holds at its header, the stages of its body run, one after the other.

    Without a `test` it goes on until its body leaves it. Where the body does, it is for the block `after`, to which the stages
    of `exit` lead from the header. `holds` are formulas that hold whenever control is at the header, about its arguments, those
    of loops before and around it, and the function's scalar parameters.
    """

    header: str
    holds: tuple[Expr, ...]
    test: Summary | None
    body: tuple[Stage, ...]
    after: str | None = None
    exit: tuple[Stage, ...] = ()


Stage: TypeAlias = Stretch | Choice | Repeat


@dataclass(frozen=True, slots=True)
class StagedSummary:
    """A function's effect as stages that follow each other; `requires` and `extents` are those of the whole function."""

    stages: tuple[Stage, ...]
    requires: tuple[Expr, ...] = ()
    extents: tuple[tuple[str, tuple[Expr, ...]], ...] = ()

    @property
    def shapes(self) -> dict[str, tuple[Expr, ...]]:
        """The extents by array, one for each axis."""
        return dict(self.extents)


def loops_of(stages: tuple[Stage, ...]) -> Iterator[Repeat]:
    """The loops that stay, outer ones before those in them."""
    for stage in stages:
        if isinstance(stage, Repeat):
            yield stage
            yield from loops_of((*stage.body, *stage.exit))
        elif isinstance(stage, Choice):
            yield from loops_of((*stage.then, *stage.other))


@dataclass(frozen=True, slots=True)
class StagedProgram:
    """A program for each part of a staged summary, in the order in which `metalift.vcgen.plans.parts_of` has them."""

    programs: tuple[TargetProgram, ...]
