"""What a kernel on tiles takes, counted statement by statement at one size of all arrays. Nothing of it is measured.

`Counts` knows loops; what a statement takes is for the drivers to say. `Traffic` is what of it is the same on every machine with
explicit memories: tiles that are moved, products, bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, Self, TypeVar

from metalift.driver import Request
from metalift.ir.expr.nodes import Expr, Length, Select, Var
from metalift.ir.expr.types import MachineInt, is_integer
from metalift.ir.expr.walk import free_vars, subexpressions
from metalift.ir.interp.evaluate import evaluate
from metalift.ir.interp.values import Value
from metalift.ir.program.kernel import Allocate, Divided, Kernel, Load, Loop, Named, Product, Statement, Store, Tile, When

WORD = 4  # bytes
LARGEST = 1 << 22  # elements of an array at the size at which kernels are compared
SIZES = (1_000_000, 1000, 100, 10)
Sizes = Mapping[str, int]


class Unknown(Exception):
    """How often something happens is not decided by sizes."""


class Additive(Protocol):
    """A cost to which others are added."""

    def more(self, other: Self, times: int) -> None:
        """The other one, so many times."""


C = TypeVar("C", bound=Additive)


class Counts(ABC, Generic[C]):
    """Counts the statements of a kernel at given sizes. Raises Unknown."""

    def __init__(self, sizes: Sizes, nothing: Callable[[], C]) -> None:
        self.env: dict[str, Value] = dict(sizes)
        self.tiles: dict[str, Tile] = {}
        self.nothing = nothing

    def value(self, expr: Expr) -> Value:
        """A size or a condition on sizes."""
        if any(var.name not in self.env for var in free_vars(expr)):
            raise Unknown
        return evaluate(expr, self.env)

    def number(self, expr: Expr) -> int:
        """A size."""
        return whole(self.value(expr))

    def of_kernel(self, kernel: Kernel) -> C:
        """All of a kernel, with the sizes that it chooses."""
        for size in kernel.sizes:
            self.env[size.var.name] = self.value(size.clamped)
        return self.of(kernel.body)

    def of(self, body: tuple[Statement, ...]) -> C:
        """Statements one after the other."""
        cost = self.nothing()
        for statement in body:
            match statement:
                case Allocate(tile):
                    self.tiles[tile.name] = tile
                case Loop(var, count, inner):
                    self.loop(var, self.number(count), inner, cost)
                case When(cond, inner):
                    if self.value(cond):
                        cost.more(self.of(inner), 1)
                case Named() | Divided():
                    pass
                case _:
                    self.add(statement, cost)
        return cost

    @abstractmethod
    def add(self, statement: Statement, cost: C) -> None:
        """Count one that is no loop."""

    def loop(self, var: Var, count: int, body: tuple[Statement, ...], cost: C) -> None:
        """All iterations are as the first one, but for the last, which may have less to do."""
        for at, times in ((0, count - 1), (count - 1, 1)):
            if count > 0 and times:
                self.env[var.name] = at
                cost.more(self.of(body), times)

    def columns(self, tile: str) -> int:
        """How many a tile has."""
        return self.number(self.tiles[tile].columns)

    def rows(self, tile: str) -> int:
        """How many a tile has."""
        return self.number(self.tiles[tile].rows)

    def bytes(self, tile: str) -> int:
        """What a tile holds; truth values are words."""
        type_ = self.tiles[tile].type
        size = type_.bits // 8 if isinstance(type_, MachineInt) else WORD
        return self.rows(tile) * self.columns(tile) * size


@dataclass
class Traffic:
    """What is moved and multiplied. `passed` are the rows that are moved or go through an array of multipliers."""

    loads: int = 0
    stores: int = 0
    read: int = 0
    written: int = 0
    multiplications: int = 0
    passed: int = 0

    def more(self, other: Traffic, times: int) -> None:
        """The other one, so many times."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + times * getattr(other, name))


class Moves(Counts[Traffic]):
    """Counts what is moved; `pieces` says in how many instructions so many columns of a tile are."""

    def __init__(self, sizes: Sizes, pieces: Callable[[Tile, int], int]) -> None:
        super().__init__(sizes, Traffic)
        self.pieces = pieces

    def add(self, statement: Statement, cost: Traffic) -> None:
        match statement:
            case Load(tile):
                cost.loads += self.pieces(self.tiles[tile], self.columns(tile))
                cost.read += self.bytes(tile)
                cost.passed += self.rows(tile)
            case Store(_, _, tile):
                cost.stores += self.pieces(self.tiles[tile], self.columns(tile))
                cost.written += self.bytes(tile)
                cost.passed += self.rows(tile)
            case Product(tile, left, right):
                cost.multiplications += self.rows(left) * self.columns(left) * self.columns(tile)
                cost.passed += self.rows(left) + self.rows(right)
            case _:
                pass


def nominal(request: Request) -> tuple[int, Sizes]:
    """The size at which kernels are compared: all numbers that are integers have it."""
    shapes = request.summary.shapes.values()
    for size in SIZES:
        sizes = all_of(request, size)
        if all(elements(shape, sizes) <= LARGEST for shape in shapes):
            break
    return size, sizes


def all_of(request: Request, size: int) -> dict[str, int]:
    """All numbers that are integers with one value."""
    return {param.var.name: size for param in request.fragment.params if is_integer(param.var.type)}


def elements(shape: tuple[Expr, ...], sizes: Sizes) -> int:
    """How many elements an array has, 0 where that depends on others."""
    total = 1
    for extent in shape:
        if any(isinstance(part, Length | Select) for part in subexpressions(extent)):
            return 0
        total *= whole(evaluate(extent, dict(sizes)))
    return total


def whole(value: Value) -> int:
    """An integer."""
    assert isinstance(value, int)
    return value


def told(size: int, text: str) -> str:
    """A cost by the model, for the head of a file."""
    return f"Modelled, not measured, where every size is {size:,}: {text}."
