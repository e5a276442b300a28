"""Tiles as vectors: how many each has, and the intrinsics that compute one of others.

A tile of 32-bit elements is as many vectors as one of the kernel's narrowest elements has lanes for: the parts v1, v2, ... of a
struct. A tile of one column is one vector with the same element in all lanes. Truth values are words, 0 or 1.
"""

from __future__ import annotations

from metalift.driver import CannotWrite
from metalift.ir.expr.nodes import Expr, Operator, integer, type_of
from metalift.ir.expr.types import BOOL, FLOAT, Type
from metalift.ir.program.kernel import Tile

from .._tiles.values import plain
from .operators import VECTOR
from .text import base, name, number

STEMS = {"f32": "float", "i32": "int", "i16": "short", "u16": "ushort", "i8": "char", "u8": "uchar", "u32": "uint"}
TWO = {
    "add": "add", "subtract": "sub", "minimum": "min", "maximum": "max", "bitwise_and": "and", "logical_and": "and",
    "logical_or": "or", "shift_right": "shr",
}  # fmt: skip
COMPARED = {"less": "less", "less_equal": "leq", "equal": "eq", "indicate_less_equal": "leq"}
FUNCTIONS = {
    "exp": "v_exp_f32", "log": "v_log_f32", "sqrt": "v_sqrt_f32", "rsqrt": "v_rsqrt_f32", "reciprocal": "v_reciprocal_f32",
    "sin": "v_sin_f32", "cos": "v_cos_f32",
}  # fmt: skip


def lanes(kind: str) -> int:
    """How many elements a vector has."""
    return VECTOR // int(kind[1:])


class Vectors:
    """The vectors of a kernel whose tiles have so many columns at most. Statements are appended to `lines`."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.lines: list[str] = []
        self.tiles: dict[str, Tile] = {}
        self.undeclared: set[str] = set()
        self.count = 0

    def kind(self, tile: str) -> str:
        """What intrinsics call the tile's elements."""
        return base(self.tiles[tile].type)

    def is_column(self, tile: str) -> bool:
        """Whether a tile is one element for all lanes."""
        return self.tiles[tile].columns == integer(1)

    def number(self, tile: str) -> int:
        """How many vectors a tile is."""
        return 1 if self.is_column(tile) else self.columns // lanes(self.kind(tile))

    def parts(self, tile: str) -> list[str]:
        """The vectors of a tile."""
        number = self.number(tile)
        return [name(tile)] if number == 1 else [f"{name(tile)}.v{part + 1}" for part in range(number)]

    def allocate(self, tile: Tile) -> None:
        """A tile that holds nothing; it is declared where it is written first."""
        self.tiles[tile.name] = tile
        self.undeclared.add(tile.name)

    def declare(self, tile: str) -> None:
        self.undeclared.discard(tile)
        self.lines.append(f"{vector(self.kind(tile), self.number(tile))} {name(tile)};")

    def assign(self, tile: str, values: list[str]) -> None:
        """The vectors of a tile become others."""
        parts = self.parts(tile)
        if tile in self.undeclared and len(parts) == 1:
            self.undeclared.discard(tile)
            self.lines.append(f"{vector(self.kind(tile), 1)} {parts[0]} = {values[0]};")
            return
        if tile in self.undeclared:
            self.declare(tile)
        self.lines += [f"{part} = {value};" for part, value in zip(parts, values, strict=True)]

    def named(self, stem: str, type_: str, value: str = "") -> str:
        """A new vector, or several."""
        self.count += 1
        made = f"{name(stem)}_wide_{self.count}"
        self.lines.append(f"const {type_} {made} = {value};" if value else f"{type_} {made};")
        return made

    # Instructions

    def fill(self, tile: str, value: Expr) -> None:
        """A number in all lanes."""
        self.assign(tile, [spread(value, self.kind(tile))] * self.number(tile))

    def map(self, tile: str, op: str, operands: tuple[str | Expr, ...]) -> None:
        """One elementwise operator."""
        op, kind = plain(op), self.kind(tile)
        names = [each for each in operands if isinstance(each, str)]
        same = len(names) == len(operands) and all(self.is_column(each) == self.is_column(tile) for each in names)
        kinds = {self.kind(each) for each in names}
        narrow = len(kinds) == 1 and lanes(*kinds) > 64
        if op == "copy" and same and not self.is_column(tile) and (value := self.converted(names[0], kind, self.number(tile))):
            self.whole(tile, value)
        elif op in ("minimum", "maximum") and same and kinds == {kind}:
            vectors = zip(*map(self.parts, names), strict=True)
            self.assign(tile, [f"v_{kind}_{TWO[op]}_b({', '.join(each)})" for each in vectors])
        elif op == "multiply_wide" and same and narrow and kind == "i32" and not self.is_column(tile):
            self.widening(tile, names)
        elif lanes(kind) == 64:
            self.assign(tile, self.words(tile, op, operands, self.number(tile)))
        else:
            self.narrowed(tile, self.words(tile, op, operands, 1 if self.is_column(tile) else self.columns // 64))

    def converted(self, operand: str, kind: str, number: int) -> str:
        """All vectors of a tile as so many of another type, where one intrinsic does it, or else nothing."""
        own, its = vector(self.kind(operand), self.number(operand)), vector(kind, number)
        narrow = max(kind, self.kind(operand), key=lanes)
        one = {kind: number, self.kind(operand): self.number(operand)}.get(narrow) == 1 and "i32" in (kind, self.kind(operand))
        return f"convert_{own}_to_{its}({name(operand)})" if one and lanes(narrow) > 64 and "f32" not in (kind, narrow) else ""

    def whole(self, tile: str, value: str) -> None:
        """All vectors of a tile at once."""
        first = tile in self.undeclared
        self.undeclared.discard(tile)
        self.lines.append(f"{vector(self.kind(tile), self.number(tile)) + ' ' if first else ''}{name(tile)} = {value};")

    def widening(self, tile: str, operands: list[str]) -> None:
        """Products of narrow integers, which have 32 bits."""
        kind, values = self.kind(operands[0]), list[str]()
        wide = "u32" if kind[0] == "u" else "i32"
        number = lanes(kind) // 64
        for one, two in zip(*map(self.parts, operands), strict=True):
            made = self.named(tile, vector(wide, number), f"v_{kind}_mul_b({one}, {two})")
            found = [f"{made}.v{part + 1}" for part in range(number)]
            values += [f"convert_uint64_to_int64({each})" for each in found] if wide == "u32" else found
        self.assign(tile, values)

    def narrowed(self, tile: str, values: list[str]) -> None:
        """Words as narrow integers."""
        kind, made = self.kind(tile), list[str]()
        number = lanes(kind) // 64
        values = values * number if self.is_column(tile) else values
        wide = vector("i32", number)
        for start in range(0, len(values), number):
            packed = self.named(tile, wide)
            self.lines += [f"{packed}.v{part + 1} = {values[start + part]};" for part in range(number)]
            made.append(f"convert_{wide}_to_{vector(kind, 1)}({packed})")
        self.assign(tile, made)

    def operand(self, operand: str | Expr, number: int) -> tuple[str, list[str]]:
        """An operand as so many vectors of words, and whether these are f32 or i32."""
        if not isinstance(operand, str):
            kind = "f32" if type_of(operand) == FLOAT else "i32"
            return kind, [spread(operand, kind)] * number
        kind, parts = self.kind(operand), self.parts(operand)
        if lanes(kind) > 64:
            each, found = lanes(kind) // 64, list[str]()
            wide = vector("i32", each)
            for part in parts:
                made = self.named(operand, wide, f"convert_{vector(kind, 1)}_to_{wide}({part})")
                found += [f"{made}.v{place + 1}" for place in range(each)]
            kind, parts = "i32", found[:1] if self.is_column(operand) else found
        return kind, parts * number if self.is_column(operand) else parts

    def words(self, tile: str, op: str, operands: tuple[str | Expr, ...], number: int) -> list[str]:
        """The vectors of words that an operator makes."""
        wanted = "f32" if self.kind(tile) == "f32" else "i32"
        found = [self.operand(each, number) for each in operands]
        kinds, vectors = [kind for kind, _ in found], list(zip(*(parts for _, parts in found), strict=True))
        if op == "copy" and self.tiles[tile].type == BOOL and self.scalar(operands[0]) != BOOL:  # is it other than 0?
            zeros = f"v_{kinds[0]}_mov_b(0)"
            return [f"v_i32_sel_eq_{kinds[0]}_b({each}, {zeros}, v_i32_mov_b(0), v_i32_mov_b(1))" for (each,) in vectors]
        return [word(op, wanted, kinds, each) for each in vectors]

    def scalar(self, operand: str | Expr) -> Type:
        """The type of an operand's elements."""
        return self.tiles[operand].type if isinstance(operand, str) else type_of(operand)

    def reduce(self, tile: str, op: Operator, source: str, columns: str) -> None:
        """The sum or the maximum of the lanes that hold something; the others get what changes nothing."""
        kind, function = self.kind(source), "add" if op is Operator.ADD else "max"
        if kind != self.kind(tile) or lanes(kind) != 64:
            raise CannotWrite("a sum or maximum of elements that are no words")
        neutral = {"f32add": "0.0f", "i32add": "0", "f32max": "-INFINITY", "i32max": "INT32_MIN"}[kind + function]
        made = ""
        for part, one in enumerate(self.parts(source)):
            if not self.is_column(source):
                left = f"v_u32_mov_b({'' if not part else 's_i32_max(0, '}{columns}{'' if not part else f' - {64 * part})'})"
                one = f"v_{kind}_sel_less_u32_b(V_LANE_ID_32, {left}, {one}, v_{kind}_mov_b({neutral}))"
                one = f"v_{kind}_reduce_{function}({one})"
            made = f"v_{kind}_{function}_b({made}, {one})" if made else one
        self.assign(tile, [made])


def vector(kind: str, number: int) -> str:
    """The type of so many vectors."""
    return f"{STEMS[kind]}{number * lanes(kind)}"


def spread(value: Expr, kind: str) -> str:
    """A number in all lanes."""
    return f"v_{kind}_mov_b({number(value)})"


def word(op: str, kind: str, kinds: list[str], args: tuple[str, ...]) -> str:  # noqa: C901 (one case for each operator)
    """One vector of 32-bit elements, by an operator of such ones."""
    one = args[0]
    if op in ("copy", "flag"):
        if kinds[0] == "f32" and kind != "f32":
            raise CannotWrite("a conversion of floats to integers")
        return one if kinds[0] == kind else f"convert_int64_to_float64({one})"
    if op in COMPARED:
        if kinds[0] != kinds[1]:
            raise CannotWrite("a comparison of a float and an integer")
        return f"v_{kind}_sel_{COMPARED[op]}_{kinds[0]}_b({one}, {args[1]}, v_{kind}_mov_b(1), v_{kind}_mov_b(0))"
    if op == "select":
        return f"v_{kind}_sel_eq_i32_b({one}, v_i32_mov_b(0), {args[2]}, {args[1]})"
    if op == "logical_not":
        return f"v_i32_xor_b({one}, v_i32_mov_b(1))"
    if any(each != kind for each in kinds):
        raise CannotWrite(f"{op} of floats and integers")
    if op in TWO:
        return f"v_{kind}_{TWO[op]}_b({one}, {args[1]})"
    if op in ("multiply", "multiply_wide"):
        return f"v_{kind}_mul_b({one}, {args[1]})" + ("" if kind == "f32" else ".v1")
    if op == "negate":
        return f"v_f32_mul_b({one}, v_f32_mov_b(-1.0f))" if kind == "f32" else f"v_i32_sub_b(v_i32_mov_b(0), {one})"
    if op == "absolute":
        return f"v_{kind}_abs_b({one})"
    if op in FUNCTIONS:
        return f"{FUNCTIONS[op]}({one})"
    raise CannotWrite(f"no intrinsic computes {op}")
