"""The text of a kernel on tiles in Gemmini's instructions: mvin, preload, compute, mvout."""

from __future__ import annotations

from collections.abc import Iterator

from metalift.driver import CannotWrite, Kernel, Request, Written
from metalift.ir.arith.polynomial import Polynomial
from metalift.ir.expr.nodes import TRUE, Apply, Build, Const, Expr, Operator, integer, type_of
from metalift.ir.expr.types import INT32, TensorType
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import COLUMN, ROW, Allocate, Load, Loop, Map, Product, Space, Statement, Store, Tile

from .._tiles.cost import Moves, nominal, told
from .text import size
from .writer import Matrix, is_one, leaving, matrix, number, scale_text, unwrapped, written

DIM = 16
TOLD = (
    "PROVED is said of the kernel on tiles of 16 x 16 elements that this is the text of, in the model of the machine that "
    "docs/accelerators.md describes. The text is run with a C model of the instructions. It was never run on the chip, nor in "
    "its simulator, nor compiled with the vendor's header."
)
HELPERS = (
    """\
/* Addresses of the accumulator; of results that are added to what is there; of accumulators that are read as 32 bits. */
#define ACCUMULATORS (1u << 31)
#define ADDED (1u << 30)
#define FULL (1u << 29)

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}
""",
)


def write(request: Request) -> Written:
    """The file, and which assumptions it checks. Raises CannotWrite."""
    if request.kernel is None:
        raise CannotWrite("there is no kernel")
    return written(request, TOLD, list(_Writer(request, request.kernel).lines()), modelled(request, request.kernel), HELPERS)


def modelled(request: Request, kernel: Kernel) -> str:
    """What the kernel takes, by the model."""
    size, sizes = nominal(request)
    found = Moves(sizes, lambda tile, columns: 1).of(kernel.body)
    return told(
        size,
        f"{found.multiplications:,} multiplications, at least {found.passed:,} cycles, one for each row that is moved or passes "
        f"the array, {found.loads:,} blocks moved in and {found.stores:,} out, {found.read + found.written:,} bytes",
    )


class _Writer:
    """Tiles have addresses, loads the numbers of their configurations: those of the statements of one result begin anew."""

    def __init__(self, request: Request, kernel: Kernel) -> None:
        self.request = request
        self.kernel = kernel

    def lines(self) -> Iterator[str]:
        """The statements of all results; a fence ends each, so that the next one finds what it stored."""
        for number_of, statement in enumerate(self.kernel.body):
            result = _Result(self.request, number_of, statement)
            body = list(result.statement(statement))
            yield "gemmini_config_ex(WEIGHT_STATIONARY, NO_ACTIVATION, 0);"
            yield from result.configured
            yield from body
            yield "gemmini_fence();"


class _Result:
    """The statements that compute one result."""

    def __init__(self, request: Request, position: int, statement: Statement) -> None:
        called, self.window = unwrapped(request.program.writes[position])
        self.call = called
        self.configured: list[str] = []
        self.tiles: dict[str, Tile] = {}
        self.address: dict[str, str] = {}
        self.named: dict[Expr, str] = {}  # how many elements a block has
        self.loads = 0
        self.rows = 0  # of the scratchpad
        maps = {each.tile: each for each in _all(statement) if isinstance(each, Map)}
        moves = {name: each for name, each in maps.items() if each.op.endswith("move_in")}
        self.moved = {str(each.operands[0]): each for each in moves.values()}  # on the way to accumulators
        self.finished = {name: each for name, each in maps.items() if each.op.endswith("move_out")}
        for name, each in maps.items():
            if each.op.endswith("accumulate"):
                first, second = map(str, each.operands)
                self.address |= {name: "ACCUMULATORS", first: "ACCUMULATORS", second: "ACCUMULATORS | ADDED"}

    def statement(self, statement: Statement) -> Iterator[str]:
        """The lines of one."""
        match statement:
            case Allocate(tile):
                self.allocate(tile)
            case Loop(var, count, body):
                yield f"for (int64_t {var.name} = 0; {var.name} < {amount(count)}; {var.name}++) {{"
                for extent in dict.fromkeys(_extents(body)):
                    if var in free_vars(extent):
                        self.named[extent] = f"in_{var.name}"
                        yield f"    const int64_t in_{var.name} = {amount(extent)};"
                for inner in body:
                    yield from (f"    {line}" for line in self.statement(inner))
                yield "}"
            case Load():
                yield self.load(statement)
            case Product(tile, left, right, _, added):
                yield from self.product(tile, left, right, added)
            case Map():
                return  # on the way in or out
            case Store(_, index, tile):
                yield self.store(index, tile)
            case _:
                raise CannotWrite("a statement that has no instruction")

    def allocate(self, tile: Tile) -> None:
        """Its address: accumulators are those of one block, rows of the scratchpad are the next ones."""
        self.tiles[tile.name] = tile
        if tile.name in self.address or tile.name in self.moved or tile.name in self.finished:
            return
        if tile.space is Space.SUMS:
            self.address[tile.name] = "ACCUMULATORS"
        else:
            self.address[tile.name] = str(self.rows)
            self.rows += DIM

    def extent(self, tile: str) -> str:
        """Its columns and rows, in the order of instructions."""
        rows, columns = (self.named.get(each) or amount(each) for each in (self.tiles[tile].rows, self.tiles[tile].columns))
        return f"{columns}, {rows}"

    def load(self, load: Load) -> str:
        """mvin: into the scratchpad, or into accumulators."""
        view, move = load.source, self.moved.get(load.tile)
        assert isinstance(view, Build)
        if self.loads == 3:
            raise CannotWrite("more than three operands: the machine has as many configurations of loads")
        found, words = matrix(view), self.tiles[load.tile].type == INT32
        scale = "MVIN_SCALE_IDENTITY"
        if move is not None:
            n, bits = map(number, constants(move))
            scale = scale_text(n, bits, scale)
        step, shrunk = stride(found, view, "acc_t" if words else "elem_t"), "true" if move else "false"
        self.configured.append(f"gemmini_extended3_config_ld({step}, {scale}, {shrunk}, {self.loads});")
        self.loads += 1
        mvin = f"gemmini_extended_mvin{self.loads if self.loads > 1 else ''}"
        address = self.address[move.tile if move else load.tile]
        return f"{mvin}({pointer(found, view, load.index)}, {address}, {self.extent(load.tile)});"

    def product(self, tile: str, left: str, right: str, added: Expr | None) -> Iterator[str]:
        """Weights go into the array, rows of the other factor pass it."""
        flag = "" if added is None else " | ADDED" if added == TRUE else f" | ({condition(added)} ? ADDED : 0)"
        result = f"{self.address[tile]}{flag}"
        yield f"gemmini_extended_preload({self.address[right]}, {result}, {self.extent(right)}, {self.extent(tile)});"
        yield f"gemmini_extended_compute_preloaded({self.address[left]}, GARBAGE_ADDR, {self.extent(left)}, DIM, DIM);"

    def store(self, index: tuple[Expr, ...], tile: str) -> str:
        """mvout."""
        found, move = matrix(self.window), self.finished.get(tile)
        relu, scale = leaving(constants(move)) if move else ("NO_ACTIVATION", "ACC_SCALE_IDENTITY")
        self.configured.append(
            f"gemmini_extended_config_st({stride(found, self.window, 'elem_t' if move else 'acc_t')}, {relu}, {scale});"
        )
        sums = str(move.operands[0]) if move else tile
        both = index if len(index) == 2 else tuple(integer(0) if is_one(extent) else index[0] for extent in self.window.extents)
        full = "" if move else " | FULL"
        return f"gemmini_extended_mvout({pointer(found, self.window, both)}, {self.address[sums]}{full}, {self.extent(tile)});"


def constants(move: Map) -> tuple[Expr, ...]:
    """The numbers of an instruction."""
    return tuple(each for each in move.operands if not isinstance(each, str))


def _all(statement: Statement) -> Iterator[Statement]:
    yield statement
    if isinstance(statement, Loop):
        for inner in statement.body:
            yield from _all(inner)


def _extents(body: tuple[Statement, ...]) -> Iterator[Expr]:
    """The rows and columns of tiles that are made by statements."""
    for each in body:
        if isinstance(each, Allocate):
            yield from (each.tile.rows, each.tile.columns)
        elif isinstance(each, Loop):
            yield from _extents(each.body)


def stride(found: Matrix, view: Build, element: str) -> str:
    """The bytes from row to row; elements of a row lie side by side. Of one row it says nothing."""
    rows, columns = view.extents
    if not (is_one(columns) or found.column == Polynomial.constant(1)):
        raise CannotWrite(f"the elements of a row of {found.array.name} do not lie side by side")
    assert isinstance(type_of(found.array), TensorType)
    return "0" if is_one(rows) or not found.row.terms else f"({size(found.row.to_expr())}) * sizeof({element})"


def pointer(found: Matrix, view: Build, index: tuple[Expr, ...]) -> str:
    """Where the first element of a block is."""
    place = found.start
    for step, at in zip((found.row, found.column), index, strict=True):
        place = place + step * Polynomial.of(substitute(at, {ROW: integer(0), COLUMN: integer(0)}))
    return f"{found.array.name} + {size(place.to_expr())}" if place.terms else found.array.name


def amount(expr: Expr) -> str:
    """How many elements or blocks; none of them is negative."""
    match expr:
        case Apply(Operator.MIN, (left, right)):
            return f"least({size(left)}, {size(right)})"
        case Apply(Operator.FDIV, (arg, Const(by))):
            return f"({size(arg)}) / {int(by)}"
        case _:
            return size(expr)


def condition(expr: Expr) -> str:
    """A condition on a counter."""
    match expr:
        case Apply(Operator.NOT, (Apply(Operator.EQ, (left, right)),)):
            return f"{size(left)} != {size(right)}"
        case _:
            raise CannotWrite("when a product is added is no condition on a counter")
