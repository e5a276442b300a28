"""What a kernel takes, by the model: cycles of each engine from `model.toml`, bytes moved. It counts what the writer writes.

Nothing was measured on the chip. Kernels of one program are compared by it, at one size of all arrays.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from metalift.driver import Kernel, Request
from metalift.ir.arith.intervals import interval
from metalift.ir.expr.nodes import Expr, Var, integer
from metalift.ir.expr.walk import substitute
from metalift.ir.program.kernel import (
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
    Space,
    Statement,
    Step,
    Store,
    When,
)

from .._tiles.cost import WORD, Counts, Sizes, nominal
from .fused import FUNCTIONS, instruction

MODEL = tomllib.loads(Path(__file__).with_name("model.toml").read_text(encoding="utf-8"))
FEWEST = int(MODEL["fewest"])
CLOSE = Fraction(1, 50)


@dataclass
class Cost:
    """What statements take."""

    cycles: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("tensor", "vector", "scalar", "gpsimd"), 0))
    bytes: int = 0
    instructions: int = 0

    def spend(self, instruction: str, columns: int) -> None:
        """One instruction on so many columns."""
        rate = MODEL["instructions"][instruction]
        self.cycles[rate["engine"]] += max(FEWEST, rate["columns"] * columns + rate.get("more", 0))
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

    @property
    def moving(self) -> int:
        """Cycles in which the bytes are moved, by the memory's bandwidth."""
        return -(-self.bytes // int(MODEL["bytes_per_cycle"]))


    def text(self) -> str:
        """For people."""
        busiest = max(self.cycles, key=lambda engine: self.cycles[engine])
        return (
            f"{self.busiest:,} cycles of the {busiest} engine, {self.bytes:,} bytes moved, {self.instructions:,} instructions"
        )


class Costs(Counts[Cost]):
    """Counts the statements of a kernel at given sizes."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes, Cost)

    def add(self, statement: Statement, cost: Cost) -> None:  # noqa: C901 (one case for each statement)
        """Count one."""
        match statement:
            case Load(name) | Store(_, _, name):
                cost.bytes += self.bytes(name)
                cost.instructions += 1
            case Map(name, op, operands):
                self.elementwise(name, op, operands, cost)
            case Expand(name, idiom, operands):
                self.idiom(name, idiom.steps, dict(zip(idiom.params, operands, strict=True)), idiom.result, cost)
            case Fused():
                made = instruction(statement, self.tiles)
                cost.spend(made.name, self.columns(made.data))
            case Fill(name):
                cost.spend("memset", self.columns(name))
            case Iota(name):
                cost.spend("iota", self.columns(name))
            case Reduce(_, _, source):
                cost.spend("tensor_reduce", self.columns(source))
            case Scan(name):
                cost.spend("tensor_tensor_scan", self.columns(name))
            case Across(_, _, source):
                cost.spend("tensor_partition_reduce", self.columns(source))
            case Product(_, stationary, moving):
                cost.spend("nc_matmul", max(min(FEWEST, self.columns(stationary)), self.columns(moving)))
            case _:
                pass

    def elementwise(self, name: str, op: str, operands: tuple[str | Expr, ...], cost: Cost) -> None:
        """The instructions of one operator."""
        op, width = op.rpartition(".")[2], self.columns(name)
        tiles = [self.columns(each) for each in operands if isinstance(each, str)]
        if op == "reciprocal":
            cost.spend("reciprocal", width)
        elif op in FUNCTIONS:
            cost.spend("activation", width)
        elif op == "select":
            cost.spend("memset", width)
            if isinstance(operands[0], str):
                cost.spend("tensor_copy_predicated", width)
        else:
            both = len(operands) == 2 and tiles == [width, width]
            cost.spend("tensor_tensor" if both else "tensor_scalar", width)

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


@dataclass(frozen=True, slots=True)
class Choice:
    """A kernel with tiles of some width, and its cost where all sizes are `size`."""

    columns: int
    kernel: Kernel
    size: int
    cost: Cost

    def text(self) -> str:
        """The width and the cost, for people."""
        return f"{self.columns} columns: {self.cost.text()}"


def cheapest(choices: list[Choice]) -> Choice:
    """The one whose busiest engine ends first; of those within CLOSE of it, the one with the fewest bytes and instructions."""
    limit = min(each.cost.busiest for each in choices) * (1 + CLOSE)
    close = (each for each in choices if each.cost.busiest <= limit)
    return min(close, key=lambda each: (each.cost.bytes, each.cost.instructions, each.columns))


def modelled(request: Request, kernel: Kernel, columns: int) -> Choice:
    """A kernel with its cost."""
    size, sizes = nominal(request)
    return Choice(columns, kernel, size, Costs(sizes).of_kernel(kernel))


def has_room(kernel: Kernel) -> bool:
    """Whether all tiles that are alive together fit in the work memory, as far as their widths are known."""
    return _most(kernel.body, 0, {size.var: integer(size.most) for size in kernel.sizes}) <= kernel.machine.work // WORD


def _most(body: tuple[Statement, ...], before: int, sizes: dict[Var, Expr]) -> int:
    """The most columns in use, where sizes are the largest."""
    most = used = before
    widths: dict[str, int] = {}
    for statement in body:
        if isinstance(statement, Allocate) and statement.tile.space is Space.WORK:
            widths[statement.tile.name] = interval(substitute(statement.tile.columns, sizes)).high or 0
            used += widths[statement.tile.name]
        elif isinstance(statement, Expand):  # its steps have tiles of their own
            steps = [each for each in statement.idiom.steps if isinstance(each, Step) and each.var != statement.idiom.result]
            used += len(steps) * widths.get(statement.tile, 0)
        elif isinstance(statement, Loop | When):
            most = max(most, _most(statement.body, used, sizes))
        most = max(most, used)
    return most
