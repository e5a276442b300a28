"""From a program on tensors of any size to a kernel on tiles: what machines with tiles have in common.

A matrix is taken as blocks, sums and maxima over rows go block by block. A machine says how large a block is, how a row is spread
over others, and how it goes about a vector.
Nothing here is trusted: the kernel is proved to compute the program.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from fractions import Fraction

from metalift.driver import CannotWrite, Kernel
from metalift.driver.expansion import expand
from metalift.ir.arith.intervals import Interval, interval
from metalift.ir.expr.build import at_most, less, plus
from metalift.ir.expr.nodes import (
    Apply,
    Build,
    Call,
    Const,
    Expr,
    Fold,
    MakeTuple,
    Operator,
    Var,
    integer,
)
from metalift.ir.expr.types import FLOAT, INT32, ScalarType, is_integer
from metalift.ir.expr.walk import subexpressions, substitute
from metalift.ir.program.kernel import (
    COLUMN,
    ROW,
    Divided,
    Fill,
    Invariant,
    Loop,
    Map,
    Output,
    Reduce,
    Store,
)
from metalift.ir.program.summary import Write

from .conditions import Site
from .sizes import (
    ONE,
    bounds,
    ceiling,
    div,
    limited,
    mod,
    natural,
    number_type,
    product,
    single,
    sub,
    times,
    type_scalar,
)
from .values import BY_ROWS, GROUPED, LARGE, OF_LAST, TERM, Values


class Lowering(Values):
    """Lowers one program."""

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
    # Reductions

    def reduction(self, op: str, args: tuple[Expr, ...], expr: Expr, site: Site) -> str:
        single(type_scalar(expr))
        if op in OF_LAST:
            return self.last(OF_LAST[op], args[0], expr, site)
        return self.whole(op, args[0], expr)
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
                self.condition(limited(value, most), site)
            return most
        found = interval(value)
        bound = max(abs(found.low), abs(found.high)) if found.low is not None and found.high is not None else self.machine.exact
        if bound > LARGE:
            bound = TERM
            self.condition(limited(value, bound), site)
        self.condition(at_most(times(bound, n), integer(most)), site)
        return bound

    def number_tile(self, arg: Expr, site: Site) -> str:
        """The elements at a site, integers in 32 bits."""
        type_ = number_type(arg)
        tile = self.as_tile(self.value(arg, site), type_, site)
        return self.map("copy", (tile,), type_, site) if self.tile(tile).type != type_ else tile

    def last(self, kind: Operator, arg: Expr, expr: Expr, site: Site) -> str:
        """The sum or maximum of each row, or of a group in each row, in a tile of one column."""
        if site.columns != ONE or len(site.index) != len(self.extents(expr)):
            raise CannotWrite("sums or maxima of rows where no column of them is computed")
        spec = expand(substitute(expr, self.tensors), self.driver)
        if not isinstance(spec, Build):
            raise CannotWrite("a sum or maximum that is not one fold")
        return self.along(kind, arg, expr, site, substitute(spec.body, dict(zip(spec.binders, site.index, strict=True))))

    def along(self, kind: Operator, arg: Expr, expr: Expr, site: Site, spec: Expr) -> str:
        """The sums or maxima of the last axis at a site that has all others, block by block; they are what `spec` says."""
        *_, n = self.extents(arg)
        acc, bound = self.begun(kind, arg, expr, Site(site.rows, ONE, (*site.index, integer(0)), self.names(arg)), n)
        group = self.group_of(arg)
        how = (kind, bound)
        if group is None:
            self.stretch(acc, arg, how, site, (integer(0), n), spec)
            return acc
        g = self.counter("g")
        start = product(group, g)
        with self.block() as inner:
            size = Apply(Operator.MIN, (group, sub(n, start)))
            self.stretch(acc, arg, how, replace(site, group=(group, g)), (start, size), spec)
        stated = Invariant(acc, self.so_far(spec, kind, start), spec, bounds(kind, bound, start, n))
        self.emit(Loop(g, ceiling(n, group), tuple(inner.body), (stated,)))
        return acc

    def stretch(
        self, acc: str, arg: Expr, how: tuple[Operator, int | None], site: Site, part: tuple[Expr, Expr], spec: Expr
    ) -> None:
        """So many elements of the last axis from a start on, combined with those before, block by block."""
        (kind, bound), (begin, size) = how, part
        u, width = self.counter("u"), self.width(arg)
        columns, at = columns_at(size, u, width)
        index = (*site.index, at if begin == integer(0) else plus(begin, at))
        with self.block() as inner:
            self.in_group(site, at, columns)
            tile = self.number_tile(arg, replace(site, columns=columns, index=index, places=self.names(arg)))
            found = self.fresh("part", site.rows, ONE, number_type(arg))
            self.emit(Reduce(found, kind, tile, bound))
            self.emit(Map(acc, "add" if kind is Operator.ADD else "maximum", (acc, found)))
        before, behind = plus(begin, times(width, u)), plus(begin, size)
        after = spec if begin == integer(0) else self.so_far(spec, kind, behind)
        stated = Invariant(acc, self.so_far(spec, kind, before), after, bounds(kind, bound, before, behind))
        self.emit(Loop(u, ceiling(size, width), tuple(inner.body), (stated,)))

    def in_group(self, site: Site, at: Expr, columns: Expr) -> None:
        """Which group elements of a group are in, and where in it."""
        if site.group is not None:
            self.emit(Divided(*site.group, at, site.rows, columns))

    def width(self, value: Expr) -> int:
        """How many columns tiles of a value have: one where a group of elements makes each."""
        whole = substitute(value, self.tensors)
        return 1 if any(isinstance(part, Call) and part.function in GROUPED for part in subexpressions(whole)) else self.columns

    # Outputs

    def write(self, number: int, output: Output) -> None:
        """The loops over the tiles of an output."""
        value = substitute(output.value, self.tensors)
        group = self.group_of(value)
        if len(output.extents) == 2:
            self.blocks_of(number, output, value, group)
        elif group is not None:
            self.groups_of_vector(number, output, value, group)
        elif any(isinstance(part, Call) and part.function in BY_ROWS for part in subexpressions(value)):
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

    def blocks_of(self, number: int, output: Output, value: Expr, group: Expr | None) -> None:
        """A matrix, block by block, or block by block of each group of columns."""
        (m, n), (i, j) = output.extents, output.places
        t, most = self.counter("t"), self.machine.rows
        rows, row = self.rows_at(m, t)
        places = tuple(zip(output.places, output.extents, strict=True))
        site = Site(rows, ONE, (row,), places)
        inverse = {t: div(i, most), ROW: mod(i, most)}
        owns = at_most(integer(0), i)
        with self.block() as inner:
            if group is None:
                self.strip(number, value, site, (integer(0), n), inverse, owns, j)
            else:
                g = self.counter("g")
                start = product(group, g)
                size = Apply(Operator.MIN, (group, sub(n, start)))
                with self.block() as groups:
                    one = replace(site, group=(group, g))
                    self.strip(number, value, one, (start, size), inverse | {g: div(j, group)}, owns, mod(j, group))
                self.emit(Loop(g, ceiling(n, group), tuple(groups.body)))
        self.emit(Loop(t, ceiling(m, most), tuple(inner.body)))

    def groups_of_vector(self, number: int, output: Output, value: Expr, group: Expr) -> None:
        """A vector: full groups, as many at a time as a tile has rows, then the rest."""
        (n,), (i,) = output.extents, output.places
        t, most = self.counter("t"), self.machine.rows
        full = div(n, group)
        rows, row = self.rows_at(full, t)
        places = tuple(zip(output.places, output.extents, strict=True))
        whole, own = product(group, full), div(i, group)
        with self.block() as inner:
            site = Site(rows, ONE, (), places, (group, row))
            inverse = {t: div(own, most), ROW: mod(own, most)}
            self.strip(number, value, site, (product(group, row), group), inverse, less(i, whole), mod(i, group))
        self.emit(Loop(t, ceiling(full, most), tuple(inner.body)))
        rest = Site(ONE, ONE, (), places, (group, full))
        self.strip(number, value, rest, (whole, mod(n, group)), {}, at_most(whole, i), sub(i, whole))

    def strip(
        self, number: int, value: Expr, site: Site, part: tuple[Expr, Expr], inverse: dict[Var, Expr], owns: Expr, at: Expr
    ) -> None:
        """So many elements of the last axis from a start on, block by block; `at` is a place's number among these."""
        begin, size = part
        u, width = self.counter("u"), self.width(value)
        columns, column = columns_at(size, u, width)
        index = (*site.index, column if begin == integer(0) else plus(begin, column))
        with self.block() as inner:
            self.in_group(site, column, columns)
            back = inverse | {u: div(at, width), COLUMN: mod(at, width)}
            self.stored(number, value, replace(site, columns=columns, index=index), back, owns)
        self.emit(Loop(u, ceiling(size, width), tuple(inner.body)))

    # What a machine does in its own way

    @abstractmethod
    def whole(self, op: str, arg: Expr, expr: Expr) -> str:
        """A sum or maximum of a vector, in a tile of one element."""

    @abstractmethod
    def rows_of_vector(self, number: int, output: Output, value: Expr) -> None:
        """The loops over the tiles of a vector."""


def columns_at(extent: Expr, tile: Expr, width: int) -> tuple[Expr, Expr]:
    """How many columns the tile of that number has, and where in its axis its COLUMN-th is."""
    if width == 1:
        return ONE, tile
    start = times(width, tile)
    return Apply(Operator.MIN, (integer(width), sub(extent, start))), plus(start, COLUMN)
