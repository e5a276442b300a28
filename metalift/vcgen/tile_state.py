"""What tiles hold where a statement of a kernel stands, and bounds on the integers in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metalift.ir.expr.build import conj, equal, forall, implies, in_range, neg, plus
from metalift.ir.expr.nodes import TRUE, Apply, Cast, Const, Expr, Ite, Operator, Var, type_of
from metalift.ir.expr.types import MachineInt, ScalarType
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Allocate,
    Expand,
    Fill,
    Fused,
    Iota,
    Load,
    Loop,
    Map,
    Product,
    Reduce,
    Scan,
    Statement,
    Tile,
    When,
)
from metalift.vcgen.erasure import erased

Place = tuple[tuple[Var, Expr], ...]  # variables with their extents


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement stands: counters of the loops around with their extents, and conditions that hold there.

    `facts` are shown; they speak of [ROW, COLUMN], and are known where a formula does.
    """

    place: Place = ()
    holds: tuple[Expr, ...] = ()
    facts: tuple[Expr, ...] = ()

    def states(self, formula: Expr, *inner: tuple[Var, Expr]) -> Expr:
        """The formula wherever the statement runs, for all values of further variables."""
        place = (*self.place, *inner)
        domain = conj(*(in_range(var, extent) for var, extent in place), *self.holds, *(self.facts if inner else ()))
        used = tuple(var for var, _ in place)
        return forall(used, implies(domain, formula)) if formula != TRUE else TRUE


@dataclass
class State:
    """What tiles hold at [ROW, COLUMN]; None where they hold nothing. `summed`: tiles that a product was written to, or when.

    `magnitudes` are bounds on the integers in a tile, where they are known; `partly` says when a tile holds its value, if not
    always.
    """

    tiles: dict[str, Tile] = field(default_factory=dict)
    values: dict[str, Expr | None] = field(default_factory=dict)
    summed: dict[str, Expr] = field(default_factory=dict)
    magnitudes: dict[str, Expr] = field(default_factory=dict)
    partly: dict[str, Expr] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.tiles), dict(self.values), dict(self.summed), dict(self.magnitudes), dict(self.partly))


def coordinates(tile: Tile) -> Place:
    """The elements of a tile."""
    return ((ROW, tile.rows), (COLUMN, tile.columns))


def together(made: Expr, values: tuple[Expr, ...], operands: tuple[str | Expr, ...], state: State) -> Expr | None:
    """A bound on the magnitude of a sum or an extreme of tiles, by theirs."""
    known = [state.magnitudes.get(each) if isinstance(each, str) else None for each in operands]
    bounds = [each for each in known if each is not None]
    match made:
        case Apply(Operator.ADD | Operator.MAX | Operator.MIN as op, args) if args == values and len(bounds) == len(args) == 2:
            return plus(*bounds) if op is Operator.ADD else larger(*bounds)
        case Ite(_, then, other) if (then, other) == values[1:] and len(bounds) == 2:
            return larger(*bounds)
        case Apply(Operator.NEG, (arg,)) | Cast(arg) if (arg,) == values and len(bounds) == 1:
            return bounds[0]
        case _:
            return bounds[0] if len(bounds) == 1 and made == values[0] else None


def larger(one: Expr, two: Expr) -> Expr:
    """A bound for what has one of two bounds."""
    return one if one == two else Apply(Operator.MAX, (one, two))


def quotients(size: Expr, number: Expr, rest: Expr) -> Expr:
    """What size * number + rest is divided by size, rounded to zero and down, and what that leaves."""
    place = plus(Apply(Operator.MUL, (size, number)), rest)
    rounded = (Apply(op, (place, size)) for op in (Operator.TDIV, Operator.FDIV))
    return conj(*(equal(each, number) for each in rounded), equal(Apply(Operator.FMOD, (place, size)), rest))


def wide(value: Expr) -> Expr:
    """An integer without bound."""
    return erased(value, {})


def cases(value: Expr, known: Mapping[Expr, Expr]) -> Expr:
    """The value with choices that are decided by known conditions, or their opposites, taken."""
    if not isinstance(value, Ite):
        return value
    for cond, holds in known.items():
        if value.cond == cond:
            return cases(value.then if holds == TRUE else value.other, known)
        if value.cond == neg(cond):
            return cases(value.other if holds == TRUE else value.then, known)
    return value


def as_type(value: Expr, type_: ScalarType) -> Expr:
    """A number of a type."""
    return value if type_of(value) == type_ else Cast(value, type_)


def magnitude_of(type_: ScalarType, known: Expr | None) -> int | None:
    """The greatest magnitude of the integers in a tile: what is known, or that of a narrow type."""
    if isinstance(known, Const):
        return int(known.value)
    return max(-type_.low, type_.high) if isinstance(type_, MachineInt) and type_.bits < 32 else None


def times(left: Expr, right: Expr) -> Expr:
    """A product of reals; one is dropped."""
    if isinstance(left, Const) and left.value == 1:
        return right
    if isinstance(right, Const) and right.value == 1:
        return left
    return Apply(Operator.MUL, (left, right))


def statements_in(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements, those of loops and conditions too."""
    for statement in body:
        yield statement
        if isinstance(statement, Loop | When | Fused):
            yield from statements_in(statement.body)


def written_in(body: tuple[Statement, ...]) -> set[str]:
    """The tiles that statements write and do not make themselves."""
    made = {part.tile.name for part in statements_in(body) if isinstance(part, Allocate)}
    kinds = Load | Map | Expand | Fill | Iota | Reduce | Scan | Across | Product
    return {part.tile for part in statements_in(body) if isinstance(part, kinds)} - made
