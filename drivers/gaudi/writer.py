"""The text of a kernel in TPC-C, and of the host's part, which calls it as the source's function is called."""

from __future__ import annotations

import re

from metalift.driver import CannotWrite, Kernel, Request
from metalift.ir.expr.nodes import Apply, Const, Expr, Operator, integer
from metalift.ir.expr.types import BOOL, FLOAT, ScalarType, TensorType
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Across,
    Allocate,
    Cut,
    Divided,
    Expand,
    Fill,
    Load,
    Loop,
    Map,
    Named,
    Product,
    Reduce,
    Statement,
    Step,
    Store,
    Tile,
    When,
)

from .._tiles.c_text import heading
from .host import Host
from .tensors import Tensors, coordinates
from .text import base, name, operand, size
from .vectors import Vectors, lanes

TOLD = (
    "PROVED is said of the kernel on vectors that this is the text of, in the model of the machine that docs/accelerators.md "
    "describes. The text is run with a C model of the intrinsics. It was never run on the chip, nor in its simulator, nor "
    "compiled with the vendor's compiler."
)
WRITING = (Load, Map, Expand, Fill, Reduce, Across, Product)


class Writer:
    """Writes one kernel."""

    def __init__(self, request: Request, modelled: str = "") -> None:
        self.modelled = modelled  # what the kernel takes, in words
        if request.kernel is None:
            raise CannotWrite("there is no kernel")
        self.request = request
        self.kernel: Kernel = request.kernel
        self.vectors = Vectors(self.kernel.machine.columns)
        self.tensors = Tensors(request)
        self.sizes: dict[Expr, str] = {}
        self.places = 0

    def text(self) -> str:
        """The whole file."""
        space, body = self.members()
        self.body(body)
        lines = self.around(space, self.vectors.lines)
        used = set(re.findall(r"\w+", "\n".join(lines)))
        scalars = [param.var for param in self.request.fragment.params if not isinstance(param.var.type, TensorType)]
        scalars = [var for var in scalars if name(var.name) in used]
        outputs = [f"result_{number}" for number in range(len(self.kernel.outputs))]
        declared = [f"tensor {each}" for each in (*self.tensors.names(), *outputs)]
        declared += [f"{'float' if var.type == FLOAT else 'int'} {name(var.name)}" for var in scalars]
        host = Host(self.request, self.kernel, self.tensors, scalars)
        parts = [
            *heading(self.request, TOLD, self.modelled),
            "",
            f"void main({', '.join(declared)}) {{",
            *(f"    {line}" for line in lines),
            "}",
            "",
            *host.lines([loop.count for loop in space]),
            "",
        ]
        return "\n".join(parts)

    # The index space

    def members(self) -> tuple[list[Loop], tuple[Statement, ...]]:
        """The loops whose iterations are members of the index space, and what each does.

        Iterations without an invariant have nothing of each other, so those of a kernel that is one loop may run anywhere; so may
        those of a loop that is all of it. Where there is more than a loop, one member does everything.
        """
        space: list[Loop] = []
        body = self.kernel.body
        while len(body) == 1 and isinstance(body[0], Loop) and not body[0].invariants and len(space) < 2:
            if free_vars(body[0].count) & {loop.var for loop in space}:
                break
            space.append(body[0])
            body = body[0].body
        return space, body

    def around(self, space: list[Loop], body: list[str]) -> list[str]:
        """The loops over the part of the index space that a core was given."""
        lines = body
        for axis, loop in enumerate(reversed(space)):
            var = name(loop.var.name)
            lines = [
                f"for (int {var} = first[{axis}]; {var} < last[{axis}]; {var}++) {{",
                *(f"    {line}" for line in lines),
                "}",
            ]
        if space:
            lines = ["const int5 first = get_index_space_offset();", "const int5 last = first + get_index_space_size();", *lines]
        return lines

    # Statements

    def body(self, statements: tuple[Statement, ...]) -> None:
        """The statements of a block; the sizes of its tiles get names."""
        before = dict(self.sizes)
        for tile in (each.tile for each in statements if isinstance(each, Allocate)):
            if tile.columns not in self.sizes and not isinstance(tile.columns, Const):
                called = self.free("columns")
                self.vectors.lines.append(f"const int {called} = {size(tile.columns)};")
                self.sizes[tile.columns] = called
        for statement in statements:
            self.statement(statement)
        self.sizes = before

    def free(self, stem: str) -> str:
        """A name for a size, which neither a parameter nor another size has."""
        taken = {*self.sizes.values(), *(name(param.var.name) for param in self.request.fragment.params)}
        return next(each for each in (stem + "_here" * times for times in range(99)) if each not in taken)  # tiles have numbers

    def block(self, head: str, statements: tuple[Statement, ...]) -> None:
        """The body of a loop or a condition. What it writes and others read is declared before."""
        for written in sorted(written_in(statements) & self.vectors.undeclared):
            self.vectors.declare(written)
        outer, self.vectors.lines = self.vectors.lines, []
        self.body(statements)
        inner, self.vectors.lines = self.vectors.lines, outer
        self.vectors.lines += [head, *(f"    {line}" for line in inner), "}"]

    def statement(self, statement: Statement) -> None:  # noqa: C901 (one case for each statement)
        match statement:
            case Allocate(tile):
                self.vectors.allocate(tile)
            case Load():
                self.load(statement)
            case Store():
                self.store(statement)
            case Map(target, op, operands):
                self.vectors.map(target, op, operands)
            case Expand():
                self.expanded(statement)
            case Fill(target, value):
                self.vectors.fill(target, value)
            case Reduce(target, op, source):
                self.vectors.reduce(target, op, source, self.columns(source))
            case Named() | Divided():
                return
            case Loop(var, count, inner):
                at = name(var.name)
                self.block(f"for (int {at} = 0; {at} < {operand(count)}; {at}++) {{", inner)
            case When(cond, inner):
                self.block(f"if ({operand(cond)}) {{", inner)
            case Across() | Product():
                raise CannotWrite("an instruction on several rows")

    def columns(self, tile: str) -> str:
        """How many elements of a tile there are."""
        found = self.vectors.tiles[tile].columns
        return self.sizes[found] if found in self.sizes else size(found)

    def place(self, stem: str, index: tuple[Expr, ...], start: int) -> str:
        """A variable with coordinates; the first axis is moved on by so many elements."""
        axes = [size(substitute(each, {ROW: integer(0), COLUMN: integer(0)})) for each in index]
        self.places += 1
        called = f"at_{self.places}"
        axes[0] = f"{axes[0]} + {start}" if start else axes[0]
        self.vectors.lines.append(f"const int5 {called} = {{{', '.join([*axes, '0', '0', '0', '0'][:5])}}}; /* of {stem} */")
        return called

    def load(self, statement: Load) -> None:
        """Elements side by side, those that there are; or one, in all lanes."""
        tile = self.vectors.tiles[statement.tile]
        found, index = self.tensors.load(statement)
        kind = element_kind(tile)
        if self.vectors.is_column(tile.name):
            at = self.place(found, index, 0)
            self.vectors.assign(tile.name, [f"v_{kind}_ld_g(gen_addr({at}, {found}))"])
            return
        if not coordinates(index):
            raise CannotWrite("elements that do not lie side by side along the columns of a tile")
        columns, values = self.columns(tile.name), list[str]()
        for part in range(self.vectors.number(tile.name)):
            at = self.place(found, index, part * lanes(kind))
            some = f"{columns} > {part * lanes(kind)}" if part else "1"
            how = f"{self.last(columns, kind, part)}, 0, 0, v_{kind}_mov_b(0), {some}, 0"
            values.append(f"v_{kind}_ld_tnsr_partial_b({at}, {found}, {how})")
        self.vectors.assign(tile.name, values)

    def last(self, columns: str, kind: str, part: int) -> str:
        """Which lane of a part of a tile is the last that holds something."""
        if self.vectors.columns == lanes(kind):
            return f"{columns} - 1"
        return f"s_i32_min({columns} - {part * lanes(kind)}, {lanes(kind)}) - 1"

    def store(self, statement: Store) -> None:
        """Those elements that there are."""
        tile, index = self.vectors.tiles[statement.tile], tuple(reversed(statement.index)) or (integer(0),)
        kind, found = element_kind(tile), f"result_{statement.output}"
        one = self.vectors.is_column(tile.name)
        if not one and not coordinates(index):
            raise CannotWrite("results that do not lie side by side along the columns of a tile")
        columns = self.columns(tile.name)
        for part, value in enumerate(self.vectors.parts(tile.name)):
            at = self.place(found, index, part * lanes(kind))
            some = f"{columns} > {part * lanes(kind)}" if part else "1"
            last = "0" if one else self.last(columns, kind, part)
            self.vectors.lines.append(f"v_{kind}_st_tnsr_partial({at}, {found}, {value}, {last}, 0, 0, {some}, 0);")

    def expanded(self, statement: Expand) -> None:
        """The instructions of an idiom, each with a tile for its result."""
        target, idiom = self.vectors.tiles[statement.tile], statement.idiom
        known: dict[Expr, str | Expr] = dict(zip(idiom.params, statement.operands, strict=True))
        used: set[Expr] = {idiom.result}
        for step in reversed(idiom.steps):
            used |= set(step.args) if isinstance(step, Step) and step.var in used else set()
        for step in idiom.steps:
            if isinstance(step, Cut) or step.var not in used:
                continue
            operands = tuple(known.get(arg, arg) for arg in step.args)
            if step.op == "multiply" and not any(isinstance(each, str) for each in operands):
                known[step.var] = Apply(Operator.MUL, tuple(each for each in operands if not isinstance(each, str)))
                continue
            known[step.var] = self.step(step, statement.tile, target, step.var == idiom.result)
            self.vectors.map(str(known[step.var]), step.op, operands)

    def step(self, step: Step, tile: str, target: Tile, last: bool) -> str:
        """The tile of a step's result."""
        if last:
            return tile
        assert isinstance(step.var.type, ScalarType)
        made = f"{step.var.name}_of_{tile}"
        self.vectors.allocate(Tile(made, target.rows, target.columns, step.var.type))
        return made


def element_kind(tile: Tile) -> str:
    """What a tile's elements are called in memory."""
    if tile.type == BOOL:
        raise CannotWrite("arrays of truth values: vectors have words of them")
    return base(tile.type)


def written_in(statements: tuple[Statement, ...]) -> set[str]:
    """The tiles that statements write and do not make themselves."""
    found: set[str] = set()
    made: set[str] = set()
    for each in statements:
        if isinstance(each, Allocate):
            made.add(each.tile.name)
        elif isinstance(each, Loop | When):
            found |= written_in(each.body)
        elif isinstance(each, WRITING):
            found.add(each.tile)
    return found - made
