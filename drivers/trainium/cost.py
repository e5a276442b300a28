"""What a kernel takes, by the model: cycles of each engine from a table, bytes moved. It counts what the writer writes.

Nothing was measured on the chip. The widths of tiles are compared by it, at one size of all arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from metalift.driver import Kernel, Request
from metalift.ir.evaluate import evaluate
from metalift.ir.fragment import Fragment
from metalift.ir.intervals import interval
from metalift.ir.nodes import Expr, Length, Select, Var
from metalift.ir.tiles import (
    Across,
    Allocate,
    Expand,
    Fill,
    Load,
    Loop,
    Map,
    Named,
    Product,
    Reduce,
    Space,
    Statement,
    Step,
    Store,
    Tile,
    When,
)
from metalift.ir.types import MachineInt, is_integer
from metalift.ir.values import Value
from metalift.ir.walk import subexpressions

FEWEST = 64  # cycles of any instruction
WORD = 4  # bytes
LARGEST = 1 << 22  # elements of an array at the size at which kernels are compared
CLOSE = Fraction(1, 50)
SIZES = (1_000_000, 1000, 100, 10)
ACTIVATIONS = frozenset({"exp", "sqrt", "rsqrt", "log", "absolute"})
Sizes = Mapping[str, int]


@dataclass
class Cost:
    """What statements take."""

    cycles: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("tensor", "vector", "scalar", "gpsimd"), 0))
    bytes: int = 0
    instructions: int = 0

    def spend(self, engine: str, cycles: int) -> None:
        """One instruction."""
        self.cycles[engine] += max(FEWEST, cycles)
        self.instructions += 1

    def more(self, other: Cost, times: int) -> None:
        """The other one, so many times."""
        for engine, cycles in other.cycles.items():
            self.cycles[engine] += times * cycles
        self.bytes += times * other.bytes
        self.instructions += times * other.instructions

    @property
    def busiest(self) -> int:
        """Cycles of the engine that takes longest: they run beside each other."""
        return max(self.cycles.values())


class Costs:
    """Counts the statements of a kernel at given sizes."""

    def __init__(self, sizes: Sizes) -> None:
        self.env: dict[str, Value] = dict(sizes)
        self.tiles: dict[str, Tile] = {}

    def number(self, expr: Expr) -> int:
        """A size."""
        return whole(evaluate(expr, self.env))

    def of(self, body: tuple[Statement, ...]) -> Cost:
        """Statements one after the other."""
        cost = Cost()
        for statement in body:
            self.add(statement, cost)
        return cost

    def add(self, statement: Statement, cost: Cost) -> None:  # noqa: C901 (one case for each statement)
        """Count one."""
        match statement:
            case Allocate(tile):
                self.tiles[tile.name] = tile
            case Load(name) | Store(_, _, name):
                tile = self.tiles[name]
                size = tile.type.bits // 8 if isinstance(tile.type, MachineInt) else WORD
                cost.bytes += self.number(tile.rows) * self.columns(name) * size
                cost.instructions += 1
            case Map(name, op, operands):
                self.elementwise(name, op, operands, cost)
            case Expand(name, idiom, operands):
                self.idiom(name, idiom.steps, dict(zip(idiom.params, operands, strict=True)), idiom.result, cost)
            case Fill(name):
                cost.spend("vector", self.columns(name))
            case Reduce(_, _, source):
                cost.spend("vector", self.columns(source))
            case Across(_, _, source):
                cost.spend("gpsimd", self.columns(source))
            case Product(_, stationary, moving):
                cost.spend("tensor", WORD * max(min(FEWEST, self.columns(stationary)), self.columns(moving)))
            case Loop(var, count, inner):
                self.loop(var, self.number(count), inner, cost)
            case When(cond, inner):
                if evaluate(cond, self.env):
                    cost.more(self.of(inner), 1)
            case Named():
                pass

    def loop(self, var: Var, count: int, body: tuple[Statement, ...], cost: Cost) -> None:
        """All iterations are as the first one, but for the last, which may have less to do."""
        for at, times in ((0, count - 1), (count - 1, 1)):
            if count > 0 and times:
                self.env[var.name] = at
                cost.more(self.of(body), times)

    def columns(self, tile: str) -> int:
        return self.number(self.tiles[tile].columns)

    def elementwise(self, name: str, op: str, operands: tuple[str | Expr, ...], cost: Cost) -> None:
        """The instructions of one operator."""
        op, width = op.rpartition(".")[2], self.columns(name)
        tiles = [self.columns(each) for each in operands if isinstance(each, str)]
        if op == "reciprocal":
            cost.spend("vector", 8 * width)
        elif op in ACTIVATIONS:
            cost.spend("scalar", width)
        elif op == "select":
            cost.spend("vector", width)
            if isinstance(operands[0], str):
                cost.spend("vector", 2 * width)
        else:
            both = len(operands) == 2 and tiles == [width, width]
            cost.spend("vector", (1 + both) * width)

    def idiom(
        self, name: str, steps: tuple[object, ...], known: dict[Var, str | Expr], result: Var, cost: Cost
    ) -> None:
        """Its steps, each on tiles as large as the result."""
        values: dict[Expr, str | Expr] = {var: operand for var, operand in known.items()}
        for step in (each for each in steps if isinstance(each, Step)):
            operands = tuple(values.get(arg, arg) for arg in step.args)
            if not any(isinstance(each, str) for each in operands) and step.op == "multiply":
                continue  # of two numbers
            self.elementwise(name, step.op, operands, cost)
            values[step.var] = name


def nominal(request: Request) -> tuple[int, Sizes]:
    """The size at which kernels are compared: all numbers that are integers have it."""
    fragment: Fragment = request.fragment
    numbers = [param.var.name for param in fragment.params if is_integer(param.var.type)]
    shapes = request.summary.shapes.values()
    for size in SIZES:
        sizes = dict.fromkeys(numbers, size)
        if all(_elements(shape, sizes) <= LARGEST for shape in shapes):
            break
    return size, sizes


def _elements(shape: tuple[Expr, ...], sizes: Sizes) -> int:
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


@dataclass(frozen=True, slots=True)
class Choice:
    """A kernel with tiles of some width, and its cost where all sizes are `size`."""

    columns: int
    kernel: Kernel
    size: int
    cost: Cost

    def text(self) -> str:
        """The width and the cost, for people."""
        busiest = max(self.cost.cycles, key=lambda engine: self.cost.cycles[engine])
        return (
            f"{self.columns} columns: {self.cost.busiest:,} cycles of the {busiest} engine, {self.cost.bytes:,} bytes moved, "
            f"{self.cost.instructions:,} instructions"
        )


def cheapest(choices: list[Choice]) -> Choice:
    """The one whose busiest engine ends first; of those within CLOSE of it, the one with the fewest bytes and instructions."""
    limit = min(each.cost.busiest for each in choices) * (1 + CLOSE)
    close = (each for each in choices if each.cost.busiest <= limit)
    return min(close, key=lambda each: (each.cost.bytes, each.cost.instructions, each.columns))


def modelled(request: Request, kernel: Kernel, columns: int) -> Choice:
    """A kernel with its cost."""
    size, sizes = nominal(request)
    return Choice(columns, kernel, size, Costs(sizes).of(kernel.body))


def has_room(kernel: Kernel) -> bool:
    """Whether all tiles that are alive together fit in the work memory, as far as their widths are known."""
    return _most(kernel.body, 0) <= kernel.machine.work // WORD


def _most(body: tuple[Statement, ...], before: int) -> int:
    """The most columns in use."""
    most = used = before
    widths: dict[str, int] = {}
    for statement in body:
        if isinstance(statement, Allocate) and statement.tile.space is Space.WORK:
            widths[statement.tile.name] = interval(statement.tile.columns).high or 0
            used += widths[statement.tile.name]
        elif isinstance(statement, Expand):  # its steps have tiles of their own
            steps = [each for each in statement.idiom.steps if isinstance(each, Step) and each.var != statement.idiom.result]
            used += len(steps) * widths.get(statement.tile, 0)
        elif isinstance(statement, Loop | When):
            most = max(most, _most(statement.body, used))
        most = max(most, used)
    return most
