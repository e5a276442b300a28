"""Which instruction does several steps at once, and what it is given.

- `activation`: function(scale * data + bias), the scale a number or a column, the bias a column; squares and copies are
  functions, and copies take no bias.
- `activation_reduce`: the same, and the sum of each row.
- `tensor_scalar`: (data op0 operand0) op1 operand1, each operand a number or a column.
- `tensor_scalar_reduce`: data op0 operand0, and the sum or the maximum of each row.
- `scalar_tensor_tensor`: (data op0 operand0) op1 a tile of the same shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from metalift.driver import CannotWrite
from metalift.ir.expr.nodes import Const, Expr, Operator, integer
from metalift.ir.expr.types import FLOAT
from metalift.ir.program.kernel import Fused, Map, Reduce, Space, Tile

ALU = {
    "add": "nl.add", "subtract": "nl.subtract", "multiply": "nl.multiply", "minimum": "nl.minimum", "maximum": "nl.maximum",
    "less": "nl.less", "less_equal": "nl.less_equal", "equal": "nl.equal", "logical_and": "nl.logical_and",
    "logical_or": "nl.logical_or", "bitwise_and": "nl.bitwise_and", "shift_right": "nl.right_shift",
    "indicate_less_equal": "nl.less_equal",
}  # fmt: skip
REVERSED = {"less": "nl.greater", "less_equal": "nl.greater_equal", "indicate_less_equal": "nl.greater_equal"}
SYMMETRIC = frozenset({"add", "multiply", "minimum", "maximum", "equal", "logical_and", "logical_or", "bitwise_and"})
FUNCTIONS = {
    "exp": "nl.exp", "sqrt": "nl.sqrt", "rsqrt": "nl.rsqrt", "log": "nl.log", "absolute": "nl.abs", "silu": "nl.silu",
}  # fmt: skip

Operand = str | Expr
Tiles = Mapping[str, Tile]


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction, the tile that it reads first, operands and operators by the names of its parameters, and its results."""

    name: str
    data: str
    given: tuple[tuple[str, Operand], ...]
    operators: tuple[tuple[str, str], ...]
    result: str
    reduced: str = ""


@dataclass(frozen=True, slots=True)
class _Scalar:
    """A step with a number or a column: data operator operand."""

    data: str
    op: str
    operand: Operand


def instruction(fused: Fused, tiles: Tiles) -> Instruction:
    """The instruction that does the steps. Raises CannotWrite where none does."""
    *steps, last = fused.body
    reduce = last if isinstance(last, Reduce) else None
    maps = [each for each in (steps if reduce is not None else fused.body) if isinstance(each, Map)]
    chained = all(one.tile in two.operands for one, two in zip(maps, maps[1:], strict=False))
    floats = all(tiles[each.tile].type == FLOAT for each in maps)
    rest = reduce is None or reduce.source == maps[-1].tile if maps else False
    wanted = 1 if reduce is None else 2
    if rest and chained and floats and fused.kept == wanted and len(maps) + (reduce is not None) == len(fused.body):
        for form in (_activation, _two, _with_tile):
            made = form(maps, reduce, tiles)
            if made is not None:
                return made
    raise CannotWrite("no instruction does these steps at once")


def plain(op: str) -> str:
    """An operator's name without its driver's."""
    return op.rpartition(".")[2]


def _column(operand: Operand, like: Tile, tiles: Tiles) -> bool:
    """Whether an operand is a column beside a wider tile, in work memory and of floats, or a number."""
    if not isinstance(operand, str):
        return True
    tile = tiles[operand]
    return tile.columns == integer(1) != like.columns and tile.space is Space.WORK and tile.type == FLOAT


def _scalar(step: Map, tiles: Tiles) -> _Scalar | None:
    """A step as one of a tile and a number or a column."""
    op, like = plain(step.op), tiles[step.tile]
    if op == "negate" and isinstance(step.operands[0], str):
        return _Scalar(step.operands[0], "nl.multiply", Const(Fraction(-1), FLOAT))
    if op not in ALU or len(step.operands) != 2:
        return None
    left, right = step.operands
    if isinstance(left, str) and not _column(left, like, tiles) and _column(right, like, tiles):
        return _Scalar(left, ALU[op], right)
    if isinstance(right, str) and not _column(right, like, tiles) and _column(left, like, tiles):
        if op in SYMMETRIC or op in REVERSED:
            return _Scalar(right, REVERSED.get(op, ALU[op]), left)
    return None


def _activation(maps: list[Map], reduce: Reduce | None, tiles: Tiles) -> Instruction | None:
    """A function of scale * data + bias, and the sum of rows."""
    if reduce is not None and reduce.op is not Operator.ADD:
        return None
    function, scaled = _function(maps)
    last = maps[-1]
    data = scaled[0].operands if scaled else last.operands
    given: list[tuple[str, Operand]] = []
    source = data[0]
    for position, step in enumerate(scaled):
        made = _scalar(step, tiles)
        if made is None or position > 1 or (position and made.data != maps[position - 1].tile):
            return None
        if made.op == "nl.multiply" and not given and position == 0:
            given.append(("scale", made.operand))
        elif made.op == "nl.add" and isinstance(made.operand, str) and function != "nl.copy":
            given.append(("bias", made.operand))
        else:
            return None
        if position == 0:
            source = made.data
    if not isinstance(source, str) or tiles[source].type != FLOAT:
        return None
    name = "activation" if reduce is None else "activation_reduce"
    operators = (("op", function),) if reduce is None else (("op", function), ("reduce_op", "nl.add"))
    return Instruction(name, source, tuple(given), operators, last.tile, "" if reduce is None else reduce.tile)


def _function(maps: list[Map]) -> tuple[str, list[Map]]:
    """The function that the last step is, or that of one scale is a copy, and the steps before it."""
    *before, last = maps
    op = plain(last.op)
    if op in FUNCTIONS:
        return FUNCTIONS[op], before
    if op == "multiply" and len(set(last.operands)) == 1:
        return "nl.square", before
    return "nl.copy", before if op == "copy" else maps


def _two(maps: list[Map], reduce: Reduce | None, tiles: Tiles) -> Instruction | None:
    """Two operators with numbers or columns, or one and a reduction."""
    steps = [_scalar(each, tiles) for each in maps]
    if len(steps) + (reduce is not None) != 2 or steps[0] is None:
        return None
    first = steps[0]
    given: tuple[tuple[str, Operand], ...] = (("operand0", first.operand),)
    if reduce is not None:
        operators = (("op0", first.op), ("reduce_op", "nl.add" if reduce.op is Operator.ADD else "nl.maximum"))
        return Instruction("tensor_scalar_reduce", first.data, given, operators, maps[0].tile, reduce.tile)
    second = steps[1]
    if second is None or second.data != maps[0].tile or second.operand == maps[0].tile:
        return None
    both = (("op0", first.op), ("op1", second.op))
    return Instruction("tensor_scalar", first.data, (*given, ("operand1", second.operand)), both, maps[1].tile)


def _with_tile(maps: list[Map], reduce: Reduce | None, tiles: Tiles) -> Instruction | None:
    """An operator with a number or a column, then one with a tile."""
    if reduce is not None or len(maps) != 2:
        return None
    first, last = _scalar(maps[0], tiles), maps[1]
    op = plain(last.op)
    if first is None or op not in ALU or len(last.operands) != 2:
        return None
    left, right = last.operands
    swapped = right == maps[0].tile
    other = left if swapped else right
    if not isinstance(other, str) or other == maps[0].tile or (swapped and op not in SYMMETRIC):
        return None
    whole = tiles[last.tile]
    shapes = {(each.rows, each.columns) for each in (tiles[other], tiles[maps[0].tile], whole)}
    if len(shapes) > 1 or Space.SUMS in (tiles[other].space, tiles[first.data].space):
        return None
    given: tuple[tuple[str, Operand], ...] = (("operand0", first.operand), ("operand1", other))
    return Instruction("scalar_tensor_tensor", first.data, given, (("op0", first.op), ("op1", ALU[op])), last.tile)
