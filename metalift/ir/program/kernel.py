"""A kernel on tiles: what a lowering makes of a program for a machine with small, explicit memories.

A tile has rows and columns; `ROW` and `COLUMN` are the coordinates in it. Main memory is what the program reads (views of its
arrays) and its outputs. What a kernel computes is for `metalift.vcgen.tile_obligations` to say; nothing here is trusted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from metalift.ir.expr.nodes import TRUE, Apply, Expr, Operator, Var, integer
from metalift.ir.expr.types import INT, ScalarType, TensorType

ROW = Var("tile.p", INT)
COLUMN = Var("tile.f", INT)


class Space(Enum):
    """The memories of the machine."""

    WORK = "sbuf"
    SUMS = "psum"  # what products of matrices are summed in


@dataclass(frozen=True, slots=True)
class Tile:
    """A piece of fast memory, in main memory's order of rows and columns."""

    name: str
    rows: Expr
    columns: Expr
    type: ScalarType
    space: Space = Space.WORK

    @property
    def var(self) -> Var:
        """The tile as a tensor."""
        return Var(self.name, TensorType(self.type, 2))


@dataclass(frozen=True, slots=True)
class Allocate:
    """Makes a tile; it holds nothing yet."""

    tile: Tile


@dataclass(frozen=True, slots=True)
class Load:
    """tile[ROW, COLUMN] = source[index]; the source is a view of an array. `bound`: of integers, the greatest magnitude."""

    tile: str
    source: Expr
    index: tuple[Expr, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Store:
    """output[index] = tile[ROW, COLUMN].

    `owns` says of an output's element, by the kernel's `places`, whether this statement writes it; `inverse` which ROW, COLUMN
    and counters of the loops around do.
    """

    output: int
    index: tuple[Expr, ...]
    tile: str
    inverse: tuple[tuple[Var, Expr], ...] = ()
    owns: Expr = TRUE


@dataclass(frozen=True, slots=True)
class Map:
    """tile[ROW, COLUMN] = op(operands); an operand is a tile of that shape or of one column, or a number."""

    tile: str
    op: str
    operands: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction of an idiom: a value, by an operator of arguments."""

    var: Var
    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """What holds between the values at this place; all that follows rests on it alone. `kept` are the values it speaks of."""

    holds: Expr
    kept: tuple[Var, ...]


@dataclass(frozen=True, slots=True)
class Idiom:
    """Instructions that compute together what an operator means, where `given` holds of its parameters."""

    op: str
    params: tuple[Var, ...]
    given: tuple[Expr, ...]
    steps: tuple[Step | Cut, ...]
    result: Var


@dataclass(frozen=True, slots=True)
class Expand:
    """As Map, by an idiom."""

    tile: str
    idiom: Idiom
    operands: tuple[str | Expr, ...]


@dataclass(frozen=True, slots=True)
class Fill:
    """Every element of the tile becomes the number."""

    tile: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Iota:
    """tile[ROW, COLUMN] = first + step * COLUMN."""

    tile: str
    first: Expr
    step: int


@dataclass(frozen=True, slots=True)
class Reduce:
    """tile[ROW, 0] = the sum or the maximum of source[ROW, :]; `bound`: of integers, the greatest magnitude in the source."""

    tile: str
    op: Operator
    source: str
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """tile[ROW, j] = factor[ROW, j] * tile[ROW, j - 1] + source[ROW, j], with initial[ROW, 0] before the first.

    `bound`: of integers, the greatest magnitude in the source; the factors are ones then.
    """

    tile: str
    factor: str
    source: str
    initial: str
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Across:
    """tile[0, COLUMN] = the sum or the maximum of source[:, COLUMN]."""

    tile: str
    op: Operator
    source: str


@dataclass(frozen=True, slots=True)
class Product:
    """tile[i, j] (+)= sum over k of stationary[k, i] * moving[k, j], or of stationary[i, k] with `by_rows`.

    It is added where `added` holds, a condition on counters. Without one the first product after the allocation overwrites.
    """

    tile: str
    stationary: str
    moving: str
    by_rows: bool = False
    added: Expr | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """The tile's one element is the value of the program's intermediate of that name."""

    tile: str
    let: Var


@dataclass(frozen=True, slots=True)
class Divided:
    """At every [ROW, COLUMN] of so many rows and columns size * number + rest is `number` sizes and a rest that is less than one.

    It is shown by itself, and its quotient and remainder are known to the statements behind it.
    """

    size: Expr
    number: Expr
    rest: Expr
    rows: Expr
    columns: Expr


@dataclass(frozen=True, slots=True)
class Invariant:
    """What a tile of before the loop holds when iteration `var` begins, and after the last one, at [ROW, COLUMN].

    A tile that holds nothing before the loop holds nothing in its first iteration. Of integers `magnitudes` are bounds on both.
    """

    tile: str
    begins: Expr
    after: Expr
    magnitudes: tuple[Expr, Expr] | None = None


@dataclass(frozen=True, slots=True)
class Loop:
    """The body for var = 0 .. count-1. Tiles of before the loop that the body writes need an invariant to be read."""

    var: Var
    count: Expr
    body: tuple[Statement, ...]
    invariants: tuple[Invariant, ...] = ()


@dataclass(frozen=True, slots=True)
class When:
    """The body where the condition on sizes holds."""

    cond: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Fused:
    """Statements, one after the other, that one instruction does. Of their results those of the last `kept` ones are written.

    The tiles of the others hold nothing behind it.
    """

    body: tuple[Statement, ...]
    kept: int

    @property
    def lost(self) -> tuple[str, ...]:
        """The tiles that are not written."""
        return tuple(each.tile for each in self.body[: -self.kept] if isinstance(each, Map | Reduce))


Statement = (
    Allocate | Load | Store | Map | Expand | Fill | Iota | Reduce | Scan | Across | Product | Named | Divided | Loop | When
    | Fused
)


@dataclass(frozen=True, slots=True)
class Machine:
    """Limits: rows of a tile, bytes of each memory for one row, and numbers up to which integers are exact.

    `bank` is how many columns a tile of sums has at most, and as much of its memory every such tile takes. `domains` are the
    least and the greatest argument of operators that the machine computes in a range only. `columns` is how many a tile of work
    memory has at most, 0 where only that memory limits them. `stores_sums`: sums are stored without a way through work memory.
    """

    rows: int
    work: int
    sums: int
    bank: int
    exact: int
    domains: tuple[tuple[str, Fraction, Fraction], ...] = ()
    columns: int = 0
    stores_sums: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """What the kernel has to compute: `value` at `places`, which run below `extents`; a number has none."""

    value: Expr
    places: tuple[Var, ...] = ()
    extents: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Size:
    """A number that is chosen for given sizes: `value`, or the nearest end where that is not from `least` to `most`.

    What is proved of a kernel is proved for all numbers from `least` to `most`, so another value needs no other proof.
    """

    var: Var
    value: Expr
    least: int
    most: int

    @property
    def clamped(self) -> Expr:
        """What it is."""
        return Apply(Operator.MAX, (integer(self.least), Apply(Operator.MIN, (integer(self.most), self.value))))


@dataclass(frozen=True, slots=True)
class Kernel:
    """A whole kernel. `ranges` are conditions on the values of arrays, in words too, under which the machine computes exactly.

    `sizes` are chosen in their order, each by the sizes of arrays and by those before it.
    """

    machine: Machine
    outputs: tuple[Output, ...]
    body: tuple[Statement, ...]
    ranges: tuple[tuple[str, Expr], ...] = ()
    sizes: tuple[Size, ...] = ()
