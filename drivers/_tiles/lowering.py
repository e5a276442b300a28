"""From a program on tensors of any size to a kernel on tiles: what machines with tiles have in common.

A matrix is taken as blocks, sums and maxima over rows go block by block. A machine says how large a block is, how a row is spread
over others, and how it goes about a vector.
Nothing here is trusted: the kernel is proved to compute the program.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from metalift.driver import CannotWrite, Driver, Kernel, Request
from metalift.expansion import expand
from metalift.ir.build import at_most, conj, forall, implies, in_range, plus
from metalift.ir.intervals import Interval, interval
from metalift.ir.nodes import (
    Apply,
    Build,
    Call,
    Cast,
    Const,
    Expr,
    Fold,
    Ite,
    MakeTuple,
    Operator,
    Select,
    Var,
    integer,
    type_of,
)
from metalift.ir.summary import Write
from metalift.ir.text import show
from metalift.ir.tiles import (
    COLUMN,
    ROW,
    Allocate,
    Expand,
    Fill,
    Idiom,
    Invariant,
    Load,
    Loop,
    Machine,
    Map,
    Named,
    Output,
    Reduce,
    Space,
    Statement,
    Store,
    Tile,
)
from metalift.ir.types import BOOL, FLOAT, INT, INT32, MachineInt, ScalarType, TensorType, is_integer
from metalift.ir.walk import free_vars, subexpressions, substitute

from .idioms import BITS, DIVIDEND, by_constant, long_division
from .sizes import (
    ONE,
    array_of,
    bounds,
    ceiling,
    div,
    mod,
    natural,
    number_type,
    single,
    sub,
    times,
    type_scalar,
)

OF_ROWS = {"total_rows": Operator.ADD, "integer_total_rows": Operator.ADD, "greatest_rows": Operator.MAX}
ARITHMETIC = frozenset({Operator.ADD, Operator.SUB, Operator.MUL, Operator.NEG, Operator.ABS, Operator.SHL})
REDUCTIONS = frozenset({"total", "integer_total", "greatest", "matmul", "total_windows", *OF_ROWS})
LARGE = 1 << 16  # a bound on integers that are added up which says something
TERM = 1 << 12  # the magnitude of integers of which nothing is known that are added up
CHOOSING = frozenset({"minimum", "maximum", "select", "copy", "flag"})  # the result is as large as an operand


@dataclass(frozen=True, slots=True)
class Site:
    """Where elements are computed: a tile's shape, and which element of the tensors there stands at [ROW, COLUMN].

    `places` are the axes of these tensors, by names and extents, for what is said of their elements.
    """

    rows: Expr
    columns: Expr
    index: tuple[Expr, ...]
    places: tuple[tuple[Var, Expr], ...]


@dataclass
class _Block:
    """Statements being made, and the tiles of values that are known there."""

    body: list[Statement] = field(default_factory=list)
    known: dict[tuple[Expr, Site], str] = field(default_factory=dict)


class Lowering(ABC):
    """Lowers one program; `columns` is how wide tiles are."""

    def __init__(self, request: Request, driver: Driver, machine: Machine, columns: int) -> None:
        self.request = request
        self.driver = driver
        self.machine = machine
        self.limits = Interval(max(-machine.exact, INT32.low), min(machine.exact, INT32.high))
        self.columns = columns
        self.lets = {let.var: let.value for let in request.program.lets}
        self.arrays = {param.var for param in request.fragment.params if isinstance(param.var.type, TensorType)}
        self.runtime: dict[Var, str] = {}
        self.named: dict[Var, Expr] = {}  # what these are, in terms of the source's parameters
        self.tensors: dict[Var, Expr] = {}
        self.blocks = [_Block()]
        self.count = 0
        self.ranges: dict[str, Expr] = {}

    def kernel(self) -> Kernel:
        """The kernel. Raises CannotWrite."""
        for let in self.request.program.lets:
            self.let(let.var, let.value)
        outputs: list[Output] = []
        for write in self.request.program.writes:
            outputs.append(self.output(write))
            self.write(len(outputs) - 1, outputs[-1])
        result = self.request.program.result
        if isinstance(result, MakeTuple):
            raise CannotWrite("a kernel with several results that are numbers")
        if result is not None:
            outputs.append(Output(result))
            site = Site(ONE, ONE, (), ())
            tile = self.as_tile(self.value(result, site), type_scalar(result), site)
            self.emit(Store(len(outputs) - 1, (), tile))
        return Kernel(self.machine, tuple(outputs), tuple(self.blocks[0].body), tuple(self.ranges.items()))

    def output(self, write: Write) -> Output:
        """What becomes of an array."""
        window = write.window
        if not isinstance(window, Build):
            raise CannotWrite("a window that is no view")
        if len(window.extents) > 2:
            raise CannotWrite("arrays of more than two axes")
        extents = tuple(natural(expand(extent, self.driver)) for extent in window.extents)
        return Output(write.value, window.binders, extents)

    # Statements

    def emit(self, statement: Statement) -> None:
        self.blocks[-1].body.append(statement)

    @contextmanager
    def block(self) -> Iterator[_Block]:
        """Statements of a loop or a condition."""
        made = _Block()
        self.blocks.append(made)
        try:
            yield made
        finally:
            self.blocks.pop()

    def fresh(self, stem: str, rows: Expr, columns: Expr, type_: ScalarType, space: Space = Space.WORK) -> str:
        """A new tile."""
        single(type_)
        name = self.named_after(stem)
        self.emit(Allocate(Tile(name, rows, columns, type_, space)))
        return name

    def counter(self, stem: str) -> Var:
        return Var(self.named_after(stem), INT)

    def named_after(self, stem: str) -> str:
        """A name that nothing has."""
        taken = {param.var.name for param in self.request.fragment.params}
        self.count += 1
        while f"{stem}_{self.count}" in taken:
            self.count += 1
        return f"{stem}_{self.count}"

    # Intermediates

    def let(self, var: Var, value: Expr) -> None:
        """A number that depends on arrays is computed once, tensors where they are used, other numbers outside of the kernel."""
        if isinstance(var.type, TensorType):
            self.tensors[var] = substitute(value, self.tensors)
        elif self.on_host(value):
            self.tensors[var] = substitute(value, self.tensors)
        else:
            site = Site(ONE, ONE, (), ())
            name = self.as_tile(self.value(substitute(value, self.tensors), site), type_scalar(value), site)
            self.emit(Named(name, var))
            self.runtime[var] = name
            self.named[var] = substitute(expand(substitute(value, self.tensors), self.driver), self.named)

    def on_host(self, value: Expr) -> bool:
        """Whether a number depends on parameters that are numbers only."""
        if isinstance(type_of(value), TensorType):
            return False
        value = substitute(value, self.tensors)
        return all(
            part not in self.runtime and not isinstance(type_of(part), TensorType)
            for part in subexpressions(value)
            if isinstance(part, Var)
        )

    # Values

    def value(self, expr: Expr, site: Site) -> str | Expr:
        """The tile that holds the elements at a site, or a number."""
        if isinstance(expr, Var) and expr in self.tensors:
            return self.value(self.tensors[expr], site)
        if self.on_host(expr):
            return expand(substitute(expr, self.tensors), self.driver)
        for block in reversed(self.blocks):
            if (expr, site) in block.known:
                return block.known[expr, site]
        made = self.computed(expr, site)
        if isinstance(made, str):
            self.blocks[-1].known[expr, site] = made
        return made

    def computed(self, expr: Expr, site: Site) -> str | Expr:  # noqa: C901 (one case for each node)
        match expr:
            case Var() if expr in self.runtime:
                return self.spread(self.runtime[expr], site)
            case Build(_, binders, body) if self.on_host(body) and free_vars(body).isdisjoint(binders):
                return expand(substitute(body, self.tensors), self.driver)
            case Build(_, binders, body) if free_vars(body).isdisjoint(binders):
                return self.same_everywhere(body, site)
            case Build(_, _, Select(Var(), _)):
                return self.load(expr, site)
            case Build(_, binders, Select(tensor, indices)):
                places = dict(zip(binders, site.index, strict=True))
                return self.column(tensor, tuple(substitute(at, places) for at in indices), site)
            case Select(Var() as array, _) if array in self.arrays:
                return self.load(Build((ONE,), (Var("only", INT),), expr), Site(ONE, ONE, (integer(0),), ()))
            case Call(op, args) if op in REDUCTIONS:
                return self.reduction(op, args, expr, site)
            case Call("fill", (arg,)):
                return self.as_tile(self.value(arg, site), type_scalar(expr), site)
            case Call(op, args) if op in self.driver.operators:
                return self.called(op, args, expr, site)
            case Cast(arg, type_) if not isinstance(type_of(arg), TensorType):
                return self.called("copy", (arg,), Call("copy", (arg,), type_), site)
            case _:
                raise CannotWrite(f"a value that is no view, number or instruction: {show(expr)[:80]}")

    def column(self, tensor: Expr, index: tuple[Expr, ...], site: Site) -> str | Expr:
        """Elements of a tensor that are the same in all columns, in one column."""
        if any(COLUMN in free_vars(at) for at in index):
            raise CannotWrite(f"elements of a tensor that is computed, in another order: {show(tensor)[:80]}")
        return self.value(tensor, Site(site.rows, ONE, index, self.names(tensor)))

    def same_everywhere(self, number: Expr, site: Site) -> str | Expr:
        """One number for all elements, computed once and spread."""
        if isinstance(number, Var) and number in self.runtime:
            return self.value(number, site)
        one = Site(ONE, ONE, (), ())
        return self.spread(self.as_tile(self.value(number, one), type_scalar(number), one), site)

    def load(self, view: Expr, site: Site) -> str:
        """Elements of an array; a row that is the same for all rows is loaded once, and spread."""
        element = type_scalar(view)
        index = site.index
        assert isinstance(view, Build)
        if len(view.extents) != len(index):
            raise CannotWrite("a view of another number of axes")
        at = substitute(view.body, dict(zip(view.binders, index, strict=True)))
        if ROW not in free_vars(at) and site.rows != ONE:
            one = Site(ONE, site.columns, tuple(substitute(each, {ROW: integer(0)}) for each in index), site.places)
            return self.spread(self.as_tile(self.value(view, one), element, one), site)
        name = self.fresh(array_of(view), site.rows, site.columns, element)
        self.emit(Load(name, view, index))
        self.exact(view, element, site)
        return name

    def as_tile(self, operand: str | Expr, type_: ScalarType, site: Site) -> str:
        """A tile, of a number one that is filled with it."""
        if isinstance(operand, str):
            return operand
        if is_integer(type_):
            if not interval(operand).within(self.limits):
                self.condition(self.between(operand), site)
        name = self.fresh("number", site.rows, site.columns, type_)
        self.emit(Fill(name, operand))
        return name

    def called(self, op: str, args: tuple[Expr, ...], expr: Expr, site: Site) -> str:
        """An elementwise operator."""
        type_ = INT32 if type_scalar(expr) == INT else type_scalar(expr)
        operands = tuple(self.value(arg, site) for arg in args)
        for arg, operand in zip(args, operands, strict=True):
            if not isinstance(operand, str):
                self.exact(arg, type_scalar(arg), site)
        if is_integer(type_) and not is_integer(type_scalar(args[-1])) and type_scalar(args[-1]) != BOOL:
            raise CannotWrite("a conversion of floats to integers: C's rounds to zero, the chip's to the nearest")
        if plain(op) in ("quotient", "remainder"):
            return self.division(op, args, operands, expr, site)
        if op == "divide":
            return self.divided(operands, type_, site)
        if op == "copy" and isinstance(type_, MachineInt) and type_.bits < 32:
            return self.narrowed(args[0], operands[0], type_, site)
        if op == "select":  # what is copied where a tile of flags says so is a tile
            fixed = operands[2] if isinstance(operands[0], str) else self.as_tile(operands[2], type_, site)
            operands = (operands[0], self.as_tile(operands[1], type_, site), fixed)
        if all(not isinstance(each, str) for each in operands):
            operands = (self.as_tile(operands[0], type_scalar(args[0]), site), *operands[1:])
        self.narrow_domain(op, args, site)
        name = self.map(op, operands, type_, site)
        if op not in CHOOSING:
            self.exact(expr, type_, site)
        return name

    def divided(self, operands: tuple[str | Expr, ...], type_: ScalarType, site: Site) -> str:
        """A quotient of floats: a product with the reciprocal."""
        top, bottom = operands
        if not isinstance(bottom, str) and not isinstance(bottom, Const):  # 1 / 0 is for the chip, not for Python
            bottom = self.as_tile(bottom, type_, replace(site, columns=ONE))
        if not isinstance(bottom, str):
            return self.map("multiply", (top, Apply(Operator.DIV, (Const(Fraction(1), type_), bottom))), type_, site)
        inverse = self.map("reciprocal", (bottom,), type_, site)
        one = isinstance(top, Const) and top.value == 1
        return inverse if one else self.map("multiply", (top, inverse), type_, site)

    def tile(self, name: str) -> Tile:
        """The tile of that name."""
        made = (each.tile for block in reversed(self.blocks) for each in block.body if isinstance(each, Allocate))
        return next(each for each in made if each.name == name)

    def columns_in(self, tile: str) -> Expr:
        """How many columns a tile has."""
        return self.tile(tile).columns

    def map(self, op: str, operands: tuple[str | Expr, ...], type_: ScalarType, site: Site) -> str:
        """An instruction; of columns it makes a column."""
        widths = {self.columns_in(each) for each in operands if isinstance(each, str)}
        name = self.fresh(plain(op), site.rows, ONE if widths == {ONE} else site.columns, type_)
        self.emit(Map(name, op, operands))
        return name

    def narrowed(self, arg: Expr, operand: str | Expr, type_: MachineInt, site: Site) -> str:
        """A conversion that keeps low bits: the chip's saturates."""
        source = self.as_tile(operand, type_scalar(arg), site)
        found = interval(self.at_places(arg, site))
        if found.low is None or found.high is None or found.low < type_.low or found.high > type_.high:
            if type_.signed:
                raise CannotWrite("a conversion to a signed type that may wrap")
            source = self.map("bitwise_and", (source, integer(type_.high, INT32)), INT32, site)
        return self.map("copy", (source,), type_, site)

    def division(
        self, op: str, args: tuple[Expr, ...], operands: tuple[str | Expr, ...], expr: Expr, site: Site
    ) -> str:
        """A quotient by an idiom, a remainder from it."""
        top, bottom = operands
        greatest, least = (interval(self.at_places(arg, site)) for arg in args)
        idiom: Idiom | None = None
        if isinstance(bottom, Const) and greatest.high is not None and greatest.high <= DIVIDEND:
            idiom = by_constant(int(bottom.value), self.machine.exact)
        if idiom is None:
            high = greatest.high
            known = high is not None and high < self.machine.exact >> 1
            bits = (high // max(1, least.low or 1)).bit_length() if high is not None and known else BITS
            idiom = long_division(bits, self.machine.exact)
        for condition in idiom.given:
            values = {param: self.at_places(arg, site) for param, arg in zip(idiom.params, args, strict=True)}
            self.condition(substitute(condition, values), site)
        name = self.fresh("quotient", site.rows, site.columns, INT32)
        if isinstance(top, str) and self.columns_in(top) == ONE and site.columns != ONE:
            raise CannotWrite("a quotient of one number in every row")
        self.emit(Expand(name, idiom, (self.as_tile(top, INT32, site), bottom)))
        if op == "quotient":
            return name
        whole = self.map("multiply", (name, bottom), INT32, site)
        return self.map("subtract", (top, whole), INT32, site)

    # Conditions on the values of arrays

    def at_places(self, expr: Expr, site: Site) -> Expr:
        """The element of a value, by the names of its axes."""
        value = expand(substitute(expr, self.tensors), self.driver)
        if isinstance(value, Build):
            value = substitute(value.body, {b: var for b, (var, _) in zip(value.binders, site.places, strict=False)})
        return substitute(value, self.named)

    def exact(self, expr: Expr, type_: ScalarType, site: Site) -> None:
        """An integer that may be too large to be exact is a condition."""
        if is_integer(type_):
            value = self.at_places(expr, site)
            if not interval(unbounded(value)).within(self.limits):
                self.condition(self.between(value), site)

    def between(self, value: Expr) -> Expr:
        """An integer is one that the machine has."""
        low, high = self.limits.low, self.limits.high
        assert low is not None and high is not None
        return conj(at_most(integer(low, INT32), value), at_most(value, integer(high, INT32)))

    def condition(self, formula: Expr, site: Site, text: str = "") -> None:
        """A condition at every element, unless the types ensure it."""
        if isinstance(formula, Apply) and formula.op in (Operator.LE, Operator.LT, Operator.EQ):
            left, right = (interval(each) for each in formula.args)
            if left.high is not None and right.low is not None and left.high + (formula.op is Operator.LT) <= right.low:
                return
            if formula.op is Operator.EQ and formula.args[0] == formula.args[1]:
                return
        place = [(var, extent) for var, extent in site.places if var in free_vars(formula)]
        inside = conj(*(in_range(var, extent) for var, extent in place))
        stated = forall(tuple(var for var, _ in place), implies(inside, formula))
        self.ranges.setdefault(text or show(stated), stated)

    # Reductions

    def reduction(self, op: str, args: tuple[Expr, ...], expr: Expr, site: Site) -> str:
        single(type_scalar(expr))
        if op in OF_ROWS:
            return self.rows(OF_ROWS[op], args[0], expr, site)
        return self.whole(op, args[0], expr)

    def extents(self, expr: Expr) -> tuple[Expr, ...]:
        """The shape of a tensor."""
        value = expand(substitute(expr, self.tensors), self.driver)
        if not isinstance(value, Build):
            raise CannotWrite("a tensor without a shape")
        return value.extents

    def names(self, expr: Expr) -> tuple[tuple[Var, Expr], ...]:
        """Names for the axes of a tensor."""
        value = expand(substitute(expr, self.tensors), self.driver)
        assert isinstance(value, Build)
        return tuple(zip(value.binders, value.extents, strict=True))

    def so_far(self, spec: Expr, kind: Operator, count: Expr) -> Expr:
        """The sum of the first elements, or the maximum of these and the first one."""
        if not isinstance(spec, Fold):
            raise CannotWrite("a sum or maximum that is not one fold")
        steps = count if kind is Operator.ADD else sub(count, ONE)
        return Fold(steps, spec.init, spec.acc, spec.index, spec.body)

    def begun(self, kind: Operator, arg: Expr, expr: Expr, first: Site, n: Expr) -> tuple[str, int | None]:
        """The accumulator of a sum or a maximum of n elements, and a bound on the magnitudes of integers."""
        type_ = number_type(expr)
        bound = self.term(kind, arg, first, n) if is_integer(type_) else None
        acc = self.fresh("total" if kind is Operator.ADD else "greatest", first.rows, ONE, type_)
        if kind is Operator.ADD:
            self.emit(Fill(acc, integer(0, INT32) if is_integer(type_) else Const(Fraction(0), type_)))
            return acc, bound
        tile = self.number_tile(arg, first)
        self.emit(Map(acc, "copy", (tile,)) if bound is None else Reduce(acc, kind, tile, bound))
        return acc, bound

    def term(self, kind: Operator, arg: Expr, site: Site, n: Expr) -> int:
        """A bound on integers that are reduced: their type's, or one that becomes a condition, as that on their sum does."""
        value, most = self.at_places(arg, site), min(self.machine.exact, INT32.high)
        if kind is not Operator.ADD:
            if most < self.machine.exact and not interval(value).within(Interval(-most, most)):
                self.condition(conj(at_most(integer(-most), value), at_most(value, integer(most))), site)
            return most
        found = interval(value)
        bound = max(abs(found.low), abs(found.high)) if found.low is not None and found.high is not None else self.machine.exact
        if bound > LARGE:
            bound = TERM
            self.condition(conj(at_most(integer(-bound), value), at_most(value, integer(bound))), site)
        self.condition(at_most(times(bound, n), integer(most)), site)
        return bound

    def number_tile(self, arg: Expr, site: Site) -> str:
        """The elements at a site, integers in 32 bits."""
        type_ = number_type(arg)
        tile = self.as_tile(self.value(arg, site), type_, site)
        return self.map("copy", (tile,), type_, site) if self.tile(tile).type != type_ else tile

    def rows(self, kind: Operator, arg: Expr, expr: Expr, site: Site) -> str:
        """The sum or maximum of each row, in a tile of one column."""
        if site.columns != ONE or len(site.index) != 1:
            raise CannotWrite("sums or maxima of rows where no column of them is computed")
        spec = expand(substitute(expr, self.tensors), self.driver)
        if not isinstance(spec, Build):
            raise CannotWrite("a sum or maximum that is not one fold")
        return self.along(kind, arg, expr, site, substitute(spec.body, dict(zip(spec.binders, site.index, strict=True))))

    def along(self, kind: Operator, arg: Expr, expr: Expr, site: Site, spec: Expr) -> str:
        """The sums or maxima of the last axis at a site that has all others, block by block; they are what `spec` says."""
        *_, n = self.extents(arg)
        acc, bound = self.begun(kind, arg, expr, Site(site.rows, ONE, (*site.index, integer(0)), self.names(arg)), n)
        u = self.counter("u")
        start = times(self.columns, u)
        columns = Apply(Operator.MIN, (integer(self.columns), sub(n, start)))
        with self.block() as inner:
            tile = self.number_tile(arg, Site(site.rows, columns, (*site.index, plus(start, COLUMN)), self.names(arg)))
            part = self.fresh("part", site.rows, ONE, number_type(expr))
            self.emit(Reduce(part, kind, tile, bound))
            self.emit(Map(acc, "add" if kind is Operator.ADD else "maximum", (acc, part)))
        stated = Invariant(acc, self.so_far(spec, kind, start), spec, bounds(kind, bound, start, n))
        self.emit(Loop(u, ceiling(n, self.columns), tuple(inner.body), (stated,)))
        return acc

    # Outputs

    def write(self, number: int, output: Output) -> None:
        """The loops over the tiles of an output."""
        value = substitute(output.value, self.tensors)
        if len(output.extents) == 2:
            self.blocks_of(number, output, value, integer(self.columns))
        elif any(isinstance(part, Call) and part.function in OF_ROWS for part in subexpressions(value)):
            self.columns_of(number, output, value)
        else:
            self.rows_of_vector(number, output, value)

    def stored(self, number: int, value: Expr, site: Site, inverse: dict[Var, Expr], owns: Expr) -> None:
        """Compute the elements at a site, and store them."""
        tile = self.as_tile(self.value(value, site), type_scalar(value), site)
        if self.columns_in(tile) == ONE and site.columns != ONE:
            tile = self.widened(tile, type_scalar(value), site)
        self.emit(Store(number, site.index, tile, tuple(inverse.items()), owns))

    def widened(self, column: str, type_: ScalarType, site: Site) -> str:
        """A column beside itself, in all columns."""
        zero = Const(Fraction(0), type_) if type_ == FLOAT else Const(0, type_)
        name = self.fresh("zeros", site.rows, site.columns, type_)
        self.emit(Fill(name, zero))
        return self.map("add", (name, column), type_, site)

    def columns_of(self, number: int, output: Output, value: Expr) -> None:
        """A vector of which each element is computed of a row: 128 at a time, in tiles of one column."""
        (n,), (i,) = output.extents, output.places
        t, most = self.counter("t"), self.machine.rows
        rows, row = self.rows_at(n, t)
        with self.block() as inner:
            places = tuple(zip(output.places, output.extents, strict=True))
            site = Site(rows, ONE, (row,), places)
            self.stored(number, value, site, {t: div(i, most), ROW: mod(i, most)}, at_most(integer(0), i))
        self.emit(Loop(t, ceiling(n, most), tuple(inner.body)))

    def rows_at(self, extent: Expr, tile: Expr) -> tuple[Expr, Expr]:
        """How many rows the tile of that number has, and where in its axis its ROW-th is."""
        most = self.machine.rows
        if most == 1:
            return ONE, tile
        start = times(most, tile)
        return Apply(Operator.MIN, (integer(most), sub(extent, start))), plus(start, ROW)

    def blocks_of(self, number: int, output: Output, value: Expr, width: Const) -> None:
        """A matrix, block by block."""
        (m, n), (i, j) = output.extents, output.places
        t, u, most = self.counter("t"), self.counter("u"), self.machine.rows
        rows, row = self.rows_at(m, t)
        columns = Apply(Operator.MIN, (width, sub(n, times(int(width.value), u))))
        places = tuple(zip(output.places, output.extents, strict=True))
        with self.block() as inner:
            index = (row, plus(times(int(width.value), u), COLUMN))
            inverse = {
                t: div(i, most), ROW: mod(i, most), u: div(j, int(width.value)), COLUMN: mod(j, int(width.value)),
            }  # fmt: skip
            self.stored(number, value, Site(rows, columns, index, places), inverse, at_most(integer(0), i))
        over = Loop(u, ceiling(n, int(width.value)), tuple(inner.body))
        self.emit(Loop(t, ceiling(m, most), (over,)))

    # What a machine does in its own way

    @abstractmethod
    def spread(self, row: str, site: Site) -> str:
        """A tile of one row, of one column or of all, for every row."""

    @abstractmethod
    def whole(self, op: str, arg: Expr, expr: Expr) -> str:
        """A sum or maximum of a vector, in a tile of one element."""

    @abstractmethod
    def rows_of_vector(self, number: int, output: Output, value: Expr) -> None:
        """The loops over the tiles of a vector."""

    @abstractmethod
    def narrow_domain(self, op: str, args: tuple[Expr, ...], site: Site) -> None:
        """Notes what has to hold of the arguments of an operator that the machine computes in a range only."""


def unbounded(value: Expr) -> Expr:
    """An integer as arithmetic on unbounded ones makes it of its operands: one that may leave its type, too."""
    match value:
        case Ite(cond, then, other):
            return Ite(cond, unbounded(then), unbounded(other))
        case Apply(op, args) if op in ARITHMETIC and isinstance(type_of(value), MachineInt):
            return Apply(op, tuple(Cast(arg, INT) for arg in args))
        case _:
            return value


def plain(op: str) -> str:
    """An operator's name without its driver's."""
    return op.rpartition(".")[2]
