"""From calls of the library to a kernel on tiles of 16 x 16: what is moved in, multiplied, accumulated and moved out.

Blocks of the result are computed one after the other: block by block along the axis that the factors share, weights are loaded
into the array and rows of the other factor pass it. The first product of a block overwrites its accumulators unless there is a
bias.
Nothing here is trusted: the kernel is proved to compute the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from metalift.driver import CannotWrite, Driver, Kernel, Request
from metalift.driver.expansion import expand
from metalift.ir.expr.build import at_most, conj, equal, forall, implies, in_range, neg, plus
from metalift.ir.expr.nodes import TRUE, Apply, Build, Call, Expr, Fold, Operator, Var, integer
from metalift.ir.expr.types import INT, INT32, MachineInt, ScalarType, TensorType
from metalift.ir.expr.walk import free_vars, substitute
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Allocate,
    Invariant,
    Load,
    Loop,
    Map,
    Output,
    Product,
    Space,
    Statement,
    Store,
    Tile,
)
from metalift.ir.program.summary import Write
from metalift.ir.text import show

from .._tiles.sizes import limited
from .operators import DIM, MACHINE
from .writer import is_one, unwrapped

TERM = 1 << 14  # a product of two 8-bit elements, at most
BIAS = 1 << 30  # an element of a bias, at most
INT8 = MachineInt(8, True)


def lower(request: Request, driver: Driver) -> Kernel:
    """The kernel of a program. Raises CannotWrite."""
    return _Tiles(request, driver).kernel()


class _Tiles:
    def __init__(self, request: Request, driver: Driver) -> None:
        self.request = request
        self.driver = driver
        self.bodies: list[list[Statement]] = [[]]
        self.taken = {param.var.name for param in request.fragment.params}
        self.ranges: dict[str, Expr] = {}
        self.count = 0

    def kernel(self) -> Kernel:
        outputs = []
        for number, write in enumerate(self.request.program.writes):
            window = write.window
            assert isinstance(window, Build)
            outputs.append(Output(write.value, window.binders, window.extents))
            self.write(number, write, outputs[-1])
        return Kernel(MACHINE, tuple(outputs), tuple(self.bodies[0]), tuple(self.ranges.items()))

    def write(self, number: int, write: Write, output: Output) -> None:
        """The loops over the blocks of what is written; a vector is a matrix of one row or column."""
        called, window = unwrapped(write)
        t, u = self.counter("t"), self.counter("u")
        (m, n), (i, j) = window.extents, window.binders
        rows, columns = block(m, t), block(n, u)
        row, column = at(m, t, ROW), at(n, u, COLUMN)
        places = dict(zip(output.places, output.extents, strict=True))
        index = tuple({i: row, j: column}[place] for place in places) if len(places) == 2 else (column if is_one(m) else row,)
        inverse: dict[Var, Expr] = {}
        for place, extent, counter, within in ((i, m, t, ROW), (j, n, u, COLUMN)):
            if not is_one(extent):
                known = output.places[0] if len(places) == 1 else place
                inverse[counter] = Apply(Operator.FDIV, (known, integer(DIM)))
                inverse[within] = Apply(Operator.FMOD, (known, integer(DIM)))
        with self.body() as inner:
            make = self.added if called.function == "resadd" else self.multiplied
            tile = make(called, rows, columns, (row, column))
            owns = at_most(integer(0), output.places[0])
            self.emit(Store(number, index, tile, tuple(inverse.items()), owns))
        statements = tuple(inner)
        for counter, extent in ((u, n), (t, m)):
            statements = statements if is_one(extent) else (Loop(counter, ceiling(extent), statements),)
        self.bodies[-1].extend(statements)

    def multiplied(self, call: Call, rows: Expr, columns: Expr, index: tuple[Expr, Expr]) -> str:
        """A block of a product: accumulators, and what is moved out of them."""
        a, b, *bias = (arg for arg in call.args if isinstance(arg, Build))
        depth = a.extents[1]
        acc = self.tile("acc", rows, columns, INT32, Space.SUMS)
        begun: Expr | None = None
        if bias:
            self.emit(Load(acc, bias[0], index, BIAS))
            begun = element(bias[0], index)
            self.bounded(bias[0])
        k = self.counter("k")
        start, size = Apply(Operator.MUL, (integer(DIM), k)), block(depth, k)
        with self.body() as inner:
            left = self.tile("a", rows, size, INT8)
            self.emit(Load(left, a, (index[0], plus(start, COLUMN))))
            right = self.tile("b", size, columns, INT8)
            self.emit(Load(right, b, (plus(start, ROW), index[1])))
            self.emit(Product(acc, left, right, by_rows=True, added=TRUE if bias else neg(equal(k, integer(0)))))
        sums = self.sums(a, b, index)
        before, whole = (with_bias(begun, Fold(extent, *parts(sums))) for extent in (start, sums.extent))
        least = BIAS if bias else 0
        bounds = tuple(plus(integer(least), Apply(Operator.MUL, (integer(TERM), extent))) for extent in (start, depth))
        self.assume(at_most(bounds[1], integer((1 << 31) - 1)))
        self.emit(Loop(k, ceiling(depth), tuple(inner), (Invariant(acc, before, whole, (bounds[0], bounds[1])),)))
        if call.function.startswith("matmul_full"):
            return acc
        out = self.tile("out", rows, columns, INT8)
        self.emit(Map(out, self.operator("move_out"), (acc, *call.args[-3:])))
        return out

    def added(self, call: Call, rows: Expr, columns: Expr, index: tuple[Expr, Expr]) -> str:
        """A block of a sum: both are moved into accumulators, the second one is added to the first."""
        moved = []
        views = [arg for arg in call.args if isinstance(arg, Build)]
        for view, numbers in zip(views, (call.args[2:4], call.args[4:6]), strict=True):
            tile = self.tile("x", rows, columns, INT8)
            self.emit(Load(tile, view, index))
            moved.append(self.tile("moved", rows, columns, INT32, Space.SUMS))
            self.emit(Map(moved[-1], self.operator("move_in"), (tile, *numbers)))
        acc = self.tile("acc", rows, columns, INT32, Space.SUMS)
        self.emit(Map(acc, self.operator("accumulate"), tuple(moved)))
        out = self.tile("out", rows, columns, INT8)
        self.emit(Map(out, self.operator("move_out"), (acc, *call.args[-3:])))
        return out

    def sums(self, a: Build, b: Build, index: tuple[Expr, Expr]) -> Fold:
        """The sum of products for an element."""
        whole = expand(Call(self.operator("matmul_full"), (a, b), TensorType(INT32, 2)), self.driver)
        assert isinstance(whole, Build)
        found = substitute(whole.body, dict(zip(whole.binders, index, strict=True)))
        if not isinstance(found, Fold):
            raise CannotWrite("a sum of products that is not one fold")
        return found

    # Names, statements, assumptions

    def operator(self, name: str) -> str:
        return next(each for each in self.driver.operators if each.rpartition(".")[2] == name)

    def emit(self, statement: Statement) -> None:
        self.bodies[-1].append(statement)

    @contextmanager
    def body(self) -> Iterator[list[Statement]]:
        self.bodies.append([])
        yield self.bodies[-1]
        self.bodies.pop()

    def name(self, stem: str) -> str:
        self.count += 1
        while f"{stem}_{self.count}" in self.taken:
            self.count += 1
        return f"{stem}_{self.count}"

    def counter(self, stem: str) -> Var:
        return Var(self.name(stem), INT)

    def tile(self, stem: str, rows: Expr, columns: Expr, type_: ScalarType, space: Space = Space.WORK) -> str:
        name = self.name(stem)
        self.emit(Allocate(Tile(name, rows, columns, type_, space)))
        return name

    def assume(self, formula: Expr) -> None:
        self.ranges[show(formula)] = formula

    def bounded(self, view: Build) -> None:
        """Elements of a bias leave room for products."""
        value = view.body
        bounds = limited(value, BIAS)
        place = [each for each in zip(view.binders, view.extents, strict=True) if each[0] in free_vars(value)]
        inside = conj(*(in_range(var, extent) for var, extent in place))
        self.assume(forall(tuple(var for var, _ in place), implies(inside, bounds)))


def parts(fold: Fold) -> tuple[Expr, Var, Var, Expr]:
    return fold.init, fold.acc, fold.index, fold.body


def with_bias(bias: Expr | None, sums: Expr) -> Expr:
    return sums if bias is None else Apply(Operator.ADD, (bias, sums))


def element(view: Build, index: tuple[Expr, Expr]) -> Expr:
    """An element of a view."""
    return substitute(view.body, dict(zip(view.binders, index, strict=True)))


def block(extent: Expr, counter: Var) -> Expr:
    """How many elements of an axis a block has."""
    if is_one(extent):
        return integer(1)
    rest = Apply(Operator.SUB, (extent, Apply(Operator.MUL, (integer(DIM), counter))))
    return Apply(Operator.MIN, (integer(DIM), rest))


def at(extent: Expr, counter: Var, within: Var) -> Expr:
    """Where an element of a block lies on its axis."""
    return integer(0) if is_one(extent) else plus(Apply(Operator.MUL, (integer(DIM), counter)), within)


def ceiling(extent: Expr) -> Expr:
    """How many blocks an axis has."""
    return Apply(Operator.FDIV, (plus(extent, integer(DIM - 1)), integer(DIM)))
